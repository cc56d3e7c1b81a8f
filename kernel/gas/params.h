/**
 * What a kernel of `gas` is given: parameters by value, tables, and the layout of the words it adds to.
 * Lengths in m, speeds in m/s; positions and the test of a facet in double precision, directions are unit vectors.
 */
#ifndef CK_GAS_PARAMS_H
#define CK_GAS_PARAMS_H

#include "rng.h"

/* Streams of random numbers of a molecule: a new draw in one does not shift the others. */
#define GAS_STREAM_FLIGHT 0u  /* direction and speed of the event */
#define GAS_STREAM_LAUNCH 1u  /* place of the desorption */
#define GAS_STREAM_SURFACE 2u /* opacity, sticking, kind of reflection */

/* Nothing: no primitive, no sheet, no mark. */
#define GAS_NOTHING 0xFFFFFFFFu

/* Flags of a surface. */
#define GAS_IS_PLAIN 1u     /* opaque, sticking 0 or 1, diffuse, accommodation 1, nothing special: the fast way */
#define GAS_STICKS 2u       /* sticking is 1 */
#define GAS_HAS_CHANCES 4u  /* opacity, sticking or reflection need the stream of the surface */
#define GAS_IS_MARKED 8u    /* a texture, a profile, or a teleport: looks at the marks */
#define GAS_KEEPS_SPEED 16u /* Maxwell's model: a specular reflection keeps the speed */
#define GAS_TELEPORTS 32u
#define GAS_LINKS 64u
#define GAS_DESORBS_UNIFORMLY 128u
#define GAS_DESORBS_POWER 256u /* cosine^n */
#define GAS_HAS_SPEED_PROFILE 512u

/* What a facet does, shared by all facets of a surface. 64 bytes. */
typedef struct gas_surface_row {
    ck_u32 flags;
    float speed;     /* v_p = sqrt(2 R T / M), or the mean speed */
    ck_u32 opacity;  /* a word below it is a hit */
    ck_u32 sticking; /* a word below it is pumped */
    ck_u32 diffuse,
        specular; /* a word below the first reflects diffusely, else below the second specularly, else cosine^n */
    float accommodation;
    float cosine_power;     /* 1 / (n + 1) of that reflection */
    float desorption_power; /* 1 / (n + 1) of the desorption */
    ck_u32 source, pump;    /* row and column of the transmission table: of desorptions, of absorptions */
    ck_i32 link;            /* structure that is entered */
    ck_i32 teleport;        /* mark of the target, -1 none, -2 back */
    ck_u32 unused[3];
} gas_surface_row;

/* What can be hit: a triangle or a parallelogram. 128 bytes. u = p . u + u0 and v likewise run over [0, 1]. */
typedef struct gas_primitive {
    double n[4]; /* unit normal; fourth: n . p of its points */
    double u[4], v[4];
    ck_u32 facet;           /* and GAS_IS_TRIANGLE, GAS_IS_TWO_SIDED */
    ck_u32 sheet;           /* number of the plane: coplanar facets have the same, and the same n up to its sign */
    double basis;           /* -1 / (s + n[2]), s = 1 or -1 as the sign of n[2]: see gas_basis_of */
    float slack_u, slack_v; /* how far outside [0, 1] a point still counts: rounding, no more */
    ck_u32 surface;
    ck_i32 structure; /* -1: part of all */
} gas_primitive;

#define GAS_IS_TRIANGLE 0x80000000u
#define GAS_IS_TWO_SIDED 0x40000000u
#define GAS_FACET_MASK 0x3FFFFFFFu

/* A facet with a texture, a profile or a teleport: its frame and where its words are. 208 bytes. */
typedef struct gas_mark {
    double origin[3];  /* of the bounding rectangle */
    double u[3], v[3]; /* its sides [m] */
    double normal[3];
    double inv_u2, inv_v2;       /* 1 / |u|^2 */
    double cell_u[4], cell_v[4]; /* texture cell of a place: p . u + u0; the last cell may be cut */
    ck_u32 texture;              /* first word; GAS_NOTHING: none */
    ck_u32 n_u, n_v;
    ck_u32 profile;      /* first word; GAS_NOTHING: none */
    ck_u32 profile_kind; /* GAS_PROFILE_... below */
    float profile_scale; /* bins per unit: of u, v, angle in rad, or speed in m/s */
    ck_u32 facet, sheet;
} gas_mark;

/* Profiles, numbered as in the model. */
#define GAS_PROFILE_ALONG_U 1u
#define GAS_PROFILE_ALONG_V 2u
#define GAS_PROFILE_OF_ANGLE 3u
#define GAS_PROFILE_OF_SPEED 4u
#define GAS_PROFILE_OF_NORMAL_SPEED 5u
#define GAS_PROFILE_OF_TANGENTIAL_SPEED 6u
#define GAS_PROFILE_BINS 100u

