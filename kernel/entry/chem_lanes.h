/** The search of the method `exact` on a GPU. */
#ifndef CHEM_LANES_H
#define CHEM_LANES_H

#include "../chem/search.h"

/**
 * The search by lanes that step together. Molecules have few neighbours or many, so a thread that looked at those of
 * one molecule would let the others wait. Instead the lanes take a molecule each, list the ranges of slots around it,
 * and then walk through all that is in these ranges side by side. Pairs whose places are near wait in a queue until
 * there is one for every lane.
 *
 * Local words of the block: CHEM_KINDS^2 limits, for two species (modulo CHEM_KINDS) how far apart places may be, in
 * square; those of species that have no channel are 0. Then those of the lanes, CK_LANES of each unless said otherwise:
 *   spots   4 a lane: place in the grid, and where the limits of its species begin
 *   queue   6 a lane: three queries with the slot they have found
 *   begins  2 a lane: a bit for every number of a stretch of the walk, set where a range begins
 *   rows    CHEM_SIDES a lane: row and lane of each range that is not empty
 *   from    CHEM_SIDES a lane: its first slot, less its number in the walk
 */
#define CHEM_LANE_WORDS (12u + 2u * CHEM_SIDES)
#define CHEM_KINDS 32u
/* Of so many species the extents of all pairs are kept in local words. */
#define CHEM_LISTED_SPECIES 48u

/* Numbers of a stretch of the walk. */
#define CHEM_STRETCH (64u * CK_LANES)

typedef struct chem_lanes {
    CK_LOCAL ck_u32 *limits, *spots, *queue, *begins, *rows, *from;
    ck_u32 lane, n_queued, n_near;
} chem_lanes;

CK_FN chem_lanes chem_lanes_of(CK_LOCAL ck_u32 *near_words)
{
    chem_lanes l;
    CK_LOCAL ck_u32 *mine =
        near_words + CHEM_KINDS * CHEM_KINDS + CK_LOCAL_INDEX() / CK_LANES * (CHEM_LANE_WORDS * CK_LANES);
    l.lane = CK_LOCAL_INDEX() % CK_LANES;
    l.limits = near_words;
    l.spots = mine;
    l.queue = mine + 4u * CK_LANES;
    l.begins = mine + 10u * CK_LANES;
    l.rows = mine + 12u * CK_LANES;
    l.from = l.rows + CHEM_SIDES * CK_LANES;
    l.n_queued = 0u;
    l.n_near = 0u;
    return l;
}

/* What the limits come from, three words for two species: where the limit is (CHEM_NONE: they have no channel), radius and reach. It
 * stands in local words, if there are not too many, behind those that count species. */
typedef struct chem_extent {
    ck_u32 at, radius, reach;
} chem_extent;

CK_FN chem_extent chem_extent_of(chem_params p, chem_tables t, ck_u32 k)
{
    ck_u32 channel = t.words[p.at_pairs + k];
    chem_extent e;
    e.at = channel != CHEM_NONE ? k / p.n_species % CHEM_KINDS * CHEM_KINDS + k % p.n_species % CHEM_KINDS : CHEM_NONE;
    e.radius = channel != CHEM_NONE ? CK_BITS(t.channels[channel].radius) : 0u;
    e.reach = channel != CHEM_NONE ? CK_BITS(t.channels[channel].reach) : 0u;
    return e;
}

CK_FN CK_LOCAL ck_u32 *chem_extents_of(chem_params p, CK_LOCAL ck_u32 *near_words)
{
    return near_words + CHEM_KINDS * CHEM_KINDS + CHEM_LANE_WORDS * CK_LOCAL_SIZE() + p.n_species;
}

