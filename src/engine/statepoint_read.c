/** One run read back from its HDF5 group. The layout is described in docs/formats/result.md. */
#include "engine/statepoint_parts.h"

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** What is being read, for messages: "skin.h5: run_1: tallies/A_rz" and so on. */
typedef struct reader {
    crp_context *context;
    const char *path;
    uint32_t group;
} reader;

static crp_status bad(const reader *in, const char *item)
{
    return context_fail(in->context, CRP_ERR_FORMAT,
                        "%s: run %u: `%s` is missing or not of the form that format version %d asks for "
                        "(docs/formats/result.md)",
                        in->path, in->group, item, STATEPOINT_FORMAT_VERSION);
}

static crp_status no_memory(const reader *in)
{
    return context_fail(in->context, CRP_ERR_MEMORY, "%s: run %u: not enough memory to read it", in->path, in->group);
}

/* --------------------------------------------------------------------------------------------------- tallies */

/** Names of the elements of an axis, one a line, where it has them. */
static bool read_labels(hid_t axis, tally_spec *t, unsigned k)
{
    if (H5Aexists(axis, "labels") <= 0) {
        return true;
    }
    size_t size = t->shape[k] * 256 + 1;
    t->axis_labels[k] = calloc(size, 1);
    return t->axis_labels[k] != NULL && hdf5_get_text(axis, "labels", t->axis_labels[k], size);
}

static bool read_axis(hid_t group, tally_spec *t, unsigned k)
{
    char name[16];
    unsigned rank;
    hsize_t n[1] = {0};
    snprintf(name, sizeof name, "axis_%u", k);
    if (!hdf5_get_shape(group, name, 1, &rank, n) || rank != 1) {
        return false;
    }
    hid_t axis = H5Dopen2(group, name, H5P_DEFAULT);
    bool fine = axis >= 0 && hdf5_get_text(axis, "name", t->axis_name[k], sizeof t->axis_name[k]) &&
                hdf5_get_text(axis, "unit", t->axis_unit[k], sizeof t->axis_unit[k]);
    hid_t type = H5Dget_type(axis);
    bool counts = H5Tget_class(type) == H5T_INTEGER;
    H5Tclose(type);
    fine = fine && read_labels(axis, t, k);
    H5Dclose(axis);
    if (!fine || counts) {
        return fine && n[0] == t->shape[k];
    }
    if (n[0] == t->shape[k]) {
        t->axis_points[k] = malloc((n[0] > 0 ? n[0] : 1) * sizeof(double));
        return t->axis_points[k] != NULL && hdf5_get_array(group, name, H5T_NATIVE_DOUBLE, n[0], t->axis_points[k]);
    }
    if (n[0] != t->shape[k] + 1) {
        return false;
    }
    t->axis_edges[k] = malloc(n[0] * sizeof(double));
    return t->axis_edges[k] != NULL && hdf5_get_array(group, name, H5T_NATIVE_DOUBLE, n[0], t->axis_edges[k]);
}

static bool read_shape(hid_t group, tally_spec *t)
{
    unsigned rank;
    hsize_t dims[TALLY_MAX_DIMS];
    if (!hdf5_get_shape(group, "mean", TALLY_MAX_DIMS, &rank, dims)) {
        return false;
    }
    t->n_dims = rank;
    t->n_bins = 1;
    for (unsigned k = 0; k < rank; k++) {
        if (dims[k] > SIZE_MAX / 64 / t->n_bins) {
            return false;
        }
        t->shape[k] = (size_t)dims[k];
        t->n_bins *= t->shape[k];
        if (t->n_bins == 0) {
            return false;
        }
    }
    return true;
}

