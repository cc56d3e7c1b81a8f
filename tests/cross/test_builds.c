/* The vectorised kernel built with other lane counts and optimisation levels: the same integers in every word. */
#include "cross/plain_checks.h"

#define BUILDS(X) X(l64_O1, 0) X(l128_O2, 1) X(l256_O3, 1)

#define DECLARE(suffix, needs_avx2) void light_transport_##suffix(void *const *args, uint32_t worker, uint32_t n_workers);
BUILDS(DECLARE)

typedef struct build {
    const char *name;
    device_cpu_entry function;
    int needs_avx2;
} build;

#define ROW(suffix, needs_avx2) {#suffix, light_transport_##suffix, needs_avx2},
static const build builds[] = {BUILDS(ROW)};

static int runs_here(const build *b)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !b->needs_avx2 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                              __builtin_cpu_supports("bmi2"));
#else
    return 1;
#endif
}

static uint64_t *words_of(const crp_plan *plan, const build *b, history_range range)
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
    b->function(args, 0, 1);
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
        history_range range = {.first = 12345, .count = plain_cases[i].histories / 10};
        PLAIN_CHECK(light_plan_create(plain_context, model, 3, &plan));
        uint64_t *engine = plain_engine_words(model, plan, "cpu", range, &seconds);
        for (size_t k = 0; k < sizeof builds / sizeof *builds; ++k) {
            if (runs_here(&builds[k])) {
                uint64_t *words = words_of(plan, &builds[k], range);
                plain_compare(builds[k].name, words, engine, plan->n_words);
                free(words);
            }
        }
        free(engine);
        plan_destroy(&plan);
        crp_input_destroy(&input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_words)};
    PLAIN_CHECK(crp_context_create(&plain_context));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crp_context_destroy(&plain_context);
    return failed;
}
