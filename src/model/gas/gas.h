/**
 * Molecules in ultra-high vacuum: the validated model of `gas`.
 *
 * SI inside: m, s, K, Pa, Pa m3/s, kg/mol. Readers convert at the border. A model is vertices, facets (planar polygons with
 * holes, whose normal points into the gas) and surfaces (what a piece of wall does to a molecule). Each facet has one
 * surface; a surface has any number of facets: the named group of a YAML file, or one facet of a Molflow file.
 */
#ifndef MODEL_GAS_GAS_H
#define MODEL_GAS_GAS_H

#include "model/model.h"

enum {
    GAS_NAME = 64,            /**< bytes of a name, the zero included */
    GAS_NONE = -1,            /**< no teleport target, no link; of a structure: in all of them */
    GAS_TELEPORT_BACK = -2    /**< teleport to where the molecule came from */
};

typedef enum gas_desorption {
    GAS_DESORB_NONE, GAS_DESORB_UNIFORM, GAS_DESORB_COSINE, GAS_DESORB_COSINE_N
} gas_desorption;

typedef enum gas_profile {
    GAS_PROFILE_NONE, GAS_PROFILE_U, GAS_PROFILE_V, GAS_PROFILE_ANGLE, GAS_PROFILE_SPEED, GAS_PROFILE_NORMAL_SPEED,
    GAS_PROFILE_TANGENTIAL_SPEED
} gas_profile;

typedef enum gas_speed { GAS_SPEED_MAXWELL, GAS_SPEED_MEAN } gas_speed;

/** What a piece of wall does. gas_surface_default() has the defaults. */
typedef struct gas_surface {
    char name[GAS_NAME];        /**< "" if the file gives none */
    double sticking;            /**< probability to be pumped on a hit, in [0, 1]; default 0 */
    double opacity;             /**< probability that a crossing is a hit, in [0, 1]; default 1 */
    bool is_two_sided;          /**< also seen from behind; default false */
    double temperature;         /**< [K], > 0; default 293.15 */
    double accommodation;       /**< of the energy, in [0, 1]; default 1 */
    double outgassing;          /**< of all its facets together, spread by area [Pa m3/s], >= 0; default 0 */
    uint32_t desorption;        /**< gas_desorption; default cosine where outgassing > 0 */
    double desorption_exponent; /**< n of cosine^n, >= 0 */
    double diffuse, specular;   /**< shares of the reflection, sum <= 1; the rest is cosine^n. Default 1 and 0 */
    double cosine_exponent;     /**< n of that rest, >= 0 */
    bool is_maxwell;            /**< Maxwell's model: the specular share keeps its speed. Default false: as Molflow */
    int32_t teleport;           /**< facet (from 0), GAS_NONE or GAS_TELEPORT_BACK */
    char teleport_name[GAS_NAME]; /**< the same as a YAML file has it, resolved into `teleport` once facets are known */
    int32_t structure;          /**< from 0; GAS_NONE: part of all. Default 0 */
    int32_t link;               /**< structure that a molecule enters through it, from 0; GAS_NONE */
    double texture_u, texture_v; /**< cells along U and V, real-valued as in Molflow; 0: no texture */
    double texture_cell;        /**< edge of a texture cell [m], instead of the two above; 0: not given */
    uint32_t profile;           /**< gas_profile */
    uint32_t structure_number, link_number; /**< of a YAML file while it is read: from 1; 0: all, none */
    uint32_t line;              /**< of the input file, 0 unknown */
    uint32_t n_facets;          /**< kept by gas_model_add_facet */
    char *polygons;             /**< of a YAML file while it is read; owned, NULL afterwards */
} gas_surface;

/** One polygon: corners of loop after loop stand in gas_model.corners; the first loop is the outline, others are holes. */
typedef struct gas_facet {
    uint32_t surface;
    uint32_t first_loop, n_loops; /**< in gas_model.loops */
    uint32_t number;              /**< as users know it: from 1, as in its file */
    uint32_t line;                /**< of the input file, 0 unknown */
} gas_facet;

