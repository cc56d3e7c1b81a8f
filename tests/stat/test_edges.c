/*
 * The edges of the model, one by one, each against a number that is known exactly: clear layers on top, matched faces,
 * no absorption, no scattering, g = 1 and next to it, absorption that leaves nothing to scatter, layers thinner than a
 * bin and of no thickness, grids smaller than the tissue, one photon, 10^12 photons, and photons that are lost. (Air
 * gaps, clear layers between, n < 1: test_stacks.c. The critical angle: tests/kernel/test_cross.c. Restarts:
 * tests/cross.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#include "engine/lane.h"
#include "light_fixture.h"

enum { N_CHECKS = 80, DOF = 31, PHOTONS = 300000 };

/* clang-format off */
#define LAYERS(...) .n_layers = sizeof((const fixture_layer[]){__VA_ARGS__}) / sizeof(fixture_layer), \
                    .layers = (const fixture_layer[]){__VA_ARGS__}
#define L(n, a, s, g, d) {n, a, s, g, d}
#define GRID .dz = 0.01, .dr = 0.01, .nz = 40, .nr = 50, .na = 30
/* clang-format on */

static void expect_bin(const crp_result *result, const char *name, size_t bin, double reference, double s_ref)
{
    fixture_value x = fixture_get(result, name, bin);
    double z = (x.mean - reference) / sqrt(x.error * x.error + s_ref * s_ref);
    if (!(fabs(z) <= statistics_limit(N_CHECKS, DOF))) {
        fail_msg("%s[%zu] = %.8g +- %.2g where %.8g is right (z = %.1f)", name, bin, x.mean, x.error, reference, z);
    }
}

static crp_result *run_stack(const fixture_stack *stack, uint64_t seed)
{
    crp_result *result = fixture_run(stack, fixture_is_long() ? 10 * PHOTONS : PHOTONS, seed);
    fixture_conserves(result);
    return result;
}

static void expect_totals(const fixture_stack *stack, uint64_t seed, double rsp, double rd, double tt, double a)
{
    crp_result *result = run_stack(stack, seed);
    expect_bin(result, "Rsp", 0, rsp, 1.0e-7);
    expect_bin(result, "Rd", 0, rd, 1.0e-6);
    expect_bin(result, "Tt", 0, tt, 1.0e-6);
    expect_bin(result, "A", 0, a, 1.0e-6);
    crp_result_destroy(&result);
}

/* ------------------------------------------------------------------------------------------------- clear layers on top
 */

/* Clear layers that are not there to the light (the index of what is beside them), and glass in two sheets. The
 * references are those of the tissue alone and of one sheet of glass (test_stacks.c). */
