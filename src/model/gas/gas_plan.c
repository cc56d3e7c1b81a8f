/* From a vacuum model to what a kernel needs: geometry, tables, parameters, layout of the words. */
#include "model/gas/gas_plan.h"
#include "model/gas/gas_rays.h"

#include "core/context.h"
#include "model/gas/gas_cones.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words have numbers of 32 bits, of which the last one means none. */
static const uint64_t MAX_WORDS = 0xFFFFFF00u;
/* A molecule's paths are summed in units of this part of the model's size. */
static const double PATH_UNIT = 1.0 / 65536.0;

/* ---------------------------------------------------------------------------------------------- geometry */

static crp_status build_tree(crp_context *context, crp_plan *plan, const gas_mesh *mesh)
{
    gas_plan *gp = plan->data;
    geom_grid grid;
    uint32_t *nodes = NULL;
    CRP_CHECK(context, mesh->n < GEOM_BVH_MOST, CRP_ERR_GEOMETRY,
              "%u triangles and parallelograms are more than the %u that can be traced: merge coplanar facets", mesh->n,
              GEOM_BVH_MOST - 1);
    gp->n_nodes = geom_bvh_build(mesh->boxes, mesh->n, &grid, &nodes);
    CRP_CHECK(context, gp->n_nodes > 0, CRP_ERR_MEMORY, "no memory for the hierarchy of %u boxes", mesh->n);
    gas_cones_mark(nodes, mesh->primitives);
    plan->tables[0].data = nodes;
    plan->tables[0].n_bytes = 8 * sizeof(uint32_t) * (size_t)gp->n_nodes;
    gas_params *p = &gp->params;
    double widest = 0.0;
    for (int k = 0; k < 3; k++) {
        p->grid_scale[k] = 1.0 / grid.extent[k];
        p->grid_shift[k] = 1.0 - grid.origin[k] / grid.extent[k];
        widest = fmax(widest, grid.extent[k]);
    }
    p->steepest = (float)(1e-12 / widest);
    return CRP_OK;
}

/* The primitives pass to the plan: they are the kernel's table as they are. */
static crp_status take_primitives(crp_context *context, crp_plan *plan, gas_mesh *mesh)
{
    CRP_CHECK(context, mesh->n > 0, CRP_ERR_GEOMETRY, "no facet has an area");
    plan->tables[1].data = mesh->primitives;
    plan->tables[1].n_bytes = mesh->n * sizeof *mesh->primitives;
    mesh->primitives = NULL;
    return CRP_OK;
}

static crp_status measure(crp_context *context, gas_plan *gp, const gas_mesh *mesh)
{
    const gas_model *m = gp->model;
    gp->area = calloc(m->n_facets, sizeof *gp->area);
    CRP_CHECK(context, gp->area != NULL, CRP_ERR_MEMORY, "no memory for %u facets", m->n_facets);
    for (uint32_t i = 0; i < m->n_facets; i++) {
        gp->area[i] = mesh->area[i] * (m->surfaces[m->facets[i].surface].is_two_sided ? 2.0 : 1.0);
    }
    gp->params.nearest = -1e-10 * mesh->size;
    gp->params.path_scale = 1.0 / (PATH_UNIT * mesh->size);
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------ params */

static void set_key(ck_philox4_key *key, uint64_t seed)
{
    for (uint32_t i = 0; i < CK_PHILOX4X32_ROUNDS; i++) {
        key->round[2 * i] = (uint32_t)seed + i * CK_PHILOX_WEYL;
        key->round[2 * i + 1] = (uint32_t)(seed >> 32) + i * CK_PHILOX4X32_WEYL_B;
    }
}

static void count_scores(gas_plan *gp)
{
    const gas_model *m = gp->model;
    gp->n_cells = gas_texture_cells(m, NULL);
    gp->n_profiles = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        gp->n_profiles += m->score_profiles && m->surfaces[m->facets[i].surface].profile != GAS_PROFILE_NONE ? 1 : 0;
    }
}

