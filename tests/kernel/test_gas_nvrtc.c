/* The gas kernel compiles for a GPU in every build that a run may ask for, with atomics on shared words, no contraction
 * in strict math, and nothing in local memory but the stack of the traversal. */
#include "nvrtc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *defines[8];
    unsigned block, per_unit;
} builds[] = {
    {{"GAS_ONE_STRUCTURE=1", "GAS_ALL_PLAIN=1", "GAS_TRANSMITTED_NEAR=4u", "GAS_WORDS_NEAR=1", "GAS_NODES_NEAR=1",
      NULL},
     256,
     3},
    {{"GAS_ONE_STRUCTURE=1", "GAS_TRANSMITTED_NEAR=4u", "GAS_WORDS_NEAR=1", "GAS_NODES_NEAR=1", NULL}, 1024, 1},
    {{"GAS_ONE_STRUCTURE=1", "GAS_ALL_PLAIN=1", NULL}, 256, 4},
    {{"GAS_MARKS_ON=1", "GAS_FORCES_ON=1", NULL}, 256, 3},
};
enum { N_BUILDS = sizeof builds / sizeof *builds };

static char *compile(size_t i, crp_math math)
{
    device_kernel_source source = {.file = "entry/gas_gpu.h",
                                   .entry = "gas_transport",
                                   .math = math,
                                   .defines = builds[i].defines,
                                   .block = builds[i].block,
                                   .blocks_per_unit = builds[i].per_unit};
    while (source.defines[source.n_defines] != NULL) {
        source.n_defines++;
    }
    void *image = NULL;
    size_t n = 0;
    if (cuda_compile(fixture_context, &source, 90, true, &image, &n) != CRP_OK) {
        fail_msg("build %zu: %s", i, crp_context_error(fixture_context));
    }
    return image;
}

static void every_build_compiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_BUILDS; i++) {
        for (int fast = 0; fast < 2; fast++) {
            char *ptx = compile(i, fast ? CRP_MATH_FAST : CRP_MATH_STRICT);
            assert_non_null(strstr(ptx, ".entry gas_transport("));
            free(ptx);
        }
    }
}

/* The nodes of a small model are read from shared memory, four words at a time, and words of facets are added to there.
 */
static void near_means_shared(void **state)
{
    (void)state;
    char *ptx = compile(0, CRP_MATH_STRICT);
    assert_non_null(strstr(ptx, "ld.shared.v4.u32"));
    assert_non_null(strstr(ptx, "atom.shared.add.u32"));
    assert_non_null(strstr(ptx, "ld.global.nc.v2.f64")); /* planes: 16 bytes at a time */
    assert_null(strstr(ptx, "atom.add"));                /* no atomic on an address of unknown space */
    free(ptx);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        n++;
    }
    return n;
}

/* One stack of 49 words; a molecule in local memory would show as more. */
static void only_the_stack_is_in_local_memory(void **state)
{
    (void)state;
    char *ptx = compile(0, CRP_MATH_STRICT);
    assert_int_equal(count(ptx, ".local "), 1);
    assert_non_null(strstr(ptx, "[196]"));
    free(ptx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_build_compiles), cmocka_unit_test(near_means_shared),
                                       cmocka_unit_test(only_the_stack_is_in_local_memory)};
    return NVRTC_RUN(tests, "the gas kernel was");
}
