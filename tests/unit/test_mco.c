/* The .mco writer, read back by a reader that follows the order of MCML's own: data lines, then numbers by sequence. */
#include "core/context.h"
#include "io/export.h"
#include "model/light/light.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { NL = 2, NZ = 3, NR = 4, NA = 5, N_TALLIES = 13 };
static const double DZ = 0.02, DR = 0.01, PI = 3.14159265358979323846;
static const uint64_t N = 1000003;

/* ------------------------------------------------------------------------------ a model and a result by hand */

static light_model *make_light(void)
{
    light_model *light = light_model_create(NL);
    assert_non_null(light);
    light->dz = DZ;
    light->dr = DR;
    light->nz = NZ;
    light->nr = NR;
    light->na = NA;
    light->n_above = 1.0;
    light->n_below = 1.2345678901234567; /* more digits than %G gives */
    light->layers[0] = (light_layer){.name = "top", .n = 1.37, .mu_a = 1.0, .mu_s = 100.0, .g = 0.9, .d = 0.1};
    light->layers[1] = (light_layer){.n = 1.4, .mu_a = 2.5, .mu_s = 0.0, .g = -0.5, .d = 1e8};
    snprintf(light->mco_path, sizeof light->mco_path, "my.mco");
    return light;
}

static const struct {
    const char *name;
    size_t first, second;
} layouts[N_TALLIES] = {{"Rsp", 1, 1},          {"Rd", 1, 1},           {"Tt", 1, 1},      {"A", 1, 1},
                        {"absorbed_fraction", NL, 1}, {"A_z", NZ + 1, 1}, {"Rd_r", NR + 1, 1}, {"Rd_a", NA, 1},
                        {"Tt_r", NR + 1, 1},    {"Tt_a", NA, 1},        {"A_rz", NR + 1, NZ + 1},
                        {"Rd_ra", NR + 1, NA},  {"Tt_ra", NR + 1, NA}};

/* Distinct sums, above 2^64 in places, so that no two bins can be taken for each other. */
static crp_wide sum_of(size_t bin)
{
    return ((crp_wide)(bin * bin + 7 * bin + 3) << 50) + (crp_wide)bin;
}

static crp_result *make_result(crp_context *context)
{
    size_t n_bins = 0;
    for (size_t t = 0; t < N_TALLIES; t++) {
        n_bins += layouts[t].first * layouts[t].second;
    }
    crp_result *result = NULL;
    assert_int_equal(result_allocate(context, N_TALLIES, n_bins, 0, 0, &result), CRP_OK);
    n_bins = 0;
    for (size_t t = 0; t < N_TALLIES; t++) {
        tally_spec *spec = &result->tallies[t];
        snprintf(spec->name, sizeof spec->name, "%s", layouts[t].name);
        spec->quantum = ldexp(1.0, -30);
        spec->n_bins = layouts[t].first * layouts[t].second;
        spec->offset = n_bins;
        spec->n_dims = 1;
        spec->shape[0] = spec->n_bins;
        spec->scale = malloc(spec->n_bins * sizeof(double));
        assert_non_null(spec->scale);
        for (size_t i = 0; i < spec->n_bins; i++) {
            spec->scale[i] = 17.0 + (double)i; /* the file must not depend on it */
            result->sum[n_bins + i] = sum_of(n_bins + i);
            result->m2[n_bins + i] = 1e12 * (double)(1 + n_bins + i);
        }
        n_bins += spec->n_bins;
    }
    result->histories = N;
    result->batches = 32;
    result->batch_size = 1 + N / 32;
    result->seconds = 1.5;
    result->seed = 7;
    snprintf(result->device, sizeof result->device, "cpu");
    return result;
}

static size_t tally_of(const char *name)
{
    for (size_t t = 0; t < N_TALLIES; t++) {
        if (strcmp(layouts[t].name, name) == 0) {
            return t;
        }
    }
    fail_msg("no tally %s", name);
    return 0;
}

/* Weight per photon in bins [i0, i1] x [j0, j1] of a tally. */
static double weight(const crp_result *r, const char *name, size_t i0, size_t i1, size_t j0, size_t j1)
{
    size_t t = tally_of(name);
    long double sum = 0.0L;
    for (size_t i = i0; i <= i1; i++) {
        for (size_t j = j0; j <= j1; j++) {
            sum += (long double)sum_of(r->tallies[t].offset + i * layouts[t].second + j);
        }
    }
    return (double)(ldexpl(sum, -30) / (long double)N);
}

/* ------------------------------------------------------------------------------------------------ the reader */

typedef struct reader {
    FILE *file;
    char line[256];
} reader;

