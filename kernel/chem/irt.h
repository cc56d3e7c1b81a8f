/**
 * Independent reaction times (Clifford, Green, Pilling 1982; Green et al. 1990): when does a pair of molecules that diffuse
 * freely first react, and where are they then. All random numbers belong to the pair of ids, so a time can be asked for
 * again and is the same: nothing has to be stored.
 *
 * A molecule is known by where and when it was made. For a pair, the older partner is first moved freely to the time at
 * which the younger one was made. Derivations: docs/theory/chem_irt.md.
 */
#ifndef CHEM_IRT_H
#define CHEM_IRT_H

#include "../arithmetic64.h"
#include "params.h"

/* Later than any run: the pair does not react. */
#define CHEM_NEVER 1.0e300

/* The search looks this many sqrt(4 D t) beyond the contact distance: what lies farther reacts with a probability below
 * erfc(2.6) R/r = 2e-4 R/r. */
#define CHEM_IRT_REACH 2.6

/* Numbers of independent draws of a pair: its time; whether its spins allow it; moves of the older one; the site. */
#define CHEM_IRT_TIME 0u
#define CHEM_IRT_SPIN 1u
#define CHEM_IRT_MOVE 2u /* and 3, 4 */
#define CHEM_IRT_SITE 5u /* and 6, 7 */
#define CHEM_IRT_FIRST 8u /* a molecule that reacts by itself: channel in the second id */
#define CHEM_IRT_SPLIT 9u /* and 10, 11: direction of products that begin apart */
#define CHEM_IRT_STREAMS 12u

/* The keys of a history's draws, and one of them: where a block shares a history they are in its local memory. */
#ifndef CHEM_IRT_KEYS
#define CHEM_IRT_KEYS const ck_u32 *
#define CHEM_IRT_KEY(keys, draw) ((keys)[draw])
#endif

/* A molecule as it was made. */
typedef struct chem_irt_molecule {
    double x, y, z; /* [nm] */
    double birth;   /* [ps] */
    double diffusion; /* [nm2/ps] */
    ck_u32 id, species;
} chem_irt_molecule;

/* When a pair reacts, and a word that decides between equal times. */
typedef struct chem_irt_event {
    double time;
    ck_u32 tie;
} chem_irt_event;

typedef struct chem_irt_point {
    double x, y, z;
} chem_irt_point;

/**
 * Two words of a pair of ids: the numbers of history and draw are in the key.
 *
 * @param key  key_of_history for this draw, see chem_irt_key
 * Draws: 1 (one pair).
 */
CK_FN ck_pair chem_irt_words(ck_u32 key, ck_u32 low, ck_u32 high)
{
    ck_pair counter;
    counter.a = low;
    counter.b = high;
    counter = ck_philox2x32_round(counter, key);
    counter = ck_philox2x32_round(counter, key + CK_PHILOX_WEYL);
    counter = ck_philox2x32_round(counter, key + 2u * CK_PHILOX_WEYL);
    counter = ck_philox2x32_round(counter, key + 3u * CK_PHILOX_WEYL);
    counter = ck_philox2x32_round(counter, key + 4u * CK_PHILOX_WEYL);
    counter = ck_philox2x32_round(counter, key + 5u * CK_PHILOX_WEYL);
    counter = ck_philox2x32_round(counter, key + 6u * CK_PHILOX_WEYL);
    return counter;
}

/* The key of a history's draws of one kind.  Draws: 1 quad. */
CK_FN ck_u32 chem_irt_key(ck_philox4_key key, ck_u32 history_low, ck_u32 history_high, ck_u32 draw)
{
    ck_quad counter;
    counter.a = history_low;
    counter.b = history_high;
    counter.c = draw;
    counter.d = CHEM_STREAM_PAIR << 28;
    return ck_philox4x32(key, counter).a;
}

/**
 * Whether a pair may react at all before its time is looked at closely: never false for a pair that does, but that the older
 * one moves by more than six standard deviations (2e-9 a coordinate).
 *
 * With u the pair's uniform number it can react only below r = R_eff/u, as W <= R_eff/r.
 *
 * @param word    first word of the pair's time
 * @param square  distance of the places where the two were made, squared [nm2]
 * @param bound   largest R_eff that the pair's W is bounded by [nm]; 0: they do not react
 * @param spread  2 D t of the older one up to the birth of the younger [nm2]
 * Draws: 0.
 */
