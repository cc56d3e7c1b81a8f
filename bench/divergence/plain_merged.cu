/*
 * The plain light kernel of examples/light/plain with its two loops merged by hand, as the yardstick for loop-merge: the same
 * functions in the same order, one loop, the next photon taken where the last one ended.
 */
#include "plain.c"

typedef struct merged_lane {
    light_photon photon;
    ck_u32 event, history, alive;
} merged_lane;

/* One event of plain_history(), and what ends a photon. */
static __device__ __forceinline__ merged_lane merged_event(merged_lane lane, const plain_world *world)
{
    ck_u64 *count = world->words + world->p.at_counters;
    light_medium medium = light_medium_load(world->layers, lane.photon.layer);
    ck_pair random = ck_philox2x32(world->p.key, lane.event, lane.history);
    light_flight flight = light_fly(lane.photon, medium.mean_free_path, medium.thickness, random.a, world->table);
    lane.event += 1u;
    lane.photon = flight.hits ? plain_cross(lane.photon, medium, random.b, world)
                              : plain_scatter(lane.photon, medium, flight, random.b, world);
    ck_i32 weight = (ck_i32)lane.photon.weight;
    if (weight < 0 && !light_is_lost(lane.photon)) {
        plain_exit(lane.photon, world);
        lane.alive = 0u;
    } else if (weight < 0 || lane.event > LIGHT_MAX_EVENTS) {
        add(count[weight < 0 ? LIGHT_COUNT_LOST : LIGHT_COUNT_STEP_LIMIT], 1u);
        add(count[LIGHT_COUNT_DROPPED], weight < 0 ? 0u - lane.photon.weight : lane.photon.weight);
        lane.alive = 0u;
    } else if (weight < world->p.weight_threshold) {
        lane.photon = plain_roulette(lane.photon, lane.event, lane.history, world);
        lane.alive = lane.photon.weight != 0u ? 1u : 0u;
    }
    return lane;
}

CK_KERNEL plain_transport_merged(light_params p, const float *layers, const float *table, ck_u64 *words, ck_u32 *next)
{
    plain_world world = {p, layers, table, words};
    ck_u64 *count = words + p.at_counters;
    ck_u32 i = CK_GLOBAL_INDEX(), stride = gridDim.x * blockDim.x, more = i < p.n_histories;
    merged_lane lane = {light_launch(p.launch_weight, p.launch_layer), 0u, p.first_history + i, 1u};
    (void)next;
    while (more) {
        lane = merged_event(lane, &world);
        if (!lane.alive) {
            add(count[LIGHT_COUNT_EVENTS], lane.event);
            add(count[LIGHT_COUNT_HISTORIES], 1u);
            i += stride;
            more = i < p.n_histories;
            lane.photon = light_launch(p.launch_weight, p.launch_layer);
            lane.event = 0u;
            lane.history = p.first_history + i;
            lane.alive = 1u;
        }
        CK_PIN(more); /* one latch: no compiler splits the loop */
    }
}
