/** The end of a history: an exit, roulette, or a photon that had to be dropped. */
#ifndef CK_LIGHT_END_H
#define CK_LIGHT_END_H

#include "light/cross.h"
#include "light/fly.h"

/* Does the photon need a look: it leaves, it is faint, or it has had too many events? */
CK_FN ck_u32 light_needs_end(ck_u32 weight, ck_u32 event, ck_i32 weight_threshold)
{
    return ((ck_i32)weight < weight_threshold || event > LIGHT_MAX_EVENTS) ? 1u : 0u;
}

/**
 * Russian roulette: survives with chance 1/factor and then weighs factor times as much; where that were still below the
 * threshold, with chance weight/threshold and then weighs the threshold: one game an event, on every device.
 *
 * What the loser held is booked as absorbed where it died, and what the winner gained is taken from there: absorption
 * by layer comes from the weight that crosses interfaces (params.h), so that Rsp + Rd + A + Tt = 1 in the integers.
 *
 * Draws: one pair of the roulette stream.  Ref: Wang, Jacques and Zheng 1995, section 3.9.
 * @return the new weight, 0 if the photon ends
 */
CK_FN ck_u32 light_roulette(ck_u32 weight, ck_u32 event, ck_u32 history, light_params p)
{
    ck_pair words = ck_philox2x32(p.key, event | LIGHT_STREAM_ROULETTE, history);
    ck_u32 heavier = weight * p.roulette_factor, threshold = (ck_u32)p.weight_threshold;
    ck_u32 is_heavy_enough = heavier >= threshold ? 1u : 0u;
    ck_u32 survives = is_heavy_enough ? (words.a < p.roulette_limit ? 1u : 0u)
                                      : (CK_MULHI32(words.a, threshold) < weight ? 1u : 0u);
    return survives ? (is_heavy_enough ? heavier : threshold) : 0u;
}

/* Bin of the angle between the exit direction and the normal. */
CK_FN ck_u32 light_alpha_bin(float uz, float inv_dalpha, ck_u32 n_alpha)
{
    ck_u32 bin = ck_floor_to_u32(ck_acos_positive(ck_fabs(uz)) * inv_dalpha);
    return bin < n_alpha ? bin : n_alpha - 1u;
}

/* Bin of R(r,alpha) and T(r,alpha): r slow, alpha fast. */
CK_FN ck_u32 light_exit_bin(light_photon photon, light_params p)
{
    ck_u32 r_bin = ck_floor_to_u32(light_r_position(photon.x, photon.y, p.r_bins));
    return r_bin * p.n_alpha + light_alpha_bin(photon.uz, p.inv_dalpha, p.n_alpha);
}

/* Light that was never deflected: still along the axis (to a millionth of a radian). */
CK_FN ck_u32 light_is_ballistic(float ux, float uy)
{
    return ck_fma(ux, ux, uy * uy) < 1.0e-12f ? 1u : 0u;
}

#endif
