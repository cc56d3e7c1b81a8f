/**
 * Edges that are open or crowded, facets that look the wrong way, parts that are inside out: see mesh_check.h.
 *
 * Facets that share an edge form parts. Neighbours that run through their edge in opposite directions look to the same
 * side; a union-find with one bit of parity (Tarjan 1975) keeps who looks where. In each part the smaller side, by
 * area, is called inverted. A closed part encloses gas unless it stands inside an odd number of others; its normals
 * must point into the gas.
 */
#include "geom/mesh_check.h"
#include "geom/mesh_edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Facets that a point of each part is tested against, in all: bounds the time for thousands of nested parts. */
static const uint64_t max_tests = 200000000;

/** Marks of the roots of parts, of which the lowest that is not 0 counts: by two-sided facets means that the walls
 * alone enclose nothing, so there is no volume and no inside. */
typedef enum closure { CLOSED, OPEN, CLOSED_BY_OTHERS } closure;

typedef struct part {
    uint32_t root;             /* lowest facet */
    double area[2], volume[2]; /* of the facets that look as the root does, and the others */
    closure closure;
    geom_point low, high;
    uint32_t first_item, n_items; /* in `items`: its facets */
} part;

typedef struct edge_check {
    const geom_mesh *mesh;
    const mesh_plane *planes;
    mesh_report *report;
    mesh_edge *edges;
    uint32_t n_edges;
    mesh_edge *closing; /* of two-sided facets, as in the first space */
    uint32_t n_closing;
    mesh_edge *open; /* edges that one facet alone has */
    uint32_t n_open;
    uint32_t *parent;  /* of each facet, towards the root of its part */
    bool *is_turned;   /* against its parent */
    uint32_t *part_of; /* of each facet; before parts are numbered, a closure */
    part *parts;
    uint32_t n_parts;
    uint32_t *items;
} edge_check;

/* ------------------------------------------------------------------------------------------------------------- parity
 */

/** Root of a facet, and whether the facet looks the other way than the root. */
static uint32_t find_root(edge_check *c, uint32_t f, bool *is_turned)
{
    uint32_t root = f;
    bool total = false;
    while (c->parent[root] != root) {
        total ^= c->is_turned[root];
        root = c->parent[root];
    }
    *is_turned = total;
    while (c->parent[f] != root && f != root) {
        uint32_t next = c->parent[f];
        bool own = c->is_turned[f];
        c->parent[f] = root;
        c->is_turned[f] = total;
        total ^= own;
        f = next;
    }
    return root;
}

static void unite(edge_check *c, uint32_t f, uint32_t g, bool is_opposite)
{
    bool f_turned, g_turned;
    uint32_t a = find_root(c, f, &f_turned), b = find_root(c, g, &g_turned);
    if (a == b) {
        return; /* a strip with one side has no answer: the first one stays */
    }
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    c->parent[high] = low;
    c->is_turned[high] = (f_turned != g_turned) != is_opposite;
}

/* -------------------------------------------------------------------------------------------------------------- edges
 */

