/** `chem` as a module of the engine. */
#include "io/chem_export.h"
#include "model/chem/chem_plan.h"
#include "model/chem/chem_yaml.h"

/* -n counts copies of the input; a history is one copy of one track. */
static uint64_t histories_of_copy(const crp_model *model)
{
    return ((const chem_model *)model->data)->n_tracks;
}

const crp_module module_chem = {
    .name = "chem",
    .history_name = "tracks",
    .load_yaml = chem_yaml_load,
    .write_yaml = chem_write_yaml,
    .write_full = chem_write_yaml_full,
    .copy = histories_of_copy,
    .exports = chem_exports,
    .plan = chem_plan_create,
    .shape = chem_shape,
    .params = chem_params_of_launch,
    .reduce = chem_reduce,
    .add_known = chem_add_energy,
    .cost = chem_cost,
    .data_destroy = chem_model_destroy,
};
