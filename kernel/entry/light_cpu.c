/**
 * Photons on a CPU: lanes kept as arrays, the events vectorised over them (`omp simd`).
 *
 * A turn: all lanes fly and scatter; those that stand at an interface are packed side by side and cross it; the few that
 * leave, are faint or lost are looked at one by one and their lanes refilled. This file is compiled once for every
 * instruction set; numbers belong to photon and event, so neither lanes nor order nor instruction set changes a bit.
 */
#include "entry/lanes.h"
#include "light/attempt.h"
#include "light/cross.h"
#include "light/end.h"
#include "light/fluence.h"

#define CK_PASTE_(a, b) a##b
#define CK_PASTE(a, b) CK_PASTE_(a, b)

/* A multiple of 64 (lanes.h). Any gives the same bits; 192 was the fastest. */
#ifndef LIGHT_LANES
#define LIGHT_LANES 192
#endif
enum { LANES = LIGHT_LANES };

/* State of the photons in flight. Each array is a vector register's worth of lanes after another. */
typedef struct lanes {
    float x[LANES], y[LANES], z[LANES], ux[LANES], uy[LANES], uz[LANES];
    ck_u32 weight[LANES], layer[LANES], history[LANES], event[LANES];
    /* the medium each lane is in */
    float mean_free_path[LANES], thickness[LANES], top_bin[LANES];
    float hg_slope[LANES], hg_offset[LANES], hg_factor[LANES];
    ck_u32 absorb[LANES];
    /* what the turn scored */
    ck_u32 bin[LANES], amount[LANES], flags[LANES];
    /* the turn's random words */
    ck_u32 first_word[LANES], word[LANES];
} __attribute__((aligned(64))) lanes;

typedef struct worker_view {
    light_params p;
    const float *layers;
    const float *table;
    ck_u64 *words;
    ck_u32 *next;          /* shared with the other workers: the next photon to hand out */
    ck_u32 in_hand, end_of_hand;
    ck_u64 n_events;
} worker_view;

/* Bits of a lane's flags. */
enum { FLAG_HITS, FLAG_ENDS };

static void set_photon(lanes *s, ck_u32 i, light_photon p)
{
    s->x[i] = p.x;
    s->y[i] = p.y;
    s->z[i] = p.z;
    s->ux[i] = p.ux;
    s->uy[i] = p.uy;
    s->uz[i] = p.uz;
    s->weight[i] = p.weight;
    s->layer[i] = p.layer;
}

static light_photon get_photon(const lanes *s, ck_u32 i)
{
    light_photon p;
    p.x = s->x[i];
    p.y = s->y[i];
    p.z = s->z[i];
    p.ux = s->ux[i];
    p.uy = s->uy[i];
    p.uz = s->uz[i];
    p.weight = s->weight[i];
    p.layer = s->layer[i];
    return p;
}

static void set_medium(lanes *s, ck_u32 i, light_medium m)
{
    s->mean_free_path[i] = m.mean_free_path;
    s->absorb[i] = m.absorb;
    s->hg_slope[i] = m.hg_slope;
    s->hg_offset[i] = m.hg_offset;
    s->hg_factor[i] = m.hg_factor;
    s->thickness[i] = m.thickness;
    s->top_bin[i] = m.top_bin;
}

static void copy_lane(lanes *s, ck_u32 to, ck_u32 from)
{
    set_photon(s, to, get_photon(s, from));
    s->history[to] = s->history[from];
    s->event[to] = s->event[from];
    light_medium m = {s->mean_free_path[from], s->absorb[from], s->hg_slope[from], s->hg_offset[from],
                      s->hg_factor[from], s->thickness[from], s->top_bin[from]};
    set_medium(s, to, m);
}

