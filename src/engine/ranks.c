/* What the processes of a run tell one another: see ranks.h. */
#include "engine/ranks.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The facts: one word, one a rank, then some a device. */
enum { FACT_STOP, FACT_STATUS };
enum { DEVICE_HISTORIES, DEVICE_PACE, DEVICE_SECONDS, DEVICE_DROPPED, DEVICE_WORDS };

/* A pace and a time are sent as integers of this unit. */
static const double UNIT = 1.0e-6;

/* Weights that differ less from the paces than this are left as they are. */
static const double WEIGHT_TOLERANCE = 0.02;

/* ------------------------------------------------------------------------------------------------- meeting */

/* Every rank's texts to rank 0: each adds its own to zeros. */
static void gather_texts(ranks *r, const crew *c)
{
    typedef struct text {
        char label[160], host[64];
    } text;
    size_t words_each = sizeof(text) / sizeof(uint64_t);
    uint64_t *all = calloc(r->n_devices, sizeof(text));
    if (all == NULL) {
        r->comm->abort(r->comm, 1);
        return;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        text own = {.label = "", .host = ""};
        memcpy(own.label, c->members[i].label, sizeof own.label);
        gethostname(own.host, sizeof own.host - 1);
        memcpy(all + (r->first_own + i) * words_each, &own, sizeof own);
    }
    r->comm->sum(r->comm, all, r->n_devices * words_each);
    for (uint32_t i = 0; i < r->n_devices; i++) {
        text one;
        memcpy(&one, all + i * words_each, sizeof one);
        memcpy(r->devices[i].label, one.label, sizeof one.label);
        memcpy(r->devices[i].host, one.host, sizeof one.host);
        if (r->comm->size > 1) {
            snprintf(r->names[i], sizeof r->names[i], "rank %u %s", r->devices[i].rank, one.label);
        } else {
            snprintf(r->names[i], sizeof r->names[i], "%s", one.label);
        }
    }
    free(all);
}

/* Who has which devices: numbers of devices by rank. */
static crp_status count_devices(ranks *r, uint32_t n_own, uint64_t *counts)
{
    counts[r->comm->rank] = n_own;
    r->comm->sum(r->comm, counts, r->comm->size);
    r->comm->broadcast(r->comm, 0, counts, r->comm->size * sizeof *counts);
    for (uint32_t i = 0; i < r->comm->size; i++) {
        r->first_own += i < r->comm->rank ? (uint32_t)counts[i] : 0;
        r->n_devices += (uint32_t)counts[i];
    }
    r->n_facts = 1 + r->comm->size + (size_t)DEVICE_WORDS * r->n_devices;
    r->devices = calloc(r->n_devices, sizeof *r->devices);
    r->progress = calloc(r->n_devices, sizeof *r->progress);
    r->names = calloc(r->n_devices, sizeof *r->names);
    r->facts = calloc(r->n_facts, sizeof *r->facts);
    r->weights = calloc(r->comm->size, sizeof *r->weights);
    CRP_CHECK(r->context,
              r->devices != NULL && r->progress != NULL && r->names != NULL && r->facts != NULL && r->weights != NULL,
              CRP_ERR_MEMORY, "no memory for the names of %u devices", r->n_devices);
    return CRP_OK;
}

crp_status ranks_meet(crp_context *context, crew *c, ranks *r)
{
    *r = (ranks){.context = context, .comm = comm_of(context)};
    uint64_t *counts = calloc(r->comm->size, sizeof *counts);
    CRP_CHECK(context, counts != NULL, CRP_ERR_MEMORY, "no memory for %u ranks", r->comm->size);
    crp_status status = comm_agree(r->comm, context, count_devices(r, c->n, counts));
    uint32_t n = 0;
    for (uint32_t i = 0; status == CRP_OK && i < r->comm->size; i++) {
        for (uint64_t k = 0; k < counts[i]; k++) {
            r->devices[n++].rank = i;
        }
        r->weights[i] = 1;
    }
    free(counts);
    if (status == CRP_OK) {
        gather_texts(r, c);
    }
    return status;
}

