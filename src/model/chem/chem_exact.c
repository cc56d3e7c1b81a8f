/** The method `exact`: tables, parameters and working memory of kernel/chem/steps.h. */
#include "chem/memory.h"
#include "core/context.h"
#include "model/chem/chem_crowd.h"
#include "model/chem/chem_plan.h"
#include "model/chem/chem_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Measured on one core with AVX2 over the two tracks of bench/: a molecule in a step, with its neighbours. */
static const double SECONDS_OF_MOLECULE_STEP = 1.6e-7;

/* Candidates of a step for every molecule, at first; a launch that needs more is repeated with more. */
static const uint32_t MOLECULES_OF_CANDIDATE = 2;

/* CHEM_NEAR_SPECIES, CHEM_LISTED_SPECIES, CHEM_LANE_WORDS and CHEM_KINDS squared of kernel/entry. */
static const uint32_t MOST_NEAR_SPECIES = 2048, MOST_LISTED_SPECIES = 48, WORDS_OF_LANE = 22, LIMITS = 1024;

/* Buckets of the search for every molecule, at least. */
static const uint64_t BUCKETS_OF_MOLECULE = 2;

/* Molecules of which a core keeps all arrays in its second cache. */
static const uint64_t MOLECULES_OF_CACHE = 4096;

/* Slots beyond the molecules of the input, for products. */
static const double SPARE_MOLECULES = 0.1;

/* The kernels count four words a slot with 32 bits. */
static const uint64_t MOST_MOLECULES = 900000000;

crp_status chem_exact_lay_out(crp_context *context, chem_plan *chem, crp_plan *plan)
{
    const chem_model *m = chem->model;
    chem_params *p = calloc(1, sizeof *p);
    CRP_CHECK(context, p != NULL, CRP_ERR_MEMORY, "no memory for a plan");
    chem->engine_data = p;
    chem->engine_data_destroy = free;
    CRP_CHECK(context, chem->largest_track <= MOST_MOLECULES, CRP_ERR_CONFIG,
              "a track has %llu molecules (at most %llu can be stepped together) cut it into tracks that are apart from each other",
              (unsigned long long)chem->largest_track, (unsigned long long)MOST_MOLECULES);
    plan->n_tables = 4;
    CRP_TRY(chem_channels_create(context, m, p, &plan->tables[1].data, &plan->tables[1].n_bytes));
    size_t n_groups = (size_t)chem->n_births * m->n_tracks + 1;
    plan->tables[3].data = malloc(n_groups * sizeof *chem->group_first);
    plan->tables[3].n_bytes = n_groups * sizeof *chem->group_first;
    CRP_CHECK(context, plan->tables[3].data != NULL, CRP_ERR_MEMORY, "no memory for %zu groups of births", n_groups);
    memcpy(plan->tables[3].data, chem->group_first, plan->tables[3].n_bytes);
    p->n_tracks = m->n_tracks;
    p->n_outputs = chem->n_outputs;
    p->at_births = chem->at_births;
    p->at_reactions = chem->at_reactions;
    p->at_counters = chem->at_counters;
    p->space = m->space == CHEM_SPACE_OPEN       ? CHEM_SPACE_IS_OPEN
               : m->space == CHEM_SPACE_PERIODIC ? CHEM_SPACE_IS_PERIODIC
                                                 : CHEM_SPACE_IS_REFLECTING;
    p->box = m->box;
    p->inv_box = m->box > 0.0 ? 1.0 / m->box : 0.0;
    return CRP_OK;
}

