/* Table of test_mci.c: a good file, and what happens when one of its lines is exchanged. */
#ifndef TESTS_UNIT_MCI_CASES_H
#define TESTS_UNIT_MCI_CASES_H

#include "corpuscle/status.h"

#include <stddef.h>

#define PATH "test.mci"

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

#endif
