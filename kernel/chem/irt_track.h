/**
 * One history of `irt`: all pairs that are near are asked for their time, then reactions happen in the order of their times;
 * products begin where their makers met and are paired with all that is near.
 *
 * Here is what happens to molecules, the same for all devices; who is looked at in which order is for irt_serial.h (a CPU) and
 * entry/chem_irt_gpu.h. The includer defines CHEM_IRT_TAKE(word), a 32-bit word before it grows by one, and CHEM_IRT_ADD(words,
 * index, amount) for 64-bit words of the result: atomic where several work on one history.
 */
#ifndef CHEM_IRT_TRACK_H
#define CHEM_IRT_TRACK_H

#include "irt_cells.h"
#include "irt_queue.h"

/* What a history works on: never a kernel argument. */
typedef struct chem_irt_history {
    chem_irt_params p;
    chem_irt_memory m;
    chem_irt_queue q;
    CK_GLOBAL const chem_channel *channels;
    CK_GLOBAL const ck_u32 *words;   /* the table of channels, by words */
    CK_GLOBAL const double *outputs;
    CK_GLOBAL const chem_start *start;
    CK_GLOBAL const ck_u32 *groups;
    CK_GLOBAL ck_u64 *result;
    ck_u32 track;
    CHEM_IRT_KEYS keys; /* CHEM_IRT_STREAMS of them */
    ck_u32 n_start;    /* molecules it began with: places [0, n_start) stand cell by cell */
    ck_u32 n_cells;    /* cells they are in */
    ck_u32 n_places;   /* places used so far */
    ck_u32 free;       /* chain of places that products left, CHEM_NONE for none */
    ck_u32 next_id, next_event;
    ck_u32 n_made;     /* products of the last reaction, at the places m.made */
    ck_u32 output;     /* next output time */
    ck_u32 is_full;    /* something did not fit */
    ck_u64 n_pairs;    /* pairs that were looked at closely */
} chem_irt_history;

/* ------------------------------------------------------------------------------------------------ molecules */

CK_FN double chem_irt_diffusion(chem_irt_history *h, ck_u32 species)
{
    double motion = (double)CK_FLOAT(h->words[h->p.at_motion + species]);
    return 0.5 * motion * motion;
}

CK_FN chem_irt_molecule chem_irt_at(chem_irt_history *h, ck_u32 slot)
{
    chem_irt_molecule a;
    a.x = h->m.x[slot];
    a.y = h->m.y[slot];
    a.z = h->m.z[slot];
    a.birth = h->m.birth[slot];
    a.id = h->m.id[slot];
    a.species = h->m.species[slot];
    a.diffusion = chem_irt_diffusion(h, a.species);
    return a;
}

CK_FN ck_u32 chem_irt_channel_of(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    return h->words[h->p.at_pairs + one * h->p.n_species + other];
}

/* ---------------------------------------------------------------------------------------------------- pairs */

/* Products of one reaction do not meet again. */
CK_FN ck_u32 chem_irt_can_meet(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    return h->m.event[one] != h->m.event[other] || h->m.event[one] == 0u ? 1u : 0u;
}

/* What waits for a pair whose older one moves by these normal numbers: time CHEM_NEVER for one that does not react. */
CK_CALL chem_irt_entry chem_irt_entry_by(chem_irt_history *h, ck_u32 one, ck_u32 other, chem_irt_point move)
{
    ck_u32 is_ordered = h->m.id[one] < h->m.id[other] ? 1u : 0u;
    chem_irt_entry e;
    e.a = is_ordered ? one : other;
    e.b = is_ordered ? other : one;
    chem_irt_molecule a = chem_irt_at(h, e.a);
    chem_irt_molecule b = chem_irt_at(h, e.b);
    e.low = a.id;
    e.high = b.id;
    e.channel = chem_irt_channel_of(h, a.species, b.species);
    e.tie = 0u;
    e.time = CHEM_NEVER;
    if (chem_irt_can_meet(h, one, other) != 0u) {
        chem_irt_event when = chem_irt_time_by(h->keys, a, b, move, h->channels[e.channel], h->p.end);
        e.time = when.time;
        e.tie = when.tie;
    }
    return e;
}

