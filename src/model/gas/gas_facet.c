/* Plane geometry of one facet: frame by Newell's normal, area, flatness. */
#include "model/gas/gas_facet.h"

#include <math.h>
#include <string.h>

static gas_point corner_of(const gas_model *model, const gas_loop *loop, uint32_t i)
{
    const double *v = model->vertices + 3 * (size_t)model->corners[loop->first + i % loop->n];
    return (gas_point){v[0], v[1], v[2]};
}

static gas_point minus(gas_point a, gas_point b)
{
    return (gas_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(gas_point a, gas_point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static gas_point cross(gas_point a, gas_point b)
{
    return (gas_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static gas_point scaled(gas_point a, double s)
{
    return (gas_point){a.x * s, a.y * s, a.z * s};
}

/* Twice the area times the normal, relative to the first corner so that far models lose no digits. */
static gas_point newell(const gas_model *model, const gas_loop *loop)
{
    gas_point sum = {0.0, 0.0, 0.0}, base = corner_of(model, loop, 0);
    for (uint32_t i = 1; i + 1 < loop->n; i++) {
        gas_point c = cross(minus(corner_of(model, loop, i), base), minus(corner_of(model, loop, i + 1), base));
        sum = (gas_point){sum.x + c.x, sum.y + c.y, sum.z + c.z};
    }
    return sum;
}

/* U: the first edge that is not along the normal, made square to it. */
static bool find_u(const gas_model *model, const gas_loop *outline, gas_frame *frame)
{
    for (uint32_t i = 0; i < outline->n; i++) {
        gas_point edge = minus(corner_of(model, outline, i + 1), corner_of(model, outline, i));
        double along = dot(edge, frame->n), length = sqrt(dot(edge, edge));
        gas_point flat = minus(edge, scaled(frame->n, along));
        double flat_length = sqrt(dot(flat, flat));
        if (length > 0.0 && flat_length > 1e-6 * length) {
            frame->u = scaled(flat, 1.0 / flat_length);
            return true;
        }
    }
    return false;
}

/* Bounding rectangle in (U, V), and the farthest corner from the plane through the mean of the corners. */
static void find_extent(const gas_model *model, const gas_facet *facet, gas_frame *frame)
{
    const gas_loop *outline = &model->loops[facet->first_loop];
    gas_point base = corner_of(model, outline, 0);
    double low_u = 0.0, high_u = 0.0, low_v = 0.0, high_v = 0.0, low_n = 0.0, high_n = 0.0, sum_n = 0.0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < facet->n_loops; k++) {
        const gas_loop *loop = outline + k;
        for (uint32_t i = 0; i < loop->n; i++, n++) {
            gas_point d = minus(corner_of(model, loop, i), base);
            double u = dot(d, frame->u), v = dot(d, frame->v), h = dot(d, frame->n);
            low_n = fmin(low_n, h), high_n = fmax(high_n, h), sum_n += h;
            if (k == 0) {
                low_u = fmin(low_u, u), high_u = fmax(high_u, u), low_v = fmin(low_v, v), high_v = fmax(high_v, v);
            }
        }
    }
    double mean = sum_n / n;
    frame->flatness = fmax(high_n - mean, mean - low_n);
    frame->length_u = high_u - low_u;
    frame->length_v = high_v - low_v;
    gas_point shift = {low_u * frame->u.x + low_v * frame->v.x + mean * frame->n.x,
                       low_u * frame->u.y + low_v * frame->v.y + mean * frame->n.y,
                       low_u * frame->u.z + low_v * frame->v.z + mean * frame->n.z};
    frame->origin = (gas_point){base.x + shift.x, base.y + shift.y, base.z + shift.z};
}

gas_frame gas_facet_frame(const gas_model *model, uint32_t facet_id)
{
    gas_frame frame;
    memset(&frame, 0, sizeof frame);
    const gas_facet *facet = &model->facets[facet_id];
    gas_point outline = newell(model, &model->loops[facet->first_loop]);
    double length = sqrt(dot(outline, outline)), area = 0.5 * length;
    if (!(length > 0.0)) {
        return frame;
    }
    frame.n = scaled(outline, 1.0 / length);
    if (!find_u(model, &model->loops[facet->first_loop], &frame)) {
        memset(&frame, 0, sizeof frame);
        return frame;
    }
    frame.v = cross(frame.n, frame.u);
    for (uint32_t k = 1; k < facet->n_loops; k++) { /* holes, in either sense */
        gas_point hole = newell(model, &model->loops[facet->first_loop + k]);
        area -= 0.5 * fabs(dot(hole, frame.n));
    }
    frame.area = area;
    find_extent(model, facet, &frame);
    return frame;
}

void gas_facet_texture_counts(const gas_model *model, uint32_t facet, const gas_frame *frame, double *u, double *v)
{
    const gas_surface *surface = &model->surfaces[model->facets[facet].surface];
    *u = surface->texture_u;
    *v = surface->texture_v;
    if (surface->texture_cell > 0.0) {
        *u = frame->length_u / surface->texture_cell;
        *v = frame->length_v / surface->texture_cell;
    } else if (!(*u > 0.0) || !(*v > 0.0)) {
        *u = *v = 0.0;
    }
}

/* The next whole number, but 10.000001 is ten cells and not eleven. */
static uint32_t cells_of(double count)
{
    double n = ceil(count * (1.0 - 1e-7));
    return !(count > 0.0) ? 0 : n < 1.0 ? 1 : n > 1e6 ? 1000000 : (uint32_t)n;
}

void gas_facet_texture(const gas_model *model, uint32_t facet, const gas_frame *frame, uint32_t *n_u, uint32_t *n_v)
{
    double u, v;
    gas_facet_texture_counts(model, facet, frame, &u, &v);
    *n_u = cells_of(u);
    *n_v = cells_of(v);
}
