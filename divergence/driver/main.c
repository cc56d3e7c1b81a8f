/* corpuscle-divcc: compiles kernels, and whole CUDA programs, with the divergence passes. */
#include "compile.h"
#include "options.h"
#include "program.h"
#include "toolchain.h"

#include <stdio.h>
#include <stdlib.h>

/* By the output's name: code for a GPU, or an object or program. */
static bool is_kernel_output(const char *output)
{
    return output != NULL && (ends_with(output, ".ptx") || ends_with(output, ".cubin") ||
                              ends_with(output, ".fatbin") || ends_with(output, ".bc") || ends_with(output, ".ll"));
}

static bool compile_kernel(const options *o, const toolchain *t, const char *output)
{
    if (o->inputs.n != 1) {
        fprintf(stderr, "corpuscle-divcc: %s is made of one source, not of %zu\n", output, o->inputs.n);
        return false;
    }
    job j = {.o = o, .t = t, .source = o->inputs.at[0]};
    if (!file_exists(j.source)) {
        fprintf(stderr, "corpuscle-divcc: cannot read %s\n", j.source);
        return false;
    }
    if (!job_open(&j)) {
        return false;
    }
    bool is_right = device_compile(&j, output);
    job_close(&j, output);
    return is_right;
}

/* A report needs no output. */
static bool report(const options *o, const toolchain *t)
{
    bool is_right = true;
    for (size_t i = 0; is_right && i < o->inputs.n; ++i) {
        job j = {.o = o, .t = t, .source = o->inputs.at[i]};
        is_right = job_open(&j);
        if (is_right) {
            char *unused = job_file(&j, "unused.bc");
            is_right = device_compile(&j, unused);
            job_close(&j, "report");
            free(unused);
        }
    }
    return is_right;
}

int main(int argc, char **argv)
{
    options o;
    toolchain t;
    bool is_done = false;
    if (!options_read(argc, argv, &o, &is_done)) {
        return 2;
    }
    if (is_done) {
        return 0;
    }
    if (!toolchain_find(&o, &t)) {
        return 1;
    }
    bool is_right;
    if (o.is_report && o.output == NULL && !o.is_object) {
        is_right = report(&o, &t);
    } else if (is_kernel_output(o.output)) {
        is_right = compile_kernel(&o, &t, o.output);
    } else {
        is_right = program_build(&o, &t);
    }
    toolchain_free(&t);
    options_free(&o);
    return is_right ? 0 : 1;
}
