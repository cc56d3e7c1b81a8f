/* The model of layered tissue: defaults and the range of every field. */
#include "model/light/light.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More layers than any stack has, few enough that a wrong number in a file is told from a right one. */
static const uint32_t max_layers = 1000000;
/* 2^40 bytes of tally words: beyond any machine this runs on, refused before anything is allocated. */
static const double max_tally_bytes = 1099511627776.0;
/* From this thickness on a layer has no lower face. */
static const double semi_infinite = 1e8;

light_model *light_model_create(uint32_t n_layers)
{
    light_model *model = calloc(1, sizeof *model);
    if (model == NULL) {
        return NULL;
    }
    model->layers = calloc(n_layers == 0 ? 1 : n_layers, sizeof *model->layers);
    if (model->layers == NULL) {
        free(model);
        return NULL;
    }
    model->n_layers = n_layers;
    for (uint32_t i = 0; i < n_layers; i++) {
        model->layers[i].n = 1.0;
    }
    model->n_above = 1.0;
    model->n_below = 1.0;
    model->dz = 0.01;
    model->dr = 0.01;
    model->nz = 100;
    model->nr = 100;
    model->na = 30;
    model->weight_threshold = 1e-4;
    model->roulette_chance = 0.1;
    model->mco_format = 'A';
    memcpy(model->mci_version, "1.0", sizeof "1.0");
    return model;
}

void light_model_destroy(void *model)
{
    light_model *light = model;
    if (light != NULL) {
        free(light->layers);
        free(light);
    }
}

/* Every condition is written so that NaN fails it. */
const char *light_check_index(double n)
{
    if (!(n > 0.0)) {
        return "must be larger than 0 (a refractive index: air 1, water 1.33, glass 1.5)";
    }
    return n >= 0.01 && n <= 100.0 ? NULL : "must lie in [0.01, 100] (a refractive index: air 1, water 1.33, glass 1.5)";
}

const char *light_check_coefficient(double mu)
{
    if (!(mu >= 0.0)) {
        return "must be 0 or larger (an absorption or scattering coefficient in 1/cm)";
    }
    return mu <= 1e12 ? NULL : "must be at most 1e12 (an absorption or scattering coefficient in 1/cm)";
}

const char *light_check_anisotropy(double g)
{
    return g >= -1.0 && g <= 1.0 ? NULL : "must lie in [-1, 1] (the mean cosine of the scattering angle)";
}

const char *light_check_thickness(double d)
{
    return d >= 0.0 && isfinite(d) ? NULL : "must be 0 or larger, and finite (a thickness in cm; 1e8 for semi-infinite)";
}

const char *light_check_grid_step(double step)
{
    if (!(step > 0.0)) {
        return "must be larger than 0 (the width of a grid cell in cm)";
    }
    return step >= 1e-12 && step <= 1e12 ? NULL : "must lie in [1e-12, 1e12] (the width of a grid cell in cm)";
}

const char *light_check_grid_count(double count)
{
    if (!(count >= 1.0)) {
        return "must be at least 1 (a number of grid cells)";
    }
    if (!(count <= 1e6)) {
        return "must be at most 1000000 (a number of grid cells)";
    }
    return count == floor(count) ? NULL : "must be a whole number (of grid cells)";
}

static crp_status fail_range(crp_context *context, const char *where, const char *name, double value, const char *rule)
{
    return context_fail(context, CRP_ERR_CONFIG, "%s: %s = %.9g %s", where, name, value, rule);
}

#define CHECK_RANGE(rule, name, value)                                              \
    do {                                                                            \
        const char *check_range_rule_ = (rule)(value);                              \
        if (check_range_rule_ != NULL) {                                            \
            return fail_range(context, where, (name), (value), check_range_rule_);  \
        }                                                                           \
    } while (0)

