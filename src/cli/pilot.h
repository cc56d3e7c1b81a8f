/** A short run before the real one: how long will a precise answer take? */
#ifndef CLI_PILOT_H
#define CLI_PILOT_H

#include "model/model.h"

typedef struct pilot {
    uint64_t histories;    /**< of the pilot */
    double seconds;        /**< that it took */
    double rel_err;        /**< of the least precise result of that name that is not 0; NaN: none */
    char result[160];      /**< which one: "transmission inlet->outlet" */
    double seconds_needed; /**< until its relative error is 1 %, on this CPU; NaN: not to be told */
    double histories_needed;
} pilot;

/**
 * Run some tenths of a second on the CPU.
 *
 * @param name  of the results to look at: "transmission"
 * Errors: those of crp_run_execute.
 */
crp_status pilot_run(crp_context *context, const crp_model *model, const char *name, uint32_t threads, pilot *out);

#endif
