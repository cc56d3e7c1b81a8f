/** One run as an HDF5 group. The layout is described in docs/formats/result.md. */
#include "engine/statepoint_parts.h"

#include <hdf5_hl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------- row types */

bool statepoint_insert_text(hid_t row, const char *name, size_t offset, size_t size)
{
    hid_t text = H5Tcopy(H5T_C_S1);
    bool fine = text >= 0 && H5Tset_size(text, size) >= 0 && H5Tset_cset(text, H5T_CSET_UTF8) >= 0 &&
                H5Tinsert(row, name, offset, text) >= 0;
    H5Tclose(text);
    return fine;
}

static hid_t close_unless(bool fine, hid_t type)
{
    if (!fine && type >= 0) {
        H5Tclose(type);
    }
    return fine ? type : -1;
}

hid_t statepoint_row_type(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(statepoint_row));
    bool fine = t >= 0 && statepoint_insert_text(t, "name", offsetof(statepoint_row, name), sizeof((statepoint_row *)0)->name) &&
                H5Tinsert(t, "of", offsetof(statepoint_row, of), H5T_NATIVE_INT64) >= 0 &&
                statepoint_insert_text(t, "of_name", offsetof(statepoint_row, of_name), sizeof((statepoint_row *)0)->of_name) &&
                H5Tinsert(t, "mean", offsetof(statepoint_row, mean), H5T_NATIVE_DOUBLE) >= 0 &&
                H5Tinsert(t, "std_dev", offsetof(statepoint_row, std_dev), H5T_NATIVE_DOUBLE) >= 0 &&
                statepoint_insert_text(t, "unit", offsetof(statepoint_row, unit), sizeof((statepoint_row *)0)->unit) &&
                statepoint_insert_text(t, "tally", offsetof(statepoint_row, tally), sizeof((statepoint_row *)0)->tally) &&
                H5Tinsert(t, "bin", offsetof(statepoint_row, bin), H5T_NATIVE_UINT64) >= 0;
    return close_unless(fine, t);
}

hid_t statepoint_event_type(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(statepoint_event));
    bool fine = t >= 0 &&
                statepoint_insert_text(t, "name", offsetof(statepoint_event, name), sizeof((statepoint_event *)0)->name) &&
                H5Tinsert(t, "count", offsetof(statepoint_event, count), H5T_NATIVE_UINT64) >= 0 &&
                H5Tinsert(t, "is_fault", offsetof(statepoint_event, is_fault), H5T_NATIVE_UINT8) >= 0;
    return close_unless(fine, t);
}

/* --------------------------------------------------------------------------------------------------- arrays */

/** Write and close. */
static bool put_closed(hid_t parent, const char *name, hid_t type, unsigned rank, const hsize_t *dims, const void *data,
                       bool deflate)
{
    hid_t dataset = hdf5_put_array(parent, name, type, rank, dims, data, deflate);
    return dataset >= 0 && H5Dclose(dataset) >= 0;
}

/** Noise does not compress and costs the time; a map that is mostly empty does, and is what makes files big. */
static bool is_worth_deflating(const crp_wide *sum, size_t n)
{
    size_t n_used = 0;
    for (size_t i = 0; i < n; i++) {
        n_used += sum[i] != 0;
    }
    return n_used < n - n / 4;
}

/** Sums as pairs of words (low, high), two's complement. */
static bool put_sum(hid_t group, const tally_spec *t, const crp_wide *sum)
{
    hsize_t dims[TALLY_MAX_DIMS + 1];
    for (unsigned k = 0; k < t->n_dims; k++) {
        dims[k] = t->shape[k];
    }
    dims[t->n_dims] = 2;
    uint64_t *words = malloc((t->n_bins > 0 ? t->n_bins : 1) * 2 * sizeof *words);
    if (words == NULL) {
        return false;
    }
    for (size_t i = 0; i < t->n_bins; i++) {
        words[2 * i] = (uint64_t)sum[i];
        words[2 * i + 1] = (uint64_t)(sum[i] >> 64);
    }
    bool fine = put_closed(group, "sum", H5T_NATIVE_UINT64, t->n_dims + 1, dims, words, true);
    free(words);
    return fine;
}

