/**
 * Elementary functions: the only file that knows strict from fast.
 *
 * Strict: every device gives the same bits. Division and square root are IEEE; on NVIDIA GPUs they are built from the
 * hardware's estimate and fused corrections, which gives the correctly rounded result for all normal arguments whose
 * result is normal (tests/cross/test_arithmetic_cuda.c tries all mantissas on the GPU) and costs a fraction of the library's code. The
 * logarithm and the azimuth come from tables that the host computes with + - * / in double (src/model/math_tables.c).
 * Fast: hardware approximations, on GPUs only.
 */
#ifndef CK_ARITHMETIC_H
#define CK_ARITHMETIC_H

#include "port.h"

/* The tables: (inverse, minus logarithm) of every cell, then (cos, sin) of every azimuth. */
#define CK_LOG_CELLS_PER_OCTAVE 32
#define CK_LOG_CELLS (32 * CK_LOG_CELLS_PER_OCTAVE + 1)
#define CK_AZIMUTHS 1024
#define CK_LOG_TABLE 0
#define CK_AZIMUTH_TABLE (2 * CK_LOG_CELLS)
#define CK_TABLE_FLOATS (2 * CK_LOG_CELLS + 2 * CK_AZIMUTHS)

/* 1/x for normal x with normal 1/x; the sign of x is kept. */
CK_FN float ck_reciprocal(float x)
{
#if defined(CK_LANG_CUDA)
    float estimate;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
#if CK_STRICT
    return ck_fma(estimate, ck_fma(-x, estimate, 1.0f), estimate);
#else
    return estimate;
#endif
#elif defined(CK_LANG_OPENCL) && !CK_STRICT
    return native_recip(x);
#else
    return 1.0f / x;
#endif
}

/* Square root of x > 0 (at least 1e-30: zero is not allowed); NaN for x < 0, which callers use. */
CK_FN float ck_sqrt_positive(float x)
{
#if defined(CK_LANG_CUDA) && CK_STRICT
    float estimate;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(estimate) : "f"(x));
    float root = x * estimate;
    return ck_fma(ck_fma(-root, root, x), 0.5f * estimate, root);
#elif defined(CK_LANG_CUDA)
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#elif defined(CK_LANG_OPENCL)
#if CK_STRICT
    return sqrt(x);
#else
    return native_sqrt(x);
#endif
#else
    return __builtin_sqrtf(x);
#endif
}

/* Square root of x > 0; NaN for x <= 0, which callers use. On a GPU the estimate of zero does that by itself. */
CK_FN float ck_sqrt_or_nan(float x)
{
#if defined(CK_LANG_CUDA)
    return ck_sqrt_positive(x);
#else
    return ck_sqrt_positive(x > 0.0f ? x : -1.0f);
#endif
}

/**
 * -ln(u) with u = word / 2^32 in (0, 1]: an optical path, 32 bits of it (24 would cap it at 16.6 mean free paths).
 *
 * u lies in one of 32 cells an octave; with c the cell's centre, ln u = ln c + ln(1 + r), r = u/c - 1, cubic in r
 * (|r| <= 1/64, error 1.5e-8).
 *
 * @param word   random word; 0 counts as 1
 * @param table  the tables of this file
 * @return       0 < result <= 22.2
 */
CK_FN float ck_optical_path(ck_u32 word, CK_LOCAL const float *table)
{
    float number = (float)(word | 1u);
    ck_i32 cell = (ck_i32)(CK_BITS(number) >> 18) - 127 * CK_LOG_CELLS_PER_OCTAVE;
    float inverse = table[CK_LOG_TABLE + 2 * cell];
    float path = table[CK_LOG_TABLE + 2 * cell + 1];
    float r = ck_fma(number, inverse, -1.0f);
    float bend = ck_fma(0.33333333f, r, -0.5f);
    return path - ck_fma(r * r, bend, r);
}

/* A free path, -ln(u)/mu_t. Fast math: the hardware's logarithm, and a constant a little above 32 ln 2, so that no path is
 * negative; a word of 0 may give an endless one, which ends at an interface as any other that is too long. */
CK_FN float ck_free_path(ck_u32 word, float mean_free_path, CK_LOCAL const float *table)
{
#if CK_STRICT
    return ck_optical_path(word, table) * mean_free_path;
#elif defined(CK_LANG_CUDA)
    (void)table;
    float log2;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log2) : "f"(__uint2float_rn(word)));
    return ck_fma(log2, -0.69314718f * mean_free_path, 22.180712f * mean_free_path);
#else
    (void)table;
    return ck_fma(native_log2((float)(word | 1u)), -0.69314718f, 22.180712f) * mean_free_path;
#endif
}

/* arccos of x in [0, 1], error below 3e-7: 2e-8 of the polynomial (Abramowitz and Stegun 4.4.46), the rest of its arithmetic. */
CK_FN float ck_acos_positive(float x)
{
    float y = ck_fmin(x, 1.0f);
    float p = ck_fma(-0.0012624911f, y, 0.0066700901f);
    p = ck_fma(p, y, -0.0170881256f);
    p = ck_fma(p, y, 0.0308918810f);
    p = ck_fma(p, y, -0.0501743046f);
    p = ck_fma(p, y, 0.0889789874f);
    p = ck_fma(p, y, -0.2145988016f);
    p = ck_fma(p, y, 1.5707963050f);
    return ck_sqrt_positive(ck_fmax(1.0f - y, 1.0e-30f)) * p;
}

