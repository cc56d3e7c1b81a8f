/** The CPU as a device: one worker a thread, kernels compiled in for several instruction sets. */
#include "core/context.h"
#include "core/memory.h"
#include "device/device.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* "Debian Clang 14.0.6" */
#else
#define COMPILER "gcc " __VERSION__
#endif

struct device_buffer {
    size_t n_bytes;
    uint64_t *data;
};

struct device_kernel {
    const device_cpu_kernel *built;
};

typedef struct cpu_device {
    device base;
    char isa[16];
    uint32_t n_threads;
    double seconds[DEVICE_N_QUEUES];
} cpu_device;

static cpu_device *as_cpu(device *d)
{
    return (cpu_device *)d;
}

/* The best instruction set of this processor; CORPUSCLE_ISA forces a lower one (for tests and comparisons). */
static const char *pick_isa(void)
{
    const char *forced = getenv("CORPUSCLE_ISA");
    if (forced != NULL && forced[0] != '\0') {
        return forced;
    }
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        return "x86-64-v4";
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        return "x86-64-v3";
    }
    return "x86-64-v2";
#else
    return "generic";
#endif
}

static crp_status cpu_count(crp_context *context, uint32_t *n)
{
    (void)context;
    *n = 1;
    return CRP_OK;
}

static void processor_name(char *name, size_t n)
{
    snprintf(name, n, "cpu");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, n, "%s", colon + 2);
            break;
        }
    }
    fclose(file);
}

static void cpu_describe(cpu_device *c)
{
    device_info *info = &c->base.info;
    char name[96];
    processor_name(name, sizeof name);
    snprintf(info->kind, sizeof info->kind, "cpu");
    snprintf(info->label, sizeof info->label, "cpu");
    snprintf(info->name, sizeof info->name, "%.80s, %s, %u thread%s", name, c->isa, c->n_threads,
             c->n_threads == 1 ? "" : "s");
    snprintf(info->detail, sizeof info->detail, "instruction set %s, kernels compiled by %s", c->isa, COMPILER);
    info->memory_total = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    info->n_units = c->n_threads;
    info->max_block = 1;
    info->has_fma = strcmp(c->isa, "x86-64-v2") != 0;
}

static crp_status cpu_open(crp_context *context, uint32_t index, const device_options *options, device **out)
{
    CRP_CHECK(context, index == 0, CRP_ERR_DEVICE, "cpu:%u: there is one CPU device, cpu:0 (all cores belong to it); "
              "use --threads to take fewer", index);
    cpu_device *c = calloc(1, sizeof *c);
    CRP_CHECK(context, c != NULL, CRP_ERR_MEMORY, "no memory for the CPU device");
    c->base.ops = &device_ops_cpu;
    c->base.context = context;
    c->n_threads = options != NULL && options->threads > 0 ? options->threads : (uint32_t)omp_get_num_procs();
    snprintf(c->isa, sizeof c->isa, "%s", pick_isa());
    cpu_describe(c);
    if (!c->base.info.has_fma) {
        context_log(context, CRP_LOG_WARNING, "cpu", "this processor has no fused multiply-add, which is then computed "
                    "by software: the digits are the same, at a small fraction of the speed");
    }
    *out = &c->base;
    return CRP_OK;
}

static void cpu_close(device *d)
{
    free(d);
}

static crp_status cpu_info(device *d, device_info *info)
{
    uint64_t available = memory_available();
    d->info.memory_free = available < d->info.memory_total ? available : d->info.memory_total;
    *info = d->info;
    return CRP_OK;
}

static crp_status cpu_buffer_create(device *d, size_t n_bytes, device_buffer **out)
{
    device_buffer *b = calloc(1, sizeof *b);
    if (b != NULL && memory_suffices(n_bytes, NULL)) { /* the system would promise more than it has */
        b->n_bytes = n_bytes;
        b->data = aligned_alloc(64, (n_bytes + 63) / 64 * 64);
    }
    if (b == NULL || b->data == NULL) {
        free(b);
        return context_fail(d->context, CRP_ERR_MEMORY, "no memory for a buffer: %zu bytes needed, %llu available; use a "
                            "smaller model (fewer bins, fewer molecules in one track)", n_bytes, (unsigned long long)memory_available());
    }
    *out = b;
    return CRP_OK;
}

static void cpu_buffer_destroy(device *d, device_buffer *buffer)
{
    (void)d;
    if (buffer != NULL) {
        free(buffer->data);
        free(buffer);
    }
}

static crp_status cpu_upload(device *d, uint32_t queue, device_buffer *buffer, const void *source, size_t n_bytes)
{
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    memcpy(buffer->data, source, n_bytes);
    return CRP_OK;
}

static crp_status cpu_zero(device *d, uint32_t queue, device_buffer *buffer, size_t n_bytes)
{
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    memset(buffer->data, 0, n_bytes);
    return CRP_OK;
}

static crp_status cpu_download(device *d, uint32_t queue, device_buffer *buffer, void *target, size_t n_bytes)
{
    CRP_TRY(device_check_access(d, queue, n_bytes, buffer->n_bytes));
    memcpy(target, buffer->data, n_bytes);
    return CRP_OK;
}

