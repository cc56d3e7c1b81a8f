/** The built-in cases of `corpuscle bench`: see bench_cases.h. */
#include "cli/bench_cases.h"

#include <stddef.h>

/* Light: the models of GPU-MCML's samples, on which others have been measured; without fluence, which MCML does not tally.
 * Peer: original MCML 1.2.2, gcc -O3.
 * Gas: tubes of n flat walls, L/R = 100. Peer: molflowCLI 2.9.25, gcc 12 -O3.
 * Chem: spurs of a fast electron and a dense track, no peer that runs on one core in seconds. */
const bench_case bench_cases[] = {
    {"light", "5-layer 633 nm", "light-skin5", {"scores.fluence=false"}, 1000000, 1000000000, NULL, "photons/ms", 1e3, "MCML",
     90900.0},
    {"light", "7-layer 600 nm", "light-skin7", {"scores.fluence=false"}, 300000, 300000000, NULL, "photons/ms", 1e3, "MCML",
     25400.0},
    {"gas", "G(100,100)", "gas-tube", {"length_over_radius=100", "sides=100"}, 100000, 400000000, "hits", "Mhits/s", 1e6,
     "Molflow", 1.50e6},
    {"gas", "G(100,1000)", "gas-tube", {"length_over_radius=100", "sides=1000"}, 60000, 200000000, "hits", "Mhits/s", 1e6,
     "Molflow", 1.01e6},
    {"gas", "G(100,10000)", "gas-tube", {"length_over_radius=100", "sides=10000"}, 20000, 60000000, "hits", "Mhits/s", 1e6,
     "Molflow", 0.0},
    {"chem", "spurs, exact", "chem-water", {"chem.method=exact"}, 20, 2000, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "spurs, irt", "chem-water", {"chem.method=irt"}, 20, 2000, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "proton 10 um, exact", "chem-track", {"chem.method=exact"}, 1, 160, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "proton 10 um, irt", "chem-track", {"chem.method=irt"}, 4, 160, NULL, "tracks/s", 1.0, NULL, 0.0},
    {NULL, NULL, NULL, {NULL}, 0, 0, NULL, NULL, 0.0, NULL, 0.0},
};

const bench_case bench_own_cases[] = {
    {"light", "as it is", NULL, {NULL}, 100000, 100000000, NULL, "photons/ms", 1e3, "MCML", 0.0},
    {"gas", "as it is", NULL, {NULL}, 100000, 10000000, "hits", "Mhits/s", 1e6, "Molflow", 0.0},
    {"chem", "exact", NULL, {"chem.method=exact"}, 1, 1, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "exact, copies", NULL, {"chem.method=exact"}, 0, 100, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "irt", NULL, {"chem.method=irt"}, 1, 100, NULL, "tracks/s", 1.0, NULL, 0.0},
    {"chem", "paper", NULL, {"chem.method=paper"}, 0, 1, NULL, "tracks/s", 1.0, NULL, 0.0},
    {NULL, NULL, NULL, {NULL}, 0, 0, NULL, NULL, 0.0, NULL, 0.0},
};
