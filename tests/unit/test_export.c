/** Exports: JSON and CSV letter by letter, VTKHDF read back, faults. */
#include "io/export.h"
#include "unit/result_fixture.h"

#include "core/file.h"
#include "io/export_csv.h"
#include "io/export_json.h"

#include <hdf5.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static crp_context *context;
static char folder[256], path[300];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/test_export.XXXXXX", CRP_BINARY_DIR);
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/out", folder);
    return crp_context_create(&context);
}

static int teardown(void **state)
{
    (void)state;
    crp_context_destroy(&context);
    unlink(path);
    return rmdir(folder);
}

/** Numbers that are exact in decimals: two batches of 4 histories, quantum 1/8. */
static crp_result *small(void)
{
    crp_result *r = NULL;
    assert_int_equal(result_allocate(context, 2, 7, 1, 2, &r), CRP_OK);
    fixture_tally(&r->tallies[0], "Rd", "1", 0.125);
    fixture_tally(&r->tallies[1], "A_rz", "1/cm3", 0.125);
    r->tallies[1].offset = 1;
    fixture_axis(&r->tallies[1], 0, "r", "cm", 3, 0.5, true);
    fixture_axis(&r->tallies[1], 1, "z", "cm", 2, 0.25, false);
    strcpy(r->events[0].name, "roulette");
    strcpy(r->results[0].name, "Rd");
    strcpy(r->results[1].name, "absorbed_fraction");
    r->results[1].of = 1;
    r->results[1].tally = 1;
    r->results[1].bin = 2;
    strcpy(r->kind, "light");
    strcpy(r->history_name, "photons");
    strcpy(r->model_digest, "d1");
    strcpy(r->version, "1.0.0");
    strcpy(r->commit, "abc");
    strcpy(r->device, "cpu \"x\"");
    free(r->devices);
    r->devices = calloc(1, sizeof *r->devices);
    r->n_devices = 1;
    *r->devices = (result_device){.label = "cpu \"x\"", .host = "here", .rank = 1, .histories = 8, .is_dropped = 1};
    strcpy(r->math, "strict");
    r->model_text = strdup("");
    r->seed = UINT64_MAX;
    r->seconds = 0.5;
    strcpy(r->digest, "d2");
    const crp_wide first[7] = {32, 0, 8, 16, 24, 32, 40}, second[7] = {64, 0, 8, 16, 24, 32, 40};
    const uint64_t events = 3;
    result_add_batch(r, first, &events, 4);
    result_add_batch(r, second, &events, 4);
    return r;
}

/* Rd: y = 8 and 16 units, M2 = 4 (16 + 16) = 128, error sqrt(128 / 1 / 8) / 8 = 0.5. */
static const char json_expected[] =
    "{\"version\": \"1.0.0\", \"commit\": \"abc\", \"kind\": \"light\", \"input_digest\": \"d1\", "
    "\"device\": \"cpu \\\"x\\\"\", \"devices\": [{\"device\": \"cpu \\\"x\\\"\", \"host\": \"here\", \"rank\": 1, "
    "\"histories\": 8, \"dropped\": true}], \"math\": \"strict\", \"seed\": 18446744073709551615, \"histories\": 8, "
    "\"seconds\": 0.5, \"device_seconds\": null, \"rate\": {\"value\": 16, \"unit\": \"photons/s\"}, \"digest\": \"d2\", "
    "\"events\": {\"roulette\": 6}, \"results\": ["
    "{\"name\": \"Rd\", \"of\": null, \"mean\": 1.5, \"std_dev\": 0.5, \"unit\": \"1\"}, "
    "{\"name\": \"absorbed_fraction\", \"of\": 1, \"mean\": 0.25, \"std_dev\": 0, \"unit\": \"1/cm3\"}]}\n";

