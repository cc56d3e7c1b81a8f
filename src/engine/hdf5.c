/** Small pieces over the HDF5 library: see hdf5.h. */
#include "engine/hdf5.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BYTES = 4096,        /* arrays up to this live in the object's header: no block of their own */
    CHUNK_BYTES = 1 << 20,     /* about the size of the library's chunk cache */
    IMAGE_INCREMENT = 1 << 20, /* step by which a file in memory grows */
    MAX_RANK = 8,
    MAX_COMPACT = 64, /* attributes or links kept in an object's header */
    DEFLATE_LEVEL = 1
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t saved_printer;
static void *saved_printer_data;

void hdf5_lock(void)
{
    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &saved_printer, &saved_printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_unlock(void)
{
    H5Eset_auto2(H5E_DEFAULT, saved_printer, saved_printer_data);
    pthread_mutex_unlock(&lock);
}

/* --------------------------------------------------------------------------------------------------- images */

/* The library's own H5Fget_file_image spoils the checksum of the superblock (1.10.8: it clears a flag and does not sum
 * again). So we own the memory and keep it when the file is closed, which also saves a copy. */

static void *image_malloc(size_t size, H5FD_file_image_op_t op, void *user)
{
    (void)op;
    (void)user;
    return malloc(size);
}

static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t op, void *user)
{
    (void)op;
    (void)user;
    return memcpy(to, from, size);
}

static void *image_realloc(void *bytes, size_t size, H5FD_file_image_op_t op, void *user)
{
    (void)op;
    (void)user;
    return realloc(bytes, size);
}

static herr_t image_free(void *bytes, H5FD_file_image_op_t op, void *user)
{
    hdf5_image *image = user;
    if (op == H5FD_FILE_IMAGE_OP_FILE_CLOSE && image->is_kept) {
        image->bytes = bytes;
    } else {
        free(bytes);
    }
    return 0;
}

static void *image_user_copy(void *user)
{
    return user;
}

static herr_t image_user_free(void *user)
{
    (void)user;
    return 0;
}

static hid_t access_list(hdf5_image *image, bool is_old)
{
    H5FD_file_image_callbacks_t callbacks = {image_malloc,    image_memcpy,    image_realloc, image_free,
                                             image_user_copy, image_user_free, image};
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    memset(image, 0, sizeof *image);
    image->file = -1;
    /* Strong: closing the file closes what an error path left open in it. */
    if (list >= 0 &&
        (H5Pset_fapl_core(list, IMAGE_INCREMENT, 0) < 0 || H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0 ||
         H5Pset_file_image_callbacks(list, &callbacks) < 0 ||
         (!is_old && H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18) < 0))) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

/** A name of its own: the library takes two open files of one name for the same file. */
static const char *image_name(const hdf5_image *image, char name[32])
{
    snprintf(name, 32, "image-%p", (const void *)image);
    return name;
}

static bool image_create(hdf5_image *image, bool is_old)
{
    char name[32];
    hid_t access = access_list(image, is_old), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access >= 0 && creation >= 0 &&
        (is_old || H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0)) {
        image->file = H5Fcreate(image_name(image, name), H5F_ACC_TRUNC, creation, access);
    }
    H5Pclose(access);
    H5Pclose(creation);
    return image->file >= 0;
}

bool hdf5_image_create(hdf5_image *image)
{
    return image_create(image, false);
}

bool hdf5_image_create_plain(hdf5_image *image)
{
    return image_create(image, true);
}

