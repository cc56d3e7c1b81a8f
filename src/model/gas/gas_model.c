/* The model of gas: making, growing, looking up. */
#include "model/gas/gas.h"

#include "core/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Facets, corners and so on are counted in 32 bits with a sign in kernels. */
static const size_t max_items = 0x7fffffff;

enum { ROOM_VERTICES, ROOM_CORNERS, ROOM_LOOPS, ROOM_FACETS, ROOM_SURFACES, ROOM_GROUPS, ROOM_FORMULAS, ROOM_FEATURES };

gas_surface gas_surface_default(void)
{
    gas_surface surface = {
        .opacity = 1.0,
        .temperature = 293.15,
        .accommodation = 1.0,
        .desorption = GAS_DESORB_COSINE,
        .desorption_exponent = 1.0,
        .diffuse = 1.0,
        .cosine_exponent = 1.0,
        .teleport = GAS_NONE,
        .structure = 0,
        .link = GAS_NONE,
    };
    return surface;
}

gas_model *gas_model_create(void)
{
    gas_model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        return NULL;
    }
    model->structure_names = calloc(1, sizeof *model->structure_names);
    if (model->structure_names == NULL) {
        free(model);
        return NULL;
    }
    model->n_structures = 1;
    model->mass = 0.0280134;
    model->max_bounces = 1000000000;
    model->optix = (gas_optix){.programs = true, .culling = true, .offset = true, .second_look = true};
    model->score_forces = true;
    model->score_textures = true;
    model->score_profiles = true;
    return model;
}

void gas_model_destroy(void *data)
{
    gas_model *model = data;
    if (model == NULL) {
        return;
    }
    for (uint32_t i = 0; i < model->n_groups; i++) {
        free(model->groups[i].facets);
    }
    for (uint32_t i = 0; i < model->n_formulas; i++) {
        free(model->formulas[i].text);
    }
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        free(model->surfaces[i].polygons);
    }
    free(model->vertices);
    free(model->corners);
    free(model->loops);
    free(model->facets);
    free(model->surfaces);
    free(model->groups);
    free(model->formulas);
    free(model->features);
    free(model->structure_names);
    free(model->origin);
    free(model);
}

/* Room for n more items of a list; the array moves. A list that a reader has allocated itself has no room noted. */
static crp_status make_room(crp_context *context, gas_model *model, int list, void *array, size_t item, size_t used,
                            size_t n)
{
    void **items = array;
    CRP_CHECK(context, n <= max_items && used <= max_items - n, CRP_ERR_CONFIG,
              "the model is too large (more than %zu vertices, corners or facets)", max_items);
    size_t room = model->room[list] < used ? used : model->room[list];
    if (used + n > room || *items == NULL) {
        room = room < 16 ? 16 : 2 * room;
        room = room < used + n ? used + n : room;
        void *larger = realloc(*items, room * item);
        CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "no memory for the model (%zu bytes)", room * item);
        *items = larger;
        model->room[list] = room;
    }
    return CRP_OK;
}

crp_status gas_model_add_vertex(crp_context *context, gas_model *model, double x, double y, double z)
{
    size_t n = 3 * (size_t)model->n_vertices;
    CRP_CHECK(context, n + 3 <= max_items, CRP_ERR_CONFIG, "the model has more than %zu vertices", max_items / 3);
    CRP_TRY(make_room(context, model, ROOM_VERTICES, &model->vertices, sizeof(double), n, 3));
    model->vertices[n] = x;
    model->vertices[n + 1] = y;
    model->vertices[n + 2] = z;
    model->n_vertices++;
    return CRP_OK;
}

crp_status gas_model_add_surface(crp_context *context, gas_model *model, const gas_surface *surface)
{
    CRP_TRY(make_room(context, model, ROOM_SURFACES, &model->surfaces, sizeof *surface, model->n_surfaces, 1));
    model->surfaces[model->n_surfaces] = *surface;
    model->surfaces[model->n_surfaces].n_facets = 0;
    model->n_surfaces++;
    return CRP_OK;
}

crp_status gas_model_add_facet(crp_context *context, gas_model *model, uint32_t surface, const uint32_t *corners,
                               const uint32_t *n_corners, uint32_t n_loops, uint32_t number, uint32_t line)
{
    size_t n = 0;
    CRP_CHECK(context, surface < model->n_surfaces, CRP_ERR_INTERNAL, "facet of surface %u of %u", surface,
              model->n_surfaces);
    for (uint32_t k = 0; k < n_loops; k++) {
        n += n_corners[k];
    }
    CRP_TRY(make_room(context, model, ROOM_CORNERS, &model->corners, sizeof(uint32_t), model->n_corners, n));
    CRP_TRY(make_room(context, model, ROOM_LOOPS, &model->loops, sizeof(gas_loop), model->n_loops, n_loops));
    CRP_TRY(make_room(context, model, ROOM_FACETS, &model->facets, sizeof(gas_facet), model->n_facets, 1));
    model->facets[model->n_facets] = (gas_facet){
        .surface = surface,
        .first_loop = model->n_loops,
        .n_loops = n_loops,
        .number = number == 0 ? model->n_facets + 1 : number,
        .line = line,
    };
    for (uint32_t k = 0; k < n_loops; k++) {
        model->loops[model->n_loops] = (gas_loop){.first = model->n_corners, .n = n_corners[k]};
        memcpy(model->corners + model->n_corners, corners, n_corners[k] * sizeof *corners);
        corners += n_corners[k];
        model->n_corners += n_corners[k];
        model->n_loops++;
    }
    model->n_facets++;
    model->surfaces[surface].n_facets++;
    return CRP_OK;
}

