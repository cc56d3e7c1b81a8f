/**
 * Models on which every build of the photon kernels runs, and the checks that one device must pass against another: the
 * same digest, to the last bit. Forward scattering and any g, tissue inside and outside of the grid, tables in shared
 * and in global memory, with and without fluence. Include after cmocka.h.
 */
#ifndef TESTS_CROSS_LIGHT_MODELS_H
#define TESTS_CROSS_LIGHT_MODELS_H

#include "device/device.h"
#include "light_fixture.h"

enum { MAX_LAYERS = 300 };

static fixture_layer many[MAX_LAYERS];

/* clang-format off */
#define LAYERS(...) .n_layers = sizeof((const fixture_layer[]){__VA_ARGS__}) / sizeof(fixture_layer), \
                    .layers = (const fixture_layer[]){__VA_ARGS__}
#define L(n, a, s, g, d) {n, a, s, g, d}
#define GRID .dz = 0.01, .dr = 0.01, .nz = 40, .nr = 50, .na = 30

typedef struct model_case {
    const char *name;
    fixture_stack stack;
    uint64_t histories;
} model_case;

static const model_case models[] = {
    {"5-layer skin", {1.0, 1.0, LAYERS(L(1.5, 4.3, 107, 0.79, 0.01), L(1.4, 2.7, 187, 0.82, 0.02), L(1.4, 3.3, 192, 0.82, 0.02),
                                       L(1.4, 2.7, 187, 0.82, 0.09), L(1.4, 3.4, 194, 0.82, 0.06)), .dz = 0.002, .dr = 0.01,
                      .nz = 256, .nr = 256, .na = 30}, 20000},
    {"7-layer skin", {1.0, 1.0, LAYERS(L(1.53, 0.2, 1000, 0.90, 0.002), L(1.34, 0.15, 400, 0.85, 0.008),
                                       L(1.40, 0.7, 300, 0.80, 0.010), L(1.39, 1.0, 350, 0.90, 0.008),
                                       L(1.40, 0.7, 200, 0.76, 0.162), L(1.39, 1.0, 350, 0.95, 0.020),
                                       L(1.44, 0.3, 150, 0.80, 0.590)), .dz = 0.002, .dr = 0.01, .nz = 500, .nr = 200, .na = 30},
     5000},
    {"vein, n < 1", {1.0, 1.0, LAYERS(L(1.34, 3.88, 108.07, 0.765, 0.01), L(1.40, 0.21, 108.07, 0.765, 0.20),
                                      L(1.44, 1.36, 12.21, 0.75, 0.05), L(0.98, 1.05, 18.61, 0.90, 0.005),
                                      L(0.98, 1.55, 308.23, 0.98, 0.50), L(0.98, 1.05, 18.61, 0.90, 0.005),
                                      L(1.44, 1.36, 12.21, 0.75, 0.23)), .dz = 0.0025, .dr = 0.01, .nz = 500, .nr = 200, .na = 30},
     10000},
    {"glass, tissue, glass, with fluence",
     {1.0, 1.0, LAYERS(L(1.5, 0, 0, 0, 0.1), L(1.4, 1, 100, 0.9, 0.1), L(1.5, 0, 0, 0, 0.1)), GRID, .fluence = true}, 20000},
    {"air gap, with fluence",
     {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.05), L(1.0, 0, 0, 0, 0.02), L(1.4, 1, 100, 0.9, 0.05)), GRID, .fluence = true},
     20000},
    {"two clear layers above, one between",
     {1.3, 1.2, LAYERS(L(1.5, 0, 0, 0, 0.05), L(1.33, 0, 0, 0, 0.02), L(1.4, 1, 50, 0.9, 0.05), L(1.5, 0, 0, 0, 0.03),
                       L(1.4, 1, 50, 0.5, 0.05)), GRID}, 20000},
    {"isotropic, semi-infinite", {1.0, 1.0, LAYERS(L(1.5, 10, 90, 0.0, 1e8)), .dz = 0.002, .dr = 0.002, .nz = 100, .nr = 100,
                                  .na = 30}, 20000},
    {"backward, with fluence", {1.0, 1.0, LAYERS(L(1.4, 1, 50, -0.7, 0.1), L(1.4, 1, 50, -1.0, 0.1)), GRID, .fluence = true}, 20000},
    {"no absorption, with fluence", {1.0, 1.0, LAYERS(L(1.4, 0, 100, 0.9, 0.1)), GRID, .fluence = true}, 10000},
    {"no scattering", {1.0, 1.0, LAYERS(L(1.4, 1, 0, 0, 1.0)), GRID}, 20000},
    {"absorption by far larger than scattering", {1.0, 1.0, LAYERS(L(1.4, 100, 1, 0.5, 1.0)), GRID}, 50000},
    {"g = 1 beside g = 0.99999", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 1.0, 0.1), L(1.4, 1, 100, 0.99999, 0.1)), GRID}, 10000},
    {"a layer thinner than dz", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.001), L(1.3, 1, 100, 0.9, 0.1)), GRID}, 10000},
    {"a layer of no thickness", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.05), L(1.3, 1, 100, 0.9, 0.0), L(1.4, 1, 100, 0.9, 0.05)), GRID},
     10000},
    {"grid smaller than the tissue", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.5)), .dz = 0.01, .dr = 0.01, .nz = 7, .nr = 5, .na = 4,
                                      .fluence = true}, 10000},
    {"a grid of one bin", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.1)), .dz = 0.1, .dr = 0.1, .nz = 1, .nr = 1, .na = 1}, 10000},
    {"matched all over", {1.4, 1.4, LAYERS(L(1.4, 1, 100, 0.9, 0.1), L(1.4, 3, 20, 0.3, 0.1)), GRID}, 20000},
    {"40 layers", {1.0, 1.0, 40, many, .dz = 0.005, .dr = 0.01, .nz = 40, .nr = 50, .na = 30}, 10000},
    {"300 layers", {1.0, 1.0, 300, many, .dz = 0.005, .dr = 0.01, .nz = 400, .nr = 50, .na = 30, .fluence = true}, 10000},
    {"one photon", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.1)), GRID}, 1},
};
enum { N_MODELS = sizeof models / sizeof models[0] };
/* clang-format on */

