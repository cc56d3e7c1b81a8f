/* The method `paper` on a CPU: all workers take one time step of all histories of a team together, phase by phase. */
#include "../port.h"

#define CHEM_OTHER_RULES
#include "chem_team.h"

#include "../chem/paper_steps.h"

#define EACH_MOLECULE(i, n) CHEM_EACH(i, n) if (m.here[i].species != CHEM_NONE)

/* Pairs that react, in rounds of those that come first for both. */
static void resolve_pairs(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, ck_u64 *words, ck_u32 step,
                          ck_u32 phase, chem_team team)
{
    ck_u32 n = smaller_of(m.control[CHEM_CONTROL_CANDIDATES], p.room_candidates), round = 0u, live = n;
    while (live != 0u) {
        CHEM_EACH(i, n)
        {
            chem_candidate c = m.candidates[i];
            ck_u32 history = c.channel != CHEM_NONE ? m.history_next[c.first] : 0u;
            chem_step s = chem_paper_search(l.histories[history], phase);
            if (chem_fire(p, t, m, s, step, i) != 0u) {
                ck_u32 bin = smaller_of(l.histories[history].output, p.n_outputs - 1u);
                CHEM_ADD(words, p.at_reactions + bin * p.n_channels + c.channel, 1u);
                CHEM_ADD(words, p.at_counters + CHEM_COUNT_REACTIONS, 1u);
                ck_atomic_exchange_u32(&l.histories[history].has_reacted, 1u);
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

/* Count what is due, forget histories that are done, order the others by bucket (and let them diffuse where dt > 0), and ask all
 * pairs near. Returns with the molecules in `next`. */
static void search_near(chem_params p, chem_tables t, chem_memory m, chem_paper_launch l, ck_u64 *words, ck_u32 step,
                   ck_u32 phase, chem_team team, chem_room *room)
{
    ck_u32 n = smaller_of(m.control[CHEM_CONTROL_MOLECULES], p.room);
    ck_u64 pairs = 0u;
    see_room(room, m);
    EACH_MOLECULE(i, n)
    {
        chem_paper_record(p, m, l, words, i);
        if (l.histories[m.history_here[i]].is_done != 0u) {
            m.here[i].species = CHEM_NONE;
        } else {
            chem_paper_bucket(p, t, m, l, step, i);
        }
    }
    CHEM_BARRIER();
    scan(p, m, team);
    CHEM_BARRIER();
    CHEM_EACH(i, n)
    {
        chem_clear_slot(m, i);
        if (m.here[i].species != CHEM_NONE) {
            chem_paper_scatter(p, t, m, l, step, i);
        }
    }
    chem_clear_candidates(m, team);
    CHEM_BARRIER();
    n = *m.lined_up;
    CHEM_EACH(i, n)
    {
        chem_paper_history h = l.histories[m.history_next[i]];
        if (phase == CHEM_PAPER_A || h.dt > 0.0f) {
            pairs += chem_search_pairs(p, t, m, chem_paper_search(h, phase), step, i);
        }
    }
    words[p.at_counters + CHEM_COUNT_PAIRS] += pairs;
    words[p.at_counters + CHEM_COUNT_MOLECULE_STEPS] += team.worker == 0u ? n : 0u;
    CHEM_BARRIER();
    words[p.at_counters + CHEM_COUNT_CANDIDATES] += team.worker == 0u ? m.control[CHEM_CONTROL_CANDIDATES] : 0u;
}

/* One time step: Table 2. Returns how many histories go on. */
static ck_u32 time_step(chem_params p, chem_tables t, chem_memory *m, chem_paper_launch l, ck_u64 *words, ck_u32 step,
                        ck_u32 number, chem_team team, chem_room *room)
{
    ck_u32 *under_way = m->control + CHEM_PAPER_UNDER_WAY, *moving = m->control + CHEM_PAPER_MOVING, mine = 0u;
    CHEM_EACH(i, p.n_histories)
    {
        if (l.histories[i].is_done == 0u) {
            chem_paper_before_a(p, t, l, i);
        }
    }
    CHEM_BARRIER();
    search_near(p, t, *m, l, words, step, CHEM_PAPER_A, team, room);
    resolve_pairs(p, t, *m, l, words, step, CHEM_PAPER_A, team);
    ck_u32 n = smaller_of(m->control[CHEM_CONTROL_MOLECULES], p.room);
    CHEM_EACH(i, n)
    {
        if (m->next[i].species != CHEM_NONE && l.head.is_dynamic != 0u) {
            ck_atomic_min_u32(&l.histories[m->history_next[i]].least, CK_BITS(m->birth_next[i]));
        }
    }
    CHEM_BARRIER();
    CHEM_EACH(i, p.n_histories)
    {
        chem_paper_before_c(p, t, l, i);
        mine += l.histories[i].is_done == 0u && l.histories[i].dt > 0.0f ? 1u : 0u;
    }
    ck_atomic_add_u32(moving + (number & 1u), mine);
    *m = chem_swap(*m);
    CHEM_BARRIER();
    if (team.worker == 0u) {
        under_way[(number + 1u) & 1u] = 0u;
        moving[(number + 1u) & 1u] = 0u;
    }
    if (moving[number & 1u] == 0u) { /* dt = 0: the step is over */
        CHEM_BARRIER();
        return 1u;
    }
    search_near(p, t, *m, l, words, step, CHEM_PAPER_C, team, room);
    resolve_pairs(p, t, *m, l, words, step, CHEM_PAPER_C, team);
    mine = 0u;
    CHEM_EACH(i, p.n_histories)
    {
        mine += chem_paper_after_c(p, l, i);
    }
    ck_atomic_add_u32(under_way + (number & 1u), mine);
    *m = chem_swap(*m);
    CHEM_BARRIER();
    return under_way[number & 1u];
}

/* All time steps of the histories of `p`, in this memory, by this team. */
static void run_steps(chem_params p, chem_tables t, const chem_paper_head *head, ck_u64 *words, ck_u64 *scratch, chem_team team)
{
    chem_layout layout = chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects);
    chem_memory m = chem_bind(scratch, layout);
    chem_paper_launch l = chem_paper_bind((const double *)head, scratch + layout.n_bytes / 8u);
    chem_step births = {.births = 0u, .output = 0u};
    chem_clear_all(p, m, team);
    CHEM_EACH(i, p.n_histories)
    {
        chem_paper_begin(l, i);
    }
    CHEM_BARRIER();
    chem_admit(p, t, m, words, team, births);
    CHEM_BARRIER();
    chem_room room = {0u, 0u};
    ck_u32 number = 0u, under_way = p.n_histories, n = 0u;
    while (under_way != 0u && m.control[CHEM_CONTROL_NO_ROOM] == 0u) {
        under_way = time_step(p, t, &m, l, words, number & 0xFFFFFu, number, team, &room);
        ++number;
        p.key = (number & 0xFFFFFu) == 0u ? chem_paper_next_key(p.key) : p.key;
    }
    see_room(&room, m);
    n = smaller_of(m.control[CHEM_CONTROL_MOLECULES], p.room);
    EACH_MOLECULE(i, n)
    {
        chem_paper_record(p, m, l, words, i);
    }
    CHEM_BARRIER();
    if (team.worker == 0u) {
        report_room(p, m, words, room);
    }
}

/* args: parameters; molecules, channels, Table 1 and output times, groups of births; words; next history; working memory. */
void CHEM_JOIN(chem_paper, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);
void CHEM_JOIN(chem_paper, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    chem_params p = *(const chem_params *)args[0];
    chem_tables t = {args[1], args[2], args[2], args[3], args[4]};
    ck_u32 *next = args[6];
    ck_u64 *scratch = args[7];
    if (p.part == 0u) {
        chem_team team = {worker, n_workers, 0u, 1u};
        p.team = n_workers;
        run_steps(p, t, args[3], args[5], scratch, team);
        return;
    }
    chem_team alone = {0u, 1u, 0u, 1u};
    ck_u64 n_bytes = chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects).n_bytes +
                     p.part * sizeof(chem_paper_history);
    n_bytes = (n_bytes + 63u) & ~(ck_u64)63u;
    p.team = 1u;
    for (ck_u32 first = ck_atomic_add_u32(next, p.part); first < p.n_histories; first = ck_atomic_add_u32(next, p.part)) {
        chem_params mine = p;
        mine.n_histories = smaller_of(p.part, p.n_histories - first);
        mine.first_history = p.first_history + first;
        mine.first_track = (p.first_track + first) % p.n_tracks;
        run_steps(mine, t, args[3], args[5], scratch + worker * (n_bytes / 8u), alone);
    }
}
