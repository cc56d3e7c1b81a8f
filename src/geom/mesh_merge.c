/**
 * Coplanar facets to polygons: see mesh.h. Groups grow from the largest facets, whose normals are known best, over
 * shared edges. Every corner must lie within the tolerance of the plane of the seed, and at the end of the plane of the
 * whole polygon; a group that fails is grown again with a quarter of the tolerance, at last not at all.
 */
#include "geom/mesh_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_GROUP UINT32_MAX

enum { MAX_TRIES = 4 };

/** An outline in the making: loops one after the other. */
typedef struct outline {
    uint32_t *corners; /* vertex numbers */
    uint32_t *ends;    /* end of each loop in `corners` */
    uint32_t n_loops, n_corners;
    uint32_t outer; /* which loop is the outer one */
} outline;

typedef struct merger {
    const geom_mesh *mesh;
    double tolerance;
    mesh_plane *planes;
    double *noise; /* [rad] by facet: how far rounding of coordinates may turn its normal */
    uint32_t *twins, *facet_of, *loop_of;
    uint32_t *group;   /* of each facet: number of its seed, or NO_GROUP */
    uint32_t *members; /* facets of the group in hand */
    uint32_t n_members;
    uint32_t *seen; /* by corner: outline that it was last used in */
    uint32_t *used; /* by vertex: the same */
    uint32_t outline_id;
    outline outline;
} merger;

static void merger_free(merger *m)
{
    free(m->planes);
    free(m->noise);
    free(m->twins);
    free(m->facet_of);
    free(m->loop_of);
    free(m->group);
    free(m->members);
    free(m->seen);
    free(m->used);
    free(m->outline.corners);
    free(m->outline.ends);
}

static double normal_noise(const geom_mesh *mesh, uint32_t facet, const mesh_plane *plane)
{
    geom_point most = {0, 0, 0};
    for (uint32_t c = mesh_first_corner(mesh, facet); c < mesh_end_corner(mesh, facet); c++) {
        geom_point p = mesh->vertices[mesh->corners[c]];
        most = (geom_point){fmax(most.x, fabs(p.x)), fmax(most.y, fabs(p.y)), fmax(most.z, fabs(p.z))};
    }
    double error = mesh->rounding *
                   (fabs(plane->normal.x) * most.x + fabs(plane->normal.y) * most.y + fabs(plane->normal.z) * most.z);
    return plane->height > 0 ? error / plane->height : (double)INFINITY;
}

static crp_status merger_create(crp_context *context, const geom_mesh *mesh, double tolerance, merger *m)
{
    size_t n_facets = mesh->n_facets + (size_t)1, n_corners = mesh->n_corners + (size_t)1;
    *m = (merger){.mesh = mesh, .tolerance = tolerance};
    CRP_TRY(mesh_planes(context, mesh, &m->planes));
    CRP_TRY(mesh_twins(context, mesh, &m->twins));
    CRP_TRY(mesh_corner_owners(context, mesh, &m->facet_of, &m->loop_of));
    m->noise = malloc(n_facets * sizeof *m->noise);
    m->group = malloc(n_facets * sizeof *m->group);
    m->members = malloc(n_facets * sizeof *m->members);
    m->seen = calloc(n_corners, sizeof *m->seen);
    m->used = calloc(mesh->n_vertices + (size_t)1, sizeof *m->used);
    m->outline.corners = malloc(n_corners * sizeof(uint32_t));
    m->outline.ends = malloc(n_corners * sizeof(uint32_t));
    CRP_CHECK(context,
              m->noise != NULL && m->group != NULL && m->members != NULL && m->seen != NULL && m->used != NULL &&
                  m->outline.corners != NULL && m->outline.ends != NULL,
              CRP_ERR_MEMORY, "not enough memory to merge %u facets", (unsigned)mesh->n_facets);
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        m->noise[f] = normal_noise(mesh, f, &m->planes[f]);
        m->group[f] = NO_GROUP;
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------------ groups
 */

static bool may_join(const merger *m, uint32_t facet, uint32_t seed, double tolerance)
{
    const geom_mesh *mesh = m->mesh;
    const mesh_plane *a = &m->planes[facet], *b = &m->planes[seed];
    if (m->group[facet] != NO_GROUP || mesh->facet_body[facet] != mesh->facet_body[seed] ||
        mesh->is_two_sided[facet] != mesh->is_two_sided[seed]) {
        return false;
    }
    double limit = 1e-5 + 2 * (m->noise[facet] + m->noise[seed]);
    return (limit > 1 || point_distance(a->normal, b->normal) <= limit) &&
           mesh_facet_deviation(mesh, facet, b, NULL) <= tolerance;
}

/** Give the neighbours of the seed, and theirs, its group. */
static void grow_group(merger *m, uint32_t seed, double tolerance)
{
    m->members[0] = seed;
    m->n_members = 1;
    m->group[seed] = seed;
    for (uint32_t i = 0; i < m->n_members; i++) {
        uint32_t f = m->members[i];
        for (uint32_t c = mesh_first_corner(m->mesh, f); c < mesh_end_corner(m->mesh, f); c++) {
            uint32_t twin = m->twins[c];
            if (twin != MESH_NO_CORNER && may_join(m, m->facet_of[twin], seed, tolerance)) {
                m->members[m->n_members++] = m->facet_of[twin];
                m->group[m->facet_of[twin]] = seed;
            }
        }
    }
}

static void dissolve_group(merger *m)
{
    for (uint32_t i = 0; i < m->n_members; i++) {
        m->group[m->members[i]] = NO_GROUP;
    }
}

/* ---------------------------------------------------------------------------------------------------------- outlines
 */

static bool is_inside(const merger *m, uint32_t corner)
{
    uint32_t twin = m->twins[corner];
    return twin != MESH_NO_CORNER && m->group[m->facet_of[twin]] == m->group[m->facet_of[corner]];
}

static uint32_t next_of(const merger *m, uint32_t corner)
{
    return mesh_next_corner(m->mesh, m->loop_of[corner], corner);
}

/** Follow the border of the group from one side to the next, turning about the vertex between them inside the group.
 * False when a vertex is met twice: such an outline touches itself. */
static bool follow_loop(merger *m, uint32_t start)
{
    outline *o = &m->outline;
    uint32_t corner = start;
    do {
        uint32_t vertex = m->mesh->corners[corner];
        if (m->used[vertex] == m->outline_id) {
            return false;
        }
        m->used[vertex] = m->outline_id;
        m->seen[corner] = m->outline_id;
        o->corners[o->n_corners++] = vertex;
        corner = next_of(m, corner);
        while (is_inside(m, corner)) {
            corner = next_of(m, m->twins[corner]);
        }
    } while (corner != start);
    o->ends[o->n_loops++] = o->n_corners;
    return true;
}

/** Area of a loop as seen along a normal [cm2], negative when it runs clockwise. */
static double loop_area(const geom_mesh *mesh, const uint32_t *corners, uint32_t n, geom_point normal)
{
    geom_point origin = mesh->vertices[corners[0]];
    double twice = 0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        twice += point_dot(normal, point_cross(point_sub(mesh->vertices[corners[i]], origin),
                                               point_sub(mesh->vertices[corners[i + 1]], origin)));
    }
    return 0.5 * twice;
}

