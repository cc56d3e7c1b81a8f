/* The method exact as a GPU does it, on OpenCL and CUDA: the roads that a step can take there, by the number of its
 * candidates and by what their partners undergo, lead to the digest of the CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "device/device.h"

static void digest_on(const char *device, const char *set, const char *yaml, uint64_t copies, char digest[65])
{
    chem_case c = {.set = set,
                   .yaml = yaml,
                   .chem = "",
                   .copies = copies,
                   .seed = 8,
                   .threads = 1,
                   .batches = 1,
                   .device = device};
    crp_result *result = chem_case_run(&c);
    chem_case_balances(result);
    assert_true(chem_case_events(result, 20, 1) > 0.0);
    memcpy(digest, crp_result_digest(result), 65);
    crp_result_destroy(&result);
}

/* Skips the test, loudly, where there is neither. */
static void needs_a_device(void)
{
    if (!chem_case_has(&device_ops_opencl) && !chem_case_has(&device_ops_cuda)) {
        print_message("SKIPPED, NOT CHECKED: no OpenCL device, no CUDA device\n");
        skip();
    }
}

static void one_digest(const char *set, const char *yaml, uint64_t copies)
{
    static const struct {
        const device_ops *ops;
        const char *name;
    } devices[] = {{&device_ops_opencl, "opencl:0"}, {&device_ops_cuda, "cuda:0"}};
    char cpu[65], device[65];
    digest_on("cpu", set, yaml, copies, cpu);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i) {
        if (chem_case_has(devices[i].ops)) {
            digest_on(devices[i].name, set, yaml, copies, device);
            assert_string_equal(cpu, device);
        }
    }
}

/* Spurs of 3 `count` molecules within 1 nm: the candidates of the first steps go with the square of their number. */
static void one_digest_of_crowd(const char *set, unsigned count, uint64_t copies)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "time: {start: 1 ps, end: 100 ps}\nsource: {kind: spur, radius: 1 nm, energy: 1 keV, molecules: "
             "[{species: e_aq, count: "
             "%u}, {species: OH, count: %u}, {species: H3O+, count: %u}]}\n",
             count, count, count);
    one_digest(set, yaml, copies);
}

/* Below 1024 candidates what they leave stands in no order in the next step, below 2048 one block resolves, beyond all
 * do. */
static void any_number_of_candidates(void **state)
{
    (void)state;
    static const unsigned counts[] = {5, 40, 80, 150};
    needs_a_device();
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        one_digest_of_crowd(NULL, counts[i], 2);
    }
}

/* Where contact or charges move partners that do not react, those that have reacted are moved in another way. */
static void partners_that_are_moved(void **state)
{
    (void)state;
    needs_a_device();
    one_digest_of_crowd("geant4", 5, 3);
    one_digest_of_crowd("geant4", 40, 2);
    one_digest_of_crowd("topas", 10, 3);
}

/* First order, and molecules that are born between the steps. */
static void scavengers_and_pulses(void **state)
{
    (void)state;
    needs_a_device();
    one_digest("topas",
               "time: {start: 1 ps, end: 10 ns}\nscavengers: [{species: O2, concentration: 2.5e-3}]\n"
               "source: {kind: spur, tracks: 20, radius: 1.5 nm, energy: 70 eV, molecules: [{species: e_aq, count: 3}, "
               "{species: H3O+, "
               "count: 3}, {species: OH, count: 4}, {species: H, count: 1}]}\n",
               20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_candidates),
                                       cmocka_unit_test(partners_that_are_moved),
                                       cmocka_unit_test(scavengers_and_pulses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
