/** The files of a run: where results go, whether they can be written, what a module writes besides. */
#ifndef CLI_RUN_FILES_H
#define CLI_RUN_FILES_H

#include "cli/cli.h"
#include "engine/result.h"

/** The result file: -o, else the restart file, else the input's base name with .h5, in the current folder. */
void run_files_result_path(const cli_options *options, const char *input_path, char *path, size_t size);

/** Do two paths name the same existing file? */
bool run_files_is_same(const char *a, const char *b);

/** Are two files in the same folder? NULL or "-": the current one. */
bool run_files_is_beside(const char *a, const char *b);

/** Can all outputs be written, and is none of them the input? Called before the first history. */
cli_exit run_files_check(crp_context *context, const crp_input *input, const char *input_path, const char *result_path);

/** The file that the model itself asks for (.mco), NULL if none. */
const char *run_files_model_output(const crp_model *model);

/** Write that file, with --digits and --std-dev. */
crp_status run_files_write_model_output(crp_context *context, const crp_model *model, const crp_result *result,
                                        const cli_options *options);

/** Can every --export be written, and in a format of the model? Errors are reported. */
cli_exit run_files_check_exports(crp_context *context, const cli_options *options, const crp_input *input);

/** Write all --export of a model. A file of the input's own format keeps what that input holds besides the model. */
crp_status run_files_write_exports(crp_context *context, const crp_model *model, const crp_result *result,
                                   const cli_options *options);

#endif
