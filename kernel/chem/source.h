/**
 * Molecules of built-in sources: where each one is. Numbers belong to the molecule (track, species, rank among its kind),
 * so that a track is the same whatever the order of its making.
 */
#ifndef CHEM_SOURCE_H
#define CHEM_SOURCE_H

#include "../arithmetic64.h"
#include "../rng.h"

/* A place [nm]. */
typedef struct chem_place {
    double x, y, z;
} chem_place;

/* Draws of sources: the last word of the counter, far from the streams of the reactions. */
#define CHEM_SOURCE_STREAM 0x50000000u

CK_FN ck_quad chem_source_words(ck_philox4_key key, ck_u32 track, ck_u32 species, ck_u32 rank, ck_u32 number)
{
    ck_quad counter;
    counter.a = rank;
    counter.b = species;
    counter.c = track;
    counter.d = CHEM_SOURCE_STREAM | number;
    return ck_philox4x32(key, counter);
}

/**
 * Spur: normal numbers of standard deviation `radius` in every coordinate about the origin.
 *
 * Draws: 2 quads.
 */
CK_FN chem_place chem_place_in_spur(ck_philox4_key key, ck_u32 track, ck_u32 species, ck_u32 rank, double radius)
{
    ck_quad first = chem_source_words(key, track, species, rank, 0u);
    ck_quad second = chem_source_words(key, track, species, rank, 1u);
    chem_place p;
    p.x = radius * ck_normal64(first.a, first.b);
    p.y = radius * ck_normal64(first.c, first.d);
    p.z = radius * ck_normal64(second.a, second.b);
    return p;
}

/**
 * Cylinder: normal numbers of standard deviation `radius` across, uniform over `length` along z.
 *
 * Draws: 2 quads.
 */
CK_FN chem_place chem_place_in_cylinder(ck_philox4_key key, ck_u32 track, ck_u32 species, ck_u32 rank, double radius,
                                        double length)
{
    ck_quad first = chem_source_words(key, track, species, rank, 0u);
    ck_quad second = chem_source_words(key, track, species, rank, 1u);
    chem_place p;
    p.x = radius * ck_normal64(first.a, first.b);
    p.y = radius * ck_normal64(first.c, first.d);
    p.z = length * (ck_uniform64(second.a, second.b) - 0.5);
    return p;
}

/* Uniform in a cube of that edge about the origin.  Draws: 2 quads. */
CK_FN chem_place chem_place_in_cube(ck_philox4_key key, ck_u32 track, ck_u32 species, ck_u32 rank, double edge)
{
    ck_quad first = chem_source_words(key, track, species, rank, 0u);
    ck_quad second = chem_source_words(key, track, species, rank, 1u);
    chem_place p;
    p.x = edge * (ck_uniform64(first.a, first.b) - 0.5);
    p.y = edge * (ck_uniform64(first.c, first.d) - 0.5);
    p.z = edge * (ck_uniform64(second.a, second.b) - 0.5);
    return p;
}

/**
 * Pair: half the distance from the origin in a random direction; its second molecule is opposite.
 *
 * The direction of three normal numbers is uniform on the sphere.  Draws: 2 quads.
 */
CK_FN chem_place chem_place_of_pair(ck_philox4_key key, ck_u32 track, double distance)
{
    chem_place p = chem_place_in_spur(key, track, 0u, 0u, 1.0);
    double scale = 0.5 * distance / ck_sqrt64(p.x * p.x + p.y * p.y + p.z * p.z);
    p.x *= scale;
    p.y *= scale;
    p.z *= scale;
    return p;
}

/* Draws of births: one a track. */
#define CHEM_PULSE_STREAM 0x60000000u

/**
 * Time within a piece of a pulse, in which the current goes evenly from `first` to `last`, by which a part of its charge has
 * come: first s + (last - first) s^2/2 = part (first + last)/2.
 *
 * @param part  in [0, 1]
 * @return      s in [0, 1], of the piece
 * Draws: 0.
 */
CK_FN double chem_pulse_part(double first, double last, double part)
{
    double area = 0.5 * (first + last) * part;
    double below = first + ck_sqrt64(first * first + 2.0 * (last - first) * area);
    return below > 0.0 ? 2.0 * area / below : 0.0;
}

/* The part of a pulse's charge after which a track is born.  Draws: 1 quad. */
CK_FN double chem_pulse_charge(ck_philox4_key key, ck_u32 track)
{
    ck_quad counter;
    counter.a = track;
    counter.b = 0u;
    counter.c = 0u;
    counter.d = CHEM_PULSE_STREAM;
    ck_quad words = ck_philox4x32(key, counter);
    return ck_uniform64(words.a, words.b);
}

#endif
