/* Reader of MCML 1.2.x input files (.mci): every run of the file becomes a validated light model. */
#include "core/context.h"
#include "io/mci_lines.h"
#include "model/light/light.h"
#include "model/light/light_settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MCML can hold 32767 runs; more than this is a wrong number, and would be gigabytes of models. */
static const uint64_t max_runs = 100000;
static const uint64_t max_layers = 1000000;
/* A long of 64 bits, as in MCML on Linux. */
static const uint64_t max_photons = INT64_MAX;
/* The thickness that stands for "no lower face" in MCML's own samples. */
static const double semi_infinite = 1e8;

typedef struct run_lines {
    uint64_t name; /* line of the output name */
    uint64_t grid; /* line of nz nr na */
} run_lines;

typedef struct mci_file {
    mci_reader reader;
    const crp_input_options *options;
    uint64_t n_runs;
    uint64_t n_runs_line;
    uint64_t run;              /* in hand, from 1 */
    char format;               /* of the .mco: a missing letter keeps that of the run before */
    char version[16];
    run_lines *lines;          /* of every run read so far */
    size_t lines_room;
} mci_file;

static void set_scope(mci_file *file, uint64_t layer)
{
    char run[32] = "", in_run[32] = "";
    if (file->n_runs > 1) {
        snprintf(run, sizeof run, "run %" PRIu64 ": ", file->run);
    }
    if (layer > 0) {
        snprintf(in_run, sizeof in_run, "layer %" PRIu64 ": ", layer);
    }
    snprintf(file->reader.scope, sizeof file->reader.scope, "%.31s%.31s", run, in_run);
}

/* ------------------------------------------------------------------------------------------ head of file */

static crp_status refuse_other_version(mci_reader *reader, const char *token)
{
    char quoted[80];
    if (strncmp(token, "mcmli", 5) == 0) {
        return mci_fail(reader, CRP_ERR_UNSUPPORTED,
                        "'%s' is an input file of MCML 2.0 (only the .mci of MCML 1.x is read) give media, layers and "
                        "source in YAML: 'corpuscle new' writes a start",
                        mci_quote(token, NULL, quoted));
    }
    if (strcmp(token, "A1") == 0 || strcmp(token, "B1") == 0 || strncmp(token, "mcmlo", 5) == 0) {
        return mci_fail(reader, CRP_ERR_UNSUPPORTED, "'%s' begins a file of MCML results, .mco (wanted: input, .mci)",
                        mci_quote(token, NULL, quoted));
    }
    return CRP_OK;
}

static crp_status read_version(mci_file *file)
{
    mci_reader *reader = &file->reader;
    char quoted[80];
    CRP_TRY(mci_expect(reader, "the file version (1.0)"));
    size_t n = strcspn(reader->text, " ");
    char token[24];
    snprintf(token, sizeof token, "%.*s", (int)(n < sizeof token ? n : sizeof token - 1), reader->text);
    CRP_TRY(refuse_other_version(reader, token));
    if (n >= sizeof file->version) {
        return mci_fail(reader, CRP_ERR_FORMAT, "'%s' is not a file version (the first data line of an .mci is 1.0)",
                        mci_quote(reader->text, NULL, quoted));
    }
    memcpy(file->version, token, n + 1);
    if (!isdigit((unsigned char)token[0])) {
        mci_warn(reader, "'%s' is taken for the file version and ignored (as MCML does; usual is 1.0)",
                 mci_quote(reader->text, reader->text + n, quoted));
    }
    reader->cursor = reader->text + n;
    mci_end_line(reader);
    return CRP_OK;
}

