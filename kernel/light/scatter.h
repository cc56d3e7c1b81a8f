/** Scattering: Henyey-Greenstein's angle and the new direction. */
#ifndef CK_LIGHT_SCATTER_H
#define CK_LIGHT_SCATTER_H

#include "light/photon.h"
#include "arithmetic.h"

/**
 * 1 - cos(theta) after Henyey and Greenstein, with xi uniform and v = 1 - g + 2 g xi.
 *
 * any_g = 0, for models whose g lie in [0.1, 1]:  1 - cos = ((1-g^2)/v)^2/(2g) - (1-g)^2/(2g),
 *     slope = 2g sqrt(2g)/(1-g^2) 2^-32, offset = sqrt(2g)/(1+g), factor = -(1-g)^2/(2g); 6 operations on a GPU.
 * any_g = 1, for every g in [-1, 1]: without cancellation, u = 1 - xi,  1 - cos = (1-g)^2 (u/v) (1 + (1+g)/v),
 *     slope = 2g/(1-g)^2, offset = 1/(1-g), factor = (1+g)/(1-g)^2; xi takes 2^23 values, the middles of equal cells.
 * g = 1 and clear layers have slope 0 and an offset that makes the result 1e-30.
 *
 * Ref: Henyey and Greenstein 1941; inverse of its integral as in Witt 1977.  Draws: the word.
 */
CK_FN float light_one_minus_cos(float hg_slope, float hg_offset, float hg_factor, ck_u32 word, int any_g)
{
    if (!any_g) {
        float root = ck_reciprocal(ck_fma(hg_slope, (float)word, hg_offset));
        return ck_fma(root, root, hg_factor);
    }
    float xi = CK_FLOAT((word >> 9) | 0x3F800000u) - 0.99999994f;
    float u = 1.0f - xi;
    float inverse = ck_reciprocal(ck_fma(hg_slope, xi, hg_offset));
    return (u * inverse) * ck_fma(hg_factor, inverse, 1.0f);
}

/**
 * Turn the direction by theta and an azimuth from a table of 1024 equally spaced ones.
 *
 * The basis (Duff et al. 2017) has no singular direction, and the length of the vector corrects itself: no
 * renormalisation and no special case along the axis.
 *
 * Draws: 10 bits of the word.
 */
CK_FN light_photon light_turn(light_photon p, float one_minus_cos, ck_u32 word, CK_LOCAL const float *table, int any_g)
{
    float cosine = 1.0f - one_minus_cos;
    float sine_sq = ck_fma(one_minus_cos, cosine, one_minus_cos);
    if (any_g) { /* the other form never leaves (0, 2): the host and light_medium_load see to it */
        sine_sq = ck_fmax(sine_sq, 1.0e-30f);
    }
    float sine = ck_sqrt_positive(sine_sq);
    /* Bits 3 to 12 of the word are a byte offset into pairs of floats as they stand. */
    ck_i32 azimuth = CK_AZIMUTH_TABLE + (ck_i32)((word & (8u * (CK_AZIMUTHS - 1u))) >> 2);
    float a = sine * table[azimuth];
    float b = sine * table[azimuth + 1];
    float m = ck_fma(a, p.ux, b * p.uy);
    float e = ck_fma(-m, ck_reciprocal(1.0f + ck_fabs(p.uz)), cosine);
    light_photon q = p;
    q.ux = ck_fma(p.ux, e, a);
    q.uy = ck_fma(p.uy, e, b);
    q.uz = ck_fma(p.uz, cosine, -CK_FLOAT(CK_BITS(m) ^ (CK_BITS(p.uz) & 0x80000000u)));
    return q;
}

#endif
