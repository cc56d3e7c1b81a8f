/* Runs of tracks that outgrow a device, and what is said about it. */
#ifndef TESTS_DEVICE_OUTGROWN_FIXTURE_H
#define TESTS_DEVICE_OUTGROWN_FIXTURE_H

#include "chem_fixture.h"

/* Two tracks, each with 306 kB of working memory. */
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
static crp_status outgrown_run(const chem_case *c, const char *device, char digest[65], char *error, size_t n_error)
{
    crp_context *context = chem_case_context();
    crp_input *input = NULL;
    crp_result *result = NULL;
    warnings[0] = '\0';
    crp_context_set_log(context, take_log, NULL);
    if (chem_case_load(context, c, &input) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    crp_run_options options = crp_run_options_default();
    options.histories = c->copies;
    options.seed = c->seed;
    options.threads = c->threads;
    options.batches = c->batches;
    options.device = device;
    crp_status status = crp_run_execute(context, crp_input_model(input, 0), &options, &result);
    snprintf(error, n_error, "%s", status == CRP_OK ? "" : crp_context_error(context));
    snprintf(digest, 65, "%s", status == CRP_OK ? crp_result_digest(result) : "");
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return status;
}

static void outgrown_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, text);
    }
}

#endif
