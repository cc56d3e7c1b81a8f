/* What the methods that go by steps share on a CPU: the team of threads, and where the buckets begin. */
#ifndef CHEM_TEAM_H
#define CHEM_TEAM_H

/* What a worker takes at once: enough for its caches, few enough that crowded places are shared. */
#define CHEM_CHUNK 64u
/* Words are the worker's own. */
#define CHEM_ADD(words, index, amount) ((words)[index] += (amount))
/* A worker alone needs no atomic. */
#define CHEM_TICKET(p, word) ((p).team == 1u ? (*(word))++ : ck_atomic_add_u32((word), 1u))
/* Places of each axis stand together, and are compared as many at a time as fit a vector. */
#define CHEM_SPOT(p, axis, slot) ((axis) * ((ck_u64)(p).room) + (slot))
#define CHEM_ABREAST 8u
#define CHEM_PRAGMA(text) _Pragma(#text)
#define CHEM_SIMD(bits) CHEM_PRAGMA(omp simd reduction(| : bits))

#include "../chem/rounds.h"

/* The team of threads that runs the launch meets here: this file is compiled with OpenMP, and called inside its region. A
 * worker that has histories for itself waits for no one. */
#define CHEM_BARRIER()               \
    do {                             \
        if (team.n_workers > 1u) {   \
            _Pragma("omp barrier")   \
        }                            \
    } while (0)

#define CHEM_JOIN_(a, b) a##_##b
#define CHEM_JOIN(a, b) CHEM_JOIN_(a, b)

/* Where the buckets begin: every worker sums its part, then counts on from the sums before it. Clears the counts. */
static void scan(chem_params p, chem_memory m, chem_team team)
{
    ck_u32 n = p.n_buckets;
    ck_u32 part = n / team.n_workers + 1u;
    ck_u32 first = part * team.worker < n ? part * team.worker : n, end = first + part < n ? first + part : n;
    ck_u32 sum = 0u;
    for (ck_u32 i = first; i < end; ++i) {
        sum += m.counts[i];
    }
    m.partials[team.worker] = sum;
    CHEM_BARRIER();
    sum = 0u;
    for (ck_u32 w = 0u; w < team.worker; ++w) {
        sum += m.partials[w];
    }
    for (ck_u32 i = first; i < end; ++i) {
        m.starts[i] = sum;
        sum += m.counts[i];
        m.counts[i] = 0u;
    }
    if (team.worker + 1u == team.n_workers) {
        m.starts[n] = sum;
    }
}

static ck_u32 smaller_of(ck_u32 a, ck_u32 b)
{
    return a < b ? a : b;
}

/* The most slots and candidates that there were at once: what a launch that ran out of room needs when it is run again. */
typedef struct chem_room {
    ck_u32 molecules, candidates;
} chem_room;

/* Between a search and the next, where no worker writes to either. */
static void see_room(chem_room *room, chem_memory m)
{
    ck_u32 molecules = m.control[CHEM_CONTROL_MOLECULES], candidates = m.control[CHEM_CONTROL_CANDIDATES];
    room->molecules = molecules > room->molecules ? molecules : room->molecules;
    room->candidates = candidates > room->candidates ? candidates : room->candidates;
}

/* Sums over the workers: each has seen its own histories. */
static void report_room(chem_params p, chem_memory m, ck_u64 *words, chem_room room)
{
    ck_u64 *most = words + p.at_counters + CHEM_COUNT_MOST_MOLECULES;
    *most = room.molecules > *most ? room.molecules : *most;
    most = words + p.at_counters + CHEM_COUNT_MOST_CANDIDATES;
    *most = room.candidates > *most ? room.candidates : *most;
    words[p.at_counters + CHEM_COUNT_NO_ROOM] += m.control[CHEM_CONTROL_NO_ROOM];
}

#endif
