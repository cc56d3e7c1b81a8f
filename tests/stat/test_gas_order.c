/* The order of a file's facets: results agree within statistics, and of facets that lie upon one another the lowest is
 * hit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"

enum { N_CHECKS = 20, N_WALLS = 6 };

#define VERTICES                                                                                                       \
    "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n"                             \
    "    0 0 3\n    1 0 3\n    1 1 3\n    0 1 3\n"

/* A duct whose facets stand in an order; a baffle with two sides crosses half of it. */
static crp_result *run_in_order(const int order[N_WALLS + 1], double n, uint64_t seed)
{
    static const char *const facets[N_WALLS + 1] = {
        "  - {name: inlet, outgassing: 1e-6 mbar l/s, sticking: 1, polygons: 0 1 2 3}\n",
        "  - {name: outlet, sticking: 0.4, polygons: 7 6 5 4}\n",
        "  - {name: w0, polygons: 0 4 5 1}\n",
        "  - {name: w1, temperature: 400, polygons: 1 5 6 2}\n",
        "  - {name: w2, polygons: 2 6 7 3}\n",
        "  - {name: w3, sticking: 0.05, polygons: 3 7 4 0}\n",
        "  - {name: baffle, two_sided: true, sticking: 0.1, polygons: 8 9 10 11}\n",
    };
    char text[4096] = "version: 1\nkind: gas\nfacets:\n";
    for (int i = 0; i <= N_WALLS; i++) {
        strcat(text, facets[order[i]]);
    }
    strcat(text, VERTICES "    0 0 1.5\n    1 0 1.5\n    1 0.5 1.5\n    0 0.5 1.5\n");
    return fixture_run(fixture_text(text), (uint64_t)n, seed);
}

static void expect_same(const crp_result *a, const crp_result *b, const char *name, const char *of)
{
    fixture_value x = fixture_of(a, name, of), y = fixture_of(b, name, of);
    double z = (x.mean - y.mean) / hypot(x.error, y.error);
    if (!(fabs(z) <= statistics_limit(N_CHECKS, 31))) {
        fail_msg("%s %s: %g and %g differ by %.1f standard errors", name, of, x.mean, y.mean, z);
    }
}

/* A bias of 1 % of the pressure on the outlet is caught. */
static void another_order_agrees(void **state)
{
    (void)state;
    static const int straight[N_WALLS + 1] = {0, 1, 2, 3, 4, 5, 6}, mixed[N_WALLS + 1] = {4, 6, 2, 1, 5, 0, 3};
    crp_result *a = run_in_order(straight, 2e5, 1), *b = run_in_order(mixed, 2e5, 2);
    expect_same(a, b, "transmission", "inlet->outlet");
    expect_same(a, b, "transmission", "inlet->baffle");
    expect_same(a, b, "transmission", "inlet->w3");
    expect_same(a, b, "pressure", "outlet");
    expect_same(a, b, "pressure", "baffle");
    expect_same(a, b, "density", "outlet");
    expect_same(a, b, "impingement_rate", "baffle");
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

/* Two lids upon one another: the one that stands first takes all, to the last molecule. */
static void of_coincident_facets_the_lowest_is_hit(void **state)
{
    (void)state;
    static const char *const lids[2] = {"  - {name: first, sticking: 1, polygons: 7 6 5 4}\n",
                                        "  - {name: second, sticking: 1, polygons: 6 5 4 7}\n"};
    for (int swapped = 0; swapped < 2; swapped++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "version: 1\nkind: gas\nfacets:\n%s%s"
                 "  - {name: inlet, outgassing: 1e-6 mbar l/s, sticking: 1, polygons: 0 1 2 3}\n"
                 "  - {name: wall, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n" VERTICES,
                 lids[swapped], lids[1 - swapped]);
        crp_result *r = fixture_run(fixture_text(text), 20000, 3);
        double first = fixture_of(r, "absorbed", "first").mean, second = fixture_of(r, "absorbed", "second").mean;
        assert_true(swapped ? first == 0.0 && second > 0.2 : second == 0.0 && first > 0.2);
        crp_result_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(another_order_agrees),
                                       cmocka_unit_test(of_coincident_facets_the_lowest_is_hit)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
