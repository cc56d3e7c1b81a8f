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
                                                                   {"chem_paper", 8}, {"chem_irt", 8}, {"gas_fold", 0}};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };

/* A module, with what a split launch is told: its first block, the blocks of all parts, the word that stops them. */
struct fake_module {
    unsigned long long split[3];
    struct fake_function {
        struct fake_module *module;
        size_t kernel;
    } functions[N_KERNELS];
};

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value == NULL ? otherwise : strtol(value, NULL, 10);
}

/* Devices are numbered contexts: a context is a pointer into this array. A thread works with one at a time. */
static struct fake_gpu {
    long n_launches, n_users;
    _Atomic int lost; /* the code that every call gives, once it has failed */
    _Atomic size_t n_created; /* bytes that were made to be mapped */
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
    static __thread char text[32];
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
    *n = (size_t)setting("FAKE_CUDA_TOTAL", 1000000);
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    struct fake_gpu *gpu = &gpus[device % MAX_DEVICES];
    pthread_mutex_lock(&lock);
    if (gpu->n_users++ == 0) {
        *gpu = (struct fake_gpu){.n_users = 1};
    }
    pthread_mutex_unlock(&lock);
    *context = gpu;
    return device == setting("FAKE_CUDA_BAD_DEVICE", -1) ? 46 : (int)setting("FAKE_CUDA_CONTEXT", 0);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    pthread_mutex_lock(&lock);
    gpus[device % MAX_DEVICES].n_users--;
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    current = context != NULL ? context : gpus;
    return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    *free_bytes = (size_t)setting("FAKE_CUDA_FREE", 1000000) - current->n_created;
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

/* ------------------------------------------------------------------------- launches that are split over devices */

/* The one that is being started or works: its parts are done once all blocks are there, or the host's word stops them. */
static struct {
    unsigned long long n_blocks, n_there, *facts;
    void *streams[MAX_DEVICES];
    int n_parts;
} split;

static int is_part(const void *stream)
{
    int is_there = 0;
    for (int i = 0; i < split.n_parts; i++) {
        is_there = is_there || split.streams[i] == stream;
    }
    return is_there && *(volatile unsigned *)split.facts[2] == 0;
}

/* A part that has begun and waits for others. */
static int waits(const void *stream)
{
    pthread_mutex_lock(&lock);
    int does = is_part(stream);
    pthread_mutex_unlock(&lock);
    return does;
}

/* One more part; 1 if that was the last. */
static int join_split(struct fake_module *module, unsigned n_blocks, void *stream)
{
    pthread_mutex_lock(&lock);
    if (split.n_parts == 0 || *(volatile unsigned *)split.facts[2] != 0) {
        memset(&split, 0, sizeof split);
    }
    split.facts = module->split;
    split.n_blocks = module->split[1];
    split.streams[split.n_parts++] = stream;
    int is_next = module->split[0] == split.n_there;
    split.n_there += n_blocks;
    int is_last = is_next && split.n_there == split.n_blocks;
    split.n_parts = is_last ? 0 : split.n_parts;
    pthread_mutex_unlock(&lock);
    return is_last;
}

int cuStreamQuery(void *stream)
{
    return current->lost != 0 ? current->lost : waits(stream) ? 600 : 0;
}

int cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    *value = attribute == 2 ? (int)setting("FAKE_CUDA_P2P", 1) : attribute == 3 ? (int)setting("FAKE_CUDA_P2P_ATOMICS", 1) : 0;
    return from == to ? 101 : 0;
}

int cuCtxEnablePeerAccess(void *of, unsigned flags)
{
    return of == current || flags != 0 ? 1 : (int)setting("FAKE_CUDA_PEER", 704);
}

int cuMemHostAlloc(void **pointer, size_t n, unsigned flags)
{
    *pointer = calloc(1, n);
    return flags == 3 ? 0 : 1;
}

int cuMemFreeHost(void *pointer)
{
    free(pointer);
    return 0;
}

int cuModuleGetGlobal_v2(unsigned long long *pointer, size_t *n, void *module, const char *name)
{
    *pointer = (unsigned long long)((struct fake_module *)module)->split;
    *n = sizeof((struct fake_module *)module)->split;
    return strcmp(name, "ck_split") == 0 ? 0 : 500;
}

int cuMemcpyPeerAsync(unsigned long long target, void *to, unsigned long long source, void *from, size_t n, void *stream)
{
    (void)to, (void)from, (void)stream;
    memcpy((void *)target, (void *)source, n);
    return current->lost;
}

/* One range of addresses at a time, in pages of 4096 bytes; pieces of memory are an account of what lies on which device. */
static struct {
    char *at;
    size_t n, n_mapped, n_open;
} range;
struct fake_piece {
    int device;
    size_t n;
};
struct fake_kind {
    int type, handles, place, device;
};
struct fake_access {
    int place, device, flags;
};

int cuMemGetAllocationGranularity(size_t *n, const struct fake_kind *kind, int option)
{
    *n = 4096;
    return kind->type == 1 && kind->place == 1 && option == 0 ? 0 : 1;
}

int cuMemAddressReserve(unsigned long long *pointer, size_t n, size_t alignment, unsigned long long wish, unsigned long long flags)
{
    if (range.at != NULL || n % 4096 != 0 || alignment != 0 || wish != 0 || flags != 0) {
        return 1; /* two split launches at once would wait for each other */
    }
    range.at = calloc(1, n);
    range.n = n;
    *pointer = (unsigned long long)range.at;
    return 0;
}

