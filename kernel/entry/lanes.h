/**
 * Lanes side by side on a CPU: the few things that compilers do not find by themselves when they vectorise a loop.
 * Written with the vector types of gcc and clang; a test compares every lane with the plain code.
 */
#ifndef CK_LANES_H
#define CK_LANES_H

#include "rng.h"

#if defined(__AVX512F__)
#define CK_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define CK_VECTOR_BYTES 32
#else
#define CK_VECTOR_BYTES 16
#endif
#define CK_VECTOR_LANES (CK_VECTOR_BYTES / 4)

typedef ck_u64 ck_words64 __attribute__((vector_size(CK_VECTOR_BYTES), may_alias));

/* Low half of every element times the multiplier of Philox. */
CK_FN ck_words64 ck_philox_multiply(ck_words64 a)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
    typedef int words32 __attribute__((vector_size(CK_VECTOR_BYTES)));
    const words32 multiplier = (words32)((ck_words64){0} + CK_PHILOX2X32_MULTIPLIER);
#if defined(__AVX512F__)
    typedef long long signed64 __attribute__((vector_size(CK_VECTOR_BYTES)));
    return (ck_words64)__builtin_ia32_pmuludq512_mask((words32)a, multiplier, (signed64){0}, (unsigned char)-1);
#elif defined(__AVX2__)
    return (ck_words64)__builtin_ia32_pmuludq256((words32)a, multiplier);
#else
    return (ck_words64)__builtin_ia32_pmuludq128((words32)a, multiplier);
#endif
#else
    return (a & 0xFFFFFFFFu) * CK_PHILOX2X32_MULTIPLIER;
#endif
}

/**
 * Philox2x32-7 of many lanes: the numbers of ck_philox2x32 (rng.h).
 *
 * A vector of 32-bit lanes is taken as 64-bit elements that hold an even and an odd lane. The even and the odd ones run through
 * the rounds apart, in the low halves: the vector multiply reads low halves and gives whole products, so that a round is
 * a multiply, a shift and two exclusive ors, and nothing is shuffled. gcc widens, multiplies all 64 bits and narrows again
 * in every round, which took a quarter of all time.
 *
 * @param key      round keys
 * @param event    events of n lanes, on a multiple of CK_VECTOR_BYTES; read up to the next multiple of CK_VECTOR_LANES
 * @param history  low words of their histories, likewise
 * @param a, b     the words, likewise written up to the next multiple of CK_VECTOR_LANES
 */
CK_FN void ck_philox2x32_lanes(const ck_philox_key *key, const ck_u32 *CK_RESTRICT event,
                               const ck_u32 *CK_RESTRICT history, ck_u32 n, ck_u32 *CK_RESTRICT a, ck_u32 *CK_RESTRICT b)
{
    const ck_words64 low = (ck_words64){0} + 0xFFFFFFFFu;
    for (ck_u32 i = 0; i < n; i += CK_VECTOR_LANES) {
        ck_words64 even_a = *(const ck_words64 *)(event + i), odd_a = even_a >> 32;
        ck_words64 even_b = *(const ck_words64 *)(history + i), odd_b = even_b >> 32;
        for (int k = 0; k < CK_PHILOX2X32_ROUNDS; ++k) {
            ck_words64 even = ck_philox_multiply(even_a), odd = ck_philox_multiply(odd_a);
            even_a = (even >> 32) ^ key->round[k] ^ even_b;
            odd_a = (odd >> 32) ^ key->round[k] ^ odd_b;
            even_b = even;
            odd_b = odd;
        }
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "even and odd lanes change places on a big-endian processor"
#endif
        *(ck_words64 *)(a + i) = (even_a & low) | (odd_a << 32);
        *(ck_words64 *)(b + i) = (even_b & low) | (odd_b << 32);
    }
}

/**
 * Which of 64 lanes have a bit of their flags set?
 *
 * @param flags  64 words, on a multiple of CK_VECTOR_BYTES
 * @param bit    number of the bit
 * @return       bit i of the result: that of lane i
 */
CK_FN ck_u64 ck_lanes_with(const ck_u32 *flags, int bit)
{
    ck_u64 mask = 0;
#if defined(__AVX__)
    typedef int words __attribute__((vector_size(32), may_alias));
    typedef float floats __attribute__((vector_size(32)));
    for (int i = 0; i < 64; i += 8) {
        floats signs = (floats)(*(const words *)(flags + i) << (31 - bit));
        mask |= (ck_u64)(ck_u32)__builtin_ia32_movmskps256(signs) << i;
    }
#elif defined(__SSE2__)
    typedef int words __attribute__((vector_size(16), may_alias));
    typedef float floats __attribute__((vector_size(16)));
    for (int i = 0; i < 64; i += 4) {
        floats signs = (floats)(*(const words *)(flags + i) << (31 - bit));
        mask |= (ck_u64)(ck_u32)__builtin_ia32_movmskps(signs) << i;
    }
#else
    for (int i = 0; i < 64; ++i) {
        mask |= (ck_u64)(flags[i] >> bit & 1u) << i;
    }
#endif
    return mask;
}

/* Numbers of the lanes below n with a bit set, in rising order; returns how many. */
CK_FN ck_u32 ck_list_lanes(const ck_u32 *CK_RESTRICT flags, int bit, ck_u32 n, ck_u32 *CK_RESTRICT list)
{
    ck_u32 found = 0;
    for (ck_u32 i = 0; i < n; i += 64) {
        ck_u64 mask = ck_lanes_with(flags + i, bit);
        if (n - i < 64) {
            mask &= (1ull << (n - i)) - 1u;
        }
        while (mask != 0) {
            list[found++] = i + (ck_u32)__builtin_ctzll(mask);
            mask &= mask - 1u;
        }
    }
    return found;
}

#endif
