/* Fluence: from collisions and from flights through clear layers, against absorption, exact path lengths and each
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#include "light_fixture.h"

enum { N_CHECKS = 80, DOF = 31 };

static uint64_t photons(uint64_t n)
{
    return fixture_is_long() ? 10 * n : n;
}

/* Path length per photon [cm] in the depth bins [first, last) of the grid and the one beyond, summed over all radii;
 * the standard error of each bin's integers is not needed where numbers are exact. */
static double path_length(const crp_result *result, size_t first, size_t last)
{
    ptrdiff_t t = result_find(result, "fluence_rz");
    assert_true(t >= 0);
    const tally_spec *spec = &result->tallies[t];
    crp_wide sum = 0;
    for (size_t i = 0; i < spec->shape[0]; ++i) {
        for (size_t j = first; j < last; ++j) {
            sum += result->sum[spec->offset + i * spec->shape[1] + j];
        }
    }
    return (double)sum * spec->quantum / (double)result->histories;
}

/* The same for several runs with other seeds: mean and its standard error, for what has no error of its own. */
typedef struct paths {
    double mean[32], error[32];
} paths;

enum { N_RUNS = 16 };

static void run_paths(const fixture_stack *stack, uint64_t histories, uint64_t seed, paths *out)
{
    static double found[N_RUNS][32];
    for (uint64_t k = 0; k < N_RUNS; ++k) {
        crp_result *result = fixture_run(stack, histories / N_RUNS, seed + k);
        for (size_t j = 0; j < stack->nz; ++j) {
            found[k][j] = path_length(result, j, j + 1);
        }
        fixture_conserves(result);
        crp_result_destroy(&result);
    }
    for (size_t j = 0; j < stack->nz; ++j) {
        double sum = 0.0, square = 0.0;
        for (size_t k = 0; k < N_RUNS; ++k) {
            sum += found[k][j] / N_RUNS;
        }
        for (size_t k = 0; k < N_RUNS; ++k) {
            square += (found[k][j] - sum) * (found[k][j] - sum);
        }
        out->mean[j] = sum;
        out->error[j] = sqrt(square / (N_RUNS - 1) / N_RUNS);
    }
}

