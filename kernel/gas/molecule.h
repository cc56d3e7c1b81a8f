/** One molecule on its way. */
#ifndef CK_GAS_MOLECULE_H
#define CK_GAS_MOLECULE_H

#include "gas/params.h"

/* Three components. */
typedef struct gas_vector {
    double x, y, z;
} gas_vector;

typedef struct gas_molecule {
    gas_vector place; /* [m] */
    gas_vector way;   /* unit vector */
    double path;      /* length of the flights so far [m] */
    float speed;      /* [m/s] */
    ck_u32 skip;      /* sheet that it starts from, which it cannot hit again */
    ck_u32 facet;     /* that it has left */
    ck_u32 event;     /* 0: desorption, then one a hit */
    ck_u32 history_low, history_high;
    ck_u32 source;     /* row of the transmission table: where it was desorbed */
    ck_u32 teleported; /* mark of the last teleport, GAS_NOTHING: none */
    ck_i32 structure;
} gas_molecule;

CK_FN gas_vector gas_vector_of(double x, double y, double z)
{
    gas_vector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

CK_FN double gas_dot(gas_vector a, gas_vector b)
{
    return ck_fma64(a.z, b.z, ck_fma64(a.y, b.y, a.x * b.x));
}

/* a + s b */
CK_FN gas_vector gas_along(gas_vector a, double s, gas_vector b)
{
    return gas_vector_of(ck_fma64(s, b.x, a.x), ck_fma64(s, b.y, a.y), ck_fma64(s, b.z, a.z));
}

CK_FN gas_vector gas_times(gas_vector a, double s)
{
    return gas_vector_of(a.x * s, a.y * s, a.z * s);
}

CK_FN gas_vector gas_cross(gas_vector a, gas_vector b)
{
    return gas_vector_of(ck_fma64(a.y, b.z, -(a.z * b.y)), ck_fma64(a.z, b.x, -(a.x * b.z)),
                         ck_fma64(a.x, b.y, -(a.y * b.x)));
}

/* The random words of one event in one stream.  Draws: 1 (a quad). */
CK_FN ck_quad gas_draw_now(gas_params p, ck_u32 event, ck_u32 history_low, ck_u32 history_high, ck_u32 stream)
{
    ck_quad counter;
    counter.a = event;
    counter.b = history_low;
    counter.c = history_high;
    counter.d = stream;
    return ck_philox4x32(p.key, counter);
}

#ifdef GAS_DRAWS_AHEAD
/* The same words, which an entry has drawn in advance and kept. */
CK_FN ck_quad gas_draw(gas_params p, ck_u32 event, ck_u32 history_low, ck_u32 history_high, ck_u32 stream);
#else
#define gas_draw(p, event, history_low, history_high, stream) \
    gas_draw_now(p, event, history_low, history_high, stream)
#endif

#endif
