/** Exports of a result to other formats. */
#ifndef IO_EXPORT_H
#define IO_EXPORT_H

#include "engine/result.h"

/** The formats, for help texts: "csv, json, vtkhdf, mco". */
#define EXPORT_FORMATS "csv, json, vtkhdf, mco"

/**
 * Export a result. A file is replaced in one step, or, after an error, is as it was.
 *
 * @param to     "csv", "json", "vtkhdf" or "mco"
 * @param tally  name of one tally (csv, vtkhdf); NULL: all. csv of all is one file in long form
 * @param path   file to write; NULL or "-": standard output (not vtkhdf)
 * Errors: CRP_ERR_ARG (unknown format or tally; the message lists those that exist), CRP_ERR_UNSUPPORTED, CRP_ERR_IO,
 * CRP_ERR_MEMORY; for mco those of mco_write.
 */
crp_status export_write(crp_context *context, const crp_result *result, const char *to, const char *tally,
                        const char *path);

/** The .mco of a light result, with `digits` significant digits (0: MCML's own). `path` as above. */
crp_status export_mco(crp_context *context, const crp_result *result, uint32_t digits, const char *path);

#endif
