/** Device code from source to PTX or machine code, with the passes in between. */
#ifndef DIVCC_COMPILE_H
#define DIVCC_COMPILE_H

#include "toolchain.h"

typedef struct job {
    const options *o;
    const toolchain *t;
    const char *source;
    char *folder;          /**< intermediate files */
    bool is_host_code;     /**< a .cu whose host part will be compiled too */
    const char *registers; /**< file of registers.h, or NULL */
    bool is_trial;         /**< messages come with the real one */
} job;

/** Create the folder for intermediate files. */
bool job_open(job *j);
/** Remove it, or with --keep move its files beside `output`. */
void job_close(job *j, const char *output);
/** Path of an intermediate file; free() it. */
char *job_file(const job *j, const char *name);

/** Run one step; on failure its errors are shown with a remedy for what is known to happen. */
bool job_step(const job *j, const words *command, const char *what);

/** Flags of clang for CUDA headers: toolkit, or our own small header where there is none. */
void cuda_flags(const job *j, words *command);

/** Bitcode through the passes, and bitcode to PTX. */
bool device_passes(const job *j, const char *bitcode, const char *result);
bool device_ptx(const job *j, const char *bitcode, const char *ptx);

/** Source -> bitcode -> passes -> file `output` by its extension: .bc .ll .ptx .cubin .fatbin. */
bool device_compile(job *j, const char *output);

#endif