/* Before the first step; a barrier must follow. */
CK_FN void chem_list_limits(chem_params p, chem_tables t, CK_LOCAL ck_u32 *near_words)
{
    CK_LOCAL ck_u32 *list = chem_extents_of(p, near_words);
    for (ck_u32 k = CK_LOCAL_INDEX(); p.n_species <= CHEM_LISTED_SPECIES && k < p.n_species * p.n_species; k += CK_LOCAL_SIZE()) {
        chem_extent e = chem_extent_of(p, t, k);
        ck_write_local_u32(list + 3u * k, e.at);
        ck_write_local_u32(list + 3u * k + 1u, e.radius);
        ck_write_local_u32(list + 3u * k + 2u, e.reach);
    }
}

/* The limits of a step, by all threads of a block; a barrier must follow. */
CK_FN void chem_find_limits(chem_params p, chem_tables t, chem_step s, CK_LOCAL ck_u32 *near_words)
{
    CK_LOCAL ck_u32 *list = chem_extents_of(p, near_words);
    for (ck_u32 k = CK_LOCAL_INDEX(); k < CHEM_KINDS * CHEM_KINDS; k += CK_LOCAL_SIZE()) {
        ck_write_local_u32(near_words + k, 0u);
    }
    CK_BARRIER();
    for (ck_u32 k = CK_LOCAL_INDEX(); k < p.n_species * p.n_species; k += CK_LOCAL_SIZE()) {
        chem_extent e;
        if (p.n_species <= CHEM_LISTED_SPECIES) {
            e.at = ck_read_local_u32(list + 3u * k);
            e.radius = ck_read_local_u32(list + 3u * k + 1u);
            e.reach = ck_read_local_u32(list + 3u * k + 2u);
        } else {
            e = chem_extent_of(p, t, k);
        }
        if (e.at != CHEM_NONE) {
            float reach = ck_fma(CK_FLOAT(e.reach), s.sqrt_dt, CK_FLOAT(e.radius));
            ck_atomic_max_local_u32(near_words + e.at, CK_BITS(chem_limit_of(reach, s.inv_cell)));
        }
    }
}

/* Two numbers of the walk, or what belongs to them: each lane looks at two at a time, so that it waits half as often.
 */
typedef struct chem_two {
    ck_u32 a, b;
} chem_two;

/* How many of the bits of a word are at or below that of number k. */
CK_FN ck_u32 chem_count_until(ck_u32 word, ck_u32 k)
{
    return ck_popcount(word & (0xFFFFFFFFu >> (31u - (k & 31u))));
}

/* The ranges that two numbers of the walk are in, `n_begun` having begun before the word of the first; counts on. */
CK_FN chem_two chem_ranges_at(chem_lanes l, chem_two k, ck_u32 *n_begun)
{
    chem_two word, range;
    word.a = ck_read_local_u32(l.begins + k.a % CHEM_STRETCH / 32u);
    word.b = ck_read_local_u32(l.begins + k.b % CHEM_STRETCH / 32u);
    ck_u32 before_b = *n_begun + (k.a / 32u != k.b / 32u ? ck_popcount(word.a) : 0u);
    range.a = *n_begun + chem_count_until(word.a, k.a) - 1u;
    range.b = before_b + chem_count_until(word.b, k.b) - 1u;
    *n_begun = CK_LANES > 1u || k.b % 32u == 31u ? before_b + ck_popcount(word.b) : *n_begun;
    return range;
}

/**
 * What there is to search for, in turn: the pairs of each molecule that stands in the order of the buckets with those behind it; then, of
 * each of the `n_late` that stand in no order, the pairs with all that do (in two parts) and with the late ones behind it.
 */
typedef struct chem_queries {
    ck_u32 n_lined_up, n_late;
} chem_queries;

#define CHEM_LATE_ONES 3u

typedef struct chem_query {
    ck_u32 i, way;
} chem_query;

CK_FN chem_query chem_query_of(chem_queries q, ck_u32 number)
{
    chem_query query;
    ck_u32 late = number - q.n_lined_up;
    query.i = number;
    query.way = CHEM_BEHIND;
    if (number >= q.n_lined_up) {
        query.way = late < q.n_late ? CHEM_AROUND : late < 2u * q.n_late ? CHEM_MIRRORED : CHEM_LATE_ONES;
        query.i = number - (query.way - 1u) * q.n_late;
    }
    return query;
}

