/** Welding of vertices: see mesh.h. A hash of cells, much wider than the tolerance, so that a vertex looks into few. */
#include "geom/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Corners on one line but for rounding: height over root of area, for height / longest edge = 1e-10. */
static const double NO_HEIGHT = 1.4e-5;

typedef struct cell_hash {
    uint32_t *heads; /* by hash: a representative vertex, or NONE */
    uint32_t *next;  /* by vertex: the next representative with that hash */
    uint32_t mask;
    double size; /* of a cell [cm] */
} cell_hash;

static uint32_t hash_cell(const cell_hash *h, int64_t x, int64_t y, int64_t z)
{
    uint64_t key =
        (uint64_t)x * 0x9e3779b97f4a7c15ull ^ (uint64_t)y * 0xc2b2ae3d27d4eb4full ^ (uint64_t)z * 0x165667b19e3779f9ull;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(key >> 32) & h->mask;
}

/** The lowest-numbered representative within the tolerance in one cell, or `best`. */
static uint32_t look_into(const cell_hash *h, const geom_point *vertices, uint32_t head, geom_point p, double tolerance,
                          uint32_t best)
{
    for (uint32_t v = h->heads[head]; v != NONE; v = h->next[v]) {
        if (v < best && point_distance(vertices[v], p) <= tolerance) {
            best = v;
        }
    }
    return best;
}

static int64_t cell_of(double x, double size)
{
    return (int64_t)floor(x / size);
}

/** A representative for vertex v: one that was there before, or v itself, which then is one. */
static uint32_t find_representative(cell_hash *h, const geom_point *vertices, uint32_t v, double tolerance)
{
    geom_point p = vertices[v];
    uint32_t best = NONE;
    int64_t x0 = cell_of(p.x - tolerance, h->size), x1 = cell_of(p.x + tolerance, h->size);
    int64_t y0 = cell_of(p.y - tolerance, h->size), y1 = cell_of(p.y + tolerance, h->size);
    int64_t z0 = cell_of(p.z - tolerance, h->size), z1 = cell_of(p.z + tolerance, h->size);
    for (int64_t x = x0; x <= x1; x++) {
        for (int64_t y = y0; y <= y1; y++) {
            for (int64_t z = z0; z <= z1; z++) {
                best = look_into(h, vertices, hash_cell(h, x, y, z), p, tolerance, best);
            }
        }
    }
    if (best != NONE) {
        return best;
    }
    uint32_t own = hash_cell(h, cell_of(p.x, h->size), cell_of(p.y, h->size), cell_of(p.z, h->size));
    h->next[v] = h->heads[own];
    h->heads[own] = v;
    return v;
}

static double cell_size(const geom_point *vertices, uint32_t n, double tolerance)
{
    double extent = 0;
    for (uint32_t v = 0; v < n; v++) {
        extent = fmax(extent, fmax(fabs(vertices[v].x), fmax(fabs(vertices[v].y), fabs(vertices[v].z))));
    }
    return fmax(fmax(64 * tolerance, 1e-9 * extent), 1e-30);
}

crp_status mesh_weld_numbers(crp_context *context, const geom_point *vertices, uint32_t n, double tolerance,
                             uint32_t *target, uint32_t *n_left)
{
    uint32_t n_heads = 16;
    while (n_heads < n && n_heads < (1u << 30)) {
        n_heads *= 2;
    }
    cell_hash h = {malloc(n_heads * sizeof(uint32_t)), malloc((n + (size_t)1) * sizeof(uint32_t)), n_heads - 1,
                   cell_size(vertices, n, tolerance)};
    if (h.heads == NULL || h.next == NULL) {
        free(h.heads);
        free(h.next);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory to weld %u vertices", (unsigned)n);
    }
    memset(h.heads, 0xff, n_heads * sizeof(uint32_t));
    *n_left = 0;
    for (uint32_t v = 0; v < n; v++) {
        uint32_t found = find_representative(&h, vertices, v, tolerance);
        target[v] = found == v ? (*n_left)++ : target[found];
    }
    free(h.heads);
    free(h.next);
    return CRP_OK;
}

/** The first vertex of each new number stays. */
static void keep_first(geom_mesh *mesh, const uint32_t *target)
{
    uint32_t written = 0;
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        if (target[v] == written) {
            mesh->vertices[written++] = mesh->vertices[v];
        }
    }
    mesh->n_vertices = written;
}

