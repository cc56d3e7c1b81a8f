/* The CUDA device on a real GPU: the common checks, the cache of kernels, large shared memory. */
#include "cross/device_checks.h"

#include "device/kernel_cache.h"

#include <dirent.h>
#include <unistd.h>

static const char kernel_file[] =
    "@struct check_params { unsigned n; unsigned pad[254]; unsigned last; };\n"
    "extern \"C\" __global__ void __launch_bounds__(CK_BLOCK, CK_BLOCKS_PER_UNIT)\n"
    "add(check_params p, const unsigned *in, unsigned long long *sum)\n"
    "{\n"
    "    extern __shared__ unsigned near_bins[];\n"
    "    unsigned t = threadIdx.x;\n"
    "    if (t < BINS) near_bins[t] = 0;\n"
    "    __syncthreads();\n"
    "    for (unsigned i = blockIdx.x * blockDim.x + t; i < p.n; i += gridDim.x * blockDim.x) {\n"
    "        atomicAdd(&sum[i % BINS], (unsigned long long)in[i] * FACTOR);\n"
    "        atomicAdd(&near_bins[i % BINS], p.last);\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (t < BINS) atomicAdd(&sum[t], (unsigned long long)near_bins[t]);\n"
    "}\n";

static const char faulty_kernel[] = "@extern \"C\" __global__ void add(unsigned *p) { p[1ull << 45] = 1; }\n";

static int n_compiled, n_cached, n_warnings;

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)component;
    n_compiled += strstr(line, "compiled by NVRTC") != NULL;
    n_cached += strstr(line, "from the cache") != NULL;
    n_warnings += level == CRP_LOG_WARNING;
}

/* Overwrite the middle of every file of the cache with zeroes; returns how many there were. */
static int damage_cache(void)
{
    int n = 0;
    DIR *folder = opendir(getenv("CORPUSCLE_CACHE"));
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (strstr(entry->d_name, ".cubin") != NULL) {
            char path[1024], zeroes[64] = {0};
            snprintf(path, sizeof path, "%s/%s", getenv("CORPUSCLE_CACHE"), entry->d_name);
            FILE *file = fopen(path, "r+b");
            assert_non_null(file);
            fseek(file, 400, SEEK_SET);
            fwrite(zeroes, sizeof zeroes, 1, file);
            fclose(file);
            n++;
        }
    }
    closedir(folder);
    return n;
}

static void test_sums(void **state)
{
    (void)state;
    check_sums(kernel_file, CRP_MATH_STRICT, CHECK_BINS * sizeof(uint32_t));
    check_sums(kernel_file, CRP_MATH_FAST, CHECK_BINS * sizeof(uint32_t));
}

static void test_largest_shared_memory(void **state)
{
    (void)state;
    check_sums(kernel_file, CRP_MATH_STRICT, check_device->info.local_memory);
}

static void test_cache(void **state)
{
    (void)state;
    n_compiled = n_cached = n_warnings = 0;
    check_sums(kernel_file, CRP_MATH_STRICT, 64);
    assert_int_equal(n_compiled, 0); /* an earlier test compiled it */
    assert_int_equal(n_cached, 1);
    assert_true(damage_cache() > 0);
    check_sums(kernel_file, CRP_MATH_STRICT, 64);
    assert_int_equal(n_compiled, 1);
    assert_int_equal(n_warnings, 1);
    check_sums(kernel_file, CRP_MATH_STRICT, 64);
    assert_int_equal(n_cached, 2);
}

static void test_broken_kernels(void **state)
{
    (void)state;
    check_broken_kernels(kernel_file);
}

static void test_bad_launches(void **state)
{
    (void)state;
    check_bad_launches(kernel_file);
}

static void test_info(void **state)
{
    (void)state;
    device_info info;
    CHECK_OK(check_device->ops->info(check_device, &info));
    assert_true(info.memory_free > 0 && info.memory_free <= info.memory_total);
    assert_true(info.n_units > 0 && info.max_block >= 512);
    assert_true(info.local_memory >= 48 * 1024 && info.local_memory_unit >= info.local_memory);
    assert_string_equal(info.label, "cuda:0");
    assert_non_null(strstr(info.detail, "NVRTC"));
}

/* Last, because a fault leaves the context unusable: the message names error and kernel. */
static void test_fault_in_a_kernel(void **state)
{
    (void)state;
    device_kernel *kernel = NULL;
    device_buffer *buffer;
    device_kernel_source source = {.file = faulty_kernel, .entry = "add"};
    CHECK_OK(check_device->ops->kernel_create(check_device, &source, &kernel));
    CHECK_OK(check_device->ops->buffer_create(check_device, 4, &buffer));
    device_launch launch = {
        .grid = 1, .block = 1, .n_args = 1, .args = {{.kind = DEVICE_ARG_SHARED, .buffer = buffer}}};
    CHECK_OK(check_device->ops->launch(check_device, 0, kernel, &launch));
    assert_int_equal(check_device->ops->wait(check_device, 0), CRP_ERR_DEVICE);
    assert_non_null(strstr(crp_context_error(check_context), "CUDA_ERROR_ILLEGAL_ADDRESS"));
    assert_non_null(strstr(crp_context_error(check_context), "waiting for add"));
    check_device->ops->buffer_destroy(check_device, buffer);
    check_device->ops->kernel_destroy(check_device, kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_info),           cmocka_unit_test(test_sums),
        cmocka_unit_test(test_cache),          cmocka_unit_test(test_largest_shared_memory),
        cmocka_unit_test(check_buffers),        cmocka_unit_test(check_too_much_memory),
        cmocka_unit_test(test_broken_kernels), cmocka_unit_test(test_bad_launches),
        cmocka_unit_test(test_fault_in_a_kernel)};
    device_options options = {0};
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    if (crp_context_create(&check_context) != CRP_OK || mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    int failed = 77;
    if (device_ops_cuda.open(check_context, 0, &options, &check_device) != CRP_OK) {
        fprintf(stderr, "SKIPPED: the CUDA device was not tested: %s\n", crp_context_error(check_context));
    } else {
        crp_context_set_log(check_context, take_log, NULL);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
        check_device->ops->close(check_device);
    }
    crp_context_destroy(&check_context);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