static crp_status validate_layer(crp_context *context, const char *where_model, const light_model *model, uint32_t i)
{
    const light_layer *layer = &model->layers[i];
    char where[1200];
    if (layer->name[0] != '\0') {
        snprintf(where, sizeof where, "%s: layer %u (%.63s)", where_model, i + 1, layer->name);
    } else {
        snprintf(where, sizeof where, "%s: layer %u", where_model, i + 1);
    }
    CHECK_RANGE(light_check_index, "n", layer->n);
    CHECK_RANGE(light_check_coefficient, "mu_a", layer->mu_a);
    CHECK_RANGE(light_check_coefficient, "mu_s", layer->mu_s);
    CHECK_RANGE(light_check_anisotropy, "g", layer->g);
    CHECK_RANGE(light_check_thickness, "d", layer->d);
    if (layer->d >= semi_infinite && i + 1 < model->n_layers) {
        context_log(context, CRP_LOG_WARNING, "light",
                    "%s: d = %g cm is semi-infinite, so no photon reaches the %u layer(s) below it", where, layer->d,
                    model->n_layers - i - 1);
    }
    return CRP_OK;
}

static crp_status validate_grid(crp_context *context, const char *where, const light_model *model)
{
    CHECK_RANGE(light_check_grid_step, "dz", model->dz);
    CHECK_RANGE(light_check_grid_step, "dr", model->dr);
    CHECK_RANGE(light_check_grid_count, "nz", (double)model->nz);
    CHECK_RANGE(light_check_grid_count, "nr", (double)model->nr);
    CHECK_RANGE(light_check_grid_count, "na", (double)model->na);
    double nz = model->nz + 1.0, nr = model->nr + 1.0, na = model->na;
    double bytes = 8.0 * nr * (nz * (model->score_fluence ? 2.0 : 1.0) + 2.0 * na);
    CRP_CHECK(context, bytes <= max_tally_bytes, CRP_ERR_CONFIG,
              "%s: a grid of nz = %u, nr = %u, na = %u needs %.3g bytes of tallies (the most is 2^40 = 1.1e12): choose "
              "fewer and larger cells",
              where, model->nz, model->nr, model->na, bytes);
    return CRP_OK;
}

static crp_status validate_roulette(crp_context *context, const char *where, const light_model *model)
{
    double threshold = model->weight_threshold, chance = model->roulette_chance;
    CRP_CHECK(context, threshold >= 1e-9 && threshold < 1.0, CRP_ERR_CONFIG,
              "%s: weight_threshold = %.9g must lie in [1e-9, 1) (roulette is played below this weight; MCML: 1e-4)",
              where, threshold);
    CRP_CHECK(context, chance >= 0.001 * (1.0 - 1e-9) && chance <= 0.5 * (1.0 + 1e-9), CRP_ERR_CONFIG,
              "%s: roulette_chance = %.9g must lie in [0.001, 0.5] (the chance to survive; MCML: 0.1)", where, chance);
    double m = round(1.0 / chance);
    CRP_CHECK(context, fabs(chance * m - 1.0) <= 1e-9, CRP_ERR_CONFIG,
              "%s: roulette_chance = %.9g must be 1/m for a whole number m (weights are integers): %.9g would do", where,
              chance, 1.0 / m);
    CRP_CHECK(context, threshold * m <= 1.0, CRP_ERR_CONFIG,
              "%s: weight_threshold / roulette_chance = %.9g must be at most 1 (else a survivor weighs more than a new "
              "photon)",
              where, threshold * m);
    return CRP_OK;
}

crp_status light_model_validate(crp_context *context, const char *where, const light_model *model)
{
    CRP_CHECK(context, model->n_layers >= 1 && model->n_layers <= max_layers, CRP_ERR_CONFIG,
              "%s: %u layers (there must be 1 to %u)", where, model->n_layers, max_layers);
    CHECK_RANGE(light_check_index, "n of the medium above", model->n_above);
    CHECK_RANGE(light_check_index, "n of the medium below", model->n_below);
    for (uint32_t i = 0; i < model->n_layers; i++) {
        CRP_TRY(validate_layer(context, where, model, i));
    }
    CRP_TRY(validate_grid(context, where, model));
    CRP_TRY(validate_roulette(context, where, model));
    CRP_CHECK(context, model->mco_format == 'A' || model->mco_format == 'B', CRP_ERR_CONFIG,
              "%s: the format of the .mco file must be A or B", where);
    return CRP_OK;
}
