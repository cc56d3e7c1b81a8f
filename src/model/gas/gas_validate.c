/* The range of every field of a gas model, once, for all readers; the shape of every facet; features that are not there. */
#include "core/context.h"
#include "core/nearest.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Words of --ignore: all that a file may ask for and this program does not do. */
static const char *const known_features[] = {
    "time-dependent-outgassing", "time-dependent-sticking", "time-dependent-opacity", "time-dependent-temperature",
    "moments", "moving-walls", "angle-map", "outgassing-map", "decay", "sojourn", "low-flux", "background-gas",
    "histograms", "texture-directions",
};
enum { N_KNOWN_FEATURES = sizeof known_features / sizeof known_features[0] };

/* A facet that leaves its plane by more than this part of its size is a mistake; below, its triangles have their own planes. */
static const double max_flatness = 0.02;
/* A facet thinner than this part of its size has no area that coordinates of 53 bits can tell. */
static const double min_area = 1e-13;

/* Every condition is written so that NaN fails it. */
const char *gas_check_sticking(double value)
{
    return value >= 0.0 && value <= 1.0 ? NULL : "must lie in [0, 1] (the probability to be pumped on a hit)";
}

const char *gas_check_opacity(double value)
{
    return value >= 0.0 && value <= 1.0 ? NULL : "must lie in [0, 1] (the probability that a crossing is a hit)";
}

const char *gas_check_temperature(double value)
{
    if (!(value > 0.0)) {
        return "must be larger than 0 (an absolute temperature in K; room temperature is 293.15)";
    }
    return value <= 1e6 ? NULL : "must be at most 1e6 (a temperature in K)";
}

const char *gas_check_accommodation(double value)
{
    return value >= 0.0 && value <= 1.0 ? NULL : "must lie in [0, 1] (the part of the energy exchanged with the wall)";
}

const char *gas_check_share(double value)
{
    return value >= 0.0 && value <= 1.0 ? NULL : "must lie in [0, 1] (a share of the reflected molecules)";
}

const char *gas_check_exponent(double value)
{
    return value >= 0.0 && value <= 1e6 ? NULL : "must lie in [0, 1e6] (the n of cosine^n)";
}

const char *gas_check_outgassing(double value)
{
    return value >= 0.0 && value <= 1e12 ? NULL : "must be 0 or larger, and finite (a flow of gas)";
}

const char *gas_check_mass(double value)
{
    return value >= 1e-6 && value <= 10.0 ? NULL : "must lie in [0.001, 10000] g/mol (nitrogen: 28.0134)";
}

const char *gas_check_cells(double value)
{
    return value >= 0.0 && value <= 1e6 ? NULL : "must lie in [0, 1e6] (a number of texture cells; 0: no texture)";
}

const char *gas_check_length(double value)
{
    return value >= 0.0 && value <= 1e9 ? NULL : "must be 0 or larger (a length)";
}

/* ---------------------------------------------------------------------------------------------- surfaces */

typedef struct surface_check {
    const char *name;
    size_t offset;
    const char *(*check)(double value);
    double factor; /* stored to shown */
    const char *unit;
} surface_check;

#define AT(member) offsetof(gas_surface, member)
static const surface_check surface_checks[] = {
    {"sticking", AT(sticking), gas_check_sticking, 1.0, ""},
    {"opacity", AT(opacity), gas_check_opacity, 1.0, ""},
    {"temperature", AT(temperature), gas_check_temperature, 1.0, " K"},
    {"accommodation", AT(accommodation), gas_check_accommodation, 1.0, ""},
    {"outgassing", AT(outgassing), gas_check_outgassing, 10.0, " mbar l/s"},
    {"desorption exponent", AT(desorption_exponent), gas_check_exponent, 1.0, ""},
    {"diffuse share", AT(diffuse), gas_check_share, 1.0, ""},
    {"specular share", AT(specular), gas_check_share, 1.0, ""},
    {"cosine exponent", AT(cosine_exponent), gas_check_exponent, 1.0, ""},
    {"texture cells along U", AT(texture_u), gas_check_cells, 1.0, ""},
    {"texture cells along V", AT(texture_v), gas_check_cells, 1.0, ""},
    {"texture cell", AT(texture_cell), gas_check_length, 100.0, " cm"},
};
#undef AT

