/* Ear clipping, shortest cut first, with bridges to holes. */
#include "geom/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One ring of nodes; a corner that ends a bridge has two nodes. */
typedef struct node {
    uint32_t corner, previous, next;
    uint32_t version; /* of its entry in the heap: older ones are void */
    bool is_gone, is_reflex;
} node;

typedef struct entry {
    double length2;
    uint32_t node, version;
} entry;

typedef struct ring {
    const geom_point2 *points;
    node *nodes;
    uint32_t n_nodes, n_left, n_reflex;
    entry *heap;
    size_t n_heap, heap_room;
    double tiny; /* twice the area below which three corners lie on a line */
} ring;

/* -------------------------------------------------------------------------------------------- predicates */

/* Twice the area of a triangle, > 0 if counter-clockwise. */
static double area2(geom_point2 a, geom_point2 b, geom_point2 c)
{
    return (b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v);
}

static geom_point2 at(const ring *r, uint32_t i)
{
    return r->points[r->nodes[i].corner];
}

static double turn(const ring *r, uint32_t i)
{
    const node *n = &r->nodes[i];
    return area2(at(r, n->previous), at(r, i), at(r, n->next));
}

static bool same(geom_point2 a, geom_point2 b)
{
    return a.u == b.u && a.v == b.v;
}

static bool is_inside(geom_point2 a, geom_point2 b, geom_point2 c, geom_point2 p)
{
    return area2(a, b, p) >= 0.0 && area2(b, c, p) >= 0.0 && area2(c, a, p) >= 0.0;
}

static double distance2(geom_point2 a, geom_point2 b)
{
    return (a.u - b.u) * (a.u - b.u) + (a.v - b.v) * (a.v - b.v);
}

/* May corner i be cut off? No reflex corner may lie in the triangle, except one at the same place as its corners. */
static bool is_ear(const ring *r, uint32_t i)
{
    const node *n = &r->nodes[i];
    double t = turn(r, i);
    if (fabs(t) <= r->tiny) {
        return true; /* on a line: goes without a triangle */
    }
    if (t < 0.0) {
        return false;
    }
    if (r->n_reflex == 0) {
        return true;
    }
    geom_point2 a = at(r, n->previous), b = at(r, i), c = at(r, n->next);
    for (uint32_t k = r->nodes[n->next].next; k != n->previous; k = r->nodes[k].next) {
        geom_point2 p = at(r, k);
        if (r->nodes[k].is_reflex && !same(p, a) && !same(p, b) && !same(p, c) && is_inside(a, b, c, p)) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- heap */

static bool is_before(entry a, entry b)
{
    return a.length2 < b.length2 || (a.length2 == b.length2 && a.node < b.node);
}

static bool push(ring *r, uint32_t i)
{
    if (r->n_heap == r->heap_room) {
        size_t room = 2 * r->heap_room + 16;
        entry *larger = realloc(r->heap, room * sizeof *larger);
        if (larger == NULL) {
            return false;
        }
        r->heap = larger;
        r->heap_room = room;
    }
    const node *n = &r->nodes[i];
    entry e = {distance2(at(r, n->previous), at(r, n->next)), i, ++r->nodes[i].version};
    size_t k = r->n_heap++;
    for (; k > 0 && is_before(e, r->heap[(k - 1) / 2]); k = (k - 1) / 2) {
        r->heap[k] = r->heap[(k - 1) / 2];
    }
    r->heap[k] = e;
    return true;
}

static entry pop(ring *r)
{
    entry top = r->heap[0], last = r->heap[--r->n_heap];
    size_t k = 0;
    for (;;) {
        size_t child = 2 * k + 1;
        if (child >= r->n_heap) {
            break;
        }
        child += child + 1 < r->n_heap && is_before(r->heap[child + 1], r->heap[child]) ? 1 : 0;
        if (!is_before(r->heap[child], last)) {
            break;
        }
        r->heap[k] = r->heap[child];
        k = child;
    }
    if (r->n_heap > 0) {
        r->heap[k] = last;
    }
    return top;
}

/* ----------------------------------------------------------------------------------------------- bridges */

/* Do the open segments a-b and c-d cross, or does c or d lie inside a-b? */
static bool is_blocked(const ring *r, geom_point2 a, geom_point2 b)
{
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const node *n = &r->nodes[i];
        geom_point2 c = at(r, i), d = at(r, n->next);
        double abc = area2(a, b, c), abd = area2(a, b, d), cda = area2(c, d, a), cdb = area2(c, d, b);
        if (((abc > 0.0) != (abd > 0.0)) && ((cda > 0.0) != (cdb > 0.0)) && !same(c, a) && !same(d, a) && !same(c, b) &&
            !same(d, b)) {
            return true;
        }
    }
    return false;
}

/* Does the direction from node i to p point into the ring? */
static bool is_locally_inside(const ring *r, uint32_t i, geom_point2 p)
{
    geom_point2 a = at(r, r->nodes[i].previous), b = at(r, i), c = at(r, r->nodes[i].next);
    if (area2(a, b, c) >= 0.0) {
        return area2(a, b, p) > 0.0 && area2(b, c, p) > 0.0;
    }
    return !(area2(a, b, p) <= 0.0 && area2(b, c, p) <= 0.0);
}

/* The shortest bridge between a loop of the ring's list (from `hole` on) and the ring joined so far. False: there is
 * none. */
static bool find_bridge(const ring *r, uint32_t joined, uint32_t hole, uint32_t *from, uint32_t *to)
{
    double best = (double)INFINITY;
    uint32_t h = hole;
    do {
        uint32_t i = joined;
        do {
            double d = distance2(at(r, h), at(r, i));
            if (d < best && is_locally_inside(r, i, at(r, h)) && is_locally_inside(r, h, at(r, i)) &&
                !is_blocked(r, at(r, h), at(r, i))) {
                best = d;
                *from = h;
                *to = i;
            }
            i = r->nodes[i].next;
        } while (i != joined);
        h = r->nodes[h].next;
    } while (h != hole);
    return isfinite(best);
}

/* Join two rings by a bridge there and back: both ends get a second node. */
static void add_bridge(ring *r, uint32_t from, uint32_t to)
{
    uint32_t from2 = r->n_nodes++, to2 = r->n_nodes++;
    r->nodes[from2] = r->nodes[from];
    r->nodes[to2] = r->nodes[to];
    r->nodes[r->nodes[from].next].previous = from2;
    r->nodes[r->nodes[to].previous].next = to2;
    r->nodes[from].next = to; /* ... from -> to ... (round the outline) ... to2 -> from2 ... (round the hole) */
    r->nodes[to].previous = from;
    r->nodes[to2].next = from2;
    r->nodes[from2].previous = to2;
}

/* Twice the area of a loop. */
static double loop_area(const geom_point2 *points, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t i = 1; i + 1 < n; i++) {
        sum += area2(points[0], points[i], points[i + 1]);
    }
    return sum;
}

