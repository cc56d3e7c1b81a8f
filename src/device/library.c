/* dlopen and dlsym, for tables of function pointers. */
#include "device/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *library_open(const char *path, char *reason, size_t n_reason)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(reason, n_reason, "%s", why == NULL ? "unknown" : why);
    }
    return library;
}

bool library_bind(void *library, void *table, const library_symbol *symbols, size_t n_symbols, const char **missing)
{
    for (size_t i = 0; i < n_symbols; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (function == NULL) {
            *missing = symbols[i].name;
            return false;
        }
        memcpy((char *)table + symbols[i].offset, &function, sizeof function);
    }
    return true;
}
