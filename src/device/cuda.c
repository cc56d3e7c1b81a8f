/* The CUDA device: memory, queues and launches through the driver API. */
#include "device/cuda.h"

#include "core/context.h"
#include "core/memory.h"
#include "device/cuda_split.h"
#include "device/kernel_source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SHARED_BYTES_BY_DEFAULT = 48 * 1024, /* more has to be asked for, kernel by kernel */
    SHARED_BYTES_OF_SYSTEM = 1024        /* taken by the driver in every block, from compute capability 8.0 on */
};

/* ------------------------------------------------------------------------------------------ errors */

crp_status cuda_fail(cuda_gpu *gpu, cuda_result result, const char *format, ...)
{
    char what[512], text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return context_fail(gpu->base.context, CRP_ERR_DEVICE, "%s (%s): %s, while %s", gpu->base.info.label,
                        gpu->base.info.name, cuda_driver_error(&gpu->driver, result, text, sizeof text), what);
}

/* Return an error unless the driver's call succeeded. */
#define CUDA_TRY(gpu, call, ...)                              \
    do {                                                      \
        cuda_result cuda_try_result_ = (call);                \
        if (cuda_try_result_ != CUDA_SUCCESS) {               \
            return cuda_fail(gpu, cuda_try_result_, __VA_ARGS__); \
        }                                                     \
    } while (0)

static crp_status make_current(cuda_gpu *gpu)
{
    CUDA_TRY(gpu, gpu->driver.context_set_current(gpu->context), "entering its context");
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------ open and close */

static crp_status cuda_count(crp_context *context, uint32_t *n)
{
    cuda_driver driver;
    int found = 0;
    *n = 0;
    crp_status status = cuda_driver_open(context, &driver);
    if (status == CRP_OK) {
        driver.device_get_count(&found);
        *n = (uint32_t)found;
        cuda_driver_close(&driver);
    } else if (driver.is_absent) {
        status = CRP_OK;
    }
    return status;
}

static uint32_t device_attribute(cuda_gpu *gpu, int attribute)
{
    int value = 0;
    gpu->driver.device_get_attribute(&value, attribute, gpu->id);
    return value < 0 ? 0 : (uint32_t)value;
}

static void describe(cuda_gpu *gpu)
{
    device_info *info = &gpu->base.info;
    size_t total = 0;
    uint32_t major = device_attribute(gpu, CUDA_DEVICE_CAPABILITY_MAJOR);
    uint32_t minor = device_attribute(gpu, CUDA_DEVICE_CAPABILITY_MINOR);
    gpu->architecture = (int)(10 * major + minor);
    gpu->driver.device_get_name(info->name, (int)sizeof info->name, gpu->id);
    gpu->driver.device_total_mem(&total, gpu->id);
    info->memory_total = total < gpu->limit ? total : gpu->limit;
    info->n_units = device_attribute(gpu, CUDA_DEVICE_MULTIPROCESSOR_COUNT);
    info->local_memory = device_attribute(gpu, CUDA_DEVICE_SHARED_MEMORY_OF_BLOCK_OPTIN);
    info->local_memory_unit = device_attribute(gpu, CUDA_DEVICE_SHARED_MEMORY_OF_MULTIPROCESSOR);
    info->max_block = device_attribute(gpu, CUDA_DEVICE_MAX_THREADS_PER_BLOCK);
    info->has_fma = true;
    int n = snprintf(info->detail, sizeof info->detail, "compute capability %u.%u, driver for CUDA %d.%d", major,
                     minor, gpu->driver.version / 1000, gpu->driver.version % 1000 / 10);
    if (gpu->compiler.library != NULL) {
        n += snprintf(info->detail + n, sizeof info->detail - (size_t)n, ", NVRTC %d.%d", gpu->compiler.major,
                      gpu->compiler.minor);
    } else {
        n += snprintf(info->detail + n, sizeof info->detail - (size_t)n, ", no NVRTC");
    }
    if (kernel_ptx_texts[0].entry != NULL) {
        int version = kernel_ptx_version(kernel_ptx_texts[0].text);
        snprintf(info->detail + n, sizeof info->detail - (size_t)n, ", kernels of the build in PTX %d.%d", version / 10,
                 version % 10);
    }
}

/* A missing compiler is no error yet: a kernel may come from the build. */
static void find_compiler(cuda_gpu *gpu)
{
    if (nvrtc_open(gpu->base.context, gpu->driver.version / 1000, &gpu->compiler) != CRP_OK) {
        snprintf(gpu->no_compiler, sizeof gpu->no_compiler, "%s", crp_context_error(gpu->base.context));
        context_clear(gpu->base.context);
    }
}

crp_status cuda_ask_free_memory(cuda_gpu *gpu)
{
    size_t free_bytes = 0, total_bytes = 0;
    CUDA_TRY(gpu, gpu->driver.mem_get_info(&free_bytes, &total_bytes), "asking for its free memory");
    gpu->base.info.memory_free = free_bytes < gpu->limit ? free_bytes : gpu->limit;
    return CRP_OK;
}

/* What tests set: a GPU with less memory than it has, and a second part of a split launch on the same GPU. */
static void take_settings(cuda_gpu *gpu)
{
    const char *limit = getenv("CORPUSCLE_CUDA_MEMORY"), *twin = getenv("CORPUSCLE_CUDA_TWIN");
    gpu->limit = limit != NULL && limit[0] >= '0' && limit[0] <= '9' ? strtoull(limit, NULL, 10) : UINT64_MAX;
    if (twin != NULL && twin[0] == '1') {
        gpu->peers[gpu->n_peers++] = gpu->index;
    }
}

static crp_status start(cuda_gpu *gpu, uint32_t index)
{
    gpu->index = index;
    take_settings(gpu);
    CUDA_TRY(gpu, gpu->driver.device_get(&gpu->id, (int)index), "looking for GPU %u", index);
    find_compiler(gpu);
    describe(gpu);
    CUDA_TRY(gpu, gpu->driver.primary_context_retain(&gpu->context, gpu->id), "making its context");
    CRP_TRY(make_current(gpu));
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        CUDA_TRY(gpu, gpu->driver.stream_create(&gpu->stream[q], CUDA_STREAM_NON_BLOCKING), "making a stream");
        CUDA_TRY(gpu, gpu->driver.event_create(&gpu->begin[q], CUDA_EVENT_DEFAULT), "making an event");
        CUDA_TRY(gpu, gpu->driver.event_create(&gpu->end[q], CUDA_EVENT_DEFAULT), "making an event");
    }
    CUDA_TRY(gpu, gpu->driver.event_create(&gpu->opened, CUDA_EVENT_DEFAULT), "making an event");
    CUDA_TRY(gpu, gpu->driver.event_record(gpu->opened, gpu->stream[0]), "recording an event");
    return cuda_ask_free_memory(gpu);
}

