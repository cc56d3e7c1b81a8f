/* Finds NVRTC where distributions, the toolkit, conda and pip put it, and binds its functions. */
#include "device/nvrtc.h"

#include "core/context.h"
#include "device/library.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NVRTC_SYMBOL(name, member) {name, offsetof(nvrtc, member)}

static const library_symbol nvrtc_symbols[] = {
    NVRTC_SYMBOL("nvrtcGetErrorString", get_error_string),
    NVRTC_SYMBOL("nvrtcVersion", version),
    NVRTC_SYMBOL("nvrtcCreateProgram", create_program),
    NVRTC_SYMBOL("nvrtcDestroyProgram", destroy_program),
    NVRTC_SYMBOL("nvrtcCompileProgram", compile_program),
    NVRTC_SYMBOL("nvrtcGetProgramLogSize", get_program_log_size),
    NVRTC_SYMBOL("nvrtcGetProgramLog", get_program_log),
    NVRTC_SYMBOL("nvrtcGetPTXSize", get_ptx_size),
    NVRTC_SYMBOL("nvrtcGetPTX", get_ptx),
    NVRTC_SYMBOL("nvrtcGetCUBINSize", get_cubin_size),
    NVRTC_SYMBOL("nvrtcGetCUBIN", get_cubin),
    NVRTC_SYMBOL("nvrtcGetNumSupportedArchs", get_num_supported_archs),
    NVRTC_SYMBOL("nvrtcGetSupportedArchs", get_supported_archs),
};

/* What the loader finds by itself, and where else it may lie; "~" is $HOME, "$NAME/" a variable. A wheel for CUDA 13
 * has it in nvidia/cu13/lib, one for CUDA 12 in nvidia/cuda_nvrtc/lib. */
static const char *const nvrtc_places[] = {
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
    "libnvrtc.so",
    "$CUDA_HOME/lib*/libnvrtc.so.1*",
    "$CUDA_PATH/lib*/libnvrtc.so.1*",
    "/usr/local/cuda/lib*/libnvrtc.so.1*",
    "/usr/local/cuda/targets/*/lib/libnvrtc.so.1*",
    "/usr/local/cuda-*/lib*/libnvrtc.so.1*",
    "/opt/cuda/lib*/libnvrtc.so.1*",
    "$CONDA_PREFIX/lib/libnvrtc.so.1*",
    "$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1*",
    "$HOME/.local/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1*",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.1*",
    "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.1*",
};

/* A search in hand: the best library so far that is newer than the driver, and the first reason for a failure. */
typedef struct nvrtc_search {
    int max_major;
    nvrtc newer;
    char reason[300];
} nvrtc_search;

/* Open one path; true when it is one to stop at. */
static bool try_path(nvrtc_search *search, const char *path, nvrtc *out)
{
    char reason[300];
    const char *missing = NULL;
    nvrtc found = {.library = library_open(path, reason, sizeof reason)};
    if (found.library != NULL && !library_bind(found.library, &found, nvrtc_symbols,
                                               sizeof nvrtc_symbols / sizeof nvrtc_symbols[0], &missing)) {
        snprintf(reason, sizeof reason, "%.200s is older than NVRTC 11.2: it has no %s", path, missing);
        nvrtc_close(&found);
    }
    if (found.library == NULL) {
        if (search->reason[0] == '\0' || missing != NULL) {
            snprintf(search->reason, sizeof search->reason, "%s", reason);
        }
        return false;
    }
    snprintf(found.path, sizeof found.path, "%s", path);
    found.version(&found.major, &found.minor);
    if (search->max_major > 0 && found.major > search->max_major) {
        if (search->newer.library == NULL) {
            search->newer = found;
        } else {
            nvrtc_close(&found);
        }
        return false;
    }
    *out = found;
    return true;
}

static bool try_pattern(nvrtc_search *search, const char *pattern, nvrtc *out)
{
    glob_t found;
    bool done = false;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i > 0 && !done; i--) { /* backwards: the newest first */
            if (strstr(found.gl_pathv[i - 1], ".alt.") == NULL) {
                done = try_path(search, found.gl_pathv[i - 1], out);
            }
        }
    }
    globfree(&found);
    return done;
}

