/* The method `exact` on a CPU: all workers take one step of all molecules of the launch together, phase by phase. */
#include "../port.h"

#include "chem_team.h"

static void count_species(chem_params p, chem_memory m, ck_u64 *words, chem_step s, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            words[s.output * p.n_species + m.here[i].species] += 1u;
        }
    }
}

/* Rounds until no candidate is left. */
static void fire_all(chem_params p, chem_tables t, chem_memory m, ck_u64 *words, chem_step s, ck_u32 step, chem_team team)
{
    ck_u32 n = smaller_of(m.control[CHEM_CONTROL_CANDIDATES], p.room_candidates), round = 0u, live = n;
    while (live != 0u) {
        CHEM_EACH(i, n)
        {
            ck_u32 channel = m.candidates[i].channel;
            if (chem_fire(p, t, m, s, step, i) != 0u) {
                CHEM_ADD(words, p.at_reactions + s.bin * p.n_channels + channel, 1u);
                words[p.at_counters + CHEM_COUNT_REACTIONS] += 1u;
            }
        }
        CHEM_BARRIER();
        chem_prune_all(m, team, n, round);
        CHEM_BARRIER();
        live = m.control[CHEM_CONTROL_LIVE + (round & 63u)];
        m = chem_next_round(m);
        ++round;
    }
}

static void advance_all(chem_params p, chem_memory m, ck_u64 *words, chem_step s, chem_team team, ck_u32 n)
{
    CHEM_EACH(i, n)
    {
        if (m.here[i].species != CHEM_NONE) {
            chem_advance(p, m, s.inv_cell, s.n_cells, i);
        }
    }
    if (s.output != CHEM_NONE) {
        count_species(p, m, words, s, team, n);
    }
    CHEM_BARRIER();
}

/* The ways of a chunk of molecules, side by side. */
typedef struct chem_ways {
    float x[CHEM_CHUNK], y[CHEM_CHUNK], z[CHEM_CHUNK];
    ck_u32 word[CHEM_CHUNK];
} chem_ways;

static void draw_ways(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 first, ck_u32 count,
                      chem_ways *ways)
{
    const chem_particle *particles = m.here + first;
    const ck_u32 *histories = m.history_here + first;
#pragma omp simd
    for (ck_u32 k = 0u; k < count; ++k) {
        ck_u32 species = particles[k].species < p.n_species ? particles[k].species : 0u;
        chem_way way = chem_draw_way(p, t, s, step, particles[k].id, species, histories[k]);
        ways->x[k] = way.move.x;
        ways->y[k] = way.move.y;
        ways->z[k] = way.move.z;
        ways->word[k] = way.word;
    }
}

static void sort_all(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_team team, ck_u32 n)
{
    scan(p, m, team);
    CHEM_BARRIER();
    for (ck_u32 first = team.worker * CHEM_CHUNK; first < n; first += team.n_workers * CHEM_CHUNK) {
        chem_ways ways;
        ck_u32 count = smaller_of(n - first, CHEM_CHUNK);
        draw_ways(p, t, m, s, step, first, count, &ways);
        for (ck_u32 k = 0u; k < count; ++k) {
            chem_clear_slot(m, first + k);
            if (m.here[first + k].species != CHEM_NONE) {
                chem_way way = {{ways.x[k], ways.y[k], ways.z[k]}, ways.word[k]};
                chem_settle(p, m, s, first + k, chem_place_in_order(m, first + k), way);
            }
        }
    }
    chem_clear_candidates(m, team);
    CHEM_BARRIER();
}

static void search_all(chem_params p, chem_tables t, chem_memory m, ck_u64 *words, chem_step s, ck_u32 step, chem_team team)
{
    ck_u32 n = *m.lined_up;
    ck_u64 pairs = 0u, molecules = 0u;
    CHEM_EACH(i, n)
    {
        chem_search_first_order(p, t, m, s, step, i);
        pairs += chem_search_pairs(p, t, m, s, step, i);
        ++molecules;
    }
    words[p.at_counters + CHEM_COUNT_PAIRS] += pairs;
    words[p.at_counters + CHEM_COUNT_MOLECULE_STEPS] += molecules;
    CHEM_BARRIER();
}

/* All steps of the histories of `p`, in this memory, by this team. */
static void run_steps(chem_params p, chem_tables t, ck_u64 *words, ck_u64 *scratch, chem_team team)
{
    chem_memory m = chem_bind(scratch, chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects));
    chem_room room = {0u, 0u};
    chem_clear_all(p, m, team);
    CHEM_BARRIER();
    for (ck_u32 step = 0u; step < p.n_steps; ++step) {
        chem_step s = t.steps[step];
        if (s.births != CHEM_NONE) {
            chem_admit(p, t, m, words, team, s);
            CHEM_BARRIER();
        }
        ck_u32 n = smaller_of(m.control[CHEM_CONTROL_MOLECULES], p.room);
        see_room(&room, m);
        advance_all(p, m, words, s, team, n);
        /* No worker writes to it here, so that all come to the same end. */
        if (step + 1u == p.n_steps || m.control[CHEM_CONTROL_NO_ROOM] != 0u) {
            break;
        }
        sort_all(p, t, m, s, step, team, n);
        search_all(p, t, m, words, s, step, team);
        words[p.at_counters + CHEM_COUNT_CANDIDATES] += team.worker == 0u ? m.control[CHEM_CONTROL_CANDIDATES] : 0u;
        fire_all(p, t, m, words, s, step, team);
        m = chem_swap(m);
    }
    if (team.worker == 0u) {
        report_room(p, m, words, room);
    }
}

/* args: parameters, tables 0 to 3, words, next history, working memory. */
void CHEM_JOIN(chem_exact, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);
void CHEM_JOIN(chem_exact, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    chem_params p = *(const chem_params *)args[0];
    chem_tables t = {args[1], args[2], args[2], args[3], args[4]};
    ck_u32 *next = args[6];
    ck_u64 *scratch = args[7];
    if (p.part == 0u) {
        chem_team team = {worker, n_workers, 0u, 1u};
        p.team = n_workers;
        run_steps(p, t, args[5], scratch, team);
        return;
    }
    /* Few molecules at a time, so that they stay in the worker's cache from step to step. */
    chem_team alone = {0u, 1u, 0u, 1u};
    ck_u64 n_bytes = chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects).n_bytes;
    p.team = 1u;
    for (ck_u32 first = ck_atomic_add_u32(next, p.part); first < p.n_histories; first = ck_atomic_add_u32(next, p.part)) {
        chem_params mine = p;
        mine.n_histories = smaller_of(p.part, p.n_histories - first);
        mine.first_history = p.first_history + first;
        mine.first_track = (p.first_track + first) % p.n_tracks;
        run_steps(mine, t, args[5], scratch + worker * (n_bytes / 8u), alone);
    }
}
