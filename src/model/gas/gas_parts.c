/* Sources, pumps and groups: what numbers are given for by name. */
#include "core/context.h"
#include "model/gas/gas_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NAMED = 64,     /* sources, pumps and groups with lines of their own; more are lumped */
    MAX_TABLE = 1 << 20 /* words of the transmission table */
};

static bool is_source(const gas_surface *s)
{
    return s->outgassing > 0.0 && s->desorption != GAS_DESORB_NONE;
}

static bool is_pump(const gas_surface *s)
{
    return s->sticking > 0.0;
}

/* Rows for sources and columns for pumps; where the table would be too large the sources share one row. */
static void number_rows(gas_plan *plan, uint32_t *rows, uint32_t *columns)
{
    const gas_model *m = plan->model;
    plan->n_rows = plan->n_columns = 0;
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        bool has_facets = m->surfaces[i].n_facets > 0;
        rows[i] = has_facets && is_source(&m->surfaces[i]) ? plan->n_rows++ : 0;
        columns[i] = has_facets && is_pump(&m->surfaces[i]) ? plan->n_columns++ : 0;
    }
    plan->n_columns = plan->n_columns == 0 ? 1 : plan->n_columns;
    if ((uint64_t)plan->n_rows * plan->n_columns > MAX_TABLE) {
        memset(rows, 0, m->n_surfaces * sizeof *rows);
        plan->n_rows = 1;
    }
}

/* ------------------------------------------------------------------------------------------------- parts */

static void name_part(const gas_model *m, uint32_t surface, char *name)
{
    const gas_surface *s = &m->surfaces[surface];
    if (s->name[0] != '\0') {
        snprintf(name, GAS_NAME, "%s", s->name);
        return;
    }
    uint32_t number = surface + 1;
    for (uint32_t i = 0; i < m->n_facets && s->n_facets == 1; i++) {
        number = m->facets[i].surface == surface ? m->facets[i].number : number;
    }
    snprintf(name, GAS_NAME, "%s %u", s->n_facets == 1 ? "facet" : "surface", number);
}

/* Which rows (or columns) do the facets of a part have? Each once, in rising order. */
static uint32_t *list_rows(const gas_plan *plan, const gas_part *part, const uint32_t *rows,
                           bool (*counts)(const gas_surface *s), uint32_t n_rows, uint32_t *n)
{
    const gas_model *m = plan->model;
    uint32_t *list = calloc(n_rows + 1, sizeof *list);
    *n = 0;
    for (uint32_t i = 0; list != NULL && i < part->n_facets; i++) {
        uint32_t surface = m->facets[part->facets[i]].surface;
        list[rows[surface]] |= counts(&m->surfaces[surface]) ? 1u : 0u;
    }
    for (uint32_t r = 0; list != NULL && r < n_rows; r++) {
        if (list[r] != 0) {
            list[(*n)++] = r; /* never ahead of r */
        }
    }
    return list;
}

static crp_status finish_part(crp_context *context, gas_plan *plan, gas_part *part, const uint32_t *rows,
                              const uint32_t *columns)
{
    const gas_model *m = plan->model;
    part->sources = list_rows(plan, part, rows, is_source, plan->n_rows, &part->n_sources);
    part->pumps = list_rows(plan, part, columns, is_pump, plan->n_columns, &part->n_pumps);
    CRP_CHECK(context, part->sources != NULL && part->pumps != NULL, CRP_ERR_MEMORY, "no memory for the groups");
    for (uint32_t i = 0; i < part->n_facets; i++) {
        part->area += plan->area[part->facets[i]];
    }
    part->temperature = part->n_facets > 0 ? m->surfaces[m->facets[part->facets[0]].surface].temperature : 293.15;
    return CRP_OK;
}

typedef bool (*facet_test)(const gas_plan *plan, uint32_t facet, uint32_t which);

static bool is_of_surface(const gas_plan *plan, uint32_t facet, uint32_t which)
{
    return plan->model->facets[facet].surface == which;
}

