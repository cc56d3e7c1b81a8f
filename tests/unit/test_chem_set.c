/* Species and reactions from text: radii, conventions, balance, and what is refused with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"

static const chem_reaction *reaction_named(const chem_set *set, const char *name)
{
    char text[256];
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        if (strcmp(chem_reaction_print(set, &set->reactions[i], text, sizeof text), name) == 0) {
            return &set->reactions[i];
        }
    }
    fail_msg("no reaction %s", name);
    return NULL;
}

static void expect_radius(const chem_set *set, const char *name, double radius)
{
    double found = reaction_named(set, name)->radius;
    if (fabs(found - radius) > 2e-4 * radius) {
        fail_msg("%s: radius %.6f nm where %.6f is right", name, found, radius);
    }
}

/* R = k/(4 pi D N_A), for equal partners too. */
static void test_paper(void **state)
{
    (void)state;
    crp_context *context = chem_case_context();
    chem_set set = {0};
    assert_int_equal(chem_set_load(context, "test", "paper", &set), CRP_OK);
    assert_int_equal(set.n_species, 7);
    assert_int_equal(set.n_reactions, 10);
    expect_radius(&set, "OH + OH -> H2O2", 0.10381);
    expect_radius(&set, "e_aq + H3O+ -> H", 0.20056);
    expect_radius(&set, "OH + e_aq -> OH-", 0.50618);
    expect_radius(&set, "H3O+ + OH- -> H2O", 1.3495);
    for (uint32_t i = 0; i < set.n_reactions; ++i) {
        assert_int_equal(set.reactions[i].type, CHEM_TYPE_I);
    }
    assert_int_equal(chem_species_find(&set, "Hydronium"), chem_species_find(&set, "H3O+"));
    assert_int_equal(chem_species_find(&set, "e_aq^-1"), chem_species_find(&set, "e_aq"));
    assert_true(chem_species_find(&set, "nothing") == CHEM_NO_SPECIES);
    chem_set_clear(&set);
    crp_context_destroy(&context);
}

#define TWO "species A D=4.9 formula=e-\nspecies B D=2.2 radius=0.22 formula=HO\nspecies C D=5.3 formula=OH-\n"

/* e + OH of type II: sigma 0.72 nm, k_dif 3.869, k_act 12.418, alpha 5.847/nm. */
static void test_partially_controlled(void **state)
{
    (void)state;
    crp_context *context = chem_case_context();
    chem_set set = {0};
    assert_int_equal(chem_set_parse(context, "t", TWO "reaction A + B -> C k=2.95e10 type=II sigma=0.72\n", &set), CRP_OK);
    const chem_reaction *r = &set.reactions[0];
    assert_true(fabs(r->k_dif / 3.869e10 - 1.0) < 1e-3 && fabs(r->k_act / 12.418e10 - 1.0) < 1e-3);
    assert_true(fabs(r->alpha / 5.847 - 1.0) < 1e-3);
    chem_set_clear(&set);
    crp_context_destroy(&context);
}

/* The natural distance of ions gives back the rate constant through Debye's factor. */
static void test_ions(void **state)
{
    (void)state;
    crp_context *context = chem_case_context();
    chem_set set = {0};
    assert_int_equal(chem_set_parse(context, "t",
                                    "species P D=9 formula=H3O+\nspecies M D=5 formula=OH-\n"
                                    "reaction P + M -> 2 H2O k=14.3e10 type=III\n", &set), CRP_OK);
    const chem_reaction *r = &set.reactions[0];
    double back = r->onsager / (exp(r->onsager / r->radius) - 1.0);
    assert_true(r->onsager < 0.0 && fabs(back / r->effective_radius - 1.0) < 1e-9);
    chem_set_clear(&set);
    crp_context_destroy(&context);
}

/* A set written and read again is the same text. */
static void test_round_trip(void **state)
{
    (void)state;
    crp_context *context = chem_case_context();
    for (size_t i = 0; chem_set_names[i] != NULL; ++i) {
        chem_set first = {0}, second = {0};
        char *a = NULL, *b = NULL;
        size_t n_a = 0, n_b = 0;
        assert_int_equal(chem_set_load(context, "test", chem_set_names[i], &first), CRP_OK);
        FILE *file = open_memstream(&a, &n_a);
        chem_set_write(file, &first);
        fclose(file);
        if (chem_set_parse(context, chem_set_names[i], a, &second) != CRP_OK) {
            fail_msg("%s", crp_context_error(context));
        }
        file = open_memstream(&b, &n_b);
        chem_set_write(file, &second);
        fclose(file);
        assert_string_equal(a, b);
        free(a);
        free(b);
        chem_set_clear(&first);
        chem_set_clear(&second);
    }
    crp_context_destroy(&context);
}

/* Every wrong line is refused, with its number and these words. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {TWO "reaction A + B -> B k=1e10\n", "t:4: A + B -> B does not conserve charge"},
        {TWO "reaction B + B -> H k=1\n", "t:4: species H is not known"},
        {TWO "species P D=2 formula=H2O2\nreaction B + B -> P k=1e10\n", "t:5: B + B -> P joins equal partners"},
        {TWO "rate_convention k\nspecies H D=7\nreaction B + B -> H k=1e10\n", "does not conserve hydrogen and oxygen"},
        {TWO "reaction A + B -> C k=-1\n", "k = -1 /M/s must be 0 or larger"},
        {TWO "reaction A + B -> C k=nan\n", "t:4: k"},
        {TWO "reaction A + B -> C k=9e10 type=II sigma=0.72\n", "take a larger sigma, or type I"},
        {TWO "reaction A + B -> C\n", "needs k="},
        {TWO "reaction A -> A\n", "needs rate="},
        {TWO "reaction A + B + C -> C k=1\n", "more than two reactants"},
        {TWO "reaction A + B -> C k=1e10\nreaction B + A -> C k=1e10\n", "have a reaction already (line 4)"},
        {TWO "reaction A + [B] -> C k=1e10\nscavenger B -1\n", "t:5: the concentration of B is -1"},
        {TWO "scavenger B 1\n", "no reaction has [B]"},
        {TWO "reaction A + B -> C k=1e10 typ=I\n", "did you mean type?"},
        {"species A D=1 formula=xx\n", "t:1: the formula xx is not understood"},
        {"species A\n", "needs a diffusion coefficient"},
        {"species A D=-1 formula=OH\n", "must lie in"},
        {"species O2 D=2\nspecies O2 D=2\n", "t:2: species O2 is there already"},
        {"species O2 D=2 charge=1\n", "charge = 1, and its formula O2 says +0"},
        {"spezies O2\n", "did you mean species?"},
        {"", "names no species"},
    };
    crp_context *context = chem_case_context();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        chem_set set = {0};
        crp_status status = chem_set_parse(context, "t", cases[i].text, &set);
        if (status == CRP_OK) {
            chem_set_clear(&set);
            fail_msg("accepted: %s", cases[i].text);
        }
        if (cases[i].words != NULL && strstr(crp_context_error(context), cases[i].words) == NULL) {
            fail_msg("\"%s\" has not \"%s\"", crp_context_error(context), cases[i].words);
        }
    }
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),      cmocka_unit_test(test_partially_controlled), cmocka_unit_test(test_ions),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
