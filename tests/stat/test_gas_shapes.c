/*
 * More shapes with exact answers: slits, frusta and their reciprocity, the sphere, a closed cavity of any shape.
 *
 * Every case has 1e7 hits (1e8 in the long tier).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"

enum { N_CHECKS = 40 };

static const double PI = 3.14159265358979323846;

static double hits(void)
{
    return fixture_is_long() ? 1e8 : 1e7;
}

/* A text that grows. */
typedef struct text {
    char *bytes;
    size_t n, reserved;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *t, const char *format, ...)
{
    va_list arguments;
    if (t->reserved - t->n < 4096) {
        t->reserved = 2 * t->reserved + 65536;
        t->bytes = realloc(t->bytes, t->reserved);
        assert_non_null(t->bytes);
    }
    va_start(arguments, format);
    t->n += (size_t)vsnprintf(t->bytes + t->n, t->reserved - t->n, format, arguments);
    va_end(arguments);
}

static crp_result *run_text(text *t, double n, uint64_t seed)
{
    crp_result *r = fixture_run(fixture_text(t->bytes), (uint64_t)n, seed);
    free(t->bytes);
    return r;
}

#define SOURCE "outgassing: 1e-6 mbar l/s, sticking: 1"

/* -------------------------------------------------------------------------------------------------- slits */

/* Parallel plates at distance 1 between mirrors, which make them infinite: Clausing's equation in one dimension. */
static crp_result *run_slit(double length, double n)
{
    text t = {0};
    add(&t, "version: 1\nkind: gas\nfacets:\n  - {name: inlet, " SOURCE ", polygons: 0 1 2 3}\n"
            "  - {name: outlet, sticking: 1, polygons: 7 6 5 4}\n"
            "  - {name: plates, polygons: \"0 4 5 1\\n2 6 7 3\"}\n"
            "  - {name: sides, reflection: {diffuse: 0, specular: 1}, polygons: \"1 5 6 2\\n3 7 4 0\"}\n"
            "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n");
    add(&t, "    0 0 %.17g\n    1 0 %.17g\n    1 1 %.17g\n    0 1 %.17g\n", length, length, length, length);
    return run_text(&t, n, 51);
}

static void slits(void **state)
{
    (void)state;
    static const struct {
        double length, transmission, hits; /* of a molecule, roughly */
    } cases[] = {{0.1, 0.952452, 1.2}, {0.5, 0.804724, 2}, {1, 0.684381, 3},   {2, 0.542058, 4},    {5, 0.356409, 8},
                 {10, 0.240557, 15},   {20, 0.153888, 30}, {50, 0.080030, 70}, {100, 0.047092, 140}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[64];
        snprintf(what, sizeof what, "slit of L/h = %g", cases[i].length);
        crp_result *r = run_slit(cases[i].length, hits() / cases[i].hits);
        fixture_expect_share(what, fixture_of(r, "transmission", "inlet->outlet"), cases[i].transmission, 2e-6,
                             r->histories, N_CHECKS);
        fixture_balances(r);
        crp_result_destroy(&r);
    }
}

/* One per cent longer, and the shortest slit is found out: dW/dL is -0.45 there, the bias 4.5e-4 or 5 to 6 sigma. */
static void a_wrong_slit_is_noticed(void **state)
{
    (void)state;
    double exact = 0.684381, n = hits() / 3.0, limit = statistics_limit(N_CHECKS, (double)INFINITY);
    double sigma = sqrt(exact * (1.0 - exact) / n), slope = 0.19;
    crp_result *r = run_slit(1.0 + (limit + 1.645) * sigma / slope, n);
    assert_true((exact - fixture_of(r, "transmission", "inlet->outlet").mean) / sigma > limit);
    crp_result_destroy(&r);
}

/* ------------------------------------------------------------------------------------------------- frusta */

enum { SIDES = 100 };

/* A frustum of SIDES flat walls whose ends have the areas of circles of radius 1 and `radius`; `from`: the end that
 * molecules come from, 0 or 1. */
