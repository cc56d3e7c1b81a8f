/**
 * Chemistry of irradiated water: the validated model of `chem`. Lengths in nm, times in ps, energies in eV,
 * diffusion coefficients in nm2/ps (1e-9 m2/s = 1e-3 nm2/ps), rate constants in 1/(M s) and 1/s, concentrations in mol/l.
 *
 * One history is one copy of one track: a set of molecules that may all react with each other.
 *
 * Where things plug in:
 *  - a reader or a built-in source fills `tracks` (chem_track_add, chem_track_add_molecule) while the input is loaded:
 *    chem_source_fill (chem_source.c) is the one place that looks at `source` and calls it;
 *  - an engine (exact, paper, irt) is a chem_engine (chem_engine.h): it lays out the kernel's tables, parameters and
 *    working memory. The plan, the tallies and the ledgers (chem_plan.c, chem_tallies.c, chem_reduce.c) are the same for
 *    all of them: every engine adds to the same words, molecules by species at each output time and reactions by channel.
 */
#ifndef MODEL_CHEM_CHEM_H
#define MODEL_CHEM_CHEM_H

#include "model/model.h"

#include <stdbool.h>

/** 4 pi N_A x nm x nm2/ps in 1/(M s): k = CHEM_RATE_UNIT * R * D, R in nm and D in nm2/ps. */
#define CHEM_RATE_UNIT 7.56764527e12

enum { CHEM_NAME = 32, CHEM_MAX_REACTANTS = 2, CHEM_MAX_PRODUCTS = 4, CHEM_MAX_ELEMENTS = 8 };

/** Atoms of one element; water's own, H and O, are kept apart (chem_species.n_hydrogen, n_oxygen). */
typedef struct chem_element {
    char symbol[4];
    int32_t n;
} chem_element;

/** A kind of molecule. */
typedef struct chem_species {
    char name[CHEM_NAME];    /**< "e_aq", "OH-" */
    char *aliases;           /**< other names, joined by blanks, "" if none; owned */
    int32_t charge;          /**< in units of e */
    double diffusion;        /**< D [nm2/ps], >= 0 */
    double radius;           /**< [nm], >= 0; sum of two is the contact distance of types II and IV */
    int32_t n_hydrogen, n_oxygen;
    chem_element elements[CHEM_MAX_ELEMENTS]; /**< atoms of other elements */
    uint32_t n_elements;
    char source[160];        /**< where the values were published */
} chem_species;

/** Types of reactions: Frongillo et al. 1998, Radiat. Phys. Chem. 51, 245; Plante 2011. */
typedef enum chem_type {
    CHEM_TYPE_I = 1, /**< fully diffusion-controlled, no force between the partners */
    CHEM_TYPE_II,    /**< partially diffusion-controlled: radiation boundary at the contact distance */
    CHEM_TYPE_III,   /**< fully diffusion-controlled ions in the Debye (Onsager) potential */
    CHEM_TYPE_IV,    /**< partially diffusion-controlled ions */
    CHEM_TYPE_V,     /**< as I, and only a part `spin` of the pairs can react */
    CHEM_TYPE_VI     /**< first order, or with a species of constant concentration (a scavenger) */
} chem_type;

#define CHEM_NO_SPECIES 0xffffffffu

/** One reaction channel. */
typedef struct chem_reaction {
    chem_type type;
    uint32_t reactants[CHEM_MAX_REACTANTS]; /**< indices; the second is CHEM_NO_SPECIES for type VI */
    uint32_t products[CHEM_MAX_PRODUCTS];   /**< indices; water is not listed */
    uint32_t n_products;
    double k;                /**< types I to V: rate constant as given [1/(M s)]; VI with a scavenger: the same */
    double rate;             /**< VI without a scavenger: [1/s] */
    uint32_t scavenger;      /**< VI: index of the species of constant concentration, else CHEM_NO_SPECIES */
    double concentration;    /**< of it [mol/l] */
    bool is_transient;       /**< VI with a scavenger: with the time-dependent term of Smoluchowski's rate */
    double sigma;            /**< contact distance [nm]; 0 in the file: sum of the radii */
    double spin;             /**< type V: part of the pairs that can react, 1/4 unless given */
    char source[160];
    uint32_t line;           /**< of the file it came from, 0 if none */
    /* formed by chem_reaction_derive */
    double diffusion;        /**< D of the pair: sum of the two [nm2/ps]; VI: with the scavenger's */
    double radius;           /**< reaction radius [nm]: R of I and V; natural distance sigma of II, III, IV; of VI that of the transient term */
    double effective_radius; /**< k/(4 pi D N_A) [nm] */
    double onsager;          /**< r_c of the pair [nm], < 0 attracts; 0 for I, II, V, VI */
    double k_dif, k_act;     /**< [1/(M s)], 1/k = 1/k_dif + 1/k_act; k_act infinite for I, III, V */
    double alpha;            /**< types II, IV: (1 + k_act/k_dif)/sigma_eff [1/nm] */
    double rate_total;       /**< VI: [1/ps], with the concentration */
} chem_reaction;

