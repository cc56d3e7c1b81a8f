/** Pairs that are near each other in a step, and what may happen to them; molecules that react by themselves. See
 * steps.h. */
#ifndef CHEM_SEARCH_H
#define CHEM_SEARCH_H

#include "particles.h"

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

/* Two molecules within the reach of their channel: do they meet? */
CK_FN void chem_examine_near(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
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

/* Absorbing partners that are apart at both ends of the step and whose word is too large for them to touch in it: most
 * of all. */
CK_FN ck_u32 chem_surely_miss(chem_vector from, chem_vector to, float radius, float spread, chem_vector apart,
                              float square, ck_u32 word)
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

/** Two molecules that have a channel: are they near enough for it, and do they meet? `way_i`, `way_j`: their words in
 * `moves`. Returns 1 if they are near enough. */
CK_FN ck_u32 chem_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j,
                          ck_u32 channel, chem_vector apart, float square, ck_words4 way_i, ck_words4 way_j)
{
    float radius = t.channels[channel].radius, reach = ck_fma(t.channels[channel].reach, s.sqrt_dt, radius);
    if (square > reach * reach) {
        return 0u;
    }
    ck_u32 leads = chem_leads(m.next[i], m.next[j]);
    ck_u32 word = chem_pair_word(leads != 0u ? way_i.d : way_j.d, leads != 0u ? way_j.d : way_i.d);
    if (t.channels[channel].type == CHEM_ABSORBING &&
        chem_surely_miss(chem_move_in(way_i), chem_move_in(way_j), radius, t.channels[channel].diffusion * s.dt, apart,
                         square, word) != 0u) {
        return 1u;
    }
    chem_examine_near(p, t, m, s, step, i, j, channel, apart, word);
    return 1u;
}

CK_FN chem_vector chem_apart(chem_params p, chem_particle a, chem_particle b)
{
    chem_vector v;
    v.x = (float)chem_nearest_image(p.space, p.box, b.x - a.x);
    v.y = (float)chem_nearest_image(p.space, p.box, b.y - a.y);
    v.z = (float)chem_nearest_image(p.space, p.box, b.z - a.z);
    return v;
}

/** Ask a pair whose places in the grid are near. Returns 1 if it has a channel and is near enough for it. */
CK_FN ck_u32 chem_ask(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i, ck_u32 j)
{
    chem_particle a = m.next[i], b = m.next[j];
    ck_words4 way_i = ck_load_words4(m.moves_next + 4u * i), way_j = ck_load_words4(m.moves_next + 4u * j); /* one wait for all */
    ck_u32 channel = t.words[p.at_pairs + a.species * p.n_species + b.species];
    if (channel == CHEM_NONE || (p.n_histories > 1u && m.history_next[i] != m.history_next[j])) {
        return 0u;
    }
    chem_vector apart = chem_apart(p, a, b);
    float square = ck_fma(apart.x, apart.x, ck_fma(apart.y, apart.y, apart.z * apart.z));
    if (square > s.reach) {
        return 0u;
    }
    return CHEM_EXAMINE(p, t, m, s, step, i, j, channel, apart, square, way_i, way_j);
}

/* How places in the grid are compared: how far apart they may be (in square, units of the 2^20th of a cell), numbers of
 * cells before they begin anew, and, in boxes where that is not after 2^32 units, after how many. */
typedef struct chem_sight {
    float limit;
    ck_u32 n_cells;
    ck_i32 period;
} chem_sight;

CK_FN float chem_limit_of(float reach, double inv_cell)
{
    float limit = ck_fma(reach * (float)inv_cell, 1048600.0f, 4.0f);
    return limit * limit;
}

CK_FN chem_sight chem_sight_of(chem_params p, chem_step s)
{
    chem_sight sight;
    ck_u32 is_box = p.space == CHEM_SPACE_IS_PERIODIC && s.n_cells < 4096u ? 1u : 0u;
    sight.limit = s.reach >= 0.0f ? chem_limit_of(chem_root(s.reach), s.inv_cell) : -1.0f;
    sight.n_cells = is_box != 0u ? s.n_cells : 4096u;
    sight.period = is_box != 0u ? (ck_i32)(s.n_cells << CHEM_PLACE_BITS) : 0;
    return sight;
}

/* Difference of two places along an axis; in a box with a period, the shorter way around it. */
CK_FN float chem_spot_difference(ck_i32 period, ck_u32 a, ck_u32 b)
{
    ck_i32 d = (ck_i32)(b - a), middle = period >> 1;
    d = period != 0 && d > middle ? d - period : d;
    d = period != 0 && d < -middle ? d + period : d;
    return (float)d;
}

