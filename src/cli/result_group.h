/** One run of a result file, as --group says. */
#ifndef CLI_RESULT_GROUP_H
#define CLI_RESULT_GROUP_H

#include "cli/cli.h"
#include "engine/result.h"

/** Read run --group of the file; without --group its only run, and a message if it holds several. */
cli_exit result_group_read(crp_context *context, const cli_options *options, const char *path, crp_result **result);

#endif