/** What A + A means: d[A]/dt = -2 k [A]^2 (IUPAC: the radius takes 2k), or k of the file goes into R as it stands. */
typedef enum chem_convention { CHEM_CONVENTION_UNSTATED, CHEM_CONVENTION_K, CHEM_CONVENTION_2K } chem_convention;

/** Species and reactions. */
typedef struct chem_set {
    char name[64];
    char title[160];
    chem_species *species;
    uint32_t n_species;
    chem_reaction *reactions;
    uint32_t n_reactions;
    chem_convention convention;
    double temperature;      /**< [K] */
    double onsager;          /**< r_c of two charges of the same sign [nm], > 0 */
} chem_set;

/** One molecule of a track. */
typedef struct chem_molecule {
    double x, y, z;          /**< [nm] */
    double time;             /**< of birth [ps] */
    uint32_t species;
    uint32_t unused;
} chem_molecule;

/** Molecules that interact with each other, and the energy that made them. */
typedef struct chem_track {
    chem_molecule *molecules;
    size_t n_molecules, room;
    double energy;           /**< deposited [eV]; 0: not known (G is refused then) */
} chem_track;

typedef enum chem_method { CHEM_METHOD_EXACT, CHEM_METHOD_PAPER, CHEM_METHOD_IRT } chem_method;
typedef enum chem_space { CHEM_SPACE_OPEN, CHEM_SPACE_PERIODIC, CHEM_SPACE_REFLECTING } chem_space;

/** What a built-in source makes (chem_source.c); a file is CHEM_SOURCE_FILE. */
typedef enum chem_source_kind {
    CHEM_SOURCE_FILE, CHEM_SOURCE_PAIR, CHEM_SOURCE_SPUR, CHEM_SOURCE_CYLINDER, CHEM_SOURCE_UNIFORM
} chem_source_kind;

/** So many molecules of a species, for built-in sources. */
typedef struct chem_population {
    char species[CHEM_NAME];
    double count;            /**< of a track, whole, >= 0 */
} chem_population;

/** The concentration of a species that reactions name in brackets. */
typedef struct chem_scavenger {
    char species[CHEM_NAME];
    double concentration;    /**< [mol/l], >= 0 */
} chem_scavenger;

/** Where the tracks come from. */
typedef struct chem_source {
    uint32_t kind;           /**< chem_source_kind */
    char file[1024];         /**< FILE: path as given */
    char format[16];         /**< FILE: "gmicromc", "csv" ...; "" to be recognised */
    double energy;           /**< deposited energy of every track [eV], 0: as the file says */
    uint32_t tracks;         /**< built-in: how many, each drawn anew */
    uint64_t seed;           /**< built-in: of the positions */
    chem_population *molecules; /**< built-in: what a track has; owned */
    uint32_t n_molecules;
    double distance;         /**< PAIR: between its two molecules [nm] */
    double radius;           /**< SPUR, CYLINDER: standard deviation of each coordinate about the centre or axis [nm] */
    double length;           /**< CYLINDER: along z; UNIFORM: edge of the cube [nm] */
    char pulse[1024];        /**< file with the shape of a pulse, from which the birth of every track is drawn; "": none */
    bool together;           /**< all tracks of the file share one space (dose rate, pulses) */
} chem_source;

/** The model. */
typedef struct chem_model {
    chem_set set;
    char set_name[1024];     /**< shipped set ("paper" ...) or path of a file */
    chem_scavenger *scavengers; /**< override the set's concentrations; owned */
    uint32_t n_scavengers;
    chem_source source;
    chem_track *tracks;      /**< owned */
    uint32_t n_tracks;
    double start, end;       /**< [ps]; at the start molecules in contact react at once */
    double steps_per_decade; /**< methods exact and paper with log steps */
    double outputs_per_decade;
    uint32_t method;         /**< chem_method */
    uint32_t space;          /**< chem_space */
    double box;              /**< edge of the cube [nm], centred at 0; periodic and reflecting */
    bool dynamic_step;       /**< method paper: Eq. 4 and Tables 1, 2 */
    double step;             /**< fixed step [ps], 0: none; exact and paper */
    uint64_t n_repaired_times; /**< molecules whose time was not finite or before the start, set to it */
} chem_model;

/** `chem` as the engine, the readers and the program know it. */
extern const crp_module module_chem;

/** A model with defaults and no species, reactions, tracks. NULL when out of memory. */
chem_model *chem_model_create(void);
void chem_model_destroy(void *model);

/** Check every range, and that there is something to do. `where`: prefix of the messages. Errors: CRP_ERR_CONFIG. */
crp_status chem_model_validate(crp_context *context, const char *where, const chem_model *model);

/* ---------------------------------------------------------------------------------------------------- sets */

/** Empty and free the parts of a set. */
void chem_set_clear(chem_set *set);
/** Read species and reactions from text (docs/formats/chem_set.md) into an empty set, check and derive all of it. */
crp_status chem_set_parse(crp_context *context, const char *path, const char *text, chem_set *set);
/** Species and reactions from a macro or a scavenger table of Geant4-DNA: its list of species is that of the set geant4, k of
 * A + A is its convention (2k). Errors: CRP_ERR_CONFIG, CRP_ERR_FORMAT, CRP_ERR_UNSUPPORTED. src/io/chem_geant4.c */
