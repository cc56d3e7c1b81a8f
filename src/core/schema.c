/** The schema at work: one value, a mapping, a list. Settings and documents are in schema_set.c. */
#include "core/schema_value.h"

#include "core/nearest.h"
#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- a value */

static void *place_of(const schema_field *field, void *const *objects)
{
    return field->object == SCHEMA_NO_FIELD ? NULL : (char *)objects[field->object] + field->offset;
}

static void store(void *place, const void *value, size_t size)
{
    if (place != NULL) {
        memcpy(place, value, size);
    }
}

static crp_status check_number(crp_context *context, const schema_field *field, const char *where, const char *text,
                               double value)
{
    const char *problem = field->check == NULL ? NULL : field->check(value);
    if (problem != NULL) { /* many rules say in brackets what the quantity is; else its line of documentation does */
        bool is_explained = strchr(problem, '(') != NULL;
        return context_fail(context, CRP_ERR_CONFIG, "%s = %.60s %s%s%s%s", where, text, problem,
                            is_explained ? "" : " (", is_explained ? "" : field->doc, is_explained ? "" : ")");
    }
    if (field->has_range && !(value >= field->min && value <= field->max)) {
        char min[NUMBER_TEXT], max[NUMBER_TEXT];
        return context_fail(context, CRP_ERR_CONFIG, "%s = %.60s must lie in [%s, %s] (%s)", where, text,
                            number_print(min, field->min), number_print(max, field->max), field->doc);
    }
    return CRP_OK;
}

static crp_status take_real(crp_context *context, const schema_field *field, const char *where, const char *text,
                            void *place)
{
    double value = field->keyword_value;
    if (field->keyword == NULL || strcmp(text, field->keyword) != 0) {
        CRP_TRY(
            units_parse_real(context, where, text, field->dimension, field->unit == NULL ? "" : field->unit, &value));
        CRP_TRY(check_number(context, field, where, text, value));
    }
    value += 0.0; /* "-0" is 0: one value, one digest */
    store(place, &value, sizeof value);
    return CRP_OK;
}

static crp_status take_count(crp_context *context, const schema_field *field, const char *where, const char *text,
                             void *place)
{
    uint64_t value;
    CRP_TRY(units_parse_count(context, where, text, &value));
    CRP_TRY(check_number(context, field, where, text, (double)value));
    if (field->size == sizeof(uint64_t)) {
        store(place, &value, sizeof value);
        return CRP_OK;
    }
    CRP_CHECK(context, value <= UINT32_MAX, CRP_ERR_CONFIG, "%s = %.60s is too large (the largest is 4294967295)",
              where, text);
    uint32_t narrow = (uint32_t)value;
    store(place, &narrow, sizeof narrow);
    return CRP_OK;
}

static crp_status take_text(crp_context *context, const schema_field *field, const char *where, const char *text,
                            char *place)
{
    size_t length = strlen(text);
    CRP_CHECK(context, field->object == SCHEMA_NO_FIELD || length < field->size, CRP_ERR_CONFIG,
              "%s = \"%.60s...\" is too long (%zu bytes, room for %zu)", where, text, length, field->size - 1);
    for (size_t i = 0; i < length; i++) {
        CRP_CHECK(context, (unsigned char)text[i] >= 0x20 && text[i] != 0x7f, CRP_ERR_CONFIG,
                  "%s must be one line of text (character %zu is a control character)", where, i + 1);
    }
    if (field->check_text != NULL) {
        CRP_TRY(field->check_text(context, where, text));
    }
    if (place != NULL) {
        memset(place, 0, field->size);
        memcpy(place, text, length);
    }
    return CRP_OK;
}

static crp_status take_block(crp_context *context, const char *where, const char *text, char **place)
{
    char *copy = strdup(text);
    CRP_CHECK(context, copy != NULL, CRP_ERR_MEMORY, "%s: not enough memory", where);
    free(*place);
    *place = copy;
    return CRP_OK;
}

