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

/* Whether `joined` is the source's defines with one blank between them. */
static bool same_defines(const device_kernel_source *source, const char *joined)
{
    for (size_t i = 0; i < source->n_defines; i++) {
        size_t n = strlen(source->defines[i]);
        if (strncmp(joined, source->defines[i], n) != 0) {
            return false;
        }
        joined += n;
        if (i + 1 < source->n_defines && *joined++ != ' ') {
            return false;
        }
    }
    return *joined == '\0';
}

/* PTX of the build, compiled by the driver; false when there is none that fits or the driver refuses it. */
static bool load_embedded(cuda_gpu *gpu, const device_kernel_source *source, device_kernel *kernel)
{
    for (const kernel_ptx *ptx = kernel_ptx_texts; ptx->entry != NULL; ptx++) {
        if (strcmp(ptx->entry, source->entry) == 0 && ptx->math == source->math && same_defines(source, ptx->defines)) {
            char text[256];
            cuda_result result = load_image(gpu, ptx->text, kernel);
            context_log(gpu->base.context, result == CUDA_SUCCESS ? CRP_LOG_INFO : CRP_LOG_WARNING, "cuda",
                        "kernel %s: the PTX of the build, without NVRTC (%s)", kernel->entry,
                        cuda_driver_error(&gpu->driver, result, text, sizeof text));
            return result == CUDA_SUCCESS;
        }
    }
    return false;
}

static crp_status load_kernel(cuda_gpu *gpu, const device_kernel_source *source, const char *text,
                              device_kernel *kernel)
{
    char compiler[32], architecture[16], key[65];
    cuda_options options;
    if (gpu->compiler.library == NULL || !nvrtc_supports(&gpu->compiler, gpu->architecture)) {
        if (load_embedded(gpu, source, kernel)) {
            return CRP_OK;
        }
        CRP_CHECK(gpu->base.context, gpu->compiler.library != NULL, CRP_ERR_COMPILE, "%s: %s", gpu->base.info.label,
                  gpu->no_compiler);
    }
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
