/* Henyey-Greenstein's angle and the turn of a direction, with the constants that the model gives to the kernels. */
#include "light/scatter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"
#include "model/math_tables.h"

static const double all_g[] = {-1.0, -0.9, -0.5, -1e-3, 0.0, 1e-6, 0.01, 0.1, 0.5, 0.8, 0.9, 0.98, 0.999, 1.0};
enum { N_G = sizeof all_g / sizeof all_g[0] };

/* The kernel's constants for one g: those of a model in which it is alone, or beside an isotropic layer. */
typedef struct hg {
    double g;
    float slope, offset, factor;
    int any_g;
} hg;

static hg constants_of(double g, bool beside_isotropic)
{
    const fixture_layer layers[] = {{1.4, 1.0, 100.0, g, 0.1}, {1.4, 1.0, 100.0, 0.0, 0.1}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = beside_isotropic ? 2 : 1,
                           .layers = layers,
                           .dz = 0.01,
                           .dr = 0.01,
                           .nz = 20,
                           .nr = 10,
                           .na = 10};
    crp_input *input = fixture_input(&stack);
    crp_plan *plan = fixture_plan(input, 1);
    const float *row = plan->tables[0].data;
    const light_plan *lp = plan->data;
    hg c = {g, row[LIGHT_HG_SLOPE], row[LIGHT_HG_OFFSET], row[LIGHT_HG_FACTOR], lp->params.any_g != 0};
    plan_destroy(&plan);
    crp_input_destroy(&input);
    return c;
}

static float one_minus_cos(const hg *c, ck_u32 word)
{
    return light_one_minus_cos(c->slope, c->offset, c->factor, word, c->any_g);
}

/* The number that the word stands for, as the two forms take it. */
static double xi_of(const hg *c, ck_u32 word)
{
    return c->any_g ? ((double)(word >> 9) + 0.5) / 8388608.0 : (double)(float)word / 4294967296.0;
}

/* Henyey and Greenstein's inverse in double precision, in the form without cancellation. */
static double exact(double g, double xi)
{
    if (1.0 - g < 1e-12) {
        return 0.0;
    }
    double v = 1.0 - g + 2.0 * g * xi;
    return (1.0 - g) * (1.0 - g) * (1.0 - xi) / v * (1.0 + (1.0 + g) / v);
}

static void check_inverse(const hg *c)
{
    double worst = 0.0;
    int64_t outside = 0;
#pragma omp parallel for reduction(max : worst) reduction(+ : outside)
    for (int64_t k = 0; k < (1 << 22); ++k) {
        ck_u32 word = (ck_u32)k << 10 | ((ck_u32)k * 2654435761u >> 22);
        double h = (double)one_minus_cos(c, word);
        double error = fabs(h - exact(c->g, xi_of(c, word)));
        worst = error > worst ? error : worst;
        /* the form for any g may round beyond 2, and the turn then takes the sine for 0 */
        outside += h >= 0.0 && h <= (c->any_g ? 2.0000005 : 2.0) ? 0 : 1;
    }
    if (worst > 2.0e-6 || outside != 0) {
        fail_msg("g = %g, form %d: error of the cosine %.3g, %lld outside [-1, 1]", c->g, c->any_g, worst,
                 (long long)outside);
    }
}

static void test_inverse(void **state)
{
    (void)state;
    for (int i = 0; i < N_G; ++i) {
        hg alone = constants_of(all_g[i], false), beside = constants_of(all_g[i], true);
        assert_int_equal(alone.any_g, all_g[i] < 0.1);
        assert_int_equal(beside.any_g, 1);
        check_inverse(&alone);
        check_inverse(&beside);
    }
}

/* The mean over all words of the lattice: what transport depends on first. */
static double mean_cosine(const hg *c)
{
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t k = 0; k < (1 << 23); ++k) {
        /* the middle of each of 2^23 cells; one word a cell is all that the form for any g can tell apart */
        sum += (double)one_minus_cos(c, (ck_u32)k << 9 | 256u);
    }
    return 1.0 - sum / 8388608.0;
}

static void test_mean_cosine(void **state)
{
    (void)state;
    for (int i = 0; i < N_G; ++i) {
        for (int beside = 0; beside < 2; ++beside) {
            hg c = constants_of(all_g[i], beside);
            double mean = mean_cosine(&c);
            /* in units of 1 - g, which is what a reduced scattering coefficient sees, where g is large */
            double allowed = 3.0e-7 + 2.0e-7 * (1.0 - all_g[i]);
            if (fabs(mean - all_g[i]) > allowed) {
                fail_msg("g = %g, form %d: mean cosine off by %.3g", all_g[i], c.any_g, mean - all_g[i]);
            }
        }
    }
}

