/* The same molecules on an OpenCL device (PoCL where there is no other) as on the CPU: the same bits. Ends with 77
 * where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cross/gas_models.h"

static void the_same_bits(void **state)
{
    (void)state;
    gas_check_device("opencl:0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_bits)};
    uint32_t n = 0;
    if (fixture_open(NULL) != 0 || device_ops_opencl.count(fixture_context, &n) != CRP_OK || n == 0) {
        fprintf(stderr, "SKIPPED: no molecule was traced: %s\n", crp_context_error(fixture_context));
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, fixture_close);
}
