/** What the files of `gas` share: a model made ready for kernels. */
#ifndef MODEL_GAS_GAS_PLAN_H
#define MODEL_GAS_GAS_PLAN_H

#include "gas/params.h"
#include "model/gas/gas_formula.h"
#include "model/gas/gas_mesh.h"

#include <pthread.h>

/** Tallies in the order of the plan; those from GAS_TALLY_TEXTURE_HITS on only where the model has such things. */
typedef enum gas_tally {
    GAS_TALLY_HITS_TOTAL, /**< hits of a molecule, scalar */
    GAS_TALLY_LEAKS,      /**< ratio: leaks per hit */
    GAS_TALLY_FLIGHT,     /**< ratio: mean length of a flight */
    GAS_TALLY_DESORBED,   /**< by part with sources */
    GAS_TALLY_ABSORBED,   /**< by part with pumps */
    GAS_TALLY_THROUGHPUT,
    GAS_TALLY_PRESSURE, /**< by part */
    GAS_TALLY_DENSITY,
    GAS_TALLY_IMPINGEMENT,
    GAS_TALLY_TRANSMISSION, /**< ratio: by source part and pump part */
    GAS_TALLY_FACET_HITS,   /**< by facet */
    GAS_TALLY_FACET_DESORBED,
    GAS_TALLY_FACET_ABSORBED,
    GAS_TALLY_FACET_PRESSURE,
    GAS_TALLY_FACET_DENSITY,
    GAS_TALLY_FACET_IMPINGEMENT,
    GAS_TALLY_FACET_SPEED, /**< ratio: mean of 1/v of what arrives */
    GAS_TALLY_FORCE,
    GAS_TALLY_TEXTURE_HITS,
    GAS_TALLY_TEXTURE_PRESSURE,
    GAS_TALLY_TEXTURE_DENSITY,
    GAS_TALLY_TEXTURE_IMPINGEMENT,
    GAS_TALLY_PROFILE_HITS,
    GAS_TALLY_PROFILE_PRESSURE,
    GAS_TALLY_PROFILE_DENSITY,
    GAS_TALLY_FORMULA, /**< derived: by formula that can be read */
    GAS_N_TALLIES
} gas_tally;

/** A named set of facets that numbers are given for: a source, a pump, a group. */
typedef struct gas_part {
    char name[GAS_NAME];
    uint32_t *facets; /**< owned */
    uint32_t n_facets;
    uint32_t *sources, *pumps; /**< rows and columns of the transmission table that belong to it; owned */
    uint32_t n_sources, n_pumps;
    double area;        /**< both sides of two-sided facets [m2] */
    double temperature; /**< of the facet named first [K] */
} gas_part;

/** A formula of the model that can be read. */
typedef struct gas_plan_formula {
    const char *name;           /**< of the model; its text where it has none */
    gas_expression *expression; /**< owned */
} gas_plan_formula;

/** A leak that was recorded. */
typedef struct gas_leak {
    double place[3], way[3];
    uint32_t facet; /**< left last, from 0; a sheet's lowest one */
} gas_leak;

enum { GAS_MAX_LEAKS = 64 };

/** Events of a run: the kernel's counters, and what the words of the facets give. */
enum { GAS_EVENT_HITS = GAS_N_COUNTERS, GAS_EVENT_ENDED, GAS_N_EVENTS };

typedef struct gas_plan {
    const gas_model *model;
    gas_params params;
    uint64_t seed;
    double *area;       /**< of every facet, both sides of two-sided ones [m2]; owned */
    double rate;        /**< molecules desorbed a second */
    double speed_scale; /**< [m/s] */
    gas_part *parts;
    uint32_t n_parts;
    uint32_t *source_parts, *pump_parts; /**< rows and columns of the tally `transmission`, as numbers of parts */
    uint32_t n_source_parts, n_pump_parts;
    uint32_t n_rows, n_columns; /**< of the table in the words */
    uint64_t n_cells;           /**< of textures */
    uint32_t n_profiles;
    uint32_t *mark_facets; /**< facet of every mark; owned */
    uint32_t n_marks;
    int32_t at[GAS_N_TALLIES];  /**< number of each tally in the plan, -1: it is not there */
    gas_plan_formula *formulas; /**< owned */
    uint32_t n_formulas;
    uint32_t n_nodes;
    gas_leak leaks[GAS_MAX_LEAKS]; /**< behind `lock`, as several devices find some */
    uint32_t n_leaks;
    uint32_t n_kept; /**< of them, those that the result has */
    pthread_mutex_t lock;
    struct gas_ray_scene *rays; /**< for the device optix: made when one is first opened; owned */
} gas_plan;

/** Names, sources and pumps of the model. Fills parts, rows and columns; `rows` and `columns` get those of every
 * surface. */
crp_status gas_parts_find(crp_context *context, gas_plan *plan, uint32_t *rows, uint32_t *columns);

crp_status gas_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **plan);
/** Tables of surfaces, sources and marks, after the mesh has been made. */
crp_status gas_tables_fill(crp_context *context, crp_plan *plan, const gas_mesh *mesh, const uint32_t *rows,
                           const uint32_t *columns);
crp_status gas_tallies_create(crp_context *context, crp_plan *plan);
crp_status gas_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                     crp_math math, plan_shape *shape);
crp_status gas_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                uint64_t count, void *bytes, size_t *n_bytes);
void gas_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events);
/** Read the formulas of the model; one that cannot be read is left out with a warning. Errors: CRP_ERR_MEMORY. */
crp_status gas_formulas_read(crp_context *context, gas_plan *plan);
void gas_formulas_destroy(gas_plan *plan);
/** As crp_plan.derive: values of the formulas. */
void gas_derive(const crp_plan *plan, size_t tally, const crp_wide *bins, uint64_t n, double *values);
/** As crp_module.keep: leaks that were recorded, up to GAS_MAX_LEAKS in all. */
void gas_keep(const crp_plan *plan, crp_result *result);
/** The verdict on leaks, with a table of some. */
void gas_finish(crp_context *context, const crp_plan *plan, crp_result *result);
double gas_cost(const crp_model *model);
/** Hits of a molecule, roughly, before any is run. */
double gas_hits_of_molecule(const gas_model *model);

/** Constants of the SI (exact since 2019). */
#define GAS_BOLTZMANN 1.380649e-23
#define GAS_AVOGADRO 6.02214076e23

#endif
