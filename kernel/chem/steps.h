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
 * CHEM_ADD(words, index, amount); CHEM_SPOT(p, axis, slot), where the words of `spots` lie; CHEM_ABREAST, places that a worker compares
 * at once. CHEM_CORRECTS=0 leaves out types II to IV, for sets that have none. Another method that goes by steps defines CHEM_OTHER_RULES and brings its own
 * (kernel/chem/paper_steps.h).
 */
#ifndef CHEM_STEPS_H
#define CHEM_STEPS_H

#include "contact.h"
#include "memory.h"
#include "react.h"
#include "space.h"

#ifndef CHEM_CORRECTS
#define CHEM_CORRECTS 1
#endif

/* Who does the work: this worker of so many. */
typedef struct chem_team {
    ck_u32 worker, n_workers;
} chem_team;

#define CHEM_EACH(i, n)                                                                                     \
    for (ck_u32 chunk_##i = team.worker * CHEM_CHUNK; chunk_##i < (n); chunk_##i += team.n_workers * CHEM_CHUNK) \
        for (ck_u32 i = chunk_##i; i < chunk_##i + CHEM_CHUNK && i < (n); ++i)

/* What a launch reads. */
typedef struct chem_tables {
    CK_GLOBAL const chem_start *starts;
    CK_GLOBAL const chem_channel *channels;
    CK_GLOBAL const ck_u32 *words;    /* table 1 as words */
    CK_GLOBAL const chem_step *steps;
    CK_GLOBAL const ck_u32 *groups;   /* first molecule of (group of births, track), groups times tracks + 1 words */
} chem_tables;

/* What happens to a pair in reach, and what a reaction does: the rules of `exact`, unless another method brings its own. */
#if defined(CHEM_OTHER_RULES)
CK_FN void chem_other_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                              ck_u32 channel, chem_vector apart, float square, ck_words4 way_i, ck_words4 way_j);
CK_FN void chem_other_react(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_candidate c);
#define CHEM_EXAMINE chem_other_examine
#define CHEM_REACT chem_other_react
#else
#define CHEM_EXAMINE chem_examine
#define CHEM_REACT chem_react
#endif

CK_FN float chem_motion(chem_params p, chem_tables t, ck_u32 species)
{
    return CK_FLOAT(t.words[p.at_motion + species]);
}

/* Corrections to the way of a molecule: none yet. */
CK_FN void chem_no_shift(chem_params p, chem_memory m, ck_u32 slot)
{
    if (p.corrects != 0u) {
        m.shifts[3u * slot] = 0u;
        m.shifts[3u * slot + 1u] = 0u;
        m.shifts[3u * slot + 2u] = 0u;
    }
}

/* A molecule that is new in its slot has not moved. */
CK_FN void chem_stand_still(chem_params p, chem_memory m, ck_u32 slot)
{
    m.moves[4u * slot] = 0u;
    m.moves[4u * slot + 1u] = 0u;
    m.moves[4u * slot + 2u] = 0u;
    chem_no_shift(p, m, slot);
}

/* The way of a molecule in the step. */
CK_FN chem_vector chem_move_in(ck_words4 words)
{
    chem_vector v;
    v.x = CK_FLOAT(words.a);
    v.y = CK_FLOAT(words.b);
    v.z = CK_FLOAT(words.c);
    return v;
}

CK_FN chem_vector chem_move_of(chem_memory m, ck_u32 slot)
{
    return chem_move_in(ck_load_words4(m.moves + 4u * slot));
}

/* Where in the grid of the search. */
typedef struct chem_spot {
    ck_u32 x, y, z;
} chem_spot;

/* Nothing has asked yet for the molecule that will stand in a slot. */
CK_FN void chem_clear_slot(chem_memory m, ck_u32 slot)
{
    m.best[slot] = ~(ck_u64)0;
    m.claims[slot] = CHEM_FREE;
}

/* A molecule in the order of the buckets, with the way it goes and its random word. */
CK_FN void chem_set_down(chem_params p, chem_memory m, ck_u32 to, chem_particle a, float birth, ck_u32 history, chem_spot spot,
                         chem_vector v, ck_u32 word)
{
    m.next[to] = a;
    m.birth_next[to] = birth;
    m.history_next[to] = history;
#if CHEM_ABREAST == 1
    ck_store_words4(m.spots + CHEM_SPOT(p, 0u, to), spot.x, spot.y, spot.z, a.species);
#else
    m.spots[CHEM_SPOT(p, 0u, to)] = spot.x;
    m.spots[CHEM_SPOT(p, 1u, to)] = spot.y;
    m.spots[CHEM_SPOT(p, 2u, to)] = spot.z;
    m.spots[CHEM_SPOT(p, 3u, to)] = a.species;
#endif
    ck_store_words4(m.moves + 4u * to, CK_BITS(v.x), CK_BITS(v.y), CK_BITS(v.z), word);
    (void)p;
}

/* ---------------------------------------------------------------------------------------------------- admit */

/** Molecules born at the start of a step join their histories. Teams of workers take a history each. */
CK_FN void chem_admit(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_team team, chem_step s)
{
    ck_u32 n_teams = team.n_workers / p.team, mine = team.worker / p.team, lane = team.worker % p.team;
    for (ck_u32 history = mine; mine < n_teams && history < p.n_histories; history += n_teams) {
        ck_u32 track = (p.first_track + history) % p.n_tracks;
        CK_GLOBAL const ck_u32 *range = t.groups + (s.births * p.n_tracks + track);
        ck_u32 first = range[0], end = range[1], output = s.output != CHEM_NONE ? s.output : s.bin;
        for (ck_u32 i = first + lane; i < end; i += p.team) {
            ck_u32 slot = ck_atomic_add_u32(m.control + CHEM_CONTROL_MOLECULES, 1u);
            if (slot >= p.room) {
                ck_atomic_add_u32(m.control + CHEM_CONTROL_NO_ROOM, 1u);
                continue;
            }
            chem_start from = t.starts[i];
            chem_particle particle;
            particle.x = from.x;
            particle.y = from.y;
            particle.z = from.z;
            particle.species = from.species;
            particle.id = from.id;
            CHEM_ADD(words, p.at_births + output * p.n_species + from.species, 1u);
            m.here[slot] = particle;
            m.birth_here[slot] = from.birth;
            m.history_here[slot] = history;
            chem_stand_still(p, m, slot);
        }
    }
}

/* -------------------------------------------------------------------------------------------------- advance */

/* Corrections in units of 2^-32 nm: integers, so that their order does not matter. */
CK_FN double chem_shift_of(ck_u64 word)
{
    return (double)(ck_i64)word * 2.3283064365386963e-10;
}

CK_FN chem_particle chem_moved(chem_params p, chem_memory m, ck_u32 i)
{
    chem_particle a = m.here[i];
    chem_vector move = chem_move_of(m, i);
    a.x += (double)move.x;
    a.y += (double)move.y;
    a.z += (double)move.z;
    if (p.corrects != 0u) {
        a.x += chem_shift_of(m.shifts[3u * i]);
        a.y += chem_shift_of(m.shifts[3u * i + 1u]);
        a.z += chem_shift_of(m.shifts[3u * i + 2u]);
    }
    if (p.space != CHEM_SPACE_IS_OPEN) {
        a.x = chem_fold(p.space, p.box, p.inv_box, a.x);
        a.y = chem_fold(p.space, p.box, p.inv_box, a.y);
        a.z = chem_fold(p.space, p.box, p.inv_box, a.z);
    }
    return a;
}

CK_FN chem_spot chem_spot_at(chem_params p, double inv_cell, ck_u32 n_cells, chem_particle a)
{
    chem_spot spot;
    spot.x = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.x);
    spot.y = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.y);
    spot.z = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.z);
    return spot;
}

