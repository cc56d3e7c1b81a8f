/* The disk cache of compiled kernels: one file a kernel, checked on reading, renamed into place on writing. */
#include "device/kernel_cache.h"

#include "core/context.h"
#include "core/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_PATH = 1024 };

static const char cache_magic[8] = {'C', 'R', 'P', 'K', 'R', 'N', '0', '1'};

typedef struct cache_header {
    char magic[8];
    uint64_t n_bytes;
    char key[64];
    char digest[64];
} cache_header;

_Static_assert(sizeof(cache_header) == 144, "the header is written as it lies in memory");

static void hash_part(sha256 *s, const void *data, size_t n_bytes)
{
    uint64_t length = n_bytes;
    sha256_update(s, &length, sizeof length);
    sha256_update(s, data, n_bytes);
}

void kernel_cache_key(const char *text, const char *const *options, size_t n_options, const char *compiler,
                      const char *architecture, char key[65])
{
    sha256 s;
    sha256_init(&s);
    hash_part(&s, text, strlen(text));
    for (size_t i = 0; i < n_options; i++) {
        hash_part(&s, options[i], strlen(options[i]));
    }
    hash_part(&s, "", 0); /* no option is empty: this ends the list */
    hash_part(&s, compiler, strlen(compiler));
    hash_part(&s, architecture, strlen(architecture));
    sha256_hex(&s, key);
}

static bool fits(int n, size_t size)
{
    return n >= 0 && (size_t)n < size;
}

static bool cache_folder(char *folder, size_t size)
{
    const char *own = getenv("CORPUSCLE_CACHE");
    if (own != NULL && own[0] != '\0') {
        return fits(snprintf(folder, size, "%s", own), size);
    }
    const char *xdg = getenv("XDG_CACHE_HOME");
    if (xdg != NULL && xdg[0] == '/') { /* the XDG rules say that a relative path is to be ignored */
        return fits(snprintf(folder, size, "%s/corpuscle", xdg), size);
    }
    const char *home = getenv("HOME");
    return home != NULL && home[0] == '/' && fits(snprintf(folder, size, "%s/.cache/corpuscle", home), size);
}

bool kernel_cache_path(const char *key, char *path, size_t n_path)
{
    char folder[CACHE_PATH];
    return cache_folder(folder, sizeof folder) && fits(snprintf(path, n_path, "%s/%s.cubin", folder, key), n_path);
}

/* Make all folders of a file's path that are missing, for this user alone: compiled code is read from them. */
static bool make_folders(const char *file)
{
    char path[CACHE_PATH];
    if (!fits(snprintf(path, sizeof path, "%s", file), sizeof path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    return true;
}

/* Read and check; NULL with a reason when the file is broken. */
static void *read_checked(FILE *file, const char *key, size_t *n_bytes, const char **reason)
{
    cache_header header;
    char digest[65];
    struct stat status;
    void *image = NULL;
    *reason = "it is truncated";
    if (fstat(fileno(file), &status) != 0 || fread(&header, sizeof header, 1, file) != 1) {
        return NULL;
    }
    if (memcmp(header.magic, cache_magic, sizeof cache_magic) != 0 || memcmp(header.key, key, 64) != 0) {
        *reason = "it does not begin as a file of this kernel does";
        return NULL;
    }
    if (header.n_bytes == 0 || (uint64_t)status.st_size != header.n_bytes + sizeof header) {
        *reason = "its length is not the one it states";
        return NULL;
    }
    image = malloc((size_t)header.n_bytes);
    if (image == NULL || fread(image, (size_t)header.n_bytes, 1, file) != 1) {
        free(image);
        return NULL;
    }
    sha256_of(image, (size_t)header.n_bytes, digest);
    if (memcmp(digest, header.digest, 64) != 0) {
        *reason = "its digest is wrong";
        free(image);
        return NULL;
    }
    *n_bytes = (size_t)header.n_bytes;
    return image;
}

bool kernel_cache_load(crp_context *context, const char *key, void **image, size_t *n_bytes)
{
    char path[CACHE_PATH];
    const char *reason = NULL;
    *image = NULL;
    *n_bytes = 0;
    if (!kernel_cache_path(key, path, sizeof path)) {
        return false;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    *image = read_checked(file, key, n_bytes, &reason);
    fclose(file);
    if (*image == NULL) {
        kernel_cache_remove(context, key, reason);
    }
    return *image != NULL;
}

void kernel_cache_remove(crp_context *context, const char *key, const char *reason)
{
    char path[CACHE_PATH];
    if (!kernel_cache_path(key, path, sizeof path)) {
        return;
    }
    if (unlink(path) == 0) {
        context_log(context, CRP_LOG_WARNING, "cache", "%s is broken (%s): removed, the kernel is compiled again", path,
                    reason);
    } else {
        context_log(context, CRP_LOG_WARNING, "cache", "%s is broken (%s) and cannot be removed (%s): delete it", path,
                    reason, strerror(errno));
    }
}

static bool write_image(int descriptor, const char *key, const void *image, size_t n_bytes)
{
    cache_header header;
    char digest[65];
    memcpy(header.magic, cache_magic, sizeof cache_magic);
    header.n_bytes = n_bytes;
    memcpy(header.key, key, 64);
    sha256_of(image, n_bytes, digest);
    memcpy(header.digest, digest, 64);
    FILE *file = fdopen(descriptor, "wb");
    if (file == NULL) {
        close(descriptor);
        return false;
    }
    bool good = fwrite(&header, sizeof header, 1, file) == 1 && fwrite(image, n_bytes, 1, file) == 1;
    return (fclose(file) == 0) && good;
}

void kernel_cache_store(crp_context *context, const char *key, const void *image, size_t n_bytes)
{
    char path[CACHE_PATH], temporary[CACHE_PATH + 16];
    if (!kernel_cache_path(key, path, sizeof path)) {
        context_log(context, CRP_LOG_DEBUG, "cache", "no folder for compiled kernels (HOME is not set): not stored");
        return;
    }
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = make_folders(path) ? mkstemp(temporary) : -1;
    if (descriptor < 0) {
        context_log(context, CRP_LOG_DEBUG, "cache", "%s cannot be written (%s): the kernel is not stored", path,
                    strerror(errno));
        return;
    }
    errno = 0;
    if (!write_image(descriptor, key, image, n_bytes) || rename(temporary, path) != 0) {
        context_log(context, CRP_LOG_DEBUG, "cache", "%s cannot be written (%s): the kernel is not stored", path,
                    strerror(errno));
        unlink(temporary);
    }
}
