/* On a GPU: the reciprocal and the square root that strict math builds from estimates are the IEEE ones, for all 2^23
 * mantissas at 81 exponents of both parities. Exits 77 without a GPU. */
#include "core/context.h"
#include "device/device.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Exponents -40 to 40; each thread takes mantissas a grid apart. words: misses of the reciprocal, of the root, tries. */
static const char *const source =
    "@#include \"arithmetic.h\"\n"
    "CK_KERNEL try_all(ck_u32 negative, ck_u64 *words) {\n"
    "    ck_u32 stride = gridDim.x * blockDim.x;\n"
    "    ck_u64 wrong_reciprocals = 0, wrong_roots = 0, tries = 0;\n"
    "    for (ck_u32 exponent = 87; exponent <= 167; ++exponent) {\n"
    "        for (ck_u32 mantissa = CK_GLOBAL_INDEX(); mantissa < (1u << 23); mantissa += stride) {\n"
    "            float x = CK_FLOAT((exponent << 23) | mantissa);\n"
    "            float y = negative ? -x : x;\n"
    "            wrong_reciprocals += CK_BITS(ck_reciprocal(y)) != CK_BITS(__frcp_rn(y)) ? 1u : 0u;\n"
    "            wrong_roots += CK_BITS(ck_sqrt_positive(x)) != CK_BITS(__fsqrt_rn(x)) ? 1u : 0u;\n"
    "            tries += 1u;\n"
    "        }\n"
    "    }\n"
    "    ck_atomic_add_u64(words, wrong_reciprocals);\n"
    "    ck_atomic_add_u64(words + 1, wrong_roots);\n"
    "    ck_atomic_add_u64(words + 2, tries);\n"
    "}\n";

static crp_context *context;
static device *gpu;

static void check(crp_status status)
{
    if (status != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
}

static void try_all(uint32_t negative)
{
    const device_kernel_source kernel_source = {.file = source, .entry = "try_all", .math = CRP_MATH_STRICT};
    device_kernel *kernel = NULL;
    device_buffer *buffer = NULL;
    uint64_t words[3] = {1, 1, 1};
    check(gpu->ops->kernel_create(gpu, &kernel_source, &kernel));
    check(gpu->ops->buffer_create(gpu, sizeof words, &buffer));
    check(gpu->ops->zero(gpu, 0, buffer, sizeof words));
    device_launch launch = {.grid = 1024, .block = 256, .n_args = 2};
    launch.args[0] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = &negative, .n_bytes = sizeof negative};
    launch.args[1] = (device_arg){.kind = DEVICE_ARG_SUM, .buffer = buffer};
    check(gpu->ops->launch(gpu, 0, kernel, &launch));
    check(gpu->ops->download(gpu, 0, buffer, words, sizeof words));
    assert_int_equal(words[2], UINT64_C(81) << 23);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    gpu->ops->buffer_destroy(gpu, buffer);
    gpu->ops->kernel_destroy(gpu, kernel);
}

static void test_positive(void **state)
{
    (void)state;
    try_all(0);
}

static void test_negative(void **state)
{
    (void)state;
    try_all(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_positive), cmocka_unit_test(test_negative)};
    check(crp_context_create(&context));
    if (device_open(context, "cuda:0", NULL, &gpu) != CRP_OK) {
        printf("SKIPPED: no GPU (%s)\n", crp_context_error(context));
        crp_context_destroy(&context);
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&gpu);
    crp_context_destroy(&context);
    return failed;
}
