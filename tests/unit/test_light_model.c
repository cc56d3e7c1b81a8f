/* The light model: defaults, and the range of every field with both of its ends. */
#include "core/context.h"
#include "model/light/light.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct range_case {
    const char *(*check)(double);
    double value;
    const char *rule; /* part of the sentence, NULL: fine */
} range_case;

static void test_ranges(void **state)
{
    (void)state;
    const double nan_value = (double)NAN, infinite = (double)INFINITY;
    const range_case cases[] = {
        {light_check_index, 0.01, NULL},
        {light_check_index, 100.0, NULL},
        {light_check_index, 0.0, "larger than 0"},
        {light_check_index, 0.0099, "[0.01, 100]"},
        {light_check_index, 100.1, "[0.01, 100]"},
        {light_check_index, nan_value, "larger than 0"},
        {light_check_coefficient, 0.0, NULL},
        {light_check_coefficient, 1e12, NULL},
        {light_check_coefficient, -1e-9, "0 or larger"},
        {light_check_coefficient, infinite, "at most 1e12"},
        {light_check_coefficient, nan_value, "0 or larger"},
        {light_check_anisotropy, -1.0, NULL},
        {light_check_anisotropy, 1.0, NULL},
        {light_check_anisotropy, 1.0000001, "[-1, 1]"},
        {light_check_anisotropy, -1.0000001, "[-1, 1]"},
        {light_check_anisotropy, nan_value, "[-1, 1]"},
        {light_check_thickness, 0.0, NULL},
        {light_check_thickness, 1e8, NULL},
        {light_check_thickness, -1e-9, "0 or larger"},
        {light_check_thickness, infinite, "finite"},
        {light_check_thickness, nan_value, "0 or larger"},
        {light_check_grid_step, 1e-12, NULL},
        {light_check_grid_step, 1e12, NULL},
        {light_check_grid_step, 0.0, "larger than 0"},
        {light_check_grid_step, 1e-13, "[1e-12, 1e12]"},
        {light_check_grid_step, 1e13, "[1e-12, 1e12]"},
        {light_check_grid_step, nan_value, "larger than 0"},
        {light_check_grid_count, 1.0, NULL},
        {light_check_grid_count, 1e6, NULL},
        {light_check_grid_count, 0.0, "at least 1"},
        {light_check_grid_count, 1e6 + 1.0, "at most 1000000"},
        {light_check_grid_count, 1.5, "whole number"},
        {light_check_grid_count, nan_value, "at least 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rule = cases[i].check(cases[i].value);
        bool is_as_wanted = cases[i].rule == NULL ? rule == NULL : rule != NULL && strstr(rule, cases[i].rule) != NULL;
        if (!is_as_wanted) {
            fail_msg("case %zu, %g: '%s'", i, cases[i].value, rule == NULL ? "fine" : rule);
        }
    }
}

static void set_layers(light_model *m)
{
    m->n_layers = 0;
}
static void set_above(light_model *m)
{
    m->n_above = 0.0;
}
static void set_below(light_model *m)
{
    m->n_below = -1.0;
}
static void set_n(light_model *m)
{
    m->layers[1].n = 0.0;
}
static void set_mu_a(light_model *m)
{
    m->layers[0].mu_a = -1.0;
}
static void set_mu_s(light_model *m)
{
    m->layers[1].mu_s = -2.0;
}
static void set_g(light_model *m)
{
    m->layers[1].g = 1.5;
}
static void set_d(light_model *m)
{
    m->layers[1].d = -0.5;
}
static void set_dz(light_model *m)
{
    m->dz = 0.0;
}
static void set_dr(light_model *m)
{
    m->dr = -1.0;
}
static void set_nz(light_model *m)
{
    m->nz = 0;
}
static void set_nr(light_model *m)
{
    m->nr = 2000000;
}
static void set_na(light_model *m)
{
    m->na = 0;
}
static void set_large_grid(light_model *m)
{
    m->nr = 1000000;
    m->nz = 200000;
}
static void set_threshold(light_model *m)
{
    m->weight_threshold = 0.0;
}
static void set_chance(light_model *m)
{
    m->roulette_chance = 0.7;
}
static void set_uneven_chance(light_model *m)
{
    m->roulette_chance = 0.3;
}
static void set_heavy_survivor(light_model *m)
{
    m->weight_threshold = 0.5;
}
static void set_format(light_model *m)
{
    m->mco_format = 'C';
}

static void test_validate(void **state)
{
    (void)state;
    static const struct {
        void (*change)(light_model *model);
        const char *message;
    } cases[] = {
        {NULL, NULL},
        {set_layers, "here: 0 layers (there must be 1 to 1000000)"},
        {set_above, "here: n of the medium above = 0 must be larger than 0"},
        {set_below, "here: n of the medium below = -1 must be larger than 0"},
        {set_n, "here: layer 2 (fat): n = 0 must be larger than 0"},
        {set_mu_a, "here: layer 1: mu_a = -1 must be 0 or larger"},
        {set_mu_s, "here: layer 2 (fat): mu_s = -2 must be 0 or larger"},
        {set_g, "here: layer 2 (fat): g = 1.5 must lie in [-1, 1]"},
        {set_d, "here: layer 2 (fat): d = -0.5 must be 0 or larger"},
        {set_dz, "here: dz = 0 must be larger than 0"},
        {set_dr, "here: dr = -1 must be larger than 0"},
        {set_nz, "here: nz = 0 must be at least 1"},
        {set_nr, "here: nr = 2000000 must be at most 1000000"},
        {set_na, "here: na = 0 must be at least 1"},
        {set_large_grid, "here: a grid of nz = 200000, nr = 1000000, na = 30 needs"},
        {set_threshold, "here: weight_threshold = 0 must lie in [1e-9, 1)"},
        {set_chance, "here: roulette_chance = 0.7 must lie in [0.001, 0.5]"},
        {set_uneven_chance, "here: roulette_chance = 0.3 must be 1/m"},
        {set_heavy_survivor, "here: weight_threshold / roulette_chance = 5 must be at most 1"},
        {set_format, "here: the format of the .mco file must be A or B"},
    };
    crp_context *context = NULL;
    assert_int_equal(crp_context_create(&context), CRP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        light_model *model = light_model_create(2);
        assert_non_null(model);
        snprintf(model->layers[1].name, sizeof model->layers[1].name, "fat");
        if (cases[i].change == NULL) {
            assert_int_equal(light_model_validate(context, "here", model), CRP_OK);
        } else {
            cases[i].change(model);
            assert_int_equal(light_model_validate(context, "here", model), CRP_ERR_CONFIG);
            if (strncmp(crp_context_error(context), cases[i].message, strlen(cases[i].message)) != 0) {
                fail_msg("case %zu: %s", i, crp_context_error(context));
            }
        }
        light_model_destroy(model);
    }
    light_model_destroy(NULL);
    crp_context_destroy(&context);
}

static void test_roulette_chances(void **state)
{
    (void)state;
    crp_context *context = NULL;
    assert_int_equal(crp_context_create(&context), CRP_OK);
    light_model *model = light_model_create(1);
    assert_non_null(model);
    for (int m = 2; m <= 1000; m++) {
        model->roulette_chance = 1.0 / m;
        assert_int_equal(light_model_validate(context, "here", model), CRP_OK);
    }
    model->roulette_chance = 1.0 / 1001;
    assert_int_equal(light_model_validate(context, "here", model), CRP_ERR_CONFIG);
    light_model_destroy(model);
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_validate),
        cmocka_unit_test(test_roulette_chances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
