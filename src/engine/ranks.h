/**
 * What the processes of a run tell one another. After each batch every rank sends its sums and what its devices have done to
 * rank 0, which alone keeps the result, and answers whether to go on and who is to do how much.
 */
#ifndef ENGINE_RANKS_H
#define ENGINE_RANKS_H

#include "comm/comm.h"
#include "engine/crew.h"

/** One device of the whole run. */
typedef struct rank_device {
    char label[160]; /**< "cuda:0 (NVIDIA H200)" */
    char host[64];
    uint32_t rank;
    uint64_t histories; /**< done in this run */
    double pace;        /**< [1/s]; 0: it is dropped */
    double seconds;     /**< its launches, by its own clock */
    bool is_dropped;
} rank_device;

/** What rank 0 decides after a batch. */
typedef struct ranks_decision {
    bool ends;
    crp_status stop; /**< with which status it ends */
    bool has_weights;
} ranks_decision;

typedef struct ranks {
    crp_context *context;
    const comm *comm;
    rank_device *devices; /**< of all ranks, in their order; on other ranks than 0 only their own are kept up to date */
    crp_device_progress *progress; /**< the same for the caller of the run */
    char (*names)[240];            /**< what `progress` points to: "rank 3 cuda:0 (NVIDIA H200)" */
    uint32_t n_devices, first_own;
    uint64_t *facts;   /**< what is sent after a batch */
    size_t n_facts;
    uint64_t *weights; /**< by which the ranks share batches, one each */
    uint64_t n_batches, next_weights; /**< batches so far; before this one the weights must stay */
    bool is_asked_to_stop;            /**< some rank was, before the last batch */
} ranks;

/** Let all ranks know each other's devices. Errors: CRP_ERR_MEMORY. */
crp_status ranks_meet(crp_context *context, crew *c, ranks *r);
void ranks_part(ranks *r);

/** This rank's facts: status (of its devices), whether its user wants to stop. Sends them and the sums of its part of the batch
 * to rank 0. Returns there whether all ranks are well, and true on the others. */
bool ranks_sum(ranks *r, crew *c, work_batch *batch, crp_status status, bool wants_to_stop);

/** Rank 0 tells the others; all set what follows from it. After the batch has been committed. */
void ranks_decide(ranks *r, work *w, uint32_t window, ranks_decision *decision);

/** All devices in one text: those of one process as crew_label has them, else "8 x NVIDIA H200, 8 processes on 2 machines". */
void ranks_label(const ranks *r, const crew *c, char *text, size_t size);
/** The devices into a result that has none of this part yet, and later what they have done. Errors: CRP_ERR_MEMORY. */
crp_status ranks_list(const ranks *r, crp_result *result);
/** Shares, paces and losses for the caller. */
void ranks_describe(ranks *r);
/** The longest time that one of the devices was busy, by its own clock [s]. */
double ranks_seconds(const ranks *r);

#endif
