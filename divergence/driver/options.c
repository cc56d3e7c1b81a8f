#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const HELP =
    "Usage: corpuscle-divcc KERNEL -o OUTPUT [options]        KERNEL: .cu .c .cl .ll .bc; OUTPUT: .ptx .cubin .fatbin "
    ".ll .bc\n"
    "       corpuscle-divcc [-c] FILES -o OUTPUT [options]    as a compiler: make CXX=corpuscle-divcc\n"
    "\n"
    "Compiles with clang and rearranges divergent loops and branches of GPU code where that is legal and pays.\n"
    "\n"
    "  --arch sm_NN         GPU to compile for (default sm_90)\n"
    "  --report             say what would be done, change nothing\n"
    "  --passes LIST        make these wherever they are legal, and no others: loop-merge, iteration-delay,\n"
    "                       branch-distribute, persist; with parameters as loop-merge<steps=4>; or none\n"
    "  --allow LIST         make these where they pay, and no others\n"
    "  --margin X           smallest predicted speed-up that is worth a change (default 1.10)\n"
    "  --processors N       multiprocessors of the GPU, for persist (default 132)\n"
    "  --profile            compile a program that records trip counts and branches by lane\n"
    "  --profile-use FILE   let the model use what was recorded\n"
    "  --remarks FILE       write the remarks to FILE too (appended)\n"
    "  --quiet              no remarks on standard error\n"
    "  --cuda-path FOLDER   CUDA toolkit (default: $CUDA_PATH, /usr/local/cuda); none: do without\n"
    "  --keep               keep intermediate files beside the output\n"
    "  --verbose            show the commands\n"
    "  -I -D -U -include -std= -O -f... -l -L and the like go to clang; of nvcc -arch=, -Xcompiler, -use_fast_math "
    "and\n"
    "  -lineinfo are understood. $CORPUSCLE_DIVCC_FLAGS is read in front of the command line.\n";

static bool complain(const char *what, const char *word)
{
    fprintf(stderr, "corpuscle-divcc: %s '%s' see --help\n", what, word);
    return false;
}

typedef struct reader {
    words all;
    size_t at;
    options *out;
} reader;

/* The value of "--name value", "--name=value", "-Ivalue"; NULL if the word is another. */
static const char *value_of(reader *r, const char *name)
{
    const char *word = r->all.at[r->at];
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0) {
        return NULL;
    }
    if (word[n] == '=') {
        return word + n + 1;
    }
    if (word[n] == '\0' && r->at + 1 < r->all.n) {
        return r->all.at[++r->at];
    }
    return NULL;
}

