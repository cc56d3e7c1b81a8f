/* The same photons on an OpenCL device (PoCL where there is no other) as on the CPU: the same bits. Ends with 77 where
 * there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CROSS_DEVICE "opencl:0"
#include "cross/light_device_tests.h"

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIGHT_DEVICE_TESTS,
    };
    if (!has_device(CROSS_DEVICE)) {
        return 77;
    }
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, prepare, finish);
}
