/* A stand-in for libcuda that computes nothing: it hands out host memory and fails where the environment says so.
 * FAKE_CUDA_<CALL>=code makes a call return that code; see the uses of setting() for the rest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long setting(const char *name, long otherwise)
{
    const char *value = getenv(name);
    return value == NULL ? otherwise : strtol(value, NULL, 10);
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
    static int any;
    *context = &any;
    return device == setting("FAKE_CUDA_BAD_DEVICE", -1) ? 46 : (int)setting("FAKE_CUDA_CONTEXT", 0);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    (void)context;
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

int cuMemFree_v2(unsigned long long pointer)
{
    free((void *)pointer);
    return 0;
}

int cuMemcpyHtoDAsync_v2(unsigned long long target, const void *source, size_t n, void *stream)
{
    (void)stream;
    memcpy((void *)target, source, n);
    return 0;
}

int cuMemcpyDtoHAsync_v2(void *target, unsigned long long source, size_t n, void *stream)
{
    (void)stream;
    memcpy(target, (void *)source, n);
    return 0;
}

int cuMemsetD8Async(unsigned long long target, unsigned char value, size_t n, void *stream)
{
    (void)stream;
    memset((void *)target, value, n);
    return 0;
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
    return (int)setting("FAKE_CUDA_SYNCHRONIZE", 0);
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
    clock_ms += 2.0f;
    *(float *)event = clock_ms;
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
    *function = module;
    return strcmp(name, "add") == 0 || strcmp(name, "light_transport") == 0 ? 0 : 500;
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

int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                              unsigned shared, void *stream, void **arguments)
{
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    (void)shared, (void)stream, (void)arguments;
    return (int)setting("FAKE_CUDA_LAUNCH", 0);
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra)
{
    (void)function, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz;
    (void)shared, (void)stream, (void)arguments, (void)extra;
    return (int)setting("FAKE_CUDA_LAUNCH", 0);
}
