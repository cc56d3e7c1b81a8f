/** Rays against polygons, in single precision: a bounding rectangle in its plane, then the outline. */
#ifndef CK_GAS_POLYGON_H
#define CK_GAS_POLYGON_H

#include "gas/rays.h"

/**
 * Is a point of the plane inside an outline? A ray from it along +u is crossed by the edges an odd number of times.
 *
 * @param corners  u and v of the corners, ring after ring; a ring ends with its first corner again, and with a NaN
 * between rings, which no comparison is true of Ref: Shimrat 1962, "Position of point relative to polygon" (algorithm
 * 112).  Draws: 0.
 */
CK_FN ck_u32 gas_is_inside(CK_GLOBAL const float *corners, ck_u32 n, float u, float v)
{
    ck_u32 is_inside = 0u;
    float u0 = corners[0], v0 = corners[1];
    for (ck_u32 i = 1u; i < n; ++i) {
        float u1 = corners[2u * i], v1 = corners[2u * i + 1u];
        int crosses_level = (v0 > v && v1 <= v) || (v1 > v && v0 <= v);
        if (crosses_level && (u - u0) * ck_fabs(v1 - v0) < (u1 - u0) * ((v - v0) * (v1 > v0 ? 1.0f : -1.0f))) {
            is_inside ^= 1u;
        }
        u0 = u1;
        v0 = v1;
    }
    return is_inside;
}

/**
 * Is a point nearer to an edge of an outline than the slack?
 *
 * @param by_u, by_v  1 / slack: coordinates times these are distances in slacks
 * Draws: 0.
 */
CK_FN ck_u32 gas_is_near_edge(CK_GLOBAL const float *corners, ck_u32 n, float u, float v, float by_u, float by_v)
{
    ck_u32 is_near = 0u;
    float x0 = (corners[0] - u) * by_u, y0 = (corners[1] - v) * by_v;
    for (ck_u32 i = 1u; i < n; ++i) {
        float x1 = (corners[2u * i] - u) * by_u, y1 = (corners[2u * i + 1u] - v) * by_v;
        float x = x1 - x0, y = y1 - y0, square = ck_fmax(ck_fma(x, x, y * y), 1.0e-30f);
        float along = ck_fmin(ck_fmax(-ck_fma(x0, x, y0 * y) / square, 0.0f), 1.0f);
        float nx = ck_fma(along, x, x0), ny = ck_fma(along, y, y0);
        is_near |= ck_fma(nx, nx, ny * ny) < 1.0f ? 1u : 0u; /* false of a NaN */
        x0 = x1;
        y0 = y1;
    }
    return is_near;
}

/**
 * Distance of a polygon along a ray; negative: there is no hit.
 *
 * @param o, d     origin and direction of the ray
 * @param nearest  least distance that counts
 * @param culls    seen from its front only, unless it has two sides
 * Draws: 0.
 */
CK_FN float gas_meet_polygon(CK_GLOBAL const gas_outline *outline, CK_GLOBAL const float *corners, const float *o,
                             const float *d, float nearest, ck_u32 culls)
{
    float cosine = ck_fma(outline->normal[2], d[2], ck_fma(outline->normal[1], d[1], outline->normal[0] * d[0]));
    float height =
        outline->height - ck_fma(outline->normal[2], o[2], ck_fma(outline->normal[1], o[1], outline->normal[0] * o[0]));
    if (cosine == 0.0f || (culls && !outline->is_two_sided && cosine > 0.0f)) {
        return -1.0f;
    }
    float t = height / cosine;
    if (!(t > nearest)) {
        return -1.0f;
    }
    float x = ck_fma(t, d[0], o[0]), y = ck_fma(t, d[1], o[1]), z = ck_fma(t, d[2], o[2]);
    float u = ck_fma(outline->u[2], z, ck_fma(outline->u[1], y, ck_fma(outline->u[0], x, outline->u[3])));
    float v = ck_fma(outline->v[2], z, ck_fma(outline->v[1], y, ck_fma(outline->v[0], x, outline->v[3])));
    float su = outline->slack_u, sv = outline->slack_v;
    if (!(u >= -su && v >= -sv && u <= 1.0f + su && v <= 1.0f + sv)) {
        return -1.0f;
    }
    u = ck_fmin(ck_fmax(u, 1.0e-7f), 0.9999999f); /* on the rectangle's edge: just inside, where the outline may have it */
    v = ck_fmin(ck_fmax(v, 1.0e-7f), 0.9999999f);
    corners += 2u * outline->first_corner;
    ck_u32 is_hit = gas_is_inside(corners, outline->n_corners, u, v);
    is_hit = is_hit || gas_is_near_edge(corners, outline->n_corners, u, v, 1.0f / su, 1.0f / sv);
    return is_hit ? t : -1.0f;
}

#endif
