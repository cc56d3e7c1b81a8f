/*
 * Working memory that outgrows a device: the run goes on in the host's memory and says so, with the digits of a CPU. The fake
 * driver computes what a GPU would.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"

static const chem_case one_track = {.set = NULL, .chem = "", .copies = 2, .seed = 3, .threads = 1, .batches = 2,
                                    .yaml = "source: {kind: spur, tracks: 1, radius: 2 nm, energy: 5 keV, molecules: [{species: OH, count: 200}]}\n"
                                            "time: {end: 20ps}\n"};

static char warnings[4096];

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)component;
    if (level == CRP_LOG_WARNING) {
        size_t n = strlen(warnings);
        snprintf(warnings + n, sizeof warnings - n, "%s\n", line);
    }
}

/* The status of the run on a device, its digest, and in `error` what it says. */
static crp_status run(const char *device, char digest[65], char *error, size_t n_error)
{
    crp_context *context = chem_case_context();
    crp_input *input = NULL;
    crp_result *result = NULL;
    warnings[0] = '\0';
    crp_context_set_log(context, take_log, NULL);
    if (chem_case_load(context, &one_track, &input) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    crp_run_options options = crp_run_options_default();
    options.histories = one_track.copies;
    options.seed = one_track.seed;
    options.threads = one_track.threads;
    options.batches = one_track.batches;
    options.device = device;
    crp_status status = crp_run_execute(context, crp_input_model(input, 0), &options, &result);
    snprintf(error, n_error, "%s", status == CRP_OK ? "" : crp_context_error(context));
    snprintf(digest, 65, "%s", status == CRP_OK ? crp_result_digest(result) : "");
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return status;
}

static void check_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, text);
    }
}

static void test_host_memory_helps(void **state)
{
    char expected[65], found[65], error[1024];
    (void)state;
    assert_int_equal(run("cpu", expected, error, sizeof error), CRP_OK);
    assert_int_equal(run("cuda:0", found, error, sizeof error), CRP_OK);
    assert_string_equal(found, expected);
    assert_string_equal(warnings, "");
    setenv("FAKE_CUDA_FREE", "200000", 1); /* enough for tables and words, not for the track */
    assert_int_equal(run("cuda:0", found, error, sizeof error), CRP_OK);
    assert_string_equal(found, expected);
    check_says(warnings, "works in part in the host's memory");
}

static void test_no_memory_anywhere(void **state)
{
    char digest[65], error[1024];
    (void)state;
    setenv("FAKE_CUDA_FREE", "200000", 1);
    setenv("FAKE_CUDA_MANAGED", "2", 1);
    assert_int_equal(run("cuda:0", digest, error, sizeof error), CRP_ERR_MEMORY);
    check_says(error, "not enough memory (");
    assert_string_equal(warnings, "");
}

static int set_up(void **state)
{
    (void)state;
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_COMPUTE", "1", 1);
    setenv("FAKE_CUDA_FREE", "100000000", 1);
    unsetenv("FAKE_CUDA_MANAGED");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_host_memory_helps, set_up),
        cmocka_unit_test_setup(test_no_memory_anywhere, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