/* Into the bucket of its cell. */
CK_FN void chem_drop(chem_params p, chem_memory m, chem_spot spot, ck_u32 history, ck_u32 i)
{
    ck_u32 bucket = chem_bucket(spot.x >> CHEM_PLACE_BITS, spot.y >> CHEM_PLACE_BITS, spot.z >> CHEM_PLACE_BITS, history,
                                p.region_mask, p.region);
    m.buckets[i] = bucket;
    m.ranks[i] = ck_atomic_add_u32(m.counts + bucket, 1u);
}

/** Move to the end of the last step and find the bucket of the next one. The caller counts species at output times. */
CK_FN void chem_advance(chem_params p, chem_memory m, double inv_cell, ck_u32 n_cells, ck_u32 i)
{
    chem_particle a = chem_moved(p, m, i);
    m.here[i] = a;
    chem_drop(p, m, chem_spot_at(p, inv_cell, n_cells, a), m.history_here[i], i);
}

/* -------------------------------------------------------------------------------------------------- scatter */

/** Displacement of a free molecule over the step: normal, variance 2 D dt along each axis.  Draws: 1 quad. */
CK_FN chem_vector chem_displace(ck_philox4_key key, ck_u32 id, ck_u32 step, ck_u32 history, float width)
{
    chem_vector v = chem_normal_vector(chem_draw(key, id, 0u, step, 0u, CHEM_STREAM_MOVE, history));
    v.x *= width;
    v.y *= width;
    v.z *= width;
    return v;
}