/** All of a tally but its numbers. */
static bool read_spec(hid_t group, const char *name, tally_spec *t)
{
    if (strlen(name) >= sizeof t->name) {
        return false;
    }
    strcpy(t->name, name);
    bool fine = hdf5_get_text(group, "description", t->description, sizeof t->description) &&
                hdf5_get_text(group, "unit", t->unit, sizeof t->unit) && hdf5_get_real(group, "quantum", &t->quantum) &&
                read_shape(group, t);
    for (unsigned k = 0; fine && k < t->n_dims; k++) {
        fine = read_axis(group, t, k);
    }
    t->is_derived = H5Aexists(group, "derived") > 0;
    if (fine && hdf5_has(group, "scale")) {
        t->scale = malloc(t->n_bins * sizeof *t->scale);
        fine = t->scale != NULL && hdf5_get_array(group, "scale", H5T_NATIVE_DOUBLE, t->n_bins, t->scale);
    }
    return fine;
}

static bool read_numbers(hid_t group, crp_result *result, const tally_spec *t)
{
    uint64_t *words = malloc(t->n_bins * 2 * sizeof *words);
    bool fine = words != NULL && hdf5_get_array(group, "sum", H5T_NATIVE_UINT64, t->n_bins * 2, words) &&
                hdf5_get_array(group, "m2", H5T_NATIVE_DOUBLE, t->n_bins, result->m2 + t->offset);
    __extension__ typedef unsigned __int128 wide_bits;
    fine = fine && ((t->over == 0 && !t->is_derived) ||
                    hdf5_get_array(group, "cross", H5T_NATIVE_DOUBLE, t->n_bins, result->cross + t->offset));
    for (size_t i = 0; fine && i < t->n_bins; i++) {
        crp_wide sum = (crp_wide)((wide_bits)words[2 * i] | (wide_bits)words[2 * i + 1] << 64);
        result->sum[t->offset + i] = sum;
        result->mean_batch[t->offset + i] = wide_ratio(sum, result->histories);
    }
    free(words);
    return fine && (!t->is_derived ||
                    hdf5_get_array(group, "mean", H5T_NATIVE_DOUBLE, t->n_bins, result->mean_batch + t->offset));
}

static bool link_name(hid_t tallies, hsize_t i, char *name, size_t size)
{
    ssize_t length = H5Lget_name_by_idx(tallies, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, size, H5P_DEFAULT);
    return length > 0 && (size_t)length < size;
}

static void specs_destroy(tally_spec *specs, size_t n)
{
    for (size_t i = 0; specs != NULL && i < n; i++) {
        for (size_t k = 0; k < TALLY_MAX_DIMS; k++) {
            free(specs[i].axis_edges[k]);
            free(specs[i].axis_points[k]);
            free(specs[i].axis_labels[k]);
        }
        free(specs[i].scale);
    }
    free(specs);
}

/** What a ratio is divided by: an earlier tally, with a bin for each run of this one's. */
static bool read_over(hid_t tallies, tally_spec *specs, size_t i)
{
    tally_spec *t = &specs[i];
    char name[sizeof t->name];
    uint64_t run = 0;
    hid_t group = H5Gopen2(tallies, t->name, H5P_DEFAULT);
    bool is_ratio = group >= 0 && H5Aexists(group, "over") > 0;
    bool fine = group >= 0 && (!is_ratio || (hdf5_get_text(group, "over", name, sizeof name) &&
                                             hdf5_get_count(group, "over_run", &run) && run >= 1));
    H5Gclose(group);
    for (size_t k = 0; fine && is_ratio && k < i; k++) {
        if (strcmp(specs[k].name, name) == 0 && (t->n_bins - 1) / run < specs[k].n_bins) {
            t->over = k + 1;
            t->over_run = (size_t)run;
        }
    }
    return fine && (!is_ratio || t->over != 0);
}