static crp_status lay_out(crp_context *context, chem_plan *chem, crp_plan *plan)
{
    CRP_TRY(chem_exact_lay_out(context, chem, plan));
    const chem_model *m = chem->model;
    chem_params *p = chem->engine_data;
    chem_step *steps = NULL;
    CRP_TRY(chem_steps_create(context, m, chem->outputs, chem->n_outputs, chem->births, chem->n_births, &steps, &p->n_steps));
    plan->tables[2].data = steps;
    plan->tables[2].n_bytes = p->n_steps * sizeof *steps;
    return p->n_steps > 1 ? chem_crowd_check(context, m, 1.0 / steps[1].inv_cell) : CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Molecules of the largest launch: whole rounds of all tracks, and the largest ones of what is left. */
static uint64_t molecules_of_launch(const chem_plan *chem, uint64_t n_histories)
{
    uint64_t rounds = n_histories / chem->model->n_tracks, rest = n_histories % chem->model->n_tracks;
    uint64_t most = rest * chem->largest_track;
    most = most < chem->n_molecules ? most : chem->n_molecules;
    return rounds * chem->n_molecules + most;
}

static uint32_t power_of_two_above(uint64_t n)
{
    uint32_t power = 1024;
    while (power < n && power < 1u << 30) {
        power *= 2;
    }
    return power;
}

/* Buckets of the search: some more than molecules. Every history has its own, where that does not make many more of them (a large
 * track among small ones would): what is looked up together lies together then. */
static void set_buckets(chem_params *p, const chem_plan *chem, uint64_t n_molecules, uint64_t n_histories)
{
    uint64_t shared = power_of_two_above(n_molecules * BUCKETS_OF_MOLECULE);
    uint64_t own = power_of_two_above(chem->largest_track * BUCKETS_OF_MOLECULE);
    bool is_own = own * n_histories <= 2 * shared && own * n_histories <= 1u << 30;
    p->n_buckets = (ck_u32)(is_own ? own * n_histories : shared);
    p->region_mask = (ck_u32)((is_own ? own : shared) - 1);
    p->region = (ck_u32)(is_own ? own : 0);
}

/* On a CPU a worker takes histories for itself where there are enough of them, few enough molecules at a time for its cache. */
static uint32_t histories_of_worker(const chem_plan *chem, const plan_shape *shape, uint64_t n_histories)
{
    uint64_t average = chem->n_molecules / chem->model->n_tracks + 1, part = MOLECULES_OF_CACHE / average + 1;
    if (shape->n_workers == 0) {
        return 0;
    }
    if (n_histories < shape->n_workers) { /* to meet ten times a step costs more than to do a few molecules alone */
        return n_histories * average < 2 * MOLECULES_OF_CACHE ? (uint32_t)n_histories : 0;
    }
    uint64_t even = (n_histories + shape->n_workers - 1) / shape->n_workers;
    return (uint32_t)(part < even ? part : even);
}

/* Slots are counted in words of 32 bits. */
static ck_u32 at_most_a_word(uint64_t n)
{
    return n < UINT32_MAX ? (ck_u32)n : UINT32_MAX;
}

/* Working memory of a launch of so many histories with this much room; the layout is the kernel's own. */
void chem_exact_set_room(chem_params *p, const chem_plan *chem, const plan_shape *shape, uint64_t n_histories)
{
    p->part = histories_of_worker(chem, shape, n_histories);
    uint64_t n = molecules_of_launch(chem, p->part != 0 ? p->part : n_histories);
    uint64_t room = (uint64_t)((double)n * (1.0 + SPARE_MOLECULES)) + 1024;
    uint64_t candidates = n / MOLECULES_OF_CANDIDATE + 4096;
    p->room = at_most_a_word(shape->room[0] > room ? shape->room[0] : room);
    p->room_candidates = at_most_a_word(shape->room[1] > candidates ? shape->room[1] : candidates);
    set_buckets(p, chem, n, p->part != 0 ? p->part : n_histories);
}

static uint64_t scratch_bytes(const crp_plan *plan, const plan_shape *shape, uint64_t n_histories)
{
    const chem_plan *chem = plan->data;
    chem_params p = *(const chem_params *)chem->engine_data;
    chem_exact_set_room(&p, chem, shape, n_histories);
    return chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects).n_bytes * (p.part != 0 ? shape->n_workers : 1);
}

