/** Chem models from YAML trees and from lists of molecules, and back to YAML text. */
#ifndef MODEL_CHEM_CHEM_YAML_H
#define MODEL_CHEM_CHEM_YAML_H

#include "model/chem/chem.h"

/** In the normalised text: what begins the lines with digests of species, reactions and molecules, which end it. */
#define CHEM_YAML_DIGESTS "# species and reactions: "

/** As crp_module.load_yaml, write_yaml, write_full. */
crp_status chem_yaml_load(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                          crp_input **input);
crp_status chem_write_yaml(crp_context *context, const crp_model *model, void *file);
crp_status chem_write_yaml_full(crp_context *context, const crp_model *model, void *file);

/** A list of molecules as an input of its own: defaults for all the rest, then the settings. */
crp_status chem_molecules_load(crp_context *context, const char *path, const crp_input_options *options, crp_input **input);

#endif
