/** How many threads a loop over the bins of a result is worth. */
#ifndef CORE_TEAM_H
#define CORE_TEAM_H

#include <omp.h>
#include <stddef.h>

/**
 * Threads for a loop over n elements with a few bytes of work each: one for every 2^15, 16 at most (memory is the limit then),
 * and never more than this thread may have (a run limits it to its option `threads`). To wake a thread
 * costs microseconds, and it then spins for milliseconds in the hope of more: a small loop is cheaper alone.
 */
static inline int team_of(size_t n)
{
    size_t worth = n >> 15, most = (size_t)omp_get_max_threads();
    most = most < 16 ? most : 16;
    return worth <= 1 ? 1 : (int)(worth < most ? worth : most);
}

/** Threads that loops begun by this thread may have from now on; 0: as before. Returns what it was. */
static inline int team_limit(unsigned threads)
{
    int before = omp_get_max_threads();
    if (threads > 0) {
        omp_set_num_threads((int)threads);
    }
    return before;
}

#endif
