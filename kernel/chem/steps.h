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
 * CHEM_ADD(words, index, amount). CHEM_CORRECTS=0 leaves out types II to IV, for sets that have none. Another method that goes by steps defines CHEM_OTHER_RULES and brings its own
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
                              ck_u32 channel, chem_vector apart, float square);
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
    m.moves[3u * slot] = 0.0f;
    m.moves[3u * slot + 1u] = 0.0f;
    m.moves[3u * slot + 2u] = 0.0f;
    chem_no_shift(p, m, slot);
}

/* A molecule in the order of the buckets, with the way it goes; nothing has asked for it yet. */
CK_FN void chem_set_down(chem_memory m, ck_u32 to, chem_particle a, float birth, ck_u32 history, ck_u32 row, chem_vector v)
{
    m.next[to] = a;
    m.birth_next[to] = birth;
    m.history_next[to] = history;
    m.rows[to] = row;
    m.moves[3u * to] = v.x;
    m.moves[3u * to + 1u] = v.y;
    m.moves[3u * to + 2u] = v.z;
    m.best[to] = ~(ck_u64)0;
    m.best_after[to] = ~(ck_u64)0;
    m.claims[to] = 0u;
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
    a.x += (double)m.moves[3u * i];
    a.y += (double)m.moves[3u * i + 1u];
    a.z += (double)m.moves[3u * i + 2u];
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

/* Cells along x y z of a place. */
typedef struct chem_cells {
    ck_i32 x, y, z;
} chem_cells;

CK_FN chem_cells chem_cells_of(chem_params p, double inv_cell, ck_u32 n_cells, chem_particle a)
{
    chem_cells place;
    place.x = chem_cell(p.space, p.box, n_cells, inv_cell, a.x);
    place.y = chem_cell(p.space, p.box, n_cells, inv_cell, a.y);
    place.z = chem_cell(p.space, p.box, n_cells, inv_cell, a.z);
    return place;
}

/** Move to the end of the last step and find the bucket of the next one. The caller counts species at output times. */
CK_FN ck_u32 chem_advance(chem_params p, chem_memory m, double inv_cell, ck_u32 n_cells, ck_u32 i)
{
    chem_particle a = chem_moved(p, m, i);
    m.here[i] = a;
    chem_cells place = chem_cells_of(p, inv_cell, n_cells, a);
    ck_u32 bucket = chem_bucket(place.x, place.y, place.z, m.history_here[i], p.bucket_mask);
    m.buckets[i] = bucket;
    m.ranks[i] = ck_atomic_add_u32(m.counts + bucket, 1u);
    return a.species;
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

CK_FN void chem_scatter(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    chem_particle a = m.here[i];
    ck_u32 to = m.starts[m.buckets[i]] + m.ranks[i], history = m.history_here[i];
    chem_cells place = chem_cells_of(p, s.inv_cell, s.n_cells, a);
    chem_vector v = chem_displace(p.key, a.id, step, p.first_history + history, chem_motion(p, t, a.species) * s.sqrt_dt);
    chem_set_down(m, to, a, m.birth_here[i], history, chem_row(place.y, place.z, history), v);
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
    pair.moved.x = sign * (m.moves[3u * j] - m.moves[3u * i]);
    pair.moved.y = sign * (m.moves[3u * j + 1u] - m.moves[3u * i + 1u]);
    pair.moved.z = sign * (m.moves[3u * j + 2u] - m.moves[3u * i + 2u]);
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
    if (j != CHEM_NONE) {
        ck_atomic_min_u64(m.best + j, chem_event_key(e));
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
                               ck_u32 channel, chem_vector apart)
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
        e = chem_meet_absorbing(p.key, pair, channel, radius, t.channels[channel].diffusion * s.dt);
    }
    if (e.channel != CHEM_NONE) {
        chem_enter(p, m, e, i, j);
    }
}

/** Two molecules that have a channel: are they near enough for it, and do they meet? */
CK_FN void chem_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                        ck_u32 channel, chem_vector apart, float square)
{
    float reach = ck_fma(t.channels[channel].reach, s.sqrt_dt, t.channels[channel].radius);
    if (square <= reach * reach) {
        chem_examine_near(p, t, m, s, step, i, j, channel, apart);
    }
}

CK_FN chem_vector chem_apart(chem_params p, chem_particle a, chem_particle b)
{
    chem_vector v;
    v.x = (float)chem_nearest_image(p.space, p.box, b.x - a.x);
    v.y = (float)chem_nearest_image(p.space, p.box, b.y - a.y);
    v.z = (float)chem_nearest_image(p.space, p.box, b.z - a.z);
    return v;
}

/* Who looks: lane `lane` of `width` that share the neighbours of a molecule. */
typedef struct chem_lookout {
    ck_u32 lane, width;
} chem_lookout;