int cuMemAddressFree(unsigned long long pointer, size_t n)
{
    if ((char *)pointer != range.at || n != range.n || range.n_mapped != 0) {
        abort();
    }
    free(range.at);
    memset(&range, 0, sizeof range);
    return 0;
}

int cuMemCreate(unsigned long long *memory, size_t n, const struct fake_kind *kind, unsigned long long flags)
{
    struct fake_gpu *gpu = &gpus[kind->device];
    if (kind->type != 1 || kind->place != 1 || n % 4096 != 0 || flags != 0) {
        return 1;
    }
    if (gpu->n_created + n > (size_t)setting("FAKE_CUDA_FREE", 1000000) || kind->device == setting("FAKE_CUDA_FULL", -1)) {
        return 2;
    }
    struct fake_piece *piece = malloc(sizeof *piece);
    *piece = (struct fake_piece){kind->device, n};
    gpu->n_created += n;
    *memory = (unsigned long long)piece;
    return 0;
}

int cuMemRelease(unsigned long long memory)
{
    struct fake_piece *piece = (struct fake_piece *)memory;
    gpus[piece->device].n_created -= piece->n;
    free(piece);
    return 0;
}

int cuMemMap(unsigned long long pointer, size_t n, size_t offset, unsigned long long memory, unsigned long long flags)
{
    if ((char *)pointer != range.at + range.n_mapped || ((struct fake_piece *)memory)->n != n || offset != 0 || flags != 0) {
        return 1;
    }
    range.n_mapped += n;
    return 0;
}

int cuMemUnmap(unsigned long long pointer, size_t n)
{
    (void)pointer;
    range.n_mapped -= n;
    return 0;
}

/* Each device once, and the whole range. */
int cuMemSetAccess(unsigned long long pointer, size_t n, const struct fake_access *access, size_t n_devices)
{
    if ((char *)pointer != range.at || n != range.n || range.n_mapped != n) {
        return 1;
    }
    for (size_t i = 0; i < n_devices; i++) {
        for (size_t j = 0; j < i; j++) {
            if (access[i].device == access[j].device) {
                return 1;
            }
        }
        if (access[i].place != 1 || access[i].flags != 3) {
            return 1;
        }
    }
    range.n_open = n_devices;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------- */

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
    if (waits(stream)) {
        abort(); /* it would wait for ever */
    }
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

static int make_module(void **handle)
{
    struct fake_module *module = calloc(1, sizeof *module);
    for (size_t i = 0; i < N_KERNELS; i++) {
        module->functions[i] = (struct fake_function){module, i};
    }
    *handle = module;
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
    return 10 * major + minor <= setting("FAKE_CUDA_PTX", 999) ? make_module(module) : 222;
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
    return memcmp(image, "\177ELF", 4) == 0 ? make_module(module) : load_text(module, image);
}

int cuModuleUnload(void *module)
{
    pthread_mutex_lock(&lock);
    if (split.facts == ((struct fake_module *)module)->split) { /* of a launch that was stopped */
        memset(&split, 0, sizeof split);
    }
    pthread_mutex_unlock(&lock);
    free(module);
    return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    for (size_t i = 0; i < N_KERNELS; i++) {
        if (strcmp(name, kernels[i].name) == 0) {
            *function = &((struct fake_module *)module)->functions[i];
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

static void compute(const struct fake_function *function, void **arguments)
{
    void *args[DEVICE_MAX_ARGS];
    const char *name = kernels[function->kernel].name;
    int n = kernels[function->kernel].n_arguments;
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

/* On a busy machine a device whose thread is not run for long finds nothing left to do and never fails as was asked for: so none
 * gets ahead of one that is still to fail; for a second at most, as that one may have nothing to do. */
static void keep_pace(long device)
{
    for (const char *text = getenv("FAKE_CUDA_FAULT"); text != NULL; text = strchr(text, ',')) {
        long d = 0, n = 0;
        text += *text == ',' ? 1 : 0;
        bool is_other = sscanf(text, "%ld:%ld", &d, &n) == 2 && d != device && d >= 0 && d < MAX_DEVICES;
        long until = current->n_launches < n ? current->n_launches : n;
        for (int i = 0; is_other && i < 1000 && __atomic_load_n(&gpus[d].n_launches, __ATOMIC_RELAXED) < until; i++) {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

/* What a failing launch has done already must not be counted; a failing part of a split one does not come to the first barrier. */
static int launch(struct fake_function *function, unsigned n_blocks, void *stream, void **arguments)
{
    long device = current - gpus;
    keep_pace(device);
    int fault = current->lost != 0 ? current->lost : fault_of(device, __atomic_add_fetch(&current->n_launches, 1, __ATOMIC_RELAXED));
    int is_part = function->module->split[1] != 0;
    if (setting("FAKE_CUDA_COMPUTE", 0) != 0 && (!is_part || (fault == 0 && join_split(function->module, n_blocks, stream)))) {
        compute(function, arguments);
        be_slow(device);
    }
    current->lost = fault;
    return fault == 2 ? fault : (int)setting("FAKE_CUDA_LAUNCH", 0);
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)extra;
    return launch(function, gx, stream, arguments);
}

int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void *stream, void **arguments)
{
    (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared;
    return launch(function, gx, stream, arguments);
}
