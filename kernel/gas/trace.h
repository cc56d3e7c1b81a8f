/**
 * Which primitive does a molecule hit first?
 *
 * The boxes of the hierarchy are rounded outwards by more than all rounding of the box test, so a primitive is never
 * missed for a box; the test of a primitive is in double precision, and of equally near ones the lowest facet is hit.
 * So the answer depends on the primitives alone, not on the tree or the order of visits.
 */
#ifndef CK_GAS_TRACE_H
#define CK_GAS_TRACE_H

#include "arithmetic.h"
#include "gas/cone.h"
#include "gas/molecule.h"

/* A reference to a part of the hierarchy: a primitive (its top bit is set) or a node, 26 bits of number, five of the
 * cone that the normals below it lie in. */
#define GAS_LEAF 0x80000000u
#define GAS_NUMBER_OF(reference) (((reference) & ~GAS_LEAF) >> 5)
#define GAS_ROOT GAS_NO_CONE
#define GAS_STACK 49
#define GAS_NODE_WORDS 8u

/* The nearest hit so far. */
typedef struct gas_hit {
    double distance;  /* [m] */
    double cosine;    /* of the way with the normal: < 0 from the front */
    ck_u32 primitive; /* GAS_NOTHING: none yet */
    ck_u32 facet;
} gas_hit;

/* A molecule's way in the coordinates of the nodes: a plane x is reached after x * inverse + shift. */
typedef struct gas_slope {
    float inverse_x, inverse_y, inverse_z;
    float shift_x, shift_y, shift_z;
    ck_u32 near_x, near_y, near_z; /* selector of the nearer plane of a box */
} gas_slope;

CK_FN gas_hit gas_no_hit(void)
{
    gas_hit hit;
    hit.distance = 1.0e30;
    hit.cosine = 0.0;
    hit.primitive = GAS_NOTHING;
    hit.facet = GAS_NOTHING;
    return hit;
}

/* Away from zero: 0 * infinity would drop a box. */
CK_FN float gas_not_zero(float slope, float least)
{
    return ck_fabs(slope) < least ? (slope < 0.0f ? -least : least) : slope;
}

CK_FN gas_slope gas_slope_of(gas_vector place, gas_vector way, gas_params p)
{
    gas_slope s;
    s.inverse_x = ck_reciprocal(gas_not_zero((float)(way.x * p.grid_scale[0]), p.steepest));
    s.inverse_y = ck_reciprocal(gas_not_zero((float)(way.y * p.grid_scale[1]), p.steepest));
    s.inverse_z = ck_reciprocal(gas_not_zero((float)(way.z * p.grid_scale[2]), p.steepest));
    s.shift_x = -(float)ck_fma64(place.x, p.grid_scale[0], p.grid_shift[0]) * s.inverse_x;
    s.shift_y = -(float)ck_fma64(place.y, p.grid_scale[1], p.grid_shift[1]) * s.inverse_y;
    s.shift_z = -(float)ck_fma64(place.z, p.grid_scale[2], p.grid_shift[2]) * s.inverse_z;
    CK_PIN_FLOAT(s.shift_x); /* or nvcc computes them anew, in double precision, at every node */
    CK_PIN_FLOAT(s.shift_y);
    CK_PIN_FLOAT(s.shift_z);
    s.near_x = s.inverse_x < 0.0f ? CK_HIGH_HALF : CK_LOW_HALF;
    s.near_y = s.inverse_y < 0.0f ? CK_HIGH_HALF : CK_LOW_HALF;
    s.near_z = s.inverse_z < 0.0f ? CK_HIGH_HALF : CK_LOW_HALF;
    return s;
}

#define GAS_OTHER_HALF(selector) ((selector) ^ (CK_LOW_HALF ^ CK_HIGH_HALF))

/* Where the way enters and leaves a box; it meets the box if `enter` <= `leave`. */
typedef struct gas_span {
    float enter, leave;
} gas_span;

/**
 * The part of a way inside a box, cut to [0, limit].
 * @param x, y, z  the box's planes along the axes, as in a node
 */
CK_FN gas_span gas_span_of(gas_slope s, ck_u32 x, ck_u32 y, ck_u32 z, float limit)
{
    gas_span span;
    float enter_x = ck_fma(ck_half_to_float(x, s.near_x), s.inverse_x, s.shift_x);
    float enter_y = ck_fma(ck_half_to_float(y, s.near_y), s.inverse_y, s.shift_y);
    float enter_z = ck_fma(ck_half_to_float(z, s.near_z), s.inverse_z, s.shift_z);
    float leave_x = ck_fma(ck_half_to_float(x, GAS_OTHER_HALF(s.near_x)), s.inverse_x, s.shift_x);
    float leave_y = ck_fma(ck_half_to_float(y, GAS_OTHER_HALF(s.near_y)), s.inverse_y, s.shift_y);
    float leave_z = ck_fma(ck_half_to_float(z, GAS_OTHER_HALF(s.near_z)), s.inverse_z, s.shift_z);
    span.enter = ck_max3(ck_max3(enter_x, enter_y, enter_z), 0.0f, 0.0f);
    span.leave = ck_min3(ck_min3(leave_x, leave_y, leave_z), limit, limit);
    return span;
}

