/* Bad input and borderline input of chem: each has one message, or one defined result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"

#define SPUR "source: {kind: spur, tracks: 2, radius: 1 nm, energy: 100 eV, molecules: [{species: OH, count: 3}]}\n"
#define HEAD "# corpuscle molecules 1\n# energy: 1 keV\nspecies,x,y,z,t\n"

static void csv_case(const char *rows, char yaml[600])
{
    char path[256];
    snprintf(path, sizeof path, "%s/chem_faults.csv", CRP_BINARY_DIR);
    chem_case_write(path, rows);
    snprintf(yaml, 600, "time: {start: 1 ps, end: 1 ns}\nsource: {file: \"%s\"}\n", path);
}

static void expect_refused(const chem_case *c, const char *words)
{
    crp_context *context = chem_case_context();
    crp_input *input = NULL;
    if (chem_case_load(context, c, &input) == CRP_OK) {
        fail_msg("accepted, where \"%s\" is due", words);
    }
    if (strstr(crp_context_error(context), words) == NULL) {
        fail_msg("\"%s\" has not \"%s\"", crp_context_error(context), words);
    }
    crp_input_destroy(&input);
    crp_context_destroy(&context);
}

static void test_refused(void **state)
{
    (void)state;
    char yaml[600];
    static const struct {
        const char *yaml, *chem, *words;
    } cases[] = {
        {"source: {kind: spur, molecules: [{species: OH, count: 3}]}\n", "", "--energy"},
        {"source: {kind: spur, energy: 1 keV, molecules: [{species: OX, count: 3}]}\n", "", "species OX is not known"},
        {"source: {kind: spur, energy: 1 keV}\n", "", "source.molecules is empty"},
        {"source: {file: \"\", energy: 1 keV}\n", "", "source.file is missing"},
        {SPUR "scavengers: [{species: OH, concentration: 1}]\n", "", "no reaction has [OH]"},
        {SPUR "scavengers: [{species: OH, concentration: -1}]\n", "", "0 or larger"},
        {SPUR "time: {start: 1 us, end: 1 ps}\n", "", "time.end"},
        {SPUR "time: {start: 0 ps}\n", "", "time.start"},
        {SPUR "space: {kind: periodic}\n", "", "space.box"},
        {SPUR, "steps_per_decade: 0", "steps_per_decade"},
        {SPUR, "method: exakt", "exact"},
        {SPUR "sorce: 1\n", "", "source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        chem_case c = {.yaml = cases[i].yaml, .chem = cases[i].chem};
        expect_refused(&c, cases[i].words);
    }
    csv_case(HEAD "OH,nan,0,0,\n", yaml);
    expect_refused(&(chem_case){.yaml = yaml, .chem = ""}, "chem_faults.csv:4");
    csv_case(HEAD "OH,1e10,0,0,\n", yaml);
    expect_refused(&(chem_case){.yaml = yaml, .chem = ""}, "more than a metre away");
    csv_case(HEAD "OH,9,0,0,\n", yaml);
    strcat(yaml, "space: {kind: reflecting, box: 10 nm}\n");
    expect_refused(&(chem_case){.yaml = yaml, .chem = ""}, "outside the reflecting box");
    csv_case("", yaml);
    expect_refused(&(chem_case){.yaml = yaml, .chem = ""}, "chem_faults.csv");
}

static double last_count_by(const char *method, const char *set, const char *yaml, size_t species)
{
    chem_case c = {.set = set, .yaml = yaml, .chem = method, .copies = 4, .seed = 1, .threads = 1};
    crp_result *result = chem_case_run(&c);
    size_t n;
    chem_case_times(result, &n);
    chem_case_balances(result);
    double count = chem_case_count(result, "G", n - 1, species);
    crp_result_destroy(&result);
    return count;
}

static double last_count(const char *set, const char *yaml, size_t species)
{
    return last_count_by("steps_per_decade: 5", set, yaml, species);
}

/* No reactions, one of two that does not move, one molecule: by every method. */
static void test_borderline_by_method(void **state)
{
    (void)state;
    static const char *const methods[] = {"method: exact", "method: irt", "method: paper"};
    char yaml[600];
    for (size_t i = 0; i < 3; ++i) {
        csv_case(HEAD "OH,0,0,0,\nOH,0.1,0,0,\n", yaml);
        assert_true(last_count_by(methods[i], "species OH D=2.8\n", yaml, 0) == 8.0);
        csv_case(HEAD "OH,0,0,0,\nH,0.01,0,0,\n", yaml); /* in contact */
        assert_true(last_count_by(methods[i], "species OH D=0\nspecies H D=7\nreaction OH + H -> H2O k=1e10\n", yaml, 0) == 0.0);
        csv_case(HEAD "OH,0,0,0,\n", yaml);
        assert_true(last_count_by(methods[i], NULL, yaml, 1) == 4.0);
    }
    csv_case(HEAD "OH,0,0,0,0.5\nOH,50,0,0,5000\nOH,90,0,0,500\n", yaml); /* 5 ns is after the end: never there */
    assert_true(last_count_by("method: irt", "species OH D=2.8\n", yaml, 0) == 8.0);
}

