/* The programs of gas for the ray tracer compile in every build that a run may ask for: as many rays traced as there
 * should be, no shared memory, no contraction in strict math; and the kernel that adds up the copies. */
#include "context_fixture.h"
#include "device/cuda_compile.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *defines[10];
    unsigned n_traces;
} builds[] = {
    {{"GAS_COPIES=16u", "GAS_RAY_FINDS=1", NULL}, 0},
    {{"GAS_COPIES=16u", "GAS_RAY_FACET=1", "GAS_RAY_CULLS=1", "GAS_RAY_OFFSET=1", "GAS_ONE_STRUCTURE=1",
      "GAS_ALL_PLAIN=1", "GAS_RAY_LOOKS=2u", NULL},
     1},
    {{"GAS_COPIES=1u", "GAS_RAY_PLANE=1", "GAS_MARKS_ON=1", "GAS_FORCES_ON=1", NULL}, 1},
    {{"GAS_COPIES=4u", "GAS_RAY_POLYGONS=1", "GAS_BATCH=4u", "GAS_RAY_CULLS=1", NULL}, 1},
    {{"GAS_COPIES=4u", "GAS_RAY_DEPTH=1u", "GAS_BATCH=1u", NULL}, 1},
    {{"GAS_COPIES=4u", "GAS_RAY_DEPTH=16u", "GAS_MARKS_ON=1", "GAS_RAY_POLYGONS=1", "GAS_RAY_FACET=1",
      "GAS_RAY_OFFSET=1", "GAS_RAY_LOOKS=2u", NULL},
     3},
};
enum { N_BUILDS = sizeof builds / sizeof *builds };

static char *compile(const char *file, const char *entry, size_t i, crp_math math)
{
    device_kernel_source source = {.file = file, .entry = entry, .math = math, .defines = builds[i].defines};
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

static unsigned count(const char *text, const char *word)
{
    unsigned n = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        n++;
    }
    return n;
}

static void every_build_compiles(void **state)
{
    static const char *const programs[] = {"__raygen__gas_transport(", "__miss__gas_nothing(",
                                           "__closesthit__gas_wall(", "__closesthit__gas_sink(",
                                           "__closesthit__gas_other("};
    (void)state;
    for (size_t i = 0; i < N_BUILDS; i++) {
        for (int fast = 0; fast < (i == 1 ? 2 : 1); fast++) {
            char *ptx = compile("entry/gas_optix.h", "gas_transport", i, fast ? CRP_MATH_FAST : CRP_MATH_STRICT);
            for (size_t k = 0; k < sizeof programs / sizeof programs[0]; k++) {
                assert_non_null(strstr(ptx, programs[k]));
            }
            assert_int_equal(count(ptx, "_optix_trace_typed_32"), builds[i].n_traces);
            assert_non_null(strstr(ptx, ".const .align 8 .b8 optix_arguments[368]"));
            assert_null(strstr(ptx, ".shared"));
            assert_true((strstr(ptx, "__intersection__gas_polygon(") != NULL) ==
                        (strcmp(builds[i].defines[1], "GAS_RAY_POLYGONS=1") == 0 || i == 5));
            free(ptx);
        }
    }
}

static void copies_are_added_up(void **state)
{
    (void)state;
    char *ptx = compile("entry/gas_fold.h", "gas_fold", 0, CRP_MATH_STRICT);
    assert_non_null(strstr(ptx, ".entry gas_fold("));
    free(ptx);
}

static int open_here(void **state)
{
    nvrtc compiler;
    int status = fixture_open(state);
    if (status == 0 && nvrtc_open(fixture_context, 0, &compiler) != CRP_OK) {
        print_message("SKIPPED: %s\n", crp_context_error(fixture_context));
        exit(77);
    }
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_compiles),
        cmocka_unit_test(copies_are_added_up),
    };
    return cmocka_run_group_tests(tests, open_here, fixture_close);
}
