/* Builder of the hierarchy: binned surface-area heuristic, boxes rounded outwards to a grid over the scene. */
#include "geom/bvh.h"

#include "core/team.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { N_BINS = 32, WORDS = GEOM_BVH_NODE_WORDS };

/* Added to a box on each side before it is rounded outwards, in cells. */
static const double margin = 1.0 / 16.0;

typedef struct builder {
    const geom_box *boxes;
    const geom_grid *grid;
    uint32_t *order; /* box numbers; a subtree owns a range */
    uint32_t *nodes;
} builder;

/* Subtrees of so many boxes are worth a task of their own. */
static const uint32_t MANY = 4096;

static geom_box empty_box(void)
{
    double inf = (double)INFINITY;
    return (geom_box){{inf, inf, inf}, {-inf, -inf, -inf}};
}

static void grow(geom_box *box, const geom_box *other)
{
    for (int k = 0; k < 3; k++) {
        box->low[k] = other->low[k] < box->low[k] ? other->low[k] : box->low[k];
        box->high[k] = other->high[k] > box->high[k] ? other->high[k] : box->high[k];
    }
}

static double half_area(const geom_box *box)
{
    double x = box->high[0] - box->low[0], y = box->high[1] - box->low[1], z = box->high[2] - box->low[2];
    return x < 0.0 ? 0.0 : x * y + y * z + z * x;
}

static double centre(const geom_box *box, int axis)
{
    return 0.5 * (box->low[axis] + box->high[axis]);
}

/* ------------------------------------------------------------------------------------------------- split */

typedef struct split {
    int axis;
    double low, scale; /* bin of a centre: (centre - low) * scale */
    int bin;           /* bins below it go left */
    double cost;
} split;

static int bin_of(const split *s, const geom_box *box)
{
    double x = (centre(box, s->axis) - s->low) * s->scale;
    return x < 0.0 ? 0 : x >= N_BINS ? N_BINS - 1 : (int)x;
}

/* The cheapest plane along one axis: sum over both sides of area times number. */
static split best_along(const builder *b, uint32_t first, uint32_t n, int axis, double low, double high)
{
    split s = {.axis = axis, .low = low, .scale = N_BINS / (high - low), .bin = -1, .cost = (double)INFINITY};
    geom_box boxes[N_BINS];
    uint32_t counts[N_BINS] = {0};
    double right_cost[N_BINS];
    for (int k = 0; k < N_BINS; k++) {
        boxes[k] = empty_box();
    }
    for (uint32_t i = first; i < first + n; i++) {
        const geom_box *box = &b->boxes[b->order[i]];
        int k = bin_of(&s, box);
        grow(&boxes[k], box);
        counts[k]++;
    }
    geom_box side = empty_box();
    uint32_t count = 0;
    for (int k = N_BINS - 1; k > 0; k--) {
        grow(&side, &boxes[k]);
        count += counts[k];
        right_cost[k] = half_area(&side) * count;
    }
    side = empty_box();
    count = 0;
    for (int k = 1; k < N_BINS; k++) {
        grow(&side, &boxes[k - 1]);
        count += counts[k - 1];
        double cost = half_area(&side) * count + right_cost[k];
        if (count > 0 && count < n && cost < s.cost) {
            s.cost = cost;
            s.bin = k;
        }
    }
    return s;
}

static split best_split(const builder *b, uint32_t first, uint32_t n)
{
    geom_box centres = empty_box();
    for (uint32_t i = first; i < first + n; i++) {
        const geom_box *box = &b->boxes[b->order[i]];
        geom_box point;
        for (int k = 0; k < 3; k++) {
            point.low[k] = point.high[k] = centre(box, k);
        }
        grow(&centres, &point);
    }
    split best = {.bin = -1, .cost = (double)INFINITY};
    for (int k = 0; k < 3; k++) {
        double width = centres.high[k] - centres.low[k];
        if (width > 0.0 && isfinite(N_BINS / width)) {
            split s = best_along(b, first, n, k, centres.low[k], centres.high[k]);
            best = s.bin >= 0 && s.cost < best.cost ? s : best;
        }
    }
    return best;
}

/* Levels that n leaves need when they are halved. */
static uint32_t levels_of(uint32_t n)
{
    uint32_t levels = 0;
    while (levels < 31 && (1u << levels) < n) {
        levels++;
    }
    return levels;
}

/* Reorder the range; returns how many go left. Where no plane divides it (equal centres, or too deep): halves as they
 * stand. */
