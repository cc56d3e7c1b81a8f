/** What a run will need, before it runs. */
#include "cli/estimate.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>

crp_status estimate_run(crp_context *context, const crp_model *model, uint64_t histories, uint32_t threads,
                        estimate *out)
{
    crp_plan *plan = NULL;
    device *cpu = NULL;
    device_info info;
    crp_status status = CRP_OK;
    device_options options = {.threads = threads};
    CRP_TRY(model->module->plan(context, model, 1, &plan));
    CRP_GOTO(device_open(context, "cpu", &options, &cpu), done);
    CRP_GOTO(cpu->ops->info(cpu, &info), done);
    *out = (estimate){.histories = histories, .threads = info.n_units, .memory_free = info.memory_free};
    snprintf(out->cpu, sizeof out->cpu, "%s", info.name);
    out->memory = plan_host_bytes(plan->n_bins, plan->n_words, 1 + info.n_units, true);
    for (size_t i = 0; i < plan->n_tables; i++) {
        out->memory += plan->tables[i].n_bytes;
    }
    out->seconds = (double)NAN;
    if (histories > 0) {
        out->seconds = model->module->cost(model) * (double)histories / fmax(1.0, (double)info.n_units);
    }
done:
    device_close(&cpu);
    plan_destroy(&plan);
    return status;
}
