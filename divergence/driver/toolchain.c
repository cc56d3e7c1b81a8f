#include "toolchain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tool of LLVM 19: by its Debian name, in Debian's folder, or by its plain name. */
static char *find_llvm(const char *name)
{
    char *full = text_of("%s-19", name);
    char *found = program_find(full);
    free(full);
    if (found == NULL) {
        found = text_of("/usr/lib/llvm-19/bin/%s", name);
        if (!file_exists(found)) {
            free(found);
            found = NULL;
        }
    }
    return found;
}

static char *first_existing(const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        if (paths[i] != NULL && file_exists(paths[i])) {
            return text_of("%s", paths[i]);
        }
    }
    return NULL;
}

static void find_cuda(const options *o, toolchain *out)
{
    const char *places[] = {o->cuda, getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda", "/opt/cuda"};
    if (o->cuda != NULL && strcmp(o->cuda, "none") == 0) {
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && out->cuda == NULL; ++i) {
        if (places[i] == NULL || places[i][0] == '\0') {
            continue;
        }
        char *header = text_of("%s/include/cuda_runtime.h", places[i]);
        if (file_exists(header)) {
            out->cuda = text_of("%s", places[i]);
        }
        free(header);
        if (i == 0) { /* what the user names is taken or nothing */
            break;
        }
    }
    struct {
        const char *name;
        char **path;
    } tools[] = {{"ptxas", &out->ptxas}, {"fatbinary", &out->fatbinary}};
    for (size_t i = 0; i < 2; ++i) {
        char *path = text_of("%s/bin/%s", out->cuda == NULL ? "/nonexistent" : out->cuda, tools[i].name);
        *tools[i].path = file_exists(path) ? text_of("%s", path) : o->cuda == NULL ? program_find(tools[i].name) : NULL;
        free(path);
    }
}

/* The plug-in and the headers lie beside the program (build folder) or where `cmake --install` puts them. */
static bool find_own(toolchain *out)
{
    char *folder = own_folder();
    char *plugins[2] = {text_of("%s/libcorpuscle-divergence.so", folder),
                        text_of("%s/../lib/corpuscle/libcorpuscle-divergence.so", folder)};
    char *headers[2] = {text_of("%s/divergence-include/corpuscle_cuda.h", folder),
                        text_of("%s/../share/corpuscle/divergence/corpuscle_cuda.h", folder)};
    out->plugin = first_existing((const char *const *)plugins, 2);
    char *header = first_existing((const char *const *)headers, 2);
    if (header != NULL) {
        *strrchr(header, '/') = '\0';
        out->include = header;
    }
    for (size_t i = 0; i < 2; ++i) {
        free(plugins[i]);
        free(headers[i]);
    }
    free(folder);
    if (out->plugin == NULL || out->include == NULL) {
        fprintf(stderr,
                "corpuscle-divcc: the plug-in libcorpuscle-divergence.so or its headers are not beside this program "
                "(it was moved alone?) build again with `make build`\n");
        return false;
    }
    return true;
}

bool toolchain_find(const options *o, toolchain *out)
{
    static const char *const libclc[] = {"/usr/lib/clc/nvptx64--nvidiacl.bc", "/usr/share/clc/nvptx64--nvidiacl.bc"};
    *out = (toolchain){.clang = find_llvm("clang"), .opt = find_llvm("opt"), .llc = find_llvm("llc")};
    if (out->clang == NULL || out->opt == NULL || out->llc == NULL) {
        fprintf(stderr, "corpuscle-divcc: %s of LLVM 19 is missing; install the packages clang-19 and llvm-19\n",
                out->clang == NULL ? "clang"
                : out->opt == NULL ? "opt"
                                   : "llc");
        return false;
    }
    find_cuda(o, out);
    if (o->cuda != NULL && out->cuda == NULL && strcmp(o->cuda, "none") != 0) {
        fprintf(stderr,
                "corpuscle-divcc: --cuda-path %s holds no toolkit (no include/cuda_runtime.h) correct it, or leave it "
                "out: kernels that include no CUDA header need none\n",
                o->cuda);
        return false;
    }
    out->libclc = first_existing(libclc, 2);
    return find_own(out);
}

void toolchain_free(toolchain *out)
{
    char **all[] = {&out->clang, &out->opt,    &out->llc,     &out->ptxas, &out->fatbinary,
                    &out->cuda,  &out->plugin, &out->include, &out->libclc};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(*all[i]);
        *all[i] = NULL;
    }
}
