/** An interface: Fresnel's reflection or Snell's refraction, the same straight line of code for every interface. */
#ifndef CK_LIGHT_CROSS_H
#define CK_LIGHT_CROSS_H

#include "light/photon.h"
#include "arithmetic.h"

/* What the layer table says about the interface that the photon heads for. */
typedef struct light_interface {
    float n_ratio, n_ratio_sq, one_minus_sq;
    ck_u32 target;
} light_interface;

CK_FN light_interface light_interface_load(CK_LAYERS const float *CK_RESTRICT layers, ck_u32 layer, float uz)
{
    /* By arithmetic on the sign bit: a choice between two addresses keeps compilers from vectorising, as do unsigned indices. */
    ck_i32 upward = (ck_i32)(CK_BITS(uz) >> 31);
    ck_i32 at = (ck_i32)layer + LIGHT_DOWN - (LIGHT_DOWN - LIGHT_UP) * upward;
    ck_four record = ck_load_four(layers, at);
    light_interface i;
    i.n_ratio = record.a;
    i.n_ratio_sq = record.b;
    i.one_minus_sq = record.c;
    i.target = CK_BITS(record.d);
    return i;
}

typedef struct light_crossing {
    light_photon photon; /* at the interface; z is still to be set for the layer it is in now */
    float length;        /* of the way to the interface [dr] */
    ck_u32 enters;       /* 1: went through into another layer */
} light_crossing;

/**
 * Move to the interface, then reflect or refract.
 *
 * With r = n1/n2, cosines ca (here) and ct (beyond), ct^2 = 1 - r^2 + r^2 ca^2; the mean of both polarisations is
 * R = [(e1/e2)^2 + (q1/q2)^2]/2 with e = r ca -+ ct, q = r ct -+ ca. The photon goes through if u >= R, tested without
 * a division. At and beyond the critical angle ct is NaN and the test fails by itself; a matched interface has
 * e1 = q1 = 0 and passes by itself whatever the word.
 *
 * Ref: Born and Wolf, section 1.5.  Draws: the second word of the event.
 */
CK_FN light_crossing light_cross(light_photon p, light_interface i, float thickness, ck_u32 word)
{
    float face = p.uz < 0.0f ? 0.0f : thickness;
    float ca = ck_fabs(p.uz);
    float ct = ck_sqrt_or_nan(ck_fma(i.n_ratio_sq * p.uz, p.uz, i.one_minus_sq));
    float e1 = ck_fma(i.n_ratio, ca, -ct);
    float e2 = ck_fma(i.n_ratio, ca, ct);
    float q1 = ck_fma(i.n_ratio, ct, -ca);
    float q2 = ck_fma(i.n_ratio, ct, ca);
    float both = e2 * q2;
    float cross_a = e1 * q2;
    float cross_b = q1 * e2;
    float twice_u = (float)word * 4.6566129e-10f;
    light_crossing c;
    c.length = (face - p.z) * ck_reciprocal(p.uz);
    ck_u32 transmitted = (twice_u * both) * both >= ck_fma(cross_a, cross_a, cross_b * cross_b) ? 1u : 0u;
    ck_u32 leaves = transmitted & (i.target >> 31);
    c.photon = p;
    c.photon.x = ck_fma(c.length, p.ux, p.x);
    c.photon.y = ck_fma(c.length, p.uy, p.y);
    c.photon.ux = transmitted ? p.ux * i.n_ratio : p.ux;
    c.photon.uy = transmitted ? p.uy * i.n_ratio : p.uy;
    float along = transmitted ? ct : -ca;
    c.photon.uz = p.uz < 0.0f ? -along : along;
    ck_u32 lost = (ca <= 1.001f && ck_fabs(c.length) < 1.0e30f) ? 0u : 1u;
    c.enters = transmitted & ~(leaves | lost);
    c.photon.layer = c.enters ? i.target : p.layer;
    /* Leaving the tissue turns the sign of the weight: one comparison finds it, together with roulette. A photon in an
     * impossible state (no direction, an interface that is never reached) leaves too, and light_is_lost finds it there. */
    c.photon.weight = (leaves | lost) ? 0u - p.weight : p.weight;
    return c;
}

/* A photon that left: was it in an impossible state? Every comparison with NaN says so. */
CK_FN ck_u32 light_is_lost(light_photon p)
{
    return (ck_fabs(p.uz) <= 1.001f && ck_fabs(p.x) < 1.0e30f && ck_fabs(p.y) < 1.0e30f) ? 0u : 1u;
}

/* Which crossing counter, times `stride`: up or down (by where it goes now) out of the layer it came from. The stride is
 * folded in because a layer is known by its row. */
CK_FN ck_u32 light_crossing_counter(ck_u32 from, float uz, ck_u32 stride)
{
    ck_u32 downward = 1u - (CK_BITS(uz) >> 31);
    return stride >= LIGHT_ROW / 2u ? from * (stride / (LIGHT_ROW / 2u)) + downward * stride
                                    : from / (LIGHT_ROW / 2u) * stride + downward * stride;
}

/* Where z stands after a crossing: at the layer's bottom if the photon goes up, at its top if it goes down. */
CK_FN float light_entry_z(float uz, float thickness)
{
    return uz < 0.0f ? thickness : 0.0f;
}

#endif