/* Where a hit at this distance cuts off the boxes behind it: in 32 bits, rounded up. */
CK_FN float gas_limit(double distance)
{
    float d = (float)distance;
    return ck_fma(ck_fmax(d, 0.0f), 1.000001f, 1.0e-30f);
}

/**
 * Test one primitive: plane first, then the coordinates in its basis.
 *
 * @param best  the nearest hit so far
 * @return      this one if it is nearer, or as near and of a lower facet; else `best`
 */
CK_FN gas_hit gas_test(CK_GLOBAL const gas_primitive *CK_RESTRICT primitives, ck_u32 number, gas_vector place,
                       gas_vector way, ck_u32 skip, ck_i32 structure, double nearest, gas_hit best)
{
    CK_GLOBAL const gas_primitive *q = primitives + number;
    ck_doubles4 n = ck_load_doubles4(q->n);
    ck_u32 facet = q->facet;
    double cosine = ck_fma64(n.c, way.z, ck_fma64(n.b, way.y, n.a * way.x));
    double height = n.d - ck_fma64(n.c, place.z, ck_fma64(n.b, place.y, n.a * place.x));
    double distance = height / cosine;
    ck_u32 number_of_facet = facet & GAS_FACET_MASK;
    int is_seen = cosine < 0.0 || ((facet & GAS_IS_TWO_SIDED) != 0u && cosine > 0.0);
    int is_nearer = distance < best.distance || (distance == best.distance && number_of_facet < best.facet);
    if (!is_seen || !is_nearer || !(distance > nearest) || q->sheet == skip) {
        return best;
    }
#ifdef GAS_ONE_STRUCTURE
    (void)structure;
#else
    if (q->structure >= 0 && q->structure != structure) {
        return best;
    }
#endif
    gas_vector hit = gas_along(place, distance, way);
    ck_doubles4 basis = ck_load_doubles4(q->u);
    double u = ck_fma64(basis.c, hit.z, ck_fma64(basis.b, hit.y, ck_fma64(basis.a, hit.x, basis.d)));
    basis = ck_load_doubles4(q->v);
    double v = ck_fma64(basis.c, hit.z, ck_fma64(basis.b, hit.y, ck_fma64(basis.a, hit.x, basis.d)));
    double slack_u = (double)q->slack_u, slack_v = (double)q->slack_v;
    int is_triangle = (facet & GAS_IS_TRIANGLE) != 0u;
    double end_u = is_triangle ? 1.0 - v : 1.0, end_v = is_triangle ? 1.0 - u : 1.0;
    int is_inside = u >= -slack_u && v >= -slack_v && u <= end_u + slack_u && v <= end_v + slack_v;
    if (is_inside) {
        best.distance = distance;
        best.cosine = cosine;
        best.primitive = number;
        best.facet = number_of_facet;
    }
    return best;
}

#ifdef GAS_NODES_NEAR
#define GAS_NODES CK_LOCAL
#define gas_load_node(nodes, word) ck_load_local_words4((nodes) + (word))
#else
#define GAS_NODES CK_GLOBAL
#define gas_load_node(nodes, word) ck_load_words4((nodes) + (word))
#endif

#if defined(CK_LANG_C) && defined(__AVX2__)
#include "gas/node_lanes.h"
#define GAS_NODE_LANES 1
#endif

/* Which children of a node are met, and in which order. */
typedef struct gas_visit {
    ck_u32 first, second; /* child to go to; child to come back to, or GAS_NOTHING: none */
} gas_visit;

/* The nearer child first. A child that is not met, or that is only seen from behind, is nothing, and lies behind
 * everything. `behind`: gas_cones_behind of the way. */
CK_FN gas_visit gas_order(gas_span a, gas_span b, ck_u32 child_a, ck_u32 child_b, ck_u32 behind)
{
    int is_a = a.enter <= a.leave && !ck_bit_of(behind, child_a),
        is_b = b.enter <= b.leave && !ck_bit_of(behind, child_b);
    float enter_a = is_a ? a.enter : 3.0e38f, enter_b = is_b ? b.enter : 3.0e38f;
    child_a = is_a ? child_a : GAS_NOTHING;
    child_b = is_b ? child_b : GAS_NOTHING;
    int is_b_first = enter_b < enter_a;
    gas_visit v;
    v.first = is_b_first ? child_b : child_a;
    v.second = is_b_first ? child_a : child_b;
    return v;
}