/** Copy a loop with its new vertex numbers, without corners that repeat the one before. Returns how many are left. */
static uint32_t renumber_loop(geom_mesh *mesh, uint32_t first, uint32_t end, const uint32_t *target, uint32_t at)
{
    uint32_t begin = at;
    for (uint32_t c = first; c < end; c++) {
        uint32_t v = target[mesh->corners[c]];
        if (at == begin || mesh->corners[at - 1] != v) {
            mesh->corners[at++] = v;
        }
    }
    while (at - begin > 1 && mesh->corners[at - 1] == mesh->corners[begin]) {
        at--;
    }
    return at - begin;
}

/** Where the rewriting of facets in place has come to: it only shrinks, so what is read lies ahead of what is written.
 */
typedef struct rewrite {
    uint32_t n_facets, n_loops, n_corners; /* written */
    uint32_t loop, corner;                 /* read */
} rewrite;

/** Copy the loops of one facet up to `end_loop`. A hole that vanishes is left out; without its outer loop there is
 * nothing. */
static void rewrite_loops(geom_mesh *mesh, rewrite *at, uint32_t end_loop, const uint32_t *target)
{
    bool has_outer = false;
    for (uint32_t first_loop = at->loop; at->loop < end_loop; at->loop++) {
        uint32_t end = mesh->loop_corners[at->loop + 1];
        uint32_t n = renumber_loop(mesh, at->corner, end, target, at->n_corners);
        at->corner = end;
        has_outer = has_outer || (at->loop == first_loop && n >= 3);
        if (n >= 3 && has_outer) {
            mesh->loop_corners[at->n_loops++] = at->n_corners;
            at->n_corners += n;
        }
    }
}

/** Rewrite all facets, without those that have no area. */
static void rewrite_facets(geom_mesh *mesh, const uint32_t *target, mesh_weld_report *report)
{
    rewrite at = {0, 0, 0, 0, 0};
    uint32_t n_facets = mesh->n_facets;
    for (uint32_t f = 0, end_loop = n_facets > 0 ? mesh->facet_loops[1] : 0; f < n_facets; f++) {
        uint32_t next_end = f + 2 <= n_facets ? mesh->facet_loops[f + 2] : 0;
        rewrite before = at;
        rewrite_loops(mesh, &at, end_loop, target);
        mesh->facet_loops[at.n_facets] = before.n_loops;
        mesh->facet_loops[at.n_facets + 1] = at.n_loops;
        mesh->loop_corners[at.n_loops] = at.n_corners;
        mesh_plane plane = mesh_facet_plane(mesh, at.n_facets);
        if (at.n_loops == before.n_loops || plane.height <= NO_HEIGHT * sqrt(plane.area)) {
            report->degenerate = report->n_degenerate++ == 0 ? f : report->degenerate;
            at.n_loops = before.n_loops;
            at.n_corners = before.n_corners;
            mesh->facet_loops[at.n_facets] = at.n_loops;
        } else {
            mesh->facet_body[at.n_facets] = mesh->facet_body[f];
            mesh->is_two_sided[at.n_facets++] = mesh->is_two_sided[f];
        }
        end_loop = next_end;
    }
    mesh->n_facets = at.n_facets;
    mesh->n_loops = at.n_loops;
    mesh->n_corners = at.n_corners;
}

crp_status mesh_weld(crp_context *context, geom_mesh *mesh, double tolerance, mesh_weld_report *report)
{
    mesh_weld_report own = {0};
    uint32_t *target = malloc((mesh->n_vertices + (size_t)1) * sizeof *target);
    CRP_CHECK(context, target != NULL, CRP_ERR_MEMORY, "not enough memory to weld %u vertices",
              (unsigned)mesh->n_vertices);
    uint32_t n_left = 0;
    crp_status status = mesh_weld_numbers(context, mesh->vertices, mesh->n_vertices, tolerance, target, &n_left);
    if (status == CRP_OK) {
        own.n_merged = mesh->n_vertices - n_left;
        keep_first(mesh, target);
        rewrite_facets(mesh, target, &own);
    }
    free(target);
    if (report != NULL) {
        *report = own;
    }
    return status;
}
