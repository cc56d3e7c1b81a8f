/* The .mci reader: every field out of range, missing or doubled; every habit of MCML's own reader. */
#include "core/context.h"
#include "model/light/light.h"
#include "unit/mci_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Log lines of one load, joined. */
typedef struct log_text {
    char text[65536];
    size_t n_warnings;
} log_text;

static void keep_log(void *user, crp_log_level level, const char *component, const char *line)
{
    log_text *log = user;
    (void)component;
    size_t n = strlen(log->text);
    snprintf(log->text + n, sizeof log->text - n, "%s\n", line);
    log->n_warnings += level == CRP_LOG_WARNING;
}

typedef struct loaded {
    crp_context *context;
    crp_input *input;
    crp_status status;
    log_text log;
} loaded;

static loaded *load_bytes(const char *text, size_t n_bytes, const crp_input_options *options)
{
    loaded *l = calloc(1, sizeof *l);
    assert_non_null(l);
    assert_int_equal(crp_context_create(&l->context), CRP_OK);
    crp_context_set_log(l->context, keep_log, &l->log);
    char *copy = malloc(n_bytes + 1); /* exact size, so that valgrind and ASan see a read beyond */
    assert_non_null(copy);
    memcpy(copy, text, n_bytes);
    char *exact = realloc(copy, n_bytes > 0 ? n_bytes : 1);
    l->status = mci_load(l->context, PATH, exact, n_bytes, options, &l->input);
    free(exact);
    if (l->status == CRP_OK) {
        assert_non_null(l->input);
    } else {
        assert_null(l->input);
    }
    return l;
}

static loaded *load(const char *text)
{
    return load_bytes(text, strlen(text), NULL);
}

static void unload(loaded *l)
{
    crp_input_destroy(&l->input);
    crp_context_destroy(&l->context);
    free(l);
}

static const light_model *light_of(const loaded *l, size_t i)
{
    const crp_model *model = crp_input_model(l->input, i);
    assert_non_null(model);
    return model->data;
}

static void expect(const char *what, const char *got, const char *wanted)
{
    if (strstr(got, wanted) == NULL) {
        fail_msg("%s:\n  got    '%s'\n  wanted '%s'", what, got, wanted);
    }
}

/* ------------------------------------------------------------------- one line of a good file exchanged */

static void good_file(char *text, size_t size, size_t line, const char *instead)
{
    text[0] = '\0';
    for (size_t i = 1; i <= N_GOOD; i++) {
        const char *use = i == line ? instead : good_lines[i - 1];
        if (use == REMOVED) {
            continue;
        }
        size_t n = strlen(text);
        snprintf(text + n, size - n, "%s\n", use);
    }
}

static void test_one_line_exchanged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof line_cases / sizeof line_cases[0]; i++) {
        const line_case *c = &line_cases[i];
        char text[4096], what[200];
        good_file(text, sizeof text, c->line, c->instead);
        snprintf(what, sizeof what, "case %zu, line %zu '%s'", i, c->line, c->instead == REMOVED ? "-" : c->instead);
        loaded *l = load(text);
        if (l->status != c->status) {
            fail_msg("%s: status %d, wanted %d: %s", what, l->status, c->status, crp_context_error(l->context));
        }
        if (c->status != CRP_OK) {
            expect(what, crp_context_error(l->context), c->message);
            assert_true(strncmp(crp_context_error(l->context), PATH ":", strlen(PATH ":")) == 0);
        } else if (c->message == NULL) {
            assert_string_equal(l->log.text, "");
        } else {
            expect(what, l->log.text, c->message);
        }
        unload(l);
    }
}

/* A file cut after any of its lines ends in an error that names the last line and what is missing there. */
static void test_cut_after_every_line(void **state)
{
    (void)state;
    static const char *const missing[] = {"the file version (1.0)", "the number of runs",   "the output file name of run 1",
                                          "the number of photons", "dz dr",              "nz nr na",
                                          "the number of layers", "n of the medium above", "layer 1",
                                          "layer 2",             "n of the medium below"};
    for (size_t n = 0; n < N_GOOD; n++) {
        char text[1024] = "", wanted[200];
        for (size_t i = 0; i < n; i++) {
            strcat(text, good_lines[i]);
            strcat(text, "\n");
        }
        snprintf(wanted, sizeof wanted, PATH ":%zu: the file ends where %s is expected", n == 0 ? 1 : n, missing[n]);
        loaded *l = load(text);
        assert_int_equal(l->status, CRP_ERR_FORMAT);
        expect("cut file", crp_context_error(l->context), wanted);
        unload(l);
    }
}

/* ------------------------------------------------------------------------------------------- whole files */

