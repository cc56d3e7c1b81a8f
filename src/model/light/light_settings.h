/** Overrides of the form `path=value` (--set) on a light model. */
#ifndef MODEL_LIGHT_LIGHT_SETTINGS_H
#define MODEL_LIGHT_LIGHT_SETTINGS_H

#include "model/light/light.h"

/**
 * Apply one override; the caller validates the model afterwards.
 *
 * @param light    the model's data, changed in place
 * @param model    run settings (histories, seed ...), changed in place
 * @param setting  "path=value", e.g. "grid.nz=100"
 * Errors: CRP_ERR_CONFIG for an unknown path (with the nearest one) or a value of the wrong kind.
 */
crp_status light_apply_setting(crp_context *context, light_model *light, crp_model *model, const char *setting);

#endif
