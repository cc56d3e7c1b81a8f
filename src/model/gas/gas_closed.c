/* Is a model closed, so that every way from its inside ends on a facet? */
#include "model/gas/gas_records.h"

#include "geom/point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FACETS = 12000 };

static const double *sort_vertices;

static int compare_vertices(const void *a, const void *b)
{
    const double *x = sort_vertices + 3 * (size_t) * (const uint32_t *)a,
                 *y = sort_vertices + 3 * (size_t) * (const uint32_t *)b;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Vertices at the same place get the same number. NULL: no memory. */
static uint32_t *weld(const gas_model *m)
{
    uint32_t *order = malloc(((size_t)m->n_vertices + 1) * sizeof *order);
    uint32_t *number = malloc(((size_t)m->n_vertices + 1) * sizeof *number);
    if (order == NULL || number == NULL) {
        free(order);
        free(number);
        return NULL;
    }
    for (uint32_t i = 0; i < m->n_vertices; i++) {
        order[i] = i;
    }
    sort_vertices = m->vertices;
    qsort(order, m->n_vertices, sizeof *order, compare_vertices);
    for (uint32_t i = 0; i < m->n_vertices; i++) {
        bool is_same = i > 0 && compare_vertices(&order[i - 1], &order[i]) == 0;
        number[order[i]] = is_same ? number[order[i - 1]] : order[i];
    }
    free(order);
    return number;
}

typedef struct edge {
    uint32_t low, high;
    int32_t sense; /* +1: from low to high */
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    return x->high < y->high ? -1 : x->high > y->high;
}

/* Every edge twice, once in each sense. */
static bool are_paired(edge *edges, size_t n)
{
    qsort(edges, n, sizeof *edges, compare_edges);
    for (size_t i = 0; i < n; i += 2) {
        bool is_pair =
            i + 1 < n && compare_edges(&edges[i], &edges[i + 1]) == 0 && edges[i].sense + edges[i + 1].sense == 0;
        bool is_third = i + 2 < n && compare_edges(&edges[i], &edges[i + 2]) == 0;
        if (!is_pair || is_third) {
            return false;
        }
    }
    return true;
}

/* Molecules meet it from one side only, and none pass. */
static bool is_wall(const gas_surface *s)
{
    return !s->is_two_sided && s->opacity >= 1.0;
}

/* The walls alone: what stands free among them does not matter. */
static bool is_closed(const gas_model *m)
{
    uint32_t *number = weld(m);
    edge *edges = malloc(((size_t)m->n_corners + 1) * sizeof *edges);
    size_t n = 0;
    for (uint32_t i = 0; number != NULL && edges != NULL && i < m->n_facets; i++) {
        const gas_facet *f = &m->facets[i];
        for (uint32_t l = 0; is_wall(&m->surfaces[f->surface]) && l < f->n_loops; l++) {
            const gas_loop *loop = &m->loops[f->first_loop + l];
            for (uint32_t k = 0; k < loop->n; k++) {
                uint32_t a = number[m->corners[loop->first + k]];
                uint32_t b = number[m->corners[loop->first + (k + 1) % loop->n]];
                edges[n++] = (edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
            }
        }
    }
    bool is_fine = n > 0 && number != NULL && edges != NULL && are_paired(edges, n);
    free(number);
    free(edges);
    return is_fine;
}

/* ------------------------------------------------------------------------------------------------ enclosed */

static geom_point less(const double *p, geom_point at)
{
    return (geom_point){p[0] - at.x, p[1] - at.y, p[2] - at.z};
}

static double dot(geom_point a, geom_point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* The solid angle of a triangle seen from the origin, < 0 from its front. Ref: Van Oosterom and Strackee 1983. */
static double solid_angle(geom_point a, geom_point b, geom_point c)
{
    double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    double volume = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
    return 2.0 * atan2(volume, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

/* How often the walls surround a point, their fronts inwards. A loop as a fan from its first corner: what the triangles
 * of a bent outline have too much, others have too little. */
static double times_surrounded(const gas_model *m, geom_point at)
{
    double angle = 0.0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        const gas_facet *f = &m->facets[i];
        for (uint32_t l = 0; is_wall(&m->surfaces[f->surface]) && l < f->n_loops; l++) {
            const gas_loop *loop = &m->loops[f->first_loop + l];
            const uint32_t *corner = m->corners + loop->first;
            geom_point a = less(m->vertices + 3 * (size_t)corner[0], at);
            for (uint32_t k = 1; k + 1 < loop->n; k++) {
                angle += solid_angle(a, less(m->vertices + 3 * (size_t)corner[k], at),
                                     less(m->vertices + 3 * (size_t)corner[k + 1], at));
            }
        }
    }
    return -angle / (4.0 * 3.14159265358979323846);
}

/* A little in front of a primitive. */
static geom_point in_front_of(const gas_mesh *mesh, uint32_t i)
{
    const gas_corner *c = &mesh->corners[i];
    const double *n = mesh->primitives[i].n, up = 1e-7 * mesh->size;
    double p[3];
    for (int k = 0; k < 3; k++) {
        p[k] = c->corner[k] + 0.37 * c->edge_u[k] + 0.29 * c->edge_v[k] + up * n[k];
    }
    return (geom_point){p[0], p[1], p[2]};
}

/* A body with nothing around it is closed too, and yet a way from it may end nowhere: up to MOST places in front of
 * walls, spread over the model, must be surrounded. */
static bool is_enclosed(const gas_model *m, const gas_mesh *mesh)
{
    enum { MOST = 256 };
    uint32_t step = 1 + mesh->n / MOST;
    bool is_fine = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(&& : is_fine) if (mesh->n > 1000)
    for (uint32_t i = 0; i < mesh->n; i += step) {
        if (is_wall(&m->surfaces[mesh->primitives[i].surface])) {
            is_fine = is_fine && times_surrounded(m, in_front_of(mesh, i)) > 0.5;
        }
    }
    return is_fine;
}

bool gas_records_are_possible(const gas_model *m, const gas_mesh *mesh)
{
    return m->n_structures == 1 && m->n_facets <= MAX_FACETS && is_closed(m) && is_enclosed(m, mesh);
}
