/* Fluence scores: unbiased to the last unit, spread evenly along a flight, capped where they must be. */
#include "light/fluence.h"
#include "light/fly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

/* The mean over an even lattice of the rounding word, to 2^-20 of a unit. */
static double mean_of_collision(ck_u32 weight, float factor)
{
    double sum = 0.0;
    for (ck_u32 k = 0; k < 1024u; ++k) {
        sum += (double)light_fluence_of_collision(weight, factor, 0xAB000000u | ((k << 14) + (1u << 13)));
    }
    return sum / 1024.0;
}

static void test_collision_is_unbiased(void **state)
{
    (void)state;
    static const ck_u32 weights[] = {0u, 1u, 3u, 1000u, 107374u, 1u << 20, LIGHT_WEIGHT_ONE};
    static const float factors[] = {0.0f, 1.0e-12f, 2.3e-7f, 1.0e-3f, 0.03f, 0.0625f};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; ++i) {
        for (size_t j = 0; j < sizeof factors / sizeof factors[0]; ++j) {
            double exact = (double)weights[i] * (double)factors[j];
            /* above 2^23 the float's own rounding, half of its last unit, takes the place of the word */
            double off = exact > 4.0e6 ? 1.2e-7 * exact + 0.5 : 1.2e-7 * exact + 1.0 / 1024.0;
            assert_true(fabs(mean_of_collision(weights[i], factors[j]) - exact) <= off);
        }
    }
}

/* The same for what a collision leaves behind; here the word is that of the whole event. */
static void test_deposit_is_unbiased(void **state)
{
    (void)state;
    static const ck_u32 weights[] = {1u, 2u, 107374u, LIGHT_WEIGHT_ONE};
    static const double fractions[] = {1.0e-9, 1.0e-5, 0.0187, 0.5, 0.999};
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; ++i) {
        for (size_t j = 0; j < sizeof fractions / sizeof fractions[0]; ++j) {
            ck_u32 absorb = (ck_u32)(fractions[j] * 4294967296.0);
            double sum = 0.0, exact = (double)weights[i] * (double)absorb / 4294967296.0;
            for (ck_u32 k = 0; k < 65536u; ++k) {
                ck_u32 deposit = light_absorb(weights[i], absorb, (k << 16) + (1u << 15));
                assert_true(deposit <= weights[i]);
                sum += (double)deposit;
            }
            assert_true(fabs(sum / 65536.0 - exact) <= 1.0 / 65536.0);
        }
    }
    assert_int_equal(light_absorb(LIGHT_WEIGHT_ONE, 0u, 0xFFFFFFFFu), 0u);              /* mu_a = 0 takes nothing, ever */
    assert_true(light_absorb(1u << 30, ~0u, ~0u) <= 1u << 30); /* mu_s = 0 no more than all */
}

static void test_flight(void **state)
{
    (void)state;
    light_photon p = light_launch(LIGHT_WEIGHT_ONE / 3u, 0u);
    p.ux = 0.48f;
    p.uy = 0.64f;
    p.uz = -0.6f;
    p.z = 2.0f;
    ck_philox_key key = light_key(5, 0);
    const double length = 1.7, unit = 20.0;
    double sum = 0.0, sum_sq = 0.0, amount = 0.0;
    enum { N = 100000 };
    for (ck_u32 k = 0; k < N; ++k) {
        light_fluence_score s = light_fluence_of_flight(p, (float)length, 1.0e30f, (float)(1.0 / unit),
                                                        ck_philox2x32(key, k | LIGHT_STREAM_FLUENCE, 1u));
        double along = (2.0 - (double)s.z) / 0.6 / length; /* 0 to 1 */
        assert_true(along > -1.0e-6 && along < 1.0 + 1.0e-6);
        assert_true(fabs((double)s.x - 0.48 * along * length) < 1.0e-6 && fabs((double)s.y - 0.64 * along * length) < 1.0e-6);
        assert_int_equal(s.capped, 0u);
        sum += along;
        sum_sq += along * along;
        amount += (double)s.amount;
    }
    /* even along the way: mean 1/2, mean square 1/3; 5 standard errors */
    assert_true(fabs(sum / N - 0.5) < 5.0 * sqrt(1.0 / 12.0 / N));
    assert_true(fabs(sum_sq / N - 1.0 / 3.0) < 5.0 * sqrt(4.0 / 45.0 / N));
    assert_true(fabs(amount / N / ((double)p.weight * length / unit) - 1.0) < 3.0e-7);
}

/* Amounts of a unit and less: a short flight of a faint photon still counts on the average. */
static void test_short_flights_are_unbiased(void **state)
{
    (void)state;
    light_photon p = light_launch(107u, 0u);
    double sum = 0.0;
    for (ck_u32 k = 0; k < 65536u; ++k) {
        ck_pair words = {0u, k << 16};
        sum += (double)light_fluence_of_flight(p, 0.003f, 1.0f, 1.0f, words).amount;
    }
    assert_true(fabs(sum / 65536.0 - 107.0 * 0.003) < 2.0e-5);
}

static void test_cap(void **state)
{
    (void)state;
    light_photon p = light_launch(LIGHT_WEIGHT_ONE, 0u);
    ck_pair words = {1u << 31, 1u << 31};
    light_fluence_score below = light_fluence_of_flight(p, 1.0e6f, 1.0f, 1.0f, words);
    light_fluence_score above = light_fluence_of_flight(p, 1.0e9f, 1.0f, 1.0f, words);
    assert_int_equal(below.capped, 0u);
    assert_int_equal(above.capped, 1u);
    assert_true(above.amount == (ck_u64)LIGHT_WEIGHT_ONE * (ck_u64)LIGHT_FLUENCE_CAP);
    assert_true(fabs((double)below.amount - 1.0e6 * (double)LIGHT_WEIGHT_ONE) < 1.0e8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collision_is_unbiased),
        cmocka_unit_test(test_deposit_is_unbiased),
        cmocka_unit_test(test_flight),
        cmocka_unit_test(test_short_flights_are_unbiased),
        cmocka_unit_test(test_cap),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