/** All loops of the group in hand. False when they are not one outer loop with holes, or do not cover what its facets
 * do. */
static bool find_outline(merger *m, uint32_t seed)
{
    outline *o = &m->outline;
    uint32_t n_outer = 0;
    double covered = 0, expected = 0;
    o->n_loops = o->n_corners = 0;
    m->outline_id++;
    for (uint32_t i = 0; i < m->n_members; i++) {
        uint32_t f = m->members[i];
        expected += m->planes[f].area;
        for (uint32_t c = mesh_first_corner(m->mesh, f); c < mesh_end_corner(m->mesh, f); c++) {
            if (!is_inside(m, c) && m->seen[c] != m->outline_id && !follow_loop(m, c)) {
                return false;
            }
        }
    }
    for (uint32_t l = 0, first = 0; l < o->n_loops; first = o->ends[l++]) {
        double area = loop_area(m->mesh, o->corners + first, o->ends[l] - first, m->planes[seed].normal);
        covered += area;
        n_outer += area > 0;
        o->outer = area > 0 ? l : o->outer;
    }
    return n_outer == 1 && fabs(covered - expected) <= 1e-6 * expected;
}

/** Put the outline into a mesh as one facet. */
static crp_status add_outline(crp_context *context, const merger *m, uint32_t seed, geom_mesh *out)
{
    const outline *o = &m->outline;
    CRP_TRY(mesh_add_facet(context, out, m->mesh->facet_body[seed], m->mesh->is_two_sided[seed]));
    uint32_t first = o->outer == 0 ? 0 : o->ends[o->outer - 1];
    CRP_TRY(mesh_add_loop(context, out, o->corners + first, o->ends[o->outer] - first));
    for (uint32_t l = 0; l < o->n_loops; l++) {
        first = l == 0 ? 0 : o->ends[l - 1];
        if (l != o->outer) {
            CRP_TRY(mesh_add_loop(context, out, o->corners + first, o->ends[l] - first));
        }
    }
    return CRP_OK;
}

/** Does every corner of the outline lie in the plane of the polygon? `probe` shares the vertices and gets the facet. */
static crp_status check_plane(crp_context *context, const merger *m, uint32_t seed, geom_mesh *probe, bool *is_plane)
{
    probe->n_facets = probe->n_loops = probe->n_corners = 0;
    CRP_TRY(add_outline(context, m, seed, probe));
    mesh_plane plane = mesh_facet_plane(probe, 0);
    *is_plane = mesh_facet_deviation(probe, 0, &plane, NULL) <= m->tolerance;
    return CRP_OK;
}

