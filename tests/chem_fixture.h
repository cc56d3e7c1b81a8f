/* Small chem models for tests: a set of species and reactions, a source, a run, and what came out. */
#ifndef TESTS_CHEM_FIXTURE_H
#define TESTS_CHEM_FIXTURE_H

#include "core/context.h"
#include "device/device.h"
#include "engine/result.h"
#include "model/chem/chem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct chem_case {
    const char *set;      /* text of species and reactions, or the name of a shipped set; NULL: the paper's */
    const char *yaml;     /* the rest: source, time ... without version, kind and chem.set */
    const char *chem;     /* inside of chem: {...} beyond the set, "" for none */
    uint64_t copies, seed;
    uint32_t threads, batches;
    const char *device;   /* NULL: cpu */
} chem_case;

__attribute__((unused)) static void chem_case_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    if (level >= CRP_LOG_ERROR) {
        fprintf(stderr, "%s: %s\n", component, line);
    }
}

static crp_context *chem_case_context(void)
{
    crp_context *context = NULL;
    assert_int_equal(crp_context_create(&context), CRP_OK);
    crp_context_set_log(context, chem_case_log, NULL);
    return context;
}

/* Is there a device of that kind? */
__attribute__((unused)) static bool chem_case_has(const device_ops *ops)
{
    crp_context *context = chem_case_context();
    uint32_t n = 0;
    crp_context_set_log(context, NULL, NULL);
    bool is_there = ops->count(context, &n) == CRP_OK && n > 0;
    crp_context_destroy(&context);
    return is_there;
}

/* Skips the test, loudly, where there is no OpenCL device. */
__attribute__((unused)) static void chem_case_needs_opencl(void)
{
    if (!chem_case_has(&device_ops_opencl)) {
        print_message("SKIPPED, NOT CHECKED: no OpenCL device\n");
        skip();
    }
}

__attribute__((unused)) static void chem_case_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The model of a case; its error text into `message` (may be NULL) where it is refused. */
static crp_status chem_case_load(crp_context *context, const chem_case *c, crp_input **input)
{
    char *text = NULL, set_path[256] = "paper";
    size_t n = 0;
    bool is_text = c->set != NULL && strchr(c->set, '\n') != NULL;
    if (c->set != NULL) {
        snprintf(set_path, sizeof set_path, "%.200s", is_text ? "" : c->set);
    }
    if (is_text) {
        snprintf(set_path, sizeof set_path, "%s/chem_case_%ld.set", CRP_BINARY_DIR, (long)getpid());
        chem_case_write(set_path, c->set);
    }
    FILE *file = open_memstream(&text, &n);
    fprintf(file, "version: 1\nkind: chem\nname: case\nchem: {set: \"%s\"%s%s}\n%s", set_path, c->chem[0] != '\0' ? ", " : "",
            c->chem, c->yaml);
    fclose(file);
    *input = NULL;
    crp_status status = yaml_load(context, "case.yaml", text, n, NULL, input);
    free(text);
    if (is_text) {
        unlink(set_path);
    }
    return status;
}

__attribute__((unused)) static crp_run_options chem_case_options(const chem_case *c)
{
    crp_run_options options = crp_run_options_default();
    options.histories = c->copies;
    options.seed = c->seed;
    options.threads = c->threads;
    options.batches = c->batches;
    options.device = c->device == NULL ? "cpu" : c->device;
    return options;
}

__attribute__((unused)) static crp_result *chem_case_run(const chem_case *c)
{
    crp_context *context = chem_case_context();
    crp_input *input;
    crp_result *result = NULL;
    if (chem_case_load(context, c, &input) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    crp_run_options options = chem_case_options(c);
    if (crp_run_execute(context, crp_input_model(input, 0), &options, &result) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return result;
}

static const tally_spec *chem_case_tally(const crp_result *result, const char *name, size_t *index)
{
    ptrdiff_t i = crp_result_find(result, name);
    assert_true(i >= 0);
    *index = (size_t)i;
    return &result->tallies[i];
}

/* Integers of a bin of a tally with axes (time, element). */
__attribute__((unused)) static double chem_case_count(const crp_result *result, const char *name, size_t time, size_t element)
{
    size_t i;
    const tally_spec *t = chem_case_tally(result, name, &i);
    return (double)result->sum[t->offset + time * t->shape[1] + element];
}

/* Events of a channel up to an output time. */
__attribute__((unused)) static double chem_case_events(const crp_result *result, size_t time, size_t channel)
{
    double n = 0.0;
    for (size_t k = 0; k <= time; ++k) {
        n += chem_case_count(result, "reactions", k, channel);
    }
    return n;
}

__attribute__((unused)) static const double *chem_case_times(const crp_result *result, size_t *n)
{
    size_t i;
    const tally_spec *t = chem_case_tally(result, "G", &i);
    *n = t->shape[0];
    return t->axis_points[0];
}

/* The books must balance in every run. */
__attribute__((unused)) static void chem_case_balances(const crp_result *result)
{
    for (size_t i = 0; i < result->n_events; ++i) {
        if (result->events[i].is_fault) {
            assert_int_equal(result->event_count[i], 0);
        }
    }
}

#endif
