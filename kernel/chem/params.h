/**
 * What the host gives to the kernels of `chem`, and the layout of tables, words and working memory.
 * Lengths in nm, times in ps. Positions are doubles: at 5 mm their spacing is 1e-9 nm; distances are floats.
 */
#ifndef CHEM_PARAMS_H
#define CHEM_PARAMS_H

#include "../elementary.h"
#include "../rng.h"

#if defined(CK_LANG_OPENCL)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define CHEM_NONE 0xFFFFFFFFu

/* Types of channels as the kernel tells them apart. */
#define CHEM_ABSORBING 1u   /* types I and V: reacts where it touches the radius */
#define CHEM_RADIATING 2u   /* type II: reacts with a finite rate at the contact distance */
#define CHEM_IONS 3u        /* type III: as I in the potential of two charges */
#define CHEM_IONS_RADIATING 4u /* type IV */
#define CHEM_FIRST_ORDER 6u /* type VI */

#define CHEM_SPACE_IS_OPEN 0u
#define CHEM_SPACE_IS_PERIODIC 1u
#define CHEM_SPACE_IS_REFLECTING 2u

/* The field of an ion is followed to so many Onsager radii beyond contact, and to the reach of the step. */
#define CHEM_ION_REACH 5.0

/* Streams of random numbers: the top four bits of the step's word in the counter. */
#define CHEM_STREAM_MOVE 0u
#define CHEM_STREAM_MEET 1u
#define CHEM_STREAM_HIT 2u
#define CHEM_STREAM_FIRST_ORDER 3u
#define CHEM_STREAM_BIRTH 4u
#define CHEM_STREAM_SURVIVE 5u
#define CHEM_STREAM_PAIR 6u

/* Counters, in the order of their words. The first are the same however the work was cut into launches. */
#define CHEM_COUNT_MOLECULE_STEPS 0 /* molecules times steps */
#define CHEM_COUNT_PAIRS 1          /* pairs near enough to be asked whether they meet */
#define CHEM_COUNT_CANDIDATES 2     /* pairs that would meet in a step if nothing came between */
#define CHEM_COUNT_REACTIONS 3
#define CHEM_N_EVENTS 4             /* those that are reported */
#define CHEM_N_LEDGERS 3            /* and what the host finds wrong in the words */
#define CHEM_COUNT_NO_ROOM 4        /* molecules and candidates that did not fit: the launch is repeated with more room */
#define CHEM_COUNT_MOST_MOLECULES 5 /* largest number of slots of molecules there was at once */
#define CHEM_COUNT_MOST_CANDIDATES 6
#define CHEM_N_COUNTERS 7

/* A molecule that waits for its birth (table 0). */
typedef struct chem_start {
    double x, y, z;
    float birth;    /* [ps] */
    ck_u32 species;
    ck_u32 id;      /* rank in its track after sorting */
    ck_u32 unused;
} chem_start;

/* A molecule in space. */
typedef struct CK_ALIGNED(16) chem_particle {
    double x, y, z;
    ck_u32 species; /* CHEM_NONE: no more */
    ck_u32 id;
} chem_particle;

/* A reaction channel (table 1, from the start). */
typedef struct chem_channel {
    ck_u32 type;
    ck_u32 n_products;
    ck_u32 products[4];
    float contact;      /* contact radius R, or contact distance sigma [nm] */
    float radius;       /* the same for the search of a step: of ions CHEM_ION_REACH Onsager radii more */
    float diffusion;    /* D of the pair [nm2/ps]; first order with a transient term: of molecule and scavenger */
    float reach;        /* 6 sqrt(D): times sqrt(dt), what the search looks beyond the radius */
    float share;        /* D1/(D1 + D2), the weight of the second partner's position in the uncorrelated point; partner 1 is
                           the one of the lower species */
    float alpha;        /* types II, IV [1/nm] */
    float reactivity;   /* types II, IV: q/(1 + q), q = k_act/k_dif */
    float onsager;      /* r_c [nm] of types III, IV */
    float effective;    /* radius in the coordinate in which ions move freely: R_eff, sigma_eff [nm] */
    float rate;         /* first order [1/ps] */
    float transient;    /* first order: 2 R/sqrt(pi D) [sqrt(ps)] */
    ck_u32 spin_limit;  /* type V: pairs whose word is above cannot react */
    float separation;   /* first order whose two products react with each other: distance they begin at [nm] */
} chem_channel;

/* One step of time (table 2). The last one has dt = 0 and only counts. */
typedef struct chem_step {
    double start;       /* [ps] */
    double inv_cell;    /* 1/edge of a cell of the search [1/nm] */
    float dt, sqrt_dt;
    float reach;        /* square of the largest distance at which a pair can meet [nm2] */
    ck_u32 output;      /* output time that `start` is, or CHEM_NONE */
    ck_u32 bin;         /* output time that reactions of this step count for */
    ck_u32 births;      /* group of molecules born at `start`, or CHEM_NONE */
    ck_u32 n_cells;     /* periodic: cells along an edge */
    float before;       /* dt of the step before */
} chem_step;

/* Offsets in 32-bit words into table 1, behind the channels. */
typedef struct chem_params {
    ck_philox4_key key;
    ck_u32 n_histories;     /* of this launch */
    ck_u32 first_history;   /* low word of the first one's number */
    ck_u32 first_track;     /* its track: (first history) modulo n_tracks */
    ck_u32 n_tracks;
    ck_u32 n_species, n_channels, n_steps, n_outputs;
    ck_u32 at_pairs;        /* channel of two species, n_species^2 words */
    ck_u32 at_first;        /* n_species + 1 offsets into the list of first-order channels */
    ck_u32 at_first_list;
    ck_u32 at_motion;       /* sqrt(2 D) of every species */
    ck_u32 at_births, at_reactions, at_counters; /* words */
    ck_u32 room;            /* molecules there is memory for */
    ck_u32 room_candidates;
    ck_u32 n_buckets;       /* of the search */
    ck_u32 region_mask;     /* buckets of a region of them - 1, a power of two */
    ck_u32 region;          /* history h has the region from h times this on; 0: all share one */
    ck_u32 team;            /* workers that share a history when molecules are admitted; a power of two */
    ck_u32 space;
    ck_u32 part;            /* CPU: histories that one worker takes for itself; 0: all workers share all of them */
    ck_u32 at_extents;      /* for every species the largest `radius` and `reach` of its channels */
    ck_u32 unused;
    ck_u32 at_partners;     /* for every species the bits (species modulo 32) of those it has a channel with */
    ck_u32 corrects;        /* some channel moves the partners that do not react (types II to IV) */
    double box, inv_box;    /* edge [nm] */
} chem_params;

CK_STATIC_ASSERT(sizeof(chem_start) == 40, chem_start_has_no_padding);
CK_STATIC_ASSERT(sizeof(chem_particle) == 32, chem_particle_has_no_padding);
CK_STATIC_ASSERT(sizeof(chem_channel) == 76, chem_channel_has_no_padding);
CK_STATIC_ASSERT(sizeof(chem_step) == 48, chem_step_has_no_padding);
CK_STATIC_ASSERT(sizeof(chem_params) % 8 == 0, chem_params_are_whole_doubles);

#endif
