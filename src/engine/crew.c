/* The devices of a run, side by side: see crew.h. */
#include "engine/crew.h"

#include "core/context.h"
#include "core/team.h"
#include "device/device_set.h"
#include "model/model.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many cores a multiprocessor is taken for until the pace of a GPU is measured. */
static const double CORES_OF_A_UNIT = 8.0;

static bool is_cpu(const device_lane *lane)
{
    return strcmp(lane->device->info.kind, "cpu") == 0;
}

/* ------------------------------------------------------------------------------------------------- opening */

/* A line that a lane logged in its own thread; it waits for the thread of the run, whose the log is. */
typedef struct crew_line {
    struct crew_line *next;
    crp_log_level level;
    char component[24], text[1024];
} crew_line;

static void keep_log(void *user, crp_log_level level, const char *component, const char *line)
{
    crew *c = user;
    crew_line *kept = calloc(1, sizeof *kept), **last = &c->lines;
    if (kept == NULL) {
        return;
    }
    kept->level = level;
    snprintf(kept->component, sizeof kept->component, "%s", component);
    snprintf(kept->text, sizeof kept->text, "%s", line);
    pthread_mutex_lock(&c->lock);
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = kept;
    pthread_mutex_unlock(&c->lock);
}

static void tell_lines(crew *c)
{
    pthread_mutex_lock(&c->lock);
    crew_line *line = c->lines;
    c->lines = NULL;
    pthread_mutex_unlock(&c->lock);
    while (line != NULL) {
        crew_line *next = line->next;
        context_log(c->context, line->level, line->component, "%s", line->text);
        free(line);
        line = next;
    }
}

static void forward_log(void *user, crp_log_level level, const char *component, const char *line)
{
    context_log(user, level, component, "%s", line);
}

/*
 * Threads of the CPU: as asked for; else its cores, shared among the processes of this machine. A core is left to each GPU
 * that works beside it, as its host thread must not wait.
 */
