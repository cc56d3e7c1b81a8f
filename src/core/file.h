/** Whole files: read into memory, and replaced so that a reader (or a crash) sees the old one or the new one. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "core/context.h"

/**
 * Read a whole file.
 *
 * @param[in]  path     a regular file
 * @param[out] bytes    its contents with a zero byte appended (not counted); free with free()
 * @param[out] n_bytes  its length
 * Errors: CRP_ERR_IO with the system's reason, CRP_ERR_MEMORY.
 */
crp_status file_read(crp_context *context, const char *path, void **bytes, size_t *n_bytes);

/**
 * Put `n_bytes` into the file at `path`, all or nothing: written to `path`.tmp, synced, renamed, folder synced.
 * A symbolic link is followed; what is not a regular file (/dev/null, a pipe) is written in place.
 * After an error `path` is as before and there is no .tmp.
 * Errors: CRP_ERR_IO with the system's reason.
 */
crp_status file_replace(crp_context *context, const char *path, const void *bytes, size_t n_bytes);

/**
 * file_replace, or for a path of NULL or "-" the same bytes to standard output: for exports, where the user asks for it.
 * The program flushes that stream and looks at its state before it ends.
 * Errors: CRP_ERR_IO with the system's reason.
 */
crp_status file_deliver(crp_context *context, const char *path, const void *bytes, size_t n_bytes);

/** The right to write a file, held against other processes. */
typedef struct file_lock file_lock;

/**
 * Take the right to write `path`, or be told who has it. The lock is on `path`.lock, which is removed by file_lock_close; the
 * system drops the lock with the process, however that ends, so that a file left behind by a kill is in nobody's way. What is not
 * a regular file needs no lock and gets none.
 *
 * @param[out] lock  yours, to be closed with file_lock_close
 * Errors: CRP_ERR_IO, when another process has it (with its number and machine), or with the system's reason.
 */
crp_status file_lock_open(crp_context *context, const char *path, file_lock **lock);
/** Give it back and set to NULL. Accepts NULL and a pointer to NULL. */
void file_lock_close(file_lock **lock);

/** Can file_replace write `path`? Leaves nothing behind. Errors: CRP_ERR_IO with the system's reason. */
crp_status file_probe(crp_context *context, const char *path);

#endif
