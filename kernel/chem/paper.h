/**
 * The algorithm of Tian, Jiang and Jia 2017 (Phys. Med. Biol. 62, 3081), step for step: Eq. 2 to 5, Tables 1 and 2, its
 * kernels A, B, C. For comparison: its steps are biased (docs/theory/chem_paper.md says by how much, and how places that the
 * paper leaves open were read).
 *
 * One time step (Table 2) of a history:
 *   1     the fixed step of the time, and with it the radius of every channel (Eq. 2)
 *   2, 3  kernel A: pairs within the radius react, and the step is over with dt = 0; else dt = the least of Eq. 4 over all
 *         pairs, never below the fixed step
 *   4     kernel B: all diffuse over dt
 *   5, 6  kernel C: pairs within the radius react, others by the chance of Eq. 5
 *
 */
#ifndef CHEM_PAPER_H
#define CHEM_PAPER_H

#include "memory.h"
#include "react.h"
#include "space.h"

#define CHEM_PAPER_A 0u
#define CHEM_PAPER_C 1u

/* Fixed steps (table 2, from the start): up to `until` the step is `step`. */
typedef struct chem_paper_row {
    double until, step; /* [ps] */
} chem_paper_row;

/* What precedes them: 4 doubles. Output times stand behind the rows. */
typedef struct chem_paper_head {
    double start, end;  /* [ps] */
    ck_u32 n_rows;
    ck_u32 is_dynamic;  /* Eq. 4; else every step is the fixed one */
    double unused;
} chem_paper_head;

/* A history on its way. */
typedef struct chem_paper_history {
    double time;        /* [ps] */
    double inv_cell;    /* of the search of the phase [1/nm] */
    float fixed, dt;    /* Table 1; this step [ps] */
    float reach;        /* square of the distance up to which pairs are looked at */
    ck_u32 least;       /* bits of the least of Eq. 4 */
    ck_u32 has_reacted; /* in kernel A */
    ck_u32 output;      /* next output time */
    ck_u32 record_from; /* output times [record_from, output) are to be written */
    ck_u32 is_done;
} chem_paper_history;

CK_STATIC_ASSERT(sizeof(chem_paper_head) == 32, chem_paper_head_is_four_doubles);
CK_STATIC_ASSERT(sizeof(chem_paper_history) == 48, chem_paper_history_has_no_padding);

/**
 * Reaction radius of a step: k = 4 pi R D N_A (1 + R/sqrt(pi D dt)), solved for R.
 *
 * @param contact    k/(4 pi D N_A) [nm]
 * @param diffusion  D of the pair [nm2/ps]
 * Ref: Eq. 2.  Draws: 0.
 */
CK_FN float chem_paper_radius(float contact, float diffusion, float dt)
{
    float width = chem_root(3.14159265f * diffusion * dt);
    return width > 0.0f ? 2.0f * contact / (1.0f + chem_root(1.0f + 4.0f * contact / width)) : 0.0f;
}

/**
 * Time in which a pair does not meet, with 95 % confidence: (d - R)^2/(8 (D1 + D2 + 2 sqrt(D1 D2))).
 *
 * @param motions  sqrt(2 D1) + sqrt(2 D2)
 * Ref: Eq. 4.  Draws: 0.
 */
CK_FN float chem_paper_wait(float distance, float radius, float motions)
{
    float apart = ck_fmax(distance - radius, 0.0f) / motions;
    return 0.25f * apart * apart;
}

/** Chance that a pair has crossed the radius between two distances, both above it: exp(-(d0 - R)(d1 - R)/(D dt)).
 * Ref: Eq. 5.  Draws: 0. */
CK_FN float chem_paper_crossing(float before, float after, float radius, float spread)
{
    return ck_exp_minus((before - radius) * (after - radius) / spread);
}

/** Place of a reaction: x1 sqrt(D2)/(sqrt(D1) + sqrt(D2)) + x2 sqrt(D1)/(sqrt(D1) + sqrt(D2)).
 *
 * @param apart  x2 - x1
 * @param first_motion, second_motion  sqrt(2 D1), sqrt(2 D2)
 * Ref: Eq. 3.  Draws: 0. */
CK_FN chem_point chem_paper_site(chem_point first, chem_vector apart, float first_motion, float second_motion)
{
    float both = first_motion + second_motion;
    return chem_shift_point(first, both > 0.0f ? first_motion / both : 0.5f, apart);
}

/** The fixed step of a time: Table 1. */
CK_FN double chem_paper_fixed_step(CK_GLOBAL const chem_paper_row *rows, ck_u32 n_rows, double time)
{
    ck_u32 i = 0u;
    while (i + 1u < n_rows && time >= rows[i].until * (1.0 - 1.0e-12)) {
        ++i;
    }
    return rows[i].step;
}

/**
 * How far pairs are looked at: the largest radius and six widths of the relative motion in `dt` along an axis, beyond which
 * Eq. 5 gives less than 1e-15.
 */
CK_FN float chem_paper_reach(CK_GLOBAL const chem_channel *channels, ck_u32 n, float fixed, float dt)
{
    float reach = 0.0f;
    for (ck_u32 i = 0u; i < n; ++i) {
        float width = chem_root(2.0f * channels[i].diffusion * dt);
        float radius = chem_paper_radius(channels[i].contact, channels[i].diffusion, fixed);
        reach = ck_fmax(reach, ck_fma(6.0f, width, radius));
    }
    return reach;
}

#endif
