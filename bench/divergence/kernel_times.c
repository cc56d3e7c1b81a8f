/*
 * Put in front of a CUDA program with LD_PRELOAD: measures every kernel launch by the GPU's clock and appends
 * "kernel launches milliseconds" lines to $KERNEL_TIMES at the end, and a line "= bytes hash" over all that was copied from
 * the GPU to the host, in order: two builds with the same results have the same. The program must use the shared CUDA runtime.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS_MAX = 512 };

typedef struct size3 {
    unsigned x, y, z;
} size3;
typedef int (*launch_function)(const void *, size3, size3, void **, size_t, void *);

static struct {
    const void *function;
    char name[200];
    unsigned long launches;
    double ms;
} kernels[KERNELS_MAX];
static int n_kernels;
static unsigned long long n_copied, hash_copied = 0xcbf29ce484222325ull;

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static int find(const void *function)
{
    for (int i = 0; i < n_kernels; ++i) {
        if (kernels[i].function == function) {
            return i;
        }
    }
    if (n_kernels == KERNELS_MAX) {
        return 0;
    }
    kernels[n_kernels].function = function;
    return n_kernels++;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *a,
                            void *b, void *c, void *d, int *e)
{
    void (*real)(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
    *(void **)&real = next("__cudaRegisterFunction");
    snprintf(kernels[find(host)].name, sizeof kernels[0].name, "%s", name);
    real(handle, host, device, name, limit, a, b, c, d, e);
}

static int measure(const char *symbol, const void *function, size3 grid, size3 block, void **args, size_t shared,
                   void *stream)
{
    static void *start, *stop;
    int (*create)(void **), (*record)(void *, void *), (*wait)(void *), (*elapsed)(float *, void *, void *);
    launch_function real;
    float ms = 0.0f;
    *(void **)&real = next(symbol);
    *(void **)&create = next("cudaEventCreate");
    *(void **)&record = next("cudaEventRecord");
    *(void **)&wait = next("cudaEventSynchronize");
    *(void **)&elapsed = next("cudaEventElapsedTime");
    if (start == NULL) {
        create(&start);
        create(&stop);
    }
    record(start, stream);
    int result = real(function, grid, block, args, shared, stream);
    record(stop, stream);
    wait(stop);
    int at = find(function);
    if (result == 0 && elapsed(&ms, start, stop) == 0) {
        kernels[at].launches += 1;
        kernels[at].ms += ms;
    }
    return result;
}

int cudaLaunchKernel(const void *function, size3 grid, size3 block, void **args, size_t shared, void *stream)
{
    return measure("cudaLaunchKernel", function, grid, block, args, shared, stream);
}

/* FNV-1a over 64-bit words, the rest by bytes. */
static void add_copied(const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < n;) {
        unsigned long long word = 0;
        size_t part = n - i < sizeof word ? n - i : sizeof word;
        memcpy(&word, bytes + i, part);
        hash_copied = (hash_copied ^ word) * 0x100000001b3ull;
        i += part;
    }
    n_copied += n;
}

enum { TO_HOST = 2 };

int cudaMemcpy(void *to, const void *from, size_t n, int kind)
{
    int (*real)(void *, const void *, size_t, int);
    *(void **)&real = next("cudaMemcpy");
    int result = real(to, from, n, kind);
    if (result == 0 && kind == TO_HOST) {
        add_copied(to, n);
    }
    return result;
}

int cudaMemcpyAsync(void *to, const void *from, size_t n, int kind, void *stream)
{
    int (*real)(void *, const void *, size_t, int, void *), (*wait)(void *);
    *(void **)&real = next("cudaMemcpyAsync");
    *(void **)&wait = next("cudaStreamSynchronize");
    int result = real(to, from, n, kind, stream);
    if (result == 0 && kind == TO_HOST && wait(stream) == 0) {
        add_copied(to, n);
    }
    return result;
}

__attribute__((destructor)) static void report(void)
{
    const char *path = getenv("KERNEL_TIMES");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    for (int i = 0; file != NULL && i < n_kernels; ++i) {
        if (kernels[i].launches > 0) {
            fprintf(file, "%s %lu %.6f\n", kernels[i].name[0] ? kernels[i].name : "?", kernels[i].launches,
                    kernels[i].ms);
        }
    }
    if (file != NULL) {
        fprintf(file, "= %llu %016llx\n", n_copied, hash_copied);
        fclose(file);
    }
}
