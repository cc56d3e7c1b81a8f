/**
 * Elementary functions in double precision, the same bits on every device: IEEE + - * / and square root, explicit fused
 * multiply-add, polynomials. No branch but in the normal quantile.
 *
 * Errors, found by tests/kernel/test_arithmetic64.c: logarithm and exponential 1 ulp, erfcx 4 ulp, normal quantile
 * 1e-15 relative.
 */
#ifndef CK_ARITHMETIC64_H
#define CK_ARITHMETIC64_H

#include "port.h"

#if defined(CK_LANG_OPENCL)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define CK_LN2_HIGH 6.93147180369123816490e-01 /* 32 bits of ln 2, and the rest */
#define CK_LN2_LOW 1.90821492927058770002e-10

/**
 * ln x for normal x > 0.
 *
 * x = 2^k m, sqrt(1/2) <= m < sqrt(2); with s = (m - 1)/(m + 1), ln m = 2 s + s^3 (2/3 + 2/5 s^2 + ...), coefficients
 * of least greatest error.
 *
 * Ref: K. C. Ng, FDLIBM (Sun Microsystems 1993), e_log.c: reduction and coefficients.  Draws: 0.
 */
CK_FN double ck_log64(double x)
{
    ck_u64 bits = CK_BITS64(x) + ((ck_u64)0x3FF0000000000000 - (ck_u64)0x3FE6A09E667F3BCD);
    double k = (double)((ck_i32)(bits >> 52) - 1023);
    double f = CK_REAL64((bits & (ck_u64)0x000FFFFFFFFFFFFF) + (ck_u64)0x3FE6A09E667F3BCD) - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double r = 1.479819860511658591e-01;
    r = ck_fma64(r, z, 1.531383769920937332e-01);
    r = ck_fma64(r, z, 1.818357216161805012e-01);
    r = ck_fma64(r, z, 2.222219843214978396e-01);
    r = ck_fma64(r, z, 2.857142874366239149e-01);
    r = ck_fma64(r, z, 3.999999999940941908e-01);
    r = ck_fma64(r, z, 6.666666666666735130e-01);
    r *= z;
    double bend = 0.5 * f * f;
    double low = ck_fma64(s, bend + r, k * CK_LN2_LOW);
    return ck_fma64(k, CK_LN2_HIGH, f - (bend - low));
}

/**
 * e^x; 0 below -708, and x above 709 counts as 709.
 *
 * x = k ln 2 + r, |r| <= ln 2 / 2; e^r by its series to r^13 (error 4e-18).  Draws: 0.
 */
CK_FN double ck_exp64(double x)
{
    double y = x > 709.0 ? 709.0 : x < -708.0 ? -708.0 : x;
    double shifted =
        ck_fma64(y, 1.44269504088896338700, 6755399441055744.0); /* 1.5 * 2^52: the whole part is in the low bits */
    double k = shifted - 6755399441055744.0;
    double r = ck_fma64(-k, CK_LN2_HIGH, y);
    r = ck_fma64(-k, CK_LN2_LOW, r);
    double p = 1.6059043836821614599e-10; /* 1/13! */
    p = ck_fma64(p, r, 2.0876756987868098979e-09);
    p = ck_fma64(p, r, 2.5052108385441718775e-08);
    p = ck_fma64(p, r, 2.7557319223985890653e-07);
    p = ck_fma64(p, r, 2.7557319223985890653e-06);
    p = ck_fma64(p, r, 2.4801587301587301587e-05);
    p = ck_fma64(p, r, 1.9841269841269841270e-04);
    p = ck_fma64(p, r, 1.3888888888888888889e-03);
    p = ck_fma64(p, r, 8.3333333333333333333e-03);
    p = ck_fma64(p, r, 4.1666666666666666667e-02);
    p = ck_fma64(p, r, 1.6666666666666666667e-01);
    p = ck_fma64(p, r, 0.5);
    p = ck_fma64(p * r, r, r); /* e^r - 1 */
    double scale = CK_REAL64((ck_u64)((ck_i64)k + 1023) << 52);
    double value = ck_fma64(scale, p, scale);
    return x < -708.0 ? 0.0 : value;
}