/* Ask the pairs of the queue, the last ones first, one a lane. */
CK_FN chem_lanes chem_ask_queued(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_lanes l,
                                 chem_queries queries)
{
    ck_u32 n = l.n_queued < CK_LANES ? l.n_queued : CK_LANES, at = l.n_queued - n + l.lane;
    l.n_queued -= n;
    if (l.lane < n) {
        chem_query query = chem_query_of(queries, ck_read_local_u32(l.queue + 2u * at));
        l.n_near += chem_ask(p, t, m, s, step, query.i, ck_read_local_u32(l.queue + 2u * at + 1u));
    }
    CK_LANES_MEET();
    return l;
}

/* The lane that a range belongs to, from its word in `rows`. */
CK_FN ck_u32 chem_owner_of(ck_u32 row)
{
    return row >> 12 & 31u;
}

/* Set in the word of a range: its molecules may stand in any row. */
#define CHEM_ANY_ROW (1u << 17)

/* Is a molecule with these words in the grid near that of the lane that owns a range, and in its row? */
CK_FN ck_u32 chem_is_in_sight(chem_sight sight, chem_lanes l, ck_u32 row, ck_words4 other)
{
    ck_words4 of_i = ck_load_local_words4(l.spots + 4u * chem_owner_of(row));
    chem_spot spot;
    spot.x = of_i.a;
    spot.y = of_i.b;
    spot.z = of_i.c;
    float square = chem_spot_square(sight.period, spot, other.a, other.b, other.c);
    float limit = CK_FLOAT(ck_read_local_u32(l.limits + of_i.d + other.d % CHEM_KINDS));
    ck_u32 is_in_row = (row & CHEM_ANY_ROW) != 0u || chem_row(other.b, other.c) == (row & 0xFFF00FFFu) ? 1u : 0u;
    return square < limit && is_in_row != 0u ? 1u : 0u;
}

/* A query and what it has found into the queue, if `is_found`; all lanes call. */
CK_FN chem_lanes chem_queue_up(chem_lanes l, ck_u32 is_found, ck_u32 query, ck_u32 j)
{
    ck_u32 n_found, at = l.n_queued + ck_lane_rank(is_found, &n_found);
    if (is_found != 0u) {
        ck_write_local_u32(l.queue + 2u * at, query);
        ck_write_local_u32(l.queue + 2u * at + 1u, j);
    }
    l.n_queued += n_found;
    return l;
}

/* Ranges of the lanes, one a side: n[side] slots from from[side] on. */
typedef struct chem_ranges {
    ck_u32 n[CHEM_SIDES], from[CHEM_SIDES];
} chem_ranges;

/* Bits of a stretch of the walk where the ranges of this lane begin. */
CK_FN void chem_mark_begins(chem_lanes l, chem_ranges r, ck_u32 begin, ck_u32 stretch)
{
    CK_LANES_MEET();
    ck_write_local_u32(l.begins + 2u * l.lane, 0u);
    ck_write_local_u32(l.begins + 2u * l.lane + 1u, 0u);
    CK_LANES_MEET();
    CK_UNROLL
    for (ck_u32 side = 0u; side < CHEM_SIDES; ++side) {
        if (r.n[side] != 0u && begin - stretch < CHEM_STRETCH) {
            ck_atomic_or_local_u32(l.begins + (begin - stretch) / 32u, 1u << (begin & 31u));
        }
        begin += r.n[side];
    }
    CK_LANES_MEET();
}

/* Two molecules to look at, which are on their way from memory: rows with their lanes, slots, words in the grid. */
typedef struct chem_looks {
    chem_two row, j;
    ck_words4 of_a, of_b;
} chem_looks;

