/** What a launch of the layered-photon kernel needs, in the layout that host and devices share. The unit of length is dr. */
#ifndef CK_LIGHT_PARAMS_H
#define CK_LIGHT_PARAMS_H

#include "rng.h"

/* Where the layer table lies on a GPU: shared memory, or global memory for very many layers. */
#ifdef LIGHT_LAYERS_GLOBAL
#define CK_LAYERS CK_GLOBAL
#else
#define CK_LAYERS CK_LOCAL
#endif

/* A weight of 1 is 2^30 units: an unsigned word holds it, and a deposit loses nothing however small. */
#define LIGHT_WEIGHT_BITS 30
#define LIGHT_WEIGHT_ONE (1u << LIGHT_WEIGHT_BITS)

/* Streams of the generator: the top bits of the event number. */
#define LIGHT_STREAM_TRANSPORT 0u
#define LIGHT_STREAM_ROULETTE 0x80000000u
/* Event numbers stay below this; a photon with more events is dropped and counted (step limit). */
#define LIGHT_MAX_EVENTS (1u << 24)

/* Row of the layer table, LIGHT_ROW floats a layer; a photon's `layer` is the place where its row begins. "u32" entries are integers stored in the float's bits. */
#define LIGHT_ROW 16
#define LIGHT_MEAN_FREE_PATH 0 /* 1/mu_t [dr]; 1e30 in a clear layer */
#define LIGHT_ABSORB 1         /* u32: mu_a/mu_t in units of 2^-32 */
#define LIGHT_HG_SLOPE 2       /* constants of Henyey-Greenstein: see light_one_minus_cos in scatter.h */
#define LIGHT_HG_OFFSET 3
#define LIGHT_HG_FACTOR 4
#define LIGHT_THICKNESS 5      /* d [dr] */
#define LIGHT_TOP_BIN 6        /* depth of the layer's top, in bins of dz */
#define LIGHT_FLUENCE 7        /* mean free path in fluence units; 0 in a clear layer */
/* Two interface records, up and down, of 4 entries; records begin at multiples of 4: */
#define LIGHT_UP 8
#define LIGHT_DOWN 12
#define LIGHT_N_RATIO 0        /* n here / n there */
#define LIGHT_N_RATIO_SQ 1     /* its square */
#define LIGHT_ONE_MINUS_SQ 2   /* 1 - square; 1e-30 where matched, so that no cosine squared is zero */
#define LIGHT_TARGET 3         /* u32: row of the layer beyond; LIGHT_EXIT + this row where the tissue ends */
#define LIGHT_EXIT 0x80000000u

/* Counters that follow the crossings; on a GPU the first six gather in shared memory, since every photon adds to them. */
#define LIGHT_COUNT_BALLISTIC_UP 0    /* reflected weight units that were never deflected */
#define LIGHT_COUNT_BALLISTIC_DOWN 1  /* transmitted ones */
#define LIGHT_COUNT_EVENTS 2          /* attempts to fly, of all photons */
#define LIGHT_COUNT_HISTORIES 3       /* photons that ended */
#define LIGHT_COUNT_ROULETTE_KILLED 4 /* weight units taken out by roulette */
#define LIGHT_COUNT_ROULETTE_GAINED 5 /* weight units brought in by roulette */
#define LIGHT_N_NEAR_COUNTERS 6
#define LIGHT_COUNT_LOST 6            /* photons in an impossible state (NaN, endless flight) */
#define LIGHT_COUNT_STEP_LIMIT 7      /* photons with LIGHT_MAX_EVENTS events */
#define LIGHT_COUNT_DROPPED 8         /* weight units of lost and step-limited photons */
#define LIGHT_COUNT_CAPPED 9          /* fluence scores of clear layers that were capped */
#define LIGHT_N_COUNTERS 10

typedef struct light_params {
    ck_philox_key key;
    ck_u32 first_history;   /* low word of the number of the launch's first photon; the low word does not wrap inside */
    ck_u32 n_histories;     /* photons in this launch */
    ck_u32 launch_weight;   /* (1 - Rsp) 2^30 */
    ck_u32 launch_layer;    /* the first layer that is not clear */
    ck_i32 weight_threshold; /* roulette below this weight */
    ck_u32 roulette_factor; /* a survivor's weight is multiplied by this */
    ck_u32 roulette_limit;  /* survives if a random word is below 2^32 / factor */
    ck_u32 n_layers;
    ck_u32 n_r, n_z, n_alpha; /* bins inside the grid; n_z: those that the tissue reaches */
    float inv_dz, inv_dalpha; /* bins a unit of length, bins a radian */
    float r_bins;           /* n_r as a float: where the overflow bin begins */
    float z_bins;           /* n_z as a float */
    ck_u32 rz_row;          /* words of a row of A(r,z): n_z + 1, or some more so that keys of bins do not overflow */
    float inv_fluence_unit; /* 1/dr */
    ck_u32 at_layers_near;  /* where the layer table begins in shared memory, behind tables and corner; a multiple of 4 words */
    ck_u32 near_bins;       /* bins of A_rz kept in shared memory (GPU): those nearest to the axis */
    ck_u32 chunk;           /* photons taken at a time (CPU) */
    ck_u32 scores_fluence;  /* 1: fluence is tallied (CPU; a GPU's kernel is compiled for it) */
    ck_u32 any_g;           /* 1: some g lies outside [0.1, 1] */
    /* Word offsets into the tally buffer. */
    ck_u32 at_absorbed;     /* A(r,z): (n_r + 1) x rz_row; the first words, for an absorbed weight is the usual score */
    ck_u32 at_reflected;    /* Rd(r,alpha): (n_r + 1) x n_alpha */
    ck_u32 at_transmitted;  /* Tt(r,alpha) */
    ck_u32 at_fluence;      /* Phi(r,z), like A */
    ck_u32 at_crossed;      /* weight that leaves each layer for another one: up, down of layer 0, of layer 1 ... */
    ck_u32 at_counters;     /* right behind at_crossed */
    ck_u32 n_words;
} light_params;

CK_STATIC_ASSERT(sizeof(light_params) == 32 + 4 * 29, light_params_has_no_padding);

#endif
