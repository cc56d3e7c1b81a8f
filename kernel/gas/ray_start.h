/** Where a ray in single precision starts from, so that it does not miss what the molecule will hit. */
#ifndef CK_GAS_RAY_START_H
#define CK_GAS_RAY_START_H

#include "gas/molecule.h"

/* Units in the last place that a coordinate is moved by: 256 as published, for places in single precision; places on
 * the plane of their facet are right to half a unit. (256 units of a coordinate of 64 are 0.15 % of the radius of a tube
 * of L/R = 100, which molecules from its inlet would have behind them before they start: W is then larger by 5e-4.) */
#define GAS_NUDGE_PUBLISHED 256.0f
#define GAS_NUDGE_PLACED 8.0f

/**
 * Move a coordinate along the normal by more than its rounding: by so many units in the last place, below 2^-5 by those
 * of 2^0 (of 2^-24 each).
 *
 * Ref: Waechter, Binder 2019, "A fast and robust method for avoiding self-intersection".  Draws: 0.
 */
CK_FN float gas_nudge(float x, float n, float units)
{
    ck_i32 step = (ck_i32)(units * n);
    float far = CK_FLOAT((ck_u32)((ck_i32)CK_BITS(x) + (x < 0.0f ? -step : step)));
    return ck_fabs(x) < 0.03125f ? ck_fma(n, units * 5.9604644775390625e-8f, x) : far;
}

/* A coordinate of a ray. */
CK_FN float gas_ray_coordinate(double x, double centre, double scale)
{
    return (float)((x - centre) * scale);
}

/* How near to the edge is the edge, in a coordinate of a facet: 2^-15 of the ray's units, which is more than the
 * rounding of a place, so that a ray does not start on a neighbour; at most a quarter. */
CK_FN double gas_rim(gas_vector axis, double unit)
{
    double steep = ck_fabs((float)axis.x) + ck_fabs((float)axis.y) + ck_fabs((float)axis.z);
    double rim = steep * unit * 3.0517578125e-5;
    return rim < 0.25 ? rim : 0.25;
}

/* A place on the plane of a primitive, moved into it where it lies outside: there it might lie behind a neighbour. */
CK_FN gas_vector gas_place_inside(CK_GLOBAL const gas_primitive *q, gas_vector normal, gas_vector place, double unit)
{
    ck_doubles4 a = ck_load_doubles4(q->u), b = ck_load_doubles4(q->v);
    gas_vector axis_u = gas_vector_of(a.a, a.b, a.c), axis_v = gas_vector_of(b.a, b.b, b.c);
    double u = gas_dot(axis_u, place) + a.d, v = gas_dot(axis_v, place) + b.d;
    double rim_u = gas_rim(axis_u, unit), rim_v = gas_rim(axis_v, unit);
    int is_triangle = (q->facet & GAS_IS_TRIANGLE) != 0u;
    double top = is_triangle ? 1.0 - rim_u - rim_v : 2.0; /* of u + v */
    double end_u = is_triangle ? top - rim_v : 1.0 - rim_u, end_v = is_triangle ? top - rim_u : 1.0 - rim_v;
    double u_in = u < rim_u ? rim_u : u > end_u ? end_u : u, v_in = v < rim_v ? rim_v : v > end_v ? end_v : v;
    if (u_in + v_in > top) {
        double half = 0.5 * (u_in + v_in - top);
        u_in = u_in - half > rim_u ? u_in - half : rim_u;
        v_in = top - u_in;
    }
    if (u_in == u && v_in == v) {
        return place;
    }
    gas_vector edge_u = gas_cross(axis_v, normal), edge_v = gas_cross(normal, axis_u);
    place = gas_along(place, (u_in - u) / gas_dot(axis_u, edge_u), edge_u);
    return gas_along(place, (v_in - v) / gas_dot(axis_v, edge_v), edge_v);
}

/* Where the next ray of a flight begins whose rays hit nothing so far: as far inside the primitive as 8, then 64 times what
 * rounding needs.  Draws: 0. */
CK_FN gas_vector gas_look_from(CK_GLOBAL const gas_primitive *q, gas_vector normal, gas_vector place, double unit, ck_u32 tries)
{
    return gas_place_inside(q, normal, place, unit * (double)(1u << (3u * tries)));
}

#endif