crp_status chem_set_from_geant4(crp_context *context, const char *path, const void *bytes, size_t n_bytes, chem_set *set);
/** Whether a text is one. */
bool chem_set_is_geant4(const void *bytes, size_t n_bytes);
/** A shipped set by name, or a file: of this program's form, or Geant4-DNA's. Errors: CRP_ERR_CONFIG names the shipped ones. */
crp_status chem_set_load(crp_context *context, const char *where, const char *name_or_path, chem_set *set);
/** Set the concentration [mol/l] of a species in brackets in all reactions that have it. Errors: CRP_ERR_CONFIG (none has). */
crp_status chem_set_scavenger(crp_context *context, const char *where, chem_set *set, const char *name, double concentration);
/** Text of a shipped set, NULL if there is none of that name. Names: chem_set_names, ended by NULL. */
const char *chem_set_text(const char *name);
extern const char *const chem_set_names[];

/** Index of a species by name or alias (also in the spellings of Geant4, TOPAS and gMicroMC), or CHEM_NO_SPECIES. */
uint32_t chem_species_find(const chem_set *set, const char *name);
/** The same; unknown names fail: "<where>: species X is not known (...) nearest". */
crp_status chem_species_need(crp_context *context, const char *where, const chem_set *set, const char *name, uint32_t *i);
/** Append a species (copied; `aliases` passes into the set's ownership); index out. Errors: CRP_ERR_MEMORY, CRP_ERR_CONFIG (named already). */
crp_status chem_set_add_species(crp_context *context, const char *where, chem_set *set, const chem_species *species,
                                uint32_t *i);
/** Check balance and ranges of a reaction, derive its radius, append it. Errors: CRP_ERR_CONFIG. */
crp_status chem_set_add_reaction(crp_context *context, const char *where, chem_set *set, const chem_reaction *reaction);
/** Charge, atoms from a formula ("H2O2", "HO2-", "e-"). Errors: CRP_ERR_CONFIG. */
crp_status chem_formula_parse(crp_context *context, const char *where, const char *formula, chem_species *species);
/** Charge and elements equal on both sides, H and O up to water. Errors: CRP_ERR_CONFIG says what is left over. */
crp_status chem_reaction_balance(crp_context *context, const char *where, const chem_set *set, const chem_reaction *r);
/** Fill the derived fields. Errors: CRP_ERR_CONFIG (k above the diffusion limit of II or IV, no convention for A + A ...). */
crp_status chem_reaction_derive(crp_context *context, const char *where, const chem_set *set, chem_reaction *r);
/** "e_aq + H3O+ -> H" into `text`. */
const char *chem_reaction_print(const chem_set *set, const chem_reaction *r, char *text, size_t size);
/** One line for people: the reaction, its type, its rate, and the contact radius in use. Returns `text`. */
const char *chem_reaction_describe(const chem_set *set, const chem_reaction *r, char *text, size_t size);
/** Write a set as text that chem_set_parse reads back. */
void chem_set_write(void *file, const chem_set *set);

/* ------------------------------------------------------------------------------------------------ molecules */

/** Append an empty track. Errors: CRP_ERR_MEMORY. */
crp_status chem_track_add(crp_context *context, chem_model *model, double energy, chem_track **track);
/** Append a molecule. `where` for messages. Errors: CRP_ERR_MEMORY, CRP_ERR_FORMAT (position not finite). A time that is not
 * finite or before the start is set to the start and counted. */
crp_status chem_track_add_molecule(crp_context *context, const char *where, chem_model *model, chem_track *track,
                                   const chem_molecule *molecule);
/** A path that an input file names is relative to the folder of that file: into `out`. */
void chem_path_beside(const char *path, const char *file, char *out, size_t size);
/** `status`; where a file that `key` of the input at `path` names could not be read, the message says so. */
crp_status chem_file_status(crp_context *context, crp_status status, const char *path, const char *key);
/** Make the tracks that model->source describes (relative file paths: beside `path`). The seam for readers and sources. */
crp_status chem_source_fill(crp_context *context, const char *path, chem_model *model);
/** Read a list of molecules in any known format (source.format, else recognised) into tracks. src/io/chem_file.c */
crp_status chem_file_read(crp_context *context, const char *path, chem_model *model);
/** Make the tracks of a built-in source (pairs, spurs ...). `path` for messages. chem_source_build.c */
crp_status chem_source_build(crp_context *context, const char *path, chem_model *model);
/** Sort molecules by species, position and time: the order that gives them their numbers, whatever the input's was. */
void chem_track_sort(chem_track *track);
/** Sort all tracks so, then the tracks by size, energy and contents, and mix these in one and the same way: their order depends
 * on nothing else, and neighbours are not alike. */
void chem_tracks_sort(chem_model *model);
/** All tracks as one, for molecules of different tracks that meet (source.together). Errors: CRP_ERR_MEMORY. */
crp_status chem_tracks_join(crp_context *context, chem_model *model);

#endif
