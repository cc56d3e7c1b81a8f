/* From a kernel's source to a pipeline of ray-tracing programs: PTX by NVRTC, module, groups, scene, binding table. */
#include "device/optix.h"

#include "core/context.h"
#include "device/cuda_compile.h"
#include "device/kernel_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of the constant that a launch's arguments are read from. */
static const char ARGUMENTS[] = "optix_arguments";

enum { RECORD_BYTES = OPTIX_RECORD_HEADER + OPTIX_RECORD_ALIGNMENT, LOG_BYTES = 2048 };

#define OPTIX_TRY(gpu, call, ...)                                                                                      \
    do {                                                                                                               \
        optix_result optix_try_result_ = (call);                                                                       \
        if (optix_try_result_ != OPTIX_SUCCESS) {                                                                      \
            return optix_fail(gpu, optix_try_result_, __VA_ARGS__);                                                    \
        }                                                                                                              \
    } while (0)
#define DRIVER_TRY(gpu, call, ...)                                                                                     \
    do {                                                                                                               \
        cuda_result driver_try_result_ = (call);                                                                       \
        if (driver_try_result_ != CUDA_SUCCESS) {                                                                      \
            return cuda_fail(&(gpu)->cuda, driver_try_result_, __VA_ARGS__);                                           \
        }                                                                                                              \
    } while (0)

/* Memory on the GPU that a kernel keeps or lets go by itself, not through the device's buffers. */
static crp_status allocate(optix_gpu *gpu, size_t n_bytes, cuda_pointer *out)
{
    *out = 0;
    DRIVER_TRY(gpu, gpu->cuda.driver.mem_alloc(out, n_bytes), "asking for %zu bytes of memory for rays", n_bytes);
    return CRP_OK;
}

static void let_go(optix_gpu *gpu, cuda_pointer *memory)
{
    if (*memory != 0) {
        gpu->cuda.driver.mem_free(*memory);
        *memory = 0;
    }
}

