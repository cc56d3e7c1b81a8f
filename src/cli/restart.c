/** --restart: which runs of a result file are finished, which go on, and how far. */
#include "cli/restart.h"

#include "cli/run_files.h"
#include "core/context.h"
#include "engine/statepoint.h"
#include "engine/trigger.h"
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const crp_result *restart_result(const restart_plan *plan, size_t i)
{
    return i < plan->n ? plan->results[i] : NULL;
}

crp_result *restart_take(restart_plan *plan, size_t i)
{
    crp_result *result = plan->results[i];
    plan->results[i] = NULL;
    return result;
}

restart_state restart_state_of(const restart_plan *plan, size_t i)
{
    return i < plan->n ? plan->states[i] : RESTART_TO_RUN;
}

uint64_t restart_histories(const restart_plan *plan, const cli_options *options, const crp_model *model, size_t i)
{
    const crp_result *old = restart_result(plan, i);
    if (options->histories != 0) {
        return options->histories;
    }
    uint64_t planned = old == NULL ? 0 : old->histories_planned / model_histories_of_copy(model);
    return planned > model->histories ? planned : model->histories;
}

static bool reaches_precision(crp_context *context, const char *until, const crp_result *result)
{
    trigger t;
    double error, limit;
    return until[0] != '\0' && trigger_parse(context, until, &t) == CRP_OK &&
           trigger_bind(context, &t, result) == CRP_OK && trigger_holds(&t, result, &error, &limit);
}

static restart_state find_state(crp_context *context, const cli_options *options, const crp_model *model,
                                const restart_plan *plan, size_t i)
{
    const crp_result *old = restart_result(plan, i);
    const char *until = options->until != NULL ? options->until : model->until;
    if (old == NULL) {
        return RESTART_TO_RUN;
    }
    if (reaches_precision(context, until, old)) {
        return RESTART_FINISHED;
    }
    if (old->histories < restart_histories(plan, options, model, i) * model_histories_of_copy(model)) {
        return RESTART_TO_RUN;
    }
    return until[0] == '\0' ? RESTART_FINISHED : RESTART_IMPRECISE;
}

/* The model must be the one that the file was made from, or its numbers would be mixed with another's. */
static crp_status check_same(crp_context *context, const char *path, const cli_options *options, const crp_model *model,
                             const crp_result *old)
{
    CRP_CHECK(context, strcmp(crp_model_digest(model), old->model_digest) == 0, CRP_ERR_CONFIG,
              "%s: was made from another input than %s (%s; use the same input, or run without --restart)", path,
              crp_model_name(model), old->model_name);
    CRP_CHECK(context, options->histories == 0 || options->histories * model_histories_of_copy(model) >= old->histories,
              CRP_ERR_CONFIG,
              "%s: holds %" PRIu64 " %s already, more than the %" PRIu64 " asked for (leave -n out, or ask for more)",
              path, old->histories, old->history_name, options->histories);
    CRP_CHECK(context, options->seed == 0 || options->seed == old->seed, CRP_ERR_CONFIG,
              "%s: was run with seed %" PRIu64 ", not %" PRIu64 " (leave --seed out)", path, old->seed, options->seed);
    CRP_CHECK(context, options->math == NULL || strcmp(options->math, old->math) == 0 || strcmp(old->math, "rays") == 0,
              CRP_ERR_CONFIG,
              "%s: was run in %s math, not %s (leave --math out)", path, old->math, options->math);
    return CRP_OK;
}

static crp_status make_states(crp_context *context, size_t n, restart_plan *plan)
{
    plan->results = calloc(n, sizeof *plan->results);
    plan->states = calloc(n, sizeof *plan->states);
    plan->is_fast = calloc(n, sizeof *plan->is_fast);
    CRP_CHECK(context, plan->results != NULL && plan->states != NULL && plan->is_fast != NULL, CRP_ERR_MEMORY,
              "not enough memory");
    plan->n = n;
    return CRP_OK;
}

bool restart_is_fast(const restart_plan *plan, size_t i)
{
    return i < plan->n && plan->is_fast[i];
}

crp_status restart_share(crp_context *context, const comm *c, size_t n_models, restart_plan *plan)
{
    if (c->size == 1) {
        return CRP_OK;
    }
    CRP_TRY(comm_agree(c, context, plan->n == 0 ? make_states(context, n_models, plan) : CRP_OK));
    c->broadcast(c, 0, plan->states, n_models * sizeof *plan->states);
    c->broadcast(c, 0, plan->is_fast, n_models * sizeof *plan->is_fast);
    return CRP_OK;
}

static crp_status read_groups(crp_context *context, const cli_options *options, const crp_input *input,
                              statepoint_file *file, uint32_t n_groups, restart_plan *plan)
{
    size_t n = crp_input_n_models(input);
    CRP_CHECK(context, n_groups <= n, CRP_ERR_CONFIG, "%s: holds %" PRIu32 " runs, the input only %zu",
              options->restart, n_groups, n);
    CRP_TRY(make_states(context, n, plan));
    for (uint32_t i = 0; i < n_groups; i++) {
        CRP_TRY(statepoint_file_read(context, file, i + 1, &plan->results[i]));
        CRP_TRY(check_same(context, options->restart, options, crp_input_model(input, i), plan->results[i]));
        plan->states[i] = find_state(context, options, crp_input_model(input, i), plan, i);
        plan->is_fast[i] = strcmp(plan->results[i]->math, "fast") == 0;
    }
    return CRP_OK;
}

static crp_status read_results(crp_context *context, const cli_options *options, const crp_input *input,
                               restart_plan *plan)
{
    statepoint_file *file = NULL;
    uint32_t n_groups = 0;
    CRP_TRY(statepoint_open(context, options->restart, &file, &n_groups));
    crp_status status = read_groups(context, options, input, file, n_groups, plan);
    statepoint_close(&file);
    return status;
}

cli_exit restart_open(crp_context *context, const cli_options *options, const crp_input *input, const char *result_path,
                      restart_plan *plan)
{
    if (options->restart == NULL) {
        return CLI_DONE;
    }
    crp_status status = read_results(context, options, input, plan);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    plan->is_in_place = run_files_is_same(options->restart, result_path);
    for (size_t i = 0; plan->is_in_place && i + 1 < plan->n; i++) {
        if (plan->states[i] == RESTART_TO_RUN && plan->results[i + 1] != NULL) {
            return cli_usage_error("%s: run %zu cannot be extended in place (the runs after it would be lost; "
                                   "name another file with -o)",
                                   result_path, i + 1);
        }
    }
    return CLI_DONE;
}

void restart_close(restart_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        crp_result_destroy(&plan->results[i]);
    }
    free(plan->results);
    free(plan->states);
    free(plan->is_fast);
    *plan = (restart_plan){0};
}
