/* Triggers: parsing and its messages, names against a result, when they hold. */
#include "engine/trigger.h"
#include "unit/yaml_test.h"

#include <math.h>

static void parses_terms(void **state)
{
    (void)state;
    trigger t;
    assert_ok(trigger_parse(context, "rel_err(Rd)<0.1%", &t));
    assert_int_equal(t.n_terms, 1);
    assert_string_equal(t.terms[0].name, "Rd");
    assert_true(t.terms[0].is_relative && t.terms[0].of == 0 && t.terms[0].limit == 0.1 / 100);
    assert_ok(trigger_parse(context, " rel_err ( absorbed_fraction [ 3 ] ) < 2e-3  and\tstd_dev(Tt)<1e-5 ", &t));
    assert_int_equal(t.n_terms, 2);
    assert_string_equal(t.terms[0].name, "absorbed_fraction");
    assert_true(t.terms[0].is_relative && t.terms[0].of == 3 && t.terms[0].limit == 2e-3);
    assert_string_equal(t.terms[1].name, "Tt");
    assert_true(!t.terms[1].is_relative && t.terms[1].of == 0 && t.terms[1].limit == 1e-5);
    assert_ok(trigger_parse(context,
                            "rel_err(A)<1% and rel_err(A)<1% and rel_err(A)<1% and rel_err(A)<1% and "
                            "rel_err(A)<1% and rel_err(A)<1% and rel_err(A)<1% and rel_err(A)<1%",
                            &t));
    assert_int_equal(t.n_terms, 8);
}

static void wrong_texts_say_what_is_expected(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "rel_err or std_dev expected at \"\" (character 1)"},
        {"Rd<1%",
         "until \"Rd<1%\": rel_err or std_dev expected at \"Rd<1%\" (character 1) write it like rel_err(Rd)<0.1%"},
        {"rel_err", "\"(\" expected"},
        {"rel_error(Rd)<1%", "\"(\" expected at \"or(Rd)<1%\" (character 8)"},
        {"rel_err()<1%", "a name expected"},
        {"rel_err(Rd", "\")\" expected"},
        {"rel_err(Rd)", "\"<\" expected"},
        {"rel_err(Rd Tt)<1", "\")\" expected"},
        {"rel_err(Rd)>1%", "\"<\" expected"},
        {"rel_err(Rd)<=1%", "\"<\" expected"},
        {"rel_err(Rd)<", "a limit above 0 expected"},
        {"rel_err(Rd)<0", "a limit above 0 expected"},
        {"rel_err(Rd)<-1", "a limit above 0 expected"},
        {"rel_err(Rd)<inf", "a limit above 0 expected"},
        {"rel_err(Rd)<1e999", "a limit above 0 expected"},
        {"rel_err(Rd)<x", "a limit above 0 expected"},
        {"rel_err(Rd)<1%%", "\"and\" or the end expected"},
        {"rel_err(Rd)<1 mm", "\"and\" or the end expected"},
        {"rel_err(Rd)<1% or rel_err(A)<1%", "\"and\" or the end expected"},
        {"rel_err(Rd)<1% and", "\"and\" or the end expected"},
        {"rel_err(Rd)<1% and ", "rel_err or std_dev expected"},
        {"rel_err(A)<1%and rel_err(A)<1%", "\"and\" or the end expected"},
        {"rel_err(Rd[0])<1%", "the number of an element"},
        {"rel_err(Rd[])<1%", "the number of an element"},
        {"rel_err(Rd[1)<1%", "the number of an element"},
        {"rel_err(Rd[99999999999999999999])<1%", "the number of an element"},
        {"rel_err(a_name_that_is_far_longer_than_any_tally_could_ever_have)<1%", "a name expected"},
        {"rel_err(A)<1 and rel_err(A)<1 and rel_err(A)<1 and rel_err(A)<1 and rel_err(A)<1 and rel_err(A)<1 and "
         "rel_err(A)<1 and rel_err(A)<1 and rel_err(A)<1",
         "too many conditions (up to 8)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trigger t;
        if (trigger_parse(context, cases[i][0], &t) != CRP_ERR_ARG) {
            fail_msg("accepted: %s", cases[i][0]);
        }
        assert_message(cases[i][1]);
    }
}