static bool read_own(reader *r)
{
    options *o = r->out;
    const char *word = r->all.at[r->at], *value;
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--report", &o->is_report},           {"--profile", &o->is_recording}, {"--keep", &o->is_kept},
        {"--verbose", &o->is_verbose},         {"-c", &o->is_object},           {"-use_fast_math", &o->is_fast_math},
        {"--use_fast_math", &o->is_fast_math}, {"-lineinfo", &o->has_lines},    {"--quiet", &o->is_quiet}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i) {
        if (strcmp(word, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    struct {
        const char *name;
        const char **field;
    } fields[] = {{"--arch", &o->arch},
                  {"-arch", &o->arch},
                  {"--cuda-gpu-arch", &o->arch},
                  {"--passes", &o->passes},
                  {"--allow", &o->allow},
                  {"--profile-use", &o->profile},
                  {"--remarks", &o->remarks},
                  {"--cuda-path", &o->cuda},
                  {"--margin", &o->margin},
                  {"-o", &o->output},
                  {"--processors", &o->processors}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        if ((value = value_of(r, fields[i].name)) != NULL) {
            *fields[i].field = value;
            return true;
        }
    }
    return false;
}

/* Words of nvcc that clang does not know. */
static bool read_nvcc(reader *r)
{
    const char *word = r->all.at[r->at], *value;
    if ((value = value_of(r, "-Xcompiler")) != NULL || (value = value_of(r, "--compiler-options")) != NULL) {
        char *copy = text_of("%s", value);
        for (char *c = copy; *c != '\0'; ++c) {
            *c = *c == ',' ? ' ' : *c;
        }
        words_add_split(&r->out->compile, copy);
        free(copy);
        return true;
    }
    if ((value = value_of(r, "-gencode")) != NULL || (value = value_of(r, "--generate-code")) != NULL ||
        (value = value_of(r, "-Xptxas")) != NULL || (value = value_of(r, "-ccbin")) != NULL) {
        return true;
    }
    if ((value = value_of(r, "-maxrregcount")) != NULL || (value = value_of(r, "--maxrregcount")) != NULL) {
        r->out->registers = value;
        return true;
    }
    if ((value = value_of(r, "-cudart")) != NULL || (value = value_of(r, "--cudart")) != NULL) {
        r->out->has_shared_runtime = strcmp(value, "shared") == 0;
        return true;
    }
    if ((value = value_of(r, "--std")) != NULL) {
        words_addf(&r->out->compile, "-std=%s", value);
        return true;
    }
    return strcmp(word, "--expt-relaxed-constexpr") == 0 || strcmp(word, "--expt-extended-lambda") == 0 ||
           strcmp(word, "--extended-lambda") == 0 || strcmp(word, "-restrict") == 0;
}

static bool read_compiler(reader *r)
{
    options *o = r->out;
    const char *word = r->all.at[r->at];
    static const char *const with_value[] = {"-I",  "-D",  "-U",     "-include", "-isystem",
                                             "-MF", "-MT", "-mllvm", "-Xclang"};
    for (size_t i = 0; i < sizeof with_value / sizeof *with_value; ++i) {
        if (strcmp(word, with_value[i]) == 0 && r->at + 1 < r->all.n) {
            words_add(&o->compile, word);
            words_add(&o->compile, r->all.at[++r->at]);
            return true;
        }
    }
    if (strcmp(word, "-x") == 0 && r->at + 1 < r->all.n) { /* the file's name tells */
        ++r->at;
        return true;
    }
    if (starts_with(word, "-O")) {
        o->level = word;
    } else if (starts_with(word, "-l") || starts_with(word, "-L") || starts_with(word, "-Wl,") ||
               strcmp(word, "-pthread") == 0 || strcmp(word, "-static") == 0 || strcmp(word, "-shared") == 0) {
        words_add(&o->link, word);
    } else {
        words_add(&o->compile, word);
        if (starts_with(word, "-f")) {
            words_add(&o->link, word);
        }
    }
    return true;
}

bool options_read(int argc, char **argv, options *out, bool *is_done)
{
    reader r = {.out = out};
    const char *more = getenv("CORPUSCLE_DIVCC_FLAGS");
    *out = (options){.arch = "sm_90", .level = "-O3"};
    *is_done = false;
    words_add_split(&r.all, more == NULL ? "" : more);
    for (int i = 1; i < argc; ++i) {
        words_add(&r.all, argv[i]);
    }
    for (r.at = 0; r.at < r.all.n; ++r.at) {
        const char *word = r.all.at[r.at];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            fputs(HELP, stdout);
            *is_done = true;
            return true;
        }
        if (word[0] != '-') {
            words_add(&out->inputs, word);
        } else if (!read_own(&r) && !read_nvcc(&r)) {
            if (starts_with(word, "--") && strcmp(word, "--version") != 0) {
                return complain("unknown option", word);
            }
            read_compiler(&r);
        }
    }
    /* the words live as long as the program: options point into them */
    if (out->inputs.n == 0 && !*is_done) {
        fprintf(stderr, "corpuscle-divcc: no input file; see --help\n");
        return false;
    }
    return true;
}

void options_free(options *out)
{
    words_free(&out->inputs);
    words_free(&out->compile);
    words_free(&out->link);
}