/** Ask molecule i about those in slots [from, to) that lie in the row with this word. Returns how many pairs were near. */
CK_FN ck_u32 chem_search_range(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_particle a,
                               ck_u32 i, ck_u32 row, ck_u32 from, ck_u32 to, chem_lookout look)
{
    ck_u32 n_near = 0u;
    for (ck_u32 j = from + look.lane; j < to; j += look.width) {
        if (m.rows[j] != row) {
            continue;
        }
        chem_particle b = m.next[j];
        chem_vector apart = chem_apart(p, a, b);
        float square = ck_fma(apart.x, apart.x, ck_fma(apart.y, apart.y, apart.z * apart.z));
        if (square <= s.reach) {
            ck_u32 channel = t.words[p.at_pairs + a.species * p.n_species + b.species];
            if (channel != CHEM_NONE) {
                ++n_near;
                CHEM_EXAMINE(p, t, m, s, step, i, j, channel, apart, square);
            }
        }
    }
    return n_near;
}

/* Slots to look at, in the row with this word; `n_parts` is how many of the parts of the neighbourhood they cover. */
typedef struct chem_range {
    ck_u32 row, from, to, n_parts;
} chem_range;

/**
 * Half of the 27 cells around a molecule, so that each pair is met once, in 14 parts: 0 the rest of its own cell, 1 the next cell of
 * its row, then three cells each of the rows (y, z) + (1, 0), (-1, 1), (0, 1), (1, 1). Three cells that follow each other in memory
 * are one range.
 */
CK_FN chem_range chem_range_of(chem_params p, chem_memory m, chem_step s, chem_cells place, ck_u32 history, ck_u32 i, ck_u32 part)
{
    chem_range r;
    ck_u32 side = (part + 1u) / 3u, bucket;
    ck_i32 x = part == 0u ? place.x : part == 1u ? place.x + 1 : place.x + (ck_i32)((part - 2u) % 3u) - 1;
    ck_i32 y = place.y + (side == 1u ? 1 : side == 2u ? -1 : side == 4u ? 1 : 0), z = place.z + (side >= 2u ? 1 : 0);
    y = part < 2u ? place.y : chem_wrap_cell(p.space, s.n_cells, y);
    z = part < 2u ? place.z : chem_wrap_cell(p.space, s.n_cells, z);
    r.row = part < 2u ? m.rows[i] : chem_row(y, z, history);
    bucket = chem_bucket(chem_wrap_cell(p.space, s.n_cells, x), y, z, history, p.bucket_mask);
    r.n_parts = part >= 2u && p.space != CHEM_SPACE_IS_PERIODIC && bucket + 2u <= p.bucket_mask && (part - 2u) % 3u == 0u ? 3u : 1u;
    r.from = part == 0u ? i + 1u : m.starts[bucket];
    r.to = m.starts[bucket + r.n_parts];
    return r;
}

/** All pairs of molecule i with those that come after it, or this lane's part of them. Returns how many were near. */
CK_FN ck_u32 chem_search_part(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i,
                               chem_lookout look)
{
    chem_particle a = m.next[i];
    chem_cells place = chem_cells_of(p, s.inv_cell, s.n_cells, a);
    ck_u32 history = m.history_next[i], n_near = 0u;
    for (ck_u32 part = 0u; part < 14u;) {
        chem_range r = chem_range_of(p, m, s, place, history, i, part);
        n_near += chem_search_range(p, t, m, s, step, a, i, r.row, r.from, r.to, look);
        part += r.n_parts;
    }
    return n_near;
}

/** The same by one worker alone. */
CK_FN ck_u32 chem_search_pairs(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    chem_lookout look;
    look.lane = 0u;
    look.width = 1u;
    return chem_search_part(p, t, m, s, step, i, look);
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
        chem_vector whole;
        whole.x = m.moves[3u * i];
        whole.y = m.moves[3u * i + 1u];
        whole.z = m.moves[3u * i + 2u];
        float motion = chem_motion(p, t, a.species);
        site = chem_site(p.key, pair, site, whole, 0.5f, 2.0f * motion * motion * s.dt, c.fraction);
    } else {
        chem_particle a = m.next[i], b = m.next[j];
        pair = chem_pair_of(p, m, i, j, step, chem_apart(p, a, b));
        ck_u32 lead = chem_leads(a, b) != 0u ? i : j;
        chem_particle first = m.next[lead];
        chem_vector move;
        move.x = m.moves[3u * lead];
        move.y = m.moves[3u * lead + 1u];
        move.z = m.moves[3u * lead + 2u];
        site.x = first.x;
        site.y = first.y;
        site.z = first.z;
        site = chem_site(p.key, pair, site, move, t.channels[c.channel].share, t.channels[c.channel].diffusion * s.dt,
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
    if (ck_atomic_exchange_u32(m.claims + low, 1u) != 0u) {
        return 0u;
    }
    if (high != CHEM_NONE && ck_atomic_exchange_u32(m.claims + high, 1u) != 0u) {
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
    if (m.claims[c.first] != 0u || (c.second != CHEM_NONE && m.claims[c.second] != 0u)) {
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
