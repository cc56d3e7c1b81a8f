/** What the sub-commands share: their options, the exit codes and the one place where an error is printed. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "cli/options.h"
#include "core/text.h"
#include "corpuscle/corpuscle.h"

#include <stdio.h>

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_PRECISION = 3,
    CLI_INTERRUPTED = 130
} cli_exit;

/** Everything that happens before the first history is the user's input; afterwards it is the run. */
typedef enum cli_stage { CLI_BEFORE_RUN, CLI_IN_RUN } cli_stage;

/** The exit code that stands for a status. CLI_BEFORE_RUN: unreadable files and unknown features are input errors. */
cli_exit cli_exit_of(crp_status status, cli_stage stage);

/** Print the context's error as "corpuscle: message" on stderr, return the exit code. */
cli_exit cli_report(const crp_context *context, crp_status status, cli_stage stage);

/** Print "corpuscle: message" on stderr, return CLI_USAGE. */
cli_exit cli_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Exactly n operands (files, names): 0, or CLI_USAGE with a message that names what is missing or too much. */
cli_exit cli_expect_operands(const cli_options *options, size_t n, const char *what);

/** Send the context's log to stderr: warnings, with -v all, with -q errors. Lines of other ranks than 0 say whose they are. */
void cli_install_log(crp_context *context, const cli_options *options, uint32_t rank);

/** Load an input file with all --set applied. */
crp_status cli_read_input(crp_context *context, const cli_options *options, const char *path, crp_input **input);

/** Load an input file with all --set applied, or report. */
cli_exit cli_load_input(crp_context *context, const cli_options *options, const char *path, crp_input **input);

/** Standard output must be complete before a command may say "done": flush, and report a full disk or closed pipe. */
cli_exit cli_finish_stdout(cli_exit code);

/** End a text, whose writing came to `status`, and send it to `path` (NULL or "-": standard output), or report. */
cli_exit cli_deliver(crp_context *context, text_buffer *text, crp_status status, const char *path);

cli_exit cmd_run(crp_context *context, const cli_options *options);
cli_exit cmd_check(crp_context *context, const cli_options *options);
cli_exit cmd_info(crp_context *context, const cli_options *options);
cli_exit cmd_export(crp_context *context, const cli_options *options);
cli_exit cmd_compare(crp_context *context, const cli_options *options);
cli_exit cmd_convert(crp_context *context, const cli_options *options);
cli_exit cmd_new(crp_context *context, const cli_options *options);
cli_exit cmd_bench(crp_context *context, const cli_options *options);

#endif
