/**
 * One history of `irt` by one worker: the candidates of a molecule are looked at side by side, as many as fit a vector.
 *
 * The includer defines CHEM_SIMD_OR(any): what makes a compiler run the lanes of a loop side by side.
 */
#ifndef CHEM_IRT_SERIAL_H
#define CHEM_IRT_SERIAL_H

#include "irt_track.h"

/* ---------------------------------------------------------------------------------------------------- pairs */

CK_FN void chem_irt_wait(chem_irt_history *h, chem_irt_entry e)
{
    if (e.time <= h->p.end) {
        chem_irt_push(&h->q, e);
    }
}

/* Ask one pair. */
CK_CALL void chem_irt_ask(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    chem_irt_wait(h, chem_irt_entry_of_pair(h, one, other));
}

/* A block of places from `first` on: which of them could react with it. Returns whether any. */
CK_FN ck_u32 chem_irt_sift_block(chem_irt_memory m, chem_irt_asker a, ck_u32 first, ck_u32 end,
                                 ck_u32 is_possible[CHEM_IRT_LANES])
{
    CK_GLOBAL const double *x = m.x + first, *y = m.y + first, *z = m.z + first, *birth = m.birth + first;
    CK_GLOBAL const ck_u32 *id = m.id + first, *species = m.species + first;
    CK_GLOBAL const float *two_d = m.two_d;
    ck_i32 n = (ck_i32)(end - first);
    ck_u32 any = 0u;
    CHEM_SIMD_OR(any)
    for (ck_i32 i = 0; i < (ck_i32)CHEM_IRT_LANES; ++i) {
        ck_u32 possible = chem_irt_sift(a, (float)(x[i] - a.x), (float)(y[i] - a.y), (float)(z[i] - a.z),
                                        (float)(a.birth - birth[i]), id[i], a.bound[species[i]], two_d[species[i]]);
        possible = i < n ? possible : 0u;
        is_possible[i] = possible;
        any |= possible;
    }
    return any;
}

/* The molecule at `slot` and the places [first, end), which stand side by side: in whole blocks, so that all is done by
 * lanes. */
CK_CALL void chem_irt_ask_range(chem_irt_history *h, chem_irt_asker a, ck_u32 slot, ck_u32 first, ck_u32 end)
{
    ck_u32 is_possible[CHEM_IRT_LANES];
    for (; first < end; first += CHEM_IRT_LANES) {
        if (chem_irt_sift_block(h->m, a, first, end, is_possible) == 0u) {
            continue;
        }
        for (ck_u32 i = 0u; i < CHEM_IRT_LANES; ++i) {
            if (is_possible[i] != 0u) {
                chem_irt_ask(h, slot, first + i);
            }
        }
    }
}

/* The molecule at `slot` and the products of a cell that were made before it. */
CK_CALL void chem_irt_ask_chain(chem_irt_history *h, chem_irt_asker a, ck_u32 slot, ck_u32 cell)
{
    chem_irt_memory m = h->m;
    for (ck_u32 other = m.cell_chain[cell]; other != CHEM_NONE; other = m.next[other]) {
        ck_u32 species = m.species[other];
        if (m.id[other] < a.id &&
            chem_irt_sift(a, (float)(m.x[other] - a.x), (float)(m.y[other] - a.y), (float)(m.z[other] - a.z),
                          (float)(a.birth - m.birth[other]), m.id[other], a.bound[species], m.two_d[species]) != 0u) {
            chem_irt_ask(h, slot, other);
        }
    }
}

