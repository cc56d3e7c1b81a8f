/* From a kernel's source to an OpenCL kernel; the driver's own cache, where it has one, keeps what was built. */
#include "device/opencl.h"

#include "core/context.h"
#include "device/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char strict_options[] = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DCK_STRICT=1";
static const char fast_options[] = "-cl-std=CL1.2 -cl-fast-relaxed-math -DCK_STRICT=0";

static crp_status write_options(opencl_gpu *gpu, const device_kernel_source *source, char **options)
{
    const char *fixed = source->math == CRP_MATH_STRICT ? strict_options : fast_options;
    size_t n = strlen(fixed) + 64;
    for (size_t i = 0; i < source->n_defines; i++) {
        n += strlen(source->defines[i]) + 4;
    }
    *options = malloc(n);
    CRP_CHECK(gpu->base.context, *options != NULL, CRP_ERR_MEMORY, "not enough memory for the options of a kernel");
    int used = snprintf(*options, n, "%s", fixed);
    if (source->block > 0) {
        used += snprintf(*options + used, n - (size_t)used, " -DCK_BLOCK=%u", source->block);
    }
    if (source->blocks_per_unit > 0) {
        used += snprintf(*options + used, n - (size_t)used, " -DCK_BLOCKS_PER_UNIT=%u", source->blocks_per_unit);
    }
    for (size_t i = 0; i < source->n_defines; i++) {
        used += snprintf(*options + used, n - (size_t)used, " -D%s", source->defines[i]);
    }
    return CRP_OK;
}

/* The compiler's log, line by line, and the beginning of it for the message. */
static void log_program(opencl_gpu *gpu, opencl_program program, crp_log_level level, char *head, size_t n_head)
{
    size_t n = 0;
    head[0] = '\0';
    if (gpu->library.get_program_build_info(program, gpu->id, OPENCL_PROGRAM_BUILD_LOG, 0, NULL, &n) !=
            OPENCL_SUCCESS || n <= 1) {
        return;
    }
    char *log = calloc(n + 1, 1);
    if (log == NULL || gpu->library.get_program_build_info(program, gpu->id, OPENCL_PROGRAM_BUILD_LOG, n, log, NULL) !=
                           OPENCL_SUCCESS) {
        free(log);
        return;
    }
    snprintf(head, n_head, "%s", log);
    for (char *rest = NULL, *line = strtok_r(log, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        context_log(gpu->base.context, level, "opencl", "%s", line);
    }
    free(log);
}

static crp_status build(opencl_gpu *gpu, const device_kernel_source *source, const char *text, const char *options,
                        device_kernel *kernel)
{
    const opencl_library *cl = &gpu->library;
    opencl_int result = OPENCL_SUCCESS;
    char head[1400];
    kernel->program = cl->create_program_with_source(gpu->context, 1, &text, NULL, &result);
    OPENCL_TRY(gpu, result, "taking the source of kernel %s", source->entry);
    result = cl->build_program(kernel->program, 1, &gpu->id, options, NULL, NULL);
    log_program(gpu, kernel->program, result == OPENCL_SUCCESS ? CRP_LOG_DEBUG : CRP_LOG_ERROR, head, sizeof head);
    CRP_CHECK(gpu->base.context, result == OPENCL_SUCCESS, CRP_ERR_COMPILE,
              "%s (%s): kernel %s (%s) was not compiled (%s)%s%s", gpu->base.info.label, gpu->base.info.name,
              source->entry, kernel_source_label(source), opencl_error(result), head[0] == '\0' ? "" : ":\n", head);
    kernel->kernel = cl->create_kernel(kernel->program, source->entry, &result);
    OPENCL_TRY(gpu, result, "looking for kernel %s in %s", source->entry, kernel_source_label(source));
    OPENCL_TRY(gpu,
               cl->get_kernel_work_group_info(kernel->kernel, gpu->id, OPENCL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof kernel->largest_block, &kernel->largest_block, NULL),
               "asking for the largest block of kernel %s", source->entry);
    return CRP_OK;
}

static crp_status check_math(opencl_gpu *gpu, const device_kernel_source *source)
{
    if (source->math != CRP_MATH_STRICT) {
        return CRP_OK;
    }
    CRP_CHECK(gpu->base.context, (gpu->float_config & OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0,
              CRP_ERR_UNSUPPORTED,
              "%s (%s): no strict math (the device cannot round single-precision division and square root correctly) "
              "use fast math, or another device", gpu->base.info.label, gpu->base.info.name);
    if ((gpu->float_config & OPENCL_FP_DENORM) == 0) {
        context_log(gpu->base.context, CRP_LOG_WARNING, "opencl",
                    "%s flushes subnormal numbers to zero: digests may differ from other devices'",
                    gpu->base.info.label);
    }
    return CRP_OK;
}

crp_status opencl_kernel_create(device *d, const device_kernel_source *source, device_kernel **out)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    char *text = NULL, *options = NULL;
    crp_status status;
    *out = NULL;
    CRP_TRY(check_math(gpu, source));
    device_kernel *kernel = calloc(1, sizeof *kernel);
    CRP_CHECK(d->context, kernel != NULL, CRP_ERR_MEMORY, "not enough memory for a kernel");
    snprintf(kernel->entry, sizeof kernel->entry, "%s", source->entry);
    CRP_GOTO(kernel_source_flatten(d->context, source->file, &text), done);
    CRP_GOTO(write_options(gpu, source, &options), done);
    status = build(gpu, source, text, options, kernel);
done:
    free(text);
    free(options);
    if (status != CRP_OK) {
        opencl_kernel_destroy(d, kernel);
        return status;
    }
    *out = kernel;
    return CRP_OK;
}

void opencl_kernel_destroy(device *d, device_kernel *kernel)
{
    opencl_gpu *gpu = (opencl_gpu *)d;
    if (kernel == NULL) {
        return;
    }
    if (kernel->kernel != NULL) {
        gpu->library.release_kernel(kernel->kernel);
    }
    if (kernel->program != NULL) {
        gpu->library.release_program(kernel->program);
    }
    free(kernel);
}
