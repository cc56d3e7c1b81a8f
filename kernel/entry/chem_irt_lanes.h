/** The search of the method `irt` on a GPU: by all threads of a block. */
#ifndef CHEM_IRT_LANES_H
#define CHEM_IRT_LANES_H

#include "../chem/irt_track.h"

/* Words that the threads of a block share: what they do next; entries of the list that is being made; pairs that are to
 * be asked; the next item of the search; cells; places in use; products; whether something did not fit; the block's
 * part of the memory; the reaction that is next, if any, and its ids; the horizon of the list; keys of the history;
 * normal numbers. Then of each row about a product that is asked 1 + the complement of the first place, the end, and
 * how many come in the rows before it. */
#define CHEM_IRT_NEXT_STATE 0u
#define CHEM_IRT_NEXT_HISTORY 1u
#define CHEM_IRT_LISTED 2u
#define CHEM_IRT_HITS 3u
#define CHEM_IRT_TICKET 4u
#define CHEM_IRT_CELLS 5u
#define CHEM_IRT_PLACES 6u
#define CHEM_IRT_N_MADE 7u
#define CHEM_IRT_FULL 8u
#define CHEM_IRT_PART 9u
#define CHEM_IRT_FOUND 10u
#define CHEM_IRT_FOUND_LOW 11u
#define CHEM_IRT_FOUND_HIGH 12u
#define CHEM_IRT_LINKS 13u
#define CHEM_IRT_HORIZON 16u   /* 5 */
#define CHEM_IRT_KEY_WORDS 24u /* CHEM_IRT_STREAMS */
#define CHEM_IRT_NORMALS 40u   /* 12: those of the move and of the site */
#define CHEM_IRT_GROUP 4u      /* products that are asked at once */
#define CHEM_IRT_GROUP_ROWS (CHEM_IRT_GROUP * CHEM_IRT_ROWS)
#define CHEM_IRT_FIRSTS 64u
#define CHEM_IRT_ENDS (CHEM_IRT_FIRSTS + CHEM_IRT_GROUP_ROWS)
#define CHEM_IRT_BEFORE (CHEM_IRT_ENDS + CHEM_IRT_GROUP_ROWS) /* one more */
#define CHEM_IRT_NEAR_WORDS 368u /* behind them: a word a thread for sums, then four a thread for pairs that wait */

/* What a block does: ask all molecules; ask the products of a reaction; nothing more. */
#define CHEM_IRT_ASKS_ALL 0u
#define CHEM_IRT_ASKS_PRODUCTS 1u
#define CHEM_IRT_IS_DONE 2u

/* Cells of a row, and of all rows about a product. */
#define CHEM_IRT_SPAN (2u * CHEM_IRT_FINE + 1u)
#define CHEM_IRT_AROUND (CHEM_IRT_ROWS * CHEM_IRT_SPAN)

CK_STATIC_ASSERT(CHEM_IRT_BEFORE + CHEM_IRT_GROUP_ROWS + 1u <= CHEM_IRT_NEAR_WORDS, chem_irt_rows_fit);

/* A thread of a block. Its history is its own copy: only that of thread 0 knows what products change. */
typedef struct chem_irt_thread {
    chem_irt_history h;
    CK_LOCAL ck_u32 *near_words;
    CK_LOCAL ck_u32 *pairs;         /* of its lanes, that wait to be asked */
    CK_GLOBAL chem_irt_entry *list; /* entries found go here */
    ck_u32 list_room;
    ck_u32 number, n_threads, lane;
    ck_u32 n_pairs; /* that wait */
    ck_u32 state;
    ck_u32 head, n_list; /* entries of the queue that are left are [head, n_list) */
} chem_irt_thread;

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

/* --------------------------------------------------------------------------------- molecules of the start */

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

/* The next item of work for lanes, CHEM_NONE when the list is full. */
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

/* Molecules of the start in a row of cells about one, looked up by lanes: their places follow each other. */
CK_FN chem_irt_row chem_irt_row_about(chem_irt_thread *t, ck_u32 cell, ck_u32 which)
{
    chem_irt_memory m = t->h.m;
    chem_irt_row row = chem_irt_row_at(which);
    ck_u32 first = CHEM_NONE, end = 0u;
    for (ck_u32 step = t->lane; step < CHEM_IRT_SPAN; step += CK_LANES) {
        ck_u32 other = chem_irt_neighbour(t->h.p, m, cell, row.di, row.dj, (ck_i32)step - CHEM_IRT_FINE);
        if (other != CHEM_NONE && m.cell_end[other] > m.cell_first[other]) {
            first = m.cell_first[other] < first ? m.cell_first[other] : first;
            end = m.cell_end[other] > end ? m.cell_end[other] : end;
        }
    }
    row.first = ck_lane_min(first);
    row.end = ck_lane_max(end);
    return row;
}

