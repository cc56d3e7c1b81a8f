/* Interfaces: Fresnel's reflectance, Snell's angle, total reflection, and what happens at the edges of all three. */
#include "light/cross.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

/* The records of the interface between a layer of index n1 and what lies below it, as the model gives them. */
static light_interface interface_between(double n1, double n2)
{
    const fixture_layer layers[] = {{n1, 1.0, 1.0, 0.0, 1.0}, {n2, 1.0, 1.0, 0.0, 1.0}};
    fixture_stack stack = {.n_above = n1,
                           .n_below = n2,
                           .n_layers = 2,
                           .layers = layers,
                           .dz = 0.1,
                           .dr = 0.1,
                           .nz = 20,
                           .nr = 10,
                           .na = 10};
    crp_input *input = fixture_input(&stack);
    crp_plan *plan = fixture_plan(input, 1);
    light_interface i = light_interface_load(plan->tables[0].data, 0u, 1.0f);
    plan_destroy(&plan);
    crp_input_destroy(&input);
    return i;
}

static light_photon photon_at(float uz)
{
    light_photon p = light_launch(LIGHT_WEIGHT_ONE, 0u);
    double across = sqrt(1.0 - (double)uz * (double)uz);
    p.ux = (float)(0.6 * across);
    p.uy = (float)(0.8 * across);
    p.uz = uz;
    p.z = 0.25f;
    return p;
}

/* Mean reflectance of both polarisations, in double precision; 1 beyond the critical angle. Born and Wolf, 1.5.2 (21).
 */
static double fresnel(double n1, double n2, double cosine)
{
    double sine = n1 / n2 * sqrt(1.0 - cosine * cosine);
    if (sine >= 1.0) {
        return 1.0;
    }
    double beyond = sqrt(1.0 - sine * sine);
    double s = (n1 * cosine - n2 * beyond) / (n1 * cosine + n2 * beyond);
    double p = (n2 * cosine - n1 * beyond) / (n2 * cosine + n1 * beyond);
    return 0.5 * (s * s + p * p);
}

/* A photon in an impossible state leaves, so that somebody looks at it, and is then told from those that leave by
 * right. */
static bool is_lost(light_crossing c)
{
    return (ck_i32)c.photon.weight < 0 && light_is_lost(c.photon);
}

static ck_u32 goes_through(light_interface i, light_photon p, ck_u32 word)
{
    return light_cross(p, i, 1.0f, word).enters;
}

/* Photons go through from one word on; the share of the words below is the chance of reflection, with all its 32 bits.
 */
static double reflectance(light_interface i, light_photon p)
{
    int64_t below = -1, above = 4294967296;
    while (above - below > 1) {
        int64_t middle = (below + above) / 2;
        if (goes_through(i, p, (ck_u32)middle)) {
            above = middle;
        } else {
            below = middle;
        }
    }
    return (double)above / 4294967296.0;
}

static const double pairs[][2] = {{1.0, 1.5},   {1.5, 1.0},   {1.4, 1.0},   {1.0, 1.4},   {1.37, 1.34},
                                  {1.34, 1.37}, {1.44, 0.98}, {0.98, 1.44}, {0.98, 1.0},  {1.53, 1.34},
                                  {0.5, 0.01},  {0.01, 0.5},  {100.0, 1.0}, {1.0, 100.0}, {1.4, 1.4000001}};
enum { N_PAIRS = sizeof pairs / sizeof pairs[0], N_ANGLES = 2000 };

