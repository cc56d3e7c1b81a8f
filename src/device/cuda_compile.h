/** From a kernel's source to PTX or to machine code, by NVRTC. Needs no GPU. */
#ifndef DEVICE_CUDA_COMPILE_H
#define DEVICE_CUDA_COMPILE_H

#include "device/device.h"
#include "device/nvrtc.h"

/** The options of one compilation, in the order in which NVRTC gets them. */
typedef struct cuda_options {
    const char **list;
    size_t n;
    char *memory; /**< what the list points into */
} cuda_options;

/** Options for a kernel; `architecture` as 90 for compute capability 9.0. Free with cuda_options_destroy. */
crp_status cuda_options_create(crp_context *context, const device_kernel_source *source, int architecture,
                               bool want_ptx, cuda_options *out);
void cuda_options_destroy(cuda_options *options);

/** Compile a flattened text with an open NVRTC. *image is the caller's, free(). PTX ends with a zero, counted in n.
 * Errors: CRP_ERR_COMPILE with the beginning of the compiler's log; all of it goes to the log callback. */
crp_status cuda_compile_text(crp_context *context, const nvrtc *compiler, const device_kernel_source *source,
                             const char *text, int architecture, bool want_ptx, void **image, size_t *n_bytes);

/** Find NVRTC, flatten, compile: for tests, and for a check of every kernel on a machine without a GPU.
 * @param[in] architecture  90 for compute capability 9.0
 * @param[in] want_ptx      PTX for compute_90 in place of machine code for sm_90 */
crp_status cuda_compile(crp_context *context, const device_kernel_source *source, int architecture, bool want_ptx,
                        void **image, size_t *n_bytes);

#endif
