/** The method `paper`: Table 1 and the launches of kernel/chem/paper_steps.h, on the memory of `exact`. */
#include "chem/memory.h"
#include "chem/paper.h"
#include "core/context.h"
#include "model/chem/chem_crowd.h"
#include "model/chem/chem_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Table 1 of Tian, Jiang and Jia 2017 [ps]. */
static const chem_paper_row table_1[] = {{1.0e1, 0.1}, {1.0e2, 1.0}, {1.0e3, 3.0}, {1.0e4, 10.0}, {1.0e6, 100.0}};
enum { N_ROWS = sizeof table_1 / sizeof *table_1 };

/* More steps than this is a slip of the pen. */
static const double MOST_STEPS = 1.0e9;

/* Measured on one core with AVX2 over the electron track of bench/: a molecule in a step. */
static const double SECONDS_OF_MOLECULE_STEP = 3.0e-7;

/* Steps of a run that goes by the fixed ones. */
static double count_steps(const chem_model *m)
{
    double n = 0.0, from = m->start;
    for (size_t i = 0; i < N_ROWS && m->step == 0.0 && from < m->end; i++) {
        double until = i + 1 < N_ROWS ? fmin(table_1[i].until, m->end) : m->end;
        n += until > from ? (until - from) / table_1[i].step : 0.0;
        from = fmax(from, until);
    }
    return m->step > 0.0 ? (m->end - m->start) / m->step : n;
}

/* Molecules nearer than this are asked about each other in every step [nm]. */
static const double CROWD_CELL = 1.0;

/* What the paper does not have is refused, not bent. */
static crp_status check_model(crp_context *context, const chem_plan *chem)
{
    const chem_model *m = chem->model;
    char text[256];
    CRP_CHECK(context, m->space == CHEM_SPACE_OPEN, CRP_ERR_CONFIG,
              "method paper is as published in 2017, in open space: use --method exact for a box");
    CRP_CHECK(context, chem->n_births == 1, CRP_ERR_CONFIG,
              "method paper is as published in 2017, with all molecules there from the start: use --method exact for births");
    for (uint32_t i = 0; i < m->set.n_reactions; i++) {
        const chem_reaction *r = &m->set.reactions[i];
        CRP_CHECK(context, r->type == CHEM_TYPE_I, CRP_ERR_CONFIG,
                  "method paper is as published in 2017, with diffusion-controlled reactions of two molecules, and %s is not: use "
                  "chem.set = paper, or --method exact",
                  chem_reaction_print(&m->set, r, text, sizeof text));
    }
    CRP_CHECK(context, count_steps(m) <= MOST_STEPS, CRP_ERR_CONFIG, "%g time steps of %g ps are too many (at most %g): take "
              "a larger chem.step", count_steps(m), m->step, MOST_STEPS);
    return CRP_OK;
}

/* Table 2 of the kernel: head, fixed steps, output times. */
static crp_status make_table(crp_context *context, const chem_plan *chem, crp_plan *plan)
{
    const chem_model *m = chem->model;
    chem_paper_head head = {.start = m->start, .end = m->end, .n_rows = m->step > 0.0 ? 1 : N_ROWS,
                            .is_dynamic = m->dynamic_step ? 1 : 0};
    const chem_paper_row one = {m->end, m->step};
    size_t n_bytes = sizeof head + head.n_rows * sizeof one + chem->n_outputs * sizeof(double);
    char *bytes = malloc(n_bytes);
    CRP_CHECK(context, bytes != NULL, CRP_ERR_MEMORY, "no memory for %u output times", chem->n_outputs);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, m->step > 0.0 ? &one : table_1, head.n_rows * sizeof one);
    memcpy(bytes + sizeof head + head.n_rows * sizeof one, chem->outputs, chem->n_outputs * sizeof(double));
    plan->tables[2].data = bytes;
    plan->tables[2].n_bytes = n_bytes;
    return CRP_OK;
}

static crp_status lay_out(crp_context *context, chem_plan *chem, crp_plan *plan)
{
    CRP_TRY(check_model(context, chem));
    CRP_TRY(chem_crowd_check(context, chem->model, CROWD_CELL));
    CRP_TRY(chem_exact_lay_out(context, chem, plan));
    return make_table(context, chem, plan);
}

static uint64_t scratch_bytes(const crp_plan *plan, const plan_shape *shape, uint64_t n_histories)
{
    const chem_plan *chem = plan->data;
    chem_params p = *(const chem_params *)chem->engine_data;
    chem_exact_set_room(&p, chem, shape, n_histories);
    uint64_t n = p.part != 0 ? p.part : n_histories;
    uint64_t n_bytes = chem_lay_out(p.room, p.room_candidates, p.n_buckets, p.corrects).n_bytes + n * sizeof(chem_paper_history);
    return ((n_bytes + 63u) & ~(uint64_t)63u) * (p.part != 0 ? shape->n_workers : 1);
}

static crp_status shape_for(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                            crp_math math, plan_shape *shape)
{
    CRP_TRY(chem_engine_exact.shape(context, model, plan, info, math, shape));
    shape->source.entry = "chem_paper";
    shape->source.file = "entry/chem_paper_gpu.h";
    shape->scratch_bytes = scratch_bytes;
    return CRP_OK;
}

static crp_status params(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                         uint64_t count, void *bytes, size_t *n_bytes)
{
    return chem_engine_exact.params(plan, info, shape, first, count, bytes, n_bytes);
}

static double cost(const crp_model *model)
{
    const chem_model *m = model->data;
    double n = 0.0;
    for (uint32_t i = 0; i < m->n_tracks; i++) {
        n += (double)m->tracks[i].n_molecules;
    }
    return SECONDS_OF_MOLECULE_STEP * count_steps(m) * n / m->n_tracks + 1.0e-6;
}

const chem_engine chem_engine_paper = {.name = "paper", .lay_out = lay_out, .shape = shape_for, .params = params, .cost = cost};
