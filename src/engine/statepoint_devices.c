/** The devices of a run, as a table in its group. */
#include "engine/statepoint_parts.h"

#include <stdlib.h>

enum { MOST_DEVICES = 1 << 20 };

static hid_t row_type(void)
{
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(result_device));
    bool fine = t >= 0 &&
                statepoint_insert_text(t, "device", offsetof(result_device, label), sizeof((result_device *)0)->label) &&
                statepoint_insert_text(t, "host", offsetof(result_device, host), sizeof((result_device *)0)->host) &&
                H5Tinsert(t, "rank", offsetof(result_device, rank), H5T_NATIVE_UINT64) >= 0 &&
                H5Tinsert(t, "histories", offsetof(result_device, histories), H5T_NATIVE_UINT64) >= 0 &&
                H5Tinsert(t, "is_dropped", offsetof(result_device, is_dropped), H5T_NATIVE_UINT8) >= 0;
    if (!fine && t >= 0) {
        H5Tclose(t);
    }
    return fine ? t : -1;
}

bool statepoint_put_devices(hid_t run, const crp_result *result)
{
    hsize_t n = result->n_devices;
    if (n == 0) {
        return true;
    }
    hid_t type = row_type();
    hid_t dataset = type < 0 ? -1 : hdf5_put_array(run, "devices", type, 1, &n, result->devices, false);
    bool fine = dataset >= 0 && H5Dclose(dataset) >= 0;
    H5Tclose(type);
    return fine;
}

bool statepoint_get_devices(hid_t run, crp_result *result)
{
    unsigned rank;
    hsize_t n;
    if (!hdf5_has(run, "devices")) {
        return true;
    }
    if (!hdf5_get_shape(run, "devices", 1, &rank, &n) || rank != 1 || n == 0 || n > MOST_DEVICES) {
        return false;
    }
    hid_t type = row_type();
    result->devices = calloc((size_t)n, sizeof *result->devices);
    bool fine = type >= 0 && result->devices != NULL && hdf5_get_array(run, "devices", type, (size_t)n, result->devices);
    H5Tclose(type);
    result->n_devices = fine ? (size_t)n : 0;
    for (size_t i = 0; i < result->n_devices; i++) { /* whatever the file holds, a text ends */
        result->devices[i].label[sizeof result->devices[i].label - 1] = '\0';
        result->devices[i].host[sizeof result->devices[i].host - 1] = '\0';
    }
    return fine;
}