/* The next ones of the walk, from number `base` on. */
CK_FN chem_looks chem_look_ahead(chem_params p, chem_memory m, chem_lanes l, chem_ranges ranges, ck_u32 begin, ck_u32 base,
                                 ck_u32 total, ck_u32 *n_begun)
{
    chem_looks looks;
    chem_two k, range;
    if (base % CHEM_STRETCH == 0u) {
        chem_mark_begins(l, ranges, begin, base);
    }
    k.a = base + l.lane;
    k.b = k.a + CK_LANES;
    range = chem_ranges_at(l, k, n_begun);
    looks.row.a = k.a < total ? ck_read_local_u32(l.rows + range.a) : 0u;
    looks.row.b = k.b < total ? ck_read_local_u32(l.rows + range.b) : 0u;
    looks.j.a = k.a < total ? ck_read_local_u32(l.from + range.a) + k.a : 0u;
    looks.j.b = k.b < total ? ck_read_local_u32(l.from + range.b) + k.b : 0u;
    looks.of_a = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, looks.j.a));
    looks.of_b = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, looks.j.b));
    return looks;
}

/* Walk through all that is in the ranges of the lanes. Queries of lanes: first, first + stride, ... While some are looked at the next
 * ones are on their way. A full queue is asked; at the end of the last walk all that waits is. */
CK_FN chem_lanes chem_walk(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_sight sight, ck_u32 step,
                           chem_lanes l, chem_queries queries, ck_u32 first, ck_u32 stride, chem_ranges ranges, ck_u32 begin,
                           ck_u32 total, ck_u32 is_last)
{
    ck_u32 base = 0u, n_begun = 0u;
    chem_looks ahead = chem_look_ahead(p, m, l, ranges, begin, 0u, total, &n_begun);
    do {
        chem_looks looks = ahead;
        ck_u32 k = base + l.lane;
        base += 2u * CK_LANES;
        if (base < total) {
            ahead = chem_look_ahead(p, m, l, ranges, begin, base, total, &n_begun);
        }
        ck_u32 is_found_a = k < total ? chem_is_in_sight(sight, l, looks.row.a, looks.of_a) : 0u;
        ck_u32 is_found_b = k + CK_LANES < total ? chem_is_in_sight(sight, l, looks.row.b, looks.of_b) : 0u;
        l = chem_queue_up(l, is_found_a, first + chem_owner_of(looks.row.a) * stride, looks.j.a);
        l = chem_queue_up(l, is_found_b, first + chem_owner_of(looks.row.b) * stride, looks.j.b);
        CK_LANES_MEET();
        ck_u32 least = is_last != 0u && base >= total ? 1u : CK_LANES;
        while (l.n_queued >= least) {
            l = chem_ask_queued(p, t, m, s, step, l, queries);
        }
    } while (base < total);
    return l;
}

/* Slots of a query on a side. */
CK_FN chem_range chem_range_of_query(chem_params p, chem_memory m, chem_sight sight, chem_queries queries, chem_query query,
                                     float limit, chem_spot spot, ck_u32 history, ck_u32 side, ck_u32 along)
{
    chem_range r = chem_range_of(p, m, sight, limit, spot, history, query.i, query.way, side, along);
    if (query.way == CHEM_LATE_ONES) {
        r.row = CHEM_ANY_ROW;
        r.from = query.i + 1u;
        r.to = queries.n_lined_up + queries.n_late;
        r.n_cells = r.is_end = 1u;
    }
    return r;
}