/** Into the order of the buckets, with the way it goes.  Draws: 2 quads. */
CK_FN void chem_scatter(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    chem_particle a = m.here[i];
    ck_u32 to = m.starts[m.buckets[i]] + m.ranks[i], history = m.history_here[i];
    chem_vector v = chem_displace(p.key, a.id, step, p.first_history + history, chem_motion(p, t, a.species) * s.sqrt_dt);
    ck_u32 word = chem_draw(p.key, a.id, 0u, step, 1u, CHEM_STREAM_MOVE, p.first_history + history).a;
    chem_set_down(p, m, to, a, m.birth_here[i], history, chem_spot_at(p, s.inv_cell, s.n_cells, a), v, word);
    chem_no_shift(p, m, to);
}

/* --------------------------------------------------------------------------------------------------- search */

/* Is `a` the first of a pair? Lower species first, then lower id. */
CK_FN ck_u32 chem_leads(chem_particle a, chem_particle b)
{
    return a.species < b.species || (a.species == b.species && a.id <= b.id) ? 1u : 0u;
}

/* The pair of two slots in the order that fixes signs. */
CK_FN chem_pair chem_pair_of(chem_params p, chem_memory m, ck_u32 i, ck_u32 j, ck_u32 step, chem_vector apart)
{
    chem_pair pair;
    ck_u32 id_i = m.next[i].id, id_j = m.next[j].id, is_swapped = chem_leads(m.next[i], m.next[j]) != 0u ? 0u : 1u;
    float sign = is_swapped != 0u ? -1.0f : 1.0f;
    pair.first = is_swapped != 0u ? id_j : id_i;
    pair.second = is_swapped != 0u ? id_i : id_j;
    pair.history = p.first_history + m.history_next[i];
    pair.step = step;
    pair.apart.x = sign * apart.x;
    pair.apart.y = sign * apart.y;
    pair.apart.z = sign * apart.z;
    chem_vector of_i = chem_move_of(m, i), of_j = chem_move_of(m, j);
    pair.moved.x = sign * (of_j.x - of_i.x);
    pair.moved.y = sign * (of_j.y - of_i.y);
    pair.moved.z = sign * (of_j.z - of_i.z);
    return pair;
}

/** Enter an event: into the list, and as the earliest of its molecules if it is. */
CK_FN void chem_enter(chem_params p, chem_memory m, chem_event e, ck_u32 i, ck_u32 j)
{
    ck_u32 at = ck_atomic_add_u32(m.control + CHEM_CONTROL_CANDIDATES, 1u);
    if (at >= p.room_candidates) {
        ck_atomic_add_u32(m.control + CHEM_CONTROL_NO_ROOM, 1u);
        return;
    }
    chem_candidate c;
    c.first = i;
    c.second = j;
    c.channel = e.channel;
    c.fraction = e.fraction;
    c.tie = e.tie | 1u;
    c.unused = 0u;
    m.candidates[at] = c;
    e.tie = c.tie;
    ck_atomic_min_u64(m.best + i, chem_event_key(e));
    m.claims[i] = CHEM_ASKED;
    if (j != CHEM_NONE) {
        ck_atomic_min_u64(m.best + j, chem_event_key(e));
        m.claims[j] = CHEM_ASKED;
    }
}

/* Units of 2^-32 nm, two's complement, as an unsigned word. */
CK_FN ck_u64 chem_shift_word(float x)
{
    double scaled = (double)x * 4294967296.0;
    return (ck_u64)(ck_i64)(scaled + (scaled < 0.0 ? -0.5 : 0.5));
}

/* Move a partner by its weight of what the separation of the pair is moved by. */
CK_FN void chem_add_shift(chem_memory m, ck_u32 slot, float weight, chem_vector shift)
{
    ck_atomic_add_u64(m.shifts + 3u * slot, chem_shift_word(weight * shift.x));
    ck_atomic_add_u64(m.shifts + 3u * slot + 1u, chem_shift_word(weight * shift.y));
    ck_atomic_add_u64(m.shifts + 3u * slot + 2u, chem_shift_word(weight * shift.z));
}

