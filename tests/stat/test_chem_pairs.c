/* Isolated pairs against Smoluchowski's exact survival, for steps from a tenth of a picosecond to the whole range at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "core/statistics.h"

/* Comparisons of this file, with known (binomial) errors. */
enum { N_CHECKS = 80, PAIRS = 100000 };

typedef struct pair_case {
    const char *name;
    double radius, diffusion_a, diffusion_b, distance; /* nm, nm2/ps */
    bool is_same;
} pair_case;

static const pair_case electron_hydronium = {"e + H3O+", 0.20056, 4.9e-3, 9.0e-3, 1.0, false};
static const pair_case electron_hydroxyl = {"e + OH", 0.50618, 4.9e-3, 2.8e-3, 1.0, false};
static const pair_case neutralisation = {"H3O+ + OH-", 1.3495, 9.0e-3, 5.0e-3, 2.0, false};
static const pair_case two_hydroxyls = {"OH + OH", 0.10381, 2.8e-3, 2.8e-3, 0.5, true};

/* W(t) = (R/r0) erfc((r0 - R)/sqrt(4 D t)). */
static double reacted(const pair_case *c, double radius, double t)
{
    double d = c->diffusion_a + c->diffusion_b;
    return t <= 0.0 ? 0.0 : radius / c->distance * erfc((c->distance - radius) / sqrt(4.0 * d * t));
}

static crp_result *run_pairs(const pair_case *c, const char *convention, const char *chem, uint64_t seed)
{
    char set[512], yaml[512];
    double k = CHEM_RATE_UNIT * c->radius * (c->diffusion_a + c->diffusion_b);
    const char *second = c->is_same ? "A" : "B";
    snprintf(set, sizeof set, "rate_convention %s\nspecies A D=%.17g formula=H2O\nspecies B D=%.17g formula=H2O\n"
             "reaction A + %s -> H2O k=%.17g\n", convention, 1e3 * c->diffusion_a, 1e3 * c->diffusion_b, second, k);
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1 us, outputs_per_decade: 1}\n"
             "source: {kind: pair, tracks: 1000, distance: %.17g nm, energy: 100 eV, molecules: [{species: A, count: %d}%s]}\n",
             c->distance, c->is_same ? 2 : 1, c->is_same ? "" : ", {species: B, count: 1}");
    chem_case run = {.set = set, .yaml = yaml, .chem = chem, .copies = PAIRS / 1000, .seed = seed, .threads = 2};
    return chem_case_run(&run);
}

/* Largest |z| of the curve against the exact one for this radius. */
static double worst(const pair_case *c, const crp_result *result, double radius, bool is_printed)
{
    size_t n;
    const double *t = chem_case_times(result, &n);
    double largest = 0.0;
    for (size_t k = 1; k < n; ++k) {
        double w = reacted(c, radius, t[k] - t[0]), x = chem_case_events(result, k, 0) / PAIRS;
        double z = (x - w) / sqrt(w * (1.0 - w) / PAIRS);
        largest = fmax(largest, fabs(z));
        if (is_printed && fabs(z) > statistics_limit(N_CHECKS, INFINITY)) {
            print_message("%s at %g ps: %.5f where %.5f is right (z = %.1f)\n", c->name, t[k], x, w, z);
        }
    }
    return largest;
}

/* The curve must be exact, and not pass for that of a radius 3 % larger (biases of 3 % are seen). */
static void expect_exact(const pair_case *c, double factor, const char *convention, const char *chem, uint64_t seed)
{
    crp_result *result = run_pairs(c, convention, chem, seed);
    double limit = statistics_limit(N_CHECKS, INFINITY), z = worst(c, result, factor * c->radius, true);
    chem_case_balances(result);
    assert_true(z <= limit);
    assert_true(worst(c, result, 1.05 * factor * c->radius, false) > limit);
    crp_result_destroy(&result);
}

static void test_electron_hydronium(void **state)
{
    (void)state;
    assert_true(fabs(reacted(&electron_hydronium, 0.20056, 1e3) - 0.17639) < 1e-5); /* the formula itself */
    expect_exact(&electron_hydronium, 1.0, "k", "steps_per_decade: 5", 1);
    expect_exact(&electron_hydronium, 1.0, "k", "steps_per_decade: 20", 2);
}

static void test_electron_hydroxyl(void **state)
{
    (void)state;
    expect_exact(&electron_hydroxyl, 1.0, "k", "steps_per_decade: 5", 3);
}

static void test_neutralisation(void **state)
{
    (void)state;
    expect_exact(&neutralisation, 1.0, "k", "steps_per_decade: 5", 4);
}

/* Equal partners: the radius of the file's k as it stands, and twice that where the file says that k is half of it. */
static void test_two_hydroxyls(void **state)
{
    (void)state;
    expect_exact(&two_hydroxyls, 1.0, "k", "steps_per_decade: 5", 5);
    expect_exact(&two_hydroxyls, 2.0, "2k", "steps_per_decade: 5", 6);
}

/* One step an output interval, which is one a decade: nothing is left to small steps. */
static void test_whole_decades(void **state)
{
    (void)state;
    expect_exact(&electron_hydronium, 1.0, "k", "steps_per_decade: 1", 7);
    expect_exact(&electron_hydroxyl, 1.0, "k", "steps_per_decade: 1", 8);
    expect_exact(&neutralisation, 1.0, "k", "step: 1 us", 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_electron_hydronium), cmocka_unit_test(test_electron_hydroxyl),
        cmocka_unit_test(test_neutralisation),     cmocka_unit_test(test_two_hydroxyls),
        cmocka_unit_test(test_whole_decades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