static void cuda_close(device *d)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    cuda_split_destroy(gpu);
    if (gpu->context != NULL && gpu->driver.context_set_current(gpu->context) == CUDA_SUCCESS) {
        for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
            if (gpu->stream[q] != NULL) {
                gpu->driver.stream_synchronize(gpu->stream[q]);
                gpu->driver.stream_destroy(gpu->stream[q]);
            }
            if (gpu->begin[q] != NULL) {
                gpu->driver.event_destroy(gpu->begin[q]);
            }
            if (gpu->end[q] != NULL) {
                gpu->driver.event_destroy(gpu->end[q]);
            }
        }
        if (gpu->opened != NULL) {
            gpu->driver.event_destroy(gpu->opened);
        }
        gpu->driver.context_set_current(NULL);
    }
    if (gpu->context != NULL) {
        gpu->driver.primary_context_release(gpu->id);
    }
    nvrtc_close(&gpu->compiler);
    cuda_driver_close(&gpu->driver);
    free(gpu);
}

crp_status cuda_open_as(crp_context *context, uint32_t index, const device_ops *ops, size_t n_bytes, device **out)
{
    *out = NULL;
    cuda_gpu *gpu = calloc(1, n_bytes);
    CRP_CHECK(context, gpu != NULL, CRP_ERR_MEMORY, "not enough memory for a device");
    gpu->base.ops = ops;
    gpu->base.context = context;
    snprintf(gpu->base.info.kind, sizeof gpu->base.info.kind, "%s", ops->kind);
    snprintf(gpu->base.info.label, sizeof gpu->base.info.label, "%s:%u", ops->kind, index);
    crp_status status = cuda_driver_open(context, &gpu->driver);
    if (status == CRP_OK) {
        status = start(gpu, index);
    }
    if (status != CRP_OK) {
        cuda_close(&gpu->base);
        return status;
    }
    *out = &gpu->base;
    return CRP_OK;
}