static crp_status read_n_runs(mci_file *file)
{
    mci_reader *reader = &file->reader;
    CRP_TRY(mci_expect(reader, "the number of runs"));
    file->n_runs_line = reader->line;
    CRP_TRY(mci_read_count(reader, "number of runs", "one number, after the file version", true, max_runs, MCML_SHORT,
                           &file->n_runs));
    mci_end_line(reader);
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------- one run */

/* "name letter": anything but B or b means A; no letter at all keeps that of the run before. */
static crp_status read_name(mci_file *file, light_model *light)
{
    mci_reader *reader = &file->reader;
    char quoted[80];
    if (!mci_next(reader)) {
        reader->line = reader->n_lines;
        return mci_fail(reader, CRP_ERR_FORMAT,
                        "the file ends where the output file name of run %" PRIu64 " is expected (line %" PRIu64
                        " announces %" PRIu64 " runs) add the run or lower that number",
                        file->run, file->n_runs_line, file->n_runs);
    }
    size_t n = strcspn(reader->text, " ");
    if (n >= sizeof light->mco_path) {
        return mci_fail(reader, CRP_ERR_FORMAT, "the output file name has %zu characters or more (at most %zu)", n,
                        sizeof light->mco_path - 1);
    }
    memcpy(light->mco_path, reader->text, n);
    light->mco_path[n] = '\0';
    if (strchr(light->mco_path, '#') != NULL) {
        mci_warn(reader, "'%s' with its '#' is the output file name (a comment needs a blank before it)",
                 mci_quote(light->mco_path, NULL, quoted));
    }
    if (strspn(light->mco_path, "0123456789.+-eE") == n) {
        mci_warn(reader, "'%s' is the output file name (is the line of the name missing?)",
                 mci_quote(light->mco_path, NULL, quoted));
    }
    if (strcmp(light->mco_path, reader->path) == 0) {
        return mci_fail(reader, CRP_ERR_CONFIG, "the output file is this input file itself: name another, ending in .mco");
    }
    const char *letter = reader->text + n;
    letter += strspn(letter, " ");
    if (*letter != '\0') {
        file->format = toupper((unsigned char)*letter) == 'B' ? 'B' : 'A';
    }
    /* The rest of a word such as ASCII or Binary belongs to the letter. */
    reader->cursor = *letter == '#' ? letter : letter + strcspn(letter, " #");
    mci_end_line(reader);
    light->mco_format = file->format;
    return CRP_OK;
}

static crp_status read_photons(mci_file *file, uint64_t *photons)
{
    mci_reader *reader = &file->reader;
    CRP_TRY(mci_expect(reader, "the number of photons"));
    CRP_TRY(mci_read_count(reader, "number of photons", "one number, after the line of the output file name", true,
                           max_photons, INT64_MAX, photons));
    mci_end_line(reader);
    return CRP_OK;
}

static crp_status read_grid_count(mci_reader *reader, const char *name, bool is_last, uint32_t *count)
{
    uint64_t wide = 0;
    CRP_TRY(mci_read_count(reader, name, "nz nr na", is_last, INT64_MAX, MCML_SHORT, &wide));
    const char *rule = light_check_grid_count((double)wide);
    if (rule != NULL) {
        return mci_fail(reader, CRP_ERR_CONFIG, "%s = %" PRIu64 " %s", name, wide, rule);
    }
    *count = (uint32_t)wide;
    return CRP_OK;
}

static crp_status read_grid(mci_file *file, light_model *light, run_lines *lines)
{
    mci_reader *reader = &file->reader;
    CRP_TRY(mci_expect(reader, "dz dr"));
    CRP_TRY(mci_read_real(reader, "dz", "dz dr", false, light_check_grid_step, &light->dz));
    CRP_TRY(mci_read_real(reader, "dr", "dz dr", true, light_check_grid_step, &light->dr));
    mci_end_line(reader);
    CRP_TRY(mci_expect(reader, "nz nr na"));
    lines->grid = reader->line;
    CRP_TRY(read_grid_count(reader, "nz", false, &light->nz));
    CRP_TRY(read_grid_count(reader, "nr", false, &light->nr));
    CRP_TRY(read_grid_count(reader, "na", true, &light->na));
    mci_end_line(reader);
    return CRP_OK;
}

static crp_status read_ambient(mci_file *file, const char *name, double *n)
{
    mci_reader *reader = &file->reader;
    CRP_TRY(mci_expect(reader, name));
    CRP_TRY(mci_read_real(reader, name, "one number", true, light_check_index, n));
    mci_end_line(reader);
    return CRP_OK;
}

/* "inf" is what C's scanf, and so MCML, takes as well. */
static const char *check_thickness(double d)
{
    return d > 0.0 && isinf(d) ? NULL : light_check_thickness(d);
}

static crp_status read_layer(mci_file *file, light_layer *layer)
{
    static const char form[] = "n mu_a mu_s g d";
    mci_reader *reader = &file->reader;
    CRP_TRY(mci_read_real(reader, "n", form, false, light_check_index, &layer->n));
    CRP_TRY(mci_read_real(reader, "mu_a", form, false, light_check_coefficient, &layer->mu_a));
    CRP_TRY(mci_read_real(reader, "mu_s", form, false, light_check_coefficient, &layer->mu_s));
    CRP_TRY(mci_read_real(reader, "g", form, false, light_check_anisotropy, &layer->g));
    CRP_TRY(mci_read_real(reader, "d", form, true, check_thickness, &layer->d));
    if (isinf(layer->d)) {
        layer->d = semi_infinite;
    }
    if (layer->g < 0.0) {
        mci_warn(reader, "g = %g is used as it is (MCML itself refuses g below 0)", layer->g);
    }
    if (layer->d <= 0.0) {
        mci_warn(reader, "d = 0 (a layer without thickness only adds its two faces) is it meant?");
    }
    mci_end_line(reader);
    return CRP_OK;
}

/* Layers are taken as they come, so that a wrong number of them costs no more memory than the file has lines. */
static crp_status read_layers(mci_file *file, uint64_t n_layers, uint64_t n_layers_line, light_layer **layers)
{
    mci_reader *reader = &file->reader;
    uint64_t room = 0;
    for (uint64_t i = 0; i < n_layers; i++) {
        set_scope(file, 0);
        if (!mci_next(reader)) {
            reader->line = reader->n_lines;
            return mci_fail(reader, CRP_ERR_FORMAT,
                            "the file ends where layer %" PRIu64 " is expected (line %" PRIu64 " announces %" PRIu64
                            " layers)",
                            i + 1, n_layers_line, n_layers);
        }
        set_scope(file, i + 1);
        if (i == room) {
            room = room == 0 ? 8 : 2 * room;
            light_layer *more = realloc(*layers, room * sizeof **layers);
            CRP_CHECK(reader->context, more != NULL, CRP_ERR_MEMORY, "%s: no memory for %" PRIu64 " layers",
                      reader->path, room);
            *layers = more;
        }
        memset(&(*layers)[i], 0, sizeof **layers);
        CRP_TRY(read_layer(file, &(*layers)[i]));
    }
    set_scope(file, 0);
    return CRP_OK;
}

static crp_status read_stack(mci_file *file, light_model *light)
{
    mci_reader *reader = &file->reader;
    uint64_t n_layers = 0;
    CRP_TRY(mci_expect(reader, "the number of layers"));
    uint64_t line = reader->line;
    CRP_TRY(mci_read_count(reader, "number of layers", "one number, after nz nr na", true, max_layers, MCML_SHORT,
                           &n_layers));
    mci_end_line(reader);
    CRP_TRY(read_ambient(file, "n of the medium above", &light->n_above));
    light_layer *layers = NULL;
    crp_status status = read_layers(file, n_layers, line, &layers);
    if (status != CRP_OK) {
        free(layers);
        return status;
    }
    free(light->layers);
    light->layers = layers;
    light->n_layers = (uint32_t)n_layers;
    return read_ambient(file, "n of the medium below", &light->n_below);
}

static crp_status read_run(mci_file *file, light_model *light, uint64_t *photons, run_lines *lines)
{
    set_scope(file, 0);
    CRP_TRY(read_name(file, light));
    lines->name = file->reader.line;
    CRP_TRY(read_photons(file, photons));
    CRP_TRY(read_grid(file, light, lines));
    CRP_TRY(read_stack(file, light));
    memcpy(light->mci_version, file->version, sizeof light->mci_version);
    char where[1200];
    snprintf(where, sizeof where, "%s:%" PRIu64, file->reader.path, lines->grid);
    return light_model_validate(file->reader.context, where, light);
}

/* --------------------------------------------------------------------------------------------- all runs */

/* The .mco's base name without extension tells runs apart better than the input's name does. */
static void name_model(crp_model *model, const light_model *light)
{
    const char *slash = strrchr(light->mco_path, '/');
    const char *base = slash == NULL ? light->mco_path : slash + 1;
    const char *dot = strrchr(base, '.');
    size_t n = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    n = n < sizeof model->name ? n : sizeof model->name - 1;
    memcpy(model->name, base, n);
    model->name[n] = '\0';
}

static crp_status apply_settings(mci_file *file, light_model *light, crp_model *model)
{
    crp_context *context = file->reader.context;
    const crp_input_options *options = file->options;
    if (options == NULL || options->n_settings == 0) {
        return CRP_OK;
    }
    for (size_t i = 0; i < options->n_settings; i++) {
        CRP_TRY(light_apply_setting(context, light, model, options->settings[i]));
    }
    char where[1200];
    snprintf(where, sizeof where, "%s: run %" PRIu64 " with the given settings", file->reader.path, file->run);
    return light_model_validate(context, where, light);
}

static crp_status keep_lines(mci_file *file, const run_lines *lines)
{
    size_t i = (size_t)file->run - 1;
    if (i == file->lines_room) {
        size_t room = i == 0 ? 8 : 2 * i;
        run_lines *more = realloc(file->lines, room * sizeof *more);
        CRP_CHECK(file->reader.context, more != NULL, CRP_ERR_MEMORY, "%s: no memory for %zu runs", file->reader.path,
                  room);
        file->lines = more;
        file->lines_room = room;
    }
    file->lines[i] = *lines;
    return CRP_OK;
}

static crp_status load_run(mci_file *file, crp_input **input)
{
    crp_context *context = file->reader.context;
    crp_model *model = NULL;
    run_lines lines = {0};
    light_model *light = light_model_create(1);
    CRP_CHECK(context, light != NULL, CRP_ERR_MEMORY, "%s: no memory for a model", file->reader.path);
    CRP_TRY(model_create(context, &module_light, file->reader.path, light, &model));
    crp_status status = CRP_OK;
    CRP_GOTO(read_run(file, light, &model->histories, &lines), fail);
    CRP_GOTO(keep_lines(file, &lines), fail);
    name_model(model, light);
    CRP_GOTO(apply_settings(file, light, model), fail);
    CRP_GOTO(model_finish(context, model), fail);
    CRP_GOTO(input_append(context, input, model), fail);
    return CRP_OK;
fail:
    model_destroy(&model);
    return status;
}

static void warn_of_rest(mci_file *file)
{
    mci_reader *reader = &file->reader;
    reader->scope[0] = '\0';
    if (mci_next(reader)) {
        char quoted[80];
        mci_warn(reader, "text after the last run is ignored (line %" PRIu64 " announces %" PRIu64 " run%s): '%s'",
                 file->n_runs_line, file->n_runs, file->n_runs == 1 ? "" : "s", mci_quote(reader->text, NULL, quoted));
    }
}

typedef struct run_name {
    char *path;
    size_t run; /* from 0 */
} run_name;

static int compare_names(const void *a, const void *b)
{
    const run_name *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order != 0 ? order : (x->run > y->run) - (x->run < y->run);
}

/* "./a.mco" and "a.mco" are one file. */
static char *plain_path(const char *path)
{
    char *plain = malloc(strlen(path) + 1);
    if (plain == NULL) {
        return NULL;
    }
    size_t n = 0;
    for (const char *at = path; *at != '\0';) {
        bool is_start = at == path || at[-1] == '/';
        if (is_start && at[0] == '.' && at[1] == '/') {
            at += 2 + strspn(at + 2, "/");
        } else if (at[0] == '/' && n > 0 && plain[n - 1] == '/') {
            at++;
        } else {
            plain[n++] = *at++;
        }
    }
    plain[n] = '\0';
    return plain;
}

static crp_status fail_duplicate(mci_file *file, const crp_input *input, size_t first, size_t second)
{
    const light_model *light = input->models[second]->data;
    char quoted[80];
    file->reader.line = file->lines[second].name;
    file->run = second + 1;
    set_scope(file, 0);
    return mci_fail(&file->reader, CRP_ERR_CONFIG,
                    "output file name '%s' is that of run %zu too (line %" PRIu64
                    "; the later would replace the earlier) give every run its own",
                    mci_quote(light->mco_path, NULL, quoted), first + 1, file->lines[first].name);
}

static crp_status check_names(mci_file *file, const crp_input *input)
{
    size_t n = 0, first = SIZE_MAX, second = SIZE_MAX;
    crp_status status = CRP_OK;
    run_name *names = calloc(input->n_models, sizeof *names);
    CRP_CHECK(file->reader.context, names != NULL, CRP_ERR_MEMORY, "%s: no memory", file->reader.path);
    for (size_t i = 0; i < input->n_models; i++) {
        const light_model *light = input->models[i]->data;
        if (light->mco_path[0] == '\0') {
            continue;
        }
        names[n].path = plain_path(light->mco_path);
        names[n].run = i;
        if (names[n].path == NULL) {
            status = context_fail(file->reader.context, CRP_ERR_MEMORY, "%s: no memory", file->reader.path);
            goto done;
        }
        n++;
    }
    qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 1; i < n; i++) { /* report the one that comes first in the file */
        if (strcmp(names[i - 1].path, names[i].path) == 0 && names[i].run < second) {
            first = names[i - 1].run;
            second = names[i].run;
        }
    }
    if (second != SIZE_MAX) {
        status = fail_duplicate(file, input, first, second);
    }
done:
    for (size_t i = 0; i < n; i++) {
        free(names[i].path);
    }
    free(names);
    return status;
}

static crp_status load_file(mci_file *file, crp_input **input)
{
    CRP_TRY(read_version(file));
    CRP_TRY(read_n_runs(file));
    for (file->run = 1; file->run <= file->n_runs; file->run++) {
        CRP_TRY(load_run(file, input));
    }
    warn_of_rest(file);
    return check_names(file, *input);
}

crp_status mci_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                    const crp_input_options *options, crp_input **input)
{
    mci_file *file = calloc(1, sizeof *file);
    CRP_CHECK(context, file != NULL, CRP_ERR_MEMORY, "%s: no memory to read it", path);
    file->options = options;
    file->format = 'A';
    crp_input *loaded = NULL;
    crp_status status = mci_reader_open(&file->reader, context, path, text, n_bytes);
    if (status == CRP_OK) {
        status = load_file(file, &loaded);
    }
    mci_reader_close(&file->reader);
    free(file->lines);
    free(file);
    if (status != CRP_OK) {
        crp_input_destroy(&loaded);
        return status;
    }
    *input = loaded;
    return CRP_OK;
}