/* "model.xml:40: surface 3 (pump)"; a surface of one facet goes by the number of that. */
static void name_surface(const char *where, const gas_model *model, uint32_t i, char *text, size_t size)
{
    const gas_surface *surface = &model->surfaces[i];
    uint32_t number = i + 1;
    const char *noun = surface->n_facets == 1 ? "facet" : "surface";
    for (uint32_t k = 0; surface->n_facets == 1 && k < model->n_facets; k++) {
        number = model->facets[k].surface == i ? model->facets[k].number : number;
    }
    char line[16] = "";
    if (surface->line != 0) {
        snprintf(line, sizeof line, ":%u", surface->line);
    }
    if (surface->name[0] != '\0') {
        snprintf(text, size, "%s%s: %s %u (%.63s)", where, line, noun, number, surface->name);
    } else {
        snprintf(text, size, "%s%s: %s %u", where, line, noun, number);
    }
}

static const char *check_choices(const gas_model *model, const gas_surface *s)
{
    if (s->diffuse + s->specular > 1.0 + 1e-12) {
        return "the diffuse and specular shares of the reflection add up to more than 1 (the rest is cosine^n)";
    }
    if (s->desorption > GAS_DESORB_COSINE_N || s->profile > GAS_PROFILE_TANGENTIAL_SPEED) {
        return "unknown kind of desorption or profile";
    }
    if (s->outgassing > 0.0 && s->desorption == GAS_DESORB_NONE) {
        return "has outgassing but no desorption: choose uniform, cosine or cosine^n, or set the outgassing to 0";
    }
    if (s->outgassing > 0.0 && s->n_facets == 0) {
        return "has outgassing but no facets to desorb from";
    }
    if (s->structure < GAS_NONE || s->structure >= (int32_t)model->n_structures || s->link < GAS_NONE ||
        s->link >= (int32_t)model->n_structures) {
        return "is part of, or leads to, a structure that is not there";
    }
    if (s->teleport < GAS_TELEPORT_BACK || s->teleport >= (int32_t)model->n_facets) {
        return "teleports to a facet that is not there";
    }
    return NULL;
}

static crp_status check_surface(crp_context *context, const char *path, const gas_model *model, uint32_t i)
{
    const gas_surface *surface = &model->surfaces[i];
    char where[1200];
    for (size_t k = 0; k < sizeof surface_checks / sizeof surface_checks[0]; k++) {
        const surface_check *c = &surface_checks[k];
        double value;
        memcpy(&value, (const char *)surface + c->offset, sizeof value);
        const char *rule = c->check(value);
        if (rule != NULL) {
            name_surface(path, model, i, where, sizeof where);
            return context_fail(context, CRP_ERR_CONFIG, "%s: %s = %.9g%s %s", where, c->name, value * c->factor, c->unit,
                                rule);
        }
    }
    const char *rule = check_choices(model, surface);
    if (rule != NULL) {
        name_surface(path, model, i, where, sizeof where);
        return context_fail(context, CRP_ERR_CONFIG, "%s: %s", where, rule);
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------ facets */

static crp_status fail_facet(crp_context *context, const char *path, const gas_model *model, uint32_t i,
                             crp_status status, const char *problem)
{
    char label[2 * GAS_NAME];
    gas_facet_label(model, i, label);
    if (model->facets[i].line != 0) {
        return context_fail(context, status, "%s:%u: %s: %s", path, model->facets[i].line, label, problem);
    }
    return context_fail(context, status, "%s: %s: %s", path, label, problem);
}

static crp_status check_loop(crp_context *context, const char *path, const gas_model *model, uint32_t i,
                             const gas_loop *loop)
{
    char problem[200];
    if (loop->n < 3) {
        snprintf(problem, sizeof problem, "has a loop of %u corners (an outline or a hole has at least 3)", loop->n);
        return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY, problem);
    }
    for (uint32_t k = 0; k < loop->n; k++) {
        uint32_t a = model->corners[loop->first + k], b = model->corners[loop->first + (k + 1) % loop->n];
        if (a >= model->n_vertices) {
            snprintf(problem, sizeof problem, "corner %u is vertex %u of %u (vertices count from 0)", k + 1, a,
                     model->n_vertices);
            return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY, problem);
        }
        if (a == b) {
            snprintf(problem, sizeof problem, "has vertex %u twice in a row (corners %u and %u): leave one out", a, k + 1,
                     (k + 1) % loop->n + 1);
            return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY, problem);
        }
    }
    return CRP_OK;
}