/* Next line that is neither blank nor a comment, in pieces of 254 characters as MCML reads. */
static char *data_line(reader *r)
{
    for (;;) {
        assert_non_null(fgets(r->line, 255, r->file));
        char *at = r->line;
        while (*at == ' ' || *at == '\t') {
            at++;
        }
        if (*at != '\0' && *at != '\n' && *at != '#') {
            return at;
        }
    }
}

static void expect_name(reader *r, const char *name)
{
    char word[64];
    assert_int_equal(sscanf(data_line(r), "%63s", word), 1);
    assert_string_equal(word, name);
}

static double next_number(reader *r)
{
    double x = NAN;
    assert_int_equal(fscanf(r->file, "%lf ", &x), 1);
    return x;
}

static reader open_mco(const char *path)
{
    reader r = {.file = fopen(path, "r")};
    assert_non_null(r.file);
    return r;
}

static void read_parameters(reader *r, const char *name, double n_below)
{
    char word[64], letter;
    long photons = 0;
    double v[5];
    int n[3];
    expect_name(r, "InParm");
    assert_int_equal(sscanf(data_line(r), "%63s %c", word, &letter), 2);
    assert_string_equal(word, name);
    assert_int_equal(letter, 'A');
    assert_int_equal(sscanf(data_line(r), "%ld", &photons), 1);
    assert_int_equal(photons, N);
    assert_int_equal(sscanf(data_line(r), "%lf%lf", &v[0], &v[1]), 2);
    assert_true(v[0] == DZ && v[1] == DR);
    assert_int_equal(sscanf(data_line(r), "%d%d%d", &n[0], &n[1], &n[2]), 3);
    assert_true(n[0] == NZ && n[1] == NR && n[2] == NA);
    assert_int_equal(sscanf(data_line(r), "%d", &n[0]), 1);
    assert_int_equal(n[0], NL);
    assert_int_equal(sscanf(data_line(r), "%lf", &v[0]), 1);
    assert_true(v[0] == 1.0);
    assert_int_equal(sscanf(data_line(r), "%lf%lf%lf%lf%lf", &v[0], &v[1], &v[2], &v[3], &v[4]), 5);
    assert_true(v[0] == 1.37 && v[1] == 1.0 && v[2] == 100.0 && v[3] == 0.9 && v[4] == 0.1);
    assert_int_equal(sscanf(data_line(r), "%lf%lf%lf%lf%lf", &v[0], &v[1], &v[2], &v[3], &v[4]), 5);
    assert_true(v[0] == 1.4 && v[1] == 2.5 && v[2] == 0.0 && v[3] == -0.5 && v[4] == 1e8);
    assert_int_equal(sscanf(data_line(r), "%lf", &v[0]), 1);
    assert_true(v[0] == n_below);
}

static void check_number(const char *name, size_t i, size_t j, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * fabs(wanted))) {
        fail_msg("%s[%zu][%zu] = %.17g, wanted %.17g", name, i, j, got, wanted);
    }
}

static void read_totals(reader *r, const crp_result *result, double tolerance)
{
    static const char *const names[] = {"Rsp", "Rd", "A", "Tt"};
    expect_name(r, "RAT");
    for (size_t i = 0; i < 4; i++) {
        double x = NAN;
        assert_int_equal(sscanf(data_line(r), "%lf", &x), 1);
        check_number(names[i], 0, 0, x, weight(result, names[i], 0, 0, 0, 0), tolerance);
    }
}

/* Exact solid-angle and area factors, written here from their definition and not from the writer. */
static double ring_area(size_t i)
{
    return PI * (pow((double)(i + 1) * DR, 2) - pow((double)i * DR, 2));
}

static void read_lists(reader *r, const crp_result *result, double tolerance)
{
    double da = PI / 2 / NA;
    expect_name(r, "A_l");
    for (size_t i = 0; i < NL; i++) {
        check_number("A_l", i, 0, next_number(r), weight(result, "absorbed_fraction", i, i, 0, 0), tolerance);
    }
    expect_name(r, "A_z");
    for (size_t i = 0; i < NZ; i++) {
        size_t last = i == NZ - 1 ? NZ : i;
        check_number("A_z", i, 0, next_number(r), weight(result, "A_z", i, last, 0, 0) / DZ, tolerance);
    }
    static const char *const names[] = {"Rd_r", "Rd_a", "Tt_r", "Tt_a"};
    for (size_t k = 0; k < 4; k += 2) {
        expect_name(r, names[k]);
        for (size_t i = 0; i < NR; i++) {
            size_t last = i == NR - 1 ? NR : i;
            double wanted = weight(result, names[k], i, last, 0, 0) / ring_area(i);
            check_number(names[k], i, 0, next_number(r), wanted, tolerance);
        }
        expect_name(r, names[k + 1]);
        for (size_t i = 0; i < NA; i++) {
            double solid = 2 * PI * sin(((double)i + 0.5) * da) * da;
            check_number(names[k + 1], i, 0, next_number(r), weight(result, names[k + 1], i, i, 0, 0) / solid, tolerance);
        }
    }
}