/** Specifications of all tallies in the order of their attribute `index`, with their offsets. */
static crp_status read_specs(const reader *in, hid_t tallies, size_t n, tally_spec *specs)
{
    for (size_t i = 0; i < n; i++) {
        char name[64] = "tallies";
        uint64_t index = n;
        hid_t group = link_name(tallies, i, name, sizeof name) ? H5Gopen2(tallies, name, H5P_DEFAULT) : -1;
        bool fine = group >= 0 && hdf5_get_count(group, "index", &index) && index < n && specs[index].name[0] == '\0' &&
                    read_spec(group, name, &specs[index]);
        H5Gclose(group);
        if (!fine) {
            return bad(in, name);
        }
    }
    size_t offset = 0;
    for (size_t i = 0; i < n; i++) {
        specs[i].offset = offset;
        offset += specs[i].n_bins;
        if (!read_over(tallies, specs, i)) {
            return bad(in, specs[i].name);
        }
    }
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------------- tables */

static bool read_events(hid_t run, crp_result *result)
{
    statepoint_event *rows = calloc(result->n_events + 1, sizeof *rows);
    hid_t type = statepoint_event_type();
    bool fine = rows != NULL && type >= 0 && hdf5_get_array(run, "events", type, result->n_events, rows);
    for (size_t i = 0; fine && i < result->n_events; i++) {
        memcpy(result->events[i].name, rows[i].name, sizeof rows[i].name - 1);
        result->events[i].is_fault = rows[i].is_fault != 0;
        result->event_count[i] = rows[i].count;
    }
    H5Tclose(type);
    free(rows);
    return fine;
}

static bool read_result_row(crp_result *result, statepoint_row *row, result_spec *to)
{
    row->tally[sizeof row->tally - 1] = '\0';
    ptrdiff_t tally = result_find(result, row->tally);
    if (tally < 0 || row->bin >= result->tallies[tally].n_bins) {
        return false;
    }
    memcpy(to->name, row->name, sizeof to->name - 1);
    memcpy(to->of_name, row->of_name, sizeof to->of_name - 1);
    to->of = row->of;
    to->tally = (size_t)tally;
    to->bin = result->tallies[tally].offset + (size_t)row->bin;
    return true;
}

static bool read_results(hid_t run, crp_result *result)
{
    statepoint_row *rows = calloc(result->n_results + 1, sizeof *rows);
    hid_t type = statepoint_row_type();
    bool fine = rows != NULL && type >= 0 && hdf5_get_array(run, "results", type, result->n_results, rows);
    for (size_t i = 0; fine && i < result->n_results; i++) {
        fine = read_result_row(result, &rows[i], &result->results[i]);
    }
    H5Tclose(type);
    free(rows);
    return fine;
}

/* ------------------------------------------------------------------------------------------------ provenance */

static crp_status read_provenance(const reader *in, hid_t run, crp_result *r)
{
    const struct {
        const char *name;
        char *text;
        size_t size;
    } texts[] = {
        {"kind", r->kind, sizeof r->kind},
        {"history_name", r->history_name, sizeof r->history_name},
        {"name", r->model_name, sizeof r->model_name},
        {"input_digest", r->model_digest, sizeof r->model_digest},
        {"version", r->version, sizeof r->version},
        {"commit", r->commit, sizeof r->commit},
        {"device", r->device, sizeof r->device},
        {"math", r->math, sizeof r->math},
        {"date", r->date, sizeof r->date},
        {"host", r->host, sizeof r->host},
        {"until", r->until, sizeof r->until},
    };
    uint64_t batches = 0, growth = 0;
    const struct {
        const char *name;
        uint64_t *value;
    } counts[] = {{"seed", &r->seed},
                  {"histories", &r->histories},
                  {"histories_planned", &r->histories_planned},
                  {"batches", &batches},
                  {"batch_size", &r->batch_size},
                  {"batch_growth", &growth}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!hdf5_get_text(run, texts[i].name, texts[i].text, texts[i].size)) {
            return bad(in, texts[i].name);
        }
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!hdf5_get_count(run, counts[i].name, counts[i].value)) {
            return bad(in, counts[i].name);
        }
    }
    if (batches > UINT32_MAX || batches > r->histories) {
        return bad(in, "batches");
    }
    if ((r->batch_size == 0 && r->histories > 0) || r->batch_size > UINT64_MAX / 2 || growth > UINT32_MAX) {
        return bad(in, "batch_size");
    }
    r->batches = (uint32_t)batches;
    r->batch_growth = (uint32_t)growth;
    if (!hdf5_get_real(run, "seconds", &r->seconds) || !hdf5_get_real(run, "device_seconds", &r->device_seconds)) {
        return bad(in, "seconds");
    }
    if (hdf5_has(run, "files") && !hdf5_get_text_dataset(run, "files", &r->model_files)) {
        return bad(in, "files");
    }
    return hdf5_get_text_dataset(run, "input", &r->model_text) ? CRP_OK : bad(in, "input");
}

