/* Plane geometry of one facet: frame by Newell's normal, area, flatness. */
#include "model/gas/gas_facet.h"

#include <math.h>
#include <string.h>

static geom_point corner_of(const gas_model *model, const gas_loop *loop, uint32_t i)
{
    const double *v = model->vertices + 3 * (size_t)model->corners[loop->first + i % loop->n];
    return (geom_point){v[0], v[1], v[2]};
}

/* Twice the area times the normal, relative to the first corner so that far models lose no digits. */
static geom_point newell(const gas_model *model, const gas_loop *loop)
{
    geom_point sum = {0.0, 0.0, 0.0}, base = corner_of(model, loop, 0);
    for (uint32_t i = 1; i + 1 < loop->n; i++) {
        geom_point c = point_cross(point_sub(corner_of(model, loop, i), base), point_sub(corner_of(model, loop, i + 1), base));
        sum = (geom_point){sum.x + c.x, sum.y + c.y, sum.z + c.z};
    }
    return sum;
}

/* U: the first edge that is not along the normal, made square to it. */
static bool find_u(const gas_model *model, const gas_loop *outline, gas_frame *frame)
{
    for (uint32_t i = 0; i < outline->n; i++) {
        geom_point edge = point_sub(corner_of(model, outline, i + 1), corner_of(model, outline, i));
        double along = point_dot(edge, frame->n), length = sqrt(point_dot(edge, edge));
        geom_point flat = point_sub(edge, point_scaled(frame->n, along));
        double flat_length = sqrt(point_dot(flat, flat));
        if (length > 0.0 && flat_length > 1e-6 * length) {
            frame->u = point_scaled(flat, 1.0 / flat_length);
            return true;
        }
    }
    return false;
}

/* Bounding rectangle in (U, V), and the farthest corner from the plane through the mean of the corners. */
static void find_extent(const gas_model *model, const gas_facet *facet, gas_frame *frame)
{
    const gas_loop *outline = &model->loops[facet->first_loop];
    geom_point base = corner_of(model, outline, 0);
    double low_u = 0.0, high_u = 0.0, low_v = 0.0, high_v = 0.0, low_n = 0.0, high_n = 0.0, sum_n = 0.0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < facet->n_loops; k++) {
        const gas_loop *loop = outline + k;
        for (uint32_t i = 0; i < loop->n; i++, n++) {
            geom_point d = point_sub(corner_of(model, loop, i), base);
            double u = point_dot(d, frame->u), v = point_dot(d, frame->v), h = point_dot(d, frame->n);
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
    geom_point shift = {low_u * frame->u.x + low_v * frame->v.x + mean * frame->n.x,
                       low_u * frame->u.y + low_v * frame->v.y + mean * frame->n.y,
                       low_u * frame->u.z + low_v * frame->v.z + mean * frame->n.z};
    frame->origin = (geom_point){base.x + shift.x, base.y + shift.y, base.z + shift.z};
}

gas_frame gas_facet_frame(const gas_model *model, uint32_t facet_id)
{
    gas_frame frame;
    memset(&frame, 0, sizeof frame);
    const gas_facet *facet = &model->facets[facet_id];
    geom_point outline = newell(model, &model->loops[facet->first_loop]);
    double length = sqrt(point_dot(outline, outline)), area = 0.5 * length;
    if (!(length > 0.0)) {
        return frame;
    }
    frame.n = point_scaled(outline, 1.0 / length);
    if (!find_u(model, &model->loops[facet->first_loop], &frame)) {
        memset(&frame, 0, sizeof frame);
        return frame;
    }
    frame.v = point_cross(frame.n, frame.u);
    for (uint32_t k = 1; k < facet->n_loops; k++) { /* holes, in either sense */
        geom_point hole = newell(model, &model->loops[facet->first_loop + k]);
        area -= 0.5 * fabs(point_dot(hole, frame.n));
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
