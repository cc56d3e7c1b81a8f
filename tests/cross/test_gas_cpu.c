/* The same molecules whatever the threads, instruction set, batches: the same bits. And a golden digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cross/gas_models.h"

#include <unistd.h>

static void threads_change_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_GAS_CASES; i++) {
        char one[65], three[65];
        gas_case_digest(&gas_cases[i], "cpu", 1, one);
        gas_case_digest(&gas_cases[i], "cpu", 3, three);
        assert_string_equal(one, three);
    }
}

static void instruction_sets_change_nothing(void **state)
{
    (void)state;
    static const char *const sets[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
    char first[65] = "";
    for (size_t k = 0; k < 3; k++) {
        char digest[65];
        setenv("CORPUSCLE_ISA", sets[k], 1);
        device *d = NULL;
        device_options options = {.threads = 1};
        bool is_there = device_open(fixture_context, "cpu", &options, &d) == CRP_OK;
        device_close(&d);
        if (is_there) {
            gas_case_digest(&gas_cases[0], "cpu", 1, digest);
            assert_true(first[0] == '\0' || strcmp(first, digest) == 0);
            snprintf(first, sizeof first, "%s", digest);
        }
        unsetenv("CORPUSCLE_ISA");
    }
}

static void resumed_runs_are_the_same(void **state)
{
    (void)state;
    char path[] = "/tmp/crp_gas_XXXXXX", whole[65];
    int file = mkstemp(path);
    assert_true(file >= 0);
    crp_input *input = gas_case_input(&gas_cases[0]);
    crp_run_options options = fixture_options(3200, 7);
    crp_result *result = fixture_execute(input, &options);
    snprintf(whole, sizeof whole, "%s", crp_result_digest(result));
    fixture_value pair = fixture_of(result, "transmission", "source->other");
    crp_result_destroy(&result);
    options.histories = 800;
    options.batches = 8;
    options.output = path;
    result = fixture_execute(input, &options);
    crp_result_destroy(&result);
    options.histories = 3200;
    options.restart = path;
    result = fixture_execute(input, &options);
    assert_string_equal(whole, crp_result_digest(result));
    fixture_value resumed = fixture_of(result, "transmission", "source->other");
    assert_true(pair.mean == resumed.mean &&
                fabs(pair.error - resumed.error) < 1e-12 * pair.error); /* covariances too */
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    unlink(path);
}

/* All parts of this box are reached, and nothing gets out of it. */
static void every_feature_is_used(void **state)
{
    (void)state;
    crp_input *input = gas_case_input(&gas_cases[0]);
    crp_run_options options = fixture_options(20000, 1);
    crp_result *result = fixture_execute(input, &options);
    const tally_spec *hits = &result->tallies[result_find(result, "facet_hits")];
    for (size_t i = 0; i < hits->n_bins; i++) {
        bool is_covered = i == 6; /* the second of two facets upon one another: the first is hit */
        assert_true((result->sum[hits->offset + i] == 0) == is_covered);
    }
    assert_true(fixture_event(result, "leaks") == 0);
    crp_result_destroy(&result);
    crp_input_destroy(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(instruction_sets_change_nothing),
        cmocka_unit_test(resumed_runs_are_the_same),
        cmocka_unit_test(every_feature_is_used),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