CK_FN float chem_spot_square(ck_i32 period, chem_spot a, ck_u32 x, ck_u32 y, ck_u32 z)
{
    float dx = chem_spot_difference(period, a.x, x), dy = chem_spot_difference(period, a.y, y),
          dz = chem_spot_difference(period, a.z, z);
    return ck_fma(dx, dx, ck_fma(dy, dy, dz * dz));
}

/* A word for a row of cells along x; and for the one that a place is in. Bits 12 to 19 are free. */
CK_FN ck_u32 chem_row_word(ck_u32 y, ck_u32 z)
{
    return (y << CHEM_PLACE_BITS) | z;
}

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

/* The same as sight.limit of one species: no channel of it reaches farther. */
CK_FN float chem_own_limit(chem_params p, chem_tables t, chem_step s, chem_sight sight, ck_u32 species)
{
#if defined(CHEM_OTHER_RULES)
    (void)p, (void)t, (void)s, (void)species;
    return sight.limit;
#else
    float radius = CK_FLOAT(t.words[p.at_extents + 2u * species]), reach = CK_FLOAT(t.words[p.at_extents + 2u * species + 1u]);
    return ck_fmin(chem_limit_of(ck_fma(reach, s.sqrt_dt, radius), s.inv_cell), sight.limit);
#endif
}

/* Along one axis: how far from a place is the nearest one in the cell before (-1), its own (0), the one behind (1)? */
CK_FN float chem_gap(ck_u32 place, ck_i32 by)
{
    ck_u32 part = place & ((1u << CHEM_PLACE_BITS) - 1u);
    return by == 0 ? 0.0f : (float)(by > 0 ? (1u << CHEM_PLACE_BITS) - part : part + 1u);
}

/* Slots to look at, in the row with this word; `n_cells` is how many cells of the row they are, `is_end` 1 if no more follow. */
typedef struct chem_range {
    ck_u32 row, from, to, n_cells, is_end;
} chem_range;

/* Sides of a molecule that it looks to, so that each pair is met once: its own row from its cell on, then the rows (y,
 * z) + (1, 0),
 * (-1, 1), (0, 1), (1, 1). */
#define CHEM_SIDES 5u

/* Which pairs of a molecule are asked for: with those behind it in the order of the buckets; with all that stand in this order, by the
 * same sides and, once more, by those that mirror them (for a molecule that stands in no order). */
#define CHEM_BEHIND 0u
#define CHEM_AROUND 1u
#define CHEM_MIRRORED 2u

/* Cells of a side that are within the limit, so many from the first one on, which is that of the molecule itself or the one before. */
typedef struct chem_cells {
    ck_i32 y, z, first;
    ck_u32 n;
} chem_cells;

CK_FN chem_cells chem_cells_of_side(chem_spot spot, float limit, ck_u32 side, ck_u32 way)
{
    chem_cells c;
    ck_i32 ahead = way == CHEM_MIRRORED ? -1 : 1;
    c.y = side == 1u || side == 4u ? ahead : side == 2u ? -ahead : 0;
    c.z = side >= 2u ? ahead : 0;
    float y = chem_gap(spot.y, c.y), z = chem_gap(spot.z, c.z), before = chem_gap(spot.x, -1), behind = chem_gap(spot.x, 1);
    float aside = ck_fma(y, y, z * z); /* rounded as chem_spot_square is, so that no place is lost */
    ck_u32 has_own = side != 0u || way != CHEM_MIRRORED ? 1u : 0u;
    ck_u32 has_before = (side != 0u || way == CHEM_MIRRORED) && ck_fma(before, before, aside) <= limit ? 1u : 0u;
    ck_u32 has_behind = has_own != 0u && ck_fma(behind, behind, aside) <= limit ? 1u : 0u;
    c.first = has_before != 0u ? -1 : 0;
    c.n = aside <= limit ? has_before + has_own + has_behind : 0u;
    return c;
}

/**
 * Slots around molecule i on a side, from cell `along` of it on: all cells that are left where they follow each other
 * in memory, as all do but those at an edge of the grid or of the buckets.
 */