/** Types II to IV for a pair. Partners that do not react are moved by what contact or charges do to them, so that the
 * uncorrelated point of the pair stays where it is. */
CK_FN chem_event chem_examine_contact(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 i, ck_u32 j,
                                      chem_pair pair, ck_u32 channel)
{
    chem_contact c;
    ck_u32 type = t.channels[channel].type;
    c.channel = channel;
    c.has_rate = type == CHEM_RADIATING || type == CHEM_IONS_RADIATING ? 1u : 0u;
    c.effective = t.channels[channel].effective;
    c.diffusion = t.channels[channel].diffusion;
    c.alpha = t.channels[channel].alpha;
    c.reactivity = t.channels[channel].reactivity;
    c.onsager = t.channels[channel].onsager;
    chem_outcome o = chem_meet_contact(p.key, pair, c, s.dt);
    if (o.is_shifted != 0u) {
        float share = t.channels[channel].share;
        ck_u32 is_first = chem_leads(m.next[i], m.next[j]);
        chem_add_shift(m, is_first != 0u ? i : j, -share, o.shift);
        chem_add_shift(m, is_first != 0u ? j : i, 1.0f - share, o.shift);
    }
    return o.event;
}

/* Two molecules within the reach of their channel: do they meet? A function of its own on a CPU, so that the loop over neighbours,
 * most of which are not within reach, keeps its numbers in registers. */
CK_CALL void chem_examine_near(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                               ck_u32 channel, chem_vector apart, ck_u32 word)
{
    float radius = t.channels[channel].radius;
    chem_pair pair = chem_pair_of(p, m, i, j, step, apart);
    if (chem_can_react(p.key, t.channels[channel].spin_limit, pair, channel) == 0u) {
        return;
    }
    chem_event e;
#if CHEM_CORRECTS
    if (t.channels[channel].type != CHEM_ABSORBING) {
        e = chem_examine_contact(p, t, m, s, i, j, pair, channel);
    } else
#endif
    {
        e = chem_meet_absorbing(p.key, pair, channel, radius, t.channels[channel].diffusion * s.dt, word);
    }
    if (e.channel != CHEM_NONE) {
        chem_enter(p, m, e, i, j);
    }
}

/* Absorbing partners that are apart at both ends of the step and whose word is too large for them to touch in it: most of all. */
CK_FN ck_u32 chem_surely_miss(chem_vector from, chem_vector to, float radius, float spread, chem_vector apart, float square,
                              ck_u32 word)
{
    to.x = apart.x + (to.x - from.x);
    to.y = apart.y + (to.y - from.y);
    to.z = apart.z + (to.z - from.z);
    float r0 = chem_root(square), r1 = chem_length(to);
    return r0 > radius * 1.00001f && r1 > radius * 1.00001f &&
                   chem_cannot_cross(r0, r1, radius, spread, ck_uniform_of_word(word)) != 0u
               ? 1u
               : 0u;
}

/** Two molecules that have a channel: are they near enough for it, and do they meet? `way_i`, `way_j`: their words in `moves`. */
CK_FN void chem_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                        ck_u32 channel, chem_vector apart, float square, ck_words4 way_i, ck_words4 way_j)
{
    float radius = t.channels[channel].radius, reach = ck_fma(t.channels[channel].reach, s.sqrt_dt, radius);
    if (square > reach * reach) {
        return;
    }
    ck_u32 leads = chem_leads(m.next[i], m.next[j]);
    ck_u32 word = chem_pair_word(leads != 0u ? way_i.d : way_j.d, leads != 0u ? way_j.d : way_i.d);
    if (t.channels[channel].type == CHEM_ABSORBING &&
        chem_surely_miss(chem_move_in(way_i), chem_move_in(way_j), radius, t.channels[channel].diffusion * s.dt, apart, square, word) != 0u) {
        return;
    }
    chem_examine_near(p, t, m, s, step, i, j, channel, apart, word);
}

CK_FN chem_vector chem_apart(chem_params p, chem_particle a, chem_particle b)
{
    chem_vector v;
    v.x = (float)chem_nearest_image(p.space, p.box, b.x - a.x);
    v.y = (float)chem_nearest_image(p.space, p.box, b.y - a.y);
    v.z = (float)chem_nearest_image(p.space, p.box, b.z - a.z);
    return v;
}

