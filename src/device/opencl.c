/* The OpenCL device: memory, queues and launches in the terms of OpenCL 1.2. */
#include "device/opencl.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64, BLOCKING = 1 };

crp_status opencl_fail(opencl_gpu *gpu, opencl_int result, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return context_fail(gpu->base.context, CRP_ERR_DEVICE, "%s (%s): %s, while %s", gpu->base.info.label,
                        gpu->base.info.name, opencl_error(result), what);
}

/* ------------------------------------------------------------------------------------ open and close */

/* All devices of all platforms, in the loader's order: the numbers that users see. */
static crp_status find_devices(crp_context *context, const opencl_library *cl, opencl_device_id *devices,
                               opencl_platform *platforms_of, uint32_t *n)
{
    opencl_platform platforms[MAX_PLATFORMS];
    opencl_uint n_platforms = 0;
    *n = 0;
    opencl_int result = cl->get_platform_ids(MAX_PLATFORMS, platforms, &n_platforms);
    if (result == OPENCL_PLATFORM_NOT_FOUND) {
        n_platforms = 0;
    } else if (result != OPENCL_SUCCESS) {
        return context_fail(context, CRP_ERR_DEVICE, "the OpenCL library does not start (%s)", opencl_error(result));
    }
    CRP_CHECK(context, n_platforms > 0, CRP_ERR_DEVICE,
              "an OpenCL library but no platform (no driver is registered in /etc/OpenCL/vendors) install one, for "
              "example pocl-opencl-icd");
    for (opencl_uint p = 0; p < n_platforms && p < MAX_PLATFORMS; p++) {
        opencl_uint found = 0;
        if (cl->get_device_ids(platforms[p], OPENCL_DEVICE_TYPE_ALL, MAX_DEVICES - *n, devices + *n, &found) !=
            OPENCL_SUCCESS) {
            continue; /* a platform without devices */
        }
        for (opencl_uint i = 0; i < found && *n < MAX_DEVICES; i++) {
            platforms_of[(*n)++] = platforms[p];
        }
    }
    CRP_CHECK(context, *n > 0, CRP_ERR_DEVICE, "%u OpenCL platforms but no device", n_platforms);
    return CRP_OK;
}

static crp_status opencl_count(crp_context *context, uint32_t *n)
{
    opencl_library library;
    opencl_device_id devices[MAX_DEVICES];
    opencl_platform platforms[MAX_DEVICES];
    *n = 0;
    if (opencl_library_open(context, &library) == CRP_OK &&
        find_devices(context, &library, devices, platforms, n) != CRP_OK) {
        *n = 0;
    }
    return CRP_OK;
}

