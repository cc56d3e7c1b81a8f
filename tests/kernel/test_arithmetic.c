/* The elementary functions of the kernels against double precision: every input that is feasible, errors stated. */
#include "arithmetic.h"
#include "model/math_tables.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static float table[CK_TABLE_FLOATS];

static int fill_table(void **state)
{
    (void)state;
    math_tables_fill(table);
    return 0;
}

static double exact_path(ck_u32 word)
{
    return -log((double)(word | 1u) / 4294967296.0);
}

/* ---------------------------------------------------------------------------------------------------- optical path */

/*
 * All 2^24 values of the top bits, the low ones swept. The word is rounded to 24 bits first: an error of the number u
 * of 2^-25 u, so 3e-8 of the path; the table's entry and the difference add half an ulp each, up to 6e-8 of the path.
 */
static void test_path_error(void **state)
{
    (void)state;
    double worst = 0.0, smallest = 1.0, largest = 0.0;
#pragma omp parallel for reduction(max : worst, largest) reduction(min : smallest)
    for (int64_t top = 0; top < (1 << 24); ++top) {
        static const ck_u32 low[] = {0u, 1u, 63u, 127u, 128u, 129u, 200u, 255u};
        ck_u32 mixed = (ck_u32)top * 2654435761u >> 24;
        for (int k = 0; k < 9; ++k) {
            ck_u32 word = ((ck_u32)top << 8) | (k < 8 ? low[k] : mixed);
            double path = (double)ck_optical_path(word, table);
            double exact = exact_path(word);
            double error = fabs(path - exact) / (1.0 + exact);
            worst = error > worst ? error : worst;
            largest = path > largest ? path : largest;
            smallest = path < smallest ? path : smallest;
        }
    }
    if (worst > 1.2e-7) {
        fail_msg("optical path: error %.3g of 1 + path", worst);
    }
    assert_true(smallest > 0.0);
    assert_true(largest > 22.1 && largest <= 22.2);
}

/* The low words all by themselves: the longest paths, where a 24-bit number would end at 16.6. */
static void test_path_of_small_words(void **state)
{
    (void)state;
    double worst = 0.0;
    for (ck_u32 word = 0; word < (1u << 20); ++word) {
        double exact = exact_path(word);
        double error = fabs((double)ck_optical_path(word, table) - exact) / exact;
        worst = error > worst ? error : worst;
    }
    if (worst > 1.2e-7) {
        fail_msg("optical path of small words: relative error %.3g", worst);
    }
}

/* How many of all 2^32 words fly further than s: 2^32 exp(-s), so P(20) is right, 9 words of 4 billion. */
static void test_path_distribution(void **state)
{
    (void)state;
    static const double depths[] = {1.0e-6, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 8.0, 12.0, 16.0, 16.7, 18.0, 20.0, 21.5};
    for (size_t i = 0; i < sizeof depths / sizeof depths[0]; ++i) {
        uint64_t below = 0, above = 4294967296u; /* the path falls as the word rises */
        while (above - below > 1) {
            uint64_t middle = (below + above) / 2;
            if ((double)ck_optical_path((ck_u32)middle, table) > depths[i]) {
                below = middle;
            } else {
                above = middle;
            }
        }
        double words = exp(-depths[i]) * 4294967296.0;
        /* two for the lowest bit being set, the rest for rounding to 24 bits and the error of the function */
        double allowed = 2.0 + words * (6.0e-8 + 1.0e-7 * (1.0 + depths[i]));
        if (fabs((double)above - words) > allowed) {
            fail_msg("%llu words fly further than %g, not %.1f", (unsigned long long)above, depths[i], words);
        }
    }
}