/* Every lane flies; those that stay in their layer absorb and scatter there. This loop is where the time goes. */
CK_FN void fly_and_scatter(lanes *restrict s, ck_u32 n, const light_params *restrict shared,
                           const float *restrict table, int any_g)
{
    const light_params params = *shared;
    ck_philox2x32_lanes(&shared->key, s->event, s->history, n, s->first_word, s->word);
#pragma omp simd
    for (ck_u32 i = 0; i < n; ++i) {
        light_photon p = {s->x[i], s->y[i], s->z[i], s->ux[i], s->uy[i], s->uz[i], s->weight[i], 0u};
        light_medium m = {s->mean_free_path[i], s->absorb[i], s->hg_slope[i], s->hg_offset[i],
                          s->hg_factor[i], s->thickness[i], s->top_bin[i]};
        ck_pair words = {s->first_word[i], s->word[i]};
        light_attempt a = light_try_with(p, m, words, 0u, params, table, any_g);
        s->x[i] = a.photon.x;
        s->y[i] = a.photon.y;
        s->z[i] = a.photon.z;
        s->ux[i] = a.photon.ux;
        s->uy[i] = a.photon.uy;
        s->uz[i] = a.photon.uz;
        s->weight[i] = a.photon.weight;
        s->bin[i] = a.key;
        s->amount[i] = a.deposit;
        ck_u32 event = s->event[i] + 1u;
        s->event[i] = event;
        s->flags[i] = a.hits << FLAG_HITS |
                      light_needs_end(a.photon.weight, event, params.weight_threshold) << FLAG_ENDS;
    }
}

/* The two builds of the loop: kept apart from the rest, for only so does gcc vectorise it. */
static __attribute__((noinline)) void fly_and_scatter_forward(lanes *restrict s, ck_u32 n,
                                                              const light_params *restrict params,
                                                              const float *restrict table)
{
    fly_and_scatter(s, n, params, table, 0);
}

static __attribute__((noinline)) void fly_and_scatter_any(lanes *restrict s, ck_u32 n,
                                                          const light_params *restrict params,
                                                          const float *restrict table)
{
    fly_and_scatter(s, n, params, table, 1);
}

static void add_amounts(const lanes *restrict s, ck_u32 n, ck_u64 *restrict words)
{
    for (ck_u32 i = 0; i < n; ++i) {
        words[s->bin[i]] += s->amount[i];
    }
}

/* Put in place of what the collisions of this turn left behind what they mean for the fluence. */
static __attribute__((noinline)) void turn_into_fluence(lanes *restrict s, ck_u32 n, const float *restrict layers)
{
#pragma omp simd
    for (ck_u32 i = 0; i < n; ++i) {
        float mean_free_path = layers[(ck_i32)s->layer[i] + LIGHT_FLUENCE];
        ck_u32 amount = light_fluence_of_collision(s->weight[i] + s->amount[i], mean_free_path, s->word[i]);
        s->amount[i] = (s->flags[i] >> FLAG_HITS & 1u) ? 0u : amount;
    }
}

/* A lane has flown through a clear layer: `after` is its photon at the interface, the lane still stands where it set out. */
static void score_clear_flight(const lanes *s, ck_u32 i, light_photon after, float length, const worker_view *view)
{
    const light_params *p = &view->p;
    if (s->mean_free_path[i] < 1.0e30f || light_is_lost(after)) {
        return;
    }
    ck_pair words = ck_philox2x32(p->key, (s->event[i] - 1u) | LIGHT_STREAM_FLUENCE, s->history[i]);
    light_fluence_score f = light_fluence_of_flight(get_photon(s, i), length, s->thickness[i], p->inv_fluence_unit,
                                                    words);
    view->words[p->at_fluence + light_rz_key(f.x, f.y, f.z, s->top_bin[i], *p)] += f.amount;
    view->words[p->at_counters + LIGHT_COUNT_CAPPED] += f.capped;
}

/* Lanes at an interface, packed. */
typedef struct crossing_lanes {
    float x[LANES], y[LANES], z[LANES], ux[LANES], uy[LANES], uz[LANES], thickness[LANES], length[LANES];
    ck_u32 weight[LANES], layer[LANES], word[LANES], enters[LANES];
} __attribute__((aligned(64))) crossing_lanes;

