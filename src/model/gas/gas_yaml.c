/* Gas models from YAML trees. Writing is in gas_yaml_write.c. */
#include "model/gas/gas_yaml.h"

#include "core/units.h"
#include "model/gas/gas_schema.h"
#include "model/gas/gas_settings.h"
#include "model/model_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a line of a block of text stands in its file, for messages. */
typedef struct block {
    crp_context *context;
    const char *path;
    const char *key;
    uint32_t line; /* of the file */
    const char *at;
} block;

static crp_status fail(const block *b, const char *problem)
{
    return context_fail(b->context, CRP_ERR_CONFIG, "%s:%u: %s: %s", b->path, b->line, b->key, problem);
}

/* The text of a scalar begins on the line below its key where it is written with | or >, else on the same. */
static uint32_t first_line(const yaml_node *node, const char *text)
{
    uint32_t n = 0;
    for (const char *p = text; *p != '\0'; p++) {
        n += *p == '\n' ? 1 : 0;
    }
    return node == NULL ? 0 : node->line + (n > 0 ? 1 : 0);
}

static void skip_blanks(block *b)
{
    while (*b->at == ' ' || *b->at == '\t' || *b->at == ',') {
        b->at++;
    }
}

/* To the next line with something on it; false at the end. */
static bool next_line(block *b)
{
    for (;;) {
        skip_blanks(b);
        if (*b->at == '#') {
            b->at += strcspn(b->at, "\n");
        }
        if (*b->at == '\n') {
            b->at++;
            b->line++;
        } else if (*b->at == '\r') {
            b->at++;
        } else {
            return *b->at != '\0';
        }
    }
}

static bool is_end_of_line(block *b)
{
    skip_blanks(b);
    return *b->at == '\0' || *b->at == '\n' || *b->at == '\r' || *b->at == '#';
}

/* ---------------------------------------------------------------------------------------------- vertices */

static crp_status read_vertices(block *b, double unit, gas_model *gas)
{
    while (next_line(b)) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            const char *end;
            skip_blanks(b);
            x[k] = units_scan_real(b->at, &end) * unit;
            if (end == b->at) {
                return fail(b, "a vertex is three numbers, x y z");
            }
            b->at = end;
        }
        if (!is_end_of_line(b)) {
            return fail(b, "something stands behind x y z (one vertex a line)");
        }
        CRP_TRY(gas_model_add_vertex(b->context, gas, x[0], x[1], x[2]));
    }
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------- polygons */

/* Corners and loops of one line. */
typedef struct outline {
    uint32_t *corners, *n_corners;
    size_t n, room, n_loops, loop_room;
} outline;

static crp_status reserve(crp_context *context, uint32_t **items, size_t n, size_t *room)
{
    if (n >= *room) {
        size_t larger = 2 * *room + 64;
        uint32_t *moved = realloc(*items, larger * sizeof *moved);
        CRP_CHECK(context, moved != NULL, CRP_ERR_MEMORY, "no memory for a facet of %zu corners", larger);
        *items = moved;
        *room = larger;
    }
    return CRP_OK;
}

static bool read_index(block *b, uint32_t *index)
{
    uint64_t value = 0;
    const char *start = b->at;
    for (; *b->at >= '0' && *b->at <= '9' && value <= UINT32_MAX; b->at++) {
        value = 10 * value + (uint64_t)(*b->at - '0');
    }
    *index = (uint32_t)value;
    return b->at != start && value < UINT32_MAX;
}

static crp_status read_polygon(block *b, const gas_model *gas, outline *o)
{
    o->n = 0;
    o->n_loops = 1;
    CRP_TRY(reserve(b->context, &o->n_corners, 1, &o->loop_room));
    o->n_corners[0] = 0;
    while (!is_end_of_line(b)) {
        if (*b->at == '/') {
            b->at++;
            CRP_TRY(reserve(b->context, &o->n_corners, o->n_loops, &o->loop_room));
            o->n_corners[o->n_loops++] = 0;
            continue;
        }
        CRP_TRY(reserve(b->context, &o->corners, o->n, &o->room));
        if (!read_index(b, &o->corners[o->n])) {
            return fail(b, "a facet is a line of numbers of vertices, from 0, with a / before a hole");
        }
        CRP_CHECK(b->context, o->corners[o->n] < gas->n_vertices, CRP_ERR_CONFIG,
                  "%s:%u: %s: there is no vertex %u (there are %u, counted from 0)", b->path, b->line, b->key,
                  o->corners[o->n], gas->n_vertices);
        o->n++;
        o->n_corners[o->n_loops - 1]++;
    }
    return CRP_OK;
}

static crp_status read_polygons(block *b, uint32_t surface, gas_model *gas)
{
    outline o = {0};
    crp_status status = CRP_OK;
    while (status == CRP_OK && next_line(b)) {
        uint32_t line = b->line;
        status = read_polygon(b, gas, &o);
        if (status == CRP_OK) {
            status =
                gas_model_add_facet(b->context, gas, surface, o.corners, o.n_corners, (uint32_t)o.n_loops, 0, line);
        }
    }
    free(o.corners);
    free(o.n_corners);
    return status;
}

/* ------------------------------------------------------------------------------------------------ groups */

