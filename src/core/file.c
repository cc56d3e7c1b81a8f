/** Whole files: see file.h. Plain system calls, because their errno is the reason that a user needs. */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Where the bytes really go. */
typedef struct target {
    char path[PATH_MAX];          /* links resolved */
    char temporary[PATH_MAX + 8]; /* path.tmp */
    bool is_regular;              /* or absent: to be replaced by renaming */
} target;

static const char *advice(int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return "make room or choose another folder";
    case EFBIG:
        return "the limit on the size of files is too low (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
        return "choose a folder that you may write to";
    case ENOENT:
    case ENOTDIR:
        return "make the folder first, or correct the path";
    case EISDIR:
        return "name a file, not a folder";
    default:
        return "choose another file";
    }
}

static crp_status fail(crp_context *context, const char *path, const char *verb, int error)
{
    return context_fail(context, CRP_ERR_IO, "%s: cannot be %s (%s): %s", path, verb, strerror(error), advice(error));
}

crp_status file_read(crp_context *context, const char *path, void **bytes, size_t *n_bytes)
{
    *bytes = NULL;
    *n_bytes = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) {
        int error = errno;
        if (fd >= 0) {
            close(fd);
        }
        return context_fail(context, CRP_ERR_IO, "%s: cannot be read (%s)", path, strerror(error));
    }
    if (!S_ISREG(info.st_mode)) {
        close(fd);
        return context_fail(context, CRP_ERR_IO, "%s: cannot be read (%s)", path,
                            S_ISDIR(info.st_mode) ? strerror(EISDIR) : "not a regular file");
    }
    size_t size = (size_t)info.st_size, done = 0;
    char *buffer = malloc(size + 1);
    if (buffer == NULL) {
        close(fd);
        return context_fail(context, CRP_ERR_MEMORY, "%s: not enough memory for its %zu bytes", path, size);
    }
    while (done < size) {
        ssize_t got = read(fd, buffer + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            int error = errno;
            free(buffer);
            close(fd);
            return context_fail(context, CRP_ERR_IO, "%s: cannot be read (%s)", path, strerror(error));
        }
        if (got == 0) {
            break;
        }
        done += (size_t)got;
    }
    close(fd);
    buffer[done] = '\0';
    *bytes = buffer;
    *n_bytes = done;
    return CRP_OK;
}

static crp_status resolve(crp_context *context, const char *path, target *out)
{
    struct stat info;
    out->is_regular = true;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            return fail(context, path, "written", EISDIR);
        }
        out->is_regular = S_ISREG(info.st_mode);
        if (realpath(path, out->path) == NULL) {
            return fail(context, path, "written", errno);
        }
    } else if (errno != ENOENT) {
        return fail(context, path, "written", errno);
    } else if (snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path) {
        return fail(context, path, "written", ENAMETOOLONG);
    }
    snprintf(out->temporary, sizeof out->temporary, "%s.tmp", out->path);
    return CRP_OK;
}

static int write_all(int fd, const void *bytes, size_t n_bytes)
{
    const char *next = bytes;
    while (n_bytes > 0) {
        ssize_t put = write(fd, next, n_bytes);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put < 0 ? errno : ENOSPC;
        }
        next += put;
        n_bytes -= (size_t)put;
    }
    return 0;
}

/** Make a rename last: the entry lives in the folder. Some file systems cannot sync a folder, and need not. */
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        memcpy(folder, path, length);
        strcpy(folder + length, length == 0 ? "/" : "");
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

static crp_status write_in_place(crp_context *context, const char *path, const void *bytes, size_t n_bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : write_all(fd, bytes, n_bytes);
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error == 0 ? CRP_OK : fail(context, path, "written", error);
}

crp_status file_replace(crp_context *context, const char *path, const void *bytes, size_t n_bytes)
{
    target t;
    CRP_TRY(resolve(context, path, &t));
    if (!t.is_regular) {
        return write_in_place(context, path, bytes, n_bytes);
    }
    int fd = open(t.temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return fail(context, path, "written", errno);
    }
    int error = write_all(fd, bytes, n_bytes);
    if (error == 0 && fsync(fd) != 0 && errno != EINVAL) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(t.temporary, t.path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(t.temporary);
        return fail(context, path, "written", error);
    }
    sync_folder(t.path);
    return CRP_OK;
}

crp_status file_deliver(crp_context *context, const char *path, const void *bytes, size_t n_bytes)
{
    if (path != NULL && strcmp(path, "-") != 0) {
        return file_replace(context, path, bytes, n_bytes);
    }
    fwrite(bytes, 1, n_bytes, stdout);
    return CRP_OK;
}

crp_status file_probe(crp_context *context, const char *path)
{
    target t;
    CRP_TRY(resolve(context, path, &t));
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0) {
        return fail(context, path, "written", errno);
    }
    if (!t.is_regular) {
        return CRP_OK;
    }
    int fd = open(t.temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return fail(context, path, "written", errno);
    }
    close(fd);
    unlink(t.temporary);
    return CRP_OK;
}
