/* For tests of readers: a context that keeps its log, and bytes at the very end of a page of memory. */
#ifndef TESTS_READER_FIXTURE_H
#define TESTS_READER_FIXTURE_H

#include "core/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct reader_log {
    char text[16384];
    size_t n_warnings;
} reader_log;

static inline void reader_keep_log(void *user, crp_log_level level, const char *component, const char *line)
{
    reader_log *log = user;
    (void)component;
    size_t n = strlen(log->text);
    snprintf(log->text + n, sizeof log->text - n, "%s\n", line);
    log->n_warnings += level == CRP_LOG_WARNING;
}

static inline crp_context *reader_context(reader_log *log)
{
    crp_context *context = NULL;
    memset(log, 0, sizeof *log);
    assert_int_equal(crp_context_create(&context), CRP_OK);
    crp_context_set_log(context, reader_keep_log, log);
    return context;
}

/* A copy of exactly that size, so that valgrind and ASan see a read beyond. */
static inline void *reader_exact(const void *bytes, size_t n_bytes)
{
    void *copy = malloc(n_bytes > 0 ? n_bytes : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, n_bytes);
    return copy;
}

/* The status and a part of the message; NULL: no error is expected. */
static inline void reader_expect(crp_context *context, crp_status status, crp_status expected, const char *message)
{
    if (message == NULL ? status != CRP_OK : status != expected || strstr(crp_context_error(context), message) == NULL) {
        fail_msg("status %d (wanted %d), message \"%s\" (wanted \"%s\")", (int)status, (int)expected,
                 crp_context_error(context), message == NULL ? "" : message);
    }
}

#endif