/* A primitive that molecules desorb from, with its entry of the alias table (Walker 1977; Vose 1991). 96 bytes. */
typedef struct gas_source {
    double corner[3], edge_u[3], edge_v[3];
    ck_u32 primitive;
    ck_u32 keep; /* a word below it keeps this entry, else the other is taken */
    ck_u32 other;
    ck_u32 unused[3];
} gas_source;

/* Words of a facet. The four that every hit adds to stand in one row of 32 bytes, a sector of a GPU's memory; the
 * seldom ones of all facets follow after the rows. */
#define GAS_WORD_HITS 0u     /* wall hits, transparent passes included */
#define GAS_WORD_DENSITY 1u  /* sum of 1/v_n, arriving and leaving, in units of 2^-14 / speed scale */
#define GAS_WORD_PRESSURE 2u /* sum of v_n, arriving and leaving, in units of 2^-16 speed scale */
#define GAS_WORD_SLOWNESS 3u /* sum of 1/v of arrivals, in units of 2^-14 / speed scale */
#define GAS_ROW_WORDS 4u
#define GAS_WORD_ABSORBED 4u
#define GAS_WORD_DESORBED 5u
#define GAS_FACET_WORDS 6u /* in all */
#define GAS_FORCE_WORDS                                                                                                \
    3u                    /* momentum given to the wall / mass, x y z, two's complement, units of 2^-16 speed scale    \
                           */
#define GAS_CELL_WORDS 4u /* of a texture cell or a profile bin: a row of hits, density, pressure, nothing */

#define GAS_PRESSURE_UNITS 65536.0f
#define GAS_DENSITY_UNITS 16384.0f
#define GAS_DENSITY_CAP 4194304.0f     /* 1/v_n of one arrival or departure where v_n is 2^-8 of the speed scale */
#define GAS_DENSITY_GRAZING 8388608.0f /* and the mean of 1/v_n over all that are slower */
#define GAS_SLOWNESS_CAP 1073741824.0f /* 1/v of one arrival: v below 1.5e-5 of the speed scale */

/* Counters of a launch. */
#define GAS_COUNT_LEAKS 0u /* molecules that no facet stopped */
#define GAS_COUNT_BOUNCE_LIMIT 1u
#define GAS_COUNT_CAPPED 2u /* terms of the density that were cut */
#define GAS_COUNT_PATH 3u   /* length of all flights in units of 1 / path_scale */
#define GAS_N_COUNTERS 4u

/* Table of leaks: a leak goes to one slot, by its history. The slot of a launch that has had one leak only can be read.
 */
#define GAS_LEAK_LEVELS 24u
#define GAS_LEAK_SLOTS 8u /* of a level; a leak is on level k with chance 2^-(k+1) */
#define GAS_LEAK_WORDS 8u /* how many, x, y, z, direction, bits of doubles; facet left */

typedef struct gas_params {
    ck_philox4_key key;
    ck_u64 first_history, n_histories;
    double grid_scale[3], grid_shift[3]; /* coordinates of the nodes: p * scale + shift, in [1, 2) */
    double nearest;                      /* a hit may lie this far behind the start: < 0, rounding and no more [m] */
    double path_scale;                   /* 1 / path_unit */
    float steepest;                      /* least |direction| in node coordinates: no division by zero */
    float pressure_scale;                /* GAS_PRESSURE_UNITS / speed scale */
    float density_scale;                 /* GAS_DENSITY_UNITS * speed scale */
    ck_u32 n_facets, n_sources;
    ck_u32 n_pumps; /* columns of the transmission table */
    ck_u32 max_events;
    ck_u32 is_mean_speed;
    ck_u32 n_structures;
    ck_u32 first_structure;
    ck_u32 scores_forces;
    ck_u32 at_forces, at_transmitted, at_textures, at_profiles, at_leaks, at_counters, n_words;
    ck_u32 chunk;
    ck_u32 n_nodes;
    ck_u32 has_marks, has_records, unused[2];
} gas_params;

/* Number of a word of a facet. */
CK_FN ck_u32 gas_word_of(ck_u32 n_facets, ck_u32 facet, ck_u32 which)
{
    ck_u32 seldom = GAS_ROW_WORDS * n_facets + (GAS_FACET_WORDS - GAS_ROW_WORDS) * facet + (which - GAS_ROW_WORDS);
    return which < GAS_ROW_WORDS ? GAS_ROW_WORDS * facet + which : seldom;
}

CK_STATIC_ASSERT(sizeof(gas_surface_row) == 64, gas_surface_row_has_64_bytes);
CK_STATIC_ASSERT(sizeof(gas_primitive) == 128, gas_primitive_has_128_bytes);
CK_STATIC_ASSERT(sizeof(gas_mark) == 208, gas_mark_has_208_bytes);
CK_STATIC_ASSERT(sizeof(gas_source) == 96, gas_source_has_96_bytes);
CK_STATIC_ASSERT(sizeof(gas_params) == 256, gas_params_has_256_bytes);

#endif
