/** OpenCL 1.2, reached by dlopen with own prototypes and types: no OpenCL header at build time. */
#ifndef DEVICE_OPENCL_LIBRARY_H
#define DEVICE_OPENCL_LIBRARY_H

#include "corpuscle/corpuscle.h"

typedef int32_t opencl_int;
typedef uint32_t opencl_uint;
typedef uint64_t opencl_bits;
typedef struct opencl_platform_opaque *opencl_platform;
typedef struct opencl_device_opaque *opencl_device_id;
typedef struct opencl_context_opaque *opencl_context;
typedef struct opencl_queue_opaque *opencl_queue;
typedef struct opencl_memory_opaque *opencl_memory;
typedef struct opencl_program_opaque *opencl_program;
typedef struct opencl_kernel_opaque *opencl_kernel;
typedef struct opencl_event_opaque *opencl_event;

/* Values of OpenCL's enums that are used here (the numbers of the Khronos headers). */
enum {
    OPENCL_SUCCESS = 0,
    OPENCL_DEVICE_NOT_FOUND = -1,
    OPENCL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    OPENCL_OUT_OF_RESOURCES = -5,
    OPENCL_OUT_OF_HOST_MEMORY = -6,
    OPENCL_INVALID_BUFFER_SIZE = -61,
    OPENCL_PLATFORM_NOT_FOUND = -1001,

    OPENCL_PLATFORM_VERSION = 0x0901,
    OPENCL_PLATFORM_NAME = 0x0902,

    OPENCL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    OPENCL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    OPENCL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    OPENCL_DEVICE_MAX_PARAMETER_SIZE = 0x1017,
    OPENCL_DEVICE_SINGLE_FP_CONFIG = 0x101B,
    OPENCL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    OPENCL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    OPENCL_DEVICE_AVAILABLE = 0x1027,
    OPENCL_DEVICE_COMPILER_AVAILABLE = 0x1028,
    OPENCL_DEVICE_NAME = 0x102B,
    OPENCL_DRIVER_VERSION = 0x102D,
    OPENCL_DEVICE_VERSION = 0x102F,
    OPENCL_DEVICE_EXTENSIONS = 0x1030,

    OPENCL_FP_DENORM = 1 << 0,
    OPENCL_FP_FMA = 1 << 5,
    OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT = 1 << 7,

    OPENCL_QUEUE_PROFILING_ENABLE = 1 << 1,
    OPENCL_MEM_READ_WRITE = 1 << 0,
    OPENCL_PROGRAM_BUILD_LOG = 0x1183,
    OPENCL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
    OPENCL_PROFILING_COMMAND_START = 0x1282,
    OPENCL_PROFILING_COMMAND_END = 0x1283
};

#define OPENCL_DEVICE_TYPE_ALL ((opencl_bits)0xFFFFFFFFu)

typedef struct opencl_library {
    void *library;
    opencl_int (*get_platform_ids)(opencl_uint n, opencl_platform *platforms, opencl_uint *n_found);
    opencl_int (*get_platform_info)(opencl_platform platform, opencl_uint what, size_t n, void *value, size_t *n_used);
    opencl_int (*get_device_ids)(opencl_platform platform, opencl_bits type, opencl_uint n, opencl_device_id *devices,
                                 opencl_uint *n_found);
    opencl_int (*get_device_info)(opencl_device_id device, opencl_uint what, size_t n, void *value, size_t *n_used);
    opencl_context (*create_context)(const intptr_t *properties, opencl_uint n, const opencl_device_id *devices,
                                     void (*notify)(const char *, const void *, size_t, void *), void *user,
                                     opencl_int *result);
    opencl_int (*release_context)(opencl_context context);
    opencl_queue (*create_command_queue)(opencl_context context, opencl_device_id device, opencl_bits properties,
                                         opencl_int *result);
    opencl_int (*release_command_queue)(opencl_queue queue);
    opencl_memory (*create_buffer)(opencl_context context, opencl_bits flags, size_t n_bytes, void *host,
                                   opencl_int *result);
    opencl_int (*release_mem_object)(opencl_memory memory);
    opencl_int (*enqueue_write_buffer)(opencl_queue queue, opencl_memory memory, opencl_uint blocking, size_t offset,
                                       size_t n_bytes, const void *source, opencl_uint n_events,
                                       const opencl_event *events, opencl_event *event);
    opencl_int (*enqueue_read_buffer)(opencl_queue queue, opencl_memory memory, opencl_uint blocking, size_t offset,
                                      size_t n_bytes, void *target, opencl_uint n_events, const opencl_event *events,
                                      opencl_event *event);
    opencl_int (*enqueue_fill_buffer)(opencl_queue queue, opencl_memory memory, const void *pattern, size_t n_pattern,
                                      size_t offset, size_t n_bytes, opencl_uint n_events, const opencl_event *events,
                                      opencl_event *event);
    opencl_program (*create_program_with_source)(opencl_context context, opencl_uint n, const char **texts,
                                                 const size_t *lengths, opencl_int *result);
    opencl_int (*build_program)(opencl_program program, opencl_uint n, const opencl_device_id *devices,
                                const char *options, void (*notify)(opencl_program, void *), void *user);
    opencl_int (*get_program_build_info)(opencl_program program, opencl_device_id device, opencl_uint what, size_t n,
                                         void *value, size_t *n_used);
    opencl_int (*release_program)(opencl_program program);
    opencl_kernel (*create_kernel)(opencl_program program, const char *name, opencl_int *result);
    opencl_int (*release_kernel)(opencl_kernel kernel);
    opencl_int (*set_kernel_arg)(opencl_kernel kernel, opencl_uint i, size_t n_bytes, const void *value);
    opencl_int (*get_kernel_work_group_info)(opencl_kernel kernel, opencl_device_id device, opencl_uint what, size_t n,
                                             void *value, size_t *n_used);
    opencl_int (*enqueue_nd_range_kernel)(opencl_queue queue, opencl_kernel kernel, opencl_uint n_dims,
                                          const size_t *offset, const size_t *global, const size_t *local,
                                          opencl_uint n_events, const opencl_event *events, opencl_event *event);
    opencl_int (*flush)(opencl_queue queue);
    opencl_int (*finish)(opencl_queue queue);
    opencl_int (*release_event)(opencl_event event);
    opencl_int (*get_event_profiling_info)(opencl_event event, opencl_uint what, size_t n, void *value,
                                           size_t *n_used);
} opencl_library;

/**
 * Open the loader; $CORPUSCLE_OPENCL names another file in place of libOpenCL.so.1.
 * Errors: CRP_ERR_DEVICE: no library, or one too old.
 */
crp_status opencl_library_open(crp_context *context, opencl_library *out);

/** "CL_OUT_OF_RESOURCES"; "OpenCL error -9999" for a number without a name, in static storage per thread. */
const char *opencl_error(opencl_int result);

#endif
