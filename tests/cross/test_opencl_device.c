/* The OpenCL device on whatever OpenCL there is (PoCL where there is no GPU). */
#include "cross/device_checks.h"

static const char kernel_file[] =
    "@#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "typedef struct { uint n; uint pad[254]; uint last; } check_params;\n"
    "kernel void add(const check_params p, global const uint *in, global ulong *sum, local uint *near)\n"
    "{\n"
    "    uint t = get_local_id(0);\n"
    "    if (t < BINS) near[t] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (uint i = get_global_id(0); i < p.n; i += get_global_size(0)) {\n"
    "        atom_add(&sum[i % BINS], (ulong)in[i] * FACTOR);\n"
    "        atomic_add(&near[i % BINS], p.last);\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (t < BINS) atom_add(&sum[t], (ulong)near[t]);\n"
    "}\n";

/* No __local argument: none is given when local_bytes is 0. */
static const char kernel_without_local[] =
    "@#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "typedef struct { uint n; uint pad[254]; uint last; } check_params;\n"
    "kernel void add(const check_params p, global const uint *in, global ulong *sum)\n"
    "{\n"
    "    for (uint i = get_global_id(0); i < p.n; i += get_global_size(0))\n"
    "        atom_add(&sum[i % BINS], (ulong)in[i] * FACTOR + p.last);\n"
    "}\n";

/* a * b + c rounds twice in strict, and division and root are those of IEEE; compared with the host bit by bit. */
static const char rounding_kernel[] = "@#pragma OPENCL FP_CONTRACT OFF\n"
                                      "kernel void add(global const float *x, global float *y, const uint n)\n"
                                      "{\n"
                                      "    uint i = get_global_id(0);\n"
                                      "    if (i < n) y[i] = CK_STRICT * (sqrt(x[i]) / x[i + 1]);\n"
                                      "}\n";

static bool has_strict(void)
{
    device_kernel *kernel = NULL;
    device_kernel_source source = {.file = kernel_without_local, .entry = "add", .math = CRP_MATH_STRICT};
    static const char *const defines[] = {"FACTOR=3", "BINS=16"};
    source.defines = defines;
    source.n_defines = 2;
    crp_status status = check_device->ops->kernel_create(check_device, &source, &kernel);
    check_device->ops->kernel_destroy(check_device, kernel);
    return status != CRP_ERR_UNSUPPORTED;
}

static void test_sums(void **state)
{
    (void)state;
    check_sums(kernel_file, CRP_MATH_FAST, CHECK_BINS * sizeof(uint32_t));
    check_sums(kernel_without_local, CRP_MATH_FAST, 0);
}

static void test_sums_strict(void **state)
{
    (void)state;
    if (!has_strict()) {
        assert_non_null(strstr(crp_context_error(check_context), "no strict math"));
        skip();
    }
    check_sums(kernel_file, CRP_MATH_STRICT, CHECK_BINS * sizeof(uint32_t));
}

static void test_strict_division_and_root(void **state)
{
    (void)state;
    enum { N = 5000 };
    const device_ops *ops = check_device->ops;
    static float x[N + 1], y[N];
    uint32_t n = N;
    device_buffer *in, *out;
    device_kernel *kernel = NULL;
    device_kernel_source source = {.file = rounding_kernel, .entry = "add", .math = CRP_MATH_STRICT};
    if (!has_strict()) {
        skip();
    }
    for (uint32_t i = 0; i <= N; i++) {
        x[i] = 1e-3f + (float)(i * 2654435761u >> 8) * 0x1p-20f;
    }
    CHECK_OK(ops->kernel_create(check_device, &source, &kernel));
    CHECK_OK(ops->buffer_create(check_device, sizeof x, &in));
    CHECK_OK(ops->buffer_create(check_device, sizeof y, &out));
    CHECK_OK(ops->upload(check_device, 0, in, x, sizeof x));
    device_launch launch = {.grid = (N + 63) / 64,
                            .block = 64,
                            .n_args = 3,
                            .args = {{.kind = DEVICE_ARG_IN, .buffer = in},
                                     {.kind = DEVICE_ARG_SHARED, .buffer = out},
                                     {.kind = DEVICE_ARG_BYTES, .bytes = &n, .n_bytes = sizeof n}}};
    CHECK_OK(ops->launch(check_device, 0, kernel, &launch));
    CHECK_OK(ops->download(check_device, 0, out, y, sizeof y));
    for (uint32_t i = 0; i < N; i++) {
        float wanted = __builtin_sqrtf(x[i]) / x[i + 1];
        assert_memory_equal(&y[i], &wanted, sizeof wanted);
    }
    ops->buffer_destroy(check_device, in);
    ops->buffer_destroy(check_device, out);
    ops->kernel_destroy(check_device, kernel);
}

static void test_broken_kernels(void **state)
{
    (void)state;
    check_broken_kernels(kernel_without_local);
}

static void test_bad_launches(void **state)
{
    (void)state;
    if (!has_strict()) {
        skip();
    }
    check_bad_launches(kernel_without_local);
}

static void test_absent_library(void **state)
{
    (void)state;
    uint32_t n = 99;
    device *none = NULL;
    device_options options = {0};
    setenv("CORPUSCLE_OPENCL", "/nonexistent/libOpenCL.so.1", 1);
    CHECK_OK(device_ops_opencl.count(check_context, &n));
    assert_int_equal(n, 0);
    assert_non_null(strstr(crp_context_error(check_context), "no OpenCL (/nonexistent/libOpenCL.so.1"));
    assert_int_equal(device_ops_opencl.open(check_context, 0, &options, &none), CRP_ERR_DEVICE);
    assert_null(none);
    setenv("CORPUSCLE_OPENCL", "libc.so.6", 1);
    CHECK_OK(device_ops_opencl.count(check_context, &n));
    assert_int_equal(n, 0);
    assert_non_null(strstr(crp_context_error(check_context), "has no clGetPlatformIDs"));
    unsetenv("CORPUSCLE_OPENCL");
    CHECK_OK(device_ops_opencl.count(check_context, &n));
    assert_int_equal(device_ops_opencl.open(check_context, n, &options, &none), CRP_ERR_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),    cmocka_unit_test(test_sums_strict),     cmocka_unit_test(test_strict_division_and_root),
        cmocka_unit_test(check_buffers), cmocka_unit_test(check_too_much_memory), cmocka_unit_test(test_broken_kernels),
        cmocka_unit_test(test_bad_launches), cmocka_unit_test(test_absent_library)};
    device_options options = {0};
    if (crp_context_create(&check_context) != CRP_OK) {
        return 1;
    }
    if (device_ops_opencl.open(check_context, 0, &options, &check_device) != CRP_OK) {
        fprintf(stderr, "SKIPPED: the OpenCL device was not tested: %s\n", crp_context_error(check_context));
        crp_context_destroy(&check_context);
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    check_device->ops->close(check_device);
    crp_context_destroy(&check_context);
    return failed;
}
