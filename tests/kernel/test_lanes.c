/* The vector code of kernel/entry/lanes.h against the plain code, lane by lane. This file is built for
 * the compiler's default instruction set; the digests of whole runs compare the others. */
#include "entry/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 192, GUARD = 64 };

#define ALIGNED __attribute__((aligned(64)))

static ck_u32 next_word(ck_u32 *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state ^ (*state >> 13);
}

static void test_philox(void **state)
{
    (void)state;
    static ck_u32 event[LANES] ALIGNED, history[LANES] ALIGNED, a[LANES + GUARD] ALIGNED, b[LANES + GUARD] ALIGNED;
    ck_u32 seed = 12345;
    ck_philox_key key = {{0}, 0};
    for (int repeat = 0; repeat < 200; ++repeat) {
        for (int k = 0; k < CK_PHILOX2X32_ROUNDS; ++k) {
            key.round[k] = next_word(&seed);
        }
        for (int i = 0; i < LANES; ++i) {
            event[i] = repeat == 0 ? 0xFFFFFFFFu - (ck_u32)i : next_word(&seed);
            history[i] = repeat == 1 ? 0xFFFFFFFFu : next_word(&seed);
        }
        ck_u32 n = repeat == 0 ? LANES : 1 + next_word(&seed) % LANES;
        ck_u32 written = (n + CK_VECTOR_LANES - 1) / CK_VECTOR_LANES * CK_VECTOR_LANES;
        memset(a, 0xA5, sizeof a);
        memset(b, 0xA5, sizeof b);
        ck_philox2x32_lanes(&key, event, history, n, a, b);
        for (ck_u32 i = 0; i < LANES + GUARD; ++i) {
            if (i < n) {
                ck_pair pair = ck_philox2x32(key, event[i], history[i]);
                assert_int_equal(a[i], pair.a);
                assert_int_equal(b[i], pair.b);
            } else if (i >= written) {
                assert_int_equal(a[i], 0xA5A5A5A5u);
                assert_int_equal(b[i], 0xA5A5A5A5u);
            }
        }
    }
}

static void test_lists(void **state)
{
    (void)state;
    static ck_u32 flags[LANES] ALIGNED, list[LANES + 1];
    ck_u32 seed = 99;
    for (int repeat = 0; repeat < 400; ++repeat) {
        ck_u32 rarity = 1u << repeat % 8;
        for (int i = 0; i < LANES; ++i) {
            flags[i] = (next_word(&seed) % rarity == 0 ? 1u : 0u) | (next_word(&seed) % rarity == 0 ? 2u : 0u);
        }
        ck_u32 n = 1 + next_word(&seed) % LANES;
        for (int bit = 0; bit < 2; ++bit) {
            ck_u32 wanted = 0;
            list[LANES] = 0xBEEFu;
            ck_u32 found = ck_list_lanes(flags, bit, n, list);
            for (ck_u32 i = 0; i < n; ++i) {
                if (flags[i] >> bit & 1u) {
                    assert_true(wanted < found);
                    assert_int_equal(list[wanted++], i);
                }
            }
            assert_int_equal(found, wanted);
            assert_int_equal(list[LANES], 0xBEEFu);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_philox), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