static crp_status cuda_open(crp_context *context, uint32_t index, const device_options *options, device **out)
{
    (void)options;
    return cuda_open_as(context, index, &device_ops_cuda, sizeof(cuda_gpu), out);
}

static void cuda_meet(device *d, device *const *devices, uint32_t n)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    for (uint32_t i = 0; i < n && gpu->n_peers < CUDA_MAX_PEERS; i++) {
        if (devices[i]->ops == d->ops && devices[i] != d) {
            gpu->peers[gpu->n_peers++] = ((const cuda_gpu *)devices[i])->index;
        }
    }
}

static crp_status cuda_info(device *d, device_info *info)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    CRP_TRY(make_current(gpu));
    CRP_TRY(cuda_ask_free_memory(gpu));
    *info = d->info;
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------- memory */

static crp_status no_memory(cuda_gpu *gpu, cuda_result result, size_t n_bytes)
{
    const device_info *info = &gpu->base.info;
    size_t free_bytes = 0, total_bytes = 0;
    gpu->driver.mem_get_info(&free_bytes, &total_bytes);
    CRP_CHECK(gpu->base.context, result != CUDA_ERROR_OUT_OF_MEMORY, CRP_ERR_MEMORY,
              "%s (%s): not enough memory (%zu bytes needed, %zu available of %zu) use fewer bins, or another device", info->label,
              info->name, n_bytes, free_bytes, total_bytes);
    return cuda_fail(gpu, result, "asking for %zu bytes of memory", n_bytes);
}

cuda_result cuda_allocate(cuda_gpu *gpu, cuda_pointer *pointer, size_t n_bytes)
{
    gpu->driver.context_set_current(gpu->context);
    return n_bytes > gpu->limit ? CUDA_ERROR_OUT_OF_MEMORY : gpu->driver.mem_alloc(pointer, n_bytes > 0 ? n_bytes : 1);
}

/* The driver pages: what the GPU has no room for lies in the host's memory and crosses the bus when it is used. */
static cuda_result allocate_with_host(cuda_gpu *gpu, cuda_pointer *pointer, size_t n_bytes)
{
    const device_info *info = &gpu->base.info;
    if (!memory_suffices(n_bytes, NULL)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    cuda_ask_free_memory(gpu);
    cuda_result result = gpu->driver.mem_alloc_managed(pointer, n_bytes, CUDA_MEM_ATTACH_GLOBAL);
    if (result == CUDA_SUCCESS) {
        context_log(gpu->base.context, CRP_LOG_WARNING, "cuda",
                    "%s (%s) works in part in the host's memory, which is slow (a launch needs %.3g GB, of %.3g GB of the device "
                    "%.3g GB are free): prefer more memory, several devices in one run that reach each other's, or the device cpu",
                    info->label, info->name, (double)n_bytes * 1e-9, (double)info->memory_total * 1e-9,
                    (double)info->memory_free * 1e-9);
    }
    return result;
}

/* Where the GPU has no room: over several, when the buffer is used, else with the host. */
static cuda_result allocate_beyond(cuda_gpu *gpu, device_buffer *buffer)
{
    if (cuda_split_fits(gpu, buffer->n_bytes, &buffer->pointer)) {
        buffer->is_split = buffer->pointer == 0;
        return CUDA_SUCCESS;
    }
    make_current(gpu);
    return allocate_with_host(gpu, &buffer->pointer, buffer->n_bytes);
}

static crp_status give_host_memory(cuda_gpu *gpu, device_buffer *buffer)
{
    CRP_TRY(make_current(gpu));
    cuda_result result = allocate_with_host(gpu, &buffer->pointer, buffer->n_bytes);
    buffer->is_split = result != CUDA_SUCCESS;
    return result == CUDA_SUCCESS ? CRP_OK : no_memory(gpu, result, buffer->n_bytes);
}

static crp_status create(device *d, size_t n_bytes, bool may_use_host, device_buffer **out)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    *out = NULL;
    CRP_TRY(make_current(gpu));
    device_buffer *buffer = calloc(1, sizeof *buffer);
    CRP_CHECK(d->context, buffer != NULL, CRP_ERR_MEMORY, "not enough memory for a buffer");
    buffer->n_bytes = n_bytes;
    cuda_result result = cuda_allocate(gpu, &buffer->pointer, n_bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY && may_use_host) {
        result = allocate_beyond(gpu, buffer);
    }
    if (result != CUDA_SUCCESS) {
        free(buffer);
        return no_memory(gpu, result, n_bytes);
    }
    *out = buffer;
    return CRP_OK;
}

