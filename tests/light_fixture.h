/**
 * Layered models for tests: from a table of layers to a file, from the file to a model, from the model to a result. All
 * through the public API, as a user would.
 */
#ifndef TESTS_LIGHT_FIXTURE_H
#define TESTS_LIGHT_FIXTURE_H

#include "engine/statepoint.h"
#include "model/light/light_plan.h"
#include "run_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture_layer {
    double n, mu_a, mu_s, g, d;
} fixture_layer;

typedef struct fixture_stack {
    double n_above, n_below;
    size_t n_layers;
    const fixture_layer *layers;
    double dz, dr;
    unsigned nz, nr, na;
    bool fluence;
    double threshold; /* 0: the default */
} fixture_stack;

/* A half-space that scatters and absorbs nothing: what shows photons that meet the step limit. */
static __attribute__((unused)) const fixture_stack fixture_half_space = {
    .n_above = 1.0,
    .n_below = 1.0,
    .n_layers = 1,
    .layers = (const fixture_layer[]){{.n = 1.0, .mu_a = 0.0, .mu_s = 100.0, .g = 0.0, .d = 1e8}},
    .dz = 0.01,
    .dr = 0.01,
    .nz = 10,
    .nr = 10,
    .na = 10};

/* One layer between two media of n = 1, on a grid. */
FIXTURE_FN fixture_stack fixture_slab(const fixture_layer *layer, double dz, unsigned nz, double dr, unsigned nr, unsigned na)
{
    return (fixture_stack){.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 1,
                           .layers = layer,
                           .dz = dz,
                           .dr = dr,
                           .nz = nz,
                           .nr = nr,
                           .na = na};
}

/* A name for a file that nobody else has; the caller unlinks it. */
FIXTURE_FN void fixture_path(char *path, size_t n, const char *suffix)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, n, "%s/crp_test_XXXXXX%s", folder != NULL && folder[0] != '\0' ? folder : "/tmp", suffix);
    int file = mkstemps(path, (int)strlen(suffix));
    assert_true(file >= 0);
    close(file);
}

FIXTURE_FN void fixture_write_yaml(FILE *file, const fixture_stack *s)
{
    fprintf(file, "version: 1\nkind: light\nambient: {n_above: %.17g, n_below: %.17g}\nlayers:\n", s->n_above,
            s->n_below);
    for (size_t i = 0; i < s->n_layers; ++i) {
        const fixture_layer *l = &s->layers[i];
        fprintf(file, "  - {n: %.17g, mu_a: %.17g, mu_s: %.17g, g: %.17g, thickness: %.17g}\n", l->n, l->mu_a, l->mu_s,
                l->g, l->d);
    }
    fprintf(file, "grid: {dz: %.17g, dr: %.17g, nz: %u, nr: %u, na: %u}\n", s->dz, s->dr, s->nz, s->nr, s->na);
    if (s->threshold > 0.0) {
        fprintf(file, "roulette: {threshold: %.17g}\n", s->threshold);
    }
    fprintf(file, "scores: {fluence: %s}\n", s->fluence ? "true" : "false");
}

FIXTURE_FN crp_input *fixture_load(const char *path)
{
    crp_input *input = NULL;
    FIXTURE_OK(crp_input_load(fixture_context, path, NULL, &input));
    return input;
}

FIXTURE_FN crp_input *fixture_input(const fixture_stack *s)
{
    char path[512];
    fixture_path(path, sizeof path, ".yaml");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fixture_write_yaml(file, s);
    fclose(file);
    crp_input *input = fixture_load(path);
    unlink(path);
    return input;
}

FIXTURE_FN crp_plan *fixture_plan(const crp_input *input, uint64_t seed)
{
    const crp_model *model = crp_input_model(input, 0);
    crp_plan *plan = NULL;
    FIXTURE_OK(light_plan_create(fixture_context, model, seed, &plan));
    return plan;
}

/* Run a stack on the CPU. */
FIXTURE_FN crp_result *fixture_run(const fixture_stack *s, uint64_t histories, uint64_t seed)
{
    crp_input *input = fixture_input(s);
    crp_run_options options = fixture_options(histories, seed);
    crp_result *result = fixture_execute(input, &options);
    crp_input_destroy(&input);
    return result;
}

/* Integer sums of a tally, bin by bin, and their total. */
FIXTURE_FN const crp_wide *fixture_sums(const crp_result *result, const char *name, size_t *n_bins)
{
    ptrdiff_t tally = result_find(result, name);
    if (tally < 0) {
        fail_msg("the result has no %s", name);
    }
    *n_bins = result->tallies[tally].n_bins;
    return result->sum + result->tallies[tally].offset;
}

FIXTURE_FN crp_wide fixture_total(const crp_result *result, const char *name)
{
    size_t n = 0;
    const crp_wide *sums = fixture_sums(result, name, &n);
    crp_wide total = 0;
    for (size_t i = 0; i < n; ++i) {
        total += sums[i];
    }
    return total;
}

/* Weight units and photons that must be equal to the last one. */
FIXTURE_FN void fixture_equal(const char *what, crp_wide a, crp_wide b)
{
    if (a != b) {
        fail_msg("%s: %.17g and %.17g differ by %.17g units", what, (double)a, (double)b, (double)(a - b));
    }
}

/* The books of a run balance in the integers: nothing is lost or made on any way from the launch to a tally. */
FIXTURE_FN void fixture_conserves(const crp_result *result)
{
    crp_wide a = fixture_total(result, "A"), rd = fixture_total(result, "Rd"), tt = fixture_total(result, "Tt");
    crp_wide launched = (crp_wide)result->histories << LIGHT_WEIGHT_BITS;
    fixture_equal("Rsp + Rd + A + Tt against the launched weight", fixture_total(result, "Rsp") + rd + a + tt,
                  launched);
    crp_wide deposits = a - (crp_wide)fixture_event(result, "roulette_killed_weight") +
                        (crp_wide)fixture_event(result, "roulette_gained_weight") -
                        (crp_wide)fixture_event(result, "dropped_weight");
    fixture_equal("deposits in A_rz against A without roulette and drops", fixture_total(result, "A_rz"), deposits);
    fixture_equal("A_z against A_rz", fixture_total(result, "A_z"), fixture_total(result, "A_rz"));
    fixture_equal("absorption by layer against A", fixture_total(result, "absorbed_fraction"), a);
    static const char *const sides[2][3] = {{"Rd_r", "Rd_a", "Rd_ra"}, {"Tt_r", "Tt_a", "Tt_ra"}};
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 3; ++k) {
            fixture_equal(sides[side][k], fixture_total(result, sides[side][k]), side == 0 ? rd : tt);
        }
    }
    fixture_equal("photons that ended", (crp_wide)fixture_event(result, "ended_photons"), (crp_wide)result->histories);
    fixture_equal("lost photons", (crp_wide)fixture_event(result, "lost_photons"), 0);
}

/* Histories of a statistical case: ten times as many in the long tier. */
FIXTURE_FN bool fixture_is_long(void)
{
    const char *value = getenv("CRP_TEST_LONG");
    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

#endif
