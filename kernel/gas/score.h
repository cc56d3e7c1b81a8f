/** What a molecule adds to the words of a facet, in integers. */
#ifndef CK_GAS_SCORE_H
#define CK_GAS_SCORE_H

#include "arithmetic.h"
#include "gas/molecule.h"

/* Of one arrival or departure, or of both together. */
typedef struct gas_amount {
    ck_u32 pressure; /* v_n */
    ck_u32 density;  /* 1 / v_n */
    ck_u32 slowness; /* 1 / v */
    ck_u32 n_capped; /* terms of the density that were replaced by their mean */
} gas_amount;

/* All that one event adds to one facet. */
typedef struct gas_score {
    ck_u32 facet;
    ck_u32 n_hits, n_absorbed, n_desorbed;
    gas_amount amount;
} gas_score;

/**
 * v_n and 1/v_n in integer units. The mean of 1/v_n exists, its variance does not: of molecules that cross a surface
 * the share with v_n in dv falls as v_n dv only towards grazing directions. Below v_c = 2^-8 of the speed scale a term
 * is therefore the mean of all those, the integral of dv over that of v dv, 2 / v_c: the sum has the same mean and a
 * finite variance. That is exact as far as the intensity of the flux does not change within the last 2^-8 towards
 * grazing, where 2^-7 / sqrt(pi), 0.44 %, of the density comes from.
 *
 * @param normal_speed  v |cos theta| [m/s], >= 0
 * Draws: 0.
 */
CK_FN gas_amount gas_amount_of(float normal_speed, gas_params p)
{
    gas_amount a;
    float inverse = p.density_scale * ck_reciprocal(ck_fmax(normal_speed, 1.0e-15f));
    a.n_capped = inverse > GAS_DENSITY_CAP ? 1u : 0u;
    a.density = (ck_u32)(ck_i32)((a.n_capped != 0u ? GAS_DENSITY_GRAZING : inverse) + 0.5f);
    a.pressure = (ck_u32)(ck_i32)ck_fma(normal_speed, p.pressure_scale, 0.5f);
    a.slowness = 0u;
    return a;
}

/* 1/v in integer units, cut where it can hardly come to: few molecules are slow, and the variance is finite. */
CK_FN ck_u32 gas_slowness_of(float speed, gas_params p)
{
    float inverse = p.density_scale * ck_reciprocal(ck_fmax(speed, 1.0e-15f));
    return (ck_u32)(ck_i32)(ck_fmin(inverse, GAS_SLOWNESS_CAP) + 0.5f);
}

CK_FN gas_amount gas_amount_sum(gas_amount a, gas_amount b)
{
    a.pressure += b.pressure;
    a.density += b.density;
    a.slowness += b.slowness;
    a.n_capped += b.n_capped;
    return a;
}

/* Length of a molecule's flights in integer units. */
CK_FN ck_u64 gas_path_units(double path, gas_params p)
{
    return (ck_u64)ck_fma64(path, p.path_scale, 0.5);
}

/* Momentum given to a wall, over the molecule's mass, along one axis: two's complement. */
CK_FN ck_u64 gas_force_of(double before, double after, gas_params p)
{
    double units = (before - after) * (double)p.pressure_scale;
    return (ck_u64)(ck_i64)(units + (units < 0.0 ? -0.5 : 0.5));
}

#endif
