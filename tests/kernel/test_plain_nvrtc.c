/* The plain kernel of examples/light/plain compiles for a GPU as it stands, in both maths, without spilling into memory. */
#include "device/cuda_compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plain_source.h"

static crp_context *context;

static void test_compiles(void **state)
{
    (void)state;
    char *text = plain_source();
    for (int fast = 0; fast < 2; ++fast) {
        device_kernel_source source = {.file = text, .entry = "plain_transport", .block = 256, .blocks_per_unit = 6,
                                       .math = fast ? CRP_MATH_FAST : CRP_MATH_STRICT};
        void *image = NULL;
        size_t n = 0;
        if (cuda_compile(context, &source, 90, true, &image, &n) != CRP_OK) {
            fail_msg("%s", crp_context_error(context));
        }
        assert_non_null(strstr(image, ".entry plain_transport("));
        assert_non_null(strstr(image, "red.global.add.u64"));
        assert_null(strstr(image, ".local "));
        free(image);
    }
    free(text);
}

/* README.md of the example promises it, and so does its purpose: what a beginner reads in one sitting. */
static void test_is_short(void **state)
{
    (void)state;
    char *text = plain_source();
    int n_lines = 0;
    for (const char *at = text; *at != '\0'; ++at) {
        n_lines += *at == '\n';
    }
    assert_in_range(n_lines, 50, 149);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_is_short), cmocka_unit_test(test_compiles)};
    nvrtc compiler;
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    int failed = 77;
    if (nvrtc_open(context, 0, &compiler) != CRP_OK) {
        fprintf(stderr, "SKIPPED: the plain kernel was not compiled for a GPU: %s\n", crp_context_error(context));
    } else {
        nvrtc_close(&compiler);
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    crp_context_destroy(&context);
    return failed;
}
