/* The scene that the device optix is given, against the search in double precision: the same facet, the same distance,
 * for triangles and for polygons with corners, holes and two sides; and outlines by themselves. */
#include "gas_fixture.h"

#include "gas/launch.h"
#include "gas/polygon.h"
#include "gas/ray_start.h"
#include "model/gas/gas_rays.h"
#include "model/gas/gas_yaml.h"

static const struct {
    const char *starter;
    const char *settings[4];
    uint32_t n_molecules;
} cases[] = {
    {"gas-tube", {"length_over_radius=10", "sides=40", NULL}, 400},
    {"gas-elbow", {"arm_in=2", "arm_out=1", NULL}, 400},
    {"gas-chamber", {"bodies=1", "segments=8", NULL}, 60},
    {"gas-duct", {"width=3", "facets.wall.two_sided=true", NULL}, 400},
};
enum { N_CASES = sizeof cases / sizeof *cases, MAX_HITS = 30 };

typedef struct bench {
    crp_plan *plan;
    gas_plan *gas;
    gas_ray_scene *scene;
    const gas_primitive *primitives;
    const gas_surface_row *surfaces;
    const gas_rays *rays;
    const uint32_t *words;
} bench;

static bench open_bench(size_t i, crp_input **input, uint32_t mesh)
{
    bench b = {0};
    *input = fixture_starter(cases[i].starter, cases[i].settings);
    gas_model *model = (gas_model *)(uintptr_t)crp_input_model(*input, 0)->data; /* of this test alone */
    model->optix.mesh = mesh;
    FIXTURE_OK(gas_plan_create(fixture_context, crp_input_model(*input, 0), 1, &b.plan));
    b.gas = b.plan->data;
    b.primitives = b.plan->tables[1].data;
    b.surfaces = b.plan->tables[2].data;
    FIXTURE_OK(gas_ray_scene_create(fixture_context, b.gas, b.surfaces, &b.scene));
    b.rays = (const gas_rays *)b.scene->data;
    b.words = (const uint32_t *)b.scene->data;
    return b;
}

static void close_bench(bench *b, crp_input **input)
{
    gas_ray_scene_destroy(&b->scene);
    plan_destroy(&b->plan);
    crp_input_destroy(input);
}

