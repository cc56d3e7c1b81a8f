/* A set as text that chem_set_parse reads back. */
#include "model/chem/chem.h"

#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const types[] = {"", "I", "II", "III", "IV", "V", "VI"};

static void write_real(FILE *file, const char *key, double value)
{
    char text[NUMBER_TEXT];
    fprintf(file, " %s=%s", key, number_print(text, value));
}

/* The text of the formula of a species: what its name may not tell. */
static void write_formula(FILE *file, const chem_species *s)
{
    if (s->n_hydrogen == 0 && s->n_oxygen == 0 && s->n_elements == 0) {
        fputs(" formula=e-", file);
        return;
    }
    fputs(" formula=", file);
    if (s->n_hydrogen > 0) {
        fprintf(file, "H%d", s->n_hydrogen);
    }
    if (s->n_oxygen > 0) {
        fprintf(file, "O%d", s->n_oxygen);
    }
    for (uint32_t i = 0; i < s->n_elements; ++i) {
        fprintf(file, "%s%d", s->elements[i].symbol, s->elements[i].n);
    }
    if (s->charge != 0) {
        fprintf(file, "^%d%c", s->charge < 0 ? -s->charge : s->charge, s->charge < 0 ? '-' : '+');
    }
}

static void write_species(FILE *file, const chem_species *s)
{
    fprintf(file, "species %s D=%.15g", s->name, 1.0e3 * s->diffusion); /* 15 digits: free of the rounding of the unit */
    write_real(file, "radius", s->radius);
    write_formula(file, s);
    if (s->source[0] != '\0') {
        fprintf(file, " source=\"%s\"", s->source);
    }
    fputc('\n', file);
}

static void write_reaction(FILE *file, const chem_set *set, const chem_reaction *r)
{
    char text[512];
    fprintf(file, "reaction %s", chem_reaction_print(set, r, text, sizeof text));
    if (r->type == CHEM_TYPE_VI && r->scavenger == CHEM_NO_SPECIES) {
        write_real(file, "rate", r->rate);
    } else {
        write_real(file, "k", r->k);
    }
    fprintf(file, " type=%s", types[r->type]);
    if (r->sigma > 0.0) {
        write_real(file, "sigma", r->sigma);
    }
    if (r->type == CHEM_TYPE_V) {
        write_real(file, "spin", r->spin);
    }
    if (r->is_transient) {
        fputs(" transient=yes", file);
    }
    if (r->source[0] != '\0') {
        fprintf(file, " source=\"%s\"", r->source);
    }
    fputc('\n', file);
}

void chem_set_write(void *out, const chem_set *set)
{
    FILE *file = out;
    char text[NUMBER_TEXT];
    fprintf(file, "set \"%s\" \"%s\"\n", set->name, set->title);
    if (set->convention != CHEM_CONVENTION_UNSTATED) {
        fprintf(file, "rate_convention %s\n", set->convention == CHEM_CONVENTION_K ? "k" : "2k");
    }
    fprintf(file, "temperature %s\n", number_print(text, set->temperature));
    fprintf(file, "onsager %s\n", number_print(text, set->onsager));
    for (uint32_t i = 0; i < set->n_species; ++i) {
        write_species(file, &set->species[i]);
    }
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        write_reaction(file, set, &set->reactions[i]);
    }
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        const chem_reaction *r = &set->reactions[i];
        if (r->scavenger != CHEM_NO_SPECIES && r->concentration > 0.0) {
            fprintf(file, "scavenger %s %s\n", set->species[r->scavenger].name, number_print(text, r->concentration));
        }
    }
}

const char *chem_reaction_describe(const chem_set *set, const chem_reaction *r, char *text, size_t size)
{
    char name[256];
    int n = snprintf(text, size, "%s: type %s, ", chem_reaction_print(set, r, name, sizeof name), types[r->type]);
    char *rest = text + n;
    size_t room = n >= 0 && (size_t)n < size ? size - (size_t)n : 0;
    switch (r->type) {
    case CHEM_TYPE_VI:
        if (r->scavenger == CHEM_NO_SPECIES) {
            snprintf(rest, room, "rate = %g /s", r->rate);
        } else {
            snprintf(rest, room, "k = %g /M/s, of %g mol/l: %g /s%s", r->k, r->concentration, 1.0e12 * r->rate_total,
                     r->is_transient ? ", with the transient term" : "");
        }
        break;
    case CHEM_TYPE_II:
    case CHEM_TYPE_IV:
        snprintf(rest, room, "k = %g /M/s, contact at %.5g nm with k_act = %.4g /M/s", r->k, r->radius, r->k_act);
        break;
    default:
        snprintf(rest, room, "k = %g /M/s, R = %.5g nm", r->k, r->radius);
    }
    return text;
}
