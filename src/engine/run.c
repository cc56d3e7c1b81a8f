/** A run: histories in batches, statistics, triggers, statepoints. */
#include "core/context.h"
#include "core/memory.h"
#include "engine/crew.h"
#include "engine/statepoint.h"
#include "engine/trigger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More histories than this in impossible states, and a run is an error. */
static const double FAULT_FRACTION = 1.0e-6;

/* Batches of a run that may stop early begin with this many histories and double after every 32: it can stop soon, and
 * later within a few hundredths of the time it has taken, and a GPU still gets large launches. */
static const uint64_t EARLY_BATCH = 500000;
static const uint32_t EARLY_GROWTH = 32;

/* The largest batch of a run that says nothing: about a minute on one core, so that a kill never costs more. */
static const uint64_t LARGEST_BATCH = 1u << 26;

typedef struct run {
    crp_context *context;
    const crp_model *model;
    const crp_run_options *options;
    crp_plan *plan;
    crew crew;
    work *work;
    crp_result *result;
    trigger until;
    uint64_t histories;       /* N of this run */
    double start, last_save, seconds_before, device_seconds_before;
    uint64_t histories_before;
    crp_device_progress devices[WORK_MAX_WORKERS];
} run;

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

/* ------------------------------------------------------------------------------------------------------- set-up */

