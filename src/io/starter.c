/** Starter inputs: the table, and settings worked into a commented text. */
#include "io/starter.h"

#include "core/nearest.h"
#include "core/schema.h"
#include "core/text.h"
#include "core/yaml_tree.h"
#include "io/starter_chem.h"
#include "io/starter_light.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A new starter adds its line here. */
static const starter starters[] = {
    {"light-slab", "one slab with exactly known reflectance and transmittance", light_slab_text},
    {"light-skin5", "five-layer skin at 633 nm", light_skin5_text},
    {"light-skin7", "seven-layer skin at 600 nm", light_skin7_text},
    {"chem-water", "radicals of spurs in irradiated water, 1 ps to 1 us", chem_water_text},
    {"chem-oxygen", "radicals in water with dissolved oxygen", chem_oxygen_text},
    {"chem-fricke", "Fricke dosimeter: iron in aerated acid, to 1 ms", chem_fricke_text},
};
enum { N_STARTERS = sizeof starters / sizeof starters[0] };

const starter *starter_list(size_t *n)
{
    *n = N_STARTERS;
    return starters;
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
    return context_fail(context, CRP_ERR_ARG, "there is no starter \"%.60s\" (known: %s)%s%s", name, known,
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

static crp_status apply(crp_context *context, const starter *s, const char *const *settings, size_t n, char **text)
{
    crp_input *input = NULL;
    char *full = NULL, *edited = NULL;
    bool same = false;
    crp_status status;
    CRP_GOTO(load(context, s->name, s->text, settings, n, &input), done);
    CRP_GOTO(full_text(context, input->models[0], &full), done);
    edited = strdup(s->text);
    for (size_t i = 0; i < n && edited != NULL; i++) {
        CRP_GOTO(edit(context, s->name, settings[i], &edited), done);
    }
    if (edited != NULL) {
        CRP_GOTO(is_same(context, s->name, edited, full, &same), done);
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
    CRP_TRY(find(context, name, &s));
    return load(context, name, s->text, settings, n, input);
}

crp_status starter_write(crp_context *context, const char *name, const char *const *settings, size_t n, FILE *file)
{
    const starter *s = NULL;
    char *text = NULL;
    CRP_TRY(find(context, name, &s));
    if (n > 0) {
        CRP_TRY(apply(context, s, settings, n, &text));
    }
    fputs(text == NULL ? s->text : text, file);
    free(text);
    CRP_CHECK(context, fflush(file) == 0 && !ferror(file), CRP_ERR_IO, "the starter cannot be written");
    return CRP_OK;
}
