/* The scene of the device optix: see gas_rays.h. */
#include "model/gas/gas_rays.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const on_hit[GAS_RAY_KINDS] = {"gas_wall", "gas_sink", "gas_other", "gas_other"};
static const bool is_never_culled[GAS_RAY_KINDS] = {false, false, false, true};

/* The cube that a model is put in: its middle, and a power of two that makes half its edge a number in [64, 128). */
static void find_frame(const gas_model *m, gas_rays *rays)
{
    double half = 0.0;
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < m->n_vertices; i++) {
            low = fmin(low, m->vertices[3 * i + k]);
            high = fmax(high, m->vertices[3 * i + k]);
        }
        rays->centre[k] = 0.5 * low + 0.5 * high;
        half = fmax(half, 0.5 * (high - low));
    }
    int exponent = 0;
    frexp(half, &exponent); /* half in [2^(exponent - 1), 2^exponent) */
    rays->scale = ldexp(1.0, 7 - exponent);
    rays->unit = ldexp(1.0, exponent - 7);
}

uint32_t gas_ray_kind(const gas_surface_row *rows, const gas_primitive *q)
{
    uint32_t flags = rows[q->surface].flags;
    if ((q->facet & GAS_IS_TWO_SIDED) != 0) {
        return GAS_RAY_BOTH;
    }
    if ((flags & GAS_IS_PLAIN) == 0) {
        return GAS_RAY_OTHER;
    }
    return (flags & GAS_STICKS) != 0 ? GAS_RAY_SINK : GAS_RAY_WALL;
}

/* --------------------------------------------------------------------------------------------- triangles */

static uint32_t parts_of(const gas_primitive *q)
{
    return (q->facet & GAS_IS_TRIANGLE) != 0 ? 1 : 2;
}

static uint32_t count_triangles(const gas_mesh *mesh)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < mesh->n; i++) {
        n += parts_of(&mesh->primitives[i]);
    }
    return n;
}

/* A corner of a primitive, rounded. */
static void put_corner(const gas_rays *rays, const gas_corner *c, double u, double v, float *out)
{
    for (int k = 0; k < 3; k++) {
        double x = c->corner[k] + u * c->edge_u[k] + v * c->edge_v[k] - rays->centre[k];
        out[k] = (float)(x * rays->scale) + 0.0f; /* no negative zero */
    }
}

/* The corners of a triangle turn about its front as its edges do; where these turn the other way, two are exchanged.
 * The second triangle of a parallelogram begins at the corner opposite to the first's. */
static void put_triangle(const gas_rays *rays, const gas_primitive *q, const gas_corner *c, uint32_t part, float *out)
{
    const double *a = c->edge_u, *b = c->edge_v;
    double turn = (a[1] * b[2] - a[2] * b[1]) * q->n[0] + (a[2] * b[0] - a[0] * b[2]) * q->n[1] +
                  (a[0] * b[1] - a[1] * b[0]) * q->n[2];
    int second = turn > 0.0 ? 3 : 6, third = turn > 0.0 ? 6 : 3;
    double near = part, far = 1 - part;
    put_corner(rays, c, near, near, out);
    put_corner(rays, c, far, near, out + second);
    put_corner(rays, c, near, far, out + third);
}

static void fill_triangles(gas_ray_maker *maker)
{
    gas_ray_scene *out = maker->out;
    uint32_t *primitives = (uint32_t *)out->data + maker->rays.at_primitives, n = 0;
    for (uint32_t i = 0; i < maker->mesh->n; i++) {
        const gas_primitive *q = &maker->mesh->primitives[i];
        for (uint32_t part = 0; part < parts_of(q); part++, n++) {
            put_triangle(&maker->rays, q, &maker->mesh->corners[i], part, out->shapes + 9 * (size_t)n);
            primitives[n] = i;
            out->kinds[n] = gas_ray_kind(maker->rows, q);
        }
    }
}

/* A corner of a triangle, with its number, to be put in order. */
typedef struct placed {
    float place[3];
    uint32_t number;
} placed;

