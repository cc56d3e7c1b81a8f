/**
 * Photons on a GPU (CUDA and OpenCL): one lane a thread, one persistent merged loop.
 *
 * A turn is some rounds of up to LIGHT_ATTEMPTS flights and then at most one interface, and after them at most one end (exit,
 * roulette, next photon): the dear blocks are passed rarely, however the lanes of a warp mix. `live` is the only way out, and it is
 * pinned, so that compilers keep one loop with one back edge (a test counts it).
 */
#include "light/attempt.h"
#include "light/cross.h"
#include "light/end.h"
#include "light/fluence.h"
#include "queue.h"

/* Flights a round, and rounds of flights and an interface before lanes that end are looked at. Measured on an H200;
 * other numbers give the same bits at up to 5 % less speed. */
#ifndef LIGHT_ATTEMPTS
#if defined(CK_TALLY_ALL_NEAR)
#define LIGHT_ATTEMPTS 4
#else
#define LIGHT_ATTEMPTS 6
#endif
#endif
#ifndef LIGHT_ROUNDS
#if defined(CK_TALLY_ALL_NEAR)
#define LIGHT_ROUNDS (CK_STRICT ? 3 : 4)
#else
#define LIGHT_ROUNDS 2
#endif
#endif
#define CK_TALLY_ROUND LIGHT_ATTEMPTS
#include "tally.h"

/* From here on a photon makes one event a turn, so that it ends exactly at the limit, as on a CPU. */
#define LIGHT_NEAR_LIMIT (LIGHT_MAX_EVENTS - LIGHT_ROUNDS * LIGHT_ATTEMPTS)
#define LIGHT_ALWAYS 0x7FFFFFFF
/* Added to the event number of a lane that waits for its ticket's chunk. */
#define LIGHT_WAITING 0x20000000u
#ifndef LIGHT_ANY_G
#define LIGHT_ANY_G 0
#endif

/* What all lanes of a block share. */
typedef struct light_block {
    CK_LAYERS const float *layers;
    CK_LOCAL const float *table;
    CK_GLOBAL ck_u64 *words;
    ck_tally absorbed;
    ck_counters counters; /* crossings up, down, near counters; with very many layers the near counters alone */
    ck_queue queue;
} light_block;

/* One lane: its photon, the photon's medium and numbers, and the counts it keeps to itself. */
typedef struct light_lane {
    light_photon photon;
    light_medium medium;
    ck_u32 history, event, live;
    ck_u32 word; /* the second random word of a flight that hit an interface */
    ck_i32 stop; /* flights stop when the weight falls below this: the threshold, or LIGHT_ALWAYS near the limit */
} light_lane;

CK_FN void light_next_photon(light_lane *lane, const light_block *block, light_params p, ck_u32 is_waiting)
{
    ck_u32 ticket = is_waiting ? lane->history : ck_queue_ticket(&block->queue);
    ck_u32 number = 0u;
    if (!ck_queue_number(&block->queue, ticket, &number)) {
        lane->history = ticket; /* a lane without weight: its flights score nothing */
        lane->photon.weight = 0u;
        lane->event = LIGHT_WAITING;
        lane->live = 1u;
        lane->stop = LIGHT_ALWAYS;
        return;
    }
    lane->live = number < p.n_histories ? 1u : 0u;
    lane->photon = light_launch(p.launch_weight, p.launch_layer);
    lane->medium = light_medium_load(block->layers, p.launch_layer);
    lane->history = p.first_history + number;
    lane->event = 0u;
    lane->stop = p.weight_threshold;
}

#ifdef LIGHT_FLUENCE_ON
CK_FN void light_score_collision(const light_block *block, light_params p, ck_u32 bin, ck_u32 weight, ck_u32 layer,
                                 ck_u32 word)
{
    ck_u32 amount = light_fluence_of_collision(weight, block->layers[layer + LIGHT_FLUENCE], word);
    if (amount != 0u) {
        ck_atomic_add_u64(block->words + p.at_fluence + bin, (ck_u64)amount);
    }
}

