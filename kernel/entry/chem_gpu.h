/**
 * The method `exact` on a GPU (CUDA and OpenCL): one persistent kernel takes all molecules of the launch through all steps. Its
 * threads meet at a barrier after each phase, and the host hears of nothing until the end.
 */
#include "../port.h"

/* Neighbouring threads take neighbouring molecules. */
#define CHEM_CHUNK 1u
#define CHEM_ADD(words, index, amount) ck_atomic_add_u64((words) + (index), (amount))
/* The words of a molecule stand together, and are read at once. */
#define CHEM_SPOT(p, axis, slot) (4u * (slot) + (axis))
#define CHEM_ABREAST 1u

#include "../chem/rounds.h"

/* Up to so many candidates one block resolves alone: its own barrier costs a tenth of everybody's. */
#define CHEM_FEW_CANDIDATES 2048u
/* Species that are counted in shared memory; of more than that each molecule is counted in global memory. */
#define CHEM_NEAR_SPECIES 2048u

/* Exclusive sum over the threads of a block, and the total. `near_words` holds a word for every CK_LANES threads. */
CK_FN ck_u32 chem_block_scan(CK_LOCAL ck_u32 *near_words, ck_u32 value, ck_u32 *total)
{
    ck_u32 mine = CK_LOCAL_INDEX() / CK_LANES, n_teams = (CK_LOCAL_SIZE() + CK_LANES - 1u) / CK_LANES, of_team, sum = 0u;
    ck_u32 before = ck_lane_sum_before(value, &of_team);
    if (CK_LOCAL_INDEX() % CK_LANES == 0u) {
        ck_write_local_u32(near_words + mine, of_team);
    }
    CK_BARRIER();
    for (ck_u32 k = 0u; k < n_teams; ++k) {
        before += k == mine ? sum : 0u;
        sum += ck_read_local_u32(near_words + k);
    }
    *total = sum;
    CK_BARRIER();
    return before;
}

/* Buckets of this block, and how they are taken: four by each thread at once. */
typedef struct chem_share {
    ck_u32 first, end, tile;
} chem_share;

CK_FN chem_share chem_share_of(chem_params p)
{
    chem_share share;
    ck_u32 n = p.n_buckets, part = (n / 4u + CK_GROUPS() - 1u) / CK_GROUPS() * 4u;
    share.tile = 4u * CK_LOCAL_SIZE();
    share.first = part * CK_GROUP_INDEX() < n ? part * CK_GROUP_INDEX() : n;
    share.end = n - share.first < part ? n : share.first + part;
    return share;
}

/* Where the buckets begin: each block sums its share of them, then counts on from the sums before it. Clears the counts. */
CK_FN void chem_scan(chem_params p, chem_memory m, CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    chem_share share = chem_share_of(p);
    ck_u32 sum = 0u, total = 0u, start;
    for (ck_u32 i = share.first + 4u * CK_LOCAL_INDEX(); i < share.end; i += share.tile) {
        ck_words4 counts = ck_load_words4(m.counts + i);
        sum += counts.a + counts.b + counts.c + counts.d;
    }
    chem_block_scan(near_words, sum, &total);
    if (CK_LOCAL_INDEX() == 0u) {
        m.partials[CK_GROUP_INDEX()] = total;
    }
    ck_grid_barrier(arrivals);
    sum = 0u;
    for (ck_u32 g = CK_LOCAL_INDEX(); g < CK_GROUP_INDEX(); g += CK_LOCAL_SIZE()) {
        sum += m.partials[g];
    }
    chem_block_scan(near_words, sum, &start);
    for (ck_u32 tile = share.first; tile < share.end; tile += share.tile) {
        ck_u32 i = tile + 4u * CK_LOCAL_INDEX(), is_mine = i < share.end ? 1u : 0u;
        ck_words4 counts;
        counts.a = counts.b = counts.c = counts.d = 0u;
        if (is_mine != 0u) {
            counts = ck_load_words4(m.counts + i);
        }
        ck_u32 at = start + chem_block_scan(near_words, counts.a + counts.b + counts.c + counts.d, &total);
        if (is_mine != 0u) {
            ck_store_words4(m.starts + i, at, at + counts.a, at + counts.a + counts.b, at + counts.a + counts.b + counts.c);
            ck_store_words4(m.counts + i, 0u, 0u, 0u, 0u);
        }
        start += total;
    }
    if (share.end == p.n_buckets && share.first < share.end && CK_LOCAL_INDEX() == 0u) {
        m.starts[share.end] = start;
    }
}