/** Ask a pair whose places in the grid are near. Returns 1 if it is near indeed, and has a channel. */
CK_FN ck_u32 chem_ask(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j)
{
    chem_particle a = m.next[i], b = m.next[j];
    ck_words4 way_i = ck_load_words4(m.moves + 4u * i), way_j = ck_load_words4(m.moves + 4u * j); /* one wait for all */
    ck_u32 channel = t.words[p.at_pairs + a.species * p.n_species + b.species];
    if (channel == CHEM_NONE || (p.n_histories > 1u && m.history_next[i] != m.history_next[j])) {
        return 0u;
    }
    chem_vector apart = chem_apart(p, a, b);
    float square = ck_fma(apart.x, apart.x, ck_fma(apart.y, apart.y, apart.z * apart.z));
    if (square > s.reach) {
        return 0u;
    }
    CHEM_EXAMINE(p, t, m, s, step, i, j, channel, apart, square, way_i, way_j);
    return 1u;
}

/* How places in the grid are compared: how far apart they may be (in square, units of the 2^20th of a cell), numbers of cells before
 * they begin anew, and, in boxes where that is not after 2^32 units, after how many. */
typedef struct chem_sight {
    float limit;
    ck_u32 n_cells;
    ck_i32 period;
} chem_sight;

CK_FN chem_sight chem_sight_of(chem_params p, chem_step s)
{
    chem_sight sight;
    ck_u32 is_box = p.space == CHEM_SPACE_IS_PERIODIC && s.n_cells < 4096u ? 1u : 0u;
    float reach = s.reach > 0.0f ? ck_fma(chem_root(s.reach) * (float)s.inv_cell, 1048600.0f, 4.0f) : 0.0f;
    sight.limit = s.reach >= 0.0f ? reach * reach : -1.0f;
    sight.n_cells = is_box != 0u ? s.n_cells : 4096u;
    sight.period = is_box != 0u ? (ck_i32)(s.n_cells << CHEM_PLACE_BITS) : 0;
    return sight;
}

/* Difference of two places along an axis: the shorter way around a box. */
CK_FN float chem_spot_difference(ck_i32 period, ck_u32 a, ck_u32 b)
{
    ck_i32 d = (ck_i32)(b - a), middle = period >> 1;
    d = period != 0 && d > middle ? d - period : d;
    d = period != 0 && d < -middle ? d + period : d;
    return (float)d;
}

CK_FN float chem_spot_square(chem_sight sight, chem_spot a, ck_u32 x, ck_u32 y, ck_u32 z)
{
    float dx = chem_spot_difference(sight.period, a.x, x), dy = chem_spot_difference(sight.period, a.y, y),
          dz = chem_spot_difference(sight.period, a.z, z);
    return ck_fma(dx, dx, ck_fma(dy, dy, dz * dz));
}

/* A word for the row of cells along x that a place is in. */
CK_FN ck_u32 chem_row(ck_u32 y, ck_u32 z)
{
    return (y & 0xFFF00000u) | (z >> CHEM_PLACE_BITS);
}

CK_FN chem_spot chem_spot_of_slot(chem_params p, chem_memory m, ck_u32 slot)
{
    chem_spot spot;
    spot.x = m.spots[CHEM_SPOT(p, 0u, slot)];
    spot.y = m.spots[CHEM_SPOT(p, 1u, slot)];
    spot.z = m.spots[CHEM_SPOT(p, 2u, slot)];
    (void)p;
    return spot;
}

/* Slots to look at, in the row with this word; `n_parts` is how many of the parts of the neighbourhood they cover. */
typedef struct chem_range {
    ck_u32 row, from, to, n_parts;
} chem_range;

/* Parts of the neighbourhood of a molecule. */
#define CHEM_PARTS 14u

/**
 * Half of the 27 cells around molecule i, so that each pair is met once, in 14 parts: 0 the rest of its own cell, 1 the next cell of
 * its row, then three cells each of the rows (y, z) + (1, 0), (-1, 1), (0, 1), (1, 1). Cells of a row that follow each other in memory
 * are one range.
 */
