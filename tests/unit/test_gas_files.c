/* What is written of gas models: outlines with holes for Molflow, cells for ParaView, documents that read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/context.h"
#include "io/gas_cells.h"
#include "io/molflow.h"
#include "io/molflow_write.h"
#include "mesh_fixture.h"
#include "model/gas/gas_facet.h"
#include "model/gas/gas_polygons.h"
#include "molflow_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef struct files {
    crp_context *context;
    gas_model *gas;
} files;

static int set_up(void **state)
{
    files *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(crp_context_create(&f->context), CRP_OK);
    f->gas = gas_model_create();
    assert_non_null(f->gas);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    files *f = *state;
    gas_model_destroy(f->gas);
    crp_context_destroy(&f->context);
    free(f);
    return 0;
}

/* A rectangle in the plane z = 0 as the next loop: counter-clockwise, or clockwise for a hole. */
static void add_rectangle(files *f, uint32_t *corners, double x0, double y0, double x1, double y1, bool is_hole)
{
    const double xy[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    for (int i = 0; i < 4; i++) {
        int k = is_hole ? 3 - i : i;
        assert_int_equal(gas_model_add_vertex(f->context, f->gas, xy[k][0], xy[k][1], 0), CRP_OK);
        corners[i] = f->gas->n_vertices - 1;
    }
}

/* A plate of 10 x 10 with n x n holes. */
static void add_plate(files *f, int n, const gas_surface *surface)
{
    uint32_t corners[4 * 101], n_corners[101], n_loops = 1;
    assert_int_equal(gas_model_add_surface(f->context, f->gas, surface), CRP_OK);
    add_rectangle(f, corners, 0, 0, 10, 10, false);
    n_corners[0] = 4;
    for (int i = 0; i < n * n; i++) {
        double step = 10.0 / n, x = (i % n + 0.3) * step, y = (i / n + 0.2) * step;
        add_rectangle(f, corners + 4 * n_loops, x, y, x + 0.5 * step, y + 0.4 * step, true);
        n_corners[n_loops++] = 4;
    }
    assert_int_equal(gas_model_add_facet(f->context, f->gas, f->gas->n_surfaces - 1, corners, n_corners, n_loops, 0, 0),
                     CRP_OK);
}

static double cross_of(const gas_model *gas, uint32_t a, uint32_t b)
{
    return gas->vertices[3 * a] * gas->vertices[3 * b + 1] - gas->vertices[3 * b] * gas->vertices[3 * a + 1];
}

/* Area by the shoelace formula; and no two edges of the outline cross. */
static void check_outline(const gas_model *gas, const uint32_t *corners, uint32_t n, double area)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += cross_of(gas, corners[i], corners[(i + 1) % n]);
        assert_int_not_equal(corners[i], corners[(i + 1) % n]);
    }
    assert_float_equal(0.5 * sum, area, 1e-11);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            uint32_t v[4] = {corners[i], corners[(i + 1) % n], corners[k], corners[(k + 1) % n]};
            if (v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3]) {
                continue;
            }
            double a = cross_of(gas, v[0], v[1]) + cross_of(gas, v[1], v[2]) + cross_of(gas, v[2], v[0]);
            double b = cross_of(gas, v[0], v[1]) + cross_of(gas, v[1], v[3]) + cross_of(gas, v[3], v[0]);
            double c = cross_of(gas, v[2], v[3]) + cross_of(gas, v[3], v[0]) + cross_of(gas, v[0], v[2]);
            double d = cross_of(gas, v[2], v[3]) + cross_of(gas, v[3], v[1]) + cross_of(gas, v[1], v[2]);
            assert_false(a * b < -1e-12 && c * d < -1e-12);
        }
    }
}

static void test_holes_become_keyholes(void **state)
{
    files *f = *state;
    gas_surface surface = gas_surface_default();
    for (int n = 0; n <= 10; n += n == 0 ? 1 : 3) {
        uint32_t *corners = NULL, n_corners = 0;
        add_plate(f, n, &surface);
        uint32_t facet = f->gas->n_facets - 1;
        assert_int_equal(molflow_outline(f->context, f->gas, facet, &corners, &n_corners), CRP_OK);
        assert_int_equal(n_corners, 4 + 6 * n * n);
        check_outline(f->gas, corners, n_corners, n == 0 ? 100 : 100 - 20);
        free(corners);
    }
}

/* -----------------------------------------------------------------------------------------------------------------
 * cells */

