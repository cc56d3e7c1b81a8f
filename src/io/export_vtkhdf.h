/** Maps as VTKHDF image data, for ParaView 5.11 and later. Format: docs/formats/vtkhdf.md. */
#ifndef IO_EXPORT_VTKHDF_H
#define IO_EXPORT_VTKHDF_H

#include "engine/result.h"

/**
 * Form a VTKHDF file in memory: cell data `<tally>` and `<tally>_std_dev` of one map, or of all maps on the grid of the
 * first one. A map is a tally with two or three axes with edges; bins beyond the grid are left out.
 *
 * @param[in]  tally    name, or NULL for all
 * @param[out] bytes    free with free()
 * Errors: CRP_ERR_ARG (no such tally), CRP_ERR_UNSUPPORTED (not a map, uneven steps), CRP_ERR_MEMORY.
 */
crp_status vtkhdf_form(crp_context *context, const crp_result *result, const char *tally, void **bytes,
                       size_t *n_bytes);

#endif
