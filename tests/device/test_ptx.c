/* The PTX of the build: any model finds one with its integers, ptxas takes it, and it serves where NVRTC does not. */
#include "device/kernel_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

static const uint32_t layer_counts[] = {1, 32, 33, 256, 257};

static int n_from_build, n_warnings;

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)component;
    n_from_build += strstr(line, "the PTX of the build is used") != NULL;
    n_warnings += level == CRP_LOG_WARNING;
}

static int set_up(void **state)
{
    n_from_build = n_warnings = 0;
    return fixture_open(state);
}

static int tear_down(void **state)
{
    static const char *const names[] = {"CORPUSCLE_NVRTC", "FAKE_CUDA_PTX", "FAKE_CUDA_REFUSALS", "FAKE_CUDA_FREE"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    return fixture_close(state);
}

static void need_ptx(void)
{
    if (kernel_ptx_texts[0].entry == NULL) {
        fprintf(stderr, "SKIPPED: this build holds no PTX (there was no nvcc)\n");
        skip();
    }
}

/* ------------------------------------------------------------------------------------------------------ lookup */

static void test_lookup(void **state)
{
    (void)state;
    static const char *const two[] = {"A=1", "B=2"};
    static const kernel_ptx table[] = {{"one", CRP_MATH_STRICT, 256, "A=1 B=2", "1"},
                                       {"one", CRP_MATH_FAST, 256, "A=1 B=2", "2"},
                                       {"one", CRP_MATH_STRICT, 256, "", "3"},
                                       {"one", CRP_MATH_STRICT, 512, "A=1", "4"},
                                       {NULL, CRP_MATH_STRICT, 0, NULL, NULL}};
    device_kernel_source source = {.entry = "one", .defines = two, .n_defines = 2, .block = 256};
    assert_ptr_equal(kernel_ptx_find(table, &source), &table[0]);
    source.math = CRP_MATH_FAST;
    assert_ptr_equal(kernel_ptx_find(table, &source), &table[1]);
    source.math = CRP_MATH_STRICT;
    source.n_defines = 0;
    assert_ptr_equal(kernel_ptx_find(table, &source), &table[2]);
    source.n_defines = 1;
    assert_ptr_equal(kernel_ptx_find(table, &source), &table[3]);
    source.block = 513; /* more threads than it was built for */
    assert_null(kernel_ptx_find(table, &source));
    source.n_defines = 2;
    source.ahead = "A=1";
    source.block = 512;
    assert_ptr_equal(kernel_ptx_find(table, &source), &table[3]);
    source.ahead = "A=1 ";
    assert_null(kernel_ptx_find(table, &source));
    source.ahead = NULL;
    source.entry = "another";
    assert_null(kernel_ptx_find(table, &source));
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(kernel_ptx_version("// of .version 1.2\n\n.version 9.0\n.target sm_75\n"), 90);
    assert_int_equal(kernel_ptx_version("// no version\n"), 0);
    for (const kernel_ptx *ptx = kernel_ptx_texts; ptx->entry != NULL; ptx++) {
        assert_in_range(kernel_ptx_version(ptx->text), 60, 999);
    }
}

/* ------------------------------------------------------------------------------------------------------- models */

typedef struct light_case {
    bool any_g, fluence, in_grid;
    uint32_t n_layers;
} light_case;

static crp_input *input_of(light_case c)
{
    static fixture_layer layers[257];
    for (size_t i = 0; i < c.n_layers; i++) {
        layers[i] = (fixture_layer){1.37, 1.0, 50.0, c.any_g ? -0.2 : 0.8, 0.01};
    }
    fixture_stack s = {1.0, 1.0, c.n_layers, layers, 0.01, 0.01, c.in_grid ? 300 : 1, 20, 5, c.fluence, 0};
    return fixture_input(&s);
}

static bool has_define(const device_kernel_source *source, const char *name)
{
    for (size_t i = 0; i < source->n_defines; i++) {
        if (strstr(source->defines[i], name) == source->defines[i]) {
            return true;
        }
    }
    return false;
}

/* What changes the integers, or where the kernel looks for its numbers, is the same in both builds. */
static void check_build(const device_kernel_source *source, const kernel_ptx *ptx)
{
    static const char *const kept[] = {"LIGHT_FLUENCE_ON=1", "LIGHT_ANY_G=1", "LIGHT_CROSSED_GLOBAL=1"};
    static const char *const dropped[] = {"CK_TALLY_ALL_NEAR=1", "LIGHT_TISSUE_IN_GRID=1", "LIGHT_LAYERS_GLOBAL=1"};
    size_t n_known = 0;
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        assert_int_equal(has_define(source, kept[i]), strstr(ptx->defines, kept[i]) != NULL);
        n_known += has_define(source, kept[i]);
    }
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        n_known += has_define(source, dropped[i]);
    }
    assert_int_equal(n_known, source->n_defines); /* a new define has to be thought about here too */
    assert_true(!has_define(source, "LIGHT_LAYERS_GLOBAL") || strstr(ptx->defines, "LIGHT_LAYERS_GLOBAL=1") != NULL);
    assert_int_equal(source->blocks_per_unit, 1);
}

