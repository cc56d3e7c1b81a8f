/** The summary of a run as one JSON object: see export_json.h. */
#include "io/export_json.h"

#include "core/context.h"
#include "core/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_text(FILE *file, const char *key, const char *value)
{
    fprintf(file, "\"%s\": ", key);
    json_write_string(file, value);
    fputs(", ", file);
}

static void write_devices(FILE *file, const crp_result *r)
{
    fputs("\"devices\": [", file);
    for (size_t i = 0; i < r->n_devices; i++) {
        const result_device *d = &r->devices[i];
        fputs(i == 0 ? "{" : ", {", file);
        write_text(file, "device", d->label);
        write_text(file, "host", d->host);
        fprintf(file, "\"rank\": %" PRIu64 ", \"histories\": %" PRIu64 ", \"dropped\": %s}", d->rank, d->histories,
                d->is_dropped ? "true" : "false");
    }
    fputs("], ", file);
}

static void write_rate(FILE *file, const crp_result *r)
{
    char unit[sizeof r->history_name + 4];
    snprintf(unit, sizeof unit, "%s/s", r->history_name);
    fputs("\"rate\": {\"value\": ", file);
    json_write_real(file, r->seconds > 0 ? (double)r->histories / r->seconds : (double)NAN);
    fputs(", \"unit\": ", file);
    json_write_string(file, unit);
    fputs("}, ", file);
}

static void write_events(FILE *file, const crp_result *r)
{
    fputs("\"events\": {", file);
    for (size_t i = 0; i < r->n_events; i++) {
        fputs(i == 0 ? "" : ", ", file);
        json_write_string(file, r->events[i].name);
        fprintf(file, ": %" PRIu64, r->event_count[i]);
    }
    fputs("}, ", file);
}

static void write_one_result(FILE *file, const crp_result *r, const result_spec *spec)
{
    fputs("{\"name\": ", file);
    json_write_string(file, spec->name);
    if (spec->of > 0) {
        fprintf(file, ", \"of\": %" PRId64 ", \"mean\": ", spec->of);
    } else if (spec->of < 0) {
        fputs(", \"of\": ", file);
        json_write_string(file, spec->of_name);
        fputs(", \"mean\": ", file);
    } else {
        fputs(", \"of\": null, \"mean\": ", file);
    }
    json_write_real(file, result_bin_mean(r, spec->tally, spec->bin));
    fputs(", \"std_dev\": ", file);
    json_write_real(file, result_bin_std_dev(r, spec->tally, spec->bin));
    fputs(", \"unit\": ", file);
    json_write_string(file, r->tallies[spec->tally].unit);
    fputc('}', file);
}

/* Tallies over an axis of points and one of names: a curve for every name. */
static bool is_series(const tally_spec *t)
{
    return t->n_dims == 2 && t->axis_points[0] != NULL && t->axis_labels[1] != NULL;
}

static void write_curve(FILE *file, const crp_result *r, size_t i, size_t column,
                        double (*value)(const crp_result *, size_t, size_t))
{
    const tally_spec *t = &r->tallies[i];
    for (size_t k = 0; k < t->shape[0]; k++) {
        fputs(k == 0 ? "[" : ", ", file);
        json_write_real(file, value(r, i, t->offset + k * t->shape[1] + column));
    }
    fputc(']', file);
}

static void write_one_series(FILE *file, const crp_result *r, size_t i)
{
    const tally_spec *t = &r->tallies[i];
    char label[256];
    fputs("{\"name\": ", file);
    json_write_string(file, t->name);
    fputs(", \"unit\": ", file);
    json_write_string(file, t->unit);
    fputs(", ", file);
    json_write_string(file, t->axis_name[0]);
    for (size_t k = 0; k < t->shape[0]; k++) {
        fputs(k == 0 ? ": [" : ", ", file);
        json_write_real(file, t->axis_points[0][k]);
    }
    fputs("], \"of\": {", file);
    for (size_t j = 0; j < t->shape[1]; j++) {
        fputs(j == 0 ? "" : ", ", file);
        json_write_string(file, tally_axis_label(t, 1, j, label, sizeof label));
        fputs(": {\"mean\": ", file);
        write_curve(file, r, i, j, result_bin_mean);
        fputs(", \"std_dev\": ", file);
        write_curve(file, r, i, j, result_bin_std_dev);
        fputc('}', file);
    }
    fputs("}}", file);
}

static void write_series(FILE *file, const crp_result *r)
{
    bool is_first = true;
    for (size_t i = 0; i < r->n_tallies; i++) {
        if (is_series(&r->tallies[i])) {
            fputs(is_first ? ", \"series\": [" : ", ", file);
            write_one_series(file, r, i);
            is_first = false;
        }
    }
    fputs(is_first ? "" : "]", file);
}

crp_status result_write_json(crp_context *context, const crp_result *r, FILE *file)
{
    fputc('{', file);
    write_text(file, "version", r->version);
    write_text(file, "commit", r->commit);
    write_text(file, "kind", r->kind);
    write_text(file, "input_digest", r->model_digest);
    write_text(file, "device", r->device);
    write_devices(file, r);
    write_text(file, "math", r->math);
    fprintf(file, "\"seed\": %" PRIu64 ", \"histories\": %" PRIu64 ", \"seconds\": ", r->seed, r->histories);
    json_write_real(file, r->seconds);
    fputs(", \"device_seconds\": ", file);
    json_write_real(file, r->device_seconds);
    fputs(", ", file);
    write_rate(file, r);
    write_text(file, "digest", r->digest);
    write_events(file, r);
    fputs("\"results\": [", file);
    for (size_t i = 0; i < r->n_results; i++) {
        fputs(i == 0 ? "" : ", ", file);
        write_one_result(file, r, &r->results[i]);
    }
    fputc(']', file);
    write_series(file, r);
    fputs("}\n", file);
    errno = 0;
    CRP_CHECK(context, fflush(file) == 0 && !ferror(file), CRP_ERR_IO, "cannot write the JSON summary (%s)",
              strerror(errno != 0 ? errno : EIO));
    return CRP_OK;
}