static void test_reflectance(void **state)
{
    (void)state;
    for (int k = 0; k < N_PAIRS; ++k) {
        light_interface i = interface_between(pairs[k][0], pairs[k][1]);
        double ratio = pairs[k][0] / pairs[k][1];
        for (int a = 1; a <= N_ANGLES; ++a) {
            float uz = (float)a / (float)N_ANGLES;
            double exact = fresnel(pairs[k][0], pairs[k][1], (double)uz);
            /* Next to the critical angle the reflectance rises like a root, so there the cosine's own rounding counts.
             */
            double critical = 1.0 - ratio * ratio * (1.0 - (double)uz * (double)uz);
            double allowed =
                1.0e-6 + (ratio > 1.0 ? 2.0e-7 * ratio * ratio / sqrt(fabs(critical) + 1.0e-7 * ratio * ratio) : 0.0);
            double found = reflectance(i, photon_at(uz));
            double found_up = reflectance(i, photon_at(-uz));
            if (fabs(found - exact) > allowed || found != found_up) {
                fail_msg("n %g to %g, cosine %g: reflectance %.8f (upward %.8f), Fresnel says %.8f", pairs[k][0],
                         pairs[k][1], (double)uz, found, found_up, exact);
            }
        }
    }
}

/* That the words below the threshold reflect and those above pass, without a gap, is what the search above rests on. */
static void test_chance_is_one_threshold(void **state)
{
    (void)state;
    for (int k = 0; k < N_PAIRS; ++k) {
        light_interface i = interface_between(pairs[k][0], pairs[k][1]);
        for (int a = 1; a <= 40; ++a) {
            light_photon p = photon_at((float)a / 40.0f);
            double threshold = reflectance(i, p) * 4294967296.0;
            for (ck_u32 w = 0; w < 2000u; ++w) {
                ck_u32 word = w * 2147483u + w;
                assert_int_equal(goes_through(i, p, word), (double)word >= threshold);
            }
        }
    }
}

/* Equal indices: nothing is reflected, whatever the word and the angle, and the direction stays to the bit. */
static void test_matched(void **state)
{
    (void)state;
    static const double indices[] = {1.0, 1.37, 1.4, 0.98, 100.0, 0.01};
    for (size_t k = 0; k < sizeof indices / sizeof indices[0]; ++k) {
        light_interface i = interface_between(indices[k], indices[k]);
        for (ck_u32 a = 0; a < 200000u; ++a) {
            float uz = a < 1000u ? ldexpf(1.0f, -(int)(a % 30u)) * (1.0f - 0.0005f * (float)(a / 30u))
                                 : CK_FLOAT(0x3F800000u - 41u * a);
            light_photon p = photon_at(a % 2u ? uz : -uz);
            light_crossing c = light_cross(p, i, 1.0f, a % 3u == 0u ? 0u : a * 2654435761u);
            if (!c.enters || c.photon.ux != p.ux || c.photon.uy != p.uy || c.photon.uz != p.uz || is_lost(c)) {
                fail_msg("n = %g, uz = %.9g: transmitted %u, uz now %.9g", indices[k], (double)p.uz, c.enters,
                         (double)c.photon.uz);
            }
        }
    }
}

/* Snell's law, the length of the new direction, its plane, and the mirror image of a reflection. */
static void test_directions(void **state)
{
    (void)state;
    for (int k = 0; k < N_PAIRS; ++k) {
        light_interface i = interface_between(pairs[k][0], pairs[k][1]);
        double ratio = pairs[k][0] / pairs[k][1];
        for (int a = 1; a <= N_ANGLES; ++a) {
            light_photon p = photon_at((a % 2 ? 1.0f : -1.0f) * (float)a / (float)N_ANGLES);
            light_crossing r = light_cross(p, i, 1.0f, 0u), t = light_cross(p, i, 1.0f, 0xFFFFFFFFu);
            if (!r.enters) {
                assert_true(r.photon.ux == p.ux && r.photon.uy == p.uy && r.photon.uz == -p.uz);
                assert_int_equal(r.photon.layer, 0u);
                assert_int_equal(r.photon.weight, p.weight);
            }
            if (!t.enters) {
                assert_true(ratio * sqrt(1.0 - (double)p.uz * (double)p.uz) > 0.999999);
                continue;
            }
            double ux = (double)t.photon.ux, uy = (double)t.photon.uy, uz = (double)t.photon.uz;
            double length = sqrt(ux * ux + uy * uy + uz * uz);
            double scale = ratio > 1.0 ? ratio * ratio : 1.0;
            assert_true((uz < 0.0) == (p.uz < 0.0f));
            assert_true(fabs(ux - ratio * (double)p.ux) < 2.0e-7 * scale);
            assert_true(fabs(uy - ratio * (double)p.uy) < 2.0e-7 * scale);
            if (fabs(length - 1.0) > 4.0e-7 * scale) {
                fail_msg("n %g to %g, cosine %g: the new direction has length 1 + %.3g", pairs[k][0], pairs[k][1],
                         (double)p.uz, length - 1.0);
            }
        }
    }
}

