/*
 * Transmission of tubes, ducts, elbows against exact values.
 *
 * Circular tubes: Clausing's integral equation, solved to eight digits. The tube of n = 100 flat walls has the circle's
 * area; what is left of the polygon is its perimeter, larger by pi^2 / (6 n^2) = 1.6e-4, which moves W by less than
 * that part. Every case has 1e7 hits (1e8 in the long tier): for L/R = 1 a bias of 0.0021 of W is caught (limit + 1.645
 * standard errors).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"

enum { N_CHECKS = 60 };

static double hits(void)
{
    return fixture_is_long() ? 1e8 : 1e7;
}

static const struct {
    double length_over_radius, transmission;
} tubes[] = {
    {0.1, 0.95239891}, {0.2, 0.90921503}, {0.5, 0.80127142}, {1, 0.67198390},   {2, 0.51423053},
    {3, 0.42005545},   {4, 0.35657273},   {5, 0.31052528},   {6, 0.27543877},   {8, 0.22526312},
    {10, 0.19094243},  {20, 0.10932071},  {30, 0.0769378},   {40, 0.0594504},   {50, 0.0484764},
    {80, 0.0312473},   {100, 0.02527636}, {200, 0.01294476}, {500, 0.00526303}, {1000, 0.0026476},
};

static crp_result *run_tube(double length_over_radius, uint64_t n)
{
    char length[64];
    snprintf(length, sizeof length, "length_over_radius=%.17g", length_over_radius);
    const char *settings[] = {length, "sides=100", "equal_area=1", NULL};
    return fixture_run(fixture_starter("gas-tube", settings), n, 1);
}

static void circular_tubes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tubes / sizeof *tubes; i++) {
        double l = tubes[i].length_over_radius, exact = tubes[i].transmission;
        uint64_t n = (uint64_t)(hits() / (1.0 + l));
        char what[64];
        snprintf(what, sizeof what, "tube of L/R = %g", l);
        crp_result *result = run_tube(l, n);
        fixture_value w = fixture_of(result, "transmission", "inlet->outlet");
        fixture_expect_share(what, w, exact, 1.7e-4 * exact, n, N_CHECKS);
        fixture_balances(result);
        crp_result_destroy(&result);
    }
}

/* The same comparison with the length off by as much as it must notice: the test can fail. */
static void a_wrong_length_is_noticed(void **state)
{
    (void)state;
    uint64_t n = (uint64_t)(hits() / 2.0);
    double limit = statistics_limit(N_CHECKS, (double)INFINITY), exact = 0.67198390;
    double sigma = sqrt(exact * (1.0 - exact) / (double)n);
    /* dW/d(L/R) at 1 is -0.22: the length that moves W by the smallest bias caught, and the polygon's allowance */
    double shift = ((limit + 1.645) * sigma + 1.7e-4 * exact) / 0.21;
    crp_result *result = run_tube(1.0 + shift, n);
    fixture_value w = fixture_of(result, "transmission", "inlet->outlet");
    assert_true((exact - w.mean - 1.7e-4 * exact) / sigma > limit);
    crp_result_destroy(&result);
}

static void expect_starter(const char *name, const char *const *settings, double n_hits, double exact, double allowed)
{
    crp_result *result = fixture_run(fixture_starter(name, settings), (uint64_t)n_hits, 1);
    char what[200];
    snprintf(what, sizeof what, "%s %s", name, settings[0]);
    fixture_expect_share(what, fixture_of(result, "transmission", "inlet->outlet"), exact, allowed, (uint64_t)n_hits,
                         N_CHECKS);
    fixture_balances(result);
    crp_result_destroy(&result);
}

/* Square and flat ducts, mitred elbows: own Monte Carlo over analytic surfaces, 2e7 molecules, error 1e-4. */
static void ducts_and_elbows(void **state)
{
    (void)state;
    const char *short_duct[] = {"length=1", NULL}, *duct[] = {"length=5", NULL}, *long_duct[] = {"length=10", NULL};
    expect_starter("gas-duct", short_duct, hits() / 3, 0.5361, 3e-4);
    expect_starter("gas-duct", duct, hits() / 11, 0.2064, 3e-4);
    expect_starter("gas-duct", long_duct, hits() / 21, 0.1196, 3e-4);
    const char *flat[] = {"length=1", "width=10", NULL}, *long_flat[] = {"length=10", "width=10", NULL};
    expect_starter("gas-duct", flat, hits() / 3, 0.6671, 3e-4);
    expect_starter("gas-duct", long_flat, hits() / 12, 0.2135, 3e-4);
    const char *elbow[] = {"side=1", "arm_in=1", "arm_out=1", NULL}, *long_elbow[] = {"side=1", NULL};
    expect_starter("gas-elbow", elbow, hits() / 8, 0.2842, 3e-4);
    expect_starter("gas-elbow", long_elbow, hits() / 24, 0.1052, 3e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circular_tubes),
        cmocka_unit_test(a_wrong_length_is_noticed),
        cmocka_unit_test(ducts_and_elbows),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
