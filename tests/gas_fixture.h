/**
 * Vacuum models for tests: from a starter or a text to a result, through the same calls as the program.
 */
#ifndef TESTS_GAS_FIXTURE_H
#define TESTS_GAS_FIXTURE_H

#include "core/statistics.h"
#include "io/starter.h"
#include "model/gas/gas_plan.h"
#include "run_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model of a YAML text. */
FIXTURE_FN crp_input *fixture_text(const char *text)
{
    crp_input *input = NULL;
    FIXTURE_OK(yaml_load(fixture_context, "test.yaml", text, strlen(text), NULL, &input));
    return input;
}

/* The model of a starter; settings end with NULL. */
FIXTURE_FN crp_input *fixture_starter(const char *name, const char *const *settings)
{
    crp_input *input = NULL;
    size_t n = 0;
    while (settings != NULL && settings[n] != NULL) {
        n++;
    }
    FIXTURE_OK(starter_load(fixture_context, name, settings, n, &input));
    return input;
}

/* Run and free the input. */
FIXTURE_FN crp_result *fixture_run(crp_input *input, uint64_t histories, uint64_t seed)
{
    crp_run_options options = fixture_options(histories, seed);
    crp_result *result = fixture_execute(input, &options);
    crp_input_destroy(&input);
    return result;
}

/* A number of the summary: "transmission" of "inlet->outlet". */
FIXTURE_FN fixture_value fixture_of(const crp_result *result, const char *name, const char *of)
{
    for (size_t i = 0; i < result->n_results; i++) {
        const result_spec *r = &result->results[i];
        if (strcmp(r->name, name) == 0 && strcmp(r->of_name, of) == 0) {
            fixture_value v = {result_bin_mean(result, r->tally, r->bin), result_bin_std_dev(result, r->tally, r->bin)};
            return v;
        }
    }
    fail_msg("the result has no %s of %s", name, of);
    return (fixture_value){0, 0};
}

/* Books of a closed model: every molecule ends on a pump, every hit is of a facet, nothing leaks. */
FIXTURE_FN void fixture_balances(const crp_result *result)
{
    crp_wide hits = 0, absorbed = 0, desorbed = 0;
    const char *const names[] = {"facet_hits", "facet_absorbed", "facet_desorbed"};
    crp_wide *const sums[] = {&hits, &absorbed, &desorbed};
    for (size_t k = 0; k < 3; k++) {
        const tally_spec *t = &result->tallies[result_find(result, names[k])];
        for (size_t i = 0; i < t->n_bins; i++) {
            *sums[k] += result->sum[t->offset + i];
        }
    }
    assert_true(fixture_event(result, "leaks") == 0);
    assert_true(fixture_event(result, "ended_molecules") == result->histories);
    assert_true(absorbed == (crp_wide)result->histories);
    assert_true(desorbed == (crp_wide)result->histories);
    assert_true(hits == (crp_wide)fixture_event(result, "hits"));
}

/* A share of N histories against its exact value: the binomial knows its own error. */
FIXTURE_FN void fixture_expect_share(const char *what, fixture_value x, double exact, double allowed, uint64_t n,
                                     double n_checks)
{
    double limit = statistics_limit(n_checks, (double)INFINITY);
    double sigma = sqrt(exact * (1.0 - exact) / (double)n);
    double excess = fmax(0.0, fabs(x.mean - exact) - allowed) / sigma;
    if (!(excess <= limit)) {
        fail_msg("%s: %.7f where %.7f is right: z = %.1f, limit %.1f (smallest bias caught: %.2g)", what, x.mean, exact,
                 excess, limit, (limit + 1.645) * sigma);
    }
}

/* A mean with an error by 32 batches. */
FIXTURE_FN void fixture_expect(const char *what, fixture_value x, double exact, double allowed, double n_checks)
{
    double limit = statistics_limit(n_checks, 31);
    double z = fmax(0.0, fabs(x.mean - exact) - allowed) / x.error;
    if (!(z <= limit)) {
        fail_msg("%s: %.7g +- %.2g where %.7g is right: z = %.1f, limit %.1f", what, x.mean, x.error, exact, z, limit);
    }
}

FIXTURE_FN bool fixture_is_long(void)
{
    const char *value = getenv("CRP_TEST_LONG");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

#endif