static void check_good(const loaded *l, size_t i)
{
    const light_model *light = light_of(l, i);
    assert_int_equal(light->n_layers, 2);
    assert_true(light->dz == 0.01 && light->dr == 0.02);
    assert_true(light->nz == 10 && light->nr == 20 && light->na == 30);
    assert_true(light->n_above == 1.1 && light->n_below == 1.2);
    assert_true(light->layers[0].n == 1.37 && light->layers[0].mu_a == 1.0 && light->layers[0].mu_s == 100.0);
    assert_true(light->layers[0].g == 0.9 && light->layers[0].d == 0.1);
    assert_true(light->layers[1].n == 1.38 && light->layers[1].mu_a == 2.0 && light->layers[1].mu_s == 10.0);
    assert_true(light->layers[1].g == 0.0 && light->layers[1].d == 0.2);
    assert_true(light->weight_threshold == 1e-4 && light->roulette_chance == 0.1);
    assert_false(light->score_fluence);
    assert_int_equal(crp_model_histories(crp_input_model(l->input, i)), 1000);
    assert_string_equal(crp_model_kind(crp_input_model(l->input, i)), "light");
}

static void test_fields(void **state)
{
    (void)state;
    char text[1024];
    good_file(text, sizeof text, 3, "folder/out.mco b");
    loaded *l = load(text);
    assert_int_equal(l->status, CRP_OK);
    assert_int_equal(crp_input_n_models(l->input), 1);
    check_good(l, 0);
    assert_string_equal(light_of(l, 0)->mco_path, "folder/out.mco");
    assert_int_equal(light_of(l, 0)->mco_format, 'B');
    assert_string_equal(light_of(l, 0)->mci_version, "1.0");
    assert_string_equal(crp_model_name(crp_input_model(l->input, 0)), "out");
    assert_int_equal(strlen(crp_model_digest(crp_input_model(l->input, 0))), 64);
    assert_null(crp_input_model(l->input, 1));
    unload(l);
}

/* Comments, blanks, tabs, line ends and a byte order mark change nothing, the digest included. */
static void test_layout_is_free(void **state)
{
    (void)state;
    char text[1024];
    good_file(text, sizeof text, 0, "");
    loaded *plain = load(text);
    assert_int_equal(plain->status, CRP_OK);
    static const char *const forms[] = {
        /* carriage returns, also on blank lines and behind comments */
        "1.0\r\n1\r\n\r\n# comment\r\n \t\r\nout.mco A\r\n1000\r\n0.01 0.02\r\n10 20 30\r\n2\r\n1.1\r\n"
        "1.37 1 100 0.9 0.1\r\n1.38 2 10 0 0.2\r\n1.2\r\n",
        /* old Macintosh */
        "1.0\r1\rout.mco A\r1000\r0.01 0.02\r10 20 30\r2\r1.1\r1.37 1 100 0.9 0.1\r1.38 2 10 0 0.2\r1.2\r",
        /* tabs, form feeds, indented comments, no newline at the end */
        "\n\n  # c\n\t\t#c\n\t1.0\t#v\n\f1\n  out.mco\tA#x\n1000#\n\t0.01\t0.02\n10\t20\t30\n2\n1.1\n"
        "1.37\t1\t100\t0.9\t0.1\n1.38\v2\t10\t0\t0.2 # end\n1.2",
        /* byte order mark, comments that are not ASCII */
        "\xef\xbb\xbf# Gewebe \xc3\xbc \xce\xbc\n1.0\n# caf\xe9 in Latin-1\n1\nout.mco A\n1000\n0.01 0.02\n10 20 30\n2\n"
        "1.1\n1.37 1 100 0.9 0.1 # \xce\xbc_a\n1.38 2 10 0 0.2\n1.2\n",
        /* other spellings of the same numbers */
        "1.0\n1\nout.mco A\n+1000\n1E-2 .02\n010 20 30\n2\n11e-1\n1.370 1. 1e2 .9 1e-1\n1.38 2.0 10 -0 0.2\n1.20\n",
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        loaded *l = load(forms[i]);
        if (l->status != CRP_OK) {
            fail_msg("form %zu: %s", i, crp_context_error(l->context));
        }
        check_good(l, 0);
        assert_string_equal(light_of(l, 0)->mco_path, "out.mco");
        assert_string_equal(crp_model_digest(crp_input_model(l->input, 0)),
                            crp_model_digest(crp_input_model(plain->input, 0)));
        unload(l);
    }
    unload(plain);
}

