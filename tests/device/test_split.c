/*
 * A track that outgrows its GPU is split over several: the choice, the shares, one at a time, and what happens where it
 * cannot be or a part fails. The digits are always those of a CPU. The fake driver computes once all parts are there,
 * and ends the process where a GPU would wait for ever.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outgrown_fixture.h"

static const char *const settings[] = {
    "FAKE_CUDA_DEVICES", "FAKE_CUDA_FAULT",   "FAKE_CUDA_FULL", "FAKE_CUDA_P2P",       "FAKE_CUDA_P2P_ATOMICS",
    "FAKE_CUDA_SLOW",    "FAKE_CUDA_MANAGED", "FAKE_CUDA_PEER", "CORPUSCLE_CUDA_TWIN", "CORPUSCLE_CUDA_MEMORY"};

/* A run that ends well with the digits of the CPU. */
static void check_digits(const chem_case *c, const char *device)
{
    char expected[65], found[65], error[1024];
    assert_int_equal(outgrown_run(c, "cpu", expected, error, sizeof error), CRP_OK);
    if (outgrown_run(c, device, found, error, sizeof error) != CRP_OK) {
        fail_msg("%s: %s", device, error);
    }
    assert_string_equal(found, expected);
}

static void says_not(const char *part)
{
    if (strstr(fixture_warnings, part) != NULL) {
        fail_msg("\"%s\" is in: %s", part, fixture_warnings);
    }
}

static void test_two_devices(void **state)
{
    (void)state;
    check_digits(&one_track, "cuda:0,1");
    check_says(fixture_warnings, "a launch needs 0.000");
    check_says(fixture_warnings, "GB), which work on it together");
    check_says(fixture_warnings, "it is split over cuda:");
    says_not("host's memory");
    says_not("cannot be split");
}

/* Three lanes whose tracks all outgrow their device: the driver refuses a second split launch beside one at work. */
static void test_one_at_a_time(void **state)
{
    (void)state;
    chem_case many = one_track;
    many.copies = many.batches = 12;
    setenv("FAKE_CUDA_DEVICES", "3", 1);
    setenv("FAKE_CUDA_SLOW", "1", 1);
    check_digits(&many, "cuda:all");
    check_says(fixture_warnings, "it is split over cuda:");
    says_not("host's memory");
    says_not("cannot be split");
    says_not("is dropped");
}

static void test_fitting_tracks_are_not_split(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_FREE", "600000", 1);
    check_digits(&one_track, "cuda:0,1");
    assert_string_equal(fixture_warnings, "");
}

/* Two parts on one GPU, with less memory than it has: how a machine with one shows the same. */
static void test_twin(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_FREE", "900000", 1);
    setenv("CORPUSCLE_CUDA_MEMORY", "300000", 1);
    setenv("CORPUSCLE_CUDA_TWIN", "1", 1);
    check_digits(&one_track, "cuda:0");
    check_says(fixture_warnings, "it is split over cuda:0 (0.000");
    says_not("host's memory");
}

static void check_host(const chem_case *c, const char *reason)
{
    check_digits(c, "cuda:0,1");
    check_says(fixture_warnings, "works in part in the host's memory");
    check_says(fixture_warnings, reason);
    says_not("it is split over");
}

static void test_cannot_be_split(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_P2P", "0", 1);
    check_host(&one_track, "cannot be split over other devices: cuda:");
    check_says(fixture_warnings, "cannot reach the memory of cuda:");
    says_not("with atomics");
    unsetenv("FAKE_CUDA_P2P");
    setenv("FAKE_CUDA_P2P_ATOMICS", "0", 1);
    check_host(&one_track, " with atomics");
    unsetenv("FAKE_CUDA_P2P_ATOMICS");
    setenv("FAKE_CUDA_PEER", "217", 1);
    check_host(&one_track, "FAKE_ERROR_217: as asked for, while asking for the memory of cuda:");
    unsetenv("FAKE_CUDA_PEER");
    setenv("FAKE_CUDA_FULL", "1", 1); /* others have taken its memory */
    check_host(&one_track, "FAKE_ERROR_2: as asked for, while asking for");
    unsetenv("FAKE_CUDA_FULL");
    setenv("FAKE_CUDA_FREE", "160000", 1); /* less than the track needs, on both together */
    check_host(&one_track, "there is room for 0.000");
}

