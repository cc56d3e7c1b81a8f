/* Tables of a run: surfaces, sources, marks. */
#include "core/context.h"
#include "model/gas/gas_plan.h"
#include "model/gas/gas_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Numbers of the tables, in the order of the kernel's arguments. */
enum { TABLE_NODES, TABLE_PRIMITIVES, TABLE_SURFACES, TABLE_SOURCES, TABLE_MARKS, TABLE_MARK_OF, TABLE_VIEWS };

/* A chance in units of 2^-32: a word below it happens; GAS_NOTHING stands for certainty. */
static uint32_t chance_of(double p)
{
    double units = floor(p * 4294967296.0 + 0.5);
    return p >= 1.0 ? GAS_NOTHING : units >= 4294967294.0 ? 0xFFFFFFFEu : (uint32_t)units;
}

static crp_status add_table(crp_context *context, crp_plan *plan, size_t number, size_t n, size_t size, void *rows)
{
    void **data = rows;
    *data = calloc(n == 0 ? 1 : n, size);
    CRP_CHECK(context, *data != NULL, CRP_ERR_MEMORY, "no memory for a table of %zu bytes", n * size);
    plan->tables[number].data = *data;
    plan->tables[number].n_bytes = (n == 0 ? 1 : n) * size;
    plan->n_tables = number + 1 > plan->n_tables ? number + 1 : plan->n_tables;
    return CRP_OK;
}

/* ---------------------------------------------------------------------------------------------- surfaces */

static uint32_t flags_of(const gas_model *m, const gas_surface *s)
{
    uint32_t flags = 0;
    bool has_chances = s->opacity < 1.0 || (s->sticking > 0.0 && s->sticking < 1.0) || s->diffuse < 1.0;
    bool passes = s->link >= 0 || s->teleport != GAS_NONE;
    flags |= s->sticking >= 1.0 ? GAS_STICKS : 0u;
    flags |= has_chances ? GAS_HAS_CHANCES : 0u;
    flags |= s->teleport != GAS_NONE ? GAS_TELEPORTS : 0u;
    flags |= s->link >= 0 ? GAS_LINKS : 0u;
    flags |= s->is_maxwell ? GAS_KEEPS_SPEED : 0u;
    flags |= s->desorption == GAS_DESORB_UNIFORM ? GAS_DESORBS_UNIFORMLY : 0u;
    flags |= s->desorption == GAS_DESORB_COSINE_N ? GAS_DESORBS_POWER : 0u;
    bool has_texture = m->score_textures && (s->texture_cell > 0.0 || s->texture_u > 0.0);
    bool has_profile = m->score_profiles && s->profile != GAS_PROFILE_NONE;
    flags |= has_texture || has_profile ? GAS_IS_MARKED : 0u;
    bool is_plain = !has_chances && !passes && s->accommodation >= 1.0;
    return flags | (is_plain ? GAS_IS_PLAIN : 0u);
}

/* The most probable speed of a surface's temperature, or the mean speed in that mode [m/s]. */
static double speed_of(const gas_model *m, const gas_surface *s)
{
    double rt = GAS_BOLTZMANN * GAS_AVOGADRO * s->temperature / m->mass;
    return m->speed == GAS_SPEED_MEAN ? sqrt(8.0 * rt / PI) : sqrt(2.0 * rt);
}

static crp_status fill_surfaces(crp_context *context, crp_plan *plan, const uint32_t *rows, const uint32_t *columns)
{
    gas_plan *gp = plan->data;
    const gas_model *m = gp->model;
    gas_surface_row *table;
    CRP_TRY(add_table(context, plan, TABLE_SURFACES, m->n_surfaces, sizeof *table, &table));
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        const gas_surface *s = &m->surfaces[i];
        double speed = speed_of(m, s);
        table[i].flags = flags_of(m, s);
        table[i].speed = (float)speed;
        table[i].opacity = chance_of(s->opacity);
        table[i].sticking = s->sticking >= 1.0 ? GAS_NOTHING : chance_of(s->sticking);
        table[i].diffuse = chance_of(s->diffuse);
        table[i].specular = chance_of(s->diffuse + s->specular);
        table[i].accommodation = (float)s->accommodation;
        table[i].cosine_power = (float)(1.0 / (s->cosine_exponent + 1.0));
        table[i].desorption_power = (float)(1.0 / (s->desorption_exponent + 1.0));
        table[i].source = rows[i];
        table[i].pump = columns[i];
        table[i].link = s->link;
        table[i].teleport = -1;
        gp->speed_scale = s->n_facets > 0 ? fmax(gp->speed_scale, speed) : gp->speed_scale;
    }
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------- sources */

