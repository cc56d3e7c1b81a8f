/**
 * The method `exact` on a GPU (CUDA and OpenCL): one persistent kernel takes all molecules of the launch through all steps. Its
 * threads meet at a barrier after each phase, and the host hears of nothing until the end.
 */
#include "../port.h"

/* Neighbouring threads take neighbouring molecules. */
#define CHEM_CHUNK 1u
#define CHEM_ADD(words, index, amount) ck_atomic_add_u64((words) + (index), (amount))

#include "../chem/rounds.h"

/* Up to so many candidates one block resolves alone: its own barrier costs a tenth of everybody's. */
#define CHEM_FEW_CANDIDATES 2048u
/* Species that are counted in shared memory; of more than that each molecule is counted in global memory. */
#define CHEM_NEAR_SPECIES 2048u

/* Exclusive sum over the threads of a block, and the total. `near_words` holds two words a thread. */
CK_FN ck_u32 chem_block_scan(CK_LOCAL ck_u32 *near_words, ck_u32 value, ck_u32 *total)
{
    ck_u32 me = CK_LOCAL_INDEX(), n = CK_LOCAL_SIZE(), from = 0u;
    ck_write_local_u32(near_words + me, value);
    CK_BARRIER();
    for (ck_u32 reach = 1u; reach < n; reach *= 2u) {
        ck_u32 sum = ck_read_local_u32(near_words + from + me);
        if (me >= reach) {
            sum += ck_read_local_u32(near_words + from + me - reach);
        }
        from = n - from;
        ck_write_local_u32(near_words + from + me, sum);
        CK_BARRIER();
    }
    *total = ck_read_local_u32(near_words + from + n - 1u);
    ck_u32 before = me > 0u ? ck_read_local_u32(near_words + from + me - 1u) : 0u;
    CK_BARRIER();
    return before;
}

/* Where the buckets begin: each block has a part of them, each thread of it a run. Clears the counts. */
CK_FN void chem_scan(chem_params p, chem_memory m, CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 n = p.bucket_mask + 1u, n_threads = CK_GROUPS() * CK_LOCAL_SIZE();
    ck_u32 run = (n + n_threads - 1u) / n_threads;
    ck_u32 first = (CK_GROUP_INDEX() * CK_LOCAL_SIZE() + CK_LOCAL_INDEX()) * run;
    ck_u32 sum = 0u, total = 0u, before = 0u;
    for (ck_u32 i = first; i < first + run && i < n; ++i) {
        sum += m.counts[i];
    }
    ck_u32 start = chem_block_scan(near_words, sum, &total);
    if (CK_LOCAL_INDEX() == 0u) {
        m.partials[CK_GROUP_INDEX()] = total;
    }
    ck_grid_barrier(arrivals);
    sum = 0u;
    for (ck_u32 g = CK_LOCAL_INDEX(); g < CK_GROUP_INDEX(); g += CK_LOCAL_SIZE()) {
        sum += m.partials[g];
    }
    chem_block_scan(near_words, sum, &before);
    start += before;
    for (ck_u32 i = first; i < first + run && i < n; ++i) {
        ck_u32 count = m.counts[i];
        m.starts[i] = start;
        m.counts[i] = 0u;
        start += count;
        if (i + 1u == n) {
            m.starts[n] = start;
        }
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
        if (m.here[i].species != CHEM_NONE) {
            chem_scatter(p, t, m, s, step, i);
        }
    }
    chem_clear_candidates(p, m, team);
    ck_grid_barrier(arrivals);
}

/* How many threads share the neighbours of a molecule: in wide cells there are many, and one thread would wait for memory once for
 * each. A power of two; the result does not depend on it. */
CK_FN ck_u32 chem_lanes(chem_step s)
{
    return s.inv_cell > 1.0 / 6.0 ? 1u : s.inv_cell > 1.0 / 20.0 ? 4u : s.inv_cell > 1.0 / 60.0 ? 8u : 32u;
}

/* Returns the pairs that this thread asked. */
CK_FN ck_u32 chem_search(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team,
                         CK_GLOBAL ck_u32 *arrivals)
{
    ck_u32 width = team.n_workers < 1024u ? 1u : chem_lanes(s), n = m.starts[p.bucket_mask + 1u] * width, pairs = 0u;
    chem_lookout look;
    look.width = width;
    CHEM_EACH(k, n)
    {
        look.lane = k & (width - 1u);
        if (look.lane == 0u) {
            chem_search_first_order(p, t, m, s, step, k / width);
        }
        pairs += chem_search_part(p, t, m, s, step, k / width, look);
    }
    ck_grid_barrier(arrivals);
    return pairs;
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

/* Rounds until no candidate is left: by one block where there are few. */
CK_FN void chem_resolve(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step,
                        chem_team team, CK_GLOBAL ck_u32 *arrivals)
{
    ck_u32 n = m.control[CHEM_CONTROL_CANDIDATES];
    n = n < p.room_candidates ? n : p.room_candidates;
    ck_u32 is_few = n <= CHEM_FEW_CANDIDATES ? 1u : 0u, live = n, round = 0u;
    if (is_few != 0u) {
        live = CK_GROUP_INDEX() == 0u ? n : 0u;
        team.worker = CK_LOCAL_INDEX();
        team.n_workers = CK_LOCAL_SIZE();
    }
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
    if (is_few != 0u && n != 0u) {
        ck_grid_barrier(arrivals);
    }
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
    chem_memory m = chem_bind(scratch, chem_lay_out(p.room, p.room_candidates, p.bucket_mask, p.corrects));
    chem_team team;
    team.worker = CK_GLOBAL_INDEX();
    team.n_workers = CK_GROUPS() * CK_LOCAL_SIZE();
    ck_u32 most_molecules = 0u, most_candidates = 0u, pairs = 0u, end = p.n_steps;
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
        CHEM_EACH(i, n)
        {
            if (m.here[i].species != CHEM_NONE) {
                chem_advance(p, m, s.inv_cell, s.n_cells, i);
            }
        }
        if (s.output != CHEM_NONE) {
            chem_count(p, m, words, s.output, team, n, ck_local);
        }
        ck_grid_barrier(arrivals);
        /* Here no thread writes to it, so that all come to the same end. */
        end = m.control[CHEM_CONTROL_NO_ROOM] != 0u ? step : end;
        if (step + 1u < end) {
            chem_sort(p, t, m, s, step, team, n, arrivals, ck_local);
            pairs += chem_search(p, t, m, s, step, team, arrivals);
            ck_u32 n_candidates = m.control[CHEM_CONTROL_CANDIDATES];
            most_candidates = n_candidates > most_candidates ? n_candidates : most_candidates;
            if (team.worker == 0u) {
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_CANDIDATES, n_candidates);
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOLECULE_STEPS, m.starts[p.bucket_mask + 1u]);
            }
            chem_resolve(p, t, m, words, s, step, team, arrivals);
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
