/** `--set path=value` on a built light model. */
#ifndef MODEL_LIGHT_LIGHT_SETTINGS_H
#define MODEL_LIGHT_LIGHT_SETTINGS_H

#include "model/light/light.h"

/**
 * Apply one setting, checked as the same value in a file would be: "layers.2.mu_a=0.02/mm", "layers[dermis].g=0.8",
 * "grid.nz=200", "scores.fluence=true", "run.histories=1e7". Layers count from 1; a name must belong to one layer.
 *
 * Call light_model_validate() and model_finish() after the last one: the digest follows from the changed model.
 *
 * @param model  for `name` and `run`; NULL: those cannot be set
 * Errors: CRP_ERR_CONFIG, "--set <setting>: problem (why) suggestion"; the model is unchanged then.
 */
crp_status light_apply_setting(crp_context *context, light_model *light, crp_model *model, const char *setting);

#endif