static void read_matrices(reader *r, const crp_result *result, double tolerance)
{
    double da = PI / 2 / NA;
    expect_name(r, "A_rz");
    for (size_t i = 0; i < NR; i++) {
        for (size_t j = 0; j < NZ; j++) {
            size_t last_r = i == NR - 1 ? NR : i, last_z = j == NZ - 1 ? NZ : j;
            double wanted = weight(result, "A_rz", i, last_r, j, last_z) / (ring_area(i) * DZ);
            check_number("A_rz", i, j, next_number(r), wanted, tolerance);
        }
    }
    static const char *const names[] = {"Rd_ra", "Tt_ra"};
    for (size_t k = 0; k < 2; k++) {
        expect_name(r, names[k]);
        for (size_t i = 0; i < NR; i++) {
            for (size_t j = 0; j < NA; j++) {
                size_t last = i == NR - 1 ? NR : i;
                /* exact solid angle of the bin, times the cosine of its middle */
                double solid = 2 * PI * (cos((double)j * da) - cos((double)(j + 1) * da));
                double wanted = weight(result, names[k], i, last, j, j) / (ring_area(i) * solid * cos(((double)j + 0.5) * da));
                check_number(names[k], i, j, next_number(r), wanted, tolerance);
            }
        }
    }
}

/* --------------------------------------------------------------------------------------------------- tests */

typedef struct fixture {
    crp_context *context;
    light_model *light;
    crp_result *result;
    char folder[64], path[128];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(crp_context_create(&f->context), CRP_OK);
    f->light = make_light();
    f->result = make_result(f->context);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_mco_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/out.mco", f->folder);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    remove(f->path);
    if (rmdir(f->folder) != 0) { /* a temporary file was left behind */
        return -1;
    }
    crp_result_destroy(&f->result);
    light_model_destroy(f->light);
    crp_context_destroy(&f->context);
    free(f);
    return 0;
}

static crp_status write_mco(fixture *f, const char *path, const output_options *options)
{
    static const output_options plain = {0};
    crp_model model = {.module = &module_light, .data = f->light};
    return export_output(f->context, &model, f->result, options == NULL ? &plain : options, path);
}

static void read_whole(const fixture *f, double tolerance, double tolerance_totals)
{
    reader r = open_mco(f->path);
    expect_name(&r, f->light->mco_format == 'B' ? "B1" : "A1");
    read_parameters(&r, "my.mco", f->light->n_below);
    read_totals(&r, f->result, tolerance_totals);
    read_lists(&r, f->result, tolerance);
    read_matrices(&r, f->result, tolerance);
    assert_int_equal(fgetc(r.file), EOF);
    fclose(r.file);
}

static void test_default_digits(void **state)
{
    fixture *f = *state;
    assert_int_equal(write_mco(f, f->path, NULL), CRP_OK);
    read_whole(f, 0.51e-4, 0.51e-5);
    f->light->mco_format = 'B'; /* only the first word changes; what exists is replaced */
    assert_int_equal(write_mco(f, f->path, NULL), CRP_OK);
    read_whole(f, 0.51e-4, 0.51e-5);
}

static void test_full_digits(void **state)
{
    fixture *f = *state;
    output_options options = {.digits = 17};
    assert_int_equal(write_mco(f, f->path, &options), CRP_OK);
    read_whole(f, 1e-14, 1e-15);
}

/* The look of MCML's files, on which scripts rely: "%12.4E", one a line or five a line, the user time. */
static void test_layout(void **state)
{
    fixture *f = *state;
    assert_int_equal(write_mco(f, f->path, NULL), CRP_OK);
    reader r = open_mco(f->path);
    bool has_time = false;
    size_t n_list = 0, n_five = 0, n_rest = 0;
    while (fgets(r.line, sizeof r.line, r.file) != NULL) {
        assert_non_null(strchr(r.line, '\n'));
        has_time = has_time || strncmp(r.line, "# User time:     1.50 sec =     0.00 hr.", 40) == 0;
        if (r.line[0] == ' ') {
            size_t n = strlen(r.line);
            n_list += n == 13;
            n_five += n == 5 * 13;
            n_rest += n != 13 && n != 5 * 13;
            for (size_t k = 0; k + 12 < n; k += 13) {
                assert_int_equal(r.line[k + 8], 'E');
                assert_int_equal(r.line[k + 3], '.');
            }
        }
    }
    fclose(r.file);
    assert_true(has_time);
    assert_int_equal(n_list, NL + NZ + 2 * NR + 2 * NA);
    assert_int_equal(n_five, NR * NZ / 5 + 2 * (NR * NA / 5));
    assert_int_equal(n_rest, (NR * NZ % 5 != 0) + 2 * (NR * NA % 5 != 0));
}

