/** Does a pair react in a step, and when; does a molecule react by itself. */
#ifndef CHEM_MEET_H
#define CHEM_MEET_H

#include "bridge.h"

/* More attempts than this at the time of a hit and the last proposal is taken: the time inside the step, and nothing else,
 * is then a little off. */
#define CHEM_HIT_ATTEMPTS 32u

typedef struct chem_vector {
    float x, y, z;
} chem_vector;

/* What may happen in a step: CHEM_NONE, or a channel with the fraction of the step and a word that decides between equals. */
typedef struct chem_event {
    ck_u32 channel;
    float fraction;
    ck_u32 tie;
} chem_event;

/* Two molecules at the start of a step, in the order that fixes signs: lower species first, then lower id. */
typedef struct chem_pair {
    ck_u32 first, second;   /* ids */
    ck_u32 history;         /* low word of its number */
    ck_u32 step;
    chem_vector apart;      /* position of the second minus that of the first [nm] */
    chem_vector moved;      /* the same difference of their displacements */
} chem_pair;

CK_FN float chem_length(chem_vector v)
{
    return chem_root(ck_fma(v.x, v.x, ck_fma(v.y, v.y, v.z * v.z)));
}

/** Four words of a pair or molecule: counter = (ids, step with stream and number, history).  Draws: 1 quad. */
CK_FN ck_quad chem_draw(ck_philox4_key key, ck_u32 first, ck_u32 second, ck_u32 step, ck_u32 number, ck_u32 stream,
                        ck_u32 history)
{
    ck_quad counter;
    counter.a = first;
    counter.b = second;
    counter.c = step | (number << 20) | (stream << 28);
    counter.d = history;
    return ck_philox4x32(key, counter);
}

/** Can this pair react at all? Type V: one word a pair, the same in every step (the spins keep).  Draws: 1 quad for V. */
CK_FN ck_u32 chem_can_react(ck_philox4_key key, ck_u32 spin_limit, chem_pair p, ck_u32 channel)
{
    if (spin_limit == 0xFFFFFFFFu) {
        return 1u;
    }
    return chem_draw(key, p.first, p.second, channel, 0u, CHEM_STREAM_PAIR, p.history).a < spin_limit ? 1u : 0u;
}

/** The fraction of the step at which a pair that touches in it first does so.  Draws: 2 quads an attempt. */
CK_FN float chem_hit_fraction(ck_philox4_key key, chem_pair p, float r0, float r1, float radius, float spread)
{
    chem_proposal hit;
    ck_u32 attempt = 0u;
    do {
        ck_quad words = chem_draw(key, p.first, p.second, p.step, 2u * attempt, CHEM_STREAM_HIT, p.history);
        ck_u32 choice = chem_draw(key, p.first, p.second, p.step, 2u * attempt + 1u, CHEM_STREAM_HIT, p.history).a;
        hit = chem_propose_hit(r0, r1, radius, spread, words, choice);
        ++attempt;
    } while (hit.is_taken == 0u && attempt < CHEM_HIT_ATTEMPTS);
    return ck_fmin(hit.w / (1.0f + hit.w), 0.99999994f);
}

/**
 * The word that decides whether a pair touches in a step, from the words that its two molecules drew in it. Of all pairs any two have
 * independent words: for a given word of one partner the map is one-to-one in that of the other. Mixing: Wellons 2018 (lowbias32).
 */
CK_FN ck_u32 chem_pair_word(ck_u32 first, ck_u32 second)
{
    ck_u32 h = first + second * 0x9E3779B1u;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    return h ^ (h >> 16);
}

/**
 * Types I and V: a pair that is inside R at the start reacts at once; else if its distance touches R in the step.
 *
 * @param channel   its number, returned in the event
 * @param radius    R [nm]
 * @param spread    D dt [nm2]; 0: only what is inside at the start reacts
 * @param word      random, decides
 * Draws: 1 quad if it reacts, and 2 an attempt at the time.
 */
CK_FN chem_event chem_meet_absorbing(ck_philox4_key key, chem_pair p, ck_u32 channel, float radius, float spread, ck_u32 word)
{
    chem_event e;
    e.channel = CHEM_NONE;
    e.fraction = 0.0f;
    e.tie = 0u;
    float r0 = chem_length(p.apart);
    chem_vector end;
    end.x = p.apart.x + p.moved.x;
    end.y = p.apart.y + p.moved.y;
    end.z = p.apart.z + p.moved.z;
    float r1 = chem_length(end);
    ck_u32 is_inside = r0 <= radius ? 1u : 0u;
    if (is_inside == 0u && (spread <= 0.0f || (r1 > radius && ck_uniform_of_word(word) >= chem_crossing(r0, r1, radius, spread)))) {
        return e;
    }
    e.channel = channel;
    e.tie = chem_draw(key, p.first, p.second, p.step, 0u, CHEM_STREAM_MEET, p.history).b;
    if (is_inside == 0u) {
        e.fraction = chem_hit_fraction(key, p, r0, r1, radius, spread);
    }
    return e;
}

/**
 * Type VI: hazard rate (1 + R/sqrt(pi D age)), the rate of Smoluchowski (1917) for a scavenger of constant concentration; the
 * second term only where the channel has one.
 *
 * @param age0, age1  of the molecule at the start and end of the step [ps]
 * Draws: 1 quad.
 */
CK_FN chem_event chem_meet_continuum(ck_quad words, ck_u32 channel, float rate, float transient, float age0, float age1)
{
    chem_event e;
    float roots = transient > 0.0f ? chem_root(age1) - chem_root(age0) : 0.0f;
    float hazard = rate * ck_fma(transient, roots, age1 - age0);
    float draw = ck_minus_log_word(words.a);
    e.channel = draw < hazard ? channel : CHEM_NONE;
    e.fraction = hazard > 0.0f ? ck_fmin(draw / hazard, 0.99999994f) : 0.0f;
    e.tie = words.b;
    return e;
}

/** What orders events: the time in the step, then the word. Lower is earlier. */
CK_FN ck_u64 chem_event_key(chem_event e)
{
    return ((ck_u64)CK_BITS(e.fraction) << 32) | e.tie;
}

#endif
