/* Compilation by NVRTC on a machine without a GPU: PTX and cubin, both maths, messages. */
#include "nvrtc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char small_kernel[] =
    "@extern \"C\" __global__ void __launch_bounds__(CK_BLOCK, CK_BLOCKS_PER_UNIT)\n"
    "small(const float *x, float *y)\n"
    "{\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float s = y[i] + FACTOR;\n"
    "    y[i] = (CK_STRICT ? 1.0f : 2.0f) + x[i] * s + x[i + 1] / s;\n"
    "}\n";
static const char *const defines[] = {"FACTOR=3"};

static char *compile(const char *file, crp_math math, bool want_ptx, crp_status wanted, size_t *n)
{
    device_kernel_source source = {.file = file,
                                   .entry = "small",
                                   .math = math,
                                   .defines = defines,
                                   .n_defines = 1,
                                   .block = 128,
                                   .blocks_per_unit = 2};
    void *image = NULL;
    crp_status status = cuda_compile(fixture_context, &source, 90, want_ptx, &image, n);
    if (status != wanted) {
        fail_msg("status %d: %s", status, crp_context_error(fixture_context));
    }
    return image;
}

static void test_strict_ptx_is_not_contracted(void **state)
{
    (void)state;
    size_t n = 0;
    char *ptx = compile(small_kernel, CRP_MATH_STRICT, true, CRP_OK, &n);
    assert_int_equal(n, strlen(ptx) + 1);
    assert_non_null(strstr(ptx, ".entry small("));
    assert_non_null(strstr(ptx, ".target sm_90"));
    assert_non_null(strstr(ptx, ".maxntid 128"));
    assert_non_null(strstr(ptx, ".minnctapersm 2"));
    assert_non_null(strstr(ptx, "div.rn.f32"));
    assert_null(strstr(ptx, "fma"));
    assert_null(strstr(ptx, "ftz"));
    free(ptx);
}

static void test_fast_ptx_is_contracted(void **state)
{
    (void)state;
    size_t n = 0;
    char *ptx = compile(small_kernel, CRP_MATH_FAST, true, CRP_OK, &n);
    assert_non_null(strstr(ptx, "fma.rn.ftz.f32"));
    assert_null(strstr(ptx, "div.rn.f32"));
    free(ptx);
}

static void test_cubin(void **state)
{
    (void)state;
    size_t n = 0;
    char *cubin = compile(small_kernel, CRP_MATH_STRICT, false, CRP_OK, &n);
    assert_true(n > 500);
    assert_memory_equal(cubin, "\177ELF", 4);
    free(cubin);
}

static void count_lines(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)line;
    *(int *)user += level == CRP_LOG_ERROR && strcmp(component, "nvrtc") == 0;
}

static void test_error_names_file_and_line(void **state)
{
    (void)state;
    size_t n = 0;
    int n_lines = 0;
    crp_context_set_log(fixture_context, count_lines, &n_lines);
    char *image = compile("@\n\nint broken = nothing;\n", CRP_MATH_STRICT, true, CRP_ERR_COMPILE, &n);
    crp_context_set_log(fixture_context, NULL, NULL);
    assert_null(image);
    assert_true(n_lines > 0);
    assert_non_null(strstr(crp_context_error(fixture_context), "inline(3)"));
    assert_non_null(strstr(crp_context_error(fixture_context), "small"));
}

static void test_too_old_for_architecture(void **state)
{
    (void)state;
    size_t n;
    void *image;
    device_kernel_source source = {.file = small_kernel, .entry = "small"};
    assert_int_equal(cuda_compile(fixture_context, &source, 990, false, &image, &n), CRP_ERR_COMPILE);
    assert_non_null(strstr(crp_context_error(fixture_context), "cannot compile for compute capability 99.0"));
}

static void test_absent_library(void **state)
{
    (void)state;
    size_t n;
    setenv("CORPUSCLE_NVRTC", "/nonexistent/libnvrtc.so", 1);
    compile(small_kernel, CRP_MATH_STRICT, true, CRP_ERR_COMPILE, &n);
    assert_non_null(strstr(crp_context_error(fixture_context), "CORPUSCLE_NVRTC"));
    assert_non_null(strstr(crp_context_error(fixture_context), "/nonexistent/libnvrtc.so"));
    setenv("CORPUSCLE_NVRTC", "libc.so.6", 1);
    compile(small_kernel, CRP_MATH_STRICT, true, CRP_ERR_COMPILE, &n);
    assert_non_null(strstr(crp_context_error(fixture_context), "it has no nvrtc"));
    unsetenv("CORPUSCLE_NVRTC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strict_ptx_is_not_contracted), cmocka_unit_test(test_fast_ptx_is_contracted),
        cmocka_unit_test(test_cubin),                        cmocka_unit_test(test_error_names_file_and_line),
        cmocka_unit_test(test_too_old_for_architecture),     cmocka_unit_test(test_absent_library)};
    return NVRTC_RUN(tests, "kernels were");
}