/* A number of the device's description; 0 where it cannot be had. */
static uint64_t device_number(const opencl_gpu *gpu, opencl_uint what)
{
    uint64_t value = 0;
    size_t n_used = 0; /* tells 32-bit numbers from 64-bit ones, whatever the byte order */
    unsigned char bytes[8] = {0};
    if (gpu->library.get_device_info(gpu->id, what, sizeof bytes, bytes, &n_used) != OPENCL_SUCCESS) {
        return 0;
    }
    if (n_used == sizeof(uint32_t)) {
        uint32_t narrow;
        memcpy(&narrow, bytes, sizeof narrow);
        return narrow;
    }
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void device_text(const opencl_gpu *gpu, opencl_uint what, char *text, size_t n_text)
{
    char whole[1024] = "";
    gpu->library.get_device_info(gpu->id, what, sizeof whole - 1, whole, NULL);
    snprintf(text, n_text, "%s", whole);
}

static void describe(opencl_gpu *gpu, opencl_platform platform)
{
    device_info *info = &gpu->base.info;
    char platform_name[100] = "", driver[60], version[60];
    gpu->library.get_platform_info(platform, OPENCL_PLATFORM_NAME, sizeof platform_name - 1, platform_name, NULL);
    device_text(gpu, OPENCL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(gpu, OPENCL_DRIVER_VERSION, driver, sizeof driver);
    device_text(gpu, OPENCL_DEVICE_VERSION, version, sizeof version);
    snprintf(info->detail, sizeof info->detail, "%s, driver %s, %s", platform_name, driver, version);
    info->memory_total = device_number(gpu, OPENCL_DEVICE_GLOBAL_MEM_SIZE);
    info->memory_free = info->memory_total; /* OpenCL does not tell */
    info->n_units = (uint32_t)device_number(gpu, OPENCL_DEVICE_MAX_COMPUTE_UNITS);
    uint64_t local = device_number(gpu, OPENCL_DEVICE_LOCAL_MEM_SIZE);
    info->local_memory = local > UINT32_MAX ? UINT32_MAX : (uint32_t)local;
    info->local_memory_unit = info->local_memory;
    info->max_block = (uint32_t)device_number(gpu, OPENCL_DEVICE_MAX_WORK_GROUP_SIZE);
    gpu->float_config = device_number(gpu, OPENCL_DEVICE_SINGLE_FP_CONFIG);
    gpu->largest_buffer = device_number(gpu, OPENCL_DEVICE_MAX_MEM_ALLOC_SIZE);
    gpu->largest_arguments = (size_t)device_number(gpu, OPENCL_DEVICE_MAX_PARAMETER_SIZE);
    info->has_fma = (gpu->float_config & OPENCL_FP_FMA) != 0;
}

static bool has_extension(const opencl_gpu *gpu, const char *wanted)
{
    size_t n = 0;
    bool found = false;
    if (gpu->library.get_device_info(gpu->id, OPENCL_DEVICE_EXTENSIONS, 0, NULL, &n) != OPENCL_SUCCESS) {
        return false;
    }
    char *list = calloc(n + 1, 1);
    if (list != NULL &&
        gpu->library.get_device_info(gpu->id, OPENCL_DEVICE_EXTENSIONS, n, list, NULL) == OPENCL_SUCCESS) {
        for (char *rest = NULL, *word = strtok_r(list, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
            found = found || strcmp(word, wanted) == 0;
        }
    }
    free(list);
    return found;
}

static crp_status start(opencl_gpu *gpu, uint32_t index)
{
    opencl_device_id devices[MAX_DEVICES];
    opencl_platform platforms[MAX_DEVICES];
    uint32_t n;
    opencl_int result = OPENCL_SUCCESS;
    const device_info *info = &gpu->base.info;
    crp_context *context = gpu->base.context;
    CRP_TRY(opencl_library_open(context, &gpu->library));
    CRP_TRY(find_devices(context, &gpu->library, devices, platforms, &n));
    CRP_CHECK(context, index < n, CRP_ERR_DEVICE, "there is no opencl:%u (devices found: %u)", index, n);
    gpu->id = devices[index];
    describe(gpu, platforms[index]);
    CRP_CHECK(context, device_number(gpu, OPENCL_DEVICE_AVAILABLE) != 0, CRP_ERR_DEVICE,
              "%s (%s): the device is not available (another program may hold it)", info->label, info->name);
    CRP_CHECK(context, device_number(gpu, OPENCL_DEVICE_COMPILER_AVAILABLE) != 0, CRP_ERR_UNSUPPORTED,
              "%s (%s): the driver has no compiler, and kernels are compiled at run time", info->label, info->name);
    CRP_CHECK(context, has_extension(gpu, "cl_khr_int64_base_atomics"), CRP_ERR_UNSUPPORTED,
              "%s (%s): no 64-bit integer atomics (the extension cl_khr_int64_base_atomics is missing, and tallies are "
              "64-bit integers) use another device", info->label, info->name);
    gpu->context = gpu->library.create_context(NULL, 1, &gpu->id, NULL, NULL, &result);
    OPENCL_TRY(gpu, result, "making its context");
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        gpu->queue[q] = gpu->library.create_command_queue(gpu->context, gpu->id, OPENCL_QUEUE_PROFILING_ENABLE, &result);
        OPENCL_TRY(gpu, result, "making a queue");
    }
    return CRP_OK;
}

static void opencl_close(device *d)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        if (gpu->queue[q] != NULL) {
            gpu->library.finish(gpu->queue[q]);
        }
        if (gpu->event[q] != NULL) {
            gpu->library.release_event(gpu->event[q]);
        }
        if (gpu->queue[q] != NULL) {
            gpu->library.release_command_queue(gpu->queue[q]);
        }
    }
    if (gpu->context != NULL) {
        gpu->library.release_context(gpu->context);
    }
    free(gpu); /* the library stays in memory: drivers keep threads of their own */
}

