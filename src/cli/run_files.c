/** The files of a run: where results go, whether they can be written, what a module writes besides. */
#include "cli/run_files.h"

#include "core/context.h"
#include "engine/statepoint.h"
#include "io/export.h"

#include <string.h>
#include <sys/stat.h>

void run_files_result_path(const cli_options *options, const char *input_path, char *path, size_t size)
{
    const char *given = options->output != NULL ? options->output : options->restart;
    if (given != NULL) {
        snprintf(path, size, "%s", given);
        return;
    }
    const char *slash = strrchr(input_path, '/');
    const char *base = slash == NULL ? input_path : slash + 1;
    const char *dot = strrchr(base, '.');
    int n_stem = dot == NULL || dot == base ? (int)strlen(base) : (int)(dot - base);
    snprintf(path, size, "%.*s.h5", n_stem, base);
}

bool run_files_is_same(const char *a, const char *b)
{
    struct stat info_a, info_b;
    return stat(a, &info_a) == 0 && stat(b, &info_b) == 0 && info_a.st_dev == info_b.st_dev &&
           info_a.st_ino == info_b.st_ino;
}

/* "." of "a", "/" of "/a", "b" of "b/a". */
static void folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = path == NULL || strcmp(path, "-") == 0 ? NULL : strrchr(path, '/');
    int n = slash == NULL ? 0 : slash == path ? 1 : (int)(slash - path);
    snprintf(folder, size, "%.*s", n == 0 ? 1 : n, n == 0 ? "." : path);
}

bool run_files_is_beside(const char *a, const char *b)
{
    char folder_a[2048], folder_b[2048];
    folder_of(a, folder_a, sizeof folder_a);
    folder_of(b, folder_b, sizeof folder_b);
    return run_files_is_same(folder_a, folder_b);
}

static cli_exit check_one(crp_context *context, const char *path, const char *input_path)
{
    struct stat info;
    if (run_files_is_same(path, input_path)) {
        return cli_usage_error("%s: the output would overwrite the input (choose another name with -o)", path);
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return cli_usage_error("%s: is a folder (name a file)", path);
    }
    crp_status status = statepoint_probe(context, path);
    return status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
}

cli_exit run_files_check(crp_context *context, const crp_input *input, const char *input_path, const char *result_path)
{
    cli_exit code = check_one(context, result_path, input_path);
    for (size_t i = 0; i < crp_input_n_models(input) && code == CLI_DONE; i++) {
        const char *path = run_files_model_output(crp_input_model(input, i));
        if (path != NULL) {
            code = check_one(context, path, input_path);
            if (code == CLI_DONE && strcmp(path, result_path) == 0) {
                code = cli_usage_error("%s: the model's own output and the result file have one name (choose with -o)",
                                       path);
            }
        }
    }
    return code;
}

const char *run_files_model_output(const crp_model *model)
{
    return model->module->output_path == NULL ? NULL : model->module->output_path(model);
}

crp_status run_files_write_model_output(crp_context *context, const crp_model *model, const crp_result *result,
                                        const cli_options *options)
{
    const char *path = run_files_model_output(model);
    output_options form = {.digits = options->digits, .has_std_dev = options->has_std_dev};
    return path == NULL ? CRP_OK : export_output(context, model, result, &form, path);
}

cli_exit run_files_check_exports(crp_context *context, const cli_options *options, const crp_input *input)
{
    cli_exit code = CLI_DONE;
    if (options->n_exports > 0 && crp_input_n_models(input) > 1) {
        return cli_usage_error("--export is for files with one model (this one has %zu): use corpuscle export --group N",
                               crp_input_n_models(input));
    }
    for (size_t i = 0; i < options->n_exports && code == CLI_DONE; i++) {
        const crp_module *module = crp_input_model(input, 0)->module;
        char known[128];
        const char *path = NULL;
        const module_export *format = export_find_target(module, options->exports[i], &path);
        if (format == NULL) {
            export_list_endings(module, known, sizeof known);
            return cli_usage_error("--export %s: what format? (results of %s go to %s)", options->exports[i], module->name,
                                   known[0] == '\0' ? "no such file: see corpuscle export" : known);
        }
        crp_status status = format->check == NULL ? CRP_OK : format->check(context, crp_input_model(input, 0));
        code = status == CRP_OK ? check_one(context, path, options->operands[0]) : cli_report(context, status, CLI_BEFORE_RUN);
    }
    return code;
}

crp_status run_files_write_exports(crp_context *context, const crp_model *model, const crp_result *result,
                                   const cli_options *options)
{
    for (size_t i = 0; i < options->n_exports; i++) {
        const char *from = options->operands[0], *path = NULL;
        const module_export *format = export_find_target(model->module, options->exports[i], &path);
        bool is_same = format->takes_model && export_find_ending(model->module, from) == format;
        output_options form = {.template_path = is_same ? from : NULL};
        CRP_TRY(export_form(context, model, result, format, &form, path));
    }
    return CRP_OK;
}
