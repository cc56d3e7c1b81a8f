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
    char text[128];
    snprintf(text, sizeof text, unit[0] == '\0' ? "%s" : "%s [%s]", name, unit);
    write_text(file, text);
}

void csv_write_tally(const crp_result *result, size_t tally, FILE *file)
{
    const tally_spec *t = &result->tallies[tally];
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
            write_real(file, centre(t, k, index[k]));
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
                write_real(file, centre(t, k, index[k]));
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
