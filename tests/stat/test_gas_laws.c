/* Laws of free molecular flow that have exact answers: view factors, plates, cones, closed boxes, grids, teleports,
 * structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"

enum { N_CHECKS = 80 };

static const double PI = 3.14159265358979323846;
static const char cube_vertices[] =
    "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n"
    "    0 0 1\n    1 0 1\n    1 1 1\n    0 1 1\n";

static uint64_t molecules(double n)
{
    return (uint64_t)(fixture_is_long() ? 20 * n : n);
}

/* A unit cube whose six faces have the properties given, in the order z = 0, z = 1, y = 0, x = 1, y = 1, x = 0. */
static crp_input *cube(const char *head, const char *const properties[6])
{
    static const char *const names[6] = {"bottom", "top", "front", "right", "back", "left"};
    static const char *const polygons[6] = {"0 1 2 3", "7 6 5 4", "0 4 5 1", "1 5 6 2", "2 6 7 3", "3 7 4 0"};
    char text[8192];
    int n = snprintf(text, sizeof text, "version: 1\nkind: gas\n%sfacets:\n", head);
    for (int i = 0; i < 6; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "  - {name: %s, %s, polygons: %s}\n", names[i], properties[i],
                      polygons[i]);
    }
    snprintf(text + n, sizeof text - (size_t)n, "%s", cube_vertices);
    return fixture_text(text);
}

#define SOURCE "outgassing: 1e-6 mbar l/s, sticking: 1"
#define SINK "sticking: 1"
#define MIRROR "reflection: {diffuse: 0, specular: 1}"

static void expect(const crp_result *r, const char *pair, double exact)
{
    fixture_expect_share(pair, fixture_of(r, "transmission", pair), exact, 0.0, r->histories, N_CHECKS);
}

