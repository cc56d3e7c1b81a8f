/* Where the tracks come from: the one place that looks at model->source. Readers and built-in sources plug in here. */
#include "model/chem/chem.h"

#include "chem/source.h"
#include "core/context.h"
#include "io/pulse_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void chem_path_beside(const char *path, const char *file, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (file[0] == '/' || slash == NULL) {
        snprintf(out, size, "%s", file);
    } else {
        snprintf(out, size, "%.*s/%s", (int)(slash - path), path, file);
    }
}

crp_status chem_file_status(crp_context *context, crp_status status, const char *path, const char *key)
{
    char message[512];
    if (status != CRP_ERR_IO) {
        return status;
    }
    snprintf(message, sizeof message, "%.500s", crp_context_error(context));
    return context_fail(context, status, "%s: %s: %s (paths are relative to the folder of the input)", path, key, message);
}

static crp_status fill_from_file(crp_context *context, const char *path, chem_model *model)
{
    char full[2200];
    CRP_CHECK(context, model->source.file[0] != '\0', CRP_ERR_CONFIG, "%s: source.file is missing (a list of "
              "molecules): name one, or a built-in source, such as source.kind = spur", path);
    chem_path_beside(path, model->source.file, full, sizeof full);
    return chem_file_status(context, chem_file_read(context, full, model), path, "source.file");
}

/* ---------------------------------------------------------------------------------------------------- pulse */

/* When the charge of the pulse has come to a part, after its beginning [ps]. */
static double pulse_time(const pulse_table *t, double charge)
{
    size_t i = 1;
    while (i + 1 < t->n && t->charge[i] < charge) {
        i++;
    }
    double of_piece = t->charge[i] - t->charge[i - 1];
    double part = of_piece > 0.0 ? fmin(fmax((charge - t->charge[i - 1]) / of_piece, 0.0), 1.0) : 0.0;
    return t->time[i - 1] + (t->time[i] - t->time[i - 1]) * chem_pulse_part(t->current[i - 1], t->current[i], part);
}

/* Every track as a whole is born later by a time that belongs to its number. */
static crp_status draw_births(crp_context *context, const char *path, chem_model *model)
{
    char full[2200];
    pulse_table *table = NULL;
    if (model->source.pulse[0] == '\0') {
        return CRP_OK;
    }
    chem_path_beside(path, model->source.pulse, full, sizeof full);
    CRP_TRY(chem_file_status(context, pulse_read(context, full, &table), path, "source.pulse"));
    double last = model->start + table->time[table->n - 1];
    if (last >= model->end) {
        pulse_destroy(&table);
        return context_fail(context, CRP_ERR_CONFIG, "%s: the pulse lasts until %g ps and the run ends at %g ps: let time.end be "
                            "later, so that every track is seen", full, last, model->end);
    }
    ck_philox4_key key = ck_philox4_key_of(model->source.seed);
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        double delay = pulse_time(table, chem_pulse_charge(key, i));
        for (size_t k = 0; k < model->tracks[i].n_molecules; ++k) {
            model->tracks[i].molecules[k].time += delay;
        }
    }
    pulse_destroy(&table);
    return CRP_OK;
}

/* Energies that the input gives override those of a file; then molecules get their order, and tracks their numbers, on which
 * births depend. */
static crp_status finish(crp_context *context, const char *path, chem_model *model)
{
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        if (model->source.energy > 0.0) {
            model->tracks[i].energy = model->source.energy;
        }
    }
    chem_tracks_sort(model);
    CRP_TRY(draw_births(context, path, model));
    if (model->source.together) {
        CRP_TRY(chem_tracks_join(context, model));
        chem_tracks_sort(model);
    }
    return CRP_OK;
}

crp_status chem_source_fill(crp_context *context, const char *path, chem_model *model)
{
    if (model->source.kind == CHEM_SOURCE_FILE) {
        CRP_TRY(fill_from_file(context, path, model));
    } else {
        CRP_TRY(chem_source_build(context, path, model));
    }
    return finish(context, path, model);
}
