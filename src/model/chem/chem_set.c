/* Sets of species and reactions from text: docs/formats/chem_set.md. */
#include "model/chem/chem.h"

#include "core/context.h"
#include "core/file.h"
#include "core/nearest.h"
#include "core/number.h"
#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64, MAX_LINE = 4096 };

/* r_c of water at 25 C: e^2/(4 pi eps0 eps kT) with eps = 78.3. */
static const double ONSAGER_25C = 0.711;

typedef struct parser {
    crp_context *context;
    const char *path;
    uint32_t line;
    char where[1200];        /* "path:line" */
    char buffer[MAX_LINE];
    char *words[MAX_WORDS];
    uint32_t n_words;
    char source[160];        /* of lines that name none */
    chem_set *set;
} parser;

void chem_set_clear(chem_set *set)
{
    for (uint32_t i = 0; i < set->n_species; ++i) {
        free(set->species[i].aliases);
    }
    free(set->species);
    free(set->reactions);
    *set = (chem_set){0};
}

/* ---------------------------------------------------------------------------------------------------- words */

/* Words by blanks; "..." keeps blanks inside, also behind key=. A '#' at the start of a word begins a comment. */
static crp_status split(parser *p)
{
    char *at = p->buffer;
    p->n_words = 0;
    for (;;) {
        at += strspn(at, " \t\r");
        if (*at == '\0' || *at == '#') {
            return CRP_OK;
        }
        CRP_CHECK(p->context, p->n_words < MAX_WORDS, CRP_ERR_CONFIG, "%s: has more than %d words", p->where, MAX_WORDS);
        char *to = at;
        p->words[p->n_words++] = at;
        int is_quoted = 0;
        while (*at != '\0' && (is_quoted || strchr(" \t\r", *at) == NULL)) {
            if (*at == '"') {
                is_quoted = !is_quoted;
                ++at;
            } else {
                *to++ = *at++;
            }
        }
        CRP_CHECK(p->context, !is_quoted, CRP_ERR_CONFIG, "%s: a quotation mark is not closed", p->where);
        if (*at != '\0') {
            ++at;
        }
        *to = '\0';
    }
}

/* Value of "key=value", or NULL when the word is another. */
static char *value_of(char *word, const char *key)
{
    size_t n = strlen(key);
    return strncmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1 : NULL;
}

static crp_status fail_key(parser *p, const char *word, const char *const *keys, size_t n)
{
    char key[64];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(word, "="), word);
    const char *near = nearest_name(key, keys, n);
    return context_fail(p->context, CRP_ERR_CONFIG, "%s: %s is not a key here%s%s%s", p->where, key,
                        near != NULL ? ": did you mean " : "", near != NULL ? near : "", near != NULL ? "?" : "");
}

static crp_status real(parser *p, const char *name, const char *text, double *value)
{
    char where[1300];
    snprintf(where, sizeof where, "%s: %s", p->where, name);
    return units_parse_real(p->context, where, text, UNIT_NUMBER, "", value);
}

/* ------------------------------------------------------------------------------------------------- species */

static crp_status set_aliases(parser *p, chem_species *s, const char *list)
{
    char *text = malloc(strlen(list) + 1);
    CRP_CHECK(p->context, text != NULL, CRP_ERR_MEMORY, "%s: no memory for aliases", p->where);
    for (size_t i = 0; i <= strlen(list); ++i) {
        text[i] = (char)(list[i] == ',' ? ' ' : list[i]);
    }
    free(s->aliases);
    s->aliases = text;
    return CRP_OK;
}

static crp_status species_key(parser *p, chem_species *s, char *word, char **formula, double *charge)
{
    static const char *const keys[] = {"D", "charge", "radius", "formula", "alias", "source"};
    char *value;
    if ((value = value_of(word, "D")) != NULL) {
        CRP_TRY(real(p, "D", value, &s->diffusion));
        s->diffusion *= 1.0e-3;
    } else if ((value = value_of(word, "charge")) != NULL) {
        CRP_TRY(real(p, "charge", value, charge));
    } else if ((value = value_of(word, "radius")) != NULL) {
        CRP_TRY(real(p, "radius", value, &s->radius));
    } else if ((value = value_of(word, "formula")) != NULL) {
        *formula = value;
    } else if ((value = value_of(word, "alias")) != NULL) {
        CRP_TRY(set_aliases(p, s, value));
    } else if ((value = value_of(word, "source")) != NULL) {
        snprintf(s->source, sizeof s->source, "%s", value);
    } else {
        return fail_key(p, word, keys, sizeof keys / sizeof keys[0]);
    }
    return CRP_OK;
}