static int compare_places(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    for (int k = 0; k < 3; k++) {
        if (p->place[k] != q->place[k]) {
            return p->place[k] < q->place[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Corners of several triangles at one place become one: a ray tracer then knows that they are neighbours. */
static crp_status join_corners(crp_context *context, gas_ray_maker *maker)
{
    gas_ray_scene *out = maker->out;
    size_t n = 3 * (size_t)out->scene.n;
    placed *list = malloc(n * sizeof *list);
    CRP_CHECK(context, list != NULL, CRP_ERR_MEMORY, "no memory for the corners of %u triangles", out->scene.n);
    for (size_t i = 0; i < n; i++) {
        memcpy(list[i].place, out->shapes + 3 * i, sizeof list[i].place);
        list[i].number = (uint32_t)i;
    }
    qsort(list, n, sizeof *list, compare_places);
    uint32_t n_corners = 0;
    for (size_t i = 0; i < n; i++) {
        n_corners += i > 0 && compare_places(&list[i - 1], &list[i]) == 0 ? 0 : 1;
        memcpy(out->shapes + 3 * (size_t)(n_corners - 1), list[i].place, sizeof list[i].place);
        out->triangles[list[i].number] = n_corners - 1;
    }
    free(list);
    out->scene.corners = out->shapes;
    out->scene.n_corners = n_corners;
    out->scene.triangles = out->triangles;
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- all of it */

/* Memory for so many shapes, and the table of the facets' first primitives. */
static crp_status make_room(crp_context *context, gas_ray_maker *maker, uint32_t n_corners, bool is_polygons)
{
    gas_ray_scene *out = maker->out;
    gas_rays *rays = &maker->rays;
    uint32_t n = out->scene.n;
    rays->n_shapes = n;
    rays->at_primitives = sizeof *rays / 4;
    rays->at_facets = rays->at_primitives + n;
    rays->at_outlines = (rays->at_facets + maker->plan->model->n_facets + 3) / 4 * 4;
    rays->at_corners = rays->at_outlines + (is_polygons ? n * (uint32_t)(sizeof(gas_outline) / 4) : 0);
    out->scene.n_data = 4 * ((size_t)rays->at_corners + 2 * (size_t)n_corners);
    out->data = calloc(out->scene.n_data, 1);
    out->shapes = malloc((is_polygons ? 6 : 9) * sizeof *out->shapes * (size_t)n);
    out->kinds = malloc(sizeof *out->kinds * (size_t)n);
    out->triangles = is_polygons ? NULL : malloc(3 * sizeof *out->triangles * (size_t)n);
    bool is_there =
        out->data != NULL && out->shapes != NULL && out->kinds != NULL && (is_polygons || out->triangles != NULL);
    CRP_CHECK(context, is_there, CRP_ERR_MEMORY, "no memory for the scene of %u shapes", n);
    memcpy(out->data, rays, sizeof *rays);
    uint32_t *facets = (uint32_t *)out->data + rays->at_facets;
    for (uint32_t i = maker->mesh->n; i-- > 0;) {
        facets[maker->mesh->primitives[i].facet & GAS_FACET_MASK] = i;
    }
    return CRP_OK;
}

static crp_status build(crp_context *context, gas_ray_maker *maker)
{
    const gas_optix *o = &maker->plan->model->optix;
    device_scene *scene = &maker->out->scene;
    bool is_polygons = o->mesh == GAS_OPTIX_POLYGONS;
    uint32_t n_corners = 0;
    *scene = (device_scene){.n = count_triangles(maker->mesh),
                            .n_kinds = GAS_RAY_KINDS,
                            .on_hit = on_hit,
                            .is_never_culled = is_never_culled,
                            .on_box = "gas_polygon",
                            .on_miss = "gas_nothing",
                            .registers = o->registers,
                            .n_payload = o->depth > 0 ? 4 : 2,
                            .trace_depth = o->depth > 1 ? o->depth : 1};
    if (is_polygons) {
        gas_ray_polygons_count(maker->plan, maker->mesh, &scene->n, &n_corners);
    }
    find_frame(maker->plan->model, &maker->rays);
    CRP_TRY(make_room(context, maker, n_corners, is_polygons));
    scene->data = maker->out->data;
    scene->kinds = maker->out->kinds;
    if (is_polygons) {
        scene->boxes = maker->out->shapes;
        gas_ray_polygons_fill(maker);
    } else {
        fill_triangles(maker);
        return join_corners(context, maker);
    }
    return CRP_OK;
}

crp_status gas_ray_scene_create(crp_context *context, const gas_plan *plan, const gas_surface_row *rows,
                                gas_ray_scene **out)
{
    gas_mesh mesh = {0};
    gas_ray_maker maker = {.plan = plan, .mesh = &mesh, .rows = rows};
    *out = NULL;
    CRP_TRY(gas_mesh_build(context, plan->model, &mesh));
    maker.out = calloc(1, sizeof *maker.out);
    crp_status status =
        maker.out != NULL ? build(context, &maker) : context_fail(context, CRP_ERR_MEMORY, "no memory for the scene");
    gas_mesh_destroy(&mesh);
    *out = maker.out;
    if (status != CRP_OK) {
        gas_ray_scene_destroy(out);
    }
    return status;
}

void gas_ray_scene_destroy(gas_ray_scene **scene)
{
    if (*scene != NULL) {
        free((*scene)->shapes);
        free((*scene)->kinds);
        free((*scene)->triangles);
        free((*scene)->data);
        free(*scene);
        *scene = NULL;
    }
}
