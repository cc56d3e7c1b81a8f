/** Chem models from YAML trees and from lists of molecules, and back to YAML text. */
#include "model/chem/chem_yaml.h"

#include "core/number.h"
#include "core/sha256.h"
#include "core/text.h"
#include "model/chem/chem_schema.h"
#include "model/model_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- read */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* A shipped set goes by its name; what has a point or a slash is a file. */
static bool is_set_file(const chem_model *chem)
{
    return chem_set_text(chem->set_name) == NULL && strpbrk(chem->set_name, "./") != NULL;
}

static crp_status load_set(crp_context *context, const char *path, chem_model *chem)
{
    char full[2200];
    chem_path_beside(is_set_file(chem) ? path : "", chem->set_name, full, sizeof full);
    CRP_TRY(chem_file_status(context, chem_set_load(context, path, full, &chem->set), path, "chem.set"));
    for (uint32_t i = 0; i < chem->n_scavengers; ++i) {
        char where[1200];
        snprintf(where, sizeof where, "%.1000s: scavengers[%u]", path, i + 1);
        for (uint32_t k = 0; k < i; ++k) {
            CRP_CHECK(context, strcmp(chem->scavengers[i].species, chem->scavengers[k].species) != 0, CRP_ERR_CONFIG,
                      "%s: %s has a concentration already (scavengers[%u]): keep one", where, chem->scavengers[i].species, k + 1);
        }
        CRP_TRY(chem_set_scavenger(context, where, &chem->set, chem->scavengers[i].species,
                                   chem->scavengers[i].concentration));
    }
    return CRP_OK;
}

static void write_file(FILE *to, const char *key, const char *path, const char *name)
{
    char full[2200];
    chem_path_beside(path, name, full, sizeof full);
    char *real = realpath(full, NULL);
    fprintf(to, "%s=%s\n", key, real != NULL ? real : full);
    free(real);
}

/* Where the files are: the result keeps it, for what begins from the molecules again. */
static crp_status note_files(crp_context *context, const char *path, crp_model *model)
{
    const chem_model *chem = model->data;
    text_buffer text;
    bool has_list = chem->source.kind == CHEM_SOURCE_FILE, has_pulse = chem->source.pulse[0] != '\0';
    if (!has_list && !has_pulse && !is_set_file(chem)) {
        return CRP_OK;
    }
    CRP_TRY(text_open(context, &text));
    if (has_list) {
        write_file(text.file, "source.file", path, chem->source.file);
    }
    if (has_pulse) {
        write_file(text.file, "source.pulse", path, chem->source.pulse);
    }
    if (is_set_file(chem)) {
        write_file(text.file, "chem.set", path, chem->set_name);
    }
    CRP_TRY(text_close(context, &text, CRP_OK));
    model->files = text.bytes;
    return CRP_OK;
}

/* Molecules whose birth is not within the run. */
static void say_births(crp_context *context, const char *path, const chem_model *chem)
{
    uint64_t n = 0, n_late = 0;
    for (uint32_t i = 0; i < chem->n_tracks; ++i) {
        n += chem->tracks[i].n_molecules;
        for (size_t k = 0; k < chem->tracks[i].n_molecules; ++k) {
            n_late += chem->tracks[i].molecules[k].time > chem->end;
        }
    }
    if (chem->n_repaired_times > 0) {
        context_log(context, CRP_LOG_WARNING, "chem", "%s: %" PRIu64 " of %" PRIu64 " molecules are born before the start of the run, and "
                    "are there from then on (time.start = %g ps)", path, chem->n_repaired_times, n, chem->start);
    }
    if (n_late > 0) {
        context_log(context, CRP_LOG_WARNING, "chem", "%s: %" PRIu64 " of %" PRIu64 " molecules are born after the end of the run, and are "
                    "never there (time.end = %g ps)", path, n_late, n, chem->end);
    }
}