static crp_status cpu_kernel_create(device *d, const device_kernel_source *source, device_kernel **out)
{
    cpu_device *c = as_cpu(d);
    for (const device_cpu_kernel *k = device_cpu_kernels; k->entry != NULL; ++k) {
        if (strcmp(k->entry, source->entry) == 0 && strcmp(k->isa, c->isa) == 0) {
            device_kernel *kernel = malloc(sizeof *kernel);
            CRP_CHECK(d->context, kernel != NULL, CRP_ERR_MEMORY, "no memory for a kernel");
            kernel->built = k;
            *out = kernel;
            return CRP_OK;
        }
    }
    return context_fail(d->context, CRP_ERR_UNSUPPORTED, "the kernel %s is not compiled for the instruction set %s; "
                        "unset CORPUSCLE_ISA or choose x86-64-v2, x86-64-v3 or x86-64-v4", source->entry, c->isa);
}

static void cpu_kernel_destroy(device *d, device_kernel *kernel)
{
    (void)d;
    free(kernel);
}

/* Words of a private copy: whole cache lines, so that two workers never write to one. */
static size_t words_of_copy(const device_buffer *buffer)
{
    return (buffer->n_bytes + 63) / 64 * 8;
}

/* Words that worker 1, 2 ... add to: zeroed copies of the SUM buffers, one after another. */
static uint64_t *private_copies(const device_launch *launch, uint32_t n_workers, size_t *words_each)
{
    size_t n = 0;
    for (uint32_t k = 0; k < launch->n_args; ++k) {
        n += launch->args[k].kind == DEVICE_ARG_SUM ? words_of_copy(launch->args[k].buffer) : 0;
    }
    *words_each = n;
    size_t bytes = n * 8 * (n_workers - 1);
    return aligned_alloc(64, bytes == 0 ? 64 : bytes);
}

/* The argument list of one worker: pointers to bytes and memory, its own copies for what it sums. */
static void bind_args(const device_launch *launch, uint64_t *copy, void **args)
{
    for (uint32_t k = 0; k < launch->n_args; ++k) {
        const device_arg *a = &launch->args[k];
        if (a->kind == DEVICE_ARG_BYTES) {
            args[k] = (void *)(uintptr_t)a->bytes;
        } else if (a->kind == DEVICE_ARG_SUM && copy != NULL) {
            args[k] = copy;
            copy += words_of_copy(a->buffer);
        } else {
            args[k] = a->buffer->data;
        }
    }
}

static void add_copies(const device_launch *launch, const uint64_t *copies, size_t words_each, uint32_t n_workers)
{
    for (uint32_t w = 1; w < n_workers; ++w) {
        const uint64_t *copy = copies + (w - 1) * words_each;
        for (uint32_t k = 0; k < launch->n_args; ++k) {
            if (launch->args[k].kind != DEVICE_ARG_SUM) {
                continue;
            }
            device_buffer *buffer = launch->args[k].buffer;
            for (size_t i = 0; i < buffer->n_bytes / 8; ++i) {
                buffer->data[i] += copy[i];
            }
            copy += words_of_copy(buffer);
        }
    }
}

static crp_status cpu_launch(device *d, uint32_t queue, device_kernel *kernel, const device_launch *launch)
{
    cpu_device *c = as_cpu(d);
    size_t words_each = 0;
    CRP_TRY(device_check_launch(d, queue, kernel->built->entry, launch));
    uint64_t *copies = private_copies(launch, c->n_threads, &words_each);
    CRP_CHECK(d->context, copies != NULL, CRP_ERR_MEMORY, "no memory for the tallies of %u threads: %zu bytes needed, %llu "
              "available; use fewer threads or a smaller grid", c->n_threads, words_each * 8 * (c->n_threads - 1),
              (unsigned long long)memory_available());
    double start = omp_get_wtime();
#pragma omp parallel num_threads((int)c->n_threads)
    {
        uint32_t worker = (uint32_t)omp_get_thread_num();
        uint32_t n_workers = (uint32_t)omp_get_num_threads();
        uint64_t *copy = worker == 0 ? NULL : copies + (worker - 1) * words_each;
        if (copy != NULL) {
            memset(copy, 0, words_each * 8);
        }
        void *args[DEVICE_MAX_ARGS] = {NULL};
        bind_args(launch, copy, args);
        kernel->built->function(args, worker, n_workers);
#pragma omp barrier
#pragma omp single
        add_copies(launch, copies, words_each, n_workers);
    }
    c->seconds[queue] = omp_get_wtime() - start;
    free(copies);
    return CRP_OK;
}

static crp_status cpu_wait(device *d, uint32_t queue)
{
    return device_check_access(d, queue, 0, 0); /* a launch has ended when it returns */
}

static double cpu_launch_seconds(device *d, uint32_t queue)
{
    return as_cpu(d)->seconds[queue];
}

const device_ops device_ops_cpu = {
    .kind = "cpu",
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .info = cpu_info,
    .buffer_create = cpu_buffer_create,
    .buffer_destroy = cpu_buffer_destroy,
    .upload = cpu_upload,
    .zero = cpu_zero,
    .download = cpu_download,
    .kernel_create = cpu_kernel_create,
    .kernel_destroy = cpu_kernel_destroy,
    .launch = cpu_launch,
    .wait = cpu_wait,
    .launch_seconds = cpu_launch_seconds,
};