static void test_clear_layers_on_top(void **state)
{
    (void)state;
    const fixture_stack one = {1.0, 1.0, LAYERS(L(1.0, 0, 0, 0, 0.07), L(1.4, 1, 100, 0.9, 0.1)), GRID};
    const fixture_stack two = {1.0, 1.0,
                               LAYERS(L(1.0, 0, 0, 0, 0.02), L(1.4, 0, 0, 0.7, 0.05), L(1.4, 1, 100, 0.9, 0.1)), GRID};
    const fixture_stack both_sides = {
        1.0, 1.0, LAYERS(L(1.4, 0, 0, 0, 0.02), L(1.4, 1, 100, 0.9, 0.1), L(1.4, 0, 0, 0, 0.01), L(1.0, 0, 0, 0, 0.3)),
        GRID};
    const fixture_stack glass = {1.0, 1.0,
                                 LAYERS(L(1.5, 0, 0, 0, 0.04), L(1.5, 0, 0, 0, 0.06), L(1.4, 1, 100, 0.9, 0.1)), GRID};
    expect_totals(&one, 1, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    expect_totals(&two, 2, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    expect_totals(&both_sides, 3, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    expect_totals(&glass, 4, 0.0410959, 0.2264459, 0.4566247, 0.2758336);
}

/* Nothing but clear layers: plates that reflect to and fro; Rsp holds the way down to the last of them, the rest flies.
 */
static void test_clear_layers_only(void **state)
{
    (void)state;
    const fixture_stack stack = {1.0, 1.0, LAYERS(L(1.5, 0, 0, 0, 0.1), L(1.0, 0, 0, 0, 0.1), L(2.0, 0, 0, 0, 0.1)),
                                 GRID};
    /* T of a chain of faces without absorption: 1/T - 1 = sum of r/(1-r) */
    double odds = 2 * 0.04 / 0.96 + 2 * (1.0 / 9.0) / (8.0 / 9.0);
    crp_result *result = run_stack(&stack, 5);
    fixture_value rsp = fixture_get(result, "Rsp", 0), rd = fixture_get(result, "Rd", 0);
    expect_bin(result, "Tt", 0, 1.0 / (1.0 + odds), 1.0e-9);
    rd.mean += rsp.mean;
    assert_true(fabs(rd.mean - odds / (1.0 + odds)) < statistics_limit(N_CHECKS, DOF) * rd.error);
    assert_true(fixture_total(result, "A") == 0);
    assert_true(fixture_total(result, "Tt") == fixture_total(result, "Tt_ballistic"));
    crp_result_destroy(&result);
}

/* ------------------------------------------------------------------------------------------------------- matched faces
 */

static void test_matched(void **state)
{
    (void)state;
    const fixture_stack stack = {1.4, 1.4, LAYERS(L(1.4, 0, 100, 0.9, 0.1)), GRID}; /* as n = 1 in air */
    expect_totals(&stack, 6, 0.0, 0.307423, 0.692577, 0.0);
}

/* --------------------------------------------------------------------------------------------------- ends of g and
 * mu_a */

/* g = 1 turns nothing, g next to 1 next to nothing: exp(-mu_a d) comes through. */
static void test_g_of_one(void **state)
{
    (void)state;
    static const double all_g[] = {1.0, 1.0 - 1.0e-13, 1.0 - 1.0e-10, 1.0 - 1.0e-7};
    for (uint64_t k = 0; k < 4; ++k) {
        for (int beside = 0; beside < 2;
             ++beside) { /* alone, and where an isotropic layer asks for the form for any g */
            const fixture_layer layers[] = {{1.0, 3.0, 50.0, all_g[k], 0.1}, {1.0, 100000.0, 1.0, 0.0, 0.1}};
            fixture_stack stack = {.n_above = 1.0, .n_below = 1.0, .n_layers = beside ? 2 : 1, .layers = layers, GRID};
            crp_result *result = run_stack(&stack, 7 + k);
            expect_bin(result, "absorbed_fraction", 0, 1.0 - exp(-0.3), 3.0e-6);
            expect_bin(result, beside ? "absorbed_fraction" : "Tt", beside ? 1 : 0, exp(-0.3), 1.0e-5);
            crp_result_destroy(&result);
        }
    }
}

/* Chandrasekhar's H function at 1, isotropic scattering, by iteration with Simpson's rule. */
static double h_function_at_one(double albedo)
{
    enum { N = 400 };
    double h[N + 1];
    for (int i = 0; i <= N; ++i) {
        h[i] = 1.0;
    }
    for (int turn = 0; turn < 200; ++turn) {
        double next[N + 1];
        for (int i = 0; i <= N; ++i) {
            double mu = (double)i / N, sum = 0.0;
            for (int k = 0; k <= N; ++k) {
                double x = (double)k / N, weight = k == 0 || k == N ? 1.0 : k % 2 ? 4.0 : 2.0;
                sum += mu + x > 0.0 ? weight * h[k] / (mu + x) : 0.0;
            }
            next[i] = 1.0 / (1.0 - 0.5 * albedo * mu * sum / (3.0 * N));
        }
        memcpy(h, next, sizeof h);
    }
    return h[N];
}

/* A thousand absorbed for one scattered, and more scattered: 1 - sqrt(1 - a) H(1) comes back. The first leaves a
 * thousandth of the weight at each collision, far below the threshold of roulette: survivors must be lifted without
 * favour. */
static void test_strong_absorption(void **state)
{
    (void)state;
    static const double mu_a[] = {1000.0, 50.0, 1.0};
    static const double threshold[] = {0.05, 0.05, 1.0e-4};
    for (uint64_t k = 0; k < 3; ++k) {
        const fixture_layer layer = {1.0, mu_a[k], 1.0, 0.0, 1e8};
        fixture_stack stack = {
            .n_above = 1.0, .n_below = 1.0, .n_layers = 1, .layers = &layer, GRID, .threshold = threshold[k]};
        crp_result *result = run_stack(&stack, 20 + k);
        double albedo = 1.0 / (1.0 + mu_a[k]);
        double reference = 1.0 - sqrt(1.0 - albedo) * h_function_at_one(albedo);
        expect_bin(result, "Rd", 0, reference, 1.0e-4 * reference);
        assert_true(fixture_get(result, "Rd", 0).error < 0.05 * reference);
        crp_result_destroy(&result);
    }
}

/* mu_a = 1000 and nothing that scatters: all of it is absorbed, as exp says, in the first bins. */
static void test_no_scattering(void **state)
{
    (void)state;
    const fixture_stack stack = {1.0, 1.0, LAYERS(L(1.0, 30, 0, 0, 0.1), L(1.0, 5, 0, 0, 0.2)), GRID};
    crp_result *result = run_stack(&stack, 30);
    assert_true(fixture_total(result, "Rd") == 0);
    expect_bin(result, "absorbed_fraction", 0, 1.0 - exp(-3.0), 0.0);
    expect_bin(result, "absorbed_fraction", 1, exp(-3.0) - exp(-4.0), 0.0);
    expect_bin(result, "Tt", 0, exp(-4.0), 0.0);
    for (size_t i = 0; i < 10; ++i) {
        expect_bin(result, "A_z", i, (exp(-0.3 * (double)i) - exp(-0.3 * (double)(i + 1))) / 0.01, 0.0);
    }
    crp_result_destroy(&result);
}

/* ------------------------------------------------------------------------------------------------------ grids and
 * layers */

/* A layer thinner than dz, whose absorption the depth grid cannot tell; scored by layer it is right. */
static void test_layer_thinner_than_a_bin(void **state)
{
    (void)state;
    const fixture_stack stack = {
        1.0,        1.0,        LAYERS(L(1.0, 40, 0, 0, 0.001), L(1.0, 1, 0, 0, 0.1), L(1.0, 90, 0, 0, 0.0005)),
        .dz = 0.05, .dr = 0.01, .nz = 40,
        .nr = 50,   .na = 30};
    crp_result *result = run_stack(&stack, 31);
    expect_bin(result, "absorbed_fraction", 0, 1.0 - exp(-0.04), 0.0);
    expect_bin(result, "absorbed_fraction", 1, exp(-0.04) - exp(-0.14), 0.0);
    expect_bin(result, "absorbed_fraction", 2, exp(-0.14) - exp(-0.185), 0.0);
    crp_result_destroy(&result);
}

/* A layer of no thickness changes nothing, even if its index is another one: with the same faces left and right of it
 * light is reflected by both, as by a plate. Matched it is not there at all. */
static void test_layer_of_no_thickness(void **state)
{
    (void)state;
    const fixture_stack stack = {
        1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.05), L(1.4, 50, 100, 0.9, 0.0), L(1.4, 1, 100, 0.9, 0.05)), GRID};
    expect_totals(&stack, 32, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    crp_result *result = run_stack(&stack, 33);
    assert_true(fixture_total(result, "absorbed_fraction") == fixture_total(result, "A"));
    assert_true(fixture_get(result, "absorbed_fraction", 1).mean == 0.0);
    crp_result_destroy(&result);
}

/* What falls outside of the grid has bins of its own, and the totals do not know the grid. */
static void test_grid_smaller_than_the_tissue(void **state)
{
    (void)state;
    const fixture_stack stack = {1.0,     1.0,    LAYERS(L(1.0, 1, 0, 0, 1.0)), .dz = 0.1, .dr = 0.01, .nz = 3,
                                 .nr = 2, .na = 3};
    crp_result *result = run_stack(&stack, 34);
    expect_bin(result, "A_z", 2, (exp(-0.2) - exp(-0.3)) / 0.1, 0.0);
    expect_bin(result, "A_z", 3, exp(-0.3) - exp(-1.0), 0.0); /* a fraction, no density */
    expect_bin(result, "A", 0, 1.0 - exp(-1.0), 0.0);
    assert_true(fixture_get(result, "A_rz", 0).mean > 0.0);
    crp_result_destroy(&result);
    const fixture_stack wide = {1.0,     1.0,    LAYERS(L(1.4, 1, 100, 0.9, 0.1)), .dz = 0.01, .dr = 0.001, .nz = 2,
                                .nr = 2, .na = 1};
    expect_totals(&wide, 35, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    result = run_stack(&wide, 36);
    assert_true(fixture_get(result, "Rd_r", 2).mean > 0.5 * fixture_get(result, "Rd", 0).mean); /* most lies outside */
    assert_true(fixture_get(result, "Rd_ra", 2).mean == fixture_get(result, "Rd_r", 2).mean);
    crp_result_destroy(&result);
}

static void test_grid_of_one_bin(void **state)
{
    (void)state;
    const fixture_stack small = {1.0,     1.0,    LAYERS(L(1.4, 1, 100, 0.9, 0.1)), .dz = 0.05, .dr = 0.05, .nz = 1,
                                 .nr = 1, .na = 1};
    const fixture_stack large = {1.0,     1.0,    LAYERS(L(1.4, 1, 100, 0.9, 0.1)), .dz = 1e6, .dr = 1e6, .nz = 1,
                                 .nr = 1, .na = 1};
    expect_totals(&small, 37, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    expect_totals(&large, 38, 0.0277778, 0.2326178, 0.4612031, 0.2784013);
    crp_result *result = run_stack(&large, 39);
    size_t n = 0;
    const crp_wide *a = fixture_sums(result, "A_rz", &n);
    assert_int_equal(n, 4);
    assert_true(a[0] == fixture_total(result, "A_rz") && a[1] == 0 && a[2] == 0 && a[3] == 0);
    crp_result_destroy(&result);
}

/* --------------------------------------------------------------------------------------------------- few and many
 * photons */

static void test_one_photon(void **state)
{
    (void)state;
    const fixture_stack stack = {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.1)), GRID};
    static const uint64_t counts[] = {1, 2, 31, 33};
    for (size_t k = 0; k < 4; ++k) {
        crp_result *result = fixture_run(&stack, counts[k], 40);
        fixture_conserves(result);
        assert_true(crp_result_histories(result) == counts[k]);
        assert_true(isnan(fixture_get(result, "Rd", 0).error) == (counts[k] == 1));
        assert_true(isfinite(fixture_get(result, "Rd", 0).mean));
        crp_result_destroy(&result);
    }
}

/* 10^12 photons are planned as 10^12, start at once, and stop where the time is up. */
static void test_a_million_million_photons(void **state)
{
    (void)state;
    const fixture_stack stack = {1.0, 1.0, LAYERS(L(1.4, 10, 10, 0.9, 0.1)), GRID};
    crp_input *input = fixture_input(&stack);
    crp_run_options options = fixture_options(1000000000000u, 41);
    options.time_limit = 0.2;
    crp_result *result = fixture_execute(input, &options);
    assert_true(result->histories_planned == 1000000000000u);
    assert_true(result->histories > 1000 && result->histories < 1000000000000u);
    assert_true(result->seconds < 60.0);
    fixture_conserves(result);
    crp_result_destroy(&result);
    crp_input_destroy(&input);
}

/* ---------------------------------------------------------------------------------------------------------- lost
 * photons */

static bool has_opencl(void)
{
    device *d = NULL;
    bool is_there = device_open(fixture_context, "opencl:0", NULL, &d) == CRP_OK;
    device_close(&d);
    return is_there;
}

/* A model that no file can bring about: a direction becomes NaN at the first scattering. The run must say so. */
static void check_error_of_lost_photons(const char *device_name)
{
    const fixture_stack stack = {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.1)), GRID};
    crp_input *input = fixture_input(&stack);
    light_model *light = crp_input_model(input, 0)->data;
    light->layers[0].g = (double)NAN;
    crp_run_options options = fixture_options(5000, 1);
    options.device = device_name;
    crp_result *result = NULL;
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_NUMERIC);
    assert_null(result);
    assert_non_null(strstr(crp_context_error(fixture_context), "lost_photons"));
    crp_input_destroy(&input);
}

