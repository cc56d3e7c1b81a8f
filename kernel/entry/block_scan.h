/** A sum over the threads of a block (GPUs). */
#ifndef CHEM_BLOCK_SCAN_H
#define CHEM_BLOCK_SCAN_H

#include "../port.h"

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

#endif
