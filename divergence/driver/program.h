/** Whole programs: host and device code of single-source CUDA, compiled apart and put together. */
#ifndef DIVCC_PROGRAM_H
#define DIVCC_PROGRAM_H

#include "compile.h"

/** Compile all inputs to objects and, without -c, link them. */
bool program_build(const options *o, const toolchain *t);

#endif
