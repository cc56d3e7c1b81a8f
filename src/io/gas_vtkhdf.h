/** The facets of a gas model with their numbers, for ParaView 5.11 and later: see docs/formats/vtkhdf.md. */
#ifndef IO_GAS_VTKHDF_H
#define IO_GAS_VTKHDF_H

#include "engine/result.h"

/**
 * Form an unstructured grid of polygons in cm: one cell a facet, triangles for a facet with holes, and one cell for
 * each texture cell where there is a texture, cut at the facet. Where a texture is, numbers are those of its cells. A
 * module_export.form. Errors: CRP_ERR_FORMAT (a result of another model), CRP_ERR_MEMORY.
 */
crp_status gas_vtkhdf_form(crp_context *context, const crp_model *model, const crp_result *result,
                           const output_options *options, const char *path, void **bytes, size_t *n_bytes);

#endif
