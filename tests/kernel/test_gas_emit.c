/* Philox4x32-10, logarithm, exponential, turn, and what leaves a wall: samplers against their inverse, draws counted.
 */
#include "gas/hit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#if defined(__has_include)
#if __has_include(<Random123/philox.h>)
#define HAVE_RANDOM123 1
#include <Random123/philox.h>
#endif
#endif

static const double PI = 3.14159265358979323846;

static ck_philox4_key key_of(uint32_t a, uint32_t b)
{
    ck_philox4_key key;
    for (uint32_t i = 0; i < CK_PHILOX4X32_ROUNDS; i++) {
        key.round[2 * i] = a + i * CK_PHILOX_WEYL;
        key.round[2 * i + 1] = b + i * CK_PHILOX4X32_WEYL_B;
    }
    return key;
}

/* From the file kat_vectors of Random123 (Salmon et al. 2011), "philox4x32 10": counter, key, answer. */
static void philox_known_answers(void **state)
{
    (void)state;
    static const uint32_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
         0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    for (size_t i = 0; i < 3; i++) {
        const uint32_t *k = known[i];
        ck_quad r = ck_philox4x32(key_of(k[4], k[5]), (ck_quad){k[0], k[1], k[2], k[3]});
        assert_true(r.a == k[6] && r.b == k[7] && r.c == k[8] && r.d == k[9]);
    }
#if defined(HAVE_RANDOM123)
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t w = i * 2654435761u;
        philox4x32_ctr_t c = {{w, w ^ 0x55u, i, ~w}};
        philox4x32_key_t k = {{w + 7u, i * 3u}};
        philox4x32_ctr_t want = philox4x32(c, k);
        ck_quad r = ck_philox4x32(key_of(k.v[0], k.v[1]), (ck_quad){c.v[0], c.v[1], c.v[2], c.v[3]});
        assert_true(r.a == want.v[0] && r.b == want.v[1] && r.c == want.v[2] && r.d == want.v[3]);
    }
#endif
}

/* ------------------------------------------------------------------------------------- elementary functions */

/* All mantissas between 1/2 and 2, and all powers of two of normal numbers. */
static void logarithm(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint32_t bits = 0x3f000000; bits < 0x40000000; bits++) {
        float x = CK_FLOAT(bits);
        double exact = log((double)x), error = fabs((double)ck_log_polynomial(x) - exact) / fmax(fabs(exact), 1e-30);
        worst = fmax(worst, x == 1.0f ? 0.0 : error);
    }
    assert_true(worst < 2.5e-7); /* relative, also next to 1 */
    assert_true(ck_log_polynomial(1.0f) == 0.0f);
    for (uint32_t e = 1; e < 255; e++) {
        float x = CK_FLOAT(e << 23 | 0x2aaaaau);
        assert_true(fabs((double)ck_log_polynomial(x) - log((double)x)) < 1.5e-7 * fmax(1.0, fabs(log((double)x))));
    }
}

static void exponential(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 0; i <= 8700000; i++) {
        float x = (float)i * -1e-5f;
        double exact = exp((double)x);
        worst = fmax(worst, fabs((double)ck_exp_polynomial(x) - exact) / exact);
    }
    assert_true(worst < 2.5e-7);
    assert_true(ck_exp_polynomial(0.0f) == 1.0f && ck_exp_polynomial(-1000.0f) > 0.0f);
}

/* All 2^24 words whose low byte is 0, and some whose is not. */
static void turn(void **state)
{
    (void)state;
    double worst = 0.0, worst_length = 0.0;
    for (uint32_t i = 0; i < 1u << 24; i += 5) {
        uint32_t word = i << 8 | (i * 37u & 255u);
        double angle = 2.0 * PI * ((double)word + 0.5) / 4294967296.0;
        ck_direction2 t = ck_turn(word);
        worst = fmax(worst, fmax(fabs((double)t.x - cos(angle)), fabs((double)t.y - sin(angle))));
        worst_length = fmax(worst_length, fabs((double)t.x * t.x + (double)t.y * t.y - 1.0));
    }
    assert_true(worst < 1.2e-7);
    assert_true(worst_length < 2.5e-7);
}

/* --------------------------------------------------------------------------------------------------- samplers */

/* Words in even steps through all of their range; with a sampler by inversion the n-th one must be the n-th quantile.
 */
enum { STEPS = 100000 };
static uint32_t word_of(uint32_t i)
{
    return (uint32_t)(((double)i + 0.5) / STEPS * 4294967296.0);
}

