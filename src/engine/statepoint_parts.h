/** What the files of the statepoint share: statepoint.c (whole file), _write.c and _read.c (one run in it). */
#ifndef ENGINE_STATEPOINT_PARTS_H
#define ENGINE_STATEPOINT_PARTS_H

#include "engine/hdf5.h"
#include "engine/statepoint.h"

#define STATEPOINT_FILETYPE "corpuscle-result"

/** "/run_3" */
#define STATEPOINT_GROUP_FORMAT "run_%u"

/** One row of the dataset `results`. `bin` counts inside its tally, in C order. */
typedef struct statepoint_row {
    char name[48], of_name[64], tally[48], unit[24];
    int64_t of;
    uint64_t bin;
    double mean, std_dev;
} statepoint_row;

/** One row of the dataset `events`. */
typedef struct statepoint_event {
    char name[32];
    uint64_t count;
    uint8_t is_fault;
} statepoint_event;

/** The dataset `devices` of a run. Writing: false when the library failed. Reading: a file without it has none. In the lock. */
bool statepoint_put_devices(hid_t run, const crp_result *result);
bool statepoint_get_devices(hid_t run, crp_result *result);

/** The same of the dataset `places`. */
bool statepoint_put_places(hid_t run, const crp_result *result);
bool statepoint_get_places(hid_t run, crp_result *result);

/** A member of a row that is a text of `size` bytes. */
bool statepoint_insert_text(hid_t row, const char *name, size_t offset, size_t size);

/** HDF5 types of the two rows, in memory and in the file; close with H5Tclose. */
hid_t statepoint_row_type(void);
hid_t statepoint_event_type(void);

/** Add run `group` to an open file. False when the library failed. Call inside the lock. */
bool statepoint_put_run(hid_t file, uint32_t group, const crp_result *result);

/** Read run `group` of an open file; `path` is for messages. Call inside the lock. */
crp_status statepoint_get_run(crp_context *context, const char *path, hid_t file, uint32_t group, crp_result **result);

#endif
