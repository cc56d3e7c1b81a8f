/*
 * Working memory that outgrows a device: the run goes on in the host's memory and says so, with the digits of a CPU. The fake
 * driver computes what a GPU would.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outgrown_fixture.h"

static void test_host_memory_helps(void **state)
{
    char expected[65], found[65], error[1024];
    (void)state;
    assert_int_equal(outgrown_run(&one_track, "cpu", expected, error, sizeof error), CRP_OK);
    assert_int_equal(outgrown_run(&one_track, "cuda:0", found, error, sizeof error), CRP_OK);
    assert_string_equal(found, expected);
    assert_string_equal(fixture_warnings, "");
    setenv("FAKE_CUDA_FREE", "200000", 1); /* enough for tables and words, not for the track */
    assert_int_equal(outgrown_run(&one_track, "cuda:0", found, error, sizeof error), CRP_OK);
    assert_string_equal(found, expected);
    check_says(fixture_warnings, "works in part in the host's memory");
}

static void test_no_memory_anywhere(void **state)
{
    char digest[65], error[1024];
    (void)state;
    setenv("FAKE_CUDA_FREE", "200000", 1);
    setenv("FAKE_CUDA_MANAGED", "2", 1);
    assert_int_equal(outgrown_run(&one_track, "cuda:0", digest, error, sizeof error), CRP_ERR_MEMORY);
    check_says(error, "not enough memory (");
    assert_string_equal(fixture_warnings, "");
}

static int set_up(void **state)
{
    (void)state;
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_COMPUTE", "1", 1);
    setenv("FAKE_CUDA_FREE", "100000000", 1);
    unsetenv("FAKE_CUDA_MANAGED");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_host_memory_helps, set_up),
        cmocka_unit_test_setup(test_no_memory_anywhere, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
