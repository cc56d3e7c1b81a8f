/** Formulas: see gas_formula.h. Recursive descent into reverse Polish, so that a value takes a loop over steps. */
#include "model/gas/gas_formula.h"

#include "core/context.h"
#include "core/nearest.h"
#include "core/units.h"
#include "model/gas/gas_facet.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_STEPS = 1000, MAX_DEPTH = 100, MAX_WORD = 64 };

typedef enum step_kind { STEP_NUMBER, STEP_GLOBAL, STEP_SUM, STEP_AVERAGE, STEP_BINARY, STEP_FUNCTION } step_kind;

typedef struct step {
    step_kind kind;
    double number;                  /* NUMBER */
    gas_quantity quantity;          /* GLOBAL, SUM, AVERAGE */
    uint32_t first_facet, n_facets; /* in expression.facets */
    char operation;                 /* BINARY */
    double (*function)(double);     /* FUNCTION */
} step;

struct gas_expression {
    step *steps;
    uint32_t n_steps;
    uint32_t *facets; /* of all steps */
    double *areas;    /* of the same */
    uint32_t n_facets;
};

typedef struct formula_parser {
    crp_context *context;
    const gas_model *model;
    const char *name, *text, *at;
    uint32_t depth;
    gas_expression *out;
    uint32_t room;   /* of out->facets */
    uint32_t *found; /* scratch, n_facets numbers */
} formula_parser;

static double invert(double x)
{
    return 1 / x;
}

