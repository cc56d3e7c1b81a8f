/* Meshes: welding, coplanar merge with its guard, patches, and every check against a mesh that has the fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mesh_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct scene {
    crp_context *context;
    geom_mesh *mesh;
    mesh_report report;
} scene;

static int set_up(void **state)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    assert_int_equal(crp_context_create(&s->context), CRP_OK);
    assert_int_equal(mesh_create(s->context, &s->mesh), CRP_OK);
    assert_int_equal(mesh_add_body(s->context, s->mesh, "part"), CRP_OK);
    s->mesh->rounding = 6e-8;
    *state = s;
    return 0;
}

static int tear_down(void **state)
{
    scene *s = *state;
    mesh_destroy(&s->mesh);
    crp_context_destroy(&s->context);
    free(s);
    return 0;
}

static void check(scene *s)
{
    assert_int_equal(mesh_check(s->context, s->mesh, 1e-6, &s->report), CRP_OK);
}

/* Every kind of problem has the number that is expected, and those that are not named have none. */
static void expect_problems(scene *s, const uint32_t expected[MESH_N_PROBLEMS])
{
    for (int i = 0; i < MESH_N_PROBLEMS; i++) {
        if (s->report.problems[i].n != expected[i]) {
            fail_msg("problem %d: found %u, expected %u", i, s->report.problems[i].n, expected[i]);
        }
    }
}

static const uint32_t none[MESH_N_PROBLEMS] = {0};

static const geom_point zero = {0, 0, 0}, unit = {1, 1, 1};

static void weld(scene *s)
{
    mesh_weld_report report;
    assert_int_equal(mesh_weld(s->context, s->mesh, 1e-6, &report), CRP_OK);
    assert_int_equal(report.n_degenerate, 0);
}

static void test_box_becomes_six_squares(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    assert_int_equal(s->mesh->n_vertices, 8);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, 1e-6), CRP_OK);
    assert_int_equal(s->mesh->n_facets, 6);
    assert_int_equal(s->mesh->n_corners, 24);
    check(s);
    expect_problems(s, none);
    assert_float_equal(s->report.area, 6, 1e-14);
    assert_float_equal(s->report.volume, 1, 1e-14);
    assert_int_equal(s->report.n_parts, 1);
    assert_int_equal(s->report.n_closed, 1);
}

static void test_normals_point_inwards(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    mesh_plane plane = mesh_facet_plane(s->mesh, 0); /* in z = 0 */
    assert_float_equal(plane.normal.z, 1, 1e-15);
    mesh_flip(s->mesh);
    plane = mesh_facet_plane(s->mesh, 0);
    assert_float_equal(plane.normal.z, -1, 1e-15);
}

static void test_weld_within_tolerance_only(void **state)
{
    scene *s = *state;
    mesh_weld_report report;
    for (int i = 0; i < 3; i++) { /* across borders of cells too */
        fixture_vertex(s->context, s->mesh, i * 3e-7 - 3e-7, 1, -1);
    }
    fixture_vertex(s->context, s->mesh, 2e-6, 1, -1);
    fixture_vertex(s->context, s->mesh, 1, 1, 1);
    fixture_vertex(s->context, s->mesh, 1, 2, 1);
    fixture_facet(s->context, s->mesh, (uint32_t[]){0, 4, 5}, 3);
    fixture_facet(s->context, s->mesh, (uint32_t[]){2, 5, 4}, 3);
    fixture_facet(s->context, s->mesh, (uint32_t[]){3, 4, 5}, 3);
    fixture_facet(s->context, s->mesh, (uint32_t[]){0, 1, 5}, 3); /* loses its area */
    assert_int_equal(mesh_weld(s->context, s->mesh, 1e-6, &report), CRP_OK);
    assert_int_equal(report.n_merged, 2);
    assert_int_equal(report.n_degenerate, 1);
    assert_int_equal(report.degenerate, 3);
    assert_int_equal(s->mesh->n_vertices, 4);
    assert_int_equal(s->mesh->n_facets, 3);
    assert_int_equal(s->mesh->corners[3], 0);
    assert_int_equal(s->mesh->corners[6], 1);
}

