/** Light models from and to YAML. Format: docs/formats/light_yaml.md. */
#ifndef MODEL_LIGHT_LIGHT_YAML_H
#define MODEL_LIGHT_LIGHT_YAML_H

#include "core/yaml_tree.h"
#include "model/light/light.h"

/**
 * Build, set, validate and append the model of a parsed file whose kind is "light".
 *
 * @param path  of the file, for messages and for the name of a model that gives none
 * @param root  borrowed
 * Errors: CRP_ERR_CONFIG, CRP_ERR_MEMORY.
 */
crp_status light_yaml_load(crp_context *context, const char *path, const yaml_node *root,
                           const crp_input_options *options, crp_input **input);

/**
 * Write what determines the physics, defaults included and with all digits: the text the digest is formed from. It
 * loads back to an equal model. Left out: `name`, `run` and `output`, so that neither the name of a file nor the
 * number of photons changes the digest.
 *
 * @param file  a FILE *, open for writing (void, as crp_module has it)
 * Errors: CRP_ERR_IO.
 */
crp_status light_write_yaml(crp_context *context, const crp_model *model, void *file);

/** The same with `name`, `run` and `output`: for `corpuscle convert`. */
crp_status light_write_yaml_full(crp_context *context, const crp_model *model, void *file);

#endif
