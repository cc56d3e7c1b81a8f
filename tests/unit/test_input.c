/* crp_input_load: which reader a file goes to, files that are none, and the examples. */
#include "core/context.h"
#include "model/light/light.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static size_t n_warnings;

static void count_warnings(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)component;
    if (level == CRP_LOG_WARNING) {
        n_warnings++;
        snprintf(user, 256, "%s", line);
    }
}

typedef struct fixture {
    crp_context *context;
    char folder[64], path[128];
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(crp_context_create(&f->context), CRP_OK);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_input_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    remove(f->path);
    rmdir(f->folder);
    crp_context_destroy(&f->context);
    free(f);
    return 0;
}

static void write_file(fixture *f, const char *name, const char *text, size_t n)
{
    remove(f->path);
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    fclose(file);
}

static crp_status load(fixture *f, const char *path)
{
    crp_input *input = NULL;
    crp_status status = crp_input_load(f->context, path, NULL, &input);
    assert_true((status == CRP_OK) == (input != NULL));
    crp_input_destroy(&input);
    assert_null(input);
    return status;
}

static void expect(fixture *f, const char *path, crp_status status, const char *message)
{
    assert_int_equal(load(f, path), status);
    const char *error = crp_context_error(f->context);
    if (strncmp(error, path, strlen(path)) != 0 || strstr(error, message) == NULL) {
        fail_msg("got '%s', wanted '%s: ...%s'", error, path, message);
    }
}

static void test_no_file(void **state)
{
    fixture *f = *state;
    expect(f, "/nowhere/a.mci", CRP_ERR_IO, "cannot be opened (No such file or directory)");
    expect(f, f->folder, CRP_ERR_IO, "is a directory");
    write_file(f, "empty.mci", "", 0);
    expect(f, f->path, CRP_ERR_FORMAT, "is empty");
    if (geteuid() != 0) { /* root may read anything */
        assert_int_equal(chmod(f->path, 0), 0);
        expect(f, f->path, CRP_ERR_IO, "cannot be opened (Permission denied)");
    }
    write_file(f, "large.mci", "1.0\n", 4);
    assert_int_equal(truncate(f->path, ((off_t)1 << 30) + 1), 0); /* sparse */
    expect(f, f->path, CRP_ERR_FORMAT, "an input file has at most 2^30");
}

static void test_other_files(void **state)
{
    fixture *f = *state;
    write_file(f, "a.h5", "\x89HDF\r\n\x1a\n....", 12);
    expect(f, f->path, CRP_ERR_FORMAT, "is an HDF5 file of results");
    write_file(f, "wide.mci", "\xff\xfe" "1\0.\0", 6);
    expect(f, f->path, CRP_ERR_FORMAT, ":1: is UTF-16 text");
    write_file(f, "a.mco", "A1 \t# Version number of the file format.\n", 41);
    expect(f, f->path, CRP_ERR_UNSUPPORTED, ":1: 'A1' begins a file of MCML results");
    write_file(f, "two.mci", "# c\nmcmli2.0 # version\n", 23);
    expect(f, f->path, CRP_ERR_UNSUPPORTED, ":2: 'mcmli2.0' is an input file of MCML 2.0");
}

/* Each text goes to the reader named; both refuse it, and their messages tell them apart. */
static void test_kind_by_contents(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *name, *text;
        bool is_mci;
    } cases[] = {
        {"a.mci", "1.0\n", true},
        {"a.txt", "# comment: with colon\n\n1.0\n", true},
        {"a.yaml", "1.0\n", true},
        {"a.txt", "\xef\xbb\xbf" "1.0\r\n", true},
        {"a.txt", "version\n", true},
        {"a.mci", "no_such_key_anywhere: 1\n", false},
        {"a.mci", "# comment\n\nno_such_key_anywhere:\n  a: 1\n", false},
        {"a.mci", "\xef\xbb\xbfno_such_key_anywhere: 1\n", false},
        {"a.mci", "{\"no_such_key_anywhere\": 1}\n", false},
        {"a.mci", "\"no_such_key_anywhere\": 1\n", false},
        {"a.mci", "---\nno_such_key_anywhere: 1\n", false},
        {"a.yaml", "version\n", false},
        {"a.JSON", "version\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file(f, cases[i].name, cases[i].text, strlen(cases[i].text));
        assert_true(load(f, f->path) != CRP_OK);
        bool is_mci = strstr(crp_context_error(f->context), "the file ends where the number of runs is expected") != NULL;
        if (is_mci != cases[i].is_mci) {
            fail_msg("case %zu '%s': %s", i, cases[i].text, crp_context_error(f->context));
        }
    }
}

