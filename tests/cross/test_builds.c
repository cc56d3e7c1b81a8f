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
static build builds[] = {BUILDS(ROW)};

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

static uint64_t *words_of(const crp_plan *plan, history_range range, void *user)
{
    const build *b = user;
    return plain_call(b->function, plan, range, 1);
}

static void test_same_words(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof builds / sizeof *builds; ++k) {
        if (runs_here(&builds[k])) {
            plain_compare_all(builds[k].name, words_of, &builds[k], 12345, 10);
        }
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