/* The same by its own numbers. */
CK_FN chem_irt_entry chem_irt_entry_of_pair(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    h->n_pairs += chem_irt_can_meet(h, one, other);
    chem_irt_point move = chem_irt_normals_of_move(h->keys, chem_irt_at(h, one), chem_irt_at(h, other));
    return chem_irt_entry_by(h, one, other, move);
}

/* What waits for a molecule by itself, in channel number `i` of the list of first-order channels. */
CK_CALL chem_irt_entry chem_irt_entry_alone(chem_irt_history *h, chem_irt_molecule one, ck_u32 slot, ck_u32 i)
{
    chem_irt_entry e;
    e.channel = h->words[h->p.at_first_list + i];
    chem_irt_event when = chem_irt_first_order(h->keys, one, h->channels[e.channel], e.channel);
    e.time = when.time;
    e.tie = when.tie;
    e.low = one.id;
    e.high = CHEM_NONE;
    e.a = slot;
    e.b = slot;
    return e;
}

/* What a molecule is compared with all others by. */
typedef struct chem_irt_asker {
    double x, y, z, birth;
    CK_GLOBAL const float *bound; /* of its species with every other */
    float two_d, farthest;        /* 2 D; square of the largest distance */
    ck_u32 id, key;
} chem_irt_asker;

CK_FN chem_irt_asker chem_irt_asker_of(chem_irt_history *h, chem_irt_molecule one)
{
    chem_irt_asker a;
    a.x = one.x;
    a.y = one.y;
    a.z = one.z;
    a.birth = one.birth;
    a.bound = h->m.bound + one.species * (h->p.n_species + 1u);
    a.two_d = h->m.two_d[one.species];
    a.farthest = (float)(h->p.farthest * h->p.farthest);
    a.id = one.id;
    a.key = CHEM_IRT_KEY(h->keys, CHEM_IRT_TIME);
    return a;
}

/* Could it react with another one, `dx, dy, dz` away and made `older` ps before it? Their distance is looked at, and the pair's
 * number.  Draws: 1 pair. */
CK_FN ck_u32 chem_irt_sift(chem_irt_asker a, float dx, float dy, float dz, float older, ck_u32 id, float bound, float two_d)
{
    float square = ck_fma(dx, dx, ck_fma(dy, dy, dz * dz));
    ck_u32 low = id < a.id ? id : a.id;
    ck_u32 high = id < a.id ? a.id : id;
    float moves = older > 0.0f ? two_d : a.two_d;
    ck_u32 word = chem_irt_words(a.key, low, high).a;
    return chem_irt_may_react(word, square, bound, ck_fabs(older) * moves) & (square < a.farthest ? 1u : 0u);
}

/* -------------------------------------------------------------------------------------------------- begin */

/* The largest effective radius that a pair's probability is bounded by: chem_irt_may_react. */
CK_FN float chem_irt_bound(chem_channel c)
{
    double radius = (double)c.contact;
    double bound = radius;
    if (c.type == CHEM_IONS || c.type == CHEM_IONS_RADIATING) {
        double y = (double)c.onsager / radius;
        bound = chem_irt_free_distance(radius, (double)c.onsager);
        bound *= y > 1.0e-4 ? (ck_exp64(y) - 1.0) / y : 1.0; /* r_free >= r y/(exp(y) - 1) for charges that repel */
    }
    if (c.type == CHEM_RADIATING || c.type == CHEM_IONS_RADIATING) {
        bound *= (double)c.reactivity;
    }
    return 1.0001f * (float)bound;
}

/* What every pair of species is bounded by: the same for all histories. */
CK_CALL void chem_irt_prepare_tables(chem_irt_history *h)
{
    ck_u32 n = h->p.n_species;
    for (ck_u32 i = 0u; i <= n; ++i) {
        h->m.two_d[i] = i < n ? 2.0f * (float)chem_irt_diffusion(h, i) : 0.0f;
        for (ck_u32 j = 0u; i < n && j <= n; ++j) {
            ck_u32 channel = j < n ? chem_irt_channel_of(h, i, j) : CHEM_NONE;
            h->m.bound[i * (n + 1u) + j] = channel == CHEM_NONE ? 0.0f : chem_irt_bound(h->channels[channel]);
        }
    }
}

