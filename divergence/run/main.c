/*
 * corpuscle-divrun: runs a kernel from two files on the same inputs, compares every byte that it wrote, and the times.
 * The CUDA driver is opened at run time; no toolkit is needed, neither to build nor to run this.
 */
#include "arguments.h"
#include "core/context.h"
#include "device/cuda_driver.h"
#include "device/library.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUILDS_MAX = 16, REPEATS_MAX = 101 };

static const char *const HELP =
    "Usage: corpuscle-divrun A.cubin B.cubin ... --kernel NAME --grid N[,N,N] --block N[,N,N] --arg A ... [options]\n"
    "\n"
    "Runs the kernel of each file (.cubin, .ptx, .fatbin) on the same inputs, compares every byte of every buffer with "
    "the\n"
    "first file's bit by bit, and prints the times (median of --repeat runs after one that warms up).\n"
    "\n"
    "  --arg u32=7          a number: u32, i32, u64, i64, f32, f64; in the kernel's order\n"
    "  --arg buf:4M         a buffer of zeros; buf:4M:random:SEED random words, buf:4M:index words 0 1 2 ...\n"
    "  --arg file:PATH      a buffer with a file's bytes; bytes:PATH a structure passed by value\n"
    "  --repeat N           timed runs (default 5)\n"
    "  --shared N           bytes of dynamic shared memory\n"
    "  --device N           GPU (default 0)\n"
    "  --profile FILE       write what a kernel compiled with `corpuscle-divcc --profile` has recorded\n"
    "\n"
    "Exit code: 0 all equal, 1 they differ or a run failed, 2 wrong usage or no GPU.\n";

typedef struct run_options {
    const char *files[BUILDS_MAX];
    int n_files, n_args, repeat, device;
    const char *kernel, *profile;
    unsigned grid[3], block[3], shared;
    argument args[ARGUMENTS_MAX];
} run_options;

typedef struct build {
    cuda_module module;
    cuda_function function;
    unsigned char *results[ARGUMENTS_MAX]; /* buffers after one run */
    double ms;
    int registers;
    bool is_same;
} build;

static cuda_driver cuda;
static crp_context *context;

static bool check(cuda_result result, const char *what)
{
    char text[256];
    if (result != CUDA_SUCCESS) {
        fprintf(stderr, "corpuscle-divrun: %s failed (%s)\n", what,
                cuda_driver_error(&cuda, result, text, sizeof text));
    }
    return result == CUDA_SUCCESS;
}

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "corpuscle-divrun: cannot read %s\n", path);
        return NULL;
    }
    long n = ftell(file);
    rewind(file);
    char *data = calloc((size_t)n + 1, 1); /* PTX is text and ends with a zero */
    if (data != NULL && fread(data, 1, (size_t)n, file) != (size_t)n) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static bool load(const run_options *o, const char *path, build *b)
{
    void *image = read_file(path);
    bool is_right = image != NULL && check(cuda.module_load_data(&b->module, image, 0, NULL, NULL), path) &&
                    check(cuda.module_get_function(&b->function, b->module, o->kernel), o->kernel);
    free(image);
    return is_right && check(cuda.function_get_attribute(&b->registers, CUDA_FUNCTION_REGISTERS, b->function), path);
}

static bool fill(const run_options *o, cuda_pointer *buffers)
{
    for (int i = 0; i < o->n_args; ++i) {
        const argument *a = &o->args[i];
        if (a->is_buffer && !check(cuda.memcpy_to_device(buffers[i], a->data, a->n_bytes, NULL), "copying inputs")) {
            return false;
        }
    }
    return check(cuda.stream_synchronize(NULL), "copying inputs");
}