static crp_status opencl_open(crp_context *context, uint32_t index, const device_options *options, device **out)
{
    (void)options;
    *out = NULL;
    opencl_gpu *gpu = calloc(1, sizeof *gpu);
    CRP_CHECK(context, gpu != NULL, CRP_ERR_MEMORY, "not enough memory for a device");
    gpu->base.ops = &device_ops_opencl;
    gpu->base.context = context;
    snprintf(gpu->base.info.kind, sizeof gpu->base.info.kind, "opencl");
    snprintf(gpu->base.info.label, sizeof gpu->base.info.label, "opencl:%u", index);
    crp_status status = start(gpu, index);
    if (status != CRP_OK) {
        opencl_close(&gpu->base);
        return status;
    }
    *out = &gpu->base;
    return CRP_OK;
}

static crp_status opencl_info(device *d, device_info *info)
{
    *info = d->info;
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------- memory */

static crp_status fail_memory(opencl_gpu *gpu, size_t n_bytes)
{
    const device_info *info = &gpu->base.info;
    return context_fail(gpu->base.context, CRP_ERR_MEMORY,
                        "%s (%s): not enough memory (%zu bytes needed, at most %llu available to one buffer, %llu in "
                        "all) use fewer bins, or another device", info->label, info->name, n_bytes,
                        (unsigned long long)gpu->largest_buffer, (unsigned long long)info->memory_total);
}

static crp_status opencl_buffer_create(device *d, size_t n_bytes, device_buffer **out)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    opencl_int result = OPENCL_SUCCESS;
    *out = NULL;
    if (gpu->largest_buffer > 0 && n_bytes > gpu->largest_buffer) {
        return fail_memory(gpu, n_bytes);
    }
    device_buffer *buffer = calloc(1, sizeof *buffer);
    CRP_CHECK(d->context, buffer != NULL, CRP_ERR_MEMORY, "not enough memory for a buffer");
    buffer->n_bytes = n_bytes;
    buffer->memory = gpu->library.create_buffer(gpu->context, OPENCL_MEM_READ_WRITE, n_bytes > 0 ? n_bytes : 1, NULL,
                                                &result);
    if (result != OPENCL_SUCCESS) {
        free(buffer);
        if (result == OPENCL_MEM_OBJECT_ALLOCATION_FAILURE || result == OPENCL_OUT_OF_RESOURCES ||
            result == OPENCL_OUT_OF_HOST_MEMORY || result == OPENCL_INVALID_BUFFER_SIZE) {
            return fail_memory(gpu, n_bytes);
        }
        return opencl_fail(gpu, result, "asking for %zu bytes of memory", n_bytes);
    }
    *out = buffer;
    return CRP_OK;
}

static void opencl_buffer_destroy(device *d, device_buffer *buffer)
{
    if (buffer != NULL) {
        ((opencl_gpu *)d)->library.release_mem_object(buffer->memory);
        free(buffer);
    }
}

static crp_status opencl_upload(device *d, uint32_t queue, device_buffer *buffer, const void *source, size_t n_bytes)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    if (n_bytes > 0) { /* blocking: the caller may change its copy at once */
        OPENCL_TRY(gpu,
                   gpu->library.enqueue_write_buffer(gpu->queue[queue], buffer->memory, BLOCKING, 0, n_bytes, source, 0,
                                                     NULL, NULL),
                   "copying %zu bytes to it", n_bytes);
    }
    return CRP_OK;
}

static crp_status opencl_zero(device *d, uint32_t queue, device_buffer *buffer, size_t n_bytes)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    const unsigned char pattern = 0;
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    if (n_bytes > 0) {
        OPENCL_TRY(gpu,
                   gpu->library.enqueue_fill_buffer(gpu->queue[queue], buffer->memory, &pattern, sizeof pattern, 0,
                                                    n_bytes, 0, NULL, NULL),
                   "zeroing %zu bytes", n_bytes);
    }
    return CRP_OK;
}

static crp_status opencl_wait(device *d, uint32_t queue)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    CRP_TRY(device_check_access(d, queue, 0, 0));
    OPENCL_TRY(gpu, gpu->library.finish(gpu->queue[queue]), "waiting for a kernel");
    return CRP_OK;
}

static crp_status opencl_download(device *d, uint32_t queue, device_buffer *buffer, void *target, size_t n_bytes)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    if (n_bytes > 0) {
        OPENCL_TRY(gpu,
                   gpu->library.enqueue_read_buffer(gpu->queue[queue], buffer->memory, BLOCKING, 0, n_bytes, target, 0,
                                                    NULL, NULL),
                   "copying %zu bytes from it", n_bytes);
    }
    return opencl_wait(d, queue);
}

