/**
 * The phases of one step of the method `exact`. Between two phases all workers meet at a barrier; inside a phase each takes
 * every n-th molecule. No phase depends on who does what, or in which order.
 *
 *   admit    molecules born at the start of the step join
 *   advance  positions at the end of the last step; count them at output times; number of their bucket
 *   (scan)   where the buckets begin: the entry's, because it is about threads and not about molecules
 *   scatter  molecules in the order of their buckets, with the displacement they would have if they met no one
 *   search   pairs that touch in this step, molecules that react by themselves
 *   fire     those that come first for both partners react
 *   prune    what lost a partner is over; the others stand for the next round
 *
 * The entry defines, before it includes this file: CHEM_CHUNK, neighbouring molecules that a worker takes at once;
 * CHEM_ADD(words, index, amount); CHEM_TICKET(p, word), which counts a word up and gives what it was; CHEM_SPOT(p, axis, slot),
 * where the words of `spots` lie; CHEM_ABREAST, places that a worker compares
 * at once, and CHEM_SIMD before a loop over them. CHEM_CORRECTS=0 leaves out types II to IV, for sets that have none. Another
 * method that goes by steps defines CHEM_OTHER_RULES and brings its own (kernel/chem/paper_steps.h).
 *
 * Up to the scatter: particles.h; the search: search.h; fire and prune: here.
 */
#ifndef CHEM_STEPS_H
#define CHEM_STEPS_H

#include "search.h"

CK_FN void chem_put(chem_params p, chem_memory m, ck_u32 slot, chem_point at, ck_u32 species, ck_u32 id, float birth,
                    ck_u32 history)
{
    chem_particle a;
    a.x = at.x;
    a.y = at.y;
    a.z = at.z;
    a.species = species;
    a.id = id;
    m.next[slot] = a;
    m.birth_next[slot] = birth;
    m.history_next[slot] = history;
    chem_stand_still(p, m, m.moves_next, slot);
}

/* Where a product is to stand: the slots of its parents first, then at the end. CHEM_NONE: no room. */
CK_FN ck_u32 chem_slot_of_product(chem_params p, chem_memory m, chem_candidate c, ck_u32 number)
{
    if (number == 0u || (number == 1u && c.second != CHEM_NONE)) {
        return number == 0u ? c.first : c.second;
    }
    ck_u32 slot = ck_atomic_add_u32(m.control + CHEM_CONTROL_MOLECULES, 1u);
    if (slot >= p.room) {
        ck_atomic_add_u32(m.control + CHEM_CONTROL_NO_ROOM, 1u);
        return CHEM_NONE;
    }
    return slot;
}

/* The two products of a dissociation that react with each other begin apart, the first one moved by its share. */
CK_FN chem_point chem_separate(chem_params p, chem_pair pair, chem_point site, float separation, ck_u32 number)
{
    chem_vector axis = chem_direction(chem_draw(p.key, pair.first, pair.second, pair.step, 32u, CHEM_STREAM_BIRTH, pair.history));
    return chem_shift_point(site, number == 0u ? -0.5f * separation : 0.5f * separation, axis);
}

/** Put the products of a candidate, and take its reactants away. */
CK_FN void chem_put_products(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_candidate c, chem_pair pair,
                             chem_point site)
{
    ck_u32 history = m.history_next[c.first], n_products = t.channels[c.channel].n_products;
    float separation = t.channels[c.channel].separation;
    float birth = (float)(s.start + (double)(c.fraction * s.dt));
    float sqrt_rest = chem_root((1.0f - c.fraction) * s.dt);
    for (ck_u32 k = 0u; k < n_products; ++k) {
        ck_u32 species = t.channels[c.channel].products[k], slot = chem_slot_of_product(p, m, c, k);
        chem_point from = separation > 0.0f ? chem_separate(p, pair, site, separation, k) : site;
        chem_point at = chem_product_place(p.key, pair, k, from, chem_motion(p, t, species), sqrt_rest);
        if (slot != CHEM_NONE) {
            chem_put(p, m, slot, at, species, chem_product_id(p.key, pair, k), birth, history);
        }
    }
    if (n_products == 0u) {
        m.next[c.first].species = CHEM_NONE;
    }
    if (n_products < 2u && c.second != CHEM_NONE) {
        m.next[c.second].species = CHEM_NONE;
    }
}

