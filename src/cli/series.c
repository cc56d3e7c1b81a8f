/** Curves of a result as a table: see series.h. */
#include "cli/series.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 13, MOST_COLUMNS = 12 };

void series_format_value(double mean, double std_dev, char *text, size_t size)
{
    if (!(std_dev > 0.0) || !isfinite(std_dev) || !isfinite(mean)) {
        snprintf(text, size, "%.5g", mean);
        return;
    }
    int decimals = 1 - (int)floor(log10(std_dev));
    decimals = decimals < 0 ? 0 : decimals > 9 ? 9 : decimals;
    snprintf(text, size, "%.*f(%.0f)", decimals, mean, std_dev * pow(10.0, decimals));
}

static const tally_spec *find_series(const crp_result *result, size_t *index)
{
    for (size_t i = 0; i < result->n_tallies; i++) {
        const tally_spec *t = &result->tallies[i];
        if (t->n_dims == 2 && t->axis_points[0] != NULL && t->axis_labels[1] != NULL) {
            *index = i;
            return t;
        }
    }
    return NULL;
}

static void print_row(FILE *file, const crp_result *result, size_t tally, size_t row, size_t n_columns)
{
    const tally_spec *t = &result->tallies[tally];
    char text[64];
    fprintf(file, "  %10.4g", t->axis_points[0][row]);
    for (size_t j = 0; j < n_columns; j++) {
        size_t bin = t->offset + row * t->shape[1] + j;
        series_format_value(result_bin_mean(result, tally, bin), result_bin_std_dev(result, tally, bin), text, sizeof text);
        fprintf(file, " %12s", text);
    }
    fputc('\n', file);
}

void series_print(FILE *file, const crp_result *result)
{
    size_t tally = 0;
    const tally_spec *t = find_series(result, &tally);
    if (t == NULL || t->shape[0] == 0) {
        return;
    }
    size_t n_columns = t->shape[1] < MOST_COLUMNS ? t->shape[1] : MOST_COLUMNS, last = t->shape[0] - 1;
    size_t stride = (last + MOST_ROWS - 2) / (MOST_ROWS - 1);
    char label[64], head[64];
    fprintf(file, "  %s [%s]\n", t->name, t->unit);
    snprintf(head, sizeof head, "%s [%s]", t->axis_name[0], t->axis_unit[0]);
    fprintf(file, "  %10s", head);
    for (size_t j = 0; j < n_columns; j++) {
        fprintf(file, " %12s", tally_axis_label(t, 1, j, label, sizeof label));
    }
    fputc('\n', file);
    for (size_t row = 0; row < last; row += stride > 0 ? stride : 1) {
        print_row(file, result, tally, row, n_columns);
    }
    print_row(file, result, tally, last, n_columns);
    if (n_columns < t->shape[1]) {
        fprintf(file, "  (%zu more columns: corpuscle export --to csv)\n", t->shape[1] - n_columns);
    }
}
