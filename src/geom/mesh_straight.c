/**
 * Corners in the middle of straight edges: see mesh.h. Both facets of an edge must leave out the same ones, so the
 * decision is made once a vertex. Whatever is left out between two corners that stay lies close to the line between
 * those two, so that the many small bends of a finely cut arc cannot add up.
 */
#include "geom/mesh_edges.h"

#include <stdlib.h>

enum { MAX_CHAIN = 256 }; /* corners left out between two that stay: bounds the time */

typedef enum vertex_fate { FATE_STAYS, FATE_OPEN, FATE_GOES } vertex_fate;

/** By vertex: how many corners stand there, and the XOR of their neighbours' numbers (0 when both have the same two).
 */
typedef struct vertex_use {
    uint32_t n, neighbours;
} vertex_use;

/** Is p within the tolerance of the straight line from a to b, and between them? */
static bool is_between(geom_point a, geom_point p, geom_point b, double tolerance)
{
    geom_point ab = point_sub(b, a), ap = point_sub(p, a);
    double length = point_length(ab);
    double along = length > 0 ? point_dot(ap, ab) / length : -1;
    return along > 0 && along < length && point_length(point_cross(ap, ab)) / length <= tolerance;
}

/** Vertices that exactly two facets have, between the same two neighbours, are open to decision. */
static crp_status find_open(crp_context *context, const geom_mesh *mesh, uint8_t *fate)
{
    vertex_use *use = calloc(mesh->n_vertices + (size_t)1, sizeof *use);
    CRP_CHECK(context, use != NULL, CRP_ERR_MEMORY, "not enough memory to merge %u facets", (unsigned)mesh->n_facets);
    for (uint32_t l = 0; l < mesh->n_loops; l++) {
        for (uint32_t c = mesh->loop_corners[l]; c < mesh->loop_corners[l + 1]; c++) {
            vertex_use *u = &use[mesh->corners[c]];
            u->n++;
            u->neighbours ^=
                mesh->corners[mesh_previous_corner(mesh, l, c)] ^ mesh->corners[mesh_next_corner(mesh, l, c)];
        }
    }
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        fate[v] = use[v].n == 2 && use[v].neighbours == 0 ? FATE_OPEN : FATE_STAYS;
    }
    free(use);
    return CRP_OK;
}

/** May everything from `anchor` (exclusive) to `corner` (inclusive) be left out? */
static bool may_go(const geom_mesh *mesh, uint32_t loop, uint32_t anchor, uint32_t corner, double tolerance)
{
    geom_point a = mesh->vertices[mesh->corners[anchor]];
    geom_point b = mesh->vertices[mesh->corners[mesh_next_corner(mesh, loop, corner)]];
    if (corner - anchor > MAX_CHAIN) {
        return false;
    }
    for (uint32_t c = anchor + 1; c <= corner; c++) {
        if (!is_between(a, mesh->vertices[mesh->corners[c]], b, tolerance)) {
            return false;
        }
    }
    return true;
}

/** Decide what is open in one loop. Its first corner stays: chains begin somewhere. */
static void decide_loop(const geom_mesh *mesh, uint32_t loop, double tolerance, uint8_t *fate)
{
    uint32_t first = mesh->loop_corners[loop], end = mesh->loop_corners[loop + 1], anchor = first, n_left = 0;
    if (fate[mesh->corners[first]] == FATE_OPEN) {
        fate[mesh->corners[first]] = FATE_STAYS;
    }
    for (uint32_t c = first; c < end; c++) {
        uint8_t *f = &fate[mesh->corners[c]];
        if (*f == FATE_OPEN) {
            *f = may_go(mesh, loop, anchor, c, tolerance) ? FATE_GOES : FATE_STAYS;
        }
        if (*f == FATE_STAYS) {
            anchor = c;
            n_left++;
        }
    }
    for (uint32_t c = first; c < end && n_left < 3; c++) {
        fate[mesh->corners[c]] = FATE_STAYS; /* a loop thinner than the tolerance keeps all it has */
    }
}

static void drop_corners(geom_mesh *mesh, const uint8_t *fate)
{
    uint32_t at = 0, first = 0;
    for (uint32_t l = 0; l < mesh->n_loops; l++) {
        uint32_t end = mesh->loop_corners[l + 1];
        mesh->loop_corners[l] = at;
        for (uint32_t c = first; c < end; c++) {
            if (fate[mesh->corners[c]] != FATE_GOES) {
                mesh->corners[at++] = mesh->corners[c];
            }
        }
        first = end;
    }
    if (mesh->n_loops > 0) {
        mesh->loop_corners[mesh->n_loops] = at;
    }
    mesh->n_corners = at;
}

static crp_status drop_unused_vertices(crp_context *context, geom_mesh *mesh)
{
    uint32_t *target = calloc(mesh->n_vertices + (size_t)1, sizeof *target), n = 0;
    CRP_CHECK(context, target != NULL, CRP_ERR_MEMORY, "not enough memory to merge %u facets",
              (unsigned)mesh->n_facets);
    for (uint32_t c = 0; c < mesh->n_corners; c++) {
        target[mesh->corners[c]] = 1;
    }
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        if (target[v] != 0) {
            mesh->vertices[n] = mesh->vertices[v];
            target[v] = n++;
        }
    }
    for (uint32_t c = 0; c < mesh->n_corners; c++) {
        mesh->corners[c] = target[mesh->corners[c]];
    }
    mesh->n_vertices = n;
    free(target);
    return CRP_OK;
}

crp_status mesh_drop_straight_corners(crp_context *context, geom_mesh *mesh, double tolerance)
{
    uint8_t *fate = malloc(mesh->n_vertices + (size_t)1);
    CRP_CHECK(context, fate != NULL, CRP_ERR_MEMORY, "not enough memory to merge %u facets", (unsigned)mesh->n_facets);
    crp_status status = find_open(context, mesh, fate);
    if (status == CRP_OK) {
        for (uint32_t l = 0; l < mesh->n_loops; l++) {
            decide_loop(mesh, l, tolerance, fate);
        }
        drop_corners(mesh, fate);
        status = drop_unused_vertices(context, mesh);
    }
    free(fate);
    return status;
}
