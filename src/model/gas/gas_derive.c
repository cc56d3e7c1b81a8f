/** Values of formulas from the integers of a run or of one batch: the derived tally of `gas`. */
#include "core/context.h"
#include "engine/result.h"
#include "model/gas/gas_plan.h"

#include <math.h>
#include <stdlib.h>

/** Integers of n histories, and what they are of. */
typedef struct formula_data {
    const crp_plan *plan;
    const gas_plan *gas;
    const crp_wide *bins;
    uint64_t n;
} formula_data;

/** Mean per molecule of a bin, 0 for a tally that is not there. */
static double mean_of(const formula_data *d, gas_tally which, size_t bin)
{
    if (d->gas->at[which] < 0) {
        return 0;
    }
    const tally_spec *t = &d->plan->tallies[d->gas->at[which]];
    double scale = t->scale == NULL ? t->quantum : t->quantum * t->scale[bin];
    return wide_ratio(d->bins[t->offset + bin], d->n) * scale;
}

static double sum_of(const formula_data *d, gas_tally which)
{
    double sum = 0;
    for (uint32_t f = 0; f < d->gas->model->n_facets; f++) {
        sum += mean_of(d, which, f);
    }
    return sum;
}

/** Harmonic mean speed of what arrives [m/s]. */
static double mean_speed(const formula_data *d, uint32_t facet)
{
    return mean_of(d, GAS_TALLY_FACET_HITS, facet) / mean_of(d, GAS_TALLY_FACET_SPEED, facet);
}

static double force_of(const formula_data *d, uint32_t facet)
{
    double x = mean_of(d, GAS_TALLY_FORCE, 3 * (size_t)facet), y = mean_of(d, GAS_TALLY_FORCE, 3 * (size_t)facet + 1);
    return hypot(hypot(x, y), mean_of(d, GAS_TALLY_FORCE, 3 * (size_t)facet + 2));
}

static double total_outgassing(const gas_model *model)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        sum += model->surfaces[i].outgassing;
    }
    return sum;
}

static double facet_value(const formula_data *d, gas_quantity quantity, uint32_t f)
{
    const gas_model *model = d->gas->model;
    switch (quantity) {
    case GAS_Q_ABSORBED:
        return mean_of(d, GAS_TALLY_FACET_ABSORBED, f);
    case GAS_Q_DESORBED:
        return mean_of(d, GAS_TALLY_FACET_DESORBED, f);
    case GAS_Q_HITS:
    case GAS_Q_MC_HITS:
        return mean_of(d, GAS_TALLY_FACET_HITS, f);
    case GAS_Q_PRESSURE:
        return mean_of(d, GAS_TALLY_FACET_PRESSURE, f);
    case GAS_Q_DENSITY:
        return mean_of(d, GAS_TALLY_FACET_DENSITY, f);
    case GAS_Q_IMPINGEMENT:
        return mean_of(d, GAS_TALLY_FACET_IMPINGEMENT, f);
    case GAS_Q_MEAN_SPEED:
        return mean_speed(d, f);
    case GAS_Q_TEMPERATURE:
        return model->surfaces[model->facets[f].surface].temperature;
    case GAS_Q_AREA:
        return 1e4 * gas_facet_frame(model, f).area;
    case GAS_Q_FORCE:
        return force_of(d, f);
    default:
        return mean_of(d, GAS_TALLY_FORCE, 3 * (size_t)f + (size_t)(quantity - GAS_Q_FORCE_X));
    }
}

static double global_value(const formula_data *d, gas_quantity quantity)
{
    double path = mean_of(d, GAS_TALLY_FLIGHT, 0); /* of a molecule [cm] */
    switch (quantity) {
    case GAS_Q_SUM_ABSORBED:
        return sum_of(d, GAS_TALLY_FACET_ABSORBED);
    case GAS_Q_SUM_DESORBED:
        return sum_of(d, GAS_TALLY_FACET_DESORBED);
    case GAS_Q_SUM_HITS:
    case GAS_Q_SUM_MC_HITS:
        return sum_of(d, GAS_TALLY_FACET_HITS);
    case GAS_Q_MEAN_FREE_PATH:
        return path / mean_of(d, GAS_TALLY_HITS_TOTAL, 0);
    case GAS_Q_MEAN_PUMPING_PATH:
        return path / sum_of(d, GAS_TALLY_FACET_ABSORBED);
    case GAS_Q_DESORPTION_RATE:
    case GAS_Q_MOLECULES:
        return d->gas->rate;
    case GAS_Q_ABSORPTION_RATE:
        return d->gas->rate * sum_of(d, GAS_TALLY_FACET_ABSORBED);
    default:
        return 10 * total_outgassing(d->gas->model); /* mbar l/s */
    }
}

static double value_of(void *user, gas_quantity quantity, uint32_t facet)
{
    const formula_data *d = user;
    return quantity < GAS_N_FACET_QUANTITIES ? facet_value(d, quantity, facet) : global_value(d, quantity);
}

void gas_derive(const crp_plan *plan, size_t tally, const crp_wide *bins, uint64_t n, double *values)
{
    formula_data d = {plan, plan->data, bins, n};
    (void)tally; /* there is one */
    for (uint32_t i = 0; i < d.gas->n_formulas; i++) {
        values[i] = gas_expression_value(d.gas->formulas[i].expression, value_of, &d);
    }
}

crp_status gas_formulas_read(crp_context *context, gas_plan *plan)
{
    const gas_model *model = plan->model;
    plan->formulas = calloc(model->n_formulas + (size_t)1, sizeof *plan->formulas);
    CRP_CHECK(context, plan->formulas != NULL, CRP_ERR_MEMORY, "no memory for the formulas");
    for (uint32_t i = 0; i < model->n_formulas; i++) {
        gas_plan_formula *f = &plan->formulas[plan->n_formulas];
        f->name = model->formulas[i].name[0] != '\0' ? model->formulas[i].name : model->formulas[i].text;
        crp_status status = gas_expression_create(context, model, f->name, model->formulas[i].text, &f->expression);
        if (status == CRP_ERR_CONFIG) { /* what is half written in Molflow must not keep a model from running */
            context_log(context, CRP_LOG_WARNING, "gas", "%s: it is left out", crp_context_error(context));
            context_clear(context);
            continue;
        }
        CRP_TRY(status);
        plan->n_formulas++;
    }
    return CRP_OK;
}

void gas_formulas_destroy(gas_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_formulas; i++) {
        gas_expression_destroy(&plan->formulas[i].expression);
    }
    free(plan->formulas);
}
