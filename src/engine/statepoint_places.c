/** Places where histories of a run were lost, as a table in its group. */
#include "engine/statepoint_parts.h"

#include <stdlib.h>

enum { MOST_PLACES = 1 << 20 };

static hid_t row_type(void)
{
    hsize_t n = 3;
    hid_t t = H5Tcreate(H5T_COMPOUND, sizeof(result_place)), triple = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &n);
    bool fine = t >= 0 && triple >= 0 && H5Tinsert(t, "of", offsetof(result_place, of), H5T_NATIVE_INT64) >= 0 &&
                H5Tinsert(t, "at", offsetof(result_place, at), triple) >= 0 &&
                H5Tinsert(t, "way", offsetof(result_place, way), triple) >= 0 &&
                H5Tinsert(t, "out", offsetof(result_place, out), triple) >= 0;
    if (triple >= 0) {
        H5Tclose(triple);
    }
    if (!fine && t >= 0) {
        H5Tclose(t);
    }
    return fine ? t : -1;
}

bool statepoint_put_places(hid_t run, const crp_result *result)
{
    hsize_t n = result->n_places;
    if (n == 0) {
        return true;
    }
    hid_t type = row_type();
    hid_t dataset = type < 0 ? -1 : hdf5_put_array(run, "places", type, 1, &n, result->places, false);
    bool fine = dataset >= 0 && H5Dclose(dataset) >= 0;
    H5Tclose(type);
    return fine;
}

bool statepoint_get_places(hid_t run, crp_result *result)
{
    unsigned rank;
    hsize_t n;
    if (!hdf5_has(run, "places")) {
        return true;
    }
    if (!hdf5_get_shape(run, "places", 1, &rank, &n) || rank != 1 || n == 0 || n > MOST_PLACES) {
        return false;
    }
    hid_t type = row_type();
    result->places = calloc((size_t)n, sizeof *result->places);
    bool fine = type >= 0 && result->places != NULL && hdf5_get_array(run, "places", type, (size_t)n, result->places);
    H5Tclose(type);
    result->n_places = fine ? (size_t)n : 0;
    return fine;
}