static crp_status take_choice(crp_context *context, const schema_field *field, const char *where, const char *text,
                              void *place)
{
    char known[256] = "";
    size_t n = 0;
    for (; field->choices[n] != NULL; n++) {
        if (strcmp(text, field->choices[n]) == 0) {
            uint32_t index = (uint32_t)n;
            if (field->size == 1) {
                store(place, text, 1);
            } else {
                store(place, &index, sizeof index);
            }
            return CRP_OK;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", n == 0 ? "" : ", ", field->choices[n]);
    }
    const char *near = nearest_name(text, field->choices, n);
    return context_fail(context, CRP_ERR_CONFIG, "%s = %.60s must be one of: %s (%s)%s%s", where, text, known,
                        field->doc, near == NULL ? "" : " did you mean ", near == NULL ? "" : near);
}

static crp_status take_bool(crp_context *context, const schema_field *field, const char *where, const char *text,
                            void *place)
{
    bool value = strcmp(text, "true") == 0;
    CRP_CHECK(context, value || strcmp(text, "false") == 0, CRP_ERR_CONFIG, "%s = %.60s must be true or false (%s)",
              where, text, field->doc);
    store(place, &value, sizeof value);
    return CRP_OK;
}

crp_status schema_take(crp_context *context, const schema_field *field, const char *where, const char *text,
                       void *const *objects)
{
    void *place = place_of(field, objects);
    switch (field->type) {
    case SCHEMA_REAL:
        return take_real(context, field, where, text, place);
    case SCHEMA_COUNT:
        return take_count(context, field, where, text, place);
    case SCHEMA_TEXT:
        return take_text(context, field, where, text, place);
    case SCHEMA_BLOCK:
        return take_block(context, where, text, place);
    case SCHEMA_CHOICE:
        return take_choice(context, field, where, text, place);
    case SCHEMA_BOOL:
        return take_bool(context, field, where, text, place);
    default:
        return context_fail(context, CRP_ERR_INTERNAL, "%s: a section or list has no single value", where);
    }
}

/* ------------------------------------------------------------------------------------------------ tables */

const schema_field *schema_find(const schema_table *table, const char *key)
{
    for (size_t i = 0; i < table->n_fields; i++) {
        if (strcmp(table->fields[i].key, key) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

crp_status schema_fail_unknown(crp_context *context, const char *where, const schema_table *table, const char *key)
{
    const char *near = NULL;
    char known[512] = "";
    for (size_t i = 0; i < table->n_fields; i++) {
        const char *name = table->fields[i].key;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", name);
        if (nearest_name(key, &name, 1) != NULL &&
            (near == NULL || nearest_distance(key, name) < nearest_distance(key, near))) {
            near = name;
        }
    }
    return context_fail(context, CRP_ERR_CONFIG, "%s is not a known key (known: %s)%s%s", where, known,
                        near == NULL ? "" : " did you mean ", near == NULL ? "" : near);
}

/* ------------------------------------------------------------------------------------------------- files */

/* Where we are: file, and the path of keys so far. */
typedef struct place {
    crp_context *context;
    const char *file;
    char keys[SCHEMA_PATH_LENGTH];
} place;

enum { WHERE_LENGTH = 1024 };

static void write_where(char where[WHERE_LENGTH], const place *p, const yaml_node *node)
{
    snprintf(where, WHERE_LENGTH, "%.700s:%u:%u: %s", p->file, node->line, node->column, p->keys);
}

static place place_of_key(const place *p, const char *key)
{
    place inner = {.context = p->context, .file = p->file};
    snprintf(inner.keys, sizeof inner.keys, "%.150s%s%.60s", p->keys, p->keys[0] == '\0' ? "" : ".", key);
    return inner;
}

static crp_status load_mapping(const place *p, const yaml_node *node, const yaml_node *parent,
                               const schema_table *table, void *const *objects);

static crp_status fail_kind(const place *p, const yaml_node *node, const char *expected, const char *doc)
{
    char where[WHERE_LENGTH];
    write_where(where, p, node);
    return context_fail(p->context, CRP_ERR_CONFIG, "%s must be %s, not %s (%s)", where, expected,
                        yaml_kind_words(node->kind), doc);
}

static crp_status load_list(const place *p, const yaml_node *node, const schema_field *field, void *const *objects)
{
    void **items = place_of(field, objects);
    uint32_t *count = (uint32_t *)((char *)objects[field->object] + field->count_offset);
    if (node->kind != YAML_KIND_SEQUENCE) {
        return fail_kind(p, node, "a list", field->doc);
    }
    char where[WHERE_LENGTH];
    write_where(where, p, node);
    CRP_CHECK(p->context, node->n_items > 0 && node->n_items <= SCHEMA_MAX_ITEMS, CRP_ERR_CONFIG,
              "%s must have 1 to %d elements (%s)", where, SCHEMA_MAX_ITEMS, field->doc);
    free(*items);
    *count = 0;
    *items = calloc(node->n_items, field->table->item_size);
    CRP_CHECK(p->context, *items != NULL, CRP_ERR_MEMORY, "%s: not enough memory", where);
    *count = (uint32_t)node->n_items;
    for (size_t i = 0; i < node->n_items; i++) {
        place inner = *p;
        void *item[SCHEMA_MAX_OBJECTS] = {(char *)*items + i * field->table->item_size};
        snprintf(inner.keys, sizeof inner.keys, "%.200s[%zu]", p->keys, i + 1);
        CRP_TRY(load_mapping(&inner, node->items[i], node, field->table, item));
    }
    return CRP_OK;
}

static crp_status load_field(const place *p, const yaml_node *node, const schema_field *field, void *const *objects)
{
    char where[WHERE_LENGTH];
    write_where(where, p, node);
    CRP_CHECK(p->context, !yaml_node_is_null(node), CRP_ERR_CONFIG,
              "%s has no value (%s) give one or leave the key out", where, field->doc);
    if (field->type == SCHEMA_SECTION) {
        return load_mapping(p, node, node, field->table, objects);
    }
    if (field->type == SCHEMA_LIST) {
        return load_list(p, node, field, objects);
    }
    if (node->kind != YAML_KIND_SCALAR) {
        return fail_kind(p, node, "a single value", field->doc);
    }
    return schema_take(p->context, field, where, node->text, objects);
}

static bool has_required(const schema_table *table)
{
    for (size_t i = 0; i < table->n_fields; i++) {
        if (table->fields[i].need != SCHEMA_OPTIONAL) {
            return true;
        }
    }
    return false;
}

static crp_status load_missing(const place *p, const yaml_node *parent, const schema_field *field, void *const *objects)
{
    char where[WHERE_LENGTH];
    write_where(where, p, parent);
    bool is_section = field->type == SCHEMA_SECTION;
    if (field->need != SCHEMA_OPTIONAL || (is_section && has_required(field->table))) {
        const char *example = field->example == NULL ? "..." : field->example;
        return context_fail(p->context, CRP_ERR_CONFIG, "%s is missing (%s) add it like %s: %s", where, field->doc,
                            field->key, example);
    }
    if (is_section) {
        return load_mapping(p, NULL, parent, field->table, objects);
    }
    return field->fallback == NULL ? CRP_OK : schema_take(p->context, field, where, field->fallback, objects);
}

/* `node` is NULL for a section that is not there; `parent` then says where it would be. */
static crp_status load_mapping(const place *p, const yaml_node *node, const yaml_node *parent,
                               const schema_table *table, void *const *objects)
{
    if (node != NULL && node->kind != YAML_KIND_MAPPING) {
        return fail_kind(p, node, "a mapping of keys to values", table->name);
    }
    for (size_t i = 0; node != NULL && i < node->n_items; i++) {
        if (schema_find(table, node->keys[i]->text) == NULL) {
            char where[WHERE_LENGTH];
            place inner = place_of_key(p, node->keys[i]->text);
            write_where(where, &inner, node->keys[i]);
            return schema_fail_unknown(p->context, where, table, node->keys[i]->text);
        }
    }
    for (size_t i = 0; i < table->n_fields; i++) {
        const schema_field *field = &table->fields[i];
        const yaml_node *value = yaml_node_find(node, field->key);
        place inner = place_of_key(p, field->key);
        if (value != NULL) {
            CRP_TRY(load_field(&inner, value, field, objects));
        } else {
            CRP_TRY(load_missing(&inner, node == NULL ? parent : node, field, objects));
        }
    }
    return CRP_OK;
}

crp_status schema_load(crp_context *context, const char *path, const yaml_node *node, const schema_table *table,
                       void *const *objects)
{
    place p = {.context = context, .file = path};
    if (node->kind != YAML_KIND_MAPPING) {
        return context_fail(context, CRP_ERR_CONFIG, "%s:%u:%u: the file must be a mapping of keys to values, not %s",
                            path, node->line, node->column, yaml_kind_words(node->kind));
    }
    return load_mapping(&p, node, node, table, objects);
}
