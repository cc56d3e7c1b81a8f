/* Reactions: balance of charge and atoms, and what follows from a rate constant. */
#include "model/chem/chem.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const chem_set *set, uint32_t species)
{
    return set->species[species].name;
}

const char *chem_reaction_print(const chem_set *set, const chem_reaction *r, char *text, size_t size)
{
    int n = snprintf(text, size, "%s", name_of(set, r->reactants[0]));
    if (r->reactants[1] != CHEM_NO_SPECIES) {
        n += snprintf(text + n, size - (size_t)n, " + %s", name_of(set, r->reactants[1]));
    } else if (r->scavenger != CHEM_NO_SPECIES) {
        n += snprintf(text + n, size - (size_t)n, " + [%s]", name_of(set, r->scavenger));
    }
    n += snprintf(text + n, size - (size_t)n, " ->");
    for (uint32_t k = 0; k < r->n_products && (size_t)n < size; ++k) {
        n += snprintf(text + n, size - (size_t)n, "%s %s", k == 0 ? "" : " +", name_of(set, r->products[k]));
    }
    if (r->n_products == 0 && (size_t)n < size) {
        snprintf(text + n, size - (size_t)n, " H2O");
    }
    return text;
}

/* -------------------------------------------------------------------------------------------------- balance */

/* What one side holds, with a sign. */
typedef struct ledger {
    int32_t charge, hydrogen, oxygen;
    chem_element elements[4 * CHEM_MAX_ELEMENTS];
    uint32_t n_elements;
} ledger;

static void enter(ledger *l, const chem_species *s, int32_t sign)
{
    l->charge += sign * s->charge;
    l->hydrogen += sign * s->n_hydrogen;
    l->oxygen += sign * s->n_oxygen;
    for (uint32_t i = 0; i < s->n_elements; ++i) {
        uint32_t k = 0;
        while (k < l->n_elements && strcmp(l->elements[k].symbol, s->elements[i].symbol) != 0) {
            ++k;
        }
        if (k == l->n_elements && k < sizeof l->elements / sizeof l->elements[0]) {
            l->elements[l->n_elements++] = (chem_element){.n = 0};
            memcpy(l->elements[k].symbol, s->elements[i].symbol, sizeof l->elements[k].symbol);
        }
        l->elements[k].n += sign * s->elements[i].n;
    }
}

