/** The tallies of `light`: names, units, axes, and the scale of every bin. */
#include "core/context.h"
#include "model/light/light_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* Axes by letter: layer, z, r, alpha. The grids of z and r have one more bin, for what lies beyond. */
static const struct {
    const char *name, *unit, *axes, *description;
} layouts[LIGHT_N_TALLIES] = {
    [LIGHT_RSP] = {"Rsp", "1", "", "specular reflectance"},
    [LIGHT_RD] = {"Rd", "1", "", "diffuse reflectance (all that returns after entering)"},
    [LIGHT_TT] = {"Tt", "1", "", "transmittance, ballistic part included"},
    [LIGHT_A] = {"A", "1", "", "absorbed fraction"},
    [LIGHT_RD_BALLISTIC] = {"Rd_ballistic", "1", "", "part of Rd that was never deflected"},
    [LIGHT_TT_BALLISTIC] = {"Tt_ballistic", "1", "", "part of Tt that was never deflected"},
    [LIGHT_ABSORBED_FRACTION] = {"absorbed_fraction", "1", "l", "absorbed fraction by layer, scored by layer"},
    [LIGHT_A_Z] = {"A_z", "1/cm", "z", "absorbed fraction per depth; last bin: fraction beyond the grid"},
    [LIGHT_RD_R] = {"Rd_r", "1/cm2", "r", "diffuse reflectance per area; last bin: fraction beyond the grid"},
    [LIGHT_RD_A] = {"Rd_a", "1/sr", "a", "diffuse reflectance per solid angle, cosine included"},
    [LIGHT_TT_R] = {"Tt_r", "1/cm2", "r", "transmittance per area; last bin: fraction beyond the grid"},
    [LIGHT_TT_A] = {"Tt_a", "1/sr", "a", "transmittance per solid angle, cosine included"},
    [LIGHT_A_RZ] = {"A_rz", "1/cm3", "rz",
                    "absorbed fraction per volume; last row and column: fraction beyond the grid"},
    [LIGHT_RD_RA] = {"Rd_ra", "1/(cm2 sr)", "ra",
                     "diffuse reflectance per area and solid angle, cosine divided out; last row: fraction beyond the "
                     "grid"},
    [LIGHT_TT_RA] = {"Tt_ra", "1/(cm2 sr)", "ra",
                     "transmittance per area and solid angle, cosine divided out; last row: fraction beyond the grid"},
    [LIGHT_FLUENCE_RZ] = {"fluence_rz", "1/cm2", "rz",
                          "fluence per launched weight; last row and column: path length beyond the grid"},
};

/* ---------------------------------------------------------------------------------------------------------- axes */

/* Add an axis of n bins of width `step`, and one for what lies beyond when `is_open`. */
static crp_status add_axis(crp_context *context, tally_spec *t, const char *name, const char *unit, uint32_t n,
                           double step, bool is_open)
{
    uint32_t k = t->n_dims++;
    t->shape[k] = (size_t)n + (is_open ? 1 : 0);
    t->n_bins *= t->shape[k];
    snprintf(t->axis_name[k], sizeof t->axis_name[k], "%s", name);
    snprintf(t->axis_unit[k], sizeof t->axis_unit[k], "%s", unit);
    t->axis_edges[k] = calloc(t->shape[k] + 1, sizeof(double));
    CRP_CHECK(context, t->axis_edges[k] != NULL, CRP_ERR_MEMORY, "no memory for the axes of %s", t->name);
    for (size_t i = 0; i <= n; ++i) {
        t->axis_edges[k][i] = (double)i * step;
    }
    if (is_open) {
        t->axis_edges[k][n + 1] = (double)INFINITY;
    }
    return CRP_OK;
}

