/** Positions of molecules for programs that draw them: see chem_export.h. Format: docs/formats/chem_positions.md. */
#include "io/chem_export.h"

#include "core/context.h"
#include "core/text.h"
#include "engine/hdf5.h"
#include "engine/result.h"
#include "model/chem/chem_positions.h"
#include "model/chem/chem_yaml.h"

#include <stdlib.h>
#include <string.h>

/* Digests of what the named files hold, at the end of the normalised text: not their names, which may be others by now. */
static const char *contents_of(const char *text)
{
    const char *at = strstr(text, CHEM_YAML_DIGESTS);
    return at == NULL ? "" : at;
}

/* The first history again, of the molecules that the run had. */
static crp_status replay(crp_context *context, const crp_model *model, const crp_result *result, chem_frames **frames)
{
    CRP_CHECK(context, strcmp(contents_of(model->normalised), contents_of(result->model_text)) == 0, CRP_ERR_CONFIG,
              "%s: its molecules, pulse or set are not those of the run any more (a file has changed since, or the program), so "
              "that these would not be the positions that were counted: run again, and export that result", model->name);
    return chem_frames_replay(context, model, result->seed, 0, frames);
}

/* ------------------------------------------------------------------------------------------------------- xyz */

static void write_frame(FILE *file, const chem_set *set, const chem_frame *frame)
{
    static const double angstrom = 10.0; /* a nm */
    fprintf(file, "%zu\ntime_ps=%.17g unit=Angstrom\n", frame->n, frame->time);
    for (size_t i = 0; i < frame->n; i++) {
        const chem_particle *a = &frame->molecules[i];
        fprintf(file, "%s %.6f %.6f %.6f\n", set->species[a->species].name, angstrom * a->x, angstrom * a->y, angstrom * a->z);
    }
}

