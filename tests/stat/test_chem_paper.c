/* The published algorithm: its own biases on isolated pairs, its steps, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "core/statistics.h"

enum { N_CHECKS = 20 };

/*
 * Fraction of pairs 1 nm apart that has reacted 1 ns later, by Eq. 2 and Eq. 5 with one fixed step: measured with a program of
 * its own, 30 000 pairs or more, as difference from the exact value (docs/theory/chem_paper.md). Only this algorithm has these biases:
 * the exact bridge, R with Eq. 5, or Eq. 2 without a bridge are far from them.
 */
typedef struct bias_case {
    const char *partner;
    double step, bias;
    uint32_t pairs;
} bias_case;

static const bias_case cases[] = {
    {"H3O+", 1.0, -0.364, 4000},  {"H3O+", 10.0, -0.088, 20000}, {"H3O+", 100.0, 0.87, 60000},
    {"OH", 1.0, -0.598, 4000},    {"OH", 10.0, -0.409, 20000},   {"OH", 100.0, -0.101, 60000},
};

static double exact_fraction(const char *partner)
{
    return strcmp(partner, "OH") == 0 ? 0.4555 : 0.1764;
}

static double measure(const bias_case *c, const char *dynamic, crp_result **out)
{
    char yaml[512], chem[128];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1001 ps, outputs_per_decade: 1}\n"
             "source: {kind: pair, tracks: 1000, energy: 100 eV, distance: 1 nm, molecules: [{species: e_aq, count: 1}, "
             "{species: %s, count: 1}]}\n", c->partner);
    snprintf(chem, sizeof chem, "method: paper, dynamic_step: %s, step: %g ps", dynamic, c->step);
    chem_case run = {.yaml = yaml, .chem = chem, .copies = c->pairs / 1000, .seed = 7, .threads = 2};
    crp_result *result = chem_case_run(&run);
    size_t n;
    chem_case_times(result, &n);
    chem_case_balances(result);
    double reacted = 1.0 - chem_case_count(result, "G", n - 1, 0) / c->pairs;
    if (out != NULL) {
        *out = result;
    } else {
        crp_result_destroy(&result);
    }
    return reacted;
}

static void biases_are_the_paper_s(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double w = exact_fraction(cases[i].partner), expected = w * (1.0 + cases[i].bias), reacted = measure(&cases[i], "false", NULL);
        double error = sqrt(expected * (1.0 - expected) / cases[i].pairs + expected * (1.0 - expected) / 30000.0);
        double z = (reacted - expected) / error;
        print_message("e_aq + %s, %g ps: %+.1f %% (%+.1f %%), z = %.1f\n", cases[i].partner, cases[i].step, 100.0 * (reacted / w - 1.0),
                      100.0 * cases[i].bias, z);
        assert_true(fabs(z) < statistics_limit(N_CHECKS, INFINITY));
        assert_true(fabs(reacted - w) > 3.0 * error); /* and not the exact value */
    }
}

/* Eq. 4 makes steps longer where a pair is far apart: fewer of them. */
static void dynamic_steps_are_longer(void **state)
{
    (void)state;
    static const bias_case far = {"H3O+", 10.0, 0.0, 1000};
    crp_result *fixed, *dynamic;
    double a = measure(&far, "false", &fixed), b = measure(&far, "true", &dynamic);
    assert_true(a > 0.0 && b > 0.0);
    uint64_t steps[2] = {0};
    for (size_t i = 0; i < fixed->n_events; i++) {
        if (strcmp(fixed->events[i].name, "molecule_steps") == 0) {
            steps[0] = fixed->event_count[i];
            steps[1] = dynamic->event_count[i];
        }
    }
    assert_true(steps[1] > 0 && steps[1] < steps[0]);
    crp_result_destroy(&fixed);
    crp_result_destroy(&dynamic);
}

static crp_result *run_spurs(uint32_t threads, const char *molecules)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 200 ps, outputs_per_decade: 5}\n"
             "source: {kind: spur, radius: 1.5 nm, tracks: 20, energy: 100 eV, molecules: [%s]}\n", molecules);
    chem_case run = {.yaml = yaml, .chem = "method: paper", .copies = 10, .seed = 7, .threads = threads};
    return chem_case_run(&run);
}

/* Table 1 and Eq. 4 on spurs: the same bits for any threads and any order of the molecules; the books balance. */
static void same_bits(void **state)
{
    (void)state;
    crp_result *one = run_spurs(1, "{species: e_aq, count: 5}, {species: OH, count: 5}, {species: H3O+, count: 5}");
    crp_result *three = run_spurs(3, "{species: e_aq, count: 5}, {species: OH, count: 5}, {species: H3O+, count: 5}");
    crp_result *turned = run_spurs(2, "{species: H3O+, count: 5}, {species: OH, count: 5}, {species: e_aq, count: 5}");
    chem_case_balances(one);
    assert_string_equal(crp_result_digest(one), crp_result_digest(three));
    assert_string_equal(crp_result_digest(one), crp_result_digest(turned));
    crp_result_destroy(&one);
    crp_result_destroy(&three);
    crp_result_destroy(&turned);
}

/* All in one place: pairs react until none is left that can, before any time has passed. */
static void contact_at_the_start(void **state)
{
    (void)state;
    static const char yaml[] = "time: {start: 1 ps, end: 2 ps, outputs_per_decade: 10}\n"
                               "source: {kind: spur, radius: 0 nm, tracks: 1, energy: 100 eV, molecules: [{species: OH, count: 40}]}\n";
    chem_case run = {.yaml = yaml, .chem = "method: paper", .copies = 1, .seed = 7, .threads = 1};
    crp_result *result = chem_case_run(&run);
    assert_true(chem_case_count(result, "G", 0, 1) == 0.0 && chem_case_count(result, "reactions", 0, 0) == 20.0);
    crp_result_destroy(&result);
}

static void refuses_what_is_not_published(void **state)
{
    (void)state;
    static const struct {
        const char *set, *yaml, *message;
    } refused[] = {
        {NULL, "space: {kind: periodic, box: 100 nm}\nsource: {kind: spur, energy: 1 eV, molecules: [{species: OH, count: 2}]}\n",
         "in open space"},
        {"species OH D=2.8\nreaction OH -> OH rate=1e6\n",
         "source: {kind: spur, energy: 1 eV, molecules: [{species: OH, count: 2}]}\n", "diffusion-controlled reactions of two"},
    };
    for (size_t i = 0; i < 2; i++) {
        chem_case run = {.set = refused[i].set, .yaml = refused[i].yaml, .chem = "method: paper"};
        crp_context *context = chem_case_context();
        crp_input *input;
        crp_result *result = NULL;
        assert_int_equal(chem_case_load(context, &run, &input), CRP_OK);
        crp_run_options options = crp_run_options_default();
        options.device = "cpu";
        crp_context_set_log(context, NULL, NULL);
        assert_int_equal(crp_run_execute(context, crp_input_model(input, 0), &options, &result), CRP_ERR_CONFIG);
        assert_non_null(strstr(crp_context_error(context), refused[i].message));
        crp_input_destroy(&input);
        crp_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(biases_are_the_paper_s), cmocka_unit_test(dynamic_steps_are_longer), cmocka_unit_test(same_bits),
        cmocka_unit_test(contact_at_the_start),   cmocka_unit_test(refuses_what_is_not_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
