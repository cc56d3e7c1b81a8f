/** The search of the method `irt` on a GPU: by all threads of a block, whose lanes walk through places side by side. */
#ifndef CHEM_IRT_LANES_H
#define CHEM_IRT_LANES_H

#include "../chem/irt_track.h"

/* Words that the threads of a block share: what they do next; entries of the list that is being made; the next item of the search;
 * cells; places in use; products; the block's part of the memory; the horizon of the queue; keys of the history. */
#define CHEM_IRT_NEXT_STATE 0u
#define CHEM_IRT_NEXT_HISTORY 1u
#define CHEM_IRT_LISTED 2u
#define CHEM_IRT_TICKET 3u
#define CHEM_IRT_CELLS 4u
#define CHEM_IRT_PLACES 5u
#define CHEM_IRT_N_MADE 6u
#define CHEM_IRT_PART 7u
#define CHEM_IRT_HORIZON 8u    /* 5 */
#define CHEM_IRT_KEY_WORDS 16u /* CHEM_IRT_STREAMS */
#define CHEM_IRT_NEAR_WORDS 32u /* behind them: a word a thread for sums, then four a thread for the pairs that wait */

/* What a block does: ask all molecules; ask the products of a reaction; nothing more. */
#define CHEM_IRT_ASKS_ALL 0u
#define CHEM_IRT_ASKS_PRODUCTS 1u
#define CHEM_IRT_IS_DONE 2u

/* A thread of a block. Its history is its own copy: only that of thread 0 has the queue, and what products change. */
typedef struct chem_irt_thread {
    chem_irt_history h;
    CK_LOCAL ck_u32 *near_words;
    CK_LOCAL ck_u32 *pairs; /* of its lanes, that wait to be asked */
    CK_GLOBAL chem_irt_entry *list; /* entries found go here */
    ck_u32 list_room;
    ck_u32 number, n_threads, lane;
    ck_u32 n_pairs; /* that wait */
    ck_u32 state;
} chem_irt_thread;

/* Several items of work for the lanes of a thread: molecules of places [first, end), which are in one cell, and a row about it. */
typedef struct chem_irt_item {
    ck_u32 cell, first, end, which;
    ck_u32 is_product; /* one molecule, which asks all that was there before it; else molecules ask those behind them */
} chem_irt_item;

/* Put what waits on the list; what does not fit is counted. */
CK_FN void chem_irt_wait(chem_irt_thread *t, chem_irt_entry e)
{
    if (e.time <= t->h.p.end && chem_irt_is_beyond(&t->h.q, e) == 0u) {
        ck_u32 at = ck_atomic_add_local_u32(t->near_words + CHEM_IRT_LISTED, 1u);
        if (at < t->list_room) {
            t->list[at] = e;
        }
    }
}

/* Ask the pairs that wait, the last ones first, one a lane. */
CK_FN void chem_irt_ask_waiting(chem_irt_thread *t)
{
    ck_u32 n = t->n_pairs < CK_LANES ? t->n_pairs : CK_LANES, at = t->n_pairs - n + t->lane;
    t->n_pairs -= n;
    if (t->lane < n) {
        ck_u32 one = ck_read_local_u32(t->pairs + 2u * at), other = ck_read_local_u32(t->pairs + 2u * at + 1u);
        chem_irt_wait(t, chem_irt_entry_of_pair(&t->h, one, other));
    }
    CK_LANES_MEET();
}

/* Let a pair wait, if `is_found`; all lanes call. */
CK_FN void chem_irt_let_wait(chem_irt_thread *t, ck_u32 is_found, ck_u32 one, ck_u32 other)
{
    ck_u32 n_found, at = t->n_pairs + ck_lane_rank(is_found, &n_found);
    if (is_found != 0u) {
        ck_write_local_u32(t->pairs + 2u * at, one);
        ck_write_local_u32(t->pairs + 2u * at + 1u, other);
    }
    t->n_pairs += n_found;
    CK_LANES_MEET();
}

/* Could two molecules react with each other?  Draws: 1 pair. */
CK_FN ck_u32 chem_irt_is_possible(chem_irt_history *h, ck_u32 one, ck_u32 other)
{
    chem_irt_memory m = h->m;
    if (m.species[one] == h->p.n_species) {
        return 0u;
    }
    chem_irt_asker a = chem_irt_asker_of(h, chem_irt_at(h, one));
    ck_u32 species = m.species[other];
    return chem_irt_sift(a, (float)(m.x[other] - a.x), (float)(m.y[other] - a.y), (float)(m.z[other] - a.z),
                         (float)(a.birth - m.birth[other]), m.id[other], a.bound[species], m.two_d[species]);
}