static crp_status add_axes(crp_context *context, tally_spec *t, const light_model *m, const char *axes)
{
    for (; *axes != '\0'; ++axes) {
        switch (*axes) {
        case 'l':
            CRP_TRY(add_axis(context, t, "layer", "1", m->n_layers, 1.0, false));
            break;
        case 'z':
            CRP_TRY(add_axis(context, t, "z", "cm", m->nz, m->dz, true));
            break;
        case 'r':
            CRP_TRY(add_axis(context, t, "r", "cm", m->nr, m->dr, true));
            break;
        default:
            CRP_TRY(add_axis(context, t, "alpha", "rad", m->na, 0.5 * PI / (double)m->na, false));
        }
    }
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------------------- scale */

static double ring_area(const light_model *m, size_t i)
{
    return 2.0 * PI * ((double)i + 0.5) * m->dr * m->dr;
}

static double solid_angle(const light_model *m, size_t i)
{
    double step = 0.5 * PI / (double)m->na;
    return 4.0 * PI * sin(((double)i + 0.5) * step) * sin(0.5 * step);
}

static double cosine_of_bin(const light_model *m, size_t i)
{
    return cos(((double)i + 0.5) * 0.5 * PI / (double)m->na);
}

/* 1/area, 1/volume, 1/solid angle of each bin; bins beyond the grid keep the plain fraction. */
static double bin_scale(const light_model *m, light_tally which, size_t i, size_t j)
{
    switch (which) {
    case LIGHT_A_Z:
        return i < m->nz ? 1.0 / m->dz : 1.0;
    case LIGHT_RD_R:
    case LIGHT_TT_R:
        return i < m->nr ? 1.0 / ring_area(m, i) : 1.0;
    case LIGHT_RD_A:
    case LIGHT_TT_A:
        return 1.0 / solid_angle(m, i);
    case LIGHT_A_RZ:
    case LIGHT_FLUENCE_RZ:
        return i < m->nr && j < m->nz ? 1.0 / (ring_area(m, i) * m->dz) : 1.0;
    case LIGHT_RD_RA:
    case LIGHT_TT_RA:
        return i < m->nr ? 1.0 / (ring_area(m, i) * cosine_of_bin(m, j) * solid_angle(m, j)) : 1.0;
    default:
        return 1.0;
    }
}

static crp_status fill_scale(crp_context *context, tally_spec *t, const light_model *m, light_tally which)
{
    t->scale = malloc(t->n_bins * sizeof *t->scale);
    CRP_CHECK(context, t->scale != NULL, CRP_ERR_MEMORY, "no memory for %zu bins of %s; use a smaller grid", t->n_bins,
              t->name);
    size_t inner = t->n_dims == 2 ? t->shape[1] : 1;
    for (size_t bin = 0; bin < t->n_bins; ++bin) {
        t->scale[bin] = bin_scale(m, which, bin / inner, bin % inner);
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------- tallies */

crp_status light_tallies_create(crp_context *context, crp_plan *plan)
{
    const light_plan *lp = plan->data;
    plan->tallies = calloc(LIGHT_N_TALLIES, sizeof *plan->tallies);
    CRP_CHECK(context, plan->tallies != NULL, CRP_ERR_MEMORY, "no memory for the tallies");
    plan->n_tallies = lp->scores_fluence ? LIGHT_N_TALLIES : LIGHT_FLUENCE_RZ;
    for (size_t i = 0; i < plan->n_tallies; ++i) {
        tally_spec *t = &plan->tallies[i];
        snprintf(t->name, sizeof t->name, "%s", layouts[i].name);
        snprintf(t->unit, sizeof t->unit, "%s", layouts[i].unit);
        snprintf(t->description, sizeof t->description, "%s", layouts[i].description);
        t->quantum = (i == LIGHT_FLUENCE_RZ ? lp->fluence_unit : 1.0) / (double)LIGHT_WEIGHT_ONE;
        t->n_bins = 1;
        CRP_TRY(add_axes(context, t, lp->model, layouts[i].axes));
        if (i >= LIGHT_A_Z) { /* those before are plain fractions */
            CRP_TRY(fill_scale(context, t, lp->model, (light_tally)i));
        }
        t->offset = plan->n_bins;
        plan->n_bins += t->n_bins;
    }
    return CRP_OK;
}
