/** Results: exact sums, deviations between batches, digest, and the public functions that read them. */
#include "engine/result.h"

#include "core/context.h"
#include "core/memory.h"
#include "core/sha256.h"
#include "core/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------ life and death */

static void tally_clear(tally_spec *t)
{
    for (size_t k = 0; k < TALLY_MAX_DIMS; k++) {
        free(t->axis_edges[k]);
        free(t->axis_points[k]);
        free(t->axis_labels[k]);
    }
    free(t->scale);
}

const char *tally_axis_label(const tally_spec *t, uint32_t axis, size_t i, char *text, size_t size)
{
    const char *at = t->axis_labels[axis];
    for (; at != NULL && i > 0; --i) {
        at = strchr(at, '\n');
        at = at == NULL ? NULL : at + 1;
    }
    text[0] = '\0';
    if (at != NULL && size > 0) {
        size_t n = strcspn(at, "\n");
        n = n < size ? n : size - 1;
        memcpy(text, at, n);
        text[n] = '\0';
    }
    return text;
}

void crp_result_destroy(crp_result **result)
{
    if (result == NULL || *result == NULL) {
        return;
    }
    crp_result *r = *result;
    for (size_t i = 0; r->tallies != NULL && i < r->n_tallies; i++) {
        tally_clear(&r->tallies[i]);
    }
    free(r->tallies);
    free(r->model_text);
    free(r->model_files);
    free(r->sum);
    free(r->mean_batch);
    free(r->m2);
    free(r->cross);
    free(r->events);
    free(r->event_count);
    free(r->results);
    free(r->axis_names);
    free(r->places);
    free(r->devices);
    free(r);
    *result = NULL;
}

/** calloc that gives a pointer for nothing too, and refuses sizes that overflow. */
static void *allocate(size_t n, size_t size)
{
    return calloc(n > 0 ? n : 1, size);
}

crp_status result_allocate(crp_context *context, size_t n_tallies, size_t n_bins, size_t n_events, size_t n_results,
                           crp_result **result)
{
    *result = NULL;
    uint64_t needed = n_bins * (sizeof(crp_wide) + 2 * sizeof(double)), available = 0;
    CRP_CHECK(context, n_bins <= SIZE_MAX / 64 && memory_suffices(needed, &available), CRP_ERR_MEMORY,
              "not enough memory for a result of %zu bins (%llu bytes needed, %llu available) use a coarser grid", n_bins,
              (unsigned long long)needed, (unsigned long long)available);
    crp_result *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->n_tallies = n_tallies;
        r->n_bins = n_bins;
        r->n_events = n_events;
        r->n_results = n_results;
        r->tallies = allocate(n_tallies, sizeof *r->tallies);
        r->sum = allocate(n_bins, sizeof *r->sum);
        r->mean_batch = allocate(n_bins, sizeof *r->mean_batch);
        r->m2 = allocate(n_bins, sizeof *r->m2);
        r->events = allocate(n_events, sizeof *r->events);
        r->event_count = allocate(n_events, sizeof *r->event_count);
        r->results = allocate(n_results, sizeof *r->results);
        r->cross = allocate(n_bins, sizeof *r->cross);
        r->axis_names = allocate(n_tallies, sizeof *r->axis_names);
    }
    if (r == NULL || r->tallies == NULL || r->sum == NULL || r->mean_batch == NULL || r->m2 == NULL ||
        r->cross == NULL || r->events == NULL || r->event_count == NULL || r->results == NULL || r->axis_names == NULL) {
        crp_result_destroy(&r);
        return context_fail(context, CRP_ERR_MEMORY,
                            "not enough memory for a result of %zu bins (%zu bytes a bin): "
                            "use a coarser grid",
                            n_bins, sizeof *r->sum + 2 * sizeof *r->m2);
    }
    for (size_t i = 0; i < n_tallies; i++) {
        for (size_t k = 0; k < TALLY_MAX_DIMS; k++) {
            r->axis_names[i].name[k] = r->tallies[i].axis_name[k];
            r->axis_names[i].unit[k] = r->tallies[i].axis_unit[k];
        }
    }
    r->device_seconds = (double)NAN;
    *result = r;
    return CRP_OK;
}

/** Copy n doubles; NULL stays NULL. False when out of memory. */
static bool copy_doubles(double **to, const double *from, size_t n)
{
    *to = NULL;
    if (from == NULL) {
        return true;
    }
    *to = malloc(n * sizeof **to);
    if (*to != NULL) {
        memcpy(*to, from, n * sizeof **to);
    }
    return *to != NULL;
}

static bool copy_string(char **to, const char *from)
{
    *to = from == NULL ? NULL : strdup(from);
    return from == NULL || *to != NULL;
}

