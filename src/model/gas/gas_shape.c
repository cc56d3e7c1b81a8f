/* Which build of the kernel a device gets, and how it is launched. */
#include "core/context.h"
#include "model/gas/gas_plan.h"
#include "model/gas/gas_rays.h"
#include "queue.h"

#include <stdio.h>
#include <string.h>

enum {
    QUEUE_ROOM = (CK_QUEUE_WORDS + 3) / 4 * 4, /* GAS_QUEUE_ROOM of gas_gpu.h */
    MAX_PAIRS = 256,                           /* of sources and pumps that are counted in shared memory */
    SMALL_BYTES = 40 << 10,                    /* shared memory of a block of which several share a multiprocessor */
    LARGE_BYTES = 200 << 10                    /* of one that has it for itself */
};

static void define(plan_shape *shape, const char *text)
{
    size_t n = shape->source.n_defines++;
    snprintf(shape->define_text[n], sizeof shape->define_text[n], "%s", text);
    shape->define_pointer[n] = shape->define_text[n];
    shape->source.defines = shape->define_pointer;
}

static uint32_t round_up(uint32_t words)
{
    return (words + 3) / 4 * 4;
}

/* Words that every block has in shared memory: queue, path, and a small table of transmission. */
static uint32_t fixed_words(const gas_plan *gp, bool *is_near)
{
    uint32_t pairs = gp->params.at_textures - gp->params.at_transmitted;
    *is_near = pairs <= MAX_PAIRS;
    return QUEUE_ROOM + 4 + (*is_near ? round_up(pairs) : 0);
}

/* Words of facets and nodes go to shared memory where they fit into `bytes`, words first. Returns the bytes used. */
static uint32_t place_near(plan_shape *shape, const gas_plan *gp, uint32_t bytes)
{
    bool is_near;
    uint64_t used = 4ull * fixed_words(gp, &is_near), words = 4ull * round_up(GAS_FACET_WORDS * gp->params.n_facets);
    uint64_t nodes = 32ull * gp->n_nodes;
    if (is_near) {
        char text[48];
        snprintf(text, sizeof text, "GAS_TRANSMITTED_NEAR=%uu",
                 round_up(gp->params.at_textures - gp->params.at_transmitted));
        define(shape, text);
    }
    if (gp->params.n_facets < 1000000 && used + words <= bytes) {
        define(shape, "GAS_WORDS_NEAR=1");
        used += words;
    }
    if (used + nodes <= bytes) {
        define(shape, "GAS_NODES_NEAR=1");
        used += nodes;
    }
    return (uint32_t)used;
}

/* No surface that is used has anything special: its flags but sticking are those of a plain wall. */
static bool is_all_plain(const gas_plan *gp, const crp_plan *plan)
{
    const gas_surface_row *rows = plan->tables[2].data;
    for (uint32_t i = 0; i < gp->model->n_surfaces; i++) {
        uint32_t others = GAS_DESORBS_UNIFORMLY | GAS_DESORBS_POWER;
        if (gp->model->surfaces[i].n_facets > 0 &&
            ((rows[i].flags & GAS_IS_PLAIN) == 0 || (rows[i].flags & others) != 0)) {
            return false;
        }
    }
    return true;
}

/* Features of the model; they change no bit, only leave code out. */
static void define_features(plan_shape *shape, const gas_plan *gp, const crp_plan *plan)
{
    if (is_all_plain(gp, plan)) {
        define(shape, "GAS_ALL_PLAIN=1");
    }
    if (gp->model->n_structures == 1) {
        define(shape, "GAS_ONE_STRUCTURE=1");
    }
    if (gp->params.has_records) {
        define(shape, "GAS_RECORDS_ON=1");
    }
    if (gp->params.has_marks) {
        define(shape, "GAS_MARKS_ON=1");
    }
    if (gp->params.scores_forces) {
        define(shape, "GAS_FORCES_ON=1");
    }
}

/*
 * One block of 1024 threads with all shared memory of a multiprocessor, where words and nodes fit: 7.0 against 6.1
 * GHit/s for three blocks of 256 on a tube of 100 walls and an H200, 4.8 against 3.8 on one of 1000 (searches that were
 * not bounded yet; 7.8 and 5.3 now). With records the
 * nodes are rarely asked, and lighter blocks win as soon as these take much: 10.7 against 10.5. Beyond that nodes are
 * read through the caches, by as many threads as 64 registers allow.
 */
static void shape_cuda(plan_shape *shape, const gas_plan *gp, const device_info *info)
{
    bool is_near;
    uint64_t all =
        4ull * fixed_words(gp, &is_near) + 4ull * round_up(GAS_FACET_WORDS * gp->params.n_facets) + 32ull * gp->n_nodes;
    uint32_t most = info->local_memory < LARGE_BYTES ? info->local_memory : LARGE_BYTES;
    bool is_light = all <= SMALL_BYTES || !gp->params.has_records;
    if (all <= most && is_light && info->max_block >= 1024) {
        shape->source.block = 1024;
        shape->source.blocks_per_unit = 1;
        shape->local_bytes = place_near(shape, gp, most);
    } else {
        shape->source.block = 256;
        shape->source.blocks_per_unit = all <= most ? 3 : 4;
        shape->local_bytes = place_near(shape, gp, SMALL_BYTES);
    }
    shape->block = shape->source.block;
    shape->grid = info->n_units * shape->source.blocks_per_unit;
    shape->side_by_side = 4;
}

