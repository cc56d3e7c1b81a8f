/** A result with every kind of tally (scalar, edges, counting axis, scale, overflow bin), filled from a fixed stream.
 */
#ifndef TESTS_UNIT_RESULT_FIXTURE_H
#define TESTS_UNIT_RESULT_FIXTURE_H

#include "core/context.h"
#include "engine/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/** splitmix64 (Steele, Lea and Flood 2014): a fixed stream for tests. */
static inline uint64_t fixture_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double fixture_uniform(uint64_t *state)
{
    return ((double)(fixture_random(state) >> 11) + 0.5) * 0x1p-53;
}

static inline void fixture_axis(tally_spec *t, unsigned k, const char *name, const char *unit, size_t n, double step,
                                bool overflow)
{
    snprintf(t->axis_name[k], sizeof t->axis_name[k], "%s", name);
    snprintf(t->axis_unit[k], sizeof t->axis_unit[k], "%s", unit);
    t->shape[k] = n;
    t->n_bins *= n;
    t->n_dims = k + 1;
    if (step > 0) {
        t->axis_edges[k] = malloc((n + 1) * sizeof(double));
        for (size_t i = 0; i <= n; i++) {
            t->axis_edges[k][i] = (double)i * step;
        }
        if (overflow) {
            t->axis_edges[k][n] = (double)INFINITY;
        }
    }
}

static inline void fixture_tally(tally_spec *t, const char *name, const char *unit, double quantum)
{
    memset(t, 0, sizeof *t);
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->description, sizeof t->description, "test tally %s, \xc2\xb5_a \"quoted\"", name);
    snprintf(t->unit, sizeof t->unit, "%s", unit);
    t->quantum = quantum;
    t->n_bins = 1;
}

enum { FIXTURE_TALLIES = 4, FIXTURE_LAYERS = 3, FIXTURE_NA = 5 };

/** Empty result: Rd (scalar), absorbed_fraction (3 layers), Rd_a (5 angles), A_rz (nr x nz with overflow bins). */
static inline crp_result *fixture_empty(crp_context *context, size_t nr, size_t nz)
{
    tally_spec t[FIXTURE_TALLIES];
    fixture_tally(&t[0], "Rd", "1", 0x1p-30);
    fixture_tally(&t[1], "absorbed_fraction", "1", 0x1p-30);
    fixture_axis(&t[1], 0, "layer", "", FIXTURE_LAYERS, 0, false);
    fixture_tally(&t[2], "Rd_a", "1/sr", 0x1p-30);
    fixture_axis(&t[2], 0, "alpha", "rad", FIXTURE_NA, 1.5707963267948966 / FIXTURE_NA, false);
    fixture_tally(&t[3], "A_rz", "1/cm3", 0x1p-30);
    fixture_axis(&t[3], 0, "r", "cm", nr, 0.01, true);
    fixture_axis(&t[3], 1, "z", "cm", nz, 0.002, true);
    t[3].scale = malloc(nr * nz * sizeof(double));
    for (size_t i = 0; i < nr * nz; i++) {
        t[3].scale[i] = 1 / (6.283185307179586 * ((double)(i / nz) + 0.5) * 0.01 * 0.01 * 0.002);
    }
    size_t offset = 0;
    for (size_t i = 0; i < FIXTURE_TALLIES; i++) {
        t[i].offset = offset;
        offset += t[i].n_bins;
    }
    crp_result *r = NULL;
    assert_int_equal(result_allocate(context, FIXTURE_TALLIES, offset, 2, 1 + FIXTURE_LAYERS, &r), CRP_OK);
    memcpy(r->tallies, t, sizeof t);
    strcpy(r->kind, "light");
    strcpy(r->history_name, "photons");
    strcpy(r->model_name, "skin \"7\"");
    memset(r->model_digest, 'a', 64);
    r->model_text = strdup("kind: light\nlayers:\n  - {n: 1.4}\n");
    strcpy(r->version, "0.1.0");
    strcpy(r->commit, "0123456789ab");
    strcpy(r->device, "cpu (x86-64-v3, 2 threads)");
    r->n_devices = 2;
    r->devices = calloc(2, sizeof *r->devices);
    r->devices[0] = (result_device){.label = "cpu (x86-64-v3, 2 threads)", .host = "here", .histories = 700};
    r->devices[1] = (result_device){.label = "cuda:1 (GPU)", .host = "there", .rank = 3, .histories = 5, .is_dropped = 1};
    strcpy(r->math, "strict");
    strcpy(r->date, "2024-01-02T03:04:05Z");
    strcpy(r->host, "nowhere");
    strcpy(r->until, "rel_err(Rd)<1%");
    r->seed = UINT64_C(0xfedcba9876543210);
    r->seconds = 1.25;
    strcpy(r->events[0].name, "roulette");
    strcpy(r->events[1].name, "lost_history");
    r->events[1].is_fault = true;
    strcpy(r->results[0].name, "Rd");
    for (size_t i = 0; i < FIXTURE_LAYERS; i++) {
        strcpy(r->results[1 + i].name, "absorbed_fraction");
        snprintf(r->results[1 + i].of_name, sizeof r->results[1 + i].of_name, "layer %zu", i + 1);
        r->results[1 + i].of = (int64_t)i + 1;
        r->results[1 + i].tally = 1;
        r->results[1 + i].bin = t[1].offset + i;
    }
    return r;
}

/** Add batches of `n` histories (the last of `n_last`), the same numbers for the same seed and batch number.
 * Bin i gets about n (1 +- 1/sqrt(n)) times a level that falls with i; every `empty`-th bin (0: none) nothing. */
static inline void fixture_add(crp_result *r, uint64_t seed, uint32_t first, uint32_t n_batches, uint64_t n,
                               uint64_t n_last, size_t empty)
{
    crp_wide *bins = calloc(r->n_bins, sizeof *bins);
    r->batch_size = n;
    for (uint32_t b = first; b < first + n_batches; b++) {
        uint64_t stream = seed * 1000003 + b, size = b + 1 == first + n_batches ? n_last : n;
        for (size_t i = 0; i < r->n_bins; i++) {
            double gauss = 0;
            for (int k = 0; k < 12; k++) {
                gauss += fixture_uniform(&stream);
            }
            double level = 1e8 / (1 + (double)(i % 1000));
            double x = (double)size * level * (1 + (gauss - 6) / sqrt((double)size));
            bins[i] = empty > 0 && i % empty != 0 ? 0 : (crp_wide)x;
        }
        uint64_t events[2] = {size / 3 + b, 0};
        result_add_batch(r, bins, events, size);
    }
    r->histories_planned = r->histories;
    result_digest(r);
    free(bins);
}

#endif
