/* Cells of textures: where they stand in the tallies, and how much of each lies in its facet. */
#include "core/context.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdlib.h>

uint64_t gas_texture_cells(const gas_model *model, uint64_t *first)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < model->n_facets; i++) {
        const gas_surface *s = &model->surfaces[model->facets[i].surface];
        uint32_t n_u = 0, n_v = 0;
        if (model->score_textures && (s->texture_cell > 0.0 || s->texture_u > 0.0)) {
            gas_frame frame = gas_facet_frame(model, i);
            gas_facet_texture(model, i, &frame, &n_u, &n_v);
        }
        if (first != NULL) {
            first[i] = n;
        }
        n += (uint64_t)n_u * n_v;
    }
    return n;
}

/* A polygon in cells of the texture. */
typedef struct polygon {
    double *u, *v;
    uint32_t n;
} polygon;

/* The part of a polygon where sign (x - limit) <= 0, x being u or v. Sutherland and Hodgman 1974: of an outline that is
 * not convex the parts may hang together by edges without area, which do not count in it. */
static void clip(const polygon *from, polygon *to, bool is_v, double limit, double sign)
{
    to->n = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t j = (i + 1) % from->n;
        double a = sign * ((is_v ? from->v : from->u)[i] - limit), b = sign * ((is_v ? from->v : from->u)[j] - limit);
        if (a <= 0.0) {
            to->u[to->n] = from->u[i];
            to->v[to->n++] = from->v[i];
        }
        if ((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)) {
            double t = a / (a - b);
            to->u[to->n] = is_v ? from->u[i] + t * (from->u[j] - from->u[i]) : limit;
            to->v[to->n++] = is_v ? limit : from->v[i] + t * (from->v[j] - from->v[i]);
        }
    }
}

static double area_of(const polygon *p)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t j = (i + 1) % p->n;
        sum += p->u[i] * p->v[j] - p->u[j] * p->v[i];
    }
    return 0.5 * sum;
}

/* Add sign times the area of a loop to every cell, in units of a whole cell: rows first, then the cells of each. */
static void add_loop(polygon *p, double sign, uint32_t n_u, uint32_t n_v, double *area)
{
    for (uint32_t j = 0; j < n_v; j++) {
        clip(&p[0], &p[1], true, (double)j, -1.0);
        clip(&p[1], &p[2], true, (double)j + 1.0, 1.0);
        for (uint32_t i = 0; i < n_u && p[2].n > 0; i++) {
            clip(&p[2], &p[1], false, (double)i, -1.0);
            clip(&p[1], &p[3], false, (double)i + 1.0, 1.0);
            area[(size_t)j * n_u + i] += sign * fabs(area_of(&p[3]));
        }
    }
}

static void load_loop(const gas_model *model, const gas_loop *loop, const gas_frame *f, double n_u, double n_v,
                      polygon *p)
{
    p->n = loop->n;
    for (uint32_t i = 0; i < loop->n; i++) {
        const double *x = model->vertices + 3 * (size_t)model->corners[loop->first + i];
        double dx = x[0] - f->origin.x, dy = x[1] - f->origin.y, dz = x[2] - f->origin.z;
        p->u[i] = (dx * f->u.x + dy * f->u.y + dz * f->u.z) / f->length_u * n_u;
        p->v[i] = (dx * f->v.x + dy * f->v.y + dz * f->v.z) / f->length_v * n_v;
    }
}

crp_status gas_texture_areas(crp_context *context, const gas_model *model, uint32_t facet, const gas_frame *frame,
                             uint32_t n_u, uint32_t n_v, double *area)
{
    const gas_facet *f = &model->facets[facet];
    uint32_t most = 0;
    double count_u, count_v;
    gas_facet_texture_counts(model, facet, frame, &count_u, &count_v);
    for (uint32_t k = 0; k < f->n_loops; k++) {
        uint32_t n = model->loops[f->first_loop + k].n;
        most = n > most ? n : most;
    }
    size_t room = 4 * (size_t)most + 8; /* a cut adds at most one corner for each that is left */
    double *memory = malloc(8 * room * sizeof *memory);
    CRP_CHECK(context, memory != NULL, CRP_ERR_MEMORY, "no memory for the texture of a facet of %u corners", most);
    polygon p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = (polygon){memory + 2 * (size_t)i * room, memory + (2 * (size_t)i + 1) * room, 0};
    }
    for (size_t i = 0; i < (size_t)n_u * n_v; i++) {
        area[i] = 0.0;
    }
    for (uint32_t k = 0; k < f->n_loops; k++) {
        load_loop(model, &model->loops[f->first_loop + k], frame, count_u, count_v, &p[0]);
        add_loop(p, k == 0 ? 1.0 : -1.0, n_u, n_v, area);
    }
    double whole = frame->length_u * frame->length_v / (count_u * count_v);
    for (size_t i = 0; i < (size_t)n_u * n_v; i++) {
        area[i] = area[i] > 1e-9 ? area[i] * whole : 0.0;
    }
    free(memory);
    return CRP_OK;
}
