/** A short run before the real one: see pilot.h. */
#include "cli/pilot.h"

#include "core/context.h"
#include "engine/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Aim at this long, by the module's own estimate of a history; the limit is for where that is wrong. */
static const double pilot_seconds = 0.3, pilot_limit = 3;
static const double fewest = 3200, most = 3200000;

/* An error that is estimated from so few counts is none. */
static const double largest_rel_err = 0.5;

static void look_at(const crp_result *result, const char *name, pilot *out)
{
    for (size_t i = 0; i < result->n_results; i++) {
        const result_spec *spec = &result->results[i];
        double mean = result_bin_mean(result, spec->tally, spec->bin);
        double rel_err = fabs(result_bin_std_dev(result, spec->tally, spec->bin) / mean);
        if (strcmp(spec->name, name) == 0 && mean != 0 && isfinite(rel_err) && !(rel_err <= out->rel_err)) {
            out->rel_err = rel_err;
            snprintf(out->result, sizeof out->result, "%s %s", spec->name, spec->of_name);
        }
    }
}

crp_status pilot_run(crp_context *context, const crp_model *model, const char *name, uint32_t threads, pilot *out)
{
    crp_run_options options = crp_run_options_default();
    crp_result *result = NULL;
    double n = pilot_seconds / model->module->cost(model);
    options.device = "cpu";
    options.threads = threads;
    options.until = "";
    options.batches = 32;
    options.histories = (uint64_t)fmin(fmax(n, fewest), most);
    options.time_limit = pilot_limit;
    *out = (pilot){.rel_err = (double)NAN, .seconds_needed = (double)NAN, .histories_needed = (double)NAN};
    CRP_TRY(crp_run_execute(context, model, &options, &result));
    out->histories = result->histories;
    out->seconds = result->seconds;
    look_at(result, name, out);
    if (out->rel_err <= largest_rel_err) {
        double factor = (out->rel_err / 0.01) * (out->rel_err / 0.01);
        out->seconds_needed = out->seconds * factor;
        out->histories_needed = (double)out->histories * factor;
    }
    crp_result_destroy(&result);
    return CRP_OK;
}
