/* The plain nested kernel and the engine's vectorised one: the same integers in every tally. "--time" compares speed. */
#include "cross/plain_checks.h"

#include "../../examples/light/plain/plain.c"

#include <time.h>

static uint64_t *three_workers(const crp_plan *plan, history_range range, void *user)
{
    (void)user;
    return plain_call(plain_transport, plan, range, 3);
}

/* Far from 0, so that the high word of the photon numbers counts too. */
static void test_same_words(void **state)
{
    (void)state;
    plain_compare_all("plain kernel", three_workers, NULL, (3ull << 32) + 77777u, 1);
}

static void plain_digest(const crp_model *model, uint64_t histories, char digest[65])
{
    crp_plan *plan = NULL;
    crp_result *result = NULL;
    PLAIN_CHECK(light_plan_create(plain_context, model, 1, &plan));
    uint64_t *words = plain_call(plain_transport, plan, (history_range){.first = 0, .count = histories}, 1);
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

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
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
            free(plain_call(plain_transport, plan, range, 1));
            double middle = processor_seconds();
            free(plain_engine_words(model, plan, "cpu", range, &unused));
            plain[k] = middle - start;
            engine[k] = processor_seconds() - middle;
        }
        qsort(plain, 5, sizeof *plain, compare_reals);
        qsort(engine, 5, sizeof *engine, compare_reals);
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
