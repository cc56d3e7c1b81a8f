/** What a reaction leaves: where its products begin, and where they are at the end of the step. */
#ifndef CHEM_REACT_H
#define CHEM_REACT_H

#include "meet.h"

typedef struct chem_point {
    double x, y, z;
} chem_point;

/** Three independent normal numbers.  Draws: 1 quad. */
CK_FN chem_vector chem_normal_vector(ck_quad words)
{
    ck_normal_pair a = ck_normal_of_words(words.a, words.b), b = ck_normal_of_words(words.c, words.d);
    chem_vector v;
    v.x = a.a;
    v.y = a.b;
    v.z = b.a;
    return v;
}

CK_FN chem_point chem_shift_point(chem_point p, float factor, chem_vector v)
{
    p.x += (double)(factor * v.x);
    p.y += (double)(factor * v.y);
    p.z += (double)(factor * v.z);
    return p;
}

/**
 * Where a pair reacts. The point Y = x1 + D1/(D1 + D2) (x2 - x1) diffuses with D1 D2/(D1 + D2), independently of the
 * separation: so given both ends of the step it is, at fraction f, a Brownian bridge, whatever the separation did.
 *
 * @param first   position of the first partner at the start of the step
 * @param move    its displacement over the whole step
 * @param share   D1/(D1 + D2)
 * @param spread  D dt, D = D1 + D2 [nm2]
 * Draws: 1 quad.
 */
CK_FN chem_point chem_site(ck_philox4_key key, chem_pair p, chem_point first, chem_vector move, float share, float spread,
                           float fraction)
{
    chem_vector wander = chem_normal_vector(chem_draw(key, p.first, p.second, p.step, 0u, CHEM_STREAM_BIRTH, p.history));
    float width = chem_root(2.0f * share * (1.0f - share) * spread * fraction * (1.0f - fraction));
    chem_vector way;
    way.x = ck_fma(fraction, ck_fma(share, p.moved.x, move.x), share * p.apart.x);
    way.y = ck_fma(fraction, ck_fma(share, p.moved.y, move.y), share * p.apart.y);
    way.z = ck_fma(fraction, ck_fma(share, p.moved.z, move.z), share * p.apart.z);
    return chem_shift_point(chem_shift_point(first, 1.0f, way), width, wander);
}

/** A product at the end of the step, after what is left of it.  Draws: 1 quad. */
CK_FN chem_point chem_product_place(ck_philox4_key key, chem_pair p, ck_u32 number, chem_point site, float motion,
                                    float sqrt_rest)
{
    ck_quad words = chem_draw(key, p.first, p.second, p.step, 1u + number, CHEM_STREAM_BIRTH, p.history);
    return chem_shift_point(site, motion * sqrt_rest, chem_normal_vector(words));
}

/** A direction of length 1, uniform.  Draws: 1 quad. */
CK_FN chem_vector chem_direction(ck_quad words)
{
    float z = 2.0f * ck_uniform_of_word(words.a) - 1.0f;
    float r = chem_root(1.0f - z * z);
    ck_direction2 turn = ck_turn(words.b);
    chem_vector v;
    v.x = r * turn.x;
    v.y = r * turn.y;
    v.z = z;
    return v;
}

/**
 * Id of a product. The first two take those of their parents, which are gone; more get one that derives from both, with the
 * top bit set. No id depends on the order of work.
 */
CK_FN ck_u32 chem_product_id(ck_philox4_key key, chem_pair p, ck_u32 number)
{
    if (number == 0u) {
        return p.first;
    }
    if (number == 1u && p.second != CHEM_NONE) {
        return p.second;
    }
    return chem_draw(key, p.first, p.second, p.step, 16u + number, CHEM_STREAM_BIRTH, p.history).a | 0x80000000u;
}

#endif
