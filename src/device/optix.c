/* The OptiX device: a CUDA device whose kernels are pipelines of ray-tracing programs. Memory and queues are CUDA's. */
#include "device/optix.h"

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

crp_status optix_fail(optix_gpu *gpu, optix_result result, const char *format, ...)
{
    char what[512];
    const device_info *info = &gpu->cuda.base.info;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return context_fail(gpu->cuda.base.context, CRP_ERR_DEVICE, "%s (%s): %s (%d), while %s", info->label, info->name,
                        optix_library_error(&gpu->library, result), result, what);
}

/* What the library has to say, on the levels of our log: 1 and 2 are errors, which we report ourselves with their call.
 */
static void forward_log(unsigned level, const char *tag, const char *message, void *user)
{
    crp_context *context = user;
    int n = (int)strcspn(message, "\n"); /* the first of its lines says what it is about */
    context_log(context, level <= 2 ? CRP_LOG_WARNING : CRP_LOG_DEBUG, "optix", "[%s] %.*s", tag, n, message);
}

/* ------------------------------------------------------------------------------------ open and close */

static crp_status optix_count(crp_context *context, uint32_t *n)
{
    optix_library library;
    CRP_TRY(device_ops_cuda.count(context, n));
    if (*n == 0) {
        return CRP_OK;
    }
    if (optix_library_open(context, &library) != CRP_OK) {
        *n = 0; /* the message stays: a driver without it is no fault */
        return CRP_OK;
    }
    optix_library_close(&library);
    return CRP_OK;
}

static void describe(optix_gpu *gpu)
{
    device_info *info = &gpu->cuda.base.info;
    unsigned version = 0;
    size_t n = strlen(info->detail);
    gpu->library.context_property(gpu->tracer, OPTIX_PROPERTY_RT_VERSION, &version, sizeof version);
    n += (size_t)snprintf(info->detail + n, sizeof info->detail - n, ", OptiX %s (ABI %d), ", gpu->library.release,
                          gpu->library.abi);
    if (n < sizeof info->detail && version > 0) {
        snprintf(info->detail + n, sizeof info->detail - n, "ray-tracing units %u.%u", version / 10, version % 10);
    } else if (n < sizeof info->detail) {
        snprintf(info->detail + n, sizeof info->detail - n, "no ray-tracing units");
    }
}

static crp_status start(optix_gpu *gpu)
{
    cuda_gpu *cuda = &gpu->cuda;
    optix_context_options options = {.log = forward_log, .user = cuda->base.context, .level = 4};
    CRP_TRY(optix_library_open(cuda->base.context, &gpu->library));
    optix_result result = gpu->library.context_create(cuda->context, &options, &gpu->tracer);
    if (result != OPTIX_SUCCESS) {
        gpu->tracer = NULL;
        return optix_fail(gpu, result, "making its ray tracer");
    }
    describe(gpu);
    return CRP_OK;
}

static void optix_close(device *d)
{
    optix_gpu *gpu = (optix_gpu *)d;
    if (gpu->tracer != NULL && gpu->cuda.driver.context_set_current(gpu->cuda.context) == CUDA_SUCCESS) {
        for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
            gpu->cuda.driver.stream_synchronize(gpu->cuda.stream[q]);
        }
        gpu->library.context_destroy(gpu->tracer);
    }
    optix_library_close(&gpu->library);
    device_ops_cuda.close(d);
}

static crp_status optix_open(crp_context *context, uint32_t index, const device_options *options, device **out)
{
    (void)options;
    device *d = NULL;
    *out = NULL;
    CRP_TRY(cuda_open_as(context, index, &device_ops_optix, sizeof(optix_gpu), &d));
    crp_status status = start((optix_gpu *)d);
    if (status != CRP_OK) {
        optix_close(d);
        return status;
    }
    *out = d;
    return CRP_OK;
}

static crp_status optix_info(device *d, device_info *info)
{
    return device_ops_cuda.info(d, info);
}

/* -------------------------------------------------------------------------------------------- memory */

/* Begins as zeros: working memory that a launch leaves clean for the next is never cleared by the engine. */
static crp_status optix_buffer_create(device *d, size_t n_bytes, device_buffer **out)
{
    CRP_TRY(device_ops_cuda.buffer_create(d, n_bytes, out));
    crp_status status = device_ops_cuda.zero(d, 0, *out, n_bytes);
    if (status == CRP_OK) {
        status = device_ops_cuda.wait(d, 0);
    }
    if (status != CRP_OK) {
        device_ops_cuda.buffer_destroy(d, *out);
        *out = NULL;
    }
    return status;
}

static void optix_buffer_destroy(device *d, device_buffer *buffer)
{
    device_ops_cuda.buffer_destroy(d, buffer);
}

static crp_status optix_upload(device *d, uint32_t queue, device_buffer *buffer, const void *source, size_t n_bytes)
{
    return device_ops_cuda.upload(d, queue, buffer, source, n_bytes);
}

static crp_status optix_zero(device *d, uint32_t queue, device_buffer *buffer, size_t n_bytes)
{
    return device_ops_cuda.zero(d, queue, buffer, n_bytes);
}

