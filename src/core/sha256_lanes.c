/* SHA-256 by the instructions that x86 processors have for it: the digest of a large result takes a fifth of the time.
 */
#include "core/sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <cpuid.h>
#include <immintrin.h>

bool sha256_has_lanes(void)
{
    static int known; /* 1: no, 2: yes; asked once, since virtual machines trap the question */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == 0) {
        unsigned a = 0, b = 0, c = 0, d = 0;
        bool has_sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1u) != 0;
        answer = has_sha && __builtin_cpu_supports("sse4.1") != 0 ? 2 : 1;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == 2;
}

/* State as the instructions want it: (a b e f) and (c d g h), the first letter in the highest lane. */
__attribute__((target("sha,sse4.1"))) void sha256_compress_lanes(uint32_t state[8], const uint32_t constants[64],
                                                                 const uint8_t *blocks, size_t n_blocks)
{
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xB1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1B);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xF0);
    for (; n_blocks > 0; n_blocks--, blocks += 64) {
        __m128i before0 = abef, before1 = cdgh, w[4];
        for (int i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(blocks + 16 * i)), big_endian);
        }
#pragma GCC unroll 16
        for (int r = 0; r < 16; r++) { /* four rounds, and the four words for those twelve rounds later */
            __m128i words = _mm_add_epi32(w[r & 3], _mm_loadu_si128((const __m128i *)(constants + 4 * r)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
            __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[r & 3], w[(r + 1) & 3]),
                                         _mm_alignr_epi8(w[(r + 3) & 3], w[(r + 2) & 3], 4));
            w[r & 3] = _mm_sha256msg2_epu32(next, w[(r + 3) & 3]);
        }
        abef = _mm_add_epi32(abef, before0);
        cdgh = _mm_add_epi32(cdgh, before1);
    }
    low = _mm_shuffle_epi32(abef, 0x1B);
    high = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

#else

bool sha256_has_lanes(void)
{
    return false;
}

void sha256_compress_lanes(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks, size_t n_blocks)
{
    (void)state;
    (void)constants;
    (void)blocks;
    (void)n_blocks;
}

#endif
