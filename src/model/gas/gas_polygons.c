/** Meshes and gas models: see gas_polygons.h. */
#include "model/gas/gas_polygons.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vertices are repeated for each structure, so that no edge joins two of them; not for more structures than this. */
static const uint32_t most_structures = 100;

/** What lets molecules through may stand free, as what has gas on both sides or is part of every structure. */
static bool is_free(const gas_surface *s)
{
    return s->is_two_sided || s->opacity < 1 || s->link != GAS_NONE || s->structure == GAS_NONE;
}

/* Vertices closer than this are one place [cm]. */
static const double same_place = 1e-9;

static crp_status add_model_facet(crp_context *context, const gas_model *model, uint32_t f, const uint32_t *numbers,
                                  uint32_t *scratch, geom_mesh *mesh)
{
    const gas_facet *facet = &model->facets[f];
    const gas_surface *s = &model->surfaces[facet->surface];
    uint32_t space = s->structure == GAS_NONE || mesh->n_space_vertices == 0 ? 0 : (uint32_t)s->structure;
    CRP_TRY(mesh_add_facet(context, mesh, space, is_free(s)));
    for (uint32_t l = 0; l < facet->n_loops; l++) {
        const gas_loop *loop = &model->loops[facet->first_loop + l];
        for (uint32_t i = 0; i < loop->n; i++) {
            scratch[i] = numbers[model->corners[loop->first + i]] + space * mesh->n_space_vertices;
        }
        CRP_TRY(mesh_add_loop(context, mesh, scratch, loop->n));
    }
    return CRP_OK;
}

/** Vertices of the model in cm, those at one place as one. `numbers` get their new numbers. */
static crp_status weld_vertices(crp_context *context, const gas_model *model, uint32_t *numbers, geom_point **places,
                                uint32_t *n_places)
{
    *places = malloc((model->n_vertices + (size_t)1) * sizeof **places);
    CRP_CHECK(context, *places != NULL, CRP_ERR_MEMORY, "not enough memory for the mesh of a model");
    for (uint32_t v = 0; v < model->n_vertices; v++) {
        const double *p = model->vertices + 3 * (size_t)v;
        (*places)[v] = (geom_point){100 * p[0], 100 * p[1], 100 * p[2]};
    }
    CRP_TRY(mesh_weld_numbers(context, *places, model->n_vertices, same_place, numbers, n_places));
    uint32_t n = 0;
    for (uint32_t v = 0; v < model->n_vertices; v++) {
        if (numbers[v] == n) {
            (*places)[n++] = (*places)[v];
        }
    }
    return CRP_OK;
}

static crp_status fill_mesh(crp_context *context, const gas_model *model, uint32_t *numbers, uint32_t *scratch,
                            geom_mesh *mesh)
{
    geom_point *places = NULL;
    uint32_t n_spaces = model->n_structures <= most_structures ? model->n_structures : 1, n_places = 0;
    crp_status status = weld_vertices(context, model, numbers, &places, &n_places);
    mesh->n_space_vertices = n_spaces > 1 ? n_places : 0;
    for (uint32_t space = 0; space < n_spaces && status == CRP_OK; space++) {
        status = mesh_add_body(context, mesh, model->structure_names[space]);
        for (uint32_t v = 0; v < n_places && status == CRP_OK; v++) {
            status = mesh_add_vertex(context, mesh, places[v]);
        }
    }
    for (uint32_t f = 0; f < model->n_facets && status == CRP_OK; f++) {
        status = add_model_facet(context, model, f, numbers, scratch, mesh);
    }
    free(places);
    return status;
}

crp_status gas_polygons_of_model(crp_context *context, const gas_model *model, geom_mesh **mesh)
{
    uint32_t *scratch = malloc((model->n_corners + (size_t)model->n_vertices + 1) * sizeof *scratch);
    CRP_CHECK(context, scratch != NULL, CRP_ERR_MEMORY, "not enough memory for the mesh of a model");
    crp_status status = mesh_create(context, mesh);
    if (status == CRP_OK) {
        status = fill_mesh(context, model, scratch, scratch + model->n_vertices, *mesh);
    }
    if (status != CRP_OK) {
        mesh_destroy(mesh);
    }
    free(scratch);
    return status;
}

/* --------------------------------------------------------------------------------------------------------------- names
 */

