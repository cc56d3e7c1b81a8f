/* A run until its first history: see run.h. */
#include "core/context.h"
#include "core/memory.h"
#include "engine/run.h"
#include "engine/statepoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Batches of a run that may stop early begin with this many histories and double after every 32: it can stop soon, and
 * later within a few hundredths of the time it has taken, and a GPU still gets large launches. */
static const uint64_t EARLY_BATCH = 500000;
static const uint32_t EARLY_GROWTH = 32;

/* The largest batch of a run that says nothing: about a minute on one core, so that a kill never costs more. Runs for which
 * that would be more than so many batches have no more: each is merged on its own. */
static const uint64_t LARGEST_BATCH = 1u << 26;
static const uint64_t MOST_BATCHES = 4096;

/* What rank 0 tells the others before the start. */
typedef struct run_start {
    uint64_t histories, seed, done, batches, batch_size;
    uint32_t batch_growth;
    char math_before[8]; /* of the statepoint, "" if there is none */
    char digest[65], version[32], commit[48];
} run_start;

static uint64_t first_nonzero(uint64_t a, uint64_t b, uint64_t c)
{
    return a != 0 ? a : b != 0 ? b : c;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

/* How histories are cut into batches: a rule of N and the options alone, so that no digit depends on the device. */
static void choose_batches(const run *r, run_start *start)
{
    uint32_t asked = r->options->batches != 0 ? r->options->batches : r->model->batches;
    bool may_stop_early = r->options->until != NULL || r->model->until[0] != '\0' || r->options->time_limit > 0.0;
    uint64_t largest = divide_up(start->histories, MOST_BATCHES);
    largest = largest > LARGEST_BATCH ? largest : LARGEST_BATCH;
    start->batch_size = divide_up(start->histories, asked != 0 ? asked : 32);
    if (asked == 0 && may_stop_early && start->batch_size > EARLY_BATCH) {
        start->batch_size = EARLY_BATCH;
        start->batch_growth = EARLY_GROWTH;
    } else if (asked == 0 && start->batch_size > largest) {
        start->batch_size = largest;
    }
}

/* Fields that belong to this program and machine, not to the histories: fresh also in a resumed run. */
static void stamp_result(run *r)
{
    crp_result *out = r->result;
    snprintf(out->version, sizeof out->version, "%s", crp_version());
    snprintf(out->commit, sizeof out->commit, "%s", crp_commit());
    ranks_label(&r->ranks, &r->crew, out->device, sizeof out->device);
    snprintf(out->math, sizeof out->math, "%s",
             r->crew.is_traced ? "rays" : r->crew.math == CRP_MATH_FAST ? "fast" : "strict");
    if (gethostname(out->host, sizeof out->host - 1) != 0) {
        out->host[0] = '\0';
    }
    out->histories_planned = r->histories;
    free(out->model_files);
    out->model_files = r->model->files == NULL ? NULL : strdup(r->model->files);
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
    bool was_traced = strcmp(math_before, "rays") == 0;
    CRP_CHECK(r->context, math_before[0] == '\0' || was_traced == r->crew.is_traced, CRP_ERR_CONFIG,
              "%s: was %s; the two differ in digits, use %s", r->options->restart,
              was_traced ? "made on a device optix, this run is on another" : "not made on a device optix",
              was_traced ? "--device optix" : "the device that it was made on");
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
                            .rank = r->comm->rank, .n_ranks = r->comm->size};
    work_batch *first;
    uint32_t window = choose_window(r, &options.is_narrow);
    options.window = UINT32_MAX - (uint32_t)comm_most(r->comm, UINT32_MAX - window); /* the least of all ranks */
    options.is_narrow = options.is_narrow || options.window < window;
    r->window = options.window;
    crp_status status = check_memory(r, options.window);
    status = status != CRP_OK ? status : work_create(r->context, r->model, r->plan, r->result, &options, &r->work);
    if (status == CRP_OK && r->comm->size > 1 && options.first < options.end) {
        status = work_oldest(r->work, r->context, &first); /* arrays to send, passed on from batch to batch */
    }
    return status;
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

/* Rank 0: what is to be run, from the options, the model and the restart file. */
static crp_status decide_start(run *r, run_start *start)
{
    uint64_t one = r->model->module->copy != NULL ? 1 : 1000000;
    r->histories = first_nonzero(r->options->histories, r->model->histories, one) * model_histories_of_copy(r->model);
    *start = (run_start){.histories = r->histories, .seed = first_nonzero(r->options->seed, r->model->seed, 1)};
    snprintf(start->digest, sizeof start->digest, "%s", r->model->digest);
    snprintf(start->version, sizeof start->version, "%s", crp_version());
    snprintf(start->commit, sizeof start->commit, "%s", crp_commit());
    if (r->options->restart == NULL) {
        choose_batches(r, start);
        return CRP_OK;
    }
    CRP_TRY(load_restart(r));
    snprintf(start->math_before, sizeof start->math_before, "%s", r->result->math);
    start->seed = r->result->seed;
    start->done = r->result->histories;
    start->batches = r->result->batches;
    start->batch_size = r->result->batch_size;
    start->batch_growth = r->result->batch_growth;
    return CRP_OK;
}

/* The ranks must mean the same: one program, one input. */
static crp_status check_same(const run *r, const run_start *start)
{
    CRP_CHECK(r->context, strcmp(start->digest, r->model->digest) == 0, CRP_ERR_CONFIG,
              "the input is another one than that of rank 0 (digest %.12s, not %.12s) give all processes the same file",
              r->model->digest, start->digest);
    CRP_CHECK(r->context, strcmp(start->version, crp_version()) == 0 && strcmp(start->commit, crp_commit()) == 0,
              CRP_ERR_CONFIG, "this is version %s (%s), rank 0 is %s (%s): install the same program everywhere", crp_version(),
              crp_commit(), start->version, start->commit);
    return CRP_OK;
}

static crp_status lay_out(run *r, const run_start *start)
{
    r->histories = start->histories;
    CRP_TRY(check_same(r, start));
    CRP_TRY(r->model->module->plan(r->context, r->model, start->seed, &r->plan));
    if (r->result == NULL) {
        CRP_TRY(result_create(r->context, r->model, r->plan, &r->result));
        r->result->seed = start->seed;
        r->result->histories = start->done;
        r->result->batches = (uint32_t)start->batches;
        r->result->batch_size = start->batch_size;
        r->result->batch_growth = start->batch_growth;
    }
    CRP_TRY(check_fits(r));
    return r->comm->rank == 0 ? prepare_trigger(r) : CRP_OK;
}

static crp_status open_devices(run *r)
{
    uint64_t n_batches = result_count_batches(r->result, r->histories) - r->result->batches;
    uint64_t histories = (r->histories - r->result->histories) / r->comm->size;
    lane_place place = {.number = r->comm->node_rank, .n = r->comm->node_size};
    return crew_open(r->context, r->model, r->plan, r->options, histories, n_batches, place, r->comm->size > 1, &r->crew);
}

/* The first rank of a machine goes ahead: it compiles the kernel if need be, and the others find it in the cache. */
static crp_status open_in_turn(run *r)
{
    bool is_first = r->comm->node_rank == 0;
    CRP_TRY(comm_agree(r->comm, r->context, is_first ? open_devices(r) : CRP_OK));
    return comm_agree(r->comm, r->context, is_first ? CRP_OK : open_devices(r));
}

/* One rank on a GPU in fast math and one on a CPU, which knows strict only, must not mix. */
static crp_status check_math_of_ranks(run *r)
{
    CRP_CHECK(r->context, comm_most(r->comm, r->crew.is_traced) == r->crew.is_traced, CRP_ERR_DEVICE,
              "%s is no device optix, those of other processes are (a run must not mix two kinds of digits) use one kind "
              "for all", r->crew.members[0].label);
    CRP_CHECK(r->context, comm_most(r->comm, (uint64_t)r->crew.math) == (uint64_t)r->crew.math, CRP_ERR_DEVICE,
              "%s computes in strict math, other processes in fast math (a run must not mix two kinds of digits) use --math "
              "strict, or --device cuda for all", r->crew.members[0].label);
    return CRP_OK;
}

crp_status run_prepare(run *r)
{
    run_start start = {0};
    r->comm = comm_of(r->context);
    CRP_TRY(comm_agree(r->comm, r->context, r->comm->rank == 0 ? decide_start(r, &start) : CRP_OK));
    r->comm->broadcast(r->comm, 0, &start, sizeof start);
    CRP_TRY(comm_agree(r->comm, r->context, lay_out(r, &start)));
    CRP_TRY(open_in_turn(r));
    CRP_TRY(comm_agree(r->comm, r->context, check_math_of_ranks(r)));
    CRP_TRY(ranks_meet(r->context, &r->crew, &r->ranks));
    stamp_result(r);
    CRP_TRY(comm_agree(r->comm, r->context, check_math(r, start.math_before)));
    r->seconds_before = r->result->seconds;
    r->histories_before = r->result->histories;
    r->device_seconds_before = isnan(r->result->device_seconds) ? 0.0 : r->result->device_seconds;
    return comm_agree(r->comm, r->context, make_work(r));
}
