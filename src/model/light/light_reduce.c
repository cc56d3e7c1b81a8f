/** From the raw words of a batch to named bins: exact integer sums, nothing else. */
#include "model/light/light_plan.h"

#include <stddef.h>

/* A(r,z) and its kin: device rows hold only the depth that the tissue reaches. Column n_z of the device is what lies
 * beyond the grid if the grid is shallower than the tissue, and empty otherwise. `by_z` (may be NULL) gets the sums over r. */
static void add_rz(const light_plan *lp, const uint64_t *words, crp_wide *rz, crp_wide *by_z)
{
    const light_model *m = lp->model;
    size_t row = lp->params.rz_row;
    for (size_t i = 0; i <= m->nr; ++i) {
        for (size_t j = 0; j <= lp->n_z_reached; ++j) {
            size_t column = j == lp->n_z_reached ? m->nz : j;
            rz[i * (m->nz + 1) + column] += words[i * row + j];
            if (by_z != NULL) {
                by_z[column] += words[i * row + j];
            }
        }
    }
}

/* The beam in clear layers above the tissue: known exactly, the same for every history, along the axis. */
static void add_beam(const light_plan *lp, uint64_t n_histories, crp_wide *rz)
{
    for (size_t j = 0; lp->beam != NULL && j <= lp->model->nz; ++j) {
        rz[j] += (crp_wide)n_histories * lp->beam[j];
    }
}

/* R(r,alpha) or T(r,alpha) and their sums over alpha and over r. */
static void add_ra(const light_model *m, const uint64_t *words, crp_wide *ra, crp_wide *by_r, crp_wide *by_alpha)
{
    for (size_t i = 0; i <= m->nr; ++i) {
        for (size_t j = 0; j < m->na; ++j) {
            uint64_t word = words[i * m->na + j];
            ra[i * m->na + j] += word;
            by_r[i] += word;
            by_alpha[j] += word;
        }
    }
}

static crp_wide sum_words(const uint64_t *words, size_t n)
{
    crp_wide sum = 0;
    for (size_t i = 0; i < n; ++i) {
        sum += words[i];
    }
    return sum;
}

/*
 * Absorption by layer from the weight that crosses interfaces: what goes in through the top and does not come out. The
 * difference down - up is taken modulo 2^64, which is exact as long as the net weight is below 2^63.
 */
static void add_by_layer(const light_plan *lp, const uint64_t *words, crp_wide launched, crp_wide reflected,
                         crp_wide transmitted, crp_wide *by_layer)
{
    const light_model *m = lp->model;
    crp_wide above = launched - reflected;
    for (uint32_t i = 0; i < m->n_layers; ++i) {
        crp_wide below = transmitted;
        if (i + 1 < m->n_layers) {
            below = (int64_t)(words[lp->params.at_crossed + 2 * i + 1] - words[lp->params.at_crossed + 2 * i + 2]);
            below += i + 1 <= lp->first_layer ? launched : 0;
        }
        by_layer[i] += above - below;
        above = below;
    }
}

void light_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events)
{
    const light_plan *lp = plan->data;
    const light_model *m = lp->model;
    const light_params *p = &lp->params;
    crp_wide *at[LIGHT_N_TALLIES];
    for (size_t i = 0; i < plan->n_tallies; ++i) {
        at[i] = bins + plan->tallies[i].offset;
    }
    size_t n_ra = ((size_t)m->nr + 1) * m->na;
    crp_wide reflected = sum_words(words + p->at_reflected, n_ra);
    crp_wide transmitted = sum_words(words + p->at_transmitted, n_ra);
    crp_wide launched = (crp_wide)n_histories * p->launch_weight;
    *at[LIGHT_RSP] += (crp_wide)n_histories * lp->specular_weight;
    *at[LIGHT_RD] += reflected;
    *at[LIGHT_TT] += transmitted;
    *at[LIGHT_A] += launched - reflected - transmitted;
    *at[LIGHT_RD_BALLISTIC] += words[p->at_counters + LIGHT_COUNT_BALLISTIC_UP];
    *at[LIGHT_TT_BALLISTIC] += words[p->at_counters + LIGHT_COUNT_BALLISTIC_DOWN];
    add_by_layer(lp, words, launched, reflected, transmitted, at[LIGHT_ABSORBED_FRACTION]);
    add_rz(lp, words + p->at_absorbed, at[LIGHT_A_RZ], at[LIGHT_A_Z]);
    add_ra(m, words + p->at_reflected, at[LIGHT_RD_RA], at[LIGHT_RD_R], at[LIGHT_RD_A]);
    add_ra(m, words + p->at_transmitted, at[LIGHT_TT_RA], at[LIGHT_TT_R], at[LIGHT_TT_A]);
    if (lp->scores_fluence) {
        add_rz(lp, words + p->at_fluence, at[LIGHT_FLUENCE_RZ], NULL);
        add_beam(lp, n_histories, at[LIGHT_FLUENCE_RZ]);
    }
    for (size_t i = 0; i < LIGHT_N_COUNTERS; ++i) {
        events[i] += words[p->at_counters + i];
    }
}
