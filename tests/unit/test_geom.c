/* Triangulation without slivers, the hierarchy of boxes against testing every box, textures against areas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas/trace.h"
#include "gas_fixture.h"
#include "geom/bvh.h"
#include "geom/triangulate.h"
#include "model/gas/gas_cones.h"

static const double PI = 3.14159265358979323846;

static double area(const geom_point2 *p, const uint32_t *t)
{
    return 0.5 *
           ((p[t[1]].u - p[t[0]].u) * (p[t[2]].v - p[t[0]].v) - (p[t[2]].u - p[t[0]].u) * (p[t[1]].v - p[t[0]].v));
}

/* Cut, and check that the triangles are positive and fill the area. Returns how many. */
static int64_t cut(const geom_point2 *points, const uint32_t *n, uint32_t n_loops, double expected, uint32_t *triangles)
{
    int64_t count = geom_triangulate(points, n, n_loops, triangles);
    double sum = 0.0;
    assert_true(count > 0);
    for (int64_t i = 0; i < count; i++) {
        double a = area(points, triangles + 3 * i);
        assert_true(a > 0.0);
        sum += a;
    }
    assert_true(fabs(sum - expected) < 1e-9 * expected);
    return count;
}

/* A fan of 1000 corners has a triangle crossed by every line from one end; balanced cuts cross few. */
static void regular_polygons_have_no_slivers(void **state)
{
    (void)state;
    enum { N = 1000 };
    static geom_point2 points[N];
    static uint32_t triangles[3 * N];
    const uint32_t n = N;
    for (int i = 0; i < N; i++) {
        points[i] = (geom_point2){cos(2.0 * PI * i / N), sin(2.0 * PI * i / N)};
    }
    assert_int_equal(cut(points, &n, 1, 0.5 * N * sin(2.0 * PI / N), triangles), N - 2);
    size_t most = 0;
    for (uint32_t c = 0; c < N; c++) {
        size_t uses = 0;
        for (size_t i = 0; i < 3 * (N - 2); i++) {
            uses += triangles[i] == c;
        }
        most = uses > most ? uses : most;
    }
    assert_true(most < 25); /* a corner of a fan is in all 998 */
}

static void any_outline_is_cut(void **state)
{
    (void)state;
    uint32_t triangles[300];
    const geom_point2 l[] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    assert_int_equal(cut(l, (const uint32_t[]){6}, 1, 3.0, triangles), 4);
    const geom_point2 straight[] = {{0, 0}, {1, 0}, {2, 0},
                                    {2, 1}, {2, 2}, {0, 2}}; /* corners on edges give no triangle */
    cut(straight, (const uint32_t[]){6}, 1, 4.0, triangles);
    const geom_point2 comb[] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3}, {4, 3},
                                {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    cut(comb, (const uint32_t[]){16}, 1, 15.0, triangles);
    const geom_point2 holes[] = {{0, 0}, {10, 0}, {10, 10}, {0, 10}, {1, 1}, {4, 1},
                                 {4, 4}, {1, 4},  {6, 6},   {6, 9},  {9, 9}, {9, 6}};
    cut(holes, (const uint32_t[]){4, 4, 4}, 3, 82.0, triangles);
    const geom_point2 keyhole[] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0},
                                   {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}}; /* a bridge walked twice */
    cut(keyhole, (const uint32_t[]){10}, 1, 12.0, triangles);
}

static void crossed_outlines_are_refused(void **state)
{
    (void)state;
    uint32_t triangles[60];
    const geom_point2 outside[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {5, 5}, {6, 5}, {6, 6}};
    assert_true(geom_triangulate(outside, (const uint32_t[]){4, 3}, 2, triangles) < 0);
}

/* ------------------------------------------------------------------------------------------------ hierarchy */

