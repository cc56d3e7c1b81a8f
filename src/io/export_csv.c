/** Results as comma-separated values: see export_csv.h. */
#include "io/export_csv.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

/** A field, quoted where it has to be. */
static void write_text(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/** A number; an unknown one is an empty field, which every reader takes as missing. */
static void write_real(FILE *file, double value)
{
    char text[NUMBER_TEXT];
    if (!isnan(value)) {
        fputs(number_print(text, value), file);
    }
}

/** Indices of a bin within its tally. */
static void split(const tally_spec *t, size_t bin, size_t *index)
{
    for (unsigned k = t->n_dims; k-- > 0;) {
        index[k] = bin % t->shape[k];
        bin /= t->shape[k];
    }
}

/** Middle of a bin, the element's number (from 1) on an axis that only counts, inf for what lies beyond the grid. */
static double centre(const tally_spec *t, unsigned k, size_t index)
{
    const double *edges = t->axis_edges[k], *points = t->axis_points[k];
    return points != NULL  ? points[index]
           : edges == NULL ? (double)index + 1 : 0.5 * (edges[index] + edges[index + 1]);
}

static void write_bin(const crp_result *result, size_t tally, size_t bin, FILE *file)
{
    write_real(file, result_bin_mean(result, tally, bin));
    fputc(',', file);
    write_real(file, result_bin_std_dev(result, tally, bin));
}

/** "name [unit]". */
static void write_heading(FILE *file, const char *name, const char *unit)
{
    char text[400];
    snprintf(text, sizeof text, unit[0] == '\0' ? "%s" : "%s [%s]", name, unit);
    write_text(file, text);
}

/** A coordinate of a bin: the name of a named element, else centre(). */
static void write_coordinate(const tally_spec *t, unsigned k, size_t index, FILE *file)
{
    char label[256];
    if (t->axis_labels[k] != NULL) {
        write_text(file, tally_axis_label(t, k, index, label, sizeof label));
    } else {
        write_real(file, centre(t, k, index));
    }
}

/** Curves: a row for each point, and for each name its mean and standard error side by side. */
static void write_curves(const crp_result *result, size_t tally, FILE *file)
{
    const tally_spec *t = &result->tallies[tally];
    char label[256], heading[300];
    write_heading(file, t->axis_name[0], t->axis_unit[0]);
    for (size_t j = 0; j < t->shape[1]; j++) {
        tally_axis_label(t, 1, j, label, sizeof label);
        snprintf(heading, sizeof heading, "%s std_dev", label);
        fputc(',', file);
        write_heading(file, label, t->unit);
        fputc(',', file);
        write_heading(file, heading, t->unit);
    }
    fputc('\n', file);
    for (size_t row = 0; row < t->shape[0]; row++) {
        write_real(file, t->axis_points[0][row]);
        for (size_t j = 0; j < t->shape[1]; j++) {
            fputc(',', file);
            write_bin(result, tally, t->offset + row * t->shape[1] + j, file);
        }
        fputc('\n', file);
    }
}

void csv_write_tally(const crp_result *result, size_t tally, FILE *file)
{
    const tally_spec *t = &result->tallies[tally];
    if (t->n_dims == 2 && t->axis_points[0] != NULL && t->axis_labels[1] != NULL) {
        write_curves(result, tally, file);
        return;
    }
    size_t index[TALLY_MAX_DIMS];
    for (unsigned k = 0; k < t->n_dims; k++) {
        write_heading(file, t->axis_name[k], t->axis_unit[k]);
        fputc(',', file);
    }
    write_heading(file, "mean", t->unit);
    fputc(',', file);
    write_heading(file, "std_dev", t->unit);
    fputc('\n', file);
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        split(t, bin, index);
        for (unsigned k = 0; k < t->n_dims; k++) {
            write_coordinate(t, k, index[k], file);
            fputc(',', file);
        }
        write_bin(result, tally, t->offset + bin, file);
        fputc('\n', file);
    }
}

static unsigned most_dims(const crp_result *result)
{
    unsigned most = 1;
    for (size_t i = 0; i < result->n_tallies; i++) {
        most = result->tallies[i].n_dims > most ? result->tallies[i].n_dims : most;
    }
    return most;
}

static void write_long_rows(const crp_result *result, size_t tally, unsigned n_dims, FILE *file)
{
    const tally_spec *t = &result->tallies[tally];
    size_t index[TALLY_MAX_DIMS];
    for (size_t bin = 0; bin < t->n_bins; bin++) {
        split(t, bin, index);
        write_text(file, t->name);
        for (unsigned k = 0; k < n_dims; k++) {
            fputc(',', file);
            if (k < t->n_dims) {
                fprintf(file, "%zu", index[k]);
            }
        }
        for (unsigned k = 0; k < n_dims; k++) {
            fputc(',', file);
            if (k < t->n_dims) {
                write_coordinate(t, k, index[k], file);
            }
        }
        fputc(',', file);
        write_bin(result, tally, t->offset + bin, file);
        fputc(',', file);
        write_text(file, t->unit);
        fputc('\n', file);
    }
}

void csv_write_all(const crp_result *result, FILE *file)
{
    unsigned n_dims = most_dims(result);
    fputs("tally", file);
    for (unsigned k = 0; k < n_dims; k++) {
        fprintf(file, ",index_%u", k);
    }
    for (unsigned k = 0; k < n_dims; k++) {
        fprintf(file, ",centre_%u", k);
    }
    fputs(",mean,std_dev,unit\n", file);
    for (size_t i = 0; i < result->n_tallies; i++) {
        write_long_rows(result, i, n_dims, file);
    }
}
