/* Who runs which histories: see work.h. One lock for who has what; one a batch for its sums. */
#include "engine/work.h"

#include "core/context.h"
#include "core/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Where devices of several kinds share a run, none holds histories for longer than this [s], and before its pace is known
 * no longer than the second (by the guess): nothing then waits long for the slowest. */
static const double LONGEST_CHUNK = 0.5, FIRST_CHUNK = 0.1;

/* A chunk that a place is done with sooner costs more than it brings: [s], and [s] for each word that comes back from it. */
static const double SHORTEST_CHUNK = 0.01, SHORTEST_BY_WORD = 1.0e-8;

/* The pace of a worker is the mean over about this time. */
static const double PACE_MEMORY = 10.0;

enum { MAX_IN_FLIGHT = DEVICE_N_QUEUES };

typedef struct chunk {
    history_range range;
    uint64_t batch;
    double begun; /* when it began to run, 0: it waits for a place */
} chunk;

typedef struct worker {
    chunk taken[MAX_IN_FLIGHT]; /* oldest first */
    uint32_t n_taken, places;
    bool is_lost;
    double guess;
    double recent_histories, recent_seconds; /* for the pace */
    uint64_t histories;
} worker;

typedef struct slot {
    work_batch batch;
    pthread_mutex_t lock; /* of its sums */
} slot;

struct work {
    crp_context *context;
    const crp_model *model;
    const crp_plan *plan;
    const crp_result *result;
    work_options options;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    worker workers[WORK_MAX_WORKERS];
    uint32_t n_workers, n_alive;
    slot *slots; /* of batch b: b % window */
    uint64_t oldest, n_opened; /* batches [oldest, n_opened) are in progress */
    uint64_t frontier;         /* where the next batch begins */
    uint64_t next;             /* first id of the newest batch's part that nobody has taken */
    chunk *again;              /* chunks of lost workers */
    uint32_t n_again, again_capacity;
    uint64_t *weights, *next_weights; /* one a rank; the latter count from batch `weights_from` on */
    uint64_t weights_from;
    bool has_stopped;
};

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1.0e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------- life and death */

static crp_status allocate(work *w)
{
    uint32_t n_ranks = w->options.n_ranks;
    w->slots = calloc(w->options.window, sizeof *w->slots);
    w->weights = calloc(n_ranks, sizeof *w->weights);
    w->next_weights = calloc(n_ranks, sizeof *w->next_weights);
    w->again_capacity = WORK_MAX_WORKERS * MAX_IN_FLIGHT;
    w->again = calloc(w->again_capacity, sizeof *w->again);
    CRP_CHECK(w->context, w->slots != NULL && w->weights != NULL && w->next_weights != NULL && w->again != NULL,
              CRP_ERR_MEMORY, "no memory for the batches in progress");
    for (uint32_t i = 0; i < w->options.window; i++) {
        pthread_mutex_init(&w->slots[i].lock, NULL);
    }
    for (uint32_t i = 0; i < n_ranks; i++) {
        w->weights[i] = 1;
    }
    return CRP_OK;
}

crp_status work_create(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_result *result,
                       const work_options *options, work **out)
{
    work *w = calloc(1, sizeof *w);
    CRP_CHECK(context, w != NULL, CRP_ERR_MEMORY, "no memory for the batches in progress");
    w->context = context;
    w->model = model;
    w->plan = plan;
    w->result = result;
    w->options = *options;
    w->options.clock = options->clock != NULL ? options->clock : clock_now;
    w->frontier = options->first;
    w->weights_from = UINT64_MAX;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    *out = w;
    crp_status status = allocate(w);
    if (status != CRP_OK) {
        work_destroy(out);
    }
    return status;
}

