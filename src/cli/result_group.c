/** One run of a result file, as --group says. */
#include "cli/result_group.h"

#include "engine/statepoint.h"

#include <inttypes.h>

static cli_exit check_group(const cli_options *options, const char *path, uint32_t n)
{
    if (options->group == 0 && n > 1) {
        return cli_usage_error("%s: holds %" PRIu32 " runs (choose one with --group N)", path, n);
    }
    if (options->group > n) {
        return cli_usage_error("%s: has no run %" PRIu32 " (it holds %" PRIu32 ")", path, options->group, n);
    }
    return CLI_DONE;
}

cli_exit result_group_read(crp_context *context, const cli_options *options, const char *path, crp_result **result)
{
    statepoint_file *file = NULL;
    uint32_t n = 0;
    crp_status status = statepoint_open(context, path, &file, &n);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    cli_exit code = check_group(options, path, n);
    if (code == CLI_DONE) {
        status = statepoint_file_read(context, file, options->group == 0 ? 1 : options->group, result);
        code = status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
    }
    statepoint_close(&file);
    return code;
}
