/** A run: histories in batches, statistics, triggers, statepoints. */
#include "engine/run.h"

#include "core/context.h"
#include "core/team.h"
#include "engine/statepoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* More histories than this in impossible states, and a run is an error. */
static const double FAULT_FRACTION = 1.0e-6;

/* A large result takes seconds to write: the run goes on for so many times as long before it is written again. */
static const double SAVE_SHARE = 10.0;

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1.0e-9 * (double)t.tv_nsec;
}

crp_run_options crp_run_options_default(void)
{
    crp_run_options o = {.size = sizeof o, .batches = 0, .device = "auto", .math = CRP_MATH_STRICT, .output_group = 1,
                         .save_every = 1.0};
    return o;
}

/* --------------------------------------------------------------------------------------------- after a batch */

static crp_status check_faults(run *r)
{
    for (size_t i = 0; i < r->plan->n_events; ++i) {
        double fraction = (double)r->result->event_count[i] / (double)r->result->histories;
        CRP_CHECK(r->context, !(r->plan->events[i].is_fault && fraction > FAULT_FRACTION), CRP_ERR_NUMERIC,
                  "%llu of %llu %s ended as %s (more than one in a million): the result cannot be trusted; please report "
                  "the input", (unsigned long long)r->result->event_count[i], (unsigned long long)r->result->histories,
                  r->model->module->history_name, r->plan->events[i].name);
    }
    return CRP_OK;
}

static void update_times(run *r)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(r->result->date, sizeof r->result->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    r->result->seconds = r->seconds_before + wall_clock() - r->start;
    r->result->device_seconds = r->device_seconds_before + ranks_seconds(&r->ranks);
}

/* After this the result is as a file has it, whether there is one or not, if it must be. */
static crp_status save(run *r, bool must)
{
    bool has_file = r->options->output != NULL;
    double begin = wall_clock();
    double due = fmax(r->options->save_every, SAVE_SHARE * r->save_seconds);
    if (!must && !(has_file && begin - r->last_save >= due)) {
        return CRP_OK;
    }
    update_times(r);
    if (r->model->module->keep != NULL) {
        r->model->module->keep(r->plan, r->result);
    }
    CRP_TRY(ranks_list(&r->ranks, r->result));
    result_digest(r->result);
    if (has_file) {
        CRP_TRY(statepoint_write(r->context, r->options->output, r->options->output_group, r->result));
    }
    r->last_save = wall_clock();
    r->save_seconds = r->last_save - begin;
    return CRP_OK;
}

/* Tell the caller; true when it wants to stop. */
static bool report(run *r, double rel_err, double rel_err_target)
{
    if (r->options->progress == NULL) {
        return false;
    }
    double seconds = wall_clock() - r->start;
    crp_progress p = {.size = sizeof p,
                      .histories_done = r->result->histories,
                      .histories_total = r->histories,
                      .batches_done = r->result->batches,
                      .batches_total = result_count_batches(r->result, r->histories),
                      .seconds = seconds,
                      .rate = (double)(r->result->histories - r->histories_before) / seconds,
                      .rel_err = rel_err,
                      .rel_err_target = rel_err_target,
                      .device = r->result->device,
                      .n_devices = r->ranks.n_devices,
                      .devices = r->ranks.progress};
    ranks_describe(&r->ranks);
    return r->options->progress(r->options->progress_user, &p) != 0;
}

/* After a batch: report, save, and see whether the run has ended and with which status (CRP_OK, or why too soon). */
static crp_status after_batch(run *r, ranks_decision *decision)
{
    double rel_err, target;
    bool reached = trigger_holds(&r->until, r->result, &rel_err, &target);
    bool cancelled = report(r, rel_err, target) || r->ranks.is_asked_to_stop;
    bool late = r->options->time_limit > 0.0 && wall_clock() - r->start >= r->options->time_limit;
    bool complete = r->result->histories >= r->histories;
    decision->ends = reached || cancelled || late || complete;
    if (decision->ends && !reached) {
        decision->stop = cancelled && !complete ? CRP_ERR_CANCELLED : r->until.n_terms > 0 ? CRP_ERR_PRECISION : CRP_OK;
    }
    return save(r, decision->ends);
}

/* Rank 0: the batch goes into the result. */
static crp_status take_batch(run *r, const work_batch *batch, ranks_decision *decision)
{
    result_add_batch(r->result, batch->bins, batch->events, batch->histories);
    CRP_TRY(result_add_derived(r->context, r->result, r->plan, batch->bins, batch->histories));
    CRP_TRY(check_faults(r));
    return after_batch(r, decision);
}

/* The others only count, and ask their caller. */
static void count_batch(run *r, const work_batch *batch)
{
    r->result->histories += batch->histories;
    r->result->batches++;
    r->wants_to_stop = report(r, (double)NAN, (double)NAN);
}