crp_status chem_reaction_balance(crp_context *context, const char *where, const chem_set *set, const chem_reaction *r)
{
    ledger l = {0};
    char text[256];
    for (uint32_t k = 0; k < CHEM_MAX_REACTANTS; ++k) {
        if (r->reactants[k] != CHEM_NO_SPECIES) {
            enter(&l, &set->species[r->reactants[k]], -1);
        }
    }
    if (r->scavenger != CHEM_NO_SPECIES) {
        enter(&l, &set->species[r->scavenger], -1);
    }
    for (uint32_t k = 0; k < r->n_products; ++k) {
        enter(&l, &set->species[r->products[k]], 1);
    }
    chem_reaction_print(set, r, text, sizeof text);
    CRP_CHECK(context, l.charge == 0, CRP_ERR_CONFIG,
              "%s: %s does not conserve charge (products carry %+d more than reactants): correct a species or the charges",
              where, text, l.charge);
    for (uint32_t k = 0; k < l.n_elements; ++k) {
        CRP_CHECK(context, l.elements[k].n == 0, CRP_ERR_CONFIG,
                  "%s: %s does not conserve %s (products hold %+d more): correct a species or a formula", where, text,
                  l.elements[k].symbol, l.elements[k].n);
    }
    /* Water may enter or leave: H and O can be made up by H2O if 2 O match H. */
    CRP_CHECK(context, l.hydrogen == 2 * l.oxygen, CRP_ERR_CONFIG,
              "%s: %s does not conserve hydrogen and oxygen (products hold H %+d and O %+d more, which is no number of water "
              "molecules): correct a species or a formula", where, text, l.hydrogen, l.oxygen);
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- derive */

/* Onsager radius of the pair: z1 z2 times that of two unit charges. Negative where they attract. */
static double onsager_of(const chem_set *set, const chem_reaction *r)
{
    return (double)(set->species[r->reactants[0]].charge * set->species[r->reactants[1]].charge) * set->onsager;
}

/* sigma_eff = r_c/(exp(r_c/sigma) - 1): the radius with which neutral molecules would meet as often (Debye 1942). */
static double effective_of(double sigma, double onsager)
{
    return onsager == 0.0 ? sigma : onsager / expm1(onsager / sigma);
}

static crp_status derive_controlled(crp_context *context, const char *where, const chem_set *set, chem_reaction *r)
{
    char text[256];
    chem_reaction_print(set, r, text, sizeof text);
    const chem_species *a = &set->species[r->reactants[0]], *b = &set->species[r->reactants[1]];
    r->radius = r->sigma > 0.0 ? r->sigma : a->radius + b->radius;
    CRP_CHECK(context, r->radius > 0.0, CRP_ERR_CONFIG, "%s: %s is of type %s and needs a contact distance: give sigma=, or "
              "radius= to its species", where, text, r->type == CHEM_TYPE_II ? "II" : "IV");
    double sigma_eff = effective_of(r->radius, r->onsager);
    double k_pair = CHEM_RATE_UNIT * r->effective_radius * r->diffusion;
    r->k_dif = CHEM_RATE_UNIT * sigma_eff * r->diffusion;
    CRP_CHECK(context, k_pair < r->k_dif, CRP_ERR_CONFIG,
              "%s: %s: k = %.4g /M/s is not below %.4g, the rate at which its partners meet (contact distance %g nm): take a "
              "larger sigma, or type %s", where, text, k_pair, r->k_dif, r->radius, r->type == CHEM_TYPE_II ? "I" : "III");
    r->k_act = k_pair * r->k_dif / (r->k_dif - k_pair);
    r->alpha = (1.0 + r->k_act / r->k_dif) / sigma_eff;
    return CRP_OK;
}

static crp_status derive_first_order(crp_context *context, const char *where, const chem_set *set, chem_reaction *r)
{
    char text[256];
    chem_reaction_print(set, r, text, sizeof text);
    if (r->scavenger == CHEM_NO_SPECIES) {
        CRP_CHECK(context, r->rate >= 0.0 && isfinite(r->rate), CRP_ERR_CONFIG, "%s: %s: rate = %g /s must be 0 or larger",
                  where, text, r->rate);
        r->rate_total = 1.0e-12 * r->rate;
        return CRP_OK;
    }
    CRP_CHECK(context, r->k >= 0.0 && isfinite(r->k), CRP_ERR_CONFIG, "%s: %s: k = %g /M/s must be 0 or larger", where, text, r->k);
    CRP_CHECK(context, r->concentration >= 0.0 && isfinite(r->concentration), CRP_ERR_CONFIG,
              "%s: %s: the concentration of %s is %g mol/l, and must be 0 or larger", where, text, name_of(set, r->scavenger),
              r->concentration);
    r->diffusion = set->species[r->reactants[0]].diffusion + set->species[r->scavenger].diffusion;
    r->radius = r->diffusion > 0.0 ? r->k / (CHEM_RATE_UNIT * r->diffusion) : 0.0;
    r->effective_radius = r->radius;
    r->rate_total = 1.0e-12 * r->k * r->concentration;
    return CRP_OK;
}

/* Nothing reacts over a micrometre: such a k has another unit. */
static const double LARGEST_RADIUS = 1.0e3;

static crp_status check_radius(crp_context *context, const char *where, const chem_set *set, const chem_reaction *r)
{
    char text[256];
    CRP_CHECK(context, r->radius <= LARGEST_RADIUS, CRP_ERR_CONFIG, "%s: %s: k = %.4g /M/s makes a contact radius of %.3g nm (at most "
              "%g): is it in 1/(M s)?", where, chem_reaction_print(set, r, text, sizeof text), r->k, r->radius, LARGEST_RADIUS);
    return CRP_OK;
}

crp_status chem_reaction_derive(crp_context *context, const char *where, const chem_set *set, chem_reaction *r)
{
    char text[256];
    chem_reaction_print(set, r, text, sizeof text);
    r->onsager = r->k_dif = r->alpha = 0.0;
    r->k_act = (double)INFINITY;
    if (r->type == CHEM_TYPE_VI) {
        return derive_first_order(context, where, set, r);
    }
    bool is_same = r->reactants[0] == r->reactants[1];
    CRP_CHECK(context, r->k >= 0.0 && isfinite(r->k), CRP_ERR_CONFIG, "%s: %s: k = %g /M/s must be 0 or larger", where, text, r->k);
    CRP_CHECK(context, !is_same || set->convention != CHEM_CONVENTION_UNSTATED, CRP_ERR_CONFIG,
              "%s: %s joins equal partners and the file does not say what k means for them (d[A]/dt = -2k[A]^2, or k into the "
              "radius as it stands: a factor 2): put a line \"rate_convention 2k\" or \"rate_convention k\" before it", where, text);
    r->diffusion = set->species[r->reactants[0]].diffusion + set->species[r->reactants[1]].diffusion;
    CRP_CHECK(context, r->diffusion > 0.0 || r->k == 0.0, CRP_ERR_CONFIG,
              "%s: %s: neither partner moves (D = 0), so they cannot meet: give one a diffusion coefficient", where, text);
    double k_pair = is_same && set->convention == CHEM_CONVENTION_2K ? 2.0 * r->k : r->k;
    r->effective_radius = r->diffusion > 0.0 ? k_pair / (CHEM_RATE_UNIT * r->diffusion) : 0.0;
    r->radius = r->effective_radius;
    if (r->type == CHEM_TYPE_III || r->type == CHEM_TYPE_IV) {
        r->onsager = onsager_of(set, r);
    }
    if (r->type == CHEM_TYPE_V) {
        r->radius = r->effective_radius / r->spin;
    }
    if (r->type == CHEM_TYPE_III && r->onsager != 0.0 && r->effective_radius > 0.0) {
        double x = r->onsager / r->effective_radius;
        CRP_CHECK(context, x > -1.0, CRP_ERR_CONFIG, "%s: %s: k = %.4g /M/s is below what attraction alone gives (effective "
                  "radius %g nm, Onsager radius %g nm): take type IV", where, text, k_pair, r->effective_radius, r->onsager);
        r->radius = r->onsager / log1p(x);
    }
    CRP_TRY(check_radius(context, where, set, r));
    if (r->type == CHEM_TYPE_II || r->type == CHEM_TYPE_IV) {
        return derive_controlled(context, where, set, r);
    }
    r->k_dif = k_pair;
    return CRP_OK;
}

crp_status chem_set_add_reaction(crp_context *context, const char *where, chem_set *set, const chem_reaction *reaction)
{
    chem_reaction r = *reaction;
    CRP_TRY(chem_reaction_balance(context, where, set, &r));
    CRP_TRY(chem_reaction_derive(context, where, set, &r));
    uint32_t n = set->n_reactions;
    if ((n & (n - 1)) == 0) {
        size_t room = n == 0 ? 1 : 2 * (size_t)n;
        chem_reaction *larger = realloc(set->reactions, room * sizeof *larger);
        CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory for %zu reactions", where, room);
        set->reactions = larger;
    }
    set->reactions[n] = r;
    set->n_reactions = n + 1;
    return CRP_OK;
}
