/** Working memory of a launch: where its arrays lie, the same for host and kernel. */
#ifndef CHEM_MEMORY_H
#define CHEM_MEMORY_H

#include "params.h"

/* A pair or a molecule (second: CHEM_NONE) that would react in this step. */
typedef struct chem_candidate {
    ck_u32 first, second; /* slots */
    ck_u32 channel;       /* CHEM_NONE: over */
    float fraction;
    ck_u32 tie;
    ck_u32 unused;
} chem_candidate;

/* A molecule no one asked for; one that has reacted; one that has a candidate; the same, and moved to the end of the step. */
#define CHEM_FREE 0u
#define CHEM_TAKEN 1u
#define CHEM_ASKED 2u
#define CHEM_MOVED 3u

/* Words of the control block. */
#define CHEM_CONTROL_MOLECULES 0u  /* slots in use, alive or not */
#define CHEM_CONTROL_CANDIDATES 1u
#define CHEM_CONTROL_NO_ROOM 2u
#define CHEM_CONTROL_LIVE 64u      /* 64 words: candidates left after a round */
#define CHEM_CONTROL_OTHERS 160u  /* arrivals at the barrier of all blocks but one; a line of its own (GPU) */
#define CHEM_CONTROL_WORDS 192u
#define CHEM_CONTROL_LINED_UP 32u /* three words, used in turn: molecules that stand in the order of their buckets (GPU) */
#define CHEM_CONTROL_LATE 36u     /* molecules behind those, in no order (GPU) */
#define CHEM_CONTROL_FULL 37u     /* NO_ROOM before the search of a step (GPU) */
#define CHEM_PARTIALS 4096u        /* most workers (CPU) of a launch */

/* Where the first molecule of a bucket stands is in `starts`, at CHEM_AT(bucket); the word behind it says where they end. On a GPU
 * blocks give out places to tiles of buckets, each when it comes to it, so that no tile waits for another: a tile has a word more than
 * buckets, its end. */
#define CHEM_TILE 2048u
#if defined(CHEM_BY_TILES)
#define CHEM_AT(bucket) ((bucket) + 4u * ((bucket) / CHEM_TILE))
#define CHEM_ARE_IN_TURN(first, last) ((first) / CHEM_TILE == (last) / CHEM_TILE)
#else
#define CHEM_AT(bucket) (bucket)
#define CHEM_ARE_IN_TURN(first, last) 1
#endif

/* Offsets in bytes; all multiples of 64. */
typedef struct chem_layout {
    ck_u64 particles_a, particles_b, birth_a, birth_b, history_a, history_b, moves_a, moves_b, shifts, spots, buckets, ranks, order, best_a,
        best_b, claims, candidates, counts, starts, lined_up, partials, control, n_bytes;
} chem_layout;

CK_FN ck_u64 chem_take(ck_u64 at, ck_u64 n, ck_u64 size)
{
    return (at + n * size + 63u) & ~(ck_u64)63u;
}

CK_FN chem_layout chem_lay_out(ck_u32 room, ck_u32 room_candidates, ck_u32 n_buckets, ck_u32 corrects)
{
    ck_u64 n = room;
    chem_layout l;
    l.control = 0u;
    l.partials = chem_take(l.control, CHEM_CONTROL_WORDS, 4u);
    l.particles_a = chem_take(l.partials, CHEM_PARTIALS, 4u);
    l.particles_b = chem_take(l.particles_a, n, sizeof(chem_particle));
    l.birth_a = chem_take(l.particles_b, n, sizeof(chem_particle));
    l.birth_b = chem_take(l.birth_a, n, 4u);
    l.history_a = chem_take(l.birth_b, n, 4u);
    l.history_b = chem_take(l.history_a, n, 4u);
    l.moves_a = chem_take(l.history_b, n, 4u);
    l.moves_b = chem_take(l.moves_a, n, 16u);
    l.shifts = chem_take(l.moves_b, n, 16u);
    l.spots = chem_take(l.shifts, corrects != 0u ? n : 0u, 24u);
    l.buckets = chem_take(l.spots, n + 16u, 16u); /* a search may read a few beyond the last */
    l.ranks = chem_take(l.buckets, n, 4u);
    l.order = chem_take(l.ranks, n, 4u);
    l.best_a = chem_take(l.order, n, 4u);
    l.best_b = chem_take(l.best_a, n, 8u);
    l.claims = chem_take(l.best_b, n, 8u);
    l.candidates = chem_take(l.claims, n, 4u);
    l.counts = chem_take(l.candidates, room_candidates, sizeof(chem_candidate));
    l.starts = chem_take(l.counts, n_buckets, 4u);
    l.lined_up = l.starts + 4u * (ck_u64)n_buckets;
    l.n_bytes = chem_take(l.starts, n_buckets + 4u * ((ck_u64)n_buckets / CHEM_TILE + 1u), 4u);
    return l;
}

