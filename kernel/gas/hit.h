/** A molecule at a facet: it passes, is pumped, or is reflected. */
#ifndef CK_GAS_HIT_H
#define CK_GAS_HIT_H

#include "gas/emit.h"
#include "gas/score.h"
#include "gas/trace.h"

/* What has become of a molecule. */
#define GAS_REFLECTED 0u
#define GAS_ABSORBED 1u
#define GAS_PASSED 2u /* through the facet, same way */

/* The event at a facet. */
typedef struct gas_turnout {
    gas_molecule molecule; /* as it leaves */
    gas_amount arriving, leaving;
    ck_u32 what;
} gas_turnout;

/* Move to the hit, and leave its sheet from there on. */
CK_FN gas_molecule gas_arrive(gas_molecule m, gas_hit hit, ck_u32 sheet)
{
    m.place = gas_along(m.place, hit.distance, m.way);
    m.path += hit.distance > 0.0 ? hit.distance : 0.0;
    m.skip = sheet;
    m.facet = hit.facet;
    m.event += 1u;
    return m;
}

/* The mirror image of a way: w - 2 (w . n) n.  Draws: 0. */
CK_FN gas_vector gas_mirror(gas_vector way, gas_vector normal, double cosine)
{
    return gas_along(way, -2.0 * cosine, normal);
}

/* The unit normal of a primitive and two unit vectors square to it and to each other. */
typedef struct gas_basis {
    gas_vector normal, tangent, other;
} gas_basis;

/* From the normal alone, so that all parts of a facet have one basis. Ref: Duff et al. 2017.  Draws: 0. */
CK_FN gas_basis gas_basis_of(CK_GLOBAL const gas_primitive *q)
{
    ck_doubles4 n = ck_load_doubles4(q->n);
    double sign = n.c < 0.0 ? -1.0 : 1.0, a = n.a * q->basis, b = a * n.b;
    gas_basis basis;
    basis.normal = gas_vector_of(n.a, n.b, n.c);
    basis.tangent = gas_vector_of(ck_fma64(sign * a, n.a, 1.0), sign * b, -sign * n.a);
    basis.other = gas_vector_of(b, ck_fma64(n.b * q->basis, n.b, sign), -n.b);
    return basis;
}

/**
 * A direction at polar angle `angle` about the normal of a basis, on the side of `side` (+1, -1), at an azimuth.
 * Draws: 1 word.
 */
CK_FN gas_vector gas_direction(gas_basis basis, double side, gas_angle angle, ck_u32 word)
{
    ck_direction2 turn = ck_turn(word);
    double a = (double)(angle.sine * turn.x), b = (double)(angle.sine * turn.y);
    gas_vector way = gas_times(basis.normal, side * (double)angle.cosine);
    return gas_along(gas_along(way, a, basis.tangent), b, basis.other);
}

/* A new way and speed from a wall by the cosine law, the common case.  Draws: 4 words of the flight's stream. */
CK_FN gas_turnout gas_reflect_plain(gas_turnout t, gas_basis b, double side, float wall_speed, gas_params p)
{
    ck_quad words = gas_draw(p, t.molecule.event, t.molecule.history_low, t.molecule.history_high, GAS_STREAM_FLIGHT);
    gas_angle angle = gas_cosine_law(words.a);
    t.molecule.way = gas_direction(b, side, angle, words.b);
    t.molecule.speed = gas_wall_speed(wall_speed, p.is_mean_speed, words.c, words.d);
    t.leaving = gas_amount_of(t.molecule.speed * angle.cosine, p);
    return t;
}

/**
 * Reflection by the shares of a surface: diffuse, specular, or cosine^n; the speed by accommodation.
 *
 * @param choice  a word: which kind
 * @param cosine  of the arriving way with the normal
 * Draws: 4 words of the flight's stream.
 */
