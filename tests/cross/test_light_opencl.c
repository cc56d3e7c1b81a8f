/* The same photons on an OpenCL device (PoCL where there is no other) as on the CPU: the same bits. Ends with 77 where
 * there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cross/light_models.h"

static void test_models(void **state)
{
    (void)state;
    check_models("opencl:0");
}

static void test_resume(void **state)
{
    (void)state;
    check_resume(0, "opencl:0");
    check_resume(3, "opencl:0");
}

static void test_border(void **state)
{
    (void)state;
    check_border("opencl:0");
}

static void test_step_limit(void **state)
{
    (void)state;
    check_step_limit("opencl:0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_step_limit),
    };
    if (!has_device("opencl:0")) {
        return 77;
    }
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, prepare, finish);
}