/* Molecules by species at an output time, collected in shared memory. */
CK_FN void chem_count(chem_params p, chem_memory m, CK_GLOBAL ck_u64 *words, ck_u32 output, chem_team team, ck_u32 n,
                      CK_LOCAL ck_u32 *near_words)
{
    ck_u32 is_near = p.n_species <= CHEM_NEAR_SPECIES ? 1u : 0u;
    for (ck_u32 k = CK_LOCAL_INDEX(); is_near != 0u && k < p.n_species; k += CK_LOCAL_SIZE()) {
        ck_write_local_u32(near_words + k, 0u);
    }
    CK_BARRIER();
    CHEM_EACH(i, n)
    {
        ck_u32 species = m.here[i].species;
        if (species != CHEM_NONE && is_near != 0u) {
            ck_atomic_add_local_u32(near_words + species, 1u);
        } else if (species != CHEM_NONE) {
            CHEM_ADD(words, output * p.n_species + species, 1u);
        }
    }
    CK_BARRIER();
    for (ck_u32 k = CK_LOCAL_INDEX(); is_near != 0u && k < p.n_species; k += CK_LOCAL_SIZE()) {
        ck_u32 count = ck_read_local_u32(near_words + k);
        if (count != 0u) {
            CHEM_ADD(words, output * p.n_species + k, count);
        }
    }
    CK_BARRIER();
}

/* Add a count that every thread has to a word, once a block. */
CK_FN void chem_add_counts(CK_GLOBAL ck_u64 *words, ck_u32 at, ck_u32 count, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 total;
    chem_block_scan(near_words, count, &total);
    if (CK_LOCAL_INDEX() == 0u && total != 0u) {
        CHEM_ADD(words, at, total);
    }
}

CK_FN void chem_sort(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team, ck_u32 n,
                     CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    chem_scan(p, m, arrivals, near_words);
    ck_grid_barrier(arrivals);
    CHEM_EACH(i, n)
    {
        chem_clear_slot(m, i);
        if (m.here[i].species != CHEM_NONE) {
            chem_scatter(p, t, m, s, step, i);
        }
    }
    chem_clear_candidates(p, m, team);
    ck_grid_barrier(arrivals);
}

/* ------------------------------------------------------------------------------------------------------- search */

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
    float square = chem_spot_square(sight, spot, other.a, other.b, other.c);
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

/* Where the cells are wide, neighbours have as crowded a surrounding as each other, and every lane takes one from another place. */
#if !defined(CHEM_WIDE_CELL)
#define CHEM_WIDE_CELL 8.0
#endif

/* Returns the pairs that this thread asked. */
CK_FN ck_u32 chem_search(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team,
                         CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 n = m.starts[p.n_buckets], n_teams = team.n_workers / CK_LANES, mine = team.worker / CK_LANES;
    ck_u32 is_wide = s.inv_cell * CHEM_WIDE_CELL < 1.0 ? 1u : 0u;
    ck_u32 has_first_order = t.words[p.at_first + p.n_species];
    chem_sight sight = chem_sight_of(p, s);
    chem_lanes l = chem_lanes_of(near_words);
    for (ck_u32 begin = 0u; begin < n; begin += team.n_workers) {
        ck_u32 count = n - begin < team.n_workers ? n - begin : team.n_workers, share = (count + n_teams - 1u) / n_teams;
        ck_u32 first = begin + (is_wide != 0u ? mine : mine * share), stride = is_wide != 0u ? n_teams : 1u;
        ck_u32 i = first + l.lane * stride, is_mine = l.lane < share && i < begin + count ? 1u : 0u;
        if (is_mine != 0u && has_first_order != 0u) {
            chem_search_first_order(p, t, m, s, step, i);
        }
        l = chem_search_lanes(p, t, m, s, sight, step, l, first, stride, is_mine, n - begin <= team.n_workers ? 1u : 0u);
    }
    ck_grid_barrier(arrivals);
    return l.n_near;
}