CK_FN gas_turnout gas_reflect(gas_turnout t, gas_basis b, double cosine, CK_GLOBAL const gas_surface_row *s,
                              ck_u32 choice, gas_params p)
{
    double side = cosine < 0.0 ? 1.0 : -1.0;
    int is_diffuse = choice < s->diffuse || s->diffuse == GAS_NOTHING;
    int is_specular = !is_diffuse && (choice < s->specular || s->specular == GAS_NOTHING);
    float incoming = t.molecule.speed;
    gas_vector before = t.molecule.way;
    t = gas_reflect_plain(t, b, side, s->speed, p);
    float leaving_cosine = (float)(cosine < 0.0 ? -cosine : cosine);
    if (is_specular) {
        t.molecule.way = gas_mirror(before, b.normal, cosine);
    } else {
        ck_quad words =
            gas_draw(p, t.molecule.event, t.molecule.history_low, t.molecule.history_high, GAS_STREAM_FLIGHT);
        gas_angle angle = is_diffuse ? gas_cosine_law(words.a) : gas_power_law(words.a, s->cosine_power);
        t.molecule.way = gas_direction(b, side, angle, words.b);
        leaving_cosine = angle.cosine;
    }
    t.molecule.speed = gas_accommodate(incoming, t.molecule.speed, s->accommodation);
    if (is_specular && (s->flags & GAS_KEEPS_SPEED) != 0u) {
        t.molecule.speed = incoming;
    }
    t.leaving = gas_amount_of(t.molecule.speed * leaving_cosine, p);
    return t;
}

/**
 * The event of a molecule that reaches a facet.
 *
 * A surface without chances takes the plain way: pumped if sticking is 1, else reflected by the cosine law with a new
 * speed. Otherwise three words of the surface's stream decide, in this order: opacity, sticking, kind of reflection.
 *
 * Draws: none if pumped for certain; 1 quad of the flight's stream, and 1 of the surface's where it has chances.
 */
CK_FN gas_turnout gas_turn(gas_molecule m, gas_hit hit, CK_GLOBAL const gas_primitive *CK_RESTRICT primitives,
                           CK_GLOBAL const gas_surface_row *CK_RESTRICT surfaces, gas_params p)
{
    CK_GLOBAL const gas_primitive *q = primitives + hit.primitive;
    CK_GLOBAL const gas_surface_row *s = surfaces + q->surface;
    gas_turnout t;
    ck_u32 flags = s->flags;
    t.molecule = gas_arrive(m, hit, q->sheet);
    float cosine = (float)(hit.cosine < 0.0 ? -hit.cosine : hit.cosine);
    t.arriving = gas_amount_of(m.speed * cosine, p);
    t.arriving.slowness = gas_slowness_of(m.speed, p);
    t.leaving.pressure = t.leaving.density = t.leaving.slowness = t.leaving.n_capped = 0u;
    t.what = (flags & GAS_STICKS) != 0u ? GAS_ABSORBED : GAS_REFLECTED;
    if ((flags & GAS_IS_PLAIN) != 0u) {
        if (t.what == GAS_REFLECTED) {
            t = gas_reflect_plain(t, gas_basis_of(q), hit.cosine < 0.0 ? 1.0 : -1.0, s->speed, p);
        }
        return t;
    }
#ifdef GAS_ALL_PLAIN
    return t;
#else
    ck_quad chances = gas_draw(p, t.molecule.event, m.history_low, m.history_high, GAS_STREAM_SURFACE);
    int passes = (flags & (GAS_TELEPORTS | GAS_LINKS)) != 0u || (s->opacity != GAS_NOTHING && chances.a >= s->opacity);
    if (passes) {
        t.what = GAS_PASSED;
        t.leaving = t.arriving;
        t.leaving.slowness = 0u;
        t.molecule.structure = (flags & GAS_LINKS) != 0u ? s->link : t.molecule.structure;
        return t;
    }
    if (t.what == GAS_ABSORBED || chances.b < s->sticking) {
        t.what = GAS_ABSORBED;
        return t;
    }
    return gas_reflect(t, gas_basis_of(q), hit.cosine, s, chances.c, p);
#endif
}

#endif
