/** What all kinds of models have in common in YAML: the section `run`, and a name where the file gives none. */
#ifndef MODEL_MODEL_RUN_H
#define MODEL_MODEL_RUN_H

#include "model/model.h"

/** Where the model has no name: the file's, without folders and extension. */
void model_name_from_path(crp_model *model, const char *path);

/** For the schema of `run.until`: can it be parsed? Errors: CRP_ERR_CONFIG with `where` in front. */
crp_status model_check_until(crp_context *context, const char *where, const char *text);

/**
 * Write the section `run` into a FILE: only what was given, the rest is for the command line or the defaults of the run.
 *
 * @param histories  what the histories are called there: "histories", "copies"
 */
void model_write_run(void *file, const crp_model *model, const char *histories);

#endif
