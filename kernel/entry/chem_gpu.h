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
#define CHEM_BY_TILES
#define CHEM_SIMD(bits)

#include "../chem/rounds.h"

#include "block_scan.h"
#include "chem_lanes.h"

/* Up to so many candidates one block resolves alone: its own barrier costs a tenth of everybody's. */
#define CHEM_FEW_CANDIDATES 2048u
/* And so many, that what becomes of them may stand in no order: each pair of these is looked at. */
#define CHEM_FEW_LATE 1024u
/* Species that are counted in shared memory; of more than that each molecule is counted in global memory. */
#define CHEM_NEAR_SPECIES 2048u

/* Local words for sums over the block: those of the lanes, which only the search uses; and two words behind them. */
CK_FN CK_LOCAL ck_u32 *chem_sums_of(CK_LOCAL ck_u32 *near_words)
{
    return near_words + CHEM_KINDS * CHEM_KINDS;
}

#define CHEM_WORD_BEHIND_SUMS() ((CK_LOCAL_SIZE() + CK_LANES - 1u) / CK_LANES)

/* The word of a step that counts molecules in order, one of three. */
CK_FN chem_memory chem_line_up_of(chem_memory m, ck_u32 step)
{
    m.lined_up = m.control + CHEM_CONTROL_LINED_UP + step % 3u;
    return m;
}

/* Places for the molecules of each bucket, tile by tile, in whatever order the blocks come to them. Clears the counts. `lined_up` and
 * the word for the next step, which is cleared: see chem_memory. */
CK_FN void chem_give_places(chem_params p, chem_memory m, chem_team team, CK_LOCAL ck_u32 *near_words)
{
    CK_LOCAL ck_u32 *sums = chem_sums_of(near_words), *base = sums + CHEM_WORD_BEHIND_SUMS();
    ck_u32 part = (CHEM_TILE / 4u + CK_LOCAL_SIZE() - 1u) / CK_LOCAL_SIZE() * 4u; /* buckets of a thread, in turn */
    for (ck_u32 tile = CHEM_TILE * team.block; tile < p.n_buckets; tile += CHEM_TILE * team.n_blocks) {
        ck_u32 end = p.n_buckets - tile < CHEM_TILE ? p.n_buckets : tile + CHEM_TILE, sum = 0u, total;
        ck_u32 first = tile + part * CK_LOCAL_INDEX(), last = first + part < end ? first + part : end;
        for (ck_u32 i = first; i < last; i += 4u) {
            ck_words4 counts = ck_load_words4(m.counts + i);
            sum += counts.a + counts.b + counts.c + counts.d;
        }
        ck_u32 at = chem_block_scan(sums, sum, &total);
        if (CK_LOCAL_INDEX() == 0u) {
            ck_write_local_u32(base, ck_atomic_add_u32(m.lined_up, total));
        }
        CK_BARRIER();
        at += ck_read_local_u32(base);
        for (ck_u32 i = first; i < last; i += 4u) {
            ck_words4 counts = ck_load_words4(m.counts + i);
            ck_u32 b = at + counts.a, c = b + counts.b, d = c + counts.c;
            ck_store_words4(m.starts + CHEM_AT(i), at, b, c, d);
            ck_store_words4(m.counts + i, 0u, 0u, 0u, 0u);
            at = d + counts.d;
            if (i + 4u == end) {
                m.starts[CHEM_AT(i) + 4u] = at;
            }
        }
    }
}

/* Local words that count molecules by species, behind those of the search; 0 between two output times. */
CK_FN CK_LOCAL ck_u32 *chem_counts_of(CK_LOCAL ck_u32 *near_words)
{
    return near_words + CHEM_KINDS * CHEM_KINDS + CHEM_LANE_WORDS * CK_LOCAL_SIZE();
}

