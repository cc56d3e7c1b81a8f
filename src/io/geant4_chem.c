/** Chemistry in the forms of Geant4-DNA: see geant4_chem.h. */
#include "io/geant4_chem.h"

#include "core/file.h"
#include "io/text_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- structure */

typedef struct g4_reader {
    text_rows rows;
    g4_chemistry *chemistry;
    uint64_t n_solvent;
} g4_reader;

void g4_chemistry_destroy(g4_chemistry **chemistry)
{
    if (chemistry == NULL || *chemistry == NULL) {
        return;
    }
    free((*chemistry)->species);
    free((*chemistry)->reactions);
    free((*chemistry)->scavengers);
    free(*chemistry);
    *chemistry = NULL;
}

/* Room for one more element: arrays grow at powers of two. */
static crp_status grow(g4_reader *r, void *array, size_t n, size_t element)
{
    void *old, *larger;
    if (n != 0 && (n & (n - 1)) != 0) {
        return CRP_OK;
    }
    memcpy(&old, array, sizeof old);
    larger = realloc(old, (n == 0 ? 1 : 2 * n) * element);
    CRP_CHECK(r->rows.context, larger != NULL, CRP_ERR_MEMORY, "%s: no memory for its chemistry", r->rows.path);
    memcpy(array, &larger, sizeof larger);
    return CRP_OK;
}

static crp_status copy_name(g4_reader *r, text_field field, char name[G4_NAME])
{
    if (field.length == 0 || field.length >= G4_NAME) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "a species has no name, or one of more than %d characters", G4_NAME - 1);
    }
    field_copy(field, name, G4_NAME);
    return CRP_OK;
}

/* The next piece of [at, stop) up to `separator`; *at becomes NULL behind the last one. */
static text_field next_piece(const char **at, const char *stop, char separator)
{
    const char *begin = *at, *p = begin;
    while (p < stop && *p != separator) {
        p++;
    }
    *at = p < stop ? p + 1 : NULL;
    return field_trim(begin, p);
}

static const char *find_text(const char *at, const char *stop, const char *word)
{
    size_t n = strlen(word);
    for (; (size_t)(stop - at) >= n; at++) {
        if (memcmp(at, word, n) == 0) {
            return at;
        }
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------- reactions */

/* Plus signs between species stand between blanks: "H3O+ + OH-". */
static text_field next_species(const char **at, const char *stop)
{
    const char *begin = *at, *p = begin;
    while (p < stop) {
        bool is_blank_before = p > begin && (p[-1] == ' ' || p[-1] == '\t');
        bool is_blank_after = p + 1 < stop && (p[1] == ' ' || p[1] == '\t');
        if (*p == '+' && is_blank_before && is_blank_after) {
            *at = p + 1;
            return field_trim(begin, p);
        }
        p++;
    }
    *at = NULL;
    return field_trim(begin, stop);
}

static bool is_solvent(text_field name)
{
    return field_is(name, "H2O") || field_is(name, "H2O^0") || field_is(name, "Water") || field_is(name, "No") ||
           field_is(name, "NoProduct");
}

static text_field take_brackets(text_field name, bool *is_bulk)
{
    *is_bulk = name.length >= 2 && name.at[0] == '[' && name.at[name.length - 1] == ']';
    return *is_bulk ? field_trim(name.at + 1, name.at + name.length - 1) : name;
}

/* One side. The solvent is everywhere: it is left out, but a reactant in it makes the rate one of first order. */
static crp_status read_side(g4_reader *r, text_field side, char names[G4_MAX_SIDE][G4_NAME], bool is_bulk[G4_MAX_SIDE],
                            uint32_t *n)
{
    const char *at = side.length == 0 ? NULL : side.at;
    while (at != NULL) {
        bool bulk;
        text_field name = take_brackets(next_species(&at, side.at + side.length), &bulk);
        if (is_solvent(name)) {
            r->n_solvent++;
            continue;
        }
        if (*n == G4_MAX_SIDE) {
            return rows_fail(&r->rows, CRP_ERR_FORMAT, "more than %d species on one side of a reaction", G4_MAX_SIDE);
        }
        CRP_TRY(copy_name(r, name, names[*n]));
        is_bulk[(*n)++] = bulk;
    }
    return CRP_OK;
}

static crp_status read_equation(g4_reader *r, text_field equation, g4_reaction *reaction)
{
    const char *stop = equation.at + equation.length, *arrow = find_text(equation.at, stop, "->");
    bool ignored[G4_MAX_SIDE];
    if (arrow == NULL) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "the equation A + B -> C must come first");
    }
    reaction->line = r->rows.line;
    CRP_TRY(read_side(r, field_trim(equation.at, arrow), reaction->reactants, reaction->is_bulk, &reaction->n_reactants));
    CRP_TRY(read_side(r, field_trim(arrow + 2, stop), reaction->products, ignored, &reaction->n_products));
    if (reaction->n_reactants < 1 || reaction->n_reactants > 2) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "a reaction has one or two reactants besides water, here %u",
                         reaction->n_reactants);
    }
    return CRP_OK;
}

