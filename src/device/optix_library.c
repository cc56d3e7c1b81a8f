/* Opens the driver's OptiX library and binds its table; messages that tell why there is none. */
#include "device/optix_library.h"

#include "core/context.h"
#include "device/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions of the table by their place in it. The first ones, up to the making of a module, never moved. */
enum {
    AT_ERROR_NAME = 0,
    AT_CONTEXT_CREATE = 2,
    AT_CONTEXT_DESTROY = 3,
    AT_CONTEXT_PROPERTY = 4,
    AT_MODULE_CREATE = 12
};

/* Where the rest stands: it moves as functions come between. */
typedef struct optix_version {
    int abi;
    const char *release, *driver; /* of OptiX, and of the first driver that brought it */
    unsigned char n_functions;
    unsigned char module_destroy, group_create, pipeline_create, pipeline_set_stack, build_sizes, record_header;
    bool has_argument_size; /* the pipeline's options have the size of the arguments too */
} optix_version;

static const optix_version versions[] = {
    {118, "9.1", "590", 60, 18, 24, 27, 30, 32, 48, true}, {105, "9.0", "570", 52, 15, 18, 21, 23, 24, 40, false},
    {93, "8.1", "555", 50, 15, 18, 21, 23, 24, 38, false}, {87, "8.0", "535", 48, 15, 18, 21, 23, 24, 38, false},
    {84, "7.7", "530", 48, 15, 18, 21, 23, 24, 38, false}, {68, "7.6", "520", 47, 15, 18, 21, 23, 24, 37, false},
};
enum { N_VERSIONS = sizeof versions / sizeof *versions };

typedef void (*any_function)(void);
typedef optix_result (*query_function)(int abi, unsigned n_options, void *keys, const void **values, void *table,
                                       size_t n_bytes);

/* memcpy: C has no conversion between kinds of pointers to functions that keeps a compiler quiet. */
static void take(void *member, const any_function *table, unsigned at)
{
    memcpy(member, &table[at], sizeof table[at]);
}

static void bind(optix_library *out, const any_function *table, const optix_version *v)
{
    take(&out->error_name, table, AT_ERROR_NAME);
    take(&out->context_create, table, AT_CONTEXT_CREATE);
    take(&out->context_destroy, table, AT_CONTEXT_DESTROY);
    take(&out->context_property, table, AT_CONTEXT_PROPERTY);
    take(&out->module_create, table, AT_MODULE_CREATE);
    take(&out->module_destroy, table, v->module_destroy);
    take(&out->group_create, table, v->group_create);
    take(&out->group_destroy, table, v->group_create + 1u);
    take(&out->group_stack_sizes, table, v->group_create + 2u);
    take(&out->pipeline_create, table, v->pipeline_create);
    take(&out->pipeline_destroy, table, v->pipeline_create + 1u);
    take(&out->pipeline_set_stack, table, v->pipeline_set_stack);
    take(&out->build_sizes, table, v->build_sizes);
    take(&out->build, table, v->build_sizes + 1u);
    take(&out->compact, table, v->build_sizes + 5u);
    take(&out->record_header, table, v->record_header);
    take(&out->launch, table, v->record_header + 1u);
}

/* The newest version that both sides know. */
static bool negotiate(query_function query, int only, optix_library *out, optix_result *last)
{
    any_function table[OPTIX_MAX_FUNCTIONS] = {0};
    for (int i = 0; i < N_VERSIONS; i++) {
        const optix_version *v = &versions[i];
        if (only != 0 && v->abi != only) {
            continue;
        }
        *last = query(v->abi, 0, NULL, NULL, table, v->n_functions * sizeof *table);
        if (*last == OPTIX_SUCCESS) {
            out->abi = v->abi;
            out->release = v->release;
            out->version = v;
            bind(out, table, v);
            return true;
        }
    }
    return false;
}

crp_status optix_library_open(crp_context *context, optix_library *out)
{
    const char *own = getenv("CORPUSCLE_OPTIX"), *only = getenv("CORPUSCLE_OPTIX_ABI"), *missing = NULL;
    const char *path = own != NULL && own[0] != '\0' ? own : "libnvoptix.so.1";
    char reason[300];
    optix_result last = OPTIX_ERROR_UNSUPPORTED_ABI;
    struct {
        query_function query;
    } entry = {NULL};
    static const library_symbol symbols[] = {{"optixQueryFunctionTable", 0}};
    memset(out, 0, sizeof *out);
    out->library = library_open(path, reason, sizeof reason);
    CRP_CHECK(context, out->library != NULL, CRP_ERR_DEVICE, "no OptiX in the NVIDIA driver (%s) %s", reason,
              path == own ? "correct or unset CORPUSCLE_OPTIX"
                          : "install the driver's graphics part (Debian: libnvoptix1; in a container the capability "
                            "\"graphics\"), or use the device cuda, which needs none");
    CRP_CHECK(context, library_bind(out->library, &entry, symbols, 1, &missing), CRP_ERR_DEVICE,
              "%s is no OptiX library (it has no %s) update the driver, or use the device cuda", path, missing);
    CRP_CHECK(
        context, negotiate(entry.query, only == NULL ? 0 : atoi(only), out, &last), CRP_ERR_DEVICE,
        "the driver's OptiX does not fit (it knows none of the versions %s to %s of the interface; error %d) update "
        "the driver to %s or newer, or use the device cuda",
        versions[N_VERSIONS - 1].release, versions[0].release, last, versions[N_VERSIONS - 1].driver);
    return CRP_OK;
}

void optix_library_close(optix_library *library)
{
    memset(library, 0, sizeof *library);
}

static void put(unsigned char *bytes, size_t at, const void *value, size_t n)
{
    memcpy(bytes + at, value, n);
}

void optix_library_pack_pipeline(const optix_library *library, const optix_pipeline_options *options,
                                 unsigned char bytes[OPTIX_PIPELINE_BYTES])
{
    bool has_size = library->version->has_argument_size;
    memset(bytes, 0, OPTIX_PIPELINE_BYTES); /* motion, exceptions, micromaps, clusters: none */
    put(bytes, 4, &options->graph_flags, 4);
    put(bytes, 8, &options->n_payload, 4);
    put(bytes, 12, &options->n_attributes, 4);
    put(bytes, 24, &options->arguments, sizeof options->arguments);
    if (has_size) {
        put(bytes, 32, &options->n_argument_bytes, 8);
    }
    put(bytes, has_size ? 40 : 32, &options->primitive_flags, 4);
}

const char *optix_library_error(const optix_library *library, optix_result result)
{
    const char *name = library->error_name == NULL ? NULL : library->error_name(result);
    return name == NULL ? "unknown error" : name;
}