/** A closed loop of corners. */
typedef struct gas_loop {
    uint32_t first, n;            /**< in gas_model.corners */
} gas_loop;

/** Named set of facets (a Molflow selection, a STL solid); sets may overlap. */
typedef struct gas_group {
    char name[GAS_NAME];
    uint32_t n_facets;
    uint32_t *facets;             /**< from 0, ascending; owned */
} gas_group;

/** A formula of the model, evaluated after the run. */
typedef struct gas_formula {
    char name[GAS_NAME];
    char *text;                   /**< "A2/SUMDES"; owned */
} gas_formula;

/** What the input asks for and this program does not do. */
typedef struct gas_feature {
    char name[GAS_NAME];          /**< the word for --ignore: "time-dependent-outgassing", "moving-walls", "angle-map" ... */
    char where[GAS_NAME];         /**< first place: "facet 12", "gas"; "" none */
    uint32_t n;                   /**< how often */
    bool is_ignored;              /**< asked for with --ignore */
} gas_feature;

/** How the device optix traces: what P. Baehr et al. varied on RTX cards. No other device looks at it. */
typedef enum gas_optix_mesh { GAS_OPTIX_TRIANGLES, GAS_OPTIX_POLYGONS } gas_optix_mesh;
typedef enum gas_optix_positions { GAS_OPTIX_PLANE, GAS_OPTIX_FACET, GAS_OPTIX_RAY } gas_optix_positions;
typedef struct gas_optix {
    uint32_t threads;   /**< in flight; 0: as many as the GPU holds */
    uint32_t copies;    /**< of the hit counters, a power of two; 0: by the number of facets */
    uint32_t batch;     /**< random numbers drawn for so many cycles ahead; 0: when they are needed */
    uint32_t depth;     /**< rays traced in hit programs, one in the other; 0: a loop in the ray-generation program */
    uint32_t mesh;      /**< gas_optix_mesh */
    uint32_t positions; /**< gas_optix_positions: hits put on the plane of their facet, or into it, in double precision, or not */
    uint32_t registers; /**< of a thread, at most; 0: OptiX decides */
    bool programs;      /**< hit programs are called; else, without depth, ray generation asks what was hit itself */
    bool culling;       /**< facets are invisible from behind */
    bool offset;        /**< rays start off the facet, by an adaptive step along its normal */
    bool second_look;   /**< rays that hit nothing are traced again, from farther inside their facet */
} gas_optix;

typedef struct gas_model {
    double *vertices;             /**< x, y, z [m]; shape (n_vertices, 3) */
    uint32_t n_vertices;
    uint32_t *corners;            /**< vertex numbers from 0 */
    uint32_t n_corners;
    gas_loop *loops;
    uint32_t n_loops;
    gas_facet *facets;
    uint32_t n_facets;
    gas_surface *surfaces;
    uint32_t n_surfaces;
    gas_group *groups;
    uint32_t n_groups;
    gas_formula *formulas;
    uint32_t n_formulas;
    gas_feature *features;
    uint32_t n_features;
    char (*structure_names)[GAS_NAME];
    uint32_t n_structures;        /**< >= 1 */
    double mass;                  /**< of a mole [kg/mol], > 0; default 0.0280134 (N2) */
    uint32_t speed;               /**< gas_speed */
    uint32_t max_bounces;         /**< a molecule that has not ended after so many is counted as lost; default 1e9 */
    bool score_forces, score_textures, score_profiles; /**< default true: where surfaces ask for them */
    gas_optix optix;
    char vtkhdf_path[1024];       /**< mesh with results to write, "" if none */
    char origin_format[16];       /**< "molflow-xml", "stl" ...; "" if none */
    char *origin;                 /**< text of the file it came from, for writing it back with results; owned or NULL */
    size_t n_origin;
    size_t room[8];               /**< of the arrays above; the functions below keep it */
} gas_model;

