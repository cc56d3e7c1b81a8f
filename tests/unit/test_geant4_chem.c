/* Reactions, species and scavengers in the forms of Geant4-DNA. */
#include "io/geant4_chem.h"
#include "reader_fixture.h"

#include <math.h>

static crp_status parse(crp_context *context, const char *text, g4_chemistry **chemistry)
{
    void *exact = reader_exact(text, strlen(text));
    crp_status status = g4_chemistry_parse(context, "c.mac", exact, strlen(text), chemistry);
    free(exact);
    assert_true((status == CRP_OK) == (*chemistry != NULL));
    return status;
}

static void macro_is_read(void **state)
{
    (void)state;
    static const char text[] = "# my reactions\n"
                               "/run/initialize\n"
                               "/chem/species O2 [ O2 | 0 | 2.4e-9 | 0.17 ]   # oxygen\n"
                               "/chem/species e_aq [e- | -1 | 4.9e-9]\n"
                               "/chem/reaction/add H3O^1 + OH^-1 -> H2O + H2O | Fix | 1.13e11 | 0\n"
                               "e_aq + e_aq + H2O + H2O -> H2 + OH- + OH- | Fix | 6.36e9\n"
                               "H3O+ + O2- -> HO2 | Fix | 4.78e10 | 1\n";
    reader_log log;
    crp_context *context = reader_context(&log);
    g4_chemistry *c = NULL;
    assert_true(g4_chemistry_looks_like(text, strlen(text)));
    assert_int_equal(parse(context, text, &c), CRP_OK);
    assert_int_equal(c->n_species, 2);
    assert_true(strcmp(c->species[0].molecule, "O2") == 0 && c->species[0].diffusion == 2.4e-9 && c->species[0].radius == 0.17);
    assert_true(c->species[1].charge == -1 && isnan(c->species[1].radius));
    assert_int_equal(c->n_reactions, 3);
    assert_true(c->reactions[0].n_reactants == 2 && c->reactions[0].n_products == 0 && c->reactions[0].type == 0);
    assert_true(c->reactions[0].rate == 1.13e11 && c->reactions[0].line == 5);
    assert_true(c->reactions[1].n_reactants == 2 && c->reactions[1].n_products == 3 && c->reactions[1].type == -1);
    assert_string_equal(c->reactions[2].reactants[0], "H3O+"); /* the plus of the name stays */
    assert_string_equal(c->reactions[2].reactants[1], "O2-");
    assert_int_equal(c->n_other, 1);
    assert_non_null(strstr(log.text, "water left out 4 times; 1 other commands skipped"));
    g4_chemistry_destroy(&c);
    crp_context_destroy(&context);
}

