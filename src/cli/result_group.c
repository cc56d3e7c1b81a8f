/** One run of a result file, as --group says. */
#include "cli/result_group.h"

#include "engine/statepoint.h"

#include <inttypes.h>

cli_exit result_group_read(crp_context *context, const cli_options *options, const char *path, crp_result **result)
{
    uint32_t n = 0;
    crp_status status = statepoint_count(context, path, &n);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    if (options->group == 0 && n > 1) {
        return cli_usage_error("%s: holds %" PRIu32 " runs (choose one with --group N)", path, n);
    }
    if (options->group > n) {
        return cli_usage_error("%s: has no run %" PRIu32 " (it holds %" PRIu32 ")", path, options->group, n);
    }
    status = statepoint_read(context, path, options->group == 0 ? 1 : options->group, result);
    return status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
}
