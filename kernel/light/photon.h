/** A photon packet, and the medium it flies in. */
#ifndef CK_LIGHT_PHOTON_H
#define CK_LIGHT_PHOTON_H

#include "light/params.h"

/* z counts from the top of the layer, 0 <= z <= d, so that thin layers deep down lose no digits. */
typedef struct light_photon {
    float x, y, z;    /* [dr] */
    float ux, uy, uz; /* direction cosines */
    ck_u32 weight;    /* units of 2^-30; as a signed number below zero: leaving the tissue with that weight */
    ck_u32 layer;     /* row of its layer: LIGHT_ROW times the number */
} light_photon;

/* The row of the layer table that every flight needs. */
typedef struct light_medium {
    float mean_free_path; /* [dr] */
    ck_u32 absorb;        /* mu_a/mu_t in units of 2^-32 */
    float hg_slope, hg_offset, hg_factor;
    float thickness;      /* [dr] */
    float top_bin;
} light_medium;

CK_FN light_medium light_medium_load(CK_LAYERS const float *CK_RESTRICT layers, ck_u32 layer)
{
    ck_four first = ck_load_four(layers, (ck_i32)layer);
    ck_four second = ck_load_four(layers, (ck_i32)layer + 4);
    light_medium m;
    m.mean_free_path = first.a;
    m.absorb = CK_BITS(first.b);
    m.hg_slope = first.c;
    m.hg_offset = first.d;
    m.hg_factor = second.a;
#if !CK_STRICT
    /* Hardware approximations are off by some units in the last place: the constants move a little further inside, so
     * that 1 - cos still stays in (0, 2). */
    m.hg_offset *= 1.0000005f;
    m.hg_factor *= 0.999998f;
#endif
    m.thickness = second.b;
    m.top_bin = second.c;
    return m;
}

/**
 * A photon of the pencil beam at the top of the first layer that is not clear.
 *
 * What the surface, and clear layers above, reflect of a perpendicular beam is known exactly (Rsp) and never flies.
 * Draws: 0.
 */
CK_FN light_photon light_launch(ck_u32 launch_weight, ck_u32 launch_layer)
{
    light_photon p;
    p.x = 0.0f;
    p.y = 0.0f;
    p.z = 0.0f;
    p.ux = 0.0f;
    p.uy = 0.0f;
    p.uz = 1.0f;
    p.weight = launch_weight;
    p.layer = launch_layer;
    return p;
}

#endif
