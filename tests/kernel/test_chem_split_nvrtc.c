/* Kernels of chem that may be split over several GPUs: built so, every atomic and every fence on global memory reaches
 * all of them, and nothing is read past the coherent caches but tables that no thread writes. Built as ever, none
 * reaches that far. */
#include "nvrtc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *file, *entry;
} kernels[] = {{"entry/chem_gpu.h", "chem_exact"}, {"entry/chem_paper_gpu.h", "chem_paper"}};

static char *compile(const char *file, const char *entry, bool is_split)
{
    static const char *const defines[] = {"CHEM_CORRECTS=1", "CK_SPLIT=1"};
    device_kernel_source source = {.file = file,
                                   .entry = entry,
                                   .math = CRP_MATH_STRICT,
                                   .block = 512,
                                   .blocks_per_unit = 1,
                                   .defines = defines,
                                   .n_defines = is_split ? 2 : 1};
    void *image = NULL;
    size_t n = 0;
    if (cuda_compile(fixture_context, &source, 90, true, &image, &n) != CRP_OK) {
        fail_msg("%s: %s", file, crp_context_error(fixture_context));
    }
    return image;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) {
        n++;
    }
    return n;
}

static void atomics_reach_all_devices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char *alone = compile(kernels[i].file, kernels[i].entry, false),
             *split = compile(kernels[i].file, kernels[i].entry, true);
        assert_int_equal(count(alone, ".sys"), 0);
        assert_int_equal(count(alone, "ck_split"), 0);
        assert_int_equal(count(split, ".gpu"), 0);
        assert_int_equal(count(split, "atom.global") + count(split, "red.global"), 0); /* those would mean one device */
        assert_true(count(alone, "atom.global") > 0 && count(alone, "red.global") > 0);
        assert_int_equal(count(split, "atom.relaxed.sys.global"), count(alone, "atom.global"));
        assert_int_equal(count(split, "red.relaxed.sys.global"), count(alone, "red.global"));
        assert_true(count(alone, "acq_rel.gpu") > 0 && count(alone, "ld.acquire.gpu") > 0);
        assert_int_equal(count(split, "acq_rel.sys"), count(alone, "acq_rel.gpu"));
        assert_int_equal(count(split, "ld.acquire.sys"), count(alone, "ld.acquire.gpu"));
        assert_int_equal(count(split, "ld.global.nc"), count(alone, "ld.global.nc"));
        assert_true(count(split, "%ctaid.x") > 0 &&
                    count(split, "%nctaid.x") == 0); /* the blocks of all, not of this device */
        free(alone);
        free(split);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(atomics_reach_all_devices)};
    return NVRTC_RUN(tests, "the kernels of chem were");
}
