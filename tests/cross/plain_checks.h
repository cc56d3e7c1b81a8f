/** The plain kernel of examples/light/plain and the engine, run over the same photons of the same plan. */
#ifndef TESTS_CROSS_PLAIN_CHECKS_H
#define TESTS_CROSS_PLAIN_CHECKS_H

#include "core/context.h"
#include "engine/lane.h"
#include "engine/result.h"
#include "model/light/light_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** Models of examples/light/ and photons enough to visit every word that matters. */
typedef struct plain_case {
    const char *name;
    uint64_t histories;
} plain_case;

static const plain_case plain_cases[] = {
    {"skin5_633", 20000}, {"skin7", 8000}, {"vein7_700", 10000}, {"glass_tissue_glass", 30000},
    {"airgap", 30000}, {"manual3", 20000}, {"giovanelli", 20000}, {"slab_vandehulst", 50000},
};
enum { PLAIN_N_CASES = sizeof plain_cases / sizeof *plain_cases };

static crp_context *plain_context;

static void plain_check(crp_status status, const char *call)
{
    if (status != CRP_OK) {
        fail_msg("%s: status %d: %s", call, status, crp_context_error(plain_context));
    }
}
#define PLAIN_CHECK(call) plain_check(call, #call)

static crp_input *plain_load(const char *name)
{
    char path[1024];
    crp_input *input = NULL;
    crp_input_options options = crp_input_options_default();
    snprintf(path, sizeof path, CRP_SOURCE_DIR "/examples/light/%s.mci", name);
    PLAIN_CHECK(crp_input_load(plain_context, path, &options, &input));
    assert_int_equal(crp_input_n_models(input), 1);
    return input;
}

/** Words that the engine's kernel adds up on a device. Free with free(). */
static uint64_t *plain_engine_words(const crp_model *model, const crp_plan *plan, const char *device_name,
                                    history_range range, double *seconds)
{
    crp_run_options options = crp_run_options_default();
    options.device = device_name;
    options.threads = 1;
    device_lane *lane = NULL;
    uint64_t *words = calloc(plan->n_words, sizeof *words);
    assert_non_null(words);
    PLAIN_CHECK(lane_open(plain_context, model, plan, &options, range.count, &lane));
    PLAIN_CHECK(lane_start(lane, 0, range));
    PLAIN_CHECK(lane_collect(lane, 0, words, seconds));
    lane_close(&lane);
    return words;
}

/** Every word of both, with the number of the first that differs. */
static void plain_compare(const char *name, const uint64_t *plain, const uint64_t *engine, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (plain[i] != engine[i]) {
            fail_msg("%s: word %zu of %zu: %llu by the plain kernel, %llu by the engine", name, i, n,
                     (unsigned long long)plain[i], (unsigned long long)engine[i]);
        }
    }
}

#endif