CK_FN void light_score_flight(const light_block *block, light_params p, const light_lane *lane, float length)
{
    ck_pair words = ck_philox2x32(p.key, lane->event | LIGHT_STREAM_FLUENCE, lane->history);
    light_fluence_score s = light_fluence_of_flight(lane->photon, length, lane->medium.thickness, p.inv_fluence_unit, words);
    ck_u32 bin = light_rz_key(s.x, s.y, s.z, lane->medium.top_bin, p) - block->absorbed.bias;
    ck_atomic_add_u64(block->words + p.at_fluence + bin, s.amount);
    if (s.capped) {
        ck_atomic_add_u64(block->words + p.at_counters + LIGHT_COUNT_CAPPED, 1u);
    }
}
#endif

/* One flight of a lane. A lane whose flight hits an interface keeps its event number, so that it flies the same flight
 * again and hits again until the turn comes to the interface; a faint one takes no more part, so that roulette comes at
 * the same event on every device. `stop` is the weight below which a lane takes no part, k the flight's number in the round. Returns 1 if it
 * hits. */
CK_FN ck_u32 light_attempt_event(light_lane *lane, ck_i32 stop, const light_block *block, light_params p, ck_carries *carries,
                                 int k)
{
    ck_u32 is_faint = (ck_i32)lane->photon.weight < stop ? 1u : 0u;
    light_attempt a = light_try(lane->photon, lane->medium, lane->event, lane->history, is_faint, p, block->table,
                                LIGHT_ANY_G);
    ck_tally_add(&block->absorbed, a.key, a.deposit, carries, k);
#ifdef LIGHT_FLUENCE_ON
    if (!a.idle) {
        light_score_collision(block, p, a.key - block->absorbed.bias, lane->photon.weight, lane->photon.layer, a.word);
    }
#endif
    lane->photon = a.photon;
    lane->event = ck_add_unless(lane->event, 1u, a.idle);
    lane->word = a.word;
    return a.hits;
}

/* Where the near counters begin among the block's counters. */
#ifdef LIGHT_CROSSED_GLOBAL
#define LIGHT_FIRST_COUNTER(p) 0u
#else
#define LIGHT_FIRST_COUNTER(p) (2u * (p).n_layers)
#endif

/* Book the weight that goes through an inner interface. */
CK_FN void light_book_crossing(const light_block *block, light_params p, ck_u32 from, float uz, ck_u32 weight)
{
#ifdef LIGHT_CROSSED_GLOBAL
    ck_atomic_add_u64(block->words + p.at_crossed + light_crossing_counter(from, uz, 1u), (ck_u64)weight);
#else
    ck_counters_add(&block->counters, light_crossing_counter(from, uz, CK_COUNTER_STRIDE), weight);
#endif
}

CK_FN void light_count(const light_block *block, light_params p, ck_u32 which, ck_u32 amount)
{
    if (which < LIGHT_N_NEAR_COUNTERS) {
        ck_counters_add(&block->counters, (LIGHT_FIRST_COUNTER(p) + which) * CK_COUNTER_STRIDE, amount);
    } else {
        ck_atomic_add_u64(block->words + p.at_counters + which, (ck_u64)amount);
    }
}

CK_FN void light_interface_event(light_lane *lane, const light_block *block, light_params p)
{
    ck_u32 from = lane->photon.layer;
    light_interface i = light_interface_load(block->layers, from, lane->photon.uz);
    light_crossing c = light_cross(lane->photon, i, lane->medium.thickness, lane->word);
#ifdef LIGHT_FLUENCE_ON
    if (lane->medium.mean_free_path >= 1.0e30f && !light_is_lost(c.photon)) {
        light_score_flight(block, p, lane, c.length);
    }
#endif
    lane->photon = c.photon;
    lane->event += 1u;
    if (c.enters) {
        light_book_crossing(block, p, from, c.photon.uz, c.photon.weight);
        lane->medium = light_medium_load(block->layers, c.photon.layer);
    }
    lane->photon.z = light_entry_z(c.photon.uz, lane->medium.thickness);
}

