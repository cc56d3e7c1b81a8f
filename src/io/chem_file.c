/* Lists of molecules from files become tracks: names are matched to the species of the chemistry. */
#include "model/chem/chem.h"

#include "core/context.h"
#include "io/molecules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Species of every name in the file; an unknown one is an error where it stands first. */
static crp_status match_species(crp_context *context, const molecule_list *list, const chem_set *set, uint32_t *species,
                                int32_t *charges)
{
    for (size_t i = 0; i < list->n_names; i++) {
        const molecule_name *name = &list->names[i];
        char where[1200];
        snprintf(where, sizeof where, list->is_text ? "%s:%llu" : "%s: molecule %llu", list->path,
                 (unsigned long long)name->line);
        CRP_TRY(chem_species_need(context, where, set, name->name, &species[i]));
        charges[i] = set->species[species[i]].charge;
    }
    return CRP_OK;
}

/* A weight belongs to a track as a whole, and all tracks of a run count alike. */
static crp_status check_weights(crp_context *context, const molecule_list *list)
{
    for (size_t i = 1; i < list->n_tracks; i++) {
        CRP_CHECK(context, list->tracks[i].weight == list->tracks[0].weight, CRP_ERR_UNSUPPORTED,
                  "%s: tracks %llu and %llu have weights %g and %g (tracks of one run count alike): give all one weight, or "
                  "put them into files of their own",
                  list->path, (unsigned long long)list->tracks[0].label, (unsigned long long)list->tracks[i].label,
                  list->tracks[0].weight, list->tracks[i].weight);
    }
    return CRP_OK;
}

/* Energy of one track: its own, else an equal part of the sum, so that the ratio of sums stays right; 0: not known. */
static double energy_of(const molecule_list *list, size_t track)
{
    if (!isnan(list->tracks[track].energy)) {
        return list->tracks[track].energy;
    }
    return isnan(list->energy) ? 0.0 : list->energy / (double)list->n_tracks;
}

static crp_status add_tracks(crp_context *context, const molecule_list *list, const uint32_t *species, chem_model *model)
{
    uint32_t first = model->n_tracks;
    for (size_t i = 0; i < list->n_tracks; i++) {
        chem_track *track;
        CRP_TRY(chem_track_add(context, model, energy_of(list, i), &track));
    }
    for (size_t i = 0; i < list->n; i++) {
        chem_molecule m = {.x = list->x[i], .y = list->y[i], .z = list->z[i], .species = species[list->name[i]]};
        m.time = isnan(list->time[i]) ? model->start : list->time[i];
        CRP_TRY(chem_track_add_molecule(context, list->path, model, &model->tracks[first + list->track[i]], &m));
    }
    return CRP_OK;
}

static crp_status take(crp_context *context, const molecule_list *list, chem_model *model)
{
    uint32_t *species = calloc(list->n_names, sizeof *species);
    int32_t *charges = calloc(list->n_names, sizeof *charges);
    crp_status status = CRP_OK;
    if (species == NULL || charges == NULL) {
        CRP_GOTO(context_fail(context, CRP_ERR_MEMORY, "%s: no memory for its species", list->path), done);
    }
    CRP_GOTO(match_species(context, list, &model->set, species, charges), done);
    CRP_GOTO(check_weights(context, list), done);
    CRP_GOTO(add_tracks(context, list, species, model), done);
    molecules_check_charge(context, list, charges);
done:
    free(species);
    free(charges);
    return status;
}

crp_status chem_file_read(crp_context *context, const char *path, chem_model *model)
{
    molecule_format format = MOLECULES_NONE;
    molecule_list *list = NULL;
    if (model->source.format[0] != '\0') {
        CRP_TRY(molecules_format(context, model->source.format, &format));
    }
    CRP_TRY(molecules_read(context, path, format, &list));
    crp_status status = take(context, list, model);
    molecules_destroy(&list);
    return status;
}
