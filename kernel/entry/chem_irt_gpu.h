/**
 * The method `irt` on a GPU (CUDA and OpenCL): each block takes whole histories. All its threads look for pairs; one
 * lets the earliest reaction happen, and the others wait for its products.
 */
#include "../port.h"

#define CHEM_IRT_TAKE(word) ck_atomic_add_u32((word), 1u)
#define CHEM_IRT_ADD(words, index, amount) ck_atomic_add_u64((words) + (index), (ck_u64)(amount))
#define CHEM_IRT_ARITY 8u
#define CHEM_IRT_KEYS CK_LOCAL const ck_u32 *
#define CHEM_IRT_KEY(keys, draw) ck_read_local_u32((keys) + (draw))

#include "block_scan.h"
#include "chem_irt_lanes.h"

/* ------------------------------------------------------------------------------------------------------ list */

/* A list that all of it did not fit: thread 0 gives up the later half of what did, and all know how far it goes now. */
CK_FN void chem_irt_cut_list(chem_irt_thread *t)
{
    CK_LOCAL ck_u32 *horizon = t->near_words + CHEM_IRT_HORIZON;
    chem_irt_queue *q = &t->h.q;
    if (t->number == 0u) {
        chem_irt_queue list = *q;
        list.entries = t->list;
        list.n = list.room = t->list_room;
        list.is_heap = 0u;
        chem_irt_shorten(&list);
        ck_u64 time = CK_BITS64(list.horizon.time);
        ck_write_local_u32(horizon, (ck_u32)time);
        ck_write_local_u32(horizon + 1u, (ck_u32)(time >> 32));
        ck_write_local_u32(horizon + 2u, list.horizon.tie);
        ck_write_local_u32(horizon + 3u, list.horizon.low);
        ck_write_local_u32(horizon + 4u, list.horizon.high);
        ck_write_local_u32(t->near_words + CHEM_IRT_LISTED, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_TICKET, 0u);
        chem_irt_take_hits(t);
    }
    CK_GROUP_BARRIER();
    q->horizon.time = CK_REAL64((ck_u64)ck_read_local_u32(horizon) | (ck_u64)ck_read_local_u32(horizon + 1u) << 32);
    q->horizon.tie = ck_read_local_u32(horizon + 2u);
    q->horizon.low = ck_read_local_u32(horizon + 3u);
    q->horizon.high = ck_read_local_u32(horizon + 4u);
    q->is_cut = 1u;
    CK_GROUP_BARRIER();
}

/* Let one cell, or one entry, come before another. */
CK_FN void chem_irt_order_cells(chem_irt_memory m, ck_u32 i, ck_u32 j)
{
    ck_u32 a = m.cells[i], b = m.cells[j];
    if (m.cell_key[a] > m.cell_key[b]) {
        m.cells[i] = b;
        m.cells[j] = a;
    }
}

CK_FN void chem_irt_order_entries(chem_irt_memory m, ck_u32 i, ck_u32 j)
{
    chem_irt_entry a = m.queue[i], b = m.queue[j];
    if (chem_irt_is_before(b, a) != 0u) {
        m.queue[i] = b;
        m.queue[j] = a;
    }
}

/* Sort `n` cells by key, or entries by time: bitonic, with what is missing to a power of two thought of behind the
 * end. */
CK_FN void chem_irt_sort(chem_irt_thread *t, ck_u32 n, ck_u32 is_of_cells)
{
    for (ck_u32 size = 2u; size / 2u < n; size *= 2u) {
        ck_u32 n_pairs = (n + size - 1u) / size * (size / 2u);
        for (ck_u32 reach = size / 2u; reach != 0u; reach /= 2u) {
            for (ck_u32 k = t->number; k < n_pairs; k += t->n_threads) {
                ck_u32 i = 2u * (k & ~(reach - 1u)) + (k & (reach - 1u));
                ck_u32 j = reach == size / 2u ? i ^ (size - 1u) : i + reach;
                if (j < n && is_of_cells != 0u) {
                    chem_irt_order_cells(t->h.m, i, j);
                } else if (j < n) {
                    chem_irt_order_entries(t->h.m, i, j);
                }
            }
            CK_GROUP_BARRIER();
        }
    }
}

/* ---------------------------------------------------------------------------------------------------- events */