/* MCML takes what lies behind character 254 of a comment for the next line; here a comment is a comment. */
static void test_long_comment(void **state)
{
    (void)state;
    char text[2048], comment[600];
    memset(comment, '#', sizeof comment);
    memcpy(comment + 300, "\n", 2);
    memcpy(comment + 254, " 7 ", 3);
    good_file(text, sizeof text, 0, "");
    char *file = malloc(4096);
    assert_non_null(file);
    snprintf(file, 4096, "1.0\n%s%s", comment, text + 4);
    loaded *l = load(file);
    assert_int_equal(l->status, CRP_OK);
    check_good(l, 0);
    expect("long comment", l->log.text, PATH ":2: comment of 300 characters (MCML itself reads lines in pieces of 254");
    assert_int_equal(l->log.n_warnings, 1);
    unload(l);
    /* a data line may be as long: its numbers stand in front */
    comment[1] = '\0';
    char line[500];
    memset(line, ' ', sizeof line);
    memcpy(line, "1000 #", 6);
    memcpy(line + 450, "no\0", 3);
    good_file(file, 4096, 4, line);
    l = load(file);
    assert_int_equal(l->status, CRP_OK);
    check_good(l, 0);
    expect("long line", l->log.text, PATH ":4: 452 characters (MCML itself");
    unload(l);
    free(file);
}

#define STACK "1000\n0.01 0.02\n10 20 30\n2\n1.1\n1.37 1 100 0.9 0.1\n1.38 2 10 0 0.2\n1.2\n"

static void test_several_runs(void **state)
{
    (void)state;
    loaded *l = load("1.0\n5\na.mco B\n" STACK "b.mco\n" STACK "c.mco X\n" STACK "d.mco\n" STACK "e.mco #b\n" STACK);
    assert_int_equal(l->status, CRP_OK);
    assert_int_equal(crp_input_n_models(l->input), 5);
    static const char formats[] = "BBAAA"; /* a missing letter keeps the last; anything but B is A, a '#' too */
    for (size_t i = 0; i < 5; i++) {
        char name[] = "a.mco";
        name[0] = (char)('a' + i);
        check_good(l, i);
        assert_string_equal(light_of(l, i)->mco_path, name);
        assert_int_equal(light_of(l, i)->mco_format, formats[i]);
    }
    unload(l);
    l = load("1.0\n2\na.mco B\n" STACK "b.mco\n"
             "1000\n0.01 0.02\n10 20 30\n2\n1.1\n1.37 1 100 0.9 0.1\n1.38 2 10 7 0.2\n1.2\n");
    assert_int_equal(l->status, CRP_ERR_CONFIG);
    expect("second run", crp_context_error(l->context), PATH ":19: run 2: layer 2: g = 7 must lie in [-1, 1]");
    unload(l);
}

static void test_duplicate_names(void **state)
{
    (void)state;
    static const char *const seconds[] = {"a.mco", "./a.mco", "././/a.mco"};
    for (size_t i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof text, "1.0\n3\na.mco A\n" STACK "b.mco\n" STACK "%s\n" STACK, seconds[i]);
        loaded *l = load(text);
        assert_int_equal(l->status, CRP_ERR_CONFIG);
        expect("duplicate", crp_context_error(l->context), PATH ":21: run 3: output file name '");
        expect("duplicate", crp_context_error(l->context), "is that of run 1 too (line 3;");
        unload(l);
    }
    loaded *l = load("1.0\n3\na.mco A\n" STACK "x/a.mco\n" STACK "aa.mco\n" STACK);
    assert_int_equal(l->status, CRP_OK);
    unload(l);
}

static void test_ten_thousand_runs(void **state)
{
    (void)state;
    enum { N = 10000 };
    char *text = malloc(N * 120 + 100);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "1.0\n%d\n", N);
    for (int i = 0; i < N; i++) {
        n += (size_t)sprintf(text + n, "run%d.mco A\n%s", i, STACK);
    }
    loaded *l = load_bytes(text, n, NULL);
    assert_int_equal(l->status, CRP_OK);
    assert_int_equal(crp_input_n_models(l->input), N);
    check_good(l, N - 1);
    assert_string_equal(crp_model_name(crp_input_model(l->input, N - 1)), "run9999");
    unload(l);
    free(text);
}

static void test_large_counts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t photons;
    } cases[] = {{"4294967306", 4294967306u}, /* 2^32 + 10 */
                 {"1000000000000", 1000000000000u},
                 {"1e12", 1000000000000u},
                 {"9007199254740993", 9007199254740993u}, /* 2^53 + 1 is no double */
                 {"9007199254740993.000", 9007199254740993u},
                 {"9223372036854775807", INT64_MAX},
                 {"92233720368547758.07e2", INT64_MAX},
                 {"1000000000000000000000000000e-24", 1000},
                 {"0000000000000000000000000000012", 12}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        good_file(text, sizeof text, 4, cases[i].text);
        loaded *l = load(text);
        if (l->status != CRP_OK || crp_model_histories(crp_input_model(l->input, 0)) != cases[i].photons) {
            fail_msg("'%s': %s", cases[i].text, crp_context_error(l->context));
        }
        unload(l);
    }
    char text[1024];
    good_file(text, sizeof text, 6, "40000 32768 1");
    loaded *l = load(text);
    assert_int_equal(l->status, CRP_OK);
    assert_int_equal(light_of(l, 0)->nz, 40000);
    assert_int_equal(light_of(l, 0)->nr, 32768);
    assert_int_equal(l->log.n_warnings, 2);
    unload(l);
}

