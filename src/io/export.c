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

static const module_export *find_export(const crp_module *module, const char *to)
{
    for (const module_export *e = module == NULL ? NULL : module->exports; e != NULL && e->format != NULL; e++) {
        if (strcmp(e->format, to) == 0) {
            return e;
        }
    }
    return NULL;
}

/** Add to a list of formats, each once. */
static void list_format(char *list, size_t size, const char *format)
{
    const char *at = strstr(list, format);
    char after = at == NULL ? 'x' : at[strlen(format)];
    if (after == 'x' || (after != ',' && after != '\0')) {
        size_t used = strlen(list);
        snprintf(list + used, size - used, ", %s", format);
    }
}

/** No format of all kinds, and not that of the result's own kind. */
static crp_status fail_format(crp_context *context, const crp_result *result, const char *to)
{
    char known[256] = "csv, json, vtkhdf";
    for (size_t i = 0; modules[i] != NULL; i++) {
        const char *format = modules[i]->output_format;
        if ((format != NULL && strcmp(format, to) == 0) || find_export(modules[i], to) != NULL) {
            return context_fail(context, CRP_ERR_UNSUPPORTED,
                                "%s is a format for %s (this result is of kind `%s`): choose csv, json or vtkhdf", to,
                                modules[i]->name, result->kind);
        }
        if (format != NULL) {
            list_format(known, sizeof known, format);
        }
        for (const module_export *e = modules[i]->exports; e != NULL && e->format != NULL; e++) {
            list_format(known, sizeof known, e->format);
        }
    }
    return context_fail(context, CRP_ERR_ARG, "unknown export format `%s`: choose one of %s", to, known);
}

crp_status export_form(crp_context *context, const crp_model *model, const crp_result *result, const module_export *format,
                       const output_options *options, const char *path)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    const char *file = is_standard_output(path) ? NULL : path;
    CRP_CHECK(context, file != NULL || !format->is_binary, CRP_ERR_ARG, "%s is a binary file: name one to write it to (-o)",
              format->format);
    CRP_CHECK(context, options->template_path == NULL || format->takes_model, CRP_ERR_ARG,
              "%s takes nothing from a template: leave it out", format->format);
    CRP_TRY(format->form(context, model, result, options, file, &bytes, &n_bytes));
    crp_status status = file_deliver(context, file, bytes, n_bytes);
    free(bytes);
    return status;
}

const module_export *export_find_ending(const crp_module *module, const char *path)
{
    const char *dot = strrchr(path, '.');
    for (const module_export *e = module->exports; e != NULL && e->format != NULL; e++) {
        for (size_t i = 0; i < sizeof e->endings / sizeof e->endings[0] && e->endings[i] != NULL; i++) {
            if (dot != NULL && strcmp(dot, e->endings[i]) == 0) {
                return e;
            }
        }
    }
    return NULL;
}

const module_export *export_find_target(const crp_module *module, const char *target, const char **path)
{
    size_t n = strcspn(target, "=");
    *path = target;
    for (const module_export *e = module->exports; e != NULL && e->format != NULL && target[n] == '='; e++) {
        if (strlen(e->format) == n && strncmp(e->format, target, n) == 0) {
            *path = target + n + 1;
            return e;
        }
    }
    return export_find_ending(module, target);
}

const char *export_list_endings(const crp_module *module, char *text, size_t size)
{
    text[0] = '\0';
    for (const module_export *e = module->exports; e != NULL && e->format != NULL; e++) {
        for (size_t i = 0; i < sizeof e->endings / sizeof e->endings[0] && e->endings[i] != NULL; i++) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", e->endings[i]);
        }
    }
    return text;
}

enum { MAX_SETTINGS = 64 };

/* Where the files are that the input names: "source.file=/data/track.csv". The user's word comes after the result's. */
typedef struct file_settings {
    char *own; /* those of the result, cut into lines */
    const char *all[MAX_SETTINGS];
    size_t n, n_own;
} file_settings;

static bool has_key_of(const char *setting, const char *other)
{
    size_t n = strcspn(setting, "=");
    return strncmp(setting, other, n + 1) == 0;
}

