/* The model of radiolysis chemistry: defaults, molecules, and the range of every field. */
#include "model/chem/chem.h"

#include "core/context.h"
#include "io/molecules.h"
#include "rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ids of the kernel are 32 bits wide, and a launch holds whole tracks. */
static const uint64_t MAX_MOLECULES = 1u << 30;

/* A metre: further away a position has no digits left below 1e-7 nm. */
static const double FARTHEST = MOLECULES_FARTHEST;

chem_model *chem_model_create(void)
{
    chem_model *m = calloc(1, sizeof *m);
    if (m == NULL) {
        return NULL;
    }
    snprintf(m->set_name, sizeof m->set_name, "paper");
    m->source.tracks = 1;
    m->source.seed = 1;
    m->start = 1.0;
    m->end = 1.0e6;
    m->steps_per_decade = 20.0;
    m->outputs_per_decade = 10.0;
    m->dynamic_step = true;
    return m;
}

void chem_model_destroy(void *model)
{
    chem_model *m = model;
    if (m == NULL) {
        return;
    }
    chem_set_clear(&m->set);
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        free(m->tracks[i].molecules);
    }
    free(m->tracks);
    free(m->source.molecules);
    free(m->scavengers);
    free(m);
}

/* ------------------------------------------------------------------------------------------------- molecules */

crp_status chem_track_add(crp_context *context, chem_model *model, double energy, chem_track **track)
{
    uint32_t n = model->n_tracks;
    if ((n & (n - 1)) == 0) { /* 0 or a power of two: full */
        size_t room = n == 0 ? 1 : 2 * (size_t)n;
        chem_track *tracks = realloc(model->tracks, room * sizeof *tracks);
        CRP_CHECK(context, tracks != NULL, CRP_ERR_MEMORY, "no memory for %zu tracks", room);
        model->tracks = tracks;
    }
    model->tracks[n] = (chem_track){.energy = energy};
    model->n_tracks = n + 1;
    *track = &model->tracks[n];
    return CRP_OK;
}

static crp_status make_room(crp_context *context, chem_track *track, size_t more)
{
    size_t needed = track->n_molecules + more;
    if (needed > track->room) {
        size_t room = track->room < 32 ? 64 : 2 * track->room;
        room = room < needed ? needed : room;
        chem_molecule *molecules = realloc(track->molecules, room * sizeof *molecules);
        CRP_CHECK(context, molecules != NULL, CRP_ERR_MEMORY, "no memory for %zu molecules of a track", room);
        track->molecules = molecules;
        track->room = room;
    }
    return CRP_OK;
}

crp_status chem_track_add_molecule(crp_context *context, const char *where, chem_model *model, chem_track *track,
                                   const chem_molecule *molecule)
{
    CRP_CHECK(context, isfinite(molecule->x) && isfinite(molecule->y) && isfinite(molecule->z), CRP_ERR_FORMAT,
              "%s: the position (%g, %g, %g) nm is not finite (a molecule must be somewhere): correct or remove it", where,
              molecule->x, molecule->y, molecule->z);
    CRP_CHECK(context, fabs(molecule->x) <= FARTHEST && fabs(molecule->y) <= FARTHEST && fabs(molecule->z) <= FARTHEST,
              CRP_ERR_FORMAT, "%s: the position (%g, %g, %g) nm is more than a metre away: is it in nm?", where, molecule->x,
              molecule->y, molecule->z);
    CRP_TRY(make_room(context, track, 1));
    chem_molecule *m = &track->molecules[track->n_molecules++];
    *m = *molecule;
    m->unused = 0;
    if (!(isfinite(m->time) && m->time >= model->start)) {
        m->time = model->start;
        model->n_repaired_times++;
    }
    return CRP_OK;
}