/* Around the critical angle, float by float: reflected below, not lost, and a photon that just passes runs along the
 * face. */
static void test_critical_angle(void **state)
{
    (void)state;
    static const double dense[][2] = {{1.5, 1.0}, {1.4, 1.0}, {1.44, 0.98}, {2.0, 1.0}, {1.25, 1.0}, {1.4, 1.39}};
    for (size_t k = 0; k < sizeof dense / sizeof dense[0]; ++k) {
        light_interface i = interface_between(dense[k][0], dense[k][1]);
        double ratio = dense[k][0] / dense[k][1];
        float critical = (float)sqrt(1.0 - 1.0 / (ratio * ratio)), uz = critical;
        for (int step = 0; step < 200; ++step) {
            uz = nextafterf(uz, 0.0f);
        }
        for (int step = -200; step <= 200; ++step, uz = nextafterf(uz, 1.0f)) {
            light_photon p = photon_at(uz);
            double found = reflectance(i, p);
            light_crossing c = light_cross(p, i, 1.0f, 0xFFFFFFFFu);
            assert_false(is_lost(c));
            assert_true(isfinite(c.photon.uz) && isfinite(c.photon.ux));
            if (step < -20) { /* total: no word passes */
                assert_true(found == 1.0 && !c.enters);
            }
            if (step > 20) {
                assert_true(found < 1.0);
            }
            if (c.enters) {
                assert_true(c.photon.uz > 0.0f && c.photon.uz < 0.05f * (float)ratio * (float)ratio);
            }
        }
    }
}

/* Records with which ct^2 comes out as zero, which rounding grants to hardly any real pair of indices: 105/64 (25/64 -
 * 1) and so on are exact. Close to those of n = 1.28 against 1. */
static void test_exactly_critical(void **state)
{
    (void)state;
    light_interface i = {1.2808688f, 105.0f / 64.0f, -2625.0f / 4096.0f, LIGHT_ROW};
    float uz = 0.625f;
    assert_true(ck_fma(i.n_ratio_sq * uz, uz, i.one_minus_sq) == 0.0f);
    light_photon p = photon_at(uz);
    assert_true(reflectance(i, p) == 1.0);
    for (ck_u32 word = 0xFFFFFF00u; word != 0u; ++word) {
        light_crossing c = light_cross(p, i, 1.0f, word);
        assert_true(!c.enters && !is_lost(c) && c.photon.uz == -uz);
    }
}

/* Along the face: R tends to 1, matched faces excepted, and nothing is lost before the flight gets longer than 1e30. */
static void test_grazing(void **state)
{
    (void)state;
    light_interface into = interface_between(1.0, 1.5), out = interface_between(1.5, 1.0);
    for (int e = 2; e < 24; ++e) {
        light_photon p = photon_at(ldexpf(1.0f, -e));
        double exact = fresnel(1.0, 1.5, (double)p.uz);
        assert_true(fabs(reflectance(into, p) - exact) < 1.0e-6);
        assert_true(reflectance(out, p) == 1.0);
        assert_false(is_lost(light_cross(p, into, 1.0f, 5u)));
    }
}