static void test_semi_infinite(void **state)
{
    (void)state;
    char text[1024];
    good_file(text, sizeof text, 10, "1.37 1 100 -1 inf");
    loaded *l = load(text);
    assert_int_equal(l->status, CRP_OK);
    assert_true(light_of(l, 0)->layers[1].d == 1e8 && light_of(l, 0)->layers[1].g == -1.0);
    unload(l);
}

/* Settings reach every run and are checked like the file. */
static void test_settings(void **state)
{
    (void)state;
    static const char text[] = "1.0\n2\na.mco A\n" STACK "b.mco\n" STACK;
    const char *settings[] = {"grid.nz=77", "layers.2.mu_a=0.5"};
    crp_input_options options = crp_input_options_default();
    options.settings = settings;
    options.n_settings = 2;
    loaded *plain = load(text);
    loaded *l = load_bytes(text, strlen(text), &options);
    if (l->status != CRP_OK) {
        fail_msg("%s", crp_context_error(l->context));
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(light_of(l, i)->nz, 77);
        assert_true(light_of(l, i)->layers[1].mu_a == 0.5);
        assert_string_not_equal(crp_model_digest(crp_input_model(l->input, i)),
                                crp_model_digest(crp_input_model(plain->input, i)));
    }
    unload(l);
    settings[1] = "layers.2.g=3";
    l = load_bytes(text, strlen(text), &options);
    assert_int_equal(l->status, CRP_ERR_CONFIG);
    expect("setting", crp_context_error(l->context), "layers.2.g=3");
    unload(l);
    settings[1] = "grid.nr=1000000"; /* each number is fine, the grid is too large */
    settings[0] = "grid.nz=1000000";
    l = load_bytes(text, strlen(text), &options);
    assert_int_equal(l->status, CRP_ERR_CONFIG);
    expect("setting", crp_context_error(l->context), PATH ": run 1 with the given settings: a grid of nz = 1000000");
    unload(l);
    unload(plain);
}

static void test_hostile(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *message;
    } cases[] = {
        {"", 0, PATH ":1: the file ends where the file version (1.0) is expected"},
        {"\n\n# only\n", 9, PATH ":3: the file ends where the file version"},
        {"1.0\n1\0\n", 7, PATH ":2: holds a NUL byte"},
        {"\0", 1, PATH ":1: holds a NUL byte"},
        {"\x7f\x45\x4c\x46\x02\x01\x01\n\x03\n", 10, PATH ":2: the file ends where the number of runs is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        loaded *l = load_bytes(cases[i].text, cases[i].n, NULL);
        assert_int_equal(l->status, CRP_ERR_FORMAT);
        expect("hostile", crp_context_error(l->context), cases[i].message);
        unload(l);
    }
    /* A name longer than a path can be, and a line of a million characters. */
    enum { N = 1000000 };
    char *text = malloc(N + 100);
    assert_non_null(text);
    memset(text, 'x', N + 100);
    memcpy(text, "1.0\n1\n", 6);
    loaded *l = load_bytes(text, N, NULL);
    assert_int_equal(l->status, CRP_ERR_FORMAT);
    expect("long name", crp_context_error(l->context), PATH ":3: the output file name has ");
    unload(l);
    free(text);
}

/* Thousands of the same warning would bury the one that matters. */
static void test_warnings_are_capped(void **state)
{
    (void)state;
    enum { N = 300 };
    char *text = malloc(N * 200);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "1.0\n%d\n", N);
    for (int i = 0; i < N; i++) {
        n += (size_t)sprintf(text + n, "run%d.mco A\n%s", i, "1e3\n0.01 0.02\n10 20 30\n1\n1\n1 1 1 0 1\n1\n");
    }
    loaded *l = load_bytes(text, n, NULL);
    assert_int_equal(l->status, CRP_OK);
    assert_int_equal(l->log.n_warnings, 51);
    expect("cap", l->log.text, PATH ": more warnings are not shown");
    unload(l);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_line_exchanged), cmocka_unit_test(test_cut_after_every_line),
        cmocka_unit_test(test_fields),             cmocka_unit_test(test_layout_is_free),
        cmocka_unit_test(test_long_comment),       cmocka_unit_test(test_several_runs),
        cmocka_unit_test(test_duplicate_names),    cmocka_unit_test(test_ten_thousand_runs),
        cmocka_unit_test(test_large_counts),       cmocka_unit_test(test_semi_infinite),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_hostile),            cmocka_unit_test(test_warnings_are_capped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
