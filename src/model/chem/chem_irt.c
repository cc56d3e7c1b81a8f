/** The method `irt`: tables, parameters and working memory of kernel/chem/irt_track.h. */
#include "chem/irt_cells.h"
#include "core/context.h"
#include "model/chem/chem_crowd.h"
#include "model/chem/chem_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measured on one core with AVX2 over the electron track of bench/: a molecule of the start, with all that becomes of it. */
static const double SECONDS_OF_MOLECULE = 3.0e-6;

/* Places for molecules and reactions that wait, for every molecule of the largest track, at first. */
static const double PLACES_OF_MOLECULE = 2.5;
static const double ENTRIES_OF_MOLECULE = 6.0;
static const uint64_t LEAST_PLACES = 256, LEAST_ENTRIES = 1024;

/* Of a launch: memory goes by histories at a time, and not by all, so that there may be several hundred of large tracks. */
static const uint64_t MOLECULES_OF_LAUNCH = 1u << 26, MOST_HISTORIES = 1u << 22;

/* CHEM_IRT_NEAR_WORDS of kernel/entry/chem_irt_lanes.h, and what each thread has behind them. */
static const uint32_t WORDS_OF_BLOCK = 368, WORDS_OF_THREAD = 5;

/* Tracks of so many molecules have not enough pairs for more lanes than step together. */
static const uint64_t SMALL_TRACK = 1000;

/* How far pairs are looked at: where the chance to react by the end is below erfc(2.6) R/r. */
static double farthest_pair(const chem_model *m)
{
    double farthest = 0.0;
    for (uint32_t i = 0; i < m->set.n_reactions; i++) {
        const chem_reaction *r = &m->set.reactions[i];
        double reach = r->radius + CHEM_IRT_REACH * sqrt(4.0 * r->diffusion * (m->end - m->start));
        farthest = r->type != CHEM_TYPE_VI && reach > farthest ? reach : farthest;
    }
    return farthest > 0.0 ? farthest : 1000.0; /* nothing reacts: any cell will do */
}

static crp_status check_space(crp_context *context, const chem_model *m)
{
    CRP_CHECK(context, m->space == CHEM_SPACE_OPEN, CRP_ERR_CONFIG,
              "method irt works in open space (its probabilities are those of a pair without walls): use --method exact for "
              "space.kind = periodic or reflecting");
    return CRP_OK;
}

/* Some cells fit into the farthest distance, but all places must have a number: tracks a millimetre long in runs of a picosecond get
 * larger ones. Who is asked depends on distances alone. 64 cells are left at the edge for those that diffuse. */
static double edge_of_cell(const chem_model *m, double farthest)
{
    double extent = 0.0;
    for (uint32_t i = 0; i < m->n_tracks; i++) {
        for (size_t k = 0; k < m->tracks[i].n_molecules; k++) {
            const chem_molecule *a = &m->tracks[i].molecules[k];
            extent = fmax(extent, fmax(fabs(a->x), fmax(fabs(a->y), fabs(a->z))));
        }
    }
    return fmax(farthest / CHEM_IRT_FINE, extent / (CHEM_IRT_MIDDLE - 64));
}

static crp_status copy_table(crp_context *context, crp_plan *plan, size_t number, const void *from, size_t n_bytes)
{
    void *bytes = malloc(n_bytes);
    CRP_CHECK(context, bytes != NULL, CRP_ERR_MEMORY, "no memory for a table of %zu bytes", n_bytes);
    memcpy(bytes, from, n_bytes);
    plan->tables[number].data = bytes;
    plan->tables[number].n_bytes = n_bytes;
    plan->n_tables = number + 1;
    return CRP_OK;
}

