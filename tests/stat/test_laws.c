/* Laws that hold whatever the tissue: ballistic light, cut layers, reversed stacks, weak absorption, the dead end of a
 * photon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#include "light_fixture.h"

/* Number of statistical comparisons of this file, for the limit. */
enum { N_CHECKS = 120, DOF = 31, MAX_CUTS = 100 };

static uint64_t photons(uint64_t n)
{
    return fixture_is_long() ? 10 * n : n;
}

static void expect_near(const char *what, fixture_value x, double reference, double s_ref)
{
    double z = (x.mean - reference) / sqrt(x.error * x.error + s_ref * s_ref);
    if (!(fabs(z) <= statistics_limit(N_CHECKS, DOF))) {
        fail_msg("%s: %.9g +- %.2g where %.9g is right (z = %.1f)", what, x.mean, x.error, reference, z);
    }
}

static void expect_equal(const char *what, fixture_value a, fixture_value b)
{
    double z = (a.mean - b.mean) / sqrt(a.error * a.error + b.error * b.error);
    double dof = statistics_welch_dof(a.error, DOF, b.error, DOF);
    if (!(fabs(z) <= statistics_limit(N_CHECKS, dof))) {
        fail_msg("%s: %.9g +- %.2g and %.9g +- %.2g (z = %.1f)", what, a.mean, a.error, b.mean, b.error, z);
    }
}

/* ---------------------------------------------------------------------------------------------------- ballistic light
 */

/*
 * exp(-20) through a thick absorber. Collisions that turn nothing (g = 1) make the weight fall step by step, 400 mean
 * free paths long, down to two units of 2^-30; roulette is all but off. A generator of 24 bits, or deposits that are
 * rounded to one side, cannot give this number.
 */
static void test_thick_absorber(void **state)
{
    (void)state;
    const fixture_layer layer = {1.0, 20.0, 380.0, 1.0, 1.0};
    fixture_stack stack = fixture_slab(&layer, 0.1, 10, 0.1, 4, 10);
    stack.threshold = 2.0e-9;
    crp_result *result = fixture_run(&stack, photons(400000), 11);
    fixture_value tt = fixture_get(result, "Tt", 0);
    expect_near("transmission", tt, exp(-20.0), 0.0);
    assert_true(tt.error < 0.01 * exp(-20.0));
    assert_true(fixture_total(result, "Tt") == fixture_total(result, "Tt_ballistic"));
    for (size_t i = 0; i < 6; ++i) { /* and on the way there */
        fixture_value a = fixture_get(result, "A_z", i);
        expect_near("absorption with depth", a, (exp(-2.0 * (double)i) - exp(-2.0 * (double)(i + 1))) / 0.1, 0.0);
    }
    fixture_conserves(result);
    crp_result_destroy(&result);
}

/* The light that was never deflected in a slab with reflecting faces: a geometric series. */
static void test_ballistic_parts(void **state)
{
    (void)state;
    static const double depths[] = {0.02, 0.005};
    for (size_t i = 0; i < 2; ++i) {
        const fixture_layer layer = {1.8, 10.0, 90.0, 0.75, depths[i]};
        fixture_stack stack = fixture_slab(&layer, 0.001, 30, 0.1, 4, 10);
        crp_result *result = fixture_run(&stack, photons(1000000), 12);
        double r = (0.8 / 2.8) * (0.8 / 2.8), t = exp(-100.0 * depths[i]);
        expect_near("Tt_ballistic", fixture_get(result, "Tt_ballistic", 0), (1 - r) * (1 - r) * t / (1 - r * r * t * t),
                    0.0);
        expect_near("Rd_ballistic", fixture_get(result, "Rd_ballistic", 0),
                    (1 - r) * (1 - r) * r * t * t / (1 - r * r * t * t), 0.0);
        expect_near("Rsp", fixture_get(result, "Rsp", 0), r, 1.0e-9);
        fixture_conserves(result);
        crp_result_destroy(&result);
    }
}

/* ------------------------------------------------------------------------------------------------------- cut layers */

