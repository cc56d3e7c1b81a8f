/** The steps of time: logarithmic since the last births, or fixed, ending at every output time and birth. */
#ifndef MODEL_CHEM_CHEM_SCHEDULE_H
#define MODEL_CHEM_CHEM_SCHEDULE_H

#include "chem/params.h"
#include "model/chem/chem.h"

/** Output times [ps] from start to end; the last may follow sooner. Errors: CRP_ERR_MEMORY. */
crp_status chem_outputs_create(crp_context *context, const chem_model *model, double **times, uint32_t *n);

/** Groups of molecules born together: times [ps], ascending, the first is the start. Errors: CRP_ERR_MEMORY. */
crp_status chem_births_create(crp_context *context, const chem_model *model, double **times, uint32_t *n);

/** The group that a birth belongs to: the last one not after it. */
uint32_t chem_birth_group(const double *groups, uint32_t n_groups, double birth);

/**
 * All steps. The first has no length: molecules in contact react. The last has none either: it counts.
 *
 * A step ends with the next output or group of births, or when the age since the last births has grown by a factor
 * 10^(1/steps_per_decade) (the age at birth counts as the start time), or after chem.step, whatever comes first.
 *
 * Errors: CRP_ERR_MEMORY, CRP_ERR_CONFIG (more than 2^20 steps; a periodic box too small to search in).
 */
crp_status chem_steps_create(crp_context *context, const chem_model *model, const double *outputs, uint32_t n_outputs,
                             const double *births, uint32_t n_births, chem_step **steps, uint32_t *n);

#endif