static crp_status lay_out(crp_context *context, chem_plan *chem, crp_plan *plan)
{
    const chem_model *m = chem->model;
    chem_params shared;
    memset(&shared, 0, sizeof shared);
    chem_irt_params *p = calloc(1, sizeof *p);
    CRP_CHECK(context, p != NULL, CRP_ERR_MEMORY, "no memory for a plan");
    chem->engine_data = p;
    chem->engine_data_destroy = free;
    p->start = m->start;
    p->end = m->end;
    p->farthest = farthest_pair(m);
    p->cell = edge_of_cell(m, p->farthest);
    CRP_TRY(check_space(context, m));
    CRP_TRY(chem_crowd_check(context, m, p->cell));
    plan->n_tables = 2;
    CRP_TRY(chem_channels_create(context, m, &shared, &plan->tables[1].data, &plan->tables[1].n_bytes));
    CRP_TRY(copy_table(context, plan, 2, chem->outputs, chem->n_outputs * sizeof *chem->outputs));
    size_t n_groups = (size_t)chem->n_births * m->n_tracks + 1;
    CRP_TRY(copy_table(context, plan, 3, chem->group_first, n_groups * sizeof *chem->group_first));
    p->at_pairs = shared.at_pairs;
    p->at_first = shared.at_first;
    p->at_first_list = shared.at_first_list;
    p->at_motion = shared.at_motion;
    p->n_species = shared.n_species;
    p->n_channels = shared.n_channels;
    p->n_tracks = m->n_tracks;
    p->n_births = chem->n_births;
    p->n_outputs = chem->n_outputs;
    uint64_t launch = MOLECULES_OF_LAUNCH / (chem->n_molecules / m->n_tracks + 1) + 1;
    plan->max_launch = launch < MOST_HISTORIES ? launch : MOST_HISTORIES;
    p->at_births = chem->at_births;
    p->at_reactions = chem->at_reactions;
    p->at_counters = chem->at_counters;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- memory */

/* Room for one history; after a launch that did not fit, `shape->room[0]` times as much. */
static void set_room(chem_irt_params *p, const chem_plan *chem, const plan_shape *shape)
{
    double factor = shape->room[0] > 1 ? (double)shape->room[0] : 1.0, n = (double)chem->largest_track;
    uint64_t room = (uint64_t)(factor * PLACES_OF_MOLECULE * n) + (uint64_t)factor * LEAST_PLACES + CHEM_IRT_LANES;
    uint64_t queue = (uint64_t)(factor * ENTRIES_OF_MOLECULE * n) + (uint64_t)factor * LEAST_ENTRIES;
    p->room = (ck_u32)room;
    p->room_queue = (ck_u32)(queue < UINT32_MAX / 2 ? queue : UINT32_MAX / 2);
    p->room_fresh = shape->n_workers == 0 ? p->room : 0;
    p->n_cells = 64;
    while (p->n_cells < 2 * room && p->n_cells < 1u << 31) {
        p->n_cells *= 2;
    }
}

static uint64_t scratch_bytes(const crp_plan *plan, const plan_shape *shape, uint64_t n_histories)
{
    const chem_plan *chem = plan->data;
    chem_irt_params p = *(const chem_irt_params *)chem->engine_data;
    set_room(&p, chem, shape);
    uint64_t workers = n_histories < shape->grid ? n_histories : shape->grid;
    return workers * chem_irt_bytes(p);
}

static bool needs_more(const crp_plan *plan, const uint64_t *words, plan_shape *shape)
{
    const chem_plan *chem = plan->data;
    if (words[chem->at_counters + CHEM_COUNT_NO_ROOM] == 0) {
        return false;
    }
    shape->room[0] = shape->room[0] > 1 ? 2 * shape->room[0] : 2;
    return true;
}

/* ------------------------------------------------------------------------------------------------- launch */

/* A block takes a history: of few molecules with few threads, many blocks side by side; of many with many, which look for pairs. Not
 * more blocks than there is memory for, with two launches under way and room to grow. */
static void shape_for_gpu(const crp_plan *plan, const device_info *info, plan_shape *shape)
{
    bool is_small = ((const chem_plan *)plan->data)->largest_track <= SMALL_TRACK;
    bool has_lanes = strcmp(info->kind, "cuda") == 0;
    shape->block = !has_lanes ? 1 : is_small ? 32 : 256;
    shape->source.blocks_per_unit = !has_lanes ? 1 : is_small ? 12 : 2;
    shape->side_by_side = has_lanes ? 4 : 1;
    shape->local_bytes = 4 * (WORDS_OF_BLOCK + WORDS_OF_THREAD * shape->block);
    shape->grid = 1;
    uint64_t most = info->memory_free / 4 / (scratch_bytes(plan, shape, 1) + 1);
    shape->grid = info->n_units * shape->source.blocks_per_unit;
    shape->grid = shape->grid < most ? shape->grid : most > 0 ? (uint32_t)most : 1;
}

static crp_status shape_for(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                            crp_math math, plan_shape *shape)
{
    (void)context;
    (void)model;
    shape->source.entry = "chem_irt";
    shape->source.file = "entry/chem_irt_gpu.h";
    shape->source.math = math;
    shape->scratch_bytes = scratch_bytes;
    shape->needs_more = needs_more;
    shape->grid = info->n_units;
    shape->block = 1;
    shape->n_workers = strcmp(info->kind, "cpu") == 0 ? info->n_units : 0;
    if (shape->n_workers == 0) {
        shape_for_gpu(plan, info, shape);
    }
    shape->source.block = shape->block;
    return CRP_OK;
}

static crp_status params(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                         uint64_t count, void *bytes, size_t *n_bytes)
{
    const chem_plan *chem = plan->data;
    chem_irt_params p = *(const chem_irt_params *)chem->engine_data;
    (void)info;
    set_room(&p, chem, shape);
    p.key = ck_philox4_key_of(chem->seed);
    p.first_history_low = (ck_u32)first;
    p.first_history_high = (ck_u32)(first >> 32);
    p.n_histories = (ck_u32)count;
    p.first_track = (ck_u32)(first % chem->model->n_tracks);
    memcpy(bytes, &p, sizeof p);
    *n_bytes = sizeof p;
    return CRP_OK;
}

static double cost(const crp_model *model)
{
    const chem_model *m = model->data;
    double n = 0.0;
    for (uint32_t i = 0; i < m->n_tracks; i++) {
        n += (double)m->tracks[i].n_molecules;
    }
    return SECONDS_OF_MOLECULE * n / m->n_tracks + 1.0e-6;
}

const chem_engine chem_engine_irt = {.name = "irt", .lay_out = lay_out, .shape = shape_for, .params = params, .cost = cost};
