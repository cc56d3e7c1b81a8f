/** Polygon meshes: storage, and the geometry of one facet. See mesh.h. */
#include "geom/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Make room for one more item and, with it, the end marker behind the last one. */
static crp_status grow(crp_context *context, void **items, uint32_t *room, uint32_t needed, size_t size)
{
    if (needed < *room) {
        return CRP_OK;
    }
    uint32_t wanted = *room < 8 ? 16 : *room + *room / 2;
    wanted = wanted > needed ? wanted : needed + 1;
    void *larger = realloc(*items, wanted * size);
    CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "not enough memory for a mesh (%zu bytes more)", wanted * size);
    *items = larger;
    *room = wanted;
    return CRP_OK;
}

crp_status mesh_create(crp_context *context, geom_mesh **mesh)
{
    geom_mesh *made = calloc(1, sizeof *made);
    *mesh = NULL;
    CRP_CHECK(context, made != NULL, CRP_ERR_MEMORY, "not enough memory for a mesh");
    made->rounding = 1e-15;
    *mesh = made;
    return CRP_OK;
}

void mesh_destroy(geom_mesh **mesh)
{
    if (mesh == NULL || *mesh == NULL) {
        return;
    }
    geom_mesh *m = *mesh;
    free(m->vertices);
    free(m->facet_loops);
    free(m->facet_body);
    free(m->is_two_sided);
    free(m->loop_corners);
    free(m->corners);
    free(m->bodies);
    free(m);
    *mesh = NULL;
}

crp_status mesh_add_vertex(crp_context *context, geom_mesh *mesh, geom_point vertex)
{
    CRP_TRY(grow(context, (void **)&mesh->vertices, &mesh->vertex_room, mesh->n_vertices + 1, sizeof *mesh->vertices));
    mesh->vertices[mesh->n_vertices++] = vertex;
    return CRP_OK;
}

crp_status mesh_add_body(crp_context *context, geom_mesh *mesh, const char *name)
{
    CRP_TRY(grow(context, (void **)&mesh->bodies, &mesh->body_room, mesh->n_bodies + 1, sizeof *mesh->bodies));
    snprintf(mesh->bodies[mesh->n_bodies++].name, MESH_NAME_LENGTH, "%s", name);
    return CRP_OK;
}

crp_status mesh_add_facet(crp_context *context, geom_mesh *mesh, uint32_t body, bool is_two_sided)
{
    CRP_CHECK(context, mesh->n_facets < MESH_MAX_FACETS, CRP_ERR_FORMAT, "more than %d facets (a wrong file?)",
              (int)MESH_MAX_FACETS);
    uint32_t needed = mesh->n_facets + 2, room = mesh->facet_room;
    CRP_TRY(grow(context, (void **)&mesh->facet_loops, &room, needed, sizeof *mesh->facet_loops));
    room = mesh->facet_room;
    CRP_TRY(grow(context, (void **)&mesh->facet_body, &room, needed, sizeof *mesh->facet_body));
    CRP_TRY(grow(context, (void **)&mesh->is_two_sided, &mesh->facet_room, needed, sizeof *mesh->is_two_sided));
    mesh->facet_body[mesh->n_facets] = body;
    mesh->is_two_sided[mesh->n_facets] = is_two_sided;
    mesh->facet_loops[mesh->n_facets++] = mesh->n_loops;
    mesh->facet_loops[mesh->n_facets] = mesh->n_loops;
    return CRP_OK;
}

