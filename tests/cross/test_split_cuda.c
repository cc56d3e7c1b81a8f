/*
 * On a GPU: a launch that is split, into two parts on one device, and over two devices where they are. All threads meet
 * at barriers, see what the other part wrote, and add to the same words; a part that never comes does not keep the
 * other for ever. Exits 77 without a GPU.
 */
#include "context_fixture.h"
#include "device/device.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { BLOCK = 256, ROUNDS = 2000, MEGABYTE = 1 << 20 };

/* Each thread writes a word a round, far apart so that the words lie on all pieces of the scratch, and reads that of
 * the thread half the launch away. words: mistakes, additions. The first word of the scratch counts too, with atomics
 * that give it back. */
static const char *const meeting =
    "@#include \"port.h\"\n"
    "CK_KERNEL meet(ck_u64 n_words, ck_u32 rounds, ck_u32 stays_away, ck_u64 *words, ck_u32 *arrivals, ck_u32 "
    "*scratch) {\n"
    "    ck_u32 n = CK_GROUPS() * CK_LOCAL_SIZE(), i = CK_GLOBAL_INDEX(), other = (i + n / 2u) % n, mistakes = 0u, "
    "most = 0u;\n"
    "    ck_u64 apart = (n_words - 1u) / n;\n"
    "    if (stays_away != 0u && CK_GROUP_INDEX() >= CK_GROUPS() / 2u) { return; }\n"
    "    if (i == 0u) { scratch[0] = 0u; }\n"
    "    ck_grid_barrier(arrivals);\n"
    "    for (ck_u32 round = 0u; round < rounds; ++round) {\n"
    "        scratch[1u + i * apart] = 7u * i + round;\n"
    "        most = ck_atomic_add_u32(scratch, 1u);\n"
    "        ck_grid_barrier(arrivals);\n"
    "        mistakes += scratch[1u + other * apart] != 7u * other + round ? 1u : 0u;\n"
    "        mistakes += scratch[0] != n * (round + 1u) || most >= n * (round + 1u) ? 1u : 0u;\n"
    "        ck_grid_barrier(arrivals);\n"
    "    }\n"
    "    ck_atomic_add_u64(words, mistakes);\n"
    "    ck_atomic_add_u64(words + 1, 1u);\n"
    "}\n";

static crp_context *context;
static uint64_t totals[2];

static void check(crp_status status)
{
    if (status != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
}

/* Who takes part: the GPU alone, in two parts, with another. */
enum { ALONE = 1, TWIN, OTHER };

/* What the next GPU that is opened is believed to be; no warnings so far. */
static void believe(uint64_t n_bytes, bool is_twin)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, n_bytes);
    setenv("CORPUSCLE_CUDA_MEMORY", number, 1);
    setenv("CORPUSCLE_CUDA_TWIN", is_twin ? "1" : "0", 1);
    fixture_warnings[0] = '\0';
}

