#include "core/memory.h"

#include <stdio.h>

uint64_t memory_available(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    if (file == NULL) {
        return UINT64_MAX;
    }
    char line[128];
    unsigned long long kilobytes = 0;
    uint64_t bytes = UINT64_MAX;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) {
            bytes = (uint64_t)kilobytes * 1024u;
            break;
        }
    }
    fclose(file);
    return bytes;
}
