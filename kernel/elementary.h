/**
 * Random numbers of other laws than the uniform one, from words: built on the functions of arithmetic.h that need no table.
 * Errors are those of tests/kernel/test_elementary.c.
 */
#ifndef CK_ELEMENTARY_H
#define CK_ELEMENTARY_H

#include "arithmetic.h"

/* Two independent normal numbers. */
typedef struct ck_normal_pair {
    float a, b;
} ck_normal_pair;

/** -ln(u) of u = word / 2^32 in (0, 1]; a word of 0 counts as 1. Error below 2e-7 of the result.  Draws: 1 word. */
CK_FN float ck_minus_log_word(ck_u32 word)
{
    return -ck_log_polynomial((float)(word | 1u) * 2.3283064365386963e-10f);
}

/** exp(-x) for x >= 0; 0 from x = 87 on. */
CK_FN float ck_exp_minus(float x)
{
    float value = ck_exp_polynomial(-x);
    return x < 87.0f ? value : 0.0f;
}

/** 1 - exp(-x) for x >= 0, with all its digits for small x too. Error below 4e-7 of the result. */
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

/** Two independent normal numbers of mean 0 and variance 1, |x| < 6.7. Ref: Box and Muller 1958.  Draws: 2 words. */
CK_FN ck_normal_pair ck_normal_of_words(ck_u32 radius_word, ck_u32 angle_word)
{
    float r = ck_sqrt_positive(ck_fma(2.0f, ck_minus_log_word(radius_word), 1.0e-30f));
    ck_direction2 turn = ck_turn(angle_word);
    ck_normal_pair normals;
    normals.a = r * turn.x;
    normals.b = r * turn.y;
    return normals;
}

/** u = word / 2^32 as a float in [2^-25, 1 - 2^-25]: never 0 and never 1.  Draws: 1 word. */
CK_FN float ck_uniform_of_word(ck_u32 word)
{
    return ck_fma((float)(word >> 9), 1.1920928955078125e-7f, 5.9604644775390625e-8f);
}

#endif
