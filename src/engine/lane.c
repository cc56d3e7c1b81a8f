/* One kernel on one device: which device, its buffers, its launches. */
#include "engine/lane.h"

#include "core/context.h"
#include "model/model.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run that the CPU ends in this time is not worth waking a GPU for: its driver takes about as long to start. */
static const double CPU_IS_SOON = 1.5;

/* With so many launches the last round of those side by side hardly counts. */
static const uint64_t MANY_LAUNCHES = 64;

/* Bytes of the buffers, `depth` launches deep. */
static uint64_t device_bytes(const crp_plan *plan, uint32_t depth)
{
    uint64_t needed = depth * ((uint64_t)plan->n_words * 8u + 8u);
    for (size_t i = 0; i < plan->n_tables; ++i) {
        needed += plan->tables[i].n_bytes;
    }
    return needed;
}

/* Launches side by side: as many as the module wishes, unless the last round would leave a part of the device idle. */
static uint32_t choose_side_by_side(const plan_shape *shape, uint64_t n_launches)
{
    uint32_t n = shape->side_by_side > 1 ? shape->side_by_side : 1;
    while (n > 1 && (n > shape->grid || 2 * n > DEVICE_N_QUEUES || (n_launches % n != 0 && n_launches < MANY_LAUNCHES))) {
        n /= 2;
    }
    return n;
}

/*
 * How many launches may be under way: on a GPU two for each place side by side, one that runs and one that waits for its
 * blocks. Where memory is short, one after the other. Host memory, where the CPU has its buffers, is looked at for the run
 * as a whole.
 */
static crp_status choose_depth(device_lane *lane, uint64_t n_launches)
{
    device *d = lane->device;
    const crp_plan *plan = lane->plan;
    plan_shape *shape = &lane->shape;
    device_info info;
    if (strcmp(d->info.kind, "cpu") == 0) {
        lane->depth = 1;
        return CRP_OK;
    }
    CRP_TRY(d->ops->info(d, &info));
    if (shape->is_alone) {
        lane->depth = 1;
        return CRP_OK;
    }
    uint32_t side_by_side = choose_side_by_side(shape, n_launches);
    if (device_bytes(plan, 2 * side_by_side) >= info.memory_free / 2) {
        side_by_side = 1;
    }
    shape->grid /= side_by_side;
    lane->depth = 2 * side_by_side;
    uint64_t needed = device_bytes(plan, lane->depth);
    CRP_CHECK(d->context, needed < info.memory_free, CRP_ERR_MEMORY,
              "%s (%s): the grid is too large for its memory (%s: %llu bytes needed, %llu available) use fewer bins, or "
              "another device", info.label, info.name, plan->grid, (unsigned long long)needed,
              (unsigned long long)info.memory_free);
    return CRP_OK;
}

static crp_status make_buffers(device_lane *lane, uint64_t n_launches)
{
    device *d = lane->device;
    const crp_plan *plan = lane->plan;
    CRP_TRY(choose_depth(lane, n_launches));
    for (size_t i = 0; i < plan->n_tables; ++i) {
        CRP_TRY(d->ops->buffer_create(d, plan->tables[i].n_bytes, &lane->tables[i]));
        CRP_TRY(d->ops->upload(d, 0, lane->tables[i], plan->tables[i].data, plan->tables[i].n_bytes));
    }
    for (uint32_t q = 0; q < lane->depth; ++q) {
        CRP_TRY(d->ops->buffer_create(d, plan->n_words * 8u, &lane->words[q]));
        CRP_TRY(d->ops->buffer_create(d, 8u, &lane->next[q]));
    }
    return d->ops->wait(d, 0);
}

static crp_status open_named(crp_context *context, const char *name, const crp_run_options *options, uint64_t n_launches,
                             device_lane *lane)
{
    device_options device_choice = {.threads = options->threads};
    CRP_TRY(device_open(context, name, &device_choice, &lane->device));
    device *d = lane->device;
    crp_math math = options->math;
    if (math == CRP_MATH_FAST && strcmp(d->info.kind, "cpu") == 0) {
        context_log(context, CRP_LOG_INFO, "engine", "fast math is for GPUs; on a CPU strict math is as fast and is used");
        math = CRP_MATH_STRICT;
    }
    CRP_TRY(lane->model->module->shape(context, lane->model, lane->plan, &d->info, math, &lane->shape));
    CRP_TRY(d->ops->kernel_create(d, &lane->shape.source, &lane->kernel));
    CRP_TRY(make_buffers(lane, n_launches));
    snprintf(lane->label, sizeof lane->label, "%s (%s)", d->info.label, d->info.name);
    return CRP_OK;
}

