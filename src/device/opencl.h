/** What the two halves of the OpenCL device share: opencl.c (memory, launches) and opencl_kernel.c (compilation). */
#ifndef DEVICE_OPENCL_H
#define DEVICE_OPENCL_H

#include "device/device.h"
#include "device/opencl_library.h"

/** One OpenCL device, open. */
typedef struct opencl_gpu {
    device base;
    opencl_library library;
    opencl_device_id id;
    opencl_context context;
    opencl_queue queue[DEVICE_N_QUEUES];
    opencl_event event[DEVICE_N_QUEUES]; /**< of the last launch of a queue, NULL before the first */
    opencl_bits float_config;            /**< of single precision */
    uint64_t largest_buffer;             /**< bytes */
    size_t largest_arguments;            /**< bytes of all arguments of a kernel */
} opencl_gpu;

struct device_buffer {
    opencl_memory memory;
    size_t n_bytes;
};

struct device_kernel {
    char entry[64];
    opencl_program program;
    opencl_kernel kernel;
    size_t largest_block;
};

/** Record a failed call as "opencl:0 (name): CL_ERROR_NAME, while ...". */
crp_status opencl_fail(opencl_gpu *gpu, opencl_int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Return an error unless the call succeeded. */
#define OPENCL_TRY(gpu, call, ...)                                \
    do {                                                          \
        opencl_int opencl_try_result_ = (call);                   \
        if (opencl_try_result_ != OPENCL_SUCCESS) {               \
            return opencl_fail(gpu, opencl_try_result_, __VA_ARGS__); \
        }                                                         \
    } while (0)

/** The kernel_create and kernel_destroy of the device table. */
crp_status opencl_kernel_create(device *d, const device_kernel_source *source, device_kernel **out);
void opencl_kernel_destroy(device *d, device_kernel *kernel);

#endif