static void test_std_dev_sections(void **state)
{
    fixture *f = *state;
    output_options options = {.digits = 12, .has_std_dev = true};
    assert_int_equal(write_mco(f, f->path, &options), CRP_OK);
    reader r = open_mco(f->path);
    expect_name(&r, "A1"); /* an old reader is through before the new sections begin */
    read_parameters(&r, "my.mco", f->light->n_below);
    read_totals(&r, f->result, 1e-11);
    read_lists(&r, f->result, 1e-11);
    read_matrices(&r, f->result, 1e-11);
    expect_name(&r, "SE_RAT");
    static const char *const totals[] = {"Rsp", "Rd", "A", "Tt"};
    for (size_t i = 0; i < 4; i++) {
        double x = NAN;
        size_t t = tally_of(totals[i]), bin = f->result->tallies[t].offset;
        assert_int_equal(sscanf(data_line(&r), "%lf", &x), 1);
        check_number(totals[i], 0, 0, x, result_bin_std_dev(f->result, t, bin) / 17.0, 1e-11);
    }
    expect_name(&r, "SE_A_l");
    next_number(&r);
    next_number(&r);
    expect_name(&r, "SE_A_z");
    size_t t = tally_of("A_z"), bin = f->result->tallies[t].offset;
    double error[NZ + 1];
    for (size_t i = 0; i <= NZ; i++) {
        error[i] = result_bin_std_dev(f->result, t, bin + i) / (17.0 + (double)i) / DZ;
    }
    error[NZ - 1] += error[NZ]; /* an upper bound where two bins are one */
    for (size_t i = 0; i < NZ; i++) {
        check_number("SE_A_z", i, 0, next_number(&r), error[i], 1e-11);
    }
    static const char *const names[] = {"SE_Rd_r", "SE_Rd_a", "SE_Tt_r", "SE_Tt_a", "SE_A_rz", "SE_Rd_ra", "SE_Tt_ra"};
    static const size_t sizes[] = {NR, NA, NR, NA, NR * NZ, NR * NA, NR * NA};
    for (size_t k = 0; k < 7; k++) {
        expect_name(&r, names[k]);
        for (size_t i = 0; i < sizes[k]; i++) {
            assert_true(next_number(&r) > 0.0);
        }
    }
    assert_int_equal(fgetc(r.file), EOF);
    fclose(r.file);
}

/* A name with blanks would be two words to every reader. */
static void test_name_is_one_word(void **state)
{
    fixture *f = *state;
    snprintf(f->light->mco_path, sizeof f->light->mco_path, "my file.mco");
    assert_int_equal(write_mco(f, f->path, NULL), CRP_OK);
    reader r = open_mco(f->path);
    expect_name(&r, "A1");
    read_parameters(&r, "my_file.mco", f->light->n_below);
    fclose(r.file);
}

static void expect_failure(fixture *f, const char *path, const output_options *options, crp_status status, const char *message)
{
    assert_int_equal(write_mco(f, path, options), status);
    if (strstr(crp_context_error(f->context), message) == NULL) {
        fail_msg("got '%s', wanted '%s'", crp_context_error(f->context), message);
    }
}

static void test_failures_leave_the_file(void **state)
{
    fixture *f = *state;
    FILE *old = fopen(f->path, "w");
    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    output_options options = {.digits = 18};
    expect_failure(f, f->path, &options, CRP_ERR_ARG, "digits = 18");
    options.digits = 1;
    expect_failure(f, f->path, &options, CRP_ERR_ARG, "digits = 1 ");
    expect_failure(f, "/nowhere/out.mco", NULL, CRP_ERR_IO, "/nowhere/out.mco: cannot be written (No such file");
    expect_failure(f, "/dev/full", NULL, CRP_ERR_IO, "/dev/full: cannot be written (No space left on device)");
    expect_failure(f, f->folder, NULL, CRP_ERR_IO, "cannot be written (Is a directory)");
    f->result->tallies[10].name[0] = 'x'; /* A_rz */
    expect_failure(f, f->path, NULL, CRP_ERR_FORMAT, "no tally 'A_rz'");
    f->result->tallies[10].name[0] = 'A';
    f->light->nz = NZ + 1;
    expect_failure(f, f->path, NULL, CRP_ERR_FORMAT, "tally 'A_z' has 4 bins where the model asks for 5");
    f->light->nz = NZ;
    f->result->histories = 0;
    expect_failure(f, f->path, NULL, CRP_ERR_ARG, "no photon");
    char text[8] = "";
    old = fopen(f->path, "r");
    assert_non_null(old);
    assert_non_null(fgets(text, sizeof text, old));
    fclose(old);
    assert_string_equal(text, "old");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_default_digits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_full_digits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_std_dev_sections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_name_is_one_word, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures_leave_the_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
