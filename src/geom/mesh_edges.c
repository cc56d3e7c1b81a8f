/** Edges of a mesh: see mesh_edges.h. */
#include "geom/mesh_edges.h"

#include <stdlib.h>

static int compare_edges(const void *a, const void *b)
{
    const mesh_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->corner < q->corner ? -1 : p->corner > q->corner;
}

crp_status mesh_edges(crp_context *context, const geom_mesh *mesh, mesh_edge **edges)
{
    *edges = malloc((mesh->n_corners + (size_t)1) * sizeof **edges);
    CRP_CHECK(context, *edges != NULL, CRP_ERR_MEMORY, "not enough memory for the edges of %u facets",
              (unsigned)mesh->n_facets);
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        for (uint32_t l = mesh->facet_loops[f]; l < mesh->facet_loops[f + 1]; l++) {
            for (uint32_t c = mesh->loop_corners[l]; c < mesh->loop_corners[l + 1]; c++) {
                uint32_t from = mesh->corners[c], to = mesh->corners[mesh_next_corner(mesh, l, c)];
                (*edges)[c] = from < to ? (mesh_edge){from, to, f, c, true} : (mesh_edge){to, from, f, c, false};
            }
        }
    }
    qsort(*edges, mesh->n_corners, sizeof **edges, compare_edges);
    return CRP_OK;
}

crp_status mesh_twins(crp_context *context, const geom_mesh *mesh, uint32_t **twins)
{
    mesh_edge *edges = NULL;
    *twins = malloc((mesh->n_corners + (size_t)1) * sizeof **twins);
    CRP_CHECK(context, *twins != NULL, CRP_ERR_MEMORY, "not enough memory for the edges of %u facets",
              (unsigned)mesh->n_facets);
    crp_status status = mesh_edges(context, mesh, &edges);
    if (status != CRP_OK) {
        free(*twins);
        *twins = NULL;
        return status;
    }
    for (uint32_t i = 0, n; i < mesh->n_corners; i += n) {
        n = mesh_edge_run(edges, i, mesh->n_corners);
        bool is_pair = n == 2 && edges[i].is_forward != edges[i + 1].is_forward;
        for (uint32_t k = 0; k < n; k++) {
            (*twins)[edges[i + k].corner] = is_pair ? edges[i + 1 - k].corner : (uint32_t)MESH_NO_CORNER;
        }
    }
    free(edges);
    return CRP_OK;
}

crp_status mesh_corner_owners(crp_context *context, const geom_mesh *mesh, uint32_t **facets, uint32_t **loops)
{
    size_t n_bytes = (mesh->n_corners + (size_t)1) * sizeof(uint32_t);
    uint32_t *f_of = facets != NULL ? malloc(n_bytes) : NULL, *l_of = loops != NULL ? malloc(n_bytes) : NULL;
    if ((facets != NULL && f_of == NULL) || (loops != NULL && l_of == NULL)) {
        free(f_of);
        free(l_of);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory for the corners of %u facets",
                            (unsigned)mesh->n_facets);
    }
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        for (uint32_t l = mesh->facet_loops[f]; l < mesh->facet_loops[f + 1]; l++) {
            for (uint32_t c = mesh->loop_corners[l]; c < mesh->loop_corners[l + 1]; c++) {
                if (f_of != NULL) {
                    f_of[c] = f;
                }
                if (l_of != NULL) {
                    l_of[c] = l;
                }
            }
        }
    }
    if (facets != NULL) {
        *facets = f_of;
    }
    if (loops != NULL) {
        *loops = l_of;
    }
    return CRP_OK;
}