/**
 * Scaled complementary error function e^(x^2) erfc(x), x >= 0.
 *
 * (1 + 2x) erfcx(x) is a polynomial of degree 22 in (x - 4)/(x + 4), cut from its Chebyshev series (error 3e-16).
 *
 * Ref: the form is that of Schonfelder 1978, Math. Comp. 32, 1232.  Draws: 0.
 */
CK_FN double ck_erfcx64(double x)
{
    double t = (x - 4.0) / (x + 4.0);
    double p = 1.5738283774192037e-09;
    p = ck_fma64(p, t, -6.9926126813397996e-09);
    p = ck_fma64(p, t, -1.6371779763566967e-08);
    p = ck_fma64(p, t, 9.2952922779739508e-08);
    p = ck_fma64(p, t, 7.1153378005853034e-08);
    p = ck_fma64(p, t, -8.0201937665220848e-07);
    p = ck_fma64(p, t, 2.9801353803031333e-07);
    p = ck_fma64(p, t, 5.6895377323028164e-06);
    p = ck_fma64(p, t, -1.1225101875659178e-05);
    p = ck_fma64(p, t, -2.4387790857590549e-05);
    p = ck_fma64(p, t, 0.00015062309720018628);
    p = ck_fma64(p, t, -0.00019926095315041177);
    p = ck_fma64(p, t, -0.00075777370706382502);
    p = ck_fma64(p, t, 0.0050319710022988838);
    p = ck_fma64(p, t, -0.016197733981455194);
    p = ck_fma64(p, t, 0.037167515386359463);
    p = ck_fma64(p, t, -0.066330365820311543);
    p = ck_fma64(p, t, 0.093732835010777421);
    p = ck_fma64(p, t, -0.10103906603586531);
    p = ck_fma64(p, t, 0.068097054254219747);
    p = ck_fma64(p, t, 0.015379652102610473);
    p = ck_fma64(p, t, -0.1396211168405572);
    p = ck_fma64(p, t, 1.2329951186255526);
    return p / (1.0 + 2.0 * x);
}

/* erfc(x), x >= 0; 0 above 26.6. The square is split so that its rounding does not enter the exponential.  Draws: 0. */
CK_FN double ck_erfc64(double x)
{
    double square = x * x;
    double rest = ck_fma64(x, x, -square);
    return ck_exp64(-square) * (1.0 - rest) * ck_erfcx64(x);
}

/* z with a part p of all normal numbers below it, near the middle: q = p - 1/2, |q| <= 0.425. */
CK_FN double ck_normal_middle64(double q)
{
    double r = ck_fma64(-q, q, 0.180625);
    double a = 2.5090809287301226727e+3;
    a = ck_fma64(a, r, 3.3430575583588128105e+4);
    a = ck_fma64(a, r, 6.7265770927008700853e+4);
    a = ck_fma64(a, r, 4.5921953931549871457e+4);
    a = ck_fma64(a, r, 1.3731693765509461125e+4);
    a = ck_fma64(a, r, 1.9715909503065514427e+3);
    a = ck_fma64(a, r, 1.3314166789178437745e+2);
    a = ck_fma64(a, r, 3.3871328727963666080e+0);
    double b = 5.2264952788528545610e+3;
    b = ck_fma64(b, r, 2.8729085735721942674e+4);
    b = ck_fma64(b, r, 3.9307895800092710610e+4);
    b = ck_fma64(b, r, 2.1213794301586595867e+4);
    b = ck_fma64(b, r, 5.3941960214247511077e+3);
    b = ck_fma64(b, r, 6.8718700749205790830e+2);
    b = ck_fma64(b, r, 4.2313330701600911252e+1);
    b = ck_fma64(b, r, 1.0);
    return q * a / b;
}

