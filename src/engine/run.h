/** What the two halves of a run share: run_prepare.c (until the first history) and run.c (the loop over batches). */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/crew.h"
#include "engine/ranks.h"
#include "engine/trigger.h"

typedef struct run {
    crp_context *context;
    const crp_model *model;
    const crp_run_options *options;
    const comm *comm;
    crp_plan *plan;
    crew crew;
    ranks ranks;
    work *work;
    uint32_t window;          /* batches that may be in progress */
    crp_result *result;       /* on other ranks than 0 without sums */
    trigger until;            /* rank 0 alone looks at it */
    uint64_t histories;       /* N of this run */
    double start, last_save, save_seconds, seconds_before, device_seconds_before;
    uint64_t histories_before;
    bool wants_to_stop;       /* the caller of this process said so */
} run;

/** Read the restart file, lay out the tallies, open the devices: all ranks together, with one outcome for all. */
crp_status run_prepare(run *r);

#endif