/* Longer words, shorter paths, without exception: a gap or a fold between cells of the table would show here. */
static void test_path_is_monotonic(void **state)
{
    (void)state;
    int64_t folds = 0;
#pragma omp parallel for reduction(+ : folds)
    for (int64_t top = 1; top < (1 << 24); ++top) {
        ck_u32 word = (ck_u32)top << 8;
        float before = ck_optical_path(word - 256u, table), here = ck_optical_path(word, table);
        folds += here > before + 6.0e-8f * (1.0f + before) ? 1 : 0;
    }
    assert_int_equal(folds, 0);
}

/* Moments over the lattice: <s> = 1, <s^2> = 2, so that no mean free path is off. */
static void test_path_moments(void **state)
{
    (void)state;
    double first = 0.0, second = 0.0;
#pragma omp parallel for reduction(+ : first, second)
    for (int64_t top = 0; top < (1 << 24); ++top) {
        for (ck_u32 low = 32u; low < 256u; low += 64u) {
            double path = (double)ck_optical_path(((ck_u32)top << 8) | low, table);
            first += path;
            second += path * path;
        }
    }
    first /= 67108864.0;
    second /= 67108864.0;
    /* the midpoint rule over 2^26 points of ln u errs by ln(2)/2 of a cell; then the function's own error */
    if (fabs(first - 1.0) > 3.0e-8 || fabs(second - 2.0) > 5.0e-7) {
        fail_msg("optical path: mean %.10f, mean square %.10f", first, second);
    }
}

/* ----------------------------------------------------------------------------------------------------------- acos */

static double acos_error(ck_u32 bits)
{
    float x = CK_FLOAT(bits);
    return fabs((double)ck_acos_positive(x) - acos((double)x));
}

/* Every float from 2^-8 to 1 (67 million) and every 61st below (in the long tier: every one). */
static void test_acos(void **state)
{
    (void)state;
    const int64_t one = 0x3F800000, small = 0x3B800000;
    const int64_t stride = getenv("CRP_TEST_LONG") != NULL ? 1 : 61;
    double worst = 0.0;
#pragma omp parallel for reduction(max : worst) schedule(static)
    for (int64_t bits = small; bits <= one; ++bits) {
        double error = acos_error((ck_u32)bits);
        worst = error > worst ? error : worst;
    }
#pragma omp parallel for reduction(max : worst) schedule(static)
    for (int64_t bits = 0; bits < small; bits += stride) {
        double error = acos_error((ck_u32)bits);
        worst = error > worst ? error : worst;
    }
    if (worst > 3.0e-7) {
        fail_msg("arccos: error %.3g", worst);
    }
    /* cosines a rounding above 1 */
    assert_true(ck_acos_positive(1.0000001f) < 1.0e-6f);
    assert_true(ck_acos_positive(1.001f) < 1.0e-6f);
}

/* -------------------------------------------------------------------------------------------------------- azimuth */

static void test_azimuth_table(void **state)
{
    (void)state;
    const float *circle = table + CK_AZIMUTH_TABLE;
    const double step = 2.0 * 3.14159265358979323846 / CK_AZIMUTHS;
    double sum[5] = {0.0};
    for (int i = 0; i < CK_AZIMUTHS; ++i) {
        float c = circle[2 * i], s = circle[2 * i + 1];
        double angle = ((double)i + 0.5) * step;
        assert_true(fabs((double)c - cos(angle)) < 3.1e-8); /* half an ulp of a number below 1 */
        assert_true(fabs((double)s - sin(angle)) < 3.1e-8);
        assert_true(fabs((double)c * (double)c + (double)s * (double)s - 1.0) < 9.0e-8);
        /* the circle's symmetries, to the bit: half a turn, a quarter turn, mirror images */
        int half = (i + CK_AZIMUTHS / 2) % CK_AZIMUTHS, quarter = (i + CK_AZIMUTHS / 4) % CK_AZIMUTHS;
        int mirror = CK_AZIMUTHS - 1 - i;
        assert_true(circle[2 * half] == -c && circle[2 * half + 1] == -s);
        assert_true(circle[2 * quarter] == -s && circle[2 * quarter + 1] == c);
        assert_true(circle[2 * mirror] == c && circle[2 * mirror + 1] == -s);
        sum[0] += (double)c;
        sum[1] += (double)s;
        sum[2] += (double)c * (double)s;
        sum[3] += (double)c * (double)c - (double)s * (double)s;
        sum[4] += (double)c * (double)c * (double)c;
    }
    assert_true(sum[0] == 0.0 && sum[1] == 0.0); /* exactly: nothing turns light to one side */
    for (int k = 2; k < 5; ++k) {
        assert_true(fabs(sum[k]) < 1.0e-12);
    }
}

