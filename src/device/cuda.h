/** What the two halves of the CUDA device share: cuda.c (memory, launches) and cuda_kernel.c (from source to function). */
#ifndef DEVICE_CUDA_H
#define DEVICE_CUDA_H

#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/nvrtc.h"

struct cuda_split;

enum { CUDA_MAX_PEERS = 7 };

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
    uint32_t index;                             /**< the driver's number of it */
    uint64_t limit;                             /**< bytes that it may be believed to have, for tests */
    uint32_t peers[CUDA_MAX_PEERS], n_peers;    /**< GPUs that may help with what outgrows it */
    struct cuda_split *split;                   /**< and how; NULL until then */
} cuda_gpu;

struct device_buffer {
    cuda_pointer pointer;
    size_t n_bytes;
    bool is_split; /**< scratch that has memory only while a launch works with it: of several devices */
};

struct device_kernel {
    char entry[64];
    cuda_module module;
    cuda_function function;
    uint32_t blocks_per_unit;
    uint32_t static_bytes;  /**< shared memory declared in the kernel */
    uint32_t dynamic_bytes; /**< dynamic shared memory that it is prepared for */
    const device_kernel_source *source; /**< of one that may be split, else NULL */
};

/** Record a failed driver call as "cuda:0 (NVIDIA H200): ERROR_NAME: text, while ...". */
crp_status cuda_fail(cuda_gpu *gpu, cuda_result result, const char *format, ...) __attribute__((format(printf, 3, 4)));

/**
 * Open GPU `index` as a device of the operations given; `n_bytes` of memory begin with the cuda_gpu. The close of
 * device_ops_cuda frees it.
 */
crp_status cuda_open_as(crp_context *context, uint32_t index, const device_ops *ops, size_t n_bytes, device **out);

/** Free memory of the GPU into its info. */
crp_status cuda_ask_free_memory(cuda_gpu *gpu);
/** Memory of the GPU alone; CUDA_ERROR_OUT_OF_MEMORY where there is not enough. */
cuda_result cuda_allocate(cuda_gpu *gpu, cuda_pointer *pointer, size_t n_bytes);
/** Start a kernel on a queue, with `arguments` as the driver takes them; `grid` in place of the launch's. */
crp_status cuda_start(cuda_gpu *gpu, uint32_t queue, device_kernel *kernel, const device_launch *launch, uint32_t grid,
                      bool is_cooperative, void **arguments);

/** The kernel_create and kernel_destroy of the device table. */
crp_status cuda_kernel_create(device *d, const device_kernel_source *source, device_kernel **out);
void cuda_kernel_destroy(device *d, device_kernel *kernel);

#endif
