/** The search of the method `exact` on a GPU. */
#ifndef CHEM_LANES_H
#define CHEM_LANES_H

#include "../chem/search.h"

/**
 * The search by lanes that step together. Molecules have few neighbours or many, so a thread that looked at those of one molecule
 * would let the others wait. Instead the lanes take a molecule each, list the ranges of slots around it, and then walk through all
 * that is in these ranges side by side. Pairs whose places are near wait in a queue until there is one for every lane.
 *
 * Local words of the lanes, CK_LANES of each unless said otherwise:
 *   spots   4 a lane: place in the grid, and the bits of the partners
 *   rows    CHEM_SIDES a lane: the row of each range
 *   from    CHEM_SIDES a lane: its first slot, less its number in the walk
 *   begins  CHEM_SIDES a lane: its number in the walk
 *   queue   4 a lane: two pairs of slots
 */
#define CHEM_SIDES 5u
#define CHEM_LANE_WORDS (8u + 3u * CHEM_SIDES)

typedef struct chem_lanes {
    CK_LOCAL ck_u32 *spots, *rows, *from, *begins, *queue;
    ck_u32 lane, n_queued, n_near;
} chem_lanes;

CK_FN chem_lanes chem_lanes_of(CK_LOCAL ck_u32 *near_words)
{
    chem_lanes l;
    CK_LOCAL ck_u32 *mine = near_words + CK_LOCAL_INDEX() / CK_LANES * (CHEM_LANE_WORDS * CK_LANES);
    l.lane = CK_LOCAL_INDEX() % CK_LANES;
    l.spots = mine;
    l.queue = mine + 4u * CK_LANES;
    l.rows = mine + 8u * CK_LANES;
    l.from = l.rows + CHEM_SIDES * CK_LANES;
    l.begins = l.from + CHEM_SIDES * CK_LANES;
    l.n_queued = 0u;
    l.n_near = 0u;
    return l;
}

/* Two numbers of the walk: each lane looks at two at a time, so that it waits half as often. */
typedef struct chem_two {
    ck_u32 a, b;
} chem_two;

/* The ranges that two numbers of the walk are in: the last ones that begin there or before. */
CK_FN chem_two chem_ranges_at(chem_lanes l, chem_two k)
{
    chem_two at, next, begin;
    at.a = at.b = 0u;
    for (ck_u32 reach = CK_LANES == 1u ? 4u : 128u; reach > 0u; reach /= 2u) {
        next.a = at.a + reach < CHEM_SIDES * CK_LANES ? at.a + reach : at.a;
        next.b = at.b + reach < CHEM_SIDES * CK_LANES ? at.b + reach : at.b;
        begin.a = ck_read_local_u32(l.begins + next.a);
        begin.b = ck_read_local_u32(l.begins + next.b);
        at.a = begin.a <= k.a ? next.a : at.a;
        at.b = begin.b <= k.b ? next.b : at.b;
    }
    return at;
}

/* Ask the pairs of the queue, the last ones first, one a lane. */
CK_FN chem_lanes chem_ask_queued(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_lanes l)
{
    ck_u32 n = l.n_queued < CK_LANES ? l.n_queued : CK_LANES, at = l.n_queued - n + l.lane;
    l.n_queued -= n;
    if (l.lane < n) {
        ck_u32 i = ck_read_local_u32(l.queue + 2u * at), j = ck_read_local_u32(l.queue + 2u * at + 1u);
        l.n_near += chem_ask(p, t, m, s, step, i, j);
    }
    CK_LANES_MEET();
    return l;
}

/* Is a molecule with these words in the grid near that of the lane that owns a range, and in its row? */
CK_FN ck_u32 chem_is_in_sight(chem_sight sight, chem_lanes l, ck_u32 range, ck_words4 other)
{
    ck_words4 of_i = ck_load_local_words4(l.spots + 4u * (range / CHEM_SIDES));
    chem_spot spot;
    spot.x = of_i.a;
    spot.y = of_i.b;
    spot.z = of_i.c;
    float square = chem_spot_square(sight.period, spot, other.a, other.b, other.c);
    return square <= sight.limit && (of_i.d >> (other.d & 31u) & 1u) != 0u &&
                   chem_row(other.b, other.c) == ck_read_local_u32(l.rows + range)
               ? 1u
               : 0u;
}

/* Into the queue, if `is_found`; all lanes call. */
CK_FN chem_lanes chem_queue_up(chem_lanes l, ck_u32 is_found, ck_u32 i, ck_u32 j)
{
    ck_u32 n_found, at = l.n_queued + ck_lane_rank(is_found, &n_found);
    if (is_found != 0u) {
        ck_write_local_u32(l.queue + 2u * at, i);
        ck_write_local_u32(l.queue + 2u * at + 1u, j);
    }
    l.n_queued += n_found;
    CK_LANES_MEET();
    return l;
}

/* All that is in the ranges of the lanes. Molecules of lanes: first, first + stride, ... A full queue is asked; at the end of the
 * last walk all that waits is. */