void work_destroy(work **pointer)
{
    if (pointer == NULL || *pointer == NULL) {
        return;
    }
    work *w = *pointer;
    for (uint32_t i = 0; w->slots != NULL && i < w->options.window; i++) {
        free(w->slots[i].batch.bins);
        free(w->slots[i].batch.events);
        pthread_mutex_destroy(&w->slots[i].lock);
    }
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    free(w->slots);
    free(w->weights);
    free(w->next_weights);
    free(w->again);
    free(w);
    *pointer = NULL;
}

void work_add_worker(work *w, uint32_t places, double pace)
{
    w->workers[w->n_workers++] = (worker){.places = places, .guess = pace};
    w->n_alive++;
}

/* -------------------------------------------------------------------------------------------------- batches */

/* (a * b + c) / d without overflow. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)a * b + c) / d);
}

/* Where the odd history of a batch goes: by multiples of the golden section each rank has its share of them in any stretch of batches. */
static const uint32_t GOLDEN = 2654435769u; /* of 2^32 */

void work_part(uint64_t batch, uint64_t first, uint64_t end, const uint64_t *weights, uint32_t rank, uint32_t n_ranks,
               uint64_t *part_first, uint64_t *part_end)
{
    uint64_t before = 0, total = 0;
    for (uint32_t i = 0; i < n_ranks; i++) {
        before += i < rank ? weights[i] : 0;
        total += weights[i];
    }
    uint64_t turn = scale(total, (uint32_t)batch * GOLDEN, 0, (uint64_t)1 << 32);
    *part_first = first + scale(end - first, before, turn, total);
    *part_end = first + scale(end - first, before + weights[rank], turn, total);
}

static slot *slot_of(work *w, uint64_t batch)
{
    return &w->slots[batch % w->options.window];
}

static bool is_complete(const work_batch *b)
{
    return b->n_done == b->part_end - b->part_first;
}

/* Take the next batch in hand; false when there is none, or no room. */
static bool open_batch(work *w)
{
    if (w->frontier >= w->options.end || w->n_opened - w->oldest >= w->options.window) {
        return false;
    }
    if (w->n_opened >= w->weights_from) {
        memcpy(w->weights, w->next_weights, w->options.n_ranks * sizeof *w->weights);
        w->weights_from = UINT64_MAX;
    }
    uint64_t end = result_batch_end(w->result, w->frontier);
    end = end < w->options.end ? end : w->options.end;
    work_batch *b = &slot_of(w, w->n_opened)->batch;
    b->number = w->n_opened++;
    b->histories = end - w->frontier;
    b->n_done = 0;
    work_part(b->number, w->frontier, end, w->weights, w->options.rank, w->options.n_ranks, &b->part_first, &b->part_end);
    w->next = b->part_first;
    w->frontier = end;
    if (is_complete(b)) { /* nothing of it is this rank's */
        pthread_cond_broadcast(&w->changed);
    }
    return true;
}

/* The newest batch, with something of it left to take. */
static work_batch *newest(work *w)
{
    while (w->n_opened == w->oldest || w->next == slot_of(w, w->n_opened - 1)->batch.part_end) {
        if (!open_batch(w)) {
            return NULL;
        }
    }
    return &slot_of(w, w->n_opened - 1)->batch;
}

/* ----------------------------------------------------------------------------------------------------- pace */

static bool is_measured(const worker *k)
{
    return k->recent_seconds > 0.0;
}

/* In histories per second. Of workers that are alike, one that has no pace yet has that of another. */
static double pace_of(const work *w, const worker *k)
{
    for (uint32_t i = 0; !is_measured(k) && !w->options.is_mixed && i < w->n_workers; i++) {
        k = is_measured(&w->workers[i]) && !w->workers[i].is_lost ? &w->workers[i] : k;
    }
    return is_measured(k) ? k->recent_histories / k->recent_seconds : k->guess;
}

/* What a worker has taken and, at its pace, not done yet: of all its places, and of the one that is free first. */
typedef struct backlog {
    double all, least;
} backlog;

