/** The context: log callback, last error, and the two macros by which errors travel. */
#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H

#include "corpuscle/corpuscle.h"

#include <stdarg.h>
#include <stddef.h>

/** Record an error in the context and return `status`.
 * The message reads problem (why) suggestion, with file:line in front where there is a file. */
crp_status context_fail(crp_context *context, crp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Forget the last error, so that a second attempt (another device, say) can record its own. */
void context_clear(crp_context *context);

/** Send one line (no newline at its end) to the log callback. */
void context_log(crp_context *context, crp_log_level level, const char *component, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** The ranks that a context works with (comm/comm.h), borrowed; NULL for one process. */
struct comm;
void context_set_comm(crp_context *context, const struct comm *c);
const struct comm *context_comm(const crp_context *context);

/** Propagate a failed call: the error stands in the context already. */
#define CRP_TRY(call)                                 \
    do {                                              \
        crp_status crp_try_status_ = (call);          \
        if (crp_try_status_ != CRP_OK) {              \
            return crp_try_status_;                   \
        }                                             \
    } while (0)

/** The same with a clean-up label: `status` is a local of the function. */
#define CRP_GOTO(call, label)                         \
    do {                                              \
        status = (call);                              \
        if (status != CRP_OK) {                       \
            goto label;                               \
        }                                             \
    } while (0)

/** Record and return an error unless the condition holds. */
#define CRP_CHECK(context, condition, status_code, ...)                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            return context_fail((context), (status_code), __VA_ARGS__);     \
        }                                                                   \
    } while (0)

#endif