static crp_status lay_out_words(crp_context *context, crp_plan *plan)
{
    gas_plan *gp = plan->data;
    const gas_model *m = gp->model;
    gas_params *p = &gp->params;
    uint64_t n_facets = m->n_facets, at = GAS_FACET_WORDS * n_facets;
    uint64_t forces = at, transmitted, textures, profiles, leaks, counters;
    at += m->score_forces ? GAS_FORCE_WORDS * n_facets : 0;
    transmitted = at;
    at += (uint64_t)gp->n_rows * gp->n_columns;
    at = (at + 3) / 4 * 4; /* cells begin on multiples of 32 bytes */
    textures = at;
    at += GAS_CELL_WORDS * gp->n_cells;
    profiles = at;
    at += (uint64_t)GAS_CELL_WORDS * GAS_PROFILE_BINS * gp->n_profiles;
    leaks = at;
    at += GAS_LEAK_LEVELS * GAS_LEAK_SLOTS * GAS_LEAK_WORDS;
    counters = at;
    at += GAS_N_COUNTERS;
    snprintf(plan->grid, sizeof plan->grid, "%u facets, %llu texture cells, %u profiles", m->n_facets,
             (unsigned long long)gp->n_cells, gp->n_profiles);
    CRP_CHECK(context, at < MAX_WORDS, CRP_ERR_MEMORY, "the textures have too many cells (%s): choose larger ones",
              plan->grid);
    p->at_forces = (ck_u32)forces;
    p->at_transmitted = (ck_u32)transmitted;
    p->at_textures = (ck_u32)textures;
    p->at_profiles = (ck_u32)profiles;
    p->at_leaks = (ck_u32)leaks;
    p->at_counters = (ck_u32)counters;
    p->n_words = (ck_u32)at;
    plan->n_words = (size_t)at;
    uint64_t n_bins = 8 * n_facets + (m->score_forces ? 3 * n_facets : 0) + 4 * gp->n_cells +
                      3 * (uint64_t)GAS_PROFILE_BINS * gp->n_profiles;
    return plan_check_memory(context, plan->grid, plan_host_bytes(n_bins, at, 1, false), 0);
}

static void set_params(gas_plan *gp)
{
    const gas_model *m = gp->model;
    gas_params *p = &gp->params;
    set_key(&p->key, gp->seed);
    p->n_facets = m->n_facets;
    p->n_pumps = gp->n_columns;
    p->max_events = m->max_bounces;
    p->is_mean_speed = m->speed == GAS_SPEED_MEAN ? 1u : 0u;
    p->n_structures = m->n_structures;
    p->first_structure = 0;
    p->scores_forces = m->score_forces ? 1u : 0u;
    p->pressure_scale = (float)((double)GAS_PRESSURE_UNITS / gp->speed_scale);
    p->density_scale = (float)((double)GAS_DENSITY_UNITS * gp->speed_scale);
    p->chunk = 64;
    p->n_nodes = gp->n_nodes;
}

/* -------------------------------------------------------------------------------------- counters, results */

static crp_status make_events(crp_context *context, crp_plan *plan)
{
    /* In the order of GAS_COUNT_... and GAS_EVENT_... */
    static const char *const names[GAS_N_EVENTS] = {
        "leaks", "bounce_limit_molecules", "capped_density_terms", "path_units", "hits", "ended_molecules"};
    plan->events = calloc(GAS_N_EVENTS, sizeof *plan->events);
    CRP_CHECK(context, plan->events != NULL, CRP_ERR_MEMORY, "no memory for the counters");
    plan->n_events = GAS_N_EVENTS;
    for (size_t i = 0; i < GAS_N_EVENTS; i++) {
        snprintf(plan->events[i].name, sizeof plan->events[i].name, "%s", names[i]);
        plan->events[i].is_fault = i == GAS_COUNT_BOUNCE_LIMIT;
    }
    return CRP_OK;
}

static void add_result(crp_plan *plan, const gas_plan *gp, gas_tally which, size_t bin, int64_t of, const char *of_name)
{
    result_spec *r = &plan->results[plan->n_results++];
    r->tally = (size_t)gp->at[which];
    snprintf(r->name, sizeof r->name, "%s", plan->tallies[r->tally].name);
    r->of = of;
    snprintf(r->of_name, sizeof r->of_name, "%s", of_name);
    r->bin = plan->tallies[r->tally].offset + bin;
}

/* One number of every part in a list (all parts for NULL): bin i of the tally is that of entry i. */
static void add_results(crp_plan *plan, const gas_plan *gp, gas_tally which, const uint32_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t part = list == NULL ? i : list[i];
        add_result(plan, gp, which, i, -(int64_t)i - 1, gp->parts[part].name);
    }
}

static crp_status make_results(crp_context *context, crp_plan *plan)
{
    const gas_plan *gp = plan->data;
    size_t n_pairs = (size_t)gp->n_source_parts * gp->n_pump_parts;
    plan->results = calloc(6 * (size_t)gp->n_parts + n_pairs + gp->n_formulas + 3, sizeof *plan->results);
    CRP_CHECK(context, plan->results != NULL, CRP_ERR_MEMORY, "no memory for the results");
    for (uint32_t i = 0; i < gp->n_source_parts; i++) {
        for (uint32_t k = 0; k < gp->n_pump_parts; k++) {
            char name[2 * GAS_NAME + 4];
            snprintf(name, sizeof name, "%.29s->%.29s", gp->parts[gp->source_parts[i]].name,
                     gp->parts[gp->pump_parts[k]].name);
            size_t bin = (size_t)i * gp->n_pump_parts + k;
            add_result(plan, gp, GAS_TALLY_TRANSMISSION, bin, -(int64_t)bin - 1, name);
        }
    }
    add_results(plan, gp, GAS_TALLY_DESORBED, gp->source_parts, gp->n_source_parts);
    add_results(plan, gp, GAS_TALLY_ABSORBED, gp->pump_parts, gp->n_pump_parts);
    add_results(plan, gp, GAS_TALLY_THROUGHPUT, gp->pump_parts, gp->n_pump_parts);
    add_results(plan, gp, GAS_TALLY_PRESSURE, NULL, gp->n_parts);
    add_results(plan, gp, GAS_TALLY_DENSITY, NULL, gp->n_parts);
    add_results(plan, gp, GAS_TALLY_IMPINGEMENT, NULL, gp->n_parts);
    add_result(plan, gp, GAS_TALLY_HITS_TOTAL, 0, 0, "");
    add_result(plan, gp, GAS_TALLY_FLIGHT, 0, 0, "");
    add_result(plan, gp, GAS_TALLY_LEAKS, 0, 0, "");
    for (uint32_t i = 0; i < gp->n_formulas; i++) {
        add_result(plan, gp, GAS_TALLY_FORMULA, i, -(int64_t)i - 1, gp->formulas[i].name);
    }
    return CRP_OK;
}

