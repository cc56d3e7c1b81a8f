/** Lists of words, programs that are run, files that are read: what the driver needs of the operating system. */
#ifndef DIVCC_PROCESS_H
#define DIVCC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/** A command line under construction; words are copies and end with NULL. */
typedef struct words {
    char **at;
    size_t n, room;
} words;

void words_add(words *list, const char *word);
/** printf into a new word. */
void words_addf(words *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_add_all(words *list, const words *others);
/** Split at blanks, as a shell does without quotes. */
void words_add_split(words *list, const char *text);
void words_free(words *list);

/** printf into memory that the caller frees; ends the program when there is no memory left. */
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool ends_with(const char *text, const char *end);
bool starts_with(const char *text, const char *start);

/**
 * Run a program and wait; its standard error goes to the file `errors` (NULL: to ours). Returns its exit code, 127 if
 * it cannot be started, 128 + n after signal n.
 */
int process_run(const words *command, const char *errors, bool is_shown);

/** Whole file as a string, or NULL. */
char *file_read(const char *path);
bool file_write(const char *path, const char *text, bool is_appended);
bool file_exists(const char *path);
bool file_copy(const char *from, const char *to);

/** Path of the first program of this name in $PATH, or NULL; free() it. */
char *program_find(const char *name);

/** Folder in which this program lies. */
char *own_folder(void);

#endif