/* The molecule at `slot` and all that stand in a row of cells, as far up and down as is near enough. */
CK_CALL void chem_irt_ask_row(chem_irt_history *h, chem_irt_asker a, ck_u32 slot, chem_irt_row row)
{
    ck_u64 key = h->m.cell_key[h->m.cell[slot]];
    double left = chem_irt_left(h->p, key, row, a.x, a.y);
    for (ck_i32 dk = -CHEM_IRT_FINE; left > 0.0 && dk <= CHEM_IRT_FINE; ++dk) {
        double dz = chem_irt_gap(a.z, ((ck_u32)key & 0x1FFFFFu) + (ck_u32)dk, h->p.cell);
        ck_u32 cell = dz * dz < left ? chem_irt_neighbour(h->p, h->m, h->m.cell[slot], row.di, row.dj, dk) : CHEM_NONE;
        if (cell != CHEM_NONE) {
            row = chem_irt_row_with(row, h->m, cell);
            chem_irt_ask_chain(h, a, slot, cell);
        }
    }
    chem_irt_ask_range(h, a, slot, row.first, row.end);
}

/* The molecule by itself. */
CK_CALL void chem_irt_ask_alone(chem_irt_history *h, chem_irt_molecule one, ck_u32 slot)
{
    ck_u32 first = h->words[h->p.at_first + one.species];
    ck_u32 end = h->words[h->p.at_first + one.species + 1u];
    for (ck_u32 i = first; i < end; ++i) {
        chem_irt_wait(h, chem_irt_entry_alone(h, one, slot, i));
    }
}

/* A product and everything near that was there before it. */
CK_CALL void chem_irt_ask_product(chem_irt_history *h, ck_u32 slot)
{
    chem_irt_molecule one = chem_irt_at(h, slot);
    chem_irt_asker a = chem_irt_asker_of(h, one);
    chem_irt_ask_alone(h, one, slot);
    for (ck_u32 which = 0u; which < CHEM_IRT_ROWS; ++which) {
        chem_irt_ask_row(h, a, slot, chem_irt_row_at(which));
    }
}

/* All molecules of a cell that the track began with, and those behind them in the order of places: each pair once. */
CK_CALL void chem_irt_ask_cell(chem_irt_history *h, ck_u32 cell)
{
    chem_irt_row rows[CHEM_IRT_ROWS];
    ck_u64 key = h->m.cell_key[cell];
    ck_u32 n = 0u;
    for (ck_u32 which = CHEM_IRT_ROWS / 2u; which < CHEM_IRT_ROWS; ++which) { /* those before its own end before it */
        chem_irt_row row = chem_irt_row_at(which);
        for (ck_i32 dk = -CHEM_IRT_FINE; dk <= CHEM_IRT_FINE; ++dk) {
            ck_u32 other = chem_irt_neighbour(h->p, h->m, cell, row.di, row.dj, dk);
            row = other == CHEM_NONE ? row : chem_irt_row_with(row, h->m, other);
        }
        if (row.end > h->m.cell_first[cell]) {
            rows[n++] = row;
        }
    }
    for (ck_u32 slot = h->m.cell_first[cell]; slot < h->m.cell_end[cell]; ++slot) {
        if (h->m.species[slot] == h->p.n_species) {
            continue;
        }
        chem_irt_molecule one = chem_irt_at(h, slot);
        chem_irt_asker a = chem_irt_asker_of(h, one);
        chem_irt_ask_alone(h, one, slot);
        for (ck_u32 i = 0u; i < n; ++i) {
            if (chem_irt_left(h->p, key, rows[i], one.x, one.y) > 0.0) {
                chem_irt_ask_range(h, a, slot, rows[i].first > slot ? rows[i].first : slot + 1u, rows[i].end);
            }
        }
    }
}

/* Everything that is there: at the start, and when the queue has given its later half up. */
CK_CALL void chem_irt_ask_all(chem_irt_history *h)
{
    h->q.n = 0u;
    h->q.is_heap = 0u;
    h->q.is_cut = 0u;
    for (ck_u32 i = 0u; i < h->n_cells && h->is_full == 0u; ++i) {
        chem_irt_ask_cell(h, h->m.cells[i]);
    }
    for (ck_u32 slot = h->n_start; slot < h->n_places && h->is_full == 0u; ++slot) {
        if (h->m.species[slot] != h->p.n_species) {
            chem_irt_ask_product(h, slot);
        }
    }
    chem_irt_make_heap(&h->q);
}

/* -------------------------------------------------------------------------------------------------- begin */

