/* Geant4-DNA's reactions become a set: types by charge, bulk partners, balance; and what does not fit is refused with its line. */
#include "model/chem/chem.h"
#include "reader_fixture.h"

#include <math.h>

static void macro_becomes_a_set(void **state)
{
    (void)state;
    static const char text[] = "/chem/species NO2m [ NO2 | -1 | 1.9e-9 | 0.25 ]\n"
                               "/chem/species OH [ OH | 0 | 2.8e-9 | 0.22 ]\n"
                               "e_aq^-1 + H3O^1 -> H + H2O | Fix | 2.11e10 | 1\n"
                               "OH + OH -> H2O2 | Fix | 5.5e9 | 0\n"
                               "H3O^1 + OH^-1 -> H2O + H2O | Fix | 1.13e11 | 0\n"
                               "e_aq + [O2] -> O2m , 1.74e10 type_6\n"
                               "scavenger: O2 0.25 mM\n";
    reader_log log;
    crp_context *context = reader_context(&log);
    chem_set set = {0};
    assert_true(chem_set_is_geant4(text, sizeof text - 1));
    crp_status status = chem_set_from_geant4(context, "c.mac", text, sizeof text - 1, &set);
    reader_expect(context, status, CRP_OK, NULL);
    assert_int_equal(set.n_reactions, 4);
    assert_int_equal(set.reactions[0].type, CHEM_TYPE_IV);
    assert_int_equal(set.reactions[1].type, CHEM_TYPE_I);
    assert_int_equal(set.reactions[2].type, CHEM_TYPE_III);
    assert_true(set.reactions[3].type == CHEM_TYPE_VI && fabs(set.reactions[3].concentration - 2.5e-4) < 1e-15);
    uint32_t oh = chem_species_find(&set, "OH");
    assert_true(fabs(set.species[oh].diffusion - 2.8e-3) < 1e-12); /* the file's, not the list's */
    assert_true(fabs(set.reactions[1].radius - 2.0 * 5.5e9 / (CHEM_RATE_UNIT * 5.6e-3)) < 1e-9); /* 2k */
    assert_int_equal(set.species[chem_species_find(&set, "NO2m")].charge, -1);
    chem_set_clear(&set);
    crp_context_destroy(&context);
}

static void misfits(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"\ne_aq + XY -> H | Fix | 1e10 | 0\n", "c.mac:2: species XY is not known"},
        {"e_aq + OH -> H2O2 | Fix | 1e10 | 0\n", "c.mac:1: "},
        {"[O2] + [OH] -> HO2 , 1e9 type_6\n", "c.mac:1: all reactants are in brackets"},
        {"OH + OH -> H2O2 | Fix | 5.5e9 | 0\nscavenger: O2 1e-3\n", "c.mac:2: no reaction has [O2]"},
        {"/chem/species X [ O2 | 1 | 1e-9 | 0.2 ]\nX [ O2 | 0 | 1e-9 ]\nOH + OH -> H2O2 | Fix | 5.5e9 | 0\n",
         "c.mac:2: species X: charge = 0, and X has +1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        chem_set set = {0};
        crp_status status = chem_set_from_geant4(context, "c.mac", cases[i].text, strlen(cases[i].text), &set);
        reader_expect(context, status, CRP_ERR_CONFIG, cases[i].message);
        crp_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(macro_becomes_a_set), cmocka_unit_test(misfits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