static crp_status read_rate(g4_reader *r, text_field field, double *rate)
{
    CRP_TRY(field_real(&r->rows, field, "rate", rate));
    if (!(*rate > 0.0)) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "rate = %g must be > 0 (per M and s)", *rate);
    }
    return CRP_OK;
}

static crp_status keep_reaction(g4_reader *r, const g4_reaction *reaction)
{
    g4_chemistry *c = r->chemistry;
    CRP_TRY(grow(r, &c->reactions, c->n_reactions, sizeof *c->reactions));
    c->reactions[c->n_reactions++] = *reaction;
    return CRP_OK;
}

/* Macro: A + B -> C | Fix | k | type */
static crp_status read_macro_reaction(g4_reader *r, text_field line)
{
    const char *at = line.at, *stop = line.at + line.length;
    g4_reaction reaction = {.type = -1};
    CRP_TRY(read_equation(r, next_piece(&at, stop, '|'), &reaction));
    text_field kind = at == NULL ? (text_field){stop, 0} : next_piece(&at, stop, '|');
    if (!field_is(kind, "Fix")) {
        char text[32];
        return rows_fail(&r->rows, CRP_ERR_UNSUPPORTED,
                         "rate of kind \"%s\" (only Fix is read): give the rate at the temperature of the run as Fix",
                         field_copy(kind, text, sizeof text));
    }
    CRP_TRY(read_rate(r, at == NULL ? (text_field){stop, 0} : next_piece(&at, stop, '|'), &reaction.rate));
    if (at != NULL) {
        uint64_t type;
        CRP_TRY(field_count(&r->rows, next_piece(&at, stop, '|'), "type", &type));
        if (type > 1 || at != NULL) {
            return rows_fail(&r->rows, CRP_ERR_CONFIG, "type must be 0 (diffusion-controlled) or 1 (partially), and the last");
        }
        reaction.type = (int32_t)type;
    }
    return keep_reaction(r, &reaction);
}

/* Table: A + [B] -> C , k type_n */
static crp_status read_table_reaction(g4_reader *r, text_field line)
{
    const char *stop = line.at + line.length, *at = line.at;
    g4_reaction reaction = {.type = -1, .is_table = true};
    CRP_TRY(read_equation(r, next_piece(&at, stop, ','), &reaction));
    text_rows tail = r->rows;
    text_field fields[ROW_MAX_FIELDS];
    tail.at = at == NULL ? stop : at;
    tail.stop = stop;
    tail.separator = ' ';
    size_t n = rows_split(&tail, fields);
    if (n < 1 || n > 2) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "wanted \"A + B -> C + D , rate type_n\"");
    }
    CRP_TRY(read_rate(r, fields[0], &reaction.rate));
    if (n == 2) {
        bool is_type = fields[1].length == 6 && strncmp(fields[1].at, "type_", 5) == 0;
        reaction.type = is_type ? fields[1].at[5] - '0' : -1;
        if (reaction.type < 1 || reaction.type > 6) {
            return rows_fail(&r->rows, CRP_ERR_CONFIG, "the type must be type_1 to type_6");
        }
    }
    return keep_reaction(r, &reaction);
}

/* --------------------------------------------------------------------------------------- species, scavengers */

