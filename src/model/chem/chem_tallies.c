/** The tallies of `chem`: names, units, axes, scale; results and counters. */
#include "chem/params.h"
#include "core/context.h"
#include "model/chem/chem_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ledger_names[2] = {"charge", "H - 2 O"};

/* ---------------------------------------------------------------------------------------------------------- axes */

static void begin_axis(tally_spec *t, const char *name, const char *unit, size_t n)
{
    uint32_t k = t->n_dims++;
    t->shape[k] = n;
    t->n_bins *= n;
    snprintf(t->axis_name[k], sizeof t->axis_name[k], "%s", name);
    snprintf(t->axis_unit[k], sizeof t->axis_unit[k], "%s", unit);
}

static crp_status add_times(crp_context *context, tally_spec *t, const chem_plan *chem)
{
    begin_axis(t, "time", "ps", chem->n_outputs);
    double *points = calloc(chem->n_outputs, sizeof *points);
    CRP_CHECK(context, points != NULL, CRP_ERR_MEMORY, "no memory for the axes of %s", t->name);
    memcpy(points, chem->outputs, chem->n_outputs * sizeof *points);
    t->axis_points[t->n_dims - 1] = points;
    return CRP_OK;
}

/* Labels of an axis, one a line. */
static crp_status add_labels(crp_context *context, tally_spec *t, const char *name, size_t n,
                             const char *(*label)(const chem_plan *chem, size_t i, char *text, size_t size),
                             const chem_plan *chem)
{
    char text[256];
    size_t used = 0, room = n * sizeof text + 1;
    begin_axis(t, name, "1", n);
    char *labels = calloc(room, 1);
    CRP_CHECK(context, labels != NULL, CRP_ERR_MEMORY, "no memory for the axes of %s", t->name);
    for (size_t i = 0; i < n; ++i) {
        used += (size_t)snprintf(labels + used, room - used, "%s%s", i == 0 ? "" : "\n", label(chem, i, text, sizeof text));
    }
    t->axis_labels[t->n_dims - 1] = labels;
    return CRP_OK;
}

static const char *species_label(const chem_plan *chem, size_t i, char *text, size_t size)
{
    snprintf(text, size, "%s", chem->model->set.species[i].name);
    return text;
}

static const char *reaction_label(const chem_plan *chem, size_t i, char *text, size_t size)
{
    return chem_reaction_print(&chem->model->set, &chem->model->set.reactions[i], text, size);
}

static const char *ledger_label(const chem_plan *chem, size_t i, char *text, size_t size)
{
    (void)chem;
    snprintf(text, size, "%s", ledger_names[i]);
    return text;
}

/* ------------------------------------------------------------------------------------------------------- tallies */

static tally_spec *begin_tally(crp_plan *plan, chem_tally which, const char *name, const char *unit, const char *description)
{
    tally_spec *t = &plan->tallies[which];
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->unit, sizeof t->unit, "%s", unit);
    snprintf(t->description, sizeof t->description, "%s", description);
    t->quantum = 1.0;
    t->n_bins = 1;
    return t;
}

/* Molecules of all histories over the energy of all of them, in units of 100 eV: tracks of unequal energies have an error of G
 * that is not the spread of their sizes. */
static crp_status scale_yield(crp_context *context, tally_spec *t)
{
    t->over = CHEM_TALLY_ENERGY + 1;
    t->over_run = t->n_bins;
    t->scale = calloc(t->n_bins, sizeof *t->scale);
    CRP_CHECK(context, t->scale != NULL, CRP_ERR_MEMORY, "no memory for the scale of %s", t->name);
    for (size_t i = 0; i < t->n_bins; ++i) {
        t->scale[i] = 100.0 / CHEM_ENERGY_UNIT;
    }
    return CRP_OK;
}

