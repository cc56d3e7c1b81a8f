/* Runs of tracks that outgrow a device, and what is said about it. */
#ifndef TESTS_DEVICE_OUTGROWN_FIXTURE_H
#define TESTS_DEVICE_OUTGROWN_FIXTURE_H

#include "chem_fixture.h"
#include "device/fake_cuda.h"

/* Two tracks, each with 306 kB of working memory. */
static const chem_case one_track = {.set = NULL, .chem = "", .copies = 2, .seed = 3, .threads = 1, .batches = 2,
                                    .yaml = "source: {kind: spur, tracks: 1, radius: 2 nm, energy: 5 keV, molecules: [{species: OH, count: 200}]}\n"
                                            "time: {end: 20ps}\n"};

/* The status of the run on a device, its digest, and in `error` what it says. */
static crp_status outgrown_run(const chem_case *c, const char *device, char digest[65], char *error, size_t n_error)
{
    crp_context *context = chem_case_context();
    crp_input *input = NULL;
    crp_result *result = NULL;
    fixture_warnings[0] = '\0';
    crp_context_set_log(context, fixture_keep_warnings, NULL);
    if (chem_case_load(context, c, &input) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    crp_run_options options = chem_case_options(c);
    options.device = device;
    crp_status status = crp_run_execute(context, crp_input_model(input, 0), &options, &result);
    snprintf(error, n_error, "%s", status == CRP_OK ? "" : crp_context_error(context));
    snprintf(digest, 65, "%s", status == CRP_OK ? crp_result_digest(result) : "");
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return status;
}

#endif
