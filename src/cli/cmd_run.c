/** corpuscle run: every model of an input file, one after the other, into one result file. */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/restart.h"
#include "cli/result_writer.h"
#include "cli/run_files.h"
#include "cli/summary.h"
#include "core/context.h"
#include "io/export_json.h"
#include "model/model.h"

#include <string.h>
#include <unistd.h>

typedef struct session {
    crp_context *context;
    const cli_options *options;
    const char *input_path;
    crp_input *input;
    restart_plan restart;
    result_writer writer;
    char result_path[1024];
} session;

/* Runs that are shorter than this, where a file holds several, are written together. */
static const double SHORT_SECONDS = 0.5;

/* What the command line leaves open stays 0 or NULL: the library then asks the model, and has its own defaults. */
static crp_run_options run_options_of(const session *s, const crp_model *model, size_t i, progress *bar)
{
    const cli_options *given = s->options;
    const crp_result *old = restart_result(&s->restart, i);
    const char *math = given->math != NULL ? given->math : old != NULL ? old->math : "strict";
    crp_run_options options = crp_run_options_default();
    options.histories = restart_histories(&s->restart, given, model, i);
    options.batches = given->batches;
    options.seed = given->seed;
    options.device = given->device;
    options.math = strcmp(math, "fast") == 0 ? CRP_MATH_FAST : CRP_MATH_STRICT;
    options.threads = given->threads;
    options.until = given->until;
    options.time_limit = given->time_limit;
    options.restart = old != NULL ? given->restart : NULL;
    options.output = s->result_path;
    options.output_group = (uint32_t)i + 1;
    options.save_every = given->save_every >= 0.0 ? given->save_every : options.save_every;
    options.progress = progress_report;
    options.progress_user = bar;
    return options;
}

static size_t n_runs(const session *s)
{
    return crp_input_n_models(s->input);
}

static void print_files(const session *s, const crp_model *model, bool is_done)
{
    const char *model_output = is_done ? run_files_model_output(model) : NULL;
    if (n_runs(s) == 1) {
        fprintf(stderr, "  wrote %s%s%s\n", s->result_path, model_output != NULL ? " and " : "",
                model_output != NULL ? model_output : "");
    } else if (model_output != NULL) {
        fprintf(stderr, "  wrote %s\n", model_output);
    }
}

/* The summary, and for a run that was not interrupted its other outputs. */
static cli_exit report_result(const session *s, const crp_model *model, const crp_result *result, crp_status status)
{
    cli_exit code = cli_exit_of(status, CLI_IN_RUN);
    bool is_done = status != CRP_ERR_CANCELLED;
    crp_status written = CRP_OK;
    if (status != CRP_OK) {
        cli_report(s->context, status, CLI_IN_RUN);
    }
    if (is_done) {
        written = run_files_write_model_output(s->context, model, result, s->options);
        written = written == CRP_OK ? run_files_write_exports(s->context, model, result, s->options) : written;
    }
    if (written == CRP_OK && !s->options->quiet) {
        summary_print(stderr, result, s->options->verbose);
        print_files(s, model, is_done);
    }
    if (written == CRP_OK && s->options->json && is_done) {
        written = result_write_json(s->context, result, stdout);
    }
    if (written != CRP_OK) {
        return cli_report(s->context, written, CLI_IN_RUN);
    }
    return cli_finish_stdout(code);
}

static cli_exit write_later(session *s, size_t i, crp_result **result, cli_exit code)
{
    crp_status status = result_writer_add(&s->writer, (uint32_t)i + 1, result);
    return status == CRP_OK ? code : cli_report(s->context, status, CLI_IN_RUN);
}

/* A run that the restart file holds whole: its outputs are made again, and it is copied where another file is written.
 */
