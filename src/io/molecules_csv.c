/** Molecules as comma-separated text: see molecules_csv.h. */
#include "io/molecules_csv.h"

#include "core/file.h"
#include "core/nearest.h"
#include "io/text_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns that are read. */
typedef enum column {
    COLUMN_SPECIES, COLUMN_X, COLUMN_Y, COLUMN_Z, COLUMN_TIME, COLUMN_TRACK, COLUMN_WEIGHT, COLUMN_ID, N_COLUMNS,
    COLUMN_OTHER
} column;

static const struct {
    const char *name;
    column column;
} column_names[] = {{"species", COLUMN_SPECIES}, {"molecule", COLUMN_SPECIES}, {"x", COLUMN_X},
                    {"y", COLUMN_Y},             {"z", COLUMN_Z},              {"t", COLUMN_TIME},
                    {"time", COLUMN_TIME},       {"track", COLUMN_TRACK},      {"weight", COLUMN_WEIGHT},
                    {"id", COLUMN_ID}};
static const char *const shown_names[N_COLUMNS] = {"species", "x", "y", "z", "t", "track", "weight", "id"};
enum { N_COLUMN_NAMES = sizeof column_names / sizeof *column_names, CSV_VERSION = 1 };
static const char MAGIC[] = "# corpuscle molecules";

typedef struct csv_id {
    uint64_t id, line;
} csv_id;

typedef struct csv_reader {
    text_rows rows;
    molecule_list *list;
    size_t n_columns;
    column column_of[ROW_MAX_FIELDS];
    bool has[N_COLUMNS];
    double length_unit, time_unit;       /* of numbers in the file [nm], [ps] */
    double column_unit[N_COLUMNS];       /* of a column that names its own, else 0 */
    char energies[1024];                 /* side file, "" for none */
    uint64_t energies_line;
    csv_id *ids;                         /* n of them, in the order of the file, where there is such a column */
    size_t ids_room;
} csv_reader;

/* ---------------------------------------------------------------------------------------------- recognising */

static column find_column(text_field name)
{
    for (size_t i = 0; i < N_COLUMN_NAMES; i++) {
        if (field_is(name, column_names[i].name)) {
            return column_names[i].column;
        }
    }
    return COLUMN_OTHER;
}

/* A heading "x [um]" or "x(um)" is name and unit. */
static text_field split_heading(text_field heading, text_field *unit)
{
    const char *stop = heading.at + heading.length, *open = heading.at;
    *unit = (text_field){stop, 0};
    while (open < stop && *open != '[' && *open != '(') {
        open++;
    }
    if (open < stop && (stop[-1] == ']' || stop[-1] == ')')) {
        *unit = field_trim(open + 1, stop - 1);
        return field_trim(heading.at, open);
    }
    return heading;
}

bool molecules_csv_looks_like(const void *bytes, size_t n_bytes)
{
    text_rows rows = {.next = bytes, .end = (const char *)bytes + n_bytes};
    if (n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        rows.next += 3;
    }
    if ((size_t)(rows.end - rows.next) >= sizeof MAGIC - 1 && memcmp(rows.next, MAGIC, sizeof MAGIC - 1) == 0) {
        return true;
    }
    while (rows_next(&rows)) {
        if (rows_is_blank(&rows) || *field_trim(rows.at, rows.stop).at == '#') {
            continue;
        }
        text_field fields[ROW_MAX_FIELDS], unit;
        bool has[COLUMN_OTHER + 1] = {false};
        rows_choose_separator(&rows);
        size_t n = rows_split(&rows, fields);
        for (size_t i = 0; i < n && i < ROW_MAX_FIELDS; i++) {
            has[find_column(split_heading(fields[i], &unit))] = true;
        }
        return has[COLUMN_SPECIES] && (has[COLUMN_X] || has[COLUMN_Y] || has[COLUMN_Z]);
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------- directives */

static crp_status read_unit(csv_reader *r, text_field unit, const char *name, unit_dimension dimension,
                            const char *base, double *value)
{
    char text[120];
    snprintf(text, sizeof text, "1 %.*s", (int)(unit.length < 100 ? unit.length : 100), unit.at);
    text_field one = {text, strlen(text)};
    return field_quantity(&r->rows, one, name, dimension, base, value);
}

/* "energy: 750 keV" of all tracks together, "energy[7]: 12 keV" of one. */
static crp_status read_energy(csv_reader *r, text_field key, text_field value)
{
    double energy;
    uint64_t label;
    uint32_t track;
    CRP_TRY(field_quantity(&r->rows, value, "energy", UNIT_ENERGY, "eV", &energy));
    if (energy <= 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "energy = %g eV must be > 0 (deposited energy)", energy);
    }
    if (key.length == strlen("energy")) {
        if (!isnan(r->list->energy)) {
            return rows_fail(&r->rows, CRP_ERR_CONFIG, "the deposited energy is given twice: leave one out");
        }
        r->list->energy = energy;
        return CRP_OK;
    }
    text_field number = field_trim(key.at + strlen("energy["), key.at + key.length - 1);
    CRP_TRY(field_count(&r->rows, number, "track", &label));
    CRP_TRY(molecules_track(r->rows.context, r->list, label, r->rows.line, &track));
    if (!isnan(r->list->tracks[track].energy)) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "the energy of track %llu is given twice: leave one out",
                         (unsigned long long)label);
    }
    r->list->tracks[track].energy = energy;
    return CRP_OK;
}

