/* Kernel source to PTX or cubin by NVRTC: options of the two maths, messages, the log of the compiler. */
#include "device/cuda_compile.h"

#include "core/context.h"
#include "device/kernel_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const strict_options[] = {"-fmad=false",    "-prec-div=true", "-prec-sqrt=true",
                                             "-ftz=false",     "-DCK_STRICT=1",  "-std=c++17",
                                             "-default-device"};
static const char *const fast_options[] = {"-use_fast_math", "-DCK_STRICT=0", "-std=c++17", "-default-device"};

enum { MAX_FIXED = 16, OPTION_BYTES = 64 };

/* "-D" and the define into the memory at *next. */
static const char *write_define(char **next, const char *define)
{
    char *start = *next;
    size_t n = strlen(define);
    memcpy(start, "-D", 2);
    memcpy(start + 2, define, n + 1);
    *next = start + n + 3;
    return start;
}

crp_status cuda_options_create(crp_context *context, const device_kernel_source *source, int architecture,
                               bool want_ptx, cuda_options *out)
{
    bool strict = source->math == CRP_MATH_STRICT;
    const char *const *fixed = strict ? strict_options : fast_options;
    size_t n_fixed = strict ? sizeof strict_options / sizeof *fixed : sizeof fast_options / sizeof *fixed;
    size_t n_memory = 3 * OPTION_BYTES;
    char number[OPTION_BYTES];
    for (size_t i = 0; i < source->n_defines; i++) {
        n_memory += strlen(source->defines[i]) + 3;
    }
    *out = (cuda_options){.list = malloc((MAX_FIXED + source->n_defines) * sizeof *out->list),
                          .memory = malloc(n_memory)};
    if (out->list == NULL || out->memory == NULL) {
        cuda_options_destroy(out);
        return context_fail(context, CRP_ERR_MEMORY, "not enough memory for the options of a kernel");
    }
    char *next = out->memory;
    next += snprintf(next, OPTION_BYTES, "--gpu-architecture=%s_%d", want_ptx ? "compute" : "sm", architecture) + 1;
    out->list[out->n++] = out->memory;
    for (size_t i = 0; i < n_fixed; i++) {
        out->list[out->n++] = fixed[i];
    }
    if (source->block > 0) {
        snprintf(number, sizeof number, "CK_BLOCK=%u", source->block);
        out->list[out->n++] = write_define(&next, number);
    }
    if (source->blocks_per_unit > 0) {
        snprintf(number, sizeof number, "CK_BLOCKS_PER_UNIT=%u", source->blocks_per_unit);
        out->list[out->n++] = write_define(&next, number);
    }
    for (size_t i = 0; i < source->n_defines; i++) {
        out->list[out->n++] = write_define(&next, source->defines[i]);
    }
    return CRP_OK;
}

void cuda_options_destroy(cuda_options *options)
{
    free(options->list);
    free(options->memory);
    *options = (cuda_options){0};
}

/* The whole of the compiler's log, line by line; its first lines also into `head` for the message. */
static void log_program(crp_context *context, const nvrtc *compiler, nvrtc_program program, crp_log_level level,
                        char *head, size_t n_head)
{
    size_t n = 0;
    head[0] = '\0';
    if (compiler->get_program_log_size(program, &n) != 0 || n <= 1) {
        return;
    }
    char *log = calloc(n + 1, 1);
    if (log == NULL || compiler->get_program_log(program, log) != 0) {
        free(log);
        return;
    }
    snprintf(head, n_head, "%s", log);
    for (char *rest = NULL, *line = strtok_r(log, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        context_log(context, level, "nvrtc", "%s", line);
    }
    free(log);
}

static crp_status take_image(crp_context *context, const nvrtc *compiler, nvrtc_program program, bool want_ptx,
                             void **image, size_t *n_bytes)
{
    int result = want_ptx ? compiler->get_ptx_size(program, n_bytes) : compiler->get_cubin_size(program, n_bytes);
    if (result == 0) {
        *image = malloc(*n_bytes);
        CRP_CHECK(context, *image != NULL, CRP_ERR_MEMORY, "not enough memory for a compiled kernel (%zu bytes)",
                  *n_bytes);
        result = want_ptx ? compiler->get_ptx(program, *image) : compiler->get_cubin(program, *image);
    }
    if (result != 0) {
        free(*image);
        *image = NULL;
        return context_fail(context, CRP_ERR_COMPILE, "NVRTC %d.%d gave no %s (%s)", compiler->major, compiler->minor,
                            want_ptx ? "PTX" : "cubin", compiler->get_error_string(result));
    }
    return CRP_OK;
}

crp_status cuda_compile_text(crp_context *context, const nvrtc *compiler, const device_kernel_source *source,
                             const char *text, int architecture, bool want_ptx, void **image, size_t *n_bytes)
{
    cuda_options options = {0};
    nvrtc_program program = NULL;
    char head[1400] = "";
    crp_status status;
    *image = NULL;
    *n_bytes = 0;
    CRP_CHECK(context, nvrtc_supports(compiler, architecture), CRP_ERR_COMPILE,
              "NVRTC %d.%d (%s) cannot compile for compute capability %d.%d (it is too %s for this GPU) install another "
              "version of NVRTC, or name it in CORPUSCLE_NVRTC",
              compiler->major, compiler->minor, compiler->path, architecture / 10, architecture % 10,
              architecture < 75 ? "new" : "old");
    CRP_GOTO(cuda_options_create(context, source, architecture, want_ptx, &options), done);
    int result = compiler->create_program(&program, text, kernel_source_label(source), 0, NULL, NULL);
    if (result == 0) {
        result = compiler->compile_program(program, (int)options.n, options.list);
        log_program(context, compiler, program, result == 0 ? CRP_LOG_DEBUG : CRP_LOG_ERROR, head, sizeof head);
    }
    if (result != 0) {
        status = context_fail(context, CRP_ERR_COMPILE, "kernel %s (%s) was not compiled by NVRTC %d.%d (%s)%s%s",
                              source->entry, kernel_source_label(source), compiler->major, compiler->minor,
                              compiler->get_error_string(result), head[0] == '\0' ? "" : ":\n", head);
        goto done;
    }
    status = take_image(context, compiler, program, want_ptx, image, n_bytes);
done:
    if (program != NULL) {
        compiler->destroy_program(&program);
    }
    cuda_options_destroy(&options);
    return status;
}

crp_status cuda_compile(crp_context *context, const device_kernel_source *source, int architecture, bool want_ptx,
                        void **image, size_t *n_bytes)
{
    nvrtc compiler;
    char *text = NULL;
    crp_status status;
    *image = NULL;
    *n_bytes = 0;
    CRP_TRY(nvrtc_open(context, 0, &compiler));
    CRP_GOTO(kernel_source_flatten(context, source->file, &text), done);
    status = cuda_compile_text(context, &compiler, source, text, architecture, want_ptx, image, n_bytes);
done:
    free(text);
    nvrtc_close(&compiler);
    return status;
}
