/** corpuscle check: validate an input file, print it normalised, estimate memory and time. */
#include "cli/cli.h"
#include "cli/estimate.h"
#include "cli/progress.h"
#include "core/json.h"

#include <inttypes.h>

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

static crp_status print_json(crp_context *context, const crp_model *model, const estimate *e)
{
    fputs("{\"kind\":", stdout);
    json_write_string(stdout, crp_model_kind(model));
    fputs(",\"name\":", stdout);
    json_write_string(stdout, crp_model_name(model));
    fputs(",\"input_digest\":", stdout);
    json_write_string(stdout, crp_model_digest(model));
    printf(",\"histories\":%" PRIu64 ",\"memory\":%" PRIu64 ",\"memory_available\":%" PRIu64 ",\"seconds\":",
           e->histories, e->memory, e->memory_free);
    json_write_real(stdout, e->seconds);
    fputs(",\"device\":", stdout);
    json_write_string(stdout, e->cpu);
    if (model->module->report == NULL) { /* with one the text may have millions of lines: convert writes it */
        fputs(",\"input\":", stdout);
        json_write_string(stdout, model->normalised);
        fputs("}\n", stdout);
        return CRP_OK;
    }
    fputs(",\"report\":", stdout);
    crp_status status = model->module->report(context, model, true, stdout);
    fputs("}\n", stdout);
    return status;
}

/* What the file holds: its own text in full, or what the module says about it. */
static crp_status print_model(crp_context *context, const crp_model *model)
{
    if (model->module->report == NULL) {
        return model->module->write_full(context, model, stdout);
    }
    fprintf(stdout, "%s\n", crp_model_name(model));
    return model->module->report(context, model, false, stdout);
}

static crp_status check_model(crp_context *context, const cli_options *options, const crp_model *model, size_t i)
{
    estimate e;
    uint64_t histories = options->histories != 0 ? options->histories : crp_model_histories(model);
    crp_status status = estimate_run(context, model, histories, options->threads, &e);
    if (status != CRP_OK) {
        return status;
    }
    if (options->json) {
        return print_json(context, model, &e);
    }
    fputs(i == 0 ? "" : "---\n", stdout);
    status = print_model(context, model);
    fflush(stdout);
    if (!options->quiet) {
        print_estimate(model, &e);
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