static crp_status upload_new(optix_gpu *gpu, const void *from, size_t n_bytes, cuda_pointer *out)
{
    CRP_TRY(allocate(gpu, n_bytes, out));
    DRIVER_TRY(gpu, gpu->cuda.driver.memcpy_to_device(*out, from, n_bytes, gpu->cuda.stream[0]),
               "copying %zu bytes to it", n_bytes);
    DRIVER_TRY(gpu, gpu->cuda.driver.stream_synchronize(gpu->cuda.stream[0]), "copying %zu bytes to it", n_bytes);
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------ module and groups */

static void pack_options(const optix_gpu *gpu, const device_scene *scene, size_t n_arguments,
                         unsigned char bytes[OPTIX_PIPELINE_BYTES])
{
    optix_pipeline_options options = {.graph_flags = OPTIX_GRAPH_SINGLE,
                                      .n_payload = (int)scene->n_payload,
                                      .n_attributes = (int)(scene->n_attributes > 2 ? scene->n_attributes : 2),
                                      .arguments = ARGUMENTS,
                                      .n_argument_bytes = n_arguments,
                                      .primitive_flags =
                                          scene->boxes != NULL ? OPTIX_USES_BOXES : OPTIX_USES_TRIANGLES};
    optix_library_pack_pipeline(&gpu->library, &options, bytes);
}

/* The size of the arguments as the kernel's file declares them: ".const .align 8 .b8 optix_arguments[376];" */
static size_t argument_bytes(const char *ptx)
{
    const char *at = strstr(ptx, ARGUMENTS);
    at = at == NULL ? NULL : at + strlen(ARGUMENTS);
    return at == NULL || *at != '[' ? 0 : (size_t)strtoul(at + 1, NULL, 10);
}

static crp_status make_module(optix_gpu *gpu, const device_kernel_source *source, const char *ptx, size_t n_ptx,
                              optix_kernel *kernel)
{
    crp_context *context = gpu->cuda.base.context;
    unsigned char bytes[OPTIX_PIPELINE_BYTES];
    char log[LOG_BYTES] = "";
    size_t n_log = sizeof log;
    optix_module_options options = {.max_registers = (int)source->scene->registers,
                                    .optimisation = OPTIX_OPTIMISE_FULLY,
                                    .debug = OPTIX_DEBUG_NONE};
    pack_options(gpu, source->scene, argument_bytes(ptx), bytes);
    optix_result result =
        gpu->library.module_create(gpu->tracer, &options, bytes, ptx, n_ptx, log, &n_log, &kernel->module);
    if (n_log > 1 && log[0] != '\0') {
        context_log(context, CRP_LOG_DEBUG, "optix", "%s", log);
    }
    if (result != OPTIX_SUCCESS) {
        kernel->module = NULL;
        return context_fail(
            context, CRP_ERR_COMPILE,
            "%s: OptiX %s refuses the programs of %s as compiled by NVRTC %d.%d (%s: %.600s) update the "
            "driver, or name an older NVRTC in CORPUSCLE_NVRTC",
            gpu->cuda.base.info.label, gpu->library.release, source->entry, gpu->cuda.compiler.major,
            gpu->cuda.compiler.minor, optix_library_error(&gpu->library, result), log);
    }
    return CRP_OK;
}

static crp_status add_group(optix_gpu *gpu, optix_kernel *kernel, const optix_group_description *description)
{
    char log[LOG_BYTES] = "";
    size_t n_log = sizeof log;
    const void *options[1] = {NULL};
    OPTIX_TRY(
        gpu,
        gpu->library.group_create(gpu->tracer, description, 1, options, log, &n_log, &kernel->groups[kernel->n_groups]),
        "making its program %s (%.600s)", description->entry, log);
    kernel->n_groups++;
    return CRP_OK;
}

static crp_status make_groups(optix_gpu *gpu, const device_kernel_source *source, optix_kernel *kernel)
{
    const device_scene *scene = source->scene;
    char name[96], box[96] = "";
    optix_group_description g = {.kind = OPTIX_GROUP_RAYGEN, .module = kernel->module, .entry = name};
    snprintf(name, sizeof name, "__raygen__%s", source->entry);
    CRP_TRY(add_group(gpu, kernel, &g));
    g.kind = OPTIX_GROUP_MISS;
    snprintf(name, sizeof name, "__miss__%s", scene->on_miss);
    CRP_TRY(add_group(gpu, kernel, &g));
    g.kind = OPTIX_GROUP_HIT;
    if (scene->boxes != NULL) {
        snprintf(box, sizeof box, "__intersection__%s", scene->on_box);
        g.intersection_module = kernel->module;
        g.intersection = box;
    }
    for (uint32_t i = 0; i < scene->n_kinds; i++) {
        snprintf(name, sizeof name, "__closesthit__%s", scene->on_hit[i]);
        CRP_TRY(add_group(gpu, kernel, &g));
    }
    return CRP_OK;
}

/* The stack of a thread: ray generation, and below it one ray in the other. */
static crp_status set_stack(optix_gpu *gpu, const device_scene *scene, const optix_kernel *kernel,
                            optix_pipeline pipeline)
{
    unsigned raygen = 0, program = 0, box = 0;
    for (unsigned i = 0; i < kernel->n_groups; i++) {
        optix_stack_sizes sizes = {0};
        OPTIX_TRY(gpu, gpu->library.group_stack_sizes(kernel->groups[i], &sizes, pipeline),
                  "asking for the stack of its programs");
        raygen = sizes.raygen > raygen ? sizes.raygen : raygen;
        program = sizes.miss > program ? sizes.miss : program;
        program = sizes.closest_hit > program ? sizes.closest_hit : program;
        box = sizes.intersection + sizes.any_hit > box ? sizes.intersection + sizes.any_hit : box;
    }
    unsigned last = program > box ? program : box;
    unsigned stack = raygen + (scene->trace_depth - 1) * program + last;
    context_log(gpu->cuda.base.context, CRP_LOG_DEBUG, "optix",
                "stack: %u bytes (ray generation %u, hits and misses %u, boxes %u)", stack, raygen, program, box);
    OPTIX_TRY(gpu, gpu->library.pipeline_set_stack(pipeline, 0, 0, stack, 1), "giving its programs %u bytes of stack",
              stack);
    return CRP_OK;
}

static crp_status make_pipeline(optix_gpu *gpu, const device_kernel_source *source, size_t n_arguments,
                                const optix_kernel *kernel, optix_pipeline *out)
{
    unsigned char bytes[OPTIX_PIPELINE_BYTES];
    unsigned link[OPTIX_LINK_BYTES / sizeof(unsigned)] = {source->scene->trace_depth};
    char log[LOG_BYTES] = "";
    size_t n_log = sizeof log;
    pack_options(gpu, source->scene, n_arguments, bytes);
    OPTIX_TRY(
        gpu, gpu->library.pipeline_create(gpu->tracer, bytes, link, kernel->groups, kernel->n_groups, log, &n_log, out),
        "joining its programs (%.600s)", log);
    if (n_log > 1 && log[0] != '\0') {
        context_log(gpu->cuda.base.context, CRP_LOG_DEBUG, "optix", "%s", log);
    }
    return set_stack(gpu, source->scene, kernel, *out);
}

/* ------------------------------------------------------------------------------------------------ scene */

/* What is needed only while the scene is built. */
typedef struct scene_memory {
    cuda_pointer shapes, triangles, kinds, working, loose, size;
} scene_memory;

static void describe_input(const device_scene *scene, const scene_memory *memory, const unsigned *flags,
                           optix_input *input)
{
    cuda_pointer record_of = scene->n_kinds > 1 ? memory->kinds : 0;
    unsigned record_size = scene->n_kinds > 1 ? 4 : 0;
    *input = (optix_input){.kind = scene->boxes != NULL ? OPTIX_INPUT_BOXES : OPTIX_INPUT_TRIANGLES};
    if (scene->boxes != NULL) {
        input->of.boxes = (optix_boxes){.boxes = &memory->shapes,
                                        .n = scene->n,
                                        .flags = flags,
                                        .n_records = scene->n_kinds,
                                        .record_of = record_of,
                                        .record_size = record_size};
    } else {
        input->of.triangles = (optix_triangles){.vertices = &memory->shapes,
                                                .n_vertices = scene->n_corners,
                                                .format = OPTIX_VERTEX_THREE_FLOATS,
                                                .indices = memory->triangles,
                                                .n_triples = scene->n,
                                                .index_format = OPTIX_INDEX_THREE_WORDS,
                                                .flags = flags,
                                                .n_records = scene->n_kinds,
                                                .record_of = record_of,
                                                .record_size = record_size};
    }
}

static crp_status upload_shapes(optix_gpu *gpu, const device_scene *scene, scene_memory *memory)
{
    size_t n = scene->n, number = sizeof(float);
    if (scene->boxes != NULL) {
        CRP_TRY(upload_new(gpu, scene->boxes, 6 * number * n, &memory->shapes));
    } else {
        CRP_TRY(upload_new(gpu, scene->corners, 3 * number * scene->n_corners, &memory->shapes));
        CRP_TRY(upload_new(gpu, scene->triangles, 3 * sizeof(uint32_t) * n, &memory->triangles));
    }
    return upload_new(gpu, scene->kinds, sizeof(uint32_t) * n, &memory->kinds);
}

/* Move a scene that was just built to memory of its own size: less to read for every ray. */
static crp_status compact_scene(optix_gpu *gpu, const scene_memory *memory, size_t n_loose, optix_kernel *kernel)
{
    uint64_t n_bytes = 0;
    cuda_stream stream = gpu->cuda.stream[0];
    DRIVER_TRY(gpu, gpu->cuda.driver.memcpy_to_host(&n_bytes, memory->size, sizeof n_bytes, stream),
               "measuring its scene");
    DRIVER_TRY(gpu, gpu->cuda.driver.stream_synchronize(stream), "building its scene");
    n_bytes = n_bytes == 0 || n_bytes > n_loose ? n_loose : n_bytes;
    CRP_TRY(allocate(gpu, n_bytes, &kernel->scene_memory));
    OPTIX_TRY(gpu,
              gpu->library.compact(gpu->tracer, stream, kernel->scene, kernel->scene_memory, n_bytes, &kernel->scene),
              "compacting its scene");
    DRIVER_TRY(gpu, gpu->cuda.driver.stream_synchronize(stream), "compacting its scene");
    context_log(gpu->cuda.base.context, CRP_LOG_DEBUG, "optix", "scene: %zu bytes, compacted %llu", n_loose,
                (unsigned long long)n_bytes);
    return CRP_OK;
}

static crp_status build_scene(optix_gpu *gpu, const device_scene *scene, scene_memory *memory, optix_kernel *kernel)
{
    unsigned flags[OPTIX_MAX_KINDS];
    optix_input input;
    optix_build_options options = {.flags = OPTIX_BUILD_FOR_FAST_TRACE | OPTIX_BUILD_TO_COMPACT,
                                   .operation = OPTIX_BUILD_NEW};
    optix_build_sizes sizes = {0};
    for (uint32_t i = 0; i < scene->n_kinds; i++) {
        flags[i] = OPTIX_GEOMETRY_NO_ANY_HIT |
                   (scene->is_never_culled[i] && scene->boxes == NULL ? OPTIX_GEOMETRY_NO_CULLING : 0u);
    }
    CRP_TRY(upload_shapes(gpu, scene, memory));
    describe_input(scene, memory, flags, &input);
    OPTIX_TRY(gpu, gpu->library.build_sizes(gpu->tracer, &options, &input, 1, &sizes), "measuring its scene");
    CRP_TRY(allocate(gpu, sizes.working > 0 ? sizes.working : 16, &memory->working));
    CRP_TRY(allocate(gpu, sizes.scene, &memory->loose));
    CRP_TRY(allocate(gpu, sizeof(uint64_t), &memory->size));
    optix_emission emission = {.result = memory->size, .property = OPTIX_EMIT_COMPACT_SIZE};
    OPTIX_TRY(gpu,
              gpu->library.build(gpu->tracer, gpu->cuda.stream[0], &options, &input, 1, memory->working, sizes.working,
                                 memory->loose, sizes.scene, &kernel->scene, &emission, 1),
              "building its scene of %u %s", scene->n, scene->boxes != NULL ? "boxes" : "triangles");
    return compact_scene(gpu, memory, sizes.scene, kernel);
}

static crp_status make_scene(optix_gpu *gpu, const device_scene *scene, optix_kernel *kernel)
{
    scene_memory memory = {0};
    CRP_TRY(upload_new(gpu, scene->data, scene->n_data, &kernel->data));
    crp_status status = build_scene(gpu, scene, &memory, kernel);
    let_go(gpu, &memory.shapes);
    let_go(gpu, &memory.triangles);
    let_go(gpu, &memory.kinds);
    let_go(gpu, &memory.working);
    let_go(gpu, &memory.loose);
    let_go(gpu, &memory.size);
    return status;
}

/* -------------------------------------------------------------------------------------------- binding table */

/* Records: a header that names the program, and the number of the kind of hit. */
static crp_status make_table(optix_gpu *gpu, optix_kernel *kernel)
{
    unsigned char records[OPTIX_MAX_GROUPS * RECORD_BYTES] = {0};
    for (unsigned i = 0; i < kernel->n_groups; i++) {
        uint32_t kind = i >= 2 ? i - 2 : 0;
        OPTIX_TRY(gpu, gpu->library.record_header(kernel->groups[i], records + i * RECORD_BYTES),
                  "binding its programs");
        memcpy(records + i * RECORD_BYTES + OPTIX_RECORD_HEADER, &kind, sizeof kind);
    }
    CRP_TRY(upload_new(gpu, records, sizeof records, &kernel->record_memory));
    kernel->table = (optix_binding_table){.raygen = kernel->record_memory,
                                          .miss = kernel->record_memory + RECORD_BYTES,
                                          .miss_stride = RECORD_BYTES,
                                          .n_miss = 1,
                                          .hit = kernel->record_memory + 2 * RECORD_BYTES,
                                          .hit_stride = RECORD_BYTES,
                                          .n_hit = kernel->n_groups - 2};
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        CRP_TRY(allocate(gpu, OPTIX_MAX_ARGUMENT_BYTES, &kernel->arguments[q]));
    }
    return CRP_OK;
}