/* How many molecules each cell has; cells in the order of their keys, and where the molecules of each begin. */
CK_CALL ck_u32 chem_irt_count_cells(chem_irt_history *h)
{
    ck_u32 n = 0u;
    ck_u32 sum = 0u;
    for (ck_u32 i = 0u; i < h->p.n_cells; ++i) {
        h->m.cell_key[i] = CHEM_IRT_EMPTY;
    }
    h->m.n_used[0] = 0u;
    h->n_cells = 0u;
    for (ck_u32 group = 0u; group < h->p.n_births; ++group) {
        for (ck_u32 i = chem_irt_first_of(h, group); i < chem_irt_end_of(h, group); ++i) {
            chem_irt_point r;
            r.x = h->start[i].x;
            r.y = h->start[i].y;
            r.z = h->start[i].z;
            ck_u32 cell = chem_irt_cell_of(h->p, h->m, r);
            h->m.next[n++] = cell;
            if (h->m.cell_end[cell] == 0u) {
                h->m.cells[h->n_cells++] = cell;
            }
            h->m.cell_end[cell] += 1u;
        }
    }
    chem_irt_sort_cells(h->m, h->n_cells);
    for (ck_u32 i = 0u; i < h->n_cells; ++i) {
        ck_u32 cell = h->m.cells[i];
        ck_u32 count = h->m.cell_end[cell];
        h->m.cell_first[cell] = sum;
        h->m.cell_end[cell] = sum;
        sum += count;
    }
    return n;
}

/* The molecules of the track, cell by cell. The host has made the table of cells large enough for them. */
CK_CALL void chem_irt_begin(chem_irt_history *h)
{
    for (ck_u32 i = 0u; i < h->p.n_species; ++i) {
        h->m.alive[i] = 0u;
    }
    for (ck_u32 i = 0u; i < h->p.n_species * h->p.n_outputs; ++i) {
        h->m.born[i] = 0u;
    }
    ck_u32 n = chem_irt_count_cells(h);
    chem_irt_clear_places(h, n);
    ck_u32 k = 0u;
    for (ck_u32 group = 0u; group < h->p.n_births; ++group) {
        for (ck_u32 i = chem_irt_first_of(h, group); i < chem_irt_end_of(h, group); ++i) {
            chem_irt_place_molecule(h, h->start[i], h->m.next[k++]);
        }
    }
    chem_irt_set_out(h, n);
}

/* ---------------------------------------------------------------------------------------------------- run */

/* A reaction whose time has come, if its molecules are left, and its products with all that is near. */
CK_CALL void chem_irt_react(chem_irt_history *h, chem_irt_entry e)
{
    if (chem_irt_is_live(h, e) == 0u) {
        return;
    }
    ck_u32 high = e.high == CHEM_NONE ? e.low : e.high;
    chem_irt_point move = chem_irt_normals_of_move(h->keys, chem_irt_at(h, e.a), chem_irt_at(h, e.b));
    chem_irt_happen(h, e, chem_irt_where(h, e, move, chem_irt_normals(h->keys, CHEM_IRT_SITE, e.low, high)));
    for (ck_u32 i = 0u; i < h->n_made && h->is_full == 0u; ++i) {
        chem_irt_ask_product(h, h->m.made[i]);
    }
}

/* From the first reaction to the end. */
CK_CALL void chem_irt_run(chem_irt_history *h)
{
    chem_irt_ask_all(h);
    while (h->is_full == 0u) {
        if (h->q.n != 0u) {
            chem_irt_react(h, chem_irt_pop(&h->q));
        } else if (h->q.is_cut != 0u) { /* all up to the horizon are done */
            ck_u64 n_pairs = h->n_pairs;
            chem_irt_ask_all(h);
            h->n_pairs =
                n_pairs; /* those asked again are not counted again: how often depends on the memory there is */
        } else {
            break;
        }
    }
    chem_irt_end(h);
    CHEM_IRT_ADD(h->result, h->p.at_counters + CHEM_COUNT_PAIRS, h->n_pairs);
}

#endif