static crp_input *inputs[N_MODELS];
static char digests[N_MODELS][65];

/* ------------------------------------------------------------------------------------------------------------ helpers
 */

FIXTURE_FN crp_run_options options_of(const model_case *m, const char *device, uint32_t threads)
{
    crp_run_options o = fixture_options(m->histories, 5);
    o.device = device;
    o.threads = threads;
    return o;
}

/* Bin by bin, so that a difference says where it is. */
FIXTURE_FN void expect_same_sums(const char *what, const crp_result *a, const crp_result *b)
{
    assert_int_equal(a->n_bins, b->n_bins);
    for (size_t t = 0; t < a->n_tallies; ++t) {
        for (size_t i = 0; i < a->tallies[t].n_bins; ++i) {
            size_t at = a->tallies[t].offset + i;
            if (a->sum[at] != b->sum[at]) {
                fail_msg("%s: %s[%zu] = %.0f in place of %.0f", what, a->tallies[t].name, i, (double)b->sum[at],
                         (double)a->sum[at]);
            }
        }
    }
    for (size_t i = 0; i < a->n_events; ++i) {
        if (a->event_count[i] != b->event_count[i]) {
            fail_msg("%s: %s = %llu in place of %llu", what, a->events[i].name, (unsigned long long)b->event_count[i],
                     (unsigned long long)a->event_count[i]);
        }
    }
}