/* Settings, then what they name: set, molecules; then ranges and the digest. */
static crp_status complete(crp_context *context, const char *path, const crp_input_options *options, crp_model *model)
{
    chem_model *chem = model->data;
    void *objects[] = {[CHEM_OBJECT_CHEM] = chem, [CHEM_OBJECT_MODEL] = model};
    model_name_from_path(model, path);
    for (size_t i = 0; options != NULL && i < options->n_settings; i++) {
        CRP_TRY(schema_set(context, &chem_schema, objects, options->settings[i]));
    }
    CRP_TRY(load_set(context, path, chem));
    CRP_TRY(chem_source_fill(context, path, chem));
    CRP_TRY(chem_model_validate(context, path, chem));
    say_births(context, path, chem);
    for (uint32_t i = 0; i < chem->set.n_reactions; ++i) {
        char text[512];
        context_log(context, CRP_LOG_DEBUG, "chem", "%s", chem_reaction_describe(&chem->set, &chem->set.reactions[i], text, sizeof text));
    }
    CRP_TRY(note_files(context, path, model));
    return model_finish(context, model);
}

static crp_status load(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                       crp_input **input)
{
    crp_model *model = NULL;
    chem_model *chem = chem_model_create();
    CRP_CHECK(context, chem != NULL, CRP_ERR_MEMORY, "%s: not enough memory for the model", path);
    CRP_TRY(model_create(context, &module_chem, path, chem, &model));
    void *objects[] = {[CHEM_OBJECT_CHEM] = chem, [CHEM_OBJECT_MODEL] = model};
    crp_status status = CRP_OK;
    if (root != NULL) {
        CRP_GOTO(schema_load(context, path, root, &chem_schema, objects), failed);
    } else {
        snprintf(chem->source.file, sizeof chem->source.file, "%s", base_name(path));
    }
    CRP_GOTO(complete(context, path, options, model), failed);
    CRP_GOTO(input_append(context, input, model), failed);
    return CRP_OK;
failed:
    model_destroy(&model);
    return status;
}

crp_status chem_yaml_load(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                          crp_input **input)
{
    return load(context, path, root, options, input);
}

crp_status chem_molecules_load(crp_context *context, const char *path, const crp_input_options *options, crp_input **input)
{
    return load(context, path, NULL, options, input);
}

/* ------------------------------------------------------------------------------------------------- write */

static void write_real(FILE *file, const char *before, double value, const char *after)
{
    char text[NUMBER_TEXT];
    fprintf(file, "%s%s%s", before, number_print(text, value), after);
}

/* What the names stand for: part of the digest, no part of what is read back. */
static crp_status write_digests(crp_context *context, FILE *file, const chem_model *chem)
{
    sha256 s;
    char hex[65];
    text_buffer text;
    CRP_TRY(text_open(context, &text));
    chem_set_write(text.file, &chem->set);
    CRP_TRY(text_close(context, &text, CRP_OK));
    sha256_of(text.bytes, text.n_bytes, hex);
    free(text.bytes);
    fprintf(file, CHEM_YAML_DIGESTS "%s\n", hex);
    sha256_init(&s);
    for (uint32_t i = 0; i < chem->n_tracks; ++i) {
        const chem_track *t = &chem->tracks[i];
        sha256_update(&s, &t->energy, sizeof t->energy);
        sha256_update(&s, t->molecules, t->n_molecules * sizeof *t->molecules);
    }
    sha256_hex(&s, hex);
    fprintf(file, "# molecules: %s\n", hex);
    return CRP_OK;
}

/* The digest is that of what a file holds, wherever it lies. For people: the path as they gave it, or, in a text for another
 * folder, the whole one. */
typedef enum path_form { PATH_BASE, PATH_GIVEN, PATH_WHOLE } path_form;

static void write_path(FILE *file, const crp_model *model, const char *name, path_form form)
{
    char full[2200];
    chem_path_beside(model->source_path, name, full, sizeof full);
    char *real = form == PATH_WHOLE ? realpath(full, NULL) : NULL;
    yaml_write_string(file, form == PATH_BASE ? base_name(name) : real != NULL ? real : name);
    free(real);
}

