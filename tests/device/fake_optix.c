/* A stand-in for libnvoptix beside the fake libcuda: it knows the versions of the interface that FAKE_OPTIX_ABI names
 * (numbers with commas; all without it), looks closely at what it is given, and fails where FAKE_OPTIX_<CALL>=code
 * says. With FAKE_OPTIX_COMPUTE=1 a launch does what the CPU's kernel makes of the arguments. What it saw stands in
 * fake_optix_seen. */
#include "device/fake_optix.h"
#include "device/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED_POINTERS = 13 };

fake_optix_record fake_optix_seen;

static int setting(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? 0 : atoi(value);
}

static void complain(const char *what)
{
    snprintf(fake_optix_seen.complaint, sizeof fake_optix_seen.complaint, "%s", what);
}

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            complain(#condition);                                                                                      \
        }                                                                                                              \
    } while (0)

/* Number of functions of the table, and where ours stand, as of each release of the interface. */
static const struct {
    int abi;
    unsigned n, module_destroy, group, pipeline, stack, accel, record;
} tables[] = {
    {118, 60, 18, 24, 27, 30, 32, 48}, {105, 52, 15, 18, 21, 23, 24, 40}, {93, 50, 15, 18, 21, 23, 24, 38},
    {87, 48, 15, 18, 21, 23, 24, 38},  {84, 48, 15, 18, 21, 23, 24, 38},  {68, 47, 15, 18, 21, 23, 24, 37},
};

static const char *error_name(int result)
{
    return result == 7001 ? "OPTIX_ERROR_INVALID_VALUE" : NULL;
}

typedef struct log_options {
    void (*log)(unsigned level, const char *tag, const char *message, void *user);
    void *user;
    int level, validation;
} log_options;

static int context_create(void *cuda, const log_options *options, void **out)
{
    EXPECT(cuda != NULL && options->level == 4 && options->validation == 0);
    options->log(4, "FAKE", "a word from the ray tracer", options->user);
    *out = malloc(1);
    return setting("FAKE_OPTIX_CONTEXT");
}

static int destroy(void *object)
{
    fake_optix_seen.n_destroyed++;
    free(object);
    return 0;
}

static int context_property(void *context, int property, unsigned *value, size_t n)
{
    EXPECT(context != NULL && property == 0x2005 && n == 4);
    *value = (unsigned)setting("FAKE_OPTIX_RT");
    return 0;
}

/* Where the version in use has the options of a pipeline. */
static unsigned field(const unsigned char *options, size_t at)
{
    unsigned value;
    memcpy(&value, options + at, sizeof value);
    return value;
}

static int module_create(void *context, const int *options, const unsigned char *pipeline, const char *text,
                         size_t n_text, char *log, size_t *n_log, void **out)
{
    bool is_new = fake_optix_seen.abi >= 118;
    const char *arguments;
    memcpy(&arguments, pipeline + 24, sizeof arguments);
    EXPECT(context != NULL && options[1] == 0x2343 && options[2] == 0x2350);
    EXPECT(strlen(text) == n_text && strstr(text, ".entry __raygen__") != NULL);
    EXPECT(strcmp(arguments, "optix_arguments") == 0);
    EXPECT(field(pipeline, 0) == 0 && field(pipeline, 4) == 1 && (field(pipeline, 8) == 4 || field(pipeline, 8) == 2) &&
           field(pipeline, 12) == 2);
    fake_optix_seen.primitive_flags = field(pipeline, is_new ? 40 : 32);
    fake_optix_seen.argument_bytes = is_new ? field(pipeline, 32) : 0;
    snprintf(log, *n_log, "%s", setting("FAKE_OPTIX_MODULE") != 0 ? "the text is not to its taste" : "");
    free(fake_optix_seen.text);
    fake_optix_seen.text = strdup(text);
    *out = malloc(1);
    fake_optix_seen.n_made++;
    return setting("FAKE_OPTIX_MODULE");
}

typedef struct group {
    int kind;
    unsigned flags;
    void *module;
    const char *entry;
    void *any_hit_module;
    const char *any_hit;
    void *intersection_module;
    const char *intersection;
} group;

static int group_create(void *context, const group *g, unsigned n, const void *options, char *log, size_t *n_log,
                        void **out)
{
    char entry[120];
    EXPECT(context != NULL && n == 1 && options != NULL && log != NULL && *n_log > 0);
    EXPECT(g->module != NULL && g->any_hit_module == NULL && g->any_hit == NULL);
    snprintf(entry, sizeof entry, ".entry %s(", g->entry);
    EXPECT(strstr(fake_optix_seen.text, entry) != NULL); /* the program is in the module */
    if (g->intersection != NULL) {
        snprintf(entry, sizeof entry, ".entry %s(", g->intersection);
        EXPECT(g->kind == 0x2424 && g->intersection_module == g->module && strstr(fake_optix_seen.text, entry) != NULL);
    }
    size_t used = strlen(fake_optix_seen.groups);
    snprintf(fake_optix_seen.groups + used, sizeof fake_optix_seen.groups - used, "%x %s;", (unsigned)g->kind,
             g->entry);
    *out = malloc(1);
    fake_optix_seen.n_made++;
    return setting("FAKE_OPTIX_GROUP");
}