static uint64_t first_nonzero(uint64_t a, uint64_t b, uint64_t c)
{
    return a != 0 ? a : b != 0 ? b : c;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

/* How histories are cut into batches: a rule of N and the options alone, so that no digit depends on the device. */
static void choose_batches(run *r)
{
    crp_result *out = r->result;
    uint32_t asked = r->options->batches != 0 ? r->options->batches : r->model->batches;
    bool may_stop_early = r->options->until != NULL || r->model->until[0] != '\0' || r->options->time_limit > 0.0;
    out->batch_size = divide_up(r->histories, asked != 0 ? asked : 32);
    if (asked == 0 && may_stop_early && out->batch_size > EARLY_BATCH) {
        out->batch_size = EARLY_BATCH;
        out->batch_growth = EARLY_GROWTH;
    } else if (asked == 0 && out->batch_size > LARGEST_BATCH) {
        out->batch_size = LARGEST_BATCH;
    }
}

static void describe_result(run *r, uint64_t seed)
{
    crp_result *out = r->result;
    choose_batches(r);
    out->seed = seed;
    snprintf(out->kind, sizeof out->kind, "%s", r->model->module->name);
    snprintf(out->model_name, sizeof out->model_name, "%s", r->model->name);
    snprintf(out->model_digest, sizeof out->model_digest, "%s", r->model->digest);
}

/* Fields that belong to this program and machine, not to the histories: fresh also in a resumed run. */
static void stamp_result(run *r)
{
    crp_result *out = r->result;
    snprintf(out->version, sizeof out->version, "%s", crp_version());
    snprintf(out->commit, sizeof out->commit, "%s", crp_commit());
    crew_label(&r->crew, out->device, sizeof out->device);
    snprintf(out->math, sizeof out->math, "%s", r->crew.math == CRP_MATH_FAST ? "fast" : "strict");
    if (gethostname(out->host, sizeof out->host - 1) != 0) {
        out->host[0] = '\0';
    }
    out->histories_planned = r->histories;
}

static crp_status check_restart(run *r, const crp_result *old, uint64_t seed_asked)
{
    const char *path = r->options->restart;
    CRP_CHECK(r->context, strcmp(old->model_digest, r->model->digest) == 0, CRP_ERR_CONFIG,
              "%s: was made from another input (its digest is %.12s, this one's %.12s); resume with the input it was made "
              "from, or run without --restart", path, old->model_digest, r->model->digest);
    CRP_CHECK(r->context, seed_asked == 0 || seed_asked == old->seed, CRP_ERR_CONFIG,
              "%s: was made with seed %llu, not %llu; leave --seed out when resuming", path,
              (unsigned long long)old->seed, (unsigned long long)seed_asked);
    CRP_CHECK(r->context, r->histories >= old->histories, CRP_ERR_CONFIG,
              "%s: holds %llu histories already, more than the %llu asked for; ask for at least as many with -n", path,
              (unsigned long long)old->histories, (unsigned long long)r->histories);
    return CRP_OK;
}

static crp_status load_restart(run *r)
{
    crp_result *old = NULL;
    CRP_TRY(statepoint_read(r->context, r->options->restart, r->options->output_group, &old));
    crp_status status = check_restart(r, old, r->options->seed);
    if (status != CRP_OK) {
        crp_result_destroy(&old);
        return status;
    }
    r->result = old;
    return CRP_OK;
}

static crp_status check_fits(run *r)
{
    CRP_CHECK(r->context, r->result->batch_size > 0, CRP_ERR_FORMAT, "%s: holds no batches to go on from; run without "
              "--restart", r->options->restart);
    CRP_CHECK(r->context, r->result->n_bins == r->plan->n_bins && r->result->n_events == r->plan->n_events, CRP_ERR_FORMAT,
              "%s: has %zu bins where this version keeps %zu; it was written by version %s and cannot be resumed",
              r->options->restart, r->result->n_bins, r->plan->n_bins, r->result->version);
    return CRP_OK;
}

static crp_status check_math(run *r, const char *math_before)
{
    CRP_CHECK(r->context, math_before[0] == '\0' || strcmp(math_before, r->result->math) == 0, CRP_ERR_CONFIG,
              "%s: was made in %s math, this run is in %s math; the two differ in digits, use --math %s",
              r->options->restart, math_before, r->result->math, math_before);
    return CRP_OK;
}

/*
 * How many batches may be in progress. Without threads their launches are collected in order, and one array of sums serves
 * all. With threads there is one for each, and the window is as wide as the memory allows.
 */
static uint32_t choose_window(const run *r, bool *is_narrow)
{
    uint32_t depth = crew_depth(&r->crew), wanted = r->crew.has_threads ? 2 * depth + 4 : depth + 1;
    uint64_t of_batch = r->plan->n_bins * sizeof(crp_wide), fitting = wanted;
    if (r->crew.has_threads && !memory_suffices(4 * of_batch * wanted, NULL)) {
        fitting = memory_available() / 4 / of_batch;
    }
    *is_narrow = fitting < wanted;
    return *is_narrow ? (uint32_t)(fitting > 1 ? fitting : 1) : wanted;
}

/* All that this run will take on the host, for the devices that were chosen; what stands already is not asked for again. */
static crp_status check_memory(run *r, uint32_t window)
{
    const device_info *info = &r->crew.members[0].lane->device->info;
    bool is_cpu = r->crew.n == 1 && strcmp(info->kind, "cpu") == 0, is_saved = r->options->output != NULL;
    uint64_t n_bins = r->plan->n_bins, n_words = r->plan->n_words;
    /* Of every bin the scale in plan and result; of a resumed run also sum, mean and deviation, which in a fresh one
     * are pages that nothing has touched yet. */
    uint64_t held_of_bin = 2 * sizeof(double);
    held_of_bin += r->options->restart != NULL ? sizeof(crp_wide) + 2 * sizeof(double) : 0;
    uint64_t in_progress = r->crew.has_threads ? (window - 1) * n_bins * sizeof(crp_wide) : 0;
    uint64_t needed = plan_host_bytes(n_bins, n_words, crew_n_copies(&r->crew), is_saved) + in_progress;
    crp_status status = plan_check_memory(r->context, r->plan->grid, needed, n_bins * held_of_bin);
    uint64_t with_one = plan_host_bytes(n_bins, n_words, 2, is_saved) + in_progress;
    if (status != CRP_OK && is_cpu && info->n_units > 1 && memory_suffices(with_one - n_bins * held_of_bin, NULL)) {
        char text[1024];
        snprintf(text, sizeof text, "%s", crp_context_error(r->context));
        return context_fail(r->context, status, "%s, or fewer than %u threads", text, info->n_units);
    }
    return status;
}

static crp_status make_work(run *r)
{
    work_options options = {.first = r->result->histories, .end = r->histories, .is_mixed = r->crew.is_mixed,
                            .n_ranks = 1};
    options.window = choose_window(r, &options.is_narrow);
    CRP_TRY(check_memory(r, options.window));
    return work_create(r->context, r->model, r->plan, r->result, &options, &r->work);
}

static crp_status prepare_trigger(run *r)
{
    const char *text = r->options->until != NULL ? r->options->until : r->model->until;
    if (text[0] == '\0') {
        return CRP_OK;
    }
    CRP_TRY(trigger_parse(r->context, text, &r->until));
    snprintf(r->result->until, sizeof r->result->until, "%s", text);
    return trigger_bind(r->context, &r->until, r->result);
}

static crp_status prepare(run *r)
{
    char math_before[8] = "";
    r->histories = first_nonzero(r->options->histories, r->model->histories, r->model->module->copy != NULL ? 1 : 1000000) *
                   model_histories_of_copy(r->model);
    if (r->options->restart != NULL) {
        CRP_TRY(load_restart(r));
        snprintf(math_before, sizeof math_before, "%s", r->result->math);
    }
    uint64_t seed = r->result != NULL ? r->result->seed : first_nonzero(r->options->seed, r->model->seed, 1);
    CRP_TRY(r->model->module->plan(r->context, r->model, seed, &r->plan));
    if (r->result == NULL) {
        CRP_TRY(result_create(r->context, r->model, r->plan, &r->result));
        describe_result(r, seed);
    }
    CRP_TRY(check_fits(r));
    CRP_TRY(prepare_trigger(r));
    uint64_t n_batches = result_count_batches(r->result, r->histories) - r->result->batches;
    lane_place place = {.number = 0, .n = 1};
    CRP_TRY(crew_open(r->context, r->model, r->plan, r->options, r->histories - r->result->histories, n_batches, place, false,
                      &r->crew));
    stamp_result(r);
    CRP_TRY(check_math(r, math_before));
    r->seconds_before = r->result->seconds;
    r->histories_before = r->result->histories;
    r->device_seconds_before = isnan(r->result->device_seconds) ? 0.0 : r->result->device_seconds;
    return make_work(r);
}

/* ----------------------------------------------------------------------------------------------------- the loop */

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
    r->result->device_seconds = r->device_seconds_before + crew_seconds(&r->crew);
}