/* The next item of the search, CHEM_NONE when the list is full. */
CK_FN ck_u32 chem_irt_take_item(chem_irt_thread *t)
{
    ck_u32 item = 0u, of_first;
    if (t->lane == 0u) {
        item = ck_atomic_read_local_u32(t->near_words + CHEM_IRT_LISTED) > t->list_room
                   ? CHEM_NONE
                   : ck_atomic_add_local_u32(t->near_words + CHEM_IRT_TICKET, 1u);
    }
    ck_lane_sum_before(item, &of_first);
    return of_first;
}

/* Place of product number `k` that is asked. */
CK_FN ck_u32 chem_irt_product(chem_irt_thread *t, ck_u32 k)
{
    return t->state == CHEM_IRT_ASKS_ALL ? t->h.n_start + k : t->h.m.made[k];
}

/* An item by its number: `n_of_cells` of them are of cells with molecules of the start, which ask all in their own row and those behind it;
 * then come those of products. */
CK_FN chem_irt_item chem_irt_item_of(chem_irt_thread *t, ck_u32 number, ck_u32 n_of_cells)
{
    chem_irt_memory m = t->h.m;
    ck_u32 behind = CHEM_IRT_ROWS - CHEM_IRT_ROWS / 2u;
    chem_irt_item item;
    item.is_product = number < n_of_cells ? 0u : 1u;
    if (item.is_product == 0u) {
        item.cell = m.cells[number / behind];
        item.which = CHEM_IRT_ROWS / 2u + number % behind;
        item.first = m.cell_first[item.cell];
        item.end = m.cell_end[item.cell];
    } else {
        item.first = chem_irt_product(t, (number - n_of_cells) / CHEM_IRT_ROWS);
        item.which = (number - n_of_cells) % CHEM_IRT_ROWS;
        item.cell = m.cell[item.first];
        item.end = item.first + (m.species[item.first] != t->h.p.n_species ? 1u : 0u);
    }
    return item;
}

/* Where a lane is in its walk through a row: first through the chains of products of the cells, then, with the other lanes, through the
 * places of those that the track began with. */
typedef struct chem_irt_walk {
    double left;       /* square of what is left of the longest distance; <= 0: nobody is near */
    ck_u32 step;       /* next cell along z that is this lane's */
    ck_u32 link;       /* next product */
    ck_u32 first, end; /* places of the cells looked at */
    ck_u32 is_among;   /* the chains are done */
    ck_u32 i, j;       /* molecule of the item, and number in the row */
    ck_u32 one, other; /* the pair it is at */
} chem_irt_walk;

CK_FN chem_irt_walk chem_irt_walk_begin(chem_irt_thread *t, chem_irt_item item)
{
    chem_irt_memory m = t->h.m;
    chem_irt_walk w;
    w.left = 1.0e300;
    if (item.is_product != 0u) {
        w.left = chem_irt_left(t->h.p, m.cell_key[item.cell], chem_irt_row_at(item.which), m.x[item.first], m.y[item.first]);
    }
    w.step = item.end > item.first && w.left > 0.0 ? t->lane : 2u * CHEM_IRT_FINE + 1u;
    w.link = CHEM_NONE;
    w.first = CHEM_NONE;
    w.end = 0u;
    w.is_among = 0u;
    w.i = 0u;
    w.j = t->lane;
    w.one = w.other = 0u;
    return w;
}

/* Look up the next cell of the row. */
CK_FN void chem_irt_walk_into(chem_irt_thread *t, chem_irt_item item, chem_irt_walk *w)
{
    chem_irt_memory m = t->h.m;
    chem_irt_row row = chem_irt_row_at(item.which);
    ck_i32 dk = (ck_i32)w->step - CHEM_IRT_FINE;
    ck_u32 cell = CHEM_NONE;
    double dz = 0.0;
    if (item.is_product != 0u) {
        dz = chem_irt_gap(m.z[item.first], ((ck_u32)m.cell_key[item.cell] & 0x1FFFFFu) + (ck_u32)dk, t->h.p.cell);
    }
    if (dz * dz < w->left) {
        cell = chem_irt_neighbour(t->h.p, m, item.cell, row.di, row.dj, dk);
    }
    if (cell != CHEM_NONE) {
        w->link = item.is_product != 0u ? m.cell_chain[cell] : CHEM_NONE;
        if (m.cell_end[cell] > m.cell_first[cell]) {
            w->first = m.cell_first[cell] < w->first ? m.cell_first[cell] : w->first;
            w->end = m.cell_end[cell] > w->end ? m.cell_end[cell] : w->end;
        }
    }
    w->step += CK_LANES;
}

