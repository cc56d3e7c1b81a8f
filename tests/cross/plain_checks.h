/** Another kernel (the plain one of examples/light/plain, another build) and the engine, over the same photons of one plan. */
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
    PLAIN_CHECK(lane_open(plain_context, model, plan, &options, range.count, 1, &lane));
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
            fail_msg("%s: word %zu of %zu: %llu instead of %llu by the engine", name, i, n,
                     (unsigned long long)plain[i], (unsigned long long)engine[i]);
        }
    }
}

/** Words of another kernel than the engine's, from `calloc`. */
typedef uint64_t *(*plain_words_function)(const crp_plan *plan, history_range range, void *user);

/** Words of a kernel that is called as the CPU device calls one, by `n_workers` one after another. */
static inline uint64_t *plain_call(device_cpu_entry entry, const crp_plan *plan, history_range range, uint32_t n_workers)
{
    uint64_t *words = aligned_alloc(64, (plan->n_words * 8 + 63) / 64 * 64);
    assert_non_null(words);
    memset(words, 0, plan->n_words * 8);
    plan_shape shape = {.grid = 1};
    unsigned char params[1024];
    size_t n_params;
    ck_u32 next = 0;
    PLAIN_CHECK(light_params_of_launch(plan, NULL, &shape, range.first, range.count, params, &n_params));
    void *args[] = {params, plan->tables[0].data, plan->tables[1].data, words, &next};
    for (uint32_t worker = 0; worker < n_workers; ++worker) {
        entry(args, worker, n_workers);
    }
    return words;
}

/** All cases, a `part`-th of their photons from number `first` on: the words of `other` and those of the engine on a CPU. */
static void plain_compare_all(const char *what, plain_words_function other, void *user, uint64_t first, uint64_t part)
{
    for (size_t i = 0; i < PLAIN_N_CASES; ++i) {
        char label[80];
        crp_input *input = plain_load(plain_cases[i].name);
        const crp_model *model = crp_input_model(input, 0);
        crp_plan *plan = NULL;
        double seconds = 0.0;
        history_range range = {.first = first, .count = plain_cases[i].histories / part};
        PLAIN_CHECK(light_plan_create(plain_context, model, 7, &plan));
        uint64_t *words = other(plan, range, user);
        uint64_t *engine = plain_engine_words(model, plan, "cpu", range, &seconds);
        snprintf(label, sizeof label, "%s, %s", plain_cases[i].name, what);
        plain_compare(label, words, engine, plan->n_words);
        const light_params *p = &((const light_plan *)plan->data)->params;
        assert_int_equal(words[p->at_counters + LIGHT_COUNT_HISTORIES], range.count);
        assert_int_equal(words[p->at_counters + LIGHT_COUNT_LOST], 0);
        free(words);
        free(engine);
        plan_destroy(&plan);
        crp_input_destroy(&input);
    }
}

#endif