/* Inputs anew, one launch, its time. */
static bool launch(const run_options *o, const build *b, cuda_pointer *buffers, double *ms)
{
    void *pointers[ARGUMENTS_MAX];
    cuda_event start = NULL, stop = NULL;
    float elapsed = 0.0f;
    for (int i = 0; i < o->n_args; ++i) {
        const argument *a = &o->args[i];
        pointers[i] = a->is_buffer ? (void *)&buffers[i] : a->is_value ? (void *)a->data : (void *)a->scalar;
    }
    bool is_right = fill(o, buffers) && check(cuda.event_create(&start, CUDA_EVENT_DEFAULT), "timing") &&
                    check(cuda.event_create(&stop, CUDA_EVENT_DEFAULT), "timing") &&
                    check(cuda.event_record(start, NULL), "timing") &&
                    check(cuda.launch_kernel(b->function, o->grid[0], o->grid[1], o->grid[2], o->block[0], o->block[1],
                                             o->block[2], o->shared, NULL, pointers, NULL),
                          "the launch") &&
                    check(cuda.event_record(stop, NULL), "timing") &&
                    check(cuda.stream_synchronize(NULL), "the kernel") &&
                    check(cuda.event_elapsed_time(&elapsed, start, stop), "timing");
    if (start != NULL) {
        cuda.event_destroy(start);
    }
    if (stop != NULL) {
        cuda.event_destroy(stop);
    }
    *ms = elapsed;
    return is_right;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool keep_results(const run_options *o, build *b, cuda_pointer *buffers)
{
    for (int i = 0; i < o->n_args; ++i) {
        if (o->args[i].is_buffer) {
            b->results[i] = malloc(o->args[i].n_bytes);
            if (b->results[i] == NULL ||
                !check(cuda.memcpy_to_host(b->results[i], buffers[i], o->args[i].n_bytes, NULL), "copying results")) {
                return false;
            }
        }
    }
    return check(cuda.stream_synchronize(NULL), "copying results");
}

static bool measure(const run_options *o, build *b, cuda_pointer *buffers)
{
    double times[REPEATS_MAX];
    bool is_right = launch(o, b, buffers, &times[0]) && keep_results(o, b, buffers);
    for (int i = 0; is_right && i < o->repeat; ++i) {
        is_right = launch(o, b, buffers, &times[i]);
    }
    qsort(times, (size_t)o->repeat, sizeof *times, by_size);
    b->ms = times[o->repeat / 2];
    return is_right;
}

/* The first difference goes to standard error. */
static bool compare(const run_options *o, const build *first, const build *b, const char *name)
{
    for (int i = 0; i < o->n_args; ++i) {
        size_t n = o->args[i].is_buffer ? o->args[i].n_bytes : 0;
        if (n == 0 || memcmp(first->results[i], b->results[i], n) == 0) {
            continue;
        }
        size_t at = 0, n_words = 0;
        while (first->results[i][at] == b->results[i][at]) {
            ++at;
        }
        for (size_t k = 0; k + 4 <= n; k += 4) {
            n_words += memcmp(first->results[i] + k, b->results[i] + k, 4) != 0;
        }
        fprintf(stderr, "%s: argument %d differs in %zu words of 4 bytes, first at byte %zu\n", name, i, n_words, at);
        return false;
    }
    return true;
}

/* What the recording kernel left in its own memory, appended in the form of docs/formats/divprofile.md. */
static bool write_profile(const run_options *o, const build *b)
{
    cuda_result (*get_global)(cuda_pointer *, size_t *, cuda_module, const char *);
    *(void **)&get_global = dlsym(cuda.library, "cuModuleGetGlobal_v2");
    cuda_pointer memory = 0;
    size_t n = 0;
    if (get_global == NULL || get_global(&memory, &n, b->module, "corpuscle_profile") != CUDA_SUCCESS) {
        fprintf(stderr, "corpuscle-divrun: %s records nothing; compile it with `corpuscle-divcc --profile`\n",
                o->files[0]);
        return false;
    }
    unsigned char *data = malloc(n);
    FILE *file = fopen(o->profile, "ab");
    bool is_right = data != NULL && file != NULL && check(cuda.memcpy_to_host(data, memory, n, NULL), "the record") &&
                    check(cuda.stream_synchronize(NULL), "the record") && fwrite(data, 1, n, file) == n;
    if (file == NULL || fclose(file) != 0 || !is_right) {
        fprintf(stderr, "corpuscle-divrun: cannot write %s\n", o->profile);
        is_right = false;
    }
    free(data);
    return is_right;
}

static bool read_sizes(const char *text, unsigned sizes[3])
{
    sizes[0] = sizes[1] = sizes[2] = 1;
    return sscanf(text, "%u,%u,%u", &sizes[0], &sizes[1], &sizes[2]) >= 1 && sizes[0] && sizes[1] && sizes[2];
}

static bool usage(const char *what)
{
    fprintf(stderr, "corpuscle-divrun: %s; see --help\n", what);
    return false;
}

static bool read_option(run_options *o, const char *name, const char *value)
{
    if (strcmp(name, "--kernel") == 0) {
        o->kernel = value;
    } else if (strcmp(name, "--grid") == 0) {
        return read_sizes(value, o->grid) || usage("--grid takes one to three numbers");
    } else if (strcmp(name, "--block") == 0) {
        return read_sizes(value, o->block) || usage("--block takes one to three numbers");
    } else if (strcmp(name, "--arg") == 0) {
        return o->n_args < ARGUMENTS_MAX ? argument_parse(value, &o->args[o->n_args++]) : usage("too many arguments");
    } else if (strcmp(name, "--repeat") == 0) {
        o->repeat = atoi(value);
        return (o->repeat > 0 && o->repeat < REPEATS_MAX) || usage("--repeat takes 1 to 100");
    } else if (strcmp(name, "--device") == 0) {
        o->device = atoi(value);
    } else if (strcmp(name, "--shared") == 0) {
        o->shared = (unsigned)atoi(value);
    } else if (strcmp(name, "--profile") == 0) {
        o->profile = value;
    } else {
        return usage("unknown option");
    }
    return true;
}

static bool read_options(int argc, char **argv, run_options *o)
{
    *o = (run_options){.repeat = 5};
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] == '-') {
            if (i + 1 == argc || !read_option(o, argv[i], argv[i + 1])) {
                return i + 1 == argc ? usage("the last option has no value") : false;
            }
            ++i;
        } else if (o->n_files < BUILDS_MAX) {
            o->files[o->n_files++] = argv[i];
        }
    }
    return (o->n_files > 0 && o->kernel != NULL && o->grid[0] && o->block[0]) ||
           usage("files, --kernel, --grid and --block are needed");
}

