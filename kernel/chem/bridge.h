/**
 * Two molecules between the ends of a step: the distance of two free Brownian particles is a three-dimensional Bessel
 * process, and whether it touched a radius between two known distances, and when, has a closed form.
 *
 * Derivations: docs/theory/chem.md.
 */
#ifndef CHEM_BRIDGE_H
#define CHEM_BRIDGE_H

#include "params.h"

/**
 * Probability that the distance touched R in a step that it began at r0 and ended at r1, both larger than R.
 *
 * P = (E1 - E2)/(1 - E2), E1 = exp(-(r0 - R)(r1 - R)/(D dt)), E2 = exp(-r0 r1/(D dt)).
 *
 * @param radius  R [nm], > 0
 * @param spread  D dt of the pair [nm2], > 0
 * @return in [0, 1]
 */
CK_FN float chem_crossing(float r0, float r1, float radius, float spread)
{
    float inverse = 1.0f / spread;
    float apart = (r0 - radius) * (r1 - radius) * inverse;
    float near = radius * (r0 + r1 - radius) * inverse;
    float numerator = ck_exp_minus(apart) * ck_one_minus_exp(near);
    return numerator / ck_one_minus_exp(r0 * r1 * inverse);
}

/**
 * Is chem_crossing surely below u? With x = r0 r1/(D dt), near = R (r0 + r1 - R)/(D dt) and apart = x - near,
 * P = exp(-apart) (1 - exp(-near))/(1 - exp(-x)) <= near (1 + 1/x)/(1 + apart + apart^2/2): of the pairs within reach all but a few
 * in a hundred are done with by this, without an exponential. A part in 10^3 stands for what rounding may do.
 */
CK_FN ck_u32 chem_cannot_cross(float r0, float r1, float radius, float spread, float u)
{
    float near = radius * (r0 + r1 - radius), product = r0 * r1, apart = (r0 - radius) * (r1 - radius);
    float grows = ck_fma(spread, spread, ck_fma(spread, apart, 0.5f * apart * apart)); /* (1 + apart + apart^2/2) (D dt)^2 */
    return u * grows * product > 1.001f * near * (product + spread) * spread ? 1u : 0u;
}

/* A fraction of the step that a hit was proposed at, as w = f/(1 - f), and whether to take it. */
typedef struct chem_proposal {
    float w;
    ck_u32 is_taken;
} chem_proposal;

/**
 * One attempt at the time of the first touch, given that there was one.
 *
 * With a = r0 - R, b = |r1 - R| and w = f/(1 - f) the density is w^(-3/2) exp(-a^2/(4 D dt w) - b^2 w/(4 D dt)) times
 * 1 - exp(-x), x = R r1 (1 + w)/(D dt). The first part is an inverse Gaussian; where x is small, 1 - exp(-x) is nearly x, and
 * x times the first part is a mixture of an inverse Gaussian and its mirror image. Both are drawn as Michael, Schucany and
 * Haas (1976) do, and thinned by what is left.
 *
 * @param words   four random words
 * @param choice  a fifth one, for the mixture
 * Draws: 5 words.
 */
CK_FN chem_proposal chem_propose_hit(float r0, float r1, float radius, float spread, ck_quad words, ck_u32 choice)
{
    float a = r0 - radius;
    float b = ck_fmax(ck_fabs(r1 - radius), 1.0e-6f);
    float normal = ck_normal_of_words(words.a, words.b).a;
    float t = ck_fma(normal, normal, 1.0e-12f) * 2.0f * spread / (a * b);
    float z = 1.0f / (1.0f + 0.5f * t + ck_sqrt_positive(t + 0.25f * t * t));
    float x0 = radius * r1 / spread;
    ck_u32 is_mixed = x0 * (a + b) < b ? 1u : 0u;
    ck_u32 is_mirrored = is_mixed != 0u && ck_uniform_of_word(choice) * (a + b) > b ? 1u : 0u;
    ck_u32 takes_short = ck_uniform_of_word(words.c) * (1.0f + z) < 1.0f ? 1u : 0u;
    float ratio = takes_short != is_mirrored ? z : 1.0f / z;
    chem_proposal p;
    p.w = ck_fmin(a / b * ratio, 1.0e12f);
    float x = x0 * (1.0f + p.w);
    float share = ck_one_minus_exp(x) / (is_mixed != 0u ? x : 1.0f);
    p.is_taken = ck_uniform_of_word(words.d) < share ? 1u : 0u;
    return p;
}

/** Square root of x >= 0. */
CK_FN float chem_root(float x)
{
    return x > 1.0e-30f ? ck_sqrt_positive(x) : 0.0f;
}

#endif
