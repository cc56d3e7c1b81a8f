/** Do two results agree within their errors? See compare.h. */
#include "io/compare.h"

#include "core/context.h"
#include "core/statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum bin_kind { BIN_CHECKED, BIN_EXACT, BIN_SKIPPED } bin_kind;

/** Means without spread come from exact sums; the last bits go when they are scaled. */
static const double same_within = 1e-12;

/** What is known of a bin in one result. */
typedef struct side {
    double mean, error, freedom;
    double least; /* error that it has in any case */
} side;

/* Of events that are counted one by one no error is less than one event: a few batches may agree by chance. */
static side side_of(const crp_result *r, size_t tally, size_t bin)
{
    size_t all = r->tallies[tally].offset + bin;
    bool is_counted = r->tallies[tally].quantum == 1.0 && !r->tallies[tally].is_derived;
    return (side){result_bin_mean(r, tally, all), result_bin_std_dev(r, tally, all), (double)r->batches - 1,
                  is_counted ? result_bin_unit(r, tally, all) : 0.0};
}

static bool is_equal(double x, double y)
{
    return x == y || fabs(x - y) <= same_within * fmax(fabs(x), fabs(y));
}

/** z and degrees of freedom of one bin; infinite z where numbers without spread differ. */
static bin_kind compare_bin(const side *a, const side *b, double *z, double *freedom)
{
    *z = 0;
    *freedom = (double)INFINITY;
    if (isnan(a->error) || isnan(b->error)) {
        return BIN_SKIPPED;
    }
    if (!(hypot(a->error, b->error) > 0) && is_equal(a->mean, b->mean)) {
        return BIN_EXACT;
    }
    double of_a = fmax(a->error, a->least), of_b = fmax(b->error, b->least), error = hypot(of_a, of_b);
    if (!(error > 0)) {
        *z = copysign((double)INFINITY, b->mean - a->mean);
        return BIN_EXACT;
    }
    *z = (b->mean - a->mean) / error;
    *freedom = statistics_welch_dof(of_a, a->freedom, of_b, b->freedom);
    return BIN_CHECKED;
}

/* ------------------------------------------------------------------------------------------------- structure */

static bool is_same_axis(const tally_spec *a, const tally_spec *b, unsigned k)
{
    if (a->shape[k] != b->shape[k] || (a->axis_edges[k] == NULL) != (b->axis_edges[k] == NULL)) {
        return false;
    }
    for (size_t i = 0; a->axis_edges[k] != NULL && i <= a->shape[k]; i++) {
        if (!is_equal(a->axis_edges[k][i], b->axis_edges[k][i])) {
            return false;
        }
    }
    for (size_t i = 0; a->axis_points[k] != NULL && b->axis_points[k] != NULL && i < a->shape[k]; i++) {
        if (!is_equal(a->axis_points[k][i], b->axis_points[k][i])) {
            return false;
        }
    }
    const char *labels_a = a->axis_labels[k], *labels_b = b->axis_labels[k];
    return (a->axis_points[k] == NULL) == (b->axis_points[k] == NULL) && (labels_a == NULL) == (labels_b == NULL) &&
           (labels_a == NULL || strcmp(labels_a, labels_b) == 0);
}

static bool is_same_shape(const tally_spec *a, const tally_spec *b)
{
    bool same = a->n_dims == b->n_dims && strcmp(a->unit, b->unit) == 0;
    for (unsigned k = 0; same && k < a->n_dims; k++) {
        same = is_same_axis(a, b, k);
    }
    return same;
}

/** Fill names and shapes: the tallies of a, then those that only b has. */
static void pair_tallies(compare_report *report, const crp_result *a, const crp_result *b)
{
    for (size_t i = 0; i < a->n_tallies; i++) {
        compare_tally *t = &report->tallies[report->n_tallies++];
        memcpy(t->name, a->tallies[i].name, sizeof t->name);
        t->n_bins = a->tallies[i].n_bins;
        t->worst_z = t->worst_limit = (double)NAN;
        ptrdiff_t other = result_find(b, t->name);
        t->shape = other < 0                                                   ? COMPARE_ONLY_IN_A
                   : is_same_shape(&a->tallies[i], &b->tallies[(size_t)other]) ? COMPARE_COMMON
                                                                               : COMPARE_OTHER_SHAPE;
    }
    for (size_t i = 0; i < b->n_tallies; i++) {
        if (result_find(a, b->tallies[i].name) < 0) {
            compare_tally *t = &report->tallies[report->n_tallies++];
            memcpy(t->name, b->tallies[i].name, sizeof t->name);
            t->n_bins = b->tallies[i].n_bins;
            t->worst_z = t->worst_limit = (double)NAN;
            t->shape = COMPARE_ONLY_IN_B;
        }
    }
}

/* --------------------------------------------------------------------------------------------------- numbers */