/* Lanes: pass over entries at the head of the list whose molecules are gone. */
CK_FN void chem_irt_skip_gone(chem_irt_thread *t)
{
    ck_u32 first = CK_LANES;
    while (first == CK_LANES && t->head < t->n_list) {
        ck_u32 at = t->head + t->lane;
        ck_u32 is_live = at < t->n_list ? chem_irt_is_live(&t->h, t->h.m.queue[at]) : 0u;
        first = ck_lane_min(is_live != 0u ? t->lane : CK_LANES);
        t->head += first;
    }
}

/* Thread 0: the earliest reaction of the list and of those that events have added. Returns 0 if there is none. It stays
 * where it is, to be passed over when it has happened. */
CK_FN ck_u32 chem_irt_earliest(chem_irt_thread *t, chem_irt_entry *e)
{
    chem_irt_history *h = &t->h;
    while (h->q.n != 0u && chem_irt_is_live(h, h->q.entries[0]) == 0u) {
        chem_irt_pop(&h->q);
    }
    if (h->q.n != 0u) {
        *e = h->q.entries[0];
    }
    ck_u32 is_found = h->q.n != 0u ? 1u : 0u;
    if (t->head < t->n_list) {
        chem_irt_entry listed = h->m.queue[t->head];
        if (chem_irt_is_beyond(&h->q, listed) == 0u && (is_found == 0u || chem_irt_is_before(listed, *e) != 0u)) {
            *e = listed;
            is_found = 1u;
        }
    }
    return is_found;
}

/* Three of the normal numbers that lanes have drawn, from the word `at` on. */
CK_FN double chem_irt_read_normal(CK_LOCAL const ck_u32 *at)
{
    return CK_REAL64((ck_u64)ck_read_local_u32(at) | (ck_u64)ck_read_local_u32(at + 1u) << 32);
}

CK_FN chem_irt_point chem_irt_read_normals(CK_LOCAL const ck_u32 *at)
{
    chem_irt_point p;
    p.x = chem_irt_read_normal(at);
    p.y = chem_irt_read_normal(at + 2u);
    p.z = chem_irt_read_normal(at + 4u);
    return p;
}

/* Lanes: the normal numbers of the pair that reacts, one each. */
CK_FN void chem_irt_draw_normals(chem_irt_thread *t)
{
    CK_LOCAL ck_u32 *near_words = t->near_words;
    ck_u32 low = ck_read_local_u32(near_words + CHEM_IRT_FOUND_LOW),
           high = ck_read_local_u32(near_words + CHEM_IRT_FOUND_HIGH);
    for (ck_u32 k = t->lane; k < 6u; k += CK_LANES) {
        ck_u64 bits =
            CK_BITS64(chem_irt_normal(t->h.keys, k < 3u ? CHEM_IRT_MOVE + k : CHEM_IRT_SITE + k - 3u, low, high));
        ck_write_local_u32(near_words + CHEM_IRT_NORMALS + 2u * k, (ck_u32)bits);
        ck_write_local_u32(near_words + CHEM_IRT_NORMALS + 2u * k + 1u, (ck_u32)(bits >> 32));
    }
}

/* Lanes of the first threads: let reactions happen until one has products, or none is left. */
CK_FN void chem_irt_react(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    CK_LOCAL ck_u32 *near_words = t->near_words;
    ck_u32 goes_on = 1u;
    h->n_made = 0u;
    while (goes_on != 0u) {
        chem_irt_entry e;
        chem_irt_skip_gone(t);
        if (t->lane == 0u) {
            ck_u32 is_found = h->is_full == 0u ? chem_irt_earliest(t, &e) : 0u;
            ck_write_local_u32(near_words + CHEM_IRT_FOUND, is_found);
            ck_write_local_u32(near_words + CHEM_IRT_FOUND_LOW, is_found != 0u ? e.low : 0u);
            ck_write_local_u32(near_words + CHEM_IRT_FOUND_HIGH, is_found == 0u        ? 0u
                                                                 : e.high == CHEM_NONE ? e.low
                                                                                       : e.high);
        }
        CK_LANES_MEET();
        goes_on = ck_read_local_u32(near_words + CHEM_IRT_FOUND);
        if (goes_on != 0u) {
            chem_irt_draw_normals(t);
            CK_LANES_MEET();
            if (t->lane == 0u) {
                chem_irt_point move = chem_irt_read_normals(near_words + CHEM_IRT_NORMALS);
                chem_irt_point site = chem_irt_read_normals(near_words + CHEM_IRT_NORMALS + 6u);
                chem_irt_happen(h, e, chem_irt_where(h, e, move, site));
                ck_write_local_u32(near_words + CHEM_IRT_N_MADE, h->n_made);
            }
            CK_LANES_MEET();
            goes_on = ck_read_local_u32(near_words + CHEM_IRT_N_MADE) == 0u ? 1u : 0u;
            CK_LANES_MEET();
        }
    }
}

