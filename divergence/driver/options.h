/** The command line of corpuscle-divcc. */
#ifndef DIVCC_OPTIONS_H
#define DIVCC_OPTIONS_H

#include "process.h"

typedef struct options {
    words inputs;           /**< sources, objects, libraries in their order */
    words compile;          /**< flags for the compiler: -I, -D, -std=... */
    words link;             /**< flags for the linker */
    const char *output;     /**< -o */
    const char *arch;       /**< sm_90 */
    const char *passes;     /**< --passes: these, forced; NULL: all, where they pay; "none" */
    const char *allow;      /**< --allow: these, where they pay */
    const char *profile;    /**< --profile-use: file of a recorded run */
    const char *remarks;    /**< --remarks: file beside standard error */
    const char *cuda;       /**< --cuda-path */
    const char *margin;     /**< --margin */
    const char *processors; /**< --processors: multiprocessors of the GPU, for persist */
    const char *level;      /**< -O3 */
    const char *registers;  /**< nvcc's -maxrregcount, for ptxas */
    bool is_report, is_recording, is_kept, is_verbose, is_object, is_fast_math, has_lines, is_quiet,
        has_shared_runtime; /**< nvcc's -cudart shared */
} options;

/** Read the command line and $CORPUSCLE_DIVCC_FLAGS. Returns false after a message; *is_done after --help or --version.
 */
bool options_read(int argc, char **argv, options *out, bool *is_done);
void options_free(options *out);

#endif