static crp_status fill_species(parser *p, chem_species *s)
{
    char *formula = p->words[1];
    double charge = (double)NAN;
    CRP_CHECK(p->context, strlen(p->words[1]) < CHEM_NAME, CRP_ERR_CONFIG, "%s: the name %.60s is longer than %d letters",
              p->where, p->words[1], CHEM_NAME - 1);
    snprintf(s->name, sizeof s->name, "%s", p->words[1]);
    snprintf(s->source, sizeof s->source, "%s", p->source);
    s->diffusion = (double)NAN;
    for (uint32_t i = 2; i < p->n_words; ++i) {
        CRP_TRY(species_key(p, s, p->words[i], &formula, &charge));
    }
    CRP_CHECK(p->context, !isnan(s->diffusion), CRP_ERR_CONFIG, "%s: species %s needs a diffusion coefficient: add D=2.8 "
              "(in 1e-9 m2/s)", p->where, s->name);
    CRP_TRY(chem_formula_parse(p->context, p->where, formula, s));
    CRP_CHECK(p->context, isnan(charge) || charge == (double)s->charge, CRP_ERR_CONFIG,
              "%s: species %s: charge = %g, and its formula %s says %+d: correct one of them", p->where, s->name, charge,
              formula, s->charge);
    return CRP_OK;
}