static crp_status keep_species(g4_reader *r, const g4_species *species)
{
    g4_chemistry *c = r->chemistry;
    CRP_TRY(grow(r, &c->species, c->n_species, sizeof *c->species));
    c->species[c->n_species++] = *species;
    return CRP_OK;
}

/* name [ molecule | charge | D | radius ] */
static crp_status read_species(g4_reader *r, text_field line)
{
    const char *stop = line.at + line.length, *open = memchr(line.at, '[', line.length);
    g4_species s = {.radius = (double)NAN, .line = r->rows.line};
    double charge;
    if (open == NULL || stop[-1] != ']') {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "wanted \"name [ molecule | charge | D | radius ]\"");
    }
    const char *at = open + 1;
    stop--;
    CRP_TRY(copy_name(r, field_trim(line.at, open), s.name));
    CRP_TRY(copy_name(r, next_piece(&at, stop, '|'), s.molecule));
    text_field none = {stop, 0};
    CRP_TRY(field_real(&r->rows, at == NULL ? none : next_piece(&at, stop, '|'), "charge", &charge));
    CRP_TRY(field_real(&r->rows, at == NULL ? none : next_piece(&at, stop, '|'), "D", &s.diffusion));
    if (at != NULL) {
        CRP_TRY(field_real(&r->rows, next_piece(&at, stop, '|'), "radius", &s.radius));
    }
    if (charge != floor(charge) || fabs(charge) > 20.0 || s.diffusion < 0.0 || s.radius < 0.0 || at != NULL) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG,
                         "charge must be a whole number, D (m2/s) and radius (nm) must be >= 0, and nothing may follow");
    }
    s.charge = (int32_t)charge;
    return keep_species(r, &s);
}

/* scavenger: NAME conc [M|mM|uM|%] */
static crp_status read_scavenger(g4_reader *r, text_field line)
{
    static const struct {
        const char *unit;
        double in_molar;
    } units[] = {{"M", 1.0}, {"mol/l", 1.0}, {"mM", 1e-3}, {"uM", 1e-6}, {"nM", 1e-9}};
    text_rows tail = r->rows;
    text_field fields[ROW_MAX_FIELDS];
    g4_scavenger s = {.line = r->rows.line};
    tail.at = line.at;
    tail.stop = line.at + line.length;
    tail.separator = ' ';
    size_t n = rows_split(&tail, fields);
    if (n != 2 && n != 3) {
        return rows_fail(&r->rows, CRP_ERR_FORMAT, "wanted \"scavenger: NAME concentration [M]\"");
    }
    bool ignored;
    CRP_TRY(copy_name(r, take_brackets(fields[0], &ignored), s.name));
    CRP_TRY(field_real(&r->rows, fields[1], "concentration", &s.concentration));
    double factor = n == 2 ? 1.0 : 0.0;
    for (size_t i = 0; n == 3 && i < sizeof units / sizeof *units; i++) {
        factor = field_is(fields[2], units[i].unit) && fields[2].at[0] == units[i].unit[0] ? units[i].in_molar : factor;
    }
    if (factor == 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "the unit of the concentration must be M, mM, uM or nM");
    }
    if (s.concentration < 0.0) {
        return rows_fail(&r->rows, CRP_ERR_CONFIG, "concentration = %g is negative", s.concentration);
    }
    s.concentration *= factor;
    g4_chemistry *c = r->chemistry;
    CRP_TRY(grow(r, &c->scavengers, c->n_scavengers, sizeof *c->scavengers));
    c->scavengers[c->n_scavengers++] = s;
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------------- lines */

typedef enum line_kind { LINE_NOTHING, LINE_OTHER, LINE_MACRO, LINE_TABLE, LINE_SPECIES, LINE_SCAVENGER } line_kind;

static bool begins_with(text_field line, const char *word)
{
    size_t n = strlen(word);
    return line.length >= n && memcmp(line.at, word, n) == 0;
}

