/**
 * Compiled kernels on disk. A file is named by its key and carries magic, key, length and digest, so that a truncated
 * or altered one is noticed, removed and built again. The cache is a convenience: no failure of it is an error.
 *
 * Folder: $CORPUSCLE_CACHE, else $XDG_CACHE_HOME/corpuscle, else $HOME/.cache/corpuscle.
 */
#ifndef DEVICE_KERNEL_CACHE_H
#define DEVICE_KERNEL_CACHE_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>

/** SHA-256 over the parts, each with its length in front: two different lists never make one key. */
void kernel_cache_key(const char *text, const char *const *options, size_t n_options, const char *compiler,
                      const char *architecture, char key[65]);

/** The image stored under the key, in memory of its own (free()); false when there is none that is whole.
 * A broken file is removed, with a warning in the log. */
bool kernel_cache_load(crp_context *context, const char *key, void **image, size_t *n_bytes);

/** Store an image; the file appears at once and whole, or not at all (a debug line in the log says why). */
void kernel_cache_store(crp_context *context, const char *key, const void *image, size_t n_bytes);

/** Remove an image that the driver refused, with a warning in the log that gives the reason. */
void kernel_cache_remove(crp_context *context, const char *key, const char *reason);

/** Path of the file of a key; false when there is no folder for it or the path is too long. */
bool kernel_cache_path(const char *key, char *path, size_t n_path);

#endif