crp_status mesh_add_loop(crp_context *context, geom_mesh *mesh, const uint32_t *vertices, size_t n)
{
    CRP_CHECK(context, n < MESH_MAX_CORNERS - mesh->n_corners, CRP_ERR_FORMAT, "more than %d corners (a wrong file?)",
              (int)MESH_MAX_CORNERS);
    CRP_TRY(grow(context, (void **)&mesh->corners, &mesh->corner_room, mesh->n_corners + (uint32_t)n,
                 sizeof *mesh->corners));
    CRP_TRY(
        grow(context, (void **)&mesh->loop_corners, &mesh->loop_room, mesh->n_loops + 2, sizeof *mesh->loop_corners));
    if (n > 0) {
        memcpy(mesh->corners + mesh->n_corners, vertices, n * sizeof *vertices);
    }
    mesh->loop_corners[mesh->n_loops++] = mesh->n_corners;
    mesh->n_corners += (uint32_t)n;
    mesh->loop_corners[mesh->n_loops] = mesh->n_corners;
    mesh->facet_loops[mesh->n_facets] = mesh->n_loops;
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------- geometry of a facet */

/** Twice the area vector of a loop, about `origin`, its longest edge, and the sum of its corners. */
static void sum_loop(const geom_mesh *mesh, uint32_t loop, geom_point origin, geom_point *twice, double *longest,
                     geom_point *sum)
{
    uint32_t first = mesh->loop_corners[loop], end = mesh->loop_corners[loop + 1];
    for (uint32_t c = first; c < end; c++) {
        geom_point a = point_sub(mesh->vertices[mesh->corners[c]], origin);
        geom_point b = point_sub(mesh->vertices[mesh->corners[c + 1 < end ? c + 1 : first]], origin);
        geom_point cross = point_cross(a, b);
        *twice = (geom_point){twice->x + cross.x, twice->y + cross.y, twice->z + cross.z};
        *sum = (geom_point){sum->x + a.x, sum->y + a.y, sum->z + a.z};
        double length = point_distance(a, b);
        *longest = length > *longest ? length : *longest;
    }
}

mesh_plane mesh_facet_plane(const geom_mesh *mesh, uint32_t facet)
{
    mesh_plane plane = {{0, 0, 0}, 0, 0, 0};
    uint32_t first = mesh_first_corner(mesh, facet), n = mesh_end_corner(mesh, facet) - first;
    if (n < 3) {
        return plane;
    }
    geom_point origin = mesh->vertices[mesh->corners[first]], twice = {0, 0, 0}, sum = {0, 0, 0};
    double longest = 0;
    for (uint32_t l = mesh->facet_loops[facet]; l < mesh->facet_loops[facet + 1]; l++) {
        sum_loop(mesh, l, origin, &twice, &longest, &sum);
    }
    double length = point_length(twice);
    plane.area = 0.5 * length;
    plane.height = longest > 0 ? length / longest : 0;
    if (length > 0) {
        plane.normal = (geom_point){twice.x / length, twice.y / length, twice.z / length};
    }
    plane.offset = point_dot(plane.normal, origin) + point_dot(plane.normal, sum) / n;
    return plane;
}

crp_status mesh_planes(crp_context *context, const geom_mesh *mesh, mesh_plane **planes)
{
    *planes = malloc((mesh->n_facets + (size_t)1) * sizeof **planes);
    CRP_CHECK(context, *planes != NULL, CRP_ERR_MEMORY, "not enough memory for the planes of %u facets",
              (unsigned)mesh->n_facets);
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        (*planes)[f] = mesh_facet_plane(mesh, f);
    }
    return CRP_OK;
}

double mesh_facet_deviation(const geom_mesh *mesh, uint32_t facet, const mesh_plane *plane, uint32_t *vertex)
{
    double worst = 0;
    for (uint32_t c = mesh_first_corner(mesh, facet); c < mesh_end_corner(mesh, facet); c++) {
        double distance = fabs(point_dot(plane->normal, mesh->vertices[mesh->corners[c]]) - plane->offset);
        if (distance > worst) {
            worst = distance;
            if (vertex != NULL) {
                *vertex = mesh->corners[c];
            }
        }
    }
    return worst;
}

void mesh_bounds(const geom_mesh *mesh, geom_point *low, geom_point *high)
{
    *low = *high = (geom_point){0, 0, 0};
    for (uint32_t c = 0; c < mesh->n_corners; c++) {
        geom_point p = mesh->vertices[mesh->corners[c]];
        if (c == 0) {
            *low = *high = p;
        }
        *low = (geom_point){fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z)};
        *high = (geom_point){fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z)};
    }
}

double mesh_default_tolerance(const geom_mesh *mesh)
{
    geom_point low, high;
    mesh_bounds(mesh, &low, &high);
    double largest =
        fmax(fmax(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y))), fmax(fabs(low.z), fabs(high.z)));
    return fmax(1e-6, 2 * mesh->rounding * largest);
}

void mesh_flip(geom_mesh *mesh)
{
    for (uint32_t l = 0; l < mesh->n_loops; l++) {
        uint32_t a = mesh->loop_corners[l], b = mesh->loop_corners[l + 1];
        for (; a + 1 < b; a++, b--) {
            uint32_t kept = mesh->corners[a];
            mesh->corners[a] = mesh->corners[b - 1];
            mesh->corners[b - 1] = kept;
        }
    }
}