/** Letters, digits, `_` and `-`; what else there is becomes one `_`. A name of digits alone would be a facet's number.
 */
static void clean_name(const char *name, char clean[GAS_NAME])
{
    enum { ROOM_FOR_NUMBER = 12 };
    size_t n = 0;
    bool has_letter = false;
    for (; *name != '\0' && n < GAS_NAME - ROOM_FOR_NUMBER; name++) {
        unsigned char c = (unsigned char)*name;
        bool is_fine = c < 0x80 && (isalnum(c) || c == '_' || c == '-');
        has_letter = has_letter || (c < 0x80 && isalpha(c));
        if (is_fine) {
            clean[n++] = (char)c;
        } else if (n > 0 && clean[n - 1] != '_') {
            clean[n++] = '_';
        }
    }
    while (n > 0 && clean[n - 1] == '_') {
        n--;
    }
    clean[n] = '\0';
    if (n == 0) {
        snprintf(clean, GAS_NAME, "solid");
    } else if (!has_letter) {
        char digits[GAS_NAME];
        memcpy(digits, clean, n + 1);
        snprintf(clean, GAS_NAME, "solid_%.*s", GAS_NAME - 2 * ROOM_FOR_NUMBER, digits);
    }
}

/** `pump_1` could be the first patch of `pump`: it becomes `pump-1`. */
static void free_ending(char *name)
{
    size_t n = strlen(name), digits = n;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1])) {
        digits--;
    }
    if (digits < n && digits > 0 && name[digits - 1] == '_') {
        name[digits - 1] = '-';
    }
}

