/* The tallies of `gas`: names, units, axes, and the scale of every bin. */
#include "core/context.h"
#include "model/gas/gas_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Axes by letter: p part, s part with sources, d part with pumps (destination), f facet, x component, c texture cell, q
 * facet with a profile, b its bins, m formula. What a number is made of: see unit_value. */
typedef struct layout {
    const char *name, *unit, *axes, *description;
    int over;
} layout;

/* Docs: theory/gas.md, "The density's error". */
#define DENSITY_NOTE "1/v_n has no finite variance, so grazing terms count as their mean: the error is that of this sum"

static const layout layouts[GAS_N_TALLIES] = {
    [GAS_TALLY_HITS_TOTAL] = {"hits_per_molecule", "1", "", "hits of a molecule, passes through facets included", -1},
    [GAS_TALLY_LEAKS] = {"leaks_per_hit", "1", "", "molecules that no facet stopped, per hit", GAS_TALLY_HITS_TOTAL},
    [GAS_TALLY_FLIGHT] = {"mean_flight", "cm", "", "mean length of a flight", GAS_TALLY_HITS_TOTAL},
    [GAS_TALLY_DESORBED] = {"desorbed", "1", "s", "share of all molecules that it desorbs", -1},
    [GAS_TALLY_ABSORBED] = {"absorbed", "1", "d", "share of all molecules that it pumps", -1},
    [GAS_TALLY_THROUGHPUT] = {"throughput", "mbar l/s", "d", "gas pumped, at the temperature of the pump", -1},
    [GAS_TALLY_PRESSURE] = {"pressure", "mbar", "p", "momentum per area and time", -1},
    [GAS_TALLY_DENSITY] = {"density", "1/m3", "p", "molecules per volume in front of it; " DENSITY_NOTE, -1},
    [GAS_TALLY_IMPINGEMENT] = {"impingement_rate", "1/(m2 s)", "p", "hits per area and time", -1},
    [GAS_TALLY_TRANSMISSION] = {"transmission", "1", "sd", "share of a source's molecules that a pump takes",
                                GAS_TALLY_DESORBED},
    [GAS_TALLY_FACET_HITS] = {"facet_hits", "1", "f", "hits per molecule", -1},
    [GAS_TALLY_FACET_DESORBED] = {"facet_desorbed", "1", "f", "share of all molecules that it desorbs", -1},
    [GAS_TALLY_FACET_ABSORBED] = {"facet_absorbed", "1", "f", "share of all molecules that it pumps", -1},
    [GAS_TALLY_FACET_PRESSURE] = {"facet_pressure", "mbar", "f", "momentum per area and time", -1},
    [GAS_TALLY_FACET_DENSITY] = {"facet_density", "1/m3", "f", "molecules per volume; " DENSITY_NOTE, -1},
    [GAS_TALLY_FACET_IMPINGEMENT] = {"facet_impingement_rate", "1/(m2 s)", "f", "hits per area and time", -1},
    [GAS_TALLY_FACET_SPEED] = {"facet_slowness", "s/m", "f", "mean of 1/v of what arrives", GAS_TALLY_FACET_HITS},
    [GAS_TALLY_FORCE] = {"facet_force", "N", "fx", "force of the gas on the facet", -1},
    [GAS_TALLY_TEXTURE_HITS] = {"texture_hits", "1", "c", "hits per molecule", -1},
    [GAS_TALLY_TEXTURE_PRESSURE] = {"texture_pressure", "mbar", "c", "momentum per area and time", -1},
    [GAS_TALLY_TEXTURE_DENSITY] = {"texture_density", "1/m3", "c", "molecules per volume; " DENSITY_NOTE, -1},
    [GAS_TALLY_TEXTURE_IMPINGEMENT] = {"texture_impingement_rate", "1/(m2 s)", "c", "hits per area and time", -1},
    [GAS_TALLY_PROFILE_HITS] = {"profile_hits", "1", "qb", "hits per molecule", -1},
    [GAS_TALLY_PROFILE_PRESSURE] = {"profile_pressure", "mbar", "qb", "momentum per area of a bin and time", -1},
    [GAS_TALLY_PROFILE_DENSITY] = {"profile_density", "1/m3", "qb", "molecules per volume; " DENSITY_NOTE, -1},
    [GAS_TALLY_FORMULA] = {"formula", "1", "m", "formulas of the model, counts per molecule, in their own units", -1},
};