static crp_status make_group(crp_context *context, merger *m, uint32_t seed, geom_mesh *probe)
{
    double tolerance = m->tolerance;
    for (int i = 0; i < MAX_TRIES; i++, tolerance *= 0.25) {
        bool is_plane = false;
        grow_group(m, seed, tolerance);
        if (m->n_members == 1) {
            return CRP_OK;
        }
        if (find_outline(m, seed)) {
            CRP_TRY(check_plane(context, m, seed, probe, &is_plane));
        }
        if (is_plane) {
            return CRP_OK;
        }
        dissolve_group(m);
    }
    m->group[seed] = seed;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------------- order
 */

typedef struct sized_facet {
    double area;
    uint32_t facet;
} sized_facet;

static int by_area(const void *a, const void *b)
{
    const sized_facet *p = a, *q = b;
    if (p->area != q->area) {
        return p->area > q->area ? -1 : 1;
    }
    return p->facet < q->facet ? -1 : p->facet > q->facet;
}

static crp_status make_groups(crp_context *context, merger *m)
{
    uint32_t n = m->mesh->n_facets;
    sized_facet *order = malloc((n + (size_t)1) * sizeof *order);
    geom_mesh probe = {.vertices = m->mesh->vertices};
    CRP_CHECK(context, order != NULL, CRP_ERR_MEMORY, "not enough memory to merge %u facets", (unsigned)n);
    for (uint32_t f = 0; f < n; f++) {
        order[f] = (sized_facet){m->planes[f].area, f};
    }
    qsort(order, n, sizeof *order, by_area);
    crp_status status = CRP_OK;
    for (uint32_t i = 0; i < n && status == CRP_OK; i++) {
        if (m->group[order[i].facet] == NO_GROUP) {
            status = make_group(context, m, order[i].facet, &probe);
        }
    }
    free(order);
    free(probe.facet_loops);
    free(probe.facet_body);
    free(probe.is_two_sided);
    free(probe.loop_corners);
    free(probe.corners);
    return status;
}

static crp_status copy_facet(crp_context *context, const geom_mesh *mesh, uint32_t f, geom_mesh *out)
{
    CRP_TRY(mesh_add_facet(context, out, mesh->facet_body[f], mesh->is_two_sided[f]));
    for (uint32_t l = mesh->facet_loops[f]; l < mesh->facet_loops[f + 1]; l++) {
        CRP_TRY(mesh_add_loop(context, out, mesh->corners + mesh->loop_corners[l],
                              mesh->loop_corners[l + 1] - mesh->loop_corners[l]));
    }
    return CRP_OK;
}

/** The facets of a group in order of number: they stand apart in `members` because groups are found by growing. */
static void collect_group(merger *m, const uint32_t *next_member, uint32_t first)
{
    m->n_members = 0;
    for (uint32_t f = first; f != NO_GROUP; f = next_member[f]) {
        m->members[m->n_members++] = f;
    }
}

/** One polygon for every group, in the order of their first facets. */
static crp_status write_groups(crp_context *context, merger *m, geom_mesh *out)
{
    uint32_t n = m->mesh->n_facets;
    uint32_t *next = malloc((n + (size_t)1) * sizeof *next), *first = malloc((n + (size_t)1) * sizeof *first);
    crp_status status = next == NULL || first == NULL
                            ? context_fail(context, CRP_ERR_MEMORY, "not enough memory to merge %u facets", (unsigned)n)
                            : CRP_OK;
    for (uint32_t f = 0; f < n && status == CRP_OK; f++) {
        first[f] = NO_GROUP;
    }
    for (uint32_t f = n; f-- > 0 && status == CRP_OK;) {
        next[f] = first[m->group[f]];
        first[m->group[f]] = f;
    }
    for (uint32_t f = 0; f < n && status == CRP_OK; f++) {
        uint32_t seed = m->group[f];
        if (first[seed] != f) {
            continue;
        }
        collect_group(m, next, f);
        status = m->n_members > 1 && find_outline(m, seed) ? add_outline(context, m, seed, out)
                                                           : copy_facet(context, m->mesh, f, out);
    }
    free(next);
    free(first);
    return status;
}

/** The facets of `out` become those of `mesh`, which keeps its vertices and bodies. */
static void take_facets(geom_mesh *mesh, geom_mesh *out)
{
    geom_mesh old = *mesh;
    *mesh = *out;
    mesh->vertices = old.vertices;
    mesh->n_vertices = old.n_vertices;
    mesh->vertex_room = old.vertex_room;
    mesh->bodies = old.bodies;
    mesh->n_bodies = old.n_bodies;
    mesh->body_room = old.body_room;
    mesh->rounding = old.rounding;
    old.vertices = NULL;
    old.bodies = NULL;
    *out = old;
}

crp_status mesh_merge_coplanar(crp_context *context, geom_mesh *mesh, double tolerance)
{
    merger m;
    geom_mesh *out = NULL;
    crp_status status = merger_create(context, mesh, tolerance, &m);
    if (status == CRP_OK) {
        status = make_groups(context, &m);
    }
    if (status == CRP_OK) {
        status = mesh_create(context, &out);
    }
    if (status == CRP_OK) {
        status = write_groups(context, &m, out);
    }
    merger_free(&m);
    if (status == CRP_OK) {
        take_facets(mesh, out);
        status = mesh_drop_straight_corners(context, mesh, tolerance);
    }
    mesh_destroy(&out);
    return status;
}
