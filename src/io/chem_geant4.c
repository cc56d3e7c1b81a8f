/** Chemistry of Geant4-DNA as a set: see chem_set_from_geant4 in chem.h. Format: docs/formats/geant4_chem.md. */
#include "core/context.h"
#include "io/geant4_chem.h"
#include "model/chem/chem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool chem_set_is_geant4(const void *bytes, size_t n_bytes)
{
    return g4_chemistry_looks_like(bytes, n_bytes);
}

/* The species that Geant4-DNA knows without being told: the lines of the shipped set that name them. */
static crp_status take_known_species(crp_context *context, const char *path, chem_set *set)
{
    const char *text = chem_set_text("geant4");
    char *known = calloc(strlen(text) + 64, 1);
    CRP_CHECK(context, known != NULL, CRP_ERR_MEMORY, "%s: no memory for its species", path);
    size_t used = (size_t)sprintf(known, "set geant4-file\nrate_convention 2k\n");
    for (const char *at = text; *at != '\0';) {
        size_t n = strcspn(at, "\n");
        if (strncmp(at, "species ", 8) == 0 || strncmp(at, "source ", 7) == 0) {
            memcpy(known + used, at, n);
            used += n;
            known[used++] = '\n';
        }
        at += n + (at[n] == '\n');
    }
    crp_status status = chem_set_parse(context, path, known, set);
    free(known);
    return status;
}

/* A species of the file: a new one, or other values for a known one. */
static crp_status take_species(crp_context *context, const char *path, const g4_species *g, chem_set *set)
{
    char where[1200];
    uint32_t index = chem_species_find(set, g->name);
    snprintf(where, sizeof where, "%s:%llu", path, (unsigned long long)g->line);
    if (index == CHEM_NO_SPECIES) {
        chem_species s = {0};
        snprintf(s.name, sizeof s.name, "%.31s", g->name);
        snprintf(s.source, sizeof s.source, "%.100s", path);
        CRP_TRY(chem_formula_parse(context, where, g->molecule, &s));
        CRP_CHECK(context, s.charge == 0 || s.charge == g->charge, CRP_ERR_CONFIG,
                  "%s: species %s: charge = %d, and its molecule %s says %+d: correct one of them", where, g->name, (int)g->charge,
                  g->molecule, (int)s.charge);
        s.charge = g->charge;
        CRP_TRY(chem_set_add_species(context, where, set, &s, &index));
    }
    chem_species *s = &set->species[index];
    CRP_CHECK(context, s->charge == g->charge, CRP_ERR_CONFIG, "%s: species %s: charge = %d, and %s has %+d", where, g->name,
              (int)g->charge, s->name, (int)s->charge);
    s->diffusion = g->diffusion * 1.0e6; /* m2/s -> nm2/ps */
    s->radius = isnan(g->radius) ? s->radius : g->radius;
    return CRP_OK;
}

/* 0: diffusion-controlled, 1: partially; 1 to 6 of tables as they are. Charges decide between molecules and ions. */
static chem_type type_of(const g4_reaction *g, const chem_set *set, const chem_reaction *r)
{
    if (r->reactants[1] == CHEM_NO_SPECIES) {
        return CHEM_TYPE_VI;
    }
    if (g->is_table && g->type > 0) {
        return (chem_type)g->type;
    }
    bool are_ions = set->species[r->reactants[0]].charge != 0 && set->species[r->reactants[1]].charge != 0;
    return g->type == 1 ? (are_ions ? CHEM_TYPE_IV : CHEM_TYPE_II) : are_ions ? CHEM_TYPE_III : CHEM_TYPE_I;
}

static crp_status take_reaction(crp_context *context, const char *path, const g4_reaction *g, chem_set *set)
{
    char where[1200];
    chem_reaction r = {.reactants = {CHEM_NO_SPECIES, CHEM_NO_SPECIES}, .scavenger = CHEM_NO_SPECIES, .spin = 0.25,
                       .line = (uint32_t)g->line};
    uint32_t n = 0;
    snprintf(where, sizeof where, "%s:%llu", path, (unsigned long long)g->line);
    snprintf(r.source, sizeof r.source, "%.100s", path);
    for (uint32_t i = 0; i < g->n_reactants; i++) {
        uint32_t index;
        CRP_TRY(chem_species_need(context, where, set, g->reactants[i], &index));
        if (g->is_bulk[i]) {
            r.scavenger = index;
        } else {
            r.reactants[n++] = index;
        }
    }
    CRP_CHECK(context, n > 0, CRP_ERR_CONFIG, "%s: all reactants are in brackets (a continuum alone does not react here)", where);
    CRP_CHECK(context, g->n_products <= CHEM_MAX_PRODUCTS, CRP_ERR_CONFIG, "%s: more than %d products", where,
              CHEM_MAX_PRODUCTS);
    for (uint32_t i = 0; i < g->n_products; i++) {
        CRP_TRY(chem_species_need(context, where, set, g->products[i], &r.products[r.n_products]));
        r.n_products++;
    }
    r.type = type_of(g, set, &r);
    bool is_alone = n == 1 && r.scavenger == CHEM_NO_SPECIES;
    r.rate = is_alone ? g->rate : 0.0;
    r.k = is_alone ? 0.0 : g->rate;
    return chem_set_add_reaction(context, where, set, &r);
}

static crp_status take_scavengers(crp_context *context, const char *path, const g4_chemistry *g, chem_set *set)
{
    for (size_t i = 0; i < g->n_scavengers; i++) {
        char where[1200];
        snprintf(where, sizeof where, "%s:%llu", path, (unsigned long long)g->scavengers[i].line);
        CRP_TRY(chem_set_scavenger(context, where, set, g->scavengers[i].name, g->scavengers[i].concentration));
    }
    return CRP_OK;
}

crp_status chem_set_from_geant4(crp_context *context, const char *path, const void *bytes, size_t n_bytes, chem_set *set)
{
    g4_chemistry *g = NULL;
    CRP_TRY(g4_chemistry_parse(context, path, bytes, n_bytes, &g));
    crp_status status;
    CRP_GOTO(take_known_species(context, path, set), done);
    for (size_t i = 0; i < g->n_species; i++) {
        CRP_GOTO(take_species(context, path, &g->species[i], set), done);
    }
    for (size_t i = 0; i < g->n_reactions; i++) {
        CRP_GOTO(take_reaction(context, path, &g->reactions[i], set), done);
    }
    status = take_scavengers(context, path, g, set);
done:
    g4_chemistry_destroy(&g);
    if (status != CRP_OK) {
        chem_set_clear(set);
    }
    return status;
}
