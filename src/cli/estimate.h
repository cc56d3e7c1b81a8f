/** What a run will need, before it runs. */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include "model/model.h"

typedef struct estimate {
    uint64_t histories;   /**< 0: the input does not say */
    uint64_t memory;      /**< bytes on the host */
    uint64_t memory_free; /**< bytes available now, 0 if unknown */
    double seconds;       /**< on the CPU, with `threads` threads; NaN without histories */
    uint32_t threads;
    char cpu[128]; /**< name of the CPU device */
} estimate;

/**
 * Estimate one run: sums, means and deviations of every bin, and the kernel's words of every thread; time from the
 * module's cost of a history. Errors: those of module->plan.
 */
crp_status estimate_run(crp_context *context, const crp_model *model, uint64_t histories, uint32_t threads,
                        estimate *out);

#endif
