#define _GNU_SOURCE
#include "compile.h"

#include "registers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool job_open(job *j)
{
    const char *base = getenv("TMPDIR");
    j->folder = text_of("%s/corpuscle-divcc-XXXXXX", base == NULL || base[0] == '\0' ? "/tmp" : base);
    if (mkdtemp(j->folder) == NULL) {
        fprintf(stderr, "corpuscle-divcc: cannot create %s (no space or no right to write) set TMPDIR\n", j->folder);
        return false;
    }
    return true;
}

char *job_file(const job *j, const char *name)
{
    return text_of("%s/%s", j->folder, name);
}

void job_close(job *j, const char *output)
{
    DIR *folder = opendir(j->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        char *path = job_file(j, entry->d_name);
        if (j->o->is_kept) {
            char *kept = text_of("%s.%s", output, entry->d_name);
            file_copy(path, kept);
            free(kept);
        }
        unlink(path);
        free(path);
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(j->folder);
    free(j->folder);
    j->folder = NULL;
}

/* What is known to go wrong, and what helps. */
static const char *remedy_of(const char *errors, const job *j)
{
    static const struct {
        const char *sign, *remedy;
    } known[] = {
        {"unsupported CUDA gpu architecture", "clang 19 does not know this GPU: compile for the newest that it knows "
                                              "(--arch sm_90a or lower) to .ptx, which the "
                                              "driver translates for newer GPUs"},
        {"is not a recognized processor", "LLVM 19 does not know this GPU: compile for --arch sm_90 to .ptx, which the "
                                          "driver translates for newer GPUs"},
        {"Cannot select",
         "LLVM's back end lacks an instruction that this kernel uses (often a vote or shuffle without a mask): "
         "use the _sync form, or compile this file with nvcc"},
        {"no libcall available",
         "this mathematical function has no device version here: use its native form from libclc, or "
         "write the kernel in CUDA"},
        {"Unresolved extern function",
         "a device function is defined in another file: whole programs must be one source "
         "file; separate device compilation (-rdc) is left to nvcc"},
        {"Undefined reference to",
         "a device function is defined in another file: separate device compilation (-rdc) is left "
         "to nvcc"},
        {"Unsupported .version",
         "ptxas is older than LLVM's PTX: install a CUDA toolkit of 12.3 or later, or write .ptx"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (strstr(errors, known[i].sign) != NULL) {
            return known[i].remedy;
        }
    }
    if (strstr(errors, "file not found") != NULL) {
        return j->t->cuda == NULL
                   ? "is it a header of CUDA? No toolkit was found: install one, or name it with --cuda-path"
                   : "add its folder with -I";
    }
    if (strstr(errors, "/include/cuda") != NULL || strstr(errors, "/include/crt/") != NULL ||
        strstr(errors, "/cccl/") != NULL) {
        return "clang 19 cannot parse these headers of CUDA: name an older toolkit with --cuda-path, or compile this "
               "file with "
               "nvcc";
    }
    return NULL;
}

bool job_step(const job *j, const words *command, const char *what)
{
    char *log = job_file(j, "errors.txt");
    int code = process_run(command, log, j->o->is_verbose);
    char *errors = file_read(log);
    if (errors != NULL && (!j->is_trial || code != 0)) {
        fputs(errors, stderr);
    }
    if (code != 0) {
        const char *remedy = remedy_of(errors == NULL ? "" : errors, j);
        fprintf(stderr, "corpuscle-divcc: %s: %s failed%s%s%s\n", j->source, what, remedy == NULL ? "" : " (",
                remedy == NULL ? "" : remedy, remedy == NULL ? "" : ")");
    }
    unlink(log);
    free(errors);
    free(log);
    return code == 0;
}

/* FNV-1a, for a name that differs from file to file. */
static unsigned hash_of(const char *text)
{
    unsigned hash = 2166136261u;
    for (; *text != '\0'; ++text) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    return hash;
}

void cuda_flags(const job *j, words *command)
{
    const toolchain *t = j->t;
    words_add(command, "-x");
    words_add(command, "cuda");
    words_addf(command, "--cuda-gpu-arch=%s", j->o->arch);
    words_add(command, "-Wno-unknown-cuda-version");
    if (t->cuda != NULL) {
        words_addf(command, "--cuda-path=%s", t->cuda);
        words_addf(command, "-I%s/missing", t->include); /* headers that CUDA 13 removed and clang 19 asks for */
        words_addf(command, "-I%s/include/cccl", t->cuda);
    } else {
        words_add(command, "-nocudainc");
        words_add(command, "-nocudalib");
        words_add(command, "-include");
        words_addf(command, "%s/corpuscle_cuda.h", t->include);
    }
    if (j->o->is_recording && j->is_host_code) {
        words_add(command, "-include");
        words_addf(command, "%s/corpuscle_profile.h", t->include);
        words_addf(command, "-DCORPUSCLE_PROFILE_NAME=corpuscle_profile_%08x", hash_of(j->source));
    }
}

/* Loops are unrolled after the passes, which want to see them as they were written. */
static void front_end_flags(const job *j, words *command)
{
    words_add(command, j->o->level);
    words_add(command, "-gline-tables-only");
    words_add(command, "-emit-llvm");
    words_add(command, "-mllvm");
    words_add(command, "-unroll-runtime=false");
    words_add(command, "-mllvm");
    words_add(command, "-unroll-allow-partial=false");
    if (j->o->is_fast_math) {
        words_add(command, "-ffast-math");
        words_add(command, "-fcuda-approx-transcendentals");
    }
    words_add_all(command, &j->o->compile);
}

static bool is_c(const char *path)
{
    return ends_with(path, ".c");
}

/* Any source to bitcode; .ll and .bc are taken as they are. */
static bool front_end(const job *j, const char *bitcode)
{
    words command = {0};
    words_add(&command, j->t->clang);
    if (ends_with(j->source, ".bc") || ends_with(j->source, ".ll")) {
        words_free(&command);
        words_add(&command, j->t->opt);
        words_add(&command, "-passes=verify");
    } else if (ends_with(j->source, ".cl")) {
        words_add(&command, "-x");
        words_add(&command, "cl");
        words_add(&command, "-cl-std=CL1.2");
        words_add(&command, "--target=nvptx64-nvidia-nvcl");
        words_addf(&command, "-march=%s", j->o->arch);
        words_add(&command, "-Xclang");
        words_add(&command, "-finclude-default-header");
        if (j->t->libclc != NULL) {
            words_add(&command, "-Xclang");
            words_add(&command, "-mlink-builtin-bitcode");
            words_add(&command, "-Xclang");
            words_add(&command, j->t->libclc);
        }
        front_end_flags(j, &command);
        words_add(&command, "-c");
    } else if (is_c(j->source)) {
        words_add(&command, "--target=nvptx64-nvidia-cuda");
        words_addf(&command, "-march=%s", j->o->arch);
        words_add(&command, "-fno-math-errno");
        front_end_flags(j, &command);
        words_add(&command, "-c");
    } else {
        cuda_flags(j, &command);
        words_add(&command, "--cuda-device-only");
        front_end_flags(j, &command);
        words_add(&command, "-c");
    }
    words_add(&command, j->source);
    words_add(&command, "-o");
    words_add(&command, bitcode);
    bool is_right = job_step(j, &command, "compiling to LLVM's form");
    words_free(&command);
    return is_right;
}

static void add_pass(char **line, const char *name, const char *parameters)
{
    char *longer = text_of("%s,%s%s", *line, name, parameters);
    free(*line);
    *line = longer;
}

/* "a,b<x=1;y>" contains `name`? Its parameters, with "force;" in front when asked, go to *parameters. */
static bool is_listed(const char *list, const char *name, bool is_forced, char **parameters)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n) {
        bool begins = at == list || at[-1] == ',';
        const char *end = at + n;
        if (!begins || (*end != '\0' && *end != ',' && *end != '<')) {
            continue;
        }
        const char *close = *end == '<' ? strchr(end, '>') : NULL;
        int length = close == NULL ? 0 : (int)(close - end - 1);
        *parameters = text_of("<%s%.*s>", is_forced ? "force;" : "", length, end + 1);
        return true;
    }
    return false;
}