/* The first launch of a pipeline loads it, which takes long: so one without a scene, at which its program returns at
 * once. */
static crp_status load(optix_gpu *gpu, optix_kernel *kernel, size_t n_arguments)
{
    unsigned char nothing[OPTIX_MAX_ARGUMENT_BYTES] = {0};
    for (unsigned i = 0; i < OPTIX_PIPELINES; i++) {
        cuda_stream stream = gpu->cuda.stream[i];
        DRIVER_TRY(gpu, gpu->cuda.driver.memcpy_to_device(kernel->arguments[i], nothing, n_arguments, stream),
                   "loading %s", kernel->base.entry);
        OPTIX_TRY(gpu,
                  gpu->library.launch(kernel->pipelines[i], stream, kernel->arguments[i], n_arguments, &kernel->table,
                                      1, 1, 1),
                  "loading %s", kernel->base.entry);
        DRIVER_TRY(gpu, gpu->cuda.driver.stream_synchronize(stream), "loading %s", kernel->base.entry);
    }
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------------- all of it */

static crp_status make_after(optix_gpu *gpu, const device_kernel_source *source, optix_kernel *kernel)
{
    device_kernel_source after = *source;
    if (source->after == NULL) {
        return CRP_OK;
    }
    after.file = source->after_file;
    after.entry = source->after;
    after.scene = NULL;
    after.block = 256;
    return cuda_kernel_create(&gpu->cuda.base, &after, &kernel->after);
}

/* The key of the programs' text in the cache. */
static crp_status find_key(optix_gpu *gpu, const device_kernel_source *source, const char *text, char key[65])
{
    char compiler[32], architecture[24];
    cuda_options options;
    CRP_TRY(cuda_options_create(gpu->cuda.base.context, source, gpu->cuda.architecture, true, &options));
    snprintf(compiler, sizeof compiler, "NVRTC %d.%d", gpu->cuda.compiler.major, gpu->cuda.compiler.minor);
    snprintf(architecture, sizeof architecture, "compute_%d", gpu->cuda.architecture);
    kernel_cache_key(text, options.list, options.n, compiler, architecture, key);
    cuda_options_destroy(&options);
    return CRP_OK;
}

/* PTX of a text, ended by a zero that counts: from the cache, or by NVRTC. */
static crp_status compile_text(optix_gpu *gpu, const device_kernel_source *source, const char *text, void **ptx,
                               size_t *n_ptx)
{
    crp_context *context = gpu->cuda.base.context;
    char key[65];
    CRP_TRY(find_key(gpu, source, text, key));
    if (kernel_cache_load(context, key, ptx, n_ptx)) {
        return CRP_OK;
    }
    CRP_TRY(cuda_compile_text(context, &gpu->cuda.compiler, source, text, gpu->cuda.architecture, true, ptx, n_ptx));
    kernel_cache_store(context, key, *ptx, *n_ptx);
    return CRP_OK;
}

/* PTX of the programs: there is none in the build. */
static crp_status compile(optix_gpu *gpu, const device_kernel_source *source, void **ptx, size_t *n_ptx)
{
    crp_context *context = gpu->cuda.base.context;
    char *text = NULL;
    CRP_CHECK(context, gpu->cuda.compiler.library != NULL, CRP_ERR_COMPILE, "%s: %s", gpu->cuda.base.info.label,
              gpu->cuda.no_compiler);
    CRP_TRY(kernel_source_flatten(context, source->file, &text));
    crp_status status = compile_text(gpu, source, text, ptx, n_ptx);
    free(text);
    return status;
}

static crp_status make_kernel(optix_gpu *gpu, const device_kernel_source *source, optix_kernel *kernel)
{
    void *ptx = NULL;
    size_t n_ptx = 0;
    device_kernel_source rays = *source;
    rays.block = rays.blocks_per_unit = 0; /* OptiX shapes its launches itself */
    CRP_TRY(compile(gpu, &rays, &ptx, &n_ptx));
    size_t n_arguments = argument_bytes(ptx);
    crp_status status = make_module(gpu, source, ptx, n_ptx > 0 ? n_ptx - 1 : 0, kernel);
    free(ptx);
    CRP_TRY(status);
    CRP_TRY(make_groups(gpu, source, kernel));
    for (unsigned i = 0; i < OPTIX_PIPELINES; i++) {
        CRP_TRY(make_pipeline(gpu, source, n_arguments, kernel, &kernel->pipelines[i]));
    }
    CRP_TRY(make_scene(gpu, source->scene, kernel));
    CRP_TRY(make_table(gpu, kernel));
    CRP_TRY(load(gpu, kernel, n_arguments));
    return make_after(gpu, source, kernel);
}

crp_status optix_kernel_create(device *d, const device_kernel_source *source, device_kernel **out)
{
    optix_gpu *gpu = (optix_gpu *)d;
    *out = NULL;
    CRP_CHECK(d->context, source->scene != NULL, CRP_ERR_DEVICE,
              "%s (%s): kernel %s traces no rays (this device is for models of kind gas) use --device cuda:%s",
              d->info.label, d->info.name, source->entry, strchr(d->info.label, ':') + 1);
    CRP_CHECK(d->context,
              source->scene->n_kinds > 0 && source->scene->n_kinds <= OPTIX_MAX_KINDS && source->scene->n > 0,
              CRP_ERR_INTERNAL, "kernel %s: %u kinds of hits on %u shapes", source->entry, source->scene->n_kinds,
              source->scene->n);
    optix_kernel *kernel = calloc(1, sizeof *kernel);
    CRP_CHECK(d->context, kernel != NULL, CRP_ERR_MEMORY, "not enough memory for a kernel");
    snprintf(kernel->base.entry, sizeof kernel->base.entry, "%s", source->entry);
    gpu->cuda.driver.context_set_current(gpu->cuda.context);
    crp_status status = make_kernel(gpu, source, kernel);
    if (status != CRP_OK) {
        optix_kernel_destroy(d, &kernel->base);
        return status;
    }
    *out = &kernel->base;
    return CRP_OK;
}

void optix_kernel_destroy(device *d, device_kernel *base)
{
    optix_gpu *gpu = (optix_gpu *)d;
    optix_kernel *kernel = (optix_kernel *)base;
    if (kernel == NULL) {
        return;
    }
    gpu->cuda.driver.context_set_current(gpu->cuda.context);
    for (unsigned q = 0; q < DEVICE_N_QUEUES; q++) {
        gpu->cuda.last[q] = gpu->cuda.last[q] == base ? NULL : gpu->cuda.last[q];
        gpu->cuda.driver.stream_synchronize(gpu->cuda.stream[q]);
        let_go(gpu, &kernel->arguments[q]);
    }
    cuda_kernel_destroy(d, kernel->after);
    for (unsigned i = 0; i < OPTIX_PIPELINES && kernel->pipelines[i] != NULL; i++) {
        gpu->library.pipeline_destroy(kernel->pipelines[i]);
    }
    for (unsigned i = 0; i < kernel->n_groups; i++) {
        gpu->library.group_destroy(kernel->groups[i]);
    }
    if (kernel->module != NULL) {
        gpu->library.module_destroy(kernel->module);
    }
    let_go(gpu, &kernel->scene_memory);
    let_go(gpu, &kernel->record_memory);
    let_go(gpu, &kernel->data);
    free(kernel);
}