CK_FN chem_lanes chem_walk(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_sight sight, ck_u32 step, chem_lanes l,
                           ck_u32 first, ck_u32 stride, ck_u32 total, ck_u32 is_last)
{
    ck_u32 base = 0u;
    do {
        chem_two k, j, range, is_found;
        k.a = base + l.lane;
        k.b = k.a + CK_LANES;
        range = chem_ranges_at(l, k);
        j.a = k.a < total ? ck_read_local_u32(l.from + range.a) + k.a : 0u;
        j.b = k.b < total ? ck_read_local_u32(l.from + range.b) + k.b : 0u;
        ck_words4 of_a = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, j.a)), of_b = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, j.b));
        is_found.a = k.a < total ? chem_is_in_sight(sight, l, range.a, of_a) : 0u;
        is_found.b = k.b < total ? chem_is_in_sight(sight, l, range.b, of_b) : 0u;
        base += 2u * CK_LANES;
        CK_NO_UNROLL
        for (ck_u32 part = 0u; part < 2u; ++part) {
            l = chem_queue_up(l, part == 0u ? is_found.a : is_found.b,
                              first + (part == 0u ? range.a : range.b) / CHEM_SIDES * stride, part == 0u ? j.a : j.b);
            ck_u32 least = is_last != 0u && part == 1u && base >= total ? 1u : CK_LANES;
            while (l.n_queued >= least) {
                l = chem_ask_queued(p, t, m, s, step, l);
            }
        }
    } while (base < total);
    return l;
}

/* Pairs of the lanes' molecules with those after them; `is_mine`: this lane has one. */
CK_FN chem_lanes chem_search_lanes(chem_params p, chem_tables t, chem_memory m, chem_step s, chem_sight sight, ck_u32 step,
                                   chem_lanes l, ck_u32 first, ck_u32 stride, ck_u32 is_mine, ck_u32 is_last)
{
    ck_u32 i = first + l.lane * stride, history = 0u, part = CHEM_PARTS, n_left = 1u;
    chem_spot spot;
    spot.x = spot.y = spot.z = 0u;
    if (is_mine != 0u) {
        ck_words4 words = ck_load_words4(m.spots + CHEM_SPOT(p, 0u, i));
        ck_u32 partners = t.words[p.at_partners + words.d];
        spot.x = words.a;
        spot.y = words.b;
        spot.z = words.c;
        history = m.history_next[i];
        part = partners != 0u ? 0u : CHEM_PARTS;
        ck_write_local_u32(l.spots + 4u * l.lane, words.a);
        ck_write_local_u32(l.spots + 4u * l.lane + 1u, words.b);
        ck_write_local_u32(l.spots + 4u * l.lane + 2u, words.c);
        ck_write_local_u32(l.spots + 4u * l.lane + 3u, partners);
    }
    while (n_left != 0u) { /* once, but for lanes at an edge of the grid */
        ck_u32 n[CHEM_SIDES], from[CHEM_SIDES], mine = 0u, total;
        CK_UNROLL
        for (ck_u32 k = 0u; k < CHEM_SIDES; ++k) {
            n[k] = from[k] = 0u;
            if (part < CHEM_PARTS) {
                chem_range r = chem_range_of(p, m, sight, spot, history, i, part);
                n[k] = r.to > r.from ? r.to - r.from : 0u;
                from[k] = r.from;
                part += r.n_parts;
                ck_write_local_u32(l.rows + CHEM_SIDES * l.lane + k, r.row);
            }
            mine += n[k];
        }
        ck_u32 begin = ck_lane_sum_before(mine, &total);
        CK_UNROLL
        for (ck_u32 k = 0u; k < CHEM_SIDES; ++k) {
            ck_write_local_u32(l.begins + CHEM_SIDES * l.lane + k, begin);
            ck_write_local_u32(l.from + CHEM_SIDES * l.lane + k, from[k] - begin);
            begin += n[k];
        }
        ck_lane_rank(part < CHEM_PARTS ? 1u : 0u, &n_left);
        CK_LANES_MEET();
        l = chem_walk(p, t, m, s, sight, step, l, first, stride, total, is_last != 0u && n_left == 0u ? 1u : 0u);
        CK_LANES_MEET();
    }
    return l;
}

/* All pairs. Neighbours have as crowded a surrounding as each other, so the lanes of a team take molecules far from each other. Returns
 * the pairs that this thread asked. */
CK_FN ck_u32 chem_search(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team,
                         CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 n = m.starts[p.n_buckets], n_teams = team.n_workers / CK_LANES, mine = team.worker / CK_LANES;
    ck_u32 has_first_order = t.words[p.at_first + p.n_species];
    chem_sight sight = chem_sight_of(p, s);
    chem_lanes l = chem_lanes_of(near_words);
    for (ck_u32 begin = 0u; begin < n; begin += team.n_workers) {
        ck_u32 count = n - begin < team.n_workers ? n - begin : team.n_workers, share = (count + n_teams - 1u) / n_teams;
        ck_u32 first = begin + mine, i = first + l.lane * n_teams, is_mine = l.lane < share && i < begin + count ? 1u : 0u;
        if (is_mine != 0u && has_first_order != 0u) {
            chem_search_first_order(p, t, m, s, step, i);
        }
        l = chem_search_lanes(p, t, m, s, sight, step, l, first, n_teams, is_mine, n - begin <= team.n_workers ? 1u : 0u);
    }
    ck_grid_barrier(arrivals);
    return l.n_near;
}

#endif
