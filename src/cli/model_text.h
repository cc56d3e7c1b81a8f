/** A model as YAML for people: with its name, run settings and outputs, which the digest leaves out. */
#ifndef CLI_MODEL_TEXT_H
#define CLI_MODEL_TEXT_H

#include "model/model.h"

#include <stdio.h>

/** Errors: CRP_ERR_IO. */
crp_status model_text_write(crp_context *context, const crp_model *model, FILE *file);

#endif
