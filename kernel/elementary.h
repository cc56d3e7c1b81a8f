/**
 * Elementary functions of single precision without tables: additions, products, fused products, divisions and roots alone,
 * so that strict math has the same bits everywhere. Errors are those of tests/kernel/test_elementary.c.
 */
#ifndef CK_ELEMENTARY_H
#define CK_ELEMENTARY_H

#include "arithmetic.h"

/* Two independent normal numbers. */
typedef struct ck_normal_pair {
    float a, b;
} ck_normal_pair;

/**
 * -ln(u) of u = word / 2^32 in (0, 1]; a word of 0 counts as 1. Error below 2e-7 of the result, or 1e-7.
 *
 * u = m 2^e with m in [0.75, 1.5): ln u = ln m + e ln 2, ln(1 + f) = f - f^2/2 + f^3 P(f).
 */
CK_FN float ck_minus_log_word(ck_u32 word)
{
    float number = (float)(word | 1u);
    ck_u32 bits = CK_BITS(number) - 0x3F400000u; /* exponent counted from 0.75 */
    ck_i32 exponent = (ck_i32)(bits >> 23);
    float f = CK_FLOAT((bits & 0x007FFFFFu) + 0x3F400000u) - 1.0f;
    float p = ck_fma(0.0450945392f, f, -0.0978690487f);
    p = ck_fma(p, f, 0.117184036f);
    p = ck_fma(p, f, -0.12617087f);
    p = ck_fma(p, f, 0.142626692f);
    p = ck_fma(p, f, -0.166614543f);
    p = ck_fma(p, f, 0.200003033f);
    p = ck_fma(p, f, -0.250000513f);
    p = ck_fma(p, f, 0.333333325f);
    float square = f * f;
    float log_m = ck_fma(square * f, p, ck_fma(-0.5f, square, f));
    /* 32 - e times ln 2 in two parts, so that u near 1 keeps its digits. */
    float turns = (float)(32 - exponent);
    return ck_fma(turns, 0.69314575f, ck_fma(turns, 1.4286068e-6f, -log_m));
}

/**
 * exp(-x) for x >= 0; 0 from x = 87 on. Error below 3e-7 of the result.
 *
 * 2^(-x/ln 2) = 2^n 2^f with f in [-1/2, 1/2].
 */
CK_FN float ck_exp_minus(float x)
{
    float y = ck_fmin(x, 87.0f);
    float turns = ck_fma(y, 1.44269504f, 12582912.0f); /* rounded to a whole number by the size of the constant */
    float n = turns - 12582912.0f;
    float f = ck_fma(n, 0.69314575f, -y);
    f = ck_fma(n, 1.4286068e-6f, f) * 1.44269504f; /* n - y/ln 2 */
    float p = ck_fma(0.000154780087f, f, 0.00134004317f);
    p = ck_fma(p, f, 0.00961799457f);
    p = ck_fma(p, f, 0.0555032722f);
    p = ck_fma(p, f, 0.240226515f);
    p = ck_fma(p, f, 0.693147207f);
    p = ck_fma(p, f, 1.0f);
    float scale = CK_FLOAT((127u - (ck_u32)n) << 23);
    return x < 87.0f ? p * scale : 0.0f;
}

/** 1 - exp(-x) for x >= 0, exact in digits for small x too. Error below 4e-7 of the result. */
CK_FN float ck_one_minus_exp(float x)
{
    float p = ck_fma(0.00012929731f, x, -0.00130143857f);
    p = ck_fma(p, x, 0.00827625225f);
    p = ck_fma(p, x, -0.0416472374f);
    p = ck_fma(p, x, 0.166663494f);
    p = ck_fma(p, x, -0.499999805f);
    p = ck_fma(p, x, 0.999999998f);
    return x < 1.0f ? p * x : 1.0f - ck_exp_minus(x);
}

/**
 * (cos, sin) of 2 pi word / 2^32. Error below 1e-7.
 *
 * The top three bits choose the octant, the others an angle of up to pi/4 on either side of its axis.
 */
CK_FN ck_normal_pair ck_cos_sin_word(ck_u32 word)
{
    ck_u32 quadrant = (word + 0x20000000u) >> 30;
    float t = (float)(ck_i32)(word - (quadrant << 30)) * 1.862645149230957e-9f; /* in [-1, 1], of pi/4 */
    float s = t * t;
    float sine = ck_fma(ck_fma(ck_fma(-3.59545076e-05f, s, 0.00249000713f), s, -0.0807454348f), s, 0.785398161f) * t;
    float cosine = ck_fma(3.52981133e-06f, s, -0.000325938614f);
    cosine = ck_fma(cosine, s, 0.0158543252f);
    cosine = ck_fma(cosine, s, -0.308425135f);
    cosine = ck_fma(cosine, s, 1.0f);
    float c = (quadrant & 1u) ? sine : cosine;
    float d = (quadrant & 1u) ? cosine : sine;
    ck_normal_pair turn;
    turn.a = (quadrant == 1u || quadrant == 2u) ? -c : c;
    turn.b = quadrant >= 2u ? -d : d;
    return turn;
}

/** Two independent normal numbers of mean 0 and variance 1, |x| < 6.7. Ref: Box and Muller 1958.  Draws: 2 words. */
CK_FN ck_normal_pair ck_normal_of_words(ck_u32 radius_word, ck_u32 angle_word)
{
    float r = ck_sqrt_positive(ck_fma(2.0f, ck_minus_log_word(radius_word), 1.0e-30f));
    ck_normal_pair turn = ck_cos_sin_word(angle_word);
    turn.a = r * turn.a;
    turn.b = r * turn.b;
    return turn;
}

/** u = word / 2^32 as a float in [2^-33, 1 - 2^-24]: never 0 and never 1. */
CK_FN float ck_uniform_of_word(ck_u32 word)
{
    return ck_fma((float)(word >> 8), 5.9604644775390625e-8f, 2.98023223876953125e-8f);
}

#endif
