/**
 * Both boxes of a node at once in the lanes of a CPU's vector: lane 2k + c is child c along axis k, as the words of a
 * node stand. The products and sums of the box test round twice here and once elsewhere, which the boxes allow for; the
 * hit is the same.
 */
#ifndef CK_GAS_NODE_LANES_H
#define CK_GAS_NODE_LANES_H

typedef ck_u32 gas_words8 __attribute__((vector_size(32), may_alias, aligned(4)));
typedef float gas_floats8 __attribute__((vector_size(32)));
typedef float gas_floats4 __attribute__((vector_size(16)));

typedef struct gas_slope_lanes {
    gas_words8 near, far;                          /* how far to shift a word for its nearer and farther plane */
    gas_floats8 inverse, enter_shift, leave_shift; /* lanes 6 and 7 never count */
} gas_slope_lanes;

CK_FN gas_slope_lanes gas_slope_lanes_of(gas_slope s)
{
    gas_slope_lanes l;
    gas_words8 near = {s.near_x, s.near_x, s.near_y, s.near_y, s.near_z, s.near_z, 0u, 0u};
    gas_floats8 inverse = {s.inverse_x, s.inverse_x, s.inverse_y, s.inverse_y, s.inverse_z, s.inverse_z, 0.0f, 0.0f};
    gas_floats8 enter = {s.shift_x, s.shift_x, s.shift_y, s.shift_y, s.shift_z, s.shift_z, -3.0e38f, -3.0e38f};
    l.near = near;
    l.far = near ^ 16u;
    l.inverse = inverse;
    l.enter_shift = enter;
    enter[6] = 3.0e38f;
    enter[7] = 3.0e38f;
    l.leave_shift = enter;
    return l;
}

CK_FN gas_floats8 gas_planes_of(gas_words8 words, gas_words8 shift)
{
    return (gas_floats8)((words >> shift & 0xFFFFu) << 8 | 0x3F000000u);
}

/* Lanes 0 and 1: the larger of lanes 0, 2, 4 and of 1, 3, 5. */
CK_FN gas_floats4 gas_largest(gas_floats8 v)
{
    gas_floats4 m =
        __builtin_ia32_maxps(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7));
    return __builtin_ia32_maxps(m, __builtin_shufflevector(m, m, 2, 3, 2, 3));
}

CK_FN gas_floats4 gas_smallest(gas_floats8 v)
{
    gas_floats4 m =
        __builtin_ia32_minps(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7));
    return __builtin_ia32_minps(m, __builtin_shufflevector(m, m, 2, 3, 2, 3));
}

#endif