/* Molecules of a launch: about 2^33 hits, a second on a large GPU. A word then holds 2^30 units of each hit, and a
 * launch has enough molecules that its last ones do not count. */
static uint64_t launch_of(double hits)
{
    double n = 8589934592.0 / fmax(hits, 1.0);
    return n > 67108864.0 ? 67108864u : n < 1024.0 ? 1024u : (uint64_t)n;
}

/* -------------------------------------------------------------------------------------------------- plan */

static void destroy_parts(gas_plan *gp)
{
    for (uint32_t i = 0; i < gp->n_parts; i++) {
        free(gp->parts[i].facets);
        free(gp->parts[i].sources);
        free(gp->parts[i].pumps);
    }
    free(gp->parts);
    free(gp->source_parts);
    free(gp->pump_parts);
}

static void gas_plan_data_destroy(void *data)
{
    gas_plan *gp = data;
    destroy_parts(gp);
    gas_formulas_destroy(gp);
    gas_ray_scene_destroy(&gp->rays);
    pthread_mutex_destroy(&gp->lock);
    free(gp->area);
    free(gp->mark_facets);
    free(gp);
}

/* Everything that needs the mesh, which is not kept. */
static crp_status prepare(crp_context *context, crp_plan *plan, gas_mesh *mesh, uint32_t *rows, uint32_t *columns)
{
    gas_plan *gp = plan->data;
    CRP_TRY(measure(context, gp, mesh));
    CRP_TRY(gas_parts_find(context, gp, rows, columns));
    CRP_CHECK(context, gp->n_source_parts > 0, CRP_ERR_CONFIG,
              "nothing desorbs: give a facet some outgassing (--set facets.inlet.outgassing=\"1e-6 mbar l/s\")");
    CRP_TRY(gas_formulas_read(context, gp));
    plan->derive = gas_derive;
    count_scores(gp);
    CRP_TRY(lay_out_words(context, plan));
    CRP_TRY(build_tree(context, plan, mesh));
    CRP_TRY(gas_tables_fill(context, plan, mesh, rows, columns));
    set_params(gp);
    return take_primitives(context, plan, mesh);
}

crp_status gas_plan_create(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **out)
{
    const gas_model *m = model->data;
    crp_plan *plan = calloc(1, sizeof *plan);
    gas_plan *gp = calloc(1, sizeof *gp);
    uint32_t *rows = calloc(2 * ((size_t)m->n_surfaces + 1), sizeof *rows);
    gas_mesh mesh = {0};
    crp_status status = CRP_OK;
    if (plan == NULL || gp == NULL || rows == NULL) {
        free(gp);
        free(plan);
        free(rows);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for a plan");
    }
    plan->data = gp;
    plan->data_destroy = gas_plan_data_destroy;
    gp->model = m;
    gp->seed = seed;
    pthread_mutex_init(&gp->lock, NULL);
    CRP_GOTO(gas_mesh_build(context, m, &mesh), done);
    CRP_GOTO(prepare(context, plan, &mesh, rows, rows + m->n_surfaces + 1), done);
    plan->max_launch = launch_of(gas_hits_of_molecule(m));
    CRP_GOTO(gas_tallies_create(context, plan), done);
    CRP_GOTO(make_results(context, plan), done);
    CRP_GOTO(make_events(context, plan), done);
done:
    gas_mesh_destroy(&mesh);
    free(rows);
    if (status != CRP_OK) {
        plan_destroy(&plan);
    }
    *out = plan;
    return status;
}

crp_status gas_params_of_launch(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                                uint64_t count, void *bytes, size_t *n_bytes)
{
    const gas_plan *gp = plan->data;
    gas_params p = gp->params;
    (void)info;
    (void)shape;
    p.first_history = first;
    p.n_histories = count;
    memcpy(bytes, &p, sizeof p);
    *n_bytes = sizeof p;
    return CRP_OK;
}
