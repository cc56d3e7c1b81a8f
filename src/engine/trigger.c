/** `--until`: parse, bind to the tallies of a result, test. */
#include "engine/trigger.h"

#include "core/nearest.h"
#include "core/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- parse */

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

static crp_status fail_part(crp_context *context, const char *text, const char *part, const char *expected)
{
    return context_fail(context, CRP_ERR_ARG,
                        "until \"%.80s\": %s expected at \"%.30s\" (character %zu) write it like "
                        "rel_err(Rd)<0.1%% or std_dev(Tt)<1e-5, joined by and",
                        text, expected, part, (size_t)(part - text) + 1);
}

/* "absorbed_fraction[3]": name and element. Returns NULL and sets `expected` when it is no name. */
static const char *parse_name(const char *p, trigger_term *term, const char **expected)
{
    size_t length = strcspn(p, "[]()<> \t");
    *expected = "a name";
    if (length == 0 || length >= sizeof term->name) {
        return NULL;
    }
    memcpy(term->name, p, length);
    p = skip_blanks(p + length);
    if (*p != '[') {
        return p;
    }
    *expected = "the number of an element, from 1, or its name";
    p = skip_blanks(p + 1);
    if (*p < '0' || *p > '9') {
        size_t n = strcspn(p, "]");
        bool is_name = n > 0 && n < sizeof term->of_name && p[n] == ']';
        memcpy(term->of_name, p, is_name ? n : 0);
        return is_name ? skip_blanks(p + n + 1) : NULL;
    }
    for (; *p >= '0' && *p <= '9' && term->of < 1000000000; p++) {
        term->of = term->of * 10 + (*p - '0');
    }
    p = skip_blanks(p);
    return term->of >= 1 && *p == ']' ? skip_blanks(p + 1) : NULL;
}

static const char *parse_limit(const char *p, trigger_term *term)
{
    const char *end;
    term->limit = units_scan_real(p, &end);
    if (end == p || !(term->limit > 0.0) || !isfinite(term->limit)) {
        return NULL;
    }
    const char *percent = skip_blanks(end);
    if (*percent == '%') {
        term->limit /= 100.0;
        end = percent + 1;
    }
    return end;
}

static crp_status parse_term(crp_context *context, const char *text, const char **at, trigger_term *term)
{
    const char *p = skip_blanks(*at), *next, *expected;
    memset(term, 0, sizeof *term);
    term->is_relative = strncmp(p, "rel_err", 7) == 0;
    if (!term->is_relative && strncmp(p, "std_dev", 7) != 0) {
        return fail_part(context, text, p, "rel_err or std_dev");
    }
    p = skip_blanks(p + 7);
    if (*p != '(') {
        return fail_part(context, text, p, "\"(\"");
    }
    p = skip_blanks(p + 1);
    next = parse_name(p, term, &expected);
    if (next == NULL) {
        return fail_part(context, text, p, expected);
    }
    if (*next != ')') {
        return fail_part(context, text, next, "\")\"");
    }
    p = skip_blanks(next + 1);
    if (*p != '<' || p[1] == '=') {
        return fail_part(context, text, p, "\"<\"");
    }
    p = skip_blanks(p + 1);
    *at = parse_limit(p, term);
    return *at == NULL ? fail_part(context, text, p, "a limit above 0") : CRP_OK;
}

crp_status trigger_parse(crp_context *context, const char *text, trigger *out)
{
    const char *p = text;
    memset(out, 0, sizeof *out);
    for (;;) {
        CRP_CHECK(context, out->n_terms < TRIGGER_MAX, CRP_ERR_ARG, "until \"%.80s\": too many conditions (up to %d)",
                  text, TRIGGER_MAX);
        CRP_TRY(parse_term(context, text, &p, &out->terms[out->n_terms]));
        out->n_terms++;
        const char *rest = skip_blanks(p);
        if (*rest == '\0') {
            return CRP_OK;
        }
        if (rest == p || strncmp(rest, "and", 3) != 0 || (rest[3] != ' ' && rest[3] != '\t')) {
            return fail_part(context, text, rest, "\"and\" or the end");
        }
        p = rest + 3;
    }
}

/* -------------------------------------------------------------------------------------------------- bind */

/* Bins that a term speaks of: those of the results of that name, else of the tally of that name. */
typedef struct selection {
    const crp_result *result;
    const trigger_term *term;
    size_t next;
    const tally_spec *tally; /* when no result has the name */
} selection;

