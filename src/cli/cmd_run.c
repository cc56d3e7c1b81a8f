/**
 * corpuscle run: every model of an input file, one after the other, into one result file. Under mpirun all processes go through
 * the same steps together; rank 0 alone reads and writes result files and prints, and what it comes to counts for all.
 */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/restart.h"
#include "cli/result_writer.h"
#include "cli/run_files.h"
#include "cli/summary.h"
#include "comm/comm.h"
#include "core/context.h"
#include "core/file.h"
#include "io/export_json.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct session {
    crp_context *context;
    const comm *comm;
    const cli_options *options;
    const char *input_path;
    crp_input *input;
    restart_plan restart;
    result_writer writer;
    char result_path[1024];
} session;

/* Runs that are shorter than this, where a file holds several, are written together. */
static const double SHORT_SECONDS = 0.5;

static bool is_root(const session *s)
{
    return s->comm->rank == 0;
}

/* What rank 0 has come to, on all ranks. */
static cli_exit share_code(const session *s, cli_exit code)
{
    s->comm->broadcast(s->comm, 0, &code, sizeof code);
    return code;
}

/* Report an error that all ranks agree on. */
static cli_exit fail_together(const session *s, crp_status status, cli_stage stage)
{
    return is_root(s) ? cli_report(s->context, status, stage) : cli_exit_of(status, stage);
}

/* What the command line leaves open stays 0 or NULL: the library then asks the model, and has its own defaults. */
static crp_run_options run_options_of(const session *s, const crp_model *model, size_t i, progress *bar)
{
    const cli_options *given = s->options;
    const char *math = given->math != NULL ? given->math : restart_is_fast(&s->restart, i) ? "fast" : "strict";
    crp_run_options options = crp_run_options_default();
    options.histories = restart_histories(&s->restart, given, model, i);
    options.batches = given->batches;
    options.seed = given->seed;
    options.device = given->device;
    options.math = strcmp(math, "fast") == 0 ? CRP_MATH_FAST : CRP_MATH_STRICT;
    options.threads = given->threads;
    options.until = given->until;
    options.time_limit = given->time_limit;
    options.restart = restart_result(&s->restart, i) != NULL ? given->restart : NULL;
    options.output = is_root(s) ? s->result_path : NULL;
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
        return is_root(s) ? copy_finished(s, model, i) : CLI_DONE;
    }
    const char *asked = is_root(s) ? s->options->progress : "none";
    progress_style style = progress_style_of(asked, s->options->quiet, isatty(STDERR_FILENO));
    crp_run_options options = run_options_of(s, model, i, &bar);
    if (is_short(s, model, options.histories)) {
        options.output = NULL;
    } else {
        status = result_writer_flush(&s->writer); /* this run's saves go behind the earlier runs */
    }
    status = comm_agree(s->comm, s->context, status);
    progress_start(&bar, style, stderr, crp_model_name(model), model->module->history_name, (uint32_t)i + 1,
                   (uint32_t)n_runs(s));
    if (status == CRP_OK) {
        status = crp_run_execute(s->context, model, &options, &result);
    }
    progress_clear();
    if (result == NULL) {
        return fail_together(s, status, CLI_IN_RUN);
    }
    cli_exit code = report_result(s, model, result, status);
    if (options.output == NULL) {
        code = write_later(s, i, &result, code);
    }
    crp_result_destroy(&result);
    return code;
}