static bool try_place(nvrtc_search *search, const char *place, nvrtc *out)
{
    char pattern[600], name[32];
    if (strchr(place, '/') == NULL) {
        return try_path(search, place, out);
    }
    if (place[0] != '$') {
        return try_pattern(search, place, out);
    }
    size_t n = strcspn(place, "/");
    snprintf(name, sizeof name, "%.*s", (int)(n - 1), place + 1);
    const char *value = getenv(name);
    if (value == NULL || value[0] != '/') {
        return false;
    }
    snprintf(pattern, sizeof pattern, "%.400s%s", value, place + n);
    return try_pattern(search, pattern, out);
}

/* Environments that are on the PATH without being announced otherwise: PREFIX/bin stands for PREFIX/lib. */
static bool try_prefixes_of_path(nvrtc_search *search, nvrtc *out)
{
    const char *next = getenv("PATH");
    while (next != NULL && *next != '\0') {
        size_t n = strcspn(next, ":");
        if (n > 5 && n < 400 && next[0] == '/' && strncmp(next + n - 4, "/bin", 4) == 0) {
            char pattern[600];
            snprintf(pattern, sizeof pattern, "%.*slib/libnvrtc.so.1*", (int)(n - 3), next);
            if (try_pattern(search, pattern, out)) {
                return true;
            }
            snprintf(pattern, sizeof pattern, "%.*slib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1*",
                     (int)(n - 3), next);
            if (try_pattern(search, pattern, out)) {
                return true;
            }
        }
        next += n + (next[n] == ':');
    }
    return false;
}

crp_status nvrtc_open(crp_context *context, int max_major, nvrtc *out)
{
    nvrtc_search search = {.max_major = max_major};
    const char *own = getenv("CORPUSCLE_NVRTC");
    bool done = false;
    memset(out, 0, sizeof *out);
    if (own != NULL && own[0] != '\0') {
        search.max_major = 0;
        CRP_CHECK(context, try_path(&search, own, out), CRP_ERR_COMPILE,
                  "NVRTC, the run-time compiler, cannot be opened (CORPUSCLE_NVRTC: %s) correct or unset the variable",
                  search.reason);
        return CRP_OK;
    }
    for (size_t i = 0; i < sizeof nvrtc_places / sizeof nvrtc_places[0] && !done; i++) {
        done = try_place(&search, nvrtc_places[i], out);
    }
    done = done || try_prefixes_of_path(&search, out);
    if (done) {
        nvrtc_close(&search.newer);
        return CRP_OK;
    }
    CRP_CHECK(context, search.newer.library != NULL, CRP_ERR_COMPILE,
              "NVRTC, the run-time compiler, was not found (%s; also looked in the CUDA toolkit's, conda's and pip's "
              "folders) install it, for example with \"pip install nvidia-cuda-nvrtc\" or the package cuda-nvrtc, or "
              "name the library in CORPUSCLE_NVRTC",
              search.reason);
    *out = search.newer;
    context_log(context, CRP_LOG_WARNING, "cuda",
                "%s is version %d.%d, newer than the driver's CUDA %d: the driver may refuse its kernels", out->path,
                out->major, out->minor, max_major);
    return CRP_OK;
}

void nvrtc_close(nvrtc *library)
{
    /* The library stays in memory: it is opened again with every device, and unloading a compiler that has run (its
     * threads, its exit handlers) is asking for trouble. */
    memset(library, 0, sizeof *library);
}

bool nvrtc_supports(const nvrtc *library, int architecture)
{
    int architectures[128], n = 0;
    if (library->get_num_supported_archs(&n) != 0 || n <= 0 || n > 128 ||
        library->get_supported_archs(architectures) != 0) {
        return true;
    }
    for (int i = 0; i < n; i++) {
        if (architectures[i] == architecture) {
            return true;
        }
    }
    return false;
}
