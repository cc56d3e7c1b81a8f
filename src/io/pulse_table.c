/** Shapes of radiation pulses: see pulse_table.h. */
#include "io/pulse_table.h"

#include "core/file.h"
#include "io/text_rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pulse_reader {
    text_rows rows;
    pulse_table *table;
    size_t room;
    double time_unit;
} pulse_reader;

void pulse_destroy(pulse_table **table)
{
    if (table == NULL || *table == NULL) {
        return;
    }
    free((*table)->time);
    free((*table)->current);
    free((*table)->charge);
    free(*table);
    *table = NULL;
}

static crp_status make_room(pulse_reader *r)
{
    pulse_table *t = r->table;
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    double **arrays[] = {&t->time, &t->current, &t->charge};
    for (int i = 0; i < 3; i++) {
        double *larger = realloc(*arrays[i], room * sizeof *larger);
        CRP_CHECK(r->rows.context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory for %zu points", r->rows.path, room);
        *arrays[i] = larger;
    }
    r->room = room;
    return CRP_OK;
}

static crp_status read_point(pulse_reader *r, const text_field fields[2])
{
    pulse_table *t = r->table;
    double time, current;
    CRP_TRY(field_real(&r->rows, fields[0], "time", &time));
    CRP_TRY(field_real(&r->rows, fields[1], "current", &current));
    time *= r->time_unit;
    if (time < 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "time = %g is negative: let the pulse begin at 0", time / r->time_unit);
    }
    if (current < 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "current = %g is negative (relative current, >= 0)", current);
    }
    if (t->n > 0 && !(time > t->time[t->n - 1])) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "time = %g is not after that of the line before: sort the lines by time",
                         time / r->time_unit);
    }
    if (t->n == r->room) {
        CRP_TRY(make_room(r));
    }
    t->time[t->n] = time;
    t->current[t->n++] = current;
    return CRP_OK;
}

/* "time [ns], current": words instead of numbers. */
static crp_status read_header(pulse_reader *r, text_field heading)
{
    char text[64], *open;
    field_copy(heading, text, sizeof text);
    open = strpbrk(text, "[(");
    if (open == NULL) {
        return CRP_OK;
    }
    open[strcspn(open, "])")] = '\0';
    char one[80];
    snprintf(one, sizeof one, "1 %s", open + 1);
    return field_quantity(&r->rows, (text_field){one, strlen(one)}, "time", UNIT_TIME, "ps", &r->time_unit);
}

static crp_status read_rows(pulse_reader *r)
{
    bool has_first = false;
    while (rows_next(&r->rows)) {
        text_field line = field_trim(r->rows.at, r->rows.stop), fields[ROW_MAX_FIELDS];
        if (line.length == 0 || *line.at == '#') {
            continue;
        }
        bool is_header = !has_first && (isalpha((unsigned char)*line.at) || *line.at == '"');
        if (!has_first) {
            rows_choose_separator(&r->rows);
        }
        has_first = true;
        size_t n = rows_split(&r->rows, fields);
        if (is_header && n > 0) {
            CRP_TRY(read_header(r, fields[0]));
            continue;
        }
        if (n != 2) {
            return rows_fail(&r->rows, CRP_ERR_FORMAT, "%zu fields (wanted two: time and relative current)", n);
        }
        CRP_TRY(read_point(r, fields));
    }
    return CRP_OK;
}

/* Charge by the trapezium rule, which is exact for a current that is linear between its points. */
static crp_status form_charge(crp_context *context, const char *path, pulse_table *t)
{
    CRP_CHECK(context, t->n >= 2, CRP_ERR_FORMAT, "%s: has %zu points (a pulse has at least two): add lines of time and current",
              path, t->n);
    t->charge[0] = 0.0;
    for (size_t i = 1; i < t->n; i++) {
        t->charge[i] = t->charge[i - 1] + 0.5 * (t->current[i] + t->current[i - 1]) * (t->time[i] - t->time[i - 1]);
    }
    double all = t->charge[t->n - 1];
    CRP_CHECK(context, all > 0.0, CRP_ERR_CONFIG, "%s: the current is zero everywhere: give a pulse", path);
    for (size_t i = 0; i < t->n; i++) {
        t->charge[i] /= all;
    }
    return CRP_OK;
}

crp_status pulse_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes, pulse_table **table)
{
    static const double microsecond = 1.0e6; /* [ps] */
    pulse_reader r = {.time_unit = microsecond};
    *table = NULL;
    CRP_TRY(rows_open(&r.rows, context, path, bytes, n_bytes));
    r.table = calloc(1, sizeof *r.table);
    CRP_CHECK(context, r.table != NULL, CRP_ERR_MEMORY, "%s: no memory for a pulse", path);
    crp_status status = read_rows(&r);
    if (status == CRP_OK) {
        status = form_charge(context, path, r.table);
    }
    if (status != CRP_OK) {
        pulse_destroy(&r.table);
    }
    *table = r.table;
    return status;
}

crp_status pulse_read(crp_context *context, const char *path, pulse_table **table)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    *table = NULL;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    crp_status status = pulse_parse(context, path, bytes, n_bytes, table);
    free(bytes);
    return status;
}
