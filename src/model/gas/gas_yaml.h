/** Gas models from YAML trees, and back to YAML text. Format: docs/formats/gas_yaml.md. */
#ifndef MODEL_GAS_GAS_YAML_H
#define MODEL_GAS_GAS_YAML_H

#include "model/gas/gas.h"

/** As crp_module.load_yaml. Errors: CRP_ERR_CONFIG, CRP_ERR_GEOMETRY, CRP_ERR_MEMORY, with file, line and key or facet.
 */
crp_status gas_yaml_load(crp_context *context, const char *path, const yaml_node *root,
                         const crp_input_options *options, crp_input **input);

/** As crp_module.write_yaml: what the digest is of. Facets are written surface by surface. */
crp_status gas_write_yaml(crp_context *context, const crp_model *model, void *file);
/** As crp_module.write_full. */
crp_status gas_write_yaml_full(crp_context *context, const crp_model *model, void *file);

#endif
