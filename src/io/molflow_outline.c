/**
 * A facet with holes as one outline: see molflow_write.h. Holes are joined from right to left (Eberly 1998): the
 * rightmost corner of a hole sees a corner of the outline, or of a hole joined before, along a line that crosses no
 * edge.
 */
#include "core/context.h"
#include "geom/triangulate.h"
#include "io/molflow_write.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct hole {
    uint32_t loop, corner; /* its rightmost corner */
    double right;
} hole;

typedef struct joiner {
    const gas_model *model;
    const gas_facet *facet;
    geom_point2 *at;   /* of every corner of the facet, loop after loop */
    uint32_t *outline; /* corners (numbers in `at`) joined so far */
    uint32_t n;
    double *distance;
} joiner;

static uint32_t loop_start(const joiner *j, uint32_t loop)
{
    return j->model->loops[j->facet->first_loop + loop].first - j->model->loops[j->facet->first_loop].first;
}

static uint32_t loop_length(const joiner *j, uint32_t loop)
{
    return j->model->loops[j->facet->first_loop + loop].n;
}

static double side_of(geom_point2 a, geom_point2 b, geom_point2 p)
{
    return (b.u - a.u) * (p.v - a.v) - (b.v - a.v) * (p.u - a.u);
}

static bool is_same(geom_point2 a, geom_point2 b)
{
    return a.u == b.u && a.v == b.v;
}

/** Do two segments cross or touch, but for a common end? */
static bool do_cross(geom_point2 a, geom_point2 b, geom_point2 p, geom_point2 q)
{
    if (is_same(a, p) || is_same(a, q) || is_same(b, p) || is_same(b, q)) {
        return false;
    }
    double sp = side_of(a, b, p), sq = side_of(a, b, q), sa = side_of(p, q, a), sb = side_of(p, q, b);
    return sp * sq <= 0 && sa * sb <= 0 && !(sp == 0 && sq == 0);
}

static bool is_free(const joiner *j, geom_point2 a, geom_point2 b)
{
    for (uint32_t l = 0; l < j->facet->n_loops; l++) {
        uint32_t first = loop_start(j, l), n = loop_length(j, l);
        for (uint32_t i = 0; i < n; i++) {
            if (do_cross(a, b, j->at[first + i], j->at[first + (i + 1) % n])) {
                return false;
            }
        }
    }
    return true;
}

/** Place in the outline of the nearest corner that is seen from a point; the nearest of all if none is. */
static uint32_t find_bridge(joiner *j, geom_point2 from)
{
    uint32_t nearest = 0, best = UINT32_MAX;
    for (uint32_t i = 0; i < j->n; i++) {
        geom_point2 p = j->at[j->outline[i]];
        j->distance[i] = hypot(p.u - from.u, p.v - from.v);
        nearest = j->distance[i] < j->distance[nearest] ? i : nearest;
    }
    for (uint32_t i = 0; i < j->n; i++) {
        bool is_nearer = best == UINT32_MAX || j->distance[i] < j->distance[best];
        if (is_nearer && is_free(j, from, j->at[j->outline[i]])) {
            best = i;
        }
    }
    return best == UINT32_MAX ? nearest : best;
}

static int by_right(const void *a, const void *b)
{
    const hole *p = a, *q = b;
    return p->right > q->right ? -1 : p->right < q->right ? 1 : p->loop < q->loop ? -1 : p->loop > q->loop;
}

static double loop_area(const joiner *j, uint32_t loop)
{
    uint32_t first = loop_start(j, loop), n = loop_length(j, loop);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        geom_point2 a = j->at[first + i], b = j->at[first + (i + 1) % n];
        sum += a.u * b.v - b.u * a.v;
    }
    return sum;
}

/** Outline ... b, then the hole from its corner once round and that corner again, then b again and on. */
static void join_hole(joiner *j, const hole *h)
{
    uint32_t first = loop_start(j, h->loop), n = loop_length(j, h->loop), start = h->corner - first;
    uint32_t bridge = find_bridge(j, j->at[h->corner]), step = loop_area(j, h->loop) > 0 ? n - 1 : 1; /* clockwise */
    memmove(j->outline + bridge + n + 2, j->outline + bridge, (j->n - bridge) * sizeof *j->outline);
    for (uint32_t i = 0; i <= n; i++) {
        j->outline[bridge + 1 + i] = first + (uint32_t)((start + (uint64_t)i * step) % n);
    }
    j->n += n + 2;
}

static void load_points(joiner *j, uint32_t facet)
{
    gas_frame f = gas_facet_frame(j->model, facet);
    uint32_t n = 0;
    for (uint32_t l = 0; l < j->facet->n_loops; l++) {
        const gas_loop *loop = &j->model->loops[j->facet->first_loop + l];
        for (uint32_t i = 0; i < loop->n; i++) {
            const double *x = j->model->vertices + 3 * (size_t)j->model->corners[loop->first + i];
            double dx = x[0] - f.origin.x, dy = x[1] - f.origin.y, dz = x[2] - f.origin.z;
            j->at[n++] = (geom_point2){dx * f.u.x + dy * f.u.y + dz * f.u.z, dx * f.v.x + dy * f.v.y + dz * f.v.z};
        }
    }
}

static void join_all(joiner *j, hole *holes)
{
    uint32_t n_holes = j->facet->n_loops - 1;
    for (uint32_t l = 1; l <= n_holes; l++) {
        uint32_t first = loop_start(j, l);
        holes[l - 1] = (hole){l, first, j->at[first].u};
        for (uint32_t i = first + 1; i < first + loop_length(j, l); i++) {
            if (j->at[i].u > holes[l - 1].right) {
                holes[l - 1].corner = i;
                holes[l - 1].right = j->at[i].u;
            }
        }
    }
    qsort(holes, n_holes, sizeof *holes, by_right);
    for (j->n = 0; j->n < loop_length(j, 0); j->n++) {
        j->outline[j->n] = j->n;
    }
    for (uint32_t l = 0; l < n_holes; l++) {
        join_hole(j, &holes[l]);
    }
}

crp_status molflow_outline(crp_context *context, const gas_model *model, uint32_t facet, uint32_t **corners,
                           uint32_t *n)
{
    joiner j = {.model = model, .facet = &model->facets[facet]};
    size_t total = 0;
    for (uint32_t l = 0; l < j.facet->n_loops; l++) {
        total += model->loops[j.facet->first_loop + l].n;
    }
    size_t room = total + 2 * (size_t)j.facet->n_loops;
    const uint32_t *own = model->corners + model->loops[j.facet->first_loop].first;
    hole *holes = malloc(j.facet->n_loops * sizeof *holes);
    j.at = malloc((total + 1) * sizeof *j.at);
    j.outline = malloc((room + 1) * sizeof *j.outline);
    j.distance = malloc((room + 1) * sizeof *j.distance);
    crp_status status = CRP_OK;
    if (holes == NULL || j.at == NULL || j.outline == NULL || j.distance == NULL) {
        status = context_fail(context, CRP_ERR_MEMORY, "not enough memory for a facet of %zu corners", total);
        free(j.outline);
        j.outline = NULL;
    } else {
        load_points(&j, facet);
        join_all(&j, holes);
        for (uint32_t i = 0; i < j.n; i++) {
            j.outline[i] = own[j.outline[i]];
        }
    }
    free(holes);
    free(j.at);
    free(j.distance);
    *corners = j.outline;
    *n = j.n;
    return status;
}
