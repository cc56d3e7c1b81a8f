/** The built-in cases that `corpuscle bench` measures: two skin models of the literature, made in memory. */
#include "cli/bench_cases.h"

#include "core/context.h"
#include "model/light/light.h"

#include <string.h>

/* V. V. Tuchin et al., five layers of skin at 633 nm, as published with the samples of GPU-MCML. */
static const light_layer skin5[] = {
    {"epidermis", 1.5, 4.3, 107.0, 0.79, 0.01},
    {"dermis", 1.4, 2.7, 187.0, 0.82, 0.02},
    {"dermis with plexus superficialis", 1.4, 3.3, 192.0, 0.82, 0.02},
    {"dermis (deep)", 1.4, 2.7, 187.0, 0.82, 0.09},
    {"dermis with plexus profundus", 1.4, 3.4, 194.0, 0.82, 0.06},
};

/* I. V. Meglinski, S. J. Matcher, seven layers of skin at 600 nm, as published with the samples of GPU-MCML. */
static const light_layer skin7[] = {
    {"stratum corneum", 1.53, 0.2, 1000.0, 0.90, 0.002}, {"living epidermis", 1.34, 0.15, 400.0, 0.85, 0.008},
    {"papillary dermis", 1.40, 0.7, 300.0, 0.80, 0.010}, {"upper blood net dermis", 1.39, 1.0, 350.0, 0.90, 0.008},
    {"dermis", 1.40, 0.7, 200.0, 0.76, 0.162},           {"deep blood net dermis", 1.39, 1.0, 350.0, 0.95, 0.020},
    {"subcutaneous fat", 1.44, 0.3, 150.0, 0.80, 0.590},
};

static crp_status create_skin(crp_context *context, const char *name, const light_layer *layers, uint32_t n_layers,
                              uint32_t nz, uint32_t nr, crp_model **model)
{
    light_model *light = light_model_create(n_layers);
    CRP_CHECK(context, light != NULL, CRP_ERR_MEMORY, "not enough memory");
    memcpy(light->layers, layers, n_layers * sizeof *layers);
    light->n_above = light->n_below = 1.0;
    light->dz = 0.002;
    light->dr = 0.01;
    light->nz = nz;
    light->nr = nr;
    light->na = 30;
    light->score_fluence = false; /* what MCML's own output holds, as the peers are measured */
    crp_status status = model_create(context, &module_light, name, light, model);
    if (status == CRP_OK) {
        status = model_finish(context, *model);
    }
    if (status != CRP_OK) {
        model_destroy(model);
    }
    return status;
}

static crp_status create_skin5(crp_context *context, crp_model **model)
{
    return create_skin(context, "skin5-633nm", skin5, 5, 256, 256, model);
}

static crp_status create_skin7(crp_context *context, crp_model **model)
{
    return create_skin(context, "skin7-600nm", skin7, 7, 500, 200, model);
}

const bench_case bench_cases_light[] = {
    {"5-layer 633 nm", 1000000, 1000000000, 90900.0, create_skin5},
    {"7-layer 600 nm", 300000, 300000000, 25400.0, create_skin7},
    {NULL, 0, 0, 0.0, NULL},
};
