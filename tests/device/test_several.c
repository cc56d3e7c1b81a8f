/*
 * Several devices in one run: the integers are those of one, whatever fails on the way. The fake driver computes what a GPU
 * would; PoCL, where it is there, is a second kind of device.
 */
#include "device/device_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/fake_cuda.h"
#include "light_fixture.h"

static const fixture_layer layers[] = {{1.37, 1.0, 90.0, 0.75, 0.02}};
static const fixture_stack stack = {1.0, 1.0, 1, layers, 0.01, 0.01, 10, 20, 5, false, 0};
static const uint64_t HISTORIES = 400000;

static char reference[65];
static crp_input *input;

static int set_up(void **state)
{
    fixture_warnings[0] = '\0';
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_FREE", "100000000", 1);
    setenv("FAKE_CUDA_COMPUTE", "1", 1);
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    int status = fixture_open(state);
    input = fixture_input(&stack);
    crp_context_set_log(fixture_context, fixture_keep_warnings, NULL);
    return status;
}

static int tear_down(void **state)
{
    static const char *const names[] = {"FAKE_CUDA_COMPUTE", "FAKE_CUDA_DEVICES", "FAKE_CUDA_FREE", "FAKE_CUDA_FAULT",
                                        "FAKE_CUDA_SLOW", "FAKE_CUDA_BAD_DEVICE", "CORPUSCLE_MEMORY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    crp_input_destroy(&input);
    return fixture_close(state);
}

static crp_run_options options_for(const char *device)
{
    crp_run_options options = fixture_options(HISTORIES, 7);
    options.device = device;
    options.threads = 1;
    return options;
}

static crp_result *execute(const char *device)
{
    crp_run_options options = options_for(device);
    return fixture_execute(input, &options);
}

/* What one CPU thread gives: the digest of the integers, and every digit of the statistics. */
static crp_result *one_cpu(void)
{
    crp_result *result = execute("cpu");
    snprintf(reference, sizeof reference, "%s", crp_result_digest(result));
    return result;
}

static void check_same(const crp_result *result, const crp_result *expected)
{
    assert_string_equal(crp_result_digest(result), crp_result_digest(expected));
    assert_int_equal(result->batches, expected->batches);
    assert_memory_equal(result->m2, expected->m2, expected->n_bins * sizeof *expected->m2);
    fixture_conserves(result);
}

static void check_devices(const char *device)
{
    crp_result *expected = one_cpu(), *result = execute(device);
    check_same(result, expected);
    crp_result_destroy(&result);
    crp_result_destroy(&expected);
}

/* ------------------------------------------------------------------------------------------------------ names */

static void check_set(const char *text, uint32_t n, const char *last)
{
    device_set set;
    FIXTURE_OK(device_set_parse(fixture_context, text, &set));
    assert_int_equal(set.n, n);
    assert_string_equal(set.names[n - 1], last);
}

static void check_refused(const char *text, const char *part)
{
    device_set set;
    crp_status status = device_set_parse(fixture_context, text, &set);
    assert_true(status == CRP_ERR_ARG || status == CRP_ERR_DEVICE);
    check_says(crp_context_error(fixture_context), part);
}

static void test_names(void **state)
{
    (void)state;
    check_set("auto", 1, "auto");
    check_set("cuda", 1, "cuda");
    check_set("cuda:all", 3, "cuda:2");
    check_set("cuda:2,0", 2, "cuda:0");
    check_set("cpu+cuda:0", 2, "cuda:0");
    check_set("cuda:all+cpu", 4, "cpu");
    check_set("cuda:1+cuda:0,2", 3, "cuda:2");
    check_refused("cuda:0,0", "cuda:0 is named twice in \"cuda:0,0\"");
    check_refused("cuda+cuda:0", "cuda:0 is named twice");
    check_refused("cpu+cpu:0", "cpu is named twice");
    check_refused("cuda:all+cuda:1", "cuda:1 is named twice");
    check_refused("cuda:0,", "\"\" is no list of cuda devices (in \"cuda:0,\")");
    check_refused("cuda:,0", "is no list of cuda devices");
    check_refused("cuda:0,b", "\"b\" is no list");
    check_refused("cuda:0-1,2", "\"0-1,2\" is no list");
    check_refused("cuda:1,99999999999", "is no list");
    check_refused("cuda:0+", "device \"\" is unknown (in \"cuda:0+\")");
    check_refused("cuda:0+gpu", "device \"gpu\" is unknown");
    check_refused("auto+cpu", "\"auto\" stands alone");
    setenv("CORPUSCLE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    check_refused("cuda:all", "device cuda:all: no NVIDIA driver");
}

static void test_fast_math_is_not_mixed(void **state)
{
    (void)state;
    crp_run_options options = options_for("cpu+cuda:0");
    crp_result *result = NULL;
    options.math = CRP_MATH_FAST;
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_ARG);
    check_says(crp_context_error(fixture_context), "a CPU computes in strict math only");
    options.device = "opencl:0+cuda:0";
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_ARG);
    check_says(crp_context_error(fixture_context), "CUDA and OpenCL differ");
}