CK_FN ck_u32 chem_irt_may_react(ck_u32 word, float square, float bound, float spread)
{
    float u = (float)(word >> 8) * 5.9604644775390625e-8f; /* rounded down */
    float reach = bound + 6.0f * u * ck_sqrt_positive(spread + 1.0e-12f);
    return (square * u) * u <= 1.0001f * (reach * reach) && bound > 0.0f ? 1u : 0u;
}

/* ck_normal_quantile64, of which there is one copy.  Draws: 0. */
CK_LEAF double chem_irt_quantile(double p)
{
    return ck_normal_quantile64(p);
}

/* Distance in the coordinate in which two ions move nearly freely: r_c/(exp(r_c/r) - 1); r itself without charges.
 * Ref: Clifford, Green, Pilling 1984; exact for t to infinity.  Draws: 0. */
CK_LEAF double chem_irt_free_distance(double r, double onsager)
{
    double ratio = onsager / r;
    return ratio > -1.0e-4 && ratio < 1.0e-4 ? r * (1.0 - 0.5 * ratio) : onsager / (ck_exp64(ratio) - 1.0);
}

/**
 * Time after which a fully diffusion-controlled pair has reacted with probability u.
 *
 * W(t) = (R/r) erfc((r - R)/sqrt(4 D t)); with z the normal quantile of W r/(2 R), t = (r - R)^2/(2 D z^2).
 *
 * @param r, radius  distance and contact radius, r > R [nm]
 * Draws: 0.
 */
CK_LEAF double chem_irt_absorbing_time(double u, double r, double radius, double diffusion)
{
    double v = u * r / radius;
    if (v >= 1.0) {
        return CHEM_NEVER;
    }
    double z = chem_irt_quantile(0.5 * v);
    double apart = r - radius;
    double below = 2.0 * diffusion * z * z;
    return below > 0.0 ? apart * apart / below : CHEM_NEVER;
}

/**
 * Probability that a pair with a radiation boundary has reacted by the time with spread = sqrt(D t).
 *
 * W = (sigma/r) q/(1 + q) {erfc(x) - exp(2 x y + y^2) erfc(x + y)}, x = (r - sigma)/(2 spread), y = alpha spread. With
 * erfcx the braces are exp(-x^2) (erfcx(x) - erfcx(x + y)).
 *
 * @param limit  W at infinite time, (sigma/r) q/(1 + q)
 * Ref: Collins and Kimball 1949; Rice 1985.  Draws: 0.
 */
CK_FN double chem_irt_radiating_part(double limit, double apart, double alpha, double spread)
{
    double x = 0.5 * apart / spread;
    double y = alpha * spread;
    return limit * ck_exp64(-x * x) * (ck_erfcx64(x) - ck_erfcx64(x + y));
}

/**
 * The time at which that probability is u: bisection in the logarithm of sqrt(D t), narrowed by the secant rule.
 *
 * @param longest  sqrt(D t) of the end of the run: a later time is CHEM_NEVER
 * Draws: 0.
 */
CK_LEAF double chem_irt_radiating_time(double u, double limit, double apart, double alpha, double diffusion, double longest)
{
    if (u >= limit || chem_irt_radiating_part(limit, apart, alpha, longest) <= u) {
        return CHEM_NEVER;
    }
    double low = 1.0e-9 * longest;
    double high = longest;
    for (ck_u32 i = 0u; i < 60u && high > low * (1.0 + 1.0e-9); ++i) {
        double middle = ck_sqrt64(low * high);
        ck_u32 is_below = chem_irt_radiating_part(limit, apart, alpha, middle) < u ? 1u : 0u;
        low = is_below ? middle : low;
        high = is_below ? high : middle;
    }
    double spread = ck_sqrt64(low * high);
    return spread * spread / diffusion;
}

/* One of three normal numbers that belong to the pair (low, high).  Draws: 1 pair. */
CK_FN double chem_irt_normal(CHEM_IRT_KEYS key_of, ck_u32 draw, ck_u32 low, ck_u32 high)
{
    ck_pair words = chem_irt_words(CHEM_IRT_KEY(key_of, draw), low, high);
    return chem_irt_quantile(ck_uniform64(words.a, words.b));
}

/* All three: in a loop, since on a GPU code that is not there need not be fetched.  Draws: 3 pairs. */
CK_CALL chem_irt_point chem_irt_normals(CHEM_IRT_KEYS key_of, ck_u32 draw, ck_u32 low, ck_u32 high)
{
    double of[3];
    CK_NO_UNROLL
    for (ck_u32 axis = 0u; axis < 3u; ++axis) {
        of[axis] = chem_irt_normal(key_of, draw + axis, low, high);
    }
    chem_irt_point p;
    p.x = of[0];
    p.y = of[1];
    p.z = of[2];
    return p;
}