/* The passes in their order: what makes outer loops first, then what changes single branches, then whole loops. */
static char *chosen_passes(const options *o)
{
    static const char *const names[] = {"persist", "branch-distribute", "loop-merge", "iteration-delay"};
    const char *list = o->passes != NULL ? o->passes : o->allow;
    char *line = text_of("loop-simplify");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char *parameters = NULL;
        if (list == NULL) {
            add_pass(&line, names[i], "");
        } else if (is_listed(list, names[i], o->passes != NULL, &parameters)) {
            add_pass(&line, names[i], strcmp(parameters, "<>") == 0 ? "" : parameters);
        }
        add_pass(&line, "loop-simplify", "");
        free(parameters);
    }
    return line;
}

static char *pipeline(const options *o)
{
    static const char *const clean = "instcombine<no-verify-fixpoint>,gvn,adce";
    char *chosen = o->is_recording ? text_of("divergence-record,function(mem2reg") : chosen_passes(o);
    char *whole =
        text_of("function(loop-simplify,divergence-contract),divergence-sites,%s%s,%s),function(loop-unroll<O3>,%s)%s",
                o->is_recording ? "" : "function(", chosen, clean, clean, o->has_lines ? "" : ",divergence-strip");
    free(chosen);
    return whole;
}

static bool check_passes(const options *o)
{
    const char *list = o->passes != NULL ? o->passes : o->allow;
    char *copy = text_of("%s", list == NULL ? "" : list), *rest = copy, *word;
    bool is_right = true;
    while (is_right && (word = strsep(&rest, ",")) != NULL) {
        word[strcspn(word, "<")] = '\0';
        is_right = word[0] == '\0' || strcmp(word, "none") == 0 || strcmp(word, "persist") == 0 ||
                   strcmp(word, "branch-distribute") == 0 || strcmp(word, "loop-merge") == 0 ||
                   strcmp(word, "iteration-delay") == 0;
        if (!is_right) {
            fprintf(stderr,
                    "corpuscle-divcc: unknown pass '%s' (known: loop-merge, iteration-delay, branch-distribute, "
                    "persist, none)\n",
                    word);
        }
    }
    free(copy);
    return is_right;
}

