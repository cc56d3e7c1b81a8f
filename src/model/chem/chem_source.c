/* Where the tracks come from: the one place that looks at model->source. Readers and built-in sources plug in here. */
#include "model/chem/chem.h"

#include "core/context.h"

#include <stdio.h>
#include <string.h>

/* A path of an input file is relative to the folder of that file. */
static void beside(const char *path, const char *file, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    if (file[0] == '/' || slash == NULL) {
        snprintf(out, size, "%s", file);
    } else {
        snprintf(out, size, "%.*s/%s", (int)(slash - path), path, file);
    }
}

static crp_status fill_from_file(crp_context *context, const char *path, chem_model *model)
{
    char full[2200];
    CRP_CHECK(context, model->source.file[0] != '\0', CRP_ERR_CONFIG, "%s: source.file is missing (a list of molecules)", path);
    beside(path, model->source.file, full, sizeof full);
    return chem_file_read(context, full, model);
}

/* Energies that the input gives override those of a file; then molecules get their order. */
static crp_status finish(crp_context *context, chem_model *model)
{
    if (model->source.together) {
        CRP_TRY(chem_tracks_join(context, model));
    }
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        if (model->source.energy > 0.0) {
            model->tracks[i].energy = model->source.energy;
        }
    }
    chem_tracks_sort(model);
    return CRP_OK;
}

crp_status chem_source_fill(crp_context *context, const char *path, chem_model *model)
{
    if (model->source.kind == CHEM_SOURCE_FILE) {
        CRP_TRY(fill_from_file(context, path, model));
    } else {
        CRP_TRY(chem_source_build(context, path, model));
    }
    return finish(context, model);
}