static bool copy_tally(tally_spec *to, const tally_spec *from)
{
    *to = *from;
    bool fine = copy_doubles(&to->scale, from->scale, from->n_bins);
    for (size_t k = 0; k < TALLY_MAX_DIMS; k++) {
        bool used = k < from->n_dims;
        /* Evaluated for every axis, so that no pointer of the plan stays in the copy. */
        fine =
            copy_doubles(&to->axis_edges[k], used ? from->axis_edges[k] : NULL, used ? from->shape[k] + 1 : 0) && fine;
        fine = copy_doubles(&to->axis_points[k], used ? from->axis_points[k] : NULL, used ? from->shape[k] : 0) && fine;
        fine = copy_string(&to->axis_labels[k], used ? from->axis_labels[k] : NULL) && fine;
    }
    return fine;
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t n = from == NULL ? 0 : strnlen(from, size - 1);
    if (n > 0) {
        memcpy(to, from, n);
    }
    to[n] = '\0';
}

crp_status result_create(crp_context *context, const crp_model *model, const crp_plan *plan, crp_result **result)
{
    CRP_TRY(result_allocate(context, plan->n_tallies, plan->n_bins, plan->n_events, plan->n_results, result));
    crp_result *r = *result;
    bool fine = true;
    for (size_t i = 0; i < plan->n_tallies; i++) {
        fine = copy_tally(&r->tallies[i], &plan->tallies[i]) && fine;
    }
    memcpy(r->events, plan->events, plan->n_events * sizeof *r->events);
    memcpy(r->results, plan->results, plan->n_results * sizeof *r->results);
    copy_text(r->kind, sizeof r->kind, model->module->name);
    copy_text(r->history_name, sizeof r->history_name, model->module->history_name);
    copy_text(r->model_name, sizeof r->model_name, model->name);
    copy_text(r->model_digest, sizeof r->model_digest, model->digest);
    copy_text(r->version, sizeof r->version, crp_version());
    copy_text(r->commit, sizeof r->commit, crp_commit());
    r->model_text = strdup(model->normalised == NULL ? "" : model->normalised);
    if (!fine || r->model_text == NULL) {
        crp_result_destroy(result);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory for the axes of %zu tallies", plan->n_tallies);
    }
    result_digest(r);
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------- statistics */

double wide_ratio(crp_wide x, uint64_t n)
{
    const crp_wide limit = (crp_wide)1 << 53;
    if (n == 0) {
        return 0;
    }
    if (x < limit && x > -limit && n < (uint64_t)1 << 53) {
        return (double)x / (double)n;
    }
    return (double)(x / (crp_wide)n) + (double)(x % (crp_wide)n) / (double)n;
}

size_t result_denominator(const crp_result *result, size_t tally, size_t bin)
{
    const tally_spec *t = &result->tallies[tally];
    return t->over == 0 ? SIZE_MAX : result->tallies[t->over - 1].offset + (bin - t->offset) / t->over_run;
}

/* The covariance of numerator and denominator, by the same update: M += n (x - old mean of x) (y - new mean of y). To be
 * called when the denominator has its new mean and the numerator its old one. */
static void add_cross(crp_result *result, size_t bin, size_t denominator, double deviation, const crp_wide *bins, uint64_t n)
{
    double y = wide_ratio(bins[denominator], n);
    result->cross[bin] += (double)n * deviation * (y - result->mean_batch[denominator]);
}

/* Welford's update with the weight n: for y = x / n,  M2 += n (y - old mean) (y - new mean).
 * Ref: West 1979, Comm. ACM 22, 532. The new mean comes from the exact sum, so that it collects no rounding. */
static void add_bin(crp_result *result, size_t tally, size_t i, const crp_wide *bins, uint64_t n)
{
    if (bins[i] == 0 && result->sum[i] == 0) {
        return; /* y and both means are 0: most of a big map, in most runs */
    }
    double y = wide_ratio(bins[i], n);
    double old = result->mean_batch[i];
    if (result->tallies[tally].over != 0) {
        add_cross(result, i, result_denominator(result, tally, i), y - old, bins, n);
    }
    result->sum[i] += bins[i];
    double mean = wide_ratio(result->sum[i], result->histories + n);
    double square = (double)n * (y - old) * (y - mean);
    result->mean_batch[i] = mean;
    result->m2[i] += square > 0 ? square : 0; /* below 0 by rounding only */
}

void result_add_batch(crp_result *result, const crp_wide *bins, const uint64_t *events, uint64_t n)
{
    if (n == 0) {
        return;
    }
    for (size_t t = 0; t < result->n_tallies; t++) { /* in turn: a ratio's denominator is an earlier one */
        size_t first = result->tallies[t].offset, end = first + result->tallies[t].n_bins;
#pragma omp parallel for schedule(static) num_threads(team_of(end - first)) /* bins are independent: no digit depends on it */
        for (size_t i = first; i < end; i++) {
            add_bin(result, t, i, bins, n);
        }
    }
    for (size_t i = 0; i < result->n_events; i++) {
        result->event_count[i] += events[i];
    }
    result->histories += n;
    result->batches++;
}

static crp_status add_derived(crp_context *context, crp_result *result, const crp_plan *plan, size_t tally,
                              const crp_wide *bins, uint64_t n)
{
    const tally_spec *t = &result->tallies[tally];
    double *values = malloc((t->n_bins + 1) * sizeof *values), weight = (double)n / (double)result->histories;
    CRP_CHECK(context, values != NULL, CRP_ERR_MEMORY, "not enough memory for %zu bins of %s", t->n_bins, t->name);
    plan->derive(plan, tally, bins, n, values);
    for (size_t i = 0; i < t->n_bins; i++) { /* West 1979, as below */
        double *mean = &result->cross[t->offset + i], deviation = values[i] - *mean;
        *mean += weight * deviation;
        result->m2[t->offset + i] += (double)n * deviation * (values[i] - *mean);
    }
    plan->derive(plan, tally, result->sum, result->histories, values);
    memcpy(result->mean_batch + t->offset, values, t->n_bins * sizeof *values);
    free(values);
    return CRP_OK;
}

crp_status result_add_derived(crp_context *context, crp_result *result, const crp_plan *plan, const crp_wide *bins,
                              uint64_t n)
{
    for (size_t i = 0; i < result->n_tallies && n > 0; i++) {
        if (result->tallies[i].is_derived) {
            CRP_TRY(add_derived(context, result, plan, i, bins, n));
        }
    }
    return CRP_OK;
}

static double bin_factor(const crp_result *result, size_t tally, size_t bin)
{
    const tally_spec *t = &result->tallies[tally];
    return t->scale == NULL ? t->quantum : t->quantum * t->scale[bin - t->offset];
}

/* Sum over sum: NaN where the denominator is 0. */
static double ratio_of(const crp_result *result, size_t bin, size_t denominator)
{
    return (double)result->sum[bin] / (double)result->sum[denominator];
}

double result_bin_mean(const crp_result *result, size_t tally, size_t bin)
{
    size_t denominator = result_denominator(result, tally, bin);
    if (result->tallies[tally].is_derived) {
        return result->histories > 0 ? result->mean_batch[bin] : (double)NAN;
    }
    if (denominator != SIZE_MAX) {
        return ratio_of(result, bin, denominator) * bin_factor(result, tally, bin);
    }
    return wide_ratio(result->sum[bin], result->histories) * bin_factor(result, tally, bin);
}

double result_bin_unit(const crp_result *result, size_t tally, size_t bin)
{
    size_t denominator = result_denominator(result, tally, bin);
    if (result->tallies[tally].is_derived) {
        return (double)NAN;
    }
    double n = denominator != SIZE_MAX ? (double)result->sum[denominator] : (double)result->histories;
    return fabs(bin_factor(result, tally, bin) / n);
}

double result_bin_std_dev(const crp_result *result, size_t tally, size_t bin)
{
    if (result->batches < 2) {
        return (double)NAN;
    }
    double freedom = (double)(result->batches - 1);
    size_t denominator = result_denominator(result, tally, bin);
    if (denominator != SIZE_MAX) { /* var(x / y) = (var x - 2 r cov(x, y) + r^2 var y) / y^2, r = x / y */
        double r = ratio_of(result, bin, denominator), y = result->mean_batch[denominator];
        double m2 = result->m2[bin] - 2.0 * r * result->cross[bin] + r * r * result->m2[denominator];
        double variance = m2 > 0 ? m2 / freedom / (double)result->histories : 0.0 * r;
        return sqrt(variance) / fabs(y) * fabs(bin_factor(result, tally, bin));
    }
    return sqrt(result->m2[bin] / freedom / (double)result->histories) * fabs(bin_factor(result, tally, bin));
}

/* ------------------------------------------------------------------------------------------------- digest */

/** Fixed bytes on every machine: little-endian, 16 bytes. */
static void digest_wide(sha256 *s, crp_wide value)
{
    uint8_t bytes[16];
    __extension__ typedef unsigned __int128 wide_bits;
    wide_bits bits = (wide_bits)value;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
    sha256_update(s, bytes, sizeof bytes);
}

static void digest_text(sha256 *s, const char *text)
{
    sha256_update(s, text, strlen(text) + 1); /* the zero too: "ab" "c" is not "a" "bc" */
}

/** Many bins at once: one call of the hash for 16 bytes would spend its time on calls. */
static void digest_bins(sha256 *s, const crp_wide *sum, size_t n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    sha256_update(s, sum, n * sizeof *sum);
#else
    for (size_t i = 0; i < n; i++) {
        digest_wide(s, sum[i]);
    }
#endif
}

void result_digest(crp_result *result)
{
    sha256 s;
    sha256_init(&s);
    digest_text(&s, "corpuscle digest 1");
    digest_wide(&s, result->histories);
    digest_wide(&s, (crp_wide)result->n_tallies);
    for (size_t i = 0; i < result->n_tallies; i++) {
        const tally_spec *t = &result->tallies[i];
        digest_text(&s, t->name);
        digest_wide(&s, t->n_dims);
        for (size_t k = 0; k < t->n_dims; k++) {
            digest_wide(&s, (crp_wide)t->shape[k]);
        }
        digest_bins(&s, result->sum + t->offset, t->n_bins);
    }
    digest_wide(&s, (crp_wide)result->n_events);
    for (size_t i = 0; i < result->n_events; i++) {
        digest_text(&s, result->events[i].name);
        digest_wide(&s, result->event_count[i]);
    }
    sha256_hex(&s, result->digest);
}

/* ---------------------------------------------------------------------------------------------- public API */

ptrdiff_t result_find(const crp_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_tallies; i++) {
        if (strcmp(result->tallies[i].name, name) == 0) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

size_t crp_result_n_tallies(const crp_result *result)
{
    return result == NULL ? 0 : result->n_tallies;
}

crp_status crp_result_tally(const crp_result *result, size_t i, crp_tally_view *view)
{
    if (result == NULL || view == NULL || i >= result->n_tallies || view->size < sizeof view->size) {
        return CRP_ERR_ARG;
    }
    const tally_spec *t = &result->tallies[i];
    const result_axis_names *names = &result->axis_names[i];
    crp_tally_view full = {
        .size = view->size,
        .name = t->name,
        .description = t->description,
        .unit = t->unit,
        .n_dims = t->n_dims,
        .shape = t->shape,
        .axis_name = names->name,
        .axis_unit = names->unit,
        .axis_edges = (const double *const *)t->axis_edges,
        .n_bins = t->n_bins,
    };
    /* A caller built against an older header has a shorter struct. */
    memcpy(view, &full, view->size < sizeof full ? view->size : sizeof full);
    return CRP_OK;
}

ptrdiff_t crp_result_find(const crp_result *result, const char *name)
{
    return result == NULL || name == NULL ? -1 : result_find(result, name);
}

static crp_status fill(const crp_result *result, size_t i, double *out,
                       double (*value)(const crp_result *result, size_t tally, size_t bin))
{
    if (result == NULL || out == NULL || i >= result->n_tallies) {
        return CRP_ERR_ARG;
    }
    const tally_spec *t = &result->tallies[i];
    for (size_t k = 0; k < t->n_bins; k++) {
        out[k] = value(result, i, t->offset + k);
    }
    return CRP_OK;
}

crp_status crp_result_mean(const crp_result *result, size_t i, double *mean)
{
    return fill(result, i, mean, result_bin_mean);
}

crp_status crp_result_std_dev(const crp_result *result, size_t i, double *std_dev)
{
    return fill(result, i, std_dev, result_bin_std_dev);
}

uint64_t crp_result_histories(const crp_result *result)
{
    return result == NULL ? 0 : result->histories;
}

double crp_result_seconds(const crp_result *result)
{
    return result == NULL ? 0 : result->seconds;
}

const char *crp_result_device(const crp_result *result)
{
    return result == NULL ? "" : result->device;
}

const char *crp_result_digest(const crp_result *result)
{
    return result == NULL ? "" : result->digest;
}

uint64_t result_batch_end(const crp_result *result, uint64_t first)
{
    uint64_t start = 0, size = result->batch_size;
    if (result->batch_growth == 0) {
        return (first / size + 1) * size;
    }
    while (first - start >= size * result->batch_growth) {
        start += size * result->batch_growth;
        size *= 2;
    }
    return start + ((first - start) / size + 1) * size;
}

uint32_t result_count_batches(const crp_result *result, uint64_t n)
{
    uint64_t start = 0, size = result->batch_size, batches = 0;
    while (result->batch_growth != 0 && n - start > size * result->batch_growth) {
        start += size * result->batch_growth;
        batches += result->batch_growth;
        size *= 2;
    }
    batches += (n - start) / size + ((n - start) % size != 0 ? 1 : 0);
    return batches < UINT32_MAX ? (uint32_t)batches : UINT32_MAX;
}
