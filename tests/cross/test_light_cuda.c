/* The same photons on an NVIDIA GPU as on the CPU: the same bits. Ends with 77 where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#define CROSS_DEVICE "cuda:0"
#include "cross/light_device_tests.h"

/* ---------------------------------------------------------------------------------------------------------- fast math
 */

static crp_result *run_fast(size_t i, uint64_t histories, uint32_t batches, const char *restart, const char *output)
{
    crp_run_options options = options_of(&models[i], CROSS_DEVICE, 0);
    options.math = CRP_MATH_FAST;
    options.histories = histories;
    options.batches = batches;
    options.restart = restart;
    options.output = output;
    return fixture_execute(inputs[i], &options);
}

/* One digest on this device: twice, in other batches, and extended from a statepoint. */
static void test_fast_is_reproducible(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MODELS; ++i) {
        char path[512];
        fixture_path(path, sizeof path, ".h5");
        const uint64_t n = models[i].histories;
        crp_result *whole = run_fast(i, n, 32, NULL, NULL), *again = run_fast(i, n, 5, NULL, NULL);
        crp_result *part = run_fast(i, n / 2 + 1, 32, NULL, path), *extended = run_fast(i, n, 32, path, NULL);
        expect_same_sums(models[i].name, whole, again);
        expect_same_sums(models[i].name, whole, extended);
        fixture_conserves(whole);
        crp_result_destroy(&whole);
        crp_result_destroy(&again);
        crp_result_destroy(&part);
        crp_result_destroy(&extended);
        unlink(path);
    }
}

/* Both maths against the exact solution of the 5-layer skin (tests/stat/test_stacks.c) with 2e8 photons: 1e-4 of Rd. */
static void test_exact_values(void **state)
{
    (void)state;
    static const struct {
        const char *tally;
        size_t bin;
        double value;
    } exact[] = {{"Rd", 0, 0.2408819},
                 {"Tt", 0, 0.0214911},
                 {"A", 0, 0.6976270},
                 {"absorbed_fraction", 0, 0.1379924},
                 {"absorbed_fraction", 1, 0.1482844},
                 {"absorbed_fraction", 2, 0.1404330},
                 {"absorbed_fraction", 3, 0.2253175},
                 {"absorbed_fraction", 4, 0.0455996}};
    for (int math = 0; math < 2; ++math) {
        crp_run_options options = options_of(&models[0], CROSS_DEVICE, 0);
        options.math = math == 0 ? CRP_MATH_STRICT : CRP_MATH_FAST;
        options.histories = 200000000;
        options.seed = 77;
        crp_result *result = fixture_execute(inputs[0], &options);
        fixture_conserves(result);
        assert_true(fixture_get(result, "Rd", 0).error < 4.0e-5);
        for (size_t k = 0; k < sizeof exact / sizeof exact[0]; ++k) {
            fixture_value x = fixture_get(result, exact[k].tally, exact[k].bin);
            double z = (x.mean - exact[k].value) / sqrt(x.error * x.error + 0.25e-14);
            if (!(fabs(z) <= statistics_limit(16.0, 31.0))) {
                fail_msg("%s math: %s[%zu] = %.7f +- %.7f where %.7f is right (z = %.1f)",
                         math == 0 ? "strict" : "fast", exact[k].tally, exact[k].bin, x.mean, x.error, exact[k].value,
                         z);
            }
        }
        crp_result_destroy(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIGHT_DEVICE_TESTS,
        cmocka_unit_test(test_fast_is_reproducible),
        cmocka_unit_test(test_exact_values),
    };
    if (!has_device(CROSS_DEVICE)) {
        return 77;
    }
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, prepare, finish);
}
