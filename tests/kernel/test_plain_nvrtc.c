/* The plain kernel of examples/light/plain compiles for a GPU as it stands, in both maths, without spilling into memory. */
#include "nvrtc_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plain_source.h"

static void test_compiles(void **state)
{
    (void)state;
    char *text = plain_source();
    for (int fast = 0; fast < 2; ++fast) {
        device_kernel_source source = {.file = text, .entry = "plain_transport", .block = 256, .blocks_per_unit = 6,
                                       .math = fast ? CRP_MATH_FAST : CRP_MATH_STRICT};
        void *image = NULL;
        size_t n = 0;
        if (cuda_compile(fixture_context, &source, 90, true, &image, &n) != CRP_OK) {
            fail_msg("%s", crp_context_error(fixture_context));
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
    return NVRTC_RUN(tests, "the plain kernel was");
}