/* No reactions, nothing that moves, one molecule, molecules on a wall, births before the start and after the end. */
static void test_borderline(void **state)
{
    (void)state;
    char yaml[600];
    csv_case(HEAD "OH,0,0,0,\nOH,0.1,0,0,\n", yaml);
    assert_true(last_count("species OH D=2.8\n", yaml, 0) == 8.0);
    assert_true(last_count("rate_convention k\nspecies OH D=0\nspecies H2O2 D=0\nreaction OH + OH -> H2O2 k=0\n", yaml, 0) == 8.0);
    csv_case(HEAD "OH,0,0,0,\n", yaml);
    assert_true(last_count(NULL, yaml, 1) == 4.0);
    csv_case(HEAD "e_aq,-5,5,5,\ne_aq,5,-5,5,\n", yaml);
    strcat(yaml, "space: {kind: reflecting, box: 10 nm}\n");
    assert_true(last_count("species e_aq D=4.9\n", yaml, 0) == 8.0);
    csv_case(HEAD "OH,0,0,0,0.5\nOH,50,0,0,5000\nOH,90,0,0,500\n", yaml); /* 5 ns is after the end: never there */
    assert_true(last_count("species OH D=2.8\n", yaml, 0) == 8.0);
}

/* 1000 molecules in one place: the list of candidates grows until all pairs are in it, and each molecule is used once. */
static void test_all_in_one_place(void **state)
{
    (void)state;
    const char *yaml = "time: {start: 1 ps, end: 10 ps}\nsource: {kind: spur, tracks: 2, radius: 0 nm, energy: 100 eV, "
                       "molecules: [{species: OH, count: 1000}]}\n";
    assert_true(last_count("rate_convention k\nspecies OH D=2.8\nspecies H2O2 D=2.3\nreaction OH + OH -> H2O2 k=0.44e10\n", yaml, 0) == 0.0);
}

/* Ten million in one cell cannot be asked about each other: refused by every method, with the reason. */
static void test_denser_than_matter(void **state)
{
    (void)state;
    static const char *const methods[] = {"method: exact", "method: irt", "method: paper"};
    for (size_t i = 0; i < 3; ++i) {
        crp_context *context = chem_case_context();
        crp_input *input = NULL;
        crp_result *result = NULL;
        chem_case c = {.chem = methods[i], .yaml = "source: {kind: spur, radius: 0 nm, energy: 1 MeV, molecules: [{species: OH, count: 1000000}]}\n"};
        assert_int_equal(chem_case_load(context, &c, &input), CRP_OK);
        crp_run_options options = crp_run_options_default();
        options.device = "cpu";
        assert_int_equal(crp_run_execute(context, crp_input_model(input, 0), &options, &result), CRP_ERR_CONFIG);
        assert_non_null(strstr(crp_context_error(context), "denser than matter"));
        crp_input_destroy(&input);
        crp_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_borderline),
        cmocka_unit_test(test_borderline_by_method),
        cmocka_unit_test(test_all_in_one_place),
        cmocka_unit_test(test_denser_than_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
