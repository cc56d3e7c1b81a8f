/* For tests that share one context: its opening and closing, and calls that must succeed. */
#ifndef TESTS_CONTEXT_FIXTURE_H
#define TESTS_CONTEXT_FIXTURE_H

#include "core/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FIXTURE_FN static __attribute__((unused))

static crp_context *fixture_context;

FIXTURE_FN int fixture_open(void **state)
{
    (void)state;
    return crp_context_create(&fixture_context) == CRP_OK ? 0 : -1;
}

FIXTURE_FN int fixture_close(void **state)
{
    (void)state;
    crp_context_destroy(&fixture_context);
    return 0;
}

/* Warnings, a line each, as they came. */
static __attribute__((unused)) char fixture_warnings[8192];

/* The log of a context whose warnings are to be looked at. */
FIXTURE_FN void fixture_keep_warnings(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)component;
    if (level == CRP_LOG_WARNING) {
        size_t n = strlen(fixture_warnings);
        snprintf(fixture_warnings + n, sizeof fixture_warnings - n, "%s\n", line);
    }
}

FIXTURE_FN void fixture_ok(crp_status status, const char *call)
{
    if (status != CRP_OK) {
        fail_msg("%s: status %d: %s", call, status, crp_context_error(fixture_context));
    }
}
#define FIXTURE_OK(call) fixture_ok((call), #call)

#endif
