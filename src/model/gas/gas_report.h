/** What `check` says about the geometry of a gas model. */
#ifndef MODEL_GAS_GAS_REPORT_H
#define MODEL_GAS_GAS_REPORT_H

#include "model/gas/gas.h"

/**
 * Facets, size, area, volume, surfaces with their properties, and every problem that mesh_check finds, with the facets.
 *
 * @param file  a FILE
 * Errors: CRP_ERR_MEMORY.
 */
crp_status gas_report(crp_context *context, const crp_model *model, bool is_json, void *file);

#endif
