/** What OptiX is told of a model, and what its programs know of the shapes: in single precision, in a cube about 0. */
#ifndef CK_GAS_RAYS_H
#define CK_GAS_RAYS_H

#include "gas/params.h"

/* Kinds of hit: rows of the binding table. */
#define GAS_RAY_WALL 0u  /* reflects diffusely, always */
#define GAS_RAY_SINK 1u  /* pumps, always */
#define GAS_RAY_OTHER 2u /* anything else, seen from its front */
#define GAS_RAY_BOTH 3u  /* anything that is seen from both sides */
#define GAS_RAY_KINDS 4u

/* Coordinates of rays: (place - centre) * scale; scale is a power of two, and the largest coordinate lies in (64, 128].
 * The tables that follow, in words from the beginning of this. */
typedef struct gas_rays {
    double centre[3], scale, unit; /* unit = 1 / scale */
    ck_u32 n_shapes;
    ck_u32 at_primitives; /* of each shape: its primitive (the first of a polygon) */
    ck_u32 at_facets;     /* of each facet: its first primitive */
    ck_u32 at_outlines;   /* of each shape, for polygons */
    ck_u32 at_corners;    /* of the outlines */
    ck_u32 at_copies;     /* words of a copy of the counters; 0: there is one set */
} gas_rays;

/* In the units of rays: more than the rounding of a place found in single precision. */
#define GAS_RAY_SLACK 1.52587890625e-5f

/* A polygon: its plane and its bounding rectangle in the coordinates of rays, and its outline in those of the
 * rectangle. */
typedef struct gas_outline {
    float normal[3], height;        /* normal . p of its points */
    float u[4], v[4];               /* coordinates of a point: u . p + u0, in [0, 1] */
    ck_u32 first_corner, n_corners; /* pairs of floats; rings one behind the other, each closed by itself */
    ck_u32 is_two_sided, unused;
    float slack_u, slack_v; /* how far outside a point still counts, so that neighbours leave no gap: GAS_RAY_SLACK */
    ck_u32 unused2[2];
} gas_outline;

CK_STATIC_ASSERT(sizeof(gas_rays) == 64, gas_rays_has_64_bytes);
CK_STATIC_ASSERT(sizeof(gas_outline) == 80, gas_outline_has_80_bytes);

#endif