/* A molecule at an output time. */
CK_FN void chem_count_one(chem_params p, CK_GLOBAL ck_u64 *words, ck_u32 output, ck_u32 species, CK_LOCAL ck_u32 *near_words)
{
    if (p.n_species <= CHEM_NEAR_SPECIES) {
        ck_atomic_add_local_u32(chem_counts_of(near_words) + species, 1u);
    } else {
        CHEM_ADD(words, output * p.n_species + species, 1u);
    }
}

/* After a barrier: what the block has counted. */
CK_FN void chem_give_counts(chem_params p, CK_GLOBAL ck_u64 *words, ck_u32 output, CK_LOCAL ck_u32 *near_words)
{
    CK_LOCAL ck_u32 *counts = chem_counts_of(near_words);
    for (ck_u32 k = CK_LOCAL_INDEX(); k < p.n_species && p.n_species <= CHEM_NEAR_SPECIES; k += CK_LOCAL_SIZE()) {
        ck_u32 count = ck_read_local_u32(counts + k);
        if (count != 0u) {
            CHEM_ADD(words, output * p.n_species + k, count);
            ck_write_local_u32(counts + k, 0u);
        }
    }
}

/* Molecules by species at the end, from which no step goes on. */
CK_FN void chem_count(chem_params p, chem_memory m, CK_GLOBAL ck_u64 *words, ck_u32 output, chem_team team, ck_u32 n,
                      CK_LOCAL ck_u32 *near_words)
{
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            chem_count_one(p, words, output, m.here[i].species, near_words);
        }
    }
    CK_BARRIER();
    chem_give_counts(p, words, output, near_words);
}

/* Add a count that every thread has to a word, once a block. */
CK_FN void chem_add_counts(CK_GLOBAL ck_u64 *words, ck_u32 at, ck_u32 count, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 total;
    chem_block_scan(chem_sums_of(near_words), count, &total);
    if (CK_LOCAL_INDEX() == 0u && total != 0u) {
        CHEM_ADD(words, at, total);
    }
}

/* A molecule that goes to a new place, with all that is known of it. */
typedef struct chem_mover {
    chem_particle particle;
    float birth;
    ck_u32 history;
} chem_mover;

CK_FN chem_mover chem_fetch_mover(chem_memory m, ck_u32 from)
{
    chem_mover a;
    a.particle = m.here[from];
    a.birth = m.birth_here[from];
    a.history = m.history_here[from];
    return a;
}

CK_FN void chem_put_mover(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step, chem_mover a,
                          ck_u32 to, CK_LOCAL ck_u32 *near_words)
{
    chem_way way = chem_draw_way(p, t, s, step, a.particle.id, a.particle.species, a.history);
    chem_set_down(p, m, to, a.particle, a.birth, a.history, chem_spot_at(p, s.inv_cell, s.n_cells, a.particle), way.move, way.word);
    chem_no_shift(p, m, to);
    if (s.output != CHEM_NONE) {
        chem_count_one(p, words, s.output, a.particle.species, near_words);
    }
}

/* Molecules into the order of the buckets: first where each one comes from, then each reads its own, so that what is written lies side
 * by side; two at a time, for what they wait for is far. Counts them at output times. `is_late`: another block resolves the step before,
 * and will add what that leaves. A barrier of all must follow. */