/* A word of the command line and its value, so that a shell takes the value as it is. */
static void print_option(const char *name, const char *value)
{
    bool is_plain = value[strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:+-,%")] == '\0';
    const char *quote = is_plain && value[0] != '\0' ? "" : "'";
    fprintf(stderr, " %s %s%s%s", name, quote, value, quote);
}

/* What makes the same model of the input file again. */
static void print_input_options(const cli_options *options)
{
    for (size_t i = 0; i < options->n_settings; i++) {
        print_option("--set", options->settings[i]);
    }
    for (size_t i = 0; i < options->n_ignored; i++) {
        print_option("--ignore", options->ignored[i]);
    }
    if (options->unit != NULL) {
        print_option("--unit", options->unit);
    }
    if (!isnan(options->vertex_tolerance)) {
        fprintf(stderr, " --vertex-tolerance %.17gcm", options->vertex_tolerance);
    }
    if (!isnan(options->plane_tolerance)) {
        fprintf(stderr, " --plane-tolerance %.17gcm", options->plane_tolerance);
    }
    fputs(options->is_flipped ? " --flip" : "", stderr);
}

static void print_end(const session *s, cli_exit code)
{
    if (code == CLI_INTERRUPTED) {
        fputs("corpuscle: interrupted; to go on: corpuscle", stderr);
        print_option("run", s->input_path);
        print_option("--restart", s->result_path);
        print_input_options(s->options);
        fputc('\n', stderr);
    } else if (n_runs(s) > 1 && code != CLI_FAILED && !s->options->quiet) {
        fprintf(stderr, "wrote %s\n", s->result_path);
    }
}

/* A run that missed its precision does not keep the later ones from running; anything else does. */
static cli_exit run_models(session *s)
{
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < n_runs(s) && (code == CLI_DONE || code == CLI_PRECISION); i++) {
        cli_exit one = share_code(s, interrupt_requested() ? CLI_INTERRUPTED : CLI_DONE);
        one = one == CLI_DONE ? share_code(s, run_model(s, i)) : one;
        code = one == CLI_DONE ? code : one;
    }
    crp_status status = result_writer_flush(&s->writer);
    if (status != CRP_OK) {
        return cli_report(s->context, status, CLI_IN_RUN);
    }
    if (is_root(s)) {
        print_end(s, code);
    }
    return code;
}

/* Rank 0 looks at the files, and the others do as it does. */
static cli_exit open_files(session *s, file_lock **lock)
{
    cli_exit code = CLI_DONE;
    if (is_root(s)) {
        code = restart_open(s->context, s->options, s->input, s->result_path, &s->restart);
        if (code == CLI_DONE) {
            code = run_files_check(s->context, s->input, s->input_path, s->result_path);
        }
        if (code == CLI_DONE) {
            code = run_files_check_exports(s->context, s->options, s->input);
        }
        if (code == CLI_DONE && file_lock_open(s->context, s->result_path, lock) != CRP_OK) {
            code = cli_report(s->context, CRP_ERR_IO, CLI_BEFORE_RUN);
        }
    }
    code = share_code(s, code);
    if (code == CLI_DONE) {
        crp_status status = restart_share(s->context, s->comm, n_runs(s), &s->restart);
        code = status == CRP_OK ? CLI_DONE : fail_together(s, status, CLI_IN_RUN);
    }
    return code;
}

static cli_exit run_session(session *s)
{
    file_lock *lock = NULL;
    crp_status status = comm_agree(s->comm, s->context, cli_read_input(s->context, s->options, s->input_path, &s->input));
    if (status != CRP_OK) {
        return fail_together(s, status, CLI_BEFORE_RUN);
    }
    cli_exit code = open_files(s, &lock);
    if (code == CLI_DONE) {
        interrupt_install(!s->options->quiet && is_root(s), s->comm->size > 1);
        result_writer_start(&s->writer, s->context, s->result_path, s->options->save_every);
        code = run_models(s);
    }
    result_writer_close(&s->writer);
    file_lock_close(&lock);
    restart_close(&s->restart);
    crp_input_destroy(&s->input);
    return code;
}

cli_exit cmd_run(crp_context *context, const cli_options *options)
{
    cli_exit code = cli_expect_operands(options, 1, "an input file");
    if (code != CLI_DONE) {
        return code;
    }
    session s = {.context = context, .options = options, .input_path = options->operands[0]};
    crp_status status = comm_open(context, &s.comm);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    context_set_comm(context, s.comm);
    cli_install_log(context, options, s.comm->rank);
    run_files_result_path(options, s.input_path, s.result_path, sizeof s.result_path);
    code = run_session(&s);
    context_set_comm(context, NULL);
    bool is_first = is_root(&s);
    comm_close(&s.comm);
    return is_first ? code : CLI_DONE; /* mpirun kills the others when one ends with anything else: the code is rank 0's */
}
