/* The plain nested kernel and the engine's vectorised one: the same integers in every tally. "--time" compares speed. */
#include "cross/plain_checks.h"

#include "../../examples/light/plain/plain.c"

#include <time.h>

static uint64_t *plain_words(const crp_plan *plan, history_range range, uint32_t n_workers)
{
    uint64_t *words = calloc(plan->n_words, sizeof *words);
    assert_non_null(words);
    plan_shape shape = {.grid = 1};
    unsigned char params[1024];
    size_t n_params;
    ck_u32 next = 0;
    PLAIN_CHECK(light_params_of_launch(plan, NULL, &shape, range.first, range.count, params, &n_params));
    void *args[] = {params, plan->tables[0].data, plan->tables[1].data, words, &next};
    for (uint32_t worker = 0; worker < n_workers; ++worker) {
        plain_transport(args, worker, n_workers);
    }
    return words;
}

static void test_same_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAIN_N_CASES; ++i) {
        crp_input *input = plain_load(plain_cases[i].name);
        const crp_model *model = crp_input_model(input, 0);
        crp_plan *plan = NULL;
        double seconds = 0.0;
        /* Far from 0, so that the high word of the photon numbers counts too. */
        history_range range = {.first = (3ull << 32) + 77777u, .count = plain_cases[i].histories};
        PLAIN_CHECK(light_plan_create(plain_context, model, 7, &plan));
        uint64_t *plain = plain_words(plan, range, 3);
        uint64_t *engine = plain_engine_words(model, plan, "cpu", range, &seconds);
        plain_compare(plain_cases[i].name, plain, engine, plan->n_words);
        const light_params *p = &((const light_plan *)plan->data)->params;
        assert_int_equal(plain[p->at_counters + LIGHT_COUNT_HISTORIES], range.count);
        assert_int_equal(plain[p->at_counters + LIGHT_COUNT_LOST], 0);
        free(plain);
        free(engine);
        plan_destroy(&plan);
        crp_input_destroy(&input);
    }
}

static void plain_digest(const crp_model *model, uint64_t histories, char digest[65])
{
    crp_plan *plan = NULL;
    crp_result *result = NULL;
    PLAIN_CHECK(light_plan_create(plain_context, model, 1, &plan));
    uint64_t *words = plain_words(plan, (history_range){.first = 0, .count = histories}, 1);
    crp_wide *bins = calloc(plan->n_bins, sizeof *bins);
    uint64_t *events = calloc(plan->n_events, sizeof *events);
    assert_true(bins != NULL && events != NULL);
    light_reduce(plan, words, histories, bins, events);
    PLAIN_CHECK(result_create(plain_context, model, plan, &result));
    result_add_batch(result, bins, events, histories);
    result_digest(result);
    memcpy(digest, result->digest, 65);
    crp_result_destroy(&result);
    free(bins);
    free(events);
    free(words);
    plan_destroy(&plan);
}

/* What a user sees: the digest that `corpuscle run --json` prints; and one photon more makes another one. */
static void test_same_digest(void **state)
{
    (void)state;
    static const char *const names[] = {"skin5_633", "skin7", "glass_tissue_glass"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        crp_input *input = plain_load(names[i]);
        const crp_model *model = crp_input_model(input, 0);
        crp_run_options options = crp_run_options_default();
        crp_result *result = NULL;
        char digest[65];
        options.device = "cpu";
        options.histories = 2000;
        options.seed = 1;
        PLAIN_CHECK(crp_run_execute(plain_context, model, &options, &result));
        plain_digest(model, 2000, digest);
        assert_string_equal(digest, crp_result_digest(result));
        plain_digest(model, 2001, digest);
        assert_string_not_equal(digest, crp_result_digest(result));
        crp_result_destroy(&result);
        crp_input_destroy(&input);
    }
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Median of five alternating measurements of both on one core, in processor time. */
static void print_times(void)
{
    static const plain_case timed[] = {{"skin5_633", 50000}, {"skin7", 15000}};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; ++i) {
        crp_input *input = plain_load(timed[i].name);
        const crp_model *model = crp_input_model(input, 0);
        history_range range = {.first = 0, .count = timed[i].histories};
        crp_plan *plan = NULL;
        double plain[5], engine[5], unused = 0.0;
        PLAIN_CHECK(light_plan_create(plain_context, model, 1, &plan));
        for (int k = 0; k < 5; ++k) {
            double start = processor_seconds();
            free(plain_words(plan, range, 1));
            double middle = processor_seconds();
            free(plain_engine_words(model, plan, "cpu", range, &unused));
            plain[k] = middle - start;
            engine[k] = processor_seconds() - middle;
            for (int j = k; j > 0 && plain[j] < plain[j - 1]; --j) {
                double swap = plain[j];
                plain[j] = plain[j - 1];
                plain[j - 1] = swap;
            }
            for (int j = k; j > 0 && engine[j] < engine[j - 1]; --j) {
                double swap = engine[j];
                engine[j] = engine[j - 1];
                engine[j - 1] = swap;
            }
        }
        printf("%s: plain %.1f, engine %.1f photons/ms, ratio %.2f\n", timed[i].name,
               (double)range.count / plain[2] / 1e3, (double)range.count / engine[2] / 1e3, plain[2] / engine[2]);
        plan_destroy(&plan);
        crp_input_destroy(&input);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_words), cmocka_unit_test(test_same_digest)};
    if (crp_context_create(&plain_context) != CRP_OK) {
        return 1;
    }
    int failed = 0;
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        print_times();
    } else {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    crp_context_destroy(&plain_context);
    return failed;
}