crp_status gas_model_add_group(crp_context *context, gas_model *model, const char *name, const uint32_t *facets,
                               uint32_t n_facets)
{
    CRP_TRY(make_room(context, model, ROOM_GROUPS, &model->groups, sizeof(gas_group), model->n_groups, 1));
    gas_group *group = &model->groups[model->n_groups];
    memset(group, 0, sizeof *group);
    group->facets = malloc((n_facets == 0 ? 1 : n_facets) * sizeof *facets);
    CRP_CHECK(context, group->facets != NULL, CRP_ERR_MEMORY, "no memory for the group \"%.63s\"", name);
    snprintf(group->name, sizeof group->name, "%s", name);
    for (uint32_t i = 0; i < n_facets; i++) {
        group->facets[i] = facets[i];
    }
    group->n_facets = n_facets;
    model->n_groups++;
    return CRP_OK;
}

crp_status gas_model_add_formula(crp_context *context, gas_model *model, const char *name, const char *text)
{
    CRP_TRY(make_room(context, model, ROOM_FORMULAS, &model->formulas, sizeof(gas_formula), model->n_formulas, 1));
    gas_formula *formula = &model->formulas[model->n_formulas];
    memset(formula, 0, sizeof *formula);
    snprintf(formula->name, sizeof formula->name, "%s", name);
    formula->text = strdup(text);
    CRP_CHECK(context, formula->text != NULL, CRP_ERR_MEMORY, "no memory for the formula \"%.63s\"", name);
    model->n_formulas++;
    return CRP_OK;
}

crp_status gas_model_add_feature(crp_context *context, gas_model *model, const char *name, const char *where)
{
    for (uint32_t i = 0; i < model->n_features; i++) {
        if (strcmp(model->features[i].name, name) == 0) {
            model->features[i].n++;
            return CRP_OK;
        }
    }
    CRP_TRY(make_room(context, model, ROOM_FEATURES, &model->features, sizeof(gas_feature), model->n_features, 1));
    gas_feature *feature = &model->features[model->n_features++];
    memset(feature, 0, sizeof *feature);
    snprintf(feature->name, sizeof feature->name, "%s", name);
    snprintf(feature->where, sizeof feature->where, "%s", where);
    feature->n = 1;
    return CRP_OK;
}

static int compare_facets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void rename_facets(gas_model *model, const uint32_t *place)
{
    for (uint32_t i = 0; i < model->n_groups; i++) {
        gas_group *group = &model->groups[i];
        for (uint32_t k = 0; k < group->n_facets; k++) {
            group->facets[k] = place[group->facets[k]];
        }
        qsort(group->facets, group->n_facets, sizeof *group->facets, compare_facets);
    }
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        int32_t target = model->surfaces[i].teleport;
        model->surfaces[i].teleport = target >= 0 ? (int32_t)place[target] : target;
    }
}

crp_status gas_model_sort_facets(crp_context *context, gas_model *model)
{
    uint32_t *first = calloc((size_t)model->n_surfaces + 1, sizeof *first);
    uint32_t *place = malloc(((size_t)model->n_facets + 1) * sizeof *place);
    gas_facet *sorted = malloc(((size_t)model->n_facets + 1) * sizeof *sorted);
    if (first == NULL || place == NULL || sorted == NULL) {
        free(first);
        free(place);
        free(sorted);
        return context_fail(context, CRP_ERR_MEMORY, "no memory to sort %u facets", model->n_facets);
    }
    for (uint32_t i = 0; i < model->n_facets; i++) {
        first[model->facets[i].surface + 1]++;
    }
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        first[i + 1] += first[i];
    }
    for (uint32_t i = 0; i < model->n_facets; i++) {
        place[i] = first[model->facets[i].surface]++;
        sorted[place[i]] = model->facets[i];
    }
    rename_facets(model, place);
    free(model->facets);
    model->facets = sorted;
    model->room[ROOM_FACETS] = (size_t)model->n_facets + 1;
    free(first);
    free(place);
    return CRP_OK;
}

static bool takes_number(const char *name, uint32_t *number)
{
    uint64_t value = 0;
    const char *p = name;
    for (; *p >= '0' && *p <= '9' && value <= UINT32_MAX; p++) {
        value = 10 * value + (uint64_t)(*p - '0');
    }
    *number = (uint32_t)value;
    return p != name && *p == '\0' && value <= UINT32_MAX;
}

uint32_t gas_model_find_facets(const gas_model *model, const char *name, uint32_t *facets)
{
    uint32_t n = 0, number;
    for (uint32_t i = 0; i < model->n_facets; i++) {
        if (strcmp(model->surfaces[model->facets[i].surface].name, name) == 0) {
            facets[n++] = i;
        }
    }
    for (uint32_t g = 0; g < model->n_groups && n == 0; g++) {
        if (strcmp(model->groups[g].name, name) == 0) {
            n = model->groups[g].n_facets;
            memcpy(facets, model->groups[g].facets, n * sizeof *facets);
        }
    }
    if (n == 0 && takes_number(name, &number)) {
        for (uint32_t i = 0; i < model->n_facets; i++) {
            if (model->facets[i].number == number) {
                facets[n++] = i;
            }
        }
    }
    return n;
}

const char *gas_facet_label(const gas_model *model, uint32_t facet, char text[2 * GAS_NAME])
{
    const char *name = model->surfaces[model->facets[facet].surface].name;
    bool has_name = name[0] != '\0';
    snprintf(text, 2 * GAS_NAME, "facet %" PRIu32 "%s%.63s%s", model->facets[facet].number, has_name ? " (" : "", name,
             has_name ? ")" : "");
    return text;
}