static uint32_t choose_threads(const crp_run_options *options, lane_place place, uint32_t n_others)
{
    if (options->threads != 0) {
        return options->threads;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = (uint32_t)omp_get_num_procs(), share = (uint32_t)(online > 0 ? online : 1) / place.n;
    n = n < share || place.n == 1 ? n : share;
    return n > n_others ? n - n_others : 1;
}

static crp_status open_member(crew *c, const device_set *set, uint32_t i, const crp_run_options *options, uint64_t histories,
                              uint64_t n_launches, lane_place place)
{
    crew_member *m = &c->members[c->n];
    *m = (crew_member){.crew = c, .index = c->n};
    m->context = c->context;
    if (c->has_threads) {
        CRP_CHECK(c->context, crp_context_create(&m->context) == CRP_OK, CRP_ERR_MEMORY, "no memory for a device");
        crp_context_set_log(m->context, forward_log, c->context);
    }
    c->n++;
    crp_run_options own = *options;
    own.device = set->names[i];
    own.threads = choose_threads(options, place, set->n - 1);
    crp_status status = lane_open_at(m->context, c->model, c->plan, &own, histories, n_launches, place, &m->lane);
    if (status != CRP_OK) {
        return c->has_threads ? context_fail(c->context, status, "%s", crp_context_error(m->context)) : status;
    }
    snprintf(m->label, sizeof m->label, "%s", m->lane->label);
    m->words = malloc(c->plan->n_words * sizeof *m->words);
    CRP_CHECK(c->context, m->words != NULL, CRP_ERR_MEMORY, "no memory for a launch: %zu bytes needed; use a coarser grid",
              c->plan->n_words * sizeof *m->words);
    return CRP_OK;
}

static void close_member(crew *c, crew_member *m)
{
    lane_close(&m->lane);
    free(m->words);
    m->words = NULL;
    if (m->context != c->context) {
        crp_context_destroy(&m->context);
    }
}

/* Every device of the set. Of "all" some may be left out, with a warning, as long as one is there. */
static crp_status open_members(crew *c, const device_set *set, const crp_run_options *options, uint64_t histories,
                               uint64_t n_launches, lane_place place)
{
    crp_status last = CRP_OK;
    for (uint32_t i = 0; i < set->n; i++) {
        crp_status status = open_member(c, set, i, options, histories, n_launches, place);
        if (status != CRP_OK && !set->is_one_of_all[i]) {
            return status;
        }
        if (status != CRP_OK) {
            context_log(c->context, CRP_LOG_WARNING, "engine", "%s is left out: %s", set->names[i],
                        crp_context_error(c->context));
            close_member(c, &c->members[--c->n]);
            last = status;
        }
    }
    return c->n > 0 ? CRP_OK : last;
}

/* Devices that can help each other hear of each other. */
static void introduce(crew *c)
{
    device *devices[WORK_MAX_WORKERS];
    for (uint32_t i = 0; i < c->n; i++) {
        devices[i] = c->members[i].lane->device;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        if (devices[i]->ops->meet != NULL) {
            devices[i]->ops->meet(devices[i], devices, c->n);
        }
    }
}

/* Strict math is the same on all devices; the approximations of fast math are not. */
static crp_status check_kinds(crew *c, const device_set *set, crp_math math)
{
    size_t n = strcspn(set->names[0], ":");
    bool has_cpu = false;
    for (uint32_t i = 0; i < set->n; i++) {
        c->is_mixed = c->is_mixed || strncmp(set->names[i], set->names[0], n) != 0 || strcspn(set->names[i], ":") != n;
        has_cpu = has_cpu || strcmp(set->names[i], "cpu") == 0;
        c->is_traced = c->is_traced || strncmp(set->names[i], "optix", 5) == 0;
    }
    CRP_CHECK(c->context, !(c->is_mixed && math == CRP_MATH_FAST), CRP_ERR_ARG,
              "fast math cannot be shared by devices of several kinds (%s: a run must not mix two kinds of digits) use "
              "--math strict, or devices of one kind",
              has_cpu ? "a CPU computes in strict math only" : "the approximations of CUDA and OpenCL differ");
    CRP_CHECK(c->context, !(c->is_mixed && c->is_traced), CRP_ERR_ARG,
              "optix cannot share a run with devices of other kinds (its digits are those of its hardware: a run must not mix "
              "two kinds of digits) use one kind");
    return CRP_OK;
}

crp_status crew_open(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                     uint64_t histories, uint64_t n_batches, lane_place place, bool needs_threads, crew *c)
{
    device_set set;
    c->context = context;
    c->model = model;
    c->plan = plan;
    c->threads = options->threads;
    pthread_mutex_init(&c->lock, NULL);
    CRP_TRY(device_set_parse(context, options->device == NULL ? "auto" : options->device, &set));
    CRP_TRY(check_kinds(c, &set, options->math));
    c->has_threads = needs_threads || set.n > 1;
    uint64_t n_launches = n_batches;
    if (set.n > 1) { /* the last ones are cut so that they end together: their number need not come out even */
        n_launches = (n_batches + set.n - 1) / set.n;
        n_launches = n_launches > DEVICE_N_QUEUES ? n_launches / DEVICE_N_QUEUES * DEVICE_N_QUEUES : n_launches;
    }
    CRP_TRY(open_members(c, &set, options, histories, n_launches, place));
    introduce(c);
    c->math = c->members[0].lane->shape.source.math;
    return CRP_OK;
}

void crew_close(crew *c)
{
    if (c->context == NULL) {
        return;
    }
    if (c->work != NULL) {
        work_stop(c->work);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->members[i].has_thread) {
            pthread_join(c->members[i].thread, NULL);
            c->members[i].has_thread = false;
        }
        close_member(c, &c->members[i]);
    }
    tell_lines(c);
    pthread_mutex_destroy(&c->lock);
    c->context = NULL;
}

/* ------------------------------------------------------------------------------------------------- working */

/* Fill the queues and collect the oldest launch; `is_done` when there was none. */
static crp_status turn(crew_member *m, bool is_waiting, bool *is_done)
{
    work *w = m->crew->work;
    device_lane *lane = m->lane;
    history_range range;
    while (m->n_started - m->n_collected < lane->depth &&
           work_take(w, m->index, is_waiting && m->n_started == m->n_collected, &range)) {
        uint32_t queue = m->n_started % lane->depth;
        CRP_TRY(lane_start(lane, queue, range));
        m->n_started++;
    }
    *is_done = m->n_started == m->n_collected;
    if (!*is_done) {
        double seconds = 0.0;
        CRP_TRY(lane_collect(lane, m->n_collected % lane->depth, m->words, &seconds));
        m->n_collected++;
        pthread_mutex_lock(&m->crew->lock);
        m->seconds += seconds;
        pthread_mutex_unlock(&m->crew->lock);
        CRP_TRY(work_finish(w, m->index, m->context, m->words));
    }
    return CRP_OK;
}