bool hdf5_image_open(hdf5_image *image, const void *bytes, size_t n_bytes, bool is_writable)
{
    char name[32];
    hid_t access = access_list(image, false);
    /* The library copies the image and writes to its copy only. */
    if (access >= 0 && H5Pset_file_image(access, (void *)(uintptr_t)bytes, n_bytes) >= 0) {
        image->file = H5Fopen(image_name(image, name), is_writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    }
    H5Pclose(access);
    return image->file >= 0;
}

void *hdf5_image_take(hdf5_image *image, size_t spare, size_t *n_bytes)
{
    /* The size without the slack of the last increment. */
    ssize_t size = H5Fflush(image->file, H5F_SCOPE_GLOBAL) < 0 ? -1 : H5Fget_file_image(image->file, NULL, 0);
    image->is_kept = size > 0;
    bool fine = H5Fclose(image->file) >= 0 && size > 0;
    image->file = -1;
    char *bytes = fine && image->bytes != NULL ? realloc(image->bytes, (size_t)size + spare) : NULL;
    if (bytes == NULL) {
        free(image->bytes);
    }
    image->bytes = NULL;
    *n_bytes = bytes == NULL ? 0 : (size_t)size;
    return bytes;
}

void hdf5_image_close(hdf5_image *image)
{
    if (image->file >= 0) {
        H5Fclose(image->file);
        image->file = -1;
    }
}

hid_t hdf5_group_create(hid_t parent, const char *name)
{
    hid_t list = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    if (list >= 0 && H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED) >= 0 &&
        H5Pset_link_phase_change(list, MAX_COMPACT, MAX_COMPACT / 2) >= 0 &&
        H5Pset_attr_phase_change(list, MAX_COMPACT, MAX_COMPACT / 2) >= 0) {
        group = H5Gcreate2(parent, name, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    H5Pclose(list);
    return group;
}

/* -------------------------------------------------------------------------------------------------- writing */

static bool put_attribute(hid_t object, const char *name, hid_t type, hid_t space, const void *value)
{
    htri_t exists = H5Aexists(object, name);
    if (exists < 0 || (exists > 0 && H5Adelete(object, name) < 0)) {
        return false;
    }
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) {
        fine = H5Aclose(attribute) >= 0 && fine;
    }
    return fine;
}

static bool put_scalar(hid_t object, const char *name, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    bool fine = space >= 0 && put_attribute(object, name, type, space, value);
    H5Sclose(space);
    return fine;
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

bool hdf5_put_text(hid_t object, const char *name, const char *text)
{
    hid_t type = text_type();
    bool fine = type >= 0 && put_scalar(object, name, type, &text);
    H5Tclose(type);
    return fine;
}

bool hdf5_put_fixed_text(hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    bool fine = type >= 0 && H5Tset_size(type, strlen(text)) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                put_scalar(object, name, type, text);
    H5Tclose(type);
    return fine;
}

bool hdf5_put_count(hid_t object, const char *name, uint64_t value)
{
    return put_scalar(object, name, H5T_NATIVE_UINT64, &value);
}

bool hdf5_put_real(hid_t object, const char *name, double value)
{
    return put_scalar(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool hdf5_put_numbers(hid_t object, const char *name, hid_t type, size_t n, const void *values)
{
    hsize_t dims[1] = {n};
    hid_t space = H5Screate_simple(1, dims, NULL);
    bool fine = space >= 0 && put_attribute(object, name, type, space, values);
    H5Sclose(space);
    return fine;
}

bool hdf5_put_text_dataset(hid_t parent, const char *name, const char *text)
{
    hid_t type = text_type();
    hid_t dataset = type < 0 ? -1 : hdf5_put_array(parent, name, type, 0, NULL, &text, false);
    H5Tclose(type);
    return dataset >= 0 && H5Dclose(dataset) >= 0;
}

/** Chunks of about CHUNK_BYTES: whole rows of the last dimensions as far as they fit. */
static void choose_chunk(unsigned rank, const hsize_t *dims, size_t element, hsize_t *chunk)
{
    hsize_t room = CHUNK_BYTES / element;
    for (unsigned k = rank; k-- > 0;) {
        chunk[k] = dims[k] < room ? dims[k] : room;
        chunk[k] = chunk[k] > 0 ? chunk[k] : 1;
        room = room / chunk[k] > 0 ? room / chunk[k] : 1;
    }
}

static bool choose_layout(hid_t list, unsigned rank, const hsize_t *dims, size_t element, hsize_t n, bool deflate)
{
    if (n > 0 && n * element <= SMALL_BYTES) {
        return H5Pset_layout(list, H5D_COMPACT) >= 0;
    }
    if (!deflate || rank == 0 || n == 0) {
        return true;
    }
    hsize_t chunk[MAX_RANK];
    choose_chunk(rank, dims, element, chunk);
    return H5Pset_chunk(list, (int)rank, chunk) >= 0 && H5Pset_shuffle(list) >= 0 &&
           H5Pset_deflate(list, DEFLATE_LEVEL) >= 0;
}

hid_t hdf5_put_array(hid_t parent, const char *name, hid_t type, unsigned rank, const hsize_t *dims, const void *data,
                     bool deflate)
{
    hsize_t n = 1;
    for (unsigned k = 0; k < rank; k++) {
        n *= dims[k];
    }
    hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple((int)rank, dims, NULL);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), dataset = -1;
    if (space >= 0 && list >= 0 && rank <= MAX_RANK && H5Pset_obj_track_times(list, false) >= 0 &&
        choose_layout(list, rank, dims, H5Tget_size(type), n, deflate)) {
        dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    }
    if (dataset >= 0 && n > 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        H5Dclose(dataset);
        dataset = -1;
    }
    H5Pclose(list);
    H5Sclose(space);
    return dataset;
}

/* -------------------------------------------------------------------------------------------------- reading */

static bool is_scalar_of(hid_t space, hid_t type, H5T_class_t wanted)
{
    return H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == wanted;
}

static bool get_scalar(hid_t object, const char *name, H5T_class_t wanted, hid_t memory_type, void *value)
{
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool fine = attribute >= 0 && space >= 0 && type >= 0 && is_scalar_of(space, type, wanted) &&
                (wanted != H5T_STRING || H5Tis_variable_str(type) > 0) && H5Aread(attribute, memory_type, value) >= 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Aclose(attribute);
    return fine;
}

bool hdf5_get_text(hid_t object, const char *name, char *text, size_t size)
{
    hid_t type = text_type();
    char *found = NULL;
    bool fine = get_scalar(object, name, H5T_STRING, type, &found);
    H5Tclose(type);
    if (!fine) {
        return false;
    }
    size_t length = found == NULL ? 0 : strlen(found);
    fine = length < size;
    if (fine && length > 0) {
        memcpy(text, found, length);
    }
    if (fine) {
        text[length] = '\0';
    }
    H5free_memory(found);
    return fine;
}

bool hdf5_get_count(hid_t object, const char *name, uint64_t *value)
{
    return get_scalar(object, name, H5T_INTEGER, H5T_NATIVE_UINT64, value);
}

bool hdf5_get_real(hid_t object, const char *name, double *value)
{
    return get_scalar(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, value);
}

bool hdf5_has(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

/** Open a dataset and its space. False, with nothing open, when it is not there. */
static bool open_dataset(hid_t parent, const char *name, hid_t *dataset, hid_t *space)
{
    *dataset = hdf5_has(parent, name) ? H5Dopen2(parent, name, H5P_DEFAULT) : -1;
    if (*dataset < 0) {
        return false;
    }
    *space = H5Dget_space(*dataset);
    if (*space < 0) {
        H5Dclose(*dataset);
        return false;
    }
    return true;
}

bool hdf5_get_text_dataset(hid_t parent, const char *name, char **text)
{
    hid_t dataset, space;
    *text = NULL;
    if (!open_dataset(parent, name, &dataset, &space)) {
        return false;
    }
    hid_t stored = H5Dget_type(dataset), type = text_type();
    char *found = NULL;
    bool fine = stored >= 0 && type >= 0 && is_scalar_of(space, stored, H5T_STRING) && H5Tis_variable_str(stored) > 0 &&
                H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) >= 0;
    if (fine) {
        *text = strdup(found == NULL ? "" : found);
        H5free_memory(found);
    }
    H5Tclose(type);
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(dataset);
    return *text != NULL;
}

bool hdf5_get_shape(hid_t parent, const char *name, unsigned max_rank, unsigned *rank, hsize_t *dims)
{
    hid_t dataset, space;
    if (!open_dataset(parent, name, &dataset, &space)) {
        return false;
    }
    int found = H5Sget_simple_extent_ndims(space);
    bool fine = found >= 0 && (unsigned)found <= max_rank &&
                (found == 0 || H5Sget_simple_extent_dims(space, dims, NULL) == found);
    *rank = fine ? (unsigned)found : 0;
    H5Sclose(space);
    H5Dclose(dataset);
    return fine;
}

bool hdf5_get_array(hid_t parent, const char *name, hid_t type, size_t n, void *data)
{
    hid_t dataset, space;
    if (!open_dataset(parent, name, &dataset, &space)) {
        return false;
    }
    hssize_t found = H5Sget_simple_extent_npoints(space);
    bool fine = found >= 0 && (size_t)found == n &&
                (n == 0 || H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return fine;
}
