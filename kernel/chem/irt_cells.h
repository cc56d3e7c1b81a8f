/**
 * Who is near: cells as large as the longest distance that is looked at, in a hash table. The molecules that a track begins
 * with stand cell by cell; products hang in chains, so that places can be used again.
 */
#ifndef CHEM_IRT_CELLS_H
#define CHEM_IRT_CELLS_H

#include "irt_memory.h"

#define CHEM_IRT_EMPTY (~(ck_u64)0)
#define CHEM_IRT_MIDDLE 0x100000 /* coordinates of cells have 21 bits; the host sees to it that they suffice */

/* Number of the cell along one axis. */
CK_FN ck_u32 chem_irt_coordinate(double x, double cell)
{
    double v = x / cell;
    ck_i32 whole = (ck_i32)v;
    whole -= v < (double)whole ? 1 : 0;
    return (ck_u32)(whole + CHEM_IRT_MIDDLE);
}

/* Cells along z follow each other. */
CK_FN ck_u64 chem_irt_cell_key(ck_u32 i, ck_u32 j, ck_u32 k)
{
    return ((ck_u64)i << 42) | ((ck_u64)j << 21) | k;
}

CK_FN ck_u64 chem_irt_key_of(chem_irt_params p, chem_irt_point r)
{
    return chem_irt_cell_key(chem_irt_coordinate(r.x, p.cell), chem_irt_coordinate(r.y, p.cell), chem_irt_coordinate(r.z, p.cell));
}

/* Where the search for a cell in the table begins. */
CK_FN ck_u32 chem_irt_hash(chem_irt_params p, ck_u64 key)
{
    return (ck_u32)((key * (ck_u64)0x9E3779B97F4A7C15) >> 32) & (p.n_cells - 1u);
}

/* Where a cell stands in the table, or the empty place where it would. */
CK_FN ck_u32 chem_irt_find_cell(chem_irt_params p, chem_irt_memory m, ck_u64 key)
{
    ck_u32 at = chem_irt_hash(p, key);
    while (m.cell_key[at] != key && m.cell_key[at] != CHEM_IRT_EMPTY) {
        at = (at + 1u) & (p.n_cells - 1u);
    }
    return at;
}

/* The cell of a place, made if it is new; CHEM_NONE when the table is three quarters full. */
CK_FN ck_u32 chem_irt_cell_of(chem_irt_params p, chem_irt_memory m, chem_irt_point r)
{
    ck_u64 key = chem_irt_key_of(p, r);
    ck_u32 at = chem_irt_find_cell(p, m, key);
    if (m.cell_key[at] == CHEM_IRT_EMPTY) {
        if (m.n_used[0] >= p.n_cells / 4u * 3u) {
            return CHEM_NONE;
        }
        m.n_used[0] += 1u;
        m.cell_key[at] = key;
        m.cell_first[at] = 0u;
        m.cell_end[at] = 0u;
        m.cell_chain[at] = CHEM_NONE;
    }
    return at;
}

/* A row of neighbouring cells along z: the places of the molecules that the track began with, which follow each other, and how
 * far the row is from the cell it was formed for, in cells. */
typedef struct chem_irt_row {
    ck_u32 first, end;
    ck_i32 di, dj;
} chem_irt_row;

/* The cell `dk` along z in the row (di, dj) about a cell; CHEM_NONE where there is none. */
CK_FN ck_u32 chem_irt_neighbour(chem_irt_params p, chem_irt_memory m, ck_u32 cell, ck_i32 di, ck_i32 dj, ck_i32 dk)
{
    ck_u64 key = m.cell_key[cell];
    ck_u32 i = (ck_u32)(key >> 42) + (ck_u32)di;
    ck_u32 j = ((ck_u32)(key >> 21) & 0x1FFFFFu) + (ck_u32)dj;
    ck_u32 k = ((ck_u32)key & 0x1FFFFFu) + (ck_u32)dk;
    ck_u32 at = chem_irt_find_cell(p, m, chem_irt_cell_key(i, j, k));
    return m.cell_key[at] == CHEM_IRT_EMPTY ? CHEM_NONE : at;
}

