/**
 * The seam for methods: exact, paper and irt are one chem_engine each. The plan (chem_plan.c) makes what they share and
 * then asks the engine of the model for the rest. All engines start from the same molecules with the same numbers and add
 * to the same words, so that tallies, ledgers, errors and outputs are written once.
 *
 * Words of a launch (64-bit, only added to; chem_words gives the offsets):
 *   counts[output][species]       molecules alive at output time `output`, over all histories of the launch
 *   births[output][species]       molecules of the input that joined in (time of output - 1, time of output]
 *   reactions[output][reaction]   events in (time of output - 1, time of output]; those at the start belong to output 0
 *   counters[CHEM_N_COUNTERS]     kernel/chem/params.h
 */
#ifndef MODEL_CHEM_CHEM_ENGINE_H
#define MODEL_CHEM_CHEM_ENGINE_H

#include "model/chem/chem.h"

/** Energies are added as integers of 2^-32 eV. */
#define CHEM_ENERGY_UNIT 2.3283064365386963e-10

/** What the plan holds beyond crp_plan: crp_plan.data. */
typedef struct chem_plan {
    const crp_model *owner;
    const chem_model *model;
    uint64_t seed;
    double *outputs;            /**< output times [ps], n_outputs of them, from start to end; owned */
    uint32_t n_outputs;
    double *births;             /**< times of groups of births [ps], n_births of them, the first is the start; owned */
    uint32_t n_births;
    uint32_t *group_first;      /**< molecules of group g and track i are [group_first[k], group_first[k + 1]) of table 0
                                     with k = g n_tracks + i; owned */
    uint64_t n_molecules;       /**< of all tracks */
    uint64_t largest_track;     /**< molecules of it */
    crp_wide *energy_before;    /**< deposited by the tracks before track i [units of CHEM_ENERGY_UNIT], n_tracks + 1; owned */
    uint32_t at_counts, at_births, at_reactions, at_counters; /**< offsets of the words */
    const struct chem_engine *engine;
    void *engine_data;          /**< the engine's own */
    void (*engine_data_destroy)(void *data);
} chem_plan;

typedef struct chem_engine {
    const char *name;           /**< as in chem.method */
    /** Add the engine's tables (from plan->tables[1] on; 0 holds the sorted molecules of all tracks), its data. */
    crp_status (*lay_out)(crp_context *context, chem_plan *chem, crp_plan *plan);
    /** As crp_module.shape: kernel, defines, grid, block, shared and scratch memory. */
    crp_status (*shape)(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                        crp_math math, plan_shape *shape);
    /** As crp_module.params. */
    crp_status (*params)(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                         uint64_t count, void *bytes, size_t *n_bytes);
    /** Seconds a history (one copy of one track) takes on one core. */
    double (*cost)(const crp_model *model);
} chem_engine;

extern const chem_engine chem_engine_exact, chem_engine_paper, chem_engine_irt;

/** The engine of a method; NULL when this build has none. */
const chem_engine *chem_engine_of(const chem_model *model);

#endif