/* What a line is; `body` is it without comment, command and key. */
static line_kind classify(const text_rows *rows, text_field *body)
{
    const char *stop = memchr(rows->at, '#', (size_t)(rows->stop - rows->at));
    text_field line = field_trim(rows->at, stop == NULL ? rows->stop : stop);
    bool is_command = line.length > 0 && *line.at == '/', is_chemistry = begins_with(line, "/chem/");
    if (line.length == 0) {
        return LINE_NOTHING;
    }
    const char *end = line.at + line.length;
    if (is_command) { /* the arguments of the command */
        const char *p = line.at;
        while (p < end && *p != ' ' && *p != '\t') {
            p++;
        }
        *body = field_trim(p, end);
    } else {
        *body = line;
    }
    if (begins_with(line, "scavenger:")) {
        *body = field_trim(line.at + strlen("scavenger:"), end);
        return LINE_SCAVENGER;
    }
    bool has_bar = memchr(body->at, '|', body->length) != NULL;
    if (find_text(body->at, end, "->") != NULL && (!is_command || is_chemistry)) {
        return has_bar ? LINE_MACRO : LINE_TABLE;
    }
    return has_bar && (!is_command || is_chemistry) ? LINE_SPECIES : LINE_OTHER;
}

static crp_status read_line(g4_reader *r)
{
    text_field body;
    switch (classify(&r->rows, &body)) {
    case LINE_MACRO:
        return read_macro_reaction(r, body);
    case LINE_TABLE:
        return read_table_reaction(r, body);
    case LINE_SPECIES:
        return read_species(r, body);
    case LINE_SCAVENGER:
        return read_scavenger(r, body);
    case LINE_OTHER:
        if (*field_trim(r->rows.at, r->rows.stop).at != '/') {
            return rows_fail(&r->rows, CRP_ERR_FORMAT,
                             "is no reaction (A + B -> C | Fix | k | type, or A + B -> C , k type_n), no species, no scavenger");
        }
        r->chemistry->n_other++;
        return CRP_OK;
    case LINE_NOTHING:
        break;
    }
    return CRP_OK;
}

bool g4_chemistry_looks_like(const void *bytes, size_t n_bytes)
{
    text_rows rows = {.next = bytes, .end = (const char *)bytes + n_bytes};
    if (memchr(bytes, '\0', n_bytes) != NULL) {
        return false;
    }
    while (rows_next(&rows)) {
        text_field body;
        line_kind kind = classify(&rows, &body);
        if (kind == LINE_MACRO || kind == LINE_SCAVENGER || (kind == LINE_TABLE && memchr(body.at, ',', body.length) != NULL)) {
            return true;
        }
        if (kind == LINE_OTHER && *field_trim(rows.at, rows.stop).at != '/') {
            return false;
        }
    }
    return false;
}

static crp_status read_lines(g4_reader *r)
{
    while (rows_next(&r->rows)) {
        CRP_TRY(read_line(r));
    }
    g4_chemistry *c = r->chemistry;
    CRP_CHECK(r->rows.context, c->n_reactions + c->n_species + c->n_scavengers > 0, CRP_ERR_FORMAT,
              "%s: holds no reactions, species or scavengers", r->rows.path);
    context_log(r->rows.context, CRP_LOG_INFO, "chem",
                "%s: %zu reactions, %zu species, %zu scavengers; water left out %llu times; %zu other commands skipped",
                r->rows.path, c->n_reactions, c->n_species, c->n_scavengers, (unsigned long long)r->n_solvent, c->n_other);
    return CRP_OK;
}

crp_status g4_chemistry_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes,
                              g4_chemistry **chemistry)
{
    g4_reader r = {.n_solvent = 0};
    *chemistry = NULL;
    CRP_TRY(rows_open(&r.rows, context, path, bytes, n_bytes));
    r.chemistry = calloc(1, sizeof *r.chemistry);
    CRP_CHECK(context, r.chemistry != NULL, CRP_ERR_MEMORY, "%s: no memory for its chemistry", path);
    crp_status status = read_lines(&r);
    if (status != CRP_OK) {
        g4_chemistry_destroy(&r.chemistry);
    }
    *chemistry = r.chemistry;
    return status;
}

crp_status g4_chemistry_read(crp_context *context, const char *path, g4_chemistry **chemistry)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    *chemistry = NULL;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    crp_status status = g4_chemistry_parse(context, path, bytes, n_bytes, chemistry);
    free(bytes);
    return status;
}