static bool is_result_name(const crp_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_results; i++) {
        if (strcmp(result->results[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static selection select_bins(const trigger_term *term, const crp_result *result)
{
    selection s = {.result = result, .term = term};
    if (!is_result_name(result, term->name)) {
        for (size_t i = 0; i < result->n_tallies; i++) {
            s.tally = strcmp(result->tallies[i].name, term->name) == 0 ? &result->tallies[i] : s.tally;
        }
    }
    return s;
}

static bool is_element(const trigger_term *term, const result_spec *r)
{
    if (term->of_name[0] != '\0') {
        return strcmp(term->of_name, r->of_name) == 0;
    }
    return term->of == 0 || term->of == (r->of < 0 ? -r->of : r->of);
}

/* The next bin, false after the last. */
static bool next_bin(selection *s, size_t *tally, size_t *bin)
{
    if (s->tally != NULL) {
        for (; s->next < s->tally->n_bins; s->next++) {
            bool is_all = s->term->of == 0 && s->term->of_name[0] == '\0';
            if (is_all || (uint64_t)s->term->of == s->next + 1) {
                *tally = (size_t)(s->tally - s->result->tallies);
                *bin = s->tally->offset + s->next++;
                return true;
            }
        }
        return false;
    }
    for (; s->next < s->result->n_results; s->next++) {
        const result_spec *r = &s->result->results[s->next];
        if (strcmp(r->name, s->term->name) == 0 && is_element(s->term, r)) {
            *tally = r->tally;
            *bin = r->bin;
            s->next++;
            return true;
        }
    }
    return false;
}

static void list_name(char *list, size_t size, const char *name, const char **nearest, const char *wanted)
{
    size_t used = strlen(list);
    const char *near = nearest_name(wanted, &name, 1);
    snprintf(list + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
    if (near != NULL && (*nearest == NULL || nearest_distance(wanted, near) < nearest_distance(wanted, *nearest))) {
        *nearest = near;
    }
}

/* All names once, the nearest in front: results first, then tallies that are no result. */
static crp_status fail_name(crp_context *context, const char *wanted, const crp_result *result)
{
    char list[768] = "";
    const char *nearest = NULL;
    for (size_t i = 0; i < result->n_results; i++) {
        if (i == 0 || strcmp(result->results[i].name, result->results[i - 1].name) != 0) {
            list_name(list, sizeof list, result->results[i].name, &nearest, wanted);
        }
    }
    for (size_t i = 0; i < result->n_tallies; i++) {
        if (!is_result_name(result, result->tallies[i].name)) {
            list_name(list, sizeof list, result->tallies[i].name, &nearest, wanted);
        }
    }
    return context_fail(context, CRP_ERR_ARG, "until: there is no tally \"%s\"%s%s%s (tallies: %s)", wanted,
                        nearest == NULL ? "" : ", did you mean ", nearest == NULL ? "" : nearest,
                        nearest == NULL ? "" : "?", list);
}

crp_status trigger_bind(crp_context *context, const trigger *t, const crp_result *result)
{
    for (size_t i = 0; i < t->n_terms; i++) {
        const trigger_term *term = &t->terms[i];
        selection s = select_bins(term, result);
        size_t tally, bin;
        if (s.tally == NULL && !is_result_name(result, term->name)) {
            return fail_name(context, term->name, result);
        }
        bool has_bin = next_bin(&s, &tally, &bin);
        CRP_CHECK(context, has_bin || term->of_name[0] == '\0', CRP_ERR_ARG, "until: %s has no element [%s]", term->name,
                  term->of_name);
        CRP_CHECK(context, has_bin, CRP_ERR_ARG,
                  "until: %s has no element [%lld] (elements count from 1)", term->name, (long long)term->of);
    }
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- test */

/*
 * The largest error of a term, NaN when it is not known. A bin that has scored nothing has no relative error: a single
 * one leaves the term unknown; among several (a clear layer, say) it is passed over.
 */
static double worst_error(const trigger_term *term, const crp_result *result)
{
    selection s = select_bins(term, result);
    double worst = (double)NAN;
    size_t tally, bin;
    while (next_bin(&s, &tally, &bin)) {
        double error = result_bin_std_dev(result, tally, bin);
        if (isnan(error)) {
            return error;
        }
        if (term->is_relative) {
            double mean = fabs(result_bin_mean(result, tally, bin));
            if (mean == 0.0) {
                continue;
            }
            error /= mean;
        }
        if (isnan(worst) || error > worst) {
            worst = error;
        }
    }
    return worst;
}

bool trigger_holds(const trigger *t, const crp_result *result, double *error, double *limit)
{
    bool holds = t->n_terms > 0 && result->batches >= TRIGGER_MIN_BATCHES;
    *error = *limit = (double)NAN;
    for (size_t i = 0; i < t->n_terms; i++) {
        double worst = worst_error(&t->terms[i], result);
        if (i == 0) {
            *error = worst;
            *limit = t->terms[i].limit;
        }
        holds = holds && worst < t->terms[i].limit;
    }
    return holds;
}