static bool is_body_name(char (*names)[GAS_NAME], uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/** Give every body a name of its own: the second `pump` becomes `pump-2`, which no number of a patch looks like. */
static void name_bodies(const geom_mesh *mesh, char (*names)[GAS_NAME])
{
    for (uint32_t i = 0; i < mesh->n_bodies; i++) {
        char base[GAS_NAME];
        clean_name(mesh->bodies[i].name, base);
        free_ending(base);
        snprintf(names[i], GAS_NAME, "%s", base);
        for (uint32_t k = 2; is_body_name(names, i, names[i]); k++) {
            snprintf(names[i], GAS_NAME, "%.*s-%u", GAS_NAME - 13, base, k);
        }
    }
}

/* -------------------------------------------------------------------------------------------------------------
 * surfaces */

typedef struct patches {
    uint32_t *of; /* patch of each facet */
    uint32_t n;
    uint32_t *in_body;       /* how many patches a body has */
    char (*names)[GAS_NAME]; /* of bodies */
} patches;

static crp_status add_surfaces(crp_context *context, const geom_mesh *mesh, const patches *p, gas_model *model)
{
    uint32_t *seen = calloc(mesh->n_bodies + (size_t)1, sizeof *seen);
    crp_status status = CRP_OK;
    CRP_CHECK(context, seen != NULL, CRP_ERR_MEMORY, "not enough memory for %u surfaces", (unsigned)p->n);
    for (uint32_t f = 0; f < mesh->n_facets && status == CRP_OK; f++) {
        if (p->of[f] != model->n_surfaces) {
            continue; /* patches are numbered in the order of their first facets */
        }
        gas_surface surface = gas_surface_default();
        uint32_t body = mesh->facet_body[f];
        if (p->in_body[body] == 1) {
            snprintf(surface.name, GAS_NAME, "%s", p->names[body]);
        } else {
            snprintf(surface.name, GAS_NAME, "%.*s_%u", GAS_NAME - 12, p->names[body], ++seen[body]);
        }
        status = gas_model_add_surface(context, model, &surface);
    }
    free(seen);
    return status;
}

static crp_status add_facet(crp_context *context, const geom_mesh *mesh, uint32_t f, uint32_t surface, gas_model *model)
{
    enum { FEW = 16 };
    uint32_t few[FEW], n_loops = mesh->facet_loops[f + 1] - mesh->facet_loops[f];
    uint32_t *n = n_loops <= FEW ? few : malloc(n_loops * sizeof *n);
    CRP_CHECK(context, n != NULL, CRP_ERR_MEMORY, "not enough memory for a facet with %u holes", (unsigned)n_loops);
    for (uint32_t l = 0; l < n_loops; l++) {
        uint32_t loop = mesh->facet_loops[f] + l;
        n[l] = mesh->loop_corners[loop + 1] - mesh->loop_corners[loop];
    }
    crp_status status =
        gas_model_add_facet(context, model, surface, mesh->corners + mesh_first_corner(mesh, f), n, n_loops, 0, 0);
    if (n != few) {
        free(n);
    }
    return status;
}

/** The facets patch by patch: a model holds them surface by surface, as it is written. Numbers of facets, n_facets of
 * them. */
static uint32_t *order_facets(const geom_mesh *mesh, const patches *p)
{
    uint32_t *order = malloc((mesh->n_facets + (size_t)1) * sizeof *order);
    uint32_t *next = calloc(p->n + (size_t)2, sizeof *next);
    for (uint32_t f = 0; f < mesh->n_facets && order != NULL && next != NULL; f++) {
        next[p->of[f] + 1]++;
    }
    for (uint32_t i = 1; i <= p->n && next != NULL; i++) {
        next[i] += next[i - 1];
    }
    for (uint32_t f = 0; f < mesh->n_facets && order != NULL && next != NULL; f++) {
        order[next[p->of[f]]++] = f;
    }
    if (next == NULL) {
        free(order);
        order = NULL;
    }
    free(next);
    return order;
}

/** A group for each body of several patches. */
static crp_status add_groups(crp_context *context, const geom_mesh *mesh, const patches *p, const uint32_t *order,
                             gas_model *model)
{
    uint32_t *facets = malloc((mesh->n_facets + (size_t)1) * sizeof *facets);
    crp_status status = CRP_OK;
    CRP_CHECK(context, facets != NULL, CRP_ERR_MEMORY, "not enough memory for the groups of facets");
    uint32_t at = 0;
    /* Solids stand one after the other in a file, so do their patches. */
    for (uint32_t body = 0; body < mesh->n_bodies && mesh->n_bodies > 1 && status == CRP_OK; body++) {
        uint32_t n = 0;
        for (; at < mesh->n_facets && mesh->facet_body[order[at]] == body; at++) {
            facets[n++] = at;
        }
        status = p->in_body[body] > 1 ? gas_model_add_group(context, model, p->names[body], facets, n) : CRP_OK;
    }
    free(facets);
    return status;
}

static crp_status add_all(crp_context *context, const geom_mesh *mesh, patches *p, const uint32_t *order,
                          gas_model *model)
{
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        geom_point at = mesh->vertices[v];
        CRP_TRY(gas_model_add_vertex(context, model, at.x / 100, at.y / 100, at.z / 100));
    }
    CRP_TRY(add_surfaces(context, mesh, p, model));
    for (uint32_t i = 0; i < mesh->n_facets; i++) {
        CRP_TRY(add_facet(context, mesh, order[i], p->of[order[i]], model));
    }
    return add_groups(context, mesh, p, order, model);
}

static crp_status fill_model(crp_context *context, const geom_mesh *mesh, patches *p, gas_model *model)
{
    uint32_t next = 0;
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        if (p->of[f] == next) {
            p->in_body[mesh->facet_body[f]]++;
            next++;
        }
    }
    name_bodies(mesh, p->names);
    uint32_t *order = order_facets(mesh, p);
    CRP_CHECK(context, order != NULL, CRP_ERR_MEMORY, "not enough memory for %u facets", (unsigned)mesh->n_facets);
    crp_status status = add_all(context, mesh, p, order, model);
    free(order);
    return status;
}

crp_status gas_model_of_polygons(crp_context *context, const geom_mesh *mesh, double angle, gas_model *model)
{
    patches p = {.in_body = calloc(mesh->n_bodies + (size_t)1, sizeof(uint32_t)),
                 .names = calloc(mesh->n_bodies + (size_t)1, sizeof *p.names)};
    crp_status status =
        p.in_body == NULL || p.names == NULL
            ? context_fail(context, CRP_ERR_MEMORY, "not enough memory for %u bodies", (unsigned)mesh->n_bodies)
            : mesh_find_patches(context, mesh, angle, &p.of, &p.n);
    if (status == CRP_OK) {
        status = fill_model(context, mesh, &p, model);
    }
    free(p.of);
    free(p.in_body);
    free(p.names);
    return status;
}
