/** Settings of a built gas model. */
#ifndef MODEL_GAS_GAS_SETTINGS_H
#define MODEL_GAS_GAS_SETTINGS_H

#include "model/gas/gas.h"

/**
 * Set one value: "facets.pump.sticking=0.1", "facets.12.temperature=300", "facets[pumps].sticking=1", "gas.mass=2
 * g/mol".
 *
 * What stands for a facet is the name of a surface, the number of a surface (of a Molflow model: of a facet), or the
 * name of a group: then it is set for all surfaces of the group, and where a surface has facets outside, those of the
 * group get a surface of their own. Outgassing of a group is shared by area.
 *
 * Errors: CRP_ERR_CONFIG, "--set <setting>: problem (why) suggestion"; nothing is changed then.
 */
crp_status gas_apply_setting(crp_context *context, gas_model *gas, crp_model *model, const char *setting);

#endif