static bool is_of_any_source(const gas_plan *plan, uint32_t facet, uint32_t which)
{
    (void)which;
    return is_source(&plan->model->surfaces[plan->model->facets[facet].surface]);
}

static bool is_of_any_pump(const gas_plan *plan, uint32_t facet, uint32_t which)
{
    (void)which;
    return is_pump(&plan->model->surfaces[plan->model->facets[facet].surface]);
}

/* A part with the facets that pass a test. */
static crp_status add_part(crp_context *context, gas_plan *plan, const char *name, facet_test test, uint32_t which)
{
    gas_part *part = &plan->parts[plan->n_parts++];
    uint32_t n = plan->model->n_facets;
    snprintf(part->name, sizeof part->name, "%s", name);
    for (uint32_t i = 0; i < n; i++) {
        part->n_facets += test(plan, i, which) ? 1 : 0;
    }
    part->facets = malloc((part->n_facets + 1) * sizeof *part->facets);
    CRP_CHECK(context, part->facets != NULL, CRP_ERR_MEMORY, "no memory for the groups");
    part->n_facets = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (test(plan, i, which)) {
            part->facets[part->n_facets++] = i;
        }
    }
    return CRP_OK;
}

static crp_status add_group(crp_context *context, gas_plan *plan, const gas_group *group)
{
    gas_part *part = &plan->parts[plan->n_parts++];
    snprintf(part->name, sizeof part->name, "%s", group->name);
    part->facets = malloc((group->n_facets + 1) * sizeof *part->facets);
    CRP_CHECK(context, part->facets != NULL, CRP_ERR_MEMORY, "no memory for the groups");
    for (uint32_t i = 0; i < group->n_facets; i++) {
        part->facets[i] = group->facets[i];
    }
    part->n_facets = group->n_facets;
    return CRP_OK;
}

static crp_status add_surfaces(crp_context *context, gas_plan *plan)
{
    const gas_model *m = plan->model;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        const gas_surface *s = &m->surfaces[i];
        n += s->n_facets > 0 && (is_source(s) || is_pump(s)) ? 1 : 0;
    }
    if (n > MAX_NAMED) {
        CRP_TRY(add_part(context, plan, "all sources", is_of_any_source, 0));
        return add_part(context, plan, "all pumps", is_of_any_pump, 0);
    }
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        const gas_surface *s = &m->surfaces[i];
        if (s->n_facets > 0 && (is_source(s) || is_pump(s))) {
            char name[GAS_NAME];
            name_part(m, i, name);
            CRP_TRY(add_part(context, plan, name, is_of_surface, i));
        }
    }
    return CRP_OK;
}

crp_status gas_parts_find(crp_context *context, gas_plan *plan, uint32_t *rows, uint32_t *columns)
{
    const gas_model *m = plan->model;
    plan->parts = calloc(2 * MAX_NAMED + 2, sizeof *plan->parts);
    plan->source_parts = calloc(2 * MAX_NAMED + 2, sizeof *plan->source_parts);
    plan->pump_parts = calloc(2 * MAX_NAMED + 2, sizeof *plan->pump_parts);
    CRP_CHECK(context, plan->parts != NULL && plan->source_parts != NULL && plan->pump_parts != NULL, CRP_ERR_MEMORY,
              "no memory for the groups");
    number_rows(plan, rows, columns);
    CRP_TRY(add_surfaces(context, plan));
    for (uint32_t i = 0; i < m->n_groups && i < MAX_NAMED; i++) {
        CRP_TRY(add_group(context, plan, &m->groups[i]));
    }
    for (uint32_t i = 0; i < plan->n_parts; i++) {
        gas_part *part = &plan->parts[i];
        CRP_TRY(finish_part(context, plan, part, rows, columns));
        if (part->n_sources > 0) {
            plan->source_parts[plan->n_source_parts++] = i;
        }
        if (part->n_pumps > 0) {
            plan->pump_parts[plan->n_pump_parts++] = i;
        }
    }
    return CRP_OK;
}
