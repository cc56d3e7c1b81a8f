/* Species: names and their other spellings, formulas, and the list of them. */
#include "model/chem/chem.h"

#include "core/context.h"
#include "core/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Spellings of Geant4-DNA, TOPAS-nBio and gMicroMC, for sets that do not list them. */
static const char *const spellings[][2] = {
    {"e_aq", "e_aq^-1 e_aq- e-aq eaq eaq- e_aq^-1 SolvatedElectron Solvated_Electron solvatedelectron e_solv"},
    {"OH", "OH^0 \xc2\xb0OH OH. .OH \xe2\x80\xa2OH Hydroxyl hydroxyl Hydroxyl_Radical OHradical"},
    {"H", "H^0 H. H\xe2\x80\xa2 Hydrogen hydrogen H_atom"},
    {"H3O+", "H3Op H3O^1 H3O^+1 Hydronium hydronium H3O Hyd+ H+ H_aq+"},
    {"H2", "H_2^0 H_2 H2^0 DiHydrogen Dihydrogen dihydrogen"},
    {"OH-", "OHm OH^-1 Hydroxide hydroxide OH_m"},
    {"H2O2", "H2O2^0 H2O_2 Hydrogen_Peroxide HydrogenPeroxide hydrogenperoxide Peroxide"},
    {"O2", "O2^0 O_2 O_2^0 Oxygen oxygen DiOxygen Dioxygen"},
    {"HO2", "HO2^0 HO_2 HO_2^0 HO2. HydroPeroxy Hydroperoxy"},
    {"O2-", "O2m O2^-1 O_2^-1 Superoxide SuperOxide superoxide"},
    {"HO2-", "HO2m HO2^-1 HO_2^-1 HydroPeroxide"},
    {"O", "O(3P) O^0 Oxygen_Atom"},
    {"O-", "Om O^-1"},
    {"O3", "O3^0 O_3^0 Ozone"},
    {"O3-", "O3m O3^-1 O_3^-1 Ozonide"},
};

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; at != NULL && n > 0 && (at = strstr(at, word)) != NULL; ++at) {
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static uint32_t find_exact(const chem_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->n_species; ++i) {
        if (strcmp(set->species[i].name, name) == 0) {
            return i;
        }
    }
    for (uint32_t i = 0; i < set->n_species; ++i) {
        if (set->species[i].aliases != NULL && has_word(set->species[i].aliases, name)) {
            return i;
        }
    }
    return CHEM_NO_SPECIES;
}

uint32_t chem_species_find(const chem_set *set, const char *name)
{
    uint32_t found = find_exact(set, name);
    for (size_t k = 0; found == CHEM_NO_SPECIES && k < sizeof spellings / sizeof spellings[0]; ++k) {
        if (has_word(spellings[k][1], name)) {
            found = find_exact(set, spellings[k][0]);
        }
    }
    return found;
}

crp_status chem_species_need(crp_context *context, const char *where, const chem_set *set, const char *name, uint32_t *i)
{
    *i = chem_species_find(set, name);
    if (*i != CHEM_NO_SPECIES) {
        return CRP_OK;
    }
    const char *near = set->n_species == 0 ? NULL
                                           : nearest_inline(name, set->species[0].name, sizeof *set->species, set->n_species);
    return context_fail(context, CRP_ERR_CONFIG, "%s: species %.60s is not known (the set %s has %u species)%s%s%s", where,
                        name, set->name[0] != '\0' ? set->name : "in use", set->n_species, near != NULL ? ": did you mean " : ": add it to the set, with its diffusion coefficient",
                        near != NULL ? near : "", near != NULL ? "?" : "");
}

/* ------------------------------------------------------------------------------------------------- formulas */

