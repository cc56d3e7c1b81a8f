/** What the sub-commands share. */
#include "cli/cli.h"

#include "cli/progress.h"
#include "core/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

cli_exit cli_exit_of(crp_status status, cli_stage stage)
{
    switch (status) {
    case CRP_OK:
        return CLI_DONE;
    case CRP_ERR_ARG:
    case CRP_ERR_CONFIG:
    case CRP_ERR_FORMAT:
    case CRP_ERR_GEOMETRY:
        return CLI_USAGE;
    case CRP_ERR_IO:
    case CRP_ERR_UNSUPPORTED:
        return stage == CLI_BEFORE_RUN ? CLI_USAGE : CLI_FAILED;
    case CRP_ERR_CANCELLED:
        return CLI_INTERRUPTED;
    case CRP_ERR_PRECISION:
        return CLI_PRECISION;
    default:
        return CLI_FAILED;
    }
}

cli_exit cli_report(const crp_context *context, crp_status status, cli_stage stage)
{
    const char *message = context == NULL ? "" : crp_context_error(context);
    progress_clear();
    fprintf(stderr, "corpuscle: %s\n", message[0] == '\0' ? crp_status_text(status) : message);
    return cli_exit_of(status, stage);
}

cli_exit cli_usage_error(const char *format, ...)
{
    va_list args;
    fputs("corpuscle: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_USAGE;
}

cli_exit cli_expect_operands(const cli_options *options, size_t n, const char *what)
{
    const char *command = command_name(options->command);
    if (options->n_operands < n) {
        return cli_usage_error("missing %s (usage: corpuscle %s %s)", what, command,
                               command_operands(options->command));
    }
    if (options->n_operands > n) {
        return cli_usage_error("unexpected argument %s (usage: corpuscle %s %s)", options->operands[n], command,
                               command_operands(options->command));
    }
    return CLI_DONE;
}

static crp_log_level log_threshold;
static uint32_t log_rank;

static void print_log(void *user, crp_log_level level, const char *component, const char *line)
{
    static const char *const names[] = {"debug: ", "", "warning: ", "error: "};
    (void)user;
    if (level >= log_threshold) {
        progress_clear();
        if (log_rank > 0) {
            fprintf(stderr, "corpuscle: rank %u: %s%s: %s\n", log_rank, names[level], component, line);
        } else {
            fprintf(stderr, "corpuscle: %s%s: %s\n", names[level], component, line);
        }
    }
}

void cli_install_log(crp_context *context, const cli_options *options, uint32_t rank)
{
    log_threshold = options->quiet ? CRP_LOG_ERROR : options->verbose ? CRP_LOG_DEBUG : CRP_LOG_WARNING;
    log_rank = rank;
    crp_context_set_log(context, print_log, NULL);
}

crp_status cli_read_input(crp_context *context, const cli_options *options, const char *path, crp_input **input)
{
    crp_input_options input_options = crp_input_options_default();
    input_options.settings = options->settings;
    input_options.n_settings = options->n_settings;
    input_options.ignored = options->ignored;
    input_options.n_ignored = options->n_ignored;
    input_options.unit = options->unit;
    input_options.is_flipped = options->is_flipped;
    input_options.vertex_tolerance = options->vertex_tolerance;
    input_options.plane_tolerance = options->plane_tolerance;
    return crp_input_load(context, path, &input_options, input);
}

cli_exit cli_load_input(crp_context *context, const cli_options *options, const char *path, crp_input **input)
{
    crp_status status = cli_read_input(context, options, path, input);
    return status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
}

cli_exit cli_finish_stdout(cli_exit code)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "corpuscle: cannot write to standard output (%s)\n", strerror(errno == 0 ? EIO : errno));
        return code == CLI_DONE ? CLI_FAILED : code;
    }
    return code;
}

cli_exit cli_deliver(crp_context *context, text_buffer *text, crp_status status, const char *path)
{
    status = text_close(context, text, status);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    status = file_deliver(context, path, text->bytes, text->n_bytes);
    free(text->bytes);
    return status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_IN_RUN);
}
