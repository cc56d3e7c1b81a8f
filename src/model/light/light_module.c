/** `light` as a module of the engine. */
#include "model/light/light_plan.h"
#include "model/light/light_yaml.h"

const crp_module module_light = {
    .name = "light",
    .history_name = "photons",
    .plan = light_plan_create,
    .shape = light_shape,
    .params = light_params_of_launch,
    .reduce = light_reduce,
    .cost = light_cost,
    .write_yaml = light_write_yaml,
    .data_destroy = light_model_destroy,
};