/* Walker's alias table by Vose's method: entry i is kept with chance keep / 2^32, else `other` is taken. */
static crp_status fill_alias(crp_context *context, gas_source *sources, double *weight, uint32_t n, double total)
{
    uint32_t *list = malloc((size_t)n * sizeof *list), n_small = 0, n_large = 0;
    CRP_CHECK(context, list != NULL, CRP_ERR_MEMORY, "no memory for %u sources", n);
    for (uint32_t i = 0; i < n; i++) {
        weight[i] *= n / total;
        sources[i].keep = GAS_NOTHING;
        sources[i].other = i;
        if (weight[i] < 1.0) { /* small ones from the front, large ones from the back */
            list[n_small++] = i;
        } else {
            list[n - 1 - n_large++] = i;
        }
    }
    while (n_small > 0 && n_large > 0) {
        uint32_t small = list[--n_small], large = list[n - n_large];
        sources[small].keep = chance_of(weight[small]);
        sources[small].other = large;
        weight[large] -= 1.0 - weight[small];
        if (weight[large] < 1.0) {
            n_large--;
            list[n_small++] = large; /* the place in front is free: its small one is done */
        }
    }
    free(list);
    return CRP_OK;
}

/* Molecules a second from a primitive, by its area. */
static double rate_of(const gas_plan *gp, const gas_mesh *mesh, const double *surface_area, uint32_t primitive)
{
    const gas_surface *s = &gp->model->surfaces[mesh->primitives[primitive].surface];
    if (s->desorption == GAS_DESORB_NONE || !(s->outgassing > 0.0)) {
        return 0.0;
    }
    double share = mesh->corners[primitive].area / surface_area[mesh->primitives[primitive].surface];
    return share * s->outgassing / (GAS_BOLTZMANN * s->temperature);
}

static crp_status fill_sources(crp_context *context, crp_plan *plan, const gas_mesh *mesh)
{
    gas_plan *gp = plan->data;
    gas_source *table;
    uint32_t n = 0;
    double *weight = malloc(((size_t)mesh->n + gp->model->n_surfaces + 1) * sizeof *weight);
    CRP_CHECK(context, weight != NULL, CRP_ERR_MEMORY, "no memory for the sources");
    double *surface_area = weight + mesh->n;
    memset(surface_area, 0, gp->model->n_surfaces * sizeof *surface_area);
    for (uint32_t i = 0; i < mesh->n; i++) {
        surface_area[mesh->primitives[i].surface] += mesh->corners[i].area;
    }
    gp->rate = 0.0;
    for (uint32_t i = 0; i < mesh->n; i++) {
        double rate = rate_of(gp, mesh, surface_area, i);
        gp->rate += rate;
        n += rate > 0.0 ? 1 : 0;
    }
    crp_status status = add_table(context, plan, TABLE_SOURCES, n, sizeof *table, &table);
    n = 0;
    for (uint32_t i = 0; i < mesh->n && status == CRP_OK; i++) {
        double rate = rate_of(gp, mesh, surface_area, i);
        if (rate > 0.0) {
            memcpy(table[n].corner, mesh->corners[i].corner, sizeof table[n].corner);
            memcpy(table[n].edge_u, mesh->corners[i].edge_u, sizeof table[n].edge_u);
            memcpy(table[n].edge_v, mesh->corners[i].edge_v, sizeof table[n].edge_v);
            table[n].primitive = i;
            weight[n++] = rate;
        }
    }
    if (status == CRP_OK && n > 0) {
        status = fill_alias(context, table, weight, n, gp->rate);
    }
    free(weight);
    gp->params.n_sources = n;
    return status;
}

/* ------------------------------------------------------------------------------------------------- marks */

static bool is_marked(const gas_model *m, uint32_t facet, const uint8_t *is_target)
{
    const gas_surface *s = &m->surfaces[m->facets[facet].surface];
    bool has_texture = m->score_textures && (s->texture_cell > 0.0 || s->texture_u > 0.0);
    bool has_profile = m->score_profiles && s->profile != GAS_PROFILE_NONE;
    return has_texture || has_profile || s->teleport != GAS_NONE || is_target[facet] != 0;
}