/* An item: the molecules of a cell with those behind them in a row about it. With the last one, pairs that still wait
 * are asked too. */
CK_FN void chem_irt_search_item(chem_irt_thread *t, ck_u32 cell, ck_u32 which, ck_u32 is_last)
{
    ck_u32 one = t->h.m.cell_first[cell], end = t->h.m.cell_end[cell], n_left = 1u;
    chem_irt_row row = chem_irt_row_about(t, cell, which);
    ck_u32 n = row.end > row.first ? row.end - row.first : 0u, at = t->lane;
    end = n != 0u ? end : one;
    while (n_left != 0u) {
        ck_u32 is_found = 0u, other;
        while (one < end && at >= n) {
            at -= n;
            one += 1u;
        }
        other = row.first + at;
        ck_lane_rank(one < end ? 1u : 0u, &n_left);
        if (one < end && other > one) {
            is_found = chem_irt_is_possible(&t->h, one, other);
        }
        chem_irt_let_wait(t, is_found, one, other);
        at += CK_LANES;
        ck_u32 least = is_last != 0u && n_left == 0u ? 1u : CK_LANES;
        while (t->n_pairs >= least) {
            chem_irt_ask_waiting(t);
        }
    }
}

/* All molecules that the track began with and that are left, each pair once: a cell looks at its own row and those
 * behind it. */
CK_FN void chem_irt_search_cells(chem_irt_thread *t)
{
    ck_u32 behind = CHEM_IRT_ROWS - CHEM_IRT_ROWS / 2u, n_items = t->h.n_cells * behind;
    t->n_pairs = 0u;
    for (ck_u32 item = chem_irt_take_item(t), next; item < n_items; item = next) {
        next = chem_irt_take_item(t);
        chem_irt_search_item(t, t->h.m.cells[item / behind], CHEM_IRT_ROWS / 2u + item % behind,
                             next >= n_items ? 1u : 0u);
    }
}

/* -------------------------------------------------------------------------------------------------- products */

/* A pair that is to be asked. */
CK_FN void chem_irt_hit(chem_irt_thread *t, ck_u32 one, ck_u32 other)
{
    ck_u32 at = ck_atomic_add_local_u32(t->near_words + CHEM_IRT_HITS, 1u);
    if (at < t->h.p.room_fresh) {
        t->h.m.hits[2u * at] = one;
        t->h.m.hits[2u * at + 1u] = other;
    }
}

/* Place of product number `k`: of all, or of those of the last reaction. */
CK_FN ck_u32 chem_irt_product(chem_irt_thread *t, ck_u32 k)
{
    return t->state == CHEM_IRT_ASKS_ALL ? t->h.n_start + k : t->h.m.made[k];
}

/* Products in the cells about a product, to be looked at: room for all that there can be, where what is found will
 * stand later. */
CK_FN CK_GLOBAL ck_u32 *chem_irt_links(chem_irt_thread *t)
{
    return (CK_GLOBAL ck_u32 *)t->h.m.fresh;
}

/* One of the cells about a product: note where its molecules of the start stand, and the products that hang in it;
 * nothing more, since some chains are long. */
CK_FN void chem_irt_look_into(chem_irt_thread *t, ck_u32 slot, ck_u32 row_number, ck_u32 number)
{
    chem_irt_memory m = t->h.m;
    chem_irt_row row = chem_irt_row_at(number / CHEM_IRT_SPAN);
    ck_u64 key = m.cell_key[m.cell[slot]];
    ck_i32 dk = (ck_i32)(number % CHEM_IRT_SPAN) - CHEM_IRT_FINE;
    double left = chem_irt_left(t->h.p, key, row, m.x[slot], m.y[slot]);
    double dz = chem_irt_gap(m.z[slot], ((ck_u32)key & 0x1FFFFFu) + (ck_u32)dk, t->h.p.cell);
    ck_u32 cell = dz * dz < left ? chem_irt_neighbour(t->h.p, m, m.cell[slot], row.di, row.dj, dk) : CHEM_NONE;
    if (cell != CHEM_NONE) {
        if (m.cell_end[cell] > m.cell_first[cell]) {
            ck_atomic_max_local_u32(t->near_words + CHEM_IRT_FIRSTS + row_number, ~m.cell_first[cell]);
            ck_atomic_max_local_u32(t->near_words + CHEM_IRT_ENDS + row_number, m.cell_end[cell]);
        }
        for (ck_u32 other = m.cell_chain[cell]; other != CHEM_NONE; other = m.next[other]) {
            ck_u32 at = ck_atomic_add_local_u32(t->near_words + CHEM_IRT_LINKS, 1u);
            chem_irt_links(t)[2u * at] = slot;
            chem_irt_links(t)[2u * at + 1u] = other;
        }
    }
}

