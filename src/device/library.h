/** Libraries of vendors, opened at run time: what the three dlopen tables share. */
#ifndef DEVICE_LIBRARY_H
#define DEVICE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/** One function of a library: its name and where in the table its pointer goes. */
typedef struct library_symbol {
    const char *name;
    size_t offset; /**< offsetof(table, member) */
} library_symbol;

/** Open privately, all symbols bound at once; NULL with the loader's words in `reason`. */
void *library_open(const char *path, char *reason, size_t n_reason);

/** Fill a table of function pointers; false with the first missing name in *missing. */
bool library_bind(void *library, void *table, const library_symbol *symbols, size_t n_symbols, const char **missing);

#endif
