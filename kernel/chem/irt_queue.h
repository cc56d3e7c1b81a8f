/**
 * Reactions that wait, earliest first: a heap. When it is full the later half is given up and a horizon remembers the last
 * one that is known; once all up to it are done, the molecules that are left are asked again, and give the same times. Any room
 * will do, however many reactions there are at one time.
 */
#ifndef CHEM_IRT_QUEUE_H
#define CHEM_IRT_QUEUE_H

#include "irt_memory.h"

/* Entries below one in the heap: two are fewest comparisons; where memory is far, more are fewer steps one after the other. */
#ifndef CHEM_IRT_ARITY
#define CHEM_IRT_ARITY 2u
#endif

/* The queue of a history. */
typedef struct chem_irt_queue {
    CK_GLOBAL chem_irt_entry *entries;
    ck_u32 n, room;
    ck_u32 is_heap; /* else a heap is still to be made of it */
    ck_u32 is_cut;  /* reactions after the horizon are not in it */
    chem_irt_entry horizon;
} chem_irt_queue;

/* Order of reactions: time, then random words, then ids, so that it does not depend on where molecules are kept. */
CK_FN ck_u32 chem_irt_is_before(chem_irt_entry a, chem_irt_entry b)
{
    if (a.time != b.time) {
        return a.time < b.time ? 1u : 0u;
    }
    if (a.tie != b.tie) {
        return a.tie < b.tie ? 1u : 0u;
    }
    return a.low != b.low ? (a.low < b.low ? 1u : 0u) : (a.high < b.high ? 1u : 0u);
}

/* The earliest of the entries below one, the first of which is `child`. Their times are read at once, since memory is far. */
CK_FN ck_u32 chem_irt_earliest_below(chem_irt_queue *q, ck_u32 child)
{
    double time[CHEM_IRT_ARITY];
    ck_u32 best = child, last = q->n - 1u;
    double earliest = q->entries[child].time;
    CK_UNROLL
    for (ck_u32 k = 1u; k < CHEM_IRT_ARITY; ++k) {
        time[k] = q->entries[child + k < last ? child + k : last].time;
    }
    CK_UNROLL
    for (ck_u32 k = 1u; k < CHEM_IRT_ARITY; ++k) {
        ck_u32 other = child + k < last ? child + k : last;
        if (time[k] < earliest || (time[k] == earliest && chem_irt_is_before(q->entries[other], q->entries[best]) != 0u)) {
            best = other;
            earliest = time[k];
        }
    }
    return best;
}

/* Let the entry at a place of the heap down to where it belongs. */
CK_CALL void chem_irt_sink(chem_irt_queue *q, ck_u32 at)
{
    chem_irt_entry moved = q->entries[at];
    for (;;) {
        ck_u32 child = CHEM_IRT_ARITY * at + 1u;
        if (child >= q->n) {
            break;
        }
        child = chem_irt_earliest_below(q, child);
        if (chem_irt_is_before(q->entries[child], moved) == 0u) {
            break;
        }
        q->entries[at] = q->entries[child];
        at = child;
    }
    q->entries[at] = moved;
}

CK_CALL void chem_irt_make_heap(chem_irt_queue *q)
{
    for (ck_u32 i = (q->n + CHEM_IRT_ARITY - 2u) / CHEM_IRT_ARITY; i-- > 0u;) {
        chem_irt_sink(q, i);
    }
    q->is_heap = 1u;
}

/* The entry of rank `rank` (Hoare's selection); it orders them about it. */
CK_FN chem_irt_entry chem_irt_entry_of_rank(chem_irt_queue *q, ck_u32 rank)
{
    ck_u32 low = 0u;
    ck_u32 high = q->n - 1u;
    while (low < high) {
        chem_irt_entry pivot = q->entries[(low + high) / 2u];
        ck_u32 i = low;
        ck_u32 j = high;
        for (;;) {
            while (chem_irt_is_before(q->entries[i], pivot) != 0u) {
                ++i;
            }
            while (chem_irt_is_before(pivot, q->entries[j]) != 0u) {
                --j;
            }
            if (i >= j) {
                break;
            }
            chem_irt_entry held = q->entries[i];
            q->entries[i] = q->entries[j];
            q->entries[j] = held;
            ++i;
            --j;
        }
        if (rank <= j) {
            high = j;
        } else {
            low = j + 1u;
        }
    }
    return q->entries[rank];
}

/* Is an entry after the last one that is known? */
CK_FN ck_u32 chem_irt_is_beyond(chem_irt_queue *q, chem_irt_entry e)
{
    return q->is_cut != 0u && chem_irt_is_before(q->horizon, e) != 0u ? 1u : 0u;
}

/* Give up the later half. */
CK_CALL void chem_irt_shorten(chem_irt_queue *q)
{
    ck_u32 was_heap = q->is_heap;
    ck_u32 kept = 0u;
    q->horizon = chem_irt_entry_of_rank(q, q->n / 2u);
    q->is_cut = 1u;
    for (ck_u32 i = 0u; i < q->n; ++i) {
        if (chem_irt_is_beyond(q, q->entries[i]) == 0u) {
            q->entries[kept++] = q->entries[i];
        }
    }
    q->n = kept;
    if (was_heap != 0u) {
        chem_irt_make_heap(q);
    }
}

/* Add a reaction, if it is not beyond the horizon. Room for four or more. */
CK_CALL void chem_irt_push(chem_irt_queue *q, chem_irt_entry e)
{
    if (q->n == q->room && chem_irt_is_beyond(q, e) == 0u) {
        chem_irt_shorten(q);
    }
    if (chem_irt_is_beyond(q, e) != 0u) {
        return;
    }
    ck_u32 at = q->n++;
    while (q->is_heap != 0u && at > 0u && chem_irt_is_before(e, q->entries[(at - 1u) / CHEM_IRT_ARITY]) != 0u) {
        q->entries[at] = q->entries[(at - 1u) / CHEM_IRT_ARITY];
        at = (at - 1u) / CHEM_IRT_ARITY;
    }
    q->entries[at] = e;
}

/* Take the earliest; there must be one. */
CK_CALL chem_irt_entry chem_irt_pop(chem_irt_queue *q)
{
    chem_irt_entry first = q->entries[0];
    q->entries[0] = q->entries[--q->n];
    chem_irt_sink(q, 0u);
    return first;
}

#endif
