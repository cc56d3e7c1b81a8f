/* For tests that share one context: its opening and closing, and calls that must succeed. */
#ifndef TESTS_CONTEXT_FIXTURE_H
#define TESTS_CONTEXT_FIXTURE_H

#include "core/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

FIXTURE_FN void fixture_ok(crp_status status, const char *call)
{
    if (status != CRP_OK) {
        fail_msg("%s: status %d: %s", call, status, crp_context_error(fixture_context));
    }
}
#define FIXTURE_OK(call) fixture_ok((call), #call)

#endif
