/** Smooth patches of facets: see mesh.h. Union of neighbours whose normals differ by less than an angle. */
#include "geom/mesh_edges.h"

#include <math.h>
#include <stdlib.h>

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/** The lower number becomes the root, so that the first facet names its patch. */
static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

static void number_roots(uint32_t *parent, uint32_t n, uint32_t *n_patches)
{
    *n_patches = 0;
    for (uint32_t f = 0; f < n; f++) {
        parent[f] = find_root(parent, f);
    }
    /* A root stands before all that belong to it, so its number is there when they ask. */
    for (uint32_t f = 0; f < n; f++) {
        parent[f] = parent[f] == f ? (*n_patches)++ : parent[parent[f]];
    }
}

crp_status mesh_find_patches(crp_context *context, const geom_mesh *mesh, double angle, uint32_t **patch,
                             uint32_t *n_patches)
{
    mesh_plane *planes = NULL;
    uint32_t *twins = NULL, *facet_of = NULL;
    uint32_t *parent = malloc((mesh->n_facets + (size_t)1) * sizeof *parent);
    crp_status status = CRP_OK;
    *patch = NULL;
    CRP_CHECK(context, parent != NULL, CRP_ERR_MEMORY, "not enough memory to group %u facets",
              (unsigned)mesh->n_facets);
    CRP_GOTO(mesh_planes(context, mesh, &planes), done);
    CRP_GOTO(mesh_twins(context, mesh, &twins), done);
    CRP_GOTO(mesh_corner_owners(context, mesh, &facet_of, NULL), done);
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        parent[f] = f;
    }
    double least = cos(angle);
    for (uint32_t c = 0; c < mesh->n_corners; c++) {
        uint32_t f = facet_of[c], g = twins[c] == MESH_NO_CORNER ? f : facet_of[twins[c]];
        if (g > f && mesh->facet_body[f] == mesh->facet_body[g] &&
            point_dot(planes[f].normal, planes[g].normal) > least) {
            unite(parent, f, g);
        }
    }
    number_roots(parent, mesh->n_facets, n_patches);
    *patch = parent;
    parent = NULL;
done:
    free(parent);
    free(planes);
    free(twins);
    free(facet_of);
    return status;
}