/* Undo a half-opened lane, so that the next device can be tried. */
static void reset(device_lane *lane)
{
    device *d = lane->device;
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < lane->plan->n_tables; ++i) {
        d->ops->buffer_destroy(d, lane->tables[i]);
        lane->tables[i] = NULL;
    }
    for (uint32_t q = 0; q < DEVICE_N_QUEUES; ++q) {
        d->ops->buffer_destroy(d, lane->words[q]);
        d->ops->buffer_destroy(d, lane->next[q]);
        d->ops->buffer_destroy(d, lane->scratch[q]);
        lane->words[q] = lane->next[q] = lane->scratch[q] = NULL;
        lane->scratch_bytes[q] = 0;
    }
    if (lane->kernel != NULL) {
        d->ops->kernel_destroy(d, lane->kernel);
        lane->kernel = NULL;
    }
    device_close(&lane->device);
}

/* The first GPU that works, from this process's own on; false when there is none, with a log line for each that says why. */
static bool open_gpu(crp_context *context, const crp_run_options *options, uint64_t n_launches, lane_place place,
                     device_lane *lane)
{
    uint32_t n = 0;
    char name[32];
    crp_status counted = device_ops_cuda.count(context, &n);
    if (n == 0) { /* most machines have none, which is no news; one that cannot be used is */
        context_log(context, counted == CRP_OK ? CRP_LOG_INFO : CRP_LOG_WARNING, "engine", "no GPU is used: %s",
                    crp_context_error(context));
    }
    for (uint32_t i = 0; i < n; ++i) {
        snprintf(name, sizeof name, "cuda:%u", (place.number + i) % n);
        if (open_named(context, name, options, n_launches, lane) == CRP_OK) {
            return true;
        }
        context_log(context, CRP_LOG_WARNING, "engine", "%s is not used: %s", name, crp_context_error(context));
        reset(lane);
    }
    return false;
}

static crp_status open_auto(crp_context *context, const crp_run_options *options, uint64_t histories, uint64_t n_launches,
                            lane_place place, device_lane *lane)
{
    double threads = options->threads > 0 ? options->threads : (double)omp_get_num_procs();
    double cpu_seconds = lane->model->module->cost(lane->model) * (double)histories / threads;
    if (cpu_seconds > CPU_IS_SOON && open_gpu(context, options, n_launches, place, lane)) {
        return CRP_OK;
    }
    context_clear(context);
    return open_named(context, "cpu", options, n_launches, lane);
}

crp_status lane_open(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                     uint64_t histories, uint64_t n_launches, device_lane **out)
{
    return lane_open_at(context, model, plan, options, histories, n_launches, (lane_place){.number = 0, .n = 1}, out);
}

crp_status lane_open_at(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                        uint64_t histories, uint64_t n_launches, lane_place place, device_lane **out)
{
    device_lane *lane = calloc(1, sizeof *lane);
    CRP_CHECK(context, lane != NULL, CRP_ERR_MEMORY, "no memory for a device");
    lane->model = model;
    lane->plan = plan;
    const char *name = options->device == NULL ? "auto" : options->device;
    crp_status status = strcmp(name, "auto") == 0 ? open_auto(context, options, histories, n_launches, place, lane)
                                                  : open_named(context, name, options, n_launches, lane);
    if (status != CRP_OK) {
        lane_close(&lane);
        return status;
    }
    *out = lane;
    return CRP_OK;
}

void lane_close(device_lane **lane)
{
    if (lane != NULL && *lane != NULL) {
        reset(*lane);
        free(*lane);
        *lane = NULL;
    }
}