static void add_loop(ring *r, uint32_t first, uint32_t n, bool reverse)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t before = first + (i + n - 1) % n, after = first + (i + 1) % n;
        r->nodes[first + i] =
            (node){.corner = first + i, .previous = reverse ? after : before, .next = reverse ? before : after};
    }
    r->n_nodes = first + n;
}

static bool join_holes(ring *r, const uint32_t *n_points, uint32_t n_loops)
{
    uint32_t first = 0;
    for (uint32_t k = 0; k < n_loops; k++) {
        bool is_clockwise = loop_area(r->points + first, n_points[k]) < 0.0;
        add_loop(r, first, n_points[k], k > 0 && !is_clockwise);
        first += n_points[k];
    }
    first = n_points[0];
    for (uint32_t k = 1; k < n_loops; k++) {
        uint32_t from = 0, to = 0;
        if (!find_bridge(r, 0, first, &from, &to)) {
            return false;
        }
        add_bridge(r, from, to);
        first += n_points[k];
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- clipping */

static void set_reflex(ring *r, uint32_t i, bool is_reflex)
{
    r->n_reflex += (is_reflex ? 1u : 0u) - (r->nodes[i].is_reflex ? 1u : 0u);
    r->nodes[i].is_reflex = is_reflex;
}

static bool update(ring *r, uint32_t i)
{
    set_reflex(r, i, turn(r, i) < 0.0);
    return push(r, i);
}

/* Cut one corner off; adds its triangle unless it is on a line. Returns the number of triangles, or -1: no memory. */
static int64_t clip(ring *r, uint32_t i, uint32_t *triangles, int64_t n)
{
    node *c = &r->nodes[i];
    if (turn(r, i) > r->tiny) {
        triangles[3 * n] = r->nodes[c->previous].corner;
        triangles[3 * n + 1] = c->corner;
        triangles[3 * n + 2] = r->nodes[c->next].corner;
        n++;
    }
    r->nodes[c->previous].next = c->next;
    r->nodes[c->next].previous = c->previous;
    set_reflex(r, i, false);
    c->is_gone = true;
    r->n_left--;
    return update(r, c->previous) && update(r, c->next) ? n : -1;
}

static bool push_all(ring *r)
{
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        if (!r->nodes[i].is_gone && !push(r, i)) {
            return false;
        }
    }
    return true;
}

/* A corner that is no ear is looked at again when a neighbour goes, and once all others have had their turn. */
static int64_t clip_all(ring *r, uint32_t *triangles)
{
    int64_t n = 0;
    uint32_t left_before = 0;
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        set_reflex(r, i, turn(r, i) < 0.0);
    }
    while (r->n_left > 2 && r->n_left != left_before) {
        left_before = r->n_left;
        if (!push_all(r)) {
            return 0;
        }
        while (r->n_left > 2 && r->n_heap > 0) {
            entry e = pop(r);
            const node *c = &r->nodes[e.node];
            if (!c->is_gone && c->version == e.version && is_ear(r, e.node)) {
                n = clip(r, e.node, triangles, n);
            }
            if (n < 0) {
                return 0;
            }
        }
    }
    return r->n_left > 2 ? -1 : n;
}

int64_t geom_triangulate(const geom_point2 *points, const uint32_t *n_points, uint32_t n_loops, uint32_t *triangles)
{
    size_t n = 0;
    for (uint32_t k = 0; k < n_loops; k++) {
        n += n_points[k];
    }
    ring r = {.points = points};
    r.nodes = calloc(n + 2 * (size_t)n_loops, sizeof *r.nodes);
    if (r.nodes == NULL) {
        return 0;
    }
    r.tiny = 1e-14 * fabs(loop_area(points, n_points[0]));
    int64_t n_triangles = -1;
    if (join_holes(&r, n_points, n_loops)) {
        r.n_left = r.n_nodes;
        n_triangles = clip_all(&r, triangles);
    }
    free(r.heap);
    free(r.nodes);
    return n_triangles;
}