/* ------------------------------------------------------------------------------------------ launches */

static crp_status set_arguments(opencl_gpu *gpu, const device_kernel *kernel, const device_launch *launch)
{
    size_t n_total = 0;
    for (uint32_t i = 0; i < launch->n_args; i++) {
        const device_arg *arg = &launch->args[i];
        bool by_value = arg->kind == DEVICE_ARG_BYTES;
        size_t n_bytes = by_value ? arg->n_bytes : sizeof arg->buffer->memory;
        n_total += n_bytes;
        OPENCL_TRY(gpu,
                   gpu->library.set_kernel_arg(kernel->kernel, i, n_bytes,
                                               by_value ? arg->bytes : (const void *)&arg->buffer->memory),
                   "setting argument %u of kernel %s (%zu bytes; %zu of at most %zu for all)", i, kernel->entry,
                   n_bytes, n_total, gpu->largest_arguments);
    }
    if (launch->local_bytes > 0) {
        OPENCL_TRY(gpu, gpu->library.set_kernel_arg(kernel->kernel, launch->n_args, launch->local_bytes, NULL),
                   "giving %u bytes of local memory to kernel %s (the device has %u)", launch->local_bytes,
                   kernel->entry, gpu->base.info.local_memory);
    }
    return CRP_OK;
}

static crp_status opencl_launch(device *d, uint32_t queue, device_kernel *kernel, const device_launch *launch)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    const size_t global = (size_t)launch->grid * launch->block, local = launch->block;
    CRP_TRY(device_check_launch(d, queue, kernel->entry, launch));
    CRP_CHECK(d->context, local <= kernel->largest_block, CRP_ERR_DEVICE,
              "%s (%s): kernel %s runs with at most %zu threads a block (%zu asked for)", d->info.label, d->info.name,
              kernel->entry, kernel->largest_block, local);
    CRP_CHECK(d->context, launch->local_bytes <= d->info.local_memory, CRP_ERR_DEVICE,
              "%s (%s): kernel %s needs %u bytes of local memory a block (the device has %u) use fewer bins",
              d->info.label, d->info.name, kernel->entry, launch->local_bytes, d->info.local_memory);
    CRP_TRY(set_arguments(gpu, kernel, launch));
    if (gpu->event[queue] != NULL) {
        gpu->library.release_event(gpu->event[queue]);
        gpu->event[queue] = NULL;
    }
    OPENCL_TRY(gpu,
               gpu->library.enqueue_nd_range_kernel(gpu->queue[queue], kernel->kernel, 1, NULL, &global, &local, 0,
                                                    NULL, &gpu->event[queue]),
               "launching %s (%u blocks of %u threads, %u bytes of local memory)", kernel->entry, launch->grid,
               launch->block, launch->local_bytes);
    OPENCL_TRY(gpu, gpu->library.flush(gpu->queue[queue]), "starting %s", kernel->entry);
    return CRP_OK;
}

static double opencl_launch_seconds(device *d, uint32_t queue)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    uint64_t begin = 0, end = 0; /* ns */
    if (queue >= DEVICE_N_QUEUES || gpu->event[queue] == NULL ||
        gpu->library.get_event_profiling_info(gpu->event[queue], OPENCL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                              NULL) != OPENCL_SUCCESS ||
        gpu->library.get_event_profiling_info(gpu->event[queue], OPENCL_PROFILING_COMMAND_END, sizeof end, &end,
                                              NULL) != OPENCL_SUCCESS ||
        end < begin) {
        return (double)NAN;
    }
    return device_count_busy(d, (double)begin * 1e-9, (double)end * 1e-9);
}

const device_ops device_ops_opencl = {
    .kind = "opencl",
    .count = opencl_count,
    .open = opencl_open,
    .close = opencl_close,
    .info = opencl_info,
    .buffer_create = opencl_buffer_create,
    .buffer_destroy = opencl_buffer_destroy,
    .upload = opencl_upload,
    .zero = opencl_zero,
    .download = opencl_download,
    .kernel_create = opencl_kernel_create,
    .kernel_destroy = opencl_kernel_destroy,
    .launch = opencl_launch,
    .wait = opencl_wait,
    .launch_seconds = opencl_launch_seconds,
};