/* ------------------------------------------------------------------------------------------------ quanta */

/* What one integer unit stands for, before division by an area. */
static double quantum_of(const gas_plan *gp, gas_tally which)
{
    const gas_model *m = gp->model;
    double molecule = m->mass / GAS_AVOGADRO, v = gp->speed_scale;
    double momentum = gp->rate * molecule * v / (double)GAS_PRESSURE_UNITS;
    /* All molecules at the mean speed: the flux mean is 3 pi / 8 times larger. */
    momentum *= m->speed == GAS_SPEED_MEAN ? 3.0 * PI / 8.0 : 1.0;
    switch (which) {
    case GAS_TALLY_PRESSURE:
    case GAS_TALLY_FACET_PRESSURE:
    case GAS_TALLY_TEXTURE_PRESSURE:
    case GAS_TALLY_PROFILE_PRESSURE:
        return 0.01 * momentum; /* Pa to mbar */
    case GAS_TALLY_FORCE:
        return momentum;
    case GAS_TALLY_DENSITY:
    case GAS_TALLY_FACET_DENSITY:
    case GAS_TALLY_TEXTURE_DENSITY:
    case GAS_TALLY_PROFILE_DENSITY:
        return gp->rate / (v * (double)GAS_DENSITY_UNITS);
    case GAS_TALLY_FACET_SPEED:
        return 1.0 / (v * (double)GAS_DENSITY_UNITS);
    case GAS_TALLY_IMPINGEMENT:
    case GAS_TALLY_FACET_IMPINGEMENT:
    case GAS_TALLY_TEXTURE_IMPINGEMENT:
        return gp->rate;
    case GAS_TALLY_THROUGHPUT:
        return 10.0 * gp->rate * GAS_BOLTZMANN; /* Pa m3/s to mbar l/s */
    case GAS_TALLY_FLIGHT:
        return 100.0 / gp->params.path_scale;
    default:
        return 1.0;
    }
}

static bool is_per_area(gas_tally which)
{
    const char *unit = layouts[which].unit;
    return strcmp(unit, "mbar") == 0 || strcmp(unit, "1/m3") == 0 || strcmp(unit, "1/(m2 s)") == 0;
}

/* ------------------------------------------------------------------------------------------------- scale */

static double inverse(double area)
{
    return area > 0.0 ? 1.0 / area : 0.0;
}

static crp_status scale_cells(crp_context *context, const gas_plan *gp, double *scale)
{
    const gas_model *m = gp->model;
    size_t at = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        uint32_t n_u, n_v;
        gas_frame frame = gas_facet_frame(m, i);
        gas_facet_texture(m, i, &frame, &n_u, &n_v);
        if (n_u > 0) {
            double sides = m->surfaces[m->facets[i].surface].is_two_sided ? 2.0 : 1.0;
            size_t n = (size_t)n_u * n_v;
            CRP_TRY(gas_texture_areas(context, m, i, &frame, n_u, n_v, scale + at));
            for (size_t k = at; k < at + n; k++) {
                scale[k] = inverse(sides * scale[k]);
            }
            at += n;
        }
    }
    return CRP_OK;
}

static void scale_profiles(const gas_plan *gp, double *scale)
{
    const gas_model *m = gp->model;
    size_t at = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        if (m->surfaces[m->facets[i].surface].profile != GAS_PROFILE_NONE) {
            for (uint32_t k = 0; k < GAS_PROFILE_BINS; k++) {
                scale[at++] = inverse(gp->area[i] / GAS_PROFILE_BINS);
            }
        }
    }
}

static crp_status fill_scale(crp_context *context, const gas_plan *gp, tally_spec *t, gas_tally which)
{
    if (!is_per_area(which) && which != GAS_TALLY_THROUGHPUT) {
        return CRP_OK;
    }
    t->scale = malloc((t->n_bins + 1) * sizeof *t->scale);
    CRP_CHECK(context, t->scale != NULL, CRP_ERR_MEMORY, "no memory for %zu bins of %s", t->n_bins, t->name);
    switch (layouts[which].axes[0]) {
    case 'p':
        for (uint32_t i = 0; i < gp->n_parts; i++) {
            t->scale[i] = inverse(gp->parts[i].area);
        }
        return CRP_OK;
    case 'd':
        for (uint32_t i = 0; i < gp->n_pump_parts; i++) {
            t->scale[i] = gp->parts[gp->pump_parts[i]].temperature;
        }
        return CRP_OK;
    case 'f':
        for (uint32_t i = 0; i < gp->model->n_facets; i++) {
            t->scale[i] = inverse(gp->area[i]);
        }
        return CRP_OK;
    case 'c':
        return scale_cells(context, gp, t->scale);
    default:
        scale_profiles(gp, t->scale);
        return CRP_OK;
    }
}

