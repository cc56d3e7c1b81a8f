/*
 * The density's standard error: 1/v_n has no finite variance, and yet the error must hold and must not jump.
 *
 * A cube in balance (every wall desorbs and pumps alike) has the density 4 Z / <v> in front of every face, exactly. 60
 * seeds of 5e5 hits give 360 values, each with an error by 32 batches: as many must lie within one and two errors as
 * Student's t says, to 5 standard errors of such a share. An error 25 % off is caught. With plain sums of 1/v_n, cut
 * where the integers end, the largest error of all runs is about ten times the median one; here it may be twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"

enum { FACES = 6, SEEDS = 60, VALUES = FACES * SEEDS, MOLECULES = 10000 };

static const double PI = 3.14159265358979323846;
/* Of Student's t with 31 degrees of freedom. */
static const double WITHIN_ONE = 0.675, WITHIN_TWO = 0.9457, MEAN_SQUARE = 31.0 / 29.0;

static const char cube[] = "version: 1\nkind: gas\nfacets:\n"
#define FACE(name, corners) "  - {name: " name ", outgassing: 1e-6 mbar l/s, sticking: 0.02, polygons: " corners "}\n"
    FACE("f0", "0 1 2 3") FACE("f1", "7 6 5 4") FACE("f2", "0 4 5 1") FACE("f3", "1 5 6 2") FACE("f4", "2 6 7 3")
        FACE("f5", "3 7 4 0") "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n"
                              "    0 0 1\n    1 0 1\n    1 1 1\n    0 1 1\n";

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void expect_share(const char *what, const double *z, double limit, double share)
{
    int n = 0;
    for (int i = 0; i < VALUES; i++) {
        n += fabs(z[i]) <= limit;
    }
    double found = (double)n / VALUES, sigma = sqrt(share * (1.0 - share) / VALUES);
    if (!(fabs(found - share) <= 5.0 * sigma)) {
        fail_msg("%s: %.3f of the values where %.3f are expected (+- %.3f)", what, found, share, sigma);
    }
}

static void error_holds_and_does_not_jump(void **state)
{
    (void)state;
    double z[VALUES], errors[VALUES], square = 0.0, sum = 0.0;
    double kt = GAS_BOLTZMANN * 293.15, mass = 0.0280134 / GAS_AVOGADRO;
    double exact = 4.0 * 1e-7 / (kt * 0.02 * 1e-4) / sqrt(8.0 * kt / (PI * mass));
    for (int seed = 0; seed < SEEDS; seed++) {
        crp_result *r = fixture_run(fixture_text(cube), MOLECULES, 1000 + (uint64_t)seed);
        for (int face = 0; face < FACES; face++) {
            char name[8];
            snprintf(name, sizeof name, "f%d", face);
            fixture_value v = fixture_of(r, "density", name);
            int i = FACES * seed + face;
            errors[i] = v.error;
            z[i] = (v.mean - exact) / v.error;
            sum += z[i];
            square += z[i] * z[i];
        }
        double share = (double)fixture_event(r, "capped_density_terms") / (2.0 * (double)fixture_event(r, "hits"));
        assert_true(share > 0.5 * 1.53e-5 && share < 2.0 * 1.53e-5); /* (1/256)^2 */
        crp_result_destroy(&r);
    }
    expect_share("within one error", z, 1.0, WITHIN_ONE);
    expect_share("within two errors", z, 2.0, WITHIN_TWO);
    assert_true(fabs(square / VALUES - MEAN_SQUARE) < 5.0 * sqrt(2.3 / VALUES));
    assert_true(fabs(sum) / VALUES < 5.0 * sqrt(MEAN_SQUARE / VALUES));
    qsort(errors, VALUES, sizeof *errors, compare);
    if (!(errors[VALUES - 1] < 2.5 * errors[VALUES / 2])) {
        fail_msg("the largest error is %.1f times the median one", errors[VALUES - 1] / errors[VALUES / 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_holds_and_does_not_jump)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