/* Distance of a triangle of the scene along a ray, -1: none. Its front is where its corners turn left. */
static double meet_triangle(const float *t, const double *o, const double *d, bool culls)
{
    double e[3], f[3], s[3], p[3], q[3];
    for (int k = 0; k < 3; k++) {
        e[k] = (double)t[3 + k] - (double)t[k];
        f[k] = (double)t[6 + k] - (double)t[k];
        s[k] = o[k] - (double)t[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, c = (k + 2) % 3;
        p[k] = d[a] * f[c] - d[c] * f[a];
        q[k] = s[a] * e[c] - s[c] * e[a];
    }
    double det = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
    if (det == 0.0 || (culls && det < 0.0)) {
        return -1.0;
    }
    double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det, v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 ? (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det : -1.0;
}

static double meet(const bench *b, uint32_t shape, const float *o, const float *d, float nearest)
{
    const double o64[3] = {(double)o[0], (double)o[1], (double)o[2]},
                 d64[3] = {(double)d[0], (double)d[1], (double)d[2]};
    if (b->scene->scene.boxes != NULL) {
        const float *box = b->scene->scene.boxes + 6 * (size_t)shape;
        double t = (double)gas_meet_polygon((const gas_outline *)(b->words + b->rays->at_outlines) + shape,
                                            (const float *)(b->words + b->rays->at_corners), o, d, nearest, 1u);
        for (int k = 0; t > 0.0 && k < 3; k++) { /* a hit lies in its box, or the ray would not have come there */
            double x = o64[k] + t * d64[k];
            assert_true(x >= (double)box[k] && x <= (double)box[3 + k]);
        }
        return t;
    }
    const device_scene *scene = &b->scene->scene;
    float corners[9];
    for (int k = 0; k < 3; k++) {
        assert_true(scene->triangles[3 * shape + k] < scene->n_corners);
        memcpy(corners + 3 * k, scene->corners + 3 * (size_t)scene->triangles[3 * shape + k], 3 * sizeof *corners);
    }
    return meet_triangle(corners, o64, d64, !scene->is_never_culled[scene->kinds[shape]]);
}

typedef struct counts {
    unsigned hits, others;
    double worst;
} counts;

/* The nearest shape along a molecule's way, beyond the one it starts from. */
static uint32_t search(const bench *b, const gas_molecule *m, double *distance)
{
    const double place[3] = {m->place.x, m->place.y, m->place.z};
    float o[3], d[3] = {(float)m->way.x, (float)m->way.y, (float)m->way.z};
    uint32_t best = GAS_NOTHING;
    *distance = 1e30;
    for (int k = 0; k < 3; k++) {
        o[k] = (float)((place[k] - b->rays->centre[k]) * b->rays->scale);
    }
    for (uint32_t i = 0; i < b->scene->scene.n; i++) {
        uint32_t primitive = b->words[b->rays->at_primitives + i];
        double t = meet(b, i, o, d, 0.0f);
        if (t > 0.0 && t < *distance && b->primitives[primitive].sheet != m->skip) {
            *distance = t;
            best = primitive;
        }
    }
    *distance *= b->rays->unit;
    return best;
}

static void follow(const bench *b, gas_molecule m, counts *c)
{
    const gas_params p = b->gas->params;
    for (int i = 0; i < MAX_HITS; i++) {
        double distance;
        gas_hit hit = gas_trace(m.place, m.way, m.skip, m.structure, p, b->plan->tables[0].data, b->primitives);
        assert_true(hit.primitive != GAS_NOTHING);
        uint32_t found = search(b, &m, &distance);
        c->hits++;
        if (found == GAS_NOTHING || (b->primitives[found].facet & GAS_FACET_MASK) != hit.facet) {
            c->others++; /* near an edge, or from a place that rounding put outside */
        } else {
            c->worst = fmax(c->worst, fabs(distance - hit.distance) * fabs(hit.cosine) * b->rays->scale);
        }
        gas_turnout t = gas_turn(m, hit, b->primitives, b->surfaces, p);
        m = t.molecule;
        if (t.what == GAS_ABSORBED) {
            return;
        }
    }
}

static void scene_agrees(uint32_t mesh)
{
    for (size_t i = 0; i < N_CASES; i++) {
        crp_input *input;
        bench b = open_bench(i, &input, mesh);
        counts c = {0};
        for (uint32_t n = 0; n < cases[i].n_molecules; n++) {
            gas_start start = gas_launch(n, b.plan->tables[3].data, b.primitives, b.surfaces, b.gas->params);
            follow(&b, start.molecule, &c);
        }
        print_message("%s: %u of %u hits on another facet, distances within %.2g\n", cases[i].starter, c.others, c.hits,
                      c.worst);
        if (mesh ==
            GAS_OPTIX_TRIANGLES) { /* each place once: a closed surface of triangles has half as many corners, about */
            assert_true(b.scene->scene.n_corners <= b.scene->scene.n / 2 + 2 + b.gas->model->n_facets);
        }
        assert_true(c.hits > 300);
        assert_true(c.others * 1000 <= c.hits);
        assert_true(c.worst < 1e-4); /* coordinates below 128 in single precision */
        close_bench(&b, &input);
    }
}

static void triangles_agree(void **state)
{
    (void)state;
    scene_agrees(GAS_OPTIX_TRIANGLES);
}

static void polygons_agree(void **state)
{
    (void)state;
    scene_agrees(GAS_OPTIX_POLYGONS);
}

/* A square with a square hole, and a notch whose corner lies on the level of the point. */
static void outlines_have_holes_and_notches(void **state)
{
    static const float holed[] = {0,   0,   1,   0,   1,   1,   0,   1,   0,   0,   NAN,
                                  NAN, .4f, .4f, .4f, .6f, .6f, .6f, .6f, .4f, .4f, .4f};
    static const float notch[] = {0, 0, 1, 0, 1, 1, .5f, .5f, 0, 1, 0, 0};
    (void)state;
    assert_true(gas_is_inside(holed, 11, .2f, .5f));
    assert_false(gas_is_inside(holed, 11, .5f, .5f));
    assert_true(gas_is_inside(holed, 11, .8f, .5f));
    assert_false(gas_is_inside(holed, 11, 1.2f, .5f));
    assert_false(gas_is_inside(holed, 11, -.2f, .5f));
    assert_true(gas_is_inside(notch, 6, .2f, .5f));
    assert_true(gas_is_inside(notch, 6, .8f, .5f));
    assert_false(gas_is_inside(notch, 6, .5f, .8f));
    unsigned inside = 0;
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < 200; k++) {
            inside += gas_is_inside(notch, 6, ((float)i + .5f) / 200.0f, ((float)k + .5f) / 200.0f);
        }
    }
    assert_true(abs((int)inside - 30000) <= 200); /* three quarters, less half a diagonal of points */
}

