/**
 * What tests ask of a run, whatever its model: options, bins with their errors, event counters.
 */
#ifndef TESTS_RUN_FIXTURE_H
#define TESTS_RUN_FIXTURE_H

#include "context_fixture.h"
#include "engine/result.h"

#include <string.h>

FIXTURE_FN crp_run_options fixture_options(uint64_t histories, uint64_t seed)
{
    crp_run_options o = crp_run_options_default();
    o.histories = histories;
    o.seed = seed;
    o.device = "cpu";
    o.threads = 1; /* the tests run side by side; threads that wait for one another would only take their time */
    return o;
}

FIXTURE_FN crp_result *fixture_execute(const crp_input *input, const crp_run_options *options)
{
    crp_result *result = NULL;
    FIXTURE_OK(crp_run_execute(fixture_context, crp_input_model(input, 0), options, &result));
    return result;
}

/* Mean and standard error of one bin of a tally. */
typedef struct fixture_value {
    double mean, error;
} fixture_value;

FIXTURE_FN fixture_value fixture_get(const crp_result *result, const char *name, size_t bin)
{
    ptrdiff_t tally = result_find(result, name);
    if (tally < 0 || bin >= result->tallies[tally].n_bins) {
        fail_msg("the result has no bin %zu of %s", bin, name);
    }
    size_t at = result->tallies[tally].offset + bin;
    fixture_value v = {result_bin_mean(result, (size_t)tally, at), result_bin_std_dev(result, (size_t)tally, at)};
    return v;
}

FIXTURE_FN uint64_t fixture_event(const crp_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_events; i++) {
        if (strcmp(result->events[i].name, name) == 0) {
            return result->event_count[i];
        }
    }
    fail_msg("the result has no event counter %s", name);
    return 0;
}

#endif