static void show_remarks(const job *j, const char *path)
{
    char *text = file_read(path);
    if (text != NULL && !j->o->is_quiet) {
        fputs(text, stderr);
    }
    if (text != NULL && j->o->remarks != NULL && !file_write(j->o->remarks, text, true)) {
        fprintf(stderr, "corpuscle-divcc: cannot write %s\n", j->o->remarks);
    }
    free(text);
}

bool device_passes(const job *j, const char *bitcode, const char *result)
{
    char *remarks = job_file(j, "remarks.txt"), *passes = pipeline(j->o);
    words command = {0};
    unlink(remarks); /* of a trial */
    words_add(&command, j->t->opt);
    words_addf(&command, "-load-pass-plugin=%s", j->t->plugin);
    words_addf(&command, "-mcpu=%s", j->o->arch);
    words_addf(&command, "-passes=%s", passes);
    words_addf(&command, "-divergence-remarks=%s", remarks);
    if (j->o->is_report) {
        words_add(&command, "-divergence-report");
    }
    if (j->o->margin != NULL) {
        words_addf(&command, "-divergence-margin=%s", j->o->margin);
    }
    if (j->registers != NULL) {
        words_addf(&command, "-divergence-registers=%s", j->registers);
    }
    if (j->o->processors != NULL) {
        words_addf(&command, "-divergence-processors=%s", j->o->processors);
    }
    if (j->o->profile != NULL) {
        words_addf(&command, "-divergence-profile=%s", j->o->profile);
    }
    words_add(&command, bitcode);
    words_add(&command, "-o");
    words_add(&command, result);
    if (ends_with(result, ".ll")) {
        words_add(&command, "-S");
    }
    bool is_right = job_step(j, &command, "the optimiser");
    show_remarks(j, remarks);
    words_free(&command);
    free(passes);
    free(remarks);
    return is_right;
}