CK_FN void light_score_exit(const light_photon photon, const light_block *block, light_params p)
{
    ck_u32 weight = 0u - photon.weight;
    ck_u32 is_down = photon.uz < 0.0f ? 0u : 1u;
    ck_u32 bin = light_exit_bin(photon, p) + (is_down ? p.at_transmitted : p.at_reflected);
    ck_atomic_add_u64(block->words + bin, (ck_u64)weight);
    if (light_is_ballistic(photon.ux, photon.uy)) {
        light_count(block, p, LIGHT_COUNT_BALLISTIC_UP + is_down, weight);
    }
}

/* A photon that is lost, had too many events, leaves, or is faint. Returns 1 if it lives on. */
CK_FN ck_u32 light_judge(light_lane *lane, const light_block *block, light_params p)
{
    ck_u32 weight = lane->photon.weight;
    ck_u32 leaves = (ck_i32)weight < 0 ? 1u : 0u;
    if (leaves && !light_is_lost(lane->photon)) {
        light_score_exit(lane->photon, block, p);
        return 0u;
    }
    if (leaves || lane->event > LIGHT_MAX_EVENTS) {
        light_count(block, p, leaves ? LIGHT_COUNT_LOST : LIGHT_COUNT_STEP_LIMIT, 1u);
        light_count(block, p, LIGHT_COUNT_DROPPED, leaves ? 0u - weight : weight);
        return 0u;
    }
    if ((ck_i32)weight >= p.weight_threshold) {
        lane->stop = LIGHT_ALWAYS;
        return 1u;
    }
    ck_u32 left = light_roulette(weight, lane->event, lane->history, p);
    lane->photon.weight = left;
    light_count(block, p, left ? LIGHT_COUNT_ROULETTE_GAINED : LIGHT_COUNT_ROULETTE_KILLED, left ? left - weight : weight);
    return left ? 1u : 0u;
}

CK_FN void light_end_event(light_lane *lane, const light_block *block, light_params p)
{
    ck_u32 is_waiting = lane->event >= LIGHT_WAITING ? 1u : 0u;
    if (!is_waiting) {
        if (light_judge(lane, block, p)) {
            return;
        }
        light_count(block, p, LIGHT_COUNT_EVENTS, lane->event);
        ck_counters_increment(&block->counters, (LIGHT_FIRST_COUNTER(p) + LIGHT_COUNT_HISTORIES) * CK_COUNTER_STRIDE);
    }
    light_next_photon(lane, block, p, is_waiting);
}

/* LIGHT_ATTEMPTS flights side by side, then the interface of those that hit one and are not faint. Near the step limit a lane
 * takes part in the first flight of a turn only, and its interface if it hits: one event a turn. */
CK_FN void light_round(light_lane *lane, const light_block *block, light_params p, int is_first)
{
    ck_u32 hits_first = 0u, hits = 0u;
    ck_carries carries;
    carries.bits = 0u;
    CK_UNROLL
    for (int k = 0; k < LIGHT_ATTEMPTS; ++k) {
        hits = light_attempt_event(lane, k == 0 && is_first ? p.weight_threshold : lane->stop, block, p, &carries, k);
        hits_first = k == 0 && is_first ? hits : hits_first;
    }
    ck_tally_settle(&block->absorbed, &carries);
    ck_u32 is_slow = lane->stop == LIGHT_ALWAYS ? 1u : 0u;
    if ((hits && (ck_i32)lane->photon.weight >= lane->stop) | (hits_first & is_slow)) {
        light_interface_event(lane, block, p);
    }
}