/* Bins of a profile per unit of what it is along; speeds up to 4 times the most probable one, as Molflow. */
static double profile_scale(const gas_model *m, const gas_surface *s)
{
    double fastest = 4.0 * sqrt(2.0 * GAS_BOLTZMANN * GAS_AVOGADRO * s->temperature / m->mass);
    switch (s->profile) {
    case GAS_PROFILE_U:
    case GAS_PROFILE_V:
        return GAS_PROFILE_BINS;
    case GAS_PROFILE_ANGLE:
        return GAS_PROFILE_BINS / (0.5 * PI);
    default:
        return GAS_PROFILE_BINS / fastest;
    }
}

static void store(double *to, geom_point p, double scale)
{
    to[0] = p.x * scale;
    to[1] = p.y * scale;
    to[2] = p.z * scale;
}

/* p . axis + shift: how many cells p lies along an axis from the origin of the frame. */
static void set_cells(double *to, const gas_frame *frame, geom_point axis, double per_length)
{
    store(to, axis, per_length);
    to[3] = -(to[0] * frame->origin.x + to[1] * frame->origin.y + to[2] * frame->origin.z);
}

static void fill_mark(const gas_plan *gp, gas_mark *mark, uint32_t facet, uint64_t cell, uint32_t profile,
                      uint32_t sheet)
{
    const gas_model *m = gp->model;
    const gas_surface *s = &m->surfaces[m->facets[facet].surface];
    gas_frame frame = gas_facet_frame(m, facet);
    store(mark->origin, frame.origin, 1.0);
    store(mark->u, frame.u, frame.length_u);
    store(mark->v, frame.v, frame.length_v);
    store(mark->normal, frame.n, 1.0);
    mark->inv_u2 = 1.0 / (frame.length_u * frame.length_u);
    mark->inv_v2 = 1.0 / (frame.length_v * frame.length_v);
    if (m->score_textures) {
        gas_facet_texture(m, facet, &frame, &mark->n_u, &mark->n_v);
        double count_u, count_v;
        gas_facet_texture_counts(m, facet, &frame, &count_u, &count_v);
        set_cells(mark->cell_u, &frame, frame.u, count_u / frame.length_u);
        set_cells(mark->cell_v, &frame, frame.v, count_v / frame.length_v);
    }
    bool has_texture = mark->n_u > 0, has_profile = m->score_profiles && s->profile != GAS_PROFILE_NONE;
    mark->texture = has_texture ? gp->params.at_textures + GAS_CELL_WORDS * (uint32_t)cell : GAS_NOTHING;
    mark->profile = has_profile ? gp->params.at_profiles + GAS_CELL_WORDS * GAS_PROFILE_BINS * profile : GAS_NOTHING;
    mark->profile_kind = s->profile;
    mark->profile_scale = (float)profile_scale(m, s);
    mark->facet = facet;
    mark->sheet = sheet;
}

/* Where each teleport of a surface leads: the mark of its target. */
static void aim_teleports(const gas_plan *gp, gas_surface_row *surfaces, const uint32_t *mark_of)
{
    for (uint32_t i = 0; i < gp->model->n_surfaces; i++) {
        int32_t target = gp->model->surfaces[i].teleport;
        surfaces[i].teleport = target >= 0 ? (int32_t)mark_of[target] : target;
    }
}

/* Primitives stand in the order of facets. */
static uint32_t sheet_of(const gas_mesh *mesh, uint32_t facet)
{
    uint32_t low = 0, high = mesh->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((mesh->primitives[middle].facet & GAS_FACET_MASK) < facet) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_there = low < mesh->n && (mesh->primitives[low].facet & GAS_FACET_MASK) == facet;
    return is_there ? mesh->primitives[low].sheet : facet;
}

static crp_status fill_marks(crp_context *context, crp_plan *plan, const gas_mesh *mesh, const uint8_t *is_target,
                             const uint64_t *first_cell)
{
    gas_plan *gp = plan->data;
    const gas_model *m = gp->model;
    gas_mark *marks;
    uint32_t *mark_of;
    uint32_t n = 0, n_profiles = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        n += is_marked(m, i, is_target) ? 1 : 0;
    }
    gp->n_marks = n;
    gp->mark_facets = calloc(n + 1, sizeof *gp->mark_facets);
    CRP_CHECK(context, gp->mark_facets != NULL, CRP_ERR_MEMORY, "no memory for %u textures", n);
    CRP_TRY(add_table(context, plan, TABLE_MARKS, n, sizeof *marks, &marks));
    CRP_TRY(add_table(context, plan, TABLE_MARK_OF, n > 0 ? m->n_facets : 1, sizeof *mark_of, &mark_of));
    n = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        if (gp->n_marks > 0) {
            mark_of[i] = is_marked(m, i, is_target) ? n : GAS_NOTHING;
        }
        if (is_marked(m, i, is_target)) {
            gp->mark_facets[n] = i;
            fill_mark(gp, &marks[n], i, first_cell[i], n_profiles, sheet_of(mesh, i));
            n_profiles += marks[n].profile != GAS_NOTHING ? 1 : 0;
            n++;
        }
    }
    aim_teleports(gp, plan->tables[TABLE_SURFACES].data, mark_of);
    gp->params.has_marks = n > 0 ? 1u : 0u;
    return CRP_OK;
}

