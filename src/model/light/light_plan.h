/** From a layered model to kernel parameters and tallies, and from raw words back to named bins. */
#ifndef MODEL_LIGHT_LIGHT_PLAN_H
#define MODEL_LIGHT_LIGHT_PLAN_H

#include "light/params.h"
#include "model/light/light.h"

/** The tallies of `light`, in the plan's order. */
typedef enum light_tally {
    LIGHT_RSP, LIGHT_RD, LIGHT_TT, LIGHT_A, LIGHT_RD_BALLISTIC, LIGHT_TT_BALLISTIC,
    LIGHT_ABSORBED_FRACTION, /* A by layer (n_layers) */
    LIGHT_A_Z,               /* A(z): nz + 1 */
    LIGHT_RD_R, LIGHT_RD_A,  /* Rd(r): nr + 1; Rd(alpha): na */
    LIGHT_TT_R, LIGHT_TT_A,
    LIGHT_A_RZ,              /* (nr + 1, nz + 1) */
    LIGHT_RD_RA, LIGHT_TT_RA, /* (nr + 1, na) */
    LIGHT_FLUENCE_RZ,        /* (nr + 1, nz + 1), present when asked for */
    LIGHT_N_TALLIES
} light_tally;

/** What the plan keeps for params() and reduce(). */
typedef struct light_plan {
    const light_model *model; /* borrowed */
    light_params params;      /* all but the launch's own fields */
    uint64_t seed;
    uint32_t specular_weight; /* Rsp in units of 2^-30 */
    uint32_t first_layer;     /* layers above are clear and were crossed by the analytic Rsp */
    uint32_t n_z_reached;     /* bins of dz that the tissue reaches, at most nz */
    bool scores_fluence;
    double fluence_unit;      /* cm */
    uint64_t *beam;           /* nz + 1: fluence of the beam in clear layers above the tissue, units a history; NULL: none */
} light_plan;

/** Rsp of a perpendicular beam: the interfaces down to the first layer that is not clear, with all reflections between
 * them. `first_layer` gets that layer (the last layer if all are clear). Ref: MCML manual, eqs. 3.15 to 3.17. */
double light_specular(const light_model *model, uint32_t *first_layer);

/** mu_a = mu_s = 0. */
bool light_layer_is_clear(const light_layer *layer);

/**
 * The unscattered beam in the clear layers above the tissue, which no photon flies: weight times path length [cm] of one
 * history of weight 1, added to the nz + 1 bins of depth at the axis (the last one: below the grid).
 */
void light_beam_path(const light_model *model, double *path);

/** The seven round keys for a seed, a stream's purpose and the high word of the history numbers. */
ck_philox_key light_key(uint64_t seed, uint32_t history_high);

/** Lay out the tallies of a plan whose light_plan has model, fluence_unit, scores_fluence. Errors: CRP_ERR_MEMORY. */
crp_status light_tallies_create(crp_context *context, crp_plan *plan);

/* The operations of crp_module: see there. */
crp_status light_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **plan);
void light_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events);
crp_status light_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                       crp_math math, plan_shape *shape);
crp_status light_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                  uint64_t count, void *bytes, size_t *n_bytes);
double light_cost(const crp_model *model);

#endif
