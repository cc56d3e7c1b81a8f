/** What the elements of Molflow XML mean for a model: see molflow.h. Attributes by the names that Molflow writes. */
#include "io/molflow_read.h"

#include "core/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- attributes
 */

crp_status molflow_fail(molflow_reader *reader, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c != '\0'; c++) {
        *c = (unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f ? *c : '?';
    }
    return context_fail(reader->context, CRP_ERR_FORMAT, "%s:%u: %s", reader->path, reader->line, text);
}

/** "facet 12: " inside a facet. */
static const char *scope(const molflow_reader *r, char text[40])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < r->depth; i++) {
        if (r->places[i] == PLACE_FACET) {
            snprintf(text, 40, "facet %u: ", r->gas->n_facets + 1);
        }
    }
    return text;
}

const char *molflow_attribute(const char **attributes, const char *name)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

crp_status molflow_real(molflow_reader *reader, const char **attributes, const char *name, double *value)
{
    char facet[40];
    const char *text = molflow_attribute(attributes, name), *end;
    if (text == NULL) {
        return CRP_OK;
    }
    double read = units_scan_real(text, &end);
    if (end == text || *end != '\0' || !isfinite(read)) {
        return molflow_fail(reader, "%s%s = `%.40s` is not a number", scope(reader, facet), name, text);
    }
    *value = read;
    return CRP_OK;
}

crp_status molflow_whole(molflow_reader *reader, const char **attributes, const char *name, int32_t low, int32_t high,
                         int32_t *value)
{
    char facet[40];
    double read = *value;
    CRP_TRY(molflow_real(reader, attributes, name, &read));
    if (!(read >= low && read <= high) || read != floor(read)) {
        return molflow_fail(reader, "%s%s = `%.40s` must be a whole number from %d to %d", scope(reader, facet), name,
                            molflow_attribute(attributes, name), low, high);
    }
    *value = (int32_t)read;
    return CRP_OK;
}

crp_status molflow_flag(molflow_reader *reader, const char **attributes, const char *name, bool *value)
{
    char facet[40];
    const char *text = molflow_attribute(attributes, name);
    if (text == NULL) {
        return CRP_OK;
    }
    bool is_true = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    if (!is_true && strcmp(text, "0") != 0 && strcmp(text, "false") != 0) {
        return molflow_fail(reader, "%s%s = `%.40s` must be 0, 1, true or false", scope(reader, facet), name, text);
    }
    *value = is_true;
    return CRP_OK;
}

/** A name that a table of time stands behind: an attribute that is there and not empty. */
static bool has_parameter(const char **attributes, const char *by_name)
{
    const char *name = molflow_attribute(attributes, by_name), *id = molflow_attribute(attributes, "parameterId");
    return (name != NULL && name[0] != '\0') || (name == NULL && id != NULL && id[0] != '-' && id[0] != '\0');
}

static crp_status note_facet_feature(molflow_reader *r, const char *feature)
{
    char where[40];
    snprintf(where, sizeof where, "facet %u", r->gas->n_facets + 1);
    return gas_model_add_feature(r->context, r->gas, feature, where);
}

/** Something extra that is not recorded; the run is as right without it. A warning says so. */
static crp_status note_output(molflow_reader *r, const char *feature, const char *where)
{
    CRP_TRY(gas_model_add_feature(r->context, r->gas, feature, where));
    for (uint32_t i = 0; i < r->gas->n_features; i++) {
        if (strcmp(r->gas->features[i].name, feature) == 0) {
            r->gas->features[i].is_ignored = true;
        }
    }
    return CRP_OK;
}

static crp_status note_facet_output(molflow_reader *r, const char *feature)
{
    char where[40];
    snprintf(where, sizeof where, "facet %u", r->gas->n_facets + 1);
    return note_output(r, feature, where);
}

/** The `id` of a list's item must be its place, counted from 0: references go by place. */
static crp_status check_id(molflow_reader *r, const char **attributes, const char *what, uint32_t place)
{
    int32_t id = (int32_t)place;
    CRP_TRY(molflow_whole(r, attributes, "id", 0, INT32_MAX, &id));
    if (id != (int32_t)place) {
        return molflow_fail(r, "%s with id %d stands where id %u must stand (repeated, missing or out of order)", what,
                            id, place);
    }
    return CRP_OK;
}