static void pack(const lanes *restrict s, const ck_u32 *restrict list, ck_u32 n, crossing_lanes *restrict c)
{
    for (ck_u32 k = 0; k < n; ++k) {
        ck_u32 i = list[k];
        c->x[k] = s->x[i];
        c->y[k] = s->y[i];
        c->z[k] = s->z[i];
        c->ux[k] = s->ux[i];
        c->uy[k] = s->uy[i];
        c->uz[k] = s->uz[i];
        c->thickness[k] = s->thickness[i];
        c->weight[k] = s->weight[i];
        c->layer[k] = s->layer[i];
        c->word[k] = s->word[i];
    }
}

static __attribute__((noinline)) void cross_packed(crossing_lanes *restrict c, ck_u32 n, const float *restrict layers)
{
#pragma omp simd
    for (ck_u32 k = 0; k < n; ++k) {
        light_photon p = {c->x[k], c->y[k], c->z[k], c->ux[k], c->uy[k], c->uz[k], c->weight[k], c->layer[k]};
        light_crossing q = light_cross(p, light_interface_load(layers, p.layer, p.uz), c->thickness[k], c->word[k]);
        c->x[k] = q.photon.x;
        c->y[k] = q.photon.y;
        c->ux[k] = q.photon.ux;
        c->uy[k] = q.photon.uy;
        c->uz[k] = q.photon.uz;
        c->weight[k] = q.photon.weight;
        c->layer[k] = q.photon.layer;
        c->enters[k] = q.enters;
        c->length[k] = q.length;
    }
}

/* Put packed lane k back into lane i; book the weight that went through an inner interface. Without branches: which way
 * it went is a coin's toss, and a wrong guess costs more than loading a medium in vain. */
static void unpack(lanes *restrict s, const crossing_lanes *restrict c, ck_u32 i, ck_u32 k, const worker_view *view)
{
    ck_u32 from = s->layer[i];
    s->x[i] = c->x[k];
    s->y[i] = c->y[k];
    s->ux[i] = c->ux[k];
    s->uy[i] = c->uy[k];
    s->uz[i] = c->uz[k];
    s->weight[i] = c->weight[k];
    ck_u32 crossed = c->enters[k] ? c->weight[k] : 0u;
    s->layer[i] = c->layer[k];
    set_medium(s, i, light_medium_load(view->layers, c->layer[k]));
    view->words[view->p.at_crossed + light_crossing_counter(from, c->uz[k], 1u)] += crossed;
    s->z[i] = light_entry_z(c->uz[k], s->thickness[i]);
    s->flags[i] |= light_needs_end(c->weight[k], s->event[i], view->p.weight_threshold) << FLAG_ENDS;
}

/* The next photon number, 0 if all have been handed out. Taken from the shared counter in chunks. */
static ck_u32 take_history(worker_view *view, ck_u32 *number)
{
    if (view->in_hand == view->end_of_hand) {
        ck_u32 first = ck_atomic_add_u32(view->next, view->p.chunk);
        if (first >= view->p.n_histories) {
            return 0;
        }
        ck_u32 left = view->p.n_histories - first;
        view->in_hand = first;
        view->end_of_hand = first + (left < view->p.chunk ? left : view->p.chunk);
    }
    *number = view->p.first_history + view->in_hand++;
    return 1;
}

static ck_u32 start_lane(lanes *s, ck_u32 i, worker_view *view)
{
    if (!take_history(view, &s->history[i])) {
        return 0;
    }
    set_photon(s, i, light_launch(view->p.launch_weight, view->p.launch_layer));
    set_medium(s, i, light_medium_load(view->layers, view->p.launch_layer));
    s->event[i] = 0;
    return 1;
}

static void score_exit(const worker_view *view, light_photon p)
{
    const light_params *q = &view->p;
    ck_u32 weight = 0u - p.weight;
    ck_u32 side = p.uz < 0.0f ? q->at_reflected : q->at_transmitted;
    ck_u32 bin = light_exit_bin(p, *q);
    view->words[side + bin] += weight;
    if (light_is_ballistic(p.ux, p.uy)) {
        view->words[q->at_counters + LIGHT_COUNT_BALLISTIC_UP + (p.uz < 0.0f ? 0u : 1u)] += weight;
    }
}

