/**
 * Partners that may touch without reacting (types II, IV) and ions (types III, IV).
 *
 * Ions: rho = r_c/(exp(r_c/r) - 1) is the coordinate in which the probability to meet is that of free partners (Debye 1942;
 * Clifford, Green and Pilling 1984). Here it moves freely with D (d rho/d r)^2, which carries the drift along.
 *
 * Radiation boundary: a partner that touches at some time is at the contact distance with the rest of the step before it, so it
 * reacts with the probability of Collins and Kimball (1949) from contact, or is found where their density of survivors says.
 * Nothing depends on the length of the step. Derivations: docs/theory/chem.md.
 */
#ifndef CHEM_CONTACT_H
#define CHEM_CONTACT_H

#include "../arithmetic64.h"
#include "meet.h"

#define CHEM_SQRT_PI 1.77245385090551602730
#define CHEM_SURVIVOR_ATTEMPTS 32u

/* What became of a pair: an event, or a shift of its separation at the end of the step. */
typedef struct chem_outcome {
    chem_event event;
    chem_vector shift;
    ck_u32 is_shifted;
} chem_outcome;

/* Constants of a channel with contact or charges. */
typedef struct chem_contact {
    ck_u32 channel;
    ck_u32 has_rate;    /* types II, IV */
    float effective;    /* contact radius in rho [nm] */
    float diffusion;    /* [nm2/ps] */
    float alpha;        /* [1/nm] */
    float reactivity;   /* q/(1 + q) */
    float onsager;      /* [nm]; 0: no charges */
} chem_contact;

/** rho of a distance r [nm]. */
CK_FN double chem_rho(double onsager, double r)
{
    return onsager == 0.0 ? r : onsager / (ck_exp64(onsager / r) - 1.0);
}

/** The distance of a rho: r_c/ln(1 + r_c/rho). */
CK_FN double chem_distance(double onsager, double rho)
{
    double x = 1.0 + onsager / rho;
    return onsager == 0.0 ? rho : onsager / ck_log64(x > 1.0e-12 ? x : 1.0e-12);
}

/** d rho/d r = (rho/r)^2 exp(r_c/r). */
CK_FN double chem_stretch(double onsager, double r)
{
    double ratio = chem_rho(onsager, r) / r;
    return onsager == 0.0 ? 1.0 : ratio * ratio * ck_exp64(onsager / r);
}

/**
 * Fraction of the time t after a touch at which the pair reacts; 1 or more: not in that time.
 *
 * W(t) = q/(1 + q) (1 - erfcx(alpha sqrt(D t))) (Collins and Kimball 1949, from contact), turned round by bisection.
 *
 * @param word       random word
 * @param y          alpha sqrt(D t)
 * Draws: 1 word.
 */
