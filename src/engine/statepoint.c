/**
 * The result file as a whole: an HDF5 image, and behind it one line with its length and checksum.
 *
 * HDF5 ignores what follows its own end of file, so every reader opens the file as it is. We check the line before the
 * library sees a byte: a truncated or damaged file can then neither crash the library nor pass for a result.
 */
#include "engine/statepoint.h"

#include "core/context.h"
#include "core/file.h"
#include "engine/statepoint_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { END_BYTES = 64, IMAGE_MIN_BYTES = 96 };
static const char end_format[] = "\ncorpuscle-end %016" PRIx64 " %016" PRIx64;

/* ------------------------------------------------------------------------------------------------- checksum */

/** A change of any one word changes the sum for certain (each step is a bijection), anything else with 1 - 2^-64. */
static uint64_t checksum(const unsigned char *bytes, size_t n)
{
    uint64_t sum = UINT64_C(0x9e3779b97f4a7c15) ^ n;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < n; k++) {
            word |= (uint64_t)bytes[i + k] << (8 * k);
        }
        sum = (sum ^ word) * UINT64_C(0x9fb21c651e98df25);
        sum ^= sum >> 32;
    }
    return sum;
}

/** The last line, END_BYTES long: blanks fill it up. */
static void make_end(const void *bytes, size_t n, char end[END_BYTES])
{
    char line[END_BYTES + 1];
    int length = snprintf(line, sizeof line, end_format, (uint64_t)n, checksum(bytes, n));
    memset(end, ' ', END_BYTES);
    memcpy(end, line, (size_t)length);
    end[END_BYTES - 1] = '\n';
}

static crp_status check_end(crp_context *context, const char *path, const unsigned char *bytes, size_t n_file)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    CRP_CHECK(context, n_file >= sizeof signature && memcmp(bytes, signature, sizeof signature) == 0, CRP_ERR_FORMAT,
              "%s: not a result file (it is not HDF5): name the .h5 that `corpuscle run` wrote", path);
    CRP_CHECK(context,
              n_file >= IMAGE_MIN_BYTES + END_BYTES &&
                  memcmp(bytes + n_file - END_BYTES, end_format, sizeof "\ncorpuscle-end" - 1) == 0,
              CRP_ERR_FORMAT,
              "%s: not a whole result file (the last line of one is missing: it was cut short, changed by another "
              "program, or never was one): restore it or run again",
              path);
    char end[END_BYTES];
    make_end(bytes, n_file - END_BYTES, end);
    CRP_CHECK(context, memcmp(end, bytes + n_file - END_BYTES, END_BYTES) == 0, CRP_ERR_FORMAT,
              "%s: damaged (its checksum differs from its contents): restore it or run again", path);
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- reading */

static bool has_run(hid_t file, uint32_t group)
{
    char name[32];
    snprintf(name, sizeof name, STATEPOINT_GROUP_FORMAT, group);
    return hdf5_has(file, name);
}

static crp_status check_root(crp_context *context, const char *path, hid_t file)
{
    char filetype[32] = "";
    uint64_t version = 0;
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    bool fine = root >= 0 && hdf5_get_text(root, "filetype", filetype, sizeof filetype) &&
                strcmp(filetype, STATEPOINT_FILETYPE) == 0 && hdf5_get_count(root, "format_version", &version);
    H5Gclose(root);
    CRP_CHECK(context, fine, CRP_ERR_FORMAT, "%s: not a result file of Corpuscle (no attribute filetype = \"%s\")",
              path, STATEPOINT_FILETYPE);
    CRP_CHECK(context, version == STATEPOINT_FORMAT_VERSION, CRP_ERR_FORMAT,
              "%s: written in format version %" PRIu64 " (this program reads %d): use the version that wrote it", path,
              version, STATEPOINT_FORMAT_VERSION);
    return CRP_OK;
}

/** Runs are numbered from 1 without gaps. */
static uint32_t count_runs(hid_t file)
{
    uint32_t n = 0;
    while (has_run(file, n + 1)) {
        n++;
    }
    return n;
}

