/**
 * The method `paper` on a GPU (CUDA and OpenCL): one persistent kernel takes all histories of the launch through all time steps.
 */
#define CHEM_OTHER_RULES
#include "chem_gpu.h"

#include "../chem/paper_steps.h"

/* Pairs that react, in rounds of those that come first for both. */
CK_FN void chem_paper_fire_all(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, CK_GLOBAL ck_u64 *words,
                               ck_u32 step, ck_u32 phase, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        chem_candidate c = m.candidates[i];
        ck_u32 history = c.channel != CHEM_NONE ? m.history_next[c.first] : 0u;
        if (chem_fire(p, t, m, chem_paper_search(l.histories[history], phase), step, i) != 0u) {
            ck_u32 bin = l.histories[history].output;
            bin = bin < p.n_outputs ? bin : p.n_outputs - 1u;
            CHEM_ADD(words, p.at_reactions + bin * p.n_channels + c.channel, 1u);
            CHEM_ADD(words, p.at_counters + CHEM_COUNT_REACTIONS, 1u);
            ck_atomic_exchange_u32(&l.histories[history].has_reacted, 1u);
        }
    }
}

CK_FN void chem_paper_resolve(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, CK_GLOBAL ck_u64 *words,
                              ck_u32 step, ck_u32 phase, chem_team team, CK_GLOBAL ck_u32 *arrivals)
{
    ck_u32 n = m.control[CHEM_CONTROL_CANDIDATES];
    n = n < p.room_candidates ? n : p.room_candidates;
    ck_u32 live = n, round = 0u;
    while (live != 0u) {
        chem_paper_fire_all(p, t, m, l, words, step, phase, team, n);
        ck_grid_barrier(arrivals);
        chem_prune_all(m, team, n, round);
        ck_grid_barrier(arrivals);
        live = m.control[CHEM_CONTROL_LIVE + (round & 63u)];
        m = chem_next_round(m);
        ++round;
    }
}

/* Count what is due, forget histories that are done, order the others by bucket (and let them diffuse where dt > 0), and ask all
 * pairs near. Returns the pairs that this thread asked. */
CK_FN ck_u32 chem_paper_search_near(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l,
                                    CK_GLOBAL ck_u64 *words, ck_u32 step, ck_u32 phase, chem_team team,
                                    CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words, ck_u32 turn)
{
    ck_u32 n = m.control[CHEM_CONTROL_MOLECULES], pairs = 0u;
    n = n < p.room ? n : p.room;
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            chem_paper_record(p, m, l, words, i);
            if (l.histories[m.history_here[i]].is_done != 0u) {
                m.here[i].species = CHEM_NONE;
            } else {
                chem_paper_bucket(p, t, m, l, step, i);
            }
        }
    }
    ck_grid_barrier(arrivals);
    chem_give_places(p, m, team, near_words);
    if (team.worker == 0u) {
        *chem_line_up_of(m, turn + 1u).lined_up = 0u;
    }
    ck_grid_barrier(arrivals);
    CHEM_EACH(k, n)
    {
        chem_clear_slot(m, k);
        if (m.here[k].species != CHEM_NONE) {
            chem_paper_scatter(p, t, m, l, step, k);
        }
    }
    chem_clear_candidates(m, team);
    ck_grid_barrier(arrivals);
    n = *m.lined_up;
    CHEM_EACH(j, n)
    {
        chem_paper_history h = l.histories[m.history_next[j]];
        if (phase == CHEM_PAPER_A || h.dt > 0.0f) {
            pairs += chem_search_pairs(p, t, m, chem_paper_search(h, phase), step, j);
        }
    }
    ck_grid_barrier(arrivals);
    return pairs;
}

/* The least of Eq. 4 over the molecules of each history. */
CK_FN void chem_paper_find_least(chem_params p, chem_memory m, chem_paper_launch l, chem_team team)
{
    ck_u32 n = m.control[CHEM_CONTROL_MOLECULES];
    n = n < p.room ? n : p.room;
    CHEM_EACH(i, n)
    {
        if (m.next[i].species != CHEM_NONE && l.head.is_dynamic != 0u) {
            CK_GLOBAL chem_paper_history *h = l.histories + m.history_next[i];
            ck_u32 bits = CK_BITS(m.birth_next[i]);
            if (bits < h->least) { /* mostly not: the word is one for all threads */
                ck_atomic_min_u32(&h->least, bits);
            }
        }
    }
}

/* Molecules and histories as they are at the start. */
CK_FN void chem_paper_start(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, CK_GLOBAL ck_u64 *words,
                            chem_team team, CK_GLOBAL ck_u32 *arrivals)
{
    chem_step births;
    births.births = 0u;
    births.output = 0u;
    births.bin = 0u;
    CHEM_EACH(h, p.n_histories)
    {
        chem_paper_begin(l, h);
    }
    chem_clear_all(p, m, team);
    ck_grid_barrier(arrivals);
    chem_admit(p, t, m, words, team, births);
    ck_grid_barrier(arrivals);
}