/* -------------------------------------------------------------------------------------- a made-up result */

enum { N_BINS = 9 };

/* Rd in bin 0, Tt in bin 1, absorbed_fraction in bins 2 to 4 (3 scores nothing), the map A_rz in bins 5 to 8. */
static tally_spec tallies[] = {
    {.name = "R", .quantum = 1, .n_bins = 1, .offset = 0},
    {.name = "T", .quantum = 1, .n_bins = 1, .offset = 1},
    {.name = "absorbed_fraction", .quantum = 1, .n_dims = 1, .shape = {3}, .n_bins = 3, .offset = 2},
    {.name = "A_rz", .quantum = 1, .n_dims = 2, .shape = {2, 2}, .n_bins = 4, .offset = 5},
};
static result_spec results[] = {
    {.name = "Rd", .bin = 0, .tally = 0},
    {.name = "Tt", .bin = 1, .tally = 1},
    {.name = "absorbed_fraction", .of = 1, .bin = 2, .tally = 2},
    {.name = "absorbed_fraction", .of = 2, .bin = 3, .tally = 2},
    {.name = "absorbed_fraction", .of = 3, .bin = 4, .tally = 2},
};
static crp_wide sums[N_BINS] = {5000, 0, 1000, 0, 2000, 10, 20, 0, 40};
static double m2[N_BINS], means[N_BINS];

static crp_result made_up(uint32_t batches)
{
    crp_result r = {.histories = 10000,
                    .batches = batches,
                    .tallies = tallies,
                    .n_tallies = 4,
                    .n_bins = N_BINS,
                    .sum = sums,
                    .m2 = m2,
                    .mean_batch = means,
                    .results = results,
                    .n_results = 5};
    for (size_t i = 0; i < N_BINS; i++) {
        means[i] = (double)sums[i] / 10000;
        m2[i] = (double)sums[i] * 0.7;
    }
    return r;
}

static bool holds(const crp_result *r, const char *text, double *error, double *target)
{
    trigger t;
    assert_ok(trigger_parse(context, text, &t));
    assert_ok(trigger_bind(context, &t, r));
    return trigger_holds(&t, r, error, target);
}

static double relative_error(const crp_result *r, size_t tally, size_t bin)
{
    return result_bin_std_dev(r, tally, bin) / result_bin_mean(r, tally, bin);
}

/* Just above the reported error it holds, just below it does not. */
static void check_edge(const crp_result *r, const char *expression, double error)
{
    char text[128];
    double first, target;
    assert_true(error > 0 && isfinite(error));
    snprintf(text, sizeof text, "%s<%.17g", expression, error * 1.001);
    assert_true(holds(r, text, &first, &target));
    assert_true(fabs(first / error - 1) < 1e-12 && fabs(target / error - 1.001) < 1e-12);
    snprintf(text, sizeof text, "%s<%.17g", expression, error * 0.999);
    assert_false(holds(r, text, &first, &target));
}

static void holds_when_the_error_is_small_enough(void **state)
{
    (void)state;
    crp_result r = made_up(16);
    check_edge(&r, "rel_err(Rd)", relative_error(&r, 0, 0));
    check_edge(&r, "std_dev(Rd)", result_bin_std_dev(&r, 0, 0));
    check_edge(&r, "rel_err(absorbed_fraction[1])", relative_error(&r, 2, 2));
    check_edge(&r, "rel_err(absorbed_fraction[3])", relative_error(&r, 2, 4));
    check_edge(&r, "rel_err(absorbed_fraction)",
               relative_error(&r, 2, 2)); /* the worst element; the empty one is no bar */
    check_edge(&r, "std_dev(absorbed_fraction)", result_bin_std_dev(&r, 2, 4));
    check_edge(&r, "rel_err(A_rz)", relative_error(&r, 3, 5));
    check_edge(&r, "rel_err(A_rz[4])", relative_error(&r, 3, 8));
    check_edge(&r, "rel_err(R)", relative_error(&r, 0, 0)); /* a tally that is no result */
}