static void test_arguments(void **state)
{
    fixture *f = *state;
    crp_input *input = NULL;
    crp_input_options options = crp_input_options_default();
    assert_int_equal(options.size, sizeof options);
    assert_int_equal(crp_input_load(NULL, "a", NULL, &input), CRP_ERR_ARG);
    assert_int_equal(crp_input_load(f->context, NULL, NULL, &input), CRP_ERR_ARG);
    assert_int_equal(crp_input_load(f->context, "a", NULL, NULL), CRP_ERR_ARG);
    options.size = 0;
    assert_int_equal(crp_input_load(f->context, "a", &options, &input), CRP_ERR_ARG);
    crp_input_destroy(NULL);
    crp_input_destroy(&input);
    assert_int_equal(crp_input_n_models(NULL), 0);
    assert_null(crp_input_model(NULL, 0));
}

/* As the header says: a setting comes after the file, whose own values must be valid too. */
static void test_settings_come_after_the_file(void **state)
{
    fixture *f = *state;
    static const char mci[] = "1.0\n1\na.mco A\n10\n0.1 0.1\n1 1 1\n1\n1\n1.4 1 10 %s 1\n1\n";
    static const char yaml[] = "version: 1\nkind: light\nlayers: [{n: 1.4, mu_a: 1, mu_s: 10, g: %s, thickness: 1}]\n"
                               "grid: {dz: 0.1, dr: 0.1, nz: 1, nr: 1}\n";
    const char *const setting = "layers[1].g=0.8";
    crp_input_options options = crp_input_options_default();
    options.settings = &setting;
    options.n_settings = 1;
    for (int is_yaml = 0; is_yaml < 2; is_yaml++) {
        for (int is_bad = 0; is_bad < 2; is_bad++) {
            char text[256];
            crp_input *input = NULL;
            int n = snprintf(text, sizeof text, is_yaml ? yaml : mci, is_bad ? "1.2" : "0.2");
            write_file(f, "a.txt", text, (size_t)n);
            crp_status status = crp_input_load(f->context, f->path, &options, &input);
            assert_int_equal(status, is_bad ? CRP_ERR_CONFIG : CRP_OK);
            if (is_bad) {
                assert_non_null(strstr(crp_context_error(f->context), "1.2"));
            } else {
                const light_model *light = crp_input_model(input, 0)->data;
                assert_true(light->layers[0].g == 0.8);
            }
            crp_input_destroy(&input);
        }
    }
}

/* Every example is read without a warning and names an output after itself. */
static void test_examples(void **state)
{
    fixture *f = *state;
    char warning[256] = "";
    glob_t found;
    assert_int_equal(glob(CRP_SOURCE_DIR "/examples/light/*.mci", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 10);
    n_warnings = 0;
    crp_context_set_log(f->context, count_warnings, warning);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        crp_input *input = NULL;
        if (crp_input_load(f->context, found.gl_pathv[i], NULL, &input) != CRP_OK || n_warnings > 0) {
            fail_msg("%s: %s %s", found.gl_pathv[i], crp_context_error(f->context), warning);
        }
        char base[128];
        snprintf(base, sizeof base, "%s", strrchr(found.gl_pathv[i], '/') + 1);
        *strrchr(base, '.') = '\0';
        for (size_t k = 0; k < crp_input_n_models(input); k++) {
            const crp_model *model = crp_input_model(input, k);
            const light_model *light = model->data;
            assert_true(strncmp(light->mco_path, base, strlen(base)) == 0);
            assert_true(crp_model_histories(model) >= 1000000);
        }
        crp_input_destroy(&input);
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kind_by_contents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_arguments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_settings_come_after_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_examples, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
