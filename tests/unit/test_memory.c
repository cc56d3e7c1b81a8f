/* Memory that is not there: refused before anything is allocated, with the numbers. */
#include "core/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "light_fixture.h"

static const fixture_layer layer[] = {{1.37, 1.0, 50.0, 0.8, 100.0}};

static int tear_down(void **state)
{
    unsetenv("CORPUSCLE_MEMORY");
    return fixture_close(state);
}

static crp_input *input_of(unsigned nr, unsigned nz)
{
    fixture_stack s = {1.0, 1.0, 1, layer, 1.0e-3, 1.0e-3, nz, nr, 30, false, 0};
    return fixture_input(&s);
}

static void test_available(void **state)
{
    (void)state;
    uint64_t left = memory_available(), available = 0;
    assert_true(left > 1000000 && left < UINT64_MAX);
    setenv("CORPUSCLE_MEMORY", "123456789", 1);
    assert_true(memory_available() == (left < 123456789 ? left : 123456789));
    assert_true(memory_suffices(100000000, &available));
    assert_false(memory_suffices(200000000, &available));
    assert_int_equal(available, 123456789);
    setenv("CORPUSCLE_MEMORY", "1", 1);
    assert_true(memory_suffices(1000, NULL));
    setenv("CORPUSCLE_MEMORY", "99999999999999999999999", 1);
    assert_true(memory_available() > 1000000);
}

/* Run with an output file: refused with these words, and no file is there. */
static void check_refused(const crp_input *input, uint32_t threads, const char *part, const char *absent)
{
    char path[512];
    struct stat found;
    crp_result *result = (crp_result *)1;
    crp_run_options options = fixture_options(1000, 1);
    fixture_path(path, sizeof path, ".h5");
    unlink(path);
    options.output = path;
    options.threads = threads;
    crp_status status = crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result);
    const char *message = crp_context_error(fixture_context);
    if (status != CRP_ERR_MEMORY || strstr(message, part) == NULL || (absent != NULL && strstr(message, absent) != NULL)) {
        fail_msg("status %d: %s", status, message);
    }
    assert_int_not_equal(stat(path, &found), 0);
}

static void test_huge_grid(void **state)
{
    (void)state;
    setenv("CORPUSCLE_MEMORY", "1000000000", 1); /* whatever the machine has */
    crp_input *input = input_of(60000, 60000);
    check_refused(input, 1, "the grid is too large for the memory of this machine (nr = 60000, nz = 60000, na = 30: "
                            "259467", NULL);
    check_refused(input, 1, " bytes needed, 1000000000 available) use fewer bins", "threads");
    crp_input_destroy(&input);
}

static void test_more_bins_than_numbers(void **state)
{
    (void)state;
    unsetenv("CORPUSCLE_MEMORY");
    crp_input *input = input_of(100000, 50000);
    check_refused(input, 1, "the grid has too many bins (nr = 100000, nz = 50000, na = 30: 5.01e+09", NULL);
    crp_input_destroy(&input);
}

/* Each thread has words of its own: 1.0e6 of them here, for 8 MB a thread. */
static void test_many_threads(void **state)
{
    (void)state;
    crp_input *input = input_of(1000, 1000);
    setenv("CORPUSCLE_MEMORY", "200000000", 1);
    check_refused(input, 64, "available) use fewer bins, or fewer than 64 threads", NULL);
    crp_run_options options = fixture_options(1000, 1);
    options.threads = 1;
    crp_result *result = fixture_execute(input, &options);
    assert_int_equal(crp_result_histories(result), 1000);
    crp_result_destroy(&result);
    setenv("CORPUSCLE_MEMORY", "50000000", 1);
    check_refused(input, 64, "available) use fewer bins", "threads");
    crp_input_destroy(&input);
}

static void test_result(void **state)
{
    (void)state;
    crp_result *result = (crp_result *)1;
    setenv("CORPUSCLE_MEMORY", "20000000", 1);
    assert_int_equal(result_allocate(fixture_context, 1, 1000000, 1, 1, &result), CRP_ERR_MEMORY);
    assert_null(result);
    assert_non_null(strstr(crp_context_error(fixture_context), "32000000 bytes needed, 20000000 available"));
    assert_int_equal(result_allocate(fixture_context, 1, SIZE_MAX / 8, 1, 1, &result), CRP_ERR_MEMORY);
}

#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {MEMORY_TEST(test_available), MEMORY_TEST(test_huge_grid),
                                       MEMORY_TEST(test_more_bins_than_numbers), MEMORY_TEST(test_many_threads),
                                       MEMORY_TEST(test_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