void ranks_part(ranks *r)
{
    free(r->devices);
    free(r->progress);
    free(r->names);
    free(r->facts);
    free(r->weights);
    *r = (ranks){0};
}

/* ---------------------------------------------------------------------------------------------- after a batch */

static uint64_t *facts_of_device(const ranks *r, uint32_t number)
{
    return r->facts + FACT_STATUS + r->comm->size + (size_t)DEVICE_WORDS * number;
}

static void state_facts(ranks *r, crew *c, crp_status status, bool wants_to_stop)
{
    memset(r->facts, 0, r->n_facts * sizeof *r->facts);
    r->facts[FACT_STOP] = wants_to_stop;
    r->facts[FACT_STATUS + r->comm->rank] = status != CRP_OK;
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t *f = facts_of_device(r, r->first_own + i);
        double seconds = crew_member_seconds(&c->members[i]);
        f[DEVICE_HISTORIES] = work_histories(c->work, i);
        f[DEVICE_PACE] = (uint64_t)(work_pace(c->work, i) / UNIT);
        f[DEVICE_SECONDS] = isnan(seconds) ? UINT64_MAX : (uint64_t)(seconds / UNIT);
        f[DEVICE_DROPPED] = c->members[i].is_told;
    }
}

static void note_facts(ranks *r)
{
    for (uint32_t i = 0; i < r->n_devices; i++) {
        const uint64_t *f = facts_of_device(r, i);
        rank_device *d = &r->devices[i];
        d->histories = f[DEVICE_HISTORIES];
        d->pace = (double)f[DEVICE_PACE] * UNIT;
        d->seconds = f[DEVICE_SECONDS] == UINT64_MAX ? (double)NAN : (double)f[DEVICE_SECONDS] * UNIT;
        d->is_dropped = f[DEVICE_DROPPED] != 0;
    }
    r->is_asked_to_stop = r->facts[FACT_STOP] != 0;
}

bool ranks_sum(ranks *r, crew *c, work_batch *batch, crp_status status, bool wants_to_stop)
{
    state_facts(r, c, status, wants_to_stop);
    r->comm->sum(r->comm, r->facts, r->n_facts);
    r->comm->sum_wide(r->comm, batch->bins, c->plan->n_bins);
    r->comm->sum(r->comm, batch->events, c->plan->n_events);
    note_facts(r);
    bool all_well = true;
    for (uint32_t i = 0; i < r->comm->size && r->comm->rank == 0; i++) {
        all_well = all_well && r->facts[FACT_STATUS + i] == 0;
    }
    return all_well;
}

/* Weights in proportion to the paces of the ranks' devices; false while some are unknown, or nearly so already. */
static bool choose_weights(ranks *r)
{
    double total = 0.0, total_now = 0.0, off = 0.0;
    if (r->comm->size == 1 || r->n_batches < r->next_weights) {
        return false;
    }
    for (uint32_t i = 0; i < r->n_devices; i++) {
        total += r->devices[i].pace;
    }
    for (uint32_t i = 0; i < r->comm->size; i++) {
        total_now += (double)r->weights[i];
    }
    double *pace = calloc(r->comm->size, sizeof *pace);
    if (pace == NULL || !(total > 0.0)) {
        free(pace);
        return false;
    }
    for (uint32_t i = 0; i < r->n_devices; i++) {
        pace[r->devices[i].rank] += r->devices[i].pace / total;
    }
    for (uint32_t i = 0; i < r->comm->size; i++) {
        off = fmax(off, fabs(pace[i] / ((double)r->weights[i] / total_now) - 1.0));
    }
    for (uint32_t i = 0; i < r->comm->size && off > WEIGHT_TOLERANCE; i++) {
        r->weights[i] = 1 + (uint64_t)(pace[i] * 4294967296.0);
    }
    free(pace);
    return off > WEIGHT_TOLERANCE;
}

