/**
 * Where scores go on a GPU: 32-bit words in shared memory for what is hit often, 64-bit words in global memory for the
 * rest and for the carries. Sums of integers do not depend on order, so a result has the same bits whatever the blocks,
 * threads or devices. (On a CPU each worker has 64-bit words of its own; there is nothing to arrange.)
 */
#ifndef CK_TALLY_H
#define CK_TALLY_H

#include "port.h"

#if !defined(CK_LANG_C)

/* A tally whose first n_near bins have a word in shared memory. n_near + 1 words stand there: the last one takes, and
 * forgets, the adds for bins outside, so that the common path needs no branch. Bins come as keys: bin + bias. */
typedef struct ck_tally {
    CK_GLOBAL ck_u64 *far;
    CK_LOCAL ck_u32 *near;
    ck_u32 n_near, bias;
} ck_tally;

/* Carries of the adds of one round, booked together at its end. */
typedef struct ck_carries {
    ck_u32 bits; /* of the last add in bit 0, of the one before in bit 1 ... */
    ck_u32 key[CK_TALLY_ROUND];
} ck_carries;

/* Add to one bin, the k-th add of a round; an amount of 0 may come with any key. A 32-bit word that overflows is seen in the
 * old value the atomic returns: its carry goes to the 64-bit word, with no barrier and no lock. With CK_TALLY_ALL_NEAR every
 * key that can come is near, and carries wait for ck_tally_settle: one test a round. */
CK_FN void ck_tally_add(const ck_tally *t, ck_u32 key, ck_u32 amount, ck_carries *carries, int k)
{
#ifdef CK_TALLY_ALL_NEAR
    ck_u32 old = ck_atomic_add_local_u32_at(t->near, t->bias, key, amount);
    carries->bits = ck_shift_in_carry(carries->bits, old, amount);
    carries->key[k] = key;
#else
    ck_u32 end = t->n_near + t->bias;
    ck_u32 slot = key < end ? key : end;
    ck_u32 old = ck_atomic_add_local_u32_at(t->near, t->bias, slot, amount);
    (void)carries;
    (void)k;
    if (slot == end || old + amount < old) {
        ck_u64 far_amount = slot == end ? (ck_u64)amount : (ck_u64)1 << 32;
        if (far_amount != 0u) {
            ck_atomic_add_u64(t->far + (key - t->bias), far_amount);
        }
    }
#endif
}

/* Book the carries of a round. */
CK_FN void ck_tally_settle(const ck_tally *t, const ck_carries *carries)
{
#ifdef CK_TALLY_ALL_NEAR
    if (carries->bits != 0u) {
        CK_UNROLL
        for (int k = 0; k < CK_TALLY_ROUND; ++k) {
            if ((carries->bits >> (CK_TALLY_ROUND - 1 - k)) & 1u) {
                ck_atomic_add_u64(t->far + (carries->key[k] - t->bias), (ck_u64)1 << 32);
            }
        }
    }
#else
    (void)t;
    (void)carries;
#endif
}

/* Clear the shared words. All threads of the block; a barrier must follow. */
CK_FN void ck_tally_clear(const ck_tally *t)
{
    for (ck_u32 i = CK_LOCAL_INDEX(); i <= t->n_near; i += CK_LOCAL_SIZE()) {
        ck_write_local_u32(t->near + i, 0u);
    }
}

/* Add the shared words to the global ones. All threads of the block, after a barrier. */
CK_FN void ck_tally_flush(const ck_tally *t)
{
    for (ck_u32 i = CK_LOCAL_INDEX(); i < t->n_near; i += CK_LOCAL_SIZE()) {
        ck_u32 word = ck_read_local_u32(t->near + i);
        if (word != 0u) {
            ck_atomic_add_u64(t->far + i, (ck_u64)word);
        }
    }
}

/* Counters that many photons add to: 64 bits as two words in shared memory, one copy for each of 32 neighbouring threads,
 * so that lanes of a warp do not meet. A counter is 32 low words and then 32 high words. */
#define CK_COUNTER_COPIES 32u
#define CK_COUNTER_STRIDE 64u

typedef struct ck_counters {
    CK_LOCAL ck_u32 *mine; /* this thread's copy of counter 0 */
    ck_u32 n;              /* how many counters */
} ck_counters;

/* Add to the counter that begins at word `at`, a multiple of CK_COUNTER_STRIDE. */
CK_FN void ck_counters_add(const ck_counters *c, ck_u32 at, ck_u32 amount)
{
    CK_LOCAL ck_u32 *low = c->mine + at;
    ck_u32 old = ck_atomic_add_local_u32(low, amount);
    ck_atomic_increment_local_if_less(old + amount, old, low + CK_COUNTER_COPIES);
}

/* Add 1: no launch has the 2^32 histories that would make the low word overflow. */
CK_FN void ck_counters_increment(const ck_counters *c, ck_u32 at)
{
    ck_atomic_add_local_u32(c->mine + at, 1u);
}

/* Clear all counters; `words` is where the first one begins. All threads of the block; a barrier must follow. */
CK_FN void ck_counters_clear(const ck_counters *c, CK_LOCAL ck_u32 *words)
{
    for (ck_u32 i = CK_LOCAL_INDEX(); i < c->n * CK_COUNTER_STRIDE; i += CK_LOCAL_SIZE()) {
        ck_write_local_u32(words + i, 0u);
    }
}

/* Add all copies to the global words, counter 0 to target[0] and so on. All threads of the block, after a barrier. */
CK_FN void ck_counters_flush(const ck_counters *c, CK_GLOBAL ck_u64 *target)
{
    CK_LOCAL ck_u32 *words = c->mine - CK_LOCAL_INDEX() % CK_COUNTER_COPIES;
    for (ck_u32 i = CK_LOCAL_INDEX(); i < c->n * CK_COUNTER_COPIES; i += CK_LOCAL_SIZE()) {
        CK_LOCAL ck_u32 *low = words + (i / CK_COUNTER_COPIES * CK_COUNTER_STRIDE + i % CK_COUNTER_COPIES);
        ck_u64 sum = ((ck_u64)ck_read_local_u32(low + CK_COUNTER_COPIES) << 32) + ck_read_local_u32(low);
        if (sum != 0u) {
            ck_atomic_add_u64(target + i / CK_COUNTER_COPIES, sum);
        }
    }
}

#endif
#endif
