/** The steps of time: see chem_schedule.h. */
#include "model/chem/chem_schedule.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of steps have 20 bits in the counters of the random numbers. */
enum { MAX_STEPS = 1 << 20 };

/* Two times that differ by less than this are one. */
static const double SAME_TIME = 1.0e-9;

crp_status chem_outputs_create(crp_context *context, const chem_model *model, double **times, uint32_t *n)
{
    double decades = log10(model->end / model->start);
    uint32_t whole = (uint32_t)floor(decades * model->outputs_per_decade + 1.0e-9);
    double *t = calloc((size_t)whole + 2, sizeof *t);
    CRP_CHECK(context, t != NULL, CRP_ERR_MEMORY, "no memory for %u output times", whole + 2);
    *n = 0;
    for (uint32_t k = 0; k <= whole; ++k) {
        t[(*n)++] = model->start * pow(10.0, (double)k / model->outputs_per_decade);
    }
    if (fabs(t[*n - 1] - model->end) <= SAME_TIME * model->end) {
        t[*n - 1] = model->end;
    } else {
        t[(*n)++] = model->end;
    }
    *times = t;
    return CRP_OK;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

crp_status chem_births_create(crp_context *context, const chem_model *model, double **times, uint32_t *n)
{
    size_t n_molecules = 0, n_late = 0;
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        n_molecules += model->tracks[i].n_molecules;
    }
    double *t = calloc(n_molecules + 1, sizeof *t);
    CRP_CHECK(context, t != NULL, CRP_ERR_MEMORY, "no memory for the births of %zu molecules", n_molecules);
    t[n_late++] = model->start;
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        for (size_t k = 0; k < model->tracks[i].n_molecules; ++k) {
            double birth = model->tracks[i].molecules[k].time;
            if (birth > model->start && birth <= model->end) {
                t[n_late++] = birth;
            }
        }
    }
    qsort(t, n_late, sizeof *t, compare_times);
    double width = model->start * (pow(10.0, 1.0 / model->steps_per_decade) - 1.0);
    *n = 1;
    for (size_t i = 1; i < n_late; ++i) { /* as near as the first step after a birth: one group */
        if (t[i] >= t[*n - 1] + width) {
            t[(*n)++] = t[i];
        }
    }
    *times = t;
    return CRP_OK;
}

uint32_t chem_birth_group(const double *groups, uint32_t n_groups, double birth)
{
    uint32_t low = 0, high = n_groups;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (groups[middle] <= birth) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---------------------------------------------------------------------------------------------------- steps */

/* The largest distance [nm] at which a pair can meet in a step: radius and three widths of the relative motion. */
static double largest_reach(const chem_set *set, double dt)
{
    double reach = -1.0;
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        const chem_reaction *r = &set->reactions[i];
        if (r->type != CHEM_TYPE_VI && r->k > 0.0) {
            reach = fmax(reach, r->radius + CHEM_ION_REACH * fabs(r->onsager) + 6.0 * sqrt(r->diffusion * dt));
        }
    }
    return reach;
}