CK_FN void chem_sort(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step, chem_team team,
                     ck_u32 n, CK_GLOBAL ck_u32 *arrivals, CK_LOCAL ck_u32 *near_words, ck_u32 is_late)
{
    chem_give_places(p, m, team, near_words);
    if (team.worker == 0u) {
        *chem_line_up_of(m, step + 1u).lined_up = 0u;
    }
    ck_blocks_barrier(arrivals, team.n_blocks);
    for (ck_u32 i = team.worker; i < n; i += 2u * team.n_workers) {
        ck_u32 j = i + team.n_workers, of_i = m.buckets[i], of_j = j < n ? m.buckets[j] : CHEM_NONE;
        ck_u32 to_i = of_i != CHEM_NONE ? m.starts[CHEM_AT(of_i)] + m.ranks[i] : 0u;
        ck_u32 to_j = of_j != CHEM_NONE ? m.starts[CHEM_AT(of_j)] + m.ranks[j] : 0u;
        if (of_i != CHEM_NONE) {
            m.order[to_i] = i;
        }
        if (of_j != CHEM_NONE) {
            m.order[to_j] = j;
        }
        if (is_late == 0u) {
            chem_clear_slot(m, i);
            chem_clear_slot(m, j < n ? j : i);
        }
    }
    if (is_late == 0u) {
        chem_clear_candidates(m, team);
    }
    if (is_late == 0u && team.worker == 0u) {
        m.control[CHEM_CONTROL_LATE] = 0u;
    }
    ck_blocks_barrier(arrivals, team.n_blocks);
    ck_u32 n_live = *m.lined_up;
    for (ck_u32 i = team.worker; i < n_live; i += 2u * team.n_workers) {
        ck_u32 j = i + team.n_workers, from_i = m.order[i], from_j = j < n_live ? m.order[j] : from_i;
        chem_mover a = chem_fetch_mover(m, from_i), b = chem_fetch_mover(m, from_j);
        chem_put_mover(p, t, m, words, s, step, a, i, near_words);
        if (j < n_live) {
            chem_put_mover(p, t, m, words, s, step, b, j, near_words);
        }
    }
    chem_find_limits(p, t, s, near_words);
    if (s.output != CHEM_NONE) {
        chem_give_counts(p, words, s.output, near_words);
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

/* Which molecules go on: all that live; those that no candidate is about, while others resolve these; the same, and the rest get no
 * bucket. */
#define CHEM_ALL 0u
#define CHEM_FREE_ONES 1u
#define CHEM_NO_OTHERS 2u

CK_FN ck_u32 chem_goes_on(chem_memory m, ck_u32 i, ck_u32 which)
{
    return (which == CHEM_ALL ? m.here[i].species != CHEM_NONE : m.claims[i] == CHEM_FREE) ? 1u : 0u;
}

/* Molecules of the step that follows into their buckets; two at a time, for what they wait for is far. */
CK_FN void chem_advance_all(chem_params p, chem_memory m, chem_step s, chem_team team, ck_u32 n, ck_u32 which)
{
    for (ck_u32 i = team.worker; i < n; i += 2u * team.n_workers) {
        ck_u32 j = i + team.n_workers < n ? i + team.n_workers : i;
        ck_u32 is_i = chem_goes_on(m, i, which), is_j = j != i ? chem_goes_on(m, j, which) : 0u;
        chem_particle a = chem_moved(p, m, i), b = chem_moved(p, m, j);
        ck_u32 at_i = chem_bucket_at(p, chem_spot_at(p, s.inv_cell, s.n_cells, a), m.history_here[i]);
        ck_u32 at_j = chem_bucket_at(p, chem_spot_at(p, s.inv_cell, s.n_cells, b), m.history_here[j]);
        ck_u32 rank_i = is_i != 0u ? CHEM_TICKET(p, m.counts + at_i) : 0u;
        ck_u32 rank_j = is_j != 0u ? CHEM_TICKET(p, m.counts + at_j) : 0u;
        if (is_i != 0u) {
            m.here[i] = a;
            m.ranks[i] = rank_i;
        }
        if (is_j != 0u) {
            m.here[j] = b;
            m.ranks[j] = rank_j;
        }
        if (is_i != 0u || which != CHEM_FREE_ONES) {
            m.buckets[i] = is_i != 0u ? at_i : CHEM_NONE;
        }
        if (j != i && (is_j != 0u || which != CHEM_FREE_ONES)) {
            m.buckets[j] = is_j != 0u ? at_j : CHEM_NONE;
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

/* The candidates of a team that come first for their molecules. */
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

/* Rounds until no candidate of the team is left; `is_few`: the team is a block. */
CK_FN void chem_resolve_rounds(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, ck_u32 step,
                               chem_team team, CK_GLOBAL ck_u32 *arrivals, ck_u32 n, ck_u32 is_few, CK_LOCAL ck_u32 *near_words)
{
    ck_u32 live = n, round = 0u;
    while (live != 0u) {
        chem_fire_all(p, t, m, words, s, step, team, n);
        if (is_few != 0u) {
            CK_GROUP_BARRIER();
            chem_block_scan(chem_sums_of(near_words), chem_prune_some(m, team, n), &live);
            CK_GROUP_BARRIER();
        } else {
            ck_blocks_barrier(arrivals, team.n_blocks);
            chem_prune_all(m, team, n, round);
            ck_blocks_barrier(arrivals, team.n_blocks);
            live = m.control[CHEM_CONTROL_LIVE + (round & 63u)];
        }
        m = chem_next_round(m);
        ++round;
    }
}

/* By one block: what candidates of a step were about, and what came of it, behind all that stand in order in the step `s` that follows.
 * `was`: the memory of the step; `m`: of the one that follows. */
CK_FN void chem_settle_late(chem_params p, chem_tables t, chem_memory was, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s,
                            ck_u32 step, chem_team team, ck_u32 n, ck_u32 n_candidates, CK_LOCAL ck_u32 *near_words)
{
    CK_LOCAL ck_u32 *late = chem_sums_of(near_words) + CHEM_WORD_BEHIND_SUMS() + 1u;
    ck_u32 end = m.control[CHEM_CONTROL_MOLECULES], n_lined_up = *m.lined_up;
    end = end < p.room ? end : p.room;
    if (CK_LOCAL_INDEX() == 0u) {
        ck_write_local_u32(late, 0u);
    }
    CK_BARRIER();
    CHEM_EACH(k, 2u * n_candidates + (end - n))
    {
        ck_u32 i = n + (k - 2u * n_candidates), is_mine = 1u;
        if (k < 2u * n_candidates) {
            i = k % 2u == 0u ? m.candidates[k / 2u].first : m.candidates[k / 2u].second;
            is_mine = i != CHEM_NONE && ck_atomic_exchange_u32(m.claims + i, CHEM_MOVED) != CHEM_MOVED ? 1u : 0u;
        }
        if (is_mine != 0u && m.here[i].species != CHEM_NONE) {
            chem_mover a = chem_fetch_mover(m, i);
            a.particle = chem_moved(p, m, i);
            chem_put_mover(p, t, m, words, s, step, a, n_lined_up + ck_atomic_add_local_u32(late, 1u), near_words);
        }
    }
    CK_GROUP_BARRIER();
    CHEM_EACH(c, 2u * n_candidates)
    {
        ck_u32 i = c % 2u == 0u ? m.candidates[c / 2u].first : m.candidates[c / 2u].second;
        if (i != CHEM_NONE) {
            chem_clear_slot(was, i);
        }
    }
    if (CK_LOCAL_INDEX() == 0u) {
        ck_u32 n_late = ck_read_local_u32(late);
        m.control[CHEM_CONTROL_LATE] = n_late;
        m.control[CHEM_CONTROL_MOLECULES] = n_lined_up + n_late;
        m.control[CHEM_CONTROL_CANDIDATES] = 0u;
        m.control[CHEM_CONTROL_FULL] = m.control[CHEM_CONTROL_NO_ROOM];
    }
    chem_find_limits(p, t, s, near_words);
    if (s.output != CHEM_NONE) {
        chem_give_counts(p, words, s.output, near_words);
    }
}

/* How far the molecules are after chem_resolve: at the end of the step; in the buckets of the next one; in their order. */
#define CHEM_ARE_RESOLVED 0u
#define CHEM_ARE_ADVANCED 1u
#define CHEM_ARE_IN_ORDER 2u

/**
 * The reactions of a step. Where candidates are few one block takes them. The others meanwhile move what has none to where the next step
 * begins, `next`; and if that one has a search, they bring it in order too, and the block puts its molecules behind.
 *
 * @param n        candidates
 * @param n_waits  barriers that the others have met at, without that block, since the first step; counted on
 */
CK_FN ck_u32 chem_resolve(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_step s, chem_step next,
                          ck_u32 step, chem_team team, ck_u32 n, ck_u32 n_molecules, CK_GLOBAL ck_u32 *arrivals,
                          CK_LOCAL ck_u32 *near_words, ck_u32 *n_waits)
{
    ck_u32 is_few = n <= CHEM_FEW_CANDIDATES && next.births == CHEM_NONE ? 1u : 0u;
    ck_u32 is_late = is_few != 0u && n <= CHEM_FEW_LATE && step + 2u < p.n_steps && p.corrects == 0u ? 1u : 0u;
    ck_u32 is_resolver = team.block == 0u ? 1u : 0u, n_others = team.n_blocks > 1u ? team.n_blocks - 1u : 1u;
    CK_GLOBAL ck_u32 *arrivals_of_others = m.control + CHEM_CONTROL_OTHERS;
    chem_memory after = chem_line_up_of(chem_swap(m), step + 1u);
    chem_team block = team;
    if (is_few != 0u && (is_resolver == 0u || team.n_blocks == 1u)) {
        ck_u32 n_away = team.n_blocks > 1u ? CK_LOCAL_SIZE() : 0u;
        chem_team others = team;
        others.worker -= n_away;
        others.n_workers -= n_away;
        others.block -= team.n_blocks - n_others;
        others.n_blocks = n_others;
        chem_advance_all(p, after, next, others, n_molecules, is_late != 0u ? CHEM_NO_OTHERS : CHEM_FREE_ONES);
        if (is_late != 0u) {
            ck_blocks_barrier(arrivals_of_others, n_others);
            chem_sort(p, t, after, words, next, step + 1u, others, n_molecules, arrivals_of_others, near_words, 1u);
        }
    }
    if (is_few != 0u) {
        block.worker = CK_LOCAL_INDEX();
        block.n_workers = CK_LOCAL_SIZE();
    }
    if (is_few == 0u || is_resolver != 0u) {
        chem_resolve_rounds(p, t, m, words, s, step, block, arrivals, n, is_few, near_words);
    }
    if (is_late != 0u && is_resolver != 0u) {
        ck_blocks_wait(arrivals_of_others, (*n_waits + 2u) * n_others);
        chem_settle_late(p, t, m, after, words, next, step + 1u, block, n_molecules, n, near_words);
    } else if (is_few != 0u && is_resolver != 0u) {
        chem_advance_asked(p, after, next, block, n_molecules, n);
    }
    *n_waits += is_late != 0u ? 3u : 0u;
    if (is_few != 0u) {
        ck_blocks_barrier(arrivals, team.n_blocks);
    }
    return is_late != 0u ? CHEM_ARE_IN_ORDER : is_few != 0u ? CHEM_ARE_ADVANCED : CHEM_ARE_RESOLVED;
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

/* All threads of the launch. */
CK_FN chem_team chem_all_threads(void)
{
    chem_team team;
    team.n_blocks = CK_GROUPS();
    team.block = CK_GROUP_INDEX();
    team.worker = CK_GLOBAL_INDEX();
    team.n_workers = team.n_blocks * CK_LOCAL_SIZE();
    return team;
}

#if !defined(CHEM_OTHER_RULES)

/* Before the first step; a barrier must follow. */
CK_FN void chem_begin(chem_params p, chem_tables t, chem_memory m, chem_team team, CK_LOCAL ck_u32 *near_words)
{
    chem_clear_all(p, m, team);
    CHEM_EACH(i, p.room)
    {
        chem_clear_slot(m, i);
    }
    chem_list_limits(p, t, near_words);
    for (ck_u32 k = CK_LOCAL_INDEX(); k < p.n_species && p.n_species <= CHEM_NEAR_SPECIES; k += CK_LOCAL_SIZE()) {
        ck_write_local_u32(chem_counts_of(near_words) + k, 0u);
    }
}

/* All steps. */
CK_FN void chem_run(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_team team, CK_GLOBAL ck_u32 *arrivals,
                    CK_LOCAL ck_u32 *near_words)
{
    ck_u32 most_molecules = 0u, most_candidates = 0u, pairs = 0u, end = p.n_steps, how_far = CHEM_ARE_RESOLVED, n_waits = 0u;
    chem_begin(p, t, m, team, near_words);
    ck_blocks_barrier(arrivals, team.n_blocks);
    chem_step s = t.steps[0];
    for (ck_u32 step = 0u; step < end; ++step) {
        m = chem_line_up_of(m, step);
        if (s.births != CHEM_NONE) {
            chem_admit(p, t, m, words, team, s);
            ck_blocks_barrier(arrivals, team.n_blocks);
        }
        /* All at once, for they are far. */
        ck_u32 n = m.control[CHEM_CONTROL_MOLECULES], is_full = m.control[CHEM_CONTROL_FULL];
        chem_queries queries = chem_queries_of(m);
        most_molecules = n > most_molecules ? n : most_molecules;
        n = n < p.room ? n : p.room;
        if (how_far == CHEM_ARE_RESOLVED) {
            chem_advance_all(p, m, s, team, n, CHEM_ALL);
            ck_blocks_barrier(arrivals, team.n_blocks);
        }
        /* Here no thread writes to it, so that all come to the same end. */
        is_full = how_far == CHEM_ARE_IN_ORDER ? is_full : m.control[CHEM_CONTROL_NO_ROOM];
        end = is_full != 0u ? step : end;
        if (step + 1u < end && how_far != CHEM_ARE_IN_ORDER) {
            chem_sort(p, t, m, words, s, step, team, n, arrivals, near_words, 0u);
            ck_blocks_barrier(arrivals, team.n_blocks);
            queries = chem_queries_of(m);
        }
        if (step + 1u < end) {
            pairs += chem_search(p, t, m, s, step, team, queries, near_words);
            ck_blocks_barrier(arrivals, team.n_blocks);
            ck_u32 n_candidates = m.control[CHEM_CONTROL_CANDIDATES], n_molecules = queries.n_lined_up + queries.n_late;
            chem_step next = t.steps[step + 1u];
            most_candidates = n_candidates > most_candidates ? n_candidates : most_candidates;
            if (team.worker == 0u) {
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_CANDIDATES, n_candidates);
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOLECULE_STEPS, n_molecules);
            }
            n_candidates = n_candidates < p.room_candidates ? n_candidates : p.room_candidates;
            how_far = chem_resolve(p, t, m, words, s, next, step, team, n_candidates, n_molecules, arrivals, near_words, &n_waits);
            s = next;
            m = chem_swap(m);
        } else if (s.output != CHEM_NONE) {
            chem_count(p, m, words, s.output, team, n, near_words);
        }
    }
    chem_add_counts(words, p.at_counters + CHEM_COUNT_PAIRS, pairs, near_words);
    if (team.worker == 0u) {
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_MOLECULES, most_molecules);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_MOST_CANDIDATES, most_candidates);
        CHEM_ADD(words, p.at_counters + CHEM_COUNT_NO_ROOM, m.control[CHEM_CONTROL_NO_ROOM]);
    }
}

CK_KERNEL CK_LAUNCH_BOUNDS
chem_exact(const chem_params given, CK_GLOBAL const chem_start *CK_RESTRICT starts, CK_GLOBAL const ck_u32 *CK_RESTRICT channels,
           CK_GLOBAL const chem_step *CK_RESTRICT steps, CK_GLOBAL const ck_u32 *CK_RESTRICT groups, CK_GLOBAL ck_u64 *words,
           CK_GLOBAL ck_u32 *arrivals, CK_GLOBAL ck_u64 *scratch CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    chem_params p = chem_specialise(given);
    chem_tables t = chem_bind_tables(starts, channels, steps, groups);
    chem_memory m = chem_bind(scratch, chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects));
    chem_run(p, t, m, words, chem_all_threads(), arrivals, ck_local);
}

#endif