/* The same for a tail: r = sqrt(-ln p) > 1.386, the value without its sign. */
CK_FN double ck_normal_tail64(double r)
{
    if (r <= 5.0) {
        double t = r - 1.6;
        double a = 7.74545014278341407640e-4;
        a = ck_fma64(a, t, 2.27238449892691845833e-2);
        a = ck_fma64(a, t, 2.41780725177450611770e-1);
        a = ck_fma64(a, t, 1.27045825245236838258e+0);
        a = ck_fma64(a, t, 3.64784832476320460504e+0);
        a = ck_fma64(a, t, 5.76949722146069140550e+0);
        a = ck_fma64(a, t, 4.63033784615654529590e+0);
        a = ck_fma64(a, t, 1.42343711074968357734e+0);
        double b = 1.05075007164441684324e-9;
        b = ck_fma64(b, t, 5.47593808499534494600e-4);
        b = ck_fma64(b, t, 1.51986665636164571966e-2);
        b = ck_fma64(b, t, 1.48103976427480074590e-1);
        b = ck_fma64(b, t, 6.89767334985100004550e-1);
        b = ck_fma64(b, t, 1.67638483018380384940e+0);
        b = ck_fma64(b, t, 2.05319162663775882187e+0);
        b = ck_fma64(b, t, 1.0);
        return a / b;
    }
    double t = r - 5.0;
    double a = 2.01033439929228813265e-7;
    a = ck_fma64(a, t, 2.71155556874348757815e-5);
    a = ck_fma64(a, t, 1.24266094738807843860e-3);
    a = ck_fma64(a, t, 2.65321895265761230930e-2);
    a = ck_fma64(a, t, 2.96560571828504891230e-1);
    a = ck_fma64(a, t, 1.78482653991729133580e+0);
    a = ck_fma64(a, t, 5.46378491116411436990e+0);
    a = ck_fma64(a, t, 6.65790464350110377720e+0);
    double b = 2.04426310338993978564e-15;
    b = ck_fma64(b, t, 1.42151175831644588870e-7);
    b = ck_fma64(b, t, 1.84631831751005468180e-5);
    b = ck_fma64(b, t, 7.86869131145613259100e-4);
    b = ck_fma64(b, t, 1.48753612908506148525e-2);
    b = ck_fma64(b, t, 1.36929880922735805310e-1);
    b = ck_fma64(b, t, 5.99832206555887937690e-1);
    b = ck_fma64(b, t, 1.0);
    return a / b;
}

/**
 * Quantile of the normal distribution: z with P(Z < z) = p, 0 < p < 1, p not below 1e-300.
 *
 * Ref: M. J. Wichura 1988, Appl. Stat. 37, 477, algorithm AS 241 (PPND16).  Draws: 0.
 */
CK_FN double ck_normal_quantile64(double p)
{
    double q = p - 0.5;
    if (q <= 0.425 && q >= -0.425) {
        return ck_normal_middle64(q);
    }
    double z = ck_normal_tail64(ck_sqrt64(-ck_log64(q < 0.0 ? p : 1.0 - p)));
    return q < 0.0 ? -z : z;
}

/* A number in (0, 1) from two random words: 53 bits, never 0 or 1.  Draws: 0 (its words are the caller's). */
CK_FN double ck_uniform64(ck_u32 high, ck_u32 low)
{
    return ck_fma64((double)((((ck_u64)high << 32) | low) >> 12), 2.220446049250313e-16, 1.1102230246251565e-16);
}

/* A normal number, mean 0 and variance 1, from two random words.  Draws: 0 (its words are the caller's). */
CK_FN double ck_normal64(ck_u32 high, ck_u32 low)
{
    return ck_normal_quantile64(ck_uniform64(high, low));
}

#endif