/* ------------------------------------------------------------------------------------------------ same digits */

static void test_same_digits(void **state)
{
    (void)state;
    need_kernel();
    check_devices("cuda:0");
    check_devices("cuda:0,1");
    check_devices("cuda:all");
    check_devices("cpu+cuda:all");
    assert_string_equal(fixture_warnings, "");
    setenv("FAKE_CUDA_SLOW", "1", 1);
    check_devices("cuda:all");
    check_devices("cpu+cuda:1");
    assert_string_equal(fixture_warnings, "");
}

static void test_opencl_beside_the_cpu(void **state)
{
    (void)state;
    device *d = NULL;
    if (device_open(fixture_context, "opencl:0", NULL, &d) != CRP_OK) {
        fprintf(stderr, "SKIPPED: no OpenCL here\n");
        skip();
    }
    device_close(&d);
    check_devices("cpu+opencl:0");
}

/* Memory for one batch only: the devices then share each. */
static void test_little_memory(void **state)
{
    (void)state;
    need_kernel();
    const fixture_stack wide = {1.0, 1.0, 1, layers, 0.0001, 0.01, 200, 2000, 5, false, 0};
    crp_input_destroy(&input);
    input = fixture_input(&wide);
    crp_result *expected = one_cpu();
    setenv("CORPUSCLE_MEMORY", "120000000", 1); /* a batch's sums are 6.9 MB */
    crp_run_options options = options_for("cuda:all");
    crp_result *result = fixture_execute(input, &options);
    check_same(result, expected);
    crp_result_destroy(&result);
    crp_result_destroy(&expected);
}

/* ------------------------------------------------------------------------------------------------------ faults */

/* A device that fails is dropped, and nothing is lost or counted twice. */
static void test_lost_devices(void **state)
{
    (void)state;
    static const char *const faults[] = {"1:1:719", "1:3:719", "0:2:2", "2:3:700", "0:1:719,2:2:2", "1:2:2,2:2:719"};
    need_kernel();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        fixture_warnings[0] = '\0';
        setenv("FAKE_CUDA_FAULT", faults[i], 1);
        check_devices("cuda:all");
        check_says(fixture_warnings, "is dropped, the others do again the ");
        check_says(fixture_warnings, strstr(faults[i], ":2") != NULL && i == 2 ? "FAKE_ERROR_2: as asked for, while launching"
                                                                       : "FAKE_ERROR_7");
    }
}

static void test_cpu_goes_on_alone(void **state)
{
    (void)state;
    need_kernel();
    setenv("FAKE_CUDA_FAULT", "0:2:719,1:1:2,2:3:719", 1);
    check_devices("cpu+cuda:all");
    check_says(fixture_warnings, "cuda:1 (Fake GPU 1) is dropped");
}

