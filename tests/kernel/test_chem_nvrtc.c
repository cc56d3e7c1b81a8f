/* The kernels of chem compile for a GPU, with atomics on global memory whose space is known, and no contraction in strict math. */
#include "device/cuda_compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static crp_context *context;

static const struct {
    const char *file, *entry;
} kernels[] = {{"entry/chem_gpu.h", "chem_exact"}, {"entry/chem_paper_gpu.h", "chem_paper"}};

static void every_kernel_compiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        device_kernel_source source = {.file = kernels[i].file, .entry = kernels[i].entry, .math = CRP_MATH_STRICT, .block = 512,
                                       .blocks_per_unit = 2};
        void *image = NULL;
        size_t n = 0;
        char entry[64];
        if (cuda_compile(context, &source, 90, true, &image, &n) != CRP_OK) {
            fail_msg("%s: %s", kernels[i].file, crp_context_error(context));
        }
        snprintf(entry, sizeof entry, ".entry %s(", kernels[i].entry);
        assert_non_null(strstr(image, entry));
        assert_null(strstr(image, "atom.add.u")); /* no atomic on an address of unknown space */
        assert_null(strstr(image, "atom.min.u"));
        free(image);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_compiles)};
    nvrtc compiler;
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    int failed = 77;
    if (nvrtc_open(context, 0, &compiler) != CRP_OK) {
        fprintf(stderr, "SKIPPED: the kernels of chem were not compiled for a GPU: %s\n", crp_context_error(context));
    } else {
        nvrtc_close(&compiler);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    crp_context_destroy(&context);
    return failed;
}
