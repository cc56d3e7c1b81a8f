/**
 * Working memory of one history of `irt`: molecules in the order of their cells, products in chains of their cells, a queue of
 * reactions by time. All sizes come from the host; what does not fit is never dropped silently (chem_irt_queue).
 */
#ifndef CHEM_IRT_MEMORY_H
#define CHEM_IRT_MEMORY_H

#include "irt.h"

/* What `irt` needs beyond the tables that all methods share. Offsets in 32-bit words into the table of channels. */
typedef struct chem_irt_params {
    ck_philox4_key key;
    double start, end;      /* [ps] */
    double farthest;        /* the largest distance at which a pair is looked at [nm] */
    double cell;            /* edge of a cell: farthest/CHEM_IRT_FINE or larger [nm] */
    ck_u32 first_history_low, first_history_high;
    ck_u32 n_histories;     /* of this launch */
    ck_u32 first_track;     /* of the first history: its number modulo n_tracks */
    ck_u32 n_tracks;
    ck_u32 n_species, n_channels, n_outputs;
    ck_u32 at_pairs;        /* channel of two species, n_species^2 words */
    ck_u32 at_first;        /* n_species + 1 offsets into the list of first-order channels */
    ck_u32 at_first_list;
    ck_u32 at_motion;       /* sqrt(2 D) of every species (float) */
    ck_u32 at_births, at_reactions, at_counters; /* 64-bit words of the result */
    ck_u32 n_births;        /* groups of molecules by time of birth: those of group g and track i are
                               [group_first[k], group_first[k + 1]) of table 0, k = g n_tracks + i */
    ck_u32 room;            /* molecules there is memory for: those of the largest track, and products */
    ck_u32 n_cells;         /* of the table of cells, a power of two larger than `room` */
    ck_u32 room_queue;      /* reactions that wait */
    ck_u32 room_fresh;      /* a block that shares a history: what one event adds, and what events have added; 0 for a worker by
                               itself, which adds one reaction after the other */
} chem_irt_params;

/* Cells are so many times smaller than the farthest distance that is looked at, so that less is looked at in vain. */
#define CHEM_IRT_FINE 2
#define CHEM_IRT_ROWS 25 /* (2 FINE + 1)^2 rows of cells along z */

/* Places are read in blocks of so many: behind those in use there are more, without molecules. */
#define CHEM_IRT_LANES 16u

/* A reaction that waits for its time. */
typedef struct CK_ALIGNED(16) chem_irt_entry {
    double time;
    ck_u32 tie;
    ck_u32 channel;
    ck_u32 low, high;   /* ids; high is CHEM_NONE for a molecule by itself */
    ck_u32 a, b;        /* where the molecules are */
} chem_irt_entry;

CK_STATIC_ASSERT(sizeof(chem_irt_entry) == 32, chem_irt_entry_has_no_padding);
CK_STATIC_ASSERT(sizeof(chem_irt_params) % 8 == 0, chem_irt_params_are_whole_doubles);

/* The arrays. Never a kernel argument: each worker forms it from one buffer. */
typedef struct chem_irt_memory {
    CK_GLOBAL double *x, *y, *z, *birth;   /* [room]; the last CHEM_IRT_LANES places stay empty */
    CK_GLOBAL chem_irt_entry *queue;       /* [room_queue] */
    CK_GLOBAL chem_irt_entry *fresh;       /* [room_fresh]: of the last event */
    CK_GLOBAL chem_irt_entry *later;       /* [room_fresh]: those of events that wait */
    CK_GLOBAL ck_u32 *hits;                /* [room_fresh][2]: places of pairs that are to be asked */
    CK_GLOBAL ck_u64 *cell_key;            /* [n_cells]: three coordinates, all ones for an empty one */
    CK_GLOBAL ck_u32 *id, *species;        /* [room]; species n_species: no molecule */
    CK_GLOBAL ck_u32 *next, *previous;     /* [room]: chain of products of a cell, free places */
    CK_GLOBAL ck_u32 *cell, *event;        /* [room]: cell it is in; number of the reaction that made it, 0 for none */
    CK_GLOBAL ck_u32 *cell_first, *cell_end, *cell_chain; /* [n_cells] */
    CK_GLOBAL ck_u32 *cells;               /* [n_cells]: cells with molecules at the start, by key */
    CK_GLOBAL float *bound;                /* [n_species][n_species + 1]: chem_irt_may_react */
    CK_GLOBAL float *two_d;                /* [n_species + 1] */
    CK_GLOBAL ck_u32 *alive;               /* [n_species] */
    CK_GLOBAL ck_u32 *n_used;              /* [1]: cells that are in the table */
    CK_GLOBAL ck_u32 *made;                /* [4]: places of the products of the last reaction */
    CK_GLOBAL ck_u32 *born;                /* [n_outputs][n_species]: between the output before and this one */
} chem_irt_memory;

/* Bytes of one worker's buffer, a multiple of 64. */
CK_FN ck_u64 chem_irt_bytes(chem_irt_params p)
{
    ck_u64 room = p.room, n_cells = p.n_cells, n_species = p.n_species;
    ck_u64 doubles = 4u * room + n_cells + 4u * (ck_u64)p.room_queue + 9u * (ck_u64)p.room_fresh;
    ck_u64 words = 6u * room + 4u * n_cells + n_species * (n_species + 1u) + (n_species + 1u) + n_species + 1u + 4u +
                   p.n_outputs * n_species;
    return (8u * doubles + 4u * words + 63u) & ~(ck_u64)63;
}

/* The arrays in a buffer that is aligned to 8 bytes. */
CK_FN chem_irt_memory chem_irt_arrange(chem_irt_params p, CK_GLOBAL double *buffer)
{
    chem_irt_memory m;
    m.x = buffer;
    m.y = m.x + p.room;
    m.z = m.y + p.room;
    m.birth = m.z + p.room;
    m.queue = (CK_GLOBAL chem_irt_entry *)(m.birth + p.room);
    m.fresh = m.queue + p.room_queue;
    m.later = m.fresh + p.room_fresh;
    m.hits = (CK_GLOBAL ck_u32 *)(m.later + p.room_fresh);
    m.cell_key = (CK_GLOBAL ck_u64 *)(m.hits + 2u * p.room_fresh);
    m.id = (CK_GLOBAL ck_u32 *)(m.cell_key + p.n_cells);
    m.species = m.id + p.room;
    m.next = m.species + p.room;
    m.previous = m.next + p.room;
    m.cell = m.previous + p.room;
    m.event = m.cell + p.room;
    m.cell_first = m.event + p.room;
    m.cell_end = m.cell_first + p.n_cells;
    m.cell_chain = m.cell_end + p.n_cells;
    m.cells = m.cell_chain + p.n_cells;
    m.bound = (CK_GLOBAL float *)(m.cells + p.n_cells);
    m.two_d = m.bound + p.n_species * (p.n_species + 1u);
    m.alive = (CK_GLOBAL ck_u32 *)(m.two_d + p.n_species + 1u);
    m.n_used = m.alive + p.n_species;
    m.made = m.n_used + 1u;
    m.born = m.made + 4u;
    return m;
}

#endif