/** Edges or points of axis k, or the element numbers from 1 where the axis only counts, as an HDF5 dimension scale. */
static hid_t put_axis(hid_t group, const tally_spec *t, unsigned k)
{
    char name[16];
    snprintf(name, sizeof name, "axis_%u", k);
    hid_t axis = -1;
    if (t->axis_edges[k] != NULL) {
        hsize_t n = t->shape[k] + 1;
        axis = hdf5_put_array(group, name, H5T_NATIVE_DOUBLE, 1, &n, t->axis_edges[k], false);
    } else if (t->axis_points[k] != NULL) {
        hsize_t n = t->shape[k];
        axis = hdf5_put_array(group, name, H5T_NATIVE_DOUBLE, 1, &n, t->axis_points[k], false);
    } else {
        hsize_t n = t->shape[k];
        int64_t *numbers = malloc((t->shape[k] > 0 ? t->shape[k] : 1) * sizeof *numbers);
        for (size_t i = 0; numbers != NULL && i < t->shape[k]; i++) {
            numbers[i] = (int64_t)i + 1;
        }
        axis = numbers == NULL ? -1 : hdf5_put_array(group, name, H5T_NATIVE_INT64, 1, &n, numbers, false);
        free(numbers);
    }
    if (axis >= 0 && (!hdf5_put_text(axis, "name", t->axis_name[k]) || !hdf5_put_text(axis, "unit", t->axis_unit[k]) ||
                      (t->axis_labels[k] != NULL && !hdf5_put_text(axis, "labels", t->axis_labels[k])) ||
                      H5DSset_scale(axis, t->axis_name[k]) < 0)) {
        H5Dclose(axis);
        return -1;
    }
    return axis;
}

static bool put_axes(hid_t group, const tally_spec *t, hid_t mean, hid_t std_dev)
{
    bool fine = true;
    for (unsigned k = 0; fine && k < t->n_dims; k++) {
        hid_t axis = put_axis(group, t, k);
        fine = axis >= 0 && H5DSattach_scale(mean, axis, k) >= 0 && H5DSattach_scale(std_dev, axis, k) >= 0 &&
               H5DSset_label(mean, k, t->axis_name[k]) >= 0 && H5DSset_label(std_dev, k, t->axis_name[k]) >= 0;
        if (axis >= 0) {
            fine = H5Dclose(axis) >= 0 && fine;
        }
    }
    return fine;
}

typedef double (*bin_value)(const crp_result *result, size_t tally, size_t bin);

/** Mean or standard error in the tally's unit, as an open dataset. */
static hid_t put_physical(hid_t group, const crp_result *result, size_t i, const char *name, bin_value value,
                          bool deflate)
{
    const tally_spec *t = &result->tallies[i];
    hsize_t dims[TALLY_MAX_DIMS];
    for (unsigned k = 0; k < t->n_dims; k++) {
        dims[k] = t->shape[k];
    }
    double *data = malloc((t->n_bins > 0 ? t->n_bins : 1) * sizeof *data);
    if (data == NULL) {
        return -1;
    }
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        data[bin] = value(result, i, t->offset + bin);
    }
    hid_t dataset = hdf5_put_array(group, name, H5T_NATIVE_DOUBLE, t->n_dims, dims, data, deflate);
    free(data);
    if (dataset >= 0 && !hdf5_put_text(dataset, "unit", t->unit)) {
        H5Dclose(dataset);
        return -1;
    }
    return dataset;
}

static bool put_arrays(hid_t group, const crp_result *result, size_t i)
{
    const tally_spec *t = &result->tallies[i];
    bool deflate = is_worth_deflating(result->sum + t->offset, t->n_bins);
    hsize_t dims[TALLY_MAX_DIMS];
    for (unsigned k = 0; k < t->n_dims; k++) {
        dims[k] = t->shape[k];
    }
    hid_t mean = put_physical(group, result, i, "mean", result_bin_mean, deflate);
    hid_t std_dev = put_physical(group, result, i, "std_dev", result_bin_std_dev, deflate);
    bool fine = mean >= 0 && std_dev >= 0 && put_axes(group, t, mean, std_dev) &&
                put_sum(group, t, result->sum + t->offset) &&
                ((t->over == 0 && !t->is_derived) ||
                 put_closed(group, "cross", H5T_NATIVE_DOUBLE, t->n_dims, dims, result->cross + t->offset, deflate)) &&
                put_closed(group, "m2", H5T_NATIVE_DOUBLE, t->n_dims, dims, result->m2 + t->offset, deflate) &&
                (t->scale == NULL || put_closed(group, "scale", H5T_NATIVE_DOUBLE, t->n_dims, dims, t->scale, true));
    if (mean >= 0) {
        fine = H5Dclose(mean) >= 0 && fine;
    }
    if (std_dev >= 0) {
        fine = H5Dclose(std_dev) >= 0 && fine;
    }
    return fine;
}

static bool put_tally(hid_t parent, const crp_result *result, size_t i)
{
    const tally_spec *t = &result->tallies[i];
    hid_t group = hdf5_group_create(parent, t->name);
    bool fine = group >= 0 && hdf5_put_count(group, "index", i) &&
                hdf5_put_text(group, "description", t->description) && hdf5_put_text(group, "unit", t->unit) &&
                hdf5_put_real(group, "quantum", t->quantum) &&
                (!t->is_derived || hdf5_put_count(group, "derived", 1)) &&
                (t->over == 0 || (hdf5_put_text(group, "over", result->tallies[t->over - 1].name) &&
                                  hdf5_put_count(group, "over_run", t->over_run))) &&
                put_arrays(group, result, i);
    if (group >= 0) {
        fine = H5Gclose(group) >= 0 && fine;
    }
    return fine;
}

