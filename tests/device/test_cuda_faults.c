/* What the CUDA device says and does when the driver, the compiler, the cache or the memory fails. */
#include "core/context.h"
#include "device/device.h"
#include "device/nvrtc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char kernel_file[] = "@extern \"C\" __global__ void add(unsigned *p) { *p += 1; }\n";

static crp_context *context;
static device *gpu;
static bool has_nvrtc;
static int n_compiled, n_cached, n_warnings;

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)component;
    n_compiled += strstr(line, "compiled by NVRTC") != NULL;
    n_cached += strstr(line, "from the cache") != NULL;
    n_warnings += level == CRP_LOG_WARNING;
}

static void check_message(const char *part)
{
    if (strstr(crp_context_error(context), part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, crp_context_error(context));
    }
}

static void open_gpu(void)
{
    device_options options = {0};
    if (device_ops_cuda.open(context, 0, &options, &gpu) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
}

static void check_open_fails(const char *part)
{
    device_options options = {0};
    assert_int_equal(device_ops_cuda.open(context, 0, &options, &gpu), CRP_ERR_DEVICE);
    assert_null(gpu);
    check_message(part);
}

static int set_up(void **state)
{
    (void)state;
    gpu = NULL;
    n_compiled = n_cached = n_warnings = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"FAKE_CUDA_INIT",     "FAKE_CUDA_DEVICES",     "FAKE_CUDA_CAPABILITY",
                                        "FAKE_CUDA_FREE",     "FAKE_CUDA_SYNCHRONIZE", "FAKE_CUDA_LAUNCH",
                                        "FAKE_CUDA_REFUSALS", "FAKE_CUDA_CONTEXT",     "CORPUSCLE_NVRTC"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    if (gpu != NULL) {
        gpu->ops->close(gpu);
        gpu = NULL;
    }
    return 0;
}

static crp_status create_kernel(device_kernel **kernel)
{
    device_kernel_source source = {.file = kernel_file, .entry = "add"};
    return gpu->ops->kernel_create(gpu, &source, kernel);
}

static void make_kernel(void)
{
    device_kernel *kernel = NULL;
    if (create_kernel(&kernel) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    gpu->ops->kernel_destroy(gpu, kernel);
}

static void need_nvrtc(void)
{
    if (!has_nvrtc) {
        fprintf(stderr, "SKIPPED: no NVRTC here\n");
        skip();
    }
}

static void test_driver_without_gpu(void **state)
{
    (void)state;
    uint32_t n = 9;
    setenv("FAKE_CUDA_INIT", "100", 1);
    check_open_fails("an NVIDIA driver (CUDA 13.0) but no NVIDIA GPU");
    setenv("FAKE_CUDA_INIT", "0", 1);
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    check_open_fails("an NVIDIA driver (CUDA 13.0) but no NVIDIA GPU");
    assert_int_equal(device_ops_cuda.count(context, &n), CRP_OK);
    assert_int_equal(n, 0);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    assert_int_equal(device_ops_cuda.count(context, &n), CRP_OK);
    assert_int_equal(n, 2);
}

static void test_driver_that_fails(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_INIT", "999", 1);
    check_open_fails("does not start (FAKE_ERROR_999: as asked for)");
    setenv("FAKE_CUDA_INIT", "12345", 1);
    check_open_fails("driver error 12345");
    setenv("FAKE_CUDA_INIT", "0", 1);
    setenv("FAKE_CUDA_CONTEXT", "46", 1);
    check_open_fails("cuda:0 (Fake GPU 0): FAKE_ERROR_46: as asked for, while making its context");
}

static void test_too_little_memory(void **state)
{
    (void)state;
    device_buffer *buffer;
    device_info info;
    setenv("FAKE_CUDA_FREE", "1000", 1);
    open_gpu();
    assert_int_equal(gpu->ops->buffer_create(gpu, 2000, &buffer), CRP_ERR_MEMORY);
    assert_null(buffer);
    check_message("cuda:0 (Fake GPU 0): not enough memory (2000 bytes needed, 1000 available of 1000000)");
    assert_int_equal(gpu->ops->buffer_create(gpu, 1000, &buffer), CRP_OK);
    gpu->ops->buffer_destroy(gpu, buffer);
    setenv("FAKE_CUDA_FREE", "77", 1);
    assert_int_equal(gpu->ops->info(gpu, &info), CRP_OK);
    assert_int_equal(info.memory_free, 77);
}

static void test_no_nvrtc(void **state)
{
    (void)state;
    device_kernel *kernel;
    setenv("CORPUSCLE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    open_gpu();
    assert_string_equal(crp_context_error(context), "");
    assert_non_null(strstr(gpu->info.detail, "no NVRTC"));
    assert_int_equal(create_kernel(&kernel), CRP_ERR_COMPILE);
    assert_null(kernel);
    check_message("cuda:0: NVRTC, the run-time compiler, cannot be opened (CORPUSCLE_NVRTC: /nonexistent/libnvrtc.so");
}

static void test_nvrtc_older_than_the_gpu(void **state)
{
    (void)state;
    device_kernel *kernel;
    need_nvrtc();
    setenv("FAKE_CUDA_CAPABILITY", "990", 1);
    open_gpu();
    assert_int_equal(create_kernel(&kernel), CRP_ERR_COMPILE);
    check_message("cannot compile for compute capability 99.0 (it is too old for this GPU)");
}

static void test_cached_kernel_that_the_driver_refuses(void **state)
{
    (void)state;
    need_nvrtc();
    open_gpu();
    make_kernel();
    assert_int_equal(n_compiled, 1);
    make_kernel();
    assert_int_equal(n_compiled, 1);
    assert_int_equal(n_cached, 1);
    assert_int_equal(n_warnings, 0);
    setenv("FAKE_CUDA_REFUSALS", "1", 1); /* the cached image; the new one is taken */
    make_kernel();
    assert_int_equal(n_compiled, 2);
    assert_int_equal(n_warnings, 1);
    unsetenv("FAKE_CUDA_REFUSALS");
    make_kernel();
    assert_int_equal(n_cached, 2);
}

static void test_new_kernel_that_the_driver_refuses(void **state)
{
    (void)state;
    device_kernel *kernel;
    need_nvrtc();
    open_gpu();
    setenv("FAKE_CUDA_REFUSALS", "1000", 1);
    assert_int_equal(create_kernel(&kernel), CRP_ERR_COMPILE);
    assert_null(kernel);
    check_message("the driver (CUDA 13.0) refuses kernel add as compiled by NVRTC");
    check_message("FAKE_ERROR_200");
}

static void test_launches_that_fail(void **state)
{
    (void)state;
    device_kernel *kernel = NULL;
    device_buffer *buffer = NULL;
    need_nvrtc();
    open_gpu();
    assert_int_equal(create_kernel(&kernel), CRP_OK);
    assert_int_equal(gpu->ops->buffer_create(gpu, 4, &buffer), CRP_OK);
    device_launch launch = {
        .grid = 5, .block = 32, .n_args = 1, .args = {{.kind = DEVICE_ARG_SHARED, .buffer = buffer}}};
    assert_true(gpu->ops->launch_seconds(gpu, 0) != gpu->ops->launch_seconds(gpu, 0)); /* NaN before a launch */
    setenv("FAKE_CUDA_LAUNCH", "701", 1);
    assert_int_equal(gpu->ops->launch(gpu, 0, kernel, &launch), CRP_ERR_DEVICE);
    check_message("FAKE_ERROR_701: as asked for, while launching add (5 blocks of 32 threads, 0 bytes of shared");
    unsetenv("FAKE_CUDA_LAUNCH");
    assert_int_equal(gpu->ops->launch(gpu, 0, kernel, &launch), CRP_OK);
    setenv("FAKE_CUDA_SYNCHRONIZE", "700", 1);
    assert_int_equal(gpu->ops->wait(gpu, 0), CRP_ERR_DEVICE);
    check_message("FAKE_ERROR_700: as asked for, while waiting for add");
    unsetenv("FAKE_CUDA_SYNCHRONIZE");
    assert_int_equal(gpu->ops->wait(gpu, 0), CRP_OK);
    double seconds = gpu->ops->launch_seconds(gpu, 0);
    assert_true(seconds > 0.0019 && seconds < 0.0021);
    assert_true(gpu->ops->launch_seconds(gpu, 0) == 0.0); /* counted already */
    launch.local_bytes = 100001;
    assert_int_equal(gpu->ops->launch(gpu, 0, kernel, &launch), CRP_ERR_DEVICE);
    check_message("needs 100001 bytes of shared memory a block (the GPU has 100000)");
    gpu->ops->buffer_destroy(gpu, buffer);
    gpu->ops->kernel_destroy(gpu, kernel);
}

#define FAULT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {FAULT_TEST(test_driver_without_gpu),
                                       FAULT_TEST(test_driver_that_fails),
                                       FAULT_TEST(test_too_little_memory),
                                       FAULT_TEST(test_no_nvrtc),
                                       FAULT_TEST(test_nvrtc_older_than_the_gpu),
                                       FAULT_TEST(test_cached_kernel_that_the_driver_refuses),
                                       FAULT_TEST(test_new_kernel_that_the_driver_refuses),
                                       FAULT_TEST(test_launches_that_fail)};
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    nvrtc compiler;
    if (crp_context_create(&context) != CRP_OK || mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    has_nvrtc = nvrtc_open(context, 0, &compiler) == CRP_OK;
    crp_context_set_log(context, take_log, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crp_context_destroy(&context);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
