/**
 * Facets that cover one another: see mesh_check.h. Two facets of one plane lie at the same distance from a point
 * outside the model, whichever way their normals point, so sorting by that distance brings them together.
 */
#include "geom/mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs that are looked at in all: bounds the time for models with very many facets in one plane. */
static const uint64_t max_pairs = 400000000;

typedef struct flat_item {
    double distance; /* from the far point to the plane [cm] */
    uint32_t facet;
} flat_item;

typedef struct box {
    geom_point low, high;
} box;

typedef struct overlap_check {
    const geom_mesh *mesh;
    const mesh_plane *planes;
    mesh_report *report;
    flat_item *items;
    box *boxes;
    uint64_t budget;
} overlap_check;

static int compare_items(const void *a, const void *b)
{
    const flat_item *p = a, *q = b;
    return p->distance < q->distance   ? -1
           : p->distance > q->distance ? 1
           : p->facet < q->facet       ? -1
                                       : p->facet > q->facet;
}

static box facet_box(const geom_mesh *mesh, uint32_t f)
{
    const double far = (double)INFINITY;
    box b = {{far, far, far}, {-far, -far, -far}};
    for (uint32_t c = mesh_first_corner(mesh, f); c < mesh_end_corner(mesh, f); c++) {
        geom_point v = mesh->vertices[mesh->corners[c]];
        b.low = (geom_point){fmin(b.low.x, v.x), fmin(b.low.y, v.y), fmin(b.low.z, v.z)};
        b.high = (geom_point){fmax(b.high.x, v.x), fmax(b.high.y, v.y), fmax(b.high.z, v.z)};
    }
    return b;
}

static bool is_apart(const box *a, const box *b, double tolerance)
{
    return a->high.x < b->low.x - tolerance || b->high.x < a->low.x - tolerance || a->high.y < b->low.y - tolerance ||
           b->high.y < a->low.y - tolerance || a->high.z < b->low.z - tolerance || b->high.z < a->low.z - tolerance;
}

/* ---------------------------------------------------------------------------------------------------------- duplicates
 */

