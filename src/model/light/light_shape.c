/** Which build of the photon kernel a device gets, and how it is launched. */
#include "core/context.h"
#include "model/light/light_plan.h"
#include "queue.h"
#include "arithmetic.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_LAYERS_SHARED = 256, /* layer table in shared memory: 16 kB at most */
    MAX_LAYERS_CROSSED = 32, /* crossing counters in shared memory: 16 kB at most. Less than MAX_LAYERS_SHARED */
    COUNTER_STRIDE = 64,     /* CK_COUNTER_STRIDE of tally.h */
    SIDE_BY_SIDE = 4         /* launches that share a GPU */
};

static void define(plan_shape *shape, const char *text)
{
    size_t n = shape->source.n_defines++;
    snprintf(shape->define_text[n], sizeof shape->define_text[n], "%s", text);
    shape->define_pointer[n] = shape->define_text[n];
    shape->source.defines = shape->define_pointer;
}

/* Shared words that every build needs, without the corner of A(r,z). */
static uint32_t fixed_words(const light_plan *lp)
{
    uint32_t n_layers = lp->params.n_layers;
    uint32_t words = CK_TABLE_FLOATS + CK_QUEUE_WORDS + 4; /* the dump word, and up to 3 to a multiple of 16 bytes */
    words += LIGHT_N_NEAR_COUNTERS * COUNTER_STRIDE;
    words += n_layers <= MAX_LAYERS_SHARED ? LIGHT_ROW * n_layers : 0;
    words += n_layers <= MAX_LAYERS_CROSSED ? 2 * n_layers * COUNTER_STRIDE : 0;
    return words;
}

/* Rows of A(r,z) that fit into `bytes` of shared memory beside the rest; at most all of them. */
static uint32_t rows_that_fit(const light_plan *lp, uint32_t bytes)
{
    uint32_t fixed = fixed_words(lp) * 4;
    uint32_t row = lp->params.rz_row * 4;
    uint32_t rows = bytes > fixed ? (bytes - fixed) / row : 0;
    return rows < lp->params.n_r + 1 ? rows : lp->params.n_r + 1;
}

/*
 * One block of 1024 threads on a multiprocessor with all of its shared memory: 64 registers a thread
 * hold everything that an event needs, and the corner of A(r,z) is as large as it can be. (Two blocks of 640 to 768
 * threads were slower by 1 to 7 % on an H200.)
 *
 * Four launches share the GPU: the last photons of a launch leave a multiprocessor nearly idle for as long as its oldest photon
 * lives, and on a quarter of the multiprocessors a launch has four times the photons to make up for it.
 */
static void shape_cuda(plan_shape *shape, const light_plan *lp, const device_info *info)
{
    shape->near_rows = rows_that_fit(lp, info->local_memory);
    shape->block = info->max_block < 1024 ? info->max_block : 1024;
    shape->source.block = shape->block;
    shape->source.blocks_per_unit = 1;
    shape->side_by_side = SIDE_BY_SIDE;
    shape->grid = info->n_units;
    if (shape->near_rows == lp->params.n_r + 1) {
        define(shape, "CK_TALLY_ALL_NEAR=1");
    }
}

static void shape_opencl(plan_shape *shape, const light_plan *lp, const device_info *info)
{
    shape->near_rows = rows_that_fit(lp, info->local_memory / 2);
    shape->block = info->max_block < 64 ? info->max_block : 64;
    shape->grid = info->n_units * 4;
    shape->source.block = shape->block;
    shape->source.blocks_per_unit = 1;
}

/*
 * The build among light_gpu.builds that gives the same integers. CK_TALLY_ALL_NEAR and LIGHT_TISSUE_IN_GRID leave out tests that
 * never hold; where the crossings are in global memory, the layers may be read there too.
 */
static void name_build_ahead(plan_shape *shape, const light_plan *lp)
{
    snprintf(shape->ahead_text, sizeof shape->ahead_text, "%s%s%s", lp->scores_fluence ? " LIGHT_FLUENCE_ON=1" : "",
             lp->params.any_g ? " LIGHT_ANY_G=1" : "",
             lp->params.n_layers > MAX_LAYERS_CROSSED ? " LIGHT_LAYERS_GLOBAL=1 LIGHT_CROSSED_GLOBAL=1" : "");
    shape->source.ahead = shape->ahead_text + (shape->ahead_text[0] == ' ' ? 1 : 0);
}

crp_status light_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                       crp_math math, plan_shape *shape)
{
    const light_plan *lp = plan->data;
    (void)model;
    memset(shape, 0, sizeof *shape);
    shape->source.file = "entry/light_gpu.h";
    shape->source.entry = "light_transport";
    shape->source.math = math;
    if (strcmp(info->kind, "cpu") == 0) {
        shape->grid = 1;
        shape->block = 1;
        return CRP_OK;
    }
    if (lp->scores_fluence) {
        define(shape, "LIGHT_FLUENCE_ON=1");
    }
    if (lp->params.any_g) {
        define(shape, "LIGHT_ANY_G=1");
    }
    if (lp->params.z_bins < (float)lp->params.n_z) {
        define(shape, "LIGHT_TISSUE_IN_GRID=1");
    }
    if (lp->params.n_layers > MAX_LAYERS_SHARED) {
        define(shape, "LIGHT_LAYERS_GLOBAL=1");
    }
    if (lp->params.n_layers > MAX_LAYERS_CROSSED) {
        define(shape, "LIGHT_CROSSED_GLOBAL=1");
    }
    CRP_CHECK(context, fixed_words(lp) * 4 <= info->local_memory, CRP_ERR_DEVICE, "%s: the kernel needs %u bytes of "
              "shared memory a block, the device has %u; use --device cpu", info->label, fixed_words(lp) * 4,
              info->local_memory);
    if (strcmp(info->kind, "cuda") == 0) {
        shape_cuda(shape, lp, info);
        name_build_ahead(shape, lp);
    } else {
        shape_opencl(shape, lp, info);
    }
    shape->local_bytes = (fixed_words(lp) + shape->near_rows * lp->params.rz_row) * 4;
    return CRP_OK;
}