/* A shift of g by 3e-6 must be seen by the check above, else it checks nothing. */
static void test_mean_cosine_can_fail(void **state)
{
    (void)state;
    hg c = constants_of(0.8 + 3.0e-6, false);
    assert_true(fabs(mean_cosine(&c) - 0.8) > 2.0e-6);
}

/* The ends of the word's range, for every g: a cosine in [-1, 1] and a sine that is a number. Towards g = 1 the host
 * once looked for constants forever. */
static void test_ends(void **state)
{
    (void)state;
    static const ck_u32 words[] = {0u,          1u,          2u,          127u,        128u,
                                   511u,        512u,        0x7FFFFFFFu, 0x80000000u, 0xFFFFFE00u,
                                   0xFFFFFF00u, 0xFFFFFF7Fu, 0xFFFFFF80u, 0xFFFFFFFEu, 0xFFFFFFFFu};
    float table[CK_TABLE_FLOATS];
    math_tables_fill(table);
    light_photon p = light_launch(1u, 0u);
    for (int i = 0; i <= 400; ++i) {
        double g = i <= 200 ? -1.0 + 0.01 * i : 1.0 - pow(10.0, -0.07 * (i - 200)); /* down to 1 - 1e-14 */
        for (int beside = 0; beside < 2; ++beside) {
            hg c = constants_of(g, beside);
            for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k) {
                float h = one_minus_cos(&c, words[k]);
                light_photon q = light_turn(p, h, words[k], table, c.any_g);
                if (!(h >= 0.0f && h <= (c.any_g ? 2.0000005f : 2.0f)) || !isfinite(q.ux) || !isfinite(q.uy) ||
                    !isfinite(q.uz)) {
                    fail_msg("g = 1 - %.3g, form %d, word %08x: 1 - cos = %.9g, direction %g %g %g", 1.0 - g, c.any_g,
                             words[k], (double)h, (double)q.ux, (double)q.uy, (double)q.uz);
                }
            }
        }
    }
}

/* --------------------------------------------------------------------------------------------------- turning */

static double dot(light_photon a, light_photon b)
{
    return (double)a.ux * (double)b.ux + (double)a.uy * (double)b.uy + (double)a.uz * (double)b.uz;
}

static double length_error(light_photon p)
{
    return fabs(sqrt(dot(p, p)) - 1.0);
}

/* Never renormalised, never longer or shorter than 1: what is off corrects itself. */
static void test_length_stays(void **state)
{
    (void)state;
    static const double some_g[] = {-1.0, -0.5, 0.0, 0.3, 0.8, 0.9, 0.98, 0.999, 1.0};
    float table[CK_TABLE_FLOATS];
    math_tables_fill(table);
    ck_philox_key key = light_key(7, 0);
    for (size_t i = 0; i < sizeof some_g / sizeof some_g[0]; ++i) {
        hg c = constants_of(some_g[i], false);
        light_photon p = light_launch(1u, 0u);
        double worst = 0.0;
        for (ck_u32 k = 0; k < 1000000u; ++k) {
            ck_pair words = ck_philox2x32(key, k, (ck_u32)i);
            p = light_turn(p, one_minus_cos(&c, words.b), words.b, table, c.any_g);
            double error = length_error(p);
            worst = error > worst || isnan(error) ? error : worst;
        }
        /* the smaller the sine of the turns, the slower an error goes: a million turns at g = -1 or 0.999 leave some
         * 1e-5 */
        if (!(worst < (some_g[i] >= -0.5 && some_g[i] <= 0.9 ? 1.2e-6 : 1.5e-5))) {
            fail_msg("g = %g: the length of the direction is off by %.3g", some_g[i], worst);
        }
    }
}

/* A length that is off by a thousandth is right again after a few turns. */
static void test_length_corrects_itself(void **state)
{
    (void)state;
    float table[CK_TABLE_FLOATS];
    math_tables_fill(table);
    ck_philox_key key = light_key(8, 0);
    hg c = constants_of(0.5, false);
    for (ck_u32 i = 0; i < 100u; ++i) {
        light_photon p = light_launch(1u, 0u);
        p.ux = 0.6006f;
        p.uz = i % 2 ? 0.8008f : -0.8008f;
        for (ck_u32 k = 0; k < 200u; ++k) {
            ck_pair words = ck_philox2x32(key, k, i);
            p = light_turn(p, one_minus_cos(&c, words.b), words.b, table, c.any_g);
        }
        if (!(length_error(p) < 1.0e-6)) {
            fail_msg("photon %u: the length is still off by %.3g", i, length_error(p));
        }
    }
}

