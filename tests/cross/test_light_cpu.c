/* The same photons on a CPU: one digest, whatever the threads, the instruction set, the batches or the restarts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cross/light_models.h"

static void test_threads(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MODELS; ++i) {
        expect_digest(i, "cpu", 2);
        expect_digest(i, "cpu", 3);
    }
}

static bool has_isa(const char *isa)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strcmp(isa, "x86-64-v4") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    }
    if (strcmp(isa, "x86-64-v3") == 0) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    }
    return __builtin_cpu_supports("sse4.2");
#else
    (void)isa;
    return false;
#endif
}

/* The first photons of model i, on whatever instruction set the environment asks for. */
static crp_result *run_first(size_t i)
{
    crp_run_options options = options_of(&models[i], "cpu", 1);
    options.histories = models[i].histories / 20 + 1;
    return fixture_execute(inputs[i], &options);
}

/* Without a fused multiply-add in hardware (v2) the same digits come a hundred times slower: the first photons must do.
 */
static void check_slow_set(const char *isa)
{
    for (size_t i = 0; i < N_MODELS; ++i) {
        crp_result *reference = run_first(i);
        setenv("CORPUSCLE_ISA", isa, 1);
        crp_result *result = run_first(i);
        unsetenv("CORPUSCLE_ISA");
        assert_non_null(strstr(result->device, isa));
        expect_same_sums(models[i].name, reference, result);
        assert_string_equal(crp_result_digest(reference), crp_result_digest(result));
        crp_result_destroy(&reference);
        crp_result_destroy(&result);
    }
}

static void test_instruction_sets(void **state)
{
    (void)state;
    static const char *const isas[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    int n_run = 0;
    for (size_t k = 0; k < 3; ++k) {
        if (!has_isa(isas[k])) {
            print_message("skipped: this processor has no %s\n", isas[k]);
            continue;
        }
        ++n_run;
        if (k == 0) {
            check_slow_set(isas[k]);
            continue;
        }
        setenv("CORPUSCLE_ISA", isas[k], 1);
        for (size_t i = 0; i < N_MODELS; ++i) {
            expect_digest(i, "cpu", 1);
        }
        unsetenv("CORPUSCLE_ISA");
    }
    if (n_run == 0) {
        skip();
    }
}

/* The integers do not know how the run is divided; only the errors do. */
static void test_batches(void **state)
{
    (void)state;
    static const uint32_t batches[] = {1, 2, 7, 100, 1000};
    for (size_t i = 3; i < 8; ++i) { /* small grids: every batch is reduced bin by bin */
        for (size_t k = 0; k < 5; ++k) {
            crp_run_options options = options_of(&models[i], "cpu", 2);
            options.histories = 5000;
            crp_result *reference = fixture_execute(inputs[i], &options);
            options.batches = batches[k];
            crp_result *result = fixture_execute(inputs[i], &options);
            expect_same_sums(models[i].name, reference, result);
            assert_string_equal(crp_result_digest(reference), crp_result_digest(result));
            crp_result_destroy(&reference);
            crp_result_destroy(&result);
        }
    }
}

/* Another seed, another result; the same seed, the same one. */
static void test_seeds(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {1, 2, 4294967296u, 4294967297u, UINT64_MAX};
    char found[5][65];
    for (size_t k = 0; k < 5; ++k) {
        crp_run_options options = options_of(&models[0], "cpu", 2);
        options.histories = 2000;
        options.seed = seeds[k];
        crp_result *result = fixture_execute(inputs[0], &options);
        snprintf(found[k], sizeof found[k], "%s", crp_result_digest(result));
        crp_result_destroy(&result);
        for (size_t j = 0; j < k; ++j) {
            assert_string_not_equal(found[k], found[j]);
        }
    }
}

static void test_resume(void **state)
{
    (void)state;
    check_resume(0, "cpu");
    check_resume(3, "cpu");
    check_resume(7, "cpu");
}

static void test_border(void **state)
{
    (void)state;
    check_border("cpu");
    crp_result *far = run_range(0, "cpu", 1000000000000u, 500); /* photon number 1e12 */
    crp_result_destroy(&far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), cmocka_unit_test(test_instruction_sets), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_seeds),   cmocka_unit_test(test_resume),           cmocka_unit_test(test_border),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, prepare, finish);
}
