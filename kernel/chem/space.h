/** Space: the cells of the search for neighbours, and boxes. */
#ifndef CHEM_SPACE_H
#define CHEM_SPACE_H

#include "params.h"

/** The whole number below x, wrapped to 32 bits (cells far out only share a bucket, which the distance tells apart). */
CK_FN ck_i32 chem_floor(double x)
{
    ck_i64 n = (ck_i64)x;
    n -= (double)n > x ? 1 : 0;
    return (ck_i32)n;
}

/** x back into the box [-L/2, L/2): by whole edges (periodic), or by mirrors (reflecting). */
CK_FN double chem_fold(ck_u32 space, double box, double inv_box, double x)
{
    double turns = (double)chem_floor(x * inv_box + 0.5);
    double inside = x - turns * box;
    if (space == CHEM_SPACE_IS_REFLECTING && ((ck_i64)turns & 1) != 0) {
        inside = -inside;
    }
    return space == CHEM_SPACE_IS_OPEN ? x : inside;
}

/** The shortest of the differences of two positions that are the same up to whole edges. */
CK_FN double chem_nearest_image(ck_u32 space, double box, double difference)
{
    double middle = 0.5 * box;
    if (space == CHEM_SPACE_IS_PERIODIC) {
        difference = difference > middle ? difference - box : difference;
        difference = difference < -middle ? difference + box : difference;
    }
    return difference;
}

/** Number of a cell along one axis, from 0 in a periodic box. */
CK_FN ck_i32 chem_cell(ck_u32 space, double box, ck_u32 n_cells, double inv_cell, double x)
{
    if (space == CHEM_SPACE_IS_PERIODIC) {
        ck_i32 cell = chem_floor((x + 0.5 * box) * inv_cell);
        return cell < 0 ? 0 : cell >= (ck_i32)n_cells ? (ck_i32)n_cells - 1 : cell;
    }
    return chem_floor(x * inv_cell);
}

/** The neighbouring number, over the edge of a periodic box. */
CK_FN ck_i32 chem_wrap_cell(ck_u32 space, ck_u32 n_cells, ck_i32 cell)
{
    if (space == CHEM_SPACE_IS_PERIODIC) {
        cell = cell < 0 ? cell + (ck_i32)n_cells : cell;
        cell = cell >= (ck_i32)n_cells ? cell - (ck_i32)n_cells : cell;
    }
    return cell;
}

/**
 * A word for the row of cells along x at (y, z) of a history. Neighbouring rows must have different words, or a pair would be
 * met twice: y, z and history are mixed one after the other (a sum or exclusive or of multiples is the same for (y, z) and
 * (-y, -z), because minus an odd number is its complement with the last bit set).
 */
CK_FN ck_u32 chem_row(ck_i32 y, ck_i32 z, ck_u32 history)
{
    ck_u32 h = history * 0xC2B2AE3Du + (ck_u32)y;
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h += (ck_u32)z;
    h *= 0x846CA68Bu;
    h ^= h >> 16;
    h *= 0x9E3779B1u;
    return h ^ (h >> 15);
}

/**
 * Bucket of a cell. Neighbours in space are neighbours in memory: x by x, a row 64 buckets further, a layer 4096 further, so that the
 * molecules that a worker looks at one after the other share their cache lines. Cells that fall into one bucket are told apart by the
 * word of their row and by distance.
 */
CK_FN ck_u32 chem_bucket(ck_i32 x, ck_i32 y, ck_i32 z, ck_u32 history, ck_u32 mask)
{
    return ((ck_u32)x + 64u * (ck_u32)y + 4096u * (ck_u32)z + history * 0x9E3779B1u) & mask;
}

#endif
