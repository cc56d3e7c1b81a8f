#include "registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool registers_matter(const job *j)
{
    const options *o = j->o;
    const char *list = o->passes != NULL ? o->passes : o->allow;
    bool is_possible = o->passes != NULL || o->profile != NULL; /* unasked and unrecorded, persist declines */
    return is_possible && !o->is_report && !o->is_recording && j->t->ptxas != NULL &&
           (list == NULL || strstr(list, "persist") != NULL);
}

/* What `ptxas -v` says about this translation; free() it. */
static char *report_of(const job *j, const char *bitcode)
{
    char *changed = job_file(j, "trial.bc"), *ptx = job_file(j, "trial.ptx"), *cubin = job_file(j, "trial.cubin");
    char *log = job_file(j, "trial.txt"), *text = NULL;
    words command = {0};
    words_add(&command, j->t->ptxas);
    words_add(&command, "-v");
    words_addf(&command, "-arch=%s", j->o->arch);
    words_add(&command, ptx);
    words_add(&command, "-o");
    words_add(&command, cubin);
    if (device_passes(j, bitcode, changed) && device_ptx(j, changed, ptx) &&
        process_run(&command, log, j->o->is_verbose) == 0) {
        text = file_read(log);
    }
    words_free(&command);
    free(changed);
    free(ptx);
    free(cubin);
    free(log);
    return text;
}

/* "Compiling entry function 'NAME'" and the "Used N registers" behind it. Returns where to go on, or NULL. */
static const char *next_kernel(const char *text, char *name, size_t room, int *registers)
{
    static const char begin[] = "Compiling entry function '", used[] = ": Used ";
    const char *at = text == NULL ? NULL : strstr(text, begin);
    const char *end = at == NULL ? NULL : strchr(at + sizeof begin - 1, '\'');
    const char *count = end == NULL ? NULL : strstr(end, used);
    if (count == NULL) {
        return NULL;
    }
    snprintf(name, room, "%.*s", (int)(end - at - (long)sizeof begin + 1), at + sizeof begin - 1);
    *registers = atoi(count + sizeof used - 1);
    return count;
}

static int registers_in(const char *text, const char *wanted)
{
    char name[1024];
    int registers = 0;
    while ((text = next_kernel(text, name, sizeof name, &registers)) != NULL) {
        if (strcmp(name, wanted) == 0) {
            return registers;
        }
    }
    return 0;
}

bool registers_measure(const job *j, const char *bitcode, const char *file)
{
    options changed = *j->o, plain = *j->o;
    changed.is_quiet = plain.is_quiet = true;
    changed.remarks = plain.remarks = NULL;
    plain.passes = "none";
    job with = *j, without = *j;
    with.o = &changed;
    without.o = &plain;
    with.is_trial = without.is_trial = true;
    char *before = report_of(&without, bitcode), *after = report_of(&with, bitcode);
    bool is_right = before != NULL && after != NULL && file_write(file, "", false);
    char name[1024];
    int registers = 0;
    for (const char *at = before; is_right && (at = next_kernel(at, name, sizeof name, &registers)) != NULL;) {
        char *line = text_of("%s %d %d\n", name, registers, registers_in(after, name));
        is_right = file_write(file, line, true);
        free(line);
    }
    free(before);
    free(after);
    return is_right;
}
