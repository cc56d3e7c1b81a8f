/**
 * Counter-based random numbers (Salmon et al. 2011): numbers belong to a history and an event, never to a thread.
 *
 * One call of Philox2x32-7 serves one event: counter = (event, history), key = seed, stream and the high word of the
 * history, mixed by the host. There is no state, no seeding, and any event can be replayed.
 */
#ifndef CK_RNG_H
#define CK_RNG_H

#include "port.h"

#define CK_PHILOX2X32_ROUNDS 7
#define CK_PHILOX2X32_MULTIPLIER 0xD256D193u
#define CK_PHILOX_WEYL 0x9E3779B9u

/* Two random words. */
typedef struct ck_pair {
    ck_u32 a, b;
} ck_pair;

/* The keys of the seven rounds, key + i * WEYL: kept in the parameters so that a GPU reads them as operands. */
typedef struct ck_philox_key {
    ck_u32 round[CK_PHILOX2X32_ROUNDS];
    ck_u32 unused;
} ck_philox_key;

/* One round: multiply, exchange, add the key. */
CK_FN ck_pair ck_philox2x32_round(ck_pair counter, ck_u32 key)
{
    ck_u64 product = (ck_u64)counter.a * CK_PHILOX2X32_MULTIPLIER;
    ck_pair next;
    next.a = (ck_u32)(product >> 32) ^ key ^ counter.b;
    next.b = (ck_u32)product;
    return next;
}

/**
 * Philox2x32-7.
 *
 * @param key      round keys
 * @param event    number of the event in its history, with the stream in the top bits
 * @param history  low 32 bits of the history's number
 * @return         two words, uniform over all 2^64 pairs as the counter runs
 *
 * Ref: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3".  Draws: 1 (one pair).
 */
CK_FN ck_pair ck_philox2x32(ck_philox_key key, ck_u32 event, ck_u32 history)
{
    ck_pair counter;
    counter.a = event;
    counter.b = history;
    counter = ck_philox2x32_round(counter, key.round[0]);
    counter = ck_philox2x32_round(counter, key.round[1]);
    counter = ck_philox2x32_round(counter, key.round[2]);
    counter = ck_philox2x32_round(counter, key.round[3]);
    counter = ck_philox2x32_round(counter, key.round[4]);
    counter = ck_philox2x32_round(counter, key.round[5]);
    counter = ck_philox2x32_round(counter, key.round[6]);
    return counter;
}

#endif
