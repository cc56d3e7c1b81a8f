/** A model as YAML for people: with its name, run settings and outputs, which the digest leaves out. */
#include "cli/model_text.h"

#include "model/light/light_yaml.h"

crp_status model_text_write(crp_context *context, const crp_model *model, FILE *file)
{
    if (model->module == &module_light) {
        return light_write_yaml_full(context, model, file);
    }
    return model->module->write_yaml(context, model, file);
}