/** The reaction of a candidate. */
CK_FN void chem_react(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_candidate c)
{
    ck_u32 i = c.first, j = c.second;
    chem_pair pair;
    chem_point site;
    if (j == CHEM_NONE) {
        chem_particle a = m.next[i];
        pair.first = a.id;
        pair.second = CHEM_NONE;
        pair.history = p.first_history + m.history_next[i];
        pair.step = step;
        pair.apart.x = pair.apart.y = pair.apart.z = 0.0f;
        pair.moved = pair.apart;
        site.x = a.x;
        site.y = a.y;
        site.z = a.z;
        float motion = chem_motion(p, t, a.species);
        site = chem_site(p.key, pair, site, chem_move_of(m, i), 0.5f, 2.0f * motion * motion * s.dt, c.fraction);
    } else {
        chem_particle a = m.next[i], b = m.next[j];
        pair = chem_pair_of(p, m, i, j, step, chem_apart(p, a, b));
        ck_u32 lead = chem_leads(a, b) != 0u ? i : j;
        chem_particle first = m.next[lead];
        site.x = first.x;
        site.y = first.y;
        site.z = first.z;
        site = chem_site(p.key, pair, site, chem_move_of(m, lead), t.channels[c.channel].share, t.channels[c.channel].diffusion * s.dt,
                         c.fraction);
    }
    chem_put_products(p, t, m, s, c, pair, site);
}

/** React, if this candidate is the earliest event of all its molecules. Returns 1 if it did. */
CK_FN ck_u32 chem_fire(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 at)
{
    chem_candidate c = m.candidates[at];
    if (c.channel == CHEM_NONE) {
        return 0u;
    }
    chem_event e;
    e.channel = c.channel;
    e.fraction = c.fraction;
    e.tie = c.tie;
    ck_u64 key = chem_event_key(e);
    m.best_after[c.first] = ~(ck_u64)0;
    if (c.second != CHEM_NONE) {
        m.best_after[c.second] = ~(ck_u64)0;
    }
    if (m.best[c.first] != key || (c.second != CHEM_NONE && m.best[c.second] != key)) {
        return 0u;
    }
    /* Two events of one molecule with equal keys, once in 2^50 or so: only one of them may have it. Claimed in the order of the
     * slots, so that two entries of one pair cannot take one molecule each. */
    ck_u32 low = c.first < c.second ? c.first : c.second, high = c.first < c.second ? c.second : c.first;
    if (ck_atomic_exchange_u32(m.claims + low, CHEM_TAKEN) == CHEM_TAKEN) {
        return 0u;
    }
    if (high != CHEM_NONE && ck_atomic_exchange_u32(m.claims + high, CHEM_TAKEN) == CHEM_TAKEN) {
        return 0u;
    }
    m.candidates[at].channel = CHEM_NONE;
    CHEM_REACT(p, t, m, s, step, c);
    return 1u;
}

/** After a round: over if a partner has reacted, else a candidate of the next one. Returns 1 if it still stands. */
CK_FN ck_u32 chem_prune(chem_memory m, ck_u32 at)
{
    chem_candidate c = m.candidates[at];
    if (c.channel == CHEM_NONE) {
        return 0u;
    }
    if (m.claims[c.first] == CHEM_TAKEN || (c.second != CHEM_NONE && m.claims[c.second] == CHEM_TAKEN)) {
        m.candidates[at].channel = CHEM_NONE;
        return 0u;
    }
    chem_event e;
    e.channel = c.channel;
    e.fraction = c.fraction;
    e.tie = c.tie;
    ck_atomic_min_u64(m.best_after + c.first, chem_event_key(e));
    if (c.second != CHEM_NONE) {
        ck_atomic_min_u64(m.best_after + c.second, chem_event_key(e));
    }
    return 1u;
}

#endif
