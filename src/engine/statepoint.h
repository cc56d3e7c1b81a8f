/** The result file: HDF5, one group a run; result, statepoint and provenance in one. Format: docs/formats/result.md. */
#ifndef ENGINE_STATEPOINT_H
#define ENGINE_STATEPOINT_H

#include "engine/result.h"

#define STATEPOINT_FORMAT_VERSION 1

/**
 * Write a result as group /run_<group> (from 1). Groups of smaller numbers in the file at `path` are kept (copied),
 * those of the same and of larger numbers are replaced; group 1 starts the file anew. Written to `path`.tmp, synced,
 * renamed: whatever happens, `path` is either the old file or the new one.
 * Errors: CRP_ERR_IO with the system's reason (disk full, no permission); the old file is untouched.
 */
crp_status statepoint_write(crp_context *context, const char *path, uint32_t group, const crp_result *result);

/** The same for `n` results at once, as groups `group` to `group` + n - 1. A file of many short runs is rewritten as a
 * whole at each call: hand over several runs at a time. */
crp_status statepoint_write_many(crp_context *context, const char *path, uint32_t group,
                                 const crp_result *const *results, uint32_t n);

/** A result file held open in memory, verified once: for reading many of its runs. */
typedef struct statepoint_file statepoint_file;

/** Open; `n_groups` (may be NULL) gets the number of runs. Errors: CRP_ERR_IO, CRP_ERR_FORMAT, CRP_ERR_MEMORY. */
crp_status statepoint_open(crp_context *context, const char *path, statepoint_file **file, uint32_t *n_groups);
/** Read group `group` of an open file into a new result. Errors: CRP_ERR_FORMAT, CRP_ERR_MEMORY. */
crp_status statepoint_file_read(crp_context *context, statepoint_file *file, uint32_t group, crp_result **result);
/** Close and set to NULL; accepts a pointer to NULL. */
void statepoint_close(statepoint_file **file);

/** Read group `group` into a new result. Errors: CRP_ERR_IO, CRP_ERR_FORMAT (with what is wrong). */
crp_status statepoint_read(crp_context *context, const char *path, uint32_t group, crp_result **result);

/** Can the directory of `path` be written? CRP_ERR_IO if not: called before a run starts. */
crp_status statepoint_probe(crp_context *context, const char *path);

#endif