static crp_status append(molflow_reader *r, uint32_t **items, uint32_t *n, uint32_t *room, uint32_t value)
{
    if (*n == *room) {
        uint32_t more = *room < 16 ? 16 : 2 * *room;
        uint32_t *larger = realloc(*items, more * sizeof *larger);
        CRP_CHECK(r->context, larger != NULL, CRP_ERR_MEMORY, "%s: not enough memory to read it", r->path);
        *items = larger;
        *room = more;
    }
    (*items)[(*n)++] = value;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------------ geometry
 */

static crp_status on_geometry(molflow_reader *r, const char **attributes)
{
    (void)attributes;
    if (r->has_geometry) {
        return molflow_fail(r, "has a second <Geometry>");
    }
    r->has_geometry = true;
    return CRP_OK;
}

static crp_status on_vertex(molflow_reader *r, const char **attributes)
{
    double x = (double)NAN, y = (double)NAN, z = (double)NAN;
    CRP_TRY(check_id(r, attributes, "a vertex", r->gas->n_vertices));
    CRP_TRY(molflow_real(r, attributes, "x", &x));
    CRP_TRY(molflow_real(r, attributes, "y", &y));
    CRP_TRY(molflow_real(r, attributes, "z", &z));
    if (isnan(x) || isnan(y) || isnan(z)) {
        return molflow_fail(r, "vertex %u has no x, y or z", r->gas->n_vertices);
    }
    return gas_model_add_vertex(r->context, r->gas, x / 100, y / 100, z / 100); /* cm */
}

static crp_status on_facet(molflow_reader *r, const char **attributes)
{
    CRP_TRY(check_id(r, attributes, "a facet", r->gas->n_facets));
    r->surface = gas_surface_default();
    r->surface.line = r->facet_line = r->line;
    r->n_corners = 0;
    r->map_outgassing = -1;
    r->uses_map = r->is_moving = false;
    return CRP_OK;
}

static crp_status on_sticking(molflow_reader *r, const char **attributes)
{
    CRP_TRY(molflow_real(r, attributes, "constValue", &r->surface.sticking));
    return has_parameter(attributes, "stickingParam") ? note_facet_feature(r, "time-dependent-sticking") : CRP_OK;
}

static crp_status on_opacity(molflow_reader *r, const char **attributes)
{
    CRP_TRY(molflow_real(r, attributes, "constValue", &r->surface.opacity));
    CRP_TRY(molflow_flag(r, attributes, "is2sided", &r->surface.is_two_sided));
    return has_parameter(attributes, "opacityParam") ? note_facet_feature(r, "time-dependent-opacity") : CRP_OK;
}

static crp_status on_outgassing(molflow_reader *r, const char **attributes)
{
    static const uint32_t kinds[5] = {GAS_DESORB_COSINE, GAS_DESORB_UNIFORM, GAS_DESORB_COSINE, GAS_DESORB_COSINE_N,
                                      GAS_DESORB_COSINE};
    int32_t kind = 0;
    gas_surface *s = &r->surface;
    CRP_TRY(molflow_whole(r, attributes, "desType", 0, 4, &kind));
    CRP_TRY(molflow_real(r, attributes, "constValue", &s->outgassing)); /* Pa m3/s, of the whole facet */
    CRP_TRY(molflow_real(r, attributes, "desExponent", &s->desorption_exponent));
    CRP_TRY(molflow_flag(r, attributes, "useOutgassingFile", &r->uses_map));
    s->desorption = kinds[kind];
    if (kind == 0) {
        s->outgassing = 0; /* Molflow keeps the number of a facet that does not desorb */
        r->uses_map = false;
        return CRP_OK;
    }
    if (kind == 4) {
        CRP_TRY(note_facet_feature(r, "angle-map"));
    }
    if (r->uses_map) {
        CRP_TRY(note_facet_feature(r, "outgassing-map"));
    }
    bool is_timed = has_parameter(attributes, "outgassingParam") || has_parameter(attributes, "OutgassingParam");
    return is_timed ? note_facet_feature(r, "time-dependent-outgassing") : CRP_OK;
}

static crp_status on_outgassing_map(molflow_reader *r, const char **attributes)
{
    return molflow_real(r, attributes, "totalOutgassing", &r->map_outgassing);
}

static crp_status on_temperature(molflow_reader *r, const char **attributes)
{
    const char *parameter = molflow_attribute(attributes, "tempParam");
    CRP_TRY(molflow_real(r, attributes, "value", &r->surface.temperature));
    CRP_TRY(molflow_real(r, attributes, "accFactor", &r->surface.accommodation));
    return parameter != NULL && parameter[0] != '\0' ? note_facet_feature(r, "time-dependent-temperature") : CRP_OK;
}

static crp_status on_reflection(molflow_reader *r, const char **attributes)
{
    gas_surface *s = &r->surface;
    bool has_parts = molflow_attribute(attributes, "diffusePart") != NULL, has_sojourn = false;
    int32_t old = 0;
    CRP_TRY(molflow_whole(r, attributes, "type", 0, 2, &old));
    if (!has_parts) { /* before 2.6: diffuse, mirror, uniform */
        s->diffuse = old == 0;
        s->specular = old == 1;
        s->cosine_exponent = old == 2 ? 0 : s->cosine_exponent;
    }
    CRP_TRY(molflow_real(r, attributes, "diffusePart", &s->diffuse));
    CRP_TRY(molflow_real(r, attributes, "specularPart", &s->specular));
    CRP_TRY(molflow_real(r, attributes, "cosineExponent", &s->cosine_exponent));
    CRP_TRY(molflow_flag(r, attributes, "enableSojournTime", &has_sojourn));
    return has_sojourn ? note_facet_feature(r, "sojourn") : CRP_OK;
}

static crp_status on_structure_of(molflow_reader *r, const char **attributes)
{
    int32_t in = 0, link = 0;
    CRP_TRY(molflow_whole(r, attributes, "inStructure", -1, 999, &in));
    CRP_TRY(molflow_whole(r, attributes, "linksTo", 0, 1000, &link));
    r->surface.structure = in < 0 ? GAS_NONE : in;
    r->surface.link = link == 0 ? GAS_NONE : link - 1;
    return CRP_OK;
}

static crp_status on_teleport(molflow_reader *r, const char **attributes)
{
    int32_t target = 0;
    CRP_TRY(molflow_whole(r, attributes, "target", -1, INT32_MAX, &target));
    r->surface.teleport = target == 0 ? GAS_NONE : target < 0 ? GAS_TELEPORT_BACK : target - 1;
    return CRP_OK;
}

static crp_status on_motion_of(molflow_reader *r, const char **attributes)
{
    CRP_TRY(molflow_flag(r, attributes, "isMoving", &r->is_moving));
    if (r->is_moving && r->n_moving++ == 0) {
        snprintf(r->moving_facet, sizeof r->moving_facet, "facet %u", r->gas->n_facets + 1);
    }
    return CRP_OK;
}

static crp_status on_profile(molflow_reader *r, const char **attributes)
{
    int32_t type = 0; /* the same numbers as gas_profile */
    CRP_TRY(molflow_whole(r, attributes, "type", 0, GAS_PROFILE_TANGENTIAL_SPEED, &type));
    r->surface.profile = (uint32_t)type;
    return CRP_OK;
}

static crp_status on_texture(molflow_reader *r, const char **attributes)
{
    bool has_mesh = false, has_directions = false;
    double u = 0, v = 0;
    CRP_TRY(molflow_flag(r, attributes, "hasMesh", &has_mesh));
    CRP_TRY(molflow_flag(r, attributes, "countDir", &has_directions));
    CRP_TRY(molflow_real(r, attributes, "texDimX", &u));
    CRP_TRY(molflow_real(r, attributes, "texDimY", &v));
    r->surface.texture_u = has_mesh ? u : 0;
    r->surface.texture_v = has_mesh ? v : 0;
    return has_mesh && has_directions ? note_facet_output(r, "texture-directions") : CRP_OK;
}

static crp_status on_angle_map(molflow_reader *r, const char **attributes)
{
    bool is_recorded = false;
    CRP_TRY(molflow_flag(r, attributes, "record", &is_recorded));
    return is_recorded ? note_facet_feature(r, "angle-map") : CRP_OK;
}

static crp_status on_facet_histogram(molflow_reader *r, const char **attributes)
{
    (void)attributes;
    return note_facet_output(r, "histograms");
}

static crp_status on_global_histogram(molflow_reader *r, const char **attributes)
{
    (void)attributes;
    return note_output(r, "histograms", "all facets");
}

static crp_status on_corner(molflow_reader *r, const char **attributes)
{
    int32_t vertex = -1;
    if (molflow_attribute(attributes, "vertex") == NULL) {
        return molflow_fail(r, "facet %u: corner %u names no vertex", r->gas->n_facets + 1, r->n_corners + 1);
    }
    CRP_TRY(molflow_whole(r, attributes, "vertex", 0, INT32_MAX, &vertex));
    if ((uint32_t)vertex >= r->gas->n_vertices) {
        return molflow_fail(r, "facet %u: corner %u is vertex %d of %u (vertices count from 0)", r->gas->n_facets + 1,
                            r->n_corners + 1, vertex, r->gas->n_vertices);
    }
    return append(r, &r->corners, &r->n_corners, &r->corner_room, (uint32_t)vertex);
}

static crp_status end_facet(molflow_reader *r)
{
    uint32_t number = r->gas->n_facets + 1;
    if (r->uses_map && r->map_outgassing >= 0) {
        r->surface.outgassing = r->map_outgassing; /* with --ignore: its total, spread evenly */
    }
    if (r->n_corners < 3) {
        return molflow_fail(r, "facet %u: has %u corners (a facet has at least 3)", number, r->n_corners);
    }
    CRP_TRY(gas_model_add_surface(r->context, r->gas, &r->surface));
    return gas_model_add_facet(r->context, r->gas, r->gas->n_surfaces - 1, r->corners, &r->n_corners, 1, number,
                               r->facet_line);
}

static crp_status on_structure(molflow_reader *r, const char **attributes)
{
    enum { MOST = 1000 };
    const char *name = molflow_attribute(attributes, "name");
    if (r->n_structures == MOST) {
        return molflow_fail(r, "has more than %d structures", MOST);
    }
    char(*larger)[GAS_NAME] = realloc(r->gas->structure_names, (r->n_structures + 1) * sizeof *larger);
    CRP_CHECK(r->context, larger != NULL, CRP_ERR_MEMORY, "%s: not enough memory to read it", r->path);
    r->gas->structure_names = larger;
    snprintf(larger[r->n_structures++], GAS_NAME, "%s", name == NULL ? "" : name);
    r->gas->n_structures = r->n_structures;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------------ settings
 */

static crp_status on_gas(molflow_reader *r, const char **attributes)
{
    double mass = 1000 * r->gas->mass; /* g/mol */
    bool has_decay = false;
    CRP_TRY(molflow_real(r, attributes, "mass", &mass));
    CRP_TRY(molflow_flag(r, attributes, "enableDecay", &has_decay));
    r->gas->mass = mass / 1000;
    return has_decay ? gas_model_add_feature(r->context, r->gas, "decay", "gas") : CRP_OK;
}

static crp_status on_scattering(molflow_reader *r, const char **attributes)
{
    bool is_on = false;
    CRP_TRY(molflow_flag(r, attributes, "enabled", &is_on));
    return is_on ? gas_model_add_feature(r->context, r->gas, "background-gas", "gas") : CRP_OK;
}

static crp_status on_low_flux(molflow_reader *r, const char **attributes)
{
    bool is_on = false;
    CRP_TRY(molflow_flag(r, attributes, "enabled", &is_on));
    return is_on ? gas_model_add_feature(r->context, r->gas, "low-flux", "settings") : CRP_OK;
}

static crp_status on_time(molflow_reader *r, const char **attributes)
{
    bool is_maxwell = true;
    CRP_TRY(molflow_flag(r, attributes, "useMaxwellDistr", &is_maxwell));
    r->gas->speed = is_maxwell ? GAS_SPEED_MAXWELL : GAS_SPEED_MEAN;
    return CRP_OK;
}

static crp_status on_moment(molflow_reader *r, const char **attributes)
{
    (void)attributes;
    return gas_model_add_feature(r->context, r->gas, "moments", "time settings");
}

static crp_status on_motion(molflow_reader *r, const char **attributes)
{
    int32_t type = 0;
    CRP_TRY(molflow_whole(r, attributes, "type", 0, 2, &type));
    r->has_motion = type != 0;
    return CRP_OK;
}

static crp_status on_forces(molflow_reader *r, const char **attributes)
{
    r->gas->score_forces = false;
    return molflow_flag(r, attributes, "enabled", &r->gas->score_forces);
}

/* ----------------------------------------------------------------------------------------------------------- interface
 */

static crp_status on_selection(molflow_reader *r, const char **attributes)
{
    const char *name = molflow_attribute(attributes, "name");
    snprintf(r->selection, sizeof r->selection, "%s", name == NULL ? "" : name);
    r->n_selected = 0;
    return CRP_OK;
}

static crp_status on_selected(molflow_reader *r, const char **attributes)
{
    int32_t facet = -1;
    CRP_TRY(molflow_whole(r, attributes, "facet", -1, INT32_MAX, &facet));
    /* Molflow leaves numbers of facets behind that were deleted since. */
    bool is_there = facet >= 0 && (!r->has_geometry || (uint32_t)facet < r->gas->n_facets);
    return is_there ? append(r, &r->selected, &r->n_selected, &r->selected_room, (uint32_t)facet) : CRP_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/** Facets of a group stand once each, in rising order. */
static crp_status end_selection(molflow_reader *r)
{
    uint32_t n = 0;
    if (r->n_selected == 0) {
        return CRP_OK;
    }
    qsort(r->selected, r->n_selected, sizeof *r->selected, compare_numbers);
    for (uint32_t i = 0; i < r->n_selected; i++) {
        if (n == 0 || r->selected[n - 1] != r->selected[i]) {
            r->selected[n++] = r->selected[i];
        }
    }
    return gas_model_add_group(r->context, r->gas, r->selection, r->selected, n);
}

static crp_status on_formula(molflow_reader *r, const char **attributes)
{
    const char *name = molflow_attribute(attributes, "name"), *text = molflow_attribute(attributes, "expression");
    if (text == NULL || text[0] == '\0') {
        return CRP_OK;
    }
    return gas_model_add_formula(r->context, r->gas, name == NULL || name[0] == '\0' ? text : name, text);
}

/* --------------------------------------------------------------------------------------------------------------- rules
 */

typedef struct element_rule {
    molflow_place parent;
    const char *name;
    molflow_place place;
    molflow_handler begin;
} element_rule;

static const element_rule rules[] = {
    {PLACE_TOP, "Geometry", PLACE_GEOMETRY, on_geometry},
    {PLACE_GEOMETRY, "Vertices", PLACE_VERTICES, NULL},
    {PLACE_VERTICES, "Vertex", PLACE_LEAF, on_vertex},
    {PLACE_GEOMETRY, "Facets", PLACE_FACETS, NULL},
    {PLACE_FACETS, "Facet", PLACE_FACET, on_facet},
    {PLACE_FACET, "Sticking", PLACE_LEAF, on_sticking},
    {PLACE_FACET, "Opacity", PLACE_LEAF, on_opacity},
    {PLACE_FACET, "Outgassing", PLACE_LEAF, on_outgassing},
    {PLACE_FACET, "DynamicOutgassing", PLACE_LEAF, on_outgassing_map},
    {PLACE_FACET, "Temperature", PLACE_LEAF, on_temperature},
    {PLACE_FACET, "Reflection", PLACE_LEAF, on_reflection},
    {PLACE_FACET, "Structure", PLACE_LEAF, on_structure_of},
    {PLACE_FACET, "Teleport", PLACE_LEAF, on_teleport},
    {PLACE_FACET, "Motion", PLACE_LEAF, on_motion_of},
    {PLACE_FACET, "Recordings", PLACE_RECORDINGS, NULL},
    {PLACE_RECORDINGS, "Profile", PLACE_LEAF, on_profile},
    {PLACE_RECORDINGS, "Texture", PLACE_LEAF, on_texture},
    {PLACE_RECORDINGS, "IncidentAngleMap", PLACE_LEAF, on_angle_map},
    {PLACE_FACET, "Histograms", PLACE_FACET_HISTOGRAMS, NULL},
    {PLACE_FACET_HISTOGRAMS, "Bounces", PLACE_LEAF, on_facet_histogram},
    {PLACE_FACET_HISTOGRAMS, "Distance", PLACE_LEAF, on_facet_histogram},
    {PLACE_FACET_HISTOGRAMS, "Time", PLACE_LEAF, on_facet_histogram},
    {PLACE_FACET, "Indices", PLACE_INDICES, NULL},
    {PLACE_INDICES, "Indice", PLACE_LEAF, on_corner},
    {PLACE_GEOMETRY, "Structures", PLACE_STRUCTURES, NULL},
    {PLACE_STRUCTURES, "Structure", PLACE_LEAF, on_structure},
    {PLACE_TOP, "Interface", PLACE_INTERFACE, NULL},
    {PLACE_INTERFACE, "Selections", PLACE_SELECTIONS, NULL},
    {PLACE_SELECTIONS, "Selection", PLACE_SELECTION, on_selection},
    {PLACE_SELECTION, "selItem", PLACE_LEAF, on_selected},
    {PLACE_INTERFACE, "Formulas", PLACE_FORMULAS, NULL},
    {PLACE_FORMULAS, "Formula", PLACE_LEAF, on_formula},
    {PLACE_TOP, "MolflowSimuSettings", PLACE_SETTINGS, NULL},
    {PLACE_SETTINGS, "Gas", PLACE_GAS, on_gas},
    {PLACE_GAS, "Scattering", PLACE_LEAF, on_scattering},
    {PLACE_SETTINGS, "LowFluxMode", PLACE_LEAF, on_low_flux},
    {PLACE_SETTINGS, "TimeSettings", PLACE_TIME, on_time},
    {PLACE_TIME, "UserMoments", PLACE_MOMENTS, NULL},
    {PLACE_MOMENTS, "UserEntry", PLACE_LEAF, on_moment},
    {PLACE_SETTINGS, "Motion", PLACE_LEAF, on_motion},
    {PLACE_SETTINGS, "MeasureForces", PLACE_LEAF, on_forces},
    {PLACE_SETTINGS, "Global_histograms", PLACE_GLOBAL_HISTOGRAMS, NULL},
    {PLACE_GLOBAL_HISTOGRAMS, "Bounces", PLACE_LEAF, on_global_histogram},
    {PLACE_GLOBAL_HISTOGRAMS, "Distance", PLACE_LEAF, on_global_histogram},
    {PLACE_GLOBAL_HISTOGRAMS, "Time", PLACE_LEAF, on_global_histogram},
};

molflow_place molflow_find_child(molflow_place parent, const char *name, molflow_handler *begin)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].parent == parent && strcmp(rules[i].name, name) == 0) {
            *begin = rules[i].begin;
            return rules[i].place;
        }
    }
    *begin = NULL;
    return PLACE_SKIP;
}

crp_status molflow_leave(molflow_reader *reader, molflow_place place)
{
    return place == PLACE_FACET ? end_facet(reader) : place == PLACE_SELECTION ? end_selection(reader) : CRP_OK;
}

/** What could be judged only once all was read. */
crp_status molflow_end(molflow_reader *r)
{
    if (!r->has_geometry) {
        return molflow_fail(r, "has no <Geometry> (is it a Molflow model?)");
    }
    if (r->gas->n_facets == 0) {
        return molflow_fail(r, "has no facets");
    }
    for (uint32_t i = 0; i < r->gas->n_groups; i++) {
        gas_group *g = &r->gas->groups[i];
        while (g->n_facets > 0 && g->facets[g->n_facets - 1] >= r->gas->n_facets) {
            g->n_facets--;
        }
    }
    if (r->has_motion && r->n_moving > 0) {
        CRP_TRY(gas_model_add_feature(r->context, r->gas, "moving-walls", r->moving_facet));
    }
    return CRP_OK;
}
