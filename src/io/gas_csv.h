/** Tables of a gas result as CSV: see docs/formats/facets.md. */
#ifndef IO_GAS_CSV_H
#define IO_GAS_CSV_H

#include "engine/result.h"

/** One line a facet: what it is and its numbers with standard errors; units in every heading. A module_export.form. */
crp_status gas_facets_form(crp_context *context, const crp_model *model, const crp_result *result,
                           const output_options *options, const char *path, void **bytes, size_t *n_bytes);

/** One line for each molecule of which is known where it got out through a hole. A module_export.form. Errors:
 * CRP_ERR_UNSUPPORTED for a result that was read from a file, which holds no places. */
crp_status gas_leaks_form(crp_context *context, const crp_model *model, const crp_result *result,
                          const output_options *options, const char *path, void **bytes, size_t *n_bytes);

#endif
