/** The built-in cases of `corpuscle bench`: see bench_cases.h. */
#include "cli/bench_cases.h"

#include <stddef.h>

/* The models of GPU-MCML's samples, on which others have been measured; without fluence, which MCML does not tally. */
const bench_case bench_cases[] = {
    {"light", "5-layer 633 nm", "light-skin5", "scores.fluence=false", 1000000, 1000000000, 90900.0},
    {"light", "7-layer 600 nm", "light-skin7", "scores.fluence=false", 300000, 300000000, 25400.0},
    {"chem", "spurs, exact", "chem-water", "chem.method=exact", 20, 2000, 0.0},
    {"chem", "spurs, irt", "chem-water", "chem.method=irt", 20, 2000, 0.0},
    {"chem", "proton 50 um, exact", "chem-track", "chem.method=exact", 1, 32, 0.0},
    {"chem", "proton 50 um, irt", "chem-track", "chem.method=irt", 1, 32, 0.0},
    {NULL, NULL, NULL, NULL, 0, 0, 0.0},
};