/* Exit, roulette or drop. Returns 1 if the photon lives on. */
static ck_u32 end_event(lanes *s, ck_u32 i, const worker_view *view)
{
    ck_u64 *count = view->words + view->p.at_counters;
    light_photon p = get_photon(s, i);
    ck_u32 leaves = (ck_i32)p.weight < 0 ? 1u : 0u;
    if (leaves && !light_is_lost(p)) {
        score_exit(view, p);
        return 0;
    }
    if (leaves || s->event[i] > LIGHT_MAX_EVENTS) {
        count[leaves ? LIGHT_COUNT_LOST : LIGHT_COUNT_STEP_LIMIT] += 1;
        count[LIGHT_COUNT_DROPPED] += leaves ? 0u - p.weight : p.weight;
        return 0;
    }
    ck_u32 weight = light_roulette(p.weight, s->event[i], s->history[i], view->p);
    if (weight == 0u) {
        count[LIGHT_COUNT_ROULETTE_KILLED] += p.weight;
        return 0;
    }
    count[LIGHT_COUNT_ROULETTE_GAINED] += weight - p.weight;
    s->weight[i] = weight;
    return 1;
}

/* End what ends and refill or close its lane; lanes are visited from the last, so that closing one moves none unseen. */
static ck_u32 end_lanes(lanes *s, ck_u32 n, const ck_u32 *ends, ck_u32 n_ends, worker_view *view)
{
    while (n_ends > 0) {
        ck_u32 i = ends[--n_ends];
        if (end_event(s, i, view)) {
            continue;
        }
        view->n_events += s->event[i];
        view->words[view->p.at_counters + LIGHT_COUNT_HISTORIES] += 1;
        if (!start_lane(s, i, view)) {
            --n;
            if (i != n) {
                copy_lane(s, i, n);
            }
        }
    }
    return n;
}

/* Arguments: parameters, layer table, mathematical tables, words (summed), next photon (shared). */
void CK_PASTE(light_transport_, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);

void CK_PASTE(light_transport_, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    lanes s;
    crossing_lanes c;
    ck_u32 hits[LANES], ends[LANES], n = 0;
    worker_view view = {*(const light_params *)args[0], args[1], args[2], args[3], args[4], 0, 0, 0};
    ck_u32 is_fluence_scored = view.p.scores_fluence;
    (void)worker;
    (void)n_workers;
    while (n < LANES && start_lane(&s, n, &view)) {
        ++n;
    }
    while (n > 0) {
        if (view.p.any_g) {
            fly_and_scatter_any(&s, n, &view.p, view.table);
        } else {
            fly_and_scatter_forward(&s, n, &view.p, view.table);
        }
        add_amounts(&s, n, view.words + view.p.at_absorbed);
        if (is_fluence_scored) {
            turn_into_fluence(&s, n, view.layers);
            add_amounts(&s, n, view.words + view.p.at_fluence);
        }
        ck_u32 n_hits = ck_list_lanes(s.flags, FLAG_HITS, n, hits);
        pack(&s, hits, n_hits, &c);
        cross_packed(&c, n_hits, view.layers);
        for (ck_u32 k = 0; k < n_hits; ++k) {
            if (is_fluence_scored) {
                light_photon after = {c.x[k], c.y[k], 0.0f, c.ux[k], c.uy[k], c.uz[k], c.weight[k], c.layer[k]};
                score_clear_flight(&s, hits[k], after, c.length[k], &view);
            }
            unpack(&s, &c, hits[k], k, &view);
        }
        n = end_lanes(&s, n, ends, ck_list_lanes(s.flags, FLAG_ENDS, n, ends), &view);
    }
    view.words[view.p.at_counters + LIGHT_COUNT_EVENTS] += view.n_events;
}
