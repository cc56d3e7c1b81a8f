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

/* Cells have 12 bits: every 4096th along an axis has the same number, and so has every place of it. Distances tell them apart. */
#define CHEM_CELL_BITS 12u
#define CHEM_PLACE_BITS 20u

/**
 * A place along one axis as a word: number of its cell modulo 2^12, then 20 bits of where it is in the cell. Differences of such
 * words, modulo 2^32, are those of the places.
 */
CK_FN ck_u32 chem_spot_of(ck_u32 space, double box, ck_u32 n_cells, double inv_cell, double x)
{
    double place = (space == CHEM_SPACE_IS_PERIODIC ? x + 0.5 * box : x) * inv_cell;
    ck_i64 cell = (ck_i64)place;
    cell -= (double)cell > place ? 1 : 0;
    if (space == CHEM_SPACE_IS_PERIODIC) {
        cell = cell < 0 ? 0 : cell >= (ck_i64)n_cells ? (ck_i64)n_cells - 1 : cell;
    }
    double part = (place - (double)cell) * 1048576.0;
    return ((ck_u32)cell << CHEM_PLACE_BITS) | (part < 1048575.0 ? (ck_u32)(ck_i32)part : 1048575u);
}

/** The neighbouring number of a cell in [0, n): the first one follows the last. */
CK_FN ck_u32 chem_wrap_cell(ck_u32 n, ck_u32 cell, ck_i32 by)
{
    ck_u32 to = cell + (ck_u32)by;
    return by < 0 && cell == 0u ? n - 1u : to == n ? 0u : to;
}

/**
 * Bucket of a cell. Neighbours in space are neighbours in memory: x by x, a row 64 buckets further, a layer 4096 further, so that the
 * molecules that a worker looks at one after the other share their cache lines. Cells that fall into one bucket are told apart by
 * their words. Within a region that histories share they begin at different places.
 */
CK_FN ck_u32 chem_bucket(ck_u32 x, ck_u32 y, ck_u32 z, ck_u32 history, ck_u32 region_mask, ck_u32 region)
{
    return ((x + 64u * y + 4096u * z + history * 0x9E3779B1u) & region_mask) + history * region;
}

#endif
