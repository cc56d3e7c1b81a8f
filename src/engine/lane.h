/** A kernel made ready on one device: its buffers, some queues deep, and launches of history ranges. */
#ifndef ENGINE_LANE_H
#define ENGINE_LANE_H

#include "engine/plan.h"

/** A range of histories that one launch runs; a batch is one or several of them. */
typedef struct history_range {
    uint64_t first, count;
    bool ends_batch; /**< the last range of its batch */
} history_range;

typedef struct device_lane {
    device *device;
    const crp_model *model;
    const crp_plan *plan;
    plan_shape shape;
    device_kernel *kernel;
    device_buffer *tables[PLAN_MAX_TABLES];
    uint32_t depth;                        /**< queues in use: how many launches may be under way */
    device_buffer *words[DEVICE_N_QUEUES]; /**< what the kernel adds to */
    device_buffer *next[DEVICE_N_QUEUES];  /**< number of the next history to hand out */
    device_buffer *scratch[DEVICE_N_QUEUES]; /**< working memory, where the module wants some */
    uint64_t scratch_bytes[DEVICE_N_QUEUES]; /**< how much there is */
    uint64_t scratch_asked[DEVICE_N_QUEUES]; /**< how much the last launch asked for */
    history_range range[DEVICE_N_QUEUES];  /**< what was started last */
    char label[160];                       /**< "cuda:0 (NVIDIA H200)" */
} device_lane;

/** Which of the processes on this machine this is, from 0, and how many there are. */
typedef struct lane_place {
    uint32_t number, n;
} lane_place;

/**
 * Choose and open the device, get the kernel, upload the tables.
 *
 * "auto": the CPU for runs that it ends within a second or two; else the first GPU that works, with a log line for each
 * that does not (a warning if it is there and fails), else the CPU. A device asked for by name is used or the run is refused.
 *
 * @param histories   how many are still to run
 * @param n_launches  about how many launches that will be
 */
crp_status lane_open(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                     uint64_t histories, uint64_t n_launches, device_lane **lane);
/** The same for one of several processes on a machine: "auto" begins with the GPU of its number, so that each has its own. */
crp_status lane_open_at(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                        uint64_t histories, uint64_t n_launches, lane_place place, device_lane **lane);
/** Close and set to NULL. Accepts NULL and a pointer to NULL. */
void lane_close(device_lane **lane);

/** Start a launch on a queue below lane->depth; returns at once on a GPU. */
crp_status lane_start(device_lane *lane, uint32_t queue, history_range range);
/** Wait for the queue and copy its words (plan->n_words); `seconds` is added to. */
crp_status lane_collect(device_lane *lane, uint32_t queue, uint64_t *words, double *seconds);

#endif