/* Launches run side by side, one a place; one that waits gets the place that is free first. */
static backlog backlog_of(const work *w, const worker *k, double now)
{
    double of_place[MAX_IN_FLIGHT] = {0.0}, pace = pace_of(w, k) / k->places;
    backlog sum = {0.0, 0.0};
    uint32_t least = 0;
    for (uint32_t i = 0; i < k->n_taken; i++) {
        double left = (double)k->taken[i].range.count;
        left -= k->taken[i].begun > 0.0 ? pace * (now - k->taken[i].begun) : 0.0;
        left = left > 0.0 ? left : 0.0;
        of_place[i < k->places ? i : least] += left;
        sum.all += left;
        for (uint32_t p = 0; p < k->places; p++) {
            least = of_place[p] < of_place[least] ? p : least;
        }
    }
    sum.least = of_place[least];
    return sum;
}

/* Histories that this rank has still to take; of what is in the window if that is narrow. */
static double untaken(const work *w)
{
    double sum = 0.0, of_this_rank = 1.0;
    if (w->options.n_ranks > 1) {
        double total = 0.0;
        for (uint32_t i = 0; i < w->options.n_ranks; i++) {
            total += (double)w->weights[i];
        }
        of_this_rank = (double)w->weights[w->options.rank] / total;
    }
    for (uint32_t i = 0; i < w->n_again; i++) {
        sum += (double)w->again[i].range.count;
    }
    if (w->n_opened > w->oldest) {
        sum += (double)(w->slots[(w->n_opened - 1) % w->options.window].batch.part_end - w->next);
    }
    double beyond = (double)(w->options.end - w->frontier);
    double in_window = (double)(w->options.window - (w->n_opened - w->oldest)) * (double)w->result->batch_size;
    return sum + of_this_rank * (w->options.is_narrow && in_window < beyond ? in_window : beyond);
}

/* How many histories a worker may take for its next place, so that all places of all workers are done at the same time. */
static double fair_share(const work *w, const worker *k, double now)
{
    double left = untaken(w), pace = 0.0;
    for (uint32_t i = 0; i < w->n_workers; i++) {
        if (!w->workers[i].is_lost) {
            left += backlog_of(w, &w->workers[i], now).all;
            pace += pace_of(w, &w->workers[i]);
        }
    }
    return left * pace_of(w, k) / pace / k->places - backlog_of(w, k, now).least;
}

/* How many of `rest` a worker is given, 0: none now. */
static uint64_t chunk_size(const work *w, const worker *k, uint64_t rest, double now)
{
    if (w->n_workers == 1) {
        return rest;
    }
    double limit = fair_share(w, k, now), pace = pace_of(w, k);
    double least = (SHORTEST_CHUNK + SHORTEST_BY_WORD * (double)w->plan->n_words) * pace / k->places;
    if (w->options.is_mixed) {
        double longest = pace * (is_measured(k) ? LONGEST_CHUNK : FIRST_CHUNK);
        limit = limit < longest ? limit : longest;
    }
    if (limit < least || limit < 1.0) {
        if (k->n_taken > 0) {
            return 0;
        }
        limit = least > 1.0 ? least : 1.0;
    }
    return limit + least < (double)rest ? (uint64_t)limit : rest;
}

/* ------------------------------------------------------------------------------------------ taking a chunk */

/* Never across the point where the low word of history numbers wraps, nor more than fits. */
static uint64_t launch_end(const work *w, uint64_t first, uint64_t end)
{
    uint64_t wrap = ((first >> 32) + 1) << 32;
    end = end < wrap ? end : wrap;
    return end - first > w->plan->max_launch ? first + w->plan->max_launch : end;
}

static void give(worker *k, uint64_t batch, uint64_t first, uint64_t count, bool ends_batch, double now)
{
    k->taken[k->n_taken] = (chunk){.range = {.first = first, .count = count, .ends_batch = ends_batch},
                                   .batch = batch, .begun = k->n_taken < k->places ? now : 0.0};
    k->n_taken++;
}