/* "1 2 5-9" */
static crp_status read_members(block *b, const gas_model *gas, uint8_t *is_member)
{
    while (next_line(b)) {
        uint32_t first, last;
        bool is_fine = read_index(b, &first);
        last = first;
        if (is_fine && *b->at == '-') {
            b->at++;
            is_fine = read_index(b, &last);
        }
        if (!is_fine || first < 1 || last < first || last > gas->n_facets) {
            return fail(b, "must be numbers of facets, from 1 to their number, or ranges such as 5-9");
        }
        for (uint32_t i = first; i <= last; i++) {
            is_member[i - 1] = 1;
        }
    }
    return CRP_OK;
}

static crp_status add_group(block *b, const char *name, gas_model *gas)
{
    uint8_t *is_member = calloc((size_t)gas->n_facets + 1, 1);
    uint32_t *facets = malloc(((size_t)gas->n_facets + 1) * sizeof *facets), n = 0;
    crp_status status = CRP_OK;
    if (is_member == NULL || facets == NULL) {
        status = context_fail(b->context, CRP_ERR_MEMORY, "no memory for a group");
    } else {
        status = read_members(b, gas, is_member);
    }
    for (uint32_t i = 0; status == CRP_OK && i < gas->n_facets; i++) {
        if (is_member[i] != 0) {
            facets[n++] = i;
        }
    }
    if (status == CRP_OK) {
        status = gas_model_add_group(b->context, gas, name, facets, n);
    }
    free(is_member);
    free(facets);
    return status;
}

/* -------------------------------------------------------------------------------------------------- file */

static block block_of(crp_context *context, const char *path, const char *key, const yaml_node *node, const char *text)
{
    return (block){.context = context, .path = path, .key = key, .line = first_line(node, text), .at = text};
}

static const yaml_node *item_of(const yaml_node *root, const char *list, uint32_t i, const char *key)
{
    const yaml_node *node = yaml_node_find(root, list);
    return node == NULL || i >= node->n_items ? NULL : yaml_node_find(node->items[i], key);
}

/* Take the texts apart: vertices first, then facets surface by surface, then what names facets. */
static crp_status take_texts(crp_context *context, const char *path, const yaml_node *root, const gas_yaml_texts *texts,
                             gas_model *gas)
{
    char key[64];
    block b = block_of(context, path, "geometry.vertices", yaml_node_find(yaml_node_find(root, "geometry"), "vertices"),
                       texts->vertices);
    CRP_TRY(read_vertices(&b, texts->unit, gas));
    for (uint32_t i = 0; i < gas->n_surfaces; i++) {
        gas_surface *s = &gas->surfaces[i];
        const yaml_node *node = item_of(root, "facets", i, "polygons");
        snprintf(key, sizeof key, "facets[%u].polygons", i + 1);
        b = block_of(context, path, key, node, s->polygons);
        s->line = node == NULL ? 0 : node->line;
        CRP_TRY(read_polygons(&b, i, gas));
        free(gas->surfaces[i].polygons);
        gas->surfaces[i].polygons = NULL;
    }
    for (uint32_t i = 0; i < texts->n_groups; i++) {
        snprintf(key, sizeof key, "groups[%u].facets", i + 1);
        b = block_of(context, path, key, item_of(root, "groups", i, "facets"), texts->groups[i].facets);
        CRP_TRY(add_group(&b, texts->groups[i].name, gas));
    }
    for (uint32_t i = 0; i < texts->n_formulas; i++) {
        CRP_TRY(gas_model_add_formula(context, gas, texts->formulas[i].name, texts->formulas[i].text));
    }
    return gas_surfaces_resolve(context, path, gas);
}

static void free_texts(gas_yaml_texts *texts)
{
    for (uint32_t i = 0; i < texts->n_groups; i++) {
        free(texts->groups[i].facets);
    }
    for (uint32_t i = 0; i < texts->n_formulas; i++) {
        free(texts->formulas[i].text);
    }
    free(texts->groups);
    free(texts->formulas);
    free(texts->vertices);
}

static crp_status fill(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                       crp_model *model)
{
    gas_model *gas = model->data;
    gas_yaml_texts texts = {0};
    void *objects[] = {[GAS_OBJECT_GAS] = gas, [GAS_OBJECT_MODEL] = model, [GAS_OBJECT_TEXTS] = &texts};
    crp_status status = schema_load(context, path, root, &gas_schema, objects);
    if (status == CRP_OK) {
        status = take_texts(context, path, root, &texts, gas);
    }
    free_texts(&texts);
    CRP_TRY(status);
    model_name_from_path(model, path);
    for (size_t i = 0; options != NULL && i < options->n_settings; i++) {
        CRP_TRY(gas_apply_setting(context, gas, model, options->settings[i]));
    }
    CRP_TRY(gas_model_validate(context, path, gas));
    return model_finish(context, model);
}

crp_status gas_yaml_load(crp_context *context, const char *path, const yaml_node *root,
                         const crp_input_options *options, crp_input **input)
{
    crp_model *model = NULL;
    gas_model *gas = gas_model_create();
    CRP_CHECK(context, gas != NULL, CRP_ERR_MEMORY, "%s: not enough memory for the model", path);
    crp_status status = model_create(context, &module_gas, path, gas, &model);
    if (status != CRP_OK) {
        return status;
    }
    CRP_GOTO(fill(context, path, root, options, model), failed);
    CRP_GOTO(input_append(context, input, model), failed);
    return CRP_OK;
failed:
    model_destroy(&model);
    return status;
}
