/** Molecules that lie too close together: see chem_crowd.h. */
#include "model/chem/chem_crowd.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>

/* Pairs of one step: some hours on a core, and a candidate each where they are in contact. */
static const double MOST_PAIRS = 1.0e11;

/* So few molecules cannot make as many. */
static const size_t FEW = 400000;

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

static uint64_t key_of(const chem_molecule *m, double cell)
{
    uint64_t x = (uint64_t)(int64_t)floor(m->x / cell), y = (uint64_t)(int64_t)floor(m->y / cell),
             z = (uint64_t)(int64_t)floor(m->z / cell);
    return (x & 0x1fffff) | (y & 0x1fffff) << 21 | (z & 0x1fffff) << 42;
}

static double count_pairs(const uint64_t *keys, size_t n)
{
    double pairs = 0.0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && keys[end] == keys[i]) {
            ++end;
        }
        pairs += 0.5 * (double)(end - i) * (double)(end - i - 1);
        i = end;
    }
    return pairs;
}

crp_status chem_crowd_check(crp_context *context, const chem_model *model, double cell)
{
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        const chem_track *t = &model->tracks[i];
        if (t->n_molecules <= FEW) {
            continue;
        }
        uint64_t *keys = malloc(t->n_molecules * sizeof *keys);
        CRP_CHECK(context, keys != NULL, CRP_ERR_MEMORY, "no memory to look at %zu molecules", t->n_molecules);
        for (size_t k = 0; k < t->n_molecules; ++k) {
            keys[k] = key_of(&t->molecules[k], cell);
        }
        qsort(keys, t->n_molecules, sizeof *keys, compare_keys);
        double pairs = count_pairs(keys, t->n_molecules);
        free(keys);
        CRP_CHECK(context, pairs <= MOST_PAIRS, CRP_ERR_CONFIG,
                  "track %u: its molecules make %.2g pairs within %.2g nm, denser than matter (at most %.0g can be asked): are the "
                  "positions in nm?", i + 1, pairs, cell, MOST_PAIRS);
    }
    return CRP_OK;
}