/* The sides of a tube of 1000 differ by 0.36 degrees: each becomes one rectangle, the caps one polygon each. */
static void test_tube_keeps_its_sides(void **state)
{
    scene *s = *state;
    fixture_tube(s->context, s->mesh, 1000, 100);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, 1e-5), CRP_OK);
    assert_int_equal(s->mesh->n_facets, 1002);
    check(s);
    expect_problems(s, none);
    uint32_t *patch = NULL, n_patches = 0;
    assert_int_equal(mesh_find_patches(s->context, s->mesh, 0.5, &patch, &n_patches), CRP_OK);
    assert_int_equal(n_patches, 3);
    free(patch);
}

/* A cylinder so fine that neighbours are parallel within rounding: joined facets must still keep to the tolerance, and
 * the circle must not lose its bends. */
static void test_guard_splits_what_is_curved(void **state)
{
    scene *s = *state;
    const double tolerance = 1e-5;
    s->mesh->rounding = 1e-3;
    fixture_tube(s->context, s->mesh, 5000, 1);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, tolerance), CRP_OK);
    assert_in_range(s->mesh->n_facets, 200, 4000);
    for (uint32_t f = 0; f < s->mesh->n_facets; f++) {
        mesh_plane plane = mesh_facet_plane(s->mesh, f);
        assert_true(mesh_facet_deviation(s->mesh, f, &plane, NULL) <= tolerance);
    }
    assert_int_equal(mesh_check(s->context, s->mesh, tolerance, &s->report), CRP_OK);
    assert_int_equal(s->report.problems[MESH_OPEN_EDGE].n, 0);
    assert_float_equal(s->report.volume, 3.14159265358979, 2e-4); /* a chord 1e-5 off the circle is 1e-5 of it */
}

/* A plate with a square hole, cut into eight triangles: one facet with two loops. */
static void add_frame(scene *s)
{
    uint32_t v[8];
    for (int i = 0; i < 4; i++) {
        double x = i == 1 || i == 2 ? 1 : -1, y = i >= 2 ? 1 : -1;
        v[i] = fixture_vertex(s->context, s->mesh, 3 * x, 3 * y, 0);
        v[4 + i] = fixture_vertex(s->context, s->mesh, x, y, 0);
    }
    for (int i = 0; i < 4; i++) {
        int k = (i + 1) % 4;
        fixture_facet(s->context, s->mesh, (uint32_t[]){v[i], v[k], v[4 + k]}, 3);
        fixture_facet(s->context, s->mesh, (uint32_t[]){v[i], v[4 + k], v[4 + i]}, 3);
    }
}

static void test_merge_finds_holes(void **state)
{
    scene *s = *state;
    add_frame(s);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, 1e-6), CRP_OK);
    assert_int_equal(s->mesh->n_facets, 1);
    assert_int_equal(s->mesh->n_loops, 2);
    assert_int_equal(s->mesh->loop_corners[1], 4);
    mesh_plane plane = mesh_facet_plane(s->mesh, 0);
    assert_float_equal(plane.area, 32, 1e-13);
    assert_float_equal(plane.normal.z, 1, 1e-15);
    assert_true(fabs(s->mesh->vertices[s->mesh->corners[0]].x) == 3);
    assert_false(mesh_facet_contains(s->mesh, 0, &plane, zero));
    assert_true(mesh_facet_contains(s->mesh, 0, &plane, (geom_point){2, 0.5, 0}));
}

static void test_hole_is_open_edges(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    s->mesh->n_facets = 11; /* the last triangle is gone */
    s->mesh->n_loops = 11;
    s->mesh->n_corners = 33;
    weld(s);
    check(s);
    uint32_t expected[MESH_N_PROBLEMS] = {[MESH_OPEN_EDGE] = 3};
    expect_problems(s, expected);
    assert_int_equal(s->report.n_closed, 0);
    assert_true(isnan(s->report.volume));
}

/* One edge against the two halves of its neighbour's: closed, though no two edges are alike. */
static void test_split_edges_are_closed(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    uint32_t a = s->mesh->corners[0], b = s->mesh->corners[1], c = s->mesh->corners[2];
    geom_point p = s->mesh->vertices[a], q = s->mesh->vertices[b];
    uint32_t middle = fixture_vertex(s->context, s->mesh, 0.5 * (p.x + q.x), 0.5 * (p.y + q.y), 0.5 * (p.z + q.z));
    s->mesh->corners[1] = middle;
    fixture_facet(s->context, s->mesh, (uint32_t[]){middle, b, c}, 3);
    check(s);
    expect_problems(s, none);
    s->mesh->vertices[middle].x += 1e-3; /* and now it gapes */
    s->mesh->vertices[middle].y += 1e-3;
    check(s);
    assert_true(s->report.problems[MESH_OPEN_EDGE].n > 0);
}