/** Load and verify a file, without its last line. */
static crp_status load(crp_context *context, const char *path, void **bytes, size_t *n_bytes)
{
    size_t n_file = 0;
    CRP_TRY(file_read(context, path, bytes, &n_file));
    crp_status status = check_end(context, path, *bytes, n_file);
    *n_bytes = status == CRP_OK ? n_file - END_BYTES : 0;
    if (status != CRP_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

/** Open a verified image for reading. Inside the lock. */
static crp_status open_image(crp_context *context, const char *path, const void *bytes, size_t n_bytes,
                             hdf5_image *image)
{
    CRP_CHECK(context, hdf5_image_open(image, bytes, n_bytes, false), CRP_ERR_FORMAT,
              "%s: the HDF5 library cannot open it", path);
    crp_status status = check_root(context, path, image->file);
    if (status != CRP_OK) {
        hdf5_image_close(image);
    }
    return status;
}

struct statepoint_file {
    char *path;
    hdf5_image image;
};

void statepoint_close(statepoint_file **file)
{
    if (file == NULL || *file == NULL) {
        return;
    }
    hdf5_lock();
    hdf5_image_close(&(*file)->image);
    hdf5_unlock();
    free((*file)->path);
    free(*file);
    *file = NULL;
}

crp_status statepoint_open(crp_context *context, const char *path, statepoint_file **file, uint32_t *n_groups)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    *file = NULL;
    CRP_TRY(load(context, path, &bytes, &n_bytes));
    statepoint_file *f = calloc(1, sizeof *f);
    if (f == NULL || (f->path = strdup(path)) == NULL) {
        free(f);
        free(bytes);
        return context_fail(context, CRP_ERR_MEMORY, "%s: not enough memory", path);
    }
    hdf5_lock();
    crp_status status = open_image(context, path, bytes, n_bytes, &f->image);
    if (status == CRP_OK && n_groups != NULL) {
        *n_groups = count_runs(f->image.file);
    }
    hdf5_unlock();
    free(bytes);
    *file = f;
    if (status != CRP_OK) {
        statepoint_close(file);
    }
    return status;
}

crp_status statepoint_file_read(crp_context *context, statepoint_file *file, uint32_t group, crp_result **result)
{
    hdf5_lock();
    crp_status status = statepoint_get_run(context, file->path, file->image.file, group, result);
    hdf5_unlock();
    return status;
}

crp_status statepoint_read(crp_context *context, const char *path, uint32_t group, crp_result **result)
{
    statepoint_file *file = NULL;
    *result = NULL;
    CRP_TRY(statepoint_open(context, path, &file, NULL));
    crp_status status = statepoint_file_read(context, file, group, result);
    statepoint_close(&file);
    return status;
}

crp_status statepoint_probe(crp_context *context, const char *path)
{
    return file_probe(context, path);
}

/* -------------------------------------------------------------------------------------------------- writing */

/**
 * The image that holds the runs before the one in hand. It is the same at every statepoint of that run, so it is kept:
 * forming it from the file would mean to rewrite all earlier runs once a second. Used only while the file on disk is
 * the one that we wrote last. Inside the lock.
 */
static struct base {
    char *path;
    uint32_t group;
    void *bytes;
    size_t n_bytes;
    dev_t device; /* identity of the file as we left it */
    ino_t inode;
    struct timespec changed;
} base;

static void base_forget(void)
{
    free(base.path);
    free(base.bytes);
    memset(&base, 0, sizeof base);
}

static bool base_is_for(const char *path, uint32_t group)
{
    struct stat info;
    return base.path != NULL && base.group == group && strcmp(base.path, path) == 0 && stat(path, &info) == 0 &&
           info.st_dev == base.device && info.st_ino == base.inode && info.st_mtim.tv_sec == base.changed.tv_sec &&
           info.st_mtim.tv_nsec == base.changed.tv_nsec;
}

static void base_mark(const char *path)
{
    struct stat info;
    if (base.path == NULL || strcmp(base.path, path) != 0 || stat(path, &info) != 0) {
        base_forget();
        return;
    }
    base.device = info.st_dev;
    base.inode = info.st_ino;
    base.changed = info.st_mtim;
}

static crp_status library_failed(crp_context *context, const char *path)
{
    return context_fail(context, CRP_ERR_MEMORY,
                        "%s: cannot be formed in memory by the HDF5 library (most likely there is too little of it)",
                        path);
}

/** Take the image out of a file and close it. */
static crp_status take(crp_context *context, const char *path, hdf5_image *image, void **bytes, size_t *n_bytes)
{
    *bytes = hdf5_image_take(image, END_BYTES, n_bytes);
    return *bytes == NULL ? library_failed(context, path) : CRP_OK;
}

/** Copy runs 1 to n of `old` into a new image: reading and writing them, for H5Ocopy breaks dimension scales. */
static crp_status rewrite_runs(crp_context *context, const char *path, hid_t old, uint32_t n, void **bytes,
                               size_t *n_bytes)
{
    hdf5_image image;
    if (!hdf5_image_create(&image)) {
        return library_failed(context, path);
    }
    crp_status status = CRP_OK;
    for (uint32_t k = 1; k <= n && status == CRP_OK; k++) {
        crp_result *result = NULL;
        status = statepoint_get_run(context, path, old, k, &result);
        if (status == CRP_OK && !statepoint_put_run(image.file, k, result)) {
            status = library_failed(context, path);
        }
        crp_result_destroy(&result);
    }
    if (status != CRP_OK) {
        hdf5_image_close(&image);
        return status;
    }
    return take(context, path, &image, bytes, n_bytes);
}

/** Make `base` the image of the runs before `group` in the file at `path`. */
static crp_status base_make(crp_context *context, const char *path, uint32_t group)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    hdf5_image image;
    base_forget();
    CRP_TRY(load(context, path, &bytes, &n_bytes));
    crp_status status = open_image(context, path, bytes, n_bytes, &image);
    if (status == CRP_OK) {
        uint32_t n = count_runs(image.file);
        if (n < group - 1) {
            status = context_fail(context, CRP_ERR_FORMAT, "%s: holds %u runs, so that run %u cannot follow", path, n,
                                  group);
        } else if (n >= group) {
            free(bytes);
            bytes = NULL;
            status = rewrite_runs(context, path, image.file, group - 1, &bytes, &n_bytes);
        }
        hdf5_image_close(&image);
    }
    if (status == CRP_OK) {
        base.path = strdup(path);
        base.group = group;
        base.bytes = bytes;
        base.n_bytes = n_bytes;
        return base.path == NULL ? context_fail(context, CRP_ERR_MEMORY, "%s: not enough memory", path) : CRP_OK;
    }
    free(bytes);
    return status;
}