static void write_source(FILE *file, const crp_model *model, path_form form)
{
    const chem_source *source = &((const chem_model *)model->data)->source;
    fprintf(file, "source: {kind: %s, ", chem_source_words[source->kind]);
    if (source->kind == CHEM_SOURCE_FILE) {
        fputs("file: ", file);
        write_path(file, model, source->file, form);
        fputs(", format: ", file);
        yaml_write_string(file, source->format);
    } else {
        fprintf(file, "tracks: %" PRIu32 ", seed: %" PRIu64, source->tracks, source->seed);
        write_real(file, ", distance: ", source->distance, " nm");
        write_real(file, ", radius: ", source->radius, " nm");
        write_real(file, ", length: ", source->length, " nm, molecules: [");
        for (uint32_t i = 0; i < source->n_molecules; ++i) {
            fputs(i == 0 ? "{species: " : ", {species: ", file);
            yaml_write_string(file, source->molecules[i].species);
            write_real(file, ", count: ", source->molecules[i].count, "}");
        }
        fputs("]", file);
    }
    write_real(file, ", energy: ", source->energy, " eV");
    if (source->pulse[0] != '\0') {
        fputs(", pulse: ", file);
        write_path(file, model, source->pulse, form);
    }
    fprintf(file, ", together: %s}\n", source->together ? "true" : "false");
}

static crp_status write_physics(crp_context *context, FILE *file, const crp_model *model, path_form form)
{
    const chem_model *chem = model->data;
    fputs("chem: {set: ", file);
    if (is_set_file(chem)) {
        write_path(file, model, chem->set_name, form);
    } else {
        yaml_write_string(file, chem->set_name);
    }
    fprintf(file, ", method: %s", chem_method_words[chem->method]);
    write_real(file, ", steps_per_decade: ", chem->steps_per_decade, "");
    write_real(file, ", step: ", chem->step, " ps");
    fprintf(file, ", dynamic_step: %s}\n", chem->dynamic_step ? "true" : "false");
    if (chem->n_scavengers > 0) {
        fputs("scavengers:\n", file);
    }
    for (uint32_t i = 0; i < chem->n_scavengers; ++i) {
        fputs("  - {species: ", file);
        yaml_write_string(file, chem->scavengers[i].species);
        write_real(file, ", concentration: ", chem->scavengers[i].concentration, "}\n");
    }
    write_real(file, "time: {start: ", chem->start, " ps");
    write_real(file, ", end: ", chem->end, " ps");
    write_real(file, ", outputs_per_decade: ", chem->outputs_per_decade, "}\n");
    write_source(file, model, form);
    fprintf(file, "space: {kind: %s", chem_space_words[chem->space]);
    write_real(file, ", box: ", chem->box, " nm}\n");
    return write_digests(context, file, chem);
}

/* For people: what becomes of the rate constants. */
static void write_reactions(FILE *file, const chem_model *chem)
{
    static const char *const words[] = {"", ", k of A + A goes into R as it stands", ", R of A + A takes 2k"};
    char text[512];
    fprintf(file, "# %" PRIu32 " reactions%s:\n", chem->set.n_reactions, words[chem->set.convention]);
    for (uint32_t i = 0; i < chem->set.n_reactions; ++i) {
        fprintf(file, "#   %s\n", chem_reaction_describe(&chem->set, &chem->set.reactions[i], text, sizeof text));
    }
}

static crp_status write_all(crp_context *context, const crp_model *model, FILE *file, bool is_full)
{
    fprintf(file, "version: %d\nkind: chem\n", CHEM_YAML_VERSION);
    if (is_full && model->name[0] != '\0') {
        fputs("name: ", file);
        yaml_write_string(file, model->name);
        fputs("\n", file);
    }
    if (is_full) {
        model_write_run(file, model, "copies");
    }
    CRP_TRY(write_physics(context, file, model, !is_full ? PATH_BASE : model->is_moved ? PATH_WHOLE : PATH_GIVEN));
    if (is_full) {
        write_reactions(file, model->data);
    }
    CRP_CHECK(context, !ferror(file), CRP_ERR_IO, "the YAML text cannot be written (the file or disk refuses it)");
    return CRP_OK;
}

crp_status chem_write_yaml(crp_context *context, const crp_model *model, void *file)
{
    return write_all(context, model, file, false);
}

crp_status chem_write_yaml_full(crp_context *context, const crp_model *model, void *file)
{
    return write_all(context, model, file, true);
}