static void test_inverted_facet(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    uint32_t kept = s->mesh->corners[15];
    s->mesh->corners[15] = s->mesh->corners[16];
    s->mesh->corners[16] = kept;
    check(s);
    uint32_t expected[MESH_N_PROBLEMS] = {[MESH_INVERTED] = 1};
    expect_problems(s, expected);
    assert_int_equal(s->report.problems[MESH_INVERTED].kept[0].facet, 5);
}

static void test_inside_out(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, true);
    weld(s);
    check(s);
    uint32_t expected[MESH_N_PROBLEMS] = {[MESH_INSIDE_OUT] = 1};
    expect_problems(s, expected);
    mesh_flip(s->mesh);
    check(s);
    expect_problems(s, none);
}

/* A body in a chamber looks outwards, a chamber in that body inwards again. */
static void test_nested_bodies(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    fixture_box(s->context, s->mesh, (geom_point){0.1, 0.1, 0.1}, (geom_point){0.9, 0.9, 0.9}, true);
    fixture_box(s->context, s->mesh, (geom_point){0.4, 0.4, 0.4}, (geom_point){0.6, 0.6, 0.6}, false);
    weld(s);
    check(s);
    expect_problems(s, none);
    assert_int_equal(s->report.n_parts, 3);
    assert_float_equal(s->report.volume, 1 - 0.512 + 0.008, 1e-12);
}

static void test_not_flat(void **state)
{
    scene *s = *state;
    uint32_t v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = fixture_vertex(s->context, s->mesh, i == 1 || i == 2, i >= 2, i == 2 ? 0.04 : 0);
    }
    fixture_facet(s->context, s->mesh, v, 4);
    check(s);
    assert_int_equal(s->report.problems[MESH_NOT_FLAT].n, 1);
    assert_float_equal(s->report.problems[MESH_NOT_FLAT].kept[0].value, 0.01,
                       1e-5); /* a saddle: a quarter of the rise */
}

static void test_duplicates_and_overlaps(void **state)
{
    scene *s = *state;
    uint32_t v[6];
    const double xy[6][2] = {{0, 0}, {4, 0}, {0, 4}, {1, 1}, {5, 1}, {1, 5}};
    for (int i = 0; i < 6; i++) {
        v[i] = fixture_vertex(s->context, s->mesh, xy[i][0], xy[i][1], 7);
    }
    fixture_facet(s->context, s->mesh, (uint32_t[]){v[0], v[1], v[2]}, 3);
    fixture_facet(s->context, s->mesh, (uint32_t[]){v[1], v[2], v[0]}, 3);
    fixture_facet(s->context, s->mesh, (uint32_t[]){v[0], v[2], v[1]}, 3);
    check(s);
    assert_int_equal(s->report.problems[MESH_DUPLICATE].n, 3);
    assert_int_equal(s->report.problems[MESH_OVERLAP].n, 0);
    s->mesh->n_facets = s->mesh->n_loops = 1;
    s->mesh->n_corners = 3;
    fixture_facet(s->context, s->mesh, (uint32_t[]){v[3], v[4], v[5]}, 3);
    check(s);
    assert_int_equal(s->report.problems[MESH_OVERLAP].n, 1);
    s->mesh->vertices[v[3]].z = s->mesh->vertices[v[4]].z = s->mesh->vertices[v[5]].z = 7.001;
    check(s);
    assert_int_equal(s->report.problems[MESH_OVERLAP].n, 0);
}

/* Neighbours in one plane touch and do not overlap. */
static void test_neighbours_do_not_overlap(void **state)
{
    scene *s = *state;
    add_frame(s);
    check(s);
    assert_int_equal(s->report.problems[MESH_OVERLAP].n, 0);
    assert_int_equal(s->report.problems[MESH_DUPLICATE].n, 0);
}

