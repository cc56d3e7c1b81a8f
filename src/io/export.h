/** Exports of a result to other formats. */
#ifndef IO_EXPORT_H
#define IO_EXPORT_H

#include "engine/result.h"

/**
 * Export a result. A file is replaced in one step, or, after an error, is as it was.
 *
 * @param to       "csv", "json", "vtkhdf", or the own format of the result's module ("mco" of light)
 * @param tally    name of one tally (csv, vtkhdf); NULL: all. csv of all is one file in long form
 * @param options  of the module's own format; NULL: as that has it
 * @param path     file to write; NULL or "-": standard output (not vtkhdf)
 * Errors: CRP_ERR_ARG (unknown format or tally, options that the format has not; the message lists what exists),
 * CRP_ERR_UNSUPPORTED, CRP_ERR_IO, CRP_ERR_MEMORY; for the module's own format those of its write_output.
 */
crp_status export_write(crp_context *context, const crp_result *result, const char *to, const char *tally,
                        const output_options *options, const char *path);

/**
 * Write a result of the model in the own format of its module, which must have one. `path` and errors as above.
 */
crp_status export_output(crp_context *context, const crp_model *model, const crp_result *result,
                         const output_options *options, const char *path);

/**
 * Write a result in one of the formats of its module. Errors: as above; CRP_ERR_ARG for a binary format on standard output.
 */
crp_status export_form(crp_context *context, const crp_model *model, const crp_result *result, const module_export *format,
                       const output_options *options, const char *path);

/** The format of a kind of model that a file of this name has, by its ending; NULL: none. */
const module_export *export_find_ending(const crp_module *module, const char *path);

/**
 * The format of `FORMAT=FILE`, or of `FILE` by its ending; NULL: none.
 * @param[out] path  the file; points into `target`
 */
const module_export *export_find_target(const crp_module *module, const char *target, const char **path);

/** The endings of all formats of a kind of model, joined by ", ": for messages. Returns `text`. */
const char *export_list_endings(const crp_module *module, char *text, size_t size);

#endif