/* So many lanes ask a pair together, where lanes step together: each draws one of the three normal numbers. */
#define CHEM_IRT_ABREAST (CK_LANES > 1u ? 4u : 1u)

/* Ask hit number `k`; `is_wanted`: it is not there only so that all lanes have one. All lanes call. */
CK_FN void chem_irt_ask_abreast(chem_irt_thread *t, ck_u32 k, ck_u32 is_wanted)
{
    chem_irt_history *h = &t->h;
    ck_u32 one = h->m.hits[2u * k], other = h->m.hits[2u * k + 1u], axis = t->lane % CHEM_IRT_ABREAST;
    chem_irt_point move;
    if (CHEM_IRT_ABREAST > 1u) {
        ck_u32 id = h->m.id[one], other_id = h->m.id[other], low = id < other_id ? id : other_id;
        double mine = chem_irt_normal(h->keys, CHEM_IRT_MOVE + (axis < 3u ? axis : 0u), low, id < other_id ? other_id : id);
        move.x = ck_lane_double(mine, t->lane - axis);
        move.y = ck_lane_double(mine, t->lane - axis + 1u);
        move.z = ck_lane_double(mine, t->lane - axis + 2u);
    } else {
        move = chem_irt_normals_of_move(h->keys, chem_irt_at(h, one), chem_irt_at(h, other));
    }
    chem_irt_entry e = chem_irt_entry_by(h, one, other, move);
    if (is_wanted != 0u && axis == 0u) {
        h->n_pairs += chem_irt_can_meet(h, one, other);
        chem_irt_wait(t, e);
    }
}

/* How many molecules of the start there are in the rows before each one: by the lanes of the first threads. Returns
 * all, to them. */
CK_FN void chem_irt_sum_rows(chem_irt_thread *t, ck_u32 n_rows)
{
    ck_u32 sum = 0u, total;
    for (ck_u32 base = 0u; base < n_rows; base += CK_LANES) {
        ck_u32 row = base + t->lane, n = 0u;
        if (row < n_rows) {
            ck_u32 first = ~ck_read_local_u32(t->near_words + CHEM_IRT_FIRSTS + row);
            ck_u32 end = ck_read_local_u32(t->near_words + CHEM_IRT_ENDS + row);
            n = end > first ? end - first : 0u;
        }
        ck_u32 before = sum + ck_lane_sum_before(n, &total);
        if (row < n_rows) {
            ck_write_local_u32(t->near_words + CHEM_IRT_BEFORE + row, before);
        }
        sum += total;
    }
    if (t->lane == 0u) {
        ck_write_local_u32(t->near_words + CHEM_IRT_BEFORE + n_rows, sum);
    }
}

/* The row that number `k` of all that stand in the rows is in. */
CK_FN ck_u32 chem_irt_row_of(chem_irt_thread *t, ck_u32 k, ck_u32 n_rows)
{
    ck_u32 low = 0u, high = n_rows;
    while (high - low > 1u) {
        ck_u32 middle = (low + high) / 2u,
               is_after = ck_read_local_u32(t->near_words + CHEM_IRT_BEFORE + middle) <= k ? 1u : 0u;
        low = is_after != 0u ? middle : low;
        high = is_after != 0u ? high : middle;
    }
    return low;
}