static crp_status cuda_buffer_create(device *d, size_t n_bytes, device_buffer **out)
{
    return create(d, n_bytes, false, out);
}

static crp_status cuda_scratch_create(device *d, size_t n_bytes, device_buffer **out)
{
    return create(d, n_bytes, true, out);
}

static void cuda_buffer_destroy(device *d, device_buffer *buffer)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    if (buffer != NULL) {
        gpu->driver.context_set_current(gpu->context);
        if (!buffer->is_split) {
            gpu->driver.mem_free(buffer->pointer); /* waits for what still uses it */
        }
        free(buffer);
    }
}

/* Every access to a buffer comes through here first. */
static crp_status begin_access(cuda_gpu *gpu, uint32_t queue, const device_buffer *buffer, size_t n_bytes)
{
    CRP_TRY(device_check_access(&gpu->base, queue, n_bytes, buffer->is_split ? 0 : buffer->n_bytes));
    return make_current(gpu);
}

static crp_status cuda_upload(device *d, uint32_t queue, device_buffer *buffer, const void *source, size_t n_bytes)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    CRP_TRY(begin_access(gpu, queue, buffer, n_bytes));
    if (n_bytes > 0) { /* from pageable memory: the driver has taken its copy when the call returns */
        CUDA_TRY(gpu, gpu->driver.memcpy_to_device(buffer->pointer, source, n_bytes, gpu->stream[queue]),
                 "copying %zu bytes to it", n_bytes);
    }
    return CRP_OK;
}

static crp_status cuda_zero(device *d, uint32_t queue, device_buffer *buffer, size_t n_bytes)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    CRP_TRY(begin_access(gpu, queue, buffer, n_bytes));
    if (n_bytes > 0) {
        CUDA_TRY(gpu, gpu->driver.memset_bytes(buffer->pointer, 0, n_bytes, gpu->stream[queue]), "zeroing %zu bytes",
                 n_bytes);
    }
    return CRP_OK;
}

/* Wait for a queue; what goes wrong inside a kernel comes to light here. */
static crp_status synchronize(cuda_gpu *gpu, uint32_t queue)
{
    if (cuda_split_is_on(gpu, queue)) {
        return cuda_split_wait(gpu);
    }
    CUDA_TRY(gpu, gpu->driver.stream_synchronize(gpu->stream[queue]), "waiting for %s",
             gpu->last[queue] == NULL ? "a copy" : gpu->last[queue]->entry);
    return CRP_OK;
}

static crp_status cuda_download(device *d, uint32_t queue, device_buffer *buffer, void *target, size_t n_bytes)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    CRP_TRY(begin_access(gpu, queue, buffer, n_bytes));
    if (n_bytes > 0) {
        CUDA_TRY(gpu, gpu->driver.memcpy_to_host(target, buffer->pointer, n_bytes, gpu->stream[queue]),
                 "copying %zu bytes from it (after %s)", n_bytes,
                 gpu->last[queue] == NULL ? "no kernel" : gpu->last[queue]->entry);
    }
    return synchronize(gpu, queue);
}

/* ------------------------------------------------------------------------------------------ launches */

/* Shared memory beyond the default must be allowed, and the cache carved so that the blocks wished for fit. */
static crp_status prepare_shared(cuda_gpu *gpu, device_kernel *kernel, uint32_t n_bytes)
{
    const device_info *info = &gpu->base.info;
    if (n_bytes <= kernel->dynamic_bytes) {
        return CRP_OK;
    }
    uint64_t of_block = (uint64_t)n_bytes + kernel->static_bytes;
    CRP_CHECK(gpu->base.context, of_block <= info->local_memory, CRP_ERR_DEVICE,
              "%s (%s): kernel %s needs %llu bytes of shared memory a block (the GPU has %u) use fewer bins",
              info->label, info->name, kernel->entry, (unsigned long long)of_block, info->local_memory);
    if (of_block > SHARED_BYTES_BY_DEFAULT) {
        CUDA_TRY(gpu,
                 gpu->driver.function_set_attribute(kernel->function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
                                                    (int)n_bytes),
                 "allowing %u bytes of shared memory for %s", n_bytes, kernel->entry);
    }
    if (kernel->blocks_per_unit > 0 && info->local_memory_unit > 0) {
        uint64_t wanted = kernel->blocks_per_unit * (of_block + SHARED_BYTES_OF_SYSTEM);
        uint64_t percent = (100 * wanted + info->local_memory_unit - 1) / info->local_memory_unit;
        gpu->driver.function_set_attribute(kernel->function, CUDA_FUNCTION_SHARED_CARVEOUT,
                                           percent > 100 ? 100 : (int)percent); /* a hint: may be refused */
    }
    kernel->dynamic_bytes = n_bytes;
    return CRP_OK;
}