static crp_status read_version(csv_reader *r, text_field line)
{
    uint64_t version;
    text_field number = field_trim(line.at + sizeof MAGIC - 1, line.at + line.length);
    CRP_TRY(field_count(&r->rows, number, "version", &version));
    if (version != CSV_VERSION) {
        return rows_fail(&r->rows, CRP_ERR_UNSUPPORTED, "version %llu of the format is not known (this program reads %d)",
                         (unsigned long long)version, CSV_VERSION);
    }
    return CRP_OK;
}

/* A comment "# key: value" whose key is (nearly) one of ours. */
static crp_status read_directive(csv_reader *r, text_field line)
{
    static const char *const known[] = {"length", "time", "energy", "energies"};
    if (line.length >= sizeof MAGIC - 1 && memcmp(line.at, MAGIC, sizeof MAGIC - 1) == 0) {
        return read_version(r, line);
    }
    const char *stop = line.at + line.length, *colon = memchr(line.at, ':', line.length);
    if (colon == NULL) {
        return CRP_OK;
    }
    text_field key = field_trim(line.at + 1, colon), value = field_trim(colon + 1, stop);
    if (field_is(key, "length")) {
        return read_unit(r, value, "length", UNIT_LENGTH, "nm", &r->length_unit);
    }
    if (field_is(key, "time")) {
        return read_unit(r, value, "time", UNIT_TIME, "ps", &r->time_unit);
    }
    bool is_of_track = key.length > 8 && strncmp(key.at, "energy[", 7) == 0 && key.at[key.length - 1] == ']';
    if (field_is(key, "energy") || is_of_track) {
        return read_energy(r, key, value);
    }
    if (field_is(key, "energies")) {
        field_copy(value, r->energies, sizeof r->energies);
        r->energies_line = r->rows.line;
        return CRP_OK;
    }
    char word[32];
    const char *near = key.length < sizeof word ? nearest_name(field_copy(key, word, sizeof word), known, 4) : NULL;
    if (near != NULL && memchr(key.at, ' ', key.length) == NULL) {
        context_log(r->rows.context, CRP_LOG_WARNING, "chem", "%s:%llu: comment \"%s:\" is no directive: did you mean %s?",
                    r->rows.path, (unsigned long long)r->rows.line, word, near);
    }
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- header */

static crp_status read_heading(csv_reader *r, size_t i, text_field heading)
{
    text_field unit, name = split_heading(heading, &unit);
    column c = find_column(name);
    char text[48];
    r->column_of[i] = c;
    if (c == COLUMN_OTHER) {
        context_log(r->rows.context, CRP_LOG_WARNING, "chem", "%s:%llu: column \"%s\" is not used", r->rows.path,
                    (unsigned long long)r->rows.line, field_copy(heading, text, sizeof text));
        return CRP_OK;
    }
    if (r->has[c]) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "column %s stands twice in the header: leave one out", shown_names[c]);
    }
    r->has[c] = true;
    if (unit.length == 0) {
        return CRP_OK;
    }
    if (c == COLUMN_X || c == COLUMN_Y || c == COLUMN_Z) {
        return read_unit(r, unit, shown_names[c], UNIT_LENGTH, "nm", &r->column_unit[c]);
    }
    if (c == COLUMN_TIME) {
        return read_unit(r, unit, "t", UNIT_TIME, "ps", &r->column_unit[c]);
    }
    return rows_fail(&r->rows, CRP_ERR_FORMAT, "column %s has no unit: write its name alone", shown_names[c]);
}