static crp_status parse_species(parser *p)
{
    chem_species s = {0};
    uint32_t index;
    CRP_CHECK(p->context, p->n_words >= 2, CRP_ERR_CONFIG, "%s: species needs a name (species OH D=2.8)", p->where);
    crp_status status = fill_species(p, &s);
    if (status == CRP_OK) {
        status = chem_set_add_species(p->context, p->where, p->set, &s, &index);
    }
    if (status != CRP_OK) {
        free(s.aliases);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ reactions */

static crp_status parse_type(parser *p, const char *text, chem_type *type)
{
    static const char *const names[] = {"I", "II", "III", "IV", "V", "VI"};
    for (uint32_t i = 0; i < 6; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *type = (chem_type)(i + 1);
            return CRP_OK;
        }
    }
    return context_fail(p->context, CRP_ERR_CONFIG, "%s: type = %.20s must be I, II, III, IV, V or VI", p->where, text);
}

static crp_status parse_yes(parser *p, const char *key, const char *text, bool *value)
{
    CRP_CHECK(p->context, strcmp(text, "yes") == 0 || strcmp(text, "no") == 0, CRP_ERR_CONFIG, "%s: %s = %.20s must be yes "
              "or no", p->where, key, text);
    *value = text[0] == 'y';
    return CRP_OK;
}

static crp_status reaction_key(parser *p, chem_reaction *r, char *word)
{
    static const char *const keys[] = {"k", "rate", "type", "sigma", "spin", "transient", "source"};
    char *value;
    if ((value = value_of(word, "k")) != NULL) {
        return real(p, "k", value, &r->k);
    } else if ((value = value_of(word, "rate")) != NULL) {
        return real(p, "rate", value, &r->rate);
    } else if ((value = value_of(word, "type")) != NULL) {
        return parse_type(p, value, &r->type);
    } else if ((value = value_of(word, "sigma")) != NULL) {
        return real(p, "sigma", value, &r->sigma);
    } else if ((value = value_of(word, "spin")) != NULL) {
        return real(p, "spin", value, &r->spin);
    } else if ((value = value_of(word, "transient")) != NULL) {
        return parse_yes(p, "transient", value, &r->is_transient);
    } else if ((value = value_of(word, "source")) != NULL) {
        snprintf(r->source, sizeof r->source, "%s", value);
        return CRP_OK;
    }
    return fail_key(p, word, keys, sizeof keys / sizeof keys[0]);
}

/* One reactant or product: "OH", "2" (a count for the next), "[O2]" (constant concentration), "H2O" (water). */
static crp_status enter_species(parser *p, chem_reaction *r, char *word, bool is_product, uint32_t times)
{
    uint32_t index;
    size_t n = strlen(word);
    if (strcmp(word, "H2O") == 0) {
        return CRP_OK;
    }
    if (word[0] == '[' && n > 2 && word[n - 1] == ']') {
        word[n - 1] = '\0';
        CRP_TRY(chem_species_need(p->context, p->where, p->set, word + 1, &index));
        CRP_CHECK(p->context, !is_product && r->scavenger == CHEM_NO_SPECIES, CRP_ERR_CONFIG, "%s: [%s]: brackets mark one "
                  "reactant of constant concentration", p->where, word + 1);
        r->scavenger = index;
        return CRP_OK;
    }
    CRP_TRY(chem_species_need(p->context, p->where, p->set, word, &index));
    for (uint32_t i = 0; i < times; ++i) {
        if (is_product) {
            CRP_CHECK(p->context, r->n_products < CHEM_MAX_PRODUCTS, CRP_ERR_CONFIG, "%s: more than %d products", p->where,
                      CHEM_MAX_PRODUCTS);
            r->products[r->n_products++] = index;
        } else {
            uint32_t slot = r->reactants[0] == CHEM_NO_SPECIES ? 0 : 1;
            CRP_CHECK(p->context, r->reactants[slot] == CHEM_NO_SPECIES, CRP_ERR_CONFIG, "%s: more than two reactants: split "
                      "the reaction into steps", p->where);
            r->reactants[slot] = index;
        }
    }
    return CRP_OK;
}

static const char equation_form[] = "a reaction reads \"reaction A + B -> C k=1e10\", with blanks around + and ->";

/* There is an arrow, and no + within a word: said before a name that these would make is looked for. */
static crp_status check_form(parser *p)
{
    bool has_arrow = false;
    for (uint32_t i = 1; i < p->n_words && strchr(p->words[i], '=') == NULL; ++i) {
        const char *plus = strchr(p->words[i], '+');
        size_t n = plus == NULL ? 0 : strspn(plus, "+");
        bool is_joined = plus != NULL && plus != p->words[i] && plus[n] != '\0' && strchr("])", plus[n]) == NULL;
        CRP_CHECK(p->context, !is_joined, CRP_ERR_CONFIG, "%s: %s holds a + within: %s", p->where, p->words[i], equation_form);
        has_arrow = has_arrow || strcmp(p->words[i], "->") == 0;
    }
    CRP_CHECK(p->context, has_arrow, CRP_ERR_CONFIG, "%s: there is no arrow: %s", p->where, equation_form);
    return CRP_OK;
}

/* "A + 2 B -> C" up to the first key=; returns the word behind it. */
static crp_status parse_equation(parser *p, chem_reaction *r, uint32_t *next)
{
    uint32_t i = 1, times = 1;
    bool is_product = false;
    CRP_TRY(check_form(p));
    for (; i < p->n_words && strchr(p->words[i], '=') == NULL; ++i) {
        char *word = p->words[i];
        if (strcmp(word, "->") == 0) {
            is_product = true;
        } else if (word[0] >= '2' && word[0] <= '4' && word[1] == '\0') {
            times = (uint32_t)(word[0] - '0');
        } else if (strcmp(word, "+") != 0) {
            CRP_TRY(enter_species(p, r, word, is_product, times));
            times = 1;
        }
    }
    CRP_CHECK(p->context, is_product && r->reactants[0] != CHEM_NO_SPECIES, CRP_ERR_CONFIG, "%s: %s", p->where, equation_form);
    *next = i;
    return CRP_OK;
}

static crp_status check_new(parser *p, const chem_reaction *r)
{
    char text[256];
    for (uint32_t i = 0; r->type != CHEM_TYPE_VI && i < p->set->n_reactions; ++i) {
        const chem_reaction *o = &p->set->reactions[i];
        bool is_same = o->type != CHEM_TYPE_VI &&
                       ((o->reactants[0] == r->reactants[0] && o->reactants[1] == r->reactants[1]) ||
                        (o->reactants[0] == r->reactants[1] && o->reactants[1] == r->reactants[0]));
        CRP_CHECK(p->context, !is_same, CRP_ERR_CONFIG, "%s: %s: its partners have a reaction already (line %u): keep one",
                  p->where, chem_reaction_print(p->set, r, text, sizeof text), o->line);
    }
    return CRP_OK;
}

static crp_status parse_reaction(parser *p)
{
    chem_reaction r = {.reactants = {CHEM_NO_SPECIES, CHEM_NO_SPECIES}, .scavenger = CHEM_NO_SPECIES, .k = (double)NAN,
                       .rate = (double)NAN, .spin = 0.25, .line = p->line, .concentration = 0.0};
    uint32_t next = 0;
    snprintf(r.source, sizeof r.source, "%s", p->source);
    CRP_TRY(parse_equation(p, &r, &next));
    for (; next < p->n_words; ++next) {
        CRP_TRY(reaction_key(p, &r, p->words[next]));
    }
    bool is_first_order = r.reactants[1] == CHEM_NO_SPECIES;
    CRP_CHECK(p->context, is_first_order || r.scavenger == CHEM_NO_SPECIES, CRP_ERR_CONFIG, "%s: more than two reactants: "
              "split the reaction into steps", p->where);
    CRP_CHECK(p->context, r.type == 0 || is_first_order == (r.type == CHEM_TYPE_VI), CRP_ERR_CONFIG,
              "%s: type VI is for one reactant, alone or with one in brackets; the others are for two", p->where);
    r.type = r.type != 0 ? r.type : is_first_order ? CHEM_TYPE_VI : CHEM_TYPE_I;
    bool has_rate = is_first_order && r.scavenger == CHEM_NO_SPECIES;
    CRP_CHECK(p->context, !isnan(has_rate ? r.rate : r.k), CRP_ERR_CONFIG, "%s: the reaction needs %s", p->where,
              has_rate ? "rate= (1/s)" : "k= (1/(M s))");
    CRP_CHECK(p->context, isnan(has_rate ? r.k : r.rate), CRP_ERR_CONFIG, "%s: %s does not belong to this reaction", p->where,
              has_rate ? "k= (1/(M s))" : "rate= (1/s)");
    r.k = isnan(r.k) ? 0.0 : r.k;
    r.rate = isnan(r.rate) ? 0.0 : r.rate;
    CRP_CHECK(p->context, r.spin > 0.0 && r.spin <= 1.0, CRP_ERR_CONFIG, "%s: spin = %g must lie in (0, 1]", p->where, r.spin);
    CRP_TRY(check_new(p, &r));
    return chem_set_add_reaction(p->context, p->where, p->set, &r);
}

/* ----------------------------------------------------------------------------------------------------- lines */

static crp_status parse_convention(parser *p)
{
    bool is_k = p->n_words == 2 && strcmp(p->words[1], "k") == 0, is_2k = p->n_words == 2 && strcmp(p->words[1], "2k") == 0;
    CRP_CHECK(p->context, is_k || is_2k, CRP_ERR_CONFIG, "%s: rate_convention must be k (the radius of A + A takes "
              "k as it stands) or 2k (d[A]/dt = -2k[A]^2)", p->where);
    p->set->convention = is_k ? CHEM_CONVENTION_K : CHEM_CONVENTION_2K;
    return CRP_OK;
}

/* A concentration [mol/l] of all reactions with that species in brackets, above and below. */
static crp_status parse_scavenger(parser *p)
{
    CRP_CHECK(p->context, p->n_words == 3 || p->n_words == 4, CRP_ERR_CONFIG, "%s: scavenger reads \"scavenger O2 2.5e-4\" (mol/l), or "
              "\"scavenger O2 0.25 mM\"", p->where);
    char where[1300], text[64];
    double c = 0.0;
    snprintf(where, sizeof where, "%s: concentration", p->where);
    snprintf(text, sizeof text, "%.30s %.30s", p->words[2], p->n_words == 4 ? p->words[3] : "");
    CRP_TRY(units_parse_real(p->context, where, text, UNIT_CONCENTRATION, "mol/l", &c));
    return chem_set_scavenger(p->context, p->where, p->set, p->words[1], c);
}

crp_status chem_set_scavenger(crp_context *context, const char *where, chem_set *set, const char *name, double concentration)
{
    uint32_t index, n = 0;
    CRP_TRY(chem_species_need(context, where, set, name, &index));
    CRP_CHECK(context, concentration >= 0.0 && concentration <= 100.0, CRP_ERR_CONFIG, "%s: the concentration of %s is %g mol/l, and "
              "must lie in [0, 100]", where, name, concentration);
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        if (set->reactions[i].scavenger == index) {
            set->reactions[i].concentration = concentration;
            CRP_TRY(chem_reaction_derive(context, where, set, &set->reactions[i]));
            ++n;
        }
    }
    CRP_CHECK(context, n > 0, CRP_ERR_CONFIG, "%s: no reaction has [%s] (in brackets: of constant concentration): add one first",
              where, name);
    return CRP_OK;
}

