/** Numbers in a result of a gas model: see gas_numbers.h. */
#include "io/gas_numbers.h"

#include "core/context.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_WORDS(name, tally, title, unit) [name] = {tally, title, unit},
static const struct {
    const char *tally, *title, *unit;
} words[GAS_N_NUMBERS] = {GAS_NUMBER_LIST(NUMBER_WORDS)};
#undef NUMBER_WORDS

static const double boltzmann = 1.380649e-23;

const char *gas_number_title(gas_number which)
{
    return words[which].title;
}

const char *gas_number_unit(gas_number which)
{
    return words[which].unit;
}

static double total_molecules(const gas_model *model)
{
    double sum = 0;
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        sum += model->surfaces[i].outgassing / (boltzmann * model->surfaces[i].temperature);
    }
    return sum;
}

static bool fits(const crp_result *result, ptrdiff_t tally, uint64_t n_bins)
{
    return tally < 0 || result->tallies[tally].n_bins == n_bins;
}

crp_status gas_numbers_find(crp_context *context, const gas_model *model, const crp_result *result,
                            gas_numbers *numbers)
{
    uint64_t n_cells = gas_texture_cells(model, NULL);
    bool is_fine = result->histories > 0;
    *numbers = (gas_numbers){.model = model, .result = result, .molecules = total_molecules(model)};
    for (int i = 0; i < GAS_N_NUMBERS; i++) {
        char name[64];
        snprintf(name, sizeof name, "texture_%s", words[i].tally + strlen("facet_"));
        numbers->facet[i] = result_find(result, words[i].tally);
        numbers->texture[i] = result_find(result, name);
        is_fine =
            is_fine && fits(result, numbers->facet[i], model->n_facets) && fits(result, numbers->texture[i], n_cells);
    }
    numbers->force = result_find(result, "facet_force");
    is_fine =
        is_fine && fits(result, numbers->force, 3 * (uint64_t)model->n_facets) && numbers->facet[GAS_NUMBER_HITS] >= 0;
    CRP_CHECK(context, is_fine, CRP_ERR_FORMAT,
              "the result does not belong to this model of %u facets (or holds no histories): run it again",
              (unsigned)model->n_facets);
    return CRP_OK;
}

static double number_of(const crp_result *result, ptrdiff_t tally, uint64_t bin, double *std_dev)
{
    double none = (double)NAN;
    size_t at = tally < 0 ? 0 : result->tallies[tally].offset + (size_t)bin;
    if (std_dev != NULL) {
        *std_dev = tally < 0 ? none : result_bin_std_dev(result, (size_t)tally, at);
    }
    return tally < 0 ? none : result_bin_mean(result, (size_t)tally, at);
}

double gas_facet_number(const gas_numbers *numbers, gas_number which, uint32_t facet, double *std_dev)
{
    return number_of(numbers->result, numbers->facet[which], facet, std_dev);
}

double gas_cell_number(const gas_numbers *numbers, gas_number which, uint64_t cell, double *std_dev)
{
    return number_of(numbers->result, numbers->texture[which], cell, std_dev);
}

double gas_facet_force(const gas_numbers *numbers, uint32_t facet, uint32_t axis, double *std_dev)
{
    return number_of(numbers->result, numbers->force, 3 * (uint64_t)facet + axis, std_dev);
}

crp_status gas_surface_areas(crp_context *context, const gas_model *model, double **areas)
{
    *areas = calloc(model->n_surfaces + (size_t)1, sizeof **areas);
    CRP_CHECK(context, *areas != NULL, CRP_ERR_MEMORY, "not enough memory for the areas of %u surfaces",
              (unsigned)model->n_surfaces);
    for (uint32_t f = 0; f < model->n_facets; f++) {
        (*areas)[model->facets[f].surface] += gas_facet_frame(model, f).area;
    }
    return CRP_OK;
}

double gas_facet_outgassing(const gas_model *model, uint32_t facet, double facet_area, const double *areas)
{
    uint32_t surface = model->facets[facet].surface;
    return areas[surface] > 0 ? model->surfaces[surface].outgassing * facet_area / areas[surface] : 0;
}
