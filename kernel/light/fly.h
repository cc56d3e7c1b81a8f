/** The flight to the next scatter or interface, and what is absorbed where it ends. */
#ifndef CK_LIGHT_FLY_H
#define CK_LIGHT_FLY_H

#include "light/photon.h"
#include "arithmetic.h"

typedef struct light_flight {
    float length; /* [dr] */
    float z;      /* where it would end, from the layer's top [dr] */
    ck_u32 hits;  /* 1: it leaves the layer, the photon stands still until light_cross */
} light_flight;

/**
 * Sample the free path s = -ln(u)/mu_t and see whether it stays inside the layer.
 *
 * One unsigned comparison of bit patterns catches z < 0, z > d, infinity and NaN.
 * Draws: the first word of the event.
 */
CK_FN light_flight light_fly(light_photon p, float mean_free_path, float thickness, ck_u32 word,
                             CK_LOCAL const float *table)
{
    light_flight f;
    f.length = ck_free_path(word, mean_free_path, table);
    f.z = ck_fma(f.length, p.uz, p.z);
    f.hits = CK_BITS(f.z) > CK_BITS(thickness) ? 1u : 0u;
    return f;
}

/**
 * Weight that a collision leaves behind: w mu_a/mu_t, rounded by a random word so that the mean is exact.
 *
 * @param word  the event's second word: only the last unit of the deposit depends on it
 * Draws: 0 (shares a word).
 */
CK_FN ck_u32 light_absorb(ck_u32 weight, ck_u32 absorb, ck_u32 word)
{
    return ck_mad_high(weight, absorb, word);
}

/* Distance from the axis, at most `r_bins`, the bin of all that is outside: dr is the unit of length. */
CK_FN float light_r_position(float x, float y, float r_bins)
{
    return ck_fmin(ck_sqrt_positive(ck_fma(x, x, ck_fma(y, y, 1.0e-30f))), r_bins);
}

/* Depth in bins of dz, at most `z_bins`, the bin of all that is outside. Where the grid is deeper than the tissue, the
 * host has seen to it that no depth rounds beyond, and a GPU need not clamp. */
CK_FN float light_z_position(float z, float inv_dz, float top_bin, float z_bins)
{
#ifdef LIGHT_TISSUE_IN_GRID
    return ck_fma(z, inv_dz, top_bin);
#else
    return ck_fmin(ck_fma(z, inv_dz, top_bin), z_bins);
#endif
}

/* Key of a bin of A(r,z), r slow, z fast: the bin and ck_grid_bias(rz_row). */
CK_FN ck_u32 light_rz_key(float x, float y, float z, float top_bin, light_params p)
{
    return ck_grid_key(light_r_position(x, y, p.r_bins), light_z_position(z, p.inv_dz, top_bin, p.z_bins), p.rz_row);
}

#endif
