/** Which leaks are kept in the table of positions. */
#ifndef CK_GAS_LEAK_H
#define CK_GAS_LEAK_H

#include "gas/molecule.h"

/* A bijection of 32-bit words that spreads near numbers far apart (the finaliser of MurmurHash3). */
CK_FN ck_u32 gas_spread(ck_u32 h)
{
    h ^= h >> 16;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    h *= 0xC2B2AE35u;
    return h ^ (h >> 16);
}

/**
 * First word, from the table's beginning, of the slot of a history. Words are only added to, so a slot that one leak
 * alone has gone to holds that leak. Level k is for one history in 2^(k+1): whatever the number of leaks, some level is
 * thinly used. Draws: 0.
 */
CK_FN ck_u32 gas_leak_slot(ck_u32 history_low, ck_u32 history_high)
{
    ck_u32 h = gas_spread(gas_spread(history_low) + history_high);
    ck_u32 level = 0u;
    while (level + 1u < GAS_LEAK_LEVELS && (h & 1u) != 0u) {
        h >>= 1;
        level += 1u;
    }
    return GAS_LEAK_WORDS * (level * GAS_LEAK_SLOTS + ((h >> 1) % GAS_LEAK_SLOTS));
}

#endif
