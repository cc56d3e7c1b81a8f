/** The kernel headers as embedded at build time (cmake/embed.cmake), and their flattening into one text. */
#ifndef DEVICE_KERNEL_SOURCE_H
#define DEVICE_KERNEL_SOURCE_H

#include "device/device.h"

/** One embedded file: path under kernel/, and its bytes (followed by a zero). */
typedef struct kernel_file {
    const char *path;
    const char *text;
    size_t n_bytes;
} kernel_file;

/** All of kernel/, ended by an element with path == NULL (generated). */
extern const kernel_file kernel_files[];

/** PTX made at build time where nvcc existed: what a machine with a driver but no NVRTC falls back to. */
typedef struct kernel_ptx {
    const char *entry;
    crp_math math;
    uint32_t block;      /**< threads of a block, at most */
    const char *defines; /**< the defines it was made with, in order, joined by blanks */
    const char *text;
} kernel_ptx;

/** All embedded PTX, ended by an element with entry == NULL (cmake/ptx.cmake; empty where there was no nvcc). */
extern const kernel_ptx kernel_ptx_texts[];

/** The build in a table that serves this source, NULL if there is none. */
const kernel_ptx *kernel_ptx_find(const kernel_ptx *table, const device_kernel_source *source);

/** The version of PTX that a text is written in, which a driver must know: 90 for 9.0; 0 if the text does not say. */
int kernel_ptx_version(const char *text);

/**
 * kernel_source_flatten() over a given table of files.
 *
 * An `#include "name"` is looked for beside the including file, then under kernel/; a file that was taken once is
 * dropped afterwards, so a header must not be included in two branches of an #if. `#line` keeps a compiler's messages
 * in terms of the original files. `file` may be "@" followed by the text itself, in place of a path.
 */
crp_status kernel_source_flatten_from(crp_context *context, const kernel_file *files, const char *file, char **text);

/** What to call the source in messages: the path, or "inline" for a text given in place of one. */
const char *kernel_source_label(const device_kernel_source *source);

#endif
