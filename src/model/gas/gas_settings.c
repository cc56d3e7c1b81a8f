/* Settings of a built gas model, through the table that reads the files. */
#include "model/gas/gas_settings.h"

#include "core/context.h"
#include "model/gas/gas_facet.h"
#include "model/gas/gas_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const gas_group *find_group(const gas_model *gas, const char *name)
{
    for (uint32_t i = 0; i < gas->n_surfaces; i++) {
        if (strcmp(gas->surfaces[i].name, name) == 0) {
            return NULL; /* a surface of that name comes first */
        }
    }
    for (uint32_t i = 0; i < gas->n_groups; i++) {
        if (strcmp(gas->groups[i].name, name) == 0) {
            return &gas->groups[i];
        }
    }
    return NULL;
}

/* Facets of a group in a surface that has others too get a copy of it; their share of its outgassing goes with them. */
static crp_status split_surface(crp_context *context, gas_model *gas, const gas_group *group, uint32_t surface)
{
    double inside = 0.0, all = 0.0;
    for (uint32_t i = 0; i < gas->n_facets; i++) {
        all += gas->facets[i].surface == surface ? gas_facet_frame(gas, i).area : 0.0;
    }
    gas_surface copy = gas->surfaces[surface];
    CRP_TRY(gas_model_add_surface(context, gas, &copy));
    uint32_t number = gas->n_surfaces - 1;
    snprintf(gas->surfaces[number].name, GAS_NAME, "%.30s.%.30s", copy.name, group->name);
    for (uint32_t i = 0; i < group->n_facets; i++) {
        gas_facet *facet = &gas->facets[group->facets[i]];
        if (facet->surface == surface) {
            inside += gas_facet_frame(gas, group->facets[i]).area;
            facet->surface = number;
            gas->surfaces[number].n_facets++;
            gas->surfaces[surface].n_facets--;
        }
    }
    gas->surfaces[number].outgassing = all > 0.0 ? copy.outgassing * inside / all : 0.0;
    gas->surfaces[surface].outgassing -= gas->surfaces[number].outgassing;
    return CRP_OK;
}

/* How many facets of a surface are in the group. */
static uint32_t count_inside(const gas_model *gas, const gas_group *group, uint32_t surface)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < group->n_facets; i++) {
        n += gas->facets[group->facets[i]].surface == surface ? 1 : 0;
    }
    return n;
}

static crp_status separate_group(crp_context *context, gas_model *gas, const gas_group *group)
{
    uint32_t n_surfaces = gas->n_surfaces;
    for (uint32_t s = 0; s < n_surfaces; s++) {
        uint32_t n = count_inside(gas, group, s);
        if (n > 0 && n < gas->surfaces[s].n_facets) {
            CRP_TRY(split_surface(context, gas, group, s));
        }
    }
    return gas->n_surfaces > n_surfaces ? gas_model_sort_facets(context, gas) : CRP_OK;
}

/* Outgassing of a group is one number for all of it. */
static void share_outgassing(gas_model *gas, const gas_group *group, double total)
{
    double all = 0.0;
    for (uint32_t i = 0; i < group->n_facets; i++) {
        all += gas_facet_frame(gas, group->facets[i]).area;
    }
    for (uint32_t s = 0; s < gas->n_surfaces; s++) {
        double area = 0.0;
        if (count_inside(gas, group, s) == 0) {
            continue;
        }
        for (uint32_t i = 0; i < group->n_facets; i++) {
            area += gas->facets[group->facets[i]].surface == s ? gas_facet_frame(gas, group->facets[i]).area : 0.0;
        }
        gas->surfaces[s].outgassing = all > 0.0 ? total * area / all : 0.0;
    }
}

static crp_status set_group(crp_context *context, gas_model *gas, crp_model *model, const gas_group *group,
                            const schema_setting *setting, const char *text)
{
    char path[SCHEMA_MAX_PARTS * SCHEMA_PART_LENGTH] = "", one[1024];
    for (size_t i = 2; i < setting->n_parts; i++) {
        size_t used = strlen(path);
        snprintf(path + used, sizeof path - used, ".%s", setting->parts[i]);
    }
    CRP_CHECK(context, group->n_facets > 0, CRP_ERR_CONFIG, "--set %.80s: the group %.63s is empty", text, group->name);
    CRP_CHECK(context, strlen(path) + strlen(setting->value) < sizeof one - 32, CRP_ERR_CONFIG,
              "--set %.80s: the value is too long", text);
    CRP_TRY(separate_group(context, gas, group));
    void *objects[] = {[GAS_OBJECT_GAS] = gas, [GAS_OBJECT_MODEL] = model, [GAS_OBJECT_TEXTS] = NULL};
    double outgassing = 0.0;
    for (uint32_t s = 0; s < gas->n_surfaces; s++) {
        if (count_inside(gas, group, s) > 0) {
            snprintf(one, sizeof one, "facets.%u%s=%s", s + 1, path, setting->value);
            CRP_TRY(schema_set(context, &gas_schema, objects, one));
            outgassing = gas->surfaces[s].outgassing;
        }
    }
    if (strcmp(path, ".outgassing") == 0) {
        share_outgassing(gas, group, outgassing);
    }
    snprintf(one, sizeof one, "--set %.80s", text);
    return gas_surfaces_resolve(context, one, gas);
}

crp_status gas_apply_setting(crp_context *context, gas_model *gas, crp_model *model, const char *setting)
{
    void *objects[] = {[GAS_OBJECT_GAS] = gas, [GAS_OBJECT_MODEL] = model, [GAS_OBJECT_TEXTS] = NULL};
    schema_setting parts;
    char where[128];
    CRP_TRY(schema_split_setting(context, setting, &parts));
    gas_surfaces_describe(gas);
    CRP_CHECK(context,
              parts.n_parts < 3 || strcmp(parts.parts[0], "facets") != 0 || strcmp(parts.parts[2], "polygons") != 0,
              CRP_ERR_CONFIG, "--set %.80s: polygons cannot be set (change them in the file)", setting);
    if (parts.n_parts >= 3 && strcmp(parts.parts[0], "facets") == 0) {
        const gas_group *group = find_group(gas, parts.parts[1]);
        if (group != NULL) {
            return set_group(context, gas, model, group, &parts, setting);
        }
    }
    CRP_TRY(schema_set(context, &gas_schema, objects, setting));
    snprintf(where, sizeof where, "--set %.80s", setting);
    return gas_surfaces_resolve(context, where, gas);
}
