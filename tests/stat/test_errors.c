/* The standard errors that a run reports are the spread that runs with other seeds show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#include "light_fixture.h"

enum { N_SEEDS = 100, PHOTONS = 20000 };

static const fixture_layer skin[] = {{1.5, 4.3, 107, 0.79, 0.01},
                                     {1.4, 2.7, 187, 0.82, 0.02},
                                     {1.4, 3.3, 192, 0.82, 0.02},
                                     {1.4, 2.7, 187, 0.82, 0.09},
                                     {1.4, 3.4, 194, 0.82, 0.06}};

static const struct {
    const char *tally;
    size_t bin;
    double reference; /* exact value where one is known (see test_stacks.c), else 0 */
} watched[] = {
    {"Rd", 0, 0.2408819},
    {"Tt", 0, 0.0214911},
    {"A", 0, 0.6976270},
    {"absorbed_fraction", 0, 0.1379924},
    {"absorbed_fraction", 4, 0.0455996},
    {"Rd_r", 0, 0},
    {"Rd_r", 20, 0},
    {"Rd_a", 14, 0},
    {"Tt_a", 5, 0},
    {"A_z", 0, 0},
    {"A_z", 40, 0},
    {"A_rz", 2, 0},
    {"Rd_ra", 14, 0},
    {"Rd_ballistic", 0, 0},
};
enum { N_WATCHED = sizeof watched / sizeof watched[0] };

typedef struct sample {
    double mean[N_SEEDS], error[N_SEEDS];
} sample;

static sample samples[N_WATCHED];

static int run_seeds(void **state)
{
    if (fixture_open(state) != 0) {
        return -1;
    }
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 5,
                           .layers = skin,
                           .dz = 0.002,
                           .dr = 0.01,
                           .nz = 256,
                           .nr = 64,
                           .na = 30};
    crp_input *input = fixture_input(&stack);
    for (uint64_t seed = 0; seed < N_SEEDS; ++seed) {
        crp_run_options options = fixture_options(PHOTONS, seed + 1);
        crp_result *result = fixture_execute(input, &options);
        for (size_t k = 0; k < N_WATCHED; ++k) {
            fixture_value v = fixture_get(result, watched[k].tally, watched[k].bin);
            samples[k].mean[seed] = v.mean;
            samples[k].error[seed] = v.error;
        }
        crp_result_destroy(&result);
    }
    crp_input_destroy(&input);
    return 0;
}

static double mean_of(const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < N_SEEDS; ++i) {
        sum += x[i];
    }
    return sum / N_SEEDS;
}

/* Spread of the means over the mean reported variance: chi-square with 99 degrees of freedom, divided by 99. (The
 * reported variances have 3100 degrees of freedom together, which counts for nothing beside that.) */
static double variance_ratio(const sample *s, double scale_of_errors)
{
    double mean = mean_of(s->mean), spread = 0.0, reported = 0.0;
    for (size_t i = 0; i < N_SEEDS; ++i) {
        spread += (s->mean[i] - mean) * (s->mean[i] - mean);
        reported += scale_of_errors * scale_of_errors * s->error[i] * s->error[i];
    }
    return spread / (N_SEEDS - 1) / (reported / N_SEEDS);
}

static bool agrees(double ratio)
{
    double above = statistics_chi2_tail(ratio * (N_SEEDS - 1), N_SEEDS - 1);
    double least = STATISTICS_FAMILY_ERROR / (2.0 * N_WATCHED);
    return above >= least && above <= 1.0 - least;
}

static void test_spread_is_the_reported_error(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_WATCHED; ++k) {
        double ratio = variance_ratio(&samples[k], 1.0);
        if (!agrees(ratio)) {
            fail_msg("%s[%zu]: the variance over %d seeds is %.3f times the reported one", watched[k].tally,
                     watched[k].bin, N_SEEDS, ratio);
        }
    }
}

/* Errors wrong by a factor of 1.8 either way would have been seen. */
static void test_wrong_errors_are_seen(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_WATCHED; ++k) {
        assert_false(agrees(variance_ratio(&samples[k], 1.8)));
        assert_false(agrees(variance_ratio(&samples[k], 1.0 / 1.8)));
    }
}

/* All seeds together are right, and single runs lie outside their limit as seldom as they should: |t| > 2.04 in 5 %. */
static void test_means(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_WATCHED; ++k) {
        if (watched[k].reference == 0.0) {
            continue;
        }
        double reference = watched[k].reference, variance = 0.0;
        int outside = 0;
        for (size_t i = 0; i < N_SEEDS; ++i) {
            variance += samples[k].error[i] * samples[k].error[i];
            outside += fabs(samples[k].mean[i] - reference) > 2.0395 * samples[k].error[i] ? 1 : 0;
        }
        double z = (mean_of(samples[k].mean) - reference) / sqrt(variance / N_SEEDS / N_SEEDS + 0.25e-14);
        if (fabs(z) > statistics_limit(N_WATCHED, INFINITY)) {
            fail_msg("%s[%zu]: %d seeds together are off by %.1f standard errors", watched[k].tally, watched[k].bin,
                     N_SEEDS, z);
        }
        /* binomial, n = 100, p = 0.05: 17 and more has a chance of 1e-5 */
        assert_in_range(outside, 0, 16);
    }
}

/* Neighbouring seeds know nothing of each other: the correlation of 99 pairs has a standard error of 0.1. */
static void test_seeds_are_independent(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_WATCHED; ++k) {
        double mean = mean_of(samples[k].mean), same = 0.0, next = 0.0;
        for (size_t i = 0; i + 1 < N_SEEDS; ++i) {
            next += (samples[k].mean[i] - mean) * (samples[k].mean[i + 1] - mean);
            same += (samples[k].mean[i] - mean) * (samples[k].mean[i] - mean);
        }
        assert_true(fabs(next / same) < 0.45);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread_is_the_reported_error),
        cmocka_unit_test(test_wrong_errors_are_seen),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_seeds_are_independent),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, run_seeds, fixture_close);
}