/* After this the result is as a file has it, whether there is one or not, if it must be. */
static crp_status save(run *r, bool must)
{
    bool has_file = r->options->output != NULL;
    if (!must && !(has_file && wall_clock() - r->last_save >= r->options->save_every)) {
        return CRP_OK;
    }
    update_times(r);
    result_digest(r->result);
    if (has_file) {
        CRP_TRY(statepoint_write(r->context, r->options->output, r->options->output_group, r->result));
    }
    r->last_save = wall_clock();
    return CRP_OK;
}

/* The oldest batch is complete: it goes into the result, and its sums make room for another. */
static crp_status add_batch(run *r, const work_batch *batch)
{
    result_add_batch(r->result, batch->bins, batch->events, batch->histories);
    work_commit(r->work);
    return check_faults(r);
}

static void describe_devices(run *r)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->crew.n; ++i) {
        crp_device_progress *d = &r->devices[i];
        *d = (crp_device_progress){.device = r->crew.members[i].label,
                                   .histories = work_histories(r->work, i),
                                   .rate = work_pace(r->work, i),
                                   .is_dropped = r->crew.members[i].is_told};
        all += d->histories;
    }
    for (uint32_t i = 0; i < r->crew.n; ++i) {
        r->devices[i].share = all > 0 ? (double)r->devices[i].histories / (double)all : 0.0;
    }
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
                      .n_devices = r->crew.n,
                      .devices = r->devices};
    describe_devices(r);
    return r->options->progress(r->options->progress_user, &p) != 0;
}

/* After a batch: report, save, and see whether the run has ended and with which status (CRP_OK, or why too soon). */
static crp_status after_batch(run *r, crp_status *stop, bool *ended)
{
    double rel_err, target;
    bool reached = trigger_holds(&r->until, r->result, &rel_err, &target);
    bool cancelled = report(r, rel_err, target);
    bool late = r->options->time_limit > 0.0 && wall_clock() - r->start >= r->options->time_limit;
    bool complete = r->result->histories >= r->histories;
    *ended = reached || cancelled || late || complete;
    if (*ended && !reached) {
        *stop = cancelled && !complete ? CRP_ERR_CANCELLED : r->until.n_terms > 0 ? CRP_ERR_PRECISION : CRP_OK;
    }
    return save(r, *ended);
}

/*
 * One lane works in this thread, which alternates between starting, collecting and batches; several work in their own, and
 * this one waits for batches. Batches come in order either way.
 */
static crp_status loop(run *r, crp_status *stop)
{
    bool ended = r->result->histories >= r->histories;
    if (ended) { /* a restart file that holds all of them */
        return save(r, true);
    }
    CRP_TRY(crew_start(&r->crew, r->work));
    while (!ended) {
        if (!r->crew.has_threads) {
            CRP_TRY(crew_turn(&r->crew));
        }
        const work_batch *batch = work_complete(r->work, r->crew.has_threads);
        crew_tell_losses(&r->crew);
        if (batch != NULL) {
            CRP_TRY(add_batch(r, batch));
            CRP_TRY(after_batch(r, stop, &ended));
        } else if (work_n_workers(r->work) == 0) {
            return crew_failure(&r->crew);
        }
    }
    return CRP_OK;
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
    crp_status status = prepare(&r);
    if (status == CRP_OK) {
        r.start = r.last_save = wall_clock();
        status = loop(&r, &stop);
        status = status != CRP_OK ? rescue(&r, status) : CRP_OK;
    }
    if (status == CRP_OK && model->module->finish != NULL) {
        model->module->finish(context, r.plan, r.result);
    }
    if (status == CRP_OK) {
        explain_stop(&r, stop);
        *result = r.result;
        r.result = NULL;
    }
    crew_close(&r.crew);
    work_destroy(&r.work);
    plan_destroy(&r.plan);
    crp_result_destroy(&r.result);
    return status != CRP_OK ? status : stop;
}
