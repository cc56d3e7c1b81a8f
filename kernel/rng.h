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

#define CK_PHILOX4X32_ROUNDS 10
#define CK_PHILOX4X32_MULTIPLIER_A 0xD2511F53u
#define CK_PHILOX4X32_MULTIPLIER_B 0xCD9E8D57u
#define CK_PHILOX4X32_WEYL_B 0xBB67AE85u

/* Four random words. */
typedef struct ck_quad {
    ck_u32 a, b, c, d;
} ck_quad;

/* The keys of the ten rounds: a and b of round i at 2 i and 2 i + 1. */
typedef struct ck_philox4_key {
    ck_u32 round[2 * CK_PHILOX4X32_ROUNDS];
} ck_philox4_key;

/* The keys of a 64-bit key. */
CK_FN ck_philox4_key ck_philox4_key_of(ck_u64 key)
{
    ck_philox4_key keys;
    for (ck_u32 i = 0; i < CK_PHILOX4X32_ROUNDS; i++) {
        keys.round[2 * i] = (ck_u32)key + i * CK_PHILOX_WEYL;
        keys.round[2 * i + 1] = (ck_u32)(key >> 32) + i * CK_PHILOX4X32_WEYL_B;
    }
    return keys;
}

/* One round: two multiplications, a rotation of the words, the keys. */
CK_FN ck_quad ck_philox4x32_round(ck_quad counter, ck_u32 key_a, ck_u32 key_b)
{
    ck_u64 first = (ck_u64)counter.a * CK_PHILOX4X32_MULTIPLIER_A;
    ck_u64 second = (ck_u64)counter.c * CK_PHILOX4X32_MULTIPLIER_B;
    ck_quad next;
    next.a = (ck_u32)(second >> 32) ^ counter.b ^ key_a;
    next.b = (ck_u32)second;
    next.c = (ck_u32)(first >> 32) ^ counter.d ^ key_b;
    next.d = (ck_u32)first;
    return next;
}

/**
 * Philox4x32-10.
 *
 * @param key      round keys
 * @param counter  event, low and high word of the history, stream
 * @return         four words, uniform over all 2^128 quads as the counter runs
 *
 * Ref: Salmon, Moraes, Dror, Shaw 2011.  Draws: 1 (one quad).
 */
CK_FN ck_quad ck_philox4x32(ck_philox4_key key, ck_quad counter)
{
    counter = ck_philox4x32_round(counter, key.round[0], key.round[1]);
    counter = ck_philox4x32_round(counter, key.round[2], key.round[3]);
    counter = ck_philox4x32_round(counter, key.round[4], key.round[5]);
    counter = ck_philox4x32_round(counter, key.round[6], key.round[7]);
    counter = ck_philox4x32_round(counter, key.round[8], key.round[9]);
    counter = ck_philox4x32_round(counter, key.round[10], key.round[11]);
    counter = ck_philox4x32_round(counter, key.round[12], key.round[13]);
    counter = ck_philox4x32_round(counter, key.round[14], key.round[15]);
    counter = ck_philox4x32_round(counter, key.round[16], key.round[17]);
    counter = ck_philox4x32_round(counter, key.round[18], key.round[19]);
    return counter;
}

#endif