static void test_tiny(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    uint32_t v[3] = {fixture_vertex(s->context, s->mesh, 0.2, 0.2, 0.5),
                     fixture_vertex(s->context, s->mesh, 0.8, 0.2, 0.5),
                     fixture_vertex(s->context, s->mesh, 0.5, 0.2 + 1e-7, 0.5)};
    fixture_facet(s->context, s->mesh, v, 3);
    check(s);
    assert_int_equal(s->report.problems[MESH_TINY].n, 1);
    assert_int_equal(s->report.problems[MESH_TINY].kept[0].facet, 12);
    assert_float_equal(s->report.problems[MESH_TINY].kept[0].value, 1e-7, 1e-9);
}

static void test_two_sided_facets_may_stand_free(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    uint32_t v[3] = {fixture_vertex(s->context, s->mesh, 0.2, 0.2, 0.5),
                     fixture_vertex(s->context, s->mesh, 0.8, 0.2, 0.5),
                     fixture_vertex(s->context, s->mesh, 0.5, 0.7, 0.5)};
    fixture_facet(s->context, s->mesh, v, 3);
    check(s);
    assert_int_equal(s->report.problems[MESH_OPEN_EDGE].n, 3);
    s->mesh->is_two_sided[12] = true;
    check(s);
    expect_problems(s, none);
}

/* A box without its lid, as a pipe has it at a transparent facet: closed by a two-sided facet along its edges. */
static void test_two_sided_facets_close_openings(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, 1e-6), CRP_OK);
    s->mesh->is_two_sided[5] = true;
    check(s);
    expect_problems(s, none);
    assert_int_equal(s->report.n_parts, 1);
    s->mesh->n_facets = s->mesh->n_loops = 5;
    s->mesh->n_corners = 20;
    check(s);
    assert_int_equal(s->report.problems[MESH_OPEN_EDGE].n, 4);
}

/* Two spaces with vertices at the same places: what they have does not touch, but a two-sided facet of one closes both.
 */
static void test_spaces(void **state)
{
    scene *s = *state;
    fixture_box(s->context, s->mesh, zero, unit, false);
    weld(s);
    assert_int_equal(mesh_merge_coplanar(s->context, s->mesh, 1e-6), CRP_OK);
    assert_int_equal(mesh_add_body(s->context, s->mesh, "second"), CRP_OK);
    s->mesh->n_space_vertices = 8;
    for (uint32_t v = 0; v < 8; v++) {
        geom_point p = s->mesh->vertices[v];
        fixture_vertex(s->context, s->mesh, p.x, p.y, p.z);
    }
    for (uint32_t f = 0; f < 5; f++) { /* the same box, and no sixth side */
        uint32_t corners[4];
        for (uint32_t k = 0; k < 4; k++) {
            corners[k] = s->mesh->corners[4 * f + k] + 8;
        }
        fixture_facet(s->context, s->mesh, corners, 4);
    }
    check(s);
    uint32_t open[MESH_N_PROBLEMS] = {[MESH_OPEN_EDGE] = 4};
    expect_problems(s, open);
    s->mesh->is_two_sided[5] = true;
    check(s);
    expect_problems(s, none);
    assert_int_equal(s->report.n_parts, 2);
}

/* The worst come first, and no more than there is room for are kept. */
static void test_worst_findings_are_kept(void **state)
{
    (void)state;
    mesh_findings findings = {0};
    for (uint32_t i = 0; i < 100; i++) {
        mesh_note_worst(&findings, (mesh_finding){i, 0, (i * 37) % 100, zero}, false);
    }
    assert_int_equal(findings.n, 100);
    assert_int_equal(findings.n_kept, MESH_MAX_FINDINGS);
    for (uint32_t i = 0; i < MESH_MAX_FINDINGS; i++) {
        assert_float_equal(findings.kept[i].value, 99 - i, 0);
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_box_becomes_six_squares),
        CASE(test_normals_point_inwards),
        CASE(test_weld_within_tolerance_only),
        CASE(test_tube_keeps_its_sides),
        CASE(test_guard_splits_what_is_curved),
        CASE(test_merge_finds_holes),
        CASE(test_hole_is_open_edges),
        CASE(test_split_edges_are_closed),
        CASE(test_inverted_facet),
        CASE(test_inside_out),
        CASE(test_nested_bodies),
        CASE(test_not_flat),
        CASE(test_duplicates_and_overlaps),
        CASE(test_neighbours_do_not_overlap),
        CASE(test_tiny),
        CASE(test_two_sided_facets_may_stand_free),
        CASE(test_two_sided_facets_close_openings),
        CASE(test_spaces),
        cmocka_unit_test(test_worst_findings_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