static void check_case(light_case c, crp_math math)
{
    device_info info = {.kind = "cuda", .label = "cuda:0", .n_units = 10, .local_memory = 99 * 1024,
                        .local_memory_unit = 100 * 1024, .max_block = 1024};
    crp_input *input = input_of(c);
    crp_plan *plan = fixture_plan(input, 1);
    plan_shape shape;
    FIXTURE_OK(light_shape(fixture_context, crp_input_model(input, 0), plan, &info, math, &shape));
    const kernel_ptx *ptx = kernel_ptx_find(kernel_ptx_texts, &shape.source);
    if (ptx == NULL) {
        fail_msg("no build for %u layers, any g %d, fluence %d, math %d: \"%s\"", c.n_layers, c.any_g, c.fluence, math,
                 shape.source.ahead);
    }
    check_build(&shape.source, ptx);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

static void test_every_model_finds_a_build(void **state)
{
    (void)state;
    need_ptx();
    for (unsigned bits = 0; bits < 16; bits++) {
        for (size_t k = 0; k < sizeof layer_counts / sizeof layer_counts[0]; k++) {
            light_case c = {bits & 1, (bits & 2) != 0, (bits & 4) != 0, layer_counts[k]};
            check_case(c, bits & 8 ? CRP_MATH_FAST : CRP_MATH_STRICT);
        }
    }
}

/* -------------------------------------------------------------------------------------------------------- texts */

/* Without ".rn" the driver may contract a product and a sum. (The hardware's estimates of a reciprocal and of 1/root are
 * refined to the IEEE value in kernel/arithmetic.h.) */
static void test_strict_texts_leave_no_choice(void **state)
{
    (void)state;
    static const char *const free_forms[] = {"\tmul.f32", "\tadd.f32", "\tsub.f32", "div.full", ".rn.ftz"};
    size_t n_strict = 0;
    need_ptx();
    for (const kernel_ptx *ptx = kernel_ptx_texts; ptx->entry != NULL; ptx++) {
        for (size_t i = 0; ptx->math == CRP_MATH_STRICT && i < sizeof free_forms / sizeof free_forms[0]; i++) {
            if (strstr(ptx->text, free_forms[i]) != NULL) {
                fail_msg("\"%s\" in the strict build \"%s\"", free_forms[i], ptx->defines);
            }
        }
        assert_non_null(strstr(ptx->text, ".entry light_transport("));
        assert_non_null(strstr(ptx->text, ".maxntid 1024"));
        n_strict += ptx->math == CRP_MATH_STRICT;
    }
    assert_true(n_strict > 0);
}

static void assemble(const char *path, const char *architecture)
{
    char command[1024];
    snprintf(command, sizeof command, "%s -arch=%s -o /dev/null %s", CRP_PTXAS, architecture, path);
    if (system(command) != 0) {
        fail_msg("%s", command);
    }
}

static void test_ptxas_takes_all(void **state)
{
    (void)state;
    need_ptx();
    if (access(CRP_PTXAS, X_OK) != 0) {
        fprintf(stderr, "SKIPPED: no ptxas here\n");
        skip();
    }
    char path[512];
    fixture_path(path, sizeof path, ".ptx");
    for (const kernel_ptx *ptx = kernel_ptx_texts; ptx->entry != NULL; ptx++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(ptx->text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        assemble(path, "sm_90");
    }
    assemble(path, "sm_80");
    unlink(path);
}

/* ------------------------------------------------------------------------------------------------ a fake driver */

/* Open the light kernel on the fake GPU, as a run would. */
static crp_status open_kernel(const char *const *defines, size_t n_defines, const char *ahead)
{
    device *gpu = NULL;
    device_kernel *kernel = NULL;
    device_kernel_source source = {.file = "entry/light_gpu.h", .entry = "light_transport", .defines = defines,
                                   .n_defines = n_defines, .ahead = ahead, .block = 1024, .blocks_per_unit = 1};
    FIXTURE_OK(device_open(fixture_context, "cuda:0", NULL, &gpu));
    crp_status status = gpu->ops->kernel_create(gpu, &source, &kernel);
    gpu->ops->kernel_destroy(gpu, kernel);
    device_close(&gpu);
    return status;
}

static void check_message(const char *part)
{
    if (strstr(crp_context_error(fixture_context), part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, crp_context_error(fixture_context));
    }
}

static void test_build_serves_without_nvrtc(void **state)
{
    (void)state;
    static const char *const defines[] = {"CK_TALLY_ALL_NEAR=1"};
    need_ptx();
    crp_context_set_log(fixture_context, take_log, NULL);
    setenv("CORPUSCLE_NVRTC", "nonexistent", 1);
    FIXTURE_OK(open_kernel(defines, 1, ""));
    assert_int_equal(n_from_build, 1);
    assert_int_equal(n_warnings, 0);
    assert_string_equal(crp_context_error(fixture_context), "");
    assert_int_equal(open_kernel(defines, 1, NULL), CRP_ERR_COMPILE);
    check_message("CORPUSCLE_NVRTC: nonexistent");
    check_message("was built without PTX for kernel light_transport");
}

static void test_driver_older_than_the_build(void **state)
{
    (void)state;
    need_ptx();
    setenv("CORPUSCLE_NVRTC", "nonexistent", 1);
    setenv("FAKE_CUDA_PTX", "70", 1);
    assert_int_equal(open_kernel(NULL, 0, ""), CRP_ERR_COMPILE);
    check_message("cuda:0: the driver (CUDA 13.0) is too old for kernel light_transport as it was built into this program "
                  "(in PTX ");
    check_message("CORPUSCLE_NVRTC: nonexistent");
    check_message("update the driver");
    setenv("FAKE_CUDA_PTX", "999", 1);
    setenv("FAKE_CUDA_REFUSALS", "1", 1);
    assert_int_equal(open_kernel(NULL, 0, ""), CRP_ERR_COMPILE);
    check_message("refuses kernel light_transport as it was built into this program (FAKE_ERROR_200: as asked for)");
}

/* A compiler that fails is no reason to give up: the build comes next, with a warning that says why. */
static void test_build_serves_where_compiling_fails(void **state)
{
    (void)state;
    static const char *const defines[] = {"LIGHT_ROUNDS=nonsense"};
    device_info info;
    device *gpu = NULL;
    need_ptx();
    FIXTURE_OK(device_open(fixture_context, "cuda:0", NULL, &gpu));
    info = gpu->info;
    device_close(&gpu);
    if (strstr(info.detail, "no NVRTC") != NULL) {
        fprintf(stderr, "SKIPPED: no NVRTC here\n");
        skip();
    }
    crp_context_set_log(fixture_context, take_log, NULL);
    FIXTURE_OK(open_kernel(defines, 1, ""));
    assert_int_equal(n_from_build, 1);
    assert_true(n_warnings >= 1);
    assert_string_equal(crp_context_error(fixture_context), "");
}

static void test_devices_tell_their_ptx(void **state)
{
    (void)state;
    device *gpu = NULL;
    char wanted[64];
    need_ptx();
    int version = kernel_ptx_version(kernel_ptx_texts[0].text);
    snprintf(wanted, sizeof wanted, "kernels of the build in PTX %d.%d", version / 10, version % 10);
    FIXTURE_OK(device_open(fixture_context, "cuda:0", NULL, &gpu));
    assert_non_null(strstr(gpu->info.detail, wanted));
    device_close(&gpu);
}

#define PTX_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {PTX_TEST(test_lookup),
                                       PTX_TEST(test_version),
                                       PTX_TEST(test_every_model_finds_a_build),
                                       PTX_TEST(test_strict_texts_leave_no_choice),
                                       PTX_TEST(test_ptxas_takes_all),
                                       PTX_TEST(test_build_serves_without_nvrtc),
                                       PTX_TEST(test_driver_older_than_the_build),
                                       PTX_TEST(test_build_serves_where_compiling_fails),
                                       PTX_TEST(test_devices_tell_their_ptx)};
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