/** An open file in memory to which run `group` is to be added. */
static crp_status open_base(crp_context *context, const char *path, uint32_t group, hdf5_image *image)
{
    bool fine;
    if (group == 1) {
        base_forget();
        fine = hdf5_image_create(image);
    } else {
        if (!base_is_for(path, group)) {
            CRP_TRY(base_make(context, path, group));
        }
        fine = hdf5_image_open(image, base.bytes, base.n_bytes, true);
    }
    return fine ? CRP_OK : library_failed(context, path);
}

static crp_status form_file(crp_context *context, const char *path, uint32_t group, const crp_result *const *results,
                            uint32_t n, void **bytes, size_t *n_bytes)
{
    hdf5_image image;
    CRP_TRY(open_base(context, path, group, &image));
    for (uint32_t k = 0; k < n; k++) {
        if (!statepoint_put_run(image.file, group + k, results[k])) {
            hdf5_image_close(&image);
            return library_failed(context, path);
        }
    }
    CRP_TRY(take(context, path, &image, bytes, n_bytes));
    make_end(*bytes, *n_bytes, (char *)*bytes + *n_bytes);
    *n_bytes += END_BYTES;
    return CRP_OK;
}

crp_status statepoint_write_many(crp_context *context, const char *path, uint32_t group,
                                 const crp_result *const *results, uint32_t n)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    CRP_CHECK(context, group >= 1, CRP_ERR_ARG, "%s: runs are numbered from 1", path);
    hdf5_lock();
    crp_status status = form_file(context, path, group, results, n, &bytes, &n_bytes);
    if (status == CRP_OK) {
        status = file_replace(context, path, bytes, n_bytes);
        if (status == CRP_OK && group > 1) {
            base_mark(path);
        }
    }
    hdf5_unlock();
    free(bytes);
    return status;
}

crp_status statepoint_write(crp_context *context, const char *path, uint32_t group, const crp_result *result)
{
    return statepoint_write_many(context, path, group, &result, 1);
}