static crp_status make_tallies(crp_context *context, const chem_plan *chem, crp_plan *plan)
{
    const chem_set *set = &chem->model->set;
    size_t n_reactions = set->n_reactions;
    plan->tallies = calloc(CHEM_N_TALLIES, sizeof *plan->tallies);
    CRP_CHECK(context, plan->tallies != NULL, CRP_ERR_MEMORY, "no memory for the tallies");
    plan->n_tallies = CHEM_N_TALLIES;
    tally_spec *t = begin_tally(plan, CHEM_TALLY_ENERGY, "energy", "eV", "deposited energy a track");
    t->quantum = CHEM_ENERGY_UNIT;
    t = begin_tally(plan, CHEM_TALLY_G, "G", "1/(100 eV)", "molecules at a time per 100 eV deposited");
    CRP_TRY(add_times(context, t, chem));
    CRP_TRY(add_labels(context, t, "species", set->n_species, species_label, chem));
    CRP_TRY(scale_yield(context, t));
    size_t n = n_reactions > 0 ? n_reactions : 1; /* an empty list has one channel that never fires */
    t = begin_tally(plan, CHEM_TALLY_REACTIONS, "reactions", "1", "events a track since the output time before, by channel");
    CRP_TRY(add_times(context, t, chem));
    CRP_TRY(add_labels(context, t, "reaction", n, n_reactions > 0 ? reaction_label : ledger_label, chem));
    t = begin_tally(plan, CHEM_TALLY_CHANNELS, "events", "1", "events a track, by channel");
    CRP_TRY(add_labels(context, t, "reaction", n, n_reactions > 0 ? reaction_label : ledger_label, chem));
    t = begin_tally(plan, CHEM_TALLY_LEDGER, "ledger", "1", "what the end has more than the start, bulk partners counted in");
    CRP_TRY(add_labels(context, t, "quantity", 2, ledger_label, chem));
    for (size_t i = 0; i < plan->n_tallies; ++i) {
        plan->tallies[i].offset = plan->n_bins;
        plan->n_bins += plan->tallies[i].n_bins;
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------- results, counters */

static void add_result(crp_plan *plan, chem_tally tally, size_t bin, const char *name)
{
    result_spec *r = &plan->results[plan->n_results++];
    r->tally = tally;
    r->bin = plan->tallies[tally].offset + bin;
    snprintf(r->name, sizeof r->name, "%s", plan->tallies[tally].name);
    r->of = -(int64_t)(bin % plan->tallies[tally].shape[plan->tallies[tally].n_dims - 1]) - 1;
    snprintf(r->of_name, sizeof r->of_name, "%s", name);
}

static crp_status make_results(crp_context *context, const chem_plan *chem, crp_plan *plan)
{
    const chem_set *set = &chem->model->set;
    char text[256];
    plan->results = calloc((size_t)set->n_species + set->n_reactions + 2, sizeof *plan->results);
    CRP_CHECK(context, plan->results != NULL, CRP_ERR_MEMORY, "no memory for the results");
    for (uint32_t i = 0; i < set->n_species; ++i) {
        add_result(plan, CHEM_TALLY_G, (size_t)(chem->n_outputs - 1) * set->n_species + i, set->species[i].name);
    }
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        add_result(plan, CHEM_TALLY_CHANNELS, i, chem_reaction_print(set, &set->reactions[i], text, sizeof text));
    }
    for (uint32_t i = 0; i < 2; ++i) {
        add_result(plan, CHEM_TALLY_LEDGER, i, ledger_names[i]);
    }
    return CRP_OK;
}

static crp_status make_events(crp_context *context, crp_plan *plan)
{
    /* In the order of CHEM_COUNT_..., then what the reduction finds. */
    static const char *const names[CHEM_N_EVENTS + CHEM_N_LEDGERS] = {
        "molecule_steps", "pairs", "candidates", "reactions", "species_out_of_balance", "charge_out_of_balance",
        "water_out_of_balance"};
    plan->n_events = CHEM_N_EVENTS + CHEM_N_LEDGERS;
    plan->events = calloc(plan->n_events, sizeof *plan->events);
    CRP_CHECK(context, plan->events != NULL, CRP_ERR_MEMORY, "no memory for the counters");
    for (size_t i = 0; i < plan->n_events; ++i) {
        snprintf(plan->events[i].name, sizeof plan->events[i].name, "%s", names[i]);
        plan->events[i].is_fault = i >= CHEM_N_EVENTS;
    }
    return CRP_OK;
}

crp_status chem_tallies_create(crp_context *context, const chem_plan *chem, crp_plan *plan)
{
    CRP_TRY(make_tallies(context, chem, plan));
    CRP_TRY(make_results(context, chem, plan));
    return make_events(context, plan);
}
