/** NVRTC, NVIDIA's run-time compiler, reached by dlopen with own prototypes: no CUDA header and no CUDA at build time. */
#ifndef DEVICE_NVRTC_H
#define DEVICE_NVRTC_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>

typedef struct nvrtc_program_opaque *nvrtc_program;

typedef struct nvrtc {
    void *library;
    char path[512]; /**< as it was opened */
    int major, minor;
    const char *(*get_error_string)(int result);
    int (*version)(int *major, int *minor);
    int (*create_program)(nvrtc_program *program, const char *source, const char *name, int n_headers,
                          const char *const *headers, const char *const *include_names);
    int (*destroy_program)(nvrtc_program *program);
    int (*compile_program)(nvrtc_program program, int n_options, const char *const *options);
    int (*get_program_log_size)(nvrtc_program program, size_t *n_bytes);
    int (*get_program_log)(nvrtc_program program, char *log);
    int (*get_ptx_size)(nvrtc_program program, size_t *n_bytes);
    int (*get_ptx)(nvrtc_program program, char *ptx);
    int (*get_cubin_size)(nvrtc_program program, size_t *n_bytes);
    int (*get_cubin)(nvrtc_program program, char *cubin);
    int (*get_num_supported_archs)(int *n);
    int (*get_supported_archs)(int *architectures);
} nvrtc;

/**
 * Find and open NVRTC.
 *
 * $CORPUSCLE_NVRTC names the library and nothing else is tried; otherwise the loader's own places, then those of the
 * CUDA toolkit, of conda and of the pip wheels.
 *
 * @param[in]  max_major  CUDA version of the driver: a newer NVRTC is taken only when there is no other, because an
 *                        older driver may refuse what it makes; 0: no limit
 * Errors: CRP_ERR_COMPILE with the places tried, in a message for people.
 */
crp_status nvrtc_open(crp_context *context, int max_major, nvrtc *out);
/** Forget the table; a zeroed struct is fine. */
void nvrtc_close(nvrtc *library);

/** Whether it can compile for compute capability architecture / 10; true when it is too old to say. */
bool nvrtc_supports(const nvrtc *library, int architecture);

#endif
