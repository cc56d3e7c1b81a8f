/** Starter inputs: the table, and settings worked into a commented text. */
#include "io/starter.h"

#include "core/nearest.h"
#include "core/schema.h"
#include "core/text.h"
#include "core/yaml_tree.h"
#include "io/starter_chem.h"
#include "io/starter_gas.h"
#include "io/starter_light.h"
#include "model/chem/chem.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A new starter adds its line here. */
static const starter starters[] = {
    {"light-slab", "one slab with exactly known reflectance and transmittance", light_slab_text, NULL, NULL},
    {"light-skin5", "five-layer skin at 633 nm", light_skin5_text, NULL, NULL},
    {"light-skin7", "seven-layer skin at 600 nm", light_skin7_text, NULL, NULL},
    {"gas-tube", "a tube with an inlet and an outlet", NULL, starter_gas_tube_parameters, starter_gas_tube},
    {"gas-duct", "a rectangular duct", NULL, starter_gas_duct_parameters, starter_gas_duct},
    {"gas-elbow", "a square elbow with a mitred corner", NULL, starter_gas_elbow_parameters, starter_gas_elbow},
    {"gas-chamber", "a box with an inlet, a pump and round bodies inside", NULL, starter_gas_chamber_parameters,
     starter_gas_chamber},
    {"chem-water", "radicals of spurs in irradiated water, 1 ps to 1 us", chem_water_text, NULL, NULL},
    {"chem-track", "a dense track: 13 000 radicals along 10 um of a proton", chem_track_text, NULL, NULL},
    {"chem-oxygen", "radicals in water with dissolved oxygen", chem_oxygen_text, NULL, NULL},
    {"chem-fricke", "Fricke dosimeter: iron in aerated acid, to 1 ms", chem_fricke_text, NULL, NULL},
};
enum { N_STARTERS = sizeof starters / sizeof starters[0] };

const starter *starter_list(size_t *n)
{
    *n = N_STARTERS;
    return starters;
}

/* Species and reactions to change, for chem.set of an input: "chem-set-paper". */
static const char set_prefix[] = "chem-set-";

static const char *set_text(const char *name)
{
    return strncmp(name, set_prefix, sizeof set_prefix - 1) == 0 ? chem_set_text(name + sizeof set_prefix - 1) : NULL;
}

static crp_status write_set(crp_context *context, const char *name, size_t n_settings, FILE *file)
{
    CRP_CHECK(context, n_settings == 0, CRP_ERR_ARG, "%s is a list of species and reactions, in which --set sets nothing: change its text, and "
              "name it with chem.set", name);
    fputs(set_text(name), file);
    CRP_CHECK(context, fflush(file) == 0 && !ferror(file), CRP_ERR_IO, "%s cannot be written", name);
    return CRP_OK;
}

