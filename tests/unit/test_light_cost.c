/* What a photon is expected to cost, against the events that it really makes: no clock is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

/* A photon and one of its events on one core, in good measure. */
static const double PHOTON = 6.0e-8, EVENT = 6.5e-9;
static const double FACTOR = 2.0;

static void check_input(const crp_input *input, const char *name, uint64_t histories)
{
    const crp_model *model = crp_input_model(input, 0);
    crp_run_options options = fixture_options(histories, 3);
    crp_result *result = fixture_execute(input, &options);
    double events = (double)fixture_event(result, "flights") / (double)histories;
    double wanted = PHOTON + EVENT * events, cost = light_cost(model);
    if (!(cost < FACTOR * wanted && cost > wanted / FACTOR)) {
        fail_msg("%s: %.4g s expected, %.4g s for its %.1f events", name, cost, wanted, events);
    }
    crp_result_destroy(&result);
}

static void test_examples(void **state)
{
    (void)state;
    static const char *const names[] = {"skin5_633", "skin5_337", "skin7", "vein7_700", "manual3", "giovanelli",
                                        "slab_vandehulst", "airgap", "glass_tissue_glass"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/examples/light/%s.mci", CRP_SOURCE_DIR, names[i]);
        crp_input *input = fixture_load(path);
        check_input(input, names[i], 4000);
        crp_input_destroy(&input);
    }
}

#define STACK(layers, outside) {outside, outside, sizeof layers / sizeof layers[0], layers, 0.05, 0.05, 20, 20, 5, false, 0}

static void test_odd_stacks(void **state)
{
    (void)state;
    static const fixture_layer clear[] = {{1.5, 0, 0, 0, 1}}, absorber[] = {{1.37, 1, 0, 0, 1e8}},
                               thin[] = {{1.37, 0.1, 10, 0.9, 0.01}}, no_loss[] = {{1.37, 0, 100, 0.9, 1}},
                               deep[] = {{1.37, 0.1, 100, 0.9, 1e8}}, dark[] = {{1.37, 10, 10, 0, 1e8}},
                               window[] = {{1.5, 0, 0, 0, 0.1}, {1.37, 0.1, 100, 0.9, 1e8}},
                               backward[] = {{1.37, 1, 100, -0.9, 1}}, forward[] = {{1.37, 1, 100, 1, 1}},
                               dense[] = {{2.5, 0.01, 100, 0.9, 1}},
                               sandwich[] = {{1.37, 0, 500, 0.9, 0.5}, {1.37, 100, 10, 0.9, 0.1}, {1.37, 0.01, 100, 0.9, 1e8}};
    static const struct {
        const char *name;
        fixture_stack stack;
        uint64_t histories;
    } cases[] = {{"clear", STACK(clear, 1.0), 1000},       {"absorber", STACK(absorber, 1.0), 1000},
                 {"thin", STACK(thin, 1.0), 4000},         {"no loss", STACK(no_loss, 1.0), 8000},
                 {"deep", STACK(deep, 1.0), 8000},         {"deep, matched", STACK(deep, 1.37), 8000},
                 {"dark", STACK(dark, 1.0), 4000},         {"behind a window", STACK(window, 1.0), 8000},
                 {"backward", STACK(backward, 1.0), 4000}, {"forward", STACK(forward, 1.0), 2000},
                 {"dense", STACK(dense, 1.0), 4000},       {"sandwich", STACK(sandwich, 1.0), 8000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        crp_input *input = fixture_input(&cases[i].stack);
        check_input(input, cases[i].name, cases[i].histories);
        crp_input_destroy(&input);
    }
}

static double cost_of(const fixture_stack *s)
{
    crp_input *input = fixture_input(s);
    double cost = light_cost(crp_input_model(input, 0));
    crp_input_destroy(&input);
    return cost;
}

/* Without loss and without end a photon ends at the limit of events only; and stacks of any height have a price. */
static void test_limits(void **state)
{
    (void)state;
    static const fixture_layer endless[] = {{1.37, 0, 100, 0.9, 1e8}};
    static fixture_layer many[20000];
    fixture_stack s = STACK(endless, 1.0);
    double cost = cost_of(&s); /* measured: 69 thousand events, at the mean over a million photons */
    assert_true(cost > 1.0e-4 && cost < 1.5e-3);
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        many[i] = (fixture_layer){1.37, 0.1, 100, 0.9, 1e-4};
    }
    fixture_stack high = STACK(many, 1.0);
    cost = cost_of(&high);
    assert_true(cost > 1.0e-6 && cost < 1.0e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples), cmocka_unit_test(test_odd_stacks),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
