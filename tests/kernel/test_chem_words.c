/* The words of pairs are independent of each other, and the quick answer that a pair cannot touch is never wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/meet.h"
#include "core/statistics.h"

#include <math.h>
#include <stdio.h>

enum { N_ROUNDS = 100000, N_PARTS = 16, N_KINDS = 6 };

/* Two pairs of four molecules 0 to 3, the one as `first` and the other. */
static const struct {
    const char *name;
    int a, b, c, d;
} kinds[N_KINDS] = {{"partner shared, first", 0, 1, 0, 2},
                    {"partner shared, second", 0, 2, 1, 2},
                    {"first of one, second of the other", 0, 1, 1, 2},
                    {"nothing shared", 0, 1, 2, 3},
                    {"one pair in two orders", 0, 1, 1, 0},
                    {"with itself moved on", 0, 1, 2, 1}};

/* Chi-square of the words of two pairs over N_PARTS x N_PARTS cells, as a z-score: finds a share of a cell that is 8 %
 * off. */
static double z_of(int kind, ck_philox4_key key)
{
    static double count[N_PARTS][N_PARTS];
    double chi = 0.0, expected = (double)N_ROUNDS / (N_PARTS * N_PARTS), freedom = N_PARTS * N_PARTS - 1;
    for (int i = 0; i < N_PARTS * N_PARTS; ++i) {
        count[i / N_PARTS][i % N_PARTS] = 0.0;
    }
    for (uint32_t round = 0; round < N_ROUNDS; ++round) {
        ck_quad words = chem_draw(key, round, (ck_u32)kind, 0u, 0u, CHEM_STREAM_MOVE, 0u);
        ck_u32 of[4] = {words.a, words.b, words.c, words.d};
        ck_u32 first = chem_pair_word(of[kinds[kind].a], of[kinds[kind].b]),
               second = chem_pair_word(of[kinds[kind].c], of[kinds[kind].d]);
        count[first >> 28][second >> 28] += 1.0;
    }
    for (int i = 0; i < N_PARTS * N_PARTS; ++i) {
        double gap = count[i / N_PARTS][i % N_PARTS] - expected;
        chi += gap * gap / expected;
    }
    return (chi - freedom) / sqrt(2.0 * freedom);
}

static void words_of_pairs_are_independent(void **state)
{
    (void)state;
    double limit = statistics_limit(N_KINDS, INFINITY);
    for (int kind = 0; kind < N_KINDS; ++kind) {
        double z = z_of(kind, ck_philox4_key_of(11));
        if (!(fabs(z) <= limit)) {
            fail_msg("pairs with %s: z = %.1f", kinds[kind].name, z);
        }
    }
}

/* Three pairs among three molecules: no two words tell the third. */
static void triangles_are_free(void **state)
{
    (void)state;
    ck_philox4_key key = ck_philox4_key_of(12);
    double product = 0.0;
    for (uint32_t round = 0; round < N_ROUNDS; ++round) {
        ck_quad w = chem_draw(key, round, 0u, 0u, 0u, CHEM_STREAM_MOVE, 0u);
        double ab = (double)ck_uniform_of_word(chem_pair_word(w.a, w.b)) - 0.5,
               ac = (double)ck_uniform_of_word(chem_pair_word(w.a, w.c)) - 0.5,
               bc = (double)ck_uniform_of_word(chem_pair_word(w.b, w.c)) - 0.5;
        product += ab * ac * bc;
    }
    double z = product / sqrt(N_ROUNDS / 1728.0); /* variance of a uniform number: 1/12 */
    assert_true(fabs(z) < statistics_limit(1, INFINITY));
}

/* Probability that a pair touches, in double precision. */
static double crossing(double r0, double r1, double radius, double spread)
{
    double near = radius * (r0 + r1 - radius) / spread, apart = (r0 - radius) * (r1 - radius) / spread;
    return exp(-apart) * -expm1(-near) / -expm1(-r0 * r1 / spread);
}

/* Over some orders of magnitude of all that matters: where the answer is "cannot", the probability is below u; and it
 * is said of most that cannot. */
static void the_quick_answer_is_right(void **state)
{
    (void)state;
    ck_philox4_key key = ck_philox4_key_of(13);
    uint32_t n_done = 0, n_cannot = 0;
    for (uint32_t round = 0; round < 10 * N_ROUNDS; ++round) {
        ck_quad w = chem_draw(key, round, 0u, 0u, 0u, CHEM_STREAM_MOVE, 0u),
                v = chem_draw(key, round, 1u, 0u, 0u, CHEM_STREAM_MOVE, 0u);
        float radius = (float)pow(10.0, -2.0 + 2.0 * (double)ck_uniform_of_word(w.a)),
              spread = (float)pow(10.0, -3.0 + 7.0 * (double)ck_uniform_of_word(w.b));
        float width = sqrtf(spread), r0 = radius * 1.0001f + 6.0f * width * ck_uniform_of_word(w.c),
              r1 = radius * 1.0001f + 6.0f * width * ck_uniform_of_word(w.d);
        float u = round % 2 == 0 ? ck_uniform_of_word(v.a) : (float)pow(10.0, -7.0 * (double)ck_uniform_of_word(v.a));
        double chance = crossing((double)r0, (double)r1, (double)radius, (double)spread);
        if (chem_cannot_cross(r0, r1, radius, spread, u) != 0u) {
            assert_true(chance < (double)u && chem_crossing(r0, r1, radius, spread) <= u);
            n_done += round % 2 == 0; /* of uniform u, as it is asked */
        }
        n_cannot += round % 2 == 0 && chance < (double)u;
    }
    if ((double)n_done < 0.8 * n_cannot) {
        fail_msg("%u of %u pairs that cannot touch were told at once", n_done, n_cannot);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_pairs_are_independent),
                                       cmocka_unit_test(triangles_are_free),
                                       cmocka_unit_test(the_quick_answer_is_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