/* ------------------------------------------------------------------------------------------------- assembly */

/** Length of a table. */
static bool table_length(hid_t run, const char *name, size_t *n)
{
    unsigned rank;
    hsize_t dims[1];
    bool fine = hdf5_get_shape(run, name, 1, &rank, dims) && rank == 1 && dims[0] < SIZE_MAX / 1024;
    *n = fine ? (size_t)dims[0] : 0;
    return fine;
}

static crp_status read_arrays(const reader *in, hid_t run, hid_t tallies, crp_result *result)
{
    CRP_TRY(read_provenance(in, run, result));
    for (size_t i = 0; i < result->n_tallies; i++) {
        hid_t group = H5Gopen2(tallies, result->tallies[i].name, H5P_DEFAULT);
        bool fine = group >= 0 && read_numbers(group, result, &result->tallies[i]);
        H5Gclose(group);
        if (!fine) {
            return bad(in, result->tallies[i].name);
        }
    }
    if (!read_events(run, result)) {
        return bad(in, "events");
    }
    if (!read_results(run, result)) {
        return bad(in, "results");
    }
    if (!statepoint_get_devices(run, result)) {
        return bad(in, "devices");
    }
    if (!statepoint_get_places(run, result)) {
        return bad(in, "places");
    }
    char stored[65];
    result_digest(result);
    if (!hdf5_get_text(run, "digest", stored, sizeof stored)) {
        return bad(in, "digest");
    }
    CRP_CHECK(in->context, strcmp(stored, result->digest) == 0, CRP_ERR_FORMAT,
              "%s: run %u: its digest is not that of its numbers (somebody changed one of them): restore the file",
              in->path, in->group);
    return CRP_OK;
}

static crp_status read_run(const reader *in, hid_t run, hid_t tallies, crp_result **result)
{
    crp_status status;
    H5G_info_t info = {0};
    size_t n_events, n_results, n_bins = 0;
    if (H5Gget_info(tallies, &info) < 0 || info.nlinks > 1u << 20) {
        return bad(in, "tallies");
    }
    if (!table_length(run, "events", &n_events) || !table_length(run, "results", &n_results)) {
        return bad(in, "results");
    }
    size_t n = (size_t)info.nlinks;
    tally_spec *specs = calloc(n + 1, sizeof *specs);
    if (specs == NULL) {
        return no_memory(in);
    }
    CRP_GOTO(read_specs(in, tallies, n, specs), done);
    for (size_t i = 0; i < n; i++) {
        n_bins += specs[i].n_bins;
    }
    CRP_GOTO(result_allocate(in->context, n, n_bins, n_events, n_results, result), done);
    memcpy((*result)->tallies, specs, n * sizeof *specs);
    memset(specs, 0, n * sizeof *specs); /* the result owns edges and scales now */
    status = read_arrays(in, run, tallies, *result);
done:
    specs_destroy(specs, n);
    if (status != CRP_OK) {
        crp_result_destroy(result);
    }
    return status;
}

crp_status statepoint_get_run(crp_context *context, const char *path, hid_t file, uint32_t group, crp_result **result)
{
    reader in = {context, path, group};
    char name[32];
    snprintf(name, sizeof name, STATEPOINT_GROUP_FORMAT, group);
    *result = NULL;
    hid_t run = hdf5_has(file, name) ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
    if (run < 0) {
        return context_fail(context, CRP_ERR_FORMAT, "%s: has no run %u", path, group);
    }
    hid_t tallies = hdf5_has(run, "tallies") ? H5Gopen2(run, "tallies", H5P_DEFAULT) : -1;
    crp_status status = tallies < 0 ? bad(&in, "tallies") : read_run(&in, run, tallies, result);
    H5Gclose(tallies);
    H5Gclose(run);
    return status;
}
