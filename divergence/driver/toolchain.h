/** Where the compiler, the plug-in and the CUDA toolkit are. */
#ifndef DIVCC_TOOLCHAIN_H
#define DIVCC_TOOLCHAIN_H

#include "options.h"

typedef struct toolchain {
    char *clang, *opt, *llc; /**< of LLVM 19 */
    char *ptxas, *fatbinary; /**< of the CUDA toolkit; NULL if there is none */
    char *cuda;              /**< folder of the toolkit; NULL */
    char *plugin;            /**< libcorpuscle-divergence.so */
    char *include;           /**< our headers */
    char *libclc;            /**< nvptx64--nvidiacl.bc; NULL */
} toolchain;

/** Find all of it; false after a message that says what to install. */
bool toolchain_find(const options *o, toolchain *out);
void toolchain_free(toolchain *out);

#endif
