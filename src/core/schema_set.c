/** Settings, `path=value` on built objects, and the walk over a schema for its documentation. */
#include "core/schema_value.h"

#include "core/nearest.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ syntax */

/* One part of the path: a word up to '.', '[' or '=', or anything in square brackets. */
static const char *scan_part(const char *p, char part[SCHEMA_PART_LENGTH])
{
    bool is_bracket = *p == '[';
    const char *start = is_bracket ? p + 1 : p;
    size_t length = strcspn(start, is_bracket ? "]" : ".[=");
    if (length == 0 || length >= SCHEMA_PART_LENGTH || (is_bracket && start[length] != ']')) {
        return NULL;
    }
    memcpy(part, start, length);
    part[length] = '\0';
    return start + length + (is_bracket ? 1 : 0);
}

crp_status schema_split_setting(crp_context *context, const char *setting, schema_setting *out)
{
    const char *p = setting;
    memset(out, 0, sizeof *out);
    for (;;) {
        CRP_CHECK(context, out->n_parts < SCHEMA_MAX_PARTS, CRP_ERR_CONFIG, "--set %.80s: the path has too many parts",
                  setting);
        p = scan_part(p, out->parts[out->n_parts]);
        CRP_CHECK(context, p != NULL && *p != '\0', CRP_ERR_CONFIG,
                  "--set %.80s: not of the form path=value (such as layers.2.mu_a=0.02/mm)", setting);
        out->n_parts++;
        if (*p == '=') {
            out->value = p + 1;
            return CRP_OK;
        }
        p += *p == '.' ? 1 : 0;
    }
}

/* ------------------------------------------------------------------------------------------------- items */

typedef struct walk {
    crp_context *context;
    const char *setting;
    char keys[SCHEMA_PATH_LENGTH]; /* the path so far, as in messages about files */
} walk;

static void extend(walk *w, const char *format, const char *text)
{
    size_t used = strlen(w->keys);
    snprintf(w->keys + used, sizeof w->keys - used, format, text);
}

static bool is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

/* An element by name: the only one with it. `index` counts from 0. */
static crp_status find_by_name(walk *w, const schema_table *table, const char *items, uint32_t n, const char *name,
                               uint32_t *index)
{
    uint32_t n_found = 0, second = 0;
    const char *names = items + table->name_offset;
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(names + i * table->item_size, name) == 0) {
            *(n_found == 0 ? index : &second) = i;
            n_found++;
        }
    }
    CRP_CHECK(w->context, n_found < 2, CRP_ERR_CONFIG,
              "--set %.80s: %s has %u elements named \"%s\" (the first are %u and %u) say which by its number",
              w->setting, w->keys, n_found, name, *index + 1, second + 1);
    if (n_found == 0) {
        const char *near = nearest_inline(name, names, table->item_size, n);
        return context_fail(w->context, CRP_ERR_CONFIG,
                            "--set %.80s: %s has no element named \"%s\" (it has %u, counted from 1)%s%s", w->setting,
                            w->keys, name, n, near == NULL ? "" : " did you mean ", near == NULL ? "" : near);
    }
    return CRP_OK;
}

static crp_status find_item(walk *w, const schema_table *table, const char *items, uint32_t n, const char *part,
                            uint32_t *index)
{
    *index = 0;
    if (!is_number(part)) {
        CRP_CHECK(w->context, table->name_offset != SCHEMA_NO_FIELD, CRP_ERR_CONFIG,
                  "--set %.80s: \"%s\" is not the number of an element of %s", w->setting, part, w->keys);
        return find_by_name(w, table, items, n, part, index);
    }
    uint64_t number = 0;
    CRP_TRY(units_parse_count(w->context, "--set: element", part, &number));
    CRP_CHECK(w->context, number >= 1 && number <= n, CRP_ERR_CONFIG,
              "--set %.80s: %s has no element %s (it has %u, counted from 1)", w->setting, w->keys, part, n);
    *index = (uint32_t)number - 1;
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- walk */

static crp_status fail_incomplete(const walk *w, const schema_table *table, bool needs_item)
{
    return context_fail(w->context, CRP_ERR_CONFIG,
                        "--set %.80s: %s holds several values (it is a %s) name one, such as %s%s%s", w->setting,
                        w->keys, needs_item ? "list" : "section", w->keys, needs_item ? "[1]." : ".",
                        table->fields[needs_item && table->n_fields > 1 ? 1 : 0].key);
}

static crp_status set_leaf(const walk *w, const schema_field *field, const char *value, void *const *objects)
{
    char where[512];
    CRP_CHECK(w->context, field->need != SCHEMA_FIXED, CRP_ERR_CONFIG, "--set %.80s: %s cannot be set (%s)", w->setting,
              w->keys, field->doc);
    CRP_CHECK(w->context, field->object == SCHEMA_NO_FIELD || objects[field->object] != NULL, CRP_ERR_CONFIG,
              "--set %.80s: %s cannot be set here", w->setting, w->keys);
    snprintf(where, sizeof where, "--set %.80s: %s", w->setting, w->keys);
    return schema_take(w->context, field, where, value, objects);
}

crp_status schema_set(crp_context *context, const schema_table *table, void *const *objects, const char *setting)
{
    walk w = {.context = context, .setting = setting};
    schema_setting s;
    void *item[SCHEMA_MAX_OBJECTS] = {NULL};
    CRP_TRY(schema_split_setting(context, setting, &s));
    for (size_t i = 0; i < s.n_parts; i++) {
        const schema_field *field = schema_find(table, s.parts[i]);
        extend(&w, i == 0 ? "%s" : ".%s", s.parts[i]);
        if (field == NULL) {
            char where[512];
            snprintf(where, sizeof where, "--set %.80s: %s", setting, w.keys);
            return schema_fail_unknown(context, where, table, s.parts[i]);
        }
        bool is_last = i + 1 == s.n_parts, is_list = field->type == SCHEMA_LIST;
        if (field->type != SCHEMA_SECTION && !is_list) {
            CRP_CHECK(context, is_last, CRP_ERR_CONFIG, "--set %.80s: %s is a single value (nothing is below it)",
                      setting, w.keys);
            return set_leaf(&w, field, s.value, objects);
        }
        if (is_list && !is_last) {
            char *owner = objects[field->object], *items = *(char **)(void *)(owner + field->offset);
            uint32_t n = *(uint32_t *)(void *)(owner + field->count_offset), index;
            CRP_TRY(find_item(&w, field->table, items, n, s.parts[++i], &index));
            extend(&w, "[%s]", s.parts[i]);
            item[0] = items + index * field->table->item_size;
            objects = item;
            is_last = i + 1 == s.n_parts;
        }
        table = field->table;
        if (is_last) {
            return fail_incomplete(&w, table, is_list && objects != item);
        }
    }
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------- visitor */

static void visit(const schema_table *table, const char *prefix, schema_visitor visitor, void *user)
{
    for (size_t i = 0; i < table->n_fields; i++) {
        const schema_field *field = &table->fields[i];
        char path[SCHEMA_PATH_LENGTH];
        snprintf(path, sizeof path, "%.150s%s%.60s%s", prefix, prefix[0] == '\0' ? "" : ".", field->key,
                 field->type == SCHEMA_LIST ? "[]" : "");
        visitor(user, path, field);
        if (field->table != NULL) {
            visit(field->table, path, visitor, user);
        }
    }
}

void schema_visit(const schema_table *table, schema_visitor visitor, void *user)
{
    visit(table, "", visitor, user);
}