static void laws_are_inverses(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < STEPS; i++) {
        uint32_t word = word_of(i);
        double u = ((double)word + 0.5) / 4294967296.0;
        gas_angle cosine = gas_cosine_law(word), uniform = gas_uniform_law(word);
        gas_angle third = gas_power_law(word, 0.25f), high = gas_power_law(word, 1.0f / 101.0f);
        assert_true(fabs(cosine.cosine * (double)cosine.cosine - u) < 2e-7);
        assert_true(fabs(uniform.cosine - u) < 1e-7);
        assert_true(fabs(pow(third.cosine, 4.0) - u) < 1.5e-6);
        assert_true(fabs(pow(high.cosine, 101.0) - u) < 4e-5);
        const gas_angle all[4] = {cosine, uniform, third, high};
        for (int k = 0; k < 4; k++) { /* unit vectors, and the sine has its digits where it is small */
            double c = all[k].cosine, s = all[k].sine;
            assert_true(c > 0.0 && s >= 0.0);
            assert_true(fabs(c * c + s * s - 1.0) < 4e-7);
        }
    }
    /* The first and last words: no zero cosine, no cosine beyond 1. */
    assert_true(gas_cosine_law(0).cosine > 1e-6f && gas_cosine_law(0xffffffffu).cosine <= 1.0f);
    assert_true(gas_cosine_law(0xffffffffu).sine > 1e-6f);
    assert_true(gas_power_law(0, 1.0f).cosine > 0.0f && gas_power_law(0xffffffffu, 1e-6f).cosine <= 1.0f);
}

/* P(V < v) = 1 - (1 + x^2) exp(-x^2): the speeds of a grid of words against it, and the moments of the flux. */
static void speeds(void **state)
{
    (void)state;
    enum { SIDE = 1500, CUTS = 30 };
    static const double step = 0.1;
    size_t below[CUTS] = {0};
    double sum = 0.0, inverse = 0.0, square = 0.0;
    for (uint32_t i = 0; i < SIDE; i++) {
        for (uint32_t j = 0; j < SIDE; j++) {
            uint32_t a = (uint32_t)((i + 0.5) / SIDE * 4294967296.0), b = (uint32_t)((j + 0.5) / SIDE * 4294967296.0);
            double v = gas_thermal_speed(1.0f, a, b);
            sum += v;
            inverse += 1.0 / v;
            square += v * v;
            for (size_t k = (size_t)fmax(0.0, ceil(v / step)); k < CUTS; k++) {
                below[k]++;
            }
        }
    }
    double n = (double)SIDE * SIDE;
    for (size_t k = 1; k < CUTS; k++) {
        double x = (double)k * step, exact = 1.0 - (1.0 + x * x) * exp(-x * x);
        assert_true(fabs((double)below[k] / n - exact) < 1e-3);
    }
    assert_true(fabs(sum / n - 0.75 * sqrt(PI)) < 1e-3);    /* 3 pi / 8 of the mean 2 / sqrt(pi) */
    assert_true(fabs(inverse / n - 0.5 * sqrt(PI)) < 1e-3); /* 1 / the mean */
    assert_true(fabs(square / n - 2.0) < 3e-3);
    assert_true(gas_thermal_speed(1.0f, 0xffffffffu, 0xffffffffu) > 0.0f);
    assert_true(gas_thermal_speed(1.0f, 0, 0) < 7.0f);
}

static void accommodation(void **state)
{
    (void)state;
    assert_true(fabs(gas_accommodate(300.0f, 500.0f, 1.0f) - 500.0f) < 1e-3f);
    assert_true(fabs(gas_accommodate(300.0f, 500.0f, 0.0f) - 300.0f) < 1e-3f);
    assert_true(fabs(gas_accommodate(300.0f, 500.0f, 0.5f) - sqrtf(0.5f * (300.0f * 300.0f + 500.0f * 500.0f))) <
                1e-3f);
}

/* A primitive with a normal in any direction has a right-handed basis of unit vectors. */
static void bases(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        double z = 1.0 - 2.0 * (i + 0.5) / 2000.0, r = sqrt(1.0 - z * z), a = 2.399963 * i;
        gas_primitive q;
        memset(&q, 0, sizeof q);
        q.n[0] = r * cos(a);
        q.n[1] = r * sin(a);
        q.n[2] = z;
        q.basis = -1.0 / ((z < 0.0 ? -1.0 : 1.0) + z);
        gas_basis b = gas_basis_of(&q);
        gas_vector c = gas_cross(b.tangent, b.other);
        assert_true(fabs(gas_dot(b.tangent, b.tangent) - 1.0) < 1e-14 && fabs(gas_dot(b.other, b.other) - 1.0) < 1e-14);
        assert_true(fabs(gas_dot(b.tangent, b.normal)) < 1e-14 && fabs(gas_dot(b.other, b.normal)) < 1e-14);
        assert_true(fabs(gas_dot(b.tangent, b.other)) < 1e-14 && gas_dot(c, b.normal) > 0.999);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers), cmocka_unit_test(logarithm),
        cmocka_unit_test(exponential),          cmocka_unit_test(turn),
        cmocka_unit_test(laws_are_inverses),    cmocka_unit_test(speeds),
        cmocka_unit_test(accommodation),        cmocka_unit_test(bases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