/* Row number `which` (0 to ROWS - 1) about a cell, nobody in it yet. */
CK_FN chem_irt_row chem_irt_row_at(ck_u32 which)
{
    chem_irt_row row;
    row.di = (ck_i32)(which / (2u * CHEM_IRT_FINE + 1u)) - CHEM_IRT_FINE;
    row.dj = (ck_i32)(which % (2u * CHEM_IRT_FINE + 1u)) - CHEM_IRT_FINE;
    row.first = 0u;
    row.end = 0u;
    return row;
}

/* With the places of a cell of it: cells come in the order of z, as their places do. */
CK_FN chem_irt_row chem_irt_row_with(chem_irt_row row, chem_irt_memory m, ck_u32 cell)
{
    if (m.cell_end[cell] > m.cell_first[cell]) {
        row.first = row.end == 0u ? m.cell_first[cell] : row.first;
        row.end = m.cell_end[cell];
    }
    return row;
}

/* How far a coordinate is from the nearest point of the cell of that number along the axis. */
CK_FN double chem_irt_gap(double x, ck_u32 number, double cell)
{
    double west = (double)((ck_i32)number - CHEM_IRT_MIDDLE) * cell;
    return x < west ? west - x : x > west + cell ? x - west - cell : 0.0;
}

/* Square of what is left of the longest distance, along z, in a row seen from above; < 0: no place of it is near enough. */
CK_FN double chem_irt_left(chem_irt_params p, ck_u64 key, chem_irt_row row, double x, double y)
{
    double dx = chem_irt_gap(x, (ck_u32)(key >> 42) + (ck_u32)row.di, p.cell);
    double dy = chem_irt_gap(y, ((ck_u32)(key >> 21) & 0x1FFFFFu) + (ck_u32)row.dj, p.cell);
    return p.farthest * p.farthest * 1.0001 - dx * dx - dy * dy;
}

/* Order cells by key: a heap, taken down from its top. */
CK_FN void chem_irt_sink_cell(chem_irt_memory m, ck_u32 at, ck_u32 n)
{
    ck_u32 moved = m.cells[at];
    ck_u64 key = m.cell_key[moved];
    for (;;) {
        ck_u32 child = 2u * at + 1u;
        if (child >= n) {
            break;
        }
        if (child + 1u < n && m.cell_key[m.cells[child + 1u]] > m.cell_key[m.cells[child]]) {
            ++child;
        }
        if (m.cell_key[m.cells[child]] < key) {
            break;
        }
        m.cells[at] = m.cells[child];
        at = child;
    }
    m.cells[at] = moved;
}

CK_CALL void chem_irt_sort_cells(chem_irt_memory m, ck_u32 n)
{
    for (ck_u32 i = n / 2u; i-- > 0u;) {
        chem_irt_sink_cell(m, i, n);
    }
    for (ck_u32 i = n; i-- > 1u;) {
        ck_u32 largest = m.cells[0];
        m.cells[0] = m.cells[i];
        m.cells[i] = largest;
        chem_irt_sink_cell(m, 0u, i);
    }
}

/* Put a product into the chain of its cell. */
CK_FN void chem_irt_link(chem_irt_memory m, ck_u32 slot)
{
    ck_u32 cell = m.cell[slot];
    ck_u32 head = m.cell_chain[cell];
    m.next[slot] = head;
    m.previous[slot] = CHEM_NONE;
    if (head != CHEM_NONE) {
        m.previous[head] = slot;
    }
    m.cell_chain[cell] = slot;
}

CK_FN void chem_irt_unlink(chem_irt_memory m, ck_u32 slot)
{
    ck_u32 next = m.next[slot];
    ck_u32 previous = m.previous[slot];
    if (next != CHEM_NONE) {
        m.previous[next] = previous;
    }
    if (previous != CHEM_NONE) {
        m.next[previous] = next;
    } else {
        m.cell_chain[m.cell[slot]] = next;
    }
}

#endif