/* Few of them: NaN only in the third layer. They are counted, their weight is booked as dropped and absorbed, the
 * crossings into the layers above are those that took place, and all books balance. */
static void check_books_of_lost_photons(const char *device_name)
{
    const fixture_stack stack = {
        1.0, 1.0,
        LAYERS(L(1.4, 1, 100, 0.9, 0.1), L(1.4, 1, 100, 0.9, 0.1), L(1.4, 1, 100, 0.9, 0.1), L(1.4, 1, 100, 0.9, 0.1)),
        GRID};
    const uint64_t n = 20000;
    crp_input *input = fixture_input(&stack);
    const crp_model *model = crp_input_model(input, 0);
    crp_plan *plan = fixture_plan(input, 1);
    float *row = (float *)plan->tables[0].data + 2 * LIGHT_ROW;
    row[LIGHT_HG_OFFSET] = row[LIGHT_HG_SLOPE] = (float)NAN;
    crp_run_options options = fixture_options(n, 1);
    options.device = device_name;
    device_lane *lane = NULL;
    FIXTURE_OK(lane_open(fixture_context, model, plan, &options, n, 1, &lane));
    uint64_t *words = malloc(plan->n_words * sizeof *words), events[16] = {0};
    crp_wide *bins = calloc(plan->n_bins, sizeof *bins);
    double seconds = 0.0;
    assert_non_null(words);
    assert_non_null(bins);
    FIXTURE_OK(lane_start(lane, 0, (history_range){0, n, true}));
    FIXTURE_OK(lane_collect(lane, 0, words, &seconds));
    model->module->reduce(plan, words, n, bins, events);
    crp_wide total[LIGHT_N_TALLIES] = {0}, by_layer[4];
    for (size_t t = 0; t < plan->n_tallies; ++t) {
        for (size_t i = 0; i < plan->tallies[t].n_bins; ++i) {
            total[t] += bins[plan->tallies[t].offset + i];
        }
    }
    memcpy(by_layer, bins + plan->tallies[LIGHT_ABSORBED_FRACTION].offset, sizeof by_layer);
    assert_in_range(events[LIGHT_COUNT_LOST], n / 20, n - 1);
    assert_true(events[LIGHT_COUNT_HISTORIES] == n);
    assert_true(events[LIGHT_COUNT_DROPPED] > 0);
    assert_true(total[LIGHT_RSP] + total[LIGHT_RD] + total[LIGHT_TT] + total[LIGHT_A] == (crp_wide)n
                                                                                             << LIGHT_WEIGHT_BITS);
    assert_true(total[LIGHT_ABSORBED_FRACTION] == total[LIGHT_A]);
    assert_true(total[LIGHT_A_RZ] == total[LIGHT_A] - (crp_wide)events[LIGHT_COUNT_ROULETTE_KILLED] +
                                         (crp_wide)events[LIGHT_COUNT_ROULETTE_GAINED] -
                                         (crp_wide)events[LIGHT_COUNT_DROPPED]);
    for (size_t i = 0; i < 4; ++i) { /* the sign of a lost photon's weight would show as four photons' weight */
        assert_true(by_layer[i] >= 0 && by_layer[i] <= (crp_wide)n << LIGHT_WEIGHT_BITS);
    }
    assert_true(by_layer[2] > (crp_wide)events[LIGHT_COUNT_DROPPED] / 2);
    assert_true(by_layer[3] < by_layer[2]);
    lane_close(&lane);
    free(words);
    free(bins);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

static void test_lost_photons(void **state)
{
    (void)state;
    check_error_of_lost_photons("cpu");
    check_books_of_lost_photons("cpu");
}

static void test_lost_photons_on_opencl(void **state)
{
    (void)state;
    if (!has_opencl()) {
        print_message("skipped: %s\n", crp_context_error(fixture_context));
        skip();
    }
    check_error_of_lost_photons("opencl:0");
    check_books_of_lost_photons("opencl:0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear_layers_on_top),
        cmocka_unit_test(test_clear_layers_only),
        cmocka_unit_test(test_matched),
        cmocka_unit_test(test_g_of_one),
        cmocka_unit_test(test_strong_absorption),
        cmocka_unit_test(test_no_scattering),
        cmocka_unit_test(test_layer_thinner_than_a_bin),
        cmocka_unit_test(test_layer_of_no_thickness),
        cmocka_unit_test(test_grid_smaller_than_the_tissue),
        cmocka_unit_test(test_grid_of_one_bin),
        cmocka_unit_test(test_one_photon),
        cmocka_unit_test(test_a_million_million_photons),
        cmocka_unit_test(test_lost_photons),
        cmocka_unit_test(test_lost_photons_on_opencl),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