CK_FN chem_range chem_range_of(chem_params p, chem_memory m, chem_sight sight, chem_spot spot, ck_u32 history, ck_u32 i, ck_u32 part)
{
    chem_range r;
    ck_u32 side = (part + 1u) / 3u, along = part < 2u ? part : (part - 2u) % 3u; /* cell of the row, counted from the first one */
    ck_i32 first = part < 2u ? 0 : -1;
    ck_u32 x = spot.x >> CHEM_PLACE_BITS, y = spot.y >> CHEM_PLACE_BITS, z = spot.z >> CHEM_PLACE_BITS;
    ck_u32 is_inside = x > 0u && x + 1u < sight.n_cells ? 1u : 0u;
    x = chem_wrap_cell(sight.n_cells, x, first + (ck_i32)along);
    y = chem_wrap_cell(sight.n_cells, y, side == 1u || side == 4u ? 1 : side == 2u ? -1 : 0);
    z = chem_wrap_cell(sight.n_cells, z, side >= 2u ? 1 : 0);
    ck_u32 bucket = chem_bucket(x, y, z, history, p.region_mask, p.region), until = bucket - history * p.region + 2u;
    r.row = (y << CHEM_PLACE_BITS) | z;
    r.n_parts = along == 0u && is_inside != 0u && until <= p.region_mask ? (part < 2u ? 2u : 3u) : 1u;
    r.from = part == 0u ? i + 1u : m.starts[bucket];
    r.to = m.starts[bucket + r.n_parts];
    return r;
}

/* Ask molecule i about those in a range. Returns how many pairs were near. */
CK_FN ck_u32 chem_search_range(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_sight sight, ck_u32 step, ck_u32 i,
                               chem_spot spot, ck_u32 partners, chem_range r)
{
    ck_u32 n_near = 0u;
    for (ck_u32 j = r.from; j < r.to; j += CHEM_ABREAST) {
        float square[CHEM_ABREAST];
        for (ck_u32 k = 0u; k < CHEM_ABREAST; ++k) {
            square[k] = chem_spot_square(sight, spot, m.spots[CHEM_SPOT(p, 0u, j + k)], m.spots[CHEM_SPOT(p, 1u, j + k)],
                                         m.spots[CHEM_SPOT(p, 2u, j + k)]);
        }
        for (ck_u32 k = 0u; k < CHEM_ABREAST && j + k < r.to; ++k) {
            if (square[k] <= sight.limit && (partners >> (m.spots[CHEM_SPOT(p, 3u, j + k)] & 31u) & 1u) != 0u &&
                chem_row(m.spots[CHEM_SPOT(p, 1u, j + k)], m.spots[CHEM_SPOT(p, 2u, j + k)]) == r.row) {
                n_near += chem_ask(p, t, m, s, step, i, j + k);
            }
        }
    }
    return n_near;
}

/** All pairs of molecule i with those that come after it. Returns how many were near. */
CK_FN ck_u32 chem_search_pairs(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    chem_spot spot = chem_spot_of_slot(p, m, i);
    chem_sight sight = chem_sight_of(p, s);
    ck_u32 partners = t.words[p.at_partners + m.spots[CHEM_SPOT(p, 3u, i)]], n_near = 0u;
    for (ck_u32 part = partners != 0u ? 0u : CHEM_PARTS; part < CHEM_PARTS;) {
        chem_range r = chem_range_of(p, m, sight, spot, m.history_next[i], i, part);
        n_near += chem_search_range(p, t, m, s, sight, step, i, spot, partners, r);
        part += r.n_parts;
    }
    return n_near;
}

/** All channels of first order of molecule i.  Draws: 1 quad a channel. */
CK_FN void chem_search_first_order(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    ck_u32 species = m.next[i].species;
    ck_u32 end = t.words[p.at_first + species + 1u];
    for (ck_u32 k = t.words[p.at_first + species]; k < end; ++k) {
        ck_u32 channel = t.words[p.at_first_list + k];
        float age = (float)(s.start - (double)m.birth_next[i]);
        float from = age < s.before ? 0.0f : age; /* born in the last step: what was left of that one is made up here */
        ck_quad words = chem_draw(p.key, m.next[i].id, channel, step, 0u, CHEM_STREAM_FIRST_ORDER,
                                  p.first_history + m.history_next[i]);
        chem_event e = chem_meet_continuum(words, channel, t.channels[channel].rate, t.channels[channel].transient, from,
                                           age + s.dt);
        if (e.channel != CHEM_NONE) {
            chem_enter(p, m, e, i, CHEM_NONE);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ fire, prune */

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
    chem_stand_still(p, m, slot);
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