static bool open_gpu(const run_options *o)
{
    cuda_device_id device;
    cuda_context gpu;
    if (crp_context_create(&context) != CRP_OK || cuda_driver_open(context, &cuda) != CRP_OK) {
        fprintf(stderr, "corpuscle-divrun: %s\n", crp_context_error(context));
        return false;
    }
    return check(cuda.device_get(&device, o->device), "finding the GPU") &&
           check(cuda.primary_context_retain(&gpu, device), "opening the GPU") &&
           check(cuda.context_set_current(gpu), "opening the GPU");
}

static int run(const run_options *o)
{
    static build builds[BUILDS_MAX];
    cuda_pointer buffers[ARGUMENTS_MAX] = {0};
    bool is_right = true, is_same = true;
    for (int i = 0; is_right && i < o->n_args; ++i) {
        is_right =
            !o->args[i].is_buffer || check(cuda.mem_alloc(&buffers[i], o->args[i].n_bytes), "allocating buffers");
    }
    for (int i = 0; is_right && i < o->n_files; ++i) {
        build *b = &builds[i];
        is_right = load(o, o->files[i], b) && measure(o, b, buffers);
        b->is_same = is_right && compare(o, &builds[0], b, o->files[i]);
        is_same = is_same && b->is_same;
        if (is_right) {
            printf("%-40s %10.4f ms %7.3f times  %3d registers  %s\n", o->files[i], b->ms, builds[0].ms / b->ms,
                   b->registers,
                   i == 0       ? "-"
                   : b->is_same ? "same"
                                : "DIFFERS");
        }
    }
    is_right = is_right && (o->profile == NULL || write_profile(o, &builds[0]));
    return is_right && is_same ? 0 : 1;
}

int main(int argc, char **argv)
{
    static run_options o;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(HELP, stdout);
        return 0;
    }
    if (!read_options(argc, argv, &o) || !open_gpu(&o)) {
        return 2;
    }
    return run(&o);
}
