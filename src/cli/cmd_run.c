/** corpuscle run: every model of an input file, one after the other, into one result file. */
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/restart.h"
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
    char result_path[1024];
} session;

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

static void print_files(const session *s, const crp_model *model, bool is_done)
{
    const char *model_output = is_done ? run_files_model_output(model) : NULL;
    fprintf(stderr, "  wrote %s%s%s\n", s->result_path, model_output != NULL ? " and " : "",
            model_output != NULL ? model_output : "");
}

static cli_exit report_result(const session *s, const crp_model *model, const crp_result *result, crp_status status)
{
    cli_exit code = cli_exit_of(status, CLI_IN_RUN);
    bool is_done = status != CRP_ERR_CANCELLED;
    if (status != CRP_OK) {
        cli_report(s->context, status, CLI_IN_RUN);
    }
    if (is_done) {
        crp_status written = run_files_write_model_output(s->context, model, result, s->options);
        if (written != CRP_OK) {
            return cli_report(s->context, written, CLI_IN_RUN);
        }
    }
    if (!s->options->quiet) {
        summary_print(stderr, result, s->options->verbose);
        print_files(s, model, is_done);
    }
    if (!is_done) {
        fprintf(stderr, "corpuscle: interrupted; to go on: corpuscle run %s --restart %s\n", s->input_path,
                s->result_path);
    }
    if (s->options->json && is_done) {
        crp_status written = result_write_json(s->context, result, stdout);
        if (written != CRP_OK) {
            return cli_report(s->context, written, CLI_IN_RUN);
        }
        return cli_finish_stdout(code);
    }
    return code;
}

static cli_exit report_finished(const session *s, const crp_model *model, size_t i)
{
    crp_status status = CRP_OK;
    if (restart_state_of(&s->restart, i) == RESTART_IMPRECISE) {
        status = context_fail(s->context, CRP_ERR_PRECISION,
                              "%s: all %s are done and --until does not hold (give a larger -n)",
                              crp_model_name(model), model->module->history_name);
    } else if (!s->options->quiet) {
        fprintf(stderr, "corpuscle: %s is finished already (a larger -n extends it)\n", crp_model_name(model));
    }
    return report_result(s, model, restart_result(&s->restart, i), status);
}

static cli_exit run_model(const session *s, size_t i)
{
    const crp_model *model = crp_input_model(s->input, i);
    crp_result *result = NULL;
    progress bar;
    if (restart_state_of(&s->restart, i) != RESTART_TO_RUN) {
        return report_finished(s, model, i);
    }
    progress_style style = progress_style_of(s->options->progress, s->options->quiet, isatty(STDERR_FILENO));
    crp_run_options options = run_options_of(s, model, i, &bar);
    progress_start(&bar, style, stderr, crp_model_name(model), model->module->history_name, (uint32_t)i + 1,
                   (uint32_t)crp_input_n_models(s->input));
    crp_status status = crp_run_execute(s->context, model, &options, &result);
    progress_clear();
    if (result == NULL) {
        return cli_report(s->context, status, CLI_IN_RUN);
    }
    cli_exit code = report_result(s, model, result, status);
    crp_result_destroy(&result);
    return code;
}

/* A run that missed its precision does not keep the later ones from running; anything else does. */
static cli_exit run_models(const session *s)
{
    cli_exit code = CLI_DONE;
    for (size_t i = 0; i < crp_input_n_models(s->input); i++) {
        cli_exit one = run_model(s, i);
        if (one != CLI_DONE) {
            code = one;
        }
        if (one != CLI_DONE && one != CLI_PRECISION) {
            break;
        }
        if (interrupt_requested()) {
            return CLI_INTERRUPTED;
        }
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
        interrupt_install(!options->quiet);
        code = run_models(&s);
    }
    restart_close(&s.restart);
    crp_input_destroy(&s.input);
    return code;
}
