/* For tests that compile kernels for a GPU that need not be here: one context, and 77 where there is no compiler. */
#ifndef TESTS_NVRTC_FIXTURE_H
#define TESTS_NVRTC_FIXTURE_H

#include "context_fixture.h"
#include "device/cuda_compile.h"

#include <stdio.h>

/* Runs the tests; "SKIPPED: WHAT was not compiled for a GPU" where NVRTC is not here. */
#define NVRTC_RUN(tests, what) (nvrtc_is_here(what) ? cmocka_run_group_tests(tests, fixture_open, fixture_close) : 77)

FIXTURE_FN bool nvrtc_is_here(const char *what)
{
    crp_context *context = NULL;
    nvrtc compiler;
    bool is_here = crp_context_create(&context) == CRP_OK && nvrtc_open(context, 0, &compiler) == CRP_OK;
    if (is_here) {
        nvrtc_close(&compiler);
    } else {
        fprintf(stderr, "SKIPPED: %s not compiled for a GPU: %s\n", what, crp_context_error(context));
    }
    crp_context_destroy(&context);
    return is_here;
}

#endif