/* Working memory for a launch of so many histories: kept from launch to launch, made anew where it is too small. */
static crp_status make_scratch(device_lane *lane, uint32_t queue, uint64_t n_histories)
{
    device *d = lane->device;
    uint64_t needed = lane->shape.scratch_bytes(lane->plan, &lane->shape, n_histories);
    lane->scratch_asked[queue] = needed;
    if (needed <= lane->scratch_bytes[queue]) {
        return CRP_OK;
    }
    d->ops->buffer_destroy(d, lane->scratch[queue]);
    lane->scratch[queue] = NULL;
    lane->scratch_bytes[queue] = 0;
    CRP_TRY((d->ops->scratch_create != NULL ? d->ops->scratch_create : d->ops->buffer_create)(d, needed, &lane->scratch[queue]));
    lane->scratch_bytes[queue] = needed;
    return CRP_OK;
}

crp_status lane_start(device_lane *lane, uint32_t queue, history_range range)
{
    device *d = lane->device;
    lane->range[queue] = range;
    if (lane->shape.scratch_bytes != NULL) {
        CRP_TRY(make_scratch(lane, queue, range.count));
    }
    unsigned char params[1024];
    size_t n_params = 0;
    CRP_TRY(lane->model->module->params(lane->plan, &d->info, &lane->shape, range.first, range.count, params, &n_params));
    CRP_TRY(d->ops->zero(d, queue, lane->words[queue], lane->plan->n_words * 8u));
    CRP_TRY(d->ops->zero(d, queue, lane->next[queue], 8u));
    device_launch launch = {.grid = lane->shape.grid, .block = lane->shape.block, .local_bytes = lane->shape.local_bytes};
    launch.args[launch.n_args++] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = params, .n_bytes = n_params};
    for (size_t i = 0; i < lane->plan->n_tables; ++i) {
        launch.args[launch.n_args++] = (device_arg){.kind = DEVICE_ARG_IN, .buffer = lane->tables[i]};
    }
    launch.args[launch.n_args++] = (device_arg){.kind = DEVICE_ARG_SUM, .buffer = lane->words[queue]};
    launch.args[launch.n_args++] = (device_arg){.kind = DEVICE_ARG_SHARED, .buffer = lane->next[queue]};
    launch.is_cooperative = lane->shape.is_alone;
    if (lane->scratch[queue] != NULL) {
        launch.args[launch.n_args++] = (device_arg){.kind = DEVICE_ARG_SHARED, .buffer = lane->scratch[queue]};
    }
    return d->ops->launch(d, queue, lane->kernel, &launch);
}

/* A launch that found too little memory is run again with more, if there can be more. */
static crp_status check_growth(device_lane *lane, uint32_t queue)
{
    uint64_t asked = lane->scratch_asked[queue];
    uint64_t needed = lane->shape.scratch_bytes(lane->plan, &lane->shape, lane->range[queue].count);
    CRP_CHECK(lane->device->context, needed > asked, CRP_ERR_MEMORY,
              "%.3g bytes of working memory are too little, and more cannot be counted (too much happens at once in a history): "
              "do the lengths of the input have the right unit?", (double)asked);
    return CRP_OK;
}

/* Wait for the launch; one that failed with the help of another device is done again without. */
static crp_status await(device_lane *lane, uint32_t queue)
{
    device *d = lane->device;
    crp_status status = d->ops->wait(d, queue);
    if (status == CRP_OK || !d->can_repeat) {
        return status;
    }
    d->can_repeat = false;
    CRP_TRY(lane_start(lane, queue, lane->range[queue]));
    return d->ops->wait(d, queue);
}

crp_status lane_collect(device_lane *lane, uint32_t queue, uint64_t *words, double *seconds)
{
    device *d = lane->device;
    bool is_again = false;
    do { /* again where the working memory was too small for what happened */
        CRP_TRY(is_again ? lane_start(lane, queue, lane->range[queue]) : CRP_OK);
        CRP_TRY(await(lane, queue));
        *seconds += d->ops->launch_seconds(d, queue);
        CRP_TRY(d->ops->download(d, queue, lane->words[queue], words, lane->plan->n_words * 8u));
        is_again = lane->shape.needs_more != NULL && lane->shape.needs_more(lane->plan, words, &lane->shape);
        CRP_TRY(is_again ? check_growth(lane, queue) : CRP_OK);
    } while (is_again);
    return CRP_OK;
}
