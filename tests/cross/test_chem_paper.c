/* paper: one source, the same bits on the CPU and as a persistent kernel through OpenCL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "device/device.h"

static crp_result *run_on(const char *device, const char *rules)
{
    static const char yaml[] = "time: {start: 1 ps, end: 20 ps, outputs_per_decade: 5}\n"
                               "source: {kind: spur, radius: 2 nm, tracks: 3, energy: 100 eV, molecules: [{species: e_aq, count: 30}, "
                               "{species: OH, count: 30}, {species: H3O+, count: 30}]}\n";
    chem_case run = {.yaml = yaml, .chem = rules, .copies = 2, .seed = 5, .threads = 2, .batches = 1, .device = device};
    return chem_case_run(&run);
}

static void same_bits_on_opencl(void **state)
{
    (void)state;
    static const char *const rules[] = {"method: paper", "method: paper, dynamic_step: false, step: 2 ps"};
    chem_case_needs_opencl();
    for (size_t i = 0; i < 2; i++) {
        crp_result *cpu = run_on("cpu", rules[i]), *opencl = run_on("opencl:0", rules[i]);
        chem_case_balances(opencl);
        assert_true(chem_case_events(cpu, 6, 1) > 0.0);
        assert_string_equal(crp_result_digest(cpu), crp_result_digest(opencl));
        crp_result_destroy(&cpu);
        crp_result_destroy(&opencl);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_on_opencl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