static bool take_again(work *w, worker *k, double now)
{
    chunk *c = &w->again[w->n_again - 1];
    uint64_t count = chunk_size(w, k, c->range.count, now);
    if (count == 0) {
        return false;
    }
    bool is_all = count == c->range.count;
    give(k, c->batch, c->range.first, count, is_all && c->range.ends_batch, now);
    c->range.first += count;
    c->range.count -= count;
    w->n_again -= is_all;
    return true;
}

static bool take_new(work *w, worker *k, double now)
{
    work_batch *b = newest(w);
    if (b == NULL) {
        return false;
    }
    uint64_t end = launch_end(w, w->next, b->part_end);
    uint64_t count = chunk_size(w, k, end - w->next, now);
    if (count == 0) {
        return false;
    }
    give(k, b->number, w->next, count, w->next + count == b->part_end, now);
    w->next += count;
    return true;
}

bool work_take(work *w, uint32_t index, bool is_waiting, history_range *range)
{
    worker *k = &w->workers[index];
    bool has = false;
    pthread_mutex_lock(&w->lock);
    while (!w->has_stopped && !k->is_lost && k->n_taken < MAX_IN_FLIGHT) {
        double now = w->options.clock();
        has = w->n_again > 0 ? take_again(w, k, now) : take_new(w, k, now);
        if (has || !is_waiting || k->n_taken > 0) {
            break;
        }
        pthread_cond_wait(&w->changed, &w->lock);
    }
    if (has) {
        *range = k->taken[k->n_taken - 1].range;
    }
    pthread_mutex_unlock(&w->lock);
    return has;
}

/* ------------------------------------------------------------------------------------------------ its end */

/* The pace of its places together, from the time that a launch had its place. */
static void measure(worker *k, uint64_t n, double seconds)
{
    k->recent_histories += (double)n;
    k->recent_seconds += seconds / k->places;
    if (k->recent_seconds > PACE_MEMORY) {
        k->recent_histories *= 0.5;
        k->recent_seconds *= 0.5;
    }
}

/* Sums of a batch, zero at first. Called with the batch's lock held, or by the only one who knows it. */
static crp_status make_sums(const work *w, crp_context *context, work_batch *b)
{
    if (b->bins == NULL) {
        b->bins = calloc(w->plan->n_bins > 0 ? w->plan->n_bins : 1, sizeof *b->bins);
        b->events = calloc(w->plan->n_events > 0 ? w->plan->n_events : 1, sizeof *b->events);
    }
    CRP_CHECK(context, b->bins != NULL && b->events != NULL, CRP_ERR_MEMORY,
              "no memory for a batch: %zu bytes needed; use a coarser grid", w->plan->n_bins * sizeof *b->bins);
    return CRP_OK;
}