static void count_element(chem_species *s, const char *symbol, int32_t n, bool *is_full)
{
    if (strcmp(symbol, "H") == 0) {
        s->n_hydrogen += n;
        return;
    }
    if (strcmp(symbol, "O") == 0) {
        s->n_oxygen += n;
        return;
    }
    for (uint32_t i = 0; i < s->n_elements; ++i) {
        if (strcmp(s->elements[i].symbol, symbol) == 0) {
            s->elements[i].n += n;
            return;
        }
    }
    *is_full = s->n_elements == CHEM_MAX_ELEMENTS;
    if (!*is_full) {
        chem_element *e = &s->elements[s->n_elements++];
        snprintf(e->symbol, sizeof e->symbol, "%.3s", symbol);
        e->n = n;
    }
}

/* The charge at the end: "+", "-", "2+", "3-" after a '^', or plain signs. */
static const char *scan_charge(const char *at, int32_t *charge)
{
    int32_t n = 0, digits = 0;
    at += *at == '^';
    while (isdigit((unsigned char)*at) && digits < 2) {
        n = 10 * n + (*at++ - '0');
        ++digits;
    }
    if (*at != '+' && *at != '-') {
        return at;
    }
    int32_t sign = *at == '+' ? 1 : -1, signs = 0;
    for (; *at == '+' || *at == '-'; ++at) {
        ++signs;
    }
    *charge = sign * (digits > 0 ? n : signs);
    return at;
}

crp_status chem_formula_parse(crp_context *context, const char *where, const char *formula, chem_species *s)
{
    const char *at = formula;
    bool is_full = false;
    s->charge = 0;
    s->n_hydrogen = s->n_oxygen = 0;
    s->n_elements = 0;
    if (strncmp(formula, "e_aq", 4) == 0 || strcmp(formula, "e-") == 0) {
        s->charge = -1;
        return CRP_OK;
    }
    while (isupper((unsigned char)*at)) {
        char symbol[4] = {*at++, '\0', '\0', '\0'};
        if (islower((unsigned char)*at)) {
            symbol[1] = *at++;
        }
        int32_t n = 0;
        /* A digit before a sign at the end belongs to the charge only after '^'. */
        while (isdigit((unsigned char)*at) && n < 100000) {
            n = 10 * n + (*at++ - '0');
        }
        count_element(s, symbol, n == 0 ? 1 : n, &is_full);
        CRP_CHECK(context, !is_full, CRP_ERR_CONFIG, "%s: the formula %.40s has too many elements (at most %d besides H and O)",
                  where, formula, CHEM_MAX_ELEMENTS);
    }
    at = scan_charge(at, &s->charge);
    CRP_CHECK(context, at != formula && *at == '\0', CRP_ERR_CONFIG,
              "%s: the formula %.40s is not understood (element symbols with counts, and ^2- or signs for the charge, such "
              "as H2O2, SO4^2-, OH-): write one after formula=", where, formula);
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------------- list */

crp_status chem_set_add_species(crp_context *context, const char *where, chem_set *set, const chem_species *species,
                                uint32_t *index)
{
    CRP_CHECK(context, species->name[0] != '\0', CRP_ERR_CONFIG, "%s: a species needs a name", where);
    CRP_CHECK(context, find_exact(set, species->name) == CHEM_NO_SPECIES, CRP_ERR_CONFIG,
              "%s: species %s is there already (names and aliases are unique): take another name", where, species->name);
    CRP_CHECK(context, species->diffusion >= 0.0 && species->diffusion <= 1.0e3, CRP_ERR_CONFIG,
              "%s: species %s: D = %g 1e-9 m2/s must lie in [0, 1e6]", where, species->name, 1.0e3 * species->diffusion);
    CRP_CHECK(context, species->radius >= 0.0 && species->radius <= 1.0e3, CRP_ERR_CONFIG,
              "%s: species %s: radius = %g nm must lie in [0, 1000]", where, species->name, species->radius);
    uint32_t n = set->n_species;
    if ((n & (n - 1)) == 0) {
        size_t room = n == 0 ? 1 : 2 * (size_t)n;
        chem_species *larger = realloc(set->species, room * sizeof *larger);
        CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory for %zu species", where, room);
        set->species = larger;
    }
    set->species[n] = *species;
    set->n_species = n + 1;
    *index = n;
    return CRP_OK;
}