static void table_is_read(void **state)
{
    (void)state;
    static const char text[] = "scavenger: O2 0.27 mM\nscavenger: [N2O] 0.025\n"
                               "e_aq + [N2O] -> OH + OH- + N2 , 9.1e9 type_6\n"
                               "HO2 + H2O -> H3O+ + O2- , 7.15e5 type_6\n"
                               "OH + OH -> H2O2 , 5.5e9\n";
    reader_log log;
    crp_context *context = reader_context(&log);
    g4_chemistry *c = NULL;
    assert_true(g4_chemistry_looks_like(text, strlen(text)));
    assert_int_equal(parse(context, text, &c), CRP_OK);
    assert_int_equal(c->n_scavengers, 2);
    assert_true(fabs(c->scavengers[0].concentration - 2.7e-4) < 1e-18);
    assert_string_equal(c->scavengers[1].name, "N2O");
    assert_true(!c->reactions[0].is_bulk[0] && c->reactions[0].is_bulk[1] && c->reactions[0].type == 6);
    assert_string_equal(c->reactions[0].reactants[1], "N2O");
    assert_true(c->reactions[1].n_reactants == 1 && c->reactions[1].n_products == 2);
    assert_int_equal(c->reactions[2].type, -1);
    g4_chemistry_destroy(&c);
    crp_context_destroy(&context);
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        crp_status status;
        const char *message;
    } cases[] = {
        {"", CRP_ERR_FORMAT, "c.mac: holds no reactions, species or scavengers"},
        {"/run/beamOn 1\n", CRP_ERR_FORMAT, "c.mac: holds no reactions"},
        {"hello\n", CRP_ERR_FORMAT, "c.mac:1: is no reaction"},
        {"A + B -> C | Arr | 1e10 | 2\n", CRP_ERR_UNSUPPORTED, "c.mac:1: rate of kind \"Arr\" (only Fix is read)"},
        {"A + B -> C | Fix\n", CRP_ERR_FORMAT, "c.mac:1: rate = \"\""},
        {"A + B -> C | Fix | -1 | 0\n", CRP_ERR_CONFIG, "c.mac:1: rate = -1 must be > 0"},
        {"A + B -> C | Fix | nan | 0\n", CRP_ERR_FORMAT, "c.mac:1: rate = \"nan\""},
        {"A + B -> C | Fix | 1e9 | 2\n", CRP_ERR_CONFIG, "c.mac:1: type must be 0"},
        {"A + B -> C | Fix | 1e9 | 1 | 3\n", CRP_ERR_CONFIG, "c.mac:1: type must be 0"},
        {"A + B + C -> D | Fix | 1e9 | 1\n", CRP_ERR_FORMAT, "c.mac:1: a reaction has one or two reactants besides water"},
        {"H2O -> D | Fix | 1e9 | 1\n", CRP_ERR_FORMAT, "c.mac:1: a reaction has one or two reactants besides water"},
        {"A +  + B -> D | Fix | 1e9 | 1\n", CRP_ERR_FORMAT, "c.mac:1: a species has no name"},
        {"A | -> B | Fix | 1e9 | 1\n", CRP_ERR_FORMAT, "c.mac:1: the equation A + B -> C must come first"},
        {"A -> B , 1e9 type_7\n", CRP_ERR_CONFIG, "c.mac:1: the type must be type_1 to type_6"},
        {"A -> B , 1e9 type_6 more\n", CRP_ERR_FORMAT, "c.mac:1: wanted \"A + B -> C + D , rate type_n\""},
        {"A -> B\n", CRP_ERR_FORMAT, "c.mac:1: wanted \"A + B -> C + D , rate type_n\""},
        {"O2 [ O2 | 0 | -1 | 0.1 ]\n", CRP_ERR_CONFIG, "c.mac:1: charge must be a whole number"},
        {"O2 [ O2 | 0.5 | 1e-9 | 0.1 ]\n", CRP_ERR_CONFIG, "c.mac:1: charge must be a whole number"},
        {"O2 [ O2 | 0 | 1e-9 | 0.1 | 5 ]\n", CRP_ERR_CONFIG, "c.mac:1: charge must be a whole number"},
        {"O2 [ O2 | 0 ]\n", CRP_ERR_FORMAT, "c.mac:1: D = \"\""},
        {"O2 | 0 | 1\n", CRP_ERR_FORMAT, "c.mac:1: wanted \"name [ molecule"},
        {"\nscavenger: O2 -1 M\n", CRP_ERR_CONFIG, "c.mac:2: concentration = -1 is negative"},
        {"scavenger: O2 1 kg\n", CRP_ERR_CONFIG, "c.mac:1: the unit of the concentration must be M"},
        {"scavenger: O2\n", CRP_ERR_FORMAT, "c.mac:1: wanted \"scavenger: NAME concentration"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        g4_chemistry *c = NULL;
        reader_expect(context, parse(context, cases[i].text, &c), cases[i].status, cases[i].message);
        crp_context_destroy(&context);
    }
}

static void other_texts_are_not_taken(void **state)
{
    (void)state;
    static const char *const texts[] = {"1.0 # file version\n1\n", "kind: chem\nset: paper\n", "species,x,y,z\nOH,1,2,3\n", ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_false(g4_chemistry_looks_like(texts[i], strlen(texts[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(macro_is_read), cmocka_unit_test(table_is_read),
                                       cmocka_unit_test(faults), cmocka_unit_test(other_texts_are_not_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