/* A molecule that moves freely, by so many standard deviations along each axis.  Draws: 0. */
CK_FN chem_irt_point chem_irt_moved_by(chem_irt_point p, double variance, chem_irt_point normals)
{
    if (variance > 0.0) {
        double width = ck_sqrt64(variance);
        p.x = ck_fma64(width, normals.x, p.x);
        p.y = ck_fma64(width, normals.y, p.y);
        p.z = ck_fma64(width, normals.z, p.z);
    }
    return p;
}

/* The same by numbers that belong to the pair (low, high).  Draws: 3 pairs if it moves. */
CK_FN chem_irt_point chem_irt_moved(CHEM_IRT_KEYS key_of, ck_u32 draw, ck_u32 low, ck_u32 high, chem_irt_point p, double variance)
{
    return variance > 0.0 ? chem_irt_moved_by(p, variance, chem_irt_normals(key_of, draw, low, high)) : p;
}

CK_FN chem_irt_point chem_irt_born_at(chem_irt_molecule a)
{
    chem_irt_point p;
    p.x = a.x;
    p.y = a.y;
    p.z = a.z;
    return p;
}

/* Both partners at the time at which the younger one was made. */
typedef struct chem_irt_pair {
    chem_irt_point a, b;
    double start;    /* that time [ps] */
    double distance; /* [nm] */
    ck_u32 low, high;
} chem_irt_pair;

/* The older one moves by these normal numbers.  Draws: 0. */
CK_FN chem_irt_pair chem_irt_meet_by(chem_irt_molecule a, chem_irt_molecule b, chem_irt_point normals)
{
    chem_irt_pair p;
    p.low = a.id < b.id ? a.id : b.id;
    p.high = a.id < b.id ? b.id : a.id;
    p.start = a.birth > b.birth ? a.birth : b.birth;
    p.a = chem_irt_moved_by(chem_irt_born_at(a), 2.0 * a.diffusion * (p.start - a.birth), normals);
    p.b = chem_irt_moved_by(chem_irt_born_at(b), 2.0 * b.diffusion * (p.start - b.birth), normals);
    double dx = p.a.x - p.b.x;
    double dy = p.a.y - p.b.y;
    double dz = p.a.z - p.b.z;
    p.distance = ck_sqrt64(ck_fma64(dx, dx, ck_fma64(dy, dy, dz * dz)));
    return p;
}

/* The numbers it moves by.  Draws: 3 pairs when one is older. */
CK_FN chem_irt_point chem_irt_normals_of_move(CHEM_IRT_KEYS key_of, chem_irt_molecule a, chem_irt_molecule b)
{
    chem_irt_point none;
    none.x = none.y = none.z = 0.0;
    ck_u32 low = a.id < b.id ? a.id : b.id, high = a.id < b.id ? b.id : a.id;
    return a.birth != b.birth ? chem_irt_normals(key_of, CHEM_IRT_MOVE, low, high) : none;
}

/**
 * When a pair reacts, if nothing comes between.
 *
 * A pair that is made inside the radius reacts at once (types I, III, V); inside the contact distance of a radiation boundary
 * it begins at contact (types II, IV).
 *
 * @param move     normal numbers that the older one moves by
 * @param channel  of their species
 * @param end      of the run [ps]: later times may be CHEM_NEVER
 * Draws: 1 pair, 1 more for type V.
 */
CK_CALL chem_irt_event chem_irt_time_by(CHEM_IRT_KEYS key_of, chem_irt_molecule a, chem_irt_molecule b, chem_irt_point move,
                                        chem_channel channel, double end)
{
    chem_irt_pair p = chem_irt_meet_by(a, b, move);
    ck_pair words = chem_irt_words(CHEM_IRT_KEY(key_of, CHEM_IRT_TIME), p.low, p.high);
    chem_irt_event e;
    double u = ck_uniform64(words.a, words.b);
    double diffusion = a.diffusion + b.diffusion;
    double radius = (double)channel.contact;
    ck_u32 is_ions = channel.type == CHEM_IONS || channel.type == CHEM_IONS_RADIATING ? 1u : 0u;
    ck_u32 is_radiating = channel.type == CHEM_RADIATING || channel.type == CHEM_IONS_RADIATING ? 1u : 0u;
    double r = p.distance;
    double after = CHEM_NEVER;
    e.tie = words.a;
    if (channel.spin_limit != 0xFFFFFFFFu &&
        chem_irt_words(CHEM_IRT_KEY(key_of, CHEM_IRT_SPIN), p.low, p.high).a >= channel.spin_limit) {
        e.time = CHEM_NEVER;
        return e;
    }
    if (is_radiating == 0u && r <= radius) {
        e.time = p.start;
        return e;
    }
    r = r > radius ? r : radius;
    if (is_ions) {
        r = chem_irt_free_distance(r, (double)channel.onsager);
        radius = chem_irt_free_distance(radius, (double)channel.onsager);
    }
    if (is_radiating) {
        double limit = radius / r * (double)channel.reactivity;
        after = chem_irt_radiating_time(u, limit, r - radius, (double)channel.alpha, diffusion, ck_sqrt64(diffusion * (end - p.start)));
    } else {
        after = chem_irt_absorbing_time(u, r, radius, diffusion);
    }
    e.time = p.start + after;
    return e;
}

