/**
 * A launch whose scratch outgrows its GPU, split over several: each holds a share of the scratch, in one range of
 * addresses that all of them see, and runs a part of the blocks. The kernel is the same, built with CK_SPLIT
 * (kernel/port_team.h).
 */
#ifndef DEVICE_CUDA_SPLIT_H
#define DEVICE_CUDA_SPLIT_H

#include "device/cuda.h"

/**
 * Whether so many bytes fit the GPU and those that it has met together, and these reach each other's memory with
 * atomics. Waits for the split launch that may be at work; sets *pointer where the GPU has room by itself after all. A
 * reason why they cannot help is logged once.
 */
bool cuda_split_fits(cuda_gpu *gpu, size_t n_bytes, cuda_pointer *pointer);

/**
 * Start a launch of which `scratch` is an argument on all of them; one such launch at a time works in a process, others
 * wait for its end here. False: it cannot be split, the reason is logged, and nothing was started.
 */
bool cuda_split_launch(cuda_gpu *gpu, uint32_t queue, device_kernel *kernel, const device_launch *launch,
                       device_buffer *scratch);

/** Whether the last launch of the queue was split and has not been waited for. */
bool cuda_split_is_on(const cuda_gpu *gpu, uint32_t queue);

/**
 * Wait for all parts and give the memory back. If one fails the others are told to end. Then if the GPU itself works on
 * gpu->base.can_repeat is set, and it asks no other for help any more. Errors: CRP_ERR_DEVICE.
 */
crp_status cuda_split_wait(cuda_gpu *gpu);

/** End what works, free everything. */
void cuda_split_destroy(cuda_gpu *gpu);

#endif