/* Unit squares: opposite 0.199825, adjacent 0.200044 (Hottel). A bias of 0.003 is caught. */
static void view_factors_of_a_cube(void **state)
{
    (void)state;
    const char *const faces[6] = {SOURCE, SINK, SINK, SINK, SINK, SINK};
    crp_result *r = fixture_run(cube("", faces), molecules(1e6), 2);
    expect(r, "bottom->top", 0.199825);
    expect(r, "bottom->front", 0.200044);
    expect(r, "bottom->right", 0.200044);
    expect(r, "bottom->back", 0.200044);
    expect(r, "bottom->left", 0.200044);
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* Coaxial discs with radii 1 at distance 1: 0.381966 (S = 3). */
static void view_factor_of_discs(void **state)
{
    (void)state;
    const char *settings[] = {"length_over_radius=1", "sides=400", "facets.wall.sticking=1", NULL};
    crp_result *r = fixture_run(fixture_starter("gas-tube", settings), molecules(1e6), 3);
    fixture_expect_share("discs", fixture_of(r, "transmission", "inlet->outlet"), 0.381966, 2e-5, r->histories,
                         N_CHECKS);
    crp_result_destroy(&r);
}

/* Mirrors at the sides make the plates infinite: absorbed on the other one s2 / (s1 + s2 - s1 s2). */
static void infinite_plates(void **state)
{
    (void)state;
    const double s1 = 0.3, s2 = 0.45;
    const char *const faces[6] = {
        "outgassing: 1e-6 mbar l/s, sticking: 0.3", "sticking: 0.45", MIRROR, MIRROR, MIRROR, MIRROR};
    crp_result *r = fixture_run(cube("", faces), molecules(4e5), 4);
    expect(r, "bottom->top", s2 / (s1 + s2 - s1 * s2));
    expect(r, "bottom->bottom", s1 * (1 - s2) / (s1 + s2 - s1 * s2));
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* A grid of opacity o between mirrors: (1 - o)^k of the molecules come through k of them. */
static void grids_in_series(void **state)
{
    (void)state;
    const char *text =
        "version: 1\nkind: gas\nfacets:\n"
        "  - {name: bottom, " SOURCE ", polygons: 0 1 2 3}\n  - {name: top, " SINK ", polygons: 7 6 5 4}\n"
        "  - {name: sides, " MIRROR ", polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n"
        "  - {name: grids, sticking: 1, opacity: 0.25, two_sided: true, polygons: \"8 9 10 11\\n12 13 14 "
        "15\\n16 17 18 19\"}\n"
        "geometry:\n  unit: 1 cm\n  vertices: |\n"
        "    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1\n    0 1 1\n"
        "    0 0 0.25\n    1 0 0.25\n    1 1 0.25\n    0 1 0.25\n"
        "    0 0 0.5\n    1 0 0.5\n    1 1 0.5\n    0 1 0.5\n"
        "    0 0 0.75\n    1 0 0.75\n    1 1 0.75\n    0 1 0.75\n";
    crp_result *r = fixture_run(fixture_text(text), molecules(4e5), 5);
    expect(r, "bottom->top", 0.75 * 0.75 * 0.75);
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* A small source in the middle of a tube's end: cos^n leaves 1 - cos^(n+1) 45 deg within the cone; uniform leaves 1 -
 * cos 45 deg. */
static void cones(void **state)
{
    (void)state;
    static const struct {
        const char *desorption;
        double exact;
    } cases[] = {{"cosine", 0.5},
                 {"uniform", 0.29289321881345254},
                 {"cosine_n, desorption_exponent: 3", 0.75},
                 {"cosine_n, desorption_exponent: 0", 0.29289321881345254},
                 {"cosine_n, desorption_exponent: 40.5", 0.99999942}};
    enum { SIDES = 400 };
    static char text[200000];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int n = snprintf(text, sizeof text,
                         "version: 1\nkind: gas\nfacets:\n  - {name: source, " SOURCE ", desorption: %s, "
                         "polygons: %d %d %d %d}\n  - name: outlet\n    sticking: 1\n    polygons: |\n     ",
                         cases[k].desorption, 2 * SIDES, 2 * SIDES + 1, 2 * SIDES + 2, 2 * SIDES + 3);
        for (int i = SIDES; i-- > 0;) {
            n += snprintf(text + n, sizeof text - (size_t)n, " %d", SIDES + i);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "\n  - name: wall\n    sticking: 1\n    polygons: |\n     ");
        for (int i = 0; i < SIDES; i++) { /* the floor has a hole for the source */
            n += snprintf(text + n, sizeof text - (size_t)n, " %d", i);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, " / %d %d %d %d\n", 2 * SIDES, 2 * SIDES + 1, 2 * SIDES + 2,
                      2 * SIDES + 3);
        for (int i = 0; i < SIDES; i++) {
            int next = (i + 1) % SIDES;
            n += snprintf(text + n, sizeof text - (size_t)n, "      %d %d %d %d\n", i, SIDES + i, SIDES + next, next);
        }
        n += snprintf(text + n, sizeof text - (size_t)n, "geometry:\n  unit: 1 cm\n  vertices: |\n");
        double radius = sqrt(2.0 * PI / SIDES / sin(2.0 * PI / SIDES));
        for (int i = 0; i < 2 * SIDES; i++) {
            double angle = 2.0 * PI * i / SIDES;
            n += snprintf(text + n, sizeof text - (size_t)n, "    %.17g %.17g %d\n", radius * cos(angle),
                          radius * sin(angle), i / SIDES);
        }
        snprintf(text + n, sizeof text - (size_t)n,
                 "    -1e-4 -1e-4 0\n    1e-4 -1e-4 0\n    1e-4 1e-4 0\n    -1e-4 1e-4 0\n");
        crp_result *r = fixture_run(fixture_text(text), molecules(4e5), 6 + k);
        fixture_expect_share(cases[k].desorption, fixture_of(r, "transmission", "source->outlet"), cases[k].exact, 2e-5,
                             r->histories, N_CHECKS);
        fixture_balances(r);
        crp_result_destroy(&r);
    }
}

/*
 * A closed box in balance: where every wall desorbs alike and pumps alike, the gas is that of equilibrium, whatever the
 * shape. Then for Q from the area A with sticking s: impingement Z = Q / (k T s A), p = sqrt(2 pi m k T) Z, n = 4 Z /
 * <v>, a flight has 4 V / S on average, the mean of 1/v of what arrives is 1 / <v>, and a face feels the force p A.
 */
static void closed_box(void **state)
{
    (void)state;
    const char *wall = "outgassing: 1e-6 mbar l/s, sticking: 0.02";
    const char *const faces[6] = {wall, wall, wall, wall, wall, wall};
    crp_result *r = fixture_run(cube("scores: {forces: true}\n", faces), molecules(2e5), 20);
    double kt = GAS_BOLTZMANN * 293.15, mass = 0.0280134 / GAS_AVOGADRO, area = 1e-4;
    double z = 1e-7 / (kt * 0.02 * area), p = sqrt(2.0 * PI * mass * kt) * z, v = sqrt(8.0 * kt / (PI * mass));
    fixture_expect("impingement", fixture_of(r, "impingement_rate", "top"), z, 0.0, N_CHECKS);
    fixture_expect("pressure", fixture_of(r, "pressure", "top"), 0.01 * p, 0.0, N_CHECKS);
    fixture_expect("density", fixture_of(r, "density", "top"), 4.0 * z / v, 1e-5 * 4.0 * z / v, N_CHECKS);
    fixture_expect("flight", fixture_get(r, "mean_flight", 0), 4.0 / 6.0, 1e-5, N_CHECKS);
    fixture_expect("slowness", fixture_get(r, "facet_slowness", 0), 1.0 / v, 1e-5 / v, N_CHECKS);
    fixture_value pressure = fixture_of(r, "pressure", "top"), force = fixture_get(r, "facet_force", 3 * 1 + 2);
    assert_true(fabs(force.mean - 100.0 * pressure.mean * area) < 1e-4 * force.mean); /* the top is pushed up */
    fixture_expect("force along the face", fixture_get(r, "facet_force", 3 * 1), 0.0, 0.0, N_CHECKS);
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* Thermal transpiration: two boxes at T and 4 T, in balance as above, joined by a small hole: p1 / p2 = sqrt(T1 / T2) =
 * 1/2. */
static void thermal_transpiration(void **state)
{
    (void)state;
    const char *text = "version: 1\nkind: gas\nfacets:\n"
                       "  - {name: cold, temperature: 100, outgassing: 5e-7 Pa m3/s, sticking: 0.02,\n"
                       "     polygons: \"0 1 2 3\\n0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n"
                       "  - {name: hot, temperature: 400, outgassing: 20e-7 Pa m3/s, sticking: 0.02,\n"
                       "     polygons: \"11 10 9 8\\n4 8 9 5\\n5 9 10 6\\n6 10 11 7\\n7 11 8 4\"}\n"
                       "  - {name: cold_lid, temperature: 100, polygons: \"7 6 5 4 / 12 13 14 15\"}\n"
                       "  - {name: hot_lid, temperature: 400, polygons: \"4 5 6 7 / 12 13 14 15\"}\n"
                       "geometry:\n  unit: 1 cm\n  vertices: |\n"
                       "    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1\n    0 1 1\n"
                       "    0 0 2\n    1 0 2\n    1 1 2\n    0 1 2\n"
                       "    0.45 0.45 1\n    0.55 0.45 1\n    0.55 0.55 1\n    0.45 0.55 1\n";
    crp_result *r = fixture_run(fixture_text(text), molecules(2e5), 21);
    fixture_value cold = fixture_of(r, "pressure", "cold"), hot = fixture_of(r, "pressure", "hot");
    fixture_value z_cold = fixture_of(r, "impingement_rate", "cold"), z_hot = fixture_of(r, "impingement_rate", "hot");
    double ratio = cold.mean / hot.mean;
    double error = ratio * sqrt(pow(cold.error / cold.mean, 2) + pow(hot.error / hot.mean, 2));
    /* 0.01 / 6 of the hits come through the hole, at the other speed: 0.2 % */
    fixture_expect("pressures", (fixture_value){ratio, error}, 0.5, 0.0015, N_CHECKS);
    fixture_expect("impingement", (fixture_value){z_cold.mean - z_hot.mean, hypot(z_cold.error, z_hot.error)}, 0.0, 0.0,
                   N_CHECKS);
    fixture_balances(r);
    crp_result_destroy(&r);
}

/* A duct of length 10 in two halves, the end of one leading to the beginning of the other, and back: by teleports, by
 * links. */
static void two_halves_make_a_duct(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "version: 1\nkind: gas\nfacets:\n"
        "  - {name: inlet, " SOURCE ", polygons: 0 1 2 3}\n  - {name: outlet, " SINK ", polygons: 15 14 13 12}\n"
        "  - {name: out_of_first, teleport: into_second, polygons: 7 6 5 4}\n"
        "  - {name: into_second, teleport: out_of_first, polygons: 8 9 10 11}\n"
        "  - {name: wall, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\\n8 12 13 9\\n9 13 14 10\\n10 14 15 "
        "11\\n11 "
        "15 12 8\"}\n"
        "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 5\n    1 0 5\n    "
        "1 1 5\n"
        "    0 1 5\n    20 0 0\n    21 0 0\n    21 1 0\n    20 1 0\n    20 0 5\n    21 0 5\n    21 1 5\n    20 1 5\n",
        "version: 1\nkind: gas\nfacets:\n"
        "  - {name: inlet, " SOURCE ", polygons: 0 1 2 3}\n  - {name: outlet, structure: 2, " SINK
        ", polygons: 15 14 13 12}\n"
        "  - {name: out_of_first, link: 2, polygons: 7 6 5 4}\n"
        "  - {name: into_second, structure: 2, link: 1, polygons: 8 9 10 11}\n"
        "  - {name: wall, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n"
        "  - {name: wall2, structure: 2, polygons: \"8 12 13 9\\n9 13 14 10\\n10 14 15 11\\n11 15 12 8\"}\n"
        "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 5\n    1 0 5\n    "
        "1 1 5\n"
        "    0 1 5\n    0 0 5\n    1 0 5\n    1 1 5\n    0 1 5\n    0 0 10\n    1 0 10\n    1 1 10\n    0 1 10\n",
    };
    for (size_t i = 0; i < 2; i++) {
        crp_result *r = fixture_run(fixture_text(texts[i]), molecules(2e5), 30 + i);
        fixture_expect_share(i == 0 ? "teleports" : "links", fixture_of(r, "transmission", "inlet->outlet"), 0.1196,
                             3e-4, r->histories, N_CHECKS);
        fixture_balances(r);
        crp_result_destroy(&r);
    }
}

/* A hole shows: the molecules that get out are counted, told from those pumped, and said. */
static void a_hole_is_told(void **state)
{
    (void)state;
    const char *text = "version: 1\nkind: gas\nfacets:\n"
                       "  - {name: bottom, " SOURCE ", polygons: 0 1 2 3}\n"
                       "  - {name: sides, sticking: 1, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n";
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", text, cube_vertices);
    crp_result *r = fixture_run(fixture_text(whole), molecules(1e5), 40);
    uint64_t leaks = fixture_event(r, "leaks");
    fixture_expect_share("leaks", (fixture_value){(double)leaks / (double)r->histories, 0}, 0.199825, 0.0, r->histories,
                         N_CHECKS);
    expect(r, "bottom->sides", 4 * 0.200044);
    assert_non_null(strstr(r->note, "hole"));
    crp_result_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_factors_of_a_cube),
        cmocka_unit_test(view_factor_of_discs),
        cmocka_unit_test(infinite_plates),
        cmocka_unit_test(grids_in_series),
        cmocka_unit_test(cones),
        cmocka_unit_test(closed_box),
        cmocka_unit_test(thermal_transpiration),
        cmocka_unit_test(two_halves_make_a_duct),
        cmocka_unit_test(a_hole_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