/** First pass: how many checks there are, for the limit depends on it. */
static void count_checks(compare_tally *t, const crp_result *a, const crp_result *b)
{
    size_t in_a = (size_t)result_find(a, t->name), in_b = (size_t)result_find(b, t->name);
    double z, freedom;
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        side sa = side_of(a, in_a, bin), sb = side_of(b, in_b, bin);
        switch (compare_bin(&sa, &sb, &z, &freedom)) {
        case BIN_CHECKED:
            t->n_checked++;
            t->chi2 += z * z;
            break;
        case BIN_EXACT:
            t->n_exact++;
            break;
        default:
            t->n_skipped++;
        }
    }
}

/** Second pass: the bin with the least probability, and all that are beyond. */
static void judge(compare_tally *t, const crp_result *a, const crp_result *b, const compare_report *report)
{
    size_t in_a = (size_t)result_find(a, t->name), in_b = (size_t)result_find(b, t->name);
    double z, freedom, least = 2, worst_freedom = (double)INFINITY;
    double allowed = STATISTICS_FAMILY_ERROR / (double)(report->n_checks > 0 ? report->n_checks : 1);
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        side sa = side_of(a, in_a, bin), sb = side_of(b, in_b, bin);
        if (compare_bin(&sa, &sb, &z, &freedom) == BIN_SKIPPED) {
            continue;
        }
        double chance = isinf(z) ? 0 : 2 * statistics_student_tail(fabs(z), freedom);
        t->n_beyond += report->limit > 0 ? fabs(z) > report->limit : chance < allowed;
        if (chance < least) {
            least = chance;
            worst_freedom = freedom;
            t->worst = bin;
            t->worst_z = z;
        }
    }
    if (least <= 1) {
        t->worst_limit = report->limit > 0 ? report->limit : statistics_limit((double)report->n_checks, worst_freedom);
    }
}

static void compare_numbers(compare_report *report, const crp_result *a, const crp_result *b)
{
    size_t n_exact = 0;
    report->agree = true;
    for (size_t i = 0; i < report->n_tallies; i++) {
        compare_tally *t = &report->tallies[i];
        if (t->shape == COMPARE_COMMON) {
            count_checks(t, a, b);
        }
        report->n_checks += t->n_checked;
        report->n_skipped += t->n_skipped;
        n_exact += t->n_exact;
    }
    for (size_t i = 0; i < report->n_tallies; i++) {
        compare_tally *t = &report->tallies[i];
        if (t->shape == COMPARE_COMMON) {
            judge(t, a, b, report);
        }
        report->agree = report->agree && t->shape == COMPARE_COMMON && t->n_beyond == 0;
    }
    report->agree = report->agree && report->n_checks + n_exact > 0;
}

crp_status compare_results(crp_context *context, const crp_result *a, const crp_result *b, double limit,
                           compare_report **report)
{
    *report = NULL;
    CRP_CHECK(context, strcmp(a->kind, b->kind) == 0, CRP_ERR_ARG,
              "the results are of kinds `%s` and `%s` (they have no tally in common): compare results of one kind",
              a->kind, b->kind);
    compare_report *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->tallies = calloc(a->n_tallies + b->n_tallies + 1, sizeof *r->tallies);
    }
    if (r == NULL || r->tallies == NULL) {
        free(r);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory to compare");
    }
    r->limit = limit;
    r->is_same_input = strcmp(a->model_digest, b->model_digest) == 0;
    r->is_same_bits = strcmp(a->digest, b->digest) == 0;
    bool is_traced = strcmp(a->math, "rays") == 0 || strcmp(b->math, "rays") == 0; /* the same random numbers, too */
    r->is_same_seed = r->is_same_input && a->seed == b->seed && (is_traced || strcmp(a->math, b->math) == 0);
    if (r->is_same_bits) {
        r->agree = true;
    } else {
        pair_tallies(r, a, b);
        compare_numbers(r, a, b);
    }
    *report = r;
    return CRP_OK;
}

void compare_destroy(compare_report **report)
{
    if (report != NULL && *report != NULL) {
        free((*report)->tallies);
        free(*report);
        *report = NULL;
    }
}

/* -------------------------------------------------------------------------------------------------- printing */

/** "[3, 17]", or "" for a scalar. */
static void print_place(const tally_spec *t, size_t bin, char *text, size_t size)
{
    size_t index[TALLY_MAX_DIMS], used = 0;
    for (unsigned k = t->n_dims; k-- > 0;) {
        index[k] = bin % t->shape[k];
        bin /= t->shape[k];
    }
    text[0] = '\0';
    for (unsigned k = 0; k < t->n_dims && used < size; k++) {
        used += (size_t)snprintf(text + used, size - used, "%s%zu%s", k == 0 ? "[" : ", ", index[k],
                                 k + 1 == t->n_dims ? "]" : "");
    }
}