static crp_status fail_name(crp_context *context, const char *name)
{
    char known[512] = "";
    const char *names[N_STARTERS];
    for (size_t i = 0; i < N_STARTERS; i++) {
        size_t used = strlen(known);
        names[i] = starters[i].name;
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *near = nearest_name(name, names, N_STARTERS);
    return context_fail(context, CRP_ERR_ARG, "there is no starter \"%.60s\" (known: %s, and chem-set-paper, -geant4, -topas, "
                        "-fricke)%s%s", name, known,
                        near == NULL ? "" : " did you mean ", near == NULL ? "" : near);
}

static crp_status find(crp_context *context, const char *name, const starter **found)
{
    for (size_t i = 0; i < N_STARTERS; i++) {
        if (strcmp(starters[i].name, name) == 0) {
            *found = &starters[i];
            return CRP_OK;
        }
    }
    return fail_name(context, name);
}

/* ------------------------------------------------------------------------------------------------- edit */

/* The element of a list that one part of a path means: its number from 1, or its name. */
static const yaml_node *find_item(const yaml_node *list, const char *part)
{
    if (part[strspn(part, "0123456789")] == '\0') {
        size_t i = strtoul(part, NULL, 10);
        return i >= 1 && i <= list->n_items ? list->items[i - 1] : NULL;
    }
    for (size_t i = 0; i < list->n_items; i++) {
        const yaml_node *name = yaml_node_find(list->items[i], "name");
        if (name != NULL && name->kind == YAML_KIND_SCALAR && strcmp(name->text, part) == 0) {
            return list->items[i];
        }
    }
    return NULL;
}

static const yaml_node *find_path(const yaml_node *node, const schema_setting *setting)
{
    for (size_t i = 0; node != NULL && i < setting->n_parts; i++) {
        node = node->kind == YAML_KIND_SEQUENCE ? find_item(node, setting->parts[i])
                                                : yaml_node_find(node, setting->parts[i]);
    }
    return node != NULL && node->kind == YAML_KIND_SCALAR ? node : NULL;
}

static void write_value(FILE *file, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/ ";
    size_t length = strlen(value);
    bool is_plain = length > 0 && value[strspn(value, plain)] == '\0' && value[0] != '-' && value[0] != '.' &&
                    value[0] != ' ' && value[length - 1] != ' ' && strcmp(value, "null") != 0;
    if (is_plain) {
        fputs(value, file);
    } else {
        yaml_write_string(file, value);
    }
}

/* Replace one scalar in the text. *text becomes NULL when the path is not in it: the caller writes the model anew. */
static crp_status edit(crp_context *context, const char *name, const char *setting, char **text)
{
    yaml_tree *tree = NULL;
    schema_setting parts;
    text_buffer edited = {0};
    crp_status status;
    CRP_TRY(schema_split_setting(context, setting, &parts));
    CRP_TRY(yaml_tree_parse(context, name, *text, strlen(*text), &tree));
    const yaml_node *node = find_path(yaml_tree_root(tree), &parts);
    CRP_GOTO(node == NULL ? CRP_OK : text_open(context, &edited), done);
    if (node != NULL) {
        fwrite(*text, 1, node->begin, edited.file);
        write_value(edited.file, parts.value);
        fputs(*text + node->end, edited.file);
        status = text_close(context, &edited, CRP_OK);
    }
done:
    yaml_tree_destroy(&tree);
    free(*text);
    *text = edited.bytes;
    return status;
}

/* -------------------------------------------------------------------------------------------------- make */

enum { MAX_PARAMETERS = 16, MAX_REST = 64 };

/* What is left to be set once the parameters have been taken. */
typedef struct made {
    char *text;                  /* owned */
    const char *rest[MAX_REST];
    size_t n_rest;
} made;

static crp_status take_value(crp_context *context, const starter_parameter *p, const char *value, double *to)
{
    char where[128];
    snprintf(where, sizeof where, "--set %s", p->name);
    CRP_TRY(units_parse_real(context, where, value, UNIT_NUMBER, "", to));
    CRP_CHECK(context, *to >= p->least && *to <= p->most, CRP_ERR_CONFIG, "--set %s = %.60s must lie in [%g, %g] (%s)",
              p->name, value, p->least, p->most, p->doc);
    return CRP_OK;
}

/* A setting that is one word before its "=" can only be a parameter; those with a path are for the model. */
static crp_status take_setting(crp_context *context, const starter *s, const char *setting, double *values, made *m)
{
    size_t length = strcspn(setting, "=.[");
    char known[512] = "";
    for (size_t i = 0; s->parameters[i].name != NULL; i++) {
        const starter_parameter *p = &s->parameters[i];
        if (strlen(p->name) == length && strncmp(p->name, setting, length) == 0 && setting[length] == '=') {
            return take_value(context, p, setting + length + 1, &values[i]);
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", p->name);
    }
    CRP_CHECK(context, setting[length] != '=' || strncmp(setting, "name=", 5) == 0, CRP_ERR_CONFIG,
              "--set %.80s: %s has no such parameter (known: %s; and the paths of its model)", setting, s->name, known);
    CRP_CHECK(context, m->n_rest < MAX_REST, CRP_ERR_CONFIG, "--set: more than %d settings", MAX_REST);
    m->rest[m->n_rest++] = setting;
    return CRP_OK;
}

/* The text of a starter, and the settings that are left. A starter with a text of its own keeps all settings. */
static crp_status make(crp_context *context, const starter *s, const char *const *settings, size_t n, made *m)
{
    double values[MAX_PARAMETERS];
    text_buffer buffer;
    memset(m, 0, sizeof *m);
    for (size_t i = 0; s->parameters != NULL && s->parameters[i].name != NULL; i++) {
        values[i] = s->parameters[i].value;
    }
    for (size_t i = 0; i < n; i++) {
        CRP_CHECK(context, m->n_rest < MAX_REST, CRP_ERR_CONFIG, "--set: more than %d settings", MAX_REST);
        if (s->parameters == NULL) {
            m->rest[m->n_rest++] = settings[i];
        } else {
            CRP_TRY(take_setting(context, s, settings[i], values, m));
        }
    }
    if (s->make == NULL) {
        m->text = strdup(s->text);
        CRP_CHECK(context, m->text != NULL, CRP_ERR_MEMORY, "no memory for a starter");
        return CRP_OK;
    }
    CRP_TRY(text_open(context, &buffer));
    CRP_TRY(text_close(context, &buffer, s->make(context, values, buffer.file)));
    m->text = buffer.bytes;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- check */

static crp_status load(crp_context *context, const char *name, const char *text, const char *const *settings, size_t n,
                       crp_input **input)
{
    crp_input_options options = {.size = sizeof options, .settings = settings, .n_settings = n};
    return yaml_load(context, name, text, strlen(text), &options, input);
}

static crp_status full_text(crp_context *context, const crp_model *model, char **text)
{
    text_buffer buffer;
    CRP_TRY(text_open(context, &buffer));
    CRP_TRY(text_close(context, &buffer, model->module->write_full(context, model, buffer.file)));
    *text = buffer.bytes;
    return CRP_OK;
}

/* Does the edited text mean what the settings mean? Both are written anew in full and compared. */
static crp_status is_same(crp_context *context, const char *name, const char *edited, const char *full, bool *same)
{
    crp_input *input = NULL;
    char *other = NULL;
    crp_status status = load(context, name, edited, NULL, 0, &input);
    if (status == CRP_OK) {
        status = full_text(context, input->models[0], &other);
    }
    *same = status == CRP_OK && strcmp(other, full) == 0;
    free(other);
    crp_input_destroy(&input);
    return status == CRP_ERR_MEMORY ? status : CRP_OK;
}

static crp_status apply(crp_context *context, const char *name, const char *made_text, const char *const *settings, size_t n,
                        char **text)
{
    crp_input *input = NULL;
    char *full = NULL, *edited = NULL;
    bool same = false;
    crp_status status;
    CRP_GOTO(load(context, name, made_text, settings, n, &input), done);
    CRP_GOTO(full_text(context, input->models[0], &full), done);
    edited = strdup(made_text);
    for (size_t i = 0; i < n && edited != NULL; i++) {
        CRP_GOTO(edit(context, name, settings[i], &edited), done);
    }
    if (edited != NULL) {
        CRP_GOTO(is_same(context, name, edited, full, &same), done);
    }
    *text = same ? edited : full;
    free(same ? full : edited);
    full = edited = NULL;
done:
    free(full);
    free(edited);
    crp_input_destroy(&input);
    return status;
}

crp_status starter_load(crp_context *context, const char *name, const char *const *settings, size_t n,
                        crp_input **input)
{
    const starter *s = NULL;
    *input = NULL;
    made m;
    CRP_TRY(find(context, name, &s));
    crp_status status = make(context, s, settings, n, &m);
    if (status == CRP_OK) {
        status = load(context, name, m.text, m.rest, m.n_rest, input);
    }
    free(m.text);
    return status;
}

crp_status starter_write(crp_context *context, const char *name, const char *const *settings, size_t n, FILE *file)
{
    const starter *s = NULL;
    char *text = NULL;
    made m;
    if (set_text(name) != NULL) {
        return write_set(context, name, n, file);
    }
    CRP_TRY(find(context, name, &s));
    crp_status status = make(context, s, settings, n, &m);
    if (status == CRP_OK && m.n_rest > 0) {
        status = apply(context, name, m.text, m.rest, m.n_rest, &text);
    }
    if (status == CRP_OK) {
        fputs(text == NULL ? m.text : text, file);
    }
    free(m.text);
    free(text);
    CRP_TRY(status);
    CRP_CHECK(context, fflush(file) == 0 && !ferror(file), CRP_ERR_IO, "the starter cannot be written");
    return CRP_OK;
}
