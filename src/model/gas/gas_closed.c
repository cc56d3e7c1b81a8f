/* Is a model closed, so that every way from its inside ends on a facet? */
#include "model/gas/gas_records.h"

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

static bool is_closed(const gas_model *m)
{
    uint32_t *number = weld(m);
    edge *edges = malloc(((size_t)m->n_corners + 1) * sizeof *edges);
    size_t n = 0;
    for (uint32_t i = 0; number != NULL && edges != NULL && i < m->n_loops; i++) {
        const gas_loop *loop = &m->loops[i];
        for (uint32_t k = 0; k < loop->n; k++) {
            uint32_t a = number[m->corners[loop->first + k]], b = number[m->corners[loop->first + (k + 1) % loop->n]];
            edges[n++] = (edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
        }
    }
    bool is_fine = number != NULL && edges != NULL && are_paired(edges, n);
    free(number);
    free(edges);
    return is_fine;
}

bool gas_records_are_possible(const gas_model *m, const gas_mesh *mesh)
{
    if (m->n_structures != 1 || m->n_facets > MAX_FACETS) {
        return false;
    }
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        const gas_surface *s = &m->surfaces[i];
        if (s->n_facets > 0 && (s->opacity < 1.0 || s->is_two_sided || s->link >= 0 || s->teleport != GAS_NONE)) {
            return false;
        }
    }
    for (uint32_t i = 1; i < mesh->n; i++) { /* the parts of a facet have one plane, or it is not flat */
        const gas_primitive *a = &mesh->primitives[i - 1], *b = &mesh->primitives[i];
        bool is_same_facet = (a->facet & GAS_FACET_MASK) == (b->facet & GAS_FACET_MASK);
        if (is_same_facet && memcmp(a->n, b->n, sizeof a->n) != 0) {
            return false;
        }
    }
    return is_closed(m);
}
