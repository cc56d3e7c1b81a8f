/** Settings of a built light model, through the table that reads the files. */
#include "model/light/light_settings.h"

#include "model/light/light_schema.h"

crp_status light_apply_setting(crp_context *context, light_model *light, crp_model *model, const char *setting)
{
    void *objects[] = {[LIGHT_OBJECT_LIGHT] = light, [LIGHT_OBJECT_MODEL] = model};
    return schema_set(context, &light_schema, objects, setting);
}
