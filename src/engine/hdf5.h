/**
 * Small pieces over the HDF5 library: files as images in memory, attributes, arrays.
 *
 * Files are built and parsed in memory and written by core/file.h: the library's own writer loses the system's reason
 * when a disk is full and cannot even close the file then. All calls belong between hdf5_lock and hdf5_unlock.
 */
#ifndef ENGINE_HDF5_H
#define ENGINE_HDF5_H

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The library is not re-entrant: one lock for the process. Also silences its printing of errors. */
void hdf5_lock(void);
void hdf5_unlock(void);

/** A file in memory. `file` is open between create or open and take or close; closing it closes all that is in it. */
typedef struct hdf5_image {
    hid_t file;
    void *bytes; /* set when the file is closed to be kept */
    bool is_kept;
} hdf5_image;

/** A new file, in the format of HDF5 1.8. The struct must stay where it is until take or close. False on failure. */
bool hdf5_image_create(hdf5_image *image);

/** The same in the oldest format, for readers that expect it. */
bool hdf5_image_create_plain(hdf5_image *image);

/** Open a copy of `n_bytes`. False when it is not HDF5. */
bool hdf5_image_open(hdf5_image *image, const void *bytes, size_t n_bytes, bool is_writable);

/** Close and give the bytes away, with `spare` more allocated behind them. NULL on failure; free with free(). */
void *hdf5_image_take(hdf5_image *image, size_t spare, size_t *n_bytes);

/** Close and forget. */
void hdf5_image_close(hdf5_image *image);

/** A group whose links and attributes are stored compactly and keep their order. Negative on failure. */
hid_t hdf5_group_create(hid_t parent, const char *name);

/* Writers return false on failure. Attributes of the same name are replaced. Texts are UTF-8 of variable length. */
bool hdf5_put_text(hid_t object, const char *name, const char *text);
bool hdf5_put_count(hid_t object, const char *name, uint64_t value);
bool hdf5_put_real(hid_t object, const char *name, double value);
/** Attribute of n numbers (n > 0) of a native HDF5 type. */
bool hdf5_put_numbers(hid_t object, const char *name, hid_t type, size_t n, const void *values);
/** Attribute with a text of fixed length in ASCII, as VTK wants it. */
bool hdf5_put_fixed_text(hid_t object, const char *name, const char *text);
/** Dataset with one text. */
bool hdf5_put_text_dataset(hid_t parent, const char *name, const char *text);

/**
 * Dataset of `type` (in memory and in the file), shape (dims[0], ..., dims[rank - 1]), C order; rank 0: scalar.
 * Small ones are stored with their header, big ones plainly, or deflated and shuffled where `deflate` says so.
 * Returns the open dataset, negative on failure.
 */
hid_t hdf5_put_array(hid_t parent, const char *name, hid_t type, unsigned rank, const hsize_t *dims, const void *data,
                     bool deflate);

/* Readers return false when the item is absent or of another kind. */
/** Copy a text attribute into `text`; false if it does not fit into `size` bytes. */
bool hdf5_get_text(hid_t object, const char *name, char *text, size_t size);
bool hdf5_get_count(hid_t object, const char *name, uint64_t *value);
bool hdf5_get_real(hid_t object, const char *name, double *value);
/** Text of a dataset; free with free(). */
bool hdf5_get_text_dataset(hid_t parent, const char *name, char **text);
/** Rank and dimensions of a dataset; false when it has more than `max_rank`. */
bool hdf5_get_shape(hid_t parent, const char *name, unsigned max_rank, unsigned *rank, hsize_t *dims);
/** Read a dataset that must have exactly n elements as `type`. */
bool hdf5_get_array(hid_t parent, const char *name, hid_t type, size_t n, void *data);
bool hdf5_has(hid_t parent, const char *name);

#endif