static bool put_tallies(hid_t run, const crp_result *result)
{
    hid_t group = hdf5_group_create(run, "tallies");
    bool fine = group >= 0;
    for (size_t i = 0; fine && i < result->n_tallies; i++) {
        fine = put_tally(group, result, i);
    }
    if (group >= 0) {
        fine = H5Gclose(group) >= 0 && fine;
    }
    return fine;
}

/* --------------------------------------------------------------------------------------------------- tables */

static bool put_table(hid_t run, const char *name, hid_t type, size_t n, const void *rows)
{
    hsize_t dims[1] = {n};
    bool fine = type >= 0 && put_closed(run, name, type, 1, dims, rows, false);
    H5Tclose(type);
    return fine;
}

static bool put_results(hid_t run, const crp_result *result)
{
    statepoint_row *rows = calloc(result->n_results + 1, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < result->n_results; i++) {
        const result_spec *from = &result->results[i];
        const tally_spec *t = &result->tallies[from->tally];
        memcpy(rows[i].name, from->name, sizeof rows[i].name);
        memcpy(rows[i].of_name, from->of_name, sizeof rows[i].of_name);
        memcpy(rows[i].tally, t->name, sizeof rows[i].tally);
        memcpy(rows[i].unit, t->unit, sizeof rows[i].unit);
        rows[i].of = from->of;
        rows[i].bin = from->bin - t->offset;
        rows[i].mean = result_bin_mean(result, from->tally, from->bin);
        rows[i].std_dev = result_bin_std_dev(result, from->tally, from->bin);
    }
    bool fine = put_table(run, "results", statepoint_row_type(), result->n_results, rows);
    free(rows);
    return fine;
}

static bool put_events(hid_t run, const crp_result *result)
{
    statepoint_event *rows = calloc(result->n_events + 1, sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < result->n_events; i++) {
        memcpy(rows[i].name, result->events[i].name, sizeof rows[i].name);
        rows[i].count = result->event_count[i];
        rows[i].is_fault = result->events[i].is_fault;
    }
    bool fine = put_table(run, "events", statepoint_event_type(), result->n_events, rows);
    free(rows);
    return fine;
}

/* ------------------------------------------------------------------------------------------------ provenance */

static bool put_provenance(hid_t run, const crp_result *r)
{
    return hdf5_put_text(run, "kind", r->kind) && hdf5_put_text(run, "history_name", r->history_name) &&
           hdf5_put_text(run, "name", r->model_name) && hdf5_put_text(run, "input_digest", r->model_digest) &&
           hdf5_put_text(run, "version", r->version) && hdf5_put_text(run, "commit", r->commit) &&
           hdf5_put_text(run, "device", r->device) && hdf5_put_text(run, "math", r->math) &&
           hdf5_put_text(run, "date", r->date) && hdf5_put_text(run, "host", r->host) &&
           hdf5_put_text(run, "until", r->until) && hdf5_put_count(run, "seed", r->seed) &&
           hdf5_put_count(run, "histories", r->histories) &&
           hdf5_put_count(run, "histories_planned", r->histories_planned) &&
           hdf5_put_count(run, "batches", r->batches) && hdf5_put_count(run, "batch_size", r->batch_size) &&
           hdf5_put_count(run, "batch_growth", r->batch_growth) &&
           hdf5_put_real(run, "seconds", r->seconds) && hdf5_put_real(run, "device_seconds", r->device_seconds) &&
           hdf5_put_text_dataset(run, "input", r->model_text == NULL ? "" : r->model_text) &&
           (r->model_files == NULL || hdf5_put_text_dataset(run, "files", r->model_files));
}

static bool put_digest(hid_t run, const crp_result *result)
{
    crp_result copy = *result; /* shallow: result_digest writes into its own array of characters only */
    result_digest(&copy);
    return hdf5_put_text(run, "digest", copy.digest);
}

/** The file as a whole carries the provenance of what was written last. */
static bool put_root(hid_t file, const crp_result *r)
{
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    bool fine = root >= 0 && hdf5_put_text(root, "filetype", STATEPOINT_FILETYPE) &&
                hdf5_put_count(root, "format_version", STATEPOINT_FORMAT_VERSION) &&
                hdf5_put_text(root, "program", "corpuscle") && hdf5_put_text(root, "version", r->version) &&
                hdf5_put_text(root, "commit", r->commit) && hdf5_put_text(root, "date", r->date) &&
                hdf5_put_text(root, "host", r->host);
    H5Gclose(root);
    return fine;
}

bool statepoint_put_run(hid_t file, uint32_t group, const crp_result *result)
{
    char name[32];
    snprintf(name, sizeof name, STATEPOINT_GROUP_FORMAT, group);
    hid_t run = hdf5_group_create(file, name);
    bool fine = run >= 0 && put_root(file, result) && put_provenance(run, result) && put_digest(run, result) &&
                put_results(run, result) && put_events(run, result) && statepoint_put_devices(run, result) &&
                statepoint_put_places(run, result) && put_tallies(run, result);
    if (run >= 0) {
        fine = H5Gclose(run) >= 0 && fine;
    }
    return fine;
}
