/**
 * Light in layered tissue, the plain way: one photon after another, and for each photon one event after another.
 *
 * Read this first. The engine (kernel/entry/) arranges the same events so that vector lanes and GPU warps stay full; here they
 * stand in the order in which a photon lives them. Random numbers belong to photon and event, and tallies are integers,
 * so both arrangements give the same numbers to the last bit. A C compiler makes a CPU function of this file, a CUDA
 * compiler a GPU kernel. README.md explains it line by line.
 */
#include "light/cross.h"
#include "light/end.h"
#include "light/fly.h"
#include "light/scatter.h"

#if defined(CK_LANG_CUDA) /* threads share the tallies */
#define add(word, amount) ck_atomic_add_u64(&(word), (ck_u64)(amount))
#else
#define add(word, amount) ((word) += (amount))
#endif

/* What all photons share. */
typedef struct plain_world {
    light_params p;      /* numbers of the launch: kernel/light/params.h */
    const float *layers; /* LIGHT_ROW floats a layer */
    const float *table;  /* logarithm and azimuths */
    ck_u64 *words;       /* the tallies, one after another */
} plain_world;

/* A collision inside the layer: leave some weight behind, turn. */
CK_FN light_photon plain_scatter(light_photon photon, light_medium m, light_flight flight, ck_u32 word,
                                 const plain_world *world)
{
    photon.x = ck_fma(flight.length, photon.ux, photon.x);
    photon.y = ck_fma(flight.length, photon.uy, photon.y);
    photon.z = flight.z;
    ck_u32 deposit = light_absorb(photon.weight, m.absorb, word);
    ck_u32 bin = light_rz_key(photon.x, photon.y, photon.z, m.top_bin, world->p) - ck_grid_bias(world->p.rz_row);
    add(world->words[world->p.at_absorbed + bin], deposit);
    photon.weight -= deposit;
    int any_g = world->p.any_g != 0;
    float h = light_one_minus_cos(m.hg_slope, m.hg_offset, m.hg_factor, word, any_g);
    return light_turn(photon, h, word, world->table, any_g);
}

/* An interface: go there, then reflect or refract. */
CK_FN light_photon plain_cross(light_photon photon, light_medium m, ck_u32 word, const plain_world *world)
{
    ck_u32 from = photon.layer;
    light_interface interface = light_interface_load(world->layers, from, photon.uz);
    light_crossing c = light_cross(photon, interface, m.thickness, word);
    photon = c.photon;
    if (c.enters) {
        add(world->words[world->p.at_crossed + light_crossing_counter(from, photon.uz, 1u)], photon.weight);
        m = light_medium_load(world->layers, photon.layer);
    }
    photon.z = light_entry_z(photon.uz, m.thickness);
    return photon;
}

/* The photon leaves the tissue. Its weight was made negative to say so. */
CK_FN void plain_exit(light_photon photon, const plain_world *world)
{
    ck_u32 weight = 0u - photon.weight;
    ck_u32 is_down = photon.uz < 0.0f ? 0u : 1u;
    ck_u32 side = is_down ? world->p.at_transmitted : world->p.at_reflected;
    add(world->words[side + light_exit_bin(photon, world->p)], weight);
    if (light_is_ballistic(photon.ux, photon.uy)) {
        add(world->words[world->p.at_counters + LIGHT_COUNT_BALLISTIC_UP + is_down], weight);
    }
}

/* Russian roulette of a faint photon: it ends (weight 0), or goes on with more. */
CK_FN light_photon plain_roulette(light_photon photon, ck_u32 event, ck_u32 history, const plain_world *world)
{
    ck_u64 *count = world->words + world->p.at_counters;
    ck_u32 left = light_roulette(photon.weight, event, history, world->p);
    if (left == 0u) {
        add(count[LIGHT_COUNT_ROULETTE_KILLED], photon.weight);
    } else {
        add(count[LIGHT_COUNT_ROULETTE_GAINED], left - photon.weight);
    }
    photon.weight = left;
    return photon;
}

/* One photon, from the surface to its end. */
CK_FN void plain_history(ck_u32 history, const plain_world *world)
{
    light_photon photon = light_launch(world->p.launch_weight, world->p.launch_layer);
    ck_u64 *count = world->words + world->p.at_counters;
    ck_u32 event = 0u, alive = 1u;
    while (alive) {
        light_medium medium = light_medium_load(world->layers, photon.layer);
        ck_pair random = ck_philox2x32(world->p.key, event, history);
        light_flight flight = light_fly(photon, medium.mean_free_path, medium.thickness, random.a, world->table);
        event += 1u;
        if (flight.hits) {
            photon = plain_cross(photon, medium, random.b, world);
        } else {
            photon = plain_scatter(photon, medium, flight, random.b, world);
        }
        ck_i32 weight = (ck_i32)photon.weight;
        if (weight < 0 && !light_is_lost(photon)) {
            plain_exit(photon, world);
            alive = 0u;
        } else if (weight < 0 || event > LIGHT_MAX_EVENTS) { /* not a state that physics allows, or trapped for ever */
            add(count[weight < 0 ? LIGHT_COUNT_LOST : LIGHT_COUNT_STEP_LIMIT], 1u);
            add(count[LIGHT_COUNT_DROPPED], weight < 0 ? 0u - photon.weight : photon.weight);
            alive = 0u;
        } else if (weight < world->p.weight_threshold) {
            photon = plain_roulette(photon, event, history, world);
            alive = photon.weight != 0u ? 1u : 0u;
        }
    }
    add(count[LIGHT_COUNT_EVENTS], event);
    add(count[LIGHT_COUNT_HISTORIES], 1u);
}

#if defined(CK_LANG_CUDA)
CK_KERNEL plain_transport(light_params p, const float *layers, const float *table, ck_u64 *words, ck_u32 *next)
{
    ck_u32 first = CK_GLOBAL_INDEX(), stride = gridDim.x * blockDim.x;
    plain_world world = {p, layers, table, words};
    (void)next; /* the engine hands out photons with it; here every thread has its share from the start */
#else
/* What src/device/device.h calls a device_cpu_entry: each worker has words of its own, added up afterwards. */
static void plain_transport(void *const *args, ck_u32 first, ck_u32 stride)
{
    plain_world world = {*(const light_params *)args[0], args[1], args[2], args[3]};
#endif
    for (ck_u32 i = first; i < world.p.n_histories; i += stride) {
        plain_history(world.p.first_history + i, &world);
    }
}
