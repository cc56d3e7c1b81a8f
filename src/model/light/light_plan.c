/** From a layered model to what a kernel needs: parameters, layer table, layout of the words. */
#include "model/light/light_plan.h"

#include "core/context.h"
#include "model/math_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double WEIGHT_ONE = (double)LIGHT_WEIGHT_ONE;
static const uint64_t MAX_WORDS = 3800000000u; /* indices of words have 32 bits, and rows may grow by a few */

/* ------------------------------------------------------------------------------------------------------ the key */

/* A bijection of 32-bit words that spreads near numbers far apart (the finaliser of MurmurHash3). */
static uint32_t spread(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85EBCA6Bu;
    h ^= h >> 13;
    h *= 0xC2B2AE35u;
    return h ^ (h >> 16);
}

ck_philox_key light_key(uint64_t seed, uint32_t history_high)
{
    uint32_t word = spread((uint32_t)seed) ^ spread(spread((uint32_t)(seed >> 32)) + 0x51ED270Bu) ^
                    spread(spread(history_high) + 0x2545F491u);
    ck_philox_key key = {{0}, 0};
    for (uint32_t i = 0; i < CK_PHILOX2X32_ROUNDS; ++i) {
        key.round[i] = word + i * CK_PHILOX_WEYL;
    }
    return key;
}

/* ------------------------------------------------------------------------------------------------- layer table */

static float float_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* A fraction in [0, 1] in units of 2^-32, at most 2^32 - 1. */
static uint32_t fraction_to_u32(double fraction)
{
    double units = floor(fraction * 4294967296.0 + 0.5);
    return units >= 4294967295.0 ? 0xFFFFFFFFu : (uint32_t)units;
}

static void fill_interface(float *record, double n_here, double n_there, uint32_t target)
{
    double ratio = n_here / n_there;
    record[LIGHT_N_RATIO] = (float)ratio;
    record[LIGHT_N_RATIO_SQ] = (float)(ratio * ratio);
    record[LIGHT_ONE_MINUS_SQ] = ratio == 1.0 ? 1.0e-30f : (float)(1.0 - ratio * ratio);
    record[LIGHT_TARGET] = float_of_bits(target);
}

/* The cheap form of 1 - cos at the ends of the random word's range, in the kernel's own arithmetic. It is monotonic between. */
static float one_minus_cos_at(const float *row, float word)
{
    float root = 1.0f / fmaf(row[LIGHT_HG_SLOPE], word, row[LIGHT_HG_OFFSET]);
    return fmaf(root, root, row[LIGHT_HG_FACTOR]);
}

/* Move the constants by units in the last place until 1 - cos stays inside (0, 2): the kernel then needs no clamp. A unit of
 * the factor is a unit of what it is taken from, so one or two steps do, however close g is to 1. */
static void keep_inside(float *row)
{
    while (one_minus_cos_at(row, 0.0f) >= 2.0f) {
        row[LIGHT_HG_OFFSET] = nextafterf(row[LIGHT_HG_OFFSET], 2.0f);
    }
    while (one_minus_cos_at(row, 4294967296.0f) <= 0.0f) {
        row[LIGHT_HG_FACTOR] = nextafterf(row[LIGHT_HG_FACTOR], 0.0f);
    }
}

/* The two forms of Henyey-Greenstein: see light_one_minus_cos. */
static void fill_scattering(float *row, const light_layer *l, bool any_g)
{
    double g = l->g, gap = 1.0 - g;
    if (l->mu_s == 0.0 || gap < 1.0e-12) { /* straight on; also the unit of weight that a pure absorber may leave */
        row[LIGHT_HG_SLOPE] = 0.0f;
        row[LIGHT_HG_OFFSET] = any_g ? 1.0e30f : 1.0e15f;
        row[LIGHT_HG_FACTOR] = 0.0f;
    } else if (any_g) {
        row[LIGHT_HG_SLOPE] = (float)(2.0 * g / (gap * gap));
        row[LIGHT_HG_OFFSET] = (float)(1.0 / gap);
        row[LIGHT_HG_FACTOR] = (float)((1.0 + g) / (gap * gap));
    } else {
        row[LIGHT_HG_SLOPE] = (float)(2.0 * g * sqrt(2.0 * g) / (1.0 - g * g) / 4294967296.0);
        row[LIGHT_HG_OFFSET] = (float)(sqrt(2.0 * g) / (1.0 + g));
        row[LIGHT_HG_FACTOR] = (float)(-gap * gap / (2.0 * g));
        keep_inside(row);
    }
}