/*
 * This rank's part of the oldest batch is complete, or its devices have failed (`status`). Its sums go to rank 0, which takes the
 * batch and decides; a batch of which a part is missing is not taken, and the run ends.
 */
static crp_status end_batch(run *r, crp_status status, ranks_decision *decision)
{
    work_batch *batch;
    CRP_TRY(work_oldest(r->work, r->context, &batch));
    bool is_whole = ranks_sum(&r->ranks, &r->crew, batch, status, r->wants_to_stop);
    if (r->comm->rank != 0) {
        count_batch(r, batch);
    } else if (is_whole) {
        status = take_batch(r, batch, decision);
    }
    decision->ends = decision->ends || !is_whole || status != CRP_OK;
    work_commit(r->work);
    ranks_decide(&r->ranks, r->work, r->window, decision);
    return status;
}

/* -------------------------------------------------------------------------------------------------- the loop */

/*
 * One lane works in this thread, which alternates between starting, collecting and batches; several work in their own, and
 * this one waits for batches. Batches come in order either way.
 */
static crp_status loop(run *r, crp_status *stop)
{
    ranks_decision decision = {.ends = r->result->histories >= r->histories, .stop = CRP_OK};
    crp_status status = CRP_OK;
    if (decision.ends) { /* a restart file that holds all of them */
        return r->comm->rank == 0 ? save(r, true) : CRP_OK;
    }
    CRP_TRY(comm_agree(r->comm, r->context, crew_start(&r->crew, r->work)));
    while (!decision.ends) {
        status = r->crew.has_threads ? CRP_OK : crew_turn(&r->crew);
        bool is_complete = status == CRP_OK && work_complete(r->work, r->crew.has_threads) != NULL;
        crew_tell_losses(&r->crew);
        if (is_complete || work_n_workers(r->work) == 0) {
            status = end_batch(r, is_complete ? CRP_OK : crew_failure(&r->crew), &decision);
        }
    }
    *stop = decision.stop;
    return status;
}

/* A run that ends by a fault keeps what it has; the message says so. */
static crp_status rescue(run *r, crp_status status)
{
    char text[1024];
    bool has_news = r->work != NULL && r->result->histories > r->histories_before && r->options->output != NULL;
    if (!has_news || status == CRP_ERR_IO || status == CRP_ERR_NUMERIC) {
        return status;
    }
    snprintf(text, sizeof text, "%s", crp_context_error(r->context));
    if (save(r, true) != CRP_OK) {
        return context_fail(r->context, status, "%s", text);
    }
    return context_fail(r->context, status, "%s; %llu of %llu %s are done and saved, go on with --restart %s", text,
                        (unsigned long long)r->result->histories, (unsigned long long)r->histories,
                        r->model->module->history_name, r->options->output);
}

static void explain_stop(run *r, crp_status stop)
{
    if (stop == CRP_ERR_PRECISION) {
        context_fail(r->context, stop, "the precision asked for (%s) was not reached after %llu %s; raise -n or the time "
                     "limit and go on with --restart", r->result->until, (unsigned long long)r->result->histories,
                     r->model->module->history_name);
    } else if (stop == CRP_ERR_CANCELLED) {
        context_fail(r->context, stop, "stopped on request after %llu of %llu %s", (unsigned long long)r->result->histories,
                     (unsigned long long)r->histories, r->model->module->history_name);
    }
}

static crp_status execute(run *r, crp_status *stop)
{
    CRP_TRY(run_prepare(r));
    r->start = r->last_save = wall_clock();
    crp_status status = comm_agree(r->comm, r->context, loop(r, stop));
    return status != CRP_OK ? rescue(r, status) : CRP_OK;
}

crp_status crp_run_execute(crp_context *context, const crp_model *model, const crp_run_options *options,
                           crp_result **result)
{
    if (context == NULL || model == NULL || result == NULL) {
        return CRP_ERR_ARG;
    }
    *result = NULL;
    CRP_CHECK(context, options == NULL || options->size == sizeof *options, CRP_ERR_ARG,
              "the options of a run have %u bytes, this version has %zu; get them from crp_run_options_default()",
              options->size, sizeof *options);
    crp_run_options defaults = crp_run_options_default();
    run r = {.context = context, .model = model, .options = options != NULL ? options : &defaults};
    crp_status stop = CRP_OK;
    int threads_before = team_limit(r.options->threads);
    crp_status status = execute(&r, &stop);
    team_limit((unsigned)threads_before);
    if (status == CRP_OK && r.comm->rank == 0 && model->module->finish != NULL) {
        model->module->finish(context, r.plan, r.result);
    }
    if (status == CRP_OK) {
        explain_stop(&r, stop);
    }
    if (status == CRP_OK && r.comm->rank == 0) {
        *result = r.result;
        r.result = NULL;
    }
    crew_close(&r.crew);
    ranks_part(&r.ranks);
    work_destroy(&r.work);
    plan_destroy(&r.plan);
    crp_result_destroy(&r.result);
    return status != CRP_OK ? status : stop;
}
