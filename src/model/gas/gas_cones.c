/* Which cone of normals each part of a hierarchy lies in. */
#include "model/gas/gas_cones.h"

#include "geom/bvh.h"

#include <math.h>

void gas_cone_axis(uint32_t c, double axis[3])
{
    static const signed char axes[13][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, -1, 0},
                                            {1, 0, 1},  {1, 0, -1}, {0, 1, 1},  {0, 1, -1}, {1, 1, 1},
                                            {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
    uint32_t pair = c < GAS_NARROW_CONES ? c / 2 : (c - GAS_NARROW_CONES) / 2;
    const signed char *a = axes[pair];
    double scale = ((c & 1u) != 0 ? -1.0 : 1.0) / sqrt((double)(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
    for (int k = 0; k < 3; k++) {
        axis[k] = scale * a[k];
    }
}

/* What lies below a reference. */
typedef struct bundle {
    uint32_t cones;   /* that hold all normals */
    double normal[3]; /* their sum */
} bundle;

static double along(uint32_t cone, const double n[3])
{
    double axis[3];
    gas_cone_axis(cone, axis);
    return axis[0] * n[0] + axis[1] * n[1] + axis[2] * n[2];
}

static bundle bundle_of(const gas_primitive *q)
{
    bundle b = {0, {q->n[0], q->n[1], q->n[2]}};
    for (uint32_t c = 0; c < GAS_N_CONES && (q->facet & GAS_IS_TWO_SIDED) == 0; c++) {
        double least = c < GAS_NARROW_CONES ? GAS_NARROW_COSINE : GAS_WIDE_COSINE;
        b.cones |= along(c, b.normal) >= least ? 1u << c : 0;
    }
    return b;
}

/* A narrow one before a wide one, the nearest of those to the mean normal. */
static uint32_t best_cone(const bundle *b)
{
    uint32_t narrow = b->cones & ((1u << GAS_NARROW_CONES) - 1), choice = narrow != 0 ? narrow : b->cones;
    uint32_t best = GAS_NO_CONE;
    double most = 0.0;
    for (uint32_t c = 0; c < GAS_N_CONES; c++) {
        double a = (choice >> c & 1u) != 0 ? along(c, b->normal) : 0.0;
        if (a > most) {
            most = a;
            best = c;
        }
    }
    return best;
}

/* As deep as the hierarchy: GEOM_BVH_DEPTH. */
static bundle mark(uint32_t *nodes, const gas_primitive *primitives, uint32_t *reference)
{
    bundle b;
    uint32_t number = GEOM_BVH_NUMBER(*reference);
    if ((*reference & GEOM_BVH_LEAF) != 0) {
        b = bundle_of(&primitives[number]);
    } else {
        uint32_t *node = nodes + (size_t)GEOM_BVH_NODE_WORDS * number;
        bundle other = mark(nodes, primitives, &node[7]);
        b = mark(nodes, primitives, &node[6]);
        b.cones &= other.cones;
        for (int k = 0; k < 3; k++) {
            b.normal[k] += other.normal[k];
        }
    }
    *reference = (*reference & ~GEOM_BVH_FREE) | best_cone(&b);
    return b;
}

void gas_cones_mark(uint32_t *nodes, const gas_primitive *primitives)
{
    uint32_t root = GEOM_BVH_ROOT;
    mark(nodes, primitives, &root);
}