crp_status work_finish(work *w, uint32_t index, crp_context *context, const uint64_t *words)
{
    worker *k = &w->workers[index];
    chunk done = k->taken[0]; /* only this worker changes it */
    slot *s = slot_of(w, done.batch);
    double now = w->options.clock();
    pthread_mutex_lock(&s->lock);
    crp_status status = make_sums(w, context, &s->batch);
    if (status == CRP_OK) {
        const crp_module *module = w->model->module;
        module->reduce(w->plan, words, done.range.count, s->batch.bins, s->batch.events);
        if (module->add_known != NULL) {
            module->add_known(w->plan, done.range.first, done.range.count, s->batch.bins);
        }
    }
    pthread_mutex_unlock(&s->lock);
    CRP_TRY(status);
    pthread_mutex_lock(&w->lock);
    measure(k, done.range.count, now - k->taken[0].begun);
    k->histories += done.range.count;
    s->batch.n_done += done.range.count;
    k->n_taken--;
    memmove(k->taken, k->taken + 1, k->n_taken * sizeof *k->taken);
    if (k->n_taken >= k->places) {
        k->taken[k->places - 1].begun = now;
    }
    if (is_complete(&s->batch)) {
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return CRP_OK;
}

uint64_t work_lose(work *w, uint32_t index)
{
    worker *k = &w->workers[index];
    uint64_t n = 0;
    pthread_mutex_lock(&w->lock);
    for (uint32_t i = k->n_taken; i-- > 0;) { /* the oldest is taken first */
        n += k->taken[i].range.count;
        w->again[w->n_again++] = k->taken[i];
    }
    k->n_taken = 0;
    w->n_alive -= !k->is_lost;
    k->is_lost = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return n;
}

/* ------------------------------------------------------------------------------------ batches that are done */

work_batch *work_complete(work *w, bool is_waiting)
{
    work_batch *b = NULL;
    pthread_mutex_lock(&w->lock);
    uint32_t n_before = w->n_alive;
    for (;;) {
        bool has_one = w->n_opened > w->oldest || open_batch(w);
        if (has_one && is_complete(&slot_of(w, w->oldest)->batch)) {
            b = &slot_of(w, w->oldest)->batch;
            break;
        }
        if (!is_waiting || w->n_alive == 0 || w->n_alive != n_before) {
            break;
        }
        pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return b;
}

crp_status work_oldest(work *w, crp_context *context, work_batch **out)
{
    pthread_mutex_lock(&w->lock);
    bool has_one = w->n_opened > w->oldest || open_batch(w);
    *out = &slot_of(w, w->oldest)->batch;
    pthread_mutex_unlock(&w->lock);
    CRP_CHECK(context, has_one, CRP_ERR_INTERNAL, "no batch is left, and one was expected");
    return make_sums(w, context, *out);
}

/* Its arrays go on to the batch that begins, so that no more exist than batches in progress. */
static void pass_on(work *w, work_batch *b)
{
    if (b->bins != NULL) {
        crp_wide *bins = b->bins;
        size_t n = w->plan->n_bins;
#pragma omp parallel for schedule(static) num_threads(team_of(n))
        for (size_t i = 0; i < n; i++) {
            bins[i] = 0;
        }
        memset(b->events, 0, w->plan->n_events * sizeof *b->events);
    }
    work_batch *next = &slot_of(w, w->oldest + 1)->batch;
    if (next != b && next->bins == NULL) {
        next->bins = b->bins;
        next->events = b->events;
        b->bins = NULL;
        b->events = NULL;
    }
}

void work_commit(work *w)
{
    slot *s = slot_of(w, w->oldest), *next = slot_of(w, w->oldest + 1);
    if (next != s) {
        pthread_mutex_lock(&next->lock);
    }
    pass_on(w, &s->batch);
    if (next != s) {
        pthread_mutex_unlock(&next->lock);
    }
    pthread_mutex_lock(&w->lock);
    w->oldest++;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void work_stop(work *w)
{
    pthread_mutex_lock(&w->lock);
    w->has_stopped = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

uint32_t work_n_workers(work *w)
{
    pthread_mutex_lock(&w->lock);
    uint32_t n = w->n_alive;
    pthread_mutex_unlock(&w->lock);
    return n;
}

uint64_t work_histories(work *w, uint32_t index)
{
    pthread_mutex_lock(&w->lock);
    uint64_t n = w->workers[index].histories;
    pthread_mutex_unlock(&w->lock);
    return n;
}

double work_pace(work *w, uint32_t index)
{
    pthread_mutex_lock(&w->lock);
    const worker *k = &w->workers[index];
    double pace = k->is_lost ? 0.0 : pace_of(w, k);
    pthread_mutex_unlock(&w->lock);
    return pace;
}

void work_set_weights(work *w, const uint64_t *weights)
{
    pthread_mutex_lock(&w->lock);
    memcpy(w->next_weights, weights, w->options.n_ranks * sizeof *weights);
    w->weights_from = w->oldest + w->options.window; /* the first batch that cannot have been opened anywhere */
    pthread_mutex_unlock(&w->lock);
}