/* Pairs of the queries of the lanes; `is_mine`: this lane has one. */
CK_FN chem_lanes chem_search_lanes(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_sight sight,
                                   ck_u32 step, chem_lanes l, chem_queries queries, ck_u32 first, ck_u32 stride, ck_u32 is_mine,
                                   ck_u32 is_last)
{
    chem_query query = chem_query_of(queries, first + l.lane * stride);
    ck_u32 history = 0u, open_sides = 0u, n_left = 1u; /* bits: sides with cells left */
    chem_spot spot;
    float limit = 0.0f;
    spot.x = spot.y = spot.z = 0u;
    if (is_mine != 0u) {
        ck_words4 words = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, query.i));
        ck_u32 partners = t.words[p.at_partners + words.d];
        open_sides = partners != 0u ? (query.way == CHEM_LATE_ONES ? 1u : 31u) : 0u;
        spot.x = words.a;
        spot.y = words.b;
        spot.z = words.c;
        history = p.n_histories > 1u ? m.history_next[query.i] : 0u;
        limit = chem_own_limit(p, t, s, sight, words.d);
        ck_write_local_u32(l.spots + 4u * l.lane, words.a);
        ck_write_local_u32(l.spots + 4u * l.lane + 1u, words.b);
        ck_write_local_u32(l.spots + 4u * l.lane + 2u, words.c);
        ck_write_local_u32(l.spots + 4u * l.lane + 3u, words.d % CHEM_KINDS * CHEM_KINDS);
    }
    for (ck_u32 along = 0u; n_left != 0u; ++along) { /* once, but for lanes at an edge of the grid */
        chem_ranges ranges;
        ck_u32 rows[CHEM_SIDES], mine = 0u, n_full = 0u, total, n_ranges;
        CK_UNROLL
        for (ck_u32 side = 0u; side < CHEM_SIDES; ++side) {
            chem_range r = chem_range_of_query(p, m, sight, queries, query, limit, spot, history, side, along);
            ranges.n[side] = (open_sides >> side & 1u) != 0u && r.to > r.from ? r.to - r.from : 0u;
            ranges.from[side] = r.from;
            rows[side] = r.row | l.lane << 12;
            open_sides &= ~(r.is_end << side);
            mine += ranges.n[side];
            n_full += ranges.n[side] != 0u ? 1u : 0u;
        }
        ck_lane_rank(open_sides, &n_left);
        ck_u32 begin = ck_lane_sum_before(mine, &total), at = ck_lane_sum_before(n_full, &n_ranges), number = begin;
        CK_UNROLL
        for (ck_u32 side = 0u; side < CHEM_SIDES; ++side) {
            if (ranges.n[side] != 0u) {
                ck_write_local_u32(l.rows + at, rows[side]);
                ck_write_local_u32(l.from + at, ranges.from[side] - number);
                ++at;
            }
            number += ranges.n[side];
        }
        l = chem_walk(p, t, m, s, sight, step, l, queries, first, stride, ranges, begin, total,
                      is_last != 0u && n_left == 0u ? 1u : 0u);
        CK_LANES_MEET();
    }
    return l;
}

/* What there is to search for now. */
CK_FN chem_queries chem_queries_of(chem_memory m)
{
    chem_queries queries;
    queries.n_lined_up = *m.lined_up;
    queries.n_late = m.control[CHEM_CONTROL_LATE];
    return queries;
}

/* All pairs. Neighbours have as crowded a surrounding as each other, so the lanes of a team take molecules far from
 * each other. Returns the pairs that this thread asked. A barrier must follow. */
CK_FN ck_u32 chem_search(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team,
                         chem_queries queries, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 n = queries.n_lined_up + 3u * queries.n_late, n_teams = team.n_workers / CK_LANES, mine = team.worker / CK_LANES;
    ck_u32 has_first_order = t.words[p.at_first + p.n_species];
    chem_sight sight = chem_sight_of(p, s);
    chem_lanes l = chem_lanes_of(near_words);
    for (ck_u32 begin = 0u; begin < n; begin += team.n_workers) {
        ck_u32 count = n - begin < team.n_workers ? n - begin : team.n_workers,
               share = (count + n_teams - 1u) / n_teams;
        ck_u32 first = begin + mine, number = first + l.lane * n_teams,
               is_mine = l.lane < share && number < begin + count ? 1u : 0u;
        if (is_mine != 0u && has_first_order != 0u && chem_query_of(queries, number).way <= CHEM_AROUND) {
            chem_search_first_order(p, t, m, s, step, chem_query_of(queries, number).i);
        }
        l = chem_search_lanes(p, t, m, s, sight, step, l, queries, first, n_teams, is_mine,
                              n - begin <= team.n_workers ? 1u : 0u);
    }
    return l.n_near;
}

#endif