/* What lies just beyond an edge, inner ones too, still counts; what lies farther does not. */
static void edges_have_slack(void **state)
{
    static const float notch[] = {0, 0, 1, 0, 1, 1, .5f, .5f, 0, 1, 0, 0};
    (void)state;
    assert_true(gas_is_near_edge(notch, 6, .5f, .5001f, 1e3f, 1e3f));
    assert_true(gas_is_near_edge(notch, 6, .5001f, -.0005f, 1e3f, 1e3f));
    assert_true(gas_is_near_edge(notch, 6, 1.0005f, .2f, 1e3f, 1e3f));
    assert_false(gas_is_near_edge(notch, 6, .5f, .51f, 1e3f, 1e3f));
    assert_false(gas_is_near_edge(notch, 6, 1.01f, 1.01f, 1e3f, 1e3f));
    static const float gap[] = {0, 0, 0, 1, NAN, NAN, 1, 0, 1, 1};
    assert_false(gas_is_near_edge(gap, 5, .5f, .5f, 1e3f, 1e3f)); /* nothing joins rings */
}

/* Rays aimed at the edges of narrow walls, as well as single precision can: none passes between two polygons. */
static void edges_are_closed(void **state)
{
    static const char *const narrow[] = {"length_over_radius=100", "sides=1000", "optix.mesh=polygons", NULL};
    crp_input *input = fixture_starter("gas-tube", narrow);
    bench b = {0};
    unsigned lost = 0;
    (void)state;
    FIXTURE_OK(gas_plan_create(fixture_context, crp_input_model(input, 0), 1, &b.plan));
    b.gas = b.plan->data;
    b.primitives = b.plan->tables[1].data;
    FIXTURE_OK(gas_ray_scene_create(fixture_context, b.gas, b.plan->tables[2].data, &b.scene));
    b.rays = (const gas_rays *)b.scene->data;
    b.words = (const uint32_t *)b.scene->data;
    for (uint32_t i = 0; i < 1500; i++) {
        const double *edge = b.gas->model->vertices + 3 * (size_t)(i % 1000);
        double z = (double)(i * 2654435761u % 1000u) / 1000.0;
        float o[3] = {0.1f, -0.2f, (float)(i % 100) - 50.0f}, d[3], length = 0.0f;
        bool is_hit = false;
        for (int k = 0; k < 3; k++) {
            double target = (k < 2 ? edge[k] - b.rays->centre[k] : (z - 0.5) * 0.9) * b.rays->scale;
            d[k] = (float)target - o[k];
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++) {
            d[k] /= sqrtf(length);
        }
        for (uint32_t shape = 0; shape < b.scene->scene.n && !is_hit; shape++) {
            is_hit = gas_meet_polygon((const gas_outline *)(b.words + b.rays->at_outlines) + shape,
                                      (const float *)(b.words + b.rays->at_corners), o, d, 0.0f, 1u) > 0.0f;
        }
        lost += is_hit ? 0 : 1;
    }
    assert_int_equal(lost, 0);
    close_bench(&b, &input);
}

/* A nudge goes to the side of the normal, by more than the rounding of a coordinate and by no more than is asked for.
 */
static void nudges_leave_the_facet(void **state)
{
    static const float places[] = {0.0f, 1e-6f, 0.02f, -0.02f, 0.04f, -0.04f, 1.28f, -1.28f, 64.0f, -64.0f, 127.9f};
    static const float units[] = {GAS_NUDGE_PLACED, GAS_NUDGE_PUBLISHED};
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (int k = -16; k <= 16; k++) {
            float n = (float)(k / 2) / 8.0f, u = units[k & 1], x = places[i], moved = gas_nudge(x, n, u) - x;
            if (n == 0.0f) {
                assert_true(moved == 0.0f);
                continue;
            }
            assert_true(moved * n > 0.0f);
            assert_true(fabsf(moved) > 0.99f * u * fabsf(n * x) * 5.9e-8f); /* a rounding is at most one 6e-8 of it */
            assert_true(fabsf(moved) < 1.01f * u * fabsf(n) * (fabsf(x) * 1.2e-7f + 6e-8f) + 1e-9f);
        }
    }
}

