/* Memory that is left: the kernel's own estimate, the limits of control groups, and the user's. */
#include "core/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t UNSEEN = 16000000;

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number after `name` in a file of "name number" lines; the first number of the file when name is "". */
static bool read_number(const char *path, const char *name, uint64_t *number)
{
    char line[256];
    bool found = false;
    unsigned long long value = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        size_t n = strlen(name);
        found = strncmp(line, name, n) == 0 && sscanf(line + n, "%llu", &value) == 1;
    }
    fclose(file);
    *number = value;
    return found;
}

/* What one group still allows. Its file cache is given back under pressure, so it does not count as taken. */
static uint64_t left_in_group(const char *folder, const char *limit_name, const char *used_name)
{
    char path[PATH_MAX + 64];
    uint64_t limit = 0, used = 0, cache = 0;
    snprintf(path, sizeof path, "%s/%s", folder, limit_name);
    if (!read_number(path, "", &limit)) { /* "max", or no such file */
        return UINT64_MAX;
    }
    snprintf(path, sizeof path, "%s/%s", folder, used_name);
    if (!read_number(path, "", &used)) {
        return UINT64_MAX;
    }
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    read_number(path, "inactive_file ", &cache);
    used -= smaller(used, cache);
    return limit - smaller(limit, used);
}

/* The least that a group or any above it allows; `folder` is cut shorter on the way up to `root`. */
static uint64_t left_on_the_way_up(char *folder, size_t n_root, const char *limit_name, const char *used_name)
{
    uint64_t left = UINT64_MAX;
    for (;;) {
        left = smaller(left, left_in_group(folder, limit_name, used_name));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash < folder + n_root) {
            return left;
        }
        *slash = '\0';
    }
}

/* Lines are "0::/path" (version 2) or "9:memory:/path" (version 1). In a container the path may be one of the host's,
 * which is not there: then only the root, which is the container's own group, counts. */
static uint64_t left_in_groups(void)
{
    static const char root_2[] = "/sys/fs/cgroup", root_1[] = "/sys/fs/cgroup/memory";
    char line[PATH_MAX], folder[PATH_MAX + 64];
    uint64_t left = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *path = strchr(line, '/');
        if (path == NULL) {
            continue;
        }
        if (strncmp(line, "0::", 3) == 0) {
            snprintf(folder, sizeof folder, "%s%s", root_2, path);
            left = smaller(left, left_on_the_way_up(folder, sizeof root_2 - 1, "memory.max", "memory.current"));
        } else if (strstr(line, ":memory:") != NULL) {
            snprintf(folder, sizeof folder, "%s%s", root_1, path);
            left = smaller(left, left_on_the_way_up(folder, sizeof root_1 - 1, "memory.limit_in_bytes",
                                                    "memory.usage_in_bytes"));
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return left;
}

uint64_t memory_available(void)
{
    uint64_t kilobytes = 0, bytes = UINT64_MAX;
    if (read_number("/proc/meminfo", "MemAvailable:", &kilobytes)) {
        bytes = kilobytes * 1024u;
    }
    bytes = smaller(bytes, left_in_groups());
    const char *own = getenv("CORPUSCLE_MEMORY");
    if (own != NULL && own[0] >= '0' && own[0] <= '9') {
        bytes = smaller(bytes, strtoull(own, NULL, 10));
    }
    return bytes;
}

bool memory_suffices(uint64_t needed, uint64_t *available)
{
    if (needed < UNSEEN) {
        return true;
    }
    uint64_t left = memory_available();
    if (needed > left && available != NULL) {
        *available = left;
    }
    return needed <= left;
}
