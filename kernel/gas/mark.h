/** Textures, profiles and teleports: what depends on where in a facet a molecule hits. */
#ifndef CK_GAS_MARK_H
#define CK_GAS_MARK_H

#include "gas/score.h"

/* Coordinates in the bounding rectangle of a facet, in [0, 1]. */
typedef struct gas_position {
    double u, v;
} gas_position;

CK_FN gas_position gas_position_of(CK_GLOBAL const gas_mark *mark, gas_vector place)
{
    gas_position at;
    gas_vector from = gas_vector_of(place.x - mark->origin[0], place.y - mark->origin[1], place.z - mark->origin[2]);
    at.u = gas_dot(from, gas_vector_of(mark->u[0], mark->u[1], mark->u[2])) * mark->inv_u2;
    at.v = gas_dot(from, gas_vector_of(mark->v[0], mark->v[1], mark->v[2])) * mark->inv_v2;
    return at;
}

/* Bin of x >= 0 (rounding may lead a little below 0 or past the end). */
CK_FN ck_u32 gas_bin(double x, ck_u32 n)
{
    ck_i32 bin = x > 0.0 ? (x < 1.0e9 ? (ck_i32)x : 1000000000) : 0;
    return (ck_u32)bin < n ? (ck_u32)bin : n - 1u;
}

/* First word of the texture cell that is hit, GAS_NOTHING without a texture. */
CK_FN ck_u32 gas_texture_word(CK_GLOBAL const gas_mark *mark, gas_vector place)
{
    ck_doubles4 u = ck_load_doubles4(mark->cell_u), v = ck_load_doubles4(mark->cell_v);
    double iu = ck_fma64(u.c, place.z, ck_fma64(u.b, place.y, ck_fma64(u.a, place.x, u.d)));
    double iv = ck_fma64(v.c, place.z, ck_fma64(v.b, place.y, ck_fma64(v.a, place.x, v.d)));
    ck_u32 cell = gas_bin(iv, mark->n_v) * mark->n_u + gas_bin(iu, mark->n_u);
    return mark->texture == GAS_NOTHING ? GAS_NOTHING : mark->texture + GAS_CELL_WORDS * cell;
}

/**
 * First word of the profile bin of an arrival or departure, GAS_NOTHING without a profile.
 * @param sine, cosine  of the angle with the normal, >= 0
 * Draws: 0.
 */
CK_FN ck_u32 gas_profile_word(CK_GLOBAL const gas_mark *mark, gas_position at, float speed, double cosine)
{
    double c = cosine < 1.0 ? cosine : 1.0;
    double sine = ck_sqrt64(ck_fma64(-c, c, 1.0));
    double x = 0.0;
    switch (mark->profile_kind) {
    case GAS_PROFILE_ALONG_U:
        x = at.u;
        break;
    case GAS_PROFILE_ALONG_V:
        x = at.v;
        break;
    case GAS_PROFILE_OF_ANGLE:
        x = (double)ck_acos_positive((float)c);
        break;
    case GAS_PROFILE_OF_SPEED:
        x = (double)speed;
        break;
    case GAS_PROFILE_OF_NORMAL_SPEED:
        x = (double)speed * c;
        break;
    default:
        x = (double)speed * sine;
    }
    ck_u32 bin = gas_bin(x * (double)mark->profile_scale, GAS_PROFILE_BINS);
    return mark->profile == GAS_NOTHING ? GAS_NOTHING : mark->profile + GAS_CELL_WORDS * bin;
}

/**
 * Put a molecule on the target of a teleport: the same (u, v) of the bounding rectangles, the same components of the
 * direction along U and V, and out of the target's front.
 *
 * @param at  position on the facet it came to
 * Draws: 0.
 */
CK_FN gas_molecule gas_teleport(gas_molecule m, CK_GLOBAL const gas_mark *from, CK_GLOBAL const gas_mark *to)
{
    gas_position at = gas_position_of(from, m.place);
    gas_vector u = gas_vector_of(from->u[0], from->u[1], from->u[2]),
               v = gas_vector_of(from->v[0], from->v[1], from->v[2]);
    double along_u = gas_dot(m.way, u) * ck_sqrt64(from->inv_u2), along_v = gas_dot(m.way, v) * ck_sqrt64(from->inv_v2);
    double along_n = gas_dot(m.way, gas_vector_of(from->normal[0], from->normal[1], from->normal[2]));
    u = gas_vector_of(to->u[0], to->u[1], to->u[2]);
    v = gas_vector_of(to->v[0], to->v[1], to->v[2]);
    m.place = gas_along(gas_along(gas_vector_of(to->origin[0], to->origin[1], to->origin[2]), at.u, u), at.v, v);
    gas_vector way =
        gas_times(gas_vector_of(to->normal[0], to->normal[1], to->normal[2]), along_n < 0.0 ? -along_n : along_n);
    m.way = gas_along(gas_along(way, along_u * ck_sqrt64(to->inv_u2), u), along_v * ck_sqrt64(to->inv_v2), v);
    m.skip = to->sheet;
    m.facet = to->facet;
    return m;
}

#endif
