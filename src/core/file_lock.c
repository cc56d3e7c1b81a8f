/** The right to write a file: see file.h. */
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_lock {
    int fd;
    char path[PATH_MAX + 8];
};

/* Some file systems (a few cluster ones) cannot lock; a run is then as unprotected as it was. */
static bool knows_no_locks(int error)
{
    return error == ENOLCK || error == ENOSYS || error == EOPNOTSUPP || error == EINVAL;
}

/* The name must still be that of the file that we have locked: its last owner may just have removed it. */
static bool is_current(const file_lock *l)
{
    struct stat mine, named;
    return fstat(l->fd, &mine) == 0 && stat(l->path, &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

/* For whoever comes next: who has the lock. */
static void sign(const file_lock *l)
{
    char text[128], host[64] = "";
    gethostname(host, sizeof host - 1);
    int n = snprintf(text, sizeof text, "process %ld on %s", (long)getpid(), host);
    if (ftruncate(l->fd, 0) != 0 || pwrite(l->fd, text, (size_t)n, 0) != n) {
        return; /* a full disk: the lock holds without it */
    }
}

static crp_status refuse(crp_context *context, const char *path, const file_lock *l)
{
    char owner[128] = "";
    ssize_t n = pread(l->fd, owner, sizeof owner - 1, 0);
    owner[n > 0 ? n : 0] = '\0';
    return context_fail(context, CRP_ERR_IO,
                        "%s: another run is writing it (%s) wait for that one, or choose another file with -o", path,
                        owner[0] != '\0' ? owner : "it has not said which");
}

static crp_status take(crp_context *context, const char *path, file_lock *l)
{
    for (;;) {
        l->fd = open(l->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        CRP_CHECK(context, l->fd >= 0, CRP_ERR_IO, "%s: cannot be made (%s): choose a folder that you may write to", l->path,
                  strerror(errno));
        if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
            int error = errno;
            if (error == EWOULDBLOCK) {
                return refuse(context, path, l);
            }
            CRP_CHECK(context, knows_no_locks(error), CRP_ERR_IO, "%s: cannot be locked (%s)", l->path, strerror(error));
            return CRP_OK;
        }
        if (is_current(l)) {
            sign(l);
            return CRP_OK;
        }
        close(l->fd);
    }
}

crp_status file_lock_open(crp_context *context, const char *path, file_lock **lock)
{
    struct stat info;
    char real[PATH_MAX];
    *lock = NULL;
    bool exists = stat(path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) {
        return CRP_OK;
    }
    file_lock *l = calloc(1, sizeof *l);
    CRP_CHECK(context, l != NULL, CRP_ERR_MEMORY, "%s: not enough memory", path);
    l->fd = -1;
    snprintf(l->path, sizeof l->path, "%s.lock", exists && realpath(path, real) != NULL ? real : path);
    crp_status status = take(context, path, l);
    if (status != CRP_OK) {
        if (l->fd >= 0) {
            close(l->fd);
        }
        free(l);
        return status;
    }
    *lock = l;
    return CRP_OK;
}

void file_lock_close(file_lock **lock)
{
    if (lock != NULL && *lock != NULL) {
        unlink((*lock)->path); /* while it is ours */
        close((*lock)->fd);
        free(*lock);
        *lock = NULL;
    }
}
