/** The event that nearly all time goes into: fly, and where the flight ends inside the layer absorb and scatter. */
#ifndef CK_LIGHT_ATTEMPT_H
#define CK_LIGHT_ATTEMPT_H

#include "light/fly.h"
#include "light/scatter.h"

typedef struct light_attempt {
    light_photon photon; /* as it was if `idle` */
    ck_u32 key, deposit; /* what it scores in A(r,z); 0 if idle */
    ck_u32 word;         /* the event's second random word: for Fresnel if the flight hit an interface */
    ck_u32 hits;         /* 1: the flight ended at an interface */
    ck_u32 idle;         /* 1: it hits, or the lane takes no part: nothing happened */
} light_attempt;

/**
 * One flight, without branches: selects keep a photon still that hits an interface, or whose lane has stopped.
 *
 * @param words    the random words of this event
 * @param stopped  1: the lane takes no part
 * @param any_g    which form of Henyey-Greenstein, known when compiling
 * Draws: 0 (`words` is given).
 */
CK_FN light_attempt light_try_with(light_photon p, light_medium m, ck_pair words, ck_u32 stopped, light_params params,
                                   CK_LOCAL const float *table, int any_g)
{
    light_flight f = light_fly(p, m.mean_free_path, m.thickness, words.a, table);
    light_attempt a;
    a.word = words.b;
    a.hits = f.hits;
    a.idle = f.hits | stopped;
    a.photon = p;
    a.photon.x = a.idle ? p.x : ck_fma(f.length, p.ux, p.x);
    a.photon.y = a.idle ? p.y : ck_fma(f.length, p.uy, p.y);
    a.photon.z = a.idle ? p.z : f.z;
    a.key = light_rz_key(a.photon.x, a.photon.y, a.photon.z, m.top_bin, params);
    ck_u32 absorbed = light_absorb(p.weight, m.absorb, words.b);
    a.deposit = a.idle ? 0u : absorbed;
    a.photon.weight = p.weight - a.deposit;
    float h = light_one_minus_cos(m.hg_slope, m.hg_offset, m.hg_factor, words.b, any_g);
    light_photon turned = light_turn(p, h, words.b, table, any_g);
    a.photon.ux = a.idle ? p.ux : turned.ux;
    a.photon.uy = a.idle ? p.uy : turned.uy;
    a.photon.uz = a.idle ? p.uz : turned.uz;
    return a;
}

/* The same with the words drawn here. Draws: one pair of the transport stream. */
CK_FN light_attempt light_try(light_photon p, light_medium m, ck_u32 event, ck_u32 history, ck_u32 stopped,
                              light_params params, CK_LOCAL const float *table, int any_g)
{
    return light_try_with(p, m, ck_philox2x32(params.key, event, history), stopped, params, table, any_g);
}

#endif