/* The same by the pair's own numbers.  Draws: 3 pairs more when one is older. */
CK_CALL chem_irt_event chem_irt_time(CHEM_IRT_KEYS key_of, chem_irt_molecule a, chem_irt_molecule b, chem_channel channel, double end)
{
    return chem_irt_time_by(key_of, a, b, chem_irt_normals_of_move(key_of, a, b), channel, end);
}

/**
 * Where a pair reacts at `time`: the point that diffuses independently of the distance, Y = (D2 x1 + D1 x2)/(D1 + D2), with
 * variance 2 D1 D2/(D1 + D2) t in each coordinate.
 *
 * @param move, site  normal numbers: of the older one's move, and of that point
 * Draws: 0.
 */
CK_FN chem_irt_point chem_irt_site_by(chem_irt_molecule a, chem_irt_molecule b, double time, chem_irt_point move, chem_irt_point site)
{
    chem_irt_pair p = chem_irt_meet_by(a, b, move);
    double both = a.diffusion + b.diffusion;
    double of_a = both > 0.0 ? b.diffusion / both : 0.5;
    double of_b = 1.0 - of_a;
    chem_irt_point y;
    y.x = ck_fma64(of_a, p.a.x, of_b * p.b.x);
    y.y = ck_fma64(of_a, p.a.y, of_b * p.b.y);
    y.z = ck_fma64(of_a, p.a.z, of_b * p.b.z);
    return chem_irt_moved_by(y, 2.0 * a.diffusion * of_a * (time - p.start), site);
}

/**
 * When a molecule reacts by itself in one channel: the hazard is k (1 + R/sqrt(pi D t)), the second part where the channel has
 * it, so that k (t + s sqrt(t)) = -ln u, s = 2 R/sqrt(pi D).
 *
 * Ref: Smoluchowski 1917.  Draws: 1 pair.
 */
CK_CALL chem_irt_event chem_irt_first_order(CHEM_IRT_KEYS key_of, chem_irt_molecule a, chem_channel channel,
                                          ck_u32 number)
{
    ck_pair words = chem_irt_words(CHEM_IRT_KEY(key_of, CHEM_IRT_FIRST), a.id, number);
    double waits = -ck_log64(ck_uniform64(words.a, words.b));
    double s = (double)channel.transient;
    double rate = (double)channel.rate;
    chem_irt_event e;
    e.tie = words.b;
    e.time = CHEM_NEVER;
    if (rate > 0.0) {
        double root = 2.0 * (waits / rate) / (s + ck_sqrt64(ck_fma64(4.0, waits / rate, s * s)));
        e.time = a.birth + root * root;
    }
    return e;
}

/* Where a molecule is when it reacts by itself, by normal numbers: those of the site, both ids its own.  Draws: 0. */
CK_FN chem_irt_point chem_irt_place_by(chem_irt_molecule a, double time, chem_irt_point site)
{
    return chem_irt_moved_by(chem_irt_born_at(a), 2.0 * a.diffusion * (time - a.birth), site);
}

/* A step of that length in a random direction: where products of one event that react with each other begin.  Draws: 3 pairs. */
CK_CALL chem_irt_point chem_irt_apart(CHEM_IRT_KEYS key_of, ck_u32 id, double length)
{
    chem_irt_point zero;
    zero.x = 0.0;
    zero.y = 0.0;
    zero.z = 0.0;
    chem_irt_point p = chem_irt_moved(key_of, CHEM_IRT_SPLIT, id, id, zero, 1.0);
    double scale = length / ck_sqrt64(ck_fma64(p.x, p.x, ck_fma64(p.y, p.y, ck_fma64(p.z, p.z, 1.0e-300))));
    p.x *= scale;
    p.y *= scale;
    p.z *= scale;
    return p;
}

#endif