static crp_status read_header(csv_reader *r)
{
    text_field fields[ROW_MAX_FIELDS];
    rows_choose_separator(&r->rows);
    r->n_columns = rows_split(&r->rows, fields);
    if (r->n_columns > ROW_MAX_FIELDS) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "more than %d columns: keep species, x, y, z, t, track, weight, id",
                         ROW_MAX_FIELDS);
    }
    for (size_t i = 0; i < r->n_columns; i++) {
        CRP_TRY(read_heading(r, i, fields[i]));
    }
    for (column c = COLUMN_SPECIES; c <= COLUMN_Z; c++) {
        if (!r->has[c]) {
            return rows_fail(&r->rows, CRP_ERR_FORMAT,
                             "no column %s in the header (wanted: species,x,y,z and, if need be, t, track, weight, id)",
                             shown_names[c]);
        }
    }
    double units[N_COLUMNS] = {[COLUMN_X] = r->length_unit, [COLUMN_Y] = r->length_unit, [COLUMN_Z] = r->length_unit,
                               [COLUMN_TIME] = r->time_unit};
    for (column c = COLUMN_X; c <= COLUMN_TIME; c++) {
        r->column_unit[c] = r->column_unit[c] != 0.0 ? r->column_unit[c] : units[c];
    }
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------------- rows */

static crp_status set_weight(csv_reader *r, uint32_t track, double weight)
{
    molecule_track *t = &r->list->tracks[track];
    if (!(weight > 0.0)) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "weight = %g must be > 0", weight);
    }
    if (t->count == 0) {
        t->weight = weight;
    } else if (t->weight != weight) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG,
                         "weight = %g differs from that of the molecules before it in track %llu, %g (molecules that react with "
                         "each other share one weight): give another weight another track",
                         weight, (unsigned long long)t->label, t->weight);
    }
    return CRP_OK;
}

static crp_status keep_id(csv_reader *r, uint64_t id)
{
    if (r->list->n >= r->ids_room) {
        size_t room = r->ids_room == 0 ? 1024 : 2 * r->ids_room;
        csv_id *larger = realloc(r->ids, room * sizeof *larger);
        CRP_CHECK(r->rows.context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory for %zu ids", r->rows.path, room);
        r->ids = larger;
        r->ids_room = room;
    }
    r->ids[r->list->n] = (csv_id){id, r->rows.line};
    return CRP_OK;
}

static crp_status read_time(csv_reader *r, text_field field, double *time)
{
    if (field.length == 0) {
        return CRP_OK; /* from the start */
    }
    CRP_TRY(field_real(&r->rows, field, "t", time));
    if (*time < 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "t = %g is negative (time of birth, from 0 on): leave it empty for the start",
                         *time);
    }
    *time *= r->column_unit[COLUMN_TIME];
    return CRP_OK;
}

/* Fields of one molecule by column; those that are not there are empty. */
static crp_status read_molecule(csv_reader *r, const text_field by_column[N_COLUMNS])
{
    static const column axes[3] = {COLUMN_X, COLUMN_Y, COLUMN_Z};
    double position[3], time = (double)NAN, weight = 1.0;
    uint64_t label = 1, id;
    uint32_t name, track;
    crp_context *context = r->rows.context;
    for (int k = 0; k < 3; k++) {
        CRP_TRY(field_real(&r->rows, by_column[axes[k]], shown_names[axes[k]], &position[k]));
        position[k] *= r->column_unit[axes[k]];
        if (fabs(position[k]) > MOLECULES_FARTHEST) {
            return rows_fail(&r->rows, CRP_ERR_CONFIG, "%s = %g nm is more than a metre away: is the unit of length right (nm, or as "
                             "\"# length: um\" says)?", shown_names[axes[k]], position[k]);
        }
    }
    CRP_TRY(read_time(r, by_column[COLUMN_TIME], &time));
    if (r->has[COLUMN_TRACK]) {
        CRP_TRY(field_count(&r->rows, by_column[COLUMN_TRACK], "track", &label));
    }
    CRP_TRY(molecules_track(context, r->list, label, r->rows.line, &track));
    if (r->has[COLUMN_WEIGHT]) {
        CRP_TRY(field_real(&r->rows, by_column[COLUMN_WEIGHT], "weight", &weight));
        CRP_TRY(set_weight(r, track, weight));
    }
    if (r->has[COLUMN_ID]) {
        CRP_TRY(field_count(&r->rows, by_column[COLUMN_ID], "id", &id));
        CRP_TRY(keep_id(r, id));
    }
    text_field species = by_column[COLUMN_SPECIES];
    CRP_TRY(molecules_name(context, r->list, species.at, species.length, r->rows.line, &name));
    return molecules_add(context, r->list, position, time, name, track);
}

