/** Fluence: path length per volume, from collisions (w/mu_t) where there are any, from flights in clear layers. */
#ifndef CK_LIGHT_FLUENCE_H
#define CK_LIGHT_FLUENCE_H

#include "arithmetic.h"
#include "light/photon.h"

/* The longest flight through a clear layer that is scored, in fluence units; longer ones are capped and counted. */
#define LIGHT_FLUENCE_CAP 1048576.0f
#define LIGHT_STREAM_FLUENCE 0xC0000000u

/**
 * Collision estimator: weight before the collision times the mean free path, in 2^-30 fluence units.
 *
 * @param mean_free_path  in fluence units, at most 1/16; 0 in a clear layer. A float, so that layers of very different
 *                        mean free paths keep the same relative precision
 * @param word            random word whose low bits round, so that the mean is exact
 * Draws: 0 (shares a word).
 */
CK_FN ck_u32 light_fluence_of_collision(ck_u32 weight, float mean_free_path, ck_u32 word)
{
    return (ck_u32)(ck_i32)ck_fma((float)weight, mean_free_path, (float)(word & 0x00FFFFFFu) * 5.9604645e-8f);
}

typedef struct light_fluence_score {
    ck_u64 amount;   /* in 2^-30 fluence units */
    float x, y, z;   /* the point of the flight that stands for it, uniform along the way */
    ck_u32 capped;
} light_fluence_score;

/**
 * A flight of `length` through a clear layer: all of it is scored at one point, uniform along the way, which has the mean of a
 * score spread over all bins that the way crosses.
 *
 * Draws: one pair of the fluence stream.
 */
CK_FN light_fluence_score light_fluence_of_flight(light_photon p, float length, float thickness, float inv_fluence_unit,
                                                  ck_pair words)
{
    float units = length * inv_fluence_unit;
    float along = length * ((float)(words.a >> 8) * 5.9604645e-8f);
    light_fluence_score s;
    s.capped = units > LIGHT_FLUENCE_CAP ? 1u : 0u;
    float amount = (float)p.weight * ck_fmin(units, LIGHT_FLUENCE_CAP);
    s.amount = (ck_u64)(amount + (float)(words.b >> 8) * 5.9604645e-8f);
    s.x = ck_fma(along, p.ux, p.x);
    s.y = ck_fma(along, p.uy, p.y);
    s.z = ck_fmin(ck_fmax(ck_fma(along, p.uz, p.z), 0.0f), thickness); /* rounding must not lead out of the layer */
    return s;
}

#endif
