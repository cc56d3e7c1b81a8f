/** The edges of a mesh, sorted, so that facets find their neighbours. */
#ifndef GEOM_MESH_EDGES_H
#define GEOM_MESH_EDGES_H

#include "geom/mesh.h"

/** One side of a facet: from corner `corner` to the next one of its loop. */
typedef struct mesh_edge {
    uint32_t low, high; /**< its vertices, the lower number first */
    uint32_t facet, corner;
    bool is_forward; /**< it runs from low to high */
} mesh_edge;

/** All edges, sorted by (low, high, facet, corner): those between the same vertices stand together. n_corners items,
 * free with free(). Errors: CRP_ERR_MEMORY. */
crp_status mesh_edges(crp_context *context, const geom_mesh *mesh, mesh_edge **edges);

/** How many edges from `first` on, of n, join the same two vertices. */
static inline uint32_t mesh_edge_run(const mesh_edge *edges, uint32_t first, uint32_t n)
{
    uint32_t end = first + 1;
    while (end < n && edges[end].low == edges[first].low && edges[end].high == edges[first].high) {
        end++;
    }
    return end - first;
}

#define MESH_NO_CORNER UINT32_MAX

/**
 * The corner where the neighbour's side along the same edge begins, for every corner: MESH_NO_CORNER where not exactly
 * two facets meet there, running in opposite directions. n_corners numbers, free with free(). Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_twins(crp_context *context, const geom_mesh *mesh, uint32_t **twins);

/** The facet and the loop of every corner; n_corners numbers each, free with free(). NULL: not wanted. */
crp_status mesh_corner_owners(crp_context *context, const geom_mesh *mesh, uint32_t **facets, uint32_t **loops);

/** The corner after or before a corner in its loop. */
static inline uint32_t mesh_next_corner(const geom_mesh *mesh, uint32_t loop, uint32_t corner)
{
    return corner + 1 < mesh->loop_corners[loop + 1] ? corner + 1 : mesh->loop_corners[loop];
}
static inline uint32_t mesh_previous_corner(const geom_mesh *mesh, uint32_t loop, uint32_t corner)
{
    return corner > mesh->loop_corners[loop] ? corner - 1 : mesh->loop_corners[loop + 1] - 1;
}

#endif