/* Directions all over the sphere, the poles and the equator with both zeros among them. */
static light_photon direction(int i)
{
    static const float special[][3] = {
        {0, 0, 1},     {0, 0, -1},     {1, 0, 0.0f},        {1, 0, -0.0f},
        {0, -1, 0.0f}, {1e-20f, 0, 1}, {1e-4f, -1e-4f, -1}, {0.70710678f, 0.70710678f, 1e-30f}};
    light_photon p = light_launch(1u, 0u);
    if (i < 8) {
        p.ux = special[i][0];
        p.uy = special[i][1];
        p.uz = special[i][2];
        return p;
    }
    ck_pair words = ck_philox2x32(light_key(9, 0), (ck_u32)i, 0u);
    double uz = 2.0 * (double)words.a / 4294967296.0 - 1.0,
           angle = 6.28318530717958648 * (double)words.b / 4294967296.0;
    p.ux = (float)(sqrt(1.0 - uz * uz) * cos(angle));
    p.uy = (float)(sqrt(1.0 - uz * uz) * sin(angle));
    p.uz = (float)uz;
    return p;
}

/* cos of the turn is what was asked for; all azimuths together give cos times the old direction, and lie evenly round
 * it. */
static void test_angle_and_azimuths(void **state)
{
    (void)state;
    static const float asked[] = {0.0f, 1e-6f, 0.01f, 0.3f, 1.0f, 1.7f, 2.0f};
    float table[CK_TABLE_FLOATS];
    math_tables_fill(table);
    for (int i = 0; i < 300; ++i) {
        light_photon p = direction(i);
        light_photon across = direction(i + 1000);
        double along = dot(p, across), square = dot(across, across) - along * along;
        for (size_t k = 0; k < sizeof asked / sizeof asked[0]; ++k) {
            double cosine = 1.0 - (double)asked[k], sine_sq = 1.0 - cosine * cosine;
            double sum[3] = {0.0}, sum_sq = 0.0;
            for (ck_u32 azimuth = 0; azimuth < CK_AZIMUTHS; ++azimuth) {
                light_photon q = light_turn(p, asked[k], azimuth << 3, table, 1);
                double error = fabs(dot(p, q) - cosine);
                double transverse = dot(q, across) - cosine * along;
                if (error > 5.0e-7 || length_error(q) > 5.0e-7) {
                    fail_msg("direction %d, cos %g, azimuth %u: cosine off by %.3g, length by %.3g", i, cosine, azimuth,
                             error, length_error(q));
                }
                sum[0] += (double)q.ux;
                sum[1] += (double)q.uy;
                sum[2] += (double)q.uz;
                sum_sq += transverse * transverse;
            }
            assert_true(fabs(sum[0] / CK_AZIMUTHS - cosine * (double)p.ux) < 5.0e-7);
            assert_true(fabs(sum[1] / CK_AZIMUTHS - cosine * (double)p.uy) < 5.0e-7);
            assert_true(fabs(sum[2] / CK_AZIMUTHS - cosine * (double)p.uz) < 5.0e-7);
            assert_true(fabs(sum_sq / CK_AZIMUTHS - 0.5 * sine_sq * square) < 1.0e-6);
        }
    }
}

/* Azimuth (bits 3 to 12) and angle (the top 23 or 24 bits) share a word. Over the lattice they are as good as
 * independent: the mean of sine times azimuth is zero for every g. */
static void test_azimuth_does_not_follow_angle(void **state)
{
    (void)state;
    float table[CK_TABLE_FLOATS];
    math_tables_fill(table);
    for (int i = 0; i < N_G; ++i) {
        hg c = constants_of(all_g[i], false);
        light_photon p = light_launch(1u, 0u);
        double sum_x = 0.0, sum_y = 0.0, sum_xy = 0.0;
        for (ck_u32 k = 0; k < (1u << 20); ++k) {
            ck_u32 word = ck_philox2x32(light_key(10, 0), k, 0u).b;
            light_photon q = light_turn(p, one_minus_cos(&c, word), word, table, c.any_g);
            sum_x += (double)q.ux;
            sum_y += (double)q.uy;
            sum_xy += (double)q.ux * (double)q.uy;
        }
        /* one standard error is at most 2^-10 / sqrt 2; 42 sums, so 5.1 of them */
        double limit = 5.1 * 1024.0 * 0.7072;
        assert_true(fabs(sum_x) < limit && fabs(sum_y) < limit && fabs(sum_xy) < limit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_mean_cosine),
        cmocka_unit_test(test_mean_cosine_can_fail),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_length_stays),
        cmocka_unit_test(test_length_corrects_itself),
        cmocka_unit_test(test_angle_and_azimuths),
        cmocka_unit_test(test_azimuth_does_not_follow_angle),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
