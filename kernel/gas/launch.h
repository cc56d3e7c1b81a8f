/** Desorption: where, which way and how fast a molecule starts. */
#ifndef CK_GAS_LAUNCH_H
#define CK_GAS_LAUNCH_H

#include "gas/hit.h"

/* (word + 1/2) / 2^32. */
CK_FN double gas_uniform64(ck_u32 word)
{
    return ck_fma64((double)word, 2.3283064365386963e-10, 1.1641532182693481e-10);
}

/* A molecule as it starts, and what it adds to its facet. */
typedef struct gas_start {
    gas_molecule molecule;
    gas_amount leaving;
    ck_u32 facet, primitive;
    float cosine;
} gas_start;

/**
 * Choose a primitive with chance outgassing / (k T) by an alias table, a point uniformly in it, and a way by the law of
 * its surface; a two-sided one desorbs from either side alike.
 *
 * @param number  of the molecule in this launch
 * Draws: 1 quad of the launch's stream (primitive, kept or other, u and in its last bit the side, v), 1 of the
 * flight's.
 */
CK_FN gas_start gas_launch(ck_u32 number, CK_GLOBAL const gas_source *CK_RESTRICT sources,
                           CK_GLOBAL const gas_primitive *CK_RESTRICT primitives,
                           CK_GLOBAL const gas_surface_row *CK_RESTRICT surfaces, gas_params p)
{
    gas_start start;
    gas_molecule m;
    m.history_low = (ck_u32)p.first_history + number; /* no launch crosses a multiple of 2^32 */
    m.history_high = (ck_u32)(p.first_history >> 32);
    ck_quad words = gas_draw(p, 0u, m.history_low, m.history_high, GAS_STREAM_LAUNCH);
    ck_u32 entry = CK_MULHI32(words.a, p.n_sources);
    entry = words.b < sources[entry].keep ? entry : sources[entry].other;
    CK_GLOBAL const gas_source *source = sources + entry;
    CK_GLOBAL const gas_primitive *q = primitives + source->primitive;
    CK_GLOBAL const gas_surface_row *s = surfaces + q->surface;
    double u = gas_uniform64(words.c), v = gas_uniform64(words.d);
    int is_beyond = (q->facet & GAS_IS_TRIANGLE) != 0u && u + v > 1.0;
    u = is_beyond ? 1.0 - u : u;
    v = is_beyond ? 1.0 - v : v;
    m.place = gas_along(gas_along(gas_vector_of(source->corner[0], source->corner[1], source->corner[2]), u,
                                  gas_vector_of(source->edge_u[0], source->edge_u[1], source->edge_u[2])),
                        v, gas_vector_of(source->edge_v[0], source->edge_v[1], source->edge_v[2]));
    double side = (q->facet & GAS_IS_TWO_SIDED) != 0u && (words.c & 1u) != 0u ? -1.0 : 1.0;
    words = gas_draw(p, 0u, m.history_low, m.history_high, GAS_STREAM_FLIGHT);
    gas_angle angle = gas_cosine_law(words.a);
#ifndef GAS_ALL_PLAIN
    if ((s->flags & GAS_DESORBS_UNIFORMLY) != 0u) {
        angle = gas_uniform_law(words.a);
    } else if ((s->flags & GAS_DESORBS_POWER) != 0u) {
        angle = gas_power_law(words.a, s->desorption_power);
    }
#endif
    gas_basis b = gas_basis_of(q);
    m.way = gas_direction(b, side, angle, words.b);
    m.speed = gas_wall_speed(s->speed, p.is_mean_speed, words.c, words.d);
    m.path = 0.0;
    m.skip = q->sheet;
    m.facet = q->facet & GAS_FACET_MASK;
    m.event = 0u;
    m.source = s->source;
    m.teleported = GAS_NOTHING;
    m.structure = q->structure >= 0 ? q->structure : (ck_i32)p.first_structure;
    start.molecule = m;
    start.facet = q->facet & GAS_FACET_MASK;
    start.primitive = source->primitive;
    start.cosine = angle.cosine;
    start.leaving = gas_amount_of(m.speed * angle.cosine, p);
    return start;
}

#endif
