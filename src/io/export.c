/** Exports of a result to other formats: see export.h. Texts are formed in memory, then written in one step. */
#include "io/export.h"

#include "core/file.h"
#include "core/nearest.h"
#include "core/text.h"
#include "io/export_csv.h"
#include "io/export_json.h"
#include "io/export_vtkhdf.h"

#include <stdlib.h>
#include <string.h>

static bool is_standard_output(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/** End a text and send it where it belongs. `status` is that of its writing. */
static crp_status deliver(crp_context *context, text_buffer *text, crp_status status, const char *path)
{
    CRP_TRY(text_close(context, text, status));
    status = file_deliver(context, path, text->bytes, text->n_bytes);
    free(text->bytes);
    return status;
}

static crp_status find_tally(crp_context *context, const crp_result *result, const char *name, size_t *tally)
{
    ptrdiff_t i = result_find(result, name);
    if (i >= 0) {
        *tally = (size_t)i;
        return CRP_OK;
    }
    const char *near = nearest_inline(name, result->tallies[0].name, sizeof *result->tallies, result->n_tallies);
    if (near != NULL) {
        return context_fail(context, CRP_ERR_ARG, "no tally `%s` in this result: did you mean `%s`?", name, near);
    }
    char list[1024] = "";
    for (size_t k = 0; k < result->n_tallies; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k == 0 ? "" : ", ", result->tallies[k].name);
    }
    return context_fail(context, CRP_ERR_ARG, "no tally `%s` in this result: it has %s", name, list);
}

static crp_status export_csv(crp_context *context, const crp_result *result, const char *name, const char *path)
{
    size_t tally = 0;
    text_buffer text;
    if (name != NULL) {
        CRP_TRY(find_tally(context, result, name, &tally));
    }
    CRP_TRY(text_open(context, &text));
    if (name != NULL) {
        csv_write_tally(result, tally, text.file);
    } else {
        csv_write_all(result, text.file);
    }
    return deliver(context, &text, CRP_OK, path);
}

static crp_status export_json(crp_context *context, const crp_result *result, const char *path)
{
    text_buffer text;
    CRP_TRY(text_open(context, &text));
    return deliver(context, &text, result_write_json(context, result, text.file), path);
}

static crp_status export_vtkhdf(crp_context *context, const crp_result *result, const char *name, const char *path)
{
    void *bytes = NULL;
    size_t n_bytes = 0, tally = 0;
    CRP_CHECK(context, !is_standard_output(path), CRP_ERR_ARG,
              "vtkhdf is a binary file: name one to write it to (-o map.vtkhdf)");
    if (name != NULL) {
        CRP_TRY(find_tally(context, result, name, &tally));
    }
    CRP_TRY(vtkhdf_form(context, result, name, &bytes, &n_bytes));
    crp_status status = file_replace(context, path, bytes, n_bytes);
    free(bytes);
    return status;
}

/* ------------------------------------------------------------------------------------------ the module's own format */

crp_status export_output(crp_context *context, const crp_model *model, const crp_result *result,
                         const output_options *options, const char *path)
{
    char name[sizeof result->model_name + 16];
    text_buffer text;
    snprintf(name, sizeof name, "%s.%s", result->model_name, model->module->output_format);
    const char *shown = is_standard_output(path) ? name : path;
    CRP_TRY(text_open(context, &text));
    crp_status status = model->module->write_output(context, model, result, options, shown, text.file);
    return deliver(context, &text, status, path);
}

/** No format of all kinds, and not that of the result's own kind. */
static crp_status fail_format(crp_context *context, const crp_result *result, const char *to)
{
    char known[256] = "csv, json, vtkhdf";
    for (size_t i = 0; modules[i] != NULL; i++) {
        const char *format = modules[i]->output_format;
        if (format != NULL && strcmp(format, to) == 0) {
            return context_fail(context, CRP_ERR_UNSUPPORTED,
                                "%s is a format for %s (this result is of kind `%s`): choose csv, json or vtkhdf", to,
                                modules[i]->name, result->kind);
        }
        if (format != NULL) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, ", %s", format);
        }
    }
    return context_fail(context, CRP_ERR_ARG, "unknown export format `%s`: choose one of %s", to, known);
}

/** The result holds its model as text. */
static crp_status export_own(crp_context *context, const crp_result *result, const char *to,
                             const output_options *options, const char *path)
{
    const crp_module *module = module_find(result->kind);
    if (module == NULL || module->output_format == NULL || strcmp(module->output_format, to) != 0) {
        return fail_format(context, result, to);
    }
    crp_input *input = NULL;
    crp_input_options input_options = crp_input_options_default();
    CRP_TRY(yaml_load(context, "input in the result file", result->model_text, strlen(result->model_text),
                      &input_options, &input));
    crp_status status = export_output(context, input->models[0], result, options, path);
    crp_input_destroy(&input);
    return status;
}

crp_status export_write(crp_context *context, const crp_result *result, const char *to, const char *tally,
                        const output_options *options, const char *path)
{
    static const output_options plain = {0};
    const output_options *used = options == NULL ? &plain : options;
    bool is_csv = strcmp(to, "csv") == 0, is_json = strcmp(to, "json") == 0, is_vtkhdf = strcmp(to, "vtkhdf") == 0;
    CRP_CHECK(context, tally == NULL || is_csv || is_vtkhdf, CRP_ERR_ARG,
              "a single tally goes to csv or vtkhdf only (%s has a fixed form): leave the tally out", to);
    if (!is_csv && !is_json && !is_vtkhdf) {
        return export_own(context, result, to, used, path);
    }
    CRP_CHECK(context, used->digits == 0 && !used->has_std_dev, CRP_ERR_ARG,
              "%s has all digits and standard errors already: leave their options out", to);
    return is_csv    ? export_csv(context, result, tally, path)
           : is_json ? export_json(context, result, path)
                     : export_vtkhdf(context, result, tally, path);
}
