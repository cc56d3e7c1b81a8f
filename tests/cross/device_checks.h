/**
 * What every device must do, whatever its kind: buffers, queues, arguments, local memory, 64-bit atomics, refusals.
 * A test program brings the kernel in its device's language and calls the checks.
 */
#ifndef TESTS_CROSS_DEVICE_CHECKS_H
#define TESTS_CROSS_DEVICE_CHECKS_H

#include "core/context.h"
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** The kernel's by-value argument; 1024 bytes, as large as one may be. */
typedef struct check_params {
    uint32_t n;
    uint32_t pad[254];
    uint32_t last;
} check_params;

enum { CHECK_N = 10000, CHECK_BLOCK = 64, CHECK_GRID = 8, CHECK_BINS = 16 };

static crp_context *check_context;
static device *check_device;

static void check_ok(crp_status status, const char *call)
{
    if (status != CRP_OK) {
        fail_msg("%s: status %d: %s", call, status, crp_context_error(check_context));
    }
}
#define CHECK_OK(call) check_ok(call, #call)

/** kernel add(params, in u32[n], sum u64[bins], [local u32[bins]]): sum[i % bins] += in[i] * FACTOR + params.last */
static device_kernel *check_kernel(const char *file, crp_math math)
{
    static const char *const defines[] = {"FACTOR=3", "BINS=16"};
    device_kernel_source source = {.file = file,
                                   .entry = "add",
                                   .math = math,
                                   .defines = defines,
                                   .n_defines = 2,
                                   .block = CHECK_BLOCK,
                                   .blocks_per_unit = 1};
    device_kernel *kernel = NULL;
    CHECK_OK(check_device->ops->kernel_create(check_device, &source, &kernel));
    return kernel;
}

/** Run it on all queues, twice on each, with enough local memory for the bins, and compare with the host. */
static void check_sums(const char *file, crp_math math, uint32_t local_bytes)
{
    const device_ops *ops = check_device->ops;
    check_params params = {.n = CHECK_N, .last = 7};
    uint32_t *in = malloc(CHECK_N * sizeof *in);
    uint64_t wanted[CHECK_BINS] = {0}, got[CHECK_BINS];
    device_buffer *buffer_in, *buffer_sum[DEVICE_N_QUEUES];
    device_kernel *kernel = check_kernel(file, math);
    double busy = 0;
    for (uint32_t i = 0; i < CHECK_N; i++) {
        in[i] = i * 2654435761u >> 4;
        wanted[i % CHECK_BINS] += 2 * ((uint64_t)in[i] * 3 + params.last); /* two launches */
    }
    CHECK_OK(ops->buffer_create(check_device, CHECK_N * sizeof *in, &buffer_in));
    for (uint32_t q = 0; q < DEVICE_N_QUEUES; q++) {
        CHECK_OK(ops->buffer_create(check_device, sizeof got, &buffer_sum[q]));
        CHECK_OK(ops->zero(check_device, q, buffer_sum[q], sizeof got));
        CHECK_OK(ops->upload(check_device, q, buffer_in, in, CHECK_N * sizeof *in));
        CHECK_OK(ops->wait(check_device, q));
    }
    memset(in, 0, CHECK_N * sizeof *in); /* an upload must have taken its copy */
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t q = 0; q < DEVICE_N_QUEUES; q++) {
            device_launch launch = {
                .grid = CHECK_GRID,
                .block = CHECK_BLOCK,
                .local_bytes = local_bytes,
                .n_args = 3,
                .args = {{.kind = DEVICE_ARG_BYTES, .bytes = &params, .n_bytes = sizeof params},
                         {.kind = DEVICE_ARG_IN, .buffer = buffer_in},
                         {.kind = DEVICE_ARG_SUM, .buffer = buffer_sum[q]}}};
            CHECK_OK(ops->launch(check_device, q, kernel, &launch));
        }
    }
    for (uint32_t q = 0; q < DEVICE_N_QUEUES; q++) {
        CHECK_OK(ops->download(check_device, q, buffer_sum[q], got, sizeof got));
        assert_memory_equal(got, wanted, sizeof got);
        double seconds = ops->launch_seconds(check_device, q); /* 0: all of it side by side with others */
        assert_true(seconds >= 0 && seconds < 60);
        busy += seconds;
        ops->buffer_destroy(check_device, buffer_sum[q]);
    }
    ops->buffer_destroy(check_device, buffer_in);
    ops->buffer_destroy(check_device, NULL);
    ops->kernel_destroy(check_device, kernel);
    ops->kernel_destroy(check_device, NULL);
    assert_true(busy > 0);
    free(in);
}