static void assert_file(const char *expected)
{
    void *bytes = NULL;
    size_t n = 0;
    assert_int_equal(file_read(context, path, &bytes, &n), CRP_OK);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void test_json(void **state)
{
    (void)state;
    crp_result *r = small();
    assert_int_equal(export_write(context, r, "json", NULL, NULL, path), CRP_OK);
    assert_file(json_expected);
    crp_result_destroy(&r);

    /* One batch: no error known. No time: no rate. */
    r = NULL;
    assert_int_equal(result_allocate(context, 1, 1, 0, 1, &r), CRP_OK);
    fixture_tally(&r->tallies[0], "Rd", "1", 1);
    strcpy(r->results[0].name, "Rd");
    const crp_wide x = 1;
    result_add_batch(r, &x, NULL, 3);
    assert_int_equal(export_write(context, r, "json", NULL, NULL, path), CRP_OK);
    void *bytes = NULL;
    size_t n = 0;
    assert_int_equal(file_read(context, path, &bytes, &n), CRP_OK);
    assert_non_null(strstr(bytes, "\"rate\": {\"value\": null, "));
    assert_non_null(strstr(bytes, "\"mean\": 0.3333333333333333, \"std_dev\": null, \"unit\": \"1\"}]}\n"));
    assert_non_null(strstr(bytes, "\"events\": {}, "));
    free(bytes);
    crp_result_destroy(&r);
}

static void test_csv(void **state)
{
    (void)state;
    crp_result *r = small();
    assert_int_equal(export_write(context, r, "csv", "A_rz", NULL, path), CRP_OK);
    assert_file("r [cm],z [cm],mean [1/cm3],std_dev [1/cm3]\n"
                "0.25,0.125,0,0\n"
                "0.25,0.375,0.25,0\n"
                "0.75,0.125,0.5,0\n"
                "0.75,0.375,0.75,0\n"
                "inf,0.125,1,0\n"
                "inf,0.375,1.25,0\n");
    assert_int_equal(export_write(context, r, "csv", "Rd", NULL, path), CRP_OK);
    assert_file("mean [1],std_dev [1]\n1.5,0.5\n");
    assert_int_equal(export_write(context, r, "csv", NULL, NULL, path), CRP_OK);
    assert_file("tally,index_0,index_1,centre_0,centre_1,mean,std_dev,unit\n"
                "Rd,,,,,1.5,0.5,1\n"
                "A_rz,0,0,0.25,0.125,0,0,1/cm3\n"
                "A_rz,0,1,0.25,0.375,0.25,0,1/cm3\n"
                "A_rz,1,0,0.75,0.125,0.5,0,1/cm3\n"
                "A_rz,1,1,0.75,0.375,0.75,0,1/cm3\n"
                "A_rz,2,0,inf,0.125,1,0,1/cm3\n"
                "A_rz,2,1,inf,0.375,1.25,0,1/cm3\n");
    strcpy(r->tallies[0].name, "a,\"b\"");
    r->batches = 1; /* error unknown: an empty field */
    free(r->tallies[1].axis_edges[0]);
    r->tallies[1].axis_edges[0] = NULL; /* counts: numbers from 1 */
    assert_int_equal(export_write(context, r, "csv", NULL, NULL, path), CRP_OK);
    assert_file("tally,index_0,index_1,centre_0,centre_1,mean,std_dev,unit\n"
                "\"a,\"\"b\"\"\",,,,,1.5,,1\n"
                "A_rz,0,0,1,0.125,0,,1/cm3\n"
                "A_rz,0,1,1,0.375,0.25,,1/cm3\n"
                "A_rz,1,0,2,0.125,0.5,,1/cm3\n"
                "A_rz,1,1,2,0.375,0.75,,1/cm3\n"
                "A_rz,2,0,3,0.125,1,,1/cm3\n"
                "A_rz,2,1,3,0.375,1.25,,1/cm3\n");
    crp_result_destroy(&r);
}

static void read_attribute(hid_t group, const char *name, hid_t type, void *values)
{
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    assert_true(H5Aread(attribute, type, values) >= 0);
    H5Aclose(attribute);
}

static void assert_cells(hid_t cells, const char *name, hsize_t nx, hsize_t ny, const double *expected)
{
    hsize_t dims[3];
    double values[16];
    hid_t dataset = H5Dopen2(cells, name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    hid_t space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
    assert_true(dims[0] == 1 && dims[1] == ny && dims[2] == nx);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_memory_equal(values, expected, nx * ny * sizeof *values);
    H5Sclose(space);
    H5Dclose(dataset);
}

static void test_vtkhdf(void **state)
{
    (void)state;
    crp_result *r = small();
    for (int named = 0; named < 2; named++) {
        assert_int_equal(export_write(context, r, "vtkhdf", named ? "A_rz" : NULL, NULL, path), CRP_OK);
        hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_true(file >= 0);
        hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT), cells = H5Gopen2(root, "CellData", H5P_DEFAULT);
        int64_t version[2], extent[6];
        double origin[3], spacing[3], direction[9];
        char type[10] = "";
        hid_t text = H5Tcopy(H5T_C_S1);
        H5Tset_size(text, 9);
        read_attribute(root, "Version", H5T_NATIVE_INT64, version);
        read_attribute(root, "WholeExtent", H5T_NATIVE_INT64, extent);
        read_attribute(root, "Origin", H5T_NATIVE_DOUBLE, origin);
        read_attribute(root, "Spacing", H5T_NATIVE_DOUBLE, spacing);
        read_attribute(root, "Direction", H5T_NATIVE_DOUBLE, direction);
        H5Tset_strpad(text, H5T_STR_NULLPAD);
        read_attribute(root, "Type", text, type);
        assert_string_equal(type, "ImageData");
        assert_true(version[0] == 1 && version[1] == 0);
        /* two cells in r (the third lies beyond the grid), two in z, one thick */
        const int64_t expected_extent[6] = {0, 2, 0, 2, 0, 1};
        assert_memory_equal(extent, expected_extent, sizeof extent);
        assert_true(origin[0] == 0 && spacing[0] == 0.5 && spacing[1] == 0.25 && spacing[2] == 0.25);
        assert_true(direction[0] == 1 && direction[1] == 0 && direction[4] == 1 && direction[8] == 1);
        assert_cells(cells, "A_rz", 2, 2, (const double[]){0, 0.5, 0.25, 0.75}); /* r fastest */
        assert_cells(cells, "A_rz_std_dev", 2, 2, (const double[]){0, 0, 0, 0});
        H5Tclose(text);
        H5Gclose(cells);
        H5Gclose(root);
        H5Fclose(file);
    }
    crp_result_destroy(&r);
}

static void assert_fails(crp_status expected, const crp_result *r, const char *to, const char *tally, const char *where,
                         const char *message)
{
    assert_int_equal(export_write(context, r, to, tally, NULL, where), expected);
    if (strstr(crp_context_error(context), message) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", crp_context_error(context), message);
    }
}

static void test_faults(void **state)
{
    (void)state;
    crp_result *r = small();
    assert_int_equal(file_replace(context, path, "old", 3), CRP_OK);
    assert_fails(CRP_ERR_ARG, r, "xls", NULL, path, "csv, json, vtkhdf, mco");
    assert_fails(CRP_ERR_ARG, r, "csv", "A_rx", path, "did you mean `A_rz`");
    assert_fails(CRP_ERR_ARG, r, "csv", "something", path, "it has Rd, A_rz");
    assert_fails(CRP_ERR_ARG, r, "json", "Rd", path, "single tally");
    assert_fails(CRP_ERR_UNSUPPORTED, r, "vtkhdf", "Rd", path, "export it to csv");
    assert_fails(CRP_ERR_ARG, r, "vtkhdf", NULL, "-", "binary");
    r->tallies[1].axis_edges[1][1] *= 1.01;
    assert_fails(CRP_ERR_UNSUPPORTED, r, "vtkhdf", "A_rz", path, "differ in size");
    assert_fails(CRP_ERR_UNSUPPORTED, r, "vtkhdf", NULL, path, "nothing to export");
    strcpy(r->kind, "gas");
    assert_fails(CRP_ERR_UNSUPPORTED, r, "mco", NULL, path, "`gas`");
    const output_options digits = {.digits = 9};
    assert_int_equal(export_write(context, r, "csv", NULL, &digits, path), CRP_ERR_ARG);
    assert_file("old");
    assert_fails(CRP_ERR_IO, r, "csv", NULL, "/dev/full", strerror(ENOSPC));
    assert_fails(CRP_ERR_IO, r, "csv", NULL, folder, strerror(EISDIR));
    crp_result_destroy(&r);
}

static void test_stream_fault(void **state)
{
    (void)state;
    crp_result *r = small();
    FILE *file = fopen("/dev/full", "w");
    assert_non_null(file);
    assert_int_equal(result_write_json(context, r, file), CRP_ERR_IO);
    fclose(file);
    crp_result_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),   cmocka_unit_test(test_csv),          cmocka_unit_test(test_vtkhdf),
        cmocka_unit_test(test_faults), cmocka_unit_test(test_stream_fault),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
