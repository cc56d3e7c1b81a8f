/** Numbers of facets and texture cells in a result of a gas model, found by the names of its tallies. */
#ifndef IO_GAS_NUMBERS_H
#define IO_GAS_NUMBERS_H

#include "engine/result.h"
#include "model/gas/gas.h"

/* X(enum, tally, title, unit) */
#define GAS_NUMBER_LIST(X)                                                                                             \
    X(GAS_NUMBER_HITS, "facet_hits", "hits", "1")                                                                      \
    X(GAS_NUMBER_DESORBED, "facet_desorbed", "desorbed", "1")                                                          \
    X(GAS_NUMBER_ABSORBED, "facet_absorbed", "absorbed", "1")                                                          \
    X(GAS_NUMBER_PRESSURE, "facet_pressure", "pressure", "mbar")                                                       \
    X(GAS_NUMBER_DENSITY, "facet_density", "density", "1/m3")                                                          \
    X(GAS_NUMBER_IMPINGEMENT, "facet_impingement_rate", "impingement rate", "1/(m2 s)")                                \
    X(GAS_NUMBER_SLOWNESS, "facet_slowness", "mean of 1/v", "s/m")

#define GAS_NUMBER_ENUM(name, tally, title, unit) name,
typedef enum gas_number { GAS_NUMBER_LIST(GAS_NUMBER_ENUM) GAS_N_NUMBERS } gas_number;
#undef GAS_NUMBER_ENUM

/** What a result holds. Borrows both. */
typedef struct gas_numbers {
    const gas_model *model;
    const crp_result *result;
    ptrdiff_t facet[GAS_N_NUMBERS];   /**< tallies by facet, -1: not there */
    ptrdiff_t texture[GAS_N_NUMBERS]; /**< by texture cell */
    ptrdiff_t force;
    double molecules; /**< desorbed a second [1/s] */
} gas_numbers;

/**
 * Find the tallies of a result.
 * Errors: CRP_ERR_FORMAT when it is not one of this model (other numbers of facets or cells), or has no histories.
 */
crp_status gas_numbers_find(crp_context *context, const gas_model *model, const crp_result *result,
                            gas_numbers *numbers);

/** Title and unit of a number. Static storage. */
const char *gas_number_title(gas_number which);
const char *gas_number_unit(gas_number which);

/** Mean and standard error of a facet, from 0; NaN where there is none. */
double gas_facet_number(const gas_numbers *numbers, gas_number which, uint32_t facet, double *std_dev);
/** The same of a texture cell, counted through all textures. */
double gas_cell_number(const gas_numbers *numbers, gas_number which, uint64_t cell, double *std_dev);
/** Force on a facet along axis 0, 1, 2 [N]. */
double gas_facet_force(const gas_numbers *numbers, uint32_t facet, uint32_t axis, double *std_dev);

/** Gas that a facet desorbs: its part by area of that of its surface [Pa m3/s]. `areas`: of surfaces, one side [m2]. */
double gas_facet_outgassing(const gas_model *model, uint32_t facet, double facet_area, const double *areas);
/** Area of every surface, one side [m2]; n_surfaces numbers, free with free(). Errors: CRP_ERR_MEMORY. */
crp_status gas_surface_areas(crp_context *context, const gas_model *model, double **areas);

#endif