/* Shared memory of a block, in words: tables, corner of A(r,z) and its dump word (both at fixed places, for they are used at
 * every event), then layers, crossings and ring. */
#define LIGHT_TABLE_WORDS ((ck_u32)CK_TABLE_FLOATS)

CK_FN void light_copy_in(CK_LOCAL float *target, CK_GLOBAL const float *CK_RESTRICT source, ck_u32 n)
{
    for (ck_u32 i = CK_LOCAL_INDEX(); i < n; i += CK_LOCAL_SIZE()) {
        target[i] = source[i];
    }
}

CK_FN light_block light_block_open(light_params p, CK_LOCAL ck_u32 *memory, CK_GLOBAL const float *layers,
                                   CK_GLOBAL const float *table, CK_GLOBAL ck_u64 *words, CK_GLOBAL ck_u32 *next)
{
    light_block block;
    CK_LOCAL float *table_here = (CK_LOCAL float *)memory;
    block.words = words;
    block.table = table_here;
    light_copy_in(table_here, table, LIGHT_TABLE_WORDS);
    block.absorbed.far = words; /* at_absorbed is 0 */
    block.absorbed.near = memory + LIGHT_TABLE_WORDS;
    block.absorbed.n_near = p.near_bins;
    block.absorbed.bias = ck_grid_bias(p.rz_row);
    ck_tally_clear(&block.absorbed);
    CK_LOCAL ck_u32 *rest = memory + p.at_layers_near;
#ifdef LIGHT_LAYERS_GLOBAL
    block.layers = layers;
#else
    block.layers = (CK_LOCAL float *)rest;
    light_copy_in((CK_LOCAL float *)rest, layers, LIGHT_ROW * p.n_layers);
    rest += LIGHT_ROW * p.n_layers;
#endif
    block.counters.mine = rest + CK_LOCAL_INDEX() % CK_COUNTER_COPIES;
    block.counters.n = LIGHT_FIRST_COUNTER(p) + LIGHT_N_NEAR_COUNTERS;
    ck_counters_clear(&block.counters, rest);
    rest += block.counters.n * CK_COUNTER_STRIDE;
    block.queue.ring = rest;
    block.queue.next = next;
    block.queue.n_preloaded = (CK_LOCAL_SIZE() + CK_QUEUE_CHUNK - 1u) / CK_QUEUE_CHUNK;
    ck_queue_start(&block.queue);
    return block;
}

CK_FN void light_block_close(const light_block *block, light_params p)
{
    ck_tally_flush(&block->absorbed);
#ifdef LIGHT_CROSSED_GLOBAL
    ck_counters_flush(&block->counters, block->words + p.at_counters);
#else
    ck_counters_flush(&block->counters, block->words + p.at_crossed);
#endif
}

CK_KERNEL CK_LAUNCH_BOUNDS light_transport(light_params p, CK_GLOBAL const float *CK_RESTRICT layers,
                                           CK_GLOBAL const float *CK_RESTRICT table, CK_GLOBAL ck_u64 *words,
                                           CK_GLOBAL ck_u32 *next CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    light_block block = light_block_open(p, ck_local, layers, table, words, next);
    light_lane lane;
    CK_BARRIER();
    lane.photon = light_launch(p.launch_weight, p.launch_layer);
    lane.medium = light_medium_load(block.layers, p.launch_layer);
    lane.word = 0u;
    light_next_photon(&lane, &block, p, 0u);
    while (lane.live) {
        CK_UNROLL
        for (int k = 0; k < LIGHT_ROUNDS; ++k) {
            light_round(&lane, &block, p, k == 0);
        }
        if ((ck_i32)lane.photon.weight < lane.stop || lane.event > LIGHT_NEAR_LIMIT) {
            light_end_event(&lane, &block, p);
        }
        CK_PIN(lane.live);
    }
    CK_BARRIER();
    light_block_close(&block, p);
}