CK_FN chem_range chem_range_of(chem_params p, chem_memory m, chem_sight sight, float limit, chem_spot spot, ck_u32 history,
                               ck_u32 i, ck_u32 way, ck_u32 side, ck_u32 along)
{
    chem_range r;
    chem_cells c = chem_cells_of_side(spot, limit, side, way);
    ck_u32 x = spot.x >> CHEM_PLACE_BITS, y = spot.y >> CHEM_PLACE_BITS, z = spot.z >> CHEM_PLACE_BITS;
    ck_u32 is_inside = x > 0u && x + 1u < sight.n_cells ? 1u : 0u;
    y = chem_wrap_cell(sight.n_cells, y, c.y);
    z = chem_wrap_cell(sight.n_cells, z, c.z);
    x = chem_wrap_cell(sight.n_cells, x, c.first + (ck_i32)along);
    ck_u32 bucket = chem_bucket(x, y, z, history, p.region_mask, p.region), last = bucket + c.n - 1u, at = CHEM_AT(bucket);
    ck_u32 are_in_turn = is_inside != 0u && last - history * p.region <= p.region_mask && CHEM_ARE_IN_TURN(bucket, last) ? 1u : 0u;
    r.row = chem_row_word(y, z);
    r.n_cells = along == 0u && are_in_turn != 0u ? c.n : 1u;
    r.is_end = along + r.n_cells >= c.n ? 1u : 0u;
    at = c.n != 0u ? at : 0u; /* read in any case: what is in no branch is waited for together */
    ck_u32 from = m.starts[at], to = m.starts[at + r.n_cells];
    r.from = side == 0u && along == 0u && way == CHEM_BEHIND ? i + 1u : from;
    r.to = c.n != 0u ? to : 0u;
    return r;
}

/* Bit k: is the place in slot j + k near that of molecule i, a partner of it, in its row, and j + k below `to`? */
CK_FN ck_u32 chem_look(chem_params p, chem_memory m, float limit, ck_i32 period, chem_spot spot, ck_u32 partners,
                       ck_u32 row, ck_u32 j, ck_u32 to)
{
    CK_GLOBAL const ck_u32 *x = m.spots + CHEM_SPOT(p, 0u, j), *y = m.spots + CHEM_SPOT(p, 1u, j),
                           *z = m.spots + CHEM_SPOT(p, 2u, j), *species = m.spots + CHEM_SPOT(p, 3u, j);
    ck_u32 n = to - j, bits = 0u;
    CHEM_SIMD(bits)
    for (ck_u32 k = 0u; k < CHEM_ABREAST; ++k) {
        ck_u32 is_near = chem_spot_square(period, spot, x[k], y[k], z[k]) <= limit ? 1u << k : 0u;
        is_near = (partners >> (species[k] & 31u) & 1u) != 0u ? is_near : 0u;
        is_near = chem_row(y[k], z[k]) == row ? is_near : 0u;
        bits |= k < n ? is_near : 0u;
    }
    return bits;
}

/* Of so many slots near a molecule each is asked before more are looked for. */
#define CHEM_MOST_FOUND 64u

/** All pairs of molecule i with those that come after it. Returns how many were near. */
CK_FN ck_u32 chem_search_pairs(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i)
{
    chem_spot spot = chem_spot_of_slot(p, m, i);
    chem_sight sight = chem_sight_of(p, s);
    ck_u32 species = m.spots[CHEM_SPOT(p, 3u, i)], partners = t.words[p.at_partners + species], history = m.history_next[i];
    ck_u32 n_near = 0u;
    float limit = chem_own_limit(p, t, s, sight, species);
    /* To look at many places at once costs less than to find out which cells are near enough. */
    float of_cells = CHEM_ABREAST > 1u ? 3.0e38f : limit;
    ck_u32 found[CHEM_MOST_FOUND], n_found = 0u, side = partners != 0u ? 0u : CHEM_SIDES, along = 0u;
    chem_range r;
    r.row = r.from = r.to = 0u;
    while (side < CHEM_SIDES || r.from < r.to) {
        if (r.from < r.to) {
            ck_u32 bits = sight.period == 0 ? chem_look(p, m, limit, 0, spot, partners, r.row, r.from, r.to)
                                            : chem_look(p, m, limit, sight.period, spot, partners, r.row, r.from, r.to);
            for (ck_u32 k = 0u; bits != 0u; ++k, bits >>= 1) {
                found[n_found] = r.from + k;
                n_found += bits & 1u;
            }
            r.from += CHEM_ABREAST;
        } else {
            r = chem_range_of(p, m, sight, of_cells, spot, history, i, CHEM_BEHIND, side, along);
            along += r.n_cells;
            if (r.is_end != 0u) {
                along = 0u;
                ++side;
            }
        }
        ck_u32 is_end = side >= CHEM_SIDES && r.from >= r.to ? 1u : 0u;
        for (ck_u32 k = is_end != 0u || n_found > CHEM_MOST_FOUND - CHEM_ABREAST ? n_found : 0u; k > 0u; --k) {
            n_found = k - 1u;
            n_near += chem_ask(p, t, m, s, step, i, found[n_found]);
        }
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
        chem_event e = chem_meet_continuum(words, channel, t.channels[channel].rate, t.channels[channel].transient,
                                           from, age + s.dt);
        if (e.channel != CHEM_NONE) {
            chem_enter(p, m, e, i, CHEM_NONE);
        }
    }
}

#endif