/* Count a molecule in for the first output time that is not before its birth. */
CK_FN void chem_irt_count_birth(chem_irt_history *h, ck_u32 species, double birth)
{
    ck_u32 low = 0u;
    ck_u32 high = h->p.n_outputs;
    while (low < high) {
        ck_u32 middle = (low + high) / 2u;
        low = h->outputs[middle] < birth ? middle + 1u : low;
        high = h->outputs[middle] < birth ? high : middle;
    }
    if (low < h->p.n_outputs) {
        (void)CHEM_IRT_TAKE(h->m.born + low * h->p.n_species + species);
    }
}

/* The molecules of group `group` of births in the track of this history: [first, end) of table 0. */
CK_FN ck_u32 chem_irt_first_of(chem_irt_history *h, ck_u32 group)
{
    return h->groups[group * h->p.n_tracks + h->track];
}

CK_FN ck_u32 chem_irt_end_of(chem_irt_history *h, ck_u32 group)
{
    return h->groups[group * h->p.n_tracks + h->track + 1u];
}

/* Places that hold no molecule yet, behind the last one: blocks are read whole. */
CK_FN void chem_irt_clear_places(chem_irt_history *h, ck_u32 n)
{
    for (ck_u32 i = n; i < n + CHEM_IRT_LANES; ++i) {
        h->m.x[i] = 0.0;
        h->m.y[i] = 0.0;
        h->m.z[i] = 0.0;
        h->m.birth[i] = 0.0;
        h->m.id[i] = CHEM_NONE;
        h->m.species[i] = h->p.n_species;
    }
}

CK_FN void chem_irt_place_molecule(chem_irt_history *h, chem_start from, ck_u32 cell)
{
    ck_u32 slot = CHEM_IRT_TAKE(h->m.cell_end + cell);
    double birth = (double)from.birth;
    h->m.x[slot] = from.x;
    h->m.y[slot] = from.y;
    h->m.z[slot] = from.z;
    h->m.birth[slot] = birth > h->p.start ? birth : h->p.start;
    h->m.id[slot] = from.id;
    h->m.species[slot] = from.species;
    h->m.cell[slot] = cell;
    h->m.event[slot] = 0u;
    chem_irt_count_birth(h, from.species, h->m.birth[slot]);
}

/* What a history begins with, once its `n` molecules are in their places. */
CK_FN void chem_irt_set_out(chem_irt_history *h, ck_u32 n)
{
    h->n_start = n;
    h->n_places = n;
    h->free = CHEM_NONE;
    h->next_id = n;
    h->next_event = 1u;
    h->n_made = 0u;
    h->output = 0u;
    h->is_full = 0u;
    h->n_pairs = 0u;
}

/* --------------------------------------------------------------------------------------------------- react */

/* Write the molecules that are there at the next output time. */
CK_FN void chem_irt_record(chem_irt_history *h)
{
    ck_u32 n = h->p.n_species;
    for (ck_u32 i = 0u; i < n; ++i) {
        h->m.alive[i] += h->m.born[h->output * n + i];
        CHEM_IRT_ADD(h->result, h->p.at_births + h->output * n + i, h->m.born[h->output * n + i]);
        CHEM_IRT_ADD(h->result, h->output * n + i, (ck_u64)(ck_i64)(ck_i32)h->m.alive[i]);
    }
    h->output += 1u;
}

/* Take a molecule out. */
CK_FN void chem_irt_remove(chem_irt_history *h, ck_u32 slot)
{
    h->m.alive[h->m.species[slot]] -= 1u;
    h->m.species[slot] = h->p.n_species;
    if (slot >= h->n_start) {
        chem_irt_unlink(h->m, slot);
        h->m.next[slot] = h->free;
        h->free = slot;
    }
}

/* Put a product in; returns its place, CHEM_NONE when there is no room. */
CK_CALL ck_u32 chem_irt_put(chem_irt_history *h, chem_irt_point r, double time, ck_u32 species, ck_u32 event)
{
    ck_u32 slot = h->free;
    if (slot == CHEM_NONE) {
        slot = h->n_places;
    } else {
        h->free = h->m.next[slot];
    }
    ck_u32 cell = slot + CHEM_IRT_LANES < h->p.room ? chem_irt_cell_of(h->p, h->m, r) : CHEM_NONE;
    if (cell == CHEM_NONE) {
        h->is_full = 1u;
        return CHEM_NONE;
    }
    h->n_places += slot == h->n_places ? 1u : 0u;
    h->m.x[slot] = r.x;
    h->m.y[slot] = r.y;
    h->m.z[slot] = r.z;
    h->m.birth[slot] = time;
    h->m.id[slot] = h->next_id++;
    h->m.species[slot] = species;
    h->m.event[slot] = event;
    h->m.cell[slot] = cell;
    h->m.alive[species] += 1u;
    chem_irt_link(h->m, slot);
    return slot;
}