static const struct {
    const char *word;
    double (*function)(double);
} functions[] = {
    {"sin", sin},     {"cos", cos},    {"tan", tan},   {"asin", asin}, {"acos", acos}, {"atan", atan},
    {"sinh", sinh},   {"cosh", cosh},  {"tanh", tanh}, {"exp", exp},   {"ln", log},    {"log2", log2},
    {"log10", log10}, {"inv", invert}, {"sqrt", sqrt}, {"abs", fabs},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static const struct {
    const char *word;
    double value;
} constants[] = {{"PI", 3.14159265358979323846}, {"KB", 1.380649e-23}, {"R", 8.31446261815324}, {"NA", 6.02214076e23}};
enum { N_CONSTANTS = sizeof constants / sizeof constants[0] };

#define QUANTITY_WORD(name, word, is_additive) [name] = {word, is_additive},
#define GLOBAL_WORD(name, word) [name] = {word, true},
static const struct {
    const char *word;
    bool is_additive;
} quantities[GAS_N_QUANTITIES] = {GAS_QUANTITY_LIST(QUANTITY_WORD) GAS_GLOBAL_LIST(GLOBAL_WORD)};
#undef QUANTITY_WORD
#undef GLOBAL_WORD

/* ---------------------------------------------------------------------------------------------------------------
 * output */

static crp_status fail(const formula_parser *p, const char *problem)
{
    return context_fail(p->context, CRP_ERR_CONFIG, "formula %s: `%.200s`, character %zu: %s", p->name, p->text,
                        (size_t)(p->at - p->text) + 1, problem);
}

static crp_status emit(formula_parser *p, step s)
{
    if (p->out->n_steps == MAX_STEPS) {
        return fail(p, "the formula is too long");
    }
    p->out->steps[p->out->n_steps++] = s;
    return CRP_OK;
}

/** A sum or an average over the first n facets of `found`. */
static crp_status emit_facets(formula_parser *p, gas_quantity quantity, bool is_sum, uint32_t n)
{
    gas_expression *e = p->out;
    if (e->n_facets + n > p->room) {
        uint32_t room = e->n_facets + n + p->room;
        uint32_t *facets = realloc(e->facets, room * sizeof *facets);
        e->facets = facets != NULL ? facets : e->facets;
        double *areas = realloc(e->areas, room * sizeof *areas);
        e->areas = areas != NULL ? areas : e->areas;
        CRP_CHECK(p->context, facets != NULL && areas != NULL, CRP_ERR_MEMORY, "not enough memory for formula %s",
                  p->name);
        p->room = room;
    }
    for (uint32_t i = 0; i < n; i++) {
        e->facets[e->n_facets + i] = p->found[i];
        e->areas[e->n_facets + i] = gas_facet_frame(p->model, p->found[i]).area;
    }
    step s = {
        .kind = is_sum ? STEP_SUM : STEP_AVERAGE, .quantity = quantity, .first_facet = e->n_facets, .n_facets = n};
    e->n_facets += n;
    return emit(p, s);
}

/* --------------------------------------------------------------------------------------------------------------
 * parsing */

static crp_status parse_sum(formula_parser *p);

static void skip_blanks(formula_parser *p)
{
    while (isspace((unsigned char)*p->at)) {
        p->at++;
    }
}

static crp_status expect(formula_parser *p, char c, const char *problem)
{
    skip_blanks(p);
    if (*p->at != c) {
        return fail(p, problem);
    }
    p->at++;
    return CRP_OK;
}

/** Letters and `_` from here on. */
static void read_letters(formula_parser *p, char word[MAX_WORD])
{
    size_t n = 0;
    while (isalpha((unsigned char)*p->at) || *p->at == '_') {
        if (n + 1 < MAX_WORD) {
            word[n++] = *p->at;
        }
        p->at++;
    }
    word[n] = '\0';
}

/** A whole number of at least 1. */
static crp_status read_index(formula_parser *p, const char *problem, uint32_t *index)
{
    uint64_t value = 0;
    skip_blanks(p);
    if (!isdigit((unsigned char)*p->at)) {
        return fail(p, problem);
    }
    for (; isdigit((unsigned char)*p->at); p->at++) {
        value = value < UINT32_MAX ? 10 * value + (uint64_t)(*p->at - '0') : value;
    }
    *index = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return value == 0 ? fail(p, problem) : CRP_OK;
}

/** The facet that users know by this number. */
static crp_status find_facet(formula_parser *p, uint32_t number, uint32_t *facet)
{
    char text[16];
    snprintf(text, sizeof text, "%u", number);
    if (number <= p->model->n_facets && p->model->facets[number - 1].number == number) {
        *facet = number - 1;
        return CRP_OK;
    }
    if (gas_model_find_facets(p->model, text, p->found) == 1) {
        *facet = p->found[0];
        return CRP_OK;
    }
    return fail(p, "there is no facet of this number");
}

static bool find_quantity(const char *word, gas_quantity from, gas_quantity end, gas_quantity *found)
{
    for (gas_quantity q = from; q < end; q++) {
        if (strcasecmp(word, quantities[q].word) == 0) {
            *found = q;
            return true;
        }
    }
    return false;
}

/** `[pump]`: a surface or group by name. */
static crp_status parse_named(formula_parser *p, gas_quantity quantity)
{
    char name[GAS_NAME];
    size_t n = strcspn(p->at, "]");
    if (p->at[n] == '\0' || n >= sizeof name) {
        return fail(p, "the name has no end (`]`)");
    }
    memcpy(name, p->at, n);
    name[n] = '\0';
    uint32_t n_found = gas_model_find_facets(p->model, name, p->found);
    if (n_found == 0) {
        return fail(p, "there is no surface or group of this name");
    }
    p->at += n + 1;
    return emit_facets(p, quantity, quantities[quantity].is_additive, n_found);
}

/** `S1)` or `3,8)`: into `found`. */
static crp_status parse_range(formula_parser *p, uint32_t *n)
{
    uint32_t first = 0, last = 0;
    skip_blanks(p);
    if (*p->at == 's' || *p->at == 'S') {
        p->at++;
        CRP_TRY(read_index(p, "a group is S and its number, from 1", &first));
        if (first > p->model->n_groups) {
            return fail(p, "there is no group of this number");
        }
        const gas_group *group = &p->model->groups[first - 1];
        *n = group->n_facets;
        memcpy(p->found, group->facets, group->n_facets * sizeof *p->found);
        return CRP_OK;
    }
    CRP_TRY(read_index(p, "facets are given as first,last or as a group S1", &first));
    CRP_TRY(expect(p, ',', "facets are given as first,last or as a group S1"));
    CRP_TRY(read_index(p, "the last facet is missing", &last));
    if (last < first || last > p->model->n_facets) {
        return fail(p, "there are no such facets");
    }
    *n = 0;
    for (uint32_t i = first; i <= last; i++) {
        p->found[(*n)++] = i - 1;
    }
    return CRP_OK;
}

/** What follows `SUM(` or `AVG(`. */
static crp_status parse_facets(formula_parser *p, bool is_sum)
{
    char word[MAX_WORD];
    gas_quantity quantity;
    uint32_t n = 0;
    skip_blanks(p);
    read_letters(p, word);
    if (!find_quantity(word, 0, GAS_N_FACET_QUANTITIES, &quantity)) {
        return fail(p, "a quantity of facets is expected: A, D, H, P, DEN, Z, V, T, AR or FORCE");
    }
    CRP_TRY(expect(p, ',', "a comma and facets are expected: SUM(H,3,8) or SUM(H,S1)"));
    CRP_TRY(parse_range(p, &n));
    CRP_TRY(expect(p, ')', "a closing bracket is expected"));
    return emit_facets(p, quantity, is_sum, n);
}

/** What follows `name(`. */
static crp_status parse_call(formula_parser *p, const char *word)
{
    if (strcasecmp(word, "SUM") == 0 || strcasecmp(word, "AVG") == 0) {
        return parse_facets(p, strcasecmp(word, "SUM") == 0);
    }
    CRP_TRY(parse_sum(p));
    if (strcasecmp(word, "pow") == 0) {
        CRP_TRY(expect(p, ',', "pow takes two numbers: pow(x,y)"));
        CRP_TRY(parse_sum(p));
        CRP_TRY(emit(p, (step){.kind = STEP_BINARY, .operation = '^'}));
        return expect(p, ')', "a closing bracket is expected");
    }
    CRP_TRY(expect(p, ')', "a closing bracket is expected"));
    for (size_t i = 0; i < N_FUNCTIONS; i++) {
        if (strcasecmp(word, functions[i].word) == 0) {
            return emit(p, (step){.kind = STEP_FUNCTION, .function = functions[i].function});
        }
    }
    return fail(p, "this function is not known");
}

/** A word and what belongs to it: a function, a facet's number, a name in brackets, or nothing. */
static crp_status parse_word(formula_parser *p)
{
    char word[MAX_WORD], digits[MAX_WORD] = "";
    gas_quantity quantity;
    const char *start = p->at;
    read_letters(p, word);
    size_t n_digits = strspn(p->at, "0123456789");
    if (n_digits > 0 && n_digits < MAX_WORD - 10 && strlen(word) < 10) {
        snprintf(digits, sizeof digits, "%s%.*s", word, (int)n_digits, p->at);
    }
    bool is_log = strcasecmp(digits, "log2") == 0 || strcasecmp(digits, "log10") == 0;
    if (*p->at == '(' || is_log) {
        p->at += is_log ? n_digits : 0;
        CRP_TRY(expect(p, '(', "a function is followed by a bracket"));
        return parse_call(p, is_log ? digits : word);
    }
    bool is_facet_quantity = find_quantity(word, 0, GAS_N_FACET_QUANTITIES, &quantity);
    if (is_facet_quantity && *p->at == '[') {
        p->at++;
        return parse_named(p, quantity);
    }
    if (is_facet_quantity && n_digits > 0) {
        uint32_t number = 0, facet = 0;
        CRP_TRY(read_index(p, "facets are numbered from 1", &number));
        CRP_TRY(find_facet(p, number, &facet));
        p->found[0] = facet;
        return emit_facets(p, quantity, true, 1);
    }
    if (find_quantity(word, GAS_N_FACET_QUANTITIES, GAS_N_QUANTITIES, &quantity)) {
        return emit(p, (step){.kind = STEP_GLOBAL, .quantity = quantity});
    }
    for (size_t i = 0; i < N_CONSTANTS; i++) {
        if (strcasecmp(word, constants[i].word) == 0) {
            return emit(p, (step){.kind = STEP_NUMBER, .number = constants[i].value});
        }
    }
    p->at = start;
    return fail(p, is_facet_quantity ? "the number of a facet is missing" : "this word is not known");
}

static crp_status parse_primary(formula_parser *p)
{
    skip_blanks(p);
    if (*p->at == '(') {
        p->at++;
        CRP_TRY(parse_sum(p));
        return expect(p, ')', "a closing bracket is expected");
    }
    if (isalpha((unsigned char)*p->at)) {
        return parse_word(p);
    }
    const char *end;
    double number = units_scan_real(p->at, &end);
    if (end == p->at || *p->at == '-' || *p->at == '+') {
        return fail(p, *p->at == '\0' ? "the formula ends too soon" : "a number, a word or a bracket is expected");
    }
    p->at = end;
    return emit(p, (step){.kind = STEP_NUMBER, .number = number});
}

/** Signs bind less than powers: -2^2 is -4; powers group to the right. */
static crp_status parse_power(formula_parser *p)
{
    skip_blanks(p);
    if (++p->depth > MAX_DEPTH) {
        return fail(p, "the formula has too many brackets");
    }
    if (*p->at == '-' || *p->at == '+') {
        bool is_minus = *p->at++ == '-';
        CRP_TRY(parse_power(p));
        if (is_minus) {
            CRP_TRY(emit(p, (step){.kind = STEP_NUMBER, .number = -1}));
            CRP_TRY(emit(p, (step){.kind = STEP_BINARY, .operation = '*'}));
        }
    } else {
        CRP_TRY(parse_primary(p));
        skip_blanks(p);
        if (*p->at == '^') {
            p->at++;
            CRP_TRY(parse_power(p));
            CRP_TRY(emit(p, (step){.kind = STEP_BINARY, .operation = '^'}));
        }
    }
    p->depth--;
    return CRP_OK;
}

/** Terms joined by the given operators, from the left. */
static crp_status parse_joined(formula_parser *p, const char *operators, crp_status (*term)(formula_parser *))
{
    CRP_TRY(term(p));
    for (skip_blanks(p); *p->at != '\0' && strchr(operators, *p->at) != NULL; skip_blanks(p)) {
        char operation = *p->at++;
        CRP_TRY(term(p));
        CRP_TRY(emit(p, (step){.kind = STEP_BINARY, .operation = operation}));
    }
    return CRP_OK;
}

static crp_status parse_product(formula_parser *p)
{
    return parse_joined(p, "*/", parse_power);
}

static crp_status parse_sum(formula_parser *p)
{
    return parse_joined(p, "+-", parse_product);
}

crp_status gas_expression_create(crp_context *context, const gas_model *model, const char *name, const char *text,
                                 gas_expression **expression)
{
    formula_parser p = {.context = context, .model = model, .name = name, .text = text, .at = text};
    p.out = calloc(1, sizeof *p.out);
    p.found = malloc((model->n_facets + (size_t)1) * sizeof *p.found);
    if (p.out != NULL) {
        p.out->steps = malloc(MAX_STEPS * sizeof *p.out->steps);
    }
    crp_status status = p.out == NULL || p.found == NULL || p.out->steps == NULL
                            ? context_fail(context, CRP_ERR_MEMORY, "not enough memory for formula %s", name)
                            : parse_sum(&p);
    skip_blanks(&p);
    if (status == CRP_OK && *p.at != '\0') {
        status = fail(&p, "an operator or the end is expected");
    }
    free(p.found);
    if (status != CRP_OK) {
        gas_expression_destroy(&p.out);
    }
    *expression = p.out;
    return status;
}

void gas_expression_destroy(gas_expression **expression)
{
    if (*expression != NULL) {
        free((*expression)->steps);
        free((*expression)->facets);
        free((*expression)->areas);
        free(*expression);
        *expression = NULL;
    }
}

/* -------------------------------------------------------------------------------------------------------------- value
 */

static double facets_value(const gas_expression *e, const step *s, gas_quantity_value value, void *user)
{
    double sum = 0, weight = 0;
    for (uint32_t i = s->first_facet; i < s->first_facet + s->n_facets; i++) {
        double w = s->kind == STEP_SUM ? 1 : e->areas[i];
        sum += w * value(user, s->quantity, e->facets[i]);
        weight += w;
    }
    return s->kind == STEP_SUM ? sum : sum / weight;
}

static double join(char operation, double a, double b)
{
    switch (operation) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return a / b;
    default:
        return pow(a, b);
    }
}

double gas_expression_value(const gas_expression *e, gas_quantity_value value, void *user)
{
    double stack[MAX_STEPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_steps; i++) {
        const step *s = &e->steps[i];
        switch (s->kind) {
        case STEP_NUMBER:
            stack[n++] = s->number;
            break;
        case STEP_GLOBAL:
            stack[n++] = value(user, s->quantity, 0);
            break;
        case STEP_SUM:
        case STEP_AVERAGE:
            stack[n++] = facets_value(e, s, value, user);
            break;
        case STEP_FUNCTION:
            stack[n - 1] = s->function(stack[n - 1]);
            break;
        case STEP_BINARY:
            n--;
            stack[n - 1] = join(s->operation, stack[n - 1], stack[n]);
            break;
        }
    }
    return n == 1 ? stack[0] : (double)NAN;
}
