/** The CUDA driver API, reached by dlopen with own prototypes and types: no CUDA header, no CUDA at build time. */
#ifndef DEVICE_CUDA_DRIVER_H
#define DEVICE_CUDA_DRIVER_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>

typedef int cuda_result;
typedef int cuda_device_id;
typedef unsigned long long cuda_pointer; /* CUdeviceptr of the 64-bit driver */
typedef struct cuda_context_opaque *cuda_context;
typedef struct cuda_stream_opaque *cuda_stream;
typedef struct cuda_event_opaque *cuda_event;
typedef struct cuda_module_opaque *cuda_module;
typedef struct cuda_function_opaque *cuda_function;

/* Values of the driver API's enums that are used here. */
enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_MEM_ATTACH_GLOBAL = 1,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,

    CUDA_DEVICE_MAX_THREADS_PER_BLOCK = 1,
    CUDA_DEVICE_MULTIPROCESSOR_COUNT = 16,
    CUDA_DEVICE_CAPABILITY_MAJOR = 75,
    CUDA_DEVICE_CAPABILITY_MINOR = 76,
    CUDA_DEVICE_SHARED_MEMORY_OF_MULTIPROCESSOR = 81,
    CUDA_DEVICE_SHARED_MEMORY_OF_BLOCK_OPTIN = 97,
    CUDA_DEVICE_VIRTUAL_MEMORY = 102,

    CUDA_P2P_ACCESS = 2,         /* one device reads and writes the other's memory */
    CUDA_P2P_NATIVE_ATOMIC = 3,  /* and its atomics reach there */
    CUDA_HOST_PORTABLE_MAPPED = 3,
    CUDA_MEM_PINNED = 1,
    CUDA_MEM_OF_DEVICE = 1,
    CUDA_MEM_READ_WRITE = 3,

    CUDA_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    CUDA_FUNCTION_SHARED_BYTES = 1,
    CUDA_FUNCTION_LOCAL_BYTES = 3,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
    CUDA_FUNCTION_SHARED_CARVEOUT = 9,

    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DEFAULT = 0,
    CUDA_JIT_ERROR_LOG_BUFFER = 5,
    CUDA_JIT_ERROR_LOG_BUFFER_BYTES = 6
};

/** Memory on one device, in pieces that are mapped into a range of addresses (CUmemAllocationProp, CUmemAccessDesc). */
typedef unsigned long long cuda_memory;
typedef struct cuda_memory_place {
    int kind, device;
} cuda_memory_place;
typedef struct cuda_memory_kind {
    int type, handles;
    cuda_memory_place place;
    void *unused;
    unsigned char flags[8];
} cuda_memory_kind;
typedef struct cuda_memory_access {
    cuda_memory_place place;
    int flags;
} cuda_memory_access;

