/** What the halves of the OptiX device share: optix.c (opening, launches) and optix_kernel.c (from source to pipeline).
 */
#ifndef DEVICE_OPTIX_H
#define DEVICE_OPTIX_H

#include "device/cuda.h"
#include "device/optix_library.h"

/** One GPU, open, with its ray tracer. */
typedef struct optix_gpu {
    cuda_gpu cuda;
    optix_library library;
    optix_context tracer;
} optix_gpu;

enum {
    OPTIX_PIPELINES = 2,
    OPTIX_MAX_KINDS = 8,
    OPTIX_MAX_GROUPS = OPTIX_MAX_KINDS + 2,
    OPTIX_MAX_ARGUMENT_BYTES = 1536
};

/** A pipeline, its scene, its binding table, and the kernel that follows it. */
typedef struct optix_kernel {
    device_kernel base;
    optix_module module;
    optix_group groups[OPTIX_MAX_GROUPS]; /**< ray generation, miss, one a kind of hit */
    unsigned n_groups;
    optix_pipeline
        pipelines[OPTIX_PIPELINES]; /**< launches of one wait for each other, so neighbouring queues have two */
    optix_scene scene;
    cuda_pointer scene_memory, record_memory, data;
    cuda_pointer arguments[DEVICE_N_QUEUES];
    optix_binding_table table;
    device_kernel *after; /**< NULL: none */
} optix_kernel;

/** Record a failed call as "optix:0 (NVIDIA H200): OPTIX_ERROR_NAME, while ...". */
crp_status optix_fail(optix_gpu *gpu, optix_result result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The kernel_create and kernel_destroy of the device table. */
crp_status optix_kernel_create(device *d, const device_kernel_source *source, device_kernel **out);
void optix_kernel_destroy(device *d, device_kernel *kernel);

/** Bytes of a launch's arguments: the scene, its data, then each argument from a multiple of 8 on. They go to `bytes`.
 */
size_t optix_pack_arguments(const device_launch *launch, optix_scene scene, cuda_pointer data,
                            unsigned char bytes[OPTIX_MAX_ARGUMENT_BYTES]);

#endif
