/**
 * OptiX, the ray tracer in NVIDIA's driver, reached by dlopen with own prototypes and types: no header of its maker.
 *
 * The library fills a table of functions whose order and length belong to a version of its interface (ABI). Six
 * versions are known here; the newest that the driver knows too is used. Structs are those of the newest version, and
 * where an older one reads a field elsewhere, optix_library_pack_pipeline writes it there.
 */
#ifndef DEVICE_OPTIX_LIBRARY_H
#define DEVICE_OPTIX_LIBRARY_H

#include "device/cuda_driver.h"

typedef int optix_result;
typedef struct optix_context_opaque *optix_context;
typedef struct optix_module_opaque *optix_module;
typedef struct optix_group_opaque *optix_group;
typedef struct optix_pipeline_opaque *optix_pipeline;
typedef unsigned long long optix_scene; /* what rays are traced against */

/* Values of its enums that are used here. */
enum {
    OPTIX_SUCCESS = 0,
    OPTIX_ERROR_UNSUPPORTED_ABI = 7801,
    OPTIX_INPUT_TRIANGLES = 0x2141,
    OPTIX_INPUT_BOXES = 0x2142,
    OPTIX_VERTEX_THREE_FLOATS = 0x2121,
    OPTIX_INDEX_THREE_WORDS = 0x2103,
    OPTIX_BUILD_NEW = 0x2161,
    OPTIX_BUILD_FOR_FAST_TRACE = 4,
    OPTIX_BUILD_TO_COMPACT = 2,
    OPTIX_EMIT_COMPACT_SIZE = 0x2181,
    OPTIX_GEOMETRY_NO_ANY_HIT = 1,
    OPTIX_GEOMETRY_NO_CULLING = 4,
    OPTIX_GROUP_RAYGEN = 0x2421,
    OPTIX_GROUP_MISS = 0x2422,
    OPTIX_GROUP_HIT = 0x2424,
    OPTIX_GRAPH_SINGLE = 1,
    OPTIX_OPTIMISE_FULLY = 0x2343,
    OPTIX_DEBUG_NONE = 0x2350,
    OPTIX_USES_BOXES = 1,
    OPTIX_PROPERTY_RT_VERSION = 0x2005,
    OPTIX_RECORD_HEADER = 32,
    OPTIX_RECORD_ALIGNMENT = 16,
    OPTIX_SCENE_ALIGNMENT = 128,
    OPTIX_BOX_ALIGNMENT = 8
};
#define OPTIX_USES_TRIANGLES 0x80000000u

typedef void (*optix_log)(unsigned level, const char *tag, const char *message, void *user);

typedef struct optix_context_options {
    optix_log log;
    void *user;
    int level; /* 0 nothing .. 4 everything */
    int validation;
} optix_context_options;

typedef struct optix_module_options {
    int max_registers, optimisation, debug;
    const void *bound_values;
    unsigned n_bound_values, n_payload_types;
    const void *payload_types;
    optix_module base;
} optix_module_options;

/* What modules of a pipeline have in common; laid out by optix_library (versions differ). */
typedef struct optix_pipeline_options {
    unsigned graph_flags;
    int n_payload, n_attributes;
    const char *arguments; /* name of the constant that holds the arguments of a launch */
    size_t n_argument_bytes;
    unsigned primitive_flags;
} optix_pipeline_options;

typedef struct optix_group_description {
    int kind;
    unsigned flags;
    optix_module module; /* raygen, miss, closest hit */
    const char *entry;
    optix_module any_hit_module;
    const char *any_hit;
    optix_module intersection_module;
    const char *intersection;
} optix_group_description;

typedef struct optix_stack_sizes {
    unsigned raygen, miss, closest_hit, any_hit, intersection, continuation_callable, direct_callable;
} optix_stack_sizes;

typedef struct optix_binding_table {
    cuda_pointer raygen, exception, miss;
    unsigned miss_stride, n_miss;
    cuda_pointer hit;
    unsigned hit_stride, n_hit;
    cuda_pointer callables;
    unsigned callables_stride, n_callables;
} optix_binding_table;

typedef struct optix_triangles {
    const cuda_pointer *vertices;
    unsigned n_vertices;
    int format;
    unsigned vertex_stride;
    cuda_pointer indices;
    unsigned n_triples;
    int index_format;
    unsigned index_stride;
    cuda_pointer transform;
    const unsigned *flags; /* of each record */
    unsigned n_records;
    cuda_pointer record_of; /* of each triangle */
    unsigned record_size, record_stride, first_number;
    int transform_format;
} optix_triangles;

