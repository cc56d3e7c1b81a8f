/* The scene of the device optix: shapes in single precision, and what the programs know of them. */
#include "gas/rays.h"

#include "core/context.h"
#include "model/gas/gas_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything a device_scene points to. */
typedef struct gas_ray_scene {
    device_scene scene;
    float *triangles;
    uint32_t *kinds;
    unsigned char *data;
} gas_ray_scene;

static const char *const on_hit[GAS_RAY_KINDS] = {"gas_wall", "gas_sink", "gas_other", "gas_other"};
static const bool is_never_culled[GAS_RAY_KINDS] = {false, false, false, true};

/* The cube that a model is put in: its middle, and a power of two that makes half its edge a number in (64, 128]. */
static void find_frame(const gas_model *m, gas_rays *rays)
{
    double half = 0.0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t i = 0; i < m->n_vertices; i++) {
            low = fmin(low, m->vertices[3 * (size_t)i + (size_t)k]);
            high = fmax(high, m->vertices[3 * (size_t)i + (size_t)k]);
        }
        rays->centre[k] = 0.5 * low + 0.5 * high;
        half = fmax(half, 0.5 * (high - low));
    }
    int exponent = 0;
    frexp(half, &exponent); /* half in [2^(exponent - 1), 2^exponent) */
    rays->scale = ldexp(1.0, 7 - exponent);
    rays->unit = ldexp(1.0, exponent - 7);
}

static uint32_t kind_of(const gas_plan *gp, const gas_surface_row *rows, const gas_primitive *q)
{
    const gas_surface_row *row = &rows[q->surface];
    (void)gp;
    if ((q->facet & GAS_IS_TWO_SIDED) != 0) {
        return GAS_RAY_BOTH;
    }
    if ((row->flags & GAS_IS_PLAIN) == 0) {
        return GAS_RAY_OTHER;
    }
    return (row->flags & GAS_STICKS) != 0 ? GAS_RAY_SINK : GAS_RAY_WALL;
}

/* A corner of a primitive, rounded. */
static void put_corner(const gas_rays *rays, const gas_corner *c, double u, double v, float *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = (float)((c->corner[k] + u * c->edge_u[k] + v * c->edge_v[k] - rays->centre[k]) * rays->scale);
    }
}

/* The corners of a triangle turn about its front as its edges do; where these turn the other way, two are exchanged. */
static void put_triangle(const gas_rays *rays, const gas_primitive *q, const gas_corner *c, bool is_second, float *out)
{
    const double *a = c->edge_u, *b = c->edge_v;
    double turn = (a[1] * b[2] - a[2] * b[1]) * q->n[0] + (a[2] * b[0] - a[0] * b[2]) * q->n[1] +
                  (a[0] * b[1] - a[1] * b[0]) * q->n[2];
    int second = turn > 0.0 ? 3 : 6, third = turn > 0.0 ? 6 : 3;
    put_corner(rays, c, is_second ? 1.0 : 0.0, is_second ? 1.0 : 0.0, out);
    put_corner(rays, c, is_second ? 0.0 : 1.0, is_second ? 1.0 : 0.0, out + second);
    put_corner(rays, c, is_second ? 1.0 : 0.0, is_second ? 0.0 : 1.0, out + third);
}

static uint32_t count_triangles(const gas_mesh *mesh)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < mesh->n; i++) {
        n += (mesh->primitives[i].facet & GAS_IS_TRIANGLE) != 0 ? 1 : 2;
    }
    return n;
}

/* The data: gas_rays, then the tables of words. */
static crp_status make_data(crp_context *context, const gas_plan *gp, const gas_mesh *mesh, gas_ray_scene *s)
{
    gas_rays rays = {.n_shapes = s->scene.n};
    rays.at_primitives = sizeof rays / 4;
    rays.at_facets = rays.at_primitives + s->scene.n;
    s->scene.n_data = 4 * ((size_t)rays.at_facets + gp->model->n_facets);
    s->data = calloc(s->scene.n_data, 1);
    CRP_CHECK(context, s->data != NULL, CRP_ERR_MEMORY, "no memory for %u triangles", s->scene.n);
    find_frame(gp->model, &rays);
    memcpy(s->data, &rays, sizeof rays);
    uint32_t *facets = (uint32_t *)s->data + rays.at_facets;
    for (uint32_t i = mesh->n; i-- > 0;) {
        facets[mesh->primitives[i].facet & GAS_FACET_MASK] = i;
    }
    s->scene.data = s->data;
    return CRP_OK;
}

static void fill_triangles(const gas_plan *gp, const crp_plan *engine, const gas_mesh *mesh, gas_ray_scene *s)
{
    gas_rays rays;
    memcpy(&rays, s->data, sizeof rays);
    uint32_t *primitives = (uint32_t *)s->data + rays.at_primitives, n = 0;
    for (uint32_t i = 0; i < mesh->n; i++) {
        uint32_t parts = (mesh->primitives[i].facet & GAS_IS_TRIANGLE) != 0 ? 1 : 2;
        for (uint32_t k = 0; k < parts; k++, n++) {
            put_triangle(&rays, &mesh->primitives[i], &mesh->corners[i], k == 1, s->triangles + 9 * (size_t)n);
            primitives[n] = i;
            s->kinds[n] = kind_of(gp, engine->tables[2].data, &mesh->primitives[i]);
        }
    }
}

static crp_status build(crp_context *context, gas_plan *gp, const crp_plan *engine, const gas_mesh *mesh, gas_ray_scene *s)
{
    s->scene = (device_scene){.n = count_triangles(mesh),
                              .n_kinds = GAS_RAY_KINDS,
                              .on_hit = on_hit,
                              .is_never_culled = is_never_culled,
                              .on_miss = "gas_nothing",
                              .n_payload = 4,
                              .trace_depth = gp->model->optix.depth > 1 ? gp->model->optix.depth : 1};
    s->triangles = malloc(9 * sizeof(float) * (size_t)s->scene.n);
    s->kinds = malloc(sizeof(uint32_t) * (size_t)s->scene.n);
    CRP_CHECK(context, s->triangles != NULL && s->kinds != NULL, CRP_ERR_MEMORY, "no memory for %u triangles", s->scene.n);
    s->scene.triangles = s->triangles;
    s->scene.kinds = s->kinds;
    CRP_TRY(make_data(context, gp, mesh, s));
    fill_triangles(gp, engine, mesh, s);
    return CRP_OK;
}

crp_status gas_rays_prepare(crp_context *context, gas_plan *gp, const crp_plan *engine, const device_scene **scene)
{
    gas_mesh mesh = {0};
    if (gp->rays == NULL) {
        gp->rays = calloc(1, sizeof *gp->rays);
        CRP_CHECK(context, gp->rays != NULL, CRP_ERR_MEMORY, "no memory for the scene of the rays");
        crp_status status = gas_mesh_build(context, gp->model, &mesh);
        if (status == CRP_OK) {
            status = build(context, gp, engine, &mesh, gp->rays);
        }
        gas_mesh_destroy(&mesh);
        if (status != CRP_OK) {
            gas_rays_destroy(gp);
            return status;
        }
    }
    *scene = &gp->rays->scene;
    return CRP_OK;
}

void gas_rays_destroy(gas_plan *gp)
{
    if (gp->rays != NULL) {
        free(gp->rays->triangles);
        free(gp->rays->kinds);
        free(gp->rays->data);
        free(gp->rays);
        gp->rays = NULL;
    }
}