/* Run model i on a device and compare with the CPU's digest; if it differs, say where. */
FIXTURE_FN void expect_digest(size_t i, const char *device, uint32_t threads)
{
    crp_run_options options = options_of(&models[i], device, threads);
    crp_result *result = fixture_execute(inputs[i], &options);
    if (strcmp(crp_result_digest(result), digests[i]) != 0) {
        crp_run_options on_cpu = options_of(&models[i], "cpu", 1);
        crp_result *reference = fixture_execute(inputs[i], &on_cpu);
        char what[320];
        snprintf(what, sizeof what, "%s on %s, %u threads", models[i].name, result->device, threads);
        expect_same_sums(what, reference, result);
        fail_msg("%s: the sums are equal but the digests are not", what);
    }
    crp_result_destroy(&result);
}

FIXTURE_FN void fill_many(void)
{
    for (size_t i = 0; i < MAX_LAYERS; ++i) {
        fixture_layer l = {i % 7 == 3 ? 1.33 : 1.4, 1.0 + (double)(i % 3), i % 11 == 5 ? 0.0 : 60.0 + (double)(i % 5),
                           0.5 + 0.04 * (double)(i % 11), 0.002 + 0.001 * (double)(i % 4)};
        if (i % 13 == 6) {
            l.mu_a = l.mu_s = 0.0;
        }
        many[i] = l;
    }
}

FIXTURE_FN int prepare(void **state)
{
    if (fixture_open(state) != 0) {
        return -1;
    }
    fill_many();
    for (size_t i = 0; i < N_MODELS; ++i) {
        inputs[i] = fixture_input(&models[i].stack);
        crp_run_options options = options_of(&models[i], "cpu", 1);
        crp_result *result = fixture_execute(inputs[i], &options);
        snprintf(digests[i], sizeof digests[i], "%s", crp_result_digest(result));
        fixture_conserves(result);
        crp_result_destroy(&result);
    }
    return 0;
}

FIXTURE_FN int finish(void **state)
{
    for (size_t i = 0; i < N_MODELS; ++i) {
        crp_input_destroy(&inputs[i]);
    }
    return fixture_close(state);
}

/* -------------------------------------------------------------------------------------------------------------
 * restarts */

FIXTURE_FN int stop_after_three(void *user, const crp_progress *progress)
{
    (void)user;
    return progress->batches_done == 3;
}

/* Stopped after three batches and resumed, on one device or another: the digits of a run that went through. */
FIXTURE_FN void check_resume(size_t i, const char *device)
{
    char path[512];
    fixture_path(path, sizeof path, ".h5");
    crp_run_options options = options_of(&models[i], "cpu", 2);
    options.histories = models[i].histories / 2;
    options.output = path;
    options.progress = stop_after_three;
    crp_result *whole = NULL, *part = NULL, *resumed = NULL;
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(inputs[i], 0), &options, &part),
                     CRP_ERR_CANCELLED);
    assert_true(part->histories < options.histories);
    options.progress = NULL;
    options.restart = path;
    options.device = device;
    options.seed = 0;
    resumed = fixture_execute(inputs[i], &options);
    options.restart = NULL;
    options.output = NULL;
    options.device = "cpu";
    options.seed = 5;
    whole = fixture_execute(inputs[i], &options);
    expect_same_sums("a resumed run", whole, resumed);
    assert_string_equal(crp_result_digest(whole), crp_result_digest(resumed));
    for (size_t bin = 0; bin < whole->n_bins; ++bin) { /* and its errors */
        assert_memory_equal(&whole->m2[bin], &resumed->m2[bin], sizeof whole->m2[bin]);
    }
    crp_result_destroy(&whole);
    crp_result_destroy(&part);
    crp_result_destroy(&resumed);
    unlink(path);
}

/* ---------------------------------------------------------------------------------------- photons beyond number 2^32
 */

static const uint64_t WRAP = 4294967296u;

/* A statepoint that says that `histories` photons are done, none of which scored: what is resumed from it is what the
 * next photons score. */
