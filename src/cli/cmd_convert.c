/** corpuscle convert: an input file in another form. */
#include "cli/cli.h"
#include "cli/run_files.h"
#include "io/export.h"
#include "io/mci_write.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), n_suffix = strlen(suffix);
    return n >= n_suffix && strcmp(path + n - n_suffix, suffix) == 0;
}

/* The module's own format that the output has by its name, NULL: YAML or .mci. */
static const module_export *own_format(const cli_options *options, const crp_input *input)
{
    const module_export *format = options->output == NULL || crp_input_n_models(input) == 0
                                      ? NULL
                                      : export_find_ending(crp_input_model(input, 0)->module, options->output);
    return format != NULL && format->takes_model ? format : NULL;
}

/* A file of the same format keeps all that the model does not hold. */
static crp_status write_own(crp_context *context, const cli_options *options, const crp_input *input,
                            const module_export *format)
{
    const char *from = options->operands[0];
    const crp_model *model = crp_input_model(input, 0);
    output_options form = {.template_path = export_find_ending(model->module, from) == format ? from : NULL};
    return export_form(context, model, NULL, format, &form, options->output);
}

/* -n and --group are applied to a shallow copy: a model is immutable. */
static crp_status write_models(crp_context *context, const cli_options *options, const crp_input *input, FILE *file)
{
    size_t first = options->group != 0 ? options->group - 1 : 0;
    size_t n = options->group != 0 ? 1 : crp_input_n_models(input);
    crp_model *copies = calloc(n, sizeof *copies);
    const crp_model **models = calloc(n, sizeof *models);
    crp_status status = copies == NULL || models == NULL ? CRP_ERR_MEMORY : CRP_OK;
    for (size_t i = 0; i < n && status == CRP_OK; i++) {
        copies[i] = *crp_input_model(input, first + i);
        copies[i].is_moved = !run_files_is_beside(options->output, options->operands[0]);
        copies[i].histories = options->histories != 0 ? options->histories : copies[i].histories;
        models[i] = &copies[i];
    }
    if (status == CRP_OK) {
        bool is_mci = options->output != NULL && has_suffix(options->output, ".mci");
        status = is_mci ? mci_write(context, models, n, file) : models[0]->module->write_full(context, models[0], file);
    }
    free(models);
    free(copies);
    return status;
}

static cli_exit check_target(const cli_options *options, const crp_input *input)
{
    size_t n = crp_input_n_models(input);
    const char *path = options->output;
    if (path != NULL && strcmp(path, "-") != 0 && !has_suffix(path, ".mci") && !has_suffix(path, ".yaml") &&
        !has_suffix(path, ".yml") && own_format(options, input) == NULL) {
        return cli_usage_error("%s: what form? (the name must end in .yaml, .yml or .mci; .xml or .zip for Molflow)", path);
    }
    if (path != NULL && run_files_is_same(path, options->operands[0])) {
        return cli_usage_error("%s: the output would overwrite the input", path);
    }
    if (options->group > n) {
        return cli_usage_error("%s: has no run %u (it holds %zu)", options->operands[0], (unsigned)options->group, n);
    }
    if (n > 1 && options->group == 0 && (path == NULL || !has_suffix(path, ".mci"))) {
        return cli_usage_error("%s: holds %zu runs, a YAML file one (choose it with --group N)", options->operands[0],
                               n);
    }
    return CLI_DONE;
}

cli_exit cmd_convert(crp_context *context, const cli_options *options)
{
    crp_input *input = NULL;
    text_buffer text;
    cli_exit code = cli_expect_operands(options, 1, "an input file");
    if (code == CLI_DONE) {
        code = cli_load_input(context, options, options->operands[0], &input);
    }
    if (code == CLI_DONE) {
        code = check_target(options, input);
    }
    const module_export *format = code == CLI_DONE ? own_format(options, input) : NULL;
    if (format != NULL) {
        crp_status status = write_own(context, options, input, format);
        code = status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
    } else if (code == CLI_DONE) {
        crp_status status = text_open(context, &text);
        code = status != CRP_OK
                   ? cli_report(context, status, CLI_IN_RUN)
                   : cli_deliver(context, &text, write_models(context, options, input, text.file), options->output);
    }
    crp_input_destroy(&input);
    return code;
}
