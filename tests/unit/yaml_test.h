/** Helpers of the tests around YAML: a context, random numbers, and matching of messages. */
#ifndef TESTS_UNIT_YAML_TEST_H
#define TESTS_UNIT_YAML_TEST_H

#include "core/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crp_context *context;

static inline int make_context(void **state)
{
    (void)state;
    return crp_context_create(&context) == CRP_OK ? 0 : -1;
}

static inline int drop_context(void **state)
{
    (void)state;
    crp_context_destroy(&context);
    return 0;
}

/* The last message must hold this piece of text. */
#define assert_message(piece)                                                                          \
    do {                                                                                               \
        if (strstr(crp_context_error(context), (piece)) == NULL) {                                     \
            fail_msg("message \"%s\" does not hold \"%s\"", crp_context_error(context), (piece));      \
        }                                                                                              \
    } while (0)

#define assert_ok(call)                                                                                \
    do {                                                                                               \
        crp_status status_of_call_ = (call);                                                           \
        if (status_of_call_ != CRP_OK) {                                                               \
            fail_msg("%s: status %d, \"%s\"", #call, (int)status_of_call_, crp_context_error(context)); \
        }                                                                                              \
    } while (0)

/* SplitMix64: the tests' own random numbers, from a fixed start. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double next_uniform(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

#endif