static geom_point middle_of(const geom_mesh *mesh, const mesh_edge *e)
{
    geom_point a = mesh->vertices[e->low], b = mesh->vertices[e->high];
    return (geom_point){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static int compare_pieces(const void *a, const void *b)
{
    const mesh_edge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->facet < q->facet ? -1 : p->facet > q->facet;
}

/** The same edge in terms of the first space. */
static mesh_edge in_first_space(const edge_check *c, mesh_edge e)
{
    uint32_t n = c->mesh->n_space_vertices;
    uint32_t a = n == 0 ? e.low : e.low % n, b = n == 0 ? e.high : e.high % n;
    e.low = a < b ? a : b;
    e.high = a < b ? b : a;
    return e;
}

/** Keep the edges of one-sided facets; those of others, which close openings, go elsewhere. Edges without length go. */
static void part_edges(edge_check *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->mesh->n_corners; i++) {
        if (c->edges[i].low == c->edges[i].high) {
            continue;
        }
        if (c->mesh->is_two_sided[c->edges[i].facet]) {
            c->closing[c->n_closing++] = in_first_space(c, c->edges[i]);
        } else {
            c->edges[n++] = c->edges[i];
        }
    }
    c->n_edges = n;
    qsort(c->closing, c->n_closing, sizeof *c->closing, compare_pieces);
}

/** Has a two-sided facet this edge? */
static bool is_closed(const edge_check *c, const mesh_edge *e)
{
    mesh_edge key = in_first_space(c, *e);
    uint32_t low = 0, high = c->n_closing;
    key.facet = 0;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (compare_pieces(&c->closing[mid], &key) < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < c->n_closing && c->closing[low].low == key.low && c->closing[low].high == key.high;
}

/** A run of edges between the same vertices: none, one pair, or too many. Edges of one facet that meet themselves (the
 * bridge to a hole) cancel out. */
static void look_at_run(edge_check *c, const mesh_edge *run, uint32_t n)
{
    if (n == 1) {
        c->open[c->n_open++] = run[0];
        return;
    }
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (run[i].facet == run[i + 1].facet && n == 2) {
            return;
        }
    }
    if (n > 2) {
        mesh_note(&c->report->problems[MESH_CROWDED_EDGE],
                  (mesh_finding){run[0].facet, run[1].facet, n, middle_of(c->mesh, run)});
        return;
    }
    unite(c, run[0].facet, run[1].facet, run[0].is_forward == run[1].is_forward);
}

/* ------------------------------------------------------------------------------------- edges of several others (T) */

typedef struct on_edge {
    double at; /* along the edge, 0 to 1; x when sorted for searching */
    uint32_t vertex;
} on_edge;

static int compare_on_edge(const void *a, const void *b)
{
    const on_edge *p = a, *q = b;
    return p->at < q->at ? -1 : p->at > q->at ? 1 : p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

/** The ends of all open edges, sorted by x, each once. Returns how many. */
static uint32_t list_ends(const edge_check *c, on_edge *ends)
{
    uint32_t n = 0, n_unique = 0;
    for (uint32_t i = 0; i < c->n_open; i++) {
        ends[n++] = (on_edge){c->mesh->vertices[c->open[i].low].x, c->open[i].low};
        ends[n++] = (on_edge){c->mesh->vertices[c->open[i].high].x, c->open[i].high};
    }
    qsort(ends, n, sizeof *ends, compare_on_edge);
    for (uint32_t i = 0; i < n; i++) {
        if (i == 0 || ends[i].vertex != ends[i - 1].vertex) {
            ends[n_unique++] = ends[i];
        }
    }
    return n_unique;
}

static uint32_t first_at_least(const on_edge *ends, uint32_t n, double x)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (ends[mid].at < x) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

static bool is_same_space(const edge_check *c, uint32_t a, uint32_t b)
{
    uint32_t n = c->mesh->n_space_vertices;
    return n == 0 || a / n == b / n;
}

/** Which of the ends lie inside an edge, in order along it. `budget` bounds the time of all searches. */
static uint32_t find_on_edge(const edge_check *c, const mesh_edge *e, const on_edge *ends, uint32_t n_ends,
                             on_edge *found, uint32_t room, uint64_t *budget)
{
    geom_point a = c->mesh->vertices[e->low], ab = point_sub(c->mesh->vertices[e->high], a);
    double length = point_length(ab), tolerance = c->report->tolerance, end = fmax(a.x, a.x + ab.x) + tolerance;
    uint32_t n = 0;
    for (uint32_t i = first_at_least(ends, n_ends, fmin(a.x, a.x + ab.x) - tolerance);
         i < n_ends && ends[i].at <= end && *budget > 0 && n < room; i++, (*budget)--) {
        geom_point ap = point_sub(c->mesh->vertices[ends[i].vertex], a);
        double along = point_dot(ap, ab) / (length * length);
        bool is_end = ends[i].vertex == e->low || ends[i].vertex == e->high;
        if (!is_end && is_same_space(c, ends[i].vertex, e->low) && along > 0 && along < 1 &&
            point_length(point_cross(ap, ab)) <= tolerance * length) {
            found[n++] = (on_edge){along, ends[i].vertex};
        }
    }
    qsort(found, n, sizeof *found, compare_on_edge);
    return n;
}

static void add_piece(mesh_edge *pieces, uint32_t *n, const mesh_edge *whole, uint32_t from, uint32_t to)
{
    bool is_rising = from < to;
    pieces[(*n)++] = (mesh_edge){is_rising ? from : to, is_rising ? to : from, whole->facet, whole->corner,
                                 whole->is_forward == is_rising};
}

static void mark_part(edge_check *c, uint32_t facet, closure mark)
{
    bool is_turned;
    uint32_t *of = &c->part_of[find_root(c, facet, &is_turned)];
    *of = *of == OPEN ? OPEN : mark;
}

/** What remains open after edges were cut where ends of others lie on them and the pieces were paired. */
static void pair_pieces(edge_check *c, mesh_edge *pieces, uint32_t n_pieces)
{
    qsort(pieces, n_pieces, sizeof *pieces, compare_pieces);
    for (uint32_t i = 0, n; i < n_pieces; i += n) {
        n = mesh_edge_run(pieces, i, n_pieces);
        if (n == 2 && pieces[i].facet != pieces[i + 1].facet) {
            unite(c, pieces[i].facet, pieces[i + 1].facet, pieces[i].is_forward == pieces[i + 1].is_forward);
        } else if (n == 1 && is_closed(c, &pieces[i])) {
            mark_part(c, pieces[i].facet, CLOSED_BY_OTHERS);
        } else if (n == 1) {
            const mesh_edge *e = &pieces[i];
            double length = point_distance(c->mesh->vertices[e->low], c->mesh->vertices[e->high]);
            mesh_note(&c->report->problems[MESH_OPEN_EDGE], (mesh_finding){e->facet, 0, length, middle_of(c->mesh, e)});
            mark_part(c, e->facet, OPEN);
        }
    }
}

static crp_status settle_open(crp_context *context, edge_check *c)
{
    enum { MOST_ON_EDGE = 1000 };
    uint32_t n_pieces = 0, room = 16 * c->n_open + MOST_ON_EDGE + 16;
    on_edge *ends = malloc((2 * (size_t)c->n_open + 1) * sizeof *ends), *found = malloc(MOST_ON_EDGE * sizeof *found);
    mesh_edge *pieces = malloc(room * sizeof *pieces);
    uint64_t budget = max_tests / 4;
    crp_status status = CRP_OK;
    if (ends == NULL || found == NULL || pieces == NULL) {
        status = context_fail(context, CRP_ERR_MEMORY, "not enough memory for %u open edges", (unsigned)c->n_open);
    }
    uint32_t n_ends = status == CRP_OK ? list_ends(c, ends) : 0;
    for (uint32_t i = 0; i < c->n_open && status == CRP_OK; i++) {
        uint32_t spare = room - n_pieces - (c->n_open - i), most = spare < MOST_ON_EDGE ? spare : MOST_ON_EDGE;
        uint32_t n = find_on_edge(c, &c->open[i], ends, n_ends, found, most, &budget), from = c->open[i].low;
        for (uint32_t k = 0; k < n; k++) {
            add_piece(pieces, &n_pieces, &c->open[i], from, found[k].vertex);
            from = found[k].vertex;
        }
        add_piece(pieces, &n_pieces, &c->open[i], from, c->open[i].high);
    }
    if (status == CRP_OK) {
        pair_pieces(c, pieces, n_pieces);
    }
    free(ends);
    free(found);
    free(pieces);
    return status;
}

/* -------------------------------------------------------------------------------------------------------------- parts
 */

static void add_to_part(edge_check *c, part *p, uint32_t f, bool is_turned)
{
    const mesh_plane *plane = &c->planes[f];
    p->area[is_turned] += plane->area;
    p->volume[is_turned] += plane->offset * plane->area / 3; /* divergence theorem; normals out of it count positive */
    for (uint32_t k = mesh_first_corner(c->mesh, f); k < mesh_end_corner(c->mesh, f); k++) {
        geom_point v = c->mesh->vertices[c->mesh->corners[k]];
        p->low = (geom_point){fmin(p->low.x, v.x), fmin(p->low.y, v.y), fmin(p->low.z, v.z)};
        p->high = (geom_point){fmax(p->high.x, v.x), fmax(p->high.y, v.y), fmax(p->high.z, v.z)};
    }
    p->n_items++;
}

/** Number the parts in order of their first facets. `part_of` comes with marks on roots. */
static void gather_parts(edge_check *c)
{
    for (uint32_t f = 0; f < c->mesh->n_facets; f++) {
        bool is_turned = false;
        closure mark = (closure)c->part_of[f];
        if (c->mesh->is_two_sided[f]) {
            c->part_of[f] = MESH_NO_CORNER;
            continue;
        }
        uint32_t root = find_root(c, f, &is_turned);
        if (root == f) {
            const double far = (double)INFINITY;
            c->parts[c->n_parts] =
                (part){.root = f, .closure = mark, .low = {far, far, far}, .high = {-far, -far, -far}};
            c->part_of[f] = c->n_parts++;
        } else {
            c->part_of[f] = c->part_of[root];
        }
        add_to_part(c, &c->parts[c->part_of[f]], f, is_turned);
    }
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->n_parts; i++) {
        c->parts[i].first_item = first;
        first += c->parts[i].n_items;
        c->parts[i].n_items = 0;
    }
    for (uint32_t f = 0; f < c->mesh->n_facets; f++) {
        if (c->part_of[f] != MESH_NO_CORNER) {
            part *p = &c->parts[c->part_of[f]];
            c->items[p->first_item + p->n_items++] = f;
        }
    }
}

static void find_inverted(edge_check *c)
{
    for (uint32_t f = 0; f < c->mesh->n_facets; f++) {
        bool is_turned = false;
        if (c->mesh->is_two_sided[f]) {
            continue;
        }
        find_root(c, f, &is_turned);
        const part *p = &c->parts[c->part_of[f]];
        bool is_minor = is_turned ? p->area[1] <= p->area[0] : p->area[0] < p->area[1];
        if (is_minor) {
            geom_point at = c->mesh->vertices[c->mesh->corners[mesh_first_corner(c->mesh, f)]];
            mesh_note(&c->report->problems[MESH_INVERTED], (mesh_finding){f, 0, c->planes[f].area, at});
        }
    }
}

static bool is_box_inside(const part *inner, const part *outer)
{
    return inner->low.x >= outer->low.x && inner->low.y >= outer->low.y && inner->low.z >= outer->low.z &&
           inner->high.x <= outer->high.x && inner->high.y <= outer->high.y && inner->high.z <= outer->high.z;
}

/** Does a ray from the point, in a direction of no special angle, leave the part an odd number of times? */
static bool is_point_inside(const edge_check *c, geom_point from, const part *p)
{
    const geom_point direction = {0.5377, 0.6931, 0.4801};
    bool is_inside = false;
    for (uint32_t i = p->first_item; i < p->first_item + p->n_items; i++) {
        const mesh_plane *plane = &c->planes[c->items[i]];
        double rate = point_dot(plane->normal, direction), t = (plane->offset - point_dot(plane->normal, from)) / rate;
        if (rate != 0 && t > 0) {
            geom_point at = {from.x + t * direction.x, from.y + t * direction.y, from.z + t * direction.z};
            is_inside ^= mesh_facet_contains(c->mesh, c->items[i], plane, at);
        }
    }
    return is_inside;
}

/** How many closed parts a part stands in. */
static uint32_t nesting_depth(const edge_check *c, uint32_t which, uint64_t *budget)
{
    const part *p = &c->parts[which];
    geom_point from = c->mesh->vertices[c->mesh->corners[mesh_first_corner(c->mesh, p->root)]];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < c->n_parts; i++) {
        const part *q = &c->parts[i];
        bool is_elsewhere =
            c->mesh->n_space_vertices != 0 && c->mesh->facet_body[p->root] != c->mesh->facet_body[q->root];
        if (i != which && q->closure == CLOSED && !is_elsewhere && is_box_inside(p, q) && *budget >= q->n_items) {
            *budget -= q->n_items;
            depth += is_point_inside(c, from, q);
        }
    }
    return depth;
}