/* Go on to the next pair. Returns 1 if there is one and it is to be looked at; all lanes call. `is_over`: none has any left. */
CK_FN ck_u32 chem_irt_walk_on(chem_irt_thread *t, chem_irt_item item, chem_irt_walk *w, ck_u32 *is_over)
{
    ck_u32 n_left, is_wanted = 0u;
    *is_over = 0u;
    if (w->is_among == 0u) {
        while (w->link == CHEM_NONE && w->step < 2u * CHEM_IRT_FINE + 1u) {
            chem_irt_walk_into(t, item, w);
        }
        ck_lane_rank(w->link != CHEM_NONE ? 1u : 0u, &n_left);
        if (w->link != CHEM_NONE) {
            w->one = item.first;
            w->other = w->link;
            w->link = t->h.m.next[w->other];
            is_wanted = t->h.m.id[w->other] < t->h.m.id[w->one] ? 1u : 0u;
        }
        if (n_left == 0u) {
            w->is_among = 1u;
            w->first = ck_lane_min(w->first);
            w->end = ck_lane_max(w->end);
        }
        return is_wanted;
    }
    ck_u32 n = w->end > w->first ? w->end - w->first : 0u, n_molecules = n != 0u ? item.end - item.first : 0u;
    while (w->i < n_molecules && w->j >= n) {
        w->j -= n;
        w->i += 1u;
    }
    ck_lane_rank(w->i < n_molecules ? 1u : 0u, &n_left);
    *is_over = n_left == 0u ? 1u : 0u;
    if (w->i < n_molecules) {
        w->one = item.first + w->i;
        w->other = w->first + w->j;
        w->j += CK_LANES;
        is_wanted = item.is_product != 0u || w->other > w->one ? 1u : 0u;
    }
    return is_wanted;
}

/* All pairs of an item; with the last one, those that still wait are asked too. */
CK_FN void chem_irt_search_item(chem_irt_thread *t, chem_irt_item item, ck_u32 is_last)
{
    chem_irt_walk w = chem_irt_walk_begin(t, item);
    ck_u32 is_over = 0u;
    while (is_over == 0u) {
        ck_u32 is_found = chem_irt_walk_on(t, item, &w, &is_over);
        is_found = is_found != 0u ? chem_irt_is_possible(&t->h, w.one, w.other) : 0u;
        chem_irt_let_wait(t, is_found, w.one, w.other);
        ck_u32 least = is_last != 0u && is_over != 0u ? 1u : CK_LANES;
        while (t->n_pairs >= least) {
            chem_irt_ask_waiting(t);
        }
    }
}

/* Everything that is there, or the products of a reaction: into the list. */
CK_FN void chem_irt_search(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    ck_u32 is_all = t->state == CHEM_IRT_ASKS_ALL ? 1u : 0u;
    ck_u32 n_of_cells = is_all != 0u ? h->n_cells * (CHEM_IRT_ROWS - CHEM_IRT_ROWS / 2u) : 0u;
    ck_u32 n_products = is_all != 0u ? h->n_places - h->n_start : h->n_made, n_items = n_of_cells + n_products * CHEM_IRT_ROWS;
    t->list = is_all != 0u ? h->m.queue : h->m.fresh;
    t->list_room = is_all != 0u ? h->p.room_queue : h->p.room_fresh;
    t->n_pairs = 0u;
    for (ck_u32 item = chem_irt_take_item(t), next; item < n_items; item = next) {
        next = chem_irt_take_item(t);
        chem_irt_search_item(t, chem_irt_item_of(t, item, n_of_cells), next >= n_items ? 1u : 0u);
    }
    for (ck_u32 k = t->number; k < (is_all != 0u ? h->n_places : n_products); k += t->n_threads) {
        ck_u32 slot = is_all != 0u ? k : chem_irt_product(t, k), species = h->m.species[slot];
        ck_u32 end = species != h->p.n_species ? h->words[h->p.at_first + species + 1u] : 0u;
        for (ck_u32 i = end != 0u ? h->words[h->p.at_first + species] : 0u; i < end; ++i) {
            chem_irt_wait(t, chem_irt_entry_alone(h, chem_irt_at(h, slot), slot, i));
        }
    }
}

#endif
