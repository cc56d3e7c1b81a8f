/* The kernels of chem compile for a GPU, with atomics on global memory whose space is known, and no contraction in strict math. */
#include "nvrtc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        if (cuda_compile(fixture_context, &source, 90, true, &image, &n) != CRP_OK) {
            fail_msg("%s: %s", kernels[i].file, crp_context_error(fixture_context));
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
    return NVRTC_RUN(tests, "the kernels of chem were");
}
