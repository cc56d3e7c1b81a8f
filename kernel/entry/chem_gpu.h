/**
 * The method `exact` on a GPU (CUDA and OpenCL): one persistent kernel takes all molecules of the launch through all steps. Its
 * threads meet at a barrier after each phase, and the host hears of nothing until the end.
 */
#include "../port.h"

/* Neighbouring threads take neighbouring molecules. */
#define CHEM_CHUNK 1u
#define CHEM_ADD(words, index, amount) ck_atomic_add_u64((words) + (index), (amount))
#define CHEM_TICKET(p, word) ck_atomic_add_u32((word), 1u)
/* The words of a molecule stand together, and are read at once. */
#define CHEM_SPOT(p, axis, slot) (4u * (slot) + (axis))
#define CHEM_ABREAST 1u
#define CHEM_SIMD(bits)

#include "../chem/rounds.h"

#include "block_scan.h"
#include "chem_lanes.h"

/* Up to so many candidates one block resolves alone: its own barrier costs a tenth of everybody's. */
#define CHEM_FEW_CANDIDATES 2048u
/* Species that are counted in shared memory; of more than that each molecule is counted in global memory. */
#define CHEM_NEAR_SPECIES 2048u

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

/* Molecules into the order of the buckets: first where each one comes from, then each reads its own, so that what is written lies side
 * by side. */
CK_FN void chem_sort(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team, ck_u32 n,
                     CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    chem_scan(p, m, arrivals, near_words);
    ck_grid_barrier(arrivals);
    CHEM_EACH(i, n)
    {
        if (m.buckets[i] != CHEM_NONE) {
            m.order[chem_place_in_order(m, i)] = i;
        }
    }
    chem_clear_candidates(p, m, team);
    ck_grid_barrier(arrivals);
    ck_u32 n_live = m.starts[p.n_buckets];
    CHEM_EACH(k, n_live)
    {
        ck_u32 from = m.order[k];
        chem_settle(p, m, s, from, k, chem_draw_way(p, t, s, step, m.here[from].id, m.here[from].species, m.history_here[from]));
        chem_clear_slot(m, k);
    }
    chem_find_limits(p, t, s, near_words);
    ck_grid_barrier(arrivals);
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

CK_FN void chem_advance_if_alive(chem_params p, chem_memory m, chem_step s, ck_u32 i)
{
    if (m.here[i].species != CHEM_NONE) {
        chem_advance(p, m, s.inv_cell, s.n_cells, i);
    } else {
        m.buckets[i] = CHEM_NONE;
    }
}

/* Molecules of the step that follows into their buckets. */
CK_FN void chem_advance_all(chem_params p, chem_memory m, chem_step s, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        chem_advance_if_alive(p, m, s, i);
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
        if (is_mine != 0u) {
            chem_advance_if_alive(p, m, s, i);
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

/* What the program was compiled for: CHEM_SPACE and CHEM_CORRECTS, where they are given. */
CK_FN chem_params chem_specialise(chem_params p)
{
#if defined(CHEM_SPACE)
    p.space = CHEM_SPACE;
#endif
    p.corrects = CHEM_CORRECTS != 0 ? p.corrects : 0u;
    return p;
}

#if !defined(CHEM_OTHER_RULES)

CK_KERNEL CK_LAUNCH_BOUNDS
chem_exact(const chem_params given, CK_GLOBAL const chem_start *CK_RESTRICT starts, CK_GLOBAL const ck_u32 *CK_RESTRICT channels,
           CK_GLOBAL const chem_step *CK_RESTRICT steps, CK_GLOBAL const ck_u32 *CK_RESTRICT groups, CK_GLOBAL ck_u64 *words,
           CK_GLOBAL ck_u32 *arrivals, CK_GLOBAL ck_u64 *scratch CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    chem_params p = chem_specialise(given);
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