/** `gas` as the engine, the readers and the program know it. */
extern const crp_module module_gas;

/** A surface with the defaults of the fields above. */
gas_surface gas_surface_default(void);

/** Empty model with the defaults of the fields above; NULL when out of memory. Free with gas_model_destroy. */
gas_model *gas_model_create(void);
void gas_model_destroy(void *model);

/**
 * Append. The number of what was appended is n - 1 afterwards. Errors: CRP_ERR_MEMORY, CRP_ERR_CONFIG (more than 2^31).
 *
 * gas_model_add_facet: `corners` are the vertex numbers of all loops one after the other, loop k having n_corners[k] of
 * them; they are checked by gas_model_validate, not here. `number` 0: the next.
 */
crp_status gas_model_add_vertex(crp_context *context, gas_model *model, double x, double y, double z);
crp_status gas_model_add_surface(crp_context *context, gas_model *model, const gas_surface *surface);
crp_status gas_model_add_facet(crp_context *context, gas_model *model, uint32_t surface, const uint32_t *corners,
                               const uint32_t *n_corners, uint32_t n_loops, uint32_t number, uint32_t line);
crp_status gas_model_add_group(crp_context *context, gas_model *model, const char *name, const uint32_t *facets,
                               uint32_t n_facets);
crp_status gas_model_add_formula(crp_context *context, gas_model *model, const char *name, const char *text);
/** Note a feature that is not there (counts further uses). Nothing is refused until gas_model_check_features. */
crp_status gas_model_add_feature(crp_context *context, gas_model *model, const char *name, const char *where);

/** Put the facets in the order of their surfaces, as YAML files have them, and all that names facets with them: groups, teleports.
 * Errors: CRP_ERR_MEMORY. */
crp_status gas_model_sort_facets(crp_context *context, gas_model *model);

/** Numbers of the facets of one surface or group by its name ("pump"), by "surface name", or of facet "12"; ascending.
 * `facets` is the caller's, room for n_facets of the model. Returns how many, 0 if there is no such name. */
uint32_t gas_model_find_facets(const gas_model *model, const char *name, uint32_t *facets);

/** "facet 12" or "facet 12 (pump)". Returns `text`. */
const char *gas_facet_label(const gas_model *model, uint32_t facet, char text[2 * GAS_NAME]);

/** Turn the texts and numbers that YAML files and settings give for teleports, structures and links into those of kernels: `teleport`,
 * `structure`, `link`, and n_structures. `where` is the front of messages. Errors: CRP_ERR_CONFIG. */
crp_status gas_surfaces_resolve(crp_context *context, const char *where, gas_model *model);
/** The other way round, for models that come from other files. */
void gas_surfaces_describe(gas_model *model);

/**
 * Refuse features that are not there, unless named in `ignore` (a list of their words), which is noted in the model.
 * Errors: CRP_ERR_UNSUPPORTED with feature and place; CRP_ERR_CONFIG (an ignored feature the model does not use is fine;
 * an unknown word is not).
 */
crp_status gas_model_check_features(crp_context *context, const char *where, gas_model *model,
                                    const char *const *ignore, size_t n_ignore);

/**
 * Check every range and index, and the shape of every facet: at least three corners, no corner twice in a row, an area, flat.
 * @param where  front of the messages: the path of the file
 * Errors: CRP_ERR_CONFIG, CRP_ERR_GEOMETRY with the facet's number and name and the line.
 */
crp_status gas_model_validate(crp_context *context, const char *where, const gas_model *model);

/** Range checks shared by all readers: NULL when fine, else a static sentence: what must hold. */
const char *gas_check_sticking(double value);
const char *gas_check_opacity(double value);
const char *gas_check_temperature(double value);
const char *gas_check_accommodation(double value);
const char *gas_check_share(double value);
const char *gas_check_exponent(double value);
const char *gas_check_outgassing(double value);
const char *gas_check_mass(double value);
const char *gas_check_cells(double value);
const char *gas_check_length(double value);

#endif