static double random_of(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

/* The i-th triangle of the scene, with its box: most are small, some cross the whole scene, some lie square to an axis. */
static void make_triangle(int i, uint64_t *seed, gas_primitive *q, geom_box *box)
{
    double p[3][3], a[3], b[3];
    double size = i % 50 == 0 ? 3.0 : 0.2;
    for (int k = 0; k < 3; k++) {
        double centre = 4.0 * random_of(seed);
        for (int c = 0; c < 3; c++) {
            p[c][k] = centre + size * (random_of(seed) - 0.5);
        }
        p[1][k] = i % 7 == 0 && k == 2 ? p[0][k] : p[1][k];
        p[2][k] = i % 7 == 0 && k == 2 ? p[0][k] : p[2][k];
        a[k] = p[1][k] - p[0][k];
        b[k] = p[2][k] - p[0][k];
        box->low[k] = fmin(p[0][k], fmin(p[1][k], p[2][k]));
        box->high[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
    }
    gas_vector u = gas_vector_of(a[0], a[1], a[2]), v = gas_vector_of(b[0], b[1], b[2]), n = gas_cross(u, v);
    n = gas_times(n, 1.0 / sqrt(gas_dot(n, n)));
    gas_vector ru = gas_cross(v, n), rv = gas_cross(n, u), corner = gas_vector_of(p[0][0], p[0][1], p[0][2]);
    ru = gas_times(ru, 1.0 / gas_dot(u, ru));
    rv = gas_times(rv, 1.0 / gas_dot(v, rv));
    const gas_vector rows[3] = {n, ru, rv};
    double *const to[3] = {q->n, q->u, q->v};
    for (int r = 0; r < 3; r++) {
        to[r][0] = rows[r].x;
        to[r][1] = rows[r].y;
        to[r][2] = rows[r].z;
        to[r][3] = (r == 0 ? 1.0 : -1.0) * gas_dot(rows[r], corner);
    }
    q->facet = (uint32_t)i | GAS_IS_TRIANGLE | (i % 2 ? GAS_IS_TWO_SIDED : 0u);
    q->sheet = (uint32_t)i;
    q->structure = -1;
}

/* Random triangles, many rays: the tree finds what testing every triangle finds. */
static void tree_and_all_triangles_agree(void **state)
{
    (void)state;
    enum { N = 500, RAYS = 20000 };
    uint64_t seed = 5;
    static gas_primitive q[N];
    static geom_box boxes[N];
    memset(q, 0, sizeof q);
    for (int i = 0; i < N; i++) {
        make_triangle(i, &seed, &q[i], &boxes[i]);
    }
    geom_grid grid;
    uint32_t *nodes = NULL;
    assert_int_equal(geom_bvh_build(boxes, N, &grid, &nodes), N - 1);
    gas_cones_mark(nodes, q);
    gas_params params;
    memset(&params, 0, sizeof params);
    params.nearest = -1e-10;
    params.steepest = 1e-12f;
    for (int k = 0; k < 3; k++) {
        params.grid_scale[k] = 1.0 / grid.extent[k];
        params.grid_shift[k] = 1.0 - grid.origin[k] / grid.extent[k];
    }
    size_t n_hits = 0;
    for (int r = 0; r < RAYS; r++) {
        gas_vector place = gas_vector_of(4.0 * random_of(&seed), 4.0 * random_of(&seed), 4.0 * random_of(&seed));
        gas_vector way = gas_vector_of(random_of(&seed) - 0.5, random_of(&seed) - 0.5, random_of(&seed) - 0.5);
        way.x = r % 5 == 0 ? 0.0 : way.x; /* along planes and axes */
        way.y = r % 15 == 0 ? 0.0 : way.y;
        way = gas_times(way, 1.0 / sqrt(gas_dot(way, way)));
        uint32_t skip = (uint32_t)(r % N);
        gas_hit found = gas_trace(place, way, skip, 0, params, nodes, q), best = gas_no_hit();
        for (uint32_t i = 0; i < N; i++) {
            best = gas_test(q, i, place, way, skip, 0, params.nearest, best);
        }
        assert_true(found.primitive == best.primitive && found.distance == best.distance);
        n_hits += best.primitive != GAS_NOTHING;
    }
    assert_true(n_hits > RAYS / 50 && n_hits < RAYS);
    free(nodes);
}

/* Boxes that all lie at one place, one box, boxes on a line: no endless depth. */
static void odd_sets_of_boxes(void **state)
{
    (void)state;
    enum { N = 3000 };
    static geom_box boxes[N];
    geom_grid grid;
    uint32_t *nodes = NULL;
    for (int i = 0; i < N; i++) {
        boxes[i] = (geom_box){{0, 0, 0}, {1, 1, 1}};
    }
    assert_int_equal(geom_bvh_build(boxes, N, &grid, &nodes), N - 1);
    free(nodes);
    for (int i = 0; i < N; i++) { /* each twice as far as the last: planes in the middle divide off one at a time */
        double x = ldexp(1.0, i % 1000);
        boxes[i] = (geom_box){{x, 0, 0}, {x * 1.5, 0, 0}};
    }
    assert_int_equal(geom_bvh_build(boxes, N, &grid, &nodes), N - 1);
    free(nodes);
    assert_int_equal(geom_bvh_build(boxes, 1, &grid, &nodes), 1);
    assert_true(nodes[6] == (GEOM_BVH_LEAF | GEOM_BVH_FREE) && nodes[7] == nodes[6]);
    free(nodes);
}

/* ------------------------------------------------------------------------------------------------- textures */

/* Cells of a disc with a square hole, in cells that are not whole: their areas add up, inner ones are full. */
static void texture_areas_add_up(void **state)
{
    (void)state;
    gas_model *m = gas_model_create();
    gas_surface s = gas_surface_default();
    uint32_t corners[44], n_corners[2] = {40, 4};
    s.texture_u = 12.3;
    s.texture_v = 7.0;
    FIXTURE_OK(gas_model_add_surface(fixture_context, m, &s));
    for (uint32_t i = 0; i < 40; i++) {
        FIXTURE_OK(gas_model_add_vertex(fixture_context, m, cos(2 * PI * i / 40), sin(2 * PI * i / 40), 0.0));
        corners[i] = i;
    }
    const double hole[4][2] = {{-0.3, -0.2}, {-0.3, 0.2}, {0.3, 0.2}, {0.3, -0.2}};
    for (uint32_t i = 0; i < 4; i++) {
        FIXTURE_OK(gas_model_add_vertex(fixture_context, m, hole[i][0], hole[i][1], 0.0));
        corners[40 + i] = 40 + i;
    }
    FIXTURE_OK(gas_model_add_facet(fixture_context, m, 0, corners, n_corners, 2, 0, 0));
    gas_frame frame = gas_facet_frame(m, 0);
    assert_true(fabs(frame.area - (20.0 * sin(2 * PI / 40) - 0.24)) < 1e-12);
    double areas[13 * 7], sum = 0.0, largest = 0.0;
    uint32_t n_u, n_v;
    gas_facet_texture(m, 0, &frame, &n_u, &n_v);
    assert_true(n_u == 13 && n_v == 7);
    FIXTURE_OK(gas_texture_areas(fixture_context, m, 0, &frame, n_u, n_v, areas));
    for (size_t i = 0; i < 13 * 7; i++) {
        sum += areas[i];
        largest = fmax(largest, areas[i]);
    }
    assert_true(fabs(sum - frame.area) < 1e-9);
    assert_true(fabs(largest - frame.length_u * frame.length_v / (12.3 * 7.0)) < 1e-12);
    gas_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_polygons_have_no_slivers),
        cmocka_unit_test(any_outline_is_cut),
        cmocka_unit_test(crossed_outlines_are_refused),
        cmocka_unit_test(tree_and_all_triangles_agree),
        cmocka_unit_test(odd_sets_of_boxes),
        cmocka_unit_test(texture_areas_add_up),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
