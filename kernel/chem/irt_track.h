/**
 * One history of `irt`: all pairs that are near are asked for their time, then reactions happen in the order of their times;
 * products begin where their makers met and are paired with all that is near.
 *
 * The includer defines CHEM_SIMD: what makes a compiler run the lanes of a loop side by side.
 */
#ifndef CHEM_IRT_TRACK_H
#define CHEM_IRT_TRACK_H

#include "irt_cells.h"
#include "irt_queue.h"

/* What a history works on: never a kernel argument. */
typedef struct chem_irt_history {
    chem_irt_params p;
    chem_irt_memory m;
    chem_irt_queue q;
    CK_GLOBAL const chem_channel *channels;
    CK_GLOBAL const ck_u32 *words;   /* the table of channels, by words */
    CK_GLOBAL const double *outputs;
    CK_GLOBAL const chem_start *start;
    CK_GLOBAL const ck_u32 *groups;
    CK_GLOBAL ck_u64 *result;
    ck_u32 track;
    ck_u32 keys[CHEM_IRT_STREAMS];
    ck_u32 n_start;    /* molecules it began with: places [0, n_start) stand cell by cell */
    ck_u32 n_cells;    /* cells they are in */
    ck_u32 n_places;   /* places used so far */
    ck_u32 free;       /* chain of places that products left, CHEM_NONE for none */
    ck_u32 next_id, next_event;
    ck_u32 output;     /* next output time */
    ck_u32 is_full;    /* something did not fit */
    ck_u64 n_pairs;    /* pairs that were looked at closely */
} chem_irt_history;

/* ------------------------------------------------------------------------------------------------ molecules */

CK_FN double chem_irt_diffusion(chem_irt_history *h, ck_u32 species)
{
    double motion = (double)CK_FLOAT(h->words[h->p.at_motion + species]);
    return 0.5 * motion * motion;
}

CK_FN chem_irt_molecule chem_irt_at(chem_irt_history *h, ck_u32 slot)
{
    chem_irt_molecule a;
    a.x = h->m.x[slot];
    a.y = h->m.y[slot];
    a.z = h->m.z[slot];
    a.birth = h->m.birth[slot];
    a.id = h->m.id[slot];
    a.species = h->m.species[slot];
    a.diffusion = chem_irt_diffusion(h, a.species);
    return a;
}

CK_FN ck_u32 chem_irt_channel_of(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    return h->words[h->p.at_pairs + one * h->p.n_species + other];
}

CK_FN void chem_irt_wait(chem_irt_history *h, chem_irt_entry e)
{
    if (e.time <= h->p.end) {
        chem_irt_push(&h->q, e);
    }
}

/* ---------------------------------------------------------------------------------------------------- pairs */

/* Ask one pair. */
CK_CALL void chem_irt_ask(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    ck_u32 is_ordered = h->m.id[one] < h->m.id[other] ? 1u : 0u;
    chem_irt_entry e;
    e.a = is_ordered ? one : other;
    e.b = is_ordered ? other : one;
    chem_irt_molecule a = chem_irt_at(h, e.a);
    chem_irt_molecule b = chem_irt_at(h, e.b);
    if (h->m.event[one] == h->m.event[other] && h->m.event[one] != 0u) {
        return; /* products of one reaction do not meet again */
    }
    e.channel = chem_irt_channel_of(h, a.species, b.species);
    e.low = a.id;
    e.high = b.id;
    chem_irt_event when = chem_irt_time(h->keys, a, b, h->channels[e.channel], h->p.end);
    e.time = when.time;
    e.tie = when.tie;
    h->n_pairs += 1u;
    chem_irt_wait(h, e);
}

/* What a molecule is compared with all others by. */
typedef struct chem_irt_asker {
    double x, y, z, birth;
    CK_GLOBAL const float *bound; /* of its species with every other */
    float two_d, farthest;        /* 2 D; square of the largest distance */
    ck_u32 id, key;
} chem_irt_asker;

CK_FN chem_irt_asker chem_irt_asker_of(chem_irt_history *h, chem_irt_molecule one)
{
    chem_irt_asker a;
    a.x = one.x;
    a.y = one.y;
    a.z = one.z;
    a.birth = one.birth;
    a.bound = h->m.bound + one.species * (h->p.n_species + 1u);
    a.two_d = h->m.two_d[one.species];
    a.farthest = (float)(h->p.farthest * h->p.farthest);
    a.id = one.id;
    a.key = h->keys[CHEM_IRT_TIME];
    return a;
}

