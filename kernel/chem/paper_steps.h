/**
 * Phases of a time step of the method `paper`, over the memory and the search of steps.h. Between two phases all workers meet.
 * An entry defines CHEM_OTHER_RULES, includes steps.h, whose search and reactions then call chem_other_examine and
 * chem_other_react, and then this file.
 */
#ifndef CHEM_PAPER_STEPS_H
#define CHEM_PAPER_STEPS_H

#include "paper.h"

/* The histories of a launch stand behind the memory of steps.h. */
typedef struct chem_paper_launch {
    CK_GLOBAL chem_paper_history *histories;
    CK_GLOBAL const chem_paper_row *rows;
    CK_GLOBAL const double *outputs;
    chem_paper_head head;
} chem_paper_launch;

/* Words of the control block, two of each in turn: histories under way, and those of them that diffuse in this step. */
#define CHEM_PAPER_UNDER_WAY 8u
#define CHEM_PAPER_MOVING 10u

/* Table 2 and the memory behind that of steps.h. */
CK_FN chem_paper_launch chem_paper_bind(CK_GLOBAL const double *table, CK_GLOBAL ck_u64 *behind)
{
    chem_paper_launch l;
    l.head = *(CK_GLOBAL const chem_paper_head *)table;
    l.rows = (CK_GLOBAL const chem_paper_row *)(table + 4);
    l.outputs = table + 4 + 2 * l.head.n_rows;
    l.histories = (CK_GLOBAL chem_paper_history *)behind;
    return l;
}

/* Draws know 2^20 steps; every so many begin under a new key, which follows from the one before.  Draws: 1 quad. */
CK_FN ck_philox4_key chem_paper_next_key(ck_philox4_key key)
{
    ck_quad counter;
    counter.a = 0u;
    counter.b = 0u;
    counter.c = 0u;
    counter.d = 0xF0000000u;
    ck_quad words = ck_philox4x32(key, counter);
    return ck_philox4_key_of(((ck_u64)words.a << 32) | words.b);
}

/* A search is described to steps.h by a chem_step: `births` is the phase, `before` the fixed step. */
CK_FN chem_step chem_paper_search(chem_paper_history h, ck_u32 phase)
{
    chem_step s;
    s.start = h.time;
    s.inv_cell = h.inv_cell;
    s.dt = h.dt;
    s.sqrt_dt = chem_root(h.dt);
    s.reach = h.reach;
    s.before = h.fixed;
    s.output = CHEM_NONE;
    s.bin = 0u;
    s.births = phase;
    s.n_cells = 0u;
    return s;
}

/* ---------------------------------------------------------------------------------------------------- histories */

CK_FN void chem_paper_begin(chem_paper_launch l, ck_u32 i)
{
    chem_paper_history h;
    h.time = l.head.start;
    h.inv_cell = 1.0;
    h.fixed = 0.0f;
    h.dt = 0.0f;
    h.reach = 0.0f;
    h.least = 0u;
    h.has_reacted = 0u;
    h.output = 0u;
    h.record_from = 0u;
    h.is_done = 0u;
    l.histories[i] = h;
}

/* Row 1 of Table 2. */
CK_FN void chem_paper_before_a(chem_params p, chem_tables t, chem_paper_launch l, ck_u32 i)
{
    chem_paper_history h = l.histories[i];
    h.fixed = (float)chem_paper_fixed_step(l.rows, l.head.n_rows, h.time);
    float reach = chem_paper_reach(t.channels, p.n_channels, h.fixed, h.fixed);
    h.reach = reach * reach;
    h.inv_cell = reach > 0.0f ? 1.0 / (double)reach : 1.0;
    h.dt = 0.0f;
    h.least = 0x7F800000u; /* infinite */
    h.has_reacted = 0u;
    h.record_from = h.output;
    l.histories[i] = h;
}

/* Row 3: the step. No pair in sight: the fixed one. Counts are due where time goes on. */
CK_FN void chem_paper_before_c(chem_params p, chem_tables t, chem_paper_launch l, ck_u32 i)
{
    chem_paper_history h = l.histories[i];
    if (h.is_done != 0u || h.has_reacted != 0u) {
        return;
    }
    float least = CK_FLOAT(h.least);
    h.dt = l.head.is_dynamic != 0u && h.least != 0x7F800000u ? ck_fmax(least, h.fixed) : h.fixed;
    h.dt = ck_fmin(h.dt, (float)(l.head.end - h.time) * 1.0000001f);
    float reach = chem_paper_reach(t.channels, p.n_channels, h.fixed, h.dt);
    h.reach = reach * reach;
    h.inv_cell = reach > 0.0f ? 1.0 / (double)reach : 1.0;
    while (h.output < p.n_outputs && l.outputs[h.output] <= h.time * (1.0 + 1.0e-9)) {
        h.output += 1u;
    }
    l.histories[i] = h;
}

/* Row 6. At the end all output times that are left are due. Returns 1 while the history goes on. */
CK_FN ck_u32 chem_paper_after_c(chem_params p, chem_paper_launch l, ck_u32 i)
{
    chem_paper_history h = l.histories[i];
    if (h.is_done != 0u) {
        l.histories[i].record_from = h.output;
        return 0u;
    }
    h.time += (double)h.dt;
    h.record_from = h.output;
    if (h.time >= l.head.end * (1.0 - 1.0e-9)) {
        h.is_done = 1u;
        h.output = p.n_outputs;
    }
    l.histories[i] = h;
    return h.is_done != 0u ? 0u : 1u;
}

