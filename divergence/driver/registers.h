/** How many registers kernels take with and without the passes: a persistent kernel is sized by what the GPU holds of
 * it. */
#ifndef DIVCC_REGISTERS_H
#define DIVCC_REGISTERS_H

#include "compile.h"

/** May a kernel be made persistent with these options, and is there a ptxas to ask? */
bool registers_matter(const job *j);

/**
 * Compile `bitcode` twice, as it is and with the passes, and write "kernel registers registers" lines for the plug-in
 * (-divergence-registers). False after a message.
 */
bool registers_measure(const job *j, const char *bitcode, const char *file);

#endif
