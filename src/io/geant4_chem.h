/**
 * Chemistry as users of Geant4-DNA keep it: reactions and species of macros, scavenger tables. Names stay as they are
 * written; matching them to species, charges and balance is the business of the chemistry that takes them in.
 * Format: docs/formats/geant4_chem.md.
 */
#ifndef IO_GEANT4_CHEM_H
#define IO_GEANT4_CHEM_H

#include "core/context.h"

#include <stdbool.h>

enum { G4_NAME = 48, G4_MAX_SIDE = 6 };

/** A species: `name [ molecule | charge | D | radius ]`. */
typedef struct g4_species {
    char name[G4_NAME], molecule[G4_NAME];
    int32_t charge;  /**< [e] */
    double diffusion; /**< [m2/s], >= 0 */
    double radius;    /**< [nm], >= 0; NaN: not given */
    uint64_t line;
} g4_species;

/** A reaction `A + B -> C + D`. The solvent H2O is left out of both sides, and counted. */
typedef struct g4_reaction {
    char reactants[G4_MAX_SIDE][G4_NAME], products[G4_MAX_SIDE][G4_NAME];
    bool is_bulk[G4_MAX_SIDE]; /**< reactant in brackets: a continuum, not molecules */
    uint32_t n_reactants, n_products;
    double rate;  /**< [1/M/s], with one reactant or a solvent one [1/s], > 0 */
    int32_t type; /**< macro: 0 diffusion-controlled, 1 partially; table: 1 to 6 (I to VI); -1: not given */
    bool is_table; /**< it stands in the form of a table: type counts from 1 */
    uint64_t line;
} g4_reaction;

/** A bulk species and its concentration: `scavenger: NAME conc`. */
typedef struct g4_scavenger {
    char name[G4_NAME];
    double concentration; /**< [mol/l], >= 0 */
    uint64_t line;
} g4_scavenger;

typedef struct g4_chemistry {
    g4_species *species;
    g4_reaction *reactions;
    g4_scavenger *scavengers;
    size_t n_species, n_reactions, n_scavengers;
    size_t n_other; /**< commands of a macro that are about other things: skipped */
} g4_chemistry;

/** Whether the text has a line of one of the forms above. */
bool g4_chemistry_looks_like(const void *bytes, size_t n_bytes);

/**
 * Read a macro or a scavenger table; both may stand in one file.
 * Errors: CRP_ERR_FORMAT, CRP_ERR_CONFIG, CRP_ERR_UNSUPPORTED (rates that are not `Fix`), each with path and line;
 * CRP_ERR_MEMORY.
 */
crp_status g4_chemistry_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes,
                              g4_chemistry **chemistry);
/** The same from disk. Errors: also CRP_ERR_IO. */
crp_status g4_chemistry_read(crp_context *context, const char *path, g4_chemistry **chemistry);
/** Free and set to NULL; accepts NULL and a pointer to NULL. */
void g4_chemistry_destroy(g4_chemistry **chemistry);

#endif