/* One round of a team: react, then see what is left. The caller puts a barrier of the team between the two. */
CK_FN void chem_fire_all(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step,
                         chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        ck_u32 channel = m.candidates[i].channel;
        if (chem_fire(p, t, m, s, step, i) != 0u) {
            CHEM_ADD(words, p.at_reactions + s.bin * p.n_channels + channel, 1u);
            CHEM_ADD(words, p.at_counters + CHEM_COUNT_REACTIONS, 1u);
        }
    }
}

/* Molecules of the step that follows, from a slot on, into their buckets. */
CK_FN void chem_advance_all(chem_params p, chem_memory m, chem_step s, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            chem_advance(p, m, s.inv_cell, s.n_cells, i);
        }
    }
}

/* The same of those that no candidate is about, while others resolve these. */
CK_FN void chem_advance_free(chem_params p, chem_memory m, chem_step s, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        if (m.claims[i] == CHEM_FREE) {
            chem_advance(p, m, s.inv_cell, s.n_cells, i);
        }
    }
}

/* And of the others, each once: partners of candidates, and what has come to be behind the `n` that stood in order. */
CK_FN void chem_advance_asked(chem_params p, chem_memory m, chem_step s, chem_team team, ck_u32 n, ck_u32 n_candidates)
{
    ck_u32 end = m.control[CHEM_CONTROL_MOLECULES];
    end = end < p.room ? end : p.room;
    CHEM_EACH(k, 2u * n_candidates + (end - n))
    {
        ck_u32 i = n + (k - 2u * n_candidates), is_mine = 1u;
        if (k < 2u * n_candidates) {
            i = k % 2u == 0u ? m.candidates[k / 2u].first : m.candidates[k / 2u].second;
            is_mine = i != CHEM_NONE && ck_atomic_exchange_u32(m.claims + i, CHEM_MOVED) != CHEM_MOVED ? 1u : 0u;
        }
        if (is_mine != 0u && m.here[i].species != CHEM_NONE) {
            chem_advance(p, m, s.inv_cell, s.n_cells, i);
        }
    }
}

/* Rounds until no candidate of this team is left, between barriers of the block or of all. */
CK_FN void chem_resolve_rounds(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step,
                               chem_team team, CK_GLOBAL ck_u32 *arrivals, ck_u32 n, ck_u32 is_few)
{
    ck_u32 live = n, round = 0u;
    while (live != 0u) {
        chem_fire_all(p, t, m, words, s, step, team, n);
        if (is_few != 0u) {
            CK_GROUP_BARRIER();
        } else {
            ck_grid_barrier(arrivals);
        }
        chem_prune_all(m, team, n, round);
        if (is_few != 0u) {
            CK_GROUP_BARRIER();
        } else {
            ck_grid_barrier(arrivals);
        }
        live = m.control[CHEM_CONTROL_LIVE + (round & 63u)];
        m = chem_next_round(m);
        ++round;
    }
}

/* The reactions of a step. Where candidates are few one block takes them, and the others meanwhile move what has none to where the
 * next step begins, `next`. Returns 1 if all molecules stand there. */
CK_FN ck_u32 chem_resolve(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, chem_step next,
                          ck_u32 step, chem_team team, CK_GLOBAL ck_u32 *arrivals)
{
    ck_u32 n = m.control[CHEM_CONTROL_CANDIDATES], n_molecules = m.starts[p.n_buckets];
    n = n < p.room_candidates ? n : p.room_candidates;
    ck_u32 is_few = n <= CHEM_FEW_CANDIDATES && next.births == CHEM_NONE ? 1u : 0u, is_resolver = CK_GROUP_INDEX() == 0u ? 1u : 0u;
    chem_memory after = chem_swap(m);
    if (is_few != 0u && (is_resolver == 0u || CK_GROUPS() == 1u)) {
        ck_u32 n_away = CK_GROUPS() > 1u ? CK_LOCAL_SIZE() : 0u;
        chem_team others;
        others.worker = team.worker - n_away;
        others.n_workers = team.n_workers - n_away;
        chem_advance_free(p, after, next, others, n_molecules);
    }
    if (is_few != 0u) {
        team.worker = CK_LOCAL_INDEX();
        team.n_workers = CK_LOCAL_SIZE();
    }
    if (is_few == 0u || is_resolver != 0u) {
        chem_resolve_rounds(p, t, m, words, s, step, team, arrivals, n, is_few);
    }
    if (is_few != 0u) {
        if (is_resolver != 0u) {
            chem_advance_asked(p, after, next, team, n_molecules, n);
        }
        ck_grid_barrier(arrivals);
    }
    return is_few;
}

