/** Exports of a result to other formats: see export.h. Texts are formed in memory, then written in one step. */
#include "io/export.h"

#include "core/context.h"
#include "core/file.h"
#include "core/nearest.h"
#include "io/export_csv.h"
#include "io/export_json.h"
#include "io/export_vtkhdf.h"
#include "io/mco.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_standard_output(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/** Bytes to a file or to standard output. */
static crp_status deliver(crp_context *context, const char *path, const void *bytes, size_t n_bytes)
{
    if (!is_standard_output(path)) {
        return file_replace(context, path, bytes, n_bytes);
    }
    errno = 0;
    CRP_CHECK(context, fwrite(bytes, 1, n_bytes, stdout) == n_bytes && fflush(stdout) == 0, CRP_ERR_IO,
              "cannot write to standard output (%s)", strerror(errno != 0 ? errno : EIO));
    return CRP_OK;
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
    char *text = NULL;
    size_t n_bytes = 0, tally = 0;
    if (name != NULL) {
        CRP_TRY(find_tally(context, result, name, &tally));
    }
    FILE *file = open_memstream(&text, &n_bytes);
    if (file != NULL) {
        if (name != NULL) {
            csv_write_tally(result, tally, file);
        } else {
            csv_write_all(result, file);
        }
    }
    bool fine = file != NULL && !ferror(file);
    fine = file != NULL && fclose(file) == 0 && fine;
    crp_status status = fine ? deliver(context, path, text, n_bytes)
                             : context_fail(context, CRP_ERR_MEMORY, "not enough memory to form the csv file");
    free(text);
    return status;
}

static crp_status export_json(crp_context *context, const crp_result *result, const char *path)
{
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *file = open_memstream(&text, &n_bytes);
    CRP_CHECK(context, file != NULL, CRP_ERR_MEMORY, "not enough memory to form the json object");
    crp_status status = result_write_json(context, result, file);
    if (fclose(file) != 0 && status == CRP_OK) {
        status = context_fail(context, CRP_ERR_MEMORY, "not enough memory to form the json object");
    }
    if (status == CRP_OK) {
        status = deliver(context, path, text, n_bytes);
    }
    free(text);
    return status;
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

/* -------------------------------------------------------------------------------------------------------- mco */

/** The writer of .mco writes files only: for standard output, one that is copied and removed. */
static crp_status mco_to_standard_output(crp_context *context, const light_model *light, const crp_result *result,
                                         const mco_options *options)
{
    const char *folder = getenv("TMPDIR");
    char path[1024];
    void *bytes = NULL;
    size_t n_bytes = 0;
    snprintf(path, sizeof path, "%s/corpuscle.XXXXXX", folder == NULL || folder[0] == '\0' ? "/tmp" : folder);
    int fd = mkstemp(path);
    CRP_CHECK(context, fd >= 0, CRP_ERR_IO, "%s: cannot be made (%s)", path, strerror(errno));
    close(fd);
    crp_status status = mco_write(context, path, light, result, options);
    if (status == CRP_OK) {
        status = file_read(context, path, &bytes, &n_bytes);
    }
    unlink(path);
    if (status == CRP_OK) {
        status = deliver(context, NULL, bytes, n_bytes);
    }
    free(bytes);
    return status;
}

crp_status export_mco(crp_context *context, const crp_result *result, uint32_t digits, const char *path)
{
    CRP_CHECK(context, strcmp(result->kind, "light") == 0, CRP_ERR_UNSUPPORTED,
              "mco is a format for light (this result is of kind `%s`): choose csv, json or vtkhdf", result->kind);
    CRP_CHECK(context, digits <= 17, CRP_ERR_ARG, "%u digits are more than a double has: at most 17", digits);
    mco_options options = mco_options_default();
    options.digits = (int)digits;
    /* The file holds the model as text; a result fresh from a run has the model itself, and the text too. */
    crp_input *input = NULL;
    crp_input_options input_options = crp_input_options_default();
    CRP_TRY(yaml_load(context, "input in the result file", result->model_text, strlen(result->model_text),
                      &input_options, &input));
    const light_model *light = input->models[0]->data;
    crp_status status = is_standard_output(path) ? mco_to_standard_output(context, light, result, &options)
                                                 : mco_write(context, path, light, result, &options);
    crp_input_destroy(&input);
    return status;
}

crp_status export_write(crp_context *context, const crp_result *result, const char *to, const char *tally,
                        const char *path)
{
    if (strcmp(to, "csv") == 0) {
        return export_csv(context, result, tally, path);
    }
    if (strcmp(to, "vtkhdf") == 0) {
        return export_vtkhdf(context, result, tally, path);
    }
    bool is_json = strcmp(to, "json") == 0;
    if (is_json || strcmp(to, "mco") == 0) {
        CRP_CHECK(context, tally == NULL, CRP_ERR_ARG,
                  "a single tally goes to csv or vtkhdf only (%s has a fixed form): leave the tally out", to);
        return is_json ? export_json(context, result, path) : export_mco(context, result, 0, path);
    }
    return context_fail(context, CRP_ERR_ARG, "unknown export format `%s`: choose one of " EXPORT_FORMATS, to);
}
