/* A stand-in for libcuda: it hands out host memory and fails where the environment says so. Launches compute nothing, or
 * with FAKE_CUDA_COMPUTE=1 what the CPU's kernel of the same name makes of the arguments, which is what a GPU would in
 * strict math. FAKE_CUDA_<CALL>=code makes a call return that code; see the uses of setting() and fault_of() for the rest. */
#include "device/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_DEVICES = 16 };

/* Kernels, with the number of their arguments: the first is a struct by value, the others are buffers. */
static const struct { const char *name; int n_arguments; } kernels[] = {{"add", 0}, {"light_transport", 5}, {"chem_exact", 8},
                                                                   {"gas_fold", 0}};

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value == NULL ? otherwise : strtol(value, NULL, 10);
}

/* Devices are numbered contexts: a context is a pointer into this array. A thread works with one at a time. */
static struct fake_gpu {
    long n_launches;
    int lost; /* the code that every call gives, once it has failed */
} gpus[MAX_DEVICES];
static __thread struct fake_gpu *current = gpus;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* FAKE_CUDA_FAULT=device:launch:code, several joined by ",": the device fails in its launch of that number (from 1) and ever
 * after. Out of memory (2) shows at once, anything else when the host waits, as on a real one. */
static int fault_of(long device, long launch)
{
    const char *text = getenv("FAKE_CUDA_FAULT");
    while (text != NULL && *text != '\0') {
        long d = 0, n = 0, code = 0;
        if (sscanf(text, "%ld:%ld:%ld", &d, &n, &code) == 3 && d == device && n == launch) {
            return (int)code;
        }
        text = strchr(text, ',');
        text = text == NULL ? NULL : text + 1;
    }
    return 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return (int)setting("FAKE_CUDA_INIT", 0);
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

int cuGetErrorName(int result, const char **name)
{
    static char text[32];
    snprintf(text, sizeof text, "FAKE_ERROR_%d", result);
    *name = text;
    return result == 12345 ? 1 : 0; /* a number that the driver does not know */
}

int cuGetErrorString(int result, const char **text)
{
    (void)result;
    *text = "as asked for";
    return 0;
}

int cuDeviceGetCount(int *n)
{
    *n = (int)setting("FAKE_CUDA_DEVICES", 1);
    return 0;
}

int cuDeviceGet(int *device, int index)
{
    *device = index;
    return index < setting("FAKE_CUDA_DEVICES", 1) ? 0 : 101;
}

int cuDeviceGetName(char *name, int n, int device)
{
    snprintf(name, (size_t)n, "Fake GPU %d", device);
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    switch (attribute) {
    case 75:
        *value = (int)setting("FAKE_CUDA_CAPABILITY", 90) / 10;
        break;
    case 76:
        *value = (int)setting("FAKE_CUDA_CAPABILITY", 90) % 10;
        break;
    case 81:
    case 97:
        *value = 100000;
        break;
    default:
        *value = 1024;
    }
    return 0;
}

int cuDeviceTotalMem_v2(size_t *n, int device)
{
    (void)device;
    *n = 1000000;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    gpus[device % MAX_DEVICES] = (struct fake_gpu){0};
    *context = &gpus[device % MAX_DEVICES];
    return device == setting("FAKE_CUDA_BAD_DEVICE", -1) ? 46 : (int)setting("FAKE_CUDA_CONTEXT", 0);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    current = context != NULL ? context : gpus;
    return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    *free_bytes = (size_t)setting("FAKE_CUDA_FREE", 1000000);
    *total = 1000000;
    return 0;
}

int cuMemAlloc_v2(unsigned long long *pointer, size_t n)
{
    if (n > (size_t)setting("FAKE_CUDA_FREE", 1000000)) {
        return 2;
    }
    void *memory = malloc(n);
    *pointer = (unsigned long long)memory;
    return 0;
}

/* Paged between the host and the device: any size, or the code asked for. */
int cuMemAllocManaged(unsigned long long *pointer, size_t n, unsigned flags)
{
    int code = (int)setting("FAKE_CUDA_MANAGED", 0);
    *pointer = code == 0 && flags == 1 ? (unsigned long long)malloc(n) : 0;
    return flags == 1 ? code : 1;
}

int cuMemFree_v2(unsigned long long pointer)
{
    free((void *)pointer);
    return 0;
}

int cuMemcpyHtoDAsync_v2(unsigned long long target, const void *source, size_t n, void *stream)
{
    (void)stream;
    memcpy((void *)target, source, n);
    return current->lost;
}

int cuMemcpyDtoHAsync_v2(void *target, unsigned long long source, size_t n, void *stream)
{
    (void)stream;
    memcpy(target, (void *)source, n);
    return current->lost;
}

int cuMemsetD8Async(unsigned long long target, unsigned char value, size_t n, void *stream)
{
    (void)stream;
    memset((void *)target, value, n);
    return current->lost;
}

static int make_handle(void **handle)
{
    *handle = malloc(1);
    return 0;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    return flags == 1 ? make_handle(stream) : 1;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    (void)stream;
    return current->lost != 0 ? current->lost : (int)setting("FAKE_CUDA_SYNCHRONIZE", 0);
}

/* An event is the time of its last recording; each recording is 2 ms after the one before. */
static float clock_ms;

int cuEventCreate(void **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof clock_ms);
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    free(event);
    return 0;
}