#if defined(GAS_NODE_LANES)
typedef gas_slope_lanes gas_slope_here;
#define gas_slope_here_of(slope) gas_slope_lanes_of(slope)
CK_FN gas_visit gas_visit_node(const ck_u32 *CK_RESTRICT nodes, ck_u32 node, gas_slope_lanes slope, ck_u32 behind,
                               float limit)
{
    gas_words8 words = *(const gas_words8 *)(nodes + node);
    gas_floats4 enter = gas_largest(gas_planes_of(words, slope.near) * slope.inverse + slope.enter_shift);
    gas_floats4 leave = gas_smallest(gas_planes_of(words, slope.far) * slope.inverse + slope.leave_shift);
    gas_span a, b;
    a.enter = ck_fmax(enter[0], 0.0f);
    b.enter = ck_fmax(enter[1], 0.0f);
    a.leave = ck_fmin(leave[0], limit);
    b.leave = ck_fmin(leave[1], limit);
    return gas_order(a, b, words[6], words[7], behind);
}
#else
typedef gas_slope gas_slope_here;
#define gas_slope_here_of(slope) (slope)
/* Both children of a node, given by its first word, against the way: GAS_NOTHING in `first` when neither is met. */
CK_FN gas_visit gas_visit_node(GAS_NODES const ck_u32 *CK_RESTRICT nodes, ck_u32 node, gas_slope slope, ck_u32 behind,
                               float limit)
{
    ck_words4 low = gas_load_node(nodes, node), high = gas_load_node(nodes, node + 4u);
    gas_span a = gas_span_of(slope, low.a, low.c, high.a, limit);
    gas_span b = gas_span_of(slope, low.b, low.d, high.b, limit);
    return gas_order(a, b, high.c, high.d, behind);
}
#endif

/* A molecule's search for its hit. The stack of parts to come back to is the caller's: an array in a struct would drag
 * all of it into memory. */
typedef struct gas_walk {
    gas_slope_here slope;
    gas_hit best;
    float limit;
    ck_u32 behind;
    ck_u32 at;    /* reference to go to; GAS_NOTHING: the search has ended */
    ck_u32 depth; /* of the stack */
} gas_walk;

CK_FN gas_walk gas_walk_from(gas_vector place, gas_vector way, gas_params p, ck_u32 *stack)
{
    gas_walk w;
    w.slope = gas_slope_here_of(gas_slope_of(place, way, p));
    w.best = gas_no_hit();
    w.limit = gas_limit(w.best.distance);
    w.behind = gas_cones_behind(way);
    w.at = GAS_ROOT;
    w.depth = 1u;
    stack[0] = GAS_NOTHING; /* below the first child: the end */
    return w;
}

/* On a GPU the lanes of a warp search side by side, and each step takes as long as the slowest: after so many nodes
 * those that have come to a primitive test it, without waiting for those that have not. */
#if defined(CK_LANG_C)
#define GAS_GOES_ON(step) 1
#else
#ifndef GAS_STEPS
#define GAS_STEPS 4u
#endif
#define GAS_GOES_ON(step) ((step) < GAS_STEPS)
#endif

/** Some nodes further, to the next primitive at most, which is tested.  Draws: 0. */
CK_FN gas_walk gas_walk_on(gas_walk w, ck_u32 *stack, gas_vector place, gas_vector way, ck_u32 skip, ck_i32 structure,
                           gas_params p, GAS_NODES const ck_u32 *CK_RESTRICT nodes,
                           CK_GLOBAL const gas_primitive *CK_RESTRICT primitives)
{
    for (ck_u32 step = 0u; GAS_GOES_ON(step) && (w.at & GAS_LEAF) == 0u; ++step) {
        gas_visit v = gas_visit_node(nodes, GAS_NODE_WORDS * GAS_NUMBER_OF(w.at), w.slope, w.behind, w.limit);
#if defined(CK_LANG_C) /* no branch for a CPU to guess wrong; a GPU predicates the store */
        stack[w.depth] = v.second;
        w.depth += v.second != GAS_NOTHING ? 1u : 0u;
#else
        if (v.second != GAS_NOTHING) {
            stack[w.depth] = v.second;
            w.depth += 1u;
        }
#endif
        w.at = v.first;
        if (w.at == GAS_NOTHING) {
            w.depth -= 1u;
            w.at = stack[w.depth];
        }
    }
    if (w.at != GAS_NOTHING && (w.at & GAS_LEAF) != 0u) {
        w.best = gas_test(primitives, GAS_NUMBER_OF(w.at), place, way, skip, structure, p.nearest, w.best);
        w.limit = gas_limit(w.best.distance);
        w.depth -= 1u;
        w.at = stack[w.depth];
    }
    return w;
}

/**
 * The first primitive on a molecule's way.
 *
 * @param p      nodes' coordinates and tolerances
 * @param nodes  of the hierarchy, the root first (geom/bvh.h)
 * @return       primitive GAS_NOTHING if there is none: a leak
 * Draws: 0.
 */
CK_FN gas_hit gas_trace(gas_vector place, gas_vector way, ck_u32 skip, ck_i32 structure, gas_params p,
                        GAS_NODES const ck_u32 *CK_RESTRICT nodes,
                        CK_GLOBAL const gas_primitive *CK_RESTRICT primitives)
{
    ck_u32 stack[GAS_STACK];
    gas_walk w = gas_walk_from(place, way, p, stack);
    while (w.at != GAS_NOTHING) {
        w = gas_walk_on(w, stack, place, way, skip, structure, p, nodes, primitives);
    }
    return w.best;
}

#endif