static uint32_t partition(builder *b, uint32_t first, uint32_t n, uint32_t depth)
{
    if (n == 2 || depth + levels_of(n) + 1 >= GEOM_BVH_DEPTH) {
        return n / 2;
    }
    split s = best_split(b, first, n);
    if (s.bin < 0) {
        return n / 2;
    }
    uint32_t left = first, right = first + n;
    while (left < right) {
        uint32_t box = b->order[left];
        if (bin_of(&s, &b->boxes[box]) < s.bin) {
            left++;
        } else {
            b->order[left] = b->order[--right];
            b->order[right] = box;
        }
    }
    return left - first;
}

/* ------------------------------------------------------------------------------------------------- nodes */

static uint32_t cell_of(double x)
{
    return x <= 0.0 ? 0 : x >= GEOM_BVH_STEPS - 1 ? GEOM_BVH_STEPS - 1 : (uint32_t)x;
}

static void store_box(const builder *b, uint32_t *node, uint32_t child, const geom_box *box)
{
    for (uint32_t k = 0; k < 3; k++) {
        double steps = GEOM_BVH_STEPS / b->grid->extent[k];
        uint32_t low = cell_of(floor((box->low[k] - b->grid->origin[k]) * steps - margin));
        uint32_t high = cell_of(ceil((box->high[k] - b->grid->origin[k]) * steps + margin));
        node[2 * k + child] = (0x8000u | low) | (0x8000u | high) << 16;
    }
}

/* A subtree of n boxes has n - 1 nodes, from `number` on: its root, the left one's, the right one's. So it does not
 * depend on who builds what when. */
static void build(builder *b, uint32_t first, uint32_t n, uint32_t number, uint32_t depth, uint32_t *reference,
                  geom_box *box)
{
    if (n == 1) {
        *reference = GEOM_BVH_LEAF | b->order[first] << 5 | GEOM_BVH_FREE;
        *box = b->boxes[b->order[first]];
        return;
    }
    uint32_t *node = b->nodes + (size_t)WORDS * number, n_left = partition(b, first, n, depth);
    geom_box right;
#pragma omp task if (n > MANY) shared(right)
    build(b, first + n_left, n - n_left, number + n_left, depth + 1, &node[7], &right);
    build(b, first, n_left, number + 1, depth + 1, &node[6], box);
#pragma omp taskwait
    store_box(b, node, 0, box);
    store_box(b, node, 1, &right);
    grow(box, &right);
    *reference = number << 5 | GEOM_BVH_FREE;
}

/* Two free cells at either end, so that margins are never cut off; a flat scene gets a thickness. */
static geom_grid grid_over(const geom_box *boxes, uint32_t n)
{
    geom_box all = empty_box();
    for (uint32_t i = 0; i < n; i++) {
        grow(&all, &boxes[i]);
    }
    double widest = 0.0;
    for (int k = 0; k < 3; k++) {
        widest = fmax(widest, all.high[k] - all.low[k]);
    }
    widest = widest > 0.0 ? widest : 1.0;
    geom_grid grid;
    for (int k = 0; k < 3; k++) {
        double width = fmax(all.high[k] - all.low[k], 1e-3 * widest);
        double cell = width / (GEOM_BVH_STEPS - 5);
        grid.origin[k] = all.low[k] - 2.0 * cell;
        grid.extent[k] = cell * GEOM_BVH_STEPS;
    }
    return grid;
}

uint32_t geom_bvh_build(const geom_box *boxes, uint32_t n, geom_grid *grid, uint32_t **nodes)
{
    size_t n_nodes = n > 1 ? n - 1 : 1;
    builder b = {.boxes = boxes, .grid = grid};
    b.order = malloc(n * sizeof *b.order);
    b.nodes = malloc(n_nodes * WORDS * sizeof *b.nodes);
    *nodes = NULL;
    if (b.order == NULL || b.nodes == NULL) {
        free(b.order);
        free(b.nodes);
        return 0;
    }
    *grid = grid_over(boxes, n);
    for (uint32_t i = 0; i < n; i++) {
        b.order[i] = i;
    }
    if (n == 1) {
        b.nodes[6] = b.nodes[7] = GEOM_BVH_LEAF | GEOM_BVH_FREE;
        store_box(&b, b.nodes, 0, boxes);
        store_box(&b, b.nodes, 1, boxes);
    } else {
        uint32_t root;
        geom_box all;
#pragma omp parallel num_threads(team_of(8 * (size_t)n))
#pragma omp single
        build(&b, 0, n, 0, 0, &root, &all);
    }
    free(b.order);
    *nodes = b.nodes;
    return (uint32_t)n_nodes;
}
