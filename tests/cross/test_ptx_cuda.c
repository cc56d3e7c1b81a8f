/* On a real GPU: without NVRTC the PTX of the build gives the digits of the CPU. */
#include "device/kernel_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

static const uint64_t HISTORIES = 20000;

static crp_result *run_on(const crp_input *input, const char *device)
{
    crp_run_options options = fixture_options(HISTORIES, 7);
    options.device = device;
    return fixture_execute(input, &options);
}

static void check_same(uint32_t n_layers, double g, bool fluence, unsigned nz)
{
    static fixture_layer layers[300];
    for (size_t i = 0; i < n_layers; i++) {
        layers[i] = (fixture_layer){i % 2 == 0 ? 1.37 : 1.5, 0.7, 40.0, g, 0.02};
    }
    fixture_stack s = {1.0, 1.33, n_layers, layers, 0.01, 0.01, nz, 60, 10, fluence, 0};
    crp_input *input = fixture_input(&s);
    crp_result *cpu = run_on(input, "cpu"), *gpu = run_on(input, "cuda:0");
    if (strcmp(crp_result_digest(cpu), crp_result_digest(gpu)) != 0) {
        fail_msg("%u layers, g = %g, fluence %d, nz = %u: %s on %s, %s on %s", n_layers, g, fluence, nz,
                 crp_result_digest(cpu), crp_result_device(cpu), crp_result_digest(gpu), crp_result_device(gpu));
    }
    crp_result_destroy(&cpu);
    crp_result_destroy(&gpu);
    crp_input_destroy(&input);
}

static void test_digits(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 5, 33, 257};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check_same(counts[i], 0.8, false, 20);
        check_same(counts[i], -0.3, false, 700);
        check_same(counts[i], 0.8, true, 700);
        check_same(counts[i], 0.0, true, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_digits, fixture_open, fixture_close)};
    crp_context *context = NULL;
    device *gpu = NULL;
    char reason[1024] = "the build holds no PTX";
    setenv("CORPUSCLE_NVRTC", "nonexistent", 1);
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    bool can_run = kernel_ptx_texts[0].entry != NULL;
    if (can_run && device_open(context, "cuda:0", NULL, &gpu) != CRP_OK) {
        snprintf(reason, sizeof reason, "%s", crp_context_error(context));
        can_run = false;
    }
    device_close(&gpu);
    crp_context_destroy(&context);
    if (!can_run) {
        fprintf(stderr, "SKIPPED: the PTX of the build was not run: %s\n", reason);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