CK_FN float chem_contact_fraction(ck_u32 word, float reactivity, float y)
{
    double wanted = 1.0 - (double)ck_uniform_of_word(word) / (double)reactivity; /* erfcx of the time */
    if (wanted <= ck_erfcx64((double)y)) {
        return 1.0f;
    }
    double low = 0.0, high = (double)y;
    for (ck_u32 k = 0u; k < 30u; ++k) {
        double middle = 0.5 * (low + high);
        if (ck_erfcx64(middle) > wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double part = low / (double)y;
    return (float)(part * part);
}

/**
 * Distance beyond contact of a pair that touched a time t ago and has not reacted.
 *
 * Density (sigma + L x) exp(-x^2) h(x), h = 1 - sqrt(pi) y erfcx(x + y), in units L = sqrt(4 D t). h is concave, so it lies below
 * h0 (1 + 2 y x): a mixture of three laws, thinned.
 *
 * Draws: 2 quads an attempt.
 */
CK_FN float chem_survivor(ck_philox4_key key, chem_pair p, float sigma, float y, float unit)
{
    float half_normal = sigma * 0.88622693f, rayleigh = 0.5f * unit + y * sigma, maxwell = 0.88622693f * y * unit;
    double h0 = 1.0 - CHEM_SQRT_PI * (double)y * ck_erfcx64((double)y);
    float x = 0.0f;
    for (ck_u32 attempt = 0u; attempt < CHEM_SURVIVOR_ATTEMPTS; ++attempt) {
        ck_quad a = chem_draw(key, p.first, p.second, p.step, 2u * attempt, CHEM_STREAM_SURVIVE, p.history);
        ck_quad b = chem_draw(key, p.first, p.second, p.step, 2u * attempt + 1u, CHEM_STREAM_SURVIVE, p.history);
        float normal = ck_normal_of_words(a.a, a.b).a, exponential = ck_minus_log_word(a.c);
        float choice = ck_uniform_of_word(a.d) * (half_normal + rayleigh + maxwell);
        float square = choice < half_normal ? 0.5f * normal * normal
                       : choice < half_normal + rayleigh ? exponential
                                                         : exponential + 0.5f * normal * normal;
        x = chem_root(square);
        double h = 1.0 - CHEM_SQRT_PI * (double)y * ck_erfcx64((double)x + (double)y);
        if ((double)ck_uniform_of_word(b.a) * h0 * (1.0 + 2.0 * (double)y * (double)x) < h) {
            return x * unit;
        }
    }
    return x * unit;
}

/* Separation at the end of the step in rho: the free one, with the length of a survivor where it touched. */
CK_FN chem_vector chem_stretched(chem_vector v, float length)
{
    float now = chem_length(v);
    float factor = now > 1.0e-12f ? length / now : 0.0f;
    chem_vector out;
    out.x = now > 1.0e-12f ? v.x * factor : length;
    out.y = v.y * factor;
    out.z = v.z * factor;
    return out;
}

/* After a touch at `fraction`: an event, or the rho of a survivor into *rho. */
CK_FN chem_event chem_after_touch(ck_philox4_key key, chem_pair p, chem_contact c, float spread, float fraction, ck_quad words,
                                  float *rho)
{
    chem_event e;
    e.channel = c.channel;
    e.fraction = fraction;
    e.tie = words.b;
    if (c.has_rate != 0u) {
        float rest = spread * (1.0f - fraction);
        float y = c.alpha * chem_root(rest);
        float part = rest > 0.0f ? chem_contact_fraction(words.c, c.reactivity, y) : 1.0f;
        e.fraction = ck_fmin(ck_fma(1.0f - fraction, part, fraction), 0.99999994f);
        if (part >= 1.0f) {
            e.channel = CHEM_NONE;
            *rho = c.effective + (rest > 0.0f ? chem_survivor(key, p, c.effective, y, 2.0f * chem_root(rest)) : 0.0f);
        }
    }
    return e;
}

/**
 * Types II, III, IV: touch in the step, and what follows.
 *
 * @param dt  length of the step [ps]; 0: only absorbed pairs in contact react
 * Draws: 1 quad, 2 an attempt at the time of a touch, 2 an attempt at the place of a survivor.
 */
CK_FN chem_outcome chem_meet_contact(ck_philox4_key key, chem_pair p, chem_contact c, float dt)
{
    chem_outcome o;
    o.event.channel = CHEM_NONE;
    o.is_shifted = 0u;
    float r0 = ck_fmax(chem_length(p.apart), 1.0e-3f), spread_free = c.diffusion * dt;
    /* Diffusion of rho: at the root mean square of the distances from here to half the step, so that coarse steps see both the
     * strong field near contact and the free space beyond. */
    float typical = chem_root(ck_fma(3.0f, spread_free, r0 * r0));
    float stretch = (float)chem_stretch((double)c.onsager, (double)typical), rho0 = (float)chem_rho((double)c.onsager, (double)r0);
    float spread = spread_free * stretch * stretch;
    chem_vector end = chem_stretched(p.apart, rho0);
    end.x = ck_fma(stretch, p.moved.x, end.x);
    end.y = ck_fma(stretch, p.moved.y, end.y);
    end.z = ck_fma(stretch, p.moved.z, end.z);
    float rho1 = chem_length(end);
    ck_quad words = chem_draw(key, p.first, p.second, p.step, 0u, CHEM_STREAM_MEET, p.history);
    ck_u32 is_inside = rho0 <= c.effective ? 1u : 0u;
    ck_u32 is_near = spread > 0.0f && (rho0 - c.effective) * (rho1 - c.effective) <= 22.5f * spread ? 1u : 0u;
    ck_u32 touches = is_inside != 0u || (is_near != 0u && (rho1 <= c.effective ||
                                                         ck_uniform_of_word(words.a) < chem_crossing(rho0, rho1, c.effective, spread)));
    if (touches != 0u && (spread > 0.0f || c.has_rate == 0u)) {
        float fraction = is_inside != 0u ? 0.0f : chem_hit_fraction(key, p, rho0, rho1, c.effective, spread);
        o.event = chem_after_touch(key, p, c, spread, fraction, words, &rho1);
    }
    if (o.event.channel == CHEM_NONE && spread > 0.0f && (touches != 0u || c.onsager != 0.0f)) {
        chem_vector to = chem_stretched(end, (float)chem_distance((double)c.onsager, (double)rho1));
        o.shift.x = to.x - (p.apart.x + p.moved.x);
        o.shift.y = to.y - (p.apart.y + p.moved.y);
        o.shift.z = to.z - (p.apart.z + p.moved.z);
        o.is_shifted = 1u;
    }
    return o;
}

#endif
