/**
 * Candidate records: which facets can a molecule from this patch of a facet, in this range of directions, hit at all?
 *
 * The directions of a facet are divided by their angle in a plane that is square to an axis: the long one of a tube, or
 * the normal of a cap. A record is a list of facets, made in advance, that holds all that are in reach. Where they and
 * the patch lie in front of one another's planes, the hit is the nearest plane that the way goes through from its
 * front: no test of the inside and no tree. Else the record says so, and the hierarchy is asked. Both give the same
 * facet at the same distance, to the last bit.
 */
#ifndef CK_GAS_RECORDS_H
#define CK_GAS_RECORDS_H

#include "gas/trace.h"

/* How the directions and places of a facet are divided. 112 bytes. */
typedef struct gas_view {
    double e1[3], e2[3]; /* the plane of the angle */
    ck_u32 first;        /* record of patch 0, bin 0 */
    ck_u32 n_bins;
    float scale;     /* bins per unit of the angle below */
    ck_u32 n_u, n_v; /* patches; 1 and 1: the whole facet */
    ck_u32 unused;
    float u[4], v[4]; /* patch of a place: p . u + u0, in [0, n_u] */
    ck_u32 primitive; /* the facet's first */
    ck_u32 unused2;
} gas_view;

CK_STATIC_ASSERT(sizeof(gas_view) == 112, gas_view_has_112_bytes);

/* A record is four words: runs of facets, first * 4096 + how many; 0: no more. In the first word GAS_NOTHING: ask the
 * tree. */
#define GAS_RUN_BITS 12
#define GAS_RUN_MASK 4095u

/* An angle that needs no arctangent: grows with that of (x, y) from 0 to 4 over a whole turn. */
CK_FN float gas_diamond_angle(float x, float y)
{
    float q = x * ck_reciprocal(ck_fmax(ck_fabs(x) + ck_fabs(y), 1.0e-30f));
    return y >= 0.0f ? 1.0f - q : 3.0f + q;
}

CK_FN ck_u32 gas_cell(float x, ck_u32 n)
{
    ck_i32 cell = (ck_i32)ck_fmin(ck_fmax(x, 0.0f), 1.0e9f);
    return (ck_u32)cell < n ? (ck_u32)cell : n - 1u;
}

/* Number of the record of a molecule that leaves a facet. */
CK_FN ck_u32 gas_record_of(CK_GLOBAL const gas_view *view, gas_vector place, gas_vector way)
{
    double x = ck_fma64(view->e1[2], way.z, ck_fma64(view->e1[1], way.y, view->e1[0] * way.x));
    double y = ck_fma64(view->e2[2], way.z, ck_fma64(view->e2[1], way.y, view->e2[0] * way.x));
    ck_u32 bin = gas_cell(gas_diamond_angle((float)x, (float)y) * view->scale, view->n_bins);
    ck_u32 patch = 0u;
    if (view->n_u != 1u) {
        float px = (float)place.x, py = (float)place.y, pz = (float)place.z;
        float u = ck_fma(view->u[2], pz, ck_fma(view->u[1], py, ck_fma(view->u[0], px, view->u[3])));
        float v = ck_fma(view->v[2], pz, ck_fma(view->v[1], py, ck_fma(view->v[0], px, view->v[3])));
        patch = gas_cell(v, view->n_v) * view->n_u + gas_cell(u, view->n_u);
    }
    return view->first + patch * view->n_bins + bin;
}

/* The nearest plane so far, as a fraction: distance = height / cosine. */
typedef struct gas_front {
    double height, cosine;
    ck_u32 facet;
} gas_front;

/* One plane: h / c < best_h / best_c without a division, both cosines being negative. */
CK_FN gas_front gas_front_of(ck_u32 facet, gas_vector place, gas_vector way, CK_GLOBAL const double *CK_RESTRICT planes,
                             gas_front best)
{
    ck_doubles4 n = ck_load_doubles4(planes + 4u * facet);
    double cosine = ck_fma64(n.c, way.z, ck_fma64(n.b, way.y, n.a * way.x));
    double height = n.d - ck_fma64(n.c, place.z, ck_fma64(n.b, place.y, n.a * place.x));
    int is_nearer = cosine < 0.0 && height * best.cosine < best.height * cosine;
    best.height = is_nearer ? height : best.height;
    best.cosine = is_nearer ? cosine : best.cosine;
    best.facet = is_nearer ? facet : best.facet;
    return best;
}

/* All planes of a record, run after run. */
CK_FN gas_front gas_front_of_record(ck_words4 runs, gas_vector place, gas_vector way,
                                    CK_GLOBAL const double *CK_RESTRICT planes)
{
    gas_front best;
    best.height = -1.0e30;
    best.cosine = -1.0;
    best.facet = GAS_NOTHING;
    while (runs.a != 0u) {
        ck_u32 facet = runs.a >> GAS_RUN_BITS, end = facet + (runs.a & GAS_RUN_MASK);
        for (; facet < end; ++facet) {
            best = gas_front_of(facet, place, way, planes, best);
        }
        runs.a = runs.b;
        runs.b = runs.c;
        runs.c = runs.d;
        runs.d = 0u;
    }
    return best;
}

/**
 * The hit of a way by a record; primitive GAS_NOTHING if the record sends to the tree.
 *
 * @param views    one a facet
 * @param planes   unit normal and n . p of every facet
 * Draws: 0.
 */
CK_FN gas_hit gas_look_up(ck_u32 from, gas_vector place, gas_vector way, CK_GLOBAL const gas_view *CK_RESTRICT views,
                          CK_GLOBAL const ck_u32 *CK_RESTRICT records, CK_GLOBAL const double *CK_RESTRICT planes)
{
    gas_hit hit = gas_no_hit();
    ck_words4 runs = ck_load_words4(records + 4u * gas_record_of(views + from, place, way));
    if (runs.a != GAS_NOTHING) {
        gas_front best = gas_front_of_record(runs, place, way, planes);
        if (best.facet != GAS_NOTHING) {
            hit.distance = best.height / best.cosine;
            hit.cosine = best.cosine;
            hit.facet = best.facet;
            hit.primitive = views[best.facet].primitive;
        }
    }
    return hit;
}

#endif
