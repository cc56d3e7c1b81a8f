/** corpuscle export: a result in another format. */
#include "cli/cli.h"
#include "cli/result_group.h"
#include "cli/run_files.h"
#include "io/export.h"

cli_exit cmd_export(crp_context *context, const cli_options *options)
{
    crp_result *result = NULL;
    cli_exit code = cli_expect_operands(options, 1, "a result file");
    if (code == CLI_DONE && options->to == NULL) {
        code = cli_usage_error("export: to what format? (--to csv, json, vtkhdf, or the model's own: mco, molflow, facets, xyz)");
    }
    if (code == CLI_DONE && options->output != NULL && run_files_is_same(options->output, options->operands[0])) {
        code = cli_usage_error("%s: the output would overwrite the input", options->output);
    }
    if (code == CLI_DONE) {
        code = result_group_read(context, options, options->operands[0], &result);
    }
    if (code == CLI_DONE) {
        output_options form = {.digits = options->digits, .has_std_dev = options->has_std_dev,
                               .template_path = options->template_path, .settings = options->settings,
                               .n_settings = options->n_settings};
        crp_status status = export_write(context, result, options->to, options->tally, &form, options->output);
        code = status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
    }
    crp_result_destroy(&result);
    return code;
}
