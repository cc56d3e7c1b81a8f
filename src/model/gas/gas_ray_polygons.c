/* Facets as polygons for the device optix: a box each, a bounding rectangle, an outline. */
#include "model/gas/gas_rays.h"

#include <math.h>
#include <string.h>

/* A box reaches beyond its polygon by this: more than all rounding of coordinates below 128. */
static const float BOX_MARGIN = 6.103515625e-5f;

/* The facet that begins at a primitive: one past its last, and whether all have one plane. */
static uint32_t end_of_facet(const gas_mesh *mesh, uint32_t first, bool *is_flat)
{
    const gas_primitive *q = &mesh->primitives[first];
    uint32_t end = first;
    *is_flat = true;
    for (; end < mesh->n && mesh->primitives[end].facet << 2 == q->facet << 2; end++) {
        *is_flat = *is_flat && memcmp(mesh->primitives[end].n, q->n, sizeof q->n) == 0;
    }
    return end;
}

/* Corners of an outline: rings closed by their first corner again, with one in between that belongs to none. */
static uint32_t corners_of(const gas_model *m, uint32_t facet)
{
    uint32_t n = m->facets[facet].n_loops - 1;
    for (uint32_t k = 0; k < m->facets[facet].n_loops; k++) {
        n += m->loops[m->facets[facet].first_loop + k].n + 1;
    }
    return n;
}

void gas_ray_polygons_count(const gas_plan *plan, const gas_mesh *mesh, uint32_t *n_polygons, uint32_t *n_corners)
{
    bool is_flat;
    *n_polygons = *n_corners = 0;
    for (uint32_t i = 0, end; i < mesh->n; i = end) {
        end = end_of_facet(mesh, i, &is_flat);
        *n_polygons += is_flat ? 1 : end - i;
        *n_corners += is_flat ? corners_of(plan->model, mesh->primitives[i].facet & GAS_FACET_MASK) : 5 * (end - i);
    }
}

/* Where the next polygon goes. */
typedef struct polygon_maker {
    gas_ray_maker *maker;
    uint32_t n, n_corners;
    gas_outline *outline;
    float *corners, *box;
} polygon_maker;

static void begin(polygon_maker *p, const gas_primitive *q, uint32_t number)
{
    const gas_rays *rays = &p->maker->rays;
    gas_ray_scene *out = p->maker->out;
    gas_outline *outline = p->outline = (gas_outline *)((uint32_t *)out->data + rays->at_outlines) + p->n;
    p->corners = (float *)out->data + rays->at_corners + 2 * (size_t)p->n_corners;
    p->box = out->shapes + 6 * (size_t)p->n;
    ((uint32_t *)out->data)[rays->at_primitives + p->n] = number;
    out->kinds[p->n] = gas_ray_kind(p->maker->rows, q);
    double height = q->n[3];
    for (int k = 0; k < 3; k++) {
        outline->normal[k] = (float)q->n[k];
        height -= q->n[k] * rays->centre[k];
        p->box[k] = INFINITY;
        p->box[3 + k] = -INFINITY;
    }
    outline->height = (float)(height * rays->scale);
    outline->first_corner = p->n_corners;
    outline->n_corners = 0;
    outline->is_two_sided = (q->facet & GAS_IS_TWO_SIDED) != 0;
}

/* A coordinate of the rectangle: axis . p + shift of places, made one of rays. Returns the slack in it. */
static float set_axis(const gas_rays *rays, const double *axis, double shift, float *out)
{
    double steep = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) * rays->unit;
    for (int k = 0; k < 3; k++) {
        out[k] = (float)(axis[k] * rays->unit);
        shift += axis[k] * rays->centre[k];
    }
    out[3] = (float)shift;
    return (float)(steep * (double)GAS_RAY_SLACK);
}

/* A corner at a place, where the rectangle has (u, v). */
static void add_corner(polygon_maker *p, const double *place, double u, double v)
{
    const gas_rays *rays = &p->maker->rays;
    float *corner = p->corners + 2 * (size_t)p->outline->n_corners++;
    corner[0] = (float)u;
    corner[1] = (float)v;
    for (int k = 0; k < 3; k++) {
        float x = (float)((place[k] - rays->centre[k]) * rays->scale);
        p->box[k] = fminf(p->box[k], x - BOX_MARGIN);
        p->box[3 + k] = fmaxf(p->box[3 + k], x + BOX_MARGIN);
    }
}

static void end(polygon_maker *p)
{
    p->n_corners += p->outline->n_corners;
    p->n++;
}

/* A corner that belongs to no ring. */
static void add_gap(polygon_maker *p)
{
    float *corner = p->corners + 2 * (size_t)p->outline->n_corners++;
    corner[0] = corner[1] = NAN;
}

static void add_facet(polygon_maker *p, uint32_t facet)
{
    const gas_model *m = p->maker->plan->model;
    const gas_rays *rays = &p->maker->rays;
    gas_frame f = gas_facet_frame(m, facet);
    double u[3] = {f.u.x / f.length_u, f.u.y / f.length_u, f.u.z / f.length_u};
    double v[3] = {f.v.x / f.length_v, f.v.y / f.length_v, f.v.z / f.length_v};
    double u0 = -(u[0] * f.origin.x + u[1] * f.origin.y + u[2] * f.origin.z);
    double v0 = -(v[0] * f.origin.x + v[1] * f.origin.y + v[2] * f.origin.z);
    p->outline->slack_u = set_axis(rays, u, u0, p->outline->u);
    p->outline->slack_v = set_axis(rays, v, v0, p->outline->v);
    for (uint32_t k = 0; k < m->facets[facet].n_loops; k++) {
        gas_loop loop = m->loops[m->facets[facet].first_loop + k];
        if (k > 0) {
            add_gap(p);
        }
        for (uint32_t i = 0; i <= loop.n; i++) {
            const double *x = m->vertices + 3 * (size_t)m->corners[loop.first + i % loop.n];
            add_corner(p, x, u[0] * x[0] + u[1] * x[1] + u[2] * x[2] + u0,
                       v[0] * x[0] + v[1] * x[1] + v[2] * x[2] + v0);
        }
    }
}

/* A part of a facet that is not flat. */
static void add_part(polygon_maker *p, const gas_primitive *q, const gas_corner *c)
{
    bool is_triangle = (q->facet & GAS_IS_TRIANGLE) != 0;
    p->outline->slack_u = set_axis(&p->maker->rays, q->u, q->u[3], p->outline->u);
    p->outline->slack_v = set_axis(&p->maker->rays, q->v, q->v[3], p->outline->v);
    for (int i = 0; i < 5; i++) {
        int u = i == 1 || (i == 2 && !is_triangle), v = i == 2 || (i == 3 && !is_triangle);
        double place[3];
        if (i == 3 && is_triangle) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            place[k] = c->corner[k] + u * c->edge_u[k] + v * c->edge_v[k];
        }
        add_corner(p, place, u, v);
    }
}

void gas_ray_polygons_fill(gas_ray_maker *maker)
{
    const gas_mesh *mesh = maker->mesh;
    polygon_maker p = {.maker = maker};
    bool is_flat;
    for (uint32_t i = 0, last; i < mesh->n; i = last) {
        last = end_of_facet(mesh, i, &is_flat);
        for (uint32_t k = i; k < (is_flat ? i + 1 : last); k++) {
            begin(&p, &mesh->primitives[k], k);
            if (is_flat) {
                add_facet(&p, mesh->primitives[k].facet & GAS_FACET_MASK);
            } else {
                add_part(&p, &mesh->primitives[k], &mesh->corners[k]);
            }
            end(&p);
        }
    }
}
