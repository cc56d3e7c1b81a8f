/** Starters of vacuum models: made from a few numbers. */
#ifndef IO_STARTER_GAS_H
#define IO_STARTER_GAS_H

#include "io/starter.h"

extern const starter_parameter starter_gas_tube_parameters[], starter_gas_duct_parameters[],
    starter_gas_elbow_parameters[], starter_gas_chamber_parameters[];

/** Write the YAML of a model; `values` are those of the parameters, in their order. Errors: CRP_ERR_CONFIG. */
crp_status starter_gas_tube(crp_context *context, const double *values, FILE *file);
crp_status starter_gas_duct(crp_context *context, const double *values, FILE *file);
crp_status starter_gas_elbow(crp_context *context, const double *values, FILE *file);
crp_status starter_gas_chamber(crp_context *context, const double *values, FILE *file);

#endif
