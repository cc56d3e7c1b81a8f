/**
 * Numbers of the next histories, for the lanes of a GPU block.
 *
 * A lane takes a ticket with one shared atomic. Tickets come in chunks of 64; whoever opens a chunk fetches the number
 * of the next one from the global counter, one chunk ahead, into a ring of 32 words. Each word carries the chunk's first
 * history (a multiple of 64) and, in its low bits, the chunk's tag, so that one read tells whether it has arrived. A
 * lane whose chunk has not arrived yet asks again a turn later: nobody spins, so nothing can deadlock.
 */
#ifndef CK_QUEUE_H
#define CK_QUEUE_H

#include "port.h"

/* Small chunks, so that blocks run dry together; the ring holds more tickets than a block has threads. */
#define CK_QUEUE_CHUNK 64u
#define CK_QUEUE_RING 32u
#define CK_QUEUE_TAG (CK_QUEUE_CHUNK - 1u)
#define CK_QUEUE_WORDS (CK_QUEUE_RING + 1u)

#if !defined(CK_LANG_C)

typedef struct ck_queue {
    CK_LOCAL ck_u32 *ring; /* CK_QUEUE_WORDS words; the last one is the block's ticket counter */
    CK_GLOBAL ck_u32 *next;         /* the device's counter */
    ck_u32 n_preloaded;             /* chunks fetched at the start, enough for one ticket a thread */
} ck_queue;

CK_FN void ck_queue_fetch(const ck_queue *q, ck_u32 chunk)
{
    ck_u32 first = ck_atomic_add_u32(q->next, CK_QUEUE_CHUNK);
    ck_atomic_write_local_u32(q->ring + chunk % CK_QUEUE_RING, first | (chunk & CK_QUEUE_TAG));
}

/* Fill the ring. All threads of the block; a barrier must follow. */
CK_FN void ck_queue_start(const ck_queue *q)
{
    ck_u32 i = CK_LOCAL_INDEX();
    if (i == 0u) {
        for (ck_u32 k = 0; k < CK_QUEUE_RING; ++k) {
            ck_write_local_u32(q->ring + k, CK_QUEUE_TAG); /* no chunk of the first turn of the ring has this tag */
        }
        for (ck_u32 k = 0; k < q->n_preloaded; ++k) {
            ck_queue_fetch(q, k);
        }
        ck_write_local_u32(q->ring + CK_QUEUE_RING, 0u);
    }
}

CK_FN ck_u32 ck_queue_ticket(const ck_queue *q)
{
    ck_u32 ticket = ck_atomic_add_local_u32(q->ring + CK_QUEUE_RING, 1u);
    ck_u32 chunk = ticket / CK_QUEUE_CHUNK;
    if (ticket % CK_QUEUE_CHUNK == 0u && chunk + 1u >= q->n_preloaded) {
        ck_queue_fetch(q, chunk + 1u);
    }
    return ticket;
}

/* Has the ticket's chunk arrived? Then *number is the history, counted from the launch's first. */
CK_FN ck_u32 ck_queue_number(const ck_queue *q, ck_u32 ticket, ck_u32 *number)
{
    ck_u32 chunk = ticket / CK_QUEUE_CHUNK;
    ck_u32 word = ck_atomic_read_local_u32(q->ring + chunk % CK_QUEUE_RING);
    *number = (word & ~CK_QUEUE_TAG) + ticket % CK_QUEUE_CHUNK;
    return (word & CK_QUEUE_TAG) == (chunk & CK_QUEUE_TAG) ? 1u : 0u;
}

#endif
#endif