/* ------------------------------------------------------------------------------------------- division, square root */

/* A quotient or root of two floats, rounded from double to float, is the correctly rounded one: 53 >= 2 * 24 + 2. */
static void test_reciprocal_and_root(void **state)
{
    (void)state;
    static const ck_u32 exponents[] = {0x00800000u, 0x1A000000u, 0x3F000000u, 0x3F800000u,
                                       0x40000000u, 0x4F800000u, 0x7E000000u};
    int64_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong)
    for (int64_t mantissa = 0; mantissa < (1 << 23); ++mantissa) {
        for (int k = 0; k < 7; ++k) {
            float x = CK_FLOAT(exponents[k] | (ck_u32)mantissa);
            float reciprocal = (float)(1.0 / (double)x);
            wrong += CK_BITS(ck_reciprocal(x)) != CK_BITS(reciprocal) ? 1 : 0;
            wrong += CK_BITS(ck_reciprocal(-x)) != CK_BITS(-reciprocal) ? 1 : 0;
            wrong += CK_BITS(ck_sqrt_positive(x)) != CK_BITS((float)sqrt((double)x)) ? 1 : 0;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(isnan(ck_sqrt_positive(-1.0e-9f))); /* total reflection rests on this */
}

/* -------------------------------------------------------------------------------------------------------- whole parts
 */

static void test_floor_and_bins(void **state)
{
    (void)state;
    for (ck_u32 i = 0; i < 100000u; ++i) {
        ck_u32 whole = i * 41u; /* up to 4.1e6 < 2^22 */
        float exact = (float)whole, below = nextafterf(exact, 0.0f), above = nextafterf(exact, 1.0e9f);
        assert_int_equal(ck_floor_to_u32(exact), whole);
        assert_int_equal(ck_floor_to_u32(above), whole);
        assert_int_equal(ck_floor_to_u32(below), whole == 0u ? 0u : whole - 1u);
    }
    assert_int_equal(ck_grid_key(3.99f, 7.5f, 11u) - ck_grid_bias(11u), 3u * 11u + 7u);
    assert_int_equal(ck_floor_to_u32(-0.5f), 0u);
    assert_int_equal(ck_floor_to_u32((float)NAN), 0u);
}

/* ---------------------------------------------------------------------------------------------- fused multiply-add */

static void test_fma_rounds_once(void **state)
{
    (void)state;
    float a = 1.0f + 1.1920929e-7f;
    /* a^2 - 1 - 2 ulp = 2^-46: a product rounded first would lose it */
    assert_true(ck_fma(a, a, -(1.0f + 2.3841858e-7f)) == 1.4210855e-14f);
    assert_true(ck_fmin(1.0f, 2.0f) == 1.0f && ck_fmax(1.0f, 2.0f) == 2.0f);
    assert_true(ck_fmin((float)NAN, 2.0f) == 2.0f && ck_fmax((float)NAN, 2.0f) == 2.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_error),        cmocka_unit_test(test_path_of_small_words),
        cmocka_unit_test(test_path_distribution), cmocka_unit_test(test_path_is_monotonic),
        cmocka_unit_test(test_path_moments),      cmocka_unit_test(test_acos),
        cmocka_unit_test(test_azimuth_table),     cmocka_unit_test(test_reciprocal_and_root),
        cmocka_unit_test(test_floor_and_bins),    cmocka_unit_test(test_fma_rounds_once),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fill_table, NULL);
}
