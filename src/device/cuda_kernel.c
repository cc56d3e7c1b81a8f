/* From a kernel's source to a function on the GPU: disk cache, NVRTC, PTX of the build, in this order. */
#include "device/cuda.h"

#include "core/context.h"
#include "device/cuda_compile.h"
#include "device/kernel_cache.h"
#include "device/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Load an image and look up the entry; on failure nothing stays loaded. */
static cuda_result load_image(cuda_gpu *gpu, const void *image, device_kernel *kernel)
{
    char log[1024] = "";
    int options[] = {CUDA_JIT_ERROR_LOG_BUFFER, CUDA_JIT_ERROR_LOG_BUFFER_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log}; /* the driver takes the size in the pointer itself */
    cuda_result result = gpu->driver.module_load_data(&kernel->module, image, 2, options, values);
    if (result != CUDA_SUCCESS) {
        kernel->module = NULL;
        if (log[0] != '\0') {
            context_log(gpu->base.context, CRP_LOG_DEBUG, "cuda", "%s", log);
        }
        return result;
    }
    result = gpu->driver.module_get_function(&kernel->function, kernel->module, kernel->entry);
    if (result != CUDA_SUCCESS) {
        gpu->driver.module_unload(kernel->module);
        kernel->module = NULL;
    }
    return result;
}

/* The cached image, if there is one that the driver takes. */
static bool load_cached(cuda_gpu *gpu, const char *key, device_kernel *kernel)
{
    void *image;
    size_t n_bytes;
    char text[256];
    if (!kernel_cache_load(gpu->base.context, key, &image, &n_bytes)) {
        return false;
    }
    cuda_result result = load_image(gpu, image, kernel);
    free(image);
    if (result != CUDA_SUCCESS) {
        kernel_cache_remove(gpu->base.context, key, cuda_driver_error(&gpu->driver, result, text, sizeof text));
        return false;
    }
    context_log(gpu->base.context, CRP_LOG_DEBUG, "cuda", "kernel %s: from the cache", kernel->entry);
    return true;
}

static crp_status compile_and_load(cuda_gpu *gpu, const device_kernel_source *source, const char *text,
                                   const char *key, device_kernel *kernel)
{
    void *image;
    size_t n_bytes;
    char words[256];
    CRP_TRY(cuda_compile_text(gpu->base.context, &gpu->compiler, source, text, gpu->architecture, false, &image,
                              &n_bytes));
    context_log(gpu->base.context, CRP_LOG_DEBUG, "cuda", "kernel %s: compiled by NVRTC %d.%d, %zu bytes",
                kernel->entry, gpu->compiler.major, gpu->compiler.minor, n_bytes);
    cuda_result result = load_image(gpu, image, kernel);
    if (result == CUDA_SUCCESS) {
        kernel_cache_store(gpu->base.context, key, image, n_bytes);
    }
    free(image);
    CRP_CHECK(gpu->base.context, result == CUDA_SUCCESS, CRP_ERR_COMPILE,
              "%s: the driver (CUDA %d.%d) refuses kernel %s as compiled by NVRTC %d.%d (%s) update the driver, or name "
              "an older NVRTC in CORPUSCLE_NVRTC",
              gpu->base.info.label, gpu->driver.version / 1000, gpu->driver.version % 1000 / 10, kernel->entry,
              gpu->compiler.major, gpu->compiler.minor,
              cuda_driver_error(&gpu->driver, result, words, sizeof words));
    return CRP_OK;
}

/* PTX of the build, compiled by the driver. Fails with CRP_ERR_COMPILE when there is none that fits or the driver refuses
 * it; `why` (why it came to this) is part of the message. */
static crp_status load_embedded(cuda_gpu *gpu, const device_kernel_source *source, const char *why,
                                device_kernel *kernel)
{
    crp_context *context = gpu->base.context;
    const kernel_ptx *ptx = kernel_ptx_find(kernel_ptx_texts, source);
    char text[256];
    CRP_CHECK(context, ptx != NULL, CRP_ERR_COMPILE, "%s: %s (and this program was built without PTX for kernel %s)",
              gpu->base.info.label, why, source->entry);
    cuda_result result = load_image(gpu, ptx->text, kernel);
    if (result == CUDA_SUCCESS) {
        context_log(context, CRP_LOG_INFO, "cuda", "kernel %s: the PTX of the build is used (%s)", kernel->entry, why);
        return CRP_OK;
    }
    int needed = kernel_ptx_version(ptx->text);
    CRP_CHECK(context, result != CUDA_ERROR_UNSUPPORTED_PTX_VERSION, CRP_ERR_COMPILE,
              "%s: the driver (CUDA %d.%d) is too old for kernel %s as it was built into this program (in PTX %d.%d), and it "
              "cannot be compiled here: %s. Or update the driver",
              gpu->base.info.label, gpu->driver.version / 1000, gpu->driver.version % 1000 / 10, source->entry,
              needed / 10, needed % 10, why);
    return context_fail(context, CRP_ERR_COMPILE,
                        "%s: the driver (CUDA %d.%d) refuses kernel %s as it was built into this program (%s), and it cannot "
                        "be compiled here: %s",
                        gpu->base.info.label, gpu->driver.version / 1000, gpu->driver.version % 1000 / 10, source->entry,
                        cuda_driver_error(&gpu->driver, result, text, sizeof text), why);
}