/* ------------------------------------------------------------------------------------------------ layout */

static void add_axis(tally_spec *t, const char *name, size_t n)
{
    uint32_t k = t->n_dims++;
    t->shape[k] = n;
    t->n_bins *= n;
    snprintf(t->axis_name[k], sizeof t->axis_name[k], "%s", name);
    snprintf(t->axis_unit[k], sizeof t->axis_unit[k], "1");
}

static void add_axes(const gas_plan *gp, tally_spec *t, const char *axes)
{
    t->n_bins = 1;
    for (; *axes != '\0'; ++axes) {
        switch (*axes) {
        case 'p':
            add_axis(t, "part", gp->n_parts);
            break;
        case 's':
            add_axis(t, "source", gp->n_source_parts);
            break;
        case 'd':
            add_axis(t, "pump", gp->n_pump_parts);
            break;
        case 'f':
            add_axis(t, "facet", gp->model->n_facets);
            break;
        case 'x':
            add_axis(t, "component", 3);
            break;
        case 'c':
            add_axis(t, "cell", (size_t)gp->n_cells);
            break;
        case 'q':
            add_axis(t, "profile", gp->n_profiles);
            break;
        case 'm':
            add_axis(t, "formula", gp->n_formulas);
            t->is_derived = true;
            break;
        default:
            add_axis(t, "bin", GAS_PROFILE_BINS);
        }
    }
}

static bool is_there(const gas_plan *gp, gas_tally which)
{
    switch (which) {
    case GAS_TALLY_FORCE:
        return gp->model->score_forces;
    case GAS_TALLY_TRANSMISSION:
    case GAS_TALLY_ABSORBED:
    case GAS_TALLY_THROUGHPUT:
        return gp->n_pump_parts > 0;
    case GAS_TALLY_TEXTURE_HITS:
    case GAS_TALLY_TEXTURE_PRESSURE:
    case GAS_TALLY_TEXTURE_DENSITY:
    case GAS_TALLY_TEXTURE_IMPINGEMENT:
        return gp->n_cells > 0;
    case GAS_TALLY_FORMULA:
        return gp->n_formulas > 0;
    case GAS_TALLY_PROFILE_HITS:
    case GAS_TALLY_PROFILE_PRESSURE:
    case GAS_TALLY_PROFILE_DENSITY:
        return gp->n_profiles > 0;
    default:
        return true;
    }
}

crp_status gas_tallies_create(crp_context *context, crp_plan *plan)
{
    gas_plan *gp = plan->data;
    plan->tallies = calloc(GAS_N_TALLIES, sizeof *plan->tallies);
    CRP_CHECK(context, plan->tallies != NULL, CRP_ERR_MEMORY, "no memory for the tallies");
    for (int i = 0; i < GAS_N_TALLIES; i++) {
        const layout *l = &layouts[i];
        gp->at[i] = -1;
        if (!is_there(gp, (gas_tally)i)) {
            continue;
        }
        gp->at[i] = (int32_t)plan->n_tallies;
        tally_spec *t = &plan->tallies[plan->n_tallies++];
        snprintf(t->name, sizeof t->name, "%s", l->name);
        snprintf(t->unit, sizeof t->unit, "%s", l->unit);
        snprintf(t->description, sizeof t->description, "%s", l->description);
        t->quantum = quantum_of(gp, (gas_tally)i);
        add_axes(gp, t, l->axes);
        t->offset = plan->n_bins;
        plan->n_bins += t->n_bins;
        if (l->over >= 0) {
            t->over = (size_t)gp->at[l->over] + 1;
            t->over_run = i == GAS_TALLY_TRANSMISSION ? gp->n_pump_parts : 1;
        }
        CRP_TRY(fill_scale(context, gp, t, (gas_tally)i));
    }
    return CRP_OK;
}
