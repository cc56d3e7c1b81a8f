/** Bounding volume hierarchy over boxes: binary, one box a leaf, nodes of 32 bytes for kernel/gas/trace.h. */
#ifndef GEOM_BVH_H
#define GEOM_BVH_H

#include <stdint.h>

/** A box in any units; low <= high. */
typedef struct geom_box {
    double low[3], high[3];
} geom_box;

enum {
    GEOM_BVH_DEPTH = 48,    /**< no leaf lies deeper: the stack of a traversal */
    GEOM_BVH_STEPS = 32768, /**< cells of the grid that boxes are rounded to, along each axis */
    GEOM_BVH_NODE_WORDS = 8,
    GEOM_BVH_MOST = 1 << 26 /**< boxes */
};

/** A reference: bit 31 for a box, then 26 bits of its number or that of a node, then five that are free, all set by the
 * builder. */
#define GEOM_BVH_LEAF 0x80000000u
#define GEOM_BVH_FREE 31u
#define GEOM_BVH_NUMBER(reference) (((reference) & ~GEOM_BVH_LEAF) >> 5)
#define GEOM_BVH_ROOT GEOM_BVH_FREE

/** The coordinates of the nodes: x of a point is 1 + (x - origin) / extent, in [1, 2). */
typedef struct geom_grid {
    double origin[3], extent[3];
} geom_grid;

/**
 * Build.
 *
 * A node is eight words: for x, y, z in turn the two children's planes (bits 0 to 15: low, 16 to 31: high, each 0x8000
 * + a cell), then references to the two children. Word 2k + c is child c along axis k. Boxes are rounded outwards, by
 * 1/16 to 17/16 of a cell on each side, which is more than all rounding of a ray in 32 bits.
 *
 * Splits by the surface-area heuristic over 32 bins; near the largest depth by halves. One box: a node with the same
 * child twice.
 *
 * @param boxes   n of them, n in [1, GEOM_BVH_MOST)
 * @param[out] grid   what the planes count in
 * @param[out] nodes  free with free(); NULL when out of memory
 * @return        number of nodes, max(1, n - 1); 0 when out of memory
 */
uint32_t geom_bvh_build(const geom_box *boxes, uint32_t n, geom_grid *grid, uint32_t **nodes);

#endif