/* From the cache, or by NVRTC. */
static crp_status load_compiled(cuda_gpu *gpu, const device_kernel_source *source, const char *text,
                                device_kernel *kernel)
{
    char compiler[32], architecture[16], key[65];
    cuda_options options;
    CRP_TRY(cuda_options_create(gpu->base.context, source, gpu->architecture, false, &options));
    snprintf(compiler, sizeof compiler, "NVRTC %d.%d", gpu->compiler.major, gpu->compiler.minor);
    snprintf(architecture, sizeof architecture, "sm_%d", gpu->architecture);
    kernel_cache_key(text, options.list, options.n, compiler, architecture, key);
    cuda_options_destroy(&options);
    if (load_cached(gpu, key, kernel)) {
        return CRP_OK;
    }
    return compile_and_load(gpu, source, text, key, kernel);
}

/* A compiler that is missing, too old for the GPU or fails leaves the PTX of the build. */
static crp_status load_kernel(cuda_gpu *gpu, const device_kernel_source *source, const char *text,
                              device_kernel *kernel)
{
    crp_context *context = gpu->base.context;
    if (gpu->compiler.library == NULL) {
        return load_embedded(gpu, source, gpu->no_compiler, kernel);
    }
    crp_status status = load_compiled(gpu, source, text, kernel);
    if (status != CRP_ERR_COMPILE || kernel_ptx_find(kernel_ptx_texts, source) == NULL) {
        return status;
    }
    char why[1400];
    snprintf(why, sizeof why, "%s", crp_context_error(context));
    context_log(context, CRP_LOG_WARNING, "cuda", "%s", why);
    CRP_TRY(load_embedded(gpu, source, why, kernel));
    context_clear(context);
    return CRP_OK;
}

static uint32_t function_attribute(cuda_gpu *gpu, const device_kernel *kernel, int attribute)
{
    int value = 0;
    gpu->driver.function_get_attribute(&value, attribute, kernel->function);
    return value < 0 ? 0 : (uint32_t)value;
}

crp_status cuda_kernel_create(device *d, const device_kernel_source *source, device_kernel **out)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    char *text = NULL;
    crp_status status;
    *out = NULL;
    gpu->driver.context_set_current(gpu->context);
    device_kernel *kernel = calloc(1, sizeof *kernel);
    CRP_CHECK(d->context, kernel != NULL, CRP_ERR_MEMORY, "not enough memory for a kernel");
    snprintf(kernel->entry, sizeof kernel->entry, "%s", source->entry);
    kernel->blocks_per_unit = source->blocks_per_unit;
    kernel->source = source->can_split ? source : NULL;
    CRP_GOTO(kernel_source_flatten(d->context, source->file, &text), failed);
    CRP_GOTO(load_kernel(gpu, source, text, kernel), failed);
    free(text);
    kernel->static_bytes = function_attribute(gpu, kernel, CUDA_FUNCTION_SHARED_BYTES);
    context_log(d->context, CRP_LOG_DEBUG, "cuda",
                "kernel %s: %u registers, %u bytes of local memory a thread, %u bytes of static shared memory",
                kernel->entry, function_attribute(gpu, kernel, CUDA_FUNCTION_REGISTERS),
                function_attribute(gpu, kernel, CUDA_FUNCTION_LOCAL_BYTES), kernel->static_bytes);
    *out = kernel;
    return CRP_OK;
failed:
    free(text);
    free(kernel);
    return status;
}

void cuda_kernel_destroy(device *d, device_kernel *kernel)
{
    cuda_gpu *gpu = (cuda_gpu *)d;
    if (kernel == NULL) {
        return;
    }
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        if (gpu->last[q] == kernel) {
            gpu->last[q] = NULL;
        }
    }
    gpu->driver.context_set_current(gpu->context);
    gpu->driver.module_unload(kernel->module);
    free(kernel);
}