static void expect_equal_paths(const char *what, const paths *a, const paths *b, size_t n)
{
    for (size_t j = 0; j < n; ++j) {
        double z = (a->mean[j] - b->mean[j]) / sqrt(a->error[j] * a->error[j] + b->error[j] * b->error[j]);
        double dof = statistics_welch_dof(a->error[j], N_RUNS - 1, b->error[j], N_RUNS - 1);
        if (!(fabs(z) < statistics_limit(N_CHECKS, dof))) {
            fail_msg("%s, depth bin %zu: paths of %.6g +- %.2g and %.6g +- %.2g cm (z = %.1f)", what, j, a->mean[j],
                     a->error[j], b->mean[j], b->error[j], z);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ against absorption
 */

/* mu_a times fluence is absorption, bin by bin: both come from the same collisions, so they agree far closer than
 * either is known; what is left is the rounding of each score, of which a bin has many. */
static void test_absorption(void **state)
{
    (void)state;
    const fixture_layer layers[] = {
        {1.4, 2.0, 80.0, 0.8, 0.05}, {1.35, 0.1, 200.0, 0.9, 0.05}, {1.4, 5.0, 20.0, -0.3, 0.05}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = layers,
                           .dz = 0.01,
                           .dr = 0.02,
                           .nz = 15,
                           .nr = 20,
                           .na = 10,
                           .fluence = true};
    crp_result *result = fixture_run(&stack, photons(200000), 31);
    for (size_t i = 0; i <= stack.nr; ++i) {
        for (size_t j = 0; j < stack.nz; ++j) {
            fixture_value a = fixture_get(result, "A_rz", i * (stack.nz + 1) + j);
            fixture_value phi = fixture_get(result, "fluence_rz", i * (stack.nz + 1) + j);
            double expected = layers[j / 5].mu_a * phi.mean;
            /* bins with little in them: the unbiased rounding of up to n collisions, 0.5 sqrt(n) units */
            double allowed = 1.0e-4 * a.mean + 1.0e-12;
            if (a.mean > 0.0 && a.error < 0.05 * a.mean && fabs(a.mean - expected) > allowed) {
                fail_msg("r bin %zu, z bin %zu: A %.7g, mu_a times fluence %.7g", i, j, a.mean, expected);
            }
            if (a.mean > 0.0 && a.error < 0.05 * a.mean) { /* and so do the errors */
                assert_true(fabs(layers[j / 5].mu_a * phi.error / a.error - 1.0) < 0.01);
            }
        }
    }
    fixture_conserves(result);
    crp_result_destroy(&result);
}

/* Without absorption the fluence is the limit of A/mu_a: the same slab with so little that no light is missed. */
static void test_no_absorption(void **state)
{
    (void)state;
    paths none, little;
    const double tiny = ldexp(100.0, -16);
    const fixture_layer clear = {1.4, 0.0, 100.0, 0.9, 0.1}, faint = {1.4, tiny, 100.0 - tiny, 0.9, 0.1};
    fixture_stack stack = fixture_slab(&clear, 0.01, 10, 0.02, 20, 10);
    stack.fluence = true;
    run_paths(&stack, photons(640000), 40, &none);
    stack.layers = &faint;
    crp_result *result = fixture_run(&stack, photons(640000), 80);
    for (size_t j = 0; j < stack.nz; ++j) {
        fixture_value a = fixture_get(result, "A_z", j);
        little.mean[j] = a.mean * stack.dz / tiny;
        little.error[j] = a.error * stack.dz / tiny;
        assert_true(little.error[j] < 0.01 * little.mean[j]);
    }
    expect_equal_paths("a slab without absorption", &none, &little, stack.nz);
    crp_result_destroy(&result);
}

/* -------------------------------------------------------------------------------------------------------- clear layers
 */

/* One clear slab, nothing reflected: every photon flies d, and each bin of depth gets its dz of it. */
static void test_path_in_clear_slab(void **state)
{
    (void)state;
    const fixture_layer layer = {1.0, 0.0, 0.0, 0.0, 0.37};
    fixture_stack stack = fixture_slab(&layer, 0.037, 10, 0.1, 3, 10);
    stack.fluence = true;
    const uint64_t n = photons(200000);
    crp_result *result = fixture_run(&stack, n, 32);
    assert_true(fabs(path_length(result, 0, 11) - 0.37) < 0.37 * 3.0e-7);
    assert_true(path_length(result, 10, 11) == 0.0);
    for (size_t j = 0; j < 10; ++j) {
        /* each photon scores all of its way in one of ten bins: binomial */
        double spread = 0.37 * sqrt(0.1 * 0.9 / (double)n);
        assert_true(fabs(path_length(result, j, j + 1) - 0.037) < statistics_limit(N_CHECKS, INFINITY) * spread);
    }
    fixture_conserves(result);
    assert_true(fixture_total(result, "Tt") == (crp_wide)n << LIGHT_WEIGHT_BITS);
    crp_result_destroy(&result);
}

/* The same with faces that reflect: a ray of weight 1 - R goes to and fro, d (1 - R) / (1 - R) in all. */
static void test_path_between_faces(void **state)
{
    (void)state;
    const fixture_layer layer = {2.0, 0.0, 0.0, 0.0, 0.2};
    fixture_stack stack = fixture_slab(&layer, 0.1, 3, 0.1, 3, 10);
    stack.fluence = true;
    const double r = 1.0 / 9.0;
    const uint64_t n = photons(200000);
    crp_result *result = fixture_run(&stack, n, 33);
    /* number of ways: geometric with chance 1 - r, mean 1/(1-r), variance r/(1-r)^2 */
    double spread = 0.2 * sqrt(r / (double)n);
    assert_true(fabs(path_length(result, 0, 4) - 0.2) < statistics_limit(N_CHECKS, INFINITY) * spread);
    fixture_conserves(result);
    crp_result_destroy(&result);
}

/* A clear layer against one with collisions that change nothing (g = 1): two estimators that share no code, in all bins
 * of depth. Between tissue, once with matched faces and once as a gap of air; and on top, where the beam's own way is
 * not flown. */
static void check_estimators(size_t which, double n)
{
    paths by_flight, by_collision;
    fixture_layer layers[] = {{1.4, 1.0, 60.0, 0.8, 0.04}, {1.4, 1.0, 60.0, 0.8, 0.04}, {1.4, 1.0, 60.0, 0.5, 0.04}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = layers,
                           .dz = 0.01,
                           .dr = 0.05,
                           .nz = 12,
                           .nr = 20,
                           .na = 10,
                           .fluence = true};
    layers[which] = (fixture_layer){n, 0.0, 0.0, 0.0, 0.04};
    run_paths(&stack, photons(640000), 100, &by_flight);
    layers[which].mu_s = 80.0;
    layers[which].g = 1.0;
    run_paths(&stack, photons(640000), 200, &by_collision);
    expect_equal_paths("clear layer", &by_flight, &by_collision, stack.nz);
    for (size_t j = 4 * which; j < 4 * which + 4; ++j) { /* sharp enough to mean something */
        assert_true(by_flight.error[j] < 0.01 * by_flight.mean[j] &&
                    by_collision.error[j] < 0.01 * by_collision.mean[j]);
    }
}

static void test_estimators_agree(void **state)
{
    (void)state;
    check_estimators(1, 1.4);
    check_estimators(1, 1.0);
    check_estimators(0, 1.6);
    check_estimators(2, 1.5);
}

/* The comparison sees twice the absorption in the layer above, some 10 % of the fluence. */
static void test_estimators_can_differ(void **state)
{
    (void)state;
    paths one, other;
    fixture_layer layers[] = {{1.4, 1.0, 60.0, 0.8, 0.04}, {1.4, 0.0, 0.0, 0.0, 0.04}, {1.4, 1.0, 60.0, 0.5, 0.04}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = layers,
                           .dz = 0.04,
                           .dr = 0.05,
                           .nz = 3,
                           .nr = 20,
                           .na = 10,
                           .fluence = true};
    run_paths(&stack, photons(640000), 300, &one);
    layers[0].mu_a = 2.0;
    run_paths(&stack, photons(640000), 400, &other);
    double z = (one.mean[1] - other.mean[1]) / sqrt(one.error[1] * one.error[1] + other.error[1] * other.error[1]);
    if (!(fabs(z) > statistics_limit(N_CHECKS, N_RUNS - 1)) || one.mean[1] > 1.2 * other.mean[1]) {
        fail_msg("%.5g +- %.2g and %.5g +- %.2g", one.mean[1], one.error[1], other.mean[1], other.error[1]);
    }
}

/* Fluence costs nothing but time: the other tallies are the same to the bit. */
static void test_other_tallies_are_untouched(void **state)
{
    (void)state;
    const fixture_layer layers[] = {
        {1.5, 1.0, 60.0, 0.8, 0.04}, {1.0, 0.0, 0.0, 0.0, 0.04}, {1.4, 1.0, 60.0, 0.5, 0.04}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = layers,
                           .dz = 0.01,
                           .dr = 0.05,
                           .nz = 12,
                           .nr = 20,
                           .na = 10,
                           .fluence = true};
    crp_result *with = fixture_run(&stack, 20000, 34);
    stack.fluence = false;
    crp_result *without = fixture_run(&stack, 20000, 34);
    assert_int_equal(result_find(without, "fluence_rz"), -1);
    assert_true(without->n_bins < with->n_bins);
    assert_memory_equal(without->sum, with->sum, without->n_bins * sizeof *with->sum);
    crp_result_destroy(&with);
    crp_result_destroy(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absorption),
        cmocka_unit_test(test_no_absorption),
        cmocka_unit_test(test_path_in_clear_slab),
        cmocka_unit_test(test_path_between_faces),
        cmocka_unit_test(test_estimators_agree),
        cmocka_unit_test(test_estimators_can_differ),
        cmocka_unit_test(test_other_tallies_are_untouched),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