/* ---------------------------------------------------------------------------------------------------- molecules */

/* Count a molecule at the output times that are due. */
CK_FN void chem_paper_record(chem_params p, chem_memory m, chem_paper_launch l, CK_GLOBAL ck_u64 *words, ck_u32 i)
{
    chem_paper_history h = l.histories[m.history_here[i]];
    for (ck_u32 output = h.record_from; output < h.output; ++output) {
        CHEM_ADD(words, output * p.n_species + m.here[i].species, 1u);
    }
}

/* Number of the bucket; before kernel C after a diffusion over dt (kernel B). Draws: 1 quad if it moves. */
CK_FN void chem_paper_bucket(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, ck_u32 step, ck_u32 i)
{
    ck_u32 history = m.history_here[i];
    chem_paper_history h = l.histories[history];
    chem_particle a = m.here[i];
    if (h.dt > 0.0f) {
        chem_vector v = chem_displace(p.key, a.id, step, p.first_history + history,
                                      chem_motion(p, t, a.species) * chem_root(h.dt));
        a.x += (double)v.x;
        a.y += (double)v.y;
        a.z += (double)v.z;
        m.here[i] = a;
    }
    chem_drop(p, m, chem_spot_at(p, h.inv_cell, 0u, a), history, i);
}

/* Molecules in the order of their buckets, with the way they have just gone. Draws: 1 quad if it moved. */
CK_FN void chem_paper_scatter(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, ck_u32 step, ck_u32 i)
{
    ck_u32 history = m.history_here[i];
    chem_paper_history h = l.histories[history];
    chem_particle a = m.here[i];
    ck_u32 to = chem_place_in_order(m, i);
    chem_vector v = chem_displace(p.key, a.id, step, p.first_history + history,
                                  chem_motion(p, t, a.species) * chem_root(h.dt));
    chem_set_down(p, m, to, a, CK_FLOAT(0x7F800000u), history, chem_spot_at(p, h.inv_cell, 0u, a), v, 0u);
}

/**
 * A pair in reach. Kernel A: it reacts within the radius, else the molecule keeps the least of Eq. 4 (in place of its birth).
 * Kernel C: it reacts within the radius, or by the chance of Eq. 5.
 *
 * Draws: 1 quad.
 */
CK_FN ck_u32 chem_other_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                                ck_u32 channel, chem_vector apart, float square, ck_words4 way_i, ck_words4 way_j)
{
    (void)way_i;
    (void)way_j;
    chem_channel c = t.channels[channel];
    float radius = chem_paper_radius(c.contact, c.diffusion, s.before);
    float distance = chem_root(square);
    chem_pair pair = chem_pair_of(p, m, i, j, step, apart);
    ck_quad words = chem_draw(p.key, pair.first, pair.second, step, s.births, CHEM_STREAM_MEET, pair.history);
    ck_u32 reacts = distance <= radius ? 1u : 0u;
    if (reacts == 0u && s.births == CHEM_PAPER_A) {
        float motions = chem_motion(p, t, m.next[i].species) + chem_motion(p, t, m.next[j].species);
        m.birth_next[i] = ck_fmin(m.birth_next[i], chem_paper_wait(distance, radius, motions));
    } else if (reacts == 0u) {
        chem_vector before;
        before.x = pair.apart.x - pair.moved.x;
        before.y = pair.apart.y - pair.moved.y;
        before.z = pair.apart.z - pair.moved.z;
        float chance = chem_paper_crossing(ck_fmax(chem_length(before), radius), distance, radius, c.diffusion * s.dt);
        reacts = ck_uniform_of_word(words.a) < chance ? 1u : 0u;
    }
    if (reacts != 0u) {
        chem_event e;
        e.channel = channel;
        e.fraction = 0.0f;
        e.tie = words.b;
        chem_enter(p, m, e, i, j);
    }
    return 1u;
}

/* The reaction of a pair: products at its place (Eq. 3), to react from the next time step on. */
CK_FN void chem_other_react(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_candidate c)
{
    chem_particle a = m.next[c.first], b = m.next[c.second];
    if (a.species > b.species || (a.species == b.species && a.id > b.id)) { /* one order, whoever found the pair */
        chem_particle other = a;
        a = b;
        b = other;
    }
    chem_pair pair = chem_pair_of(p, m, c.first, c.second, step, chem_apart(p, m.next[c.first], m.next[c.second]));
    ck_u32 history = m.history_next[c.first], n_products = t.channels[c.channel].n_products;
    chem_point site;
    site.x = a.x;
    site.y = a.y;
    site.z = a.z;
    site = chem_paper_site(site, chem_apart(p, a, b), chem_motion(p, t, a.species), chem_motion(p, t, b.species));
    (void)s;
    for (ck_u32 k = 0u; k < n_products; ++k) {
        ck_u32 slot = chem_slot_of_product(p, m, c, k);
        if (slot != CHEM_NONE) {
            chem_put(p, m, slot, site, t.channels[c.channel].products[k], chem_product_id(p.key, pair, k),
                     CK_FLOAT(0x7F800000u), history);
        }
    }
    if (n_products == 0u) {
        m.next[c.first].species = CHEM_NONE;
    }
    if (n_products < 2u) {
        m.next[c.second].species = CHEM_NONE;
    }
}

#endif