CK_FN chem_tables chem_bind_tables(CK_GLOBAL const chem_start *starts, CK_GLOBAL const ck_u32 *channels,
                                   CK_GLOBAL const chem_step *steps, CK_GLOBAL const ck_u32 *groups)
{
    chem_tables t;
    t.starts = starts;
    t.channels = (CK_GLOBAL const chem_channel *)channels;
    t.words = channels;
    t.steps = steps;
    t.groups = groups;
    return t;
}

#if !defined(CHEM_OTHER_RULES)

CK_KERNEL CK_LAUNCH_BOUNDS
chem_exact(const chem_params p, CK_GLOBAL const chem_start *CK_RESTRICT starts, CK_GLOBAL const ck_u32 *CK_RESTRICT channels,
           CK_GLOBAL const chem_step *CK_RESTRICT steps, CK_GLOBAL const ck_u32 *CK_RESTRICT groups, CK_GLOBAL ck_u64 *words,
           CK_GLOBAL ck_u32 *arrivals, CK_GLOBAL ck_u64 *scratch CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    chem_tables t = chem_bind_tables(starts, channels, steps, groups);
    chem_memory m = chem_bind(scratch, chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects));
    chem_team team;
    team.worker = CK_GLOBAL_INDEX();
    team.n_workers = CK_GROUPS() * CK_LOCAL_SIZE();
    ck_u32 most_molecules = 0u, most_candidates = 0u, pairs = 0u, end = p.n_steps, is_advanced = 0u;
    chem_clear_all(p, m, team);
    ck_grid_barrier(arrivals);
    for (ck_u32 step = 0u; step < end; ++step) {
        chem_step s = steps[step];
        if (s.births != CHEM_NONE) {
            chem_admit(p, t, m, words, team, s);
            ck_grid_barrier(arrivals);
        }
        ck_u32 n = m.control[CHEM_CONTROL_MOLECULES];
        most_molecules = n > most_molecules ? n : most_molecules;
        n = n < p.room ? n : p.room;
        if (is_advanced == 0u) {
            chem_advance_all(p, m, s, team, n);
            ck_grid_barrier(arrivals);
        }
        if (s.output != CHEM_NONE) {
            chem_count(p, m, words, s.output, team, n, ck_local);
        }
        /* Here no thread writes to it, so that all come to the same end. */
        end = m.control[CHEM_CONTROL_NO_ROOM] != 0u ? step : end;
        if (step + 1u < end) {
            chem_sort(p, t, m, s, step, team, n, arrivals, ck_local);
            pairs += chem_search(p, t, m, s, step, team, arrivals, ck_local);
            ck_u32 n_candidates = m.control[CHEM_CONTROL_CANDIDATES];
            most_candidates = n_candidates > most_candidates ? n_candidates : most_candidates;
            if (team.worker == 0u) {
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_CANDIDATES, n_candidates);
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOLECULE_STEPS, m.starts[p.n_buckets]);
            }
            is_advanced = chem_resolve(p, t, m, words, s, steps[step + 1u], step, team, arrivals);
            m = chem_swap(m);
        }
    }
    chem_add_counts(words, p.at_counters + CHEM_COUNT_PAIRS, pairs, ck_local);
    if (team.worker == 0u) {
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_MOLECULES, most_molecules);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_CANDIDATES, most_candidates);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_NO_ROOM, m.control[CHEM_CONTROL_NO_ROOM]);
    }
}

#endif
