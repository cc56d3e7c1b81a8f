/**
 * Who runs which histories. Workers (one a device) take chunks of batches at their own pace and in any order; a batch adds
 * up its chunks, and batches leave strictly in order, so that no digit depends on how many workers there were.
 *
 * All functions may be called from any thread. With several ranks, each has its own `work`, of its parts of the batches.
 */
#ifndef ENGINE_WORK_H
#define ENGINE_WORK_H

#include "engine/lane.h"
#include "engine/result.h"

enum { WORK_MAX_WORKERS = 64 };

/** A batch in progress: this rank's part of it. */
typedef struct work_batch {
    uint64_t number;     /**< from 0 at the start of the run */
    uint64_t histories;  /**< of the whole batch */
    uint64_t part_first, part_end; /**< ids that are this rank's */
    uint64_t n_done;     /**< of them, already in `bins` */
    crp_wide *bins;      /**< sums so far, NULL before the first chunk */
    uint64_t *events;
} work_batch;

typedef struct work_options {
    uint64_t first, end;      /**< ids to run */
    uint32_t window;          /**< how many batches may be in progress */
    bool is_narrow;           /**< memory keeps the window that small: a chunk is then a part of what is in it */
    bool is_mixed;            /**< workers of several kinds: none takes more than a fraction of a second at a time */
    uint32_t rank, n_ranks;
    double (*clock)(void);    /**< seconds; NULL: the monotonic clock of the system */
} work_options;

typedef struct work work;

/** `result` is only asked where batches end. It and the plan must outlive the work. Errors: CRP_ERR_MEMORY. */
crp_status work_create(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_result *result,
                       const work_options *options, work **out);
/** Free and set to NULL. Accepts NULL and a pointer to NULL. */
void work_destroy(work **w);

/**
 * One more worker, with the next number from 0; before the first chunk is taken.
 *
 * @param places  launches that run side by side
 * @param pace    a guess in histories per second, until it is measured
 */
void work_add_worker(work *w, uint32_t places, double pace);

/**
 * The next chunk for a worker: never across the end of a batch, the point where the low word of history numbers wraps, or
 * more than fits a launch. As much of its batch as is left, until the end of the run is near: then so much that all workers
 * are done together.
 *
 * @param is_waiting  with nothing to do, wait for something; false is then the end of the run
 */
bool work_take(work *w, uint32_t worker, bool is_waiting, history_range *range);

/** The oldest chunk of a worker is done: add its words. Errors: CRP_ERR_MEMORY (the chunk is then not done). */
crp_status work_finish(work *w, uint32_t worker, crp_context *context, const uint64_t *words);

/** A worker is lost: what it had taken is taken again by others. Returns how many histories those are. */
uint64_t work_lose(work *w, uint32_t worker);

/** The oldest batch, if this rank's part of it is complete. `is_waiting`: until it is, a worker is lost, or none is left. */
work_batch *work_complete(work *w, bool is_waiting);
/** The oldest batch even if it is not complete, with arrays to sum into. Errors: CRP_ERR_MEMORY. */
crp_status work_oldest(work *w, crp_context *context, work_batch **out);
/** Forget the oldest batch: it is in the result now. */
void work_commit(work *w);

/** No more chunks: workers that wait are woken, and told that the run has ended. */
void work_stop(work *w);

/** Workers that are not lost. */
uint32_t work_n_workers(work *w);
/** Histories that a worker has done; and its pace when last measured, 0 when lost. */
uint64_t work_histories(work *w, uint32_t worker);
double work_pace(work *w, uint32_t worker);

/** From the first batch that no rank can have begun yet, ranks share by these weights (one a rank, not all 0). */
void work_set_weights(work *w, const uint64_t *weights);

/**
 * The part [part_first, part_end) of batch number `batch`, which is [first, end), that rank `rank` runs. All ranks compute the same,
 * without a gap or an overlap. Batches of fewer histories than ranks go to one rank after the other.
 */
void work_part(uint64_t batch, uint64_t first, uint64_t end, const uint64_t *weights, uint32_t rank, uint32_t n_ranks,
               uint64_t *part_first, uint64_t *part_end);

#endif
