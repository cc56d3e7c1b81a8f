/**
 * Cones of normals: parts of the hierarchy that a way can only see from behind are not looked at.
 *
 * A one-sided facet is invisible from behind. Where all normals below a node lie within a cone, and a way makes less
 * than a right angle with every direction of that cone, nothing below the node can be hit. A molecule that leaves a
 * wall is spared the neighbours of its facet in this way, most of which it would otherwise have to be tested against.
 *
 * There are 31 cones, numbered as follows; a node names the one that its children's normals lie in, or none (31).
 *  2 j, 2 j + 1   about +a and -a, a being axis j of the 13 of a cube (three through faces, six through edges, four
 *                 through corners), half angle 24 degrees: every normal lies in one of these or nearly so
 *  26 to 30       about +x, -x, +y, -y, +z, half angle 45 degrees
 */
#ifndef CK_GAS_CONE_H
#define CK_GAS_CONE_H

#include "gas/molecule.h"

#define GAS_N_CONES 31u
#define GAS_NO_CONE 31u
#define GAS_NARROW_CONES 26u
/* Sines and cosines of the half angles; the sines a little larger, for all rounding of a way and of the sums below. */
#define GAS_NARROW_COSINE 0.9135454576426009
#define GAS_WIDE_COSINE 0.7071067811865476
#define GAS_NARROW_SINE 0.4069f
#define GAS_WIDE_SINE 0.7073f
#define GAS_ROOT_2 1.4142136f
#define GAS_ROOT_3 1.7320508f

/* The bits of cones about +a and -a. `along` is the way along a, `sine` times the length of a. */
CK_FN ck_u32 gas_cone_pair(ck_u32 first, float along, float sine)
{
    return (along > sine ? (ck_u32)1 << first : 0u) | (along < -sine ? (ck_u32)2 << first : 0u);
}

/** Which cones a way sees from behind: bit c for cone c; never that of GAS_NO_CONE.  Draws: 0. */
CK_FN ck_u32 gas_cones_behind(gas_vector way)
{
    float x = (float)way.x, y = (float)way.y, z = (float)way.z;
    float edge = GAS_NARROW_SINE * GAS_ROOT_2, corner = GAS_NARROW_SINE * GAS_ROOT_3;
    ck_u32 bits = gas_cone_pair(0u, x, GAS_NARROW_SINE) | gas_cone_pair(2u, y, GAS_NARROW_SINE) |
                  gas_cone_pair(4u, z, GAS_NARROW_SINE);
    bits |= gas_cone_pair(6u, x + y, edge) | gas_cone_pair(8u, x - y, edge) | gas_cone_pair(10u, x + z, edge);
    bits |= gas_cone_pair(12u, x - z, edge) | gas_cone_pair(14u, y + z, edge) | gas_cone_pair(16u, y - z, edge);
    bits |= gas_cone_pair(18u, x + y + z, corner) | gas_cone_pair(20u, x + y - z, corner);
    bits |= gas_cone_pair(22u, x - y + z, corner) | gas_cone_pair(24u, x - y - z, corner);
    bits |= gas_cone_pair(26u, x, GAS_WIDE_SINE) | gas_cone_pair(28u, y, GAS_WIDE_SINE);
    return bits | (z > GAS_WIDE_SINE ? (ck_u32)1 << 30 : 0u);
}

#endif