/* After a launch: did all find room? If not, how much is to be had. */
static bool needs_more(const crp_plan *plan, const uint64_t *words, plan_shape *shape)
{
    const chem_plan *chem = plan->data;
    const uint64_t *counters = words + chem->at_counters;
    if (counters[CHEM_COUNT_NO_ROOM] == 0) {
        return false;
    }
    uint64_t molecules = counters[CHEM_COUNT_MOST_MOLECULES] + counters[CHEM_COUNT_MOST_MOLECULES] / 2 + 4096;
    uint64_t candidates = counters[CHEM_COUNT_MOST_CANDIDATES] + counters[CHEM_COUNT_MOST_CANDIDATES] / 2 + 4096;
    shape->room[0] = molecules > shape->room[0] ? molecules : shape->room[0];
    shape->room[1] = candidates > shape->room[1] ? candidates : shape->room[1];
    return true;
}

/* ------------------------------------------------------------------------------------------------- launch */

static crp_status shape_for(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                            crp_math math, plan_shape *shape)
{
    (void)context;
    uint32_t n_species = ((const chem_model *)model->data)->set.n_species;
    shape->source.entry = "chem_exact";
    shape->source.file = "entry/chem_gpu.h";
    shape->source.math = math;
    shape->is_alone = true;
    shape->source.can_split = strcmp(info->kind, "cuda") == 0;
    shape->scratch_bytes = scratch_bytes;
    shape->needs_more = needs_more;
    shape->grid = 1;
    shape->block = 1;
    shape->n_workers = strcmp(info->kind, "cpu") == 0 ? info->n_units : 0;
    if (strcmp(info->kind, "cuda") == 0) {
        shape->block = 512;
        shape->grid = info->n_units;
        shape->source.blocks_per_unit = 1;
    } else if (strcmp(info->kind, "opencl") == 0) {
        shape->block = 1;
        shape->source.blocks_per_unit = 1;
    }
    shape->source.block = shape->block;
    if (shape->n_workers == 0) {
        const chem_params *p = ((const chem_plan *)plan->data)->engine_data;
        snprintf(shape->define_text[0], sizeof shape->define_text[0], "CHEM_CORRECTS=%u", p->corrects);
        snprintf(shape->define_text[1], sizeof shape->define_text[1], "CHEM_SPACE=%u", p->space);
        shape->define_pointer[0] = shape->define_text[0];
        shape->define_pointer[1] = shape->define_text[1];
        shape->source.defines = shape->define_pointer;
        shape->source.n_defines = 2;
    }
    if (shape->n_workers == 0) { /* the search, counts of species, what limits come from */
        uint32_t n_counts = n_species <= MOST_NEAR_SPECIES ? n_species : 0;
        uint32_t n_extents = n_species <= MOST_LISTED_SPECIES ? 3 * n_species * n_species : 0;
        shape->local_bytes = 4 * (LIMITS + WORDS_OF_LANE * shape->block + n_counts + n_extents);
    }
    return CRP_OK;
}

static crp_status params(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                         uint64_t count, void *bytes, size_t *n_bytes)
{
    const chem_plan *chem = plan->data;
    chem_params p = *(const chem_params *)chem->engine_data;
    (void)info;
    p.key = ck_philox4_key_of(chem->seed + (first >> 32) * 0x9E3779B97F4A7C15ull);
    p.n_histories = (ck_u32)count;
    p.first_history = (ck_u32)first;
    p.first_track = (ck_u32)(first % chem->model->n_tracks);
    p.team = 1;
    uint32_t workers = shape->grid * shape->block;
    while ((uint64_t)p.team * 2 * count <= workers) {
        p.team *= 2;
    }
    chem_exact_set_room(&p, chem, shape, count);
    memcpy(bytes, &p, sizeof p);
    *n_bytes = sizeof p;
    return CRP_OK;
}

static double cost(const crp_model *model)
{
    const chem_model *m = model->data;
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        n += m->tracks[i].n_molecules;
    }
    double steps = m->step > 0.0 ? (m->end - m->start) / m->step : log10(m->end / m->start) * m->steps_per_decade;
    return SECONDS_OF_MOLECULE_STEP * steps * (double)n / m->n_tracks + 1.0e-6;
}

const chem_engine chem_engine_exact = {.name = "exact", .lay_out = lay_out, .shape = shape_for, .params = params, .cost = cost};