static crp_status check_facet(crp_context *context, const char *path, const gas_model *model, uint32_t i)
{
    const gas_facet *facet = &model->facets[i];
    char problem[240];
    if (facet->surface >= model->n_surfaces || facet->n_loops == 0) {
        return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY, "has no outline or no surface");
    }
    for (uint32_t k = 0; k < facet->n_loops; k++) {
        CRP_TRY(check_loop(context, path, model, i, &model->loops[facet->first_loop + k]));
    }
    gas_frame frame = gas_facet_frame(model, i);
    double size = fmax(frame.length_u, frame.length_v);
    if (!(frame.area > min_area * size * size)) {
        return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY,
                          "has no area (its corners lie on a line, its outline crosses itself, or holes fill it)");
    }
    if (frame.flatness > max_flatness * size) {
        snprintf(problem, sizeof problem,
                 "is not flat: a corner lies %.3g cm from its plane, the facet is %.3g cm wide: split it into triangles",
                 100.0 * frame.flatness, 100.0 * size);
        return fail_facet(context, path, model, i, CRP_ERR_GEOMETRY, problem);
    }
    return CRP_OK;
}

static crp_status check_vertices(crp_context *context, const char *path, const gas_model *model)
{
    for (size_t i = 0; i < 3 * (size_t)model->n_vertices; i++) {
        CRP_CHECK(context, fabs(model->vertices[i]) <= 1e9, CRP_ERR_GEOMETRY,
                  "%s: vertex %zu: %c = %g m must be finite and at most 1e9 m", path, i / 3, "xyz"[i % 3],
                  model->vertices[i]);
    }
    return CRP_OK;
}

crp_status gas_model_validate(crp_context *context, const char *where, const gas_model *model)
{
    const char *rule = gas_check_mass(model->mass);
    CRP_CHECK(context, rule == NULL, CRP_ERR_CONFIG, "%s: gas: mass = %.9g g/mol %s", where, 1000.0 * model->mass, rule);
    CRP_CHECK(context, model->n_facets > 0, CRP_ERR_GEOMETRY, "%s: has no facets", where);
    CRP_CHECK(context, model->max_bounces >= 1, CRP_ERR_CONFIG, "%s: max_bounces must be at least 1", where);
    CRP_TRY(check_vertices(context, where, model));
    double outgassing = 0.0;
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        CRP_TRY(check_surface(context, where, model, i));
        outgassing += model->surfaces[i].outgassing;
    }
    for (uint32_t i = 0; i < model->n_facets; i++) {
        CRP_TRY(check_facet(context, where, model, i));
    }
    CRP_CHECK(context, isfinite(outgassing), CRP_ERR_CONFIG, "%s: the outgassing of all facets is not finite", where);
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------- features */

static crp_status check_word(crp_context *context, const char *word)
{
    for (size_t k = 0; k < N_KNOWN_FEATURES; k++) {
        if (strcmp(word, known_features[k]) == 0) {
            return CRP_OK;
        }
    }
    const char *near = nearest_name(word, known_features, N_KNOWN_FEATURES);
    return context_fail(context, CRP_ERR_CONFIG, "--ignore %.63s: no such feature%s%s", word,
                        near == NULL ? "" : ": did you mean ", near == NULL ? "" : near);
}

crp_status gas_model_check_features(crp_context *context, const char *where, gas_model *model,
                                    const char *const *ignore, size_t n_ignore)
{
    for (size_t k = 0; k < n_ignore; k++) {
        CRP_TRY(check_word(context, ignore[k]));
    }
    for (uint32_t i = 0; i < model->n_features; i++) {
        gas_feature *feature = &model->features[i];
        for (size_t k = 0; k < n_ignore; k++) {
            feature->is_ignored |= strcmp(feature->name, ignore[k]) == 0;
        }
        CRP_CHECK(context, feature->is_ignored, CRP_ERR_UNSUPPORTED,
                  "%s: %s: %s is not supported yet (used %u times): --ignore %s runs without it", where, feature->where,
                  feature->name, feature->n, feature->name);
        context_log(context, CRP_LOG_WARNING, "gas", "%s: %s: %s is ignored (used %u times)", where, feature->where,
                    feature->name, feature->n);
    }
    return CRP_OK;
}