/* Could it react with another one, `dx, dy, dz` away and made `older` ps before it? Their distance is looked at, and the pair's
 * number.  Draws: 1 pair. */
CK_FN ck_u32 chem_irt_sift(chem_irt_asker a, float dx, float dy, float dz, float older, ck_u32 id, float bound, float two_d)
{
    float square = ck_fma(dx, dx, ck_fma(dy, dy, dz * dz));
    ck_u32 low = id < a.id ? id : a.id;
    ck_u32 high = id < a.id ? a.id : id;
    float moves = older > 0.0f ? two_d : a.two_d;
    ck_u32 word = chem_irt_words(a.key, low, high).a;
    return chem_irt_may_react(word, square, bound, ck_fabs(older) * moves) & (square < a.farthest ? 1u : 0u);
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

/* The molecule at `slot` and the places [first, end), which stand side by side: in whole blocks, so that all is done by lanes. */
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

/* The molecule at `slot` and the products of a cell; `below`: only those at places before it. */
CK_CALL void chem_irt_ask_chain(chem_irt_history *h, chem_irt_asker a, ck_u32 slot, ck_u32 cell, ck_u32 below)
{
    chem_irt_memory m = h->m;
    for (ck_u32 other = m.cell_chain[cell]; other != CHEM_NONE; other = m.next[other]) {
        ck_u32 species = m.species[other];
        if (other != slot && (below == 0u || other < slot) &&
            chem_irt_sift(a, (float)(m.x[other] - a.x), (float)(m.y[other] - a.y), (float)(m.z[other] - a.z),
                          (float)(a.birth - m.birth[other]), m.id[other], a.bound[species], m.two_d[species]) != 0u) {
            chem_irt_ask(h, slot, other);
        }
    }
}

/* The molecule at `slot` and all that stand in a row of cells, as far up and down as is near enough. */
CK_CALL void chem_irt_ask_row(chem_irt_history *h, chem_irt_asker a, ck_u32 slot, chem_irt_row row, ck_u32 below)
{
    ck_u64 key = h->m.cell_key[h->m.cell[slot]];
    double left = chem_irt_left(h->p, key, row, a.x, a.y);
    for (ck_i32 dk = -CHEM_IRT_FINE; left > 0.0 && dk <= CHEM_IRT_FINE; ++dk) {
        double dz = chem_irt_gap(a.z, ((ck_u32)key & 0x1FFFFFu) + (ck_u32)dk, h->p.cell);
        ck_u32 cell = dz * dz < left ? chem_irt_neighbour(h->p, h->m, h->m.cell[slot], row.di, row.dj, dk) : CHEM_NONE;
        if (cell != CHEM_NONE) {
            row = chem_irt_row_with(row, h->m, cell);
            chem_irt_ask_chain(h, a, slot, cell, below);
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
        chem_irt_entry e;
        e.channel = h->words[h->p.at_first_list + i];
        chem_irt_event when = chem_irt_first_order(h->keys, one, h->channels[e.channel], e.channel);
        e.time = when.time;
        e.tie = when.tie;
        e.low = one.id;
        e.high = CHEM_NONE;
        e.a = slot;
        e.b = slot;
        chem_irt_wait(h, e);
    }
}

/* A product and everything near; `below`: of other products only those at places before it. */
CK_CALL void chem_irt_ask_product(chem_irt_history *h, ck_u32 slot, ck_u32 below)
{
    chem_irt_molecule one = chem_irt_at(h, slot);
    chem_irt_asker a = chem_irt_asker_of(h, one);
    chem_irt_ask_alone(h, one, slot);
    for (ck_u32 which = 0u; which < CHEM_IRT_ROWS; ++which) {
        chem_irt_ask_row(h, a, slot, chem_irt_row_at(which), below);
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
            chem_irt_ask_product(h, slot, 1u);
        }
    }
    chem_irt_make_heap(&h->q);
}

/* -------------------------------------------------------------------------------------------------- begin */

/* The largest effective radius that a pair's probability is bounded by: chem_irt_may_react. */
CK_FN float chem_irt_bound(chem_channel c)
{
    double radius = (double)c.contact;
    double bound = radius;
    if (c.type == CHEM_IONS || c.type == CHEM_IONS_RADIATING) {
        double y = (double)c.onsager / radius;
        bound = chem_irt_free_distance(radius, (double)c.onsager);
        bound *= y > 1.0e-4 ? (ck_exp64(y) - 1.0) / y : 1.0; /* r_free >= r y/(exp(y) - 1) for charges that repel */
    }
    if (c.type == CHEM_RADIATING || c.type == CHEM_IONS_RADIATING) {
        bound *= (double)c.reactivity;
    }
    return 1.0001f * (float)bound;
}

/* What every pair of species is bounded by: the same for all histories. */
CK_CALL void chem_irt_prepare_tables(chem_irt_history *h)
{
    ck_u32 n = h->p.n_species;
    for (ck_u32 i = 0u; i <= n; ++i) {
        h->m.two_d[i] = i < n ? 2.0f * (float)chem_irt_diffusion(h, i) : 0.0f;
        for (ck_u32 j = 0u; i < n && j <= n; ++j) {
            ck_u32 channel = j < n ? chem_irt_channel_of(h, i, j) : CHEM_NONE;
            h->m.bound[i * (n + 1u) + j] = channel == CHEM_NONE ? 0.0f : chem_irt_bound(h->channels[channel]);
        }
    }
}

/* Count a molecule in for the first output time that is not before its birth. */
CK_FN void chem_irt_count_birth(chem_irt_history *h, ck_u32 species, double birth)
{
    ck_u32 low = 0u;
    ck_u32 high = h->p.n_outputs;
    while (low < high) {
        ck_u32 middle = (low + high) / 2u;
        low = h->outputs[middle] < birth ? middle + 1u : low;
        high = h->outputs[middle] < birth ? high : middle;
    }
    if (low < h->p.n_outputs) {
        h->m.born[low * h->p.n_species + species] += 1u;
    }
}

/* The molecules of group `group` of births in the track of this history: [first, end) of table 0. */
CK_FN ck_u32 chem_irt_first_of(chem_irt_history *h, ck_u32 group)
{
    return h->groups[group * h->p.n_tracks + h->track];
}

CK_FN ck_u32 chem_irt_end_of(chem_irt_history *h, ck_u32 group)
{
    return h->groups[group * h->p.n_tracks + h->track + 1u];
}

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

/* Places that hold no molecule yet, behind the last one: blocks are read whole. */
CK_FN void chem_irt_clear_places(chem_irt_history *h, ck_u32 n)
{
    for (ck_u32 i = n; i < n + CHEM_IRT_LANES; ++i) {
        h->m.x[i] = 0.0;
        h->m.y[i] = 0.0;
        h->m.z[i] = 0.0;
        h->m.birth[i] = 0.0;
        h->m.id[i] = CHEM_NONE;
        h->m.species[i] = h->p.n_species;
    }
}

CK_FN void chem_irt_place_molecule(chem_irt_history *h, chem_start from, ck_u32 cell)
{
    ck_u32 slot = h->m.cell_end[cell]++;
    double birth = (double)from.birth;
    h->m.x[slot] = from.x;
    h->m.y[slot] = from.y;
    h->m.z[slot] = from.z;
    h->m.birth[slot] = birth > h->p.start ? birth : h->p.start;
    h->m.id[slot] = from.id;
    h->m.species[slot] = from.species;
    h->m.cell[slot] = cell;
    h->m.event[slot] = 0u;
    chem_irt_count_birth(h, from.species, h->m.birth[slot]);
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
    h->n_start = n;
    h->n_places = n;
    h->free = CHEM_NONE;
    h->next_id = n;
    h->next_event = 1u;
    h->output = 0u;
    h->is_full = 0u;
    h->n_pairs = 0u;
}

/* --------------------------------------------------------------------------------------------------- react */

/* Write the molecules that are there at the next output time. */
CK_FN void chem_irt_record(chem_irt_history *h)
{
    ck_u32 n = h->p.n_species;
    for (ck_u32 i = 0u; i < n; ++i) {
        h->m.alive[i] += h->m.born[h->output * n + i];
        h->result[h->p.at_births + h->output * n + i] += h->m.born[h->output * n + i];
        h->result[h->output * n + i] += (ck_u64)(ck_i64)(ck_i32)h->m.alive[i];
    }
    h->output += 1u;
}

/* Take a molecule out. */
CK_FN void chem_irt_remove(chem_irt_history *h, ck_u32 slot)
{
    h->m.alive[h->m.species[slot]] -= 1u;
    h->m.species[slot] = h->p.n_species;
    if (slot >= h->n_start) {
        chem_irt_unlink(h->m, slot);
        h->m.next[slot] = h->free;
        h->free = slot;
    }
}

/* Put a product in; returns its place, CHEM_NONE when there is no room. */
CK_CALL ck_u32 chem_irt_put(chem_irt_history *h, chem_irt_point r, double time, ck_u32 species, ck_u32 event)
{
    ck_u32 slot = h->free;
    if (slot == CHEM_NONE) {
        slot = h->n_places;
    } else {
        h->free = h->m.next[slot];
    }
    ck_u32 cell = slot + CHEM_IRT_LANES < h->p.room ? chem_irt_cell_of(h->p, h->m, r) : CHEM_NONE;
    if (cell == CHEM_NONE) {
        h->is_full = 1u;
        return CHEM_NONE;
    }
    h->n_places += slot == h->n_places ? 1u : 0u;
    h->m.x[slot] = r.x;
    h->m.y[slot] = r.y;
    h->m.z[slot] = r.z;
    h->m.birth[slot] = time;
    h->m.id[slot] = h->next_id++;
    h->m.species[slot] = species;
    h->m.event[slot] = event;
    h->m.cell[slot] = cell;
    h->m.alive[species] += 1u;
    chem_irt_link(h->m, slot);
    return slot;
}

/* Products of a channel at `site`. Two that react with each other begin apart, each the farther the faster it moves. */
CK_CALL void chem_irt_make(chem_irt_history *h, chem_channel c, chem_irt_point site, double time)
{
    ck_u32 is_apart = c.separation > 0.0f && c.n_products == 2u ? 1u : 0u;
    ck_u32 event = is_apart ? 0u : h->next_event++;
    chem_irt_point step;
    double first = 0.0;
    step.x = step.y = step.z = 0.0;
    if (is_apart) {
        step = chem_irt_apart(h->keys, h->next_id, (double)c.separation);
        double d0 = chem_irt_diffusion(h, c.products[0]);
        double d1 = chem_irt_diffusion(h, c.products[1]);
        first = d0 + d1 > 0.0 ? d0 / (d0 + d1) : 0.5;
    }
    for (ck_u32 i = 0u; i < c.n_products && h->is_full == 0u; ++i) {
        double part = is_apart == 0u ? 0.0 : i == 0u ? first : first - 1.0;
        chem_irt_point r;
        r.x = ck_fma64(part, step.x, site.x);
        r.y = ck_fma64(part, step.y, site.y);
        r.z = ck_fma64(part, step.z, site.z);
        ck_u32 slot = chem_irt_put(h, r, time, c.products[i], event);
        if (slot != CHEM_NONE) {
            chem_irt_ask_product(h, slot, 0u);
        }
    }
}

/* Does the molecule that an entry means still stand there? */
CK_FN ck_u32 chem_irt_is_there(chem_irt_history *h, ck_u32 slot, ck_u32 id)
{
    return h->m.id[slot] == id && h->m.species[slot] != h->p.n_species ? 1u : 0u;
}

/* A reaction whose time has come, if both partners are left. */
CK_CALL void chem_irt_fire(chem_irt_history *h, chem_irt_entry e)
{
    ck_u32 is_alone = e.high == CHEM_NONE ? 1u : 0u;
    if (chem_irt_is_there(h, e.a, e.low) == 0u || (is_alone == 0u && chem_irt_is_there(h, e.b, e.high) == 0u)) {
        return;
    }
    while (h->output < h->p.n_outputs && h->outputs[h->output] < e.time) {
        chem_irt_record(h);
    }
    ck_u32 bin = h->output < h->p.n_outputs ? h->output : h->p.n_outputs - 1u;
    h->result[h->p.at_reactions + bin * h->p.n_channels + e.channel] += 1u;
    h->result[h->p.at_counters + CHEM_COUNT_REACTIONS] += 1u;
    chem_irt_molecule a = chem_irt_at(h, e.a);
    chem_irt_point site;
    if (is_alone) {
        site = chem_irt_place(h->keys, a, e.time);
    } else {
        site = chem_irt_site(h->keys, a, chem_irt_at(h, e.b), e.time);
        chem_irt_remove(h, e.b);
    }
    chem_irt_remove(h, e.a);
    chem_irt_make(h, h->channels[e.channel], site, e.time);
}

/* From the first reaction to the end. */
CK_CALL void chem_irt_run(chem_irt_history *h)
{
    chem_irt_ask_all(h);
    while (h->is_full == 0u) {
        if (h->q.n != 0u) {
            chem_irt_fire(h, chem_irt_pop(&h->q));
        } else if (h->q.is_cut != 0u) { /* all up to the horizon are done */
            chem_irt_ask_all(h);
        } else {
            break;
        }
    }
    while (h->output < h->p.n_outputs) {
        chem_irt_record(h);
    }
    h->result[h->p.at_counters + CHEM_COUNT_PAIRS] += h->n_pairs;
    h->result[h->p.at_counters + CHEM_COUNT_NO_ROOM] += h->is_full;
}

#endif
