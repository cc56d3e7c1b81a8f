/** The mesh of a gas result as VTKHDF: see gas_vtkhdf.h. */
#include "io/gas_vtkhdf.h"

#include "core/context.h"
#include "engine/hdf5.h"
#include "io/gas_cells.h"
#include "io/gas_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VTK_POLYGON = 7 };

static bool put_dataset(hid_t group, const char *name, hid_t type, unsigned rank, size_t n, size_t width,
                        const void *data)
{
    hsize_t dims[2] = {n, width};
    hid_t dataset = hdf5_put_array(group, name, type, rank, dims, data, n > 1000);
    H5Dclose(dataset);
    return dataset >= 0;
}

static bool put_geometry(hid_t root, const gas_cells *cells)
{
    size_t n = (size_t)cells->n_cells;
    int64_t *offsets = malloc((n + 1) * sizeof *offsets);
    uint8_t *types = malloc(n + 1);
    bool is_fine = offsets != NULL && types != NULL;
    if (is_fine) {
        offsets[0] = 0;
        memcpy(offsets + 1, cells->ends, n * sizeof *offsets);
        memset(types, VTK_POLYGON, n);
        is_fine = put_dataset(root, "NumberOfPoints", H5T_NATIVE_INT64, 1, 1, 1, &cells->n_points) &&
                  put_dataset(root, "NumberOfCells", H5T_NATIVE_INT64, 1, 1, 1, &cells->n_cells) &&
                  put_dataset(root, "NumberOfConnectivityIds", H5T_NATIVE_INT64, 1, 1, 1, &cells->n_corners) &&
                  put_dataset(root, "Points", H5T_NATIVE_DOUBLE, 2, (size_t)cells->n_points, 3, cells->points) &&
                  put_dataset(root, "Connectivity", H5T_NATIVE_INT64, 1, (size_t)cells->n_corners, 1, cells->corners) &&
                  put_dataset(root, "Offsets", H5T_NATIVE_INT64, 1, n + 1, 1, offsets) &&
                  put_dataset(root, "Types", H5T_NATIVE_UINT8, 1, n, 1, types);
    }
    free(offsets);
    free(types);
    return is_fine;
}

/** Number of a cell: of its texture cell where it has one, else of its facet. */
static double value_of(const gas_numbers *numbers, const gas_cells *cells, gas_number which, size_t cell, double *error)
{
    int64_t texel = cells->texels[cell];
    return texel >= 0 && numbers->texture[which] >= 0
               ? gas_cell_number(numbers, which, (uint64_t)texel, error)
               : gas_facet_number(numbers, which, (uint32_t)cells->facets[cell], error);
}

/** "density [m-3]": a slash in the name of a dataset would be a group. */
static void name_of(gas_number which, char name[96])
{
    const char *unit = gas_number_unit(which);
    const char *plain = strcmp(unit, "1/m3") == 0 ? "m-3" : strcmp(unit, "1/(m2 s)") == 0 ? "m-2 s-1" : unit;
    snprintf(name, 96, strcmp(unit, "1") == 0 ? "%s per molecule" : "%s [%s]", gas_number_title(which), plain);
}

static bool put_number(hid_t group, const gas_numbers *numbers, const gas_cells *cells, gas_number which,
                       double *scratch)
{
    size_t n = (size_t)cells->n_cells;
    char name[96];
    double *errors = scratch + n;
    for (size_t i = 0; i < n; i++) {
        scratch[i] = value_of(numbers, cells, which, i, &errors[i]);
    }
    name_of(which, name);
    bool is_fine = put_dataset(group, name, H5T_NATIVE_DOUBLE, 1, n, 1, scratch);
    snprintf(name, sizeof name, "%s std_dev", gas_number_title(which));
    return is_fine && put_dataset(group, name, H5T_NATIVE_DOUBLE, 1, n, 1, errors);
}

/** What is known of a facet without a run. */
static bool put_properties(hid_t group, const gas_model *model, const gas_cells *cells, double *scratch)
{
    static const struct {
        const char *name;
        size_t offset;
    } properties[] = {{"sticking", offsetof(gas_surface, sticking)},
                      {"opacity", offsetof(gas_surface, opacity)},
                      {"temperature [K]", offsetof(gas_surface, temperature)}};
    size_t n = (size_t)cells->n_cells;
    bool is_fine = true;
    for (size_t k = 0; k < sizeof properties / sizeof properties[0]; k++) {
        for (size_t i = 0; i < n; i++) {
            const gas_surface *s = &model->surfaces[model->facets[cells->facets[i]].surface];
            memcpy(&scratch[i], (const char *)s + properties[k].offset, sizeof scratch[i]);
        }
        is_fine = is_fine && put_dataset(group, properties[k].name, H5T_NATIVE_DOUBLE, 1, n, 1, scratch);
    }
    int64_t *numbers = (int64_t *)(void *)scratch;
    for (size_t i = 0; i < n; i++) {
        numbers[i] = model->facets[cells->facets[i]].number;
    }
    is_fine = is_fine && put_dataset(group, "facet", H5T_NATIVE_INT64, 1, n, 1, numbers);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = model->facets[cells->facets[i]].surface + 1;
    }
    return is_fine && put_dataset(group, "surface", H5T_NATIVE_INT64, 1, n, 1, numbers);
}

static bool put_mesh(hid_t file, const gas_model *model, const gas_numbers *numbers, const gas_cells *cells)
{
    const int64_t version[2] = {1, 0};
    double *scratch = malloc((2 * (size_t)cells->n_cells + 1) * sizeof *scratch);
    hid_t root = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = root < 0 ? -1 : H5Gcreate2(root, "CellData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool is_fine = scratch != NULL && group >= 0 && hdf5_put_numbers(root, "Version", H5T_NATIVE_INT64, 2, version) &&
                   hdf5_put_fixed_text(root, "Type", "UnstructuredGrid") && put_geometry(root, cells) &&
                   put_properties(group, model, cells, scratch);
    for (int i = 0; i < GAS_NUMBER_SLOWNESS && is_fine; i++) {
        is_fine = put_number(group, numbers, cells, (gas_number)i, scratch);
    }
    H5Gclose(group);
    H5Gclose(root);
    free(scratch);
    return is_fine;
}

crp_status gas_vtkhdf_form(crp_context *context, const crp_model *model, const crp_result *result,
                           const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    gas_numbers numbers;
    gas_cells cells;
    hdf5_image image;
    (void)options;
    (void)path;
    *bytes = NULL;
    CRP_TRY(gas_numbers_find(context, model->data, result, &numbers));
    CRP_TRY(gas_cells_create(context, model->data, &cells));
    hdf5_lock();
    if (hdf5_image_create_plain(&image)) {
        if (put_mesh(image.file, model->data, &numbers, &cells)) {
            *bytes = hdf5_image_take(&image, 0, n_bytes);
        } else {
            hdf5_image_close(&image);
        }
    }
    hdf5_unlock();
    gas_cells_destroy(&cells);
    CRP_CHECK(context, *bytes != NULL, CRP_ERR_MEMORY, "not enough memory to form the vtkhdf file");
    return CRP_OK;
}