/* None is left: an error that says why, a statepoint, and a run that goes on from it elsewhere. */
static void test_none_is_left(void **state)
{
    (void)state;
    char path[512];
    need_kernel();
    crp_result *expected = one_cpu(), *result = NULL;
    fixture_path(path, sizeof path, ".h5");
    crp_run_options options = options_for("cuda:0,1");
    options.output = path;
    setenv("FAKE_CUDA_FAULT", "0:9:719,1:11:719", 1);
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_DEVICE);
    assert_null(result);
    check_says(crp_context_error(fixture_context), "no device is left: cuda:");
    check_says(crp_context_error(fixture_context), "go on with --restart ");
    FIXTURE_OK(statepoint_read(fixture_context, path, 1, &result));
    assert_true(result->histories > 0 && result->histories < HISTORIES);
    crp_result_destroy(&result);
    unsetenv("FAKE_CUDA_FAULT");
    options.restart = path;
    options.device = "cpu+cuda:2";
    result = fixture_execute(input, &options);
    check_same(result, expected);
    unlink(path);
    crp_result_destroy(&result);
    crp_result_destroy(&expected);
}

static void test_one_that_does_not_open(void **state)
{
    (void)state;
    need_kernel();
    crp_result *result = NULL;
    crp_run_options options = options_for("cuda:0,7");
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_DEVICE);
    check_says(crp_context_error(fixture_context), "device cuda:7 is not there (this machine has 3 of the kind");
}

/* Of "all" one that does not open is left out; one that is named is not. */
static void test_left_out(void **state)
{
    (void)state;
    need_kernel();
    crp_result *result = NULL;
    setenv("FAKE_CUDA_BAD_DEVICE", "1", 1);
    check_devices("cuda:all");
    check_says(fixture_warnings, "cuda:1 is left out: cuda:1 (Fake GPU 1): FAKE_ERROR_46: as asked for, while making its context");
    crp_run_options options = options_for("cuda:0,1");
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_DEVICE);
    check_says(crp_context_error(fixture_context), "while making its context");
    setenv("FAKE_CUDA_FREE", "1000", 1); /* less than any of them needs */
    options.device = "cuda:all";
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_MEMORY);
    check_says(crp_context_error(fixture_context), "1000 available) use fewer bins, or another device");
}

/* ---------------------------------------------------------------------------------------------------- progress */

static int look(void *user, const crp_progress *now)
{
    double share = 0.0;
    uint64_t histories = 0;
    assert_int_equal(now->n_devices, 3);
    for (uint32_t i = 0; i < now->n_devices; i++) {
        share += now->devices[i].share;
        histories += now->devices[i].histories;
        assert_true(now->devices[i].is_dropped == (now->devices[i].rate == 0.0));
    }
    assert_true(fabs(share - 1.0) < 1e-12);
    assert_true(histories >= now->histories_done && histories <= now->histories_total);
    *(int *)user += now->devices[1].is_dropped;
    return 0;
}

static void test_progress_shows_devices(void **state)
{
    (void)state;
    need_kernel();
    int n_dropped = 0;
    setenv("FAKE_CUDA_FAULT", "1:2:719", 1);
    crp_run_options options = options_for("cuda:all");
    options.progress = look;
    options.progress_user = &n_dropped;
    crp_result *result = fixture_execute(input, &options);
    assert_string_equal(crp_result_device(result),
                        "cuda:0 (Fake GPU 0), cuda:1 (Fake GPU 1), cuda:2 (Fake GPU 2)");
    assert_true(n_dropped > 0);
    assert_int_equal(result->n_devices, 3);
    assert_string_equal(result->devices[2].label, "cuda:2 (Fake GPU 2)");
    assert_true(result->devices[1].is_dropped && !result->devices[0].is_dropped);
    assert_int_equal(result->devices[0].histories + result->devices[1].histories + result->devices[2].histories, HISTORIES);
    crp_result_destroy(&result);
}

#define SEVERAL_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {SEVERAL_TEST(test_names),
                                       SEVERAL_TEST(test_fast_math_is_not_mixed),
                                       SEVERAL_TEST(test_same_digits),
                                       SEVERAL_TEST(test_opencl_beside_the_cpu),
                                       SEVERAL_TEST(test_little_memory),
                                       SEVERAL_TEST(test_lost_devices),
                                       SEVERAL_TEST(test_cpu_goes_on_alone),
                                       SEVERAL_TEST(test_none_is_left),
                                       SEVERAL_TEST(test_one_that_does_not_open),
                                       SEVERAL_TEST(test_left_out),
                                       SEVERAL_TEST(test_progress_shows_devices)};
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