/* Lanes of the first threads: take up what the search found, let reactions happen, and say what is next. */
CK_FN void chem_irt_go_on(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    CK_LOCAL ck_u32 *near_words = t->near_words;
    if (t->lane == 0u) {
        ck_u32 n_fresh = t->state == CHEM_IRT_ASKS_ALL ? 0u : ck_read_local_u32(near_words + CHEM_IRT_LISTED);
        h->is_full |= n_fresh > t->list_room ? 1u : 0u;
        chem_irt_take_hits(t);
        for (ck_u32 i = 0u; i < n_fresh && h->is_full == 0u; ++i) {
            chem_irt_push(&h->q, h->m.fresh[i]);
        }
    }
    chem_irt_react(t);
    if (t->lane == 0u) {
        ck_u32 state = CHEM_IRT_ASKS_PRODUCTS;
        if (h->is_full != 0u) {
            state = CHEM_IRT_IS_DONE;
        } else if (h->n_made == 0u) { /* all up to the horizon are done */
            state = h->q.is_cut != 0u ? CHEM_IRT_ASKS_ALL : CHEM_IRT_IS_DONE;
        }
        ck_write_local_u32(near_words + CHEM_IRT_NEXT_STATE, state);
        ck_write_local_u32(near_words + CHEM_IRT_LISTED, 0u);
        ck_write_local_u32(near_words + CHEM_IRT_TICKET, 0u);
        ck_write_local_u32(near_words + CHEM_IRT_PLACES, h->n_places);
        ck_write_local_u32(near_words + CHEM_IRT_N_MADE, h->n_made);
    }
}

/* ----------------------------------------------------------------------------------------------------- begin */

CK_FN void chem_irt_clear(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    for (ck_u32 i = t->number; i < h->p.n_species; i += t->n_threads) {
        h->m.alive[i] = 0u;
    }
    for (ck_u32 i = t->number; i < h->p.n_species * h->p.n_outputs; i += t->n_threads) {
        h->m.born[i] = 0u;
    }
    for (ck_u32 i = t->number; i < h->p.n_cells; i += t->n_threads) {
        h->m.cell_key[i] = CHEM_IRT_EMPTY;
        h->m.cell_first[i] = 0u;
        h->m.cell_end[i] = 0u;
        h->m.cell_chain[i] = CHEM_NONE;
    }
    if (t->number == 0u) {
        ck_write_local_u32(t->near_words + CHEM_IRT_CELLS, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_LISTED, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_HITS, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_LINKS, 0u);
        ck_write_local_u32(t->near_words + CHEM_IRT_TICKET, 0u);
    }
    for (ck_u32 i = t->number; i < 2u * CHEM_IRT_GROUP_ROWS; i += t->n_threads) {
        ck_write_local_u32(t->near_words + CHEM_IRT_FIRSTS + i, 0u);
    }
    CK_GROUP_BARRIER();
}

/* Count a molecule into its cell, and return it. */
CK_FN ck_u32 chem_irt_enter_cell(chem_irt_thread *t, chem_start from)
{
    chem_irt_memory m = t->h.m;
    chem_irt_point r;
    r.x = from.x;
    r.y = from.y;
    r.z = from.z;
    ck_u64 key = chem_irt_key_of(t->h.p, r);
    ck_u32 at = chem_irt_hash(t->h.p, key);
    ck_u64 seen = ck_atomic_exchange_if_u64(m.cell_key + at, CHEM_IRT_EMPTY, key);
    while (seen != CHEM_IRT_EMPTY && seen != key) {
        at = (at + 1u) & (t->h.p.n_cells - 1u);
        seen = ck_atomic_exchange_if_u64(m.cell_key + at, CHEM_IRT_EMPTY, key);
    }
    if (seen == CHEM_IRT_EMPTY) {
        m.cells[ck_atomic_add_local_u32(t->near_words + CHEM_IRT_CELLS, 1u)] = at;
    }
    (void)CHEM_IRT_TAKE(m.cell_end + at);
    return at;
}