/** Same vertices of the outline, in the same cycle or (-1) the reverse; 0: no. */
static int compare_outlines(const geom_mesh *mesh, uint32_t f, uint32_t g)
{
    uint32_t lf = mesh->facet_loops[f], lg = mesh->facet_loops[g];
    const uint32_t *a = mesh->corners + mesh->loop_corners[lf], *b = mesh->corners + mesh->loop_corners[lg];
    uint32_t n = mesh->loop_corners[lf + 1] - mesh->loop_corners[lf], shift = 0;
    if (n != mesh->loop_corners[lg + 1] - mesh->loop_corners[lg]) {
        return 0;
    }
    while (shift < n && b[shift] != a[0]) {
        shift++;
    }
    if (shift == n) {
        return 0;
    }
    bool is_same = true, is_reverse = true;
    for (uint32_t i = 0; i < n && (is_same || is_reverse); i++) {
        is_same = is_same && a[i] == b[(shift + i) % n];
        is_reverse = is_reverse && a[i] == b[(shift + n - i) % n];
    }
    return is_same ? 1 : is_reverse ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------------------------ overlaps
 */

/** Twice the area of the triangle abc as seen along the normal. */
static double turn(geom_point a, geom_point b, geom_point c, geom_point normal)
{
    return point_dot(normal, point_cross(point_sub(b, a), point_sub(c, a)));
}

/** Do the segments cross where both are inside, by more than the tolerance? */
static bool do_cross(geom_point a, geom_point b, geom_point c, geom_point d, geom_point normal, double tolerance)
{
    double ab = tolerance * point_distance(a, b), cd = tolerance * point_distance(c, d);
    double c_side = turn(a, b, c, normal), d_side = turn(a, b, d, normal);
    double a_side = turn(c, d, a, normal), b_side = turn(c, d, b, normal);
    return ((c_side > ab && d_side < -ab) || (c_side < -ab && d_side > ab)) &&
           ((a_side > cd && b_side < -cd) || (a_side < -cd && b_side > cd));
}

static bool do_edges_cross(const overlap_check *c, uint32_t f, uint32_t g)
{
    const geom_mesh *mesh = c->mesh;
    for (uint32_t lf = mesh->facet_loops[f]; lf < mesh->facet_loops[f + 1]; lf++) {
        for (uint32_t i = mesh->loop_corners[lf]; i < mesh->loop_corners[lf + 1]; i++) {
            geom_point p = mesh->vertices[mesh->corners[i]];
            uint32_t next = i + 1 < mesh->loop_corners[lf + 1] ? i + 1 : mesh->loop_corners[lf];
            geom_point q = mesh->vertices[mesh->corners[next]];
            for (uint32_t lg = mesh->facet_loops[g]; lg < mesh->facet_loops[g + 1]; lg++) {
                uint32_t first = mesh->loop_corners[lg], end = mesh->loop_corners[lg + 1];
                for (uint32_t k = first; k < end; k++) {
                    geom_point r = mesh->vertices[mesh->corners[k]];
                    geom_point s = mesh->vertices[mesh->corners[k + 1 < end ? k + 1 : first]];
                    if (do_cross(p, q, r, s, c->planes[f].normal, c->report->tolerance)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

/**
 * A point well inside a facet: on the line across it at a height between those of two corners, the middle of the widest
 * piece. False when the facet is too thin to have one.
 */
static bool find_inner_point(const geom_mesh *mesh, uint32_t f, const mesh_plane *plane, double tolerance,
                             geom_point *inner)
{
    enum { MOST_CROSSINGS = 64 };
    geom_point u, v, origin = mesh->vertices[mesh->corners[mesh_first_corner(mesh, f)]];
    double low = 0, high = 0, crossing[MOST_CROSSINGS], widest = tolerance;
    mesh_plane_axes(plane->normal, &u, &v);
    for (uint32_t c = mesh_first_corner(mesh, f); c < mesh_end_corner(mesh, f); c++) {
        double height = point_dot(point_sub(mesh->vertices[mesh->corners[c]], origin), v);
        low = fmin(low, height);
        high = fmax(high, height);
    }
    double level = low + 0.4142 * (high - low);
    int n = 0;
    for (uint32_t l = mesh->facet_loops[f]; l < mesh->facet_loops[f + 1]; l++) {
        uint32_t first = mesh->loop_corners[l], end = mesh->loop_corners[l + 1];
        for (uint32_t c = first; c < end && n < MOST_CROSSINGS; c++) {
            geom_point a = point_sub(mesh->vertices[mesh->corners[c]], origin);
            geom_point b = point_sub(mesh->vertices[mesh->corners[c + 1 < end ? c + 1 : first]], origin);
            double av = point_dot(a, v) - level, bv = point_dot(b, v) - level;
            if ((av > 0) != (bv > 0)) {
                double at = (point_dot(a, u) * bv - point_dot(b, u) * av) / (bv - av);
                int i = n++;
                for (; i > 0 && crossing[i - 1] > at; i--) {
                    crossing[i] = crossing[i - 1];
                }
                crossing[i] = at;
            }
        }
    }
    for (int i = 0; i + 1 < n; i += 2) {
        double width = crossing[i + 1] - crossing[i], at = 0.5 * (crossing[i] + crossing[i + 1]);
        if (width > widest) {
            widest = width;
            *inner = (geom_point){origin.x + at * u.x + level * v.x, origin.y + at * u.y + level * v.y,
                                  origin.z + at * u.z + level * v.z};
        }
    }
    return widest > tolerance;
}

static bool do_overlap(const overlap_check *c, uint32_t f, uint32_t g)
{
    geom_point inner;
    double tolerance = c->report->tolerance;
    if (find_inner_point(c->mesh, f, &c->planes[f], tolerance, &inner) &&
        mesh_facet_contains(c->mesh, g, &c->planes[g], inner)) {
        return true;
    }
    if (find_inner_point(c->mesh, g, &c->planes[g], tolerance, &inner) &&
        mesh_facet_contains(c->mesh, f, &c->planes[f], inner)) {
        return true;
    }
    return do_edges_cross(c, f, g);
}

static void look_at_pair(overlap_check *c, uint32_t f, uint32_t g)
{
    const mesh_plane *p = &c->planes[f], *q = &c->planes[g];
    bool is_parallel = fabs(fabs(point_dot(p->normal, q->normal)) - 1) <= 1e-9;
    bool is_elsewhere = c->mesh->n_space_vertices != 0 && c->mesh->facet_body[f] != c->mesh->facet_body[g];
    if (!is_parallel || is_elsewhere || is_apart(&c->boxes[f], &c->boxes[g], 0) ||
        mesh_facet_deviation(c->mesh, g, p, NULL) > c->report->tolerance) {
        return;
    }
    uint32_t low = f < g ? f : g, high = f < g ? g : f;
    geom_point at = c->mesh->vertices[c->mesh->corners[mesh_first_corner(c->mesh, high)]];
    int same = compare_outlines(c->mesh, f, g);
    if (same != 0) {
        mesh_note(&c->report->problems[MESH_DUPLICATE], (mesh_finding){high, low, same, at});
    } else if (do_overlap(c, f, g)) {
        mesh_note(&c->report->problems[MESH_OVERLAP], (mesh_finding){high, low, 0, at});
    }
}

static void look_at_all(overlap_check *c)
{
    double tolerance = c->report->tolerance;
    for (uint32_t i = 0; i < c->mesh->n_facets; i++) {
        uint32_t f = c->items[i].facet;
        for (uint32_t k = i + 1; k < c->mesh->n_facets && c->budget > 0; k++, c->budget--) {
            if (c->items[k].distance - c->items[i].distance > tolerance) {
                break;
            }
            look_at_pair(c, f, c->items[k].facet);
        }
    }
}

crp_status mesh_check_overlaps(crp_context *context, const geom_mesh *mesh, const mesh_plane *planes,
                               mesh_report *report)
{
    size_t n = mesh->n_facets + (size_t)1;
    overlap_check c = {mesh, planes, report, malloc(n * sizeof *c.items), malloc(n * sizeof *c.boxes), max_pairs};
    if (c.items == NULL || c.boxes == NULL) {
        free(c.items);
        free(c.boxes);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory to check %u facets", (unsigned)mesh->n_facets);
    }
    double size = point_distance(report->low, report->high);
    geom_point far = {report->low.x - 0.731 * size, report->low.y - 0.317 * size, report->low.z - 0.529 * size};
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        c.items[f] = (flat_item){fabs(planes[f].offset - point_dot(planes[f].normal, far)), f};
        c.boxes[f] = facet_box(mesh, f);
    }
    qsort(c.items, mesh->n_facets, sizeof *c.items, compare_items);
    look_at_all(&c);
    free(c.items);
    free(c.boxes);
    return CRP_OK;
}