static cli_exit copy_finished(session *s, const crp_model *model, size_t i)
{
    crp_status status = CRP_OK;
    if (restart_state_of(&s->restart, i) == RESTART_IMPRECISE) {
        status = context_fail(s->context, CRP_ERR_PRECISION,
                              "%s: all %s are done and --until does not hold (give a larger -n)", crp_model_name(model),
                              model->module->history_name);
    } else if (!s->options->quiet) {
        fprintf(stderr, "corpuscle: %s is finished already (a larger -n extends it)\n", crp_model_name(model));
    }
    cli_exit code = report_result(s, model, restart_result(&s->restart, i), status);
    if (s->restart.is_in_place) {
        return code;
    }
    crp_result *result = restart_take(&s->restart, i);
    return write_later(s, i, &result, code);
}

static bool is_short(const session *s, const crp_model *model, uint64_t histories)
{
    return n_runs(s) > 1 && histories != 0 && model->module->cost(model) * (double)histories < SHORT_SECONDS;
}

static cli_exit run_model(session *s, size_t i)
{
    const crp_model *model = crp_input_model(s->input, i);
    crp_result *result = NULL;
    crp_status status = CRP_OK;
    progress bar;
    if (restart_state_of(&s->restart, i) != RESTART_TO_RUN) {
        return copy_finished(s, model, i);
    }
    progress_style style = progress_style_of(s->options->progress, s->options->quiet, isatty(STDERR_FILENO));
    crp_run_options options = run_options_of(s, model, i, &bar);
    if (is_short(s, model, options.histories)) {
        options.output = NULL;
    } else {
        status = result_writer_flush(&s->writer); /* this run's saves go behind the earlier runs */
    }
    progress_start(&bar, style, stderr, crp_model_name(model), model->module->history_name, (uint32_t)i + 1,
                   (uint32_t)n_runs(s));
    if (status == CRP_OK) {
        status = crp_run_execute(s->context, model, &options, &result);
    }
    progress_clear();
    if (result == NULL) {
        return cli_report(s->context, status, CLI_IN_RUN);
    }
    cli_exit code = report_result(s, model, result, status);
    if (options.output == NULL) {
        code = write_later(s, i, &result, code);
    }
    crp_result_destroy(&result);
    return code;
}

/* A run that missed its precision does not keep the later ones from running; anything else does. */
static cli_exit run_models(session *s)
{
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < n_runs(s) && (code == CLI_DONE || code == CLI_PRECISION); i++) {
        cli_exit one = interrupt_requested() ? CLI_INTERRUPTED : run_model(s, i);
        code = one == CLI_DONE ? code : one;
    }
    crp_status status = result_writer_flush(&s->writer);
    if (status != CRP_OK) {
        return cli_report(s->context, status, CLI_IN_RUN);
    }
    if (code == CLI_INTERRUPTED) {
        fprintf(stderr, "corpuscle: interrupted; to go on: corpuscle run %s --restart %s\n", s->input_path,
                s->result_path);
    } else if (n_runs(s) > 1 && code != CLI_FAILED && !s->options->quiet) {
        fprintf(stderr, "wrote %s\n", s->result_path);
    }
    return code;
}

cli_exit cmd_run(crp_context *context, const cli_options *options)
{
    cli_exit code = cli_expect_operands(options, 1, "an input file");
    if (code != CLI_DONE) {
        return code;
    }
    session s = {.context = context, .options = options, .input_path = options->operands[0]};
    run_files_result_path(options, s.input_path, s.result_path, sizeof s.result_path);
    code = cli_load_input(context, options, s.input_path, &s.input);
    if (code == CLI_DONE) {
        code = restart_open(context, options, s.input, s.result_path, &s.restart);
    }
    if (code == CLI_DONE) {
        code = run_files_check(context, s.input, s.input_path, s.result_path);
    }
    if (code == CLI_DONE) {
        code = run_files_check_exports(context, options, s.input);
    }
    if (code == CLI_DONE) {
        interrupt_install(!options->quiet);
        result_writer_start(&s.writer, context, s.result_path, options->save_every);
        code = run_models(&s);
    }
    result_writer_close(&s.writer);
    restart_close(&s.restart);
    crp_input_destroy(&s.input);
    return code;
}
