/**
 * Radiolytic molecules as files give them: positions, species by name, tracks, deposited energies. A reader fills such a
 * list and checks what a file alone can tell; the chemistry that the names must fit into comes later (molecules_check).
 *
 * What a reader repairs or leaves out it counts and says, once, in the log.
 */
#ifndef IO_MOLECULES_H
#define IO_MOLECULES_H

#include "core/context.h"

#include <stdbool.h>

enum { MOLECULE_NAME = 48 };

/** A coordinate is below this [nm], a metre: what is not has another unit. */
#define MOLECULES_FARTHEST 1.0e9

/** A name of a species as it stands in the file. */
typedef struct molecule_name {
    char name[MOLECULE_NAME];
    uint64_t line;  /**< where it stands first (text: line; binary: molecule), from 1 */
    uint64_t count; /**< molecules of it */
} molecule_name;

/** Molecules that share one primary particle and may react with each other. */
typedef struct molecule_track {
    uint64_t label;  /**< number in the file */
    double energy;   /**< deposited [eV]; NaN: not given */
    double weight;   /**< statistical weight, 1 unless given, > 0 */
    uint64_t count;  /**< molecules */
    uint64_t line;   /**< of its first molecule */
} molecule_track;

typedef struct molecule_list {
    char path[1024];      /**< for messages */
    size_t n;             /**< molecules */
    double *x, *y, *z;    /**< [nm], finite */
    double *time;         /**< birth [ps], >= 0; NaN: present from the start */
    uint32_t *name;       /**< index into names */
    uint32_t *track;      /**< index into tracks */
    molecule_name *names;
    size_t n_names;
    molecule_track *tracks;
    size_t n_tracks;
    double energy;        /**< deposited by all tracks together [eV]; NaN: not given, nor for every track */
    bool is_text;         /**< lines of text, else records of a binary file: for messages */
    size_t room, names_room, tracks_room;
    uint32_t *slots;      /**< hash table over tracks: index + 1, 0 for none */
    size_t n_slots;
} molecule_list;

/** An empty list that messages call `path`. Errors: CRP_ERR_MEMORY. Free it with molecules_destroy. */
crp_status molecules_create(crp_context *context, const char *path, molecule_list **list);
/** Free and set to NULL; accepts NULL and a pointer to NULL. */
void molecules_destroy(molecule_list **list);

/** Index of a name, new names appended. `line`: where it stands. Errors: CRP_ERR_FORMAT (too long), CRP_ERR_MEMORY. */
crp_status molecules_name(crp_context *context, molecule_list *list, const char *name, size_t length, uint64_t line,
                          uint32_t *index);
/** Index of a track, new ones appended. Errors: CRP_ERR_MEMORY. */
crp_status molecules_track(crp_context *context, molecule_list *list, uint64_t label, uint64_t line, uint32_t *index);
/** Index of a track that is there already; false when it is not. */
bool molecules_find_track(const molecule_list *list, uint64_t label, uint32_t *index);
/** Append a molecule; its name and track are indices from above. Errors: CRP_ERR_MEMORY. */
crp_status molecules_add(crp_context *context, molecule_list *list, const double position[3], double time, uint32_t name,
                         uint32_t track);

/** Kinds of files that hold molecules. */
typedef enum molecule_format { MOLECULES_NONE, MOLECULES_GMICROMC, MOLECULES_CSV } molecule_format;

/** What the bytes look like; MOLECULES_NONE: neither. Contents decide, never the name. */
molecule_format molecules_recognise(const void *bytes, size_t n_bytes);

/** "gmicromc", "csv", "auto" (MOLECULES_NONE). Errors: CRP_ERR_ARG that lists what there is. */
crp_status molecules_format(crp_context *context, const char *name, molecule_format *format);

/**
 * Read the molecules of a file that is in memory.
 *
 * @param path    for messages, and the folder that a directive `energies: FILE` starts from
 * @param format  MOLECULES_NONE: look at the bytes
 * @param[out] list  yours, to be freed with molecules_destroy; NULL after an error
 * Errors: CRP_ERR_FORMAT, CRP_ERR_CONFIG (a value out of range), CRP_ERR_IO (the side file), CRP_ERR_MEMORY; each names
 * path and line, or path and number of the molecule.
 */
crp_status molecules_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes,
                           molecule_format format, molecule_list **list);

/** The same from disk. Errors: also CRP_ERR_IO. */
crp_status molecules_read(crp_context *context, const char *path, molecule_format format, molecule_list **list);

/**
 * Energies of tracks from a side file: `track,energy` with a header line, energy with or without unit (eV).
 * Errors: CRP_ERR_IO, CRP_ERR_FORMAT, CRP_ERR_CONFIG (unknown or doubled track, no energy for a track).
 */
crp_status molecules_read_energies(crp_context *context, const char *path, molecule_list *list);

/**
 * The charge of every track. A pre-chemical stage conserves charge, so a sum that is not zero is worth a word: logged for
 * the first few tracks and counted, never an error (a primary may bring its own charge, a region cut through a track).
 *
 * @param charges  of every name [e], n_names numbers
 * @return number of tracks whose charge is not zero
 */
size_t molecules_check_charge(crp_context *context, const molecule_list *list, const int32_t *charges);

#endif