static crp_result *run_frustum(double radius, double length, int from, double n)
{
    static const char *const ends[2] = {SOURCE, "sticking: 1"};
    text t = {0};
    add(&t, "version: 1\nkind: gas\nfacets:\n  - name: wall\n    polygons: |\n");
    for (int i = 0; i < SIDES; i++) {
        int next = (i + 1) % SIDES;
        add(&t, "      %d %d %d %d\n", i, SIDES + i, SIDES + next, next);
    }
    for (int end = 0; end < 2; end++) {
        add(&t, "  - {name: %s, %s, polygons:", end == from ? "inlet" : "outlet", ends[end != from]);
        for (int i = 0; i < SIDES; i++) {
            add(&t, " %d", end == 0 ? i : 2 * SIDES - 1 - i);
        }
        add(&t, "}\n");
    }
    add(&t, "geometry:\n  unit: 1 cm\n  vertices: |\n");
    double factor = sqrt(2.0 * PI / SIDES / sin(2.0 * PI / SIDES));
    for (int i = 0; i < 2 * SIDES; i++) {
        double angle = 2.0 * PI * i / SIDES, r = factor * (i < SIDES ? 1.0 : radius);
        add(&t, "    %.17g %.17g %.17g\n", r * cos(angle), r * sin(angle), i < SIDES ? 0.0 : length);
    }
    return run_text(&t, n, 61 + (uint64_t)from);
}

/*
 * Transmission by Monte Carlo over the analytic cone, 2e7 molecules, error 1e-4, and the polygon's perimeter (1.6e-4).
 * Reciprocity, A1 W12 = A2 W21, is exact for any shape whose walls reflect by the cosine law, polygons too.
 */
static void frusta(void **state)
{
    (void)state;
    static const struct {
        double radius, length, forth, back, hits;
    } cases[] = {{0.5, 1, 0.2237, 0.8948, 4}, {0.5, 5, 0.1090, 0.4362, 12}, {2, 10, 0.4362, 0.10905, 18}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double w[2], error[2], exact[2] = {cases[i].forth, cases[i].back};
        char what[64];
        for (int from = 0; from < 2; from++) {
            double n = hits() / cases[i].hits;
            snprintf(what, sizeof what, "frustum to %g at %g, from end %d", cases[i].radius, cases[i].length, from);
            crp_result *r = run_frustum(cases[i].radius, cases[i].length, from, n);
            fixture_value value = fixture_of(r, "transmission", "inlet->outlet");
            fixture_expect_share(what, value, exact[from], 3e-4 + 2e-4 * exact[from], r->histories, N_CHECKS);
            fixture_balances(r);
            w[from] = value.mean;
            error[from] = sqrt(value.mean * (1.0 - value.mean) / (double)r->histories);
            crp_result_destroy(&r);
        }
        double area = cases[i].radius * cases[i].radius;
        double z = (w[0] - area * w[1]) / hypot(error[0], area * error[1]);
        if (!(fabs(z) <= statistics_limit(N_CHECKS, (double)INFINITY))) {
            fail_msg("%s: A1 W12 and A2 W21 differ by %.1f standard errors", what, z);
        }
    }
}

/* ------------------------------------------------------------------------------------------------- sphere */

enum { RINGS = 48, SECTORS = 96 };

static void add_ring(text *t, int ring)
{
    int above = 1 + (ring - 1) * SECTORS, below = above + SECTORS;
    for (int k = 0; k < SECTORS; k++) {
        int next = (k + 1) % SECTORS;
        if (ring == 0) {
            add(t, "      0 %d %d\n", 1 + next, 1 + k);
        } else if (ring == RINGS - 1) {
            add(t, "      %d %d %d\n", above + k, above + next, 1 + (RINGS - 1) * SECTORS);
        } else {
            add(t, "      %d %d %d %d\n", above + k, above + next, below + next, below + k);
        }
    }
}

/*
 * In a sphere every hit is uniform over the surface, wherever the flight began: of a molecule from port 1 the share
 * f2 / (f1 + f2) ends in port 2, f being the ports' shares of the area. Of 4608 flat facets each sees a sphere that is
 * off by its own tilt, 1/30: the square of that, 1e-3, bounds the deviation.
 */