/* One slab in k sheets: the same Rd, Tt, A as the exact solution of the slab, and layer by layer what the depth grid of
 * the whole slab says. Finds photons that stumble at an interface. */
static void check_cut(size_t n_cuts)
{
    fixture_layer sheets[MAX_CUTS];
    const fixture_layer whole = {1.4, 1.0, 100.0, 0.9, 0.1};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = n_cuts,
                           .layers = sheets,
                           .dz = 0.1 / (double)n_cuts,
                           .dr = 0.01,
                           .nz = (unsigned)n_cuts,
                           .nr = 50,
                           .na = 30};
    for (size_t i = 0; i < n_cuts; ++i) {
        sheets[i] = whole;
        sheets[i].d = 0.1 / (double)n_cuts;
    }
    crp_result *cut = fixture_run(&stack, photons(500000), 13);
    expect_near("Rd of a cut slab", fixture_get(cut, "Rd", 0), 0.2326178, 5e-8);
    expect_near("Tt of a cut slab", fixture_get(cut, "Tt", 0), 0.4612031, 5e-8);
    expect_near("A of a cut slab", fixture_get(cut, "A", 0), 0.2784013, 5e-8);
    fixture_conserves(cut);
    stack.layers = &whole;
    stack.n_layers = 1;
    crp_result *slab = fixture_run(&stack, photons(500000), 14);
    for (size_t i = 0; i < n_cuts; i += n_cuts / 10) {
        fixture_value a = fixture_get(cut, "absorbed_fraction", i), z = fixture_get(slab, "A_z", i);
        z.mean *= stack.dz;
        z.error *= stack.dz;
        expect_equal("absorption of a sheet", a, z);
    }
    crp_result_destroy(&cut);
    crp_result_destroy(&slab);
}

static void test_cut_slab(void **state)
{
    (void)state;
    check_cut(10);
    check_cut(MAX_CUTS);
}

/* The same comparison sees a sheet that scatters 8 % more in the middle of the slab. */
static void test_cut_slab_can_fail(void **state)
{
    (void)state;
    const fixture_layer sheets[] = {
        {1.4, 1.0, 100.0, 0.9, 0.04}, {1.4, 1.0, 120.0, 0.9, 0.02}, {1.4, 1.0, 100.0, 0.9, 0.04}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = sheets,
                           .dz = 0.01,
                           .dr = 0.01,
                           .nz = 10,
                           .nr = 50,
                           .na = 30};
    crp_result *result = fixture_run(&stack, photons(500000), 13);
    fixture_value rd = fixture_get(result, "Rd", 0);
    assert_true((rd.mean - 0.2326178) / rd.error > statistics_limit(N_CHECKS, DOF));
    assert_true(rd.mean < 0.2326178 * 1.04);
    crp_result_destroy(&result);
}

/* --------------------------------------------------------------------------------------------------------- reciprocity
 */

/* Source and detector exchanged: the radiance that a beam along the normal sends along the normal to the other side is
 * that of the stack turned over. (The bin is 3 degrees wide; what changes inside it is far below the error.) */
static void test_reciprocity(void **state)
{
    (void)state;
    const fixture_layer down[] = {{1.5, 0.5, 30.0, 0.9, 0.03},
                                  {1.3, 2.0, 20.0, 0.0, 0.05},
                                  {1.0, 0.0, 0.0, 0.0, 0.01},
                                  {1.4, 1.0, 50.0, 0.7, 0.02}};
    fixture_layer up[4];
    for (size_t i = 0; i < 4; ++i) {
        up[i] = down[3 - i];
    }
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 4,
                           .layers = down,
                           .dz = 0.01,
                           .dr = 0.1,
                           .nz = 11,
                           .nr = 4,
                           .na = 30};
    crp_result *one = fixture_run(&stack, photons(2000000), 15);
    stack.layers = up;
    crp_result *other = fixture_run(&stack, photons(2000000), 16);
    expect_equal("transmission along the normal", fixture_get(one, "Tt_a", 0), fixture_get(other, "Tt_a", 0));
    expect_equal("ballistic transmission", fixture_get(one, "Tt_ballistic", 0), fixture_get(other, "Tt_ballistic", 0));
    /* it is no triviality: what comes back differs by far more */
    assert_true(fabs(fixture_get(one, "Rd", 0).mean / fixture_get(other, "Rd", 0).mean - 1.0) > 0.05);
    crp_result_destroy(&one);
    crp_result_destroy(&other);
}