/** Zero leaves what lies behind it alone; a copy larger than the buffer is refused. */
static void check_buffers(void **state)
{
    (void)state;
    const device_ops *ops = check_device->ops;
    unsigned char bytes[100], wanted[100];
    device_buffer *buffer;
    memset(bytes, 0xAB, sizeof bytes);
    memcpy(wanted, bytes, sizeof wanted);
    memset(wanted, 0, 33);
    CHECK_OK(ops->buffer_create(check_device, sizeof bytes, &buffer));
    CHECK_OK(ops->upload(check_device, 1, buffer, bytes, sizeof bytes));
    CHECK_OK(ops->zero(check_device, 1, buffer, 33));
    CHECK_OK(ops->download(check_device, 1, buffer, bytes, sizeof bytes));
    assert_memory_equal(bytes, wanted, sizeof bytes);
    assert_int_equal(ops->upload(check_device, 0, buffer, bytes, sizeof bytes + 1), CRP_ERR_INTERNAL);
    assert_int_equal(ops->zero(check_device, DEVICE_N_QUEUES, buffer, 1), CRP_ERR_INTERNAL);
    ops->buffer_destroy(check_device, buffer);
    CHECK_OK(ops->buffer_create(check_device, 0, &buffer));
    CHECK_OK(ops->upload(check_device, 0, buffer, bytes, 0));
    ops->buffer_destroy(check_device, buffer);
}

/** More memory than there is: the message has needed and available bytes. */
static void check_too_much_memory(void **state)
{
    (void)state;
    device_buffer *buffer;
    char needed[40];
    size_t n = (size_t)check_device->info.memory_total + ((size_t)1 << 30);
    snprintf(needed, sizeof needed, "%zu bytes needed", n);
    assert_int_equal(check_device->ops->buffer_create(check_device, n, &buffer), CRP_ERR_MEMORY);
    assert_null(buffer);
    assert_non_null(strstr(crp_context_error(check_context), needed));
    assert_non_null(strstr(crp_context_error(check_context), "available"));
}

/** A kernel that does not compile: the file and line in the message. An entry that is not there: its name. */
static void check_broken_kernels(const char *good_file)
{
    device_kernel *kernel = NULL;
    device_kernel_source broken = {.file = "@\n\nint broken = nothing;\n", .entry = "add"};
    device_kernel_source absent = {.file = good_file, .entry = "absent_entry", .block = CHECK_BLOCK};
    static const char *const defines[] = {"FACTOR=3", "BINS=16"};
    absent.defines = defines;
    absent.n_defines = 2;
    assert_int_equal(check_device->ops->kernel_create(check_device, &broken, &kernel), CRP_ERR_COMPILE);
    assert_null(kernel);
    assert_non_null(strstr(crp_context_error(check_context), "inline"));
    assert_true(check_device->ops->kernel_create(check_device, &absent, &kernel) != CRP_OK);
    assert_null(kernel);
    assert_non_null(strstr(crp_context_error(check_context), "absent_entry"));
}

/** Blocks and local memory beyond the device's, missing arguments. */
static void check_bad_launches(const char *file)
{
    device_kernel *kernel = check_kernel(file, CRP_MATH_STRICT);
    check_params params = {.n = 1};
    device_launch launch = {.grid = 1,
                            .block = 1u << 20,
                            .n_args = 1,
                            .args = {{.kind = DEVICE_ARG_BYTES, .bytes = &params, .n_bytes = sizeof params}}};
    assert_int_equal(check_device->ops->launch(check_device, 0, kernel, &launch), CRP_ERR_DEVICE);
    assert_non_null(strstr(crp_context_error(check_context), "1048576"));
    launch.block = CHECK_BLOCK;
    launch.local_bytes = check_device->info.local_memory + 64;
    assert_int_equal(check_device->ops->launch(check_device, 0, kernel, &launch), CRP_ERR_DEVICE);
    assert_non_null(strstr(crp_context_error(check_context), "local") != NULL
                        ? strstr(crp_context_error(check_context), "local")
                        : strstr(crp_context_error(check_context), "shared"));
    launch.local_bytes = 0;
    launch.args[0].bytes = NULL;
    assert_int_equal(check_device->ops->launch(check_device, 0, kernel, &launch), CRP_ERR_INTERNAL);
    check_device->ops->kernel_destroy(check_device, kernel);
}

#endif