/* Products [first, first + n), n up to CHEM_IRT_GROUP, and all that was there before them. */
CK_FN void chem_irt_search_group(chem_irt_thread *t, ck_u32 first, ck_u32 n)
{
    chem_irt_history *h = &t->h;
    ck_u32 n_rows = n * CHEM_IRT_ROWS;
    for (ck_u32 k = t->number; k < n * CHEM_IRT_AROUND; k += t->n_threads) {
        ck_u32 slot = chem_irt_product(t, first + k / CHEM_IRT_AROUND);
        if (h->m.species[slot] != h->p.n_species) {
            chem_irt_look_into(t, slot, k / CHEM_IRT_SPAN, k % CHEM_IRT_AROUND);
        }
    }
    CK_GROUP_BARRIER();
    if (t->number < CK_LANES) {
        chem_irt_sum_rows(t, n_rows);
    }
    CK_GROUP_BARRIER();
    ck_u32 total = ck_read_local_u32(t->near_words + CHEM_IRT_BEFORE + n_rows);
    for (ck_u32 k = t->number; k < total; k += t->n_threads) {
        ck_u32 row = chem_irt_row_of(t, k, n_rows), slot = chem_irt_product(t, first + row / CHEM_IRT_ROWS);
        ck_u32 other = ~ck_read_local_u32(t->near_words + CHEM_IRT_FIRSTS + row) + k -
                       ck_read_local_u32(t->near_words + CHEM_IRT_BEFORE + row);
        if (chem_irt_is_possible(h, slot, other) != 0u) {
            chem_irt_hit(t, slot, other);
        }
    }
    ck_u32 n_links = ck_read_local_u32(t->near_words + CHEM_IRT_LINKS);
    for (ck_u32 k = t->n_threads - 1u - t->number; k < n_links; k += t->n_threads) {
        ck_u32 slot = chem_irt_links(t)[2u * k], other = chem_irt_links(t)[2u * k + 1u];
        if (h->m.id[other] < h->m.id[slot] && chem_irt_is_possible(h, slot, other) != 0u) {
            chem_irt_hit(t, slot, other);
        }
    }
    CK_GROUP_BARRIER();
    for (ck_u32 k = t->number; k < n_rows; k += t->n_threads) { /* for the next group */
        ck_write_local_u32(t->near_words + CHEM_IRT_FIRSTS + k, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_ENDS + k, 0u);
    }
    ck_u32 n_hits = ck_read_local_u32(t->near_words + CHEM_IRT_HITS);
    n_hits = n_hits < h->p.room_fresh ? n_hits : h->p.room_fresh;
    for (ck_u32 base = 0u; base < n_hits * CHEM_IRT_ABREAST; base += t->n_threads) {
        ck_u32 k = (base + t->number) / CHEM_IRT_ABREAST;
        chem_irt_ask_abreast(t, k < n_hits ? k : 0u, k < n_hits ? 1u : 0u);
    }
}

/* Thread 0, between groups: did all hits fit? The next ones. */
CK_FN void chem_irt_take_hits(chem_irt_thread *t)
{
    t->h.is_full |= ck_read_local_u32(t->near_words + CHEM_IRT_HITS) > t->h.p.room_fresh ? 1u : 0u;
    ck_write_local_u32(t->near_words + CHEM_IRT_HITS, 0u);
    ck_write_local_u32(t->near_words + CHEM_IRT_LINKS, 0u);
}

/* Molecules by themselves. */
CK_FN void chem_irt_search_alone(chem_irt_thread *t, ck_u32 first, ck_u32 n)
{
    chem_irt_history *h = &t->h;
    for (ck_u32 k = t->n_threads - 1u - t->number; k < n; k += t->n_threads) { /* the last threads have least to do */
        ck_u32 slot = t->state == CHEM_IRT_ASKS_ALL ? first + k : h->m.made[k], species = h->m.species[slot];
        ck_u32 is_there = species != h->p.n_species ? 1u : 0u;
        ck_u32 end = is_there != 0u ? h->words[h->p.at_first + species + 1u] : 0u;
        for (ck_u32 i = is_there != 0u ? h->words[h->p.at_first + species] : 0u; i < end; ++i) {
            chem_irt_wait(t, chem_irt_entry_alone(h, chem_irt_at(h, slot), slot, i));
        }
    }
}

/* Everything that is there, or the products of a reaction: into the list. A barrier must follow. */
CK_FN void chem_irt_search(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    ck_u32 is_all = t->state == CHEM_IRT_ASKS_ALL ? 1u : 0u,
           n_products = is_all != 0u ? h->n_places - h->n_start : h->n_made;
    t->list = is_all != 0u ? h->m.queue : h->m.fresh;
    t->list_room = is_all != 0u ? h->p.room_queue : h->p.room_fresh;
    if (is_all != 0u) {
        chem_irt_search_cells(t);
    }
    for (ck_u32 first = 0u; first < n_products; first += CHEM_IRT_GROUP) {
        ck_u32 n = n_products - first < CHEM_IRT_GROUP ? n_products - first : CHEM_IRT_GROUP;
        if (first != 0u) {
            CK_GROUP_BARRIER();
            if (t->number == 0u) {
                chem_irt_take_hits(t);
            }
            CK_GROUP_BARRIER();
        }
        chem_irt_search_group(t, first, n);
    }
    chem_irt_search_alone(t, 0u, is_all != 0u ? h->n_places : n_products);
}

#endif