bool device_ptx(const job *j, const char *bitcode, const char *ptx)
{
    words command = {0};
    words_add(&command, j->t->llc);
    words_add(&command, "-O3");
    words_addf(&command, "-mcpu=%s", j->o->arch);
    words_add(&command, "-mattr=+ptx83");
    words_add(&command, "-disable-early-taildup"); /* would copy the guards that gather lanes */
    words_add(&command, bitcode);
    words_add(&command, "-o");
    words_add(&command, ptx);
    bool is_right = job_step(j, &command, "LLVM's back end");
    words_free(&command);
    return is_right;
}

static bool need_tool(const job *j, const char *tool, const char *name, const char *output)
{
    if (tool == NULL) {
        fprintf(stderr,
                "corpuscle-divcc: %s: no %s, which %s needs (no CUDA toolkit found) name it with --cuda-path, or write "
                "a .ptx file, which the driver translates when it loads it\n",
                j->source, name, output);
    }
    return tool != NULL;
}

static bool assemble(const job *j, const char *ptx, const char *cubin)
{
    words command = {0};
    if (!need_tool(j, j->t->ptxas, "ptxas", cubin)) {
        return false;
    }
    words_add(&command, j->t->ptxas);
    words_add(&command, "-O3");
    words_addf(&command, "-arch=%s", j->o->arch);
    if (j->o->registers != NULL) {
        words_addf(&command, "--maxrregcount=%s", j->o->registers);
    }
    words_add(&command, ptx);
    words_add(&command, "-o");
    words_add(&command, cubin);
    bool is_right = job_step(j, &command, "ptxas");
    words_free(&command);
    return is_right;
}

static bool pack(const job *j, const char *cubin, const char *fatbin)
{
    words command = {0};
    if (!need_tool(j, j->t->fatbinary, "fatbinary", fatbin)) {
        return false;
    }
    words_add(&command, j->t->fatbinary);
    words_add(&command, "-64");
    words_addf(&command, "--create=%s", fatbin);
    words_addf(&command, "--image3=kind=elf,sm=%s,file=%s", j->o->arch + strspn(j->o->arch, "sm_"), cubin);
    bool is_right = job_step(j, &command, "fatbinary");
    words_free(&command);
    return is_right;
}

static bool translate(const job *j, const char *bitcode, const char *output)
{
    char *ptx = job_file(j, "kernel.ptx"), *cubin = job_file(j, "kernel.cubin");
    bool is_ptx = ends_with(output, ".ptx"), is_cubin = ends_with(output, ".cubin");
    bool is_right = device_ptx(j, bitcode, is_ptx ? output : ptx);
    if (is_right && !is_ptx) {
        is_right = assemble(j, ptx, is_cubin ? output : cubin) && (is_cubin || pack(j, cubin, output));
    }
    free(ptx);
    free(cubin);
    return is_right;
}

bool device_compile(job *j, const char *output)
{
    if (!check_passes(j->o)) {
        return false;
    }
    char *before = job_file(j, "before.bc"), *after = job_file(j, "after.bc"),
         *registers = job_file(j, "registers.txt");
    bool is_ir = ends_with(output, ".bc") || ends_with(output, ".ll");
    bool is_right = front_end(j, before);
    if (is_right && registers_matter(j)) {
        is_right = registers_measure(j, before, registers);
        j->registers = registers;
    }
    is_right = is_right && device_passes(j, before, is_ir ? output : after);
    j->registers = NULL;
    if (is_right && !is_ir) {
        is_right = translate(j, after, output);
    }
    free(before);
    free(after);
    free(registers);
    return is_right;
}
