/** Directions and speeds of molecules that leave a wall. */
#ifndef CK_GAS_EMIT_H
#define CK_GAS_EMIT_H

#include "arithmetic.h"
#include "gas/molecule.h"

/* Polar angle of a direction about the normal. */
typedef struct gas_angle {
    float cosine, sine;
} gas_angle;

/* (word + 1/2) / 2^32: in (0, 1], never 0. */
CK_FN float gas_uniform(ck_u32 word)
{
    return ck_fma((float)word, 2.3283064e-10f, 1.1641532e-10f);
}

/**
 * Cosine law: the density of directions is cos theta / pi, cos^2 theta is uniform.
 * Ref: Knudsen 1915.  Draws: 1 word.
 */
CK_FN gas_angle gas_cosine_law(ck_u32 word)
{
    gas_angle a;
    a.cosine = ck_sqrt_positive(gas_uniform(word));
    a.sine = ck_sqrt_positive(gas_uniform(~word)); /* 1 - u, with all its bits where it is small */
    return a;
}

/** All directions of the half space alike: cos theta is uniform.  Draws: 1 word. */
CK_FN gas_angle gas_uniform_law(ck_u32 word)
{
    gas_angle a;
    a.cosine = gas_uniform(word);
    a.sine = ck_sqrt_positive(gas_uniform(~word) * (1.0f + a.cosine));
    return a;
}

/**
 * cos^n law: cos theta = u^(1/(n+1)).
 * @param power  1 / (n + 1)
 * Draws: 1 word.
 */
CK_FN gas_angle gas_power_law(ck_u32 word, float power)
{
    gas_angle a;
    float exponent = ck_log_polynomial(gas_uniform(word)) * power;
    exponent = ck_fmin(exponent, -1.0e-9f);
    a.cosine = ck_exp_polynomial(exponent);
    float twice = 2.0f * exponent; /* sine^2 = 1 - e^(2 ln cosine) */
    float series = -twice * ck_fma(twice, ck_fma(twice, 0.16666667f, 0.5f), 1.0f);
    float direct = 1.0f - ck_exp_polynomial(twice);
    a.sine = ck_sqrt_positive(twice > -0.01f ? series : direct);
    return a;
}

/**
 * Speed of molecules that cross a surface in equilibrium: v = v_p sqrt(-ln(u1 u2)), the density is 2 v^3 / v_p^4
 * exp(-v^2 / v_p^2). The product of the two words is taken whole, in 64 bits.
 * @param v_p  most probable speed sqrt(2 R T / M)
 * Ref: v^2/v_p^2 of a flux has the gamma distribution of order 2 (Bird 1994, 4.2).  Draws: 2 words.
 */
CK_FN float gas_thermal_speed(float v_p, ck_u32 first, ck_u32 second)
{
    ck_u64 product = (ck_u64)(first | 1u) * (second | 1u);
    float minus_log = -ck_log_polynomial((float)product * 5.4210108624e-20f);
    return v_p * ck_sqrt_positive(ck_fmax(minus_log, 3.0e-8f));
}

/** The speed a wall gives: that of its temperature, or its mean speed.  Draws: 2 words. */
CK_FN float gas_wall_speed(float speed, ck_u32 is_mean_speed, ck_u32 first, ck_u32 second)
{
    return is_mean_speed ? speed : gas_thermal_speed(speed, first, second);
}

/**
 * Accommodation: v^2 = v_in^2 + alpha (v_wall^2 - v_in^2).
 * Ref: Smoluchowski 1898 (the energy accommodation coefficient).  Draws: 0.
 */
CK_FN float gas_accommodate(float incoming, float wall, float accommodation)
{
    float square = ck_fma(accommodation, wall * wall - incoming * incoming, incoming * incoming);
    return ck_sqrt_positive(ck_fmax(square, 1.0e-20f));
}

#endif