static int group_stack_sizes(void *object, unsigned *sizes, void *pipeline)
{
    EXPECT(object != NULL && pipeline != NULL);
    memset(sizes, 0, 7 * sizeof *sizes);
    sizes[0] = 1000;
    sizes[2] = 100;
    return 0;
}

static int pipeline_create(void *context, const unsigned char *options, const unsigned *link, void *const *groups,
                           unsigned n, char *log, size_t *n_log, void **out)
{
    EXPECT(context != NULL && options != NULL && groups != NULL && log != NULL && *n_log > 0);
    fake_optix_seen.depth = link[0];
    fake_optix_seen.n_groups = n;
    *out = malloc(1);
    fake_optix_seen.n_made++;
    return setting("FAKE_OPTIX_PIPELINE");
}

static int pipeline_set_stack(void *pipeline, unsigned traversal, unsigned state, unsigned continuation, unsigned graph)
{
    EXPECT(pipeline != NULL && traversal == 0 && state == 0 && graph == 1);
    fake_optix_seen.stack = continuation;
    return setting("FAKE_OPTIX_STACK");
}

typedef struct input {
    int kind;
    union {
        char room[1024];
        struct {
            const unsigned long long *vertices;
            unsigned n_vertices;
            int format;
            unsigned stride;
            unsigned long long indices;
            unsigned n_triples;
            int index_format;
            unsigned index_stride;
            unsigned long long transform;
            const unsigned *flags;
            unsigned n_records;
            unsigned long long record_of;
            unsigned record_size, record_stride;
        } triangles;
        struct {
            const unsigned long long *boxes;
            unsigned n, stride;
            const unsigned *flags;
            unsigned n_records;
            unsigned long long record_of;
            unsigned record_size;
        } boxes;
    } of;
} input;

static int accel_sizes(void *context, const unsigned *options, const input *in, unsigned n, size_t *sizes)
{
    EXPECT(context != NULL && options[0] == 6 && options[1] == 0x2161 && n == 1);
    EXPECT(in->kind == 0x2141 || in->kind == 0x2142);
    sizes[0] = 1024;
    sizes[1] = 512;
    sizes[2] = 0;
    return 0;
}

typedef struct emission {
    unsigned long long result;
    int property;
} emission;

static int accel_build(void *context, void *stream, const unsigned *options, const input *in, unsigned n,
                       unsigned long long working, size_t n_working, unsigned long long out, size_t n_out,
                       unsigned long long *scene, const emission *emitted, unsigned n_emitted)
{
    fake_optix_record *seen = &fake_optix_seen;
    bool is_boxes = in->kind == 0x2142;
    EXPECT(context != NULL && stream != NULL && options != NULL && n == 1 && n_emitted == 1 &&
           emitted->property == 0x2181);
    *(unsigned long long *)emitted->result = 700;
    EXPECT(working != 0 && n_working == 512 && out != 0 && n_out == 1024);
    const unsigned *flags = is_boxes ? in->of.boxes.flags : in->of.triangles.flags;
    seen->is_boxes = is_boxes;
    seen->n_shapes = is_boxes ? in->of.boxes.n : in->of.triangles.n_triples;
    seen->n_records = is_boxes ? in->of.boxes.n_records : in->of.triangles.n_records;
    EXPECT(is_boxes || (in->of.triangles.format == 0x2121 && in->of.triangles.index_format == 0x2103));
    EXPECT((is_boxes ? in->of.boxes.record_size : in->of.triangles.record_size) == 4);
    const unsigned *kinds = (const unsigned *)(is_boxes ? in->of.boxes.record_of : in->of.triangles.record_of);
    const float *numbers = (const float *)(is_boxes ? in->of.boxes.boxes[0] : in->of.triangles.vertices[0]);
    memset(seen->n_of_kind, 0, sizeof seen->n_of_kind);
    for (unsigned i = 0; i < seen->n_shapes; i++) {
        EXPECT(kinds[i] < seen->n_records);
        seen->n_of_kind[kinds[i]]++;
    }
    for (unsigned i = 0; i < seen->n_records; i++) {
        seen->flags[i] = flags[i];
    }
    unsigned each = is_boxes ? 6 : 9;
    seen->n_numbers = 0;
    for (unsigned i = 0; i < seen->n_shapes && seen->n_numbers + each <= FAKE_OPTIX_NUMBERS; i++) {
        const unsigned *triple = (const unsigned *)in->of.triangles.indices + 3 * (size_t)i;
        for (unsigned k = 0; k < each; k++) {
            EXPECT(is_boxes || triple[k / 3] < in->of.triangles.n_vertices);
            seen->numbers[seen->n_numbers++] = is_boxes ? numbers[6 * i + k] : numbers[3 * triple[k / 3] + k % 3];
        }
    }
    *scene = 4710;
    return setting("FAKE_OPTIX_BUILD");
}

