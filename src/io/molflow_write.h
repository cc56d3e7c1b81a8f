/** Gas models and results as Molflow XML or ZIP: see docs/formats/molflow.md. */
#ifndef IO_MOLFLOW_WRITE_H
#define IO_MOLFLOW_WRITE_H

#include "engine/result.h"
#include "model/gas/gas.h"

#include <stdio.h>

/**
 * Form a file that Molflow 2.9 opens: XML, or a ZIP with it where `path` ends in .zip. A module_export.form.
 *
 * Without options->template_path the whole document is written from the model. With one, a Molflow file of the same
 * facets, every byte of that file stays but the values of facets that differ from the model, and the results, which are
 * replaced.
 *
 * @param result  NULL: the model alone
 * Errors: CRP_ERR_FORMAT (the template is no Molflow file, or the result not of this model), CRP_ERR_CONFIG (the
 * template has other facets), CRP_ERR_IO, CRP_ERR_MEMORY.
 */
crp_status molflow_form(crp_context *context, const crp_model *model, const crp_result *result,
                        const output_options *options, const char *path, void **bytes, size_t *n_bytes);

/* ------------------------------------------------------------------------------------------------ parts of
 * molflow_form */

/** The element <MolflowResults> with the numbers of a result. Errors: CRP_ERR_FORMAT, CRP_ERR_MEMORY. */
crp_status molflow_write_results(crp_context *context, const gas_model *model, const crp_result *result, FILE *file);

/** Copy a document with new values and results. `line` counts from 1. Errors: as molflow_form. */
crp_status molflow_edit(crp_context *context, const char *path, const char *text, size_t n_text, const gas_model *model,
                        const crp_result *result, FILE *file);

/**
 * The corners of a facet as one outline: holes are joined to it by edges that are walked twice.
 * @param[out] corners  vertex numbers, free with free()
 * Errors: CRP_ERR_MEMORY.
 */
crp_status molflow_outline(crp_context *context, const gas_model *model, uint32_t facet, uint32_t **corners,
                           uint32_t *n);

/** A number, the shortest that reads back, in quotes as an attribute: ` name="0.5"`. */
void molflow_put_real(FILE *file, const char *name, double value);
/** A text as an attribute, escaped. */
void molflow_put_text(FILE *file, const char *name, const char *text);

#endif