static crp_status optix_download(device *d, uint32_t queue, device_buffer *buffer, void *target, size_t n_bytes)
{
    return device_ops_cuda.download(d, queue, buffer, target, n_bytes);
}

/* ------------------------------------------------------------------------------------------ launches */

size_t optix_pack_arguments(const device_launch *launch, optix_scene scene, cuda_pointer data,
                            unsigned char bytes[OPTIX_MAX_ARGUMENT_BYTES])
{
    size_t n = sizeof scene + sizeof data;
    memcpy(bytes, &scene, sizeof scene);
    memcpy(bytes + sizeof scene, &data, sizeof data);
    for (uint32_t i = 0; i < launch->n_args; i++) {
        const device_arg *arg = &launch->args[i];
        const void *from = arg->kind == DEVICE_ARG_BYTES ? arg->bytes : &arg->buffer->pointer;
        size_t size = arg->kind == DEVICE_ARG_BYTES ? arg->n_bytes : sizeof arg->buffer->pointer;
        if (n + size + 8 > OPTIX_MAX_ARGUMENT_BYTES) {
            return 0;
        }
        memset(bytes + n, 0, (size + 7) / 8 * 8);
        memcpy(bytes + n, from, size);
        n += (size + 7) / 8 * 8;
    }
    return n;
}

/* The kernel that follows has the arguments of the launch, and as many blocks of 256 threads as the GPU runs at once.
 */
static crp_status launch_after(optix_gpu *gpu, uint32_t queue, optix_kernel *kernel, const device_launch *launch)
{
    void *arguments[DEVICE_MAX_ARGS];
    if (kernel->after == NULL) {
        return CRP_OK;
    }
    for (uint32_t i = 0; i < launch->n_args; i++) {
        const device_arg *arg = &launch->args[i];
        arguments[i] = arg->kind == DEVICE_ARG_BYTES ? (void *)(uintptr_t)arg->bytes : &arg->buffer->pointer;
    }
    cuda_result result = gpu->cuda.driver.launch_kernel(kernel->after->function, 4 * gpu->cuda.base.info.n_units, 1, 1,
                                                        256, 1, 1, 0, gpu->cuda.stream[queue], arguments, NULL);
    return result == CUDA_SUCCESS ? CRP_OK : cuda_fail(&gpu->cuda, result, "launching %s", kernel->after->entry);
}

static crp_status optix_launch_rays(device *d, uint32_t queue, device_kernel *base, const device_launch *launch)
{
    optix_gpu *gpu = (optix_gpu *)d;
    optix_kernel *kernel = (optix_kernel *)base;
    const cuda_driver *driver = &gpu->cuda.driver;
    cuda_stream stream = gpu->cuda.stream[queue];
    unsigned char bytes[OPTIX_MAX_ARGUMENT_BYTES];
    CRP_TRY(device_check_launch(d, queue, base->entry, launch));
    size_t n = optix_pack_arguments(launch, kernel->scene, kernel->data, bytes);
    CRP_CHECK(d->context, n > 0, CRP_ERR_INTERNAL, "kernel %s: more arguments than fit", base->entry);
    driver->context_set_current(gpu->cuda.context);
    cuda_result result = driver->event_record(gpu->cuda.begin[queue], stream);
    if (result == CUDA_SUCCESS) {
        result = driver->memcpy_to_device(kernel->arguments[queue], bytes, n, stream);
    }
    if (result != CUDA_SUCCESS) {
        return cuda_fail(&gpu->cuda, result, "giving %s its arguments", base->entry);
    }
    optix_result traced =
        gpu->library.launch(kernel->pipelines[queue % OPTIX_PIPELINES], stream, kernel->arguments[queue], n,
                            &kernel->table, launch->grid * launch->block, 1, 1);
    if (traced != OPTIX_SUCCESS) {
        return optix_fail(gpu, traced, "launching %s (%u threads)", base->entry, launch->grid * launch->block);
    }
    CRP_TRY(launch_after(gpu, queue, kernel, launch));
    result = driver->event_record(gpu->cuda.end[queue], stream);
    if (result != CUDA_SUCCESS) {
        return cuda_fail(&gpu->cuda, result, "recording an event");
    }
    gpu->cuda.last[queue] = base;
    return CRP_OK;
}

static crp_status optix_wait(device *d, uint32_t queue)
{
    return device_ops_cuda.wait(d, queue);
}

static double optix_launch_seconds(device *d, uint32_t queue)
{
    return device_ops_cuda.launch_seconds(d, queue);
}

const device_ops device_ops_optix = {
    .kind = "optix",
    .count = optix_count,
    .open = optix_open,
    .close = optix_close,
    .info = optix_info,
    .buffer_create = optix_buffer_create,
    .buffer_destroy = optix_buffer_destroy,
    .upload = optix_upload,
    .zero = optix_zero,
    .download = optix_download,
    .kernel_create = optix_kernel_create,
    .kernel_destroy = optix_kernel_destroy,
    .launch = optix_launch_rays,
    .wait = optix_wait,
    .launch_seconds = optix_launch_seconds,
};