/* Whole part of 0 <= x < 2^22: on a GPU one addition that rounds down instead of a conversion. */
CK_FN ck_u32 ck_floor_to_u32(float x)
{
#if defined(CK_LANG_CUDA)
    return __float_as_uint(__fadd_rd(x, 8388608.0f)) & 0x007FFFFFu;
#else
    return (ck_u32)(ck_i32)ck_fmax(x, 0.0f); /* a flight that left its layer may ask with any number */
#endif
}

/**
 * Key of a bin of a two-dimensional grid, floor(a) * row + floor(b) + ck_grid_bias(row), for 0 <= a, b < 2^22.
 *
 * On an NVIDIA GPU a floor is one addition that rounds down, read as a bit pattern: it carries an offset, which stays in
 * the key until the key becomes an address, where it costs nothing. The host pads rows so that no key overflows.
 */
CK_FN ck_u32 ck_grid_key(float a, float b, ck_u32 row)
{
#if defined(CK_LANG_CUDA)
    return __float_as_uint(__fadd_rd(a, 8388608.0f)) * row + __float_as_uint(__fadd_rd(b, 8388608.0f));
#else
    return ck_floor_to_u32(a) * row + ck_floor_to_u32(b);
#endif
}

CK_FN ck_u32 ck_grid_bias(ck_u32 row)
{
#if defined(CK_LANG_CUDA)
    return 0x4B000000u * (row + 1u);
#else
    (void)row;
    return 0u;
#endif
}

/* ------------------------------------------------------------- functions without tables, the same bits everywhere */

/**
 * ln x for normal x > 0, error below 1e-7 of the larger of |ln x| and the mantissa's part (Moshier's polynomial over
 * [sqrt(1/2), sqrt(2)]). Ref: Moshier 1989, Cephes logf.
 */
CK_FN float ck_log_polynomial(float x)
{
    ck_i32 bits = (ck_i32)CK_BITS(x);
    ck_i32 exponent = (bits - 0x3F3504F3) >> 23;
    float f = CK_FLOAT((ck_u32)(bits - exponent * 0x800000)) - 1.0f;
    float p = ck_fma(7.0376836292e-2f, f, -1.1514610310e-1f);
    p = ck_fma(p, f, 1.1676998740e-1f);
    p = ck_fma(p, f, -1.2420140846e-1f);
    p = ck_fma(p, f, 1.4249322787e-1f);
    p = ck_fma(p, f, -1.6668057665e-1f);
    p = ck_fma(p, f, 2.0000714765e-1f);
    p = ck_fma(p, f, -2.4999993993e-1f);
    p = ck_fma(p, f, 3.3333331174e-1f);
    float square = f * f;
    p = ck_fma(-0.5f, square, p * square * f);
    return ck_fma((float)exponent, 6.9314718056e-1f, f + p);
}

/**
 * exp x for x in [-87, 0], relative error below 2e-7: 2^k times a polynomial over [-ln 2 / 2, ln 2 / 2].
 * Ref: Moshier 1989, Cephes expf.
 */
CK_FN float ck_exp_polynomial(float x)
{
    float y = ck_fmax(x, -87.0f);
    ck_i32 k = (ck_i32)ck_fma(y, 1.4426950409f, -0.5f); /* towards zero: nearest for y <= 0 */
    float f = ck_fma((float)k, -0.693359375f, y);
    f = ck_fma((float)k, 2.12194440e-4f, f);
    float p = ck_fma(1.9875691500e-4f, f, 1.3981999507e-3f);
    p = ck_fma(p, f, 8.3334519073e-3f);
    p = ck_fma(p, f, 4.1665795894e-2f);
    p = ck_fma(p, f, 1.6666665459e-1f);
    p = ck_fma(p, f, 5.0000001201e-1f);
    p = ck_fma(p, f * f, f) + 1.0f;
    return p * CK_FLOAT((ck_u32)(k + 127) << 23);
}

/* cos and sin. */
typedef struct ck_direction2 {
    float x, y;
} ck_direction2;

/**
 * cos and sin of 2 pi (word + 1/2) / 2^32, absolute error below 1e-7: the quarter turn from the top bits, polynomials over
 * [-pi/4, pi/4] (Taylor to x^9 and x^10).
 */
CK_FN ck_direction2 ck_turn(ck_u32 word)
{
    ck_u32 quarter = (word + 0x20000000u) >> 30;
    ck_i32 rest = (ck_i32)(word - (quarter << 30)); /* [-2^29, 2^29) */
    float x = ck_fma((float)rest, 1.4629180793e-9f, 7.3145904e-10f); /* times 2 pi / 2^32 */
    float square = x * x;
    float s = ck_fma(2.7557319224e-6f, square, -1.9841269841e-4f);
    s = ck_fma(s, square, 8.3333333333e-3f);
    s = ck_fma(s, square, -1.6666666667e-1f);
    s = ck_fma(s * square, x, x);
    float c = ck_fma(-2.7557319224e-7f, square, 2.4801587302e-5f);
    c = ck_fma(c, square, -1.3888888889e-3f);
    c = ck_fma(c, square, 4.1666666667e-2f);
    c = ck_fma(c, square, -0.5f);
    c = ck_fma(c, square, 1.0f);
    float a = quarter & 1u ? s : c, b = quarter & 1u ? c : s; /* |cos|, |sin| of the whole angle, signs apart */
    ck_direction2 turn;
    turn.x = quarter == 1u || quarter == 2u ? -a : a;
    turn.y = quarter >= 2u ? -b : b;
    return turn;
}

#endif
