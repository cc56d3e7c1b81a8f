/* The .mci reader: every field out of range, missing or doubled; every habit of MCML's own reader. */
#include "core/context.h"
#include "model/light/light.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PATH "test.mci"

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

static const char *const good_lines[] = {
    "1.0",                /* 1 */
    "1",                  /* 2 */
    "out.mco A",          /* 3 */
    "1000",               /* 4 */
    "0.01 0.02",          /* 5 */
    "10 20 30",           /* 6 */
    "2",                  /* 7 */
    "1.1",                /* 8 */
    "1.37 1 100 0.9 0.1", /* 9 */
    "1.38 2 10 0 0.2",    /* 10 */
    "1.2",                /* 11 */
};
enum { N_GOOD = sizeof good_lines / sizeof good_lines[0] };

#define REMOVED ((const char *)-1)

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

typedef struct line_case {
    size_t line;
    const char *instead;
    crp_status status;
    const char *message; /* of the error, or of the only warning; NULL: neither */
} line_case;

static const line_case line_cases[] = {
    {0, "", CRP_OK, NULL},
    /* version */
    {1, "1.0 # file version", CRP_OK, NULL},
    {1, "\t 1.2\t# file version", CRP_OK, NULL},
    {1, "1.0 of 1995", CRP_OK, PATH ":1: text behind the last number is ignored (as MCML does): 'of 1995'"},
    {1, "Version", CRP_OK, PATH ":1: 'Version' is taken for the file version"},
    {1, "mcmli2.0", CRP_ERR_UNSUPPORTED, PATH ":1: 'mcmli2.0' is an input file of MCML 2.0"},
    {1, "A1 # Version number", CRP_ERR_UNSUPPORTED, PATH ":1: 'A1' begins a file of MCML results"},
    {1, "mcmloA2.0", CRP_ERR_UNSUPPORTED, PATH ":1: 'mcmloA2.0' begins a file of MCML results"},
    {1, "a-very-long-first-word", CRP_ERR_FORMAT, PATH ":1: 'a-very-long-first-word' is not a file version"},
    {1, REMOVED, CRP_ERR_FORMAT, PATH ":2: number of runs = 'out.mco' is not a number"},
    /* number of runs */
    {2, "1 # run", CRP_OK, NULL},
    {2, "+1", CRP_OK, NULL},
    {2, "1 1", CRP_OK, PATH ":2: text behind the last number is ignored (as MCML does): '1'"},
    {2, "0", CRP_ERR_CONFIG, PATH ":2: number of runs = 0 must be at least 1"},
    {2, "-1", CRP_ERR_CONFIG, PATH ":2: number of runs = -1 must be at least 1"},
    {2, "one", CRP_ERR_FORMAT, PATH ":2: number of runs = 'one' is not a number"},
    {2, "1.5", CRP_ERR_CONFIG, PATH ":2: number of runs = 1.5 must be a whole number"},
    {2, "100001", CRP_ERR_CONFIG, PATH ":2: number of runs = 100001 must be at most 100000"},
    {2, "1e30", CRP_ERR_CONFIG, PATH ":2: number of runs = 1e30 must be at most 100000"},
    {2, "nan", CRP_ERR_CONFIG, PATH ":2: number of runs = nan must be at least 1"},
    {2, "inf", CRP_ERR_CONFIG, PATH ":2: number of runs = inf must be at most 100000"},
    {2, "0x1", CRP_ERR_CONFIG, PATH ":2: number of runs = 0x1 must be a whole number"},
    {2, "99999999999999999999999999999999999999999999", CRP_ERR_CONFIG,
     PATH ":2: number of runs = 999999999999999999999999... must be at most 100000"},
    {2, "2", CRP_ERR_FORMAT,
     PATH ":11: run 2: the file ends where the output file name of run 2 is expected (line 2 announces 2 runs)"},
    {2, "40000", CRP_ERR_FORMAT, "(line 2 announces 40000 runs)"},
    {2, REMOVED, CRP_ERR_FORMAT, PATH ":2: number of runs = 'out.mco' is not a number"},
    /* output file and format */
    {3, "out.mco", CRP_OK, NULL},
    {3, "out.mco ASCII", CRP_OK, NULL},
    {3, "out.mco\tB # binary", CRP_OK, NULL},
    {3, "out.mco A A", CRP_OK, PATH ":3: text behind the last number is ignored (as MCML does): 'A'"},
    {3, "out.mco#comment A", CRP_OK, PATH ":3: 'out.mco#comment' with its '#' is the output file name"},
    {3, "\xc3\xbc.mco A", CRP_OK, PATH ":3: holds bytes beyond ASCII"},
    {3, "ou\x01t.mco A", CRP_OK, PATH ":3: control characters are left out"},
    {3, PATH " A", CRP_ERR_CONFIG, PATH ":3: the output file is this input file itself"},
    {3, "1000.mco A", CRP_OK, NULL},
    {3, "1000 A", CRP_OK, PATH ":3: '1000' is the output file name (is the line of the name missing?)"},
    {3, REMOVED, CRP_ERR_CONFIG, PATH ":4: number of photons = 0.01 must be a whole number"},
    /* photons */
    {4, "1000 photons", CRP_OK, PATH ":4: text behind the last number is ignored (as MCML does): 'photons'"},
    {4, "1000photons", CRP_OK, PATH ":4: text behind the last number is ignored (as MCML does): 'photons'"},
    {4, "1000 1000", CRP_OK, PATH ":4: text behind the last number is ignored (as MCML does): '1000'"},
    {4, "1e5", CRP_OK, PATH ":4: number of photons = 1e5 is taken as 100000 (MCML itself would read 1) write 100000"},
    {4, "2.5E6 # photons", CRP_OK, PATH ":4: number of photons = 2.5E6 is taken as 2500000 (MCML itself would read 2)"},
    {4, ".5e3", CRP_OK, PATH ":4: number of photons = .5e3 is taken as 500 (MCML itself cannot read it) write 500"},
    {4, "0", CRP_ERR_CONFIG, PATH ":4: number of photons = 0 must be at least 1"},
    {4, "-1000", CRP_ERR_CONFIG, PATH ":4: number of photons = -1000 must be at least 1"},
    {4, "1e-1", CRP_ERR_CONFIG, PATH ":4: number of photons = 1e-1 must be a whole number"},
    {4, "1000.5", CRP_ERR_CONFIG, PATH ":4: number of photons = 1000.5 must be a whole number"},
    {4, "1e19", CRP_ERR_CONFIG, PATH ":4: number of photons = 1e19 must be at most 9223372036854775807"},
    {4, "9223372036854775808", CRP_ERR_CONFIG, PATH ":4: number of photons = 9223372036854775808 must be at most"},
    {4, "1e999999999999", CRP_ERR_CONFIG, PATH ":4: number of photons = 1e999999999999 must be at most"},
    {4, "1e-999999999999", CRP_ERR_CONFIG, PATH ":4: number of photons = 1e-999999999999 must be at least 1"},
    {4, "many", CRP_ERR_FORMAT, PATH ":4: number of photons = 'many' is not a number"},
    {4, "1,000", CRP_ERR_FORMAT, PATH ":4: number of photons = '1,000' is not a number"},
    {4, "1000\xc2\xa0photons", CRP_OK, "\\xc2\\xa0photons'"},
    {4, REMOVED, CRP_ERR_CONFIG, PATH ":4: number of photons = 0.01 must be a whole number"},
    /* dz dr */
    {5, "0.01 0.02 # dz, dr", CRP_OK, NULL},
    {5, "1E-2 20.E-3", CRP_OK, NULL},
    {5, "0.01 0.02 0.03", CRP_OK, PATH ":5: text behind the last number is ignored (as MCML does): '0.03'"},
    {5, "0.01", CRP_ERR_FORMAT, PATH ":5: dr is missing (the line must hold dz dr): '0.01'"},
    {5, "0.01 # 0.02", CRP_ERR_FORMAT, PATH ":5: dr is missing"},
    {5, "0 0.02", CRP_ERR_CONFIG, PATH ":5: dz = 0 must be larger than 0"},
    {5, "0.01 0", CRP_ERR_CONFIG, PATH ":5: dr = 0 must be larger than 0"},
    {5, "-0.01 0.02", CRP_ERR_CONFIG, PATH ":5: dz = -0.01 must be larger than 0"},
    {5, "0.01 -0.02", CRP_ERR_CONFIG, PATH ":5: dr = -0.02 must be larger than 0"},
    {5, "1e-300 0.02", CRP_ERR_CONFIG, PATH ":5: dz = 1e-300 must lie in [1e-12, 1e12]"},
    {5, "0.01 1e300", CRP_ERR_CONFIG, PATH ":5: dr = 1e300 must lie in [1e-12, 1e12]"},
    {5, "nan 0.02", CRP_ERR_CONFIG, PATH ":5: dz = nan must be larger than 0"},
    {5, "0.01, 0.02", CRP_ERR_FORMAT, PATH ":5: dz = '0.01,' is not a number (the line must hold dz dr, parted by blanks"},
    {5, "0.01cm 0.02cm", CRP_ERR_FORMAT, PATH ":5: dz = '0.01cm' is not a number"},
    {5, "0.01 0.02cm", CRP_OK, PATH ":5: text behind the last number is ignored (as MCML does): 'cm'"},
    {5, "0.01 0,02", CRP_ERR_FORMAT, PATH ":5: dr = '0,02' is not a number"},
    {5, "0.01 2.0D-2", CRP_ERR_FORMAT, PATH ":5: dr = '2.0D-2' is not a number"},
    {5, REMOVED, CRP_ERR_FORMAT, PATH ":6: nr is missing (the line must hold nz nr na): '2'"},
    /* nz nr na */
    {6, "10 20 30 # bins", CRP_OK, NULL},
    {6, "1 1 1", CRP_OK, NULL},
    {6, "10 20 30 40", CRP_OK, PATH ":6: text behind the last number is ignored (as MCML does): '40'"},
    {6, "10 20", CRP_ERR_FORMAT, PATH ":6: na is missing (the line must hold nz nr na): '10 20'"},
    {6, "10", CRP_ERR_FORMAT, PATH ":6: nr is missing"},
    {6, "0 20 30", CRP_ERR_CONFIG, PATH ":6: nz = 0 must be at least 1"},
    {6, "10 0 30", CRP_ERR_CONFIG, PATH ":6: nr = 0 must be at least 1"},
    {6, "10 20 0", CRP_ERR_CONFIG, PATH ":6: na = 0 must be at least 1"},
    {6, "-10 20 30", CRP_ERR_CONFIG, PATH ":6: nz = -10 must be at least 1"},
    {6, "10.5 20 30", CRP_ERR_CONFIG, PATH ":6: nz = 10.5 must be a whole number"},
    {6, "40000 20 30", CRP_OK, PATH ":6: nz = 40000 is used as it is (MCML itself has at most 32767 here"},
    {6, "10 40000 30", CRP_OK, PATH ":6: nr = 40000 is used as it is"},
    {6, "10 20 40000", CRP_OK, PATH ":6: na = 40000 is used as it is"},
    {6, "1e2 20 30", CRP_OK, PATH ":6: nz = 1e2 is taken as 100 (MCML itself would read 1) write 100"},
    {6, "1000001 20 30", CRP_ERR_CONFIG, PATH ":6: nz = 1000001 must be at most 1000000"},
    {6, "10 4294967297 30", CRP_ERR_CONFIG, PATH ":6: nr = 4294967297 must be at most 1000000"},
    {6, "1000000 1000000 30", CRP_ERR_CONFIG, PATH ":6: a grid of nz = 1000000, nr = 1000000, na = 30 needs"},
    {6, "1 1000000 1000000", CRP_ERR_CONFIG, PATH ":6: a grid of nz = 1, nr = 1000000, na = 1000000 needs"},
    {6, "a b c", CRP_ERR_FORMAT, PATH ":6: nz = 'a' is not a number"},
    {6, REMOVED, CRP_ERR_FORMAT, PATH ":6: nr is missing (the line must hold nz nr na): '2'"},
    /* number of layers */
    {7, "2 # layers", CRP_OK, NULL},
    {7, "2 2", CRP_OK, PATH ":7: text behind the last number is ignored (as MCML does): '2'"},
    {7, "0", CRP_ERR_CONFIG, PATH ":7: number of layers = 0 must be at least 1"},
    {7, "-2", CRP_ERR_CONFIG, PATH ":7: number of layers = -2 must be at least 1"},
    {7, "2.5", CRP_ERR_CONFIG, PATH ":7: number of layers = 2.5 must be a whole number"},
    {7, "1000001", CRP_ERR_CONFIG, PATH ":7: number of layers = 1000001 must be at most 1000000"},
    {7, "18446744073709551618", CRP_ERR_CONFIG, PATH ":7: number of layers = 18446744073709551618 must be at most"},
    {7, "3", CRP_ERR_FORMAT, PATH ":11: layer 3: mu_a is missing (the line must hold n mu_a mu_s g d): '1.2'"},
    {7, "4", CRP_ERR_FORMAT, PATH ":11: layer 3: mu_a is missing"},
    {7, "two", CRP_ERR_FORMAT, PATH ":7: number of layers = 'two' is not a number"},
    {7, REMOVED, CRP_ERR_CONFIG, PATH ":7: number of layers = 1.1 must be a whole number"},
    /* n above */
    {8, "1.1 # above", CRP_OK, NULL},
    {8, "1.1 1.2", CRP_OK, PATH ":8: text behind the last number is ignored (as MCML does): '1.2'"},
    {8, "0", CRP_ERR_CONFIG, PATH ":8: n of the medium above = 0 must be larger than 0 (a refractive index"},
    {8, "-1", CRP_ERR_CONFIG, PATH ":8: n of the medium above = -1 must be larger than 0"},
    {8, "101", CRP_ERR_CONFIG, PATH ":8: n of the medium above = 101 must lie in [0.01, 100]"},
    {8, "nan", CRP_ERR_CONFIG, PATH ":8: n of the medium above = nan must be larger than 0"},
    {8, "air", CRP_ERR_FORMAT, PATH ":8: n of the medium above = 'air' is not a number"},
    {8, REMOVED, CRP_ERR_FORMAT, PATH ":10: layer 2: mu_a is missing (the line must hold n mu_a mu_s g d): '1.2'"},
    /* layers */
    {9, "1.37\t1\t100\t0.9\t0.1\t# layer 1", CRP_OK, NULL},
    {9, "1.37 1 100 0.9 0.1#glued", CRP_OK, NULL},
    {9, "0.98 0 0 1 1e8", CRP_OK, "layer 1: d = 1e+08 cm is semi-infinite, so no photon reaches the 1 layer(s) below"},
    {9, "1.37 1 100 0.9 0.1 0.5", CRP_OK, PATH ":9: layer 1: text behind the last number is ignored (as MCML does): '0.5'"},
    {9, "1.37 1 100 0.9", CRP_ERR_FORMAT, PATH ":9: layer 1: d is missing (the line must hold n mu_a mu_s g d)"},
    {9, "1.37 1 100", CRP_ERR_FORMAT, PATH ":9: layer 1: g is missing"},
    {9, "1.37 1", CRP_ERR_FORMAT, PATH ":9: layer 1: mu_s is missing"},
    {9, "1.37", CRP_ERR_FORMAT, PATH ":9: layer 1: mu_a is missing"},
    {9, "0 1 100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: n = 0 must be larger than 0"},
    {9, "-1.37 1 100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: n = -1.37 must be larger than 0"},
    {9, "1e4 1 100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: n = 1e4 must lie in [0.01, 100]"},
    {9, "1.37 -1 100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: mu_a = -1 must be 0 or larger"},
    {9, "1.37 1 -100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: mu_s = -100 must be 0 or larger"},
    {9, "1.37 inf 100 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: mu_a = inf must be at most 1e12"},
    {9, "1.37 1 nan 0.9 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: mu_s = nan must be 0 or larger"},
    {9, "1.37 1 100 1.2 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: g = 1.2 must lie in [-1, 1]"},
    {9, "1.37 1 100 -1.2 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: g = -1.2 must lie in [-1, 1]"},
    {9, "1.37 1 100 nan 0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: g = nan must lie in [-1, 1]"},
    {9, "1.37 1 100 -0.5 0.1", CRP_OK, PATH ":9: layer 1: g = -0.5 is used as it is (MCML itself refuses g below 0)"},
    {9, "1.37 1 100 1 0.1", CRP_OK, NULL},
    {9, "1.37 1 100 0.9 -0.1", CRP_ERR_CONFIG, PATH ":9: layer 1: d = -0.1 must be 0 or larger"},
    {9, "1.37 1 100 0.9 nan", CRP_ERR_CONFIG, PATH ":9: layer 1: d = nan must be 0 or larger"},
    {9, "1.37 1 100 0.9 0", CRP_OK, PATH ":9: layer 1: d = 0 (a layer without thickness only adds its two faces)"},
    {9, "1.37 1 100 0.9 infinite", CRP_ERR_FORMAT, PATH ":9: layer 1: d = 'infinite' is not a number"},
    {9, "1,37 1 100 0.9 0.1", CRP_ERR_FORMAT, PATH ":9: layer 1: n = '1,37' is not a number"},
    {9, "skin 1.37 1 100 0.9 0.1", CRP_ERR_FORMAT, PATH ":9: layer 1: n = 'skin' is not a number"},
    {9, "1.37 1 100 \xe2\x88\x92" "0.9 0.1", CRP_ERR_FORMAT, PATH ":9: layer 1: g = '\\xe2\\x88\\x920.9' is not a number"},
    {9, REMOVED, CRP_ERR_FORMAT, PATH ":10: layer 2: mu_a is missing (the line must hold n mu_a mu_s g d): '1.2'"},
    {10, "1.37 1 100 -1.5 0.1", CRP_ERR_CONFIG, PATH ":10: layer 2: g = -1.5 must lie in [-1, 1]"},
    {10, "1.37 1 100 0.9 1e8", CRP_OK, NULL},
    {10, "1.37 1 100 0.9 inf", CRP_OK, NULL},
    {10, REMOVED, CRP_ERR_FORMAT, PATH ":10: layer 2: mu_a is missing"},
    /* n below, and what follows */
    {11, "1.2 # below", CRP_OK, NULL},
    {11, "1.2 1.3", CRP_OK, PATH ":11: text behind the last number is ignored (as MCML does): '1.3'"},
    {11, "0", CRP_ERR_CONFIG, PATH ":11: n of the medium below = 0 must be larger than 0"},
    {11, "glass", CRP_ERR_FORMAT, PATH ":11: n of the medium below = 'glass' is not a number"},
    {11, REMOVED, CRP_ERR_FORMAT, PATH ":10: the file ends where n of the medium below is expected"},
    {11, "1.2\nnext.mco A\n5", CRP_OK,
     PATH ":12: text after the last run is ignored (line 2 announces 1 run): 'next.mco A'"},
};

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
