/** The program of a test on one device, LIGHT_DEVICE: the same bits as on the CPU. Ends with 77 where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cross/light_models.h"

static void test_models(void **state)
{
    (void)state;
    check_models(LIGHT_DEVICE);
}

static void test_resume(void **state)
{
    (void)state;
    check_resume(0, LIGHT_DEVICE);
    check_resume(3, LIGHT_DEVICE);
}

static void test_border(void **state)
{
    (void)state;
    check_border(LIGHT_DEVICE);
}

static void test_step_limit(void **state)
{
    (void)state;
    check_step_limit(LIGHT_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_step_limit),
    };
    if (!has_device(LIGHT_DEVICE)) {
        return 77;
    }
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, prepare, finish);
}
