#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *memory(void *got)
{
    if (got == NULL) {
        fputs("corpuscle-divcc: out of memory\n", stderr);
        exit(1);
    }
    return got;
}

void words_add(words *list, const char *word)
{
    if (list->n + 2 > list->room) {
        list->room = list->room * 2 + 16;
        list->at = memory(realloc(list->at, list->room * sizeof *list->at));
    }
    list->at[list->n++] = memory(strdup(word));
    list->at[list->n] = NULL;
}

static char *text_of_list(const char *format, va_list args)
{
    char *text = NULL;
    return memory(vasprintf(&text, format, args) < 0 ? NULL : text);
}

void words_addf(words *list, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = text_of_list(format, args);
    va_end(args);
    words_add(list, text);
    free(text);
}

void words_add_all(words *list, const words *others)
{
    for (size_t i = 0; i < others->n; ++i) {
        words_add(list, others->at[i]);
    }
}

void words_add_split(words *list, const char *text)
{
    char *copy = memory(strdup(text)), *rest = copy, *word;
    while ((word = strsep(&rest, " \t\n")) != NULL) {
        if (word[0] != '\0') {
            words_add(list, word);
        }
    }
    free(copy);
}

void words_free(words *list)
{
    for (size_t i = 0; i < list->n; ++i) {
        free(list->at[i]);
    }
    free(list->at);
    *list = (words){0};
}

char *text_of(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = text_of_list(format, args);
    va_end(args);
    return text;
}

bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int process_run(const words *command, const char *errors, bool is_shown)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (errors != NULL) {
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    }
    for (size_t i = 0; is_shown && i < command->n; ++i) {
        fprintf(stderr, "%s%s", command->at[i], i + 1 < command->n ? " " : "\n");
    }
    pid_t child;
    int status = 0, failed = posix_spawnp(&child, command->at[0], &actions, NULL, command->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        return 127;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    size_t n = 0, room = 4096;
    char *text = memory(malloc(room));
    for (size_t got; (got = fread(text + n, 1, room - n - 1, file)) > 0;) {
        n += got;
        if (n + 1 == room) {
            text = memory(realloc(text, room *= 2));
        }
    }
    text[n] = '\0';
    fclose(file);
    return text;
}

bool file_write(const char *path, const char *text, bool is_appended)
{
    FILE *file = fopen(path, is_appended ? "ab" : "wb");
    if (file == NULL) {
        return false;
    }
    bool is_right = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_right;
}

bool file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

bool file_copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = in == NULL ? NULL : fopen(to, "wb");
    bool is_right = out != NULL;
    char block[65536];
    for (size_t n; is_right && (n = fread(block, 1, sizeof block, in)) > 0;) {
        is_right = fwrite(block, 1, n, out) == n;
    }
    if (in != NULL) {
        fclose(in);
    }
    return (out == NULL || fclose(out) == 0) && is_right;
}

char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    char *copy = memory(strdup(path == NULL ? "/usr/bin:/bin" : path)), *rest = copy, *folder;
    char *found = NULL;
    while (found == NULL && (folder = strsep(&rest, ":")) != NULL) {
        found = text_of("%s/%s", folder, name);
        if (access(found, X_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free(copy);
    return found;
}

char *own_folder(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n < 0) {
        return memory(strdup("."));
    }
    path[n] = '\0';
    return memory(strdup(dirname(path)));
}