static void test_paper(void **state)
{
    (void)state;
    chem_case paper = one_track;
    paper.chem = "method: paper";
    check_digits(&paper, "cuda:0,1");
    check_says(fixture_warnings, "it is split over cuda:");
    says_not("host's memory");
}

/* A launch of irt is many histories, which do not help each other: the host's memory serves. */
static void test_irt_is_not_split(void **state)
{
    (void)state;
    chem_case irt = one_track;
    irt.chem = "method: irt";
    setenv("FAKE_CUDA_FREE", "30000", 1);
    check_digits(&irt, "cuda:0,1");
    check_says(fixture_warnings, "works in part in the host's memory");
    says_not("split");
}

/* One that helps fails, when it is launched or while it works: whose track it was goes on alone, the digits are the
 * same. */
static void test_a_part_fails(void **state)
{
    (void)state;
    static const char *const faults[] = {"1:1:2", "1:1:719", "1:2:719", "1:3:2"};
    chem_case many = one_track;
    many.copies = many.batches = 8;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        setenv("FAKE_CUDA_FAULT", faults[i], 1);
        check_digits(&many, "cuda:0,1");
        check_says(fixture_warnings, strstr(faults[i], ":719") != NULL ? "FAKE_ERROR_719" : "FAKE_ERROR_2");
        check_says(fixture_warnings, "is dropped, the others do again the ");
        check_says(fixture_warnings, "cannot be split over other devices");
        check_says(fixture_warnings, "works in part in the host's memory");
    }
}

static void test_all_parts_fail(void **state)
{
    char digest[65], error[1024];
    (void)state;
    setenv("FAKE_CUDA_FREE", "900000", 1);
    setenv("CORPUSCLE_CUDA_MEMORY", "300000", 1);
    setenv("CORPUSCLE_CUDA_TWIN", "1", 1);
    setenv("FAKE_CUDA_FAULT", "0:2:719", 1); /* both are on it */
    assert_int_equal(outgrown_run(&one_track, "cuda:0", digest, error, sizeof error), CRP_ERR_DEVICE);
    check_says(error, "FAKE_ERROR_719: as asked for, while working on its part of chem_exact");
}

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        unsetenv(settings[i]);
    }
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_COMPUTE", "1", 1);
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    setenv("FAKE_CUDA_FREE", "300000", 1); /* a track of one_track needs more, two devices have enough */
    return 0;
}

static bool has_compiler(void)
{
    crp_context *context = chem_case_context();
    device *gpu = NULL;
    set_up(NULL);
    bool has = device_open(context, "cuda:0", NULL, &gpu) == CRP_OK && strstr(gpu->info.detail, "no NVRTC") == NULL;
    device_close(&gpu);
    crp_context_destroy(&context);
    return has;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_two_devices, set_up),
        cmocka_unit_test_setup(test_one_at_a_time, set_up),
        cmocka_unit_test_setup(test_fitting_tracks_are_not_split, set_up),
        cmocka_unit_test_setup(test_twin, set_up),
        cmocka_unit_test_setup(test_cannot_be_split, set_up),
        cmocka_unit_test_setup(test_paper, set_up),
        cmocka_unit_test_setup(test_irt_is_not_split, set_up),
        cmocka_unit_test_setup(test_a_part_fails, set_up),
        cmocka_unit_test_setup(test_all_parts_fail, set_up),
    };
    char folder[] = "/tmp/corpuscle_test_XXXXXX", command[100];
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", folder, 1);
    int failed = 77;
    if (has_compiler()) {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    } else {
        fprintf(stderr, "SKIPPED: no NVRTC is here\n");
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