crp_status cuda_start(cuda_gpu *gpu, uint32_t queue, device_kernel *kernel, const device_launch *launch, uint32_t grid,
                      bool is_cooperative, void **arguments)
{
    CRP_TRY(make_current(gpu));
    CRP_TRY(prepare_shared(gpu, kernel, launch->local_bytes));
    CUDA_TRY(gpu, gpu->driver.event_record(gpu->begin[queue], gpu->stream[queue]), "recording an event");
    CUDA_TRY(gpu,
             is_cooperative ? gpu->driver.launch_cooperative(kernel->function, grid, 1, 1, launch->block, 1, 1,
                                                             launch->local_bytes, gpu->stream[queue], arguments)
                            : gpu->driver.launch_kernel(kernel->function, grid, 1, 1, launch->block, 1, 1, launch->local_bytes,
                                                        gpu->stream[queue], arguments, NULL),
             "launching %s (%u blocks of %u threads, %u bytes of shared memory)", kernel->entry, grid, launch->block,
             launch->local_bytes);
    CUDA_TRY(gpu, gpu->driver.event_record(gpu->end[queue], gpu->stream[queue]), "recording an event");
    gpu->last[queue] = kernel;
    return CRP_OK;
}

static device_buffer *find_split(const device_launch *launch)
{
    for (uint32_t i = 0; i < launch->n_args; i++) {
        if (launch->args[i].kind != DEVICE_ARG_BYTES && launch->args[i].buffer->is_split) {
            return launch->args[i].buffer;
        }
    }
    return NULL;
}

static crp_status cuda_launch(device *d, uint32_t queue, device_kernel *kernel, const device_launch *launch)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    void *arguments[DEVICE_MAX_ARGS];
    CRP_TRY(device_check_launch(d, queue, kernel->entry, launch));
    device_buffer *scratch = find_split(launch);
    if (scratch != NULL && cuda_split_launch(gpu, queue, kernel, launch, scratch)) {
        return CRP_OK;
    }
    CRP_TRY(scratch != NULL ? give_host_memory(gpu, scratch) : CRP_OK);
    for (uint32_t i = 0; i < launch->n_args; i++) { /* the driver does not write there; its prototype lacks the const */
        const device_arg *arg = &launch->args[i];
        arguments[i] = arg->kind == DEVICE_ARG_BYTES ? (void *)(uintptr_t)arg->bytes : &arg->buffer->pointer;
    }
    return cuda_start(gpu, queue, kernel, launch, launch->grid, launch->is_cooperative, arguments);
}

static crp_status cuda_wait(device *d, uint32_t queue)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    CRP_TRY(device_check_access(d, queue, 0, 0));
    CRP_TRY(make_current(gpu));
    return synchronize(gpu, queue);
}

static double cuda_launch_seconds(device *d, uint32_t queue)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    float begin = 0, end = 0; /* ms */
    if (queue >= DEVICE_N_QUEUES || gpu->last[queue] == NULL || make_current(gpu) != CRP_OK ||
        gpu->driver.event_elapsed_time(&begin, gpu->opened, gpu->begin[queue]) != CUDA_SUCCESS ||
        gpu->driver.event_elapsed_time(&end, gpu->opened, gpu->end[queue]) != CUDA_SUCCESS) {
        return (double)NAN;
    }
    return device_count_busy(d, (double)begin * 1e-3, (double)end * 1e-3);
}

const device_ops device_ops_cuda = {
    .kind = "cuda",
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .info = cuda_info,
    .buffer_create = cuda_buffer_create,
    .scratch_create = cuda_scratch_create,
    .meet = cuda_meet,
    .buffer_destroy = cuda_buffer_destroy,
    .upload = cuda_upload,
    .zero = cuda_zero,
    .download = cuda_download,
    .kernel_create = cuda_kernel_create,
    .kernel_destroy = cuda_kernel_destroy,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .launch_seconds = cuda_launch_seconds,
};