static crp_status parse_value(parser *p, double *value)
{
    CRP_CHECK(p->context, p->n_words == 2, CRP_ERR_CONFIG, "%s: %s takes one number", p->where, p->words[0]);
    CRP_TRY(real(p, p->words[0], p->words[1], value));
    CRP_CHECK(p->context, *value > 0.0, CRP_ERR_CONFIG, "%s: %s = %g must be larger than 0", p->where, p->words[0], *value);
    return CRP_OK;
}

static crp_status parse_line(parser *p)
{
    static const char *const keys[] = {"set", "rate_convention", "temperature", "onsager", "source", "species", "reaction",
                                       "scavenger"};
    CRP_TRY(split(p));
    const char *key = p->n_words > 0 ? p->words[0] : NULL;
    if (key == NULL) {
        return CRP_OK;
    } else if (strcmp(key, "species") == 0) {
        return parse_species(p);
    } else if (strcmp(key, "reaction") == 0) {
        return parse_reaction(p);
    } else if (strcmp(key, "rate_convention") == 0) {
        return parse_convention(p);
    } else if (strcmp(key, "scavenger") == 0) {
        return parse_scavenger(p);
    } else if (strcmp(key, "temperature") == 0) {
        return parse_value(p, &p->set->temperature);
    } else if (strcmp(key, "onsager") == 0) {
        return parse_value(p, &p->set->onsager);
    } else if (strcmp(key, "source") == 0) {
        snprintf(p->source, sizeof p->source, "%s", p->n_words > 1 ? p->words[1] : "");
        return CRP_OK;
    } else if (strcmp(key, "set") == 0) {
        snprintf(p->set->name, sizeof p->set->name, "%s", p->n_words > 1 ? p->words[1] : "");
        snprintf(p->set->title, sizeof p->set->title, "%s", p->n_words > 2 ? p->words[2] : "");
        return CRP_OK;
    }
    return fail_key(p, key, keys, sizeof keys / sizeof keys[0]);
}