static crp_status read_row(csv_reader *r)
{
    text_field fields[ROW_MAX_FIELDS], by_column[N_COLUMNS] = {{0}};
    size_t n = rows_split(&r->rows, fields);
    if (n != r->n_columns) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "%zu fields where the header has %zu columns: add or remove some (numbers have a "
                         "decimal point, not a comma)", n, r->n_columns);
    }
    for (size_t i = 0; i < n; i++) {
        if (r->column_of[i] != COLUMN_OTHER) {
            by_column[r->column_of[i]] = fields[i];
        }
    }
    return read_molecule(r, by_column);
}

/* ----------------------------------------------------------------------------------------------------- end */

static int compare_ids(const void *a, const void *b)
{
    const csv_id *x = a, *y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->line > y->line) - (x->line < y->line);
}

static crp_status check_ids(csv_reader *r)
{
    size_t n = r->has[COLUMN_ID] ? r->list->n : 0;
    if (n > 1) {
        qsort(r->ids, n, sizeof *r->ids, compare_ids);
    }
    for (size_t i = 1; i < n; i++) {
        CRP_CHECK(r->rows.context, r->ids[i].id != r->ids[i - 1].id, CRP_ERR_CONFIG,
                  "%s:%llu: id %llu is that of line %llu too (an id names one molecule): is the file pasted together twice?",
                  r->rows.path, (unsigned long long)r->ids[i].line, (unsigned long long)r->ids[i].id,
                  (unsigned long long)r->ids[i - 1].line);
    }
    return CRP_OK;
}

/* Tracks that only a directive names have no molecules. */
static crp_status check_tracks(csv_reader *r)
{
    for (size_t i = 0; i < r->list->n_tracks; i++) {
        const molecule_track *t = &r->list->tracks[i];
        CRP_CHECK(r->rows.context, t->count > 0, CRP_ERR_CONFIG,
                  "%s:%llu: there is an energy for track %llu, but no molecule of it", r->rows.path,
                  (unsigned long long)t->line, (unsigned long long)t->label);
    }
    return CRP_OK;
}

/* A path in the file starts from the folder of the file. */
static crp_status read_side_file(csv_reader *r)
{
    char path[2100];
    const char *slash = strrchr(r->rows.path, '/');
    int folder = slash == NULL || r->energies[0] == '/' ? 0 : (int)(slash - r->rows.path) + 1;
    snprintf(path, sizeof path, "%.*s%s", folder, r->rows.path, r->energies);
    crp_status status = molecules_read_energies(r->rows.context, path, r->list);
    if (status == CRP_ERR_IO) {
        char message[512];
        snprintf(message, sizeof message, "%.500s", crp_context_error(r->rows.context));
        status = context_fail(r->rows.context, CRP_ERR_IO, "%s:%llu: energies: %s", r->rows.path,
                              (unsigned long long)r->energies_line, message);
    }
    return status;
}

static crp_status read_rows(csv_reader *r)
{
    bool has_header = false;
    while (rows_next(&r->rows)) {
        text_field line = field_trim(r->rows.at, r->rows.stop);
        if (line.length == 0) {
            continue;
        }
        if (*line.at == '#') {
            CRP_TRY(has_header ? CRP_OK : read_directive(r, line));
        } else if (!has_header) {
            has_header = true;
            CRP_TRY(read_header(r));
        } else {
            CRP_TRY(read_row(r));
        }
    }
    CRP_CHECK(r->rows.context, has_header, CRP_ERR_FORMAT, "%s: has no header line (wanted: species,x,y,z)", r->rows.path);
    CRP_CHECK(r->rows.context, r->list->n > 0, CRP_ERR_FORMAT, "%s: has a header and no molecules: add one line for each",
              r->rows.path);
    return CRP_OK;
}

crp_status molecules_csv_parse(crp_context *context, const void *bytes, size_t n_bytes, molecule_list *list)
{
    csv_reader r = {.list = list, .length_unit = 1.0, .time_unit = 1.0};
    crp_status status = rows_open(&r.rows, context, list->path, bytes, n_bytes);
    if (status == CRP_OK) {
        CRP_GOTO(read_rows(&r), done);
        CRP_GOTO(check_ids(&r), done);
        CRP_GOTO(check_tracks(&r), done);
        if (r.energies[0] != '\0') {
            CRP_GOTO(read_side_file(&r), done);
        }
    }
done:
    free(r.ids);
    return status;
}
