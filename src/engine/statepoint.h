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

/** Read group `group` into a new result (model == NULL). Errors: CRP_ERR_IO, CRP_ERR_FORMAT (with what is wrong). */
crp_status statepoint_read(crp_context *context, const char *path, uint32_t group, crp_result **result);

/** How many runs the file holds; CRP_ERR_FORMAT if it is not a result file of ours. */
crp_status statepoint_count(crp_context *context, const char *path, uint32_t *n_groups);

/** Can the directory of `path` be written? CRP_ERR_IO if not: called before a run starts. */
crp_status statepoint_probe(crp_context *context, const char *path);

#endif