/* The kernel gets three more tables in any case; without records they have one row each. */
static crp_status take_records(crp_context *context, crp_plan *plan, gas_records *r)
{
    gas_plan *gp = plan->data;
    const size_t sizes[3] = {gp->model->n_facets * sizeof *r->views, 4 * (size_t)r->n * sizeof *r->words,
                             4 * (size_t)gp->model->n_facets * sizeof *r->planes};
    void *const rows[3] = {r->views, r->words, r->planes};
    for (size_t k = 0; k < 3; k++) {
        plan->tables[TABLE_VIEWS + k].data = rows[k];
        plan->tables[TABLE_VIEWS + k].n_bytes = sizes[k];
    }
    plan->n_tables = TABLE_VIEWS + 3;
    gp->params.has_records = 1u;
    memset(r, 0, sizeof *r);
    (void)context;
    return CRP_OK;
}

/* Records are worth their making where so many of the flights, by the area that they start from, need no tree: an elbow, 49 %,
 * takes seven eighths of the time on a CPU; a chamber with a body in it, 35 %, more than without. */
static const double SERVING = 0.4;

static crp_status fill_records(crp_context *context, crp_plan *plan, const gas_mesh *mesh)
{
    gas_plan *gp = plan->data;
    gas_records r = {0};
    const char *wish = getenv("CORPUSCLE_GAS_RECORDS"); /* 0: none, 1: where they can be; the digest is the same */
    bool is_wished = wish == NULL || strcmp(wish, "0") != 0, is_forced = wish != NULL && strcmp(wish, "1") == 0;
    if (is_wished && gas_records_are_possible(gp->model, mesh)) {
        CRP_TRY(gas_records_build(context, gp->model, mesh, &r));
        context_log(context, CRP_LOG_INFO, "gas", "%llu candidate records, %.1f %% need no tree",
                    (unsigned long long)r.n, 100.0 * r.share);
        if (r.is_whole && (r.share >= SERVING || is_forced)) {
            return take_records(context, plan, &r);
        }
        gas_records_destroy(&r);
    }
    gas_view *views;
    uint32_t *words;
    double *planes;
    CRP_TRY(add_table(context, plan, TABLE_VIEWS, 1, sizeof *views, &views));
    CRP_TRY(add_table(context, plan, TABLE_VIEWS + 1, 4, sizeof *words, &words));
    return add_table(context, plan, TABLE_VIEWS + 2, 4, sizeof *planes, &planes);
}

crp_status gas_tables_fill(crp_context *context, crp_plan *plan, const gas_mesh *mesh, const uint32_t *rows,
                           const uint32_t *columns)
{
    gas_plan *gp = plan->data;
    const gas_model *m = gp->model;
    CRP_TRY(fill_surfaces(context, plan, rows, columns));
    CRP_TRY(fill_sources(context, plan, mesh));
    uint64_t *first_cell = calloc(m->n_facets + 1, sizeof *first_cell);
    uint8_t *is_target = calloc(m->n_facets + 1, sizeof *is_target);
    crp_status status = CRP_OK;
    if (first_cell == NULL || is_target == NULL) {
        status = context_fail(context, CRP_ERR_MEMORY, "no memory for %u facets", m->n_facets);
    } else {
        gas_texture_cells(m, first_cell);
        for (uint32_t i = 0; i < m->n_surfaces; i++) {
            if (m->surfaces[i].teleport >= 0) {
                is_target[m->surfaces[i].teleport] = 1;
            }
        }
        status = fill_marks(context, plan, mesh, is_target, first_cell);
    }
    free(first_cell);
    free(is_target);
    return status == CRP_OK ? fill_records(context, plan, mesh) : status;
}
