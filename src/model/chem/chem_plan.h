/** The plan of a chem run: what all methods share. */
#ifndef MODEL_CHEM_CHEM_PLAN_H
#define MODEL_CHEM_CHEM_PLAN_H

#include "chem/params.h"
#include "model/chem/chem_engine.h"

/** Tallies, in this order. */
typedef enum chem_tally {
    CHEM_TALLY_ENERGY,     /**< deposited energy a history, eV */
    CHEM_TALLY_G,          /**< G(t) [time, species], 1/(100 eV): molecules over that energy */
    CHEM_TALLY_REACTIONS,  /**< events by output interval and channel, a history */
    CHEM_TALLY_CHANNELS,   /**< the same over all times, by channel */
    CHEM_TALLY_LEDGER,     /**< charge; H - 2 O: what the end has more than the start, births and bulk partners accounted for */
    CHEM_N_TALLIES
} chem_tally;

/** As in crp_module. */
crp_status chem_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **plan);
crp_status chem_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                      crp_math math, plan_shape *shape);
crp_status chem_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                 uint64_t count, void *bytes, size_t *n_bytes);
void chem_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events);
/** As crp_module.add_known: the energy of the tracks of these histories. */
void chem_add_energy(const crp_plan *plan, uint64_t first, uint64_t n_histories, crp_wide *bins);
double chem_cost(const crp_model *model);

/** Lay out the tallies, results and counters. Errors: CRP_ERR_MEMORY. */
crp_status chem_tallies_create(crp_context *context, const chem_plan *chem, crp_plan *plan);

/** Channels and everything else of table 1 for the kernel, into `bytes` (malloc); offsets into `p`. Errors: CRP_ERR_MEMORY. */
/* chem_params of kernel/chem/params.h. */
crp_status chem_channels_create(crp_context *context, const chem_model *model, chem_params *p, void **bytes,
                                size_t *n_bytes);

/** What methods of steps share: parameters in chem->engine_data, tables 1 and 3; 2 is left to them. Errors: CRP_ERR_MEMORY. */
crp_status chem_exact_lay_out(crp_context *context, chem_plan *chem, crp_plan *plan);
/** Memory that a launch of so many histories of a method of steps is given: room, room_candidates, the buckets and part of `p`. */
void chem_exact_set_room(chem_params *p, const chem_plan *chem, const plan_shape *shape, uint64_t n_histories);
#endif