/* Products of a channel at `site`. Two that react with each other begin apart, each the farther the faster it moves. */
CK_CALL void chem_irt_make(chem_irt_history *h, CK_GLOBAL const chem_channel *c, chem_irt_point site, double time)
{
    ck_u32 is_apart = c->separation > 0.0f && c->n_products == 2u ? 1u : 0u;
    ck_u32 event = is_apart ? 0u : h->next_event++;
    chem_irt_point step;
    double first = 0.0;
    step.x = step.y = step.z = 0.0;
    if (is_apart) {
        step = chem_irt_apart(h->keys, h->next_id, (double)c->separation);
        double d0 = chem_irt_diffusion(h, c->products[0]);
        double d1 = chem_irt_diffusion(h, c->products[1]);
        first = d0 + d1 > 0.0 ? d0 / (d0 + d1) : 0.5;
    }
    for (ck_u32 i = 0u; i < c->n_products && h->is_full == 0u; ++i) {
        double part = is_apart == 0u ? 0.0 : i == 0u ? first : first - 1.0;
        chem_irt_point r;
        r.x = ck_fma64(part, step.x, site.x);
        r.y = ck_fma64(part, step.y, site.y);
        r.z = ck_fma64(part, step.z, site.z);
        ck_u32 slot = chem_irt_put(h, r, time, c->products[i], event);
        if (slot != CHEM_NONE) {
            h->m.made[h->n_made++] = slot;
        }
    }
}

/* Does the molecule that an entry means still stand there? */
CK_FN ck_u32 chem_irt_is_there(chem_irt_history *h, ck_u32 slot, ck_u32 id)
{
    ck_u32 is_it = h->m.id[slot] == id ? 1u : 0u, is_alive = h->m.species[slot] != h->p.n_species ? 1u : 0u;
    return is_it & is_alive;
}

/* Are the molecules of an entry still there? Looked up together, since memory is far; one alone is `b` too. */
CK_FN ck_u32 chem_irt_is_live(chem_irt_history *h, chem_irt_entry e)
{
    return chem_irt_is_there(h, e.a, e.low) & chem_irt_is_there(h, e.b, e.high == CHEM_NONE ? e.low : e.high);
}

/* Where an entry's reaction takes place, by normal numbers of the older one's move and of the site. */
CK_FN chem_irt_point chem_irt_where(chem_irt_history *h, chem_irt_entry e, chem_irt_point move, chem_irt_point site)
{
    chem_irt_molecule a = chem_irt_at(h, e.a);
    return e.high == CHEM_NONE ? chem_irt_place_by(a, e.time, site) : chem_irt_site_by(a, chem_irt_at(h, e.b), e.time, move, site);
}

/* A reaction, at `site`, of molecules that are there; the caller asks its products, `made`, about all others. */
CK_CALL void chem_irt_happen(chem_irt_history *h, chem_irt_entry e, chem_irt_point site)
{
    while (h->output < h->p.n_outputs && h->outputs[h->output] < e.time) {
        chem_irt_record(h);
    }
    ck_u32 bin = h->output < h->p.n_outputs ? h->output : h->p.n_outputs - 1u;
    CHEM_IRT_ADD(h->result, h->p.at_reactions + bin * h->p.n_channels + e.channel, 1u);
    CHEM_IRT_ADD(h->result, h->p.at_counters + CHEM_COUNT_REACTIONS, 1u);
    if (e.high != CHEM_NONE) {
        chem_irt_remove(h, e.b);
    }
    chem_irt_remove(h, e.a);
    h->n_made = 0u;
    chem_irt_make(h, h->channels + e.channel, site, e.time);
}

/* What is left to be written when nothing reacts any more; `n_pairs` that were looked at. */
CK_CALL void chem_irt_end(chem_irt_history *h)
{
    while (h->output < h->p.n_outputs) {
        chem_irt_record(h);
    }
    CHEM_IRT_ADD(h->result, h->p.at_counters + CHEM_COUNT_NO_ROOM, h->is_full);
}

#endif