static int compare_reals(double a, double b)
{
    return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_molecules(const void *left, const void *right)
{
    const chem_molecule *a = left, *b = right;
    int order = a->species < b->species ? -1 : a->species > b->species ? 1 : 0;
    order = order != 0 ? order : compare_reals(a->x, b->x);
    order = order != 0 ? order : compare_reals(a->y, b->y);
    order = order != 0 ? order : compare_reals(a->z, b->z);
    return order != 0 ? order : compare_reals(a->time, b->time);
}

void chem_track_sort(chem_track *track)
{
    for (size_t i = 0; i < track->n_molecules; ++i) { /* -0 and 0 are one place, and must be one bit pattern */
        track->molecules[i].x += 0.0;
        track->molecules[i].y += 0.0;
        track->molecules[i].z += 0.0;
    }
    if (track->n_molecules > 1) {
        qsort(track->molecules, track->n_molecules, sizeof *track->molecules, compare_molecules);
    }
}

static int compare_tracks(const void *left, const void *right)
{
    const chem_track *a = left, *b = right;
    if (a->n_molecules != b->n_molecules) {
        return a->n_molecules < b->n_molecules ? -1 : 1;
    }
    int order = compare_reals(a->energy, b->energy);
    for (size_t k = 0; order == 0 && k < a->n_molecules; ++k) {
        order = compare_molecules(&a->molecules[k], &b->molecules[k]);
    }
    return order;
}

/* Mix sorted tracks in one and the same way: batches then hold tracks of all sizes, as errors between batches want it. */
static void mix_tracks(chem_model *model)
{
    ck_philox4_key key = ck_philox4_key_of(0);
    for (uint32_t i = model->n_tracks; i-- > 1;) { /* Fisher and Yates */
        uint32_t k = (uint32_t)(((uint64_t)ck_philox4x32(key, (ck_quad){i, 0, 0, 0}).a * (i + 1)) >> 32);
        chem_track swapped = model->tracks[i];
        model->tracks[i] = model->tracks[k];
        model->tracks[k] = swapped;
    }
}

void chem_tracks_sort(chem_model *model)
{
    for (uint32_t i = 0; i < model->n_tracks; ++i) {
        chem_track_sort(&model->tracks[i]);
    }
    if (model->n_tracks > 1) {
        qsort(model->tracks, model->n_tracks, sizeof *model->tracks, compare_tracks);
        mix_tracks(model);
    }
}

crp_status chem_tracks_join(crp_context *context, chem_model *model)
{
    for (uint32_t i = 1; i < model->n_tracks; ++i) {
        chem_track *first = &model->tracks[0], *track = &model->tracks[i];
        CRP_TRY(make_room(context, first, track->n_molecules));
        memcpy(first->molecules + first->n_molecules, track->molecules, track->n_molecules * sizeof *track->molecules);
        first->n_molecules += track->n_molecules;
        first->energy += track->energy;
        free(track->molecules);
        *track = (chem_track){0};
    }
    model->n_tracks = model->n_tracks > 0 ? 1 : 0;
    return CRP_OK;
}

/* --------------------------------------------------------------------------------------------------- ranges */

static crp_status validate_times(crp_context *context, const char *where, const chem_model *m)
{
    CRP_CHECK(context, m->start > 0.0 && isfinite(m->start), CRP_ERR_CONFIG,
              "%s: time.start = %g ps must be larger than 0 (time steps grow from it)", where, m->start);
    CRP_CHECK(context, m->end > m->start && m->end <= 1.0e12, CRP_ERR_CONFIG,
              "%s: time.end = %g ps must lie above the start, %g ps, and be at most 1 s", where, m->end, m->start);
    CRP_CHECK(context, m->steps_per_decade >= 1.0 && m->steps_per_decade <= 100000.0, CRP_ERR_CONFIG,
              "%s: chem.steps_per_decade = %g must lie in [1, 100000] (20 is enough for most)", where, m->steps_per_decade);
    CRP_CHECK(context, m->outputs_per_decade >= 1.0 && m->outputs_per_decade <= 1000.0, CRP_ERR_CONFIG,
              "%s: time.outputs_per_decade = %g must lie in [1, 1000]", where, m->outputs_per_decade);
    CRP_CHECK(context, m->step >= 0.0 && isfinite(m->step), CRP_ERR_CONFIG,
              "%s: chem.step = %g ps must be 0 (none) or larger", where, m->step);
    return CRP_OK;
}

static crp_status validate_space(crp_context *context, const char *where, const chem_model *m)
{
    if (m->space == CHEM_SPACE_OPEN) {
        CRP_CHECK(context, m->box == 0.0, CRP_ERR_CONFIG, "%s: space.box = %g nm has no meaning in open space: give space.kind = periodic "
                  "or reflecting, or leave it out", where, m->box);
        return CRP_OK;
    }
    CRP_CHECK(context, m->box > 0.0 && m->box <= 1.0e9, CRP_ERR_CONFIG,
              "%s: space.box = %g nm must lie in (0, 1e9] (edge of the cube around the origin)", where, m->box);
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        for (size_t k = 0; k < m->tracks[i].n_molecules; ++k) {
            const chem_molecule *a = &m->tracks[i].molecules[k];
            double far = fmax(fabs(a->x), fmax(fabs(a->y), fabs(a->z)));
            CRP_CHECK(context, m->space == CHEM_SPACE_PERIODIC || far <= 0.5 * m->box, CRP_ERR_CONFIG,
                      "%s: track %u has a molecule at (%g, %g, %g) nm, outside the reflecting box of %g nm: enlarge the box "
                      "or move the track", where, i + 1, a->x, a->y, a->z, m->box);
        }
    }
    return CRP_OK;
}

static crp_status validate_tracks(crp_context *context, const char *where, const chem_model *m)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->n_tracks; ++i) {
        const chem_track *t = &m->tracks[i];
        n += t->n_molecules;
        CRP_CHECK(context, t->energy > 0.0 && isfinite(t->energy), CRP_ERR_CONFIG,
                  "%s: the deposited energy of track %u is not known, and G is molecules per 100 eV of it: give it with "
                  "--energy 750keV, or source.energy in YAML", where, i + 1);
    }
    CRP_CHECK(context, m->n_tracks > 0, CRP_ERR_CONFIG, "%s: there is no track (the source is empty): name a file or a "
              "built-in source", where);
    CRP_CHECK(context, n <= MAX_MOLECULES, CRP_ERR_CONFIG, "%s: %llu molecules (at most %llu)", where, (unsigned long long)n,
              (unsigned long long)MAX_MOLECULES);
    return CRP_OK;
}

crp_status chem_model_validate(crp_context *context, const char *where, const chem_model *m)
{
    CRP_CHECK(context, m->set.n_species > 0, CRP_ERR_CONFIG, "%s: there are no species (name a set, such as paper)", where);
    CRP_TRY(validate_times(context, where, m));
    CRP_TRY(validate_tracks(context, where, m));
    return validate_space(context, where, m);
}