static double cell_area(const gas_cells *c, int64_t cell)
{
    int64_t first = cell == 0 ? 0 : c->ends[cell - 1], end = c->ends[cell];
    double sum = 0;
    for (int64_t i = first; i < end; i++) {
        const double *a = c->points + 3 * c->corners[i], *b = c->points + 3 * c->corners[i + 1 < end ? i + 1 : first];
        sum += a[0] * b[1] - b[0] * a[1];
    }
    return 0.5e-4 * sum; /* cm2 to m2 */
}

/* Areas of the pieces of every texture cell are those that the tallies divide by. */
static void check_texture(files *f, uint32_t n_u, uint32_t n_v)
{
    gas_cells cells;
    gas_frame frame = gas_facet_frame(f->gas, 0);
    double *expected = malloc(n_u * n_v * sizeof *expected), *found = calloc(n_u * n_v, sizeof *found), sum = 0;
    assert_int_equal(gas_texture_cells(f->gas, NULL), n_u * n_v);
    assert_int_equal(gas_texture_areas(f->context, f->gas, 0, &frame, n_u, n_v, expected), CRP_OK);
    assert_int_equal(gas_cells_create(f->context, f->gas, &cells), CRP_OK);
    for (int64_t i = 0; i < cells.n_cells; i++) {
        assert_in_range(cells.texels[i], 0, n_u * n_v - 1);
        assert_true(cell_area(&cells, i) > 0);
        found[cells.texels[i]] += cell_area(&cells, i);
        sum += cell_area(&cells, i);
    }
    for (uint32_t i = 0; i < n_u * n_v; i++) {
        if (fabs(found[i] - expected[i]) > 1e-9) {
            fail_msg("cell %u of %u x %u: area %.12g, expected %.12g", i, n_u, n_v, found[i], expected[i]);
        }
    }
    assert_float_equal(sum, frame.area, 1e-9);
    gas_cells_destroy(&cells);
    free(expected);
    free(found);
}

static void test_texture_of_a_plate_with_holes(void **state)
{
    files *f = *state;
    gas_surface surface = gas_surface_default();
    surface.texture_u = 7;
    surface.texture_v = 5;
    add_plate(f, 3, &surface);
    check_texture(f, 7, 5);
}

/* Four and a half cells: the last one is cut. */
static void test_texture_with_a_cut_cell(void **state)
{
    files *f = *state;
    gas_surface surface = gas_surface_default();
    surface.texture_u = 4.5;
    surface.texture_v = 2;
    add_plate(f, 0, &surface);
    check_texture(f, 5, 2);
}

static void test_facets_without_texture(void **state)
{
    files *f = *state;
    gas_surface surface = gas_surface_default();
    gas_cells cells;
    double sum = 0;
    add_plate(f, 0, &surface);
    add_plate(f, 2, &surface);
    assert_int_equal(gas_cells_create(f->context, f->gas, &cells), CRP_OK);
    assert_int_equal(cells.facets[0], 0);
    assert_int_equal(cells.ends[0], 4);                    /* whole; the one with holes in triangles */
    assert_in_range(cells.n_cells, 2, 1 + 20 + 2 * 4 - 2); /* none for corners in line */
    for (int64_t i = 0; i < cells.n_cells; i++) {
        assert_int_equal(cells.texels[i], -1);
        sum += cell_area(&cells, i);
    }
    assert_float_equal(sum, 100 + 80, 1e-9);
    gas_cells_destroy(&cells);
}

/* -------------------------------------------------------------------------------------------------------------
 * documents */

static void check_same(const gas_model *a, const gas_model *b)
{
    assert_int_equal(a->n_vertices, b->n_vertices);
    assert_int_equal(a->n_facets, b->n_facets);
    assert_int_equal(a->n_corners, b->n_corners);
    for (uint32_t i = 0; i < 3 * a->n_vertices; i++) {
        assert_float_equal(a->vertices[i], b->vertices[i], 1e-16);
    }
    assert_memory_equal(a->corners, b->corners, a->n_corners * sizeof *a->corners);
    assert_true(a->mass == b->mass && a->speed == b->speed && a->score_forces == b->score_forces);
    for (uint32_t i = 0; i < a->n_surfaces; i++) {
        gas_surface p = a->surfaces[i], q = b->surfaces[i];
        q.line = p.line;
        assert_float_equal(p.outgassing, q.outgassing, 1e-20);
        q.outgassing = p.outgassing;
        assert_true(p.outgassing > 0 || q.outgassing == 0);
        assert_memory_equal(&p, &q, sizeof p);
    }
}