/* The longest step for which a periodic box holds three cells along an edge. */
static double longest_step(const chem_model *model)
{
    double low = 0.0, high = 1.0e12;
    if (model->space != CHEM_SPACE_PERIODIC || largest_reach(&model->set, 0.0) < 0.0) {
        return high;
    }
    for (int i = 0; i < 200; ++i) {
        double middle = 0.5 * (low + high);
        if (3.0 * 1.0001 * largest_reach(&model->set, middle) < model->box) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

typedef struct schedule {
    const chem_model *model;
    const double *outputs, *births;
    uint32_t n_outputs, n_births, next_output, next_births;
    chem_step *steps;
    uint32_t n, room;
    double factor, longest;
} schedule;

/* Cells along an edge of a periodic box: the grid of the search has 4096 numbers for them, or half of that where it must tell the two
 * ways around the box apart (kernel/chem/space.h). */
static ck_u32 cells_along(ck_u32 n)
{
    return n >= 4096 ? n - n % 4096 : n > 2047 ? 2047 : n;
}

static crp_status add_step(crp_context *context, schedule *s, double start, double dt)
{
    if (s->n == s->room) {
        uint32_t room = s->room == 0 ? 256 : 2 * s->room;
        CRP_CHECK(context, room <= MAX_STEPS, CRP_ERR_CONFIG, "more than %d time steps (births in %u groups, chem.step, "
                  "steps_per_decade): take larger steps", MAX_STEPS, s->n_births);
        chem_step *larger = realloc(s->steps, room * sizeof *larger);
        CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "no memory for %u time steps", room);
        s->steps = larger;
        s->room = room;
    }
    const chem_model *m = s->model;
    double reach = largest_reach(&m->set, dt) * 1.00001;
    double cell = reach > 0.0 ? reach : 1.0;
    chem_step *step = &s->steps[s->n];
    memset(step, 0, sizeof *step);
    step->start = start;
    step->dt = (float)dt;
    step->sqrt_dt = sqrtf(step->dt);
    step->reach = reach >= 0.0 ? (float)(reach * reach) : -1.0f;
    step->output = step->births = CHEM_NONE;
    step->bin = s->next_output;
    step->before = s->n > 0 ? s->steps[s->n - 1].dt : 0.0f;
    if (m->space == CHEM_SPACE_PERIODIC) {
        step->n_cells = cells_along((ck_u32)fmin(floor(m->box / cell), 1.0e9));
        cell = m->box / (double)step->n_cells;
    }
    step->inv_cell = 1.0 / cell;
    s->n++;
    return CRP_OK;
}

/* When the step that begins at `t` ends. */
static double end_of_step(const schedule *s, double t, double last_births)
{
    const chem_model *m = s->model;
    double age = t - last_births + m->start;
    double length = m->step > 0.0 ? m->step : age * (s->factor - 1.0);
    double end = t + fmin(length, s->longest);
    double stop = s->outputs[s->next_output];
    if (s->next_births < s->n_births) {
        stop = fmin(stop, s->births[s->next_births]);
    }
    /* What would be left of the way is too short for a step of its own. */
    return end >= stop - 1.0e-6 * (stop - t) ? stop : end;
}

static crp_status fill(crp_context *context, schedule *s)
{
    double t = s->model->start, last_births = t;
    CRP_TRY(add_step(context, s, t, 0.0));
    s->steps[0].births = 0;
    s->next_births = 1;
    for (bool is_first = true;; is_first = false) {
        ck_u32 output = CHEM_NONE, births = CHEM_NONE;
        if (s->outputs[s->next_output] <= t || is_first) {
            output = s->next_output++;
        }
        if (s->next_births < s->n_births && s->births[s->next_births] <= t) {
            births = s->next_births++;
            last_births = t;
        }
        if (s->next_output == s->n_outputs) {
            s->next_output--;
            CRP_TRY(add_step(context, s, t, 0.0));
            s->steps[s->n - 1].output = output;
            s->steps[s->n - 1].births = births;
            return CRP_OK;
        }
        double end = end_of_step(s, t, last_births);
        CRP_TRY(add_step(context, s, t, end - t));
        s->steps[s->n - 1].output = output;
        s->steps[s->n - 1].births = births;
        t = end;
    }
}

crp_status chem_steps_create(crp_context *context, const chem_model *model, const double *outputs, uint32_t n_outputs,
                             const double *births, uint32_t n_births, chem_step **steps, uint32_t *n)
{
    schedule s = {.model = model, .outputs = outputs, .births = births, .n_outputs = n_outputs, .n_births = n_births};
    s.factor = pow(10.0, 1.0 / model->steps_per_decade);
    s.longest = longest_step(model);
    CRP_CHECK(context, s.longest > 0.0, CRP_ERR_CONFIG, "space.box = %g nm is too small for the largest reaction radius, %g nm "
              "(three must fit side by side): enlarge the box", model->box, largest_reach(&model->set, 0.0));
    crp_status status = fill(context, &s);
    if (status != CRP_OK) {
        free(s.steps);
        return status;
    }
    *steps = s.steps;
    *n = s.n;
    return CRP_OK;
}
