/** Maps as VTKHDF image data: see export_vtkhdf.h. */
#include "io/export_vtkhdf.h"

#include "core/context.h"
#include "engine/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The image: axis 0 of a tally is x, axis 1 is y, axis 2 is z (one cell thick where there is none). */
typedef struct grid {
    unsigned n_dims;
    size_t n[3]; /* cells inside the grid */
    double origin[3], spacing[3];
} grid;

/** Reason why a tally is no map on an even grid, or NULL and the grid. */
static const char *find_grid(const tally_spec *t, grid *g)
{
    if (t->n_dims < 2 || t->n_dims > 3) {
        return "it has not two or three axes";
    }
    *g = (grid){t->n_dims, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
    for (unsigned k = 0; k < t->n_dims; k++) {
        const double *edges = t->axis_edges[k];
        size_t n = t->shape[k];
        if (edges == NULL) {
            return "an axis only counts";
        }
        if (isinf(edges[n])) {
            n--;
        }
        double step = n > 0 ? (edges[n] - edges[0]) / (double)n : 0;
        for (size_t i = 0; i < n; i++) {
            if (!(fabs(edges[i + 1] - edges[i] - step) <= 1e-6 * step)) {
                return "its bins differ in size";
            }
        }
        if (!(step > 0)) {
            return "it has no bins inside the grid";
        }
        g->n[k] = n;
        g->origin[k] = edges[0];
        g->spacing[k] = step;
    }
    if (t->n_dims == 2) {
        g->spacing[2] = g->spacing[0] < g->spacing[1] ? g->spacing[0] : g->spacing[1];
    }
    return NULL;
}

static bool is_same_grid(const grid *a, const grid *b)
{
    for (unsigned k = 0; k < 3; k++) {
        if (a->n[k] != b->n[k] || a->origin[k] != b->origin[k] || a->spacing[k] != b->spacing[k]) {
            return false;
        }
    }
    return a->n_dims == b->n_dims;
}

/** VTK wants x fastest, we keep the last axis fastest. */
static bool put_cells(hid_t group, const char *name, const crp_result *result, size_t tally, const grid *g,
                      double (*value)(const crp_result *result, size_t tally, size_t bin))
{
    const tally_spec *t = &result->tallies[tally];
    double *data = malloc(g->n[0] * g->n[1] * g->n[2] * sizeof *data);
    if (data == NULL) {
        return false;
    }
    size_t stride[3] = {0, 0, 0}, cell = 0;
    stride[t->n_dims - 1] = 1;
    for (unsigned k = t->n_dims - 1; k-- > 0;) {
        stride[k] = stride[k + 1] * t->shape[k + 1];
    }
    for (size_t z = 0; z < g->n[2]; z++) {
        for (size_t y = 0; y < g->n[1]; y++) {
            for (size_t x = 0; x < g->n[0]; x++) {
                data[cell++] = value(result, tally, t->offset + x * stride[0] + y * stride[1] + z * stride[2]);
            }
        }
    }
    hsize_t dims[3] = {g->n[2], g->n[1], g->n[0]};
    hid_t dataset = hdf5_put_array(group, name, H5T_NATIVE_DOUBLE, 3, dims, data, false);
    free(data);
    bool fine = dataset >= 0 && hdf5_put_text(dataset, "unit", t->unit);
    H5Dclose(dataset);
    return fine;
}

static bool put_map(hid_t cells, const crp_result *result, size_t tally, const grid *g)
{
    char name[64];
    const char *map = result->tallies[tally].name;
    snprintf(name, sizeof name, "%s_std_dev", map);
    return put_cells(cells, map, result, tally, g, result_bin_mean) &&
           (result->batches < 2 || put_cells(cells, name, result, tally, g, result_bin_std_dev));
}

static bool put_image(hid_t file, const crp_result *result, const char *tally, const grid *g)
{
    static const double direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int64_t version[2] = {1, 0};
    const int64_t extent[6] = {0, (int64_t)g->n[0], 0, (int64_t)g->n[1], 0, (int64_t)g->n[2]};
    hid_t root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t cells = root < 0 ? -1 : H5Gcreate2(root, "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = cells >= 0 && hdf5_put_numbers(root, "Version", H5T_NATIVE_INT64, 2, version) &&
                hdf5_put_fixed_text(root, "Type", "ImageData") &&
                hdf5_put_numbers(root, "WholeExtent", H5T_NATIVE_INT64, 6, extent) &&
                hdf5_put_numbers(root, "Origin", H5T_NATIVE_DOUBLE, 3, g->origin) &&
                hdf5_put_numbers(root, "Spacing", H5T_NATIVE_DOUBLE, 3, g->spacing) &&
                hdf5_put_numbers(root, "Direction", H5T_NATIVE_DOUBLE, 9, direction);
    for (size_t i = 0; fine && i < result->n_tallies; i++) {
        grid other;
        bool is_wanted = tally != NULL ? strcmp(result->tallies[i].name, tally) == 0
                                       : find_grid(&result->tallies[i], &other) == NULL && is_same_grid(&other, g);
        fine = !is_wanted || put_map(cells, result, i, g);
    }
    H5Gclose(cells);
    H5Gclose(root);
    return fine;
}

static crp_status choose_grid(crp_context *context, const crp_result *result, const char *tally, grid *g)
{
    if (tally != NULL) {
        ptrdiff_t i = result_find(result, tally);
        CRP_CHECK(context, i >= 0, CRP_ERR_ARG, "no tally `%s` in this result", tally);
        const char *reason = find_grid(&result->tallies[i], g);
        CRP_CHECK(context, reason == NULL, CRP_ERR_UNSUPPORTED,
                  "tally `%s` cannot be exported to vtkhdf (%s): export it to csv", tally, reason);
        return CRP_OK;
    }
    /* A grid of lengths is what ParaView shows best; any other map serves when there is none. */
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < result->n_tallies; i++) {
            const tally_spec *t = &result->tallies[i];
            if (find_grid(t, g) == NULL && (pass == 1 || strcmp(t->axis_unit[0], t->axis_unit[1]) == 0)) {
                return CRP_OK;
            }
        }
    }
    return context_fail(context, CRP_ERR_UNSUPPORTED,
                        "nothing to export to vtkhdf (no tally has two or three axes with even bins): export to csv");
}

crp_status vtkhdf_form(crp_context *context, const crp_result *result, const char *tally, void **bytes, size_t *n_bytes)
{
    grid g;
    hdf5_image image;
    *bytes = NULL;
    CRP_TRY(choose_grid(context, result, tally, &g));
    hdf5_lock();
    if (hdf5_image_create_plain(&image)) {
        if (put_image(image.file, result, tally, &g)) {
            *bytes = hdf5_image_take(&image, 0, n_bytes);
        } else {
            hdf5_image_close(&image);
        }
    }
    hdf5_unlock();
    CRP_CHECK(context, *bytes != NULL, CRP_ERR_MEMORY, "not enough memory to form the vtkhdf file");
    return CRP_OK;
}