int cuEventRecord(void *event, void *stream)
{
    (void)stream;
    pthread_mutex_lock(&lock);
    clock_ms += 2.0f;
    *(float *)event = clock_ms;
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    *milliseconds = *(const float *)end - *(const float *)begin;
    return 0;
}

/* PTX is taken up to version FAKE_CUDA_PTX, 90 for 9.0. */
static int load_text(void **module, const char *text)
{
    int major = 0, minor = 0;
    const char *mark = strstr(text, ".version ");
    if (mark == NULL || sscanf(mark, ".version %d.%d", &major, &minor) != 2) {
        return 200;
    }
    return 10 * major + minor <= setting("FAKE_CUDA_PTX", 999) ? make_handle(module) : 222;
}

/* FAKE_CUDA_REFUSALS modules are refused before one is taken. */
int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    static long n_refused;
    (void)n;
    (void)options;
    (void)values;
    if (n_refused < setting("FAKE_CUDA_REFUSALS", 0)) {
        n_refused++;
        return 200;
    }
    n_refused = 0;
    return memcmp(image, "\177ELF", 4) == 0 ? make_handle(module) : load_text(module, image);
}

int cuModuleUnload(void *module)
{
    free(module);
    return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    (void)module;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (strcmp(name, kernels[i].name) == 0) {
            *function = (void *)&kernels[i];
            return 0;
        }
    }
    return 500;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)attribute;
    (void)function;
    *value = 0;
    return 0;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function;
    (void)attribute;
    (void)value;
    return 0;
}

static void compute(const void *function, void **arguments)
{
    void *args[DEVICE_MAX_ARGS];
    const char *name = kernels[0].name;
    int n = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (function == &kernels[i]) {
            name = kernels[i].name;
            n = kernels[i].n_arguments;
        }
    }
    const device_cpu_kernel *k = device_cpu_kernels;
    while (k->entry != NULL && strcmp(k->entry, name) != 0) { /* the first is for the oldest processor */
        k++;
    }
    if (k->entry != NULL) {
        args[0] = arguments[0];
        for (int i = 1; i < n; i++) {
            args[i] = *(void **)arguments[i];
        }
        k->function(args, 0, 1);
    }
}

/* FAKE_CUDA_SLOW=device: its launches take 20 ms more than they need. */
static void be_slow(long device)
{
    if (device == setting("FAKE_CUDA_SLOW", -1)) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

/* On a busy machine a device whose thread is not run for long finds nothing left to do, and the fault that was asked for never
 * comes: so no device gets ahead of one that is still to fail; for a second at most, as that one may have nothing to do. */
static void keep_pace(long device)
{
    for (const char *text = getenv("FAKE_CUDA_FAULT"); text != NULL; text = strchr(text, ',')) {
        long d = 0, n = 0;
        text += *text == ',' ? 1 : 0;
        if (sscanf(text, "%ld:%ld", &d, &n) != 2 || d == device || d < 0 || d >= MAX_DEVICES) {
            continue;
        }
        long until = current->n_launches < n ? current->n_launches : n;
        for (int i = 0; i < 1000 && __atomic_load_n(&gpus[d].n_launches, __ATOMIC_RELAXED) < until; i++) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

static int launch(void *function, void **arguments)
{
    long device = current - gpus;
    keep_pace(device);
    int fault = current->lost != 0 ? current->lost : fault_of(device, __atomic_add_fetch(&current->n_launches, 1, __ATOMIC_RELAXED));
    if (setting("FAKE_CUDA_COMPUTE", 0) != 0) {
        compute(function, arguments); /* what a failing one has done already must not be counted */
        be_slow(device);
    }
    current->lost = fault;
    return fault == 2 ? fault : (int)setting("FAKE_CUDA_LAUNCH", 0);
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    return launch(function, arguments);
}

int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void *stream, void **arguments)
{
    (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;
    return launch(function, arguments);
}
