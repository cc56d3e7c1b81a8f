/** corpuscle check: validate an input file, print it normalised, estimate memory and time. */
#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/pilot.h"
#include "cli/progress.h"
#include "core/json.h"

#include <inttypes.h>
#include <math.h>

static void print_estimate(const crp_model *model, const estimate *e)
{
    char memory[16], available[16], seconds[32];
    progress_format_si((double)e->memory, memory, sizeof memory);
    progress_format_si((double)e->memory_free, available, sizeof available);
    progress_format_time(e->seconds, seconds, sizeof seconds);
    fprintf(stderr, "%s: %s, valid\n", crp_model_name(model), crp_model_kind(model));
    if (e->histories == 0) {
        fprintf(stderr, "  %s: a million, unless -n says otherwise\n", model->module->history_name);
    } else {
        fprintf(stderr, "  %s: %" PRIu64 "\n", model->module->history_name, e->histories);
    }
    fprintf(stderr, "  memory: about %sB of %sB available\n", memory, available);
    if (e->histories != 0) {
        fprintf(stderr, "  time: about %s on %s\n", e->seconds < 0.5 ? "1 s or less" : seconds, e->cpu);
    }
    fprintf(stderr, "  digest: %s\n", crp_model_digest(model));
}

/* How long until the result is precise, from a short run. */
static void print_pilot(const crp_model *model, const pilot *p, const estimate *e)
{
    char seconds[32], pilot_time[32];
    progress_format_time(p->seconds_needed, seconds, sizeof seconds);
    snprintf(pilot_time, sizeof pilot_time, "%.2g s", p->seconds);
    if (isnan(p->rel_err)) {
        fprintf(stderr, "  a 1 %% answer: not to be told (no %s in %" PRIu64 " %s)\n", model->module->main_result,
                p->histories, model->module->history_name);
    } else if (isnan(p->seconds_needed)) {
        fprintf(stderr, "  a 1 %% answer: not to be told (%s is only known to %.0f %% after %" PRIu64 " %s in %s)\n", p->result,
                100 * p->rel_err, p->histories, model->module->history_name, pilot_time);
    } else {
        fprintf(stderr, "  a 1 %% answer (%s): about %.1e %s, %s on %s\n", p->result, p->histories_needed,
                model->module->history_name, p->seconds_needed < 0.5 ? "1 s or less" : seconds, e->cpu);
    }
}

static void print_json_pilot(const pilot *p)
{
    fputs(",\"one_percent\":{\"result\":", stdout);
    json_write_string(stdout, p->result);
    fputs(",\"histories\":", stdout);
    json_write_real(stdout, p->histories_needed);
    fputs(",\"seconds\":", stdout);
    json_write_real(stdout, p->seconds_needed);
    fputs("}", stdout);
}

static void print_json_head(const crp_model *model)
{
    fputs("{\"kind\":", stdout);
    json_write_string(stdout, crp_model_kind(model));
    fputs(",\"name\":", stdout);
    json_write_string(stdout, crp_model_name(model));
    fputs(",\"input_digest\":", stdout);
    json_write_string(stdout, crp_model_digest(model));
}

static void print_json_estimate(const estimate *e)
{
    printf(",\"histories\":%" PRIu64 ",\"memory\":%" PRIu64 ",\"memory_available\":%" PRIu64 ",\"seconds\":",
           e->histories, e->memory, e->memory_free);
    json_write_real(stdout, e->seconds);
    fputs(",\"device\":", stdout);
    json_write_string(stdout, e->cpu);
}

/* The file's own text in full, or what the module says about it: that text may have millions of lines. */
static crp_status print_model(crp_context *context, const crp_model *model)
{
    if (model->module->report == NULL) {
        return model->module->write_full(context, model, stdout);
    }
    fprintf(stdout, "%s\n", crp_model_name(model));
    return model->module->report(context, model, false, stdout);
}

static crp_status print_json_model(crp_context *context, const crp_model *model)
{
    if (model->module->report != NULL) {
        fputs(",\"report\":", stdout);
        return model->module->report(context, model, true, stdout);
    }
    fputs(",\"input\":", stdout);
    json_write_string(stdout, model->normalised);
    return CRP_OK;
}

/* A model with a report may be looked at before it can be run: an STL file says nothing about gas. */
static crp_status estimate_model(crp_context *context, const cli_options *options, const crp_model *model, estimate *e,
                                 pilot *p, bool *can_run)
{
    uint64_t histories = options->histories != 0 ? options->histories : crp_model_histories(model);
    crp_status status = estimate_run(context, model, histories, options->threads, e);
    *can_run = status == CRP_OK;
    if (status == CRP_ERR_CONFIG && model->module->report != NULL) {
        return CRP_OK;
    }
    return status == CRP_OK && model->module->main_result != NULL
               ? pilot_run(context, model, model->module->main_result, options->threads, p)
               : status;
}

static crp_status check_model(crp_context *context, const cli_options *options, const crp_model *model, size_t i)
{
    estimate e;
    pilot p;
    bool can_run = false, has_pilot = model->module->main_result != NULL;
    crp_status status = estimate_model(context, options, model, &e, &p, &can_run);
    if (status != CRP_OK) {
        return status;
    }
    if (options->json) {
        print_json_head(model);
        if (can_run) {
            print_json_estimate(&e);
        }
        if (can_run && has_pilot) {
            print_json_pilot(&p);
        }
        status = print_json_model(context, model);
        fputs("}\n", stdout);
        return status;
    }
    fputs(i == 0 ? "" : "---\n", stdout);
    status = print_model(context, model);
    fflush(stdout);
    if (!options->quiet && status == CRP_OK && !can_run) {
        fprintf(stderr, "%s: %s, valid, but not yet to be run: %s\n", crp_model_name(model), crp_model_kind(model),
                crp_context_error(context));
    } else if (!options->quiet && status == CRP_OK) {
        print_estimate(model, &e);
        if (has_pilot) {
            print_pilot(model, &p, &e);
        }
    }
    return status;
}

cli_exit cmd_check(crp_context *context, const cli_options *options)
{
    crp_input *input = NULL;
    cli_exit code = cli_expect_operands(options, 1, "an input file");
    if (code == CLI_DONE) {
        code = cli_load_input(context, options, options->operands[0], &input);
    }
    for (size_t i = 0; code == CLI_DONE && i < crp_input_n_models(input); i++) {
        crp_status status = check_model(context, options, crp_input_model(input, i), i);
        if (status != CRP_OK) {
            code = cli_report(context, status, CLI_BEFORE_RUN);
        }
    }
    crp_input_destroy(&input);
    return code;
}