CK_FN void chem_paper_before_a_all(chem_params p, chem_tables t, chem_paper_launch l, chem_team team)
{
    CHEM_EACH(i, p.n_histories)
    {
        if (l.histories[i].is_done == 0u) {
            chem_paper_before_a(p, t, l, i);
        }
    }
}

/* After kernel A: how many histories diffuse. After kernel C: how many go on. Counted in the control block. */
CK_FN void chem_paper_count(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, ck_u32 phase, chem_team team)
{
    ck_u32 mine = 0u;
    CHEM_EACH(i, p.n_histories)
    {
        if (phase == CHEM_PAPER_A) {
            chem_paper_before_c(p, t, l, i);
            mine += l.histories[i].is_done == 0u && l.histories[i].dt > 0.0f ? 1u : 0u;
        } else {
            mine += chem_paper_after_c(p, l, i);
        }
    }
    if (mine != 0u) {
        ck_atomic_add_u32(m.control + CHEM_PAPER_UNDER_WAY, mine);
    }
}

/* What is still to be counted at the end. */
CK_FN void chem_paper_record_all(chem_params p, chem_memory m, chem_paper_launch l, CK_GLOBAL ck_u64 *words, chem_team team)
{
    ck_u32 n = m.control[CHEM_CONTROL_MOLECULES];
    n = n < p.room ? n : p.room;
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            chem_paper_record(p, m, l, words, i);
        }
    }
}

CK_KERNEL CK_LAUNCH_BOUNDS
chem_paper(const chem_params given, CK_GLOBAL const chem_start *CK_RESTRICT starts, CK_GLOBAL const ck_u32 *CK_RESTRICT channels,
           CK_GLOBAL const double *CK_RESTRICT table, CK_GLOBAL const ck_u32 *CK_RESTRICT groups, CK_GLOBAL ck_u64 *words,
           CK_GLOBAL ck_u32 *arrivals, CK_GLOBAL ck_u64 *scratch CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    chem_params p = chem_specialise(given);
    chem_tables t = chem_bind_tables(starts, channels, 0, groups);
    chem_layout layout = chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects);
    chem_memory m = chem_bind(scratch, layout);
    chem_paper_launch l = chem_paper_bind(table, scratch + layout.n_bytes / 8u);
    chem_team team = chem_all_threads();
    chem_paper_start(p, t, m, l, words, team, arrivals);
    ck_u32 under_way = p.n_histories, number = 0u, phase = CHEM_PAPER_A, turn = 0u;
    ck_u32 pairs = 0u, most_molecules = 0u, most_candidates = 0u;
    ck_u64 molecule_steps = 0u, candidates = 0u;
    /* A time step is one turn of the loop for kernel A and, where time goes on, one for kernels B and C: the barriers are the same. */
    while (under_way != 0u) {
        ck_u32 step = number & 0xFFFFFu;
        m = chem_line_up_of(m, turn);
        if (phase == CHEM_PAPER_A) {
            chem_paper_before_a_all(p, t, l, team);
        }
        ck_grid_barrier(arrivals);
        pairs += chem_paper_search_near(p, t, m, l, words, step, phase, team, arrivals, ck_local, turn);
        ck_u32 n_candidates = m.control[CHEM_CONTROL_CANDIDATES];
        most_candidates = n_candidates > most_candidates ? n_candidates : most_candidates;
        chem_paper_resolve(p, t, m, l, words, step, phase, team, arrivals);
        ck_u32 n = m.control[CHEM_CONTROL_MOLECULES];
        most_molecules = n > most_molecules ? n : most_molecules;
        molecule_steps += *m.lined_up;
        candidates += n_candidates;
        if (phase == CHEM_PAPER_A) {
            chem_paper_find_least(p, m, l, team);
        }
        if (team.worker == 0u) {
            m.control[CHEM_PAPER_UNDER_WAY] = 0u;
        }
        ck_grid_barrier(arrivals);
        chem_paper_count(p, t, m, l, phase, team);
        m = chem_swap(m);
        ++turn;
        ck_grid_barrier(arrivals);
        ck_u32 count = m.control[CHEM_PAPER_UNDER_WAY], is_full = m.control[CHEM_CONTROL_NO_ROOM];
        under_way = is_full != 0u ? 0u : phase == CHEM_PAPER_C ? count : under_way;
        ck_u32 goes_on = phase == CHEM_PAPER_A && count != 0u ? 1u : 0u;
        phase = goes_on != 0u ? CHEM_PAPER_C : CHEM_PAPER_A;
        number += 1u - goes_on;
        if (goes_on == 0u && (number & 0xFFFFFu) == 0u) {
            p.key = chem_paper_next_key(p.key);
        }
    }
    chem_paper_record_all(p, m, l, words, team);
    chem_add_counts(words, p.at_counters + CHEM_COUNT_PAIRS, pairs, ck_local);
    if (team.worker == 0u) {
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOLECULE_STEPS, molecule_steps);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_CANDIDATES, candidates);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_MOLECULES, most_molecules);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_CANDIDATES, most_candidates);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_NO_ROOM, m.control[CHEM_CONTROL_NO_ROOM]);
    }
}