static void all_terms_must_hold(void **state)
{
    (void)state;
    crp_result r = made_up(16);
    double rd = relative_error(&r, 0, 0), a = relative_error(&r, 2, 2), error, target;
    char text[128];
    snprintf(text, sizeof text, "rel_err(Rd)<%.17g and rel_err(absorbed_fraction[1])<%.17g", rd * 2, a * 2);
    assert_true(holds(&r, text, &error, &target));
    snprintf(text, sizeof text, "rel_err(Rd)<%.17g and rel_err(absorbed_fraction[1])<%.17g", rd * 2, a / 3);
    assert_false(holds(&r, text, &error, &target));
    assert_true(fabs(error / rd - 1) < 1e-12);
}

static void a_tally_without_scores_is_unknown(void **state)
{
    (void)state;
    crp_result r = made_up(16);
    double error, target;
    assert_false(holds(&r, "rel_err(Tt)<50%", &error, &target));
    assert_true(isnan(error) && target == 0.5);
    assert_false(holds(&r, "rel_err(Rd)<1e9 and rel_err(Tt)<50%", &error, &target));
    assert_true(!isnan(error));
    assert_false(holds(&r, "rel_err(absorbed_fraction[2])<50%", &error, &target));
    assert_true(holds(&r, "std_dev(Tt)<1e-9", &error, &target));
}

static void never_holds_with_few_batches(void **state)
{
    (void)state;
    double error, target;
    for (uint32_t batches = 0; batches <= 8; batches++) {
        crp_result r = made_up(batches);
        assert_true(holds(&r, "rel_err(Rd)<1e9", &error, &target) == (batches == 8));
        assert_true(isnan(error) == (batches < 2));
    }
}

static void an_empty_trigger_never_holds(void **state)
{
    (void)state;
    crp_result r = made_up(16);
    trigger t = {.n_terms = 0};
    double error, target;
    assert_false(trigger_holds(&t, &r, &error, &target));
    assert_true(isnan(error) && isnan(target));
}

static void unknown_names_list_the_known(void **state)
{
    (void)state;
    crp_result r = made_up(16);
    trigger t;
    assert_ok(trigger_parse(context, "rel_err(Rd)<1% and rel_err(absorbed_fractoin)<1%", &t));
    assert_int_equal(trigger_bind(context, &t, &r), CRP_ERR_ARG);
    assert_message("there is no tally \"absorbed_fractoin\", did you mean absorbed_fraction? (tallies: Rd, Tt, "
                   "absorbed_fraction, R, T, A_rz)");
    assert_ok(trigger_parse(context, "rel_err(density)<1%", &t));
    assert_int_equal(trigger_bind(context, &t, &r), CRP_ERR_ARG);
    assert_message("there is no tally \"density\" (tallies: Rd,");
    static const char *const beyond[] = {"rel_err(Rd[x])<1%", "rel_err(absorbed_fraction[4])<1%", "rel_err(Rd[1])<1%",
                                         "rel_err(A_rz[5])<1%"};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(trigger_parse(context, beyond[i], &t));
        assert_int_equal(trigger_bind(context, &t, &r), CRP_ERR_ARG);
        assert_message("has no element");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_terms),
        cmocka_unit_test(wrong_texts_say_what_is_expected),
        cmocka_unit_test(holds_when_the_error_is_small_enough),
        cmocka_unit_test(all_terms_must_hold),
        cmocka_unit_test(a_tally_without_scores_is_unknown),
        cmocka_unit_test(never_holds_with_few_batches),
        cmocka_unit_test(an_empty_trigger_never_holds),
        cmocka_unit_test(unknown_names_list_the_known),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
