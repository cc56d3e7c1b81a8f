/**
 * The processes (ranks) of one run: a small table of what they do together. Without mpirun there is one, and every operation
 * does nothing. With several it comes from a plug-in library, so that the program needs no MPI to start.
 */
#ifndef COMM_COMM_H
#define COMM_COMM_H

#include "core/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 comm_wide;

/** All operations are collective: every rank calls the same ones in the same order, from the thread that opened it. A rank that
 * has died ends all others (MPI sees to that), so they return nothing. */
typedef struct comm {
    uint32_t rank, size;           /**< of all */
    uint32_t node_rank, node_size; /**< among those on this machine */
    char name[96];                 /**< "Open MPI 4.1.4", "" for one rank */
    /** Sums of n integers over all ranks, into rank 0's array; the arrays of the others stay. */
    void (*sum)(const struct comm *c, uint64_t *x, size_t n);
    void (*sum_wide)(const struct comm *c, comm_wide *x, size_t n);
    /** Copy n bytes of rank `root` to all. */
    void (*broadcast)(const struct comm *c, uint32_t root, void *bytes, size_t n);
    /** End all ranks at once, with this exit code. */
    void (*abort)(const struct comm *c, int code);
    void (*close)(const struct comm *c);
} comm;

/** One rank. */
extern const comm comm_serial;

/**
 * Find out whether this process is one of several, and meet the others.
 *
 * Asked are the variables that mpirun and srun set. $CORPUSCLE_MPI names the plug-in, which is then used even by one rank; else
 * it is looked for beside the program and where it is installed.
 * Errors: CRP_ERR_UNSUPPORTED, when there are several processes and no plug-in, or MPI does not start.
 */
crp_status comm_open(crp_context *context, const comm **out);
/** The path of the plug-in, beside the program or where it is installed; false if it is in neither place. */
bool comm_find_plugin(char *path, size_t size);
/** Take leave of the others, once all have ended well. Accepts NULL and a pointer to NULL. */
void comm_close(const comm **c);

/** The ranks that a context works with; comm_serial until another was set. */
const comm *comm_of(const crp_context *context);

/** A status that all ranks agree on: the lowest rank's that failed, with its message and, if it is not rank 0, its name. */
crp_status comm_agree(const comm *c, crp_context *context, crp_status status);
/** The largest value of all ranks, on every rank. */
uint64_t comm_most(const comm *c, uint64_t value);

/* ------------------------------------------------------------------------------------------------ the plug-in */

#define COMM_ABI 1

/** The one function of the plug-in: fill the table, or return a text that says why not. `abi` must be COMM_ABI. */
typedef const char *(*comm_plugin)(uint32_t abi, comm *out);
#define COMM_PLUGIN_FUNCTION "corpuscle_comm_open"
#define COMM_PLUGIN_FILE "libcorpuscle-mpi.so"

#endif