static void shape_opencl(plan_shape *shape, const gas_plan *gp, const device_info *info)
{
    shape->block = info->max_block < 64 ? info->max_block : 64;
    shape->grid = info->n_units * 4;
    shape->source.block = shape->block;
    shape->source.blocks_per_unit = 1;
    shape->local_bytes = place_near(shape, gp, info->local_memory / 2);
}

/* Copies of the words that all hits add to, one after the other; then the random words drawn ahead, by event and thread. */
static uint64_t copies_bytes(const crp_plan *plan, const plan_shape *shape, uint64_t n_histories)
{
    const gas_plan *gp = plan->data;
    (void)n_histories;
    uint64_t ahead = (uint64_t)gp->model->optix.batch * (gp->model->optix.depth > 1 ? gp->model->optix.depth : 1);
    return 8ull * shape->room[0] * ((uint64_t)gp->params.at_textures + 4) +
           16ull * ahead * shape->grid * shape->block;
}

/* With few facets many threads add to one word at once. 16 copies are enough for 100 of them (2.65 against 1.45 GHit/s
 * with one, on an H200), one for 1000. */
static uint32_t choose_copies(const gas_plan *gp)
{
    uint32_t n = gp->model->optix.copies;
    if (n == 0) {
        for (n = 16; n > 1 && n * gp->params.n_facets > 8192; n /= 2) {
        }
    }
    return n;
}

static crp_status shape_optix(crp_context *context, plan_shape *shape, gas_plan *gp, const crp_plan *plan,
                              const device_info *info)
{
    const gas_optix *o = &gp->model->optix;
    char text[48];
    if (gp->rays == NULL) {
        CRP_TRY(gas_ray_scene_create(context, gp, plan->tables[2].data, &gp->rays));
    }
    shape->source.scene = &gp->rays->scene;
    shape->source.file = "entry/gas_optix.h";
    shape->source.after_file = "entry/gas_fold.h";
    shape->source.after = "gas_fold";
    shape->room[0] = choose_copies(gp);
    snprintf(text, sizeof text, "GAS_COPIES=%uu", (uint32_t)shape->room[0]);
    define(shape, text);
    if (o->culling) {
        define(shape, "GAS_RAY_CULLS=1");
    }
    if (o->offset) {
        define(shape, "GAS_RAY_OFFSET=1");
    }
    if (o->second_look) {
        define(shape, "GAS_RAY_LOOKS=2u");
    }
    if (o->positions != GAS_OPTIX_RAY) {
        define(shape, o->positions == GAS_OPTIX_FACET ? "GAS_RAY_FACET=1" : "GAS_RAY_PLANE=1");
    }
    if (o->mesh == GAS_OPTIX_POLYGONS) {
        define(shape, "GAS_RAY_POLYGONS=1");
    }
    if (!o->programs && o->depth == 0) {
        define(shape, "GAS_RAY_FINDS=1");
    }
    if (o->depth > 0) {
        snprintf(text, sizeof text, "GAS_RAY_DEPTH=%uu", o->depth);
        define(shape, text);
    }
    if (o->batch > 0) {
        snprintf(text, sizeof text, "GAS_BATCH=%uu", o->batch);
        define(shape, text);
    }
    shape->block = 64;
    shape->grid = (o->threads > 0 ? o->threads : info->n_units * 2048) / shape->block;
    shape->grid = shape->grid > 0 ? shape->grid : 1;
    shape->side_by_side = 1;
    shape->scratch_bytes = copies_bytes;
    return CRP_OK;
}

crp_status gas_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                     crp_math math, plan_shape *shape)
{
    const gas_plan *gp = plan->data;
    (void)model;
    memset(shape, 0, sizeof *shape);
    shape->source.file = "entry/gas_gpu.h";
    shape->source.entry = "gas_transport";
    shape->source.math = math;
    shape->grid = 1;
    shape->block = 1;
    if (strcmp(info->kind, "cpu") == 0) {
        return CRP_OK;
    }
    define_features(shape, gp, plan);
    if (strcmp(info->kind, "optix") == 0) {
        return shape_optix(context, shape, plan->data, plan, info);
    }
    bool is_near;
    CRP_CHECK(context, 4u * fixed_words(gp, &is_near) <= info->local_memory, CRP_ERR_DEVICE,
              "%s: the kernel needs %u bytes of shared memory a block, the device has %u; use --device cpu",
              info->label, 4u * fixed_words(gp, &is_near), info->local_memory);
    if (strcmp(info->kind, "cuda") == 0) {
        shape_cuda(shape, gp, info);
    } else {
        shape_opencl(shape, gp, info);
    }
    return CRP_OK;
}