static crp_status collect_files(crp_context *context, const crp_result *result, const output_options *options, file_settings *f)
{
    char *rest = NULL;
    f->own = strdup(result->model_files == NULL ? "" : result->model_files);
    CRP_CHECK(context, f->own != NULL, CRP_ERR_MEMORY, "no memory for the input of the result");
    for (char *at = strtok_r(f->own, "\n", &rest); at != NULL && f->n < MAX_SETTINGS; at = strtok_r(NULL, "\n", &rest)) {
        f->all[f->n++] = at;
    }
    f->n_own = f->n;
    for (size_t i = 0; i < options->n_settings && f->n < MAX_SETTINGS; i++) {
        bool is_known = false;
        for (size_t k = 0; k < f->n_own; k++) {
            is_known = is_known || has_key_of(options->settings[i], f->all[k]);
        }
        CRP_CHECK(context, is_known, CRP_ERR_ARG, "--set %.80s: an export begins from the input of the run, of which only the place "
                  "of a file can be given (%s): leave it out", options->settings[i],
                  f->n_own == 0 ? "this one names none" : "such as source.file=FILE");
        f->all[f->n++] = options->settings[i];
    }
    return CRP_OK;
}

/* The file that is not there, and how to say where it is. */
static crp_status fail_missing(crp_context *context, const file_settings *f)
{
    char message[512];
    const char *key = "source.file";
    snprintf(message, sizeof message, "%.500s", crp_context_error(context));
    for (size_t i = 0; i < f->n; i++) {
        key = strstr(message, f->all[i] + strcspn(f->all[i], "=") + 1) != NULL ? f->all[i] : key;
    }
    return context_fail(context, CRP_ERR_IO, "%s: this export begins from it again: say where it is now with --set %.*s=FILE", message,
                        (int)strcspn(key, "="), key);
}

static crp_status load_model(crp_context *context, const crp_result *result, const output_options *options, crp_input **input)
{
    file_settings files = {.n = 0};
    crp_input_options input_options = crp_input_options_default();
    crp_status status = collect_files(context, result, options, &files);
    if (status == CRP_OK) {
        input_options.settings = files.all;
        input_options.n_settings = files.n;
        status = yaml_load(context, "input in the result file", result->model_text, strlen(result->model_text), &input_options,
                           input);
        status = status == CRP_ERR_IO ? fail_missing(context, &files) : status;
    }
    free(files.own);
    return status;
}

/** The result holds its model as text. */
static crp_status export_own(crp_context *context, const crp_result *result, const char *to,
                             const output_options *options, const char *path)
{
    const crp_module *module = module_find(result->kind);
    const module_export *format = find_export(module, to);
    bool is_output = module != NULL && module->output_format != NULL && strcmp(module->output_format, to) == 0;
    if (format == NULL && !is_output) {
        return fail_format(context, result, to);
    }
    crp_input *input = NULL;
    CRP_TRY(load_model(context, result, options, &input));
    const crp_model *model = input->models[0];
    crp_status status = is_output ? export_output(context, model, result, options, path)
                                  : export_form(context, model, result, format, options, path);
    crp_input_destroy(&input);
    return status;
}

crp_status export_write(crp_context *context, const crp_result *result, const char *to, const char *tally,
                        const output_options *options, const char *path)
{
    static const output_options plain = {0};
    const output_options *used = options == NULL ? &plain : options;
    bool is_own = find_export(module_find(result->kind), to) != NULL;
    bool is_csv = strcmp(to, "csv") == 0, is_json = strcmp(to, "json") == 0, is_vtkhdf = strcmp(to, "vtkhdf") == 0;
    if (is_own && tally == NULL) { /* also in the place of one for all kinds: a mesh for vtkhdf */
        return export_own(context, result, to, used, path);
    }
    CRP_CHECK(context, tally == NULL || is_csv || is_vtkhdf, CRP_ERR_ARG,
              "a single tally goes to csv or vtkhdf only (%s has a fixed form): leave the tally out", to);
    if (!is_csv && !is_json && !is_vtkhdf) {
        return export_own(context, result, to, used, path);
    }
    CRP_CHECK(context, used->n_settings == 0, CRP_ERR_ARG, "--set %s: %s is written from the result alone: leave it out",
              used->settings[0], to);
    CRP_CHECK(context, used->digits == 0 && !used->has_std_dev, CRP_ERR_ARG,
              "%s has all digits and standard errors already: leave their options out", to);
    return is_csv    ? export_csv(context, result, tally, path)
           : is_json ? export_json(context, result, path)
                     : export_vtkhdf(context, result, tally, path);
}