void ranks_decide(ranks *r, work *w, uint32_t window, ranks_decision *decision)
{
    r->n_batches++;
    decision->has_weights = r->comm->rank == 0 && !decision->ends && choose_weights(r);
    r->comm->broadcast(r->comm, 0, decision, sizeof *decision);
    if (decision->has_weights) {
        r->comm->broadcast(r->comm, 0, r->weights, r->comm->size * sizeof *r->weights);
        work_set_weights(w, r->weights);
        r->next_weights = r->n_batches + window + 1; /* every rank has begun a batch with these by then */
    }
}

/* --------------------------------------------------------------------------------------------------- facts */

void ranks_describe(ranks *r)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < r->n_devices; i++) {
        all += r->devices[i].histories;
    }
    for (uint32_t i = 0; i < r->n_devices; i++) {
        const rank_device *d = &r->devices[i];
        r->progress[i] = (crp_device_progress){.device = r->names[i],
                                               .histories = d->histories,
                                               .share = all > 0 ? (double)d->histories / (double)all : 0.0,
                                               .rate = d->pace,
                                               .is_dropped = d->is_dropped};
    }
}

crp_status ranks_list(const ranks *r, crp_result *result)
{
    if (result->n_devices != r->n_devices) {
        result_device *devices = realloc(result->devices, r->n_devices * sizeof *devices);
        CRP_CHECK(r->context, devices != NULL, CRP_ERR_MEMORY, "no memory for the names of %u devices", r->n_devices);
        result->devices = devices;
        result->n_devices = r->n_devices;
    }
    for (uint32_t i = 0; i < r->n_devices; i++) {
        const rank_device *from = &r->devices[i];
        result_device *to = &result->devices[i];
        memset(to, 0, sizeof *to);
        memcpy(to->label, from->label, sizeof to->label);
        memcpy(to->host, from->host, sizeof to->host);
        to->rank = from->rank;
        to->histories = from->histories;
        to->is_dropped = from->is_dropped;
    }
    return CRP_OK;
}

double ranks_seconds(const ranks *r)
{
    double longest = 0.0;
    for (uint32_t i = 0; i < r->n_devices; i++) {
        longest = r->devices[i].seconds > longest || isnan(r->devices[i].seconds) ? r->devices[i].seconds : longest;
    }
    return longest;
}

/* The maker's name in a label, "NVIDIA H200" of "cuda:0 (NVIDIA H200)". */
static int find_name(const char *label, const char **name)
{
    const char *open = strchr(label, '(');
    const char *close = strrchr(label, ')');
    *name = open != NULL && close > open ? open + 1 : label;
    return open != NULL && close > open ? (int)(close - open - 1) : (int)strlen(label);
}

static bool is_same_name(const rank_device *a, const rank_device *b)
{
    const char *name_a, *name_b;
    int n = find_name(a->label, &name_a);
    return n == find_name(b->label, &name_b) && strncmp(name_a, name_b, (size_t)n) == 0;
}

static uint32_t count_hosts(const ranks *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_devices; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i && is_new; k++) {
            is_new = strcmp(r->devices[i].host, r->devices[k].host) != 0;
        }
        n += is_new;
    }
    return n;
}

void ranks_label(const ranks *r, const crew *c, char *text, size_t size)
{
    size_t at = 0;
    if (r->comm->size == 1) {
        crew_label(c, text, size);
        return;
    }
    text[0] = '\0';
    for (uint32_t i = 0; i < r->n_devices && at < size; i++) {
        const char *name;
        uint32_t n = 0;
        bool is_new = true;
        for (uint32_t k = 0; k < r->n_devices; k++) {
            bool is_same = is_same_name(&r->devices[i], &r->devices[k]);
            is_new = is_new && !(is_same && k < i);
            n += is_same;
        }
        int length = find_name(r->devices[i].label, &name);
        bool fits = at + (size_t)length + 64 < size;
        if (is_new && fits) {
            at += (size_t)snprintf(text + at, size - at, "%u x %.*s, ", n, length, name);
        } else if (is_new) {
            at += (size_t)snprintf(text + at, size - at, "others, ");
            break;
        }
    }
    uint32_t n_hosts = count_hosts(r);
    snprintf(text + at, size - at, "%u processes on %u machine%s", r->comm->size, n_hosts, n_hosts == 1 ? "" : "s");
}
