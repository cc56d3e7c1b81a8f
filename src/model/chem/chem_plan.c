/** The plan of a chem run: molecules in order, output times, words; the rest is the engine's. */
#include "model/chem/chem_plan.h"

#include "chem/params.h"
#include "core/context.h"
#include "model/chem/chem_schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Molecules of a launch: what a GPU works on at once, within a few hundred megabytes. */
static const uint64_t MOLECULES_OF_LAUNCH = 1u << 22;

const chem_engine *chem_engine_of(const chem_model *model)
{
    switch ((chem_method)model->method) {
    case CHEM_METHOD_EXACT:
        return &chem_engine_exact;
    case CHEM_METHOD_PAPER:
        return &chem_engine_paper;
    case CHEM_METHOD_IRT:
        return &chem_engine_irt;
    default:
        return NULL;
    }
}

static void data_destroy(void *data)
{
    chem_plan *chem = data;
    if (chem->engine_data_destroy != NULL) {
        chem->engine_data_destroy(chem->engine_data);
    }
    free(chem->outputs);
    free(chem->births);
    free(chem->group_first);
    free(chem->energy_before);
    free(chem);
}

/* ----------------------------------------------------------------------------------------------- molecules */

static uint64_t count_molecules(const chem_model *m, uint64_t *largest)
{
    uint64_t n = 0;
    *largest = 0;
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        uint64_t of_track = m->tracks[i].n_molecules;
        n += of_track;
        *largest = of_track > *largest ? of_track : *largest;
    }
    return n;
}

/* Where the molecules of (group of births, track) begin in table 0. */
static void find_groups(chem_plan *chem)
{
    const chem_model *m = chem->model;
    uint32_t *first = chem->group_first;
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        for (size_t k = 0; k < m->tracks[i].n_molecules; ++k) {
            if (m->tracks[i].molecules[k].time > m->end) {
                continue; /* born after the last output: never there */
            }
            uint32_t group = chem_birth_group(chem->births, chem->n_births, m->tracks[i].molecules[k].time);
            first[(size_t)group * m->n_tracks + i + 1]++;
        }
    }
    for (size_t j = 0; j < (size_t)chem->n_births * m->n_tracks; ++j) {
        first[j + 1] += first[j];
    }
}

static void place_molecules(const chem_plan *chem, uint32_t *next, chem_start *out)
{
    const chem_model *m = chem->model;
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        for (size_t k = 0; k < m->tracks[i].n_molecules; ++k) {
            const chem_molecule *from = &m->tracks[i].molecules[k];
            if (from->time > m->end) {
                continue;
            }
            uint32_t group = chem_birth_group(chem->births, chem->n_births, from->time);
            chem_start *to = &out[next[(size_t)group * m->n_tracks + i]++];
            *to = (chem_start){.x = from->x, .y = from->y, .z = from->z, .birth = (float)from->time,
                               .species = from->species, .id = (uint32_t)k};
        }
    }
}

/* Table 0: all molecules by group of births, then by track; their ids are their places in the sorted track. */
static crp_status make_molecules(crp_context *context, chem_plan *chem, crp_plan *plan)
{
    const chem_model *m = chem->model;
    CRP_TRY(chem_births_create(context, m, &chem->births, &chem->n_births));
    size_t n_groups = (size_t)chem->n_births * m->n_tracks;
    chem->group_first = calloc(n_groups + 1, sizeof *chem->group_first);
    uint32_t *next = calloc(n_groups + 1, sizeof *next);
    chem_start *molecules = calloc(chem->n_molecules > 0 ? chem->n_molecules : 1, sizeof *molecules);
    plan->n_tables = 1;
    plan->tables[0].data = molecules;
    plan->tables[0].n_bytes = (chem->n_molecules > 0 ? chem->n_molecules : 1) * sizeof *molecules;
    if (chem->group_first == NULL || next == NULL || molecules == NULL) {
        free(next);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for %llu molecules", (unsigned long long)chem->n_molecules);
    }
    find_groups(chem);
    memcpy(next, chem->group_first, (n_groups + 1) * sizeof *next);
    place_molecules(chem, next, molecules);
    free(next);
    return CRP_OK;
}

static crp_status sum_energies(crp_context *context, chem_plan *chem)
{
    const chem_model *m = chem->model;
    chem->energy_before = calloc((size_t)m->n_tracks + 1, sizeof *chem->energy_before);
    CRP_CHECK(context, chem->energy_before != NULL, CRP_ERR_MEMORY, "no memory for %u tracks", m->n_tracks);
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        chem->energy_before[i + 1] = chem->energy_before[i] + (crp_wide)(m->tracks[i].energy / CHEM_ENERGY_UNIT + 0.5);
    }
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------------- plan */

static void lay_out_words(chem_plan *chem, crp_plan *plan)
{
    uint32_t n_species = chem->model->set.n_species, n_reactions = chem->model->set.n_reactions;
    chem->at_counts = 0;
    chem->at_births = chem->n_outputs * n_species;
    chem->at_reactions = chem->at_births + chem->n_outputs * n_species;
    chem->at_counters = chem->at_reactions + chem->n_outputs * n_reactions;
    plan->n_words = chem->at_counters + CHEM_N_COUNTERS;
}

static crp_status fill(crp_context *context, const crp_model *model, uint64_t seed, chem_plan *chem, crp_plan *plan)
{
    const chem_model *m = model->data;
    chem->owner = model;
    chem->model = m;
    chem->seed = seed;
    chem->engine = chem_engine_of(m);
    CRP_CHECK(context, chem->engine != NULL, CRP_ERR_UNSUPPORTED, "this version has no method of that name: use --method exact");
    chem->n_molecules = count_molecules(m, &chem->largest_track);
    CRP_TRY(chem_outputs_create(context, m, &chem->outputs, &chem->n_outputs));
    CRP_TRY(make_molecules(context, chem, plan));
    CRP_TRY(sum_energies(context, chem));
    lay_out_words(chem, plan);
    snprintf(plan->grid, sizeof plan->grid, "%llu molecules, %u output times", (unsigned long long)chem->n_molecules,
             chem->n_outputs);
    uint64_t average = chem->n_molecules / m->n_tracks + 1;
    plan->max_launch = MOLECULES_OF_LAUNCH / average + 1;
    plan->max_launch = plan->max_launch < 1u << 22 ? plan->max_launch : 1u << 22;
    CRP_TRY(chem_tallies_create(context, chem, plan));
    return chem->engine->lay_out(context, chem, plan);
}

crp_status chem_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **out)
{
    crp_plan *plan = calloc(1, sizeof *plan);
    chem_plan *chem = calloc(1, sizeof *chem);
    if (plan == NULL || chem == NULL) {
        free(plan);
        free(chem);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for a plan");
    }
    plan->data = chem;
    plan->data_destroy = data_destroy;
    crp_status status = fill(context, model, seed, chem, plan);
    if (status != CRP_OK) {
        plan_destroy(&plan);
        return status;
    }
    *out = plan;
    return CRP_OK;
}

crp_status chem_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                      crp_math math, plan_shape *shape)
{
    const chem_plan *chem = plan->data;
    memset(shape, 0, sizeof *shape);
    return chem->engine->shape(context, model, plan, info, math, shape);
}

crp_status chem_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                 uint64_t count, void *bytes, size_t *n_bytes)
{
    const chem_plan *chem = plan->data;
    return chem->engine->params(plan, info, shape, first, count, bytes, n_bytes);
}

double chem_cost(const crp_model *model)
{
    const chem_engine *engine = chem_engine_of(model->data);
    return engine == NULL ? 0.0 : engine->cost(model);
}
