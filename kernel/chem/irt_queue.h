/**
 * Reactions that wait, earliest first: a binary heap. When it is full the later half is given up and a horizon remembers from
 * which time on reactions are not known; once all earlier ones are done, the molecules that are left are asked again, and give
 * the same times.
 */
#ifndef CHEM_IRT_QUEUE_H
#define CHEM_IRT_QUEUE_H

#include "irt_memory.h"

/* The queue of a history. */
typedef struct chem_irt_queue {
    CK_GLOBAL chem_irt_entry *entries;
    ck_u32 n, room;
    ck_u32 is_heap;  /* else a heap is still to be made of it */
    double horizon;  /* reactions after it are not in the queue */
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

CK_CALL void chem_irt_sink(chem_irt_queue *q, ck_u32 at)
{
    chem_irt_entry moved = q->entries[at];
    for (;;) {
        ck_u32 child = 2u * at + 1u;
        if (child >= q->n) {
            break;
        }
        if (child + 1u < q->n && chem_irt_is_before(q->entries[child + 1u], q->entries[child]) != 0u) {
            ++child;
        }
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
    for (ck_u32 i = q->n / 2u; i-- > 0u;) {
        chem_irt_sink(q, i);
    }
    q->is_heap = 1u;
}

/* The time of rank `rank` among the entries (Hoare's selection); it orders them about it. */
CK_FN double chem_irt_time_of_rank(chem_irt_queue *q, ck_u32 rank)
{
    ck_u32 low = 0u;
    ck_u32 high = q->n - 1u;
    while (low < high) {
        double pivot = q->entries[(low + high) / 2u].time;
        ck_u32 i = low;
        ck_u32 j = high;
        for (;;) {
            while (q->entries[i].time < pivot) {
                ++i;
            }
            while (q->entries[j].time > pivot) {
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
    return q->entries[rank].time;
}

/* Give up the later half. */
CK_CALL void chem_irt_shorten(chem_irt_queue *q)
{
    ck_u32 was_heap = q->is_heap;
    ck_u32 kept = 0u;
    q->horizon = chem_irt_time_of_rank(q, q->n / 2u);
    for (ck_u32 i = 0u; i < q->n; ++i) {
        if (q->entries[i].time <= q->horizon) {
            q->entries[kept++] = q->entries[i];
        }
    }
    q->n = kept;
    if (was_heap != 0u) {
        chem_irt_make_heap(q);
    }
}

/* Add a reaction. Returns 0 where there is no room: more reactions at one time than fit. */
CK_CALL ck_u32 chem_irt_push(chem_irt_queue *q, chem_irt_entry e)
{
    if (e.time > q->horizon) {
        return 1u;
    }
    if (q->n == q->room) {
        chem_irt_shorten(q);
        if (e.time > q->horizon) {
            return 1u;
        }
        if (q->n == q->room) {
            return 0u;
        }
    }
    ck_u32 at = q->n++;
    while (q->is_heap != 0u && at > 0u && chem_irt_is_before(e, q->entries[(at - 1u) / 2u]) != 0u) {
        q->entries[at] = q->entries[(at - 1u) / 2u];
        at = (at - 1u) / 2u;
    }
    q->entries[at] = e;
    return 1u;
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