typedef struct cuda_driver {
    void *library;
    int version;    /**< 13000 for CUDA 13.0 */
    bool is_absent; /**< after a failed cuda_driver_open: there is no driver or no GPU, which is no fault */
    cuda_result (*init)(unsigned flags);
    cuda_result (*driver_get_version)(int *version);
    cuda_result (*get_error_name)(cuda_result result, const char **name);
    cuda_result (*get_error_string)(cuda_result result, const char **text);
    cuda_result (*device_get_count)(int *n);
    cuda_result (*device_get)(cuda_device_id *device, int index);
    cuda_result (*device_get_name)(char *name, int n, cuda_device_id device);
    cuda_result (*device_get_attribute)(int *value, int attribute, cuda_device_id device);
    cuda_result (*device_total_mem)(size_t *n_bytes, cuda_device_id device);
    cuda_result (*primary_context_retain)(cuda_context *context, cuda_device_id device);
    cuda_result (*primary_context_release)(cuda_device_id device);
    cuda_result (*context_set_current)(cuda_context context);
    cuda_result (*mem_get_info)(size_t *free, size_t *total);
    cuda_result (*mem_alloc)(cuda_pointer *pointer, size_t n_bytes);
    cuda_result (*mem_alloc_managed)(cuda_pointer *pointer, size_t n_bytes, unsigned flags);
    cuda_result (*mem_free)(cuda_pointer pointer);
    cuda_result (*memcpy_to_device)(cuda_pointer target, const void *source, size_t n_bytes, cuda_stream stream);
    cuda_result (*memcpy_to_host)(void *target, cuda_pointer source, size_t n_bytes, cuda_stream stream);
    cuda_result (*memset_bytes)(cuda_pointer target, unsigned char value, size_t n_bytes, cuda_stream stream);
    cuda_result (*stream_create)(cuda_stream *stream, unsigned flags);
    cuda_result (*stream_destroy)(cuda_stream stream);
    cuda_result (*stream_synchronize)(cuda_stream stream);
    cuda_result (*event_create)(cuda_event *event, unsigned flags);
    cuda_result (*event_destroy)(cuda_event event);
    cuda_result (*event_record)(cuda_event event, cuda_stream stream);
    cuda_result (*event_elapsed_time)(float *milliseconds, cuda_event start, cuda_event end);
    cuda_result (*module_load_data)(cuda_module *module, const void *image, unsigned n_options, int *options,
                                    void **values);
    cuda_result (*module_unload)(cuda_module module);
    cuda_result (*module_get_function)(cuda_function *function, cuda_module module, const char *name);
    cuda_result (*function_get_attribute)(int *value, int attribute, cuda_function function);
    cuda_result (*function_set_attribute)(cuda_function function, int attribute, int value);
    cuda_result (*launch_cooperative)(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                      cuda_stream stream, void **arguments);
    cuda_result (*launch_kernel)(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                 cuda_stream stream, void **arguments, void **extra);
    bool can_split; /**< it has all that follows, which a launch over several devices needs */
    cuda_result (*device_get_p2p_attribute)(int *value, int attribute, cuda_device_id from, cuda_device_id to);
    cuda_result (*enable_peer_access)(cuda_context of, unsigned flags);
    cuda_result (*host_alloc)(void **pointer, size_t n_bytes, unsigned flags);
    cuda_result (*host_free)(void *pointer);
    cuda_result (*stream_query)(cuda_stream stream);
    cuda_result (*module_get_global)(cuda_pointer *pointer, size_t *n_bytes, cuda_module module, const char *name);
    cuda_result (*memcpy_peer)(cuda_pointer target, cuda_context target_context, cuda_pointer source,
                               cuda_context source_context, size_t n_bytes, cuda_stream stream);
    cuda_result (*memory_granularity)(size_t *n_bytes, const cuda_memory_kind *kind, int option);
    cuda_result (*address_reserve)(cuda_pointer *pointer, size_t n_bytes, size_t alignment, cuda_pointer wish,
                                   unsigned long long flags);
    cuda_result (*address_free)(cuda_pointer pointer, size_t n_bytes);
    cuda_result (*memory_create)(cuda_memory *memory, size_t n_bytes, const cuda_memory_kind *kind, unsigned long long flags);
    cuda_result (*memory_release)(cuda_memory memory);
    cuda_result (*memory_map)(cuda_pointer pointer, size_t n_bytes, size_t offset, cuda_memory memory,
                              unsigned long long flags);
    cuda_result (*memory_unmap)(cuda_pointer pointer, size_t n_bytes);
    cuda_result (*memory_set_access)(cuda_pointer pointer, size_t n_bytes, const cuda_memory_access *access, size_t n);
} cuda_driver;

/**
 * Open the driver library and initialise it; $CORPUSCLE_CUDA_DRIVER names another file in place of libcuda.so.1.
 *
 * Errors: CRP_ERR_DEVICE with a message that tells apart: no driver library; a driver but no GPU; any other failure.
 */
crp_status cuda_driver_open(crp_context *context, cuda_driver *out);
/** Forget the table; a zeroed struct is fine. */
void cuda_driver_close(cuda_driver *driver);

/** "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", in `text`, which is returned. */
const char *cuda_driver_error(const cuda_driver *driver, cuda_result result, char *text, size_t n_text);

#endif