/* Places outside a triangle or a parallelogram come back inside, by as little as can be; places inside stay. */
static void places_come_back_inside(void **state)
{
    crp_input *input;
    bench b = open_bench(0, &input, GAS_OPTIX_TRIANGLES);
    (void)state;
    for (uint32_t i = 0; i < b.plan->tables[1].n_bytes / sizeof(gas_primitive); i++) {
        const gas_primitive *q = &b.primitives[i];
        gas_vector n = gas_vector_of(q->n[0], q->n[1], q->n[2]);
        gas_vector au = gas_vector_of(q->u[0], q->u[1], q->u[2]), av = gas_vector_of(q->v[0], q->v[1], q->v[2]);
        gas_vector eu = gas_cross(av, n), ev = gas_cross(n, au);
        gas_vector at = gas_times(n, q->n[3]);
        for (int k = 0; k < 49; k++) {
            double u = -0.25 + 0.25 * (k % 7), v = -0.25 + 0.25 * (k / 7);
            gas_vector x = gas_along(at, (u - gas_dot(au, at) - q->u[3]) / gas_dot(au, eu), eu);
            x = gas_along(x, (v - gas_dot(av, x) - q->v[3]) / gas_dot(av, ev), ev);
            gas_vector y = gas_place_inside(q, n, x, b.rays->unit);
            double ui = gas_dot(au, y) + q->u[3], vi = gas_dot(av, y) + q->v[3];
            bool is_triangle = (q->facet & GAS_IS_TRIANGLE) != 0;
            assert_true(ui > 0.0 && vi > 0.0 && ui < 1.0 && vi < 1.0 && (!is_triangle || ui + vi < 1.0));
            assert_true(fabs(gas_dot(n, y) - q->n[3]) < 1e-12);
            if (u > 0.01 && v > 0.01 && u < 0.99 && v < 0.99 && (!is_triangle || u + v < 0.99)) {
                assert_true(x.x == y.x && x.y == y.y && x.z == y.z);
            }
            double before = 0.0; /* how far from the edges: 8 times as far each time, up to a quarter */
            for (ck_u32 tries = 0; tries < 3; tries++) {
                gas_vector z = gas_look_from(q, n, x, b.rays->unit, tries);
                double uz = gas_dot(au, z) + q->u[3], vz = gas_dot(av, z) + q->v[3];
                double edge = fmin(fmin(uz, vz), is_triangle ? 1.0 - uz - vz : fmin(1.0 - uz, 1.0 - vz));
                assert_true(edge > 0.0 && (edge > 0.2 || edge > 7.9 * before));
                assert_true(fabs(gas_dot(n, z) - q->n[3]) < 1e-12);
                before = edge;
            }
        }
    }
    close_bench(&b, &input);
}

/* What a model says of the device comes back from its text, and a model that says nothing keeps silent. */
static void options_are_written(void **state)
{
    static const char *const settings[] = {"optix.threads=4096",
                                           "optix.copies=8",
                                           "optix.batch=3",
                                           "optix.depth=4",
                                           "optix.mesh=polygons",
                                           "optix.positions=ray",
                                           "optix.registers=80",
                                           "optix.programs=false",
                                           "optix.culling=false",
                                           "optix.offset=false",
                                           "optix.second_look=false",
                                           NULL};
    (void)state;
    for (int says = 0; says < 2; says++) {
        char *text = NULL;
        size_t n = 0;
        crp_input *input = fixture_starter("gas-tube", says ? settings : NULL);
        const crp_model *model = crp_input_model(input, 0);
        FILE *file = open_memstream(&text, &n);
        FIXTURE_OK(gas_write_yaml(fixture_context, model, file));
        fclose(file);
        assert_true((strstr(text, "optix:") != NULL) == (says == 1));
        crp_input *again = fixture_text(text);
        const gas_optix *a = &((const gas_model *)model->data)->optix;
        const gas_optix *b = &((const gas_model *)crp_input_model(again, 0)->data)->optix;
        assert_true(a->threads == b->threads && a->copies == b->copies && a->batch == b->batch && a->depth == b->depth);
        assert_true(a->mesh == b->mesh && a->positions == b->positions && a->registers == b->registers);
        assert_true(a->programs == b->programs && a->culling == b->culling && a->offset == b->offset);
        assert_true(a->second_look == b->second_look && b->second_look == !says);
        assert_true(b->depth == (says ? 4u : 0u) && b->culling == !says);
        crp_input_destroy(&again);
        crp_input_destroy(&input);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_agree),
        cmocka_unit_test(polygons_agree),
        cmocka_unit_test(outlines_have_holes_and_notches),
        cmocka_unit_test(edges_have_slack),
        cmocka_unit_test(edges_are_closed),
        cmocka_unit_test(nudges_leave_the_facet),
        cmocka_unit_test(places_come_back_inside),
        cmocka_unit_test(options_are_written),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