/* ----------------------------------------------------------------------------------------------------- weak absorption
 */

/* Absorption in proportion to a tiny mu_a: deposits of half a unit of 2^-30 count as much as they should. (The
 * fractions are powers of two, so that the table's 32 bits hold them exactly.) */
static void test_weak_absorption(void **state)
{
    (void)state;
    fixture_value per_mu[2];
    for (size_t i = 0; i < 2; ++i) {
        double mu_a = 100.0 * ldexp(1.0, i == 0 ? -18 : -31);
        const fixture_layer layer = {1.4, mu_a, 100.0 - mu_a, 0.9, 0.1};
        fixture_stack stack = fixture_slab(&layer, 0.01, 10, 0.01, 50, 30);
        crp_result *result = fixture_run(&stack, photons(1000000), 17 + i);
        per_mu[i] = fixture_get(result, "A", 0);
        per_mu[i].mean /= mu_a;
        per_mu[i].error /= mu_a;
        assert_true(per_mu[i].error < 0.002 * per_mu[i].mean);
        fixture_conserves(result);
        crp_result_destroy(&result);
    }
    expect_equal("A / mu_a", per_mu[0], per_mu[1]);
}

/* ---------------------------------------------------------------------------------------------------------- books */

/* A half-space that absorbs nothing: every photon comes back, but one in some thousand not before the step limit. Those
 * are dropped, counted, and their weight is what A shows. */
static void test_step_limit(void **state)
{
    (void)state;
    crp_result *result = fixture_run(&fixture_half_space, 6000, 19);
    uint64_t dropped = fixture_event(result, "step_limit_photons");
    /* after n steps the chance to be still inside is about 1/sqrt(n): 1.5 photons are expected */
    assert_in_range(dropped, 1, 12);
    assert_true(fixture_event(result, "dropped_weight") == dropped << LIGHT_WEIGHT_BITS);
    fixture_equal("A against the dropped weight", fixture_total(result, "A"), (crp_wide)(dropped << LIGHT_WEIGHT_BITS));
    assert_true(fixture_event(result, "roulette_killed_weight") == 0);
    fixture_conserves(result);
    crp_result_destroy(&result);
}

/* Roulette is fair: what it takes and what it gives are equal but for the spread of ten to one. */
static void test_roulette_is_fair(void **state)
{
    (void)state;
    const fixture_layer layer = {1.4, 10.0, 90.0, 0.8, 1e8};
    fixture_stack stack = fixture_slab(&layer, 0.01, 10, 0.01, 10, 10);
    stack.threshold = 0.05;
    crp_result *result = fixture_run(&stack, 400000, 20);
    double killed = (double)fixture_event(result, "roulette_killed_weight");
    double gained = (double)fixture_event(result, "roulette_gained_weight");
    /* a loser leaves w < 0.05 (one in 0.9), a winner gains 9 w (one in 0.1): variance 9 w^2 a game, two games a photon
     * at most */
    double spread = 3.0 * 0.05 * (double)LIGHT_WEIGHT_ONE * sqrt(2.0 * 400000.0);
    assert_true(fabs(killed - gained) < 5.0 * spread);
    assert_true(killed > 100.0 * spread);
    fixture_conserves(result);
    crp_result_destroy(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thick_absorber), cmocka_unit_test(test_ballistic_parts),
        cmocka_unit_test(test_cut_slab),       cmocka_unit_test(test_cut_slab_can_fail),
        cmocka_unit_test(test_reciprocity),    cmocka_unit_test(test_weak_absorption),
        cmocka_unit_test(test_step_limit),     cmocka_unit_test(test_roulette_is_fair),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