/* Where the molecules of each cell begin. */
CK_FN void chem_irt_sum_cells(chem_irt_thread *t, ck_u32 n)
{
    chem_irt_memory m = t->h.m;
    ck_u32 part = (n + t->n_threads - 1u) / t->n_threads, first = part * t->number < n ? part * t->number : n;
    ck_u32 end = n - first < part ? n : first + part, sum = 0u, total;
    for (ck_u32 i = first; i < end; ++i) {
        sum += m.cell_end[m.cells[i]];
    }
    sum = chem_block_scan(t->near_words + CHEM_IRT_NEAR_WORDS, sum, &total);
    for (ck_u32 i = first; i < end; ++i) {
        ck_u32 cell = m.cells[i], count = m.cell_end[cell];
        m.cell_first[cell] = sum;
        m.cell_end[cell] = sum;
        sum += count;
    }
    CK_GROUP_BARRIER();
}

/* The molecules of the track, cell by cell. */
CK_FN void chem_irt_begin_together(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    ck_u32 n = 0u;
    chem_irt_clear(t);
    for (ck_u32 group = 0u; group < h->p.n_births; ++group) {
        ck_u32 first = chem_irt_first_of(h, group), end = chem_irt_end_of(h, group);
        for (ck_u32 i = first + t->number; i < end; i += t->n_threads) {
            h->m.next[n + (i - first)] = chem_irt_enter_cell(t, h->start[i]);
        }
        n += end - first;
    }
    CK_GROUP_BARRIER();
    h->n_cells = ck_read_local_u32(t->near_words + CHEM_IRT_CELLS);
    chem_irt_sort(t, h->n_cells, 1u);
    chem_irt_sum_cells(t, h->n_cells);
    if (t->number == 0u) {
        h->m.n_used[0] = h->n_cells;
        chem_irt_clear_places(h, n);
    }
    n = 0u;
    for (ck_u32 group = 0u; group < h->p.n_births; ++group) {
        ck_u32 first = chem_irt_first_of(h, group), end = chem_irt_end_of(h, group);
        for (ck_u32 i = first + t->number; i < end; i += t->n_threads) {
            chem_irt_place_molecule(h, h->start[i], h->m.next[n + (i - first)]);
        }
        n += end - first;
    }
    chem_irt_set_out(h, n);
    CK_GROUP_BARRIER();
}

/* ------------------------------------------------------------------------------------------------------- run */

/* After all have been asked: the list in order, or, where it was too short, the wish to ask again. Returns 1 if it is
 * in order. */
CK_FN ck_u32 chem_irt_take_list(chem_irt_thread *t)
{
    ck_u32 n = ck_read_local_u32(t->near_words + CHEM_IRT_LISTED), is_ready = n <= t->list_room ? 1u : 0u;
    CK_GROUP_BARRIER();
    if (is_ready != 0u) {
        chem_irt_sort(t, n, 0u);
        t->head = 0u;
        t->n_list = n;
        t->h.q.n = 0u;
        t->h.q.is_heap = 1u;
    } else {
        chem_irt_cut_list(t);
    }
    return is_ready;
}

/* One history from its first reaction to the end. */
CK_FN void chem_irt_run_together(chem_irt_thread *t)
{
    chem_irt_history *h = &t->h;
    chem_irt_begin_together(t);
    ck_u32 is_again = 0u;
    h->q.is_cut = 0u;
    t->state = CHEM_IRT_ASKS_ALL;
    while (t->state != CHEM_IRT_IS_DONE) {
        ck_u64 n_pairs = h->n_pairs;
        chem_irt_search(t);
        CK_GROUP_BARRIER();
        ck_u32 is_ready = t->state == CHEM_IRT_ASKS_ALL ? chem_irt_take_list(t) : 1u;
        if (t->state == CHEM_IRT_ASKS_ALL) { /* pairs asked again are not counted again: how often goes by the memory */
            h->n_pairs = is_again != 0u || is_ready == 0u ? n_pairs : h->n_pairs;
            is_again |= is_ready;
        }
        if (is_ready != 0u) {
            if (t->number < CK_LANES) {
                chem_irt_go_on(t);
            }
            CK_GROUP_BARRIER();
            t->state = ck_read_local_u32(t->near_words + CHEM_IRT_NEXT_STATE);
            h->n_places = ck_read_local_u32(t->near_words + CHEM_IRT_PLACES);
            h->n_made = ck_read_local_u32(t->near_words + CHEM_IRT_N_MADE);
            h->q.is_cut = t->state == CHEM_IRT_ASKS_ALL ? 0u : h->q.is_cut;
        }
    }
    if (t->number == 0u) {
        chem_irt_end(h);
    }
    if (h->n_pairs != 0u) {
        CHEM_IRT_ADD(h->result, h->p.at_counters + CHEM_COUNT_PAIRS, h->n_pairs);
    }
}

