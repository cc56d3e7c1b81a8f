/**
 * The result file of many runs. Every write replaces the whole file, so ten thousand short runs must not mean ten
 * thousand writes: results of short runs are collected, and written once a second or when writing has become cheap
 * beside what was computed.
 */
#ifndef CLI_RESULT_WRITER_H
#define CLI_RESULT_WRITER_H

#include "engine/result.h"

typedef struct result_writer {
    crp_context *context;
    const char *path;
    crp_result **pending; /**< owned; runs first_group, first_group + 1, ... */
    uint32_t first_group;
    uint32_t n;
    uint32_t capacity;
    double interval;      /**< seconds between writes at least */
    double last_write;    /**< when, on the monotonic clock */
    double write_seconds; /**< how long the last one took */
    uint64_t n_bytes;     /**< held by what is pending */
} result_writer;

/** Start a writer. `interval` as --save-every; negative: one second. */
void result_writer_start(result_writer *w, crp_context *context, const char *path, double interval);

/** Hand over the result of run `group`, the one after the last; it is written now or later. Sets *result to NULL. */
crp_status result_writer_add(result_writer *w, uint32_t group, crp_result **result);

/** Write what is pending. Errors: those of statepoint_write. */
crp_status result_writer_flush(result_writer *w);

/** Drop what is pending. */
void result_writer_close(result_writer *w);

#endif
