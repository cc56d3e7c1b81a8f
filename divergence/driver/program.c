#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_cuda_source(const char *path)
{
    return ends_with(path, ".cu");
}

static bool is_source(const char *path)
{
    return is_cuda_source(path) || ends_with(path, ".c") || ends_with(path, ".cpp") || ends_with(path, ".cc") ||
           ends_with(path, ".cxx");
}

/* Host part of a .cu: the kernels' machine code is put in as a fat binary. */
static bool compile_cuda(job *j, const char *object)
{
    char *fatbin = job_file(j, "kernel.fatbin");
    words command = {0};
    bool is_right = j->t->cuda != NULL;
    if (!is_right) {
        fprintf(stderr,
                "corpuscle-divcc: %s: whole programs need the CUDA toolkit (none found) name it with --cuda-path, or "
                "compile the kernels alone to .ptx\n",
                j->source);
    }
    is_right = is_right && device_compile(j, fatbin);
    if (is_right) {
        words_add(&command, j->t->clang);
        cuda_flags(j, &command);
        words_add(&command, "--cuda-host-only");
        words_add(&command, j->o->level);
        words_add(&command, "-Xclang");
        words_add(&command, "-fcuda-include-gpubinary");
        words_add(&command, "-Xclang");
        words_add(&command, fatbin);
        words_add_all(&command, &j->o->compile);
        words_add(&command, "-c");
        words_add(&command, j->source);
        words_add(&command, "-o");
        words_add(&command, object);
        is_right = job_step(j, &command, "compiling the host part");
    }
    words_free(&command);
    free(fatbin);
    return is_right;
}

static bool compile_host(job *j, const char *object)
{
    words command = {0};
    words_add(&command, j->t->clang);
    words_add(&command, j->o->level);
    if (j->t->cuda != NULL) {
        words_addf(&command, "-I%s/include", j->t->cuda);
    }
    words_add_all(&command, &j->o->compile);
    words_add(&command, "-c");
    words_add(&command, j->source);
    words_add(&command, "-o");
    words_add(&command, object);
    bool is_right = job_step(j, &command, "compiling");
    words_free(&command);
    return is_right;
}

static bool compile_one(const options *o, const toolchain *t, const char *source, const char *object)
{
    job j = {.o = o, .t = t, .source = source, .is_host_code = is_cuda_source(source)};
    if (!job_open(&j)) {
        return false;
    }
    bool is_right = j.is_host_code ? compile_cuda(&j, object) : compile_host(&j, object);
    job_close(&j, object);
    return is_right;
}

/* What writes the record at the program's end. Last of all objects: its exit handler must run before CUDA's. */
static bool compile_runtime(const options *o, const toolchain *t, const char *object)
{
    words command = {0};
    words_add(&command, t->clang);
    words_add(&command, "-O1");
    words_addf(&command, "-I%s/include", t->cuda);
    words_add(&command, "-c");
    words_addf(&command, "%s/corpuscle_profile_runtime.c", t->include);
    words_add(&command, "-o");
    words_add(&command, object);
    int code = process_run(&command, NULL, o->is_verbose);
    words_free(&command);
    return code == 0;
}

static bool link_all(const options *o, const toolchain *t, const words *objects, const char *output)
{
    char *linker = program_find("g++");
    words command = {0};
    words_add(&command, linker == NULL ? "clang++-19" : linker);
    words_add_all(&command, objects);
    words_add(&command, "-o");
    words_add(&command, output);
    words_add_all(&command, &o->link);
    if (o->is_recording) { /* corpuscle_profile_runtime.c */
        words_add(&command, "-Wl,--wrap=cudaLaunchKernel,--wrap=cudaDeviceReset");
    }
    if (t->cuda != NULL) {
        words_addf(&command, "-L%s/lib64", t->cuda);
        words_add(&command, o->has_shared_runtime ? "-lcudart" : "-lcudart_static");
    }
    static const char *const system[] = {"-lpthread", "-ldl", "-lrt", "-lm"};
    for (size_t i = 0; i < sizeof system / sizeof *system; ++i) {
        words_add(&command, system[i]);
    }
    int code = process_run(&command, NULL, o->is_verbose);
    if (code != 0) {
        fprintf(stderr, "corpuscle-divcc: linking %s failed\n", output);
    }
    words_free(&command);
    free(linker);
    return code == 0;
}

/* "folder/name.cu" -> "name.o", as compilers do for -c without -o. */
static char *default_object(const char *source)
{
    const char *slash = strrchr(source, '/'), *name = slash == NULL ? source : slash + 1;
    const char *dot = strrchr(name, '.');
    return text_of("%.*s.o", (int)(dot == NULL ? strlen(name) : (size_t)(dot - name)), name);
}

static bool compile_only(const options *o, const toolchain *t)
{
    bool is_right = o->output == NULL || o->inputs.n == 1;
    if (!is_right) {
        fprintf(stderr, "corpuscle-divcc: -c with -o takes one source file\n");
    }
    for (size_t i = 0; is_right && i < o->inputs.n; ++i) {
        char *object = o->output == NULL ? default_object(o->inputs.at[i]) : text_of("%s", o->output);
        is_right = compile_one(o, t, o->inputs.at[i], object);
        free(object);
    }
    return is_right;
}

bool program_build(const options *o, const toolchain *t)
{
    if (o->is_object) {
        return compile_only(o, t);
    }
    const char *output = o->output == NULL ? "a.out" : o->output;
    words objects = {0}, made = {0};
    bool is_right = true;
    for (size_t i = 0; is_right && i < o->inputs.n; ++i) {
        const char *input = o->inputs.at[i];
        if (is_source(input)) {
            words_addf(&made, "%s.divcc-%zu.o", output, i);
            words_add(&objects, made.at[made.n - 1]);
            is_right = compile_one(o, t, input, made.at[made.n - 1]);
        } else {
            words_add(&objects, input);
        }
    }
    if (is_right && o->is_recording && t->cuda != NULL) {
        words_addf(&made, "%s.divcc-record.o", output);
        words_add(&objects, made.at[made.n - 1]);
        is_right = compile_runtime(o, t, made.at[made.n - 1]);
    }
    is_right = is_right && link_all(o, t, &objects, output);
    for (size_t i = 0; i < made.n; ++i) {
        unlink(made.at[i]);
    }
    words_free(&objects);
    words_free(&made);
    return is_right;
}