static void lose(crew_member *m, crp_status status)
{
    pthread_mutex_lock(&m->crew->lock);
    m->status = status;
    pthread_mutex_unlock(&m->crew->lock);
    uint64_t n = work_lose(m->crew->work, m->index);
    pthread_mutex_lock(&m->crew->lock);
    m->n_given_back = n;
    pthread_mutex_unlock(&m->crew->lock);
}

static void *work_on(void *user)
{
    crew_member *m = user;
    bool is_done = false;
    crp_status status = CRP_OK;
    team_limit(m->crew->threads);
    while (!is_done && status == CRP_OK) {
        status = turn(m, true, &is_done);
    }
    if (status != CRP_OK) {
        lose(m, status);
    }
    return NULL;
}

/* Histories per second, roughly: the cost of the model is that of one core. */
static double guess_pace(const crew *c, const device_lane *lane)
{
    double cores = lane->device->info.n_units * (is_cpu(lane) ? 1.0 : CORES_OF_A_UNIT);
    double cost = c->model->module->cost(c->model);
    return cost > 0.0 && cores > 0.0 ? cores / cost : 1.0;
}

crp_status crew_start(crew *c, work *w)
{
    c->work = w;
    for (uint32_t i = 0; i < c->n; i++) {
        const device_lane *lane = c->members[i].lane;
        work_add_worker(w, lane->depth > 1 ? lane->depth / 2 : 1, guess_pace(c, lane));
    }
    for (uint32_t i = 0; i < c->n && c->has_threads; i++) {
        crew_member *m = &c->members[i];
        crp_context_set_log(m->context, keep_log, c);
        CRP_CHECK(c->context, pthread_create(&m->thread, NULL, work_on, m) == 0, CRP_ERR_INTERNAL,
                  "no thread for %s (the system refuses one) allow more processes", m->label);
        m->has_thread = true;
    }
    return CRP_OK;
}

crp_status crew_turn(crew *c)
{
    bool is_done;
    crp_status status = turn(&c->members[0], false, &is_done);
    if (status != CRP_OK) {
        lose(&c->members[0], status);
        c->members[0].is_told = true; /* it is what the run ends with */
    }
    return status;
}

void crew_tell_losses(crew *c)
{
    tell_lines(c);
    for (uint32_t i = 0; i < c->n; i++) {
        crew_member *m = &c->members[i];
        pthread_mutex_lock(&c->lock);
        bool is_news = m->status != CRP_OK && !m->is_told;
        pthread_mutex_unlock(&c->lock);
        if (!is_news) {
            continue;
        }
        pthread_join(m->thread, NULL);
        m->has_thread = false;
        m->is_told = true;
        if (work_n_workers(c->work) > 0) {
            context_log(c->context, CRP_LOG_WARNING, "engine",
                        "%s is dropped, the others do again the %llu %s that it had in hand: %s", m->label,
                        (unsigned long long)m->n_given_back, c->model->module->history_name, crp_context_error(m->context));
        }
        lane_close(&m->lane);
    }
}

crp_status crew_failure(crew *c)
{
    for (uint32_t i = c->n; i-- > 0;) {
        crew_member *m = &c->members[i];
        if (m->status != CRP_OK) {
            return m->context == c->context ? m->status
                                            : context_fail(c->context, m->status, "no device is left: %s",
                                                           crp_context_error(m->context));
        }
    }
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------------- facts */

void crew_label(const crew *c, char *text, size_t size)
{
    size_t n = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < c->n; i++) {
        const char *label = c->members[i].label;
        if (n + strlen(label) + 8 > size) {
            snprintf(text + n, size - n, ", ...");
            return;
        }
        n += (size_t)snprintf(text + n, size - n, "%s%s", i > 0 ? ", " : "", label);
    }
}

double crew_member_seconds(crew_member *m)
{
    pthread_mutex_lock(&m->crew->lock);
    double seconds = m->seconds;
    pthread_mutex_unlock(&m->crew->lock);
    return seconds;
}

uint32_t crew_n_copies(const crew *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        n += is_cpu(c->members[i].lane) ? 1 + c->members[i].lane->device->info.n_units : 1;
    }
    return n;
}

uint32_t crew_depth(const crew *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        n += c->members[i].lane->depth;
    }
    return n;
}