static void check_parts(edge_check *c)
{
    uint64_t budget = max_tests;
    double volume = 0;
    uint32_t n_whole = 0;
    c->report->n_parts = c->n_parts;
    for (uint32_t i = 0; i < c->n_parts; i++) {
        const part *p = &c->parts[i];
        c->report->n_closed += p->closure != OPEN;
        if (p->closure != CLOSED) {
            continue;
        }
        n_whole++;
        /* As the larger side looks; a normal that points inwards counts negative. */
        double own = p->volume[0] - p->volume[1];
        own = p->area[1] > p->area[0] ? -own : own;
        bool is_solid = nesting_depth(c, i, &budget) % 2 == 1;
        volume += is_solid ? -fabs(own) : fabs(own);
        if (is_solid ? own < 0 : own > 0) {
            geom_point at = c->mesh->vertices[c->mesh->corners[mesh_first_corner(c->mesh, p->root)]];
            mesh_note(&c->report->problems[MESH_INSIDE_OUT], (mesh_finding){p->root, 0, fabs(own), at});
        }
    }
    if (n_whole > 0) {
        c->report->volume = volume;
    }
}

/* ------------------------------------------------------------------------------------------------------------ in order
 */

static crp_status edge_check_create(crp_context *context, edge_check *c)
{
    size_t n = c->mesh->n_facets + (size_t)1;
    CRP_TRY(mesh_edges(context, c->mesh, &c->edges));
    c->closing = malloc((c->mesh->n_corners + (size_t)1) * sizeof *c->closing);
    c->open = malloc((c->mesh->n_corners + (size_t)1) * sizeof *c->open);
    c->parent = malloc(n * sizeof *c->parent);
    c->is_turned = calloc(n, sizeof *c->is_turned);
    c->part_of = calloc(n, sizeof *c->part_of);
    c->parts = malloc(n * sizeof *c->parts);
    c->items = malloc(n * sizeof *c->items);
    CRP_CHECK(context,
              c->closing != NULL && c->open != NULL && c->parent != NULL && c->is_turned != NULL &&
                  c->part_of != NULL && c->parts != NULL && c->items != NULL,
              CRP_ERR_MEMORY, "not enough memory to check %u facets", (unsigned)c->mesh->n_facets);
    for (uint32_t f = 0; f < c->mesh->n_facets; f++) {
        c->parent[f] = f;
    }
    return CRP_OK;
}

/** Marks of open parts stand on what was a root then; hand them to today's root. */
static void move_marks(edge_check *c)
{
    for (uint32_t f = 0; f < c->mesh->n_facets; f++) {
        if (c->part_of[f] != CLOSED) {
            mark_part(c, f, (closure)c->part_of[f]);
        }
    }
}

crp_status mesh_check_edges(crp_context *context, const geom_mesh *mesh, const mesh_plane *planes, mesh_report *report)
{
    edge_check c = {.mesh = mesh, .planes = planes, .report = report};
    crp_status status = edge_check_create(context, &c);
    if (status == CRP_OK) {
        part_edges(&c);
        for (uint32_t i = 0, n; i < c.n_edges; i += n) {
            n = mesh_edge_run(c.edges, i, c.n_edges);
            look_at_run(&c, c.edges + i, n);
        }
        status = settle_open(context, &c);
    }
    if (status == CRP_OK) {
        move_marks(&c);
        gather_parts(&c);
        find_inverted(&c);
        check_parts(&c);
    }
    free(c.edges);
    free(c.closing);
    free(c.open);
    free(c.parent);
    free(c.is_turned);
    free(c.part_of);
    free(c.parts);
    free(c.items);
    return status;
}