typedef struct optix_boxes {
    const cuda_pointer *boxes;
    unsigned n, stride;
    const unsigned *flags;
    unsigned n_records;
    cuda_pointer record_of;
    unsigned record_size, record_stride, first_number;
} optix_boxes;

typedef struct optix_input {
    int kind;
    union {
        char room[1024];
        optix_triangles triangles;
        optix_boxes boxes;
    } of;
} optix_input;

typedef struct optix_build_options {
    unsigned flags;
    int operation;
    unsigned short n_keys, motion_flags;
    float time_begin, time_end;
} optix_build_options;

/* Where a build leaves a number about its scene. */
typedef struct optix_emission {
    cuda_pointer result;
    int property;
} optix_emission;

typedef struct optix_build_sizes {
    size_t scene, working, updating;
} optix_build_sizes;

enum { OPTIX_MAX_FUNCTIONS = 60 };

typedef struct optix_library {
    void *library;
    int abi;             /**< version of the interface in use */
    const char *release; /**< of OptiX that brought it, "9.0" */
    const struct optix_version *version;
    const char *(*error_name)(optix_result result);
    optix_result (*context_create)(cuda_context cuda, const optix_context_options *options, optix_context *out);
    optix_result (*context_destroy)(optix_context context);
    optix_result (*context_property)(optix_context context, int property, void *value, size_t n_bytes);
    optix_result (*module_create)(optix_context context, const optix_module_options *options, const void *pipeline,
                                  const char *text, size_t n_text, char *log, size_t *n_log, optix_module *out);
    optix_result (*module_destroy)(optix_module module);
    optix_result (*group_create)(optix_context context, const optix_group_description *groups, unsigned n,
                                 const void *options, char *log, size_t *n_log, optix_group *out);
    optix_result (*group_destroy)(optix_group group);
    optix_result (*group_stack_sizes)(optix_group group, optix_stack_sizes *sizes, optix_pipeline pipeline);
    optix_result (*pipeline_create)(optix_context context, const void *options, const void *link_options,
                                    const optix_group *groups, unsigned n, char *log, size_t *n_log,
                                    optix_pipeline *out);
    optix_result (*pipeline_destroy)(optix_pipeline pipeline);
    optix_result (*pipeline_set_stack)(optix_pipeline pipeline, unsigned direct_from_traversal,
                                       unsigned direct_from_state, unsigned continuation, unsigned graph_depth);
    optix_result (*build_sizes)(optix_context context, const optix_build_options *options, const optix_input *inputs,
                                unsigned n, optix_build_sizes *sizes);
    optix_result (*build)(optix_context context, cuda_stream stream, const optix_build_options *options,
                          const optix_input *inputs, unsigned n, cuda_pointer working, size_t n_working,
                          cuda_pointer out, size_t n_out, optix_scene *scene, const optix_emission *emitted,
                          unsigned n_emitted);
    optix_result (*compact)(optix_context context, cuda_stream stream, optix_scene from, cuda_pointer out, size_t n_out,
                            optix_scene *scene);
    optix_result (*record_header)(optix_group group, void *header);
    optix_result (*launch)(optix_pipeline pipeline, cuda_stream stream, cuda_pointer arguments, size_t n_arguments,
                           const optix_binding_table *table, unsigned width, unsigned height, unsigned depth);
} optix_library;

/**
 * Open the driver's library and its table; $CORPUSCLE_OPTIX names another file in place of libnvoptix.so.1, and
 * $CORPUSCLE_OPTIX_ABI the only version to try.
 *
 * Errors: CRP_ERR_DEVICE: no library, no table in it, no version in common; the message says what to do.
 */
crp_status optix_library_open(crp_context *context, optix_library *out);
/** Forget the table. The library stays in memory. */
void optix_library_close(optix_library *library);

enum { OPTIX_PIPELINE_BYTES = 56, OPTIX_LINK_BYTES = 20 };

/** The pipeline's options as the version in use reads them. */
void optix_library_pack_pipeline(const optix_library *library, const optix_pipeline_options *options,
                                 unsigned char bytes[OPTIX_PIPELINE_BYTES]);

/** "OPTIX_ERROR_INVALID_VALUE" or "error 7001". */
const char *optix_library_error(const optix_library *library, optix_result result);

#endif
