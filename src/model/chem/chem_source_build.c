/* Built-in sources: tracks drawn from a seed, for teaching and tests. */
#include "model/chem/chem.h"

#include "chem/source.h"
#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* More than this is a slip of the pen: 24 GB of molecules. */
static const double MOST_MOLECULES = 1.0e9;

/* What a track is made of, in the order of the set's species. */
typedef struct recipe {
    uint32_t *counts; /* by species */
    double total;     /* molecules of a track */
} recipe;

static crp_status check_length(crp_context *context, const char *path, const char *name, double value, bool may_be_zero)
{
    CRP_CHECK(context, isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0)), CRP_ERR_CONFIG,
              "%s: source.%s = %g nm must be %s 0 and finite", path, name, value, may_be_zero ? ">=" : ">");
    return CRP_OK;
}

static crp_status check_sizes(crp_context *context, const char *path, const chem_source *source)
{
    switch (source->kind) {
    case CHEM_SOURCE_PAIR:
        return check_length(context, path, "distance", source->distance, false);
    case CHEM_SOURCE_SPUR:
        return check_length(context, path, "radius", source->radius, true);
    case CHEM_SOURCE_CYLINDER:
        CRP_TRY(check_length(context, path, "radius", source->radius, true));
        return check_length(context, path, "length", source->length, false);
    default:
        return check_length(context, path, "length", source->length, false);
    }
}

static crp_status read_population(crp_context *context, const char *path, const chem_set *set, const chem_population *p,
                                  uint32_t number, recipe *r)
{
    char where[1200];
    uint32_t species;
    snprintf(where, sizeof where, "%s: source.molecules[%u]", path, number);
    CRP_TRY(chem_species_need(context, where, set, p->species, &species));
    CRP_CHECK(context, p->count >= 0.0 && p->count == floor(p->count) && p->count <= MOST_MOLECULES, CRP_ERR_CONFIG,
              "%s: count = %g of %s must be a whole number from 0 to %g", where, p->count, p->species, MOST_MOLECULES);
    r->counts[species] += (uint32_t)p->count;
    r->total += p->count;
    return CRP_OK;
}

static crp_status read_recipe(crp_context *context, const char *path, const chem_model *model, recipe *r)
{
    const chem_source *source = &model->source;
    r->counts = calloc(model->set.n_species > 0 ? model->set.n_species : 1, sizeof *r->counts);
    CRP_CHECK(context, r->counts != NULL, CRP_ERR_MEMORY, "%s: no memory for its source", path);
    for (uint32_t i = 0; i < source->n_molecules; i++) {
        CRP_TRY(read_population(context, path, &model->set, &source->molecules[i], i + 1, r));
    }
    CRP_CHECK(context, r->total > 0.0, CRP_ERR_CONFIG,
              "%s: source.molecules is empty (a track needs at least one molecule): add {species: OH, count: 2}", path);
    CRP_CHECK(context, source->kind != CHEM_SOURCE_PAIR || r->total == 2.0, CRP_ERR_CONFIG,
              "%s: source.molecules has %g molecules where a pair has two: give two species of count 1, or one of count 2", path,
              r->total);
    CRP_CHECK(context, source->tracks > 0 && r->total * source->tracks <= MOST_MOLECULES, CRP_ERR_CONFIG,
              "%s: source.tracks = %u of %g molecules each: must be 1 or more, and at most %g molecules together", path,
              source->tracks, r->total, MOST_MOLECULES);
    return CRP_OK;
}

static chem_place place_molecule(const chem_source *source, ck_philox4_key key, uint32_t track, uint32_t species,
                                 uint32_t rank)
{
    switch (source->kind) {
    case CHEM_SOURCE_PAIR:
        return chem_place_of_pair(key, track, source->distance);
    case CHEM_SOURCE_SPUR:
        return chem_place_in_spur(key, track, species, rank, source->radius);
    case CHEM_SOURCE_CYLINDER:
        return chem_place_in_cylinder(key, track, species, rank, source->radius, source->length);
    default:
        return chem_place_in_cube(key, track, species, rank, source->length);
    }
}

static crp_status build_track(crp_context *context, const char *path, chem_model *model, const recipe *r,
                              ck_philox4_key key, uint32_t number)
{
    chem_track *track;
    uint32_t n = 0;
    CRP_TRY(chem_track_add(context, model, model->source.energy, &track));
    for (uint32_t species = 0; species < model->set.n_species; species++) {
        for (uint32_t rank = 0; rank < r->counts[species]; rank++, n++) {
            chem_place p = place_molecule(&model->source, key, number, species, rank);
            double side = model->source.kind == CHEM_SOURCE_PAIR && n == 1 ? -1.0 : 1.0;
            chem_molecule m = {.x = side * p.x, .y = side * p.y, .z = side * p.z, .time = model->start, .species = species};
            CRP_TRY(chem_track_add_molecule(context, path, model, track, &m));
        }
    }
    return CRP_OK;
}

crp_status chem_source_build(crp_context *context, const char *path, chem_model *model)
{
    recipe r = {0};
    crp_status status;
    CRP_GOTO(check_sizes(context, path, &model->source), done);
    CRP_GOTO(read_recipe(context, path, model, &r), done);
    ck_philox4_key key = ck_philox4_key_of(model->source.seed);
    for (uint32_t i = 0; i < model->source.tracks; i++) {
        CRP_GOTO(build_track(context, path, model, &r, key, i), done);
    }
done:
    free(r.counts);
    return status;
}