/* Open a GPU that is believed to have so many bytes, and launch; `is_closed`: close it while the launch is at work. */
static void meet(int who, uint64_t believed, size_t n_scratch, uint32_t stays_away, bool is_closed)
{
    static const char *const defines[] = {"BUILD=1"};
    const device_kernel_source source = {.file = meeting,
                                         .entry = "meet",
                                         .math = CRP_MATH_STRICT,
                                         .can_split = true,
                                         .defines = defines,
                                         .n_defines = 1,
                                         .block = BLOCK,
                                         .blocks_per_unit = 1};
    device *gpu = NULL, *other = NULL;
    device_kernel *kernel = NULL;
    device_buffer *words = NULL, *arrivals = NULL, *scratch = NULL;
    uint64_t n_words = n_scratch / 4;
    uint32_t rounds = ROUNDS;
    believe(believed, who == TWIN);
    check(device_open(context, "cuda:0", NULL, &gpu));
    uint32_t n_blocks = who == TWIN ? gpu->info.n_units / 2 * 2 : gpu->info.n_units;
    if (who == OTHER) {
        check(device_open(context, "cuda:1", NULL, &other));
        n_blocks += other->info.n_units;
        gpu->ops->meet(gpu, (device *const[]){gpu, other}, 2);
    }
    check(gpu->ops->kernel_create(gpu, &source, &kernel));
    check(gpu->ops->buffer_create(gpu, sizeof totals, &words));
    check(gpu->ops->buffer_create(gpu, 8, &arrivals));
    check(gpu->ops->scratch_create(gpu, n_scratch, &scratch));
    check(gpu->ops->zero(gpu, 0, words, sizeof totals));
    check(gpu->ops->zero(gpu, 0, arrivals, 8));
    device_launch launch = {.grid = gpu->info.n_units, .block = BLOCK, .n_args = 6, .is_cooperative = true};
    launch.args[0] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = &n_words, .n_bytes = sizeof n_words};
    launch.args[1] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = &rounds, .n_bytes = sizeof rounds};
    launch.args[2] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = &stays_away, .n_bytes = sizeof stays_away};
    launch.args[3] = (device_arg){.kind = DEVICE_ARG_SUM, .buffer = words};
    launch.args[4] = (device_arg){.kind = DEVICE_ARG_SHARED, .buffer = arrivals};
    launch.args[5] = (device_arg){.kind = DEVICE_ARG_SHARED, .buffer = scratch};
    check(gpu->ops->launch(gpu, 0, kernel, &launch));
    n_blocks = strstr(fixture_warnings, "cannot reach the memory") != NULL ? gpu->info.n_units : n_blocks;
    if (is_closed) {
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    } else {
        check(gpu->ops->download(gpu, 0, words, totals, sizeof totals));
        assert_int_equal(totals[0], 0);
        assert_int_equal(totals[1], (uint64_t)BLOCK * n_blocks);
        if (getenv("CRP_TEST_VERBOSE") != NULL) {
            printf("%s: %.3g us a barrier\n", fixture_warnings, gpu->ops->launch_seconds(gpu, 0) / (2 * ROUNDS + 1) * 1e6);
        }
    }
    if (!is_closed) {
        gpu->ops->buffer_destroy(gpu, scratch);
        gpu->ops->buffer_destroy(gpu, arrivals);
        gpu->ops->buffer_destroy(gpu, words);
        gpu->ops->kernel_destroy(gpu, kernel);
    }
    device_close(&gpu);
    device_close(&other);
}

static void parts_meet(void **state)
{
    (void)state;
    meet(ALONE, UINT64_C(1) << 40, 96 * MEGABYTE, 0, false);
    assert_string_equal(fixture_warnings, "");
    meet(TWIN, 64 * MEGABYTE, 96 * MEGABYTE, 0, false);
    assert_non_null(strstr(fixture_warnings, "which work on it together"));
}

/* What is left of a launch that is given up keeps no one, and the GPU works on. */
static void a_part_stays_away(void **state)
{
    (void)state;
    meet(TWIN, 64 * MEGABYTE, 96 * MEGABYTE, 1, true);
    assert_non_null(strstr(fixture_warnings, "which work on it together"));
    meet(TWIN, 64 * MEGABYTE, 96 * MEGABYTE, 0, false);
}

/* Over two GPUs, which run cooperative launches and reach each other's memory over what joins them. */
static void two_devices_meet(void **state)
{
    uint32_t n = 0;
    (void)state;
    if (device_ops_cuda.count(context, &n) != CRP_OK || n < 2) {
        fprintf(stderr, "SKIPPED: one GPU, no launch over two\n");
        skip();
    }
    meet(OTHER, 64 * MEGABYTE, 96 * MEGABYTE, 0, false);
    if (strstr(fixture_warnings, "cannot reach the memory") != NULL) {
        fprintf(stderr, "SKIPPED: %s\n", fixture_warnings);
        skip();
    }
    assert_non_null(strstr(fixture_warnings, "which work on it together"));
    meet(OTHER, 64 * MEGABYTE, 96 * MEGABYTE, 1, true);
    meet(OTHER, 64 * MEGABYTE, 96 * MEGABYTE, 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_meet), cmocka_unit_test(a_part_stays_away),
                                       cmocka_unit_test(two_devices_meet)};
    uint32_t n = 0;
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    int failed = 77;
    if (device_ops_cuda.count(context, &n) != CRP_OK || n == 0) {
        fprintf(stderr, "SKIPPED: no GPU on which a launch is split: %s\n", crp_context_error(context));
    } else {
        crp_context_set_log(context, fixture_keep_warnings, NULL);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    crp_context_destroy(&context);
    return failed;
}
