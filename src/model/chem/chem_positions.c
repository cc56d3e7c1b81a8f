/** Where the molecules are: see chem_positions.h. */
#include "model/chem/chem_positions.h"

#include "chem/memory.h"
#include "core/context.h"
#include "engine/lane.h"
#include "model/chem/chem_plan.h"
#include "model/chem/chem_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void chem_frames_destroy(chem_frames **frames)
{
    if (frames == NULL || *frames == NULL) {
        return;
    }
    for (size_t i = 0; i < (*frames)->n; i++) {
        free((*frames)->frames[i].molecules);
    }
    free((*frames)->frames);
    free(*frames);
    *frames = NULL;
}

static int compare_ids(const void *left, const void *right)
{
    const chem_particle *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

/* What the kernel leaves in its working memory: the molecules where its last step began from. */
static crp_status read_memory(crp_context *context, const chem_params *p, unsigned char *scratch, chem_frame *frame)
{
    chem_memory m = chem_bind((ck_u64 *)(void *)scratch, chem_lay_out(p->room, p->room_candidates, p->n_buckets, p->corrects));
    if (p->n_steps % 2 == 0) { /* the two halves have changed places after every step but the last */
        m = chem_swap(m);
    }
    size_t n = m.control[CHEM_CONTROL_MOLECULES];
    frame->molecules = calloc(n > 0 ? n : 1, sizeof *frame->molecules);
    CRP_CHECK(context, frame->molecules != NULL, CRP_ERR_MEMORY, "no memory for %zu positions", n);
    for (size_t i = 0; i < n; i++) {
        if (m.here[i].species != CHEM_NONE) {
            frame->molecules[frame->n++] = m.here[i];
        }
    }
    qsort(frame->molecules, frame->n, sizeof *frame->molecules, compare_ids);
    return CRP_OK;
}

/* Run and collect; the words are of no interest, the memory is. */
static crp_status run_history(crp_context *context, const crp_model *model, const crp_plan *plan, device_lane *lane,
                              uint64_t history, chem_frame *frame)
{
    history_range range = {history, 1, true};
    unsigned char bytes[1024];
    size_t n_bytes = 0;
    double seconds = 0.0;
    uint64_t *words = calloc(plan->n_words, sizeof *words);
    unsigned char *scratch = NULL;
    crp_status status = words == NULL ? context_fail(context, CRP_ERR_MEMORY, "no memory for a history") : CRP_OK;
    if (status == CRP_OK) {
        CRP_GOTO(lane_start(lane, 0, range), done);
        CRP_GOTO(lane_collect(lane, 0, words, &seconds), done);
        CRP_GOTO(model->module->params(plan, &lane->device->info, &lane->shape, history, 1, bytes, &n_bytes), done);
        scratch = malloc(lane->scratch_bytes[0]);
        CRP_GOTO(scratch != NULL ? CRP_OK : context_fail(context, CRP_ERR_MEMORY, "no memory for the positions"), done);
        CRP_GOTO(lane->device->ops->download(lane->device, 0, lane->scratch[0], scratch, lane->scratch_bytes[0]), done);
        chem_params p;
        memcpy(&p, bytes, sizeof p);
        status = read_memory(context, &p, scratch, frame);
    }
done:
    free(words);
    free(scratch);
    return status;
}

/* The model, but that it ends at the time of the frame: steps up to there are the same. */
static crp_status fill_frame(crp_context *context, const crp_model *model, uint64_t seed, uint64_t history, chem_frame *frame)
{
    chem_model chem = *(const chem_model *)model->data;
    crp_model shorter = *model;
    crp_run_options options = crp_run_options_default();
    crp_plan *plan = NULL;
    device_lane *lane = NULL;
    chem.end = frame->time;
    shorter.data = &chem;
    options.device = "cpu";
    options.threads = 1;
    crp_status status;
    CRP_GOTO(chem_plan_create(context, &shorter, seed, &plan), done);
    CRP_GOTO(lane_open(context, &shorter, plan, &options, 1, 1, &lane), done);
    status = run_history(context, &shorter, plan, lane, history, frame);
done:
    lane_close(&lane);
    plan_destroy(&plan);
    return status;
}

/* Output times that are about a decade apart, from the start to the end. */
static crp_status choose_times(crp_context *context, const chem_model *m, chem_frames *f)
{
    double *outputs = NULL, last = 0.0;
    uint32_t n = 0;
    CRP_TRY(chem_outputs_create(context, m, &outputs, &n));
    f->frames = calloc(n + 1, sizeof *f->frames);
    for (uint32_t i = 0; f->frames != NULL && i < n; i++) {
        if (i + 1 == n || i == 0 || outputs[i] >= 9.99 * last) {
            f->frames[f->n++].time = outputs[i];
            last = outputs[i];
        }
    }
    free(outputs);
    CRP_CHECK(context, f->frames != NULL, CRP_ERR_MEMORY, "no memory for %u frames", n);
    return CRP_OK;
}

crp_status chem_frames_check(crp_context *context, const crp_model *model)
{
    const chem_model *m = model->data;
    CRP_CHECK(context, m->method == CHEM_METHOD_EXACT, CRP_ERR_UNSUPPORTED,
              "positions at any time are known to method exact alone: run with --method exact and export that");
    return CRP_OK;
}

crp_status chem_frames_replay(crp_context *context, const crp_model *model, uint64_t seed, uint64_t history,
                              chem_frames **frames)
{
    const chem_model *m = model->data;
    CRP_TRY(chem_frames_check(context, model));
    *frames = calloc(1, sizeof **frames);
    CRP_CHECK(context, *frames != NULL, CRP_ERR_MEMORY, "no memory for positions");
    crp_status status = choose_times(context, m, *frames);
    for (size_t i = 0; status == CRP_OK && i < (*frames)->n; i++) {
        status = fill_frame(context, model, seed, history, &(*frames)->frames[i]);
    }
    if (status != CRP_OK) {
        chem_frames_destroy(frames);
    }
    return status;
}
