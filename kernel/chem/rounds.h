/** What teams of threads do between the phases of a step, on a CPU and on a GPU: clearing, and rounds of reactions. */
#ifndef CHEM_ROUNDS_H
#define CHEM_ROUNDS_H

#include "steps.h"

/* Before the first step. A barrier must follow, as after all functions here. */
CK_FN void chem_clear_all(chem_params p, chem_memory m, chem_team team)
{
    CHEM_EACH(i, p.n_buckets)
    {
        m.counts[i] = 0u;
    }
    CHEM_EACH(k, CHEM_CONTROL_WORDS)
    {
        m.control[k] = 0u;
    }
}

/* Molecules stand in the order of their buckets: so many, and no candidates yet. */
CK_FN void chem_clear_candidates(chem_memory m, chem_team team)
{
    CHEM_EACH(k, 64u)
    {
        m.control[CHEM_CONTROL_LIVE + k] = 0u;
    }
    if (team.worker == 0u) {
        m.control[CHEM_CONTROL_MOLECULES] = *m.lined_up;
        m.control[CHEM_CONTROL_CANDIDATES] = 0u;
    }
}

/* After the reactions of a round: how many candidates of this worker are left. */
CK_FN ck_u32 chem_prune_some(chem_memory m, chem_team team, ck_u32 n)
{
    ck_u32 mine = 0u;
    CHEM_EACH(i, n)
    {
        mine += chem_prune(m, i);
    }
    return mine;
}

/* Of all workers, counted in a word of the round's own. */
CK_FN void chem_prune_all(chem_memory m, chem_team team, ck_u32 n, ck_u32 round)
{
    if (team.worker == 0u) {
        m.control[CHEM_CONTROL_LIVE + ((round + 32u) & 63u)] = 0u;
    }
    ck_u32 mine = chem_prune_some(m, team, n);
    if (mine != 0u) {
        ck_atomic_add_u32(m.control + CHEM_CONTROL_LIVE + (round & 63u), mine);
    }
}

CK_FN chem_memory chem_next_round(chem_memory m)
{
    CK_GLOBAL ck_u64 *best = m.best;
    m.best = m.best_after;
    m.best_after = best;
    return m;
}

#endif
