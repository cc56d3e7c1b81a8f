/** What the two halves of the CUDA device share: cuda.c (memory, launches) and cuda_kernel.c (from source to function). */
#ifndef DEVICE_CUDA_H
#define DEVICE_CUDA_H

#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/nvrtc.h"

/** One GPU, open. */
typedef struct cuda_gpu {
    device base;
    cuda_driver driver;
    cuda_device_id id;
    cuda_context context;
    int architecture; /**< 90 for compute capability 9.0 */
    cuda_stream stream[DEVICE_N_QUEUES];
    cuda_event begin[DEVICE_N_QUEUES], end[DEVICE_N_QUEUES];
    cuda_event opened; /**< where the device's clock begins */
    const device_kernel *last[DEVICE_N_QUEUES]; /**< the last kernel of a queue, NULL before the first */
    nvrtc compiler;                             /**< library == NULL when there is none */
    char no_compiler[1024];                     /**< and then why */
} cuda_gpu;

struct device_buffer {
    cuda_pointer pointer;
    size_t n_bytes;
};

struct device_kernel {
    char entry[64];
    cuda_module module;
    cuda_function function;
    uint32_t blocks_per_unit;
    uint32_t static_bytes;  /**< shared memory declared in the kernel */
    uint32_t dynamic_bytes; /**< dynamic shared memory that it is prepared for */
};

/** Record a failed driver call as "cuda:0 (NVIDIA H200): ERROR_NAME: text, while ...". */
crp_status cuda_fail(cuda_gpu *gpu, cuda_result result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/**
 * Open GPU `index` as a device of the operations given; `n_bytes` of memory begin with the cuda_gpu. The close of
 * device_ops_cuda frees it.
 */
crp_status cuda_open_as(crp_context *context, uint32_t index, const device_ops *ops, size_t n_bytes, device **out);

/** The kernel_create and kernel_destroy of the device table. */
crp_status cuda_kernel_create(device *d, const device_kernel_source *source, device_kernel **out);
void cuda_kernel_destroy(device *d, device_kernel *kernel);

#endif