/* Where the photon stands afterwards, and in which layer; leaving turns the sign of its weight. */
static void test_place_and_layer(void **state)
{
    (void)state;
    const fixture_layer layers[] = {{1.4, 1.0, 1.0, 0.0, 0.5}, {1.4, 1.0, 1.0, 0.0, 2.0}};
    fixture_stack stack = {.n_above = 1.4,
                           .n_below = 1.4,
                           .n_layers = 2,
                           .layers = layers,
                           .dz = 0.1,
                           .dr = 0.1,
                           .nz = 30,
                           .nr = 10,
                           .na = 10};
    crp_input *input = fixture_input(&stack);
    crp_plan *plan = fixture_plan(input, 1);
    const float *rows = plan->tables[0].data;
    light_photon p = photon_at(0.5f);
    p.x = 1.0f;
    p.y = -2.0f;
    light_crossing c = light_cross(p, light_interface_load(rows, 0u, p.uz), 0.5f, 77u);
    assert_true(fabs((double)c.length - 0.5) < 1.0e-6);
    assert_true(fabs((double)c.photon.x - 1.0 - 0.5 * (double)p.ux) < 1.0e-6);
    assert_true(fabs((double)c.photon.y + 2.0 - 0.5 * (double)p.uy) < 1.0e-6);
    assert_int_equal(c.photon.layer, LIGHT_ROW);
    assert_int_equal(c.photon.weight, LIGHT_WEIGHT_ONE);
    assert_true(light_entry_z(c.photon.uz, 2.0f) == 0.0f);
    assert_int_equal(light_crossing_counter(0u, c.photon.uz, 1u), 1u);
    p.uz = -0.5f; /* up and out */
    c = light_cross(p, light_interface_load(rows, 0u, p.uz), 0.5f, 77u);
    assert_int_equal(c.photon.layer, 0u);
    assert_int_equal(c.photon.weight, 0u - LIGHT_WEIGHT_ONE);
    p.layer = LIGHT_ROW; /* up into the layer above */
    c = light_cross(p, light_interface_load(rows, p.layer, p.uz), 2.0f, 77u);
    assert_int_equal(c.photon.layer, 0u);
    assert_int_equal(c.photon.weight, LIGHT_WEIGHT_ONE);
    assert_true(light_entry_z(c.photon.uz, 0.5f) == 0.5f);
    assert_int_equal(light_crossing_counter(LIGHT_ROW, c.photon.uz, 1u), 2u);
    p.uz = 0.5f; /* down and out */
    c = light_cross(p, light_interface_load(rows, p.layer, p.uz), 2.0f, 77u);
    assert_int_equal(c.photon.weight, 0u - LIGHT_WEIGHT_ONE);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

/* The dead-man's check: what is no direction, or never gets there, is lost, not looped over. */
static void test_lost(void **state)
{
    (void)state;
    light_interface i = interface_between(1.4, 1.0);
    light_photon p = photon_at(0.5f);
    assert_false(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = 0.0f; /* a clear layer, and a photon that flies along it */
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = -0.0f;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = 1.0e-32f;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = (float)NAN;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = 1.01f;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.uz = 0.5f;
    p.z = (float)NAN;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    p.z = (float)INFINITY;
    assert_true(is_lost(light_cross(p, i, 1.0f, 5u)));
    /* a lost photon enters nothing: its weight has a sign, and must not be booked as what went through */
    assert_false(light_cross(p, interface_between(1.4, 1.4), 1.0f, 5u).enters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reflectance),    cmocka_unit_test(test_chance_is_one_threshold),
        cmocka_unit_test(test_matched),        cmocka_unit_test(test_directions),
        cmocka_unit_test(test_critical_angle), cmocka_unit_test(test_exactly_critical),
        cmocka_unit_test(test_grazing),        cmocka_unit_test(test_place_and_layer),
        cmocka_unit_test(test_lost),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