crp_status chem_set_parse(crp_context *context, const char *path, const char *text, chem_set *set)
{
    parser *p = calloc(1, sizeof *p);
    CRP_CHECK(context, p != NULL, CRP_ERR_MEMORY, "%s: no memory to read it", path);
    p->context = context;
    p->path = path;
    p->set = set;
    set->temperature = 298.15;
    set->onsager = ONSAGER_25C;
    crp_status status = CRP_OK;
    const char *at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text; /* a byte order mark */
    while (*at != '\0' && status == CRP_OK) {
        size_t n = strcspn(at, "\r\n");
        ++p->line;
        snprintf(p->where, sizeof p->where, "%.1000s:%u", path, p->line);
        if (n >= sizeof p->buffer) {
            status = context_fail(context, CRP_ERR_CONFIG, "%s: the line has %zu letters (at most %zu)", p->where, n,
                                  sizeof p->buffer - 1);
            break;
        }
        memcpy(p->buffer, at, n);
        p->buffer[n] = '\0';
        at += n;
        at += strncmp(at, "\r\n", 2) == 0 ? 2 : *at != '\0';
        status = parse_line(p);
    }
    free(p);
    if (status == CRP_OK && set->n_species == 0) {
        status = context_fail(context, CRP_ERR_CONFIG, "%s: names no species (lines like \"species OH D=2.8\" are wanted)", path);
    }
    if (status != CRP_OK) {
        chem_set_clear(set);
    }
    return status;
}

crp_status chem_set_load(crp_context *context, const char *where, const char *name, chem_set *set)
{
    const char *shipped = chem_set_text(name);
    if (shipped != NULL) {
        return chem_set_parse(context, name, shipped, set);
    }
    void *bytes = NULL;
    size_t n_bytes = 0, n_names = 0;
    while (chem_set_names[n_names] != NULL) {
        ++n_names;
    }
    if (strchr(name, '/') == NULL && strchr(name, '.') == NULL) {
        const char *near = nearest_name(name, chem_set_names, n_names);
        return context_fail(context, CRP_ERR_CONFIG, "%s: set = %.60s is neither a shipped set (paper, geant4, topas, fricke) nor a file%s%s%s",
                            where, name, near != NULL ? ": did you mean " : "", near != NULL ? near : "", near != NULL ? "?" : "");
    }
    CRP_TRY(file_read(context, name, &bytes, &n_bytes));
    if (memchr(bytes, '\0', n_bytes) != NULL) {
        free(bytes);
        return context_fail(context, CRP_ERR_FORMAT, "%s: holds a NUL byte (a set is text): name another file, or save it as UTF-8",
                            name);
    }
    crp_status status = chem_set_is_geant4(bytes, n_bytes) ? chem_set_from_geant4(context, name, bytes, n_bytes, set)
                                                            : chem_set_parse(context, name, bytes, set);
    free(bytes);
    return status;
}