static crp_status form_xyz(crp_context *context, const crp_model *model, const crp_result *result,
                           const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    const chem_model *m = model->data;
    chem_frames *frames = NULL;
    text_buffer text;
    (void)options;
    (void)path;
    CRP_TRY(replay(context, model, result, &frames));
    crp_status status = text_open(context, &text);
    for (size_t i = 0; status == CRP_OK && i < frames->n; i++) {
        write_frame(text.file, &m->set, &frames->frames[i]);
    }
    chem_frames_destroy(&frames);
    CRP_TRY(status);
    CRP_TRY(text_close(context, &text, CRP_OK));
    *bytes = text.bytes;
    *n_bytes = text.n_bytes;
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------------- vtkhdf */

static bool put(hid_t group, const char *name, hid_t type, size_t n, size_t width, const void *data)
{
    const hsize_t dims[2] = {n, width};
    hid_t dataset = hdf5_put_array(group, name, type, width > 1 ? 2 : 1, dims, data, n > 1000);
    H5Dclose(dataset);
    return dataset >= 0;
}

/* All frames one behind the other. */
typedef struct flat {
    size_t n_frames, n;
    float *points;
    int64_t *ids, *species, *corners, *offsets;
    int64_t *counts, *cell_counts, *starts, *zeros, *ones, *parts, *cell_starts, *corner_starts;
    double *times;
} flat;

static void flat_clear(flat *f)
{
    void *all[] = {f->points, f->ids,  f->species, f->corners, f->offsets,     f->counts,        f->cell_counts,
                   f->starts, f->zeros, f->ones,   f->parts,   f->cell_starts, f->corner_starts, f->times};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static bool flat_allocate(flat *f, const chem_frames *frames)
{
    size_t k = frames->n;
    f->n_frames = k;
    for (size_t i = 0; i < k; i++) {
        f->n += frames->frames[i].n;
    }
    f->points = calloc(3 * f->n + 1, sizeof *f->points);
    f->ids = calloc(f->n + 1, sizeof *f->ids);
    f->species = calloc(f->n + 1, sizeof *f->species);
    f->corners = calloc(f->n + 1, sizeof *f->corners);
    f->offsets = calloc(f->n + k + 1, sizeof *f->offsets);
    f->counts = calloc(k + 1, sizeof *f->counts);
    f->starts = calloc(k + 1, sizeof *f->starts);
    f->zeros = calloc(k + 1, sizeof *f->zeros);
    f->ones = calloc(k + 1, sizeof *f->ones);
    f->parts = calloc(k + 1, sizeof *f->parts);
    f->cell_counts = calloc(k + 1, sizeof *f->cell_counts);
    f->cell_starts = calloc(4 * k + 1, sizeof *f->cell_starts);
    f->corner_starts = calloc(4 * k + 1, sizeof *f->corner_starts);
    f->times = calloc(k + 1, sizeof *f->times);
    return f->points != NULL && f->ids != NULL && f->species != NULL && f->corners != NULL && f->offsets != NULL &&
           f->counts != NULL && f->starts != NULL && f->zeros != NULL && f->ones != NULL && f->parts != NULL &&
           f->cell_counts != NULL && f->cell_starts != NULL && f->corner_starts != NULL && f->times != NULL;
}

/* Every molecule is a vertex cell of its own. */
static void flat_fill(flat *f, const chem_frames *frames)
{
    size_t at = 0, at_offset = 0;
    for (size_t i = 0; i < frames->n; i++) {
        const chem_frame *frame = &frames->frames[i];
        f->times[i] = frame->time;
        f->counts[i] = f->cell_counts[i] = (int64_t)frame->n;
        f->starts[i] = f->cell_starts[4 * i] = f->corner_starts[4 * i] = (int64_t)at;
        f->parts[i] = (int64_t)i;
        f->ones[i] = 1;
        f->offsets[at_offset++] = 0;
        for (size_t k = 0; k < frame->n; k++, at++) {
            const chem_particle *a = &frame->molecules[k];
            f->points[3 * at] = (float)a->x;
            f->points[3 * at + 1] = (float)a->y;
            f->points[3 * at + 2] = (float)a->z;
            f->ids[at] = a->id;
            f->species[at] = a->species;
            f->corners[at] = (int64_t)k;
            f->offsets[at_offset++] = (int64_t)k + 1;
        }
    }
}

/* One of the four kinds of cells; all but the vertices are empty. */
static bool put_cells(hid_t root, const char *name, const flat *f, bool is_full)
{
    hid_t group = H5Gcreate2(root, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const int64_t *counts = is_full ? f->cell_counts : f->zeros;
    bool is_fine = group >= 0 && put(group, "NumberOfCells", H5T_NATIVE_INT64, f->n_frames, 1, counts) &&
                   put(group, "NumberOfConnectivityIds", H5T_NATIVE_INT64, f->n_frames, 1, counts) &&
                   put(group, "Connectivity", H5T_NATIVE_INT64, is_full ? f->n : 0, 1, f->corners) &&
                   put(group, "Offsets", H5T_NATIVE_INT64, is_full ? f->n + f->n_frames : f->n_frames, 1,
                       is_full ? f->offsets : f->zeros);
    H5Gclose(group);
    return is_fine;
}

static bool put_steps(hid_t root, const flat *f)
{
    hid_t steps = H5Gcreate2(root, "Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = steps < 0 ? -1 : H5Gcreate2(steps, "PointDataOffsets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int64_t n = (int64_t)f->n_frames;
    bool is_fine = data >= 0 && hdf5_put_numbers(steps, "NSteps", H5T_NATIVE_INT64, 1, &n) &&
                   put(steps, "Values", H5T_NATIVE_DOUBLE, f->n_frames, 1, f->times) &&
                   put(steps, "PartOffsets", H5T_NATIVE_INT64, f->n_frames, 1, f->parts) &&
                   put(steps, "NumberOfParts", H5T_NATIVE_INT64, f->n_frames, 1, f->ones) &&
                   put(steps, "PointOffsets", H5T_NATIVE_INT64, f->n_frames, 1, f->starts) &&
                   put(steps, "CellOffsets", H5T_NATIVE_INT64, f->n_frames, 4, f->cell_starts) &&
                   put(steps, "ConnectivityIdOffsets", H5T_NATIVE_INT64, f->n_frames, 4, f->corner_starts) &&
                   put(data, "id", H5T_NATIVE_INT64, f->n_frames, 1, f->starts) &&
                   put(data, "species", H5T_NATIVE_INT64, f->n_frames, 1, f->starts);
    H5Gclose(data);
    H5Gclose(steps);
    return is_fine;
}

static bool put_all(hid_t file, const flat *f)
{
    static const int64_t version[2] = {2, 1};
    hid_t root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = root < 0 ? -1 : H5Gcreate2(root, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool is_fine = data >= 0 && hdf5_put_numbers(root, "Version", H5T_NATIVE_INT64, 2, version) &&
                   hdf5_put_fixed_text(root, "Type", "PolyData") &&
                   put(root, "NumberOfPoints", H5T_NATIVE_INT64, f->n_frames, 1, f->counts) &&
                   put(root, "Points", H5T_NATIVE_FLOAT, f->n, 3, f->points) &&
                   put(data, "id", H5T_NATIVE_INT64, f->n, 1, f->ids) &&
                   put(data, "species", H5T_NATIVE_INT64, f->n, 1, f->species) && put_cells(root, "Vertices", f, true) &&
                   put_cells(root, "Lines", f, false) && put_cells(root, "Polygons", f, false) &&
                   put_cells(root, "Strips", f, false) && put_steps(root, f);
    H5Gclose(data);
    H5Gclose(root);
    return is_fine;
}

static crp_status form_vtkhdf(crp_context *context, const crp_model *model, const crp_result *result,
                              const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    chem_frames *frames = NULL;
    flat f = {0};
    hdf5_image image;
    (void)options;
    (void)path;
    *bytes = NULL;
    CRP_TRY(replay(context, model, result, &frames));
    bool is_there = flat_allocate(&f, frames);
    if (is_there) {
        flat_fill(&f, frames);
        hdf5_lock();
        if (hdf5_image_create_plain(&image)) {
            if (put_all(image.file, &f)) {
                *bytes = hdf5_image_take(&image, 0, n_bytes);
            } else {
                hdf5_image_close(&image);
            }
        }
        hdf5_unlock();
    }
    chem_frames_destroy(&frames);
    flat_clear(&f);
    CRP_CHECK(context, *bytes != NULL, CRP_ERR_MEMORY, "no memory for the VTKHDF file");
    return CRP_OK;
}

const module_export chem_exports[] = {
    {.format = "xyz", .endings = {".xyz"}, .form = form_xyz, .check = chem_frames_check},
    {.format = "vtkhdf", .endings = {".vtkhdf"}, .is_binary = true, .form = form_vtkhdf, .check = chem_frames_check},
    {.format = NULL},
};