/* The arrays. `here` is what a step begins from, `next` the same sorted by bucket, what it ends with. */
typedef struct chem_memory {
    CK_GLOBAL chem_particle *here, *next;
    CK_GLOBAL float *birth_here, *birth_next;
    CK_GLOBAL ck_u32 *history_here, *history_next;
    CK_GLOBAL ck_u32 *moves_here, *moves_next; /* four words a molecule: displacement x y z as floats, and a random word. Of those
                                                  `here` it is the one of the step before. On a CPU both are one array */
    CK_GLOBAL ck_u64 *shifts;   /* corrections to them in 2^-32 nm, two's complement */
    CK_GLOBAL ck_u32 *buckets, *ranks; /* of `here` */
    CK_GLOBAL ck_u32 *order;    /* slots of `here` in the order of the buckets */
    CK_GLOBAL ck_u32 *spots;    /* four words a molecule of `next`: places in the grid x y z, and species; see CHEM_SPOT */
    CK_GLOBAL ck_u64 *best, *best_after; /* earliest event of a slot */
    CK_GLOBAL ck_u32 *claims;   /* what is up with a slot in this step: CHEM_FREE, ... */
    CK_GLOBAL chem_candidate *candidates;
    CK_GLOBAL ck_u32 *counts, *starts, *partials, *control;
    CK_GLOBAL ck_u32 *lined_up; /* the word that says how many molecules stand in the order of the buckets */
} chem_memory;

CK_FN chem_memory chem_bind(CK_GLOBAL ck_u64 *scratch, chem_layout l)
{
    CK_GLOBAL unsigned char *base = (CK_GLOBAL unsigned char *)scratch;
    chem_memory m;
    m.here = (CK_GLOBAL chem_particle *)(base + l.particles_a);
    m.next = (CK_GLOBAL chem_particle *)(base + l.particles_b);
    m.birth_here = (CK_GLOBAL float *)(base + l.birth_a);
    m.birth_next = (CK_GLOBAL float *)(base + l.birth_b);
    m.history_here = (CK_GLOBAL ck_u32 *)(base + l.history_a);
    m.history_next = (CK_GLOBAL ck_u32 *)(base + l.history_b);
    m.moves_here = (CK_GLOBAL ck_u32 *)(base + l.moves_a);
#if defined(CHEM_BY_TILES)
    m.moves_next = (CK_GLOBAL ck_u32 *)(base + l.moves_b);
#else
    m.moves_next = m.moves_here;
#endif
    m.shifts = (CK_GLOBAL ck_u64 *)(base + l.shifts);
    m.buckets = (CK_GLOBAL ck_u32 *)(base + l.buckets);
    m.ranks = (CK_GLOBAL ck_u32 *)(base + l.ranks);
    m.spots = (CK_GLOBAL ck_u32 *)(base + l.spots);
    m.order = (CK_GLOBAL ck_u32 *)(base + l.order);
    m.best = (CK_GLOBAL ck_u64 *)(base + l.best_a);
    m.best_after = (CK_GLOBAL ck_u64 *)(base + l.best_b);
    m.claims = (CK_GLOBAL ck_u32 *)(base + l.claims);
    m.candidates = (CK_GLOBAL chem_candidate *)(base + l.candidates);
    m.counts = (CK_GLOBAL ck_u32 *)(base + l.counts);
    m.starts = (CK_GLOBAL ck_u32 *)(base + l.starts);
    m.partials = (CK_GLOBAL ck_u32 *)(base + l.partials);
    m.control = (CK_GLOBAL ck_u32 *)(base + l.control);
    m.lined_up = (CK_GLOBAL ck_u32 *)(base + l.lined_up);
    return m;
}

/** After a step its result is what the next one begins from. */
CK_FN chem_memory chem_swap(chem_memory m)
{
    chem_memory n = m;
    n.here = m.next;
    n.next = m.here;
    n.birth_here = m.birth_next;
    n.birth_next = m.birth_here;
    n.history_here = m.history_next;
    n.history_next = m.history_here;
    n.moves_here = m.moves_next;
    n.moves_next = m.moves_here;
    return n;
}

#endif
