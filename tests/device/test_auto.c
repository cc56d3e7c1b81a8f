/* Which device "auto" takes, and what it says about those that it does not; a device asked for by name is never replaced. */
#include "engine/lane.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/fake_cuda.h"
#include "light_fixture.h"

static const fixture_layer layers[] = {{1.37, 1.0, 100.0, 0.9, 0.1}};
static const uint64_t LONG_RUN = 1000000000, SHORT_RUN = 100000;

static char warnings[4096], remarks[4096];

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    char *to = level == CRP_LOG_WARNING ? warnings : level == CRP_LOG_INFO ? remarks : NULL;
    if (to != NULL && strcmp(component, "engine") == 0) {
        size_t n = strlen(to);
        snprintf(to + n, sizeof warnings - n, "%s\n", line);
    }
}

static int set_up(void **state)
{
    warnings[0] = remarks[0] = '\0';
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_FREE", "100000000", 1);
    return fixture_open(state);
}

static int tear_down(void **state)
{
    static const char *const names[] = {"FAKE_CUDA_INIT", "FAKE_CUDA_DEVICES", "FAKE_CUDA_BAD_DEVICE", "FAKE_CUDA_FREE",
                                        "FAKE_CUDA_REFUSALS", "FAKE_CUDA_PTX", "FAKE_CUDA_CONTEXT", "CORPUSCLE_NVRTC"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    return fixture_close(state);
}

/* Open a lane and compare the beginning of its label; NULL for a lane that must not open. */
static void check_lane(const char *device, uint64_t histories, unsigned nr, const char *label)
{
    fixture_stack s = {1.0, 1.0, 1, layers, 0.01, 0.01, 10, nr, 5, false, 0};
    crp_input *input = fixture_input(&s);
    crp_plan *plan = fixture_plan(input, 1);
    crp_run_options options = fixture_options(histories, 1);
    options.device = device;
    options.threads = 2;
    device_lane *lane = NULL;
    crp_context_set_log(fixture_context, take_log, NULL);
    crp_status status = lane_open(fixture_context, crp_input_model(input, 0), plan, &options, histories, 32, &lane);
    if (label == NULL) {
        assert_true(status != CRP_OK && lane == NULL);
    } else if (status != CRP_OK || strncmp(lane->label, label, strlen(label)) != 0) {
        fail_msg("%s in place of %s: %s%s", status == CRP_OK ? lane->label : "no device", label, warnings,
                 crp_context_error(fixture_context));
    }
    lane_close(&lane);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

static void test_long_run_takes_the_gpu(void **state)
{
    (void)state;
    need_kernel();
    check_lane("auto", LONG_RUN, 20, "cuda:0 (Fake GPU 0)");
    assert_string_equal(warnings, "");
}

static void test_short_run_takes_the_cpu(void **state)
{
    (void)state;
    check_lane("auto", SHORT_RUN, 20, "cpu");
    assert_string_equal(warnings, "");
    assert_string_equal(remarks, "");
}

static void test_first_gpu_that_works(void **state)
{
    (void)state;
    need_kernel();
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    setenv("FAKE_CUDA_BAD_DEVICE", "0", 1);
    check_lane("auto", LONG_RUN, 20, "cuda:1 (Fake GPU 1)");
    check_says(warnings, "cuda:0 is not used: cuda:0 (Fake GPU 0): FAKE_ERROR_46: as asked for, while making its context");
    assert_string_equal(crp_context_error(fixture_context), "");
    check_lane("cuda:0", LONG_RUN, 20, NULL);
    check_says(crp_context_error(fixture_context), "while making its context");
}

static void test_no_gpu_is_no_news(void **state)
{
    (void)state;
    setenv("CORPUSCLE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    check_lane("auto", LONG_RUN, 20, "cpu");
    assert_string_equal(warnings, "");
    check_says(remarks, "no GPU is used: no NVIDIA driver (/nonexistent/libcuda.so.1");
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_INIT", "100", 1);
    check_lane("auto", LONG_RUN, 20, "cpu");
    assert_string_equal(warnings, "");
    check_says(remarks, "an NVIDIA driver (CUDA 13.0) but no NVIDIA GPU");
}

static void test_faulty_driver_is(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_INIT", "803", 1);
    check_lane("auto", LONG_RUN, 20, "cpu");
    check_says(warnings, "no GPU is used: the NVIDIA driver (CUDA 13.0) does not start (FAKE_ERROR_803: as asked for)");
    assert_string_equal(crp_context_error(fixture_context), "");
    check_lane("cuda:0", LONG_RUN, 20, NULL);
    check_says(crp_context_error(fixture_context), "device cuda:0: the NVIDIA driver (CUDA 13.0) does not start");
    setenv("CORPUSCLE_CUDA_DRIVER", "libc.so.6", 1);
    warnings[0] = '\0';
    check_lane("auto", LONG_RUN, 20, "cpu");
    check_says(warnings, "the NVIDIA driver is too old (libc.so.6 has no cuInit)");
}

/* No NVRTC, and a driver that is too old for the PTX of the build, if it has any. */
static void test_no_way_to_a_kernel(void **state)
{
    (void)state;
    setenv("CORPUSCLE_NVRTC", "nonexistent", 1);
    setenv("FAKE_CUDA_PTX", "10", 1);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    check_lane("auto", LONG_RUN, 20, "cpu");
    check_says(warnings, "cuda:0 is not used: cuda:0: ");
    check_says(warnings, "cuda:1 is not used: cuda:1: ");
    check_says(warnings, "CORPUSCLE_NVRTC: nonexistent");
    check_lane("cuda:1", LONG_RUN, 20, NULL);
    check_says(crp_context_error(fixture_context), "CORPUSCLE_NVRTC: nonexistent");
}

static void test_driver_that_refuses_the_kernel(void **state)
{
    (void)state;
    need_kernel();
    setenv("FAKE_CUDA_REFUSALS", "1000", 1);
    check_lane("auto", LONG_RUN, 20, "cpu");
    check_says(warnings, "refuses kernel light_transport");
    check_lane("cuda:0", LONG_RUN, 20, NULL);
    check_says(crp_context_error(fixture_context), "refuses kernel light_transport");
}

static void test_small_gpu(void **state)
{
    (void)state;
    need_kernel();
    setenv("FAKE_CUDA_FREE", "1000000", 1);
    check_lane("auto", LONG_RUN, 20000, "cpu");
    check_says(warnings, "cuda:0 (Fake GPU 0): the grid is too large for its memory (nr = 20000, nz = 10, na = 5: ");
    check_says(warnings, " bytes needed, 1000000 available) use fewer bins, or another device");
    check_lane("cuda:0", LONG_RUN, 20000, NULL);
    check_says(crp_context_error(fixture_context), "the grid is too large for its memory");
}

/* Depth of the queues and blocks of a launch for so many launches. */
static void check_depth(uint64_t n_launches, uint32_t depth, uint32_t grid)
{
    fixture_stack s = {1.0, 1.0, 1, layers, 0.01, 0.01, 10, 20, 5, false, 0};
    crp_input *input = fixture_input(&s);
    crp_plan *plan = fixture_plan(input, 1);
    crp_run_options options = fixture_options(LONG_RUN, 1);
    options.device = "cuda:0";
    device_lane *lane = NULL;
    FIXTURE_OK(lane_open(fixture_context, crp_input_model(input, 0), plan, &options, LONG_RUN, n_launches, &lane));
    if (lane->depth != depth || lane->shape.grid != grid) {
        fail_msg("%llu launches: %u deep with %u blocks, not %u with %u", (unsigned long long)n_launches, lane->depth,
                 lane->shape.grid, depth, grid);
    }
    lane_close(&lane);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

/* Launches share the GPU where they come out even; a few of them, or with little memory, follow one another. */
static void test_launches_side_by_side(void **state)
{
    (void)state;
    need_kernel();
    check_depth(32, 8, 256); /* of the 1024 multiprocessors of the fake GPU */
    check_depth(1, 2, 1024);
    check_depth(6, 4, 512);
    check_depth(33, 2, 1024);
    check_depth(1001, 8, 256);
    setenv("FAKE_CUDA_FREE", "40000", 1);
    check_depth(32, 2, 1024);
}

#define AUTO_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {AUTO_TEST(test_long_run_takes_the_gpu),  AUTO_TEST(test_short_run_takes_the_cpu),
                                       AUTO_TEST(test_first_gpu_that_works),    AUTO_TEST(test_no_gpu_is_no_news),
                                       AUTO_TEST(test_faulty_driver_is),        AUTO_TEST(test_no_way_to_a_kernel),
                                       AUTO_TEST(test_driver_that_refuses_the_kernel), AUTO_TEST(test_small_gpu),
                                       AUTO_TEST(test_launches_side_by_side)};
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