static void sphere(void **state)
{
    (void)state;
    enum { FIRST = 8, SECOND = 16 }; /* rings of the ports: caps of 30 and 60 degrees */
    text t = {0};
    const int ends[4] = {0, FIRST, RINGS - SECOND, RINGS};
    static const char *const heads[3] = {"name: first\n    outgassing: 1e-6 mbar l/s\n    sticking: 1", "name: wall",
                                         "name: second\n    sticking: 1"};
    add(&t, "version: 1\nkind: gas\nfacets:\n");
    for (int part = 0; part < 3; part++) {
        add(&t, "  - %s\n    polygons: |\n", heads[part]);
        for (int ring = ends[part]; ring < ends[part + 1]; ring++) {
            add_ring(&t, ring);
        }
    }
    add(&t, "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 1\n");
    for (int ring = 1; ring < RINGS; ring++) {
        for (int k = 0; k < SECTORS; k++) {
            double theta = PI * ring / RINGS, phi = 2.0 * PI * k / SECTORS;
            add(&t, "    %.17g %.17g %.17g\n", sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta));
        }
    }
    add(&t, "    0 0 -1\n");
    double f1 = 0.5 * (1.0 - cos(PI * FIRST / RINGS)), f2 = 0.5 * (1.0 - cos(PI * SECOND / RINGS));
    crp_result *r = run_text(&t, 0.04 * hits(), 71);
    fixture_expect_share("sphere", fixture_of(r, "transmission", "first->second"), f2 / (f1 + f2), 1e-3, r->histories,
                         N_CHECKS);
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* ------------------------------------------------------------------------------------------------- cavity */

/* An L-shaped room in balance, every wall desorbing and pumping alike: a flight has 4 V / S on average, and all walls
 * the same impingement rate, also those in the corner that half the room cannot see. */
static void cavity(void **state)
{
    (void)state;
    text t = {0};
    const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    const double volume = 4.0, surface = 2.0 * 4.0 + 10.0;
    static const char wall[] = "outgassing: %g mbar l/s, sticking: 0.05, polygons:";
    add(&t, "version: 1\nkind: gas\nfacets:\n");
    for (int i = 0; i < 6; i++) {
        int next = (i + 1) % 6;
        double length = hypot(outline[next][0] - outline[i][0], outline[next][1] - outline[i][1]);
        add(&t, "  - {name: side%d, ", i);
        add(&t, wall, 1e-6 * length);
        add(&t, " %d %d %d %d}\n", i, 6 + i, 6 + next, next);
    }
    add(&t, "  - {name: floor, ");
    add(&t, wall, 4e-6);
    add(&t, " 0 1 2 3 4 5}\n  - {name: lid, ");
    add(&t, wall, 4e-6);
    add(&t, " 11 10 9 8 7 6}\ngeometry:\n  unit: 1 cm\n  vertices: |\n");
    for (int i = 0; i < 12; i++) {
        add(&t, "    %g %g %d\n", outline[i % 6][0], outline[i % 6][1], i / 6);
    }
    crp_result *r = run_text(&t, hits() / 40.0, 81);
    double z = 1e-7 / (GAS_BOLTZMANN * 293.15 * 0.05 * 1e-4); /* Q / (k T s A), of 1 cm2 */
    fixture_expect("flight", fixture_get(r, "mean_flight", 0), 4.0 * volume / surface, 2e-5, N_CHECKS);
    fixture_expect("long side", fixture_of(r, "impingement_rate", "side0"), z, 0.0, N_CHECKS);
    fixture_expect("inner side", fixture_of(r, "impingement_rate", "side3"), z, 0.0, N_CHECKS);
    fixture_expect("floor", fixture_of(r, "impingement_rate", "floor"), z, 0.0, N_CHECKS);
    fixture_balances(r);
    crp_result_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slits),  cmocka_unit_test(a_wrong_slit_is_noticed),
        cmocka_unit_test(frusta), cmocka_unit_test(sphere),
        cmocka_unit_test(cavity),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