/* The next history, counted from the first of the launch; the same for all threads of the block. No more blocks take
 * one than there are, so that each of few has a multiprocessor for itself. */
CK_FN ck_u32 chem_irt_take_history(chem_irt_thread *t, CK_GLOBAL ck_u32 *next)
{
    CK_GROUP_BARRIER();
    if (t->number == 0u) {
        ck_u32 i = CK_GROUP_INDEX() < t->h.p.n_histories ? ck_atomic_add_u32(next, 1u) : CHEM_NONE;
        ck_write_local_u32(t->near_words + CHEM_IRT_NEXT_HISTORY, i);
    }
    CK_GROUP_BARRIER();
    return ck_read_local_u32(t->near_words + CHEM_IRT_NEXT_HISTORY);
}

/* What a block needs for its first history: a part of the working memory, taken only by those that have something to
 * do. */
CK_FN void chem_irt_take_memory(chem_irt_thread *t, CK_GLOBAL ck_u32 *parts, CK_GLOBAL double *scratch)
{
    chem_irt_history *h = &t->h;
    if (t->number == 0u) {
        ck_write_local_u32(t->near_words + CHEM_IRT_PART, ck_atomic_add_u32(parts, 1u));
    }
    CK_GROUP_BARRIER();
    h->m = chem_irt_arrange(h->p,
                            scratch + ck_read_local_u32(t->near_words + CHEM_IRT_PART) * (chem_irt_bytes(h->p) / 8u));
    h->q.entries = h->m.later;
    h->q.room = h->p.room_fresh;
    if (t->number == 0u) {
        chem_irt_prepare_tables(h);
    }
    CK_GROUP_BARRIER();
}

CK_FN void chem_irt_set_history(chem_irt_thread *t, ck_u32 i)
{
    chem_irt_history *h = &t->h;
    ck_u32 low = h->p.first_history_low + i, high = h->p.first_history_high + (low < i ? 1u : 0u);
    for (ck_u32 draw = t->number; draw < CHEM_IRT_STREAMS; draw += t->n_threads) {
        ck_write_local_u32(t->near_words + CHEM_IRT_KEY_WORDS + draw, chem_irt_key(h->p.key, low, high, draw));
    }
    h->track = (ck_u32)(((ck_u64)h->p.first_track + i) % h->p.n_tracks);
}

CK_KERNEL CK_LAUNCH_BOUNDS chem_irt(const chem_irt_params p, CK_GLOBAL const chem_start *CK_RESTRICT starts,
                                    CK_GLOBAL const ck_u32 *CK_RESTRICT channels,
                                    CK_GLOBAL const double *CK_RESTRICT outputs,
                                    CK_GLOBAL const ck_u32 *CK_RESTRICT groups, CK_GLOBAL ck_u64 *words,
                                    CK_GLOBAL ck_u32 *next, CK_GLOBAL double *scratch CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    chem_irt_thread t;
    t.near_words = ck_local;
    t.number = CK_LOCAL_INDEX();
    t.n_threads = CK_LOCAL_SIZE();
    t.lane = t.number % CK_LANES;
    t.pairs = ck_local + CHEM_IRT_NEAR_WORDS + t.n_threads + 4u * (t.number - t.lane);
    t.h.p = p;
    t.h.keys = ck_local + CHEM_IRT_KEY_WORDS;
    t.h.start = starts;
    t.h.channels = (CK_GLOBAL const chem_channel *)channels;
    t.h.words = channels;
    t.h.outputs = outputs;
    t.h.groups = groups;
    t.h.result = words;
    ck_u32 i = chem_irt_take_history(&t, next);
    if (i < p.n_histories) {
        chem_irt_take_memory(&t, next + 1, scratch);
    }
    for (; i < p.n_histories; i = chem_irt_take_history(&t, next)) {
        chem_irt_set_history(&t, i);
        chem_irt_run_together(&t);
    }
}