/* What is written from a model is read as the same model, whatever it holds. */
static void test_document_reads_back(void **state)
{
    files *f = *state;
    static char text[FIXTURE_XML];
    molflow_text t = molflow_text_default();
    t.teleport = "target=\"5\"";
    t.structure = "inStructure=\"-1\" linksTo=\"1\"";
    t.outgassing = "constValue=\"2.5e-7\" desType=\"3\" desExponent=\"4\"";
    t.opacity = "constValue=\"0.3\" is2sided=\"1\"";
    molflow_write(&t, text);
    assert_int_equal(molflow_read_xml(f->context, "a", text, strlen(text), f->gas), CRP_OK);
    crp_model model = {.data = f->gas};
    output_options options = {0};
    void *bytes = NULL;
    size_t n_bytes = 0;
    assert_int_equal(molflow_form(f->context, &model, NULL, &options, "b.xml", &bytes, &n_bytes), CRP_OK);
    gas_model *again = gas_model_create();
    if (molflow_read_xml(f->context, "b", bytes, n_bytes, again) != CRP_OK) {
        fail_msg("%s", crp_context_error(f->context));
    }
    check_same(f->gas, again);
    assert_int_equal(again->n_groups, f->gas->n_groups);
    assert_string_equal(again->formulas[0].text, f->gas->formulas[0].text);
    gas_model_destroy(again);
    free(bytes);
}

/* An edit without changes gives the file back, byte by byte. */
static void test_edit_without_changes(void **state)
{
    files *f = *state;
    static char text[FIXTURE_XML];
    molflow_text t = molflow_text_default();
    t.extra = "<!-- a comment --><Future><![CDATA[ <kept> &amp; ]]></Future>";
    molflow_write(&t, text);
    assert_int_equal(molflow_read_xml(f->context, "a", text, strlen(text), f->gas), CRP_OK);
    char *out = NULL;
    size_t n_out = 0;
    FILE *file = open_memstream(&out, &n_out);
    assert_int_equal(molflow_edit(f->context, "a", text, strlen(text), f->gas, NULL, file), CRP_OK);
    fclose(file);
    assert_string_equal(out, text);
    free(out);
}

/* Names of bodies become names of surfaces that settings can use, no two alike. */
static void test_names_of_surfaces(void **state)
{
    files *f = *state;
    static const char *const bodies[] = {"pump", "pump", "pump_1", "12", "a.b c!", "", "x"};
    static const char *const expected[] = {"pump", "pump-2", "pump-1", "solid-12", "a_b_c", "solid"};
    geom_mesh *mesh = NULL;
    assert_int_equal(mesh_create(f->context, &mesh), CRP_OK);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(mesh_add_body(f->context, mesh, bodies[i]), CRP_OK);
        uint32_t v[3] = {fixture_vertex(f->context, mesh, 0, 0, i), fixture_vertex(f->context, mesh, 1, 0, i),
                         fixture_vertex(f->context, mesh, 0, 1, i)};
        fixture_facet(f->context, mesh, v, 3);
    }
    uint32_t v[3] = {fixture_vertex(f->context, mesh, 5, 0, 0), fixture_vertex(f->context, mesh, 6, 0, 0),
                     fixture_vertex(f->context, mesh, 5, 1, 0)};
    fixture_facet(f->context, mesh, v, 3); /* a second patch of x */
    assert_int_equal(gas_model_of_polygons(f->context, mesh, 0.5, f->gas), CRP_OK);
    assert_int_equal(f->gas->n_surfaces, 8);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(f->gas->surfaces[i].name, expected[i]);
    }
    assert_string_equal(f->gas->surfaces[6].name, "x_1");
    assert_string_equal(f->gas->surfaces[7].name, "x_2");
    assert_int_equal(f->gas->n_groups, 1);
    assert_string_equal(f->gas->groups[0].name, "x");
    assert_int_equal(f->gas->groups[0].n_facets, 2);
    mesh_destroy(&mesh);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_holes_become_keyholes),  CASE(test_texture_of_a_plate_with_holes), CASE(test_texture_with_a_cut_cell),
        CASE(test_facets_without_texture), CASE(test_document_reads_back),           CASE(test_edit_without_changes),
        CASE(test_names_of_surfaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