FIXTURE_FN void make_statepoint(size_t i, const char *path, uint64_t histories)
{
    crp_run_options options = options_of(&models[i], "cpu", 1);
    options.histories = 64;
    crp_result *result = fixture_execute(inputs[i], &options);
    result->histories = histories;
    result->histories_planned = histories + 2000;
    result->batch_size = histories;
    result->batches = 1;
    memset(result->sum, 0, result->n_bins * sizeof *result->sum);
    memset(result->mean_batch, 0, result->n_bins * sizeof *result->mean_batch);
    memset(result->m2, 0, result->n_bins * sizeof *result->m2);
    memset(result->event_count, 0, result->n_events * sizeof *result->event_count);
    result_digest(result);
    FIXTURE_OK(statepoint_write(fixture_context, path, 1, result));
    crp_result_destroy(&result);
}

/* Photons [first, first + count), by resuming. */
FIXTURE_FN crp_result *run_range(size_t i, const char *device, uint64_t first, uint64_t count)
{
    char path[512];
    fixture_path(path, sizeof path, ".h5");
    make_statepoint(i, path, first);
    crp_run_options options = options_of(&models[i], device, 2);
    options.histories = first + count;
    options.seed = 0;
    options.restart = path;
    crp_result *result = fixture_execute(inputs[i], &options);
    unlink(path);
    assert_true(fixture_event(result, "ended_photons") == count);
    assert_true(result->histories == first + count);
    return result;
}

/* 2^32 + 10 photons are that many: the last thousand below the border and the first thousand above are 2000 photons,
 * each on its own, and those above are not those at 0 once more. */
FIXTURE_FN void check_border(const char *device)
{
    crp_result *all = run_range(0, device, WRAP - 1000, 2000);
    crp_result *below = run_range(0, "cpu", WRAP - 1000, 1000);
    crp_result *above = run_range(0, "cpu", WRAP, 1000);
    crp_run_options options = options_of(&models[0], "cpu", 2);
    options.histories = 1000;
    crp_result *start = fixture_execute(inputs[0], &options);
    crp_wide rsp = 0;
    for (size_t bin = 0; bin < all->n_bins; ++bin) {
        if (all->sum[bin] != below->sum[bin] + above->sum[bin]) {
            fail_msg("bin %zu across the border: %.0f in place of %.0f", bin, (double)all->sum[bin],
                     (double)(below->sum[bin] + above->sum[bin]));
        }
    }
    rsp = fixture_total(all, "Rsp");
    assert_true(rsp == 2 * fixture_total(start, "Rsp"));
    assert_true(fixture_total(start, "Rd") != fixture_total(above, "Rd"));
    assert_true(fixture_event(start, "flights") != fixture_event(above, "flights"));
    crp_result_destroy(&all);
    crp_result_destroy(&below);
    crp_result_destroy(&above);
    crp_result_destroy(&start);
}

/* ------------------------------------------------------------------------------------------------------- other devices
 */

/* Is there a device of that name? If not, say why, loudly; the program then ends with 77. */
FIXTURE_FN bool has_device(const char *name)
{
    crp_context *context = NULL;
    device *d = NULL;
    bool is_there = crp_context_create(&context) == CRP_OK && device_open(context, name, NULL, &d) == CRP_OK;
    if (!is_there) {
        printf("SKIPPED: no device %s: %s\n", name, context == NULL ? "no memory" : crp_context_error(context));
    }
    device_close(&d);
    crp_context_destroy(&context);
    return is_there;
}

FIXTURE_FN void check_models(const char *name)
{
    for (size_t i = 0; i < N_MODELS; ++i) {
        expect_digest(i, name, 0);
    }
}

/* A photon that is never absorbed in an endless medium meets the step limit at the same event everywhere. */
FIXTURE_FN void check_step_limit(const char *name)
{
    crp_input *input = fixture_input(&fixture_half_space);
    crp_run_options options = fixture_options(100, 90);
    options.batches = 1;
    crp_result *reference = fixture_execute(input, &options);
    assert_true(fixture_event(reference, "step_limit_photons") > 0);
    options.device = name;
    crp_result *result = fixture_execute(input, &options);
    expect_same_sums("step limit", reference, result);
    crp_result_destroy(&reference);
    crp_result_destroy(&result);
    crp_input_destroy(&input);
}

#endif