static void print_tally(const compare_tally *t, const crp_result *a, FILE *file)
{
    static const char *const why[] = {"", "only in the first", "only in the second", "other shape, unit or edges"};
    char place[64];
    if (t->shape != COMPARE_COMMON) {
        fprintf(file, "  %-20s %8zu bins  DIFFERS: %s\n", t->name, t->n_bins, why[t->shape]);
        return;
    }
    fprintf(file, "  %-20s %8zu bins", t->name, t->n_bins);
    if (t->n_checked + t->n_exact > 0) {
        print_place(&a->tallies[(size_t)result_find(a, t->name)], t->worst, place, sizeof place);
        fprintf(file, "  worst z %+6.2f (limit %.2f)", t->worst_z, t->worst_limit);
        fprintf(file, place[0] != '\0' ? " at %s" : "%s", place);
    }
    if (t->n_checked > 1) {
        fprintf(file, "  chi2/n %.3f", t->chi2 / (double)t->n_checked);
    }
    if (t->n_exact > 0) {
        fprintf(file, "  %zu exact", t->n_exact);
    }
    if (t->n_skipped > 0) {
        fprintf(file, "  %zu without error", t->n_skipped);
    }
    if (t->n_beyond > 0) {
        fprintf(file, "  BEYOND: %zu", t->n_beyond);
    }
    fputc('\n', file);
}

/** z of the first tally over points and names, G(t) say: a row for each point, a column for each name. */
static void print_curves(const compare_report *report, const crp_result *a, const crp_result *b, FILE *file)
{
    size_t i = 0;
    while (i < a->n_tallies && !(a->tallies[i].n_dims == 2 && a->tallies[i].axis_points[0] != NULL &&
                                 a->tallies[i].axis_labels[1] != NULL && report->tallies[i].shape == COMPARE_COMMON)) {
        i++;
    }
    if (i == a->n_tallies) {
        return;
    }
    const tally_spec *t = &a->tallies[i];
    size_t in_b = (size_t)result_find(b, t->name);
    char label[64];
    double z, freedom;
    fprintf(file, "  z of %s\n  %10s", t->name, t->axis_name[0]);
    for (size_t j = 0; j < t->shape[1]; j++) {
        fprintf(file, " %8.8s", tally_axis_label(t, 1, j, label, sizeof label));
    }
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        side sa = side_of(a, i, bin), sb = side_of(b, in_b, bin);
        if (bin % t->shape[1] == 0) {
            fprintf(file, "\n  %10.4g", t->axis_points[0][bin / t->shape[1]]);
        }
        if (compare_bin(&sa, &sb, &z, &freedom) == BIN_SKIPPED) {
            fprintf(file, " %8s", "-");
        } else {
            fprintf(file, " %+8.2f", z);
        }
    }
    fputc('\n', file);
}

/* Tallies that only one has, or bins that differ without an error. */
static bool has_other_tallies(const compare_report *report)
{
    bool has = false;
    for (size_t i = 0; i < report->n_tallies; i++) {
        has = has || report->tallies[i].shape != COMPARE_COMMON || report->tallies[i].n_beyond > 0;
    }
    return has;
}

void compare_print(const compare_report *report, const crp_result *a, const crp_result *b, FILE *file)
{
    const crp_result *sides[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const crp_result *r = sides[i];
        fprintf(file, "%c: %s, %" PRIu64 " %s in %u batches, seed %" PRIu64 ", %s, %s\n", "ab"[i], r -> model_name,
                r -> histories, r -> history_name, r -> batches, r -> seed, r -> math, r -> device);
    }
    if (report->is_same_bits) {
        fprintf(file, "same bits (digest %.16s)\n", a->digest);
        return;
    }
    if (!report->is_same_input) {
        fprintf(file, "note: the inputs differ (digests %.12s and %.12s)\n", a->model_digest, b->model_digest);
    }
    if (report->is_same_seed) {
        fprintf(file, "note: same input and seed: the runs share histories, so that z is smaller than that of "
                      "independent runs\n");
    }
    for (size_t i = 0; i < report->n_tallies; i++) {
        print_tally(&report->tallies[i], a, file);
    }
    if (report->n_checks == 0 && !report->agree && report->n_skipped > 0 && !has_other_tallies(report)) {
        fprintf(file, "nothing compared: none of %zu bins has an error (a run of one batch has none): repeat with more "
                      "histories, in two batches at least\n", report->n_skipped);
        return;
    }
    print_curves(report, a, b, file);
    fprintf(file, "%s: %zu bins checked, %zu without error; ", report->agree ? "agree" : "DIFFER", report->n_checks,
            report->n_skipped);
    if (report->limit > 0) {
        fprintf(file, "limit |z| = %.2f as asked\n", report->limit);
    } else {
        fprintf(file, "limits for a false alarm once in %.0f comparisons\n", 1 / STATISTICS_FAMILY_ERROR);
    }
}