static int accel_compact(void *context, void *stream, unsigned long long from, unsigned long long out, size_t n_out,
                         unsigned long long *scene)
{
    EXPECT(context != NULL && stream != NULL && from == 4710 && out != 0 && n_out == 700);
    *scene = 4711;
    return setting("FAKE_OPTIX_COMPACT");
}

static int record_header(void *object, void *header)
{
    EXPECT(object != NULL);
    memset(header, 0xAB, 32);
    return 0;
}

typedef struct binding_table {
    unsigned long long raygen, exception, miss;
    unsigned miss_stride, n_miss;
    unsigned long long hit;
    unsigned hit_stride, n_hit;
    unsigned long long callables;
    unsigned callables_stride, n_callables;
} binding_table;

/* Scene, data, parameters, then one address a buffer: what a CPU's kernel takes from the parameters on. */
static void compute(const unsigned char *bytes, size_t n_bytes, size_t n_parameters)
{
    void *args[DEVICE_MAX_ARGS];
    const device_cpu_kernel *k = device_cpu_kernels;
    while (k->entry != NULL && strcmp(k->entry, "gas_transport") != 0) {
        k++;
    }
    EXPECT(k->entry != NULL && n_bytes >= 16 + n_parameters);
    args[0] = (void *)(uintptr_t)(bytes + 16);
    for (size_t i = 1, at = 16 + n_parameters; at < n_bytes; i++, at += 8) {
        memcpy(&args[i], bytes + at, 8);
    }
    k->function(args, 0, 1);
}

static int launch(void *pipeline, void *stream, unsigned long long arguments, size_t n, const binding_table *table,
                  unsigned width, unsigned height, unsigned depth)
{
    fake_optix_record *seen = &fake_optix_seen;
    unsigned long long scene;
    memcpy(&scene, (const void *)arguments, sizeof scene);
    EXPECT(pipeline != NULL && stream != NULL && height == 1 && depth == 1);
    if (scene == 0 && width == 1) { /* to have it loaded */
        return 0;
    }
    EXPECT(scene == 4711);
    EXPECT(seen->argument_bytes == 0 || seen->argument_bytes == n);
    EXPECT(table->raygen % 16 == 0 && table->miss % 16 == 0 && table->hit % 16 == 0);
    EXPECT(table->n_miss == 1 && table->n_hit == seen->n_records && table->hit_stride % 16 == 0 &&
           table->n_callables == 0);
    for (unsigned i = 0; i < table->n_hit; i++) { /* behind each header stands the number of the kind */
        unsigned kind;
        memcpy(&kind, (const char *)table->hit + (size_t)i * table->hit_stride + 32, sizeof kind);
        EXPECT(kind == i);
    }
    seen->threads = width;
    seen->n_launches++;
    if (setting("FAKE_OPTIX_COMPUTE")) {
        compute((const unsigned char *)arguments, n, FAKE_OPTIX_PARAMETERS);
    }
    return setting("FAKE_OPTIX_LAUNCH");
}

static bool is_known(int abi)
{
    const char *list = getenv("FAKE_OPTIX_ABI");
    char number[16];
    snprintf(number, sizeof number, ",%d,", abi);
    return list == NULL || strstr(list, number) != NULL;
}

int optixQueryFunctionTable(int abi, unsigned n_options, void *keys, const void **values, void **table, size_t n_bytes)
{
    EXPECT(n_options == 0 && keys == NULL && values == NULL);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i].abi != abi || !is_known(abi)) {
            continue;
        }
        if (n_bytes != tables[i].n * sizeof *table) {
            return 7802;
        }
        fake_optix_seen = (fake_optix_record){.abi = abi};
        table[0] = (void *)error_name;
        table[2] = (void *)context_create;
        table[3] = (void *)destroy;
        table[4] = (void *)context_property;
        table[12] = (void *)module_create;
        table[tables[i].module_destroy] = (void *)destroy;
        table[tables[i].group] = (void *)group_create;
        table[tables[i].group + 1] = (void *)destroy;
        table[tables[i].group + 2] = (void *)group_stack_sizes;
        table[tables[i].pipeline] = (void *)pipeline_create;
        table[tables[i].pipeline + 1] = (void *)destroy;
        table[tables[i].stack] = (void *)pipeline_set_stack;
        table[tables[i].accel] = (void *)accel_sizes;
        table[tables[i].accel + 1] = (void *)accel_build;
        table[tables[i].accel + 5] = (void *)accel_compact;
        table[tables[i].record] = (void *)record_header;
        table[tables[i].record + 1] = (void *)launch;
        return 0;
    }
    return 7801;
}
