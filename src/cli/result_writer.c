/** The result file of many runs: see result_writer.h. */
#include "cli/result_writer.h"

#include "core/context.h"
#include "engine/statepoint.h"

#include <stdlib.h>
#include <time.h>

static const uint64_t MAX_BYTES = 256u << 20;
static const double WRITE_SHARE = 10.0; /* at least this many times longer computing than writing */

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void result_writer_start(result_writer *w, crp_context *context, const char *path, double interval)
{
    *w = (result_writer){
        .context = context, .path = path, .interval = interval < 0.0 ? 1.0 : interval, .last_write = clock_now()};
}

static void drop_pending(result_writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        crp_result_destroy(&w->pending[i]);
    }
    w->n = 0;
    w->n_bytes = 0;
}

void result_writer_close(result_writer *w)
{
    drop_pending(w);
    free(w->pending);
    w->pending = NULL;
    w->capacity = 0;
}

crp_status result_writer_flush(result_writer *w)
{
    if (w->n == 0) {
        return CRP_OK;
    }
    double start = clock_now();
    crp_status status =
        statepoint_write_many(w->context, w->path, w->first_group, (const crp_result *const *)w->pending, w->n);
    w->last_write = clock_now();
    w->write_seconds = w->last_write - start;
    drop_pending(w);
    return status;
}

static bool is_due(const result_writer *w)
{
    double waited = clock_now() - w->last_write;
    return w->n_bytes > MAX_BYTES || (waited >= w->interval && waited >= WRITE_SHARE * w->write_seconds);
}

crp_status result_writer_add(result_writer *w, uint32_t group, crp_result **result)
{
    if (w->n == w->capacity) {
        uint32_t capacity = w->capacity == 0 ? 64 : 2 * w->capacity;
        crp_result **pending = realloc(w->pending, capacity * sizeof *pending);
        CRP_CHECK(w->context, pending != NULL, CRP_ERR_MEMORY, "not enough memory for %u results", (unsigned)capacity);
        w->pending = pending;
        w->capacity = capacity;
    }
    if (w->n == 0) {
        w->first_group = group;
    }
    w->n_bytes += (*result)->n_bins * (sizeof(crp_wide) + 2 * sizeof(double));
    w->pending[w->n++] = *result;
    *result = NULL;
    return is_due(w) ? result_writer_flush(w) : CRP_OK;
}
