/** `light` as a module of the engine. */
#include "io/mco.h"
#include "model/light/light_plan.h"
#include "model/light/light_yaml.h"

static const char *output_path(const crp_model *model)
{
    const light_model *light = model->data;
    return light->mco_path[0] == '\0' ? NULL : light->mco_path;
}

static crp_status write_output(crp_context *context, const crp_model *model, const crp_result *result,
                               const output_options *options, const char *path, void *file)
{
    return mco_write(context, model->data, result, options, path, file);
}

const crp_module module_light = {
    .name = "light",
    .history_name = "photons",
    .load_yaml = light_yaml_load,
    .write_yaml = light_write_yaml,
    .write_full = light_write_yaml_full,
    .output_format = "mco",
    .output_path = output_path,
    .write_output = write_output,
    .plan = light_plan_create,
    .shape = light_shape,
    .params = light_params_of_launch,
    .reduce = light_reduce,
    .cost = light_cost,
    .data_destroy = light_model_destroy,
};
