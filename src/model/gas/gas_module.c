/** `gas` as a module of the engine. */
#include "io/gas_export.h"
#include "model/gas/gas_plan.h"
#include "model/gas/gas_report.h"
#include "model/gas/gas_yaml.h"

const crp_module module_gas = {
    .name = "gas",
    .history_name = "molecules",
    .load_yaml = gas_yaml_load,
    .write_yaml = gas_write_yaml,
    .write_full = gas_write_yaml_full,
    .report = gas_report,
    .main_result = "transmission",
    .exports = gas_exports,
    .plan = gas_plan_create,
    .shape = gas_shape,
    .params = gas_params_of_launch,
    .reduce = gas_reduce,
    .keep = gas_keep,
    .finish = gas_finish,
    .cost = gas_cost,
    .data_destroy = gas_model_destroy,
};