static bool needs_any_g(const light_model *m)
{
    for (uint32_t i = 0; i < m->n_layers; ++i) {
        if (m->layers[i].mu_s > 0.0 && m->layers[i].g < 0.1) {
            return true;
        }
    }
    return false;
}

static uint32_t row_of(uint32_t layer)
{
    return LIGHT_ROW * layer;
}

static void fill_layer(float *row, const light_model *m, const light_plan *plan, uint32_t i, double top)
{
    const light_layer *l = &m->layers[i];
    double mu_t = l->mu_a + l->mu_s;
    row[LIGHT_MEAN_FREE_PATH] = mu_t > 0.0 ? (float)(1.0 / mu_t / m->dr) : 1.0e30f;
    row[LIGHT_ABSORB] = float_of_bits(mu_t > 0.0 ? fraction_to_u32(l->mu_a / mu_t) : 0u);
    fill_scattering(row, l, plan->params.any_g != 0);
    row[LIGHT_THICKNESS] = (float)(l->d / m->dr);
    row[LIGHT_TOP_BIN] = (float)(top / m->dz);
    /* The deepest point must not round into a bin that the tissue does not reach. The step is that of the numbers just
     * below this bin: that of the layer's top would be next to nothing where the top is at 0. */
    float bottom = (float)plan->n_z_reached, step = bottom - nextafterf(bottom, 0.0f);
    while (plan->n_z_reached < m->nz + 1 && plan->params.z_bins < bottom &&
           fmaf(row[LIGHT_THICKNESS], plan->params.inv_dz, row[LIGHT_TOP_BIN]) >= bottom) {
        row[LIGHT_TOP_BIN] -= step;
    }
    row[LIGHT_FLUENCE] = mu_t > 0.0 ? (float)(1.0 / mu_t / plan->fluence_unit) : 0.0f;
    double above = i == 0 ? m->n_above : m->layers[i - 1].n;
    double below = i + 1 == m->n_layers ? m->n_below : m->layers[i + 1].n;
    fill_interface(row + LIGHT_UP, l->n, above, i == 0 ? LIGHT_EXIT | row_of(i) : row_of(i - 1));
    fill_interface(row + LIGHT_DOWN, l->n, below, i + 1 == m->n_layers ? LIGHT_EXIT | row_of(i) : row_of(i + 1));
}

static crp_status make_tables(crp_context *context, crp_plan *plan, const light_model *m, const light_plan *lp)
{
    size_t n = (size_t)LIGHT_ROW * m->n_layers;
    float *layers = calloc(n, sizeof *layers);
    float *table = calloc(CK_TABLE_FLOATS, sizeof *table);
    plan->n_tables = 2;
    plan->tables[0].data = layers;
    plan->tables[0].n_bytes = n * sizeof *layers;
    plan->tables[1].data = table;
    plan->tables[1].n_bytes = CK_TABLE_FLOATS * sizeof *table;
    CRP_CHECK(context, layers != NULL && table != NULL, CRP_ERR_MEMORY, "no memory for %u layers", m->n_layers);
    double top = 0.0;
    for (uint32_t i = 0; i < m->n_layers; ++i) {
        fill_layer(layers + (size_t)LIGHT_ROW * i, m, lp, i, top);
        top += m->layers[i].d;
    }
    math_tables_fill(table);
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------ results and counters */

static crp_status make_results(crp_context *context, crp_plan *plan, const light_model *m)
{
    plan->n_results = 4 + (size_t)m->n_layers;
    plan->results = calloc(plan->n_results, sizeof *plan->results);
    CRP_CHECK(context, plan->results != NULL, CRP_ERR_MEMORY, "no memory for the results");
    for (size_t i = 0; i < plan->n_results; ++i) {
        result_spec *r = &plan->results[i];
        r->tally = i < 4 ? i : LIGHT_ABSORBED_FRACTION;
        snprintf(r->name, sizeof r->name, "%s", plan->tallies[r->tally].name);
        r->of = i < 4 ? 0 : (int64_t)i - 3;
        r->bin = plan->tallies[r->tally].offset + (i < 4 ? 0 : i - 4);
        if (i >= 4) {
            snprintf(r->of_name, sizeof r->of_name, "%s", m->layers[i - 4].name);
        }
    }
    return CRP_OK;
}

static crp_status make_events(crp_context *context, crp_plan *plan)
{
    /* In the order of LIGHT_COUNT_... */
    static const char *const names[LIGHT_N_COUNTERS] = {
        "ballistic_up_weight", "ballistic_down_weight", "flights", "ended_photons", "roulette_killed_weight",
        "roulette_gained_weight", "lost_photons", "step_limit_photons", "dropped_weight", "capped_fluence_scores"};
    plan->events = calloc(LIGHT_N_COUNTERS, sizeof *plan->events);
    CRP_CHECK(context, plan->events != NULL, CRP_ERR_MEMORY, "no memory for the counters");
    plan->n_events = LIGHT_N_COUNTERS;
    for (size_t i = 0; i < LIGHT_N_COUNTERS; ++i) {
        snprintf(plan->events[i].name, sizeof plan->events[i].name, "%s", names[i]);
        plan->events[i].is_fault = i == LIGHT_COUNT_LOST;
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------ the plan */

/* How many bins of dz the tissue is deep. */
static double depth_in_bins(const light_model *m)
{
    double depth = 0.0;
    for (uint32_t i = 0; i < m->n_layers; ++i) {
        depth += m->layers[i].d;
    }
    double bins = ceil(depth / m->dz - 1.0e-9);
    return bins < 1.0 ? 1.0 : bins;
}

/* Bins of dz down to the tissue's lower surface, and the number at which a depth is clamped. */
static void set_depth(light_plan *lp, const light_model *m)
{
    double bins = depth_in_bins(m);
    if (bins > (double)m->nz) {
        lp->n_z_reached = m->nz;
        lp->params.z_bins = (float)m->nz;
    } else { /* all of the tissue is inside the grid: rounding at its bottom must not lead outside */
        lp->n_z_reached = (uint32_t)bins;
        lp->params.z_bins = (float)(bins - 0.5);
    }
}

/* The fluence unit: 16 times the longest mean free path. With launches of at most 2^22 photons (max_launch) a word then
 * holds 65 536 mean free paths of every photon in one bin. */
static double fluence_unit(const light_model *m)
{
    double longest = 0.0;
    for (uint32_t i = 0; i < m->n_layers; ++i) {
        double mu_t = m->layers[i].mu_a + m->layers[i].mu_s;
        if (mu_t > 0.0 && 1.0 / mu_t > longest) {
            longest = 1.0 / mu_t;
        }
    }
    return longest > 0.0 ? 16.0 * longest : 16.0;
}

/* A GPU adds 0x4B000000 (row + 1) to the number of a bin (ck_grid_key): the shortest row for which that never wraps. */
static uint32_t row_without_overflow(uint32_t row, uint32_t n_rows)
{
    while ((uint64_t)(0x4B000000u * (row + 1u)) + (uint64_t)row * n_rows + row > 0xFFFFFFFFu) {
        ++row;
    }
    return row;
}

static void lay_out_words(light_plan *lp, const light_model *m)
{
    light_params *p = &lp->params;
    uint32_t rz = (m->nr + 1) * p->rz_row;
    uint32_t ra = (m->nr + 1) * m->na;
    uint32_t at = 0;
    p->at_absorbed = at;
    at += rz;
    p->at_reflected = at;
    at += ra;
    p->at_transmitted = at;
    at += ra;
    p->at_fluence = at;
    at += lp->scores_fluence ? rz : 0;
    p->at_crossed = at;
    at += 2 * m->n_layers;
    p->at_counters = at;
    at += LIGHT_N_COUNTERS;
    p->n_words = at;
}

static void set_params(light_plan *lp, const light_model *m)
{
    light_params *p = &lp->params;
    p->launch_weight = LIGHT_WEIGHT_ONE - lp->specular_weight;
    p->launch_layer = row_of(lp->first_layer);
    p->weight_threshold = (ck_i32)(m->weight_threshold * WEIGHT_ONE);
    p->roulette_factor = (ck_u32)(1.0 / m->roulette_chance + 0.5);
    p->roulette_limit = (ck_u32)(4294967296.0 / (double)p->roulette_factor);
    p->n_layers = m->n_layers;
    p->n_r = m->nr;
    p->n_z = lp->n_z_reached;
    p->n_alpha = m->na;
    p->inv_dz = (float)(m->dr / m->dz);
    p->inv_dalpha = (float)((double)m->na / (0.5 * PI));
    p->r_bins = (float)m->nr;
    p->rz_row = row_without_overflow(lp->n_z_reached + 1, m->nr + 1);
    p->scores_fluence = lp->scores_fluence ? 1u : 0u;
    p->inv_fluence_unit = (float)(m->dr / lp->fluence_unit);
    p->chunk = 256;
    p->any_g = needs_any_g(m) ? 1u : 0u;
    lay_out_words(lp, m);
}

/* Before anything is allocated: are there numbers for all bins, and memory for them on any device? */
static crp_status check_size(crp_context *context, const light_model *m, char *grid, size_t n_grid)
{
    uint64_t rows = (uint64_t)m->nr + 1, columns = (uint64_t)m->nz + 1, n_rz = m->score_fluence ? 2 : 1;
    uint64_t n_bins = n_rz * rows * columns + 2 * rows * m->na + m->n_layers;
    uint64_t n_words = n_rz * rows * ((uint64_t)fmin(depth_in_bins(m), (double)m->nz) + 1) + 2 * rows * m->na + 2 * (uint64_t)m->n_layers;
    snprintf(grid, n_grid, "nr = %u, nz = %u, na = %u%s", m->nr, m->nz, m->na, m->score_fluence ? ", with fluence" : "");
    CRP_CHECK(context, n_words < MAX_WORDS, CRP_ERR_MEMORY,
              "the grid has too many bins (%s: %.3g, of which %.3g can be reached; %.3g can be numbered) use fewer bins", grid,
              (double)n_bins, (double)n_words, (double)MAX_WORDS);
    return plan_check_memory(context, grid, plan_host_bytes(n_bins, n_words, 1, false), 0);
}

static void light_plan_data_destroy(void *data)
{
    light_plan *lp = data;
    free(lp->beam);
    free(lp);
}

/* The beam's fluence in integer units of a history. */
static crp_status make_beam(crp_context *context, light_plan *lp, const light_model *m)
{
    if (!lp->scores_fluence || lp->first_layer == 0) {
        return CRP_OK;
    }
    double *path = calloc((size_t)m->nz + 1, sizeof *path);
    lp->beam = calloc((size_t)m->nz + 1, sizeof *lp->beam);
    if (path == NULL || lp->beam == NULL) {
        free(path);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for the beam in %u bins; use a smaller nz", m->nz + 1);
    }
    light_beam_path(m, path);
    for (uint32_t j = 0; j <= m->nz; ++j) {
        lp->beam[j] = (uint64_t)(path[j] / lp->fluence_unit * WEIGHT_ONE + 0.5);
    }
    free(path);
    return CRP_OK;
}

crp_status light_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **out)
{
    const light_model *m = model->data;
    char grid[sizeof ((crp_plan *)0)->grid];
    CRP_TRY(check_size(context, m, grid, sizeof grid));
    crp_plan *plan = calloc(1, sizeof *plan);
    light_plan *lp = calloc(1, sizeof *lp);
    crp_status status = plan != NULL && lp != NULL ? CRP_OK : context_fail(context, CRP_ERR_MEMORY, "no memory for a plan");
    if (status != CRP_OK) {
        free(lp);
        free(plan);
        return status;
    }
    plan->data = lp;
    plan->data_destroy = light_plan_data_destroy;
    memcpy(plan->grid, grid, sizeof grid);
    lp->model = m;
    lp->seed = seed;
    lp->scores_fluence = m->score_fluence;
    lp->fluence_unit = fluence_unit(m);
    lp->specular_weight = (uint32_t)floor(light_specular(m, &lp->first_layer) * WEIGHT_ONE + 0.5);
    set_depth(lp, m);
    set_params(lp, m);
    plan->n_words = lp->params.n_words;
    plan->max_launch = lp->scores_fluence ? 1u << 22 : 1u << 30;
    CRP_GOTO(light_tallies_create(context, plan), fail);
    CRP_GOTO(make_results(context, plan, m), fail);
    CRP_GOTO(make_events(context, plan), fail);
    CRP_GOTO(make_tables(context, plan, m, lp), fail);
    CRP_GOTO(make_beam(context, lp, m), fail);
    *out = plan;
    return CRP_OK;
fail:
    plan_destroy(&plan);
    return status;
}

/* ---------------------------------------------------------------------------------------------------- one launch */

crp_status light_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                  uint64_t count, void *bytes, size_t *n_bytes)
{
    (void)info;
    const light_plan *lp = plan->data;
    light_params p = lp->params;
    p.key = light_key(lp->seed, (uint32_t)(first >> 32));
    p.first_history = (uint32_t)first;
    p.n_histories = (uint32_t)count;
    p.near_bins = shape->near_rows * p.rz_row;
    p.at_layers_near = (CK_TABLE_FLOATS + p.near_bins + 1 + 3) / 4 * 4;
    memcpy(bytes, &p, sizeof p);
    *n_bytes = sizeof p;
    return CRP_OK;
}
