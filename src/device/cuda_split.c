/* A launch over several GPUs: see cuda_split.h. */
#include "device/cuda_split.h"

#include "core/context.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    MAX_PARTS = CUDA_MAX_PEERS + 1,
    PIECES_OF_PART = 256, /* so many that every array of the scratch lies on all devices */
    LESS = 64,            /* this part of a device's memory is left to others */
    MAX_COPY = 64 << 20   /* bytes of a table of which each device has a copy; larger ones stay where they are */
};

static const struct timespec LOOK_AGAIN = {.tv_nsec = 200000};

/* One device: the one that was launched on, or another in a handle of its own. */
typedef struct split_part {
    cuda_gpu *gpu;
    device_kernel *kernel;
    uint32_t queue, first, blocks;
    uint64_t room, share; /* bytes of the scratch: at most, and now */
    device_buffer *copies[DEVICE_MAX_ARGS];
    cuda_pointer pointers[DEVICE_MAX_ARGS];
} split_part;

typedef struct cuda_split {
    split_part parts[MAX_PARTS];
    uint32_t n, blocks;
    const device_kernel *of; /* the parts have builds of it */
    bool is_on, is_told, shares_a_gpu;
    uint32_t *stop; /* in the host's memory: parts that see it set end */
    cuda_pointer range;
    size_t piece, n_pieces, n_mapped;
    cuda_memory *pieces;
    const split_part *failed; /* could not be started */
} cuda_split;

/* Two launches that wait for each other's blocks on the same GPUs would wait for ever: one at a time. Whoever waits may
 * be another thread than the one that started it. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_is_open = PTHREAD_COND_INITIALIZER;
static bool is_busy;

static void enter(void)
{
    pthread_mutex_lock(&gate);
    while (is_busy) {
        pthread_cond_wait(&gate_is_open, &gate);
    }
    is_busy = true;
    pthread_mutex_unlock(&gate);
}

static void leave(void)
{
    pthread_mutex_lock(&gate);
    is_busy = false;
    pthread_cond_signal(&gate_is_open);
    pthread_mutex_unlock(&gate);
}

/* Return an error unless the driver's call succeeded. */
#define SPLIT_TRY(gpu, call, ...)                                                                                      \
    do {                                                                                                               \
        cuda_result split_try_result_ = (call);                                                                        \
        if (split_try_result_ != CUDA_SUCCESS) {                                                                       \
            return cuda_fail(gpu, split_try_result_, __VA_ARGS__);                                                     \
        }                                                                                                              \
    } while (0)

/* ----------------------------------------------------------------------------------------- who takes part */

static crp_status open_parts(cuda_gpu *gpu, cuda_split *split)
{
    split->parts[split->n++] = (split_part){.gpu = gpu};
    for (uint32_t i = 0; i < gpu->n_peers; i++) {
        device *d = NULL;
        CRP_TRY(cuda_open_as(gpu->base.context, gpu->peers[i], &device_ops_cuda, sizeof(cuda_gpu), &d));
        split->parts[split->n++] = (split_part){.gpu = (cuda_gpu *)d};
    }
    return CRP_OK;
}

static crp_status check_reach(cuda_gpu *from, cuda_gpu *to)
{
    int has_access = 0, has_atomics = 0;
    from->driver.device_get_p2p_attribute(&has_access, CUDA_P2P_ACCESS, from->id, to->id);
    from->driver.device_get_p2p_attribute(&has_atomics, CUDA_P2P_NATIVE_ATOMIC, from->id, to->id);
    CRP_CHECK(from->base.context, has_access != 0 && has_atomics != 0, CRP_ERR_DEVICE,
              "%s cannot reach the memory of %s%s", from->base.info.label, to->base.info.label,
              has_access != 0 ? " with atomics" : "");
    cuda_result result = from->driver.enable_peer_access(to->context, 0);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) {
        return cuda_fail(from, result, "asking for the memory of %s", to->base.info.label);
    }
    return CRP_OK;
}

/* Every device must reach the memory of every other. */
static crp_status connect_parts(cuda_split *split)
{
    for (uint32_t i = 0; i < split->n; i++) {
        cuda_gpu *gpu = split->parts[i].gpu;
        int has_ranges = 0;
        gpu->driver.device_get_attribute(&has_ranges, CUDA_DEVICE_VIRTUAL_MEMORY, gpu->id);
        CRP_CHECK(gpu->base.context, gpu->driver.can_split && has_ranges != 0, CRP_ERR_DEVICE,
                  "%s or its driver has no addresses that span devices", gpu->base.info.label);
        SPLIT_TRY(gpu, gpu->driver.context_set_current(gpu->context), "entering its context");
        for (uint32_t j = 0; j < split->n; j++) {
            bool is_same = gpu->id == split->parts[j].gpu->id;
            split->shares_a_gpu = split->shares_a_gpu || (is_same && j != i);
            CRP_TRY(is_same ? CRP_OK : check_reach(gpu, split->parts[j].gpu));
        }
    }
    return CRP_OK;
}

static crp_status open_split(cuda_gpu *gpu)
{
    gpu->split = calloc(1, sizeof *gpu->split);
    CRP_CHECK(gpu->base.context, gpu->split != NULL, CRP_ERR_MEMORY, "no memory for a split launch");
    CRP_TRY(open_parts(gpu, gpu->split));
    CRP_TRY(connect_parts(gpu->split));
    SPLIT_TRY(gpu, gpu->driver.context_set_current(gpu->context), "entering its context");
    SPLIT_TRY(gpu, gpu->driver.host_alloc((void **)&gpu->split->stop, sizeof(uint32_t), CUDA_HOST_PORTABLE_MAPPED),
              "asking for memory of the host");
    return CRP_OK;
}

/* The GPU works alone from now on; the reason stands in the context. */
static void stay_alone(cuda_gpu *gpu)
{
    context_log(gpu->base.context, CRP_LOG_WARNING, "cuda",
                "%s (%s): what outgrows it cannot be split over other devices: %s", gpu->base.info.label,
                gpu->base.info.name, crp_context_error(gpu->base.context));
    context_clear(gpu->base.context);
    cuda_split_destroy(gpu);
    gpu->n_peers = 0;
}

bool cuda_split_fits(cuda_gpu *gpu, size_t n_bytes, cuda_pointer *pointer)
{
    uint64_t room = 0;
    if (gpu->n_peers == 0) {
        return false;
    }
    enter(); /* what works now may hold the memory that is missing */
    cuda_result result = cuda_allocate(gpu, pointer, n_bytes);
    leave();
    if (result == CUDA_SUCCESS) {
        return true;
    }
    if (gpu->split == NULL && open_split(gpu) != CRP_OK) {
        stay_alone(gpu);
        return false;
    }
    for (uint32_t i = 0; i < gpu->split->n; i++) {
        room += gpu->split->parts[i].gpu->base.info.memory_total / LESS * (LESS - 1);
    }
    return n_bytes <= room;
}

/* ------------------------------------------------------------------------------------------------ memory */

static void free_memory(cuda_split *split)
{
    const cuda_driver *driver = &split->parts[0].gpu->driver;
    for (size_t k = 0; k < split->n_mapped; k++) {
        driver->memory_unmap(split->range + k * split->piece, split->piece);
    }
    for (size_t k = 0; k < split->n_pieces && split->pieces != NULL && split->pieces[k] != 0; k++) {
        driver->memory_release(split->pieces[k]);
    }
    if (split->range != 0) {
        driver->address_free(split->range, split->n_pieces * split->piece);
    }
    free(split->pieces);
    split->pieces = NULL;
    split->range = 0;
    split->n_pieces = split->n_mapped = 0;
}

/* How large the pieces are, and how much of the scratch each device has room for. */
static crp_status measure(cuda_split *split, size_t n_bytes)
{
    size_t grain = 1;
    for (uint32_t i = 0; i < split->n; i++) {
        split_part *part = &split->parts[i];
        cuda_memory_kind kind = {.type = CUDA_MEM_PINNED, .place = {CUDA_MEM_OF_DEVICE, part->gpu->id}};
        size_t own = 0;
        SPLIT_TRY(part->gpu, part->gpu->driver.context_set_current(part->gpu->context), "entering its context");
        SPLIT_TRY(part->gpu, part->gpu->driver.memory_granularity(&own, &kind, 0), "asking for the size of its pages");
        CRP_TRY(cuda_ask_free_memory(part->gpu));
        uint64_t kept = part->gpu->base.info.memory_total / LESS, left = part->gpu->base.info.memory_free;
        part->room = left > kept ? left - kept : 0;
        part->share = 0;
        grain = own > grain ? own : grain; /* powers of two */
    }
    split->piece = (n_bytes / (PIECES_OF_PART * split->n) + grain) / grain * grain;
    split->n_pieces = (n_bytes + split->piece - 1) / split->piece;
    return CRP_OK;
}

/* Whose the next piece is: the shares grow as the rooms are. NULL: no room is left. */
static split_part *choose_part(cuda_split *split)
{
    split_part *best = NULL;
    for (uint32_t i = 0; i < split->n; i++) {
        split_part *part = &split->parts[i];
        bool has_room = part->share + split->piece <= part->room;
        if (has_room &&
            (best == NULL || (double)part->share * (double)best->room < (double)best->share * (double)part->room)) {
            best = part;
        }
    }
    return best;
}

static crp_status map_pieces(cuda_split *split, size_t n_bytes)
{
    cuda_gpu *gpu = split->parts[0].gpu;
    for (size_t k = 0; k < split->n_pieces; k++) {
        split_part *part = choose_part(split);
        CRP_CHECK(gpu->base.context, part != NULL, CRP_ERR_MEMORY, "of %.3g GB there is room for %.3g GB now",
                  (double)n_bytes * 1e-9, (double)(k * split->piece) * 1e-9);
        cuda_memory_kind kind = {.type = CUDA_MEM_PINNED, .place = {CUDA_MEM_OF_DEVICE, part->gpu->id}};
        SPLIT_TRY(part->gpu, gpu->driver.memory_create(&split->pieces[k], split->piece, &kind, 0),
                  "asking for %zu bytes of memory", split->piece);
        SPLIT_TRY(part->gpu,
                  gpu->driver.memory_map(split->range + k * split->piece, split->piece, 0, split->pieces[k], 0),
                  "mapping %zu bytes of memory", split->piece);
        split->n_mapped++;
        part->share += split->piece;
    }
    return CRP_OK;
}

static crp_status make_memory(cuda_split *split, size_t n_bytes)
{
    cuda_memory_access access[MAX_PARTS];
    uint32_t n_devices = 0;
    cuda_gpu *gpu = split->parts[0].gpu;
    CRP_TRY(measure(split, n_bytes));
    SPLIT_TRY(gpu, gpu->driver.context_set_current(gpu->context), "entering its context");
    split->pieces = calloc(split->n_pieces, sizeof *split->pieces);
    CRP_CHECK(gpu->base.context, split->pieces != NULL, CRP_ERR_MEMORY, "no memory for a split launch");
    SPLIT_TRY(gpu, gpu->driver.address_reserve(&split->range, split->n_pieces * split->piece, 0, 0, 0),
              "asking for %zu bytes of addresses", n_bytes);
    CRP_TRY(map_pieces(split, n_bytes));
    for (uint32_t i = 0; i < split->n; i++) { /* each device once */
        uint32_t k = 0;
        while (k < n_devices && access[k].place.device != split->parts[i].gpu->id) {
            k++;
        }
        access[k] = (cuda_memory_access){{CUDA_MEM_OF_DEVICE, split->parts[i].gpu->id}, CUDA_MEM_READ_WRITE};
        n_devices = k == n_devices ? k + 1 : n_devices;
    }
    SPLIT_TRY(gpu, gpu->driver.memory_set_access(split->range, split->n_pieces * split->piece, access, n_devices),
              "opening its memory to others");
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------ launch */

static void destroy_kernels(cuda_split *split)
{
    for (uint32_t i = 0; i < split->n; i++) {
        cuda_kernel_destroy(&split->parts[i].gpu->base, split->parts[i].kernel);
        split->parts[i].kernel = NULL;
    }
    split->of = NULL;
}

static crp_status make_kernels(cuda_split *split, const device_kernel *kernel)
{
    device_kernel_source source = *kernel->source;
    if (split->of == kernel) {
        return CRP_OK;
    }
    destroy_kernels(split);
    const char **defines = malloc((source.n_defines + 1) * sizeof *defines);
    CRP_CHECK(split->parts[0].gpu->base.context, defines != NULL, CRP_ERR_MEMORY, "no memory for a kernel");
    for (size_t i = 0; i < source.n_defines; i++) {
        defines[i] = source.defines[i];
    }
    defines[source.n_defines++] = "CK_SPLIT=1";
    source.defines = defines;
    source.ahead = NULL;
    source.can_split = false;
    crp_status status = CRP_OK;
    for (uint32_t i = 0; i < split->n && status == CRP_OK; i++) {
        status = cuda_kernel_create(&split->parts[i].gpu->base, &source, &split->parts[i].kernel);
    }
    free(defines);
    split->of = status == CRP_OK ? kernel : NULL;
    return status;
}

/* Blocks as there are multiprocessors; two parts on one device have half of it each. */
static void share_blocks(cuda_split *split, uint32_t queue, const device_launch *launch)
{
    uint32_t first = 0, n_units = split->parts[0].gpu->base.info.n_units;
    for (uint32_t i = 0; i < split->n; i++) {
        split_part *part = &split->parts[i];
        uint32_t n_sharing = 0;
        for (uint32_t j = 0; j < split->n; j++) {
            n_sharing += split->parts[j].gpu->id == part->gpu->id ? 1 : 0;
        }
        uint64_t blocks =
            (uint64_t)launch->grid * part->gpu->base.info.n_units / (n_units > 0 ? n_units : 1) / n_sharing;
        part->queue = i == 0 ? queue : 0;
        part->blocks = blocks > 0 ? (uint32_t)blocks : 1;
        part->first = first;
        first += part->blocks;
    }
    split->blocks = first;
}

static void drop_copies(cuda_split *split)
{
    for (uint32_t i = 0; i < split->n; i++) {
        for (uint32_t k = 0; k < DEVICE_MAX_ARGS; k++) {
            device_ops_cuda.buffer_destroy(&split->parts[i].gpu->base, split->parts[i].copies[k]);
            split->parts[i].copies[k] = NULL;
        }
    }
}

/* Small tables lie on every device; all else has one place, which all devices see. */
static crp_status give_arguments(cuda_split *split, split_part *part, const device_launch *launch,
                                 const device_buffer *scratch)
{
    cuda_gpu *owner = split->parts[0].gpu, *gpu = part->gpu;
    for (uint32_t k = 0; k < launch->n_args; k++) {
        const device_arg *arg = &launch->args[k];
        if (arg->kind == DEVICE_ARG_BYTES) {
            continue;
        }
        part->pointers[k] = arg->buffer == scratch ? split->range : arg->buffer->pointer;
        if (arg->kind == DEVICE_ARG_IN && gpu != owner && arg->buffer->n_bytes <= MAX_COPY) {
            size_t n_bytes = arg->buffer->n_bytes;
            CRP_TRY(device_ops_cuda.buffer_create(&gpu->base, n_bytes, &part->copies[k]));
            part->pointers[k] = part->copies[k]->pointer;
            SPLIT_TRY(gpu,
                      gpu->driver.memcpy_peer(part->pointers[k], gpu->context, arg->buffer->pointer, owner->context,
                                              n_bytes, gpu->stream[part->queue]),
                      "copying a table to it");
        }
    }
    return CRP_OK;
}

/* All that must be there before the first part starts: once one works nothing may wait for it. */
static crp_status make_ready(cuda_split *split, split_part *part, const device_launch *launch,
                             const device_buffer *scratch)
{
    cuda_gpu *gpu = part->gpu;
    cuda_pointer at = 0;
    size_t n_bytes = 0;
    unsigned long long facts[3] = {part->first, split->blocks, (unsigned long long)(uintptr_t)split->stop};
    SPLIT_TRY(gpu, gpu->driver.context_set_current(gpu->context), "entering its context");
    CRP_TRY(give_arguments(split, part, launch, scratch));
    SPLIT_TRY(gpu, gpu->driver.module_get_global(&at, &n_bytes, part->kernel->module, "ck_split"),
              "looking for ck_split");
    CRP_CHECK(gpu->base.context, n_bytes == sizeof facts, CRP_ERR_INTERNAL, "ck_split has %zu bytes", n_bytes);
    SPLIT_TRY(gpu, gpu->driver.memcpy_to_device(at, facts, sizeof facts, gpu->stream[part->queue]),
              "copying %zu bytes to it", sizeof facts);
    SPLIT_TRY(gpu, gpu->driver.stream_synchronize(gpu->stream[part->queue]), "waiting for a copy");
    return CRP_OK;
}

static crp_status prepare(cuda_split *split, uint32_t queue, const device_kernel *kernel, const device_launch *launch,
                          const device_buffer *scratch)
{
    CRP_TRY(make_kernels(split, kernel));
    CRP_TRY(make_memory(split, scratch->n_bytes));
    share_blocks(split, queue, launch);
    for (uint32_t i = 0; i < split->n; i++) {
        CRP_TRY(make_ready(split, &split->parts[i], launch, scratch));
    }
    return CRP_OK;
}

/* Kernels that wait for each other on one device are launched as others are: it may run cooperative ones in turn. */
static void start_parts(cuda_split *split, const device_launch *launch)
{
    for (uint32_t i = 0; i < split->n && split->failed == NULL; i++) {
        split_part *part = &split->parts[i];
        void *arguments[DEVICE_MAX_ARGS];
        for (uint32_t k = 0; k < launch->n_args; k++) {
            const device_arg *arg = &launch->args[k];
            arguments[k] = arg->kind == DEVICE_ARG_BYTES ? (void *)(uintptr_t)arg->bytes : &part->pointers[k];
        }
        if (cuda_start(part->gpu, part->queue, part->kernel, launch, part->blocks, !split->shares_a_gpu, arguments) !=
            CRP_OK) {
            split->failed = part;
        }
    }
}

static void tell(cuda_split *split, size_t n_bytes)
{
    cuda_gpu *gpu = split->parts[0].gpu;
    char text[1024] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < split->n && n < sizeof text; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%.3g GB)", i > 0 ? ", " : "",
                              split->parts[i].gpu->base.info.label, (double)split->parts[i].share * 1e-9);
    }
    if (!split->is_told) {
        context_log(gpu->base.context, CRP_LOG_WARNING, "cuda",
                    "%s (%s): a launch needs %.3g GB, more than it has room for: it is "
                    "split over %s, which work on it together",
                    gpu->base.info.label, gpu->base.info.name, (double)n_bytes * 1e-9, text);
    }
    split->is_told = true;
}

/* Give back what the launch took. */
static void end_launch(cuda_split *split)
{
    drop_copies(split);
    free_memory(split);
    split->is_on = false;
    leave();
}

bool cuda_split_launch(cuda_gpu *gpu, uint32_t queue, device_kernel *kernel, const device_launch *launch,
                       device_buffer *scratch)
{
    cuda_split *split = gpu->split;
    if (split == NULL || kernel->source == NULL) {
        return false;
    }
    enter();
    split->is_on = true;
    split->failed = NULL;
    *split->stop = 0;
    if (prepare(split, queue, kernel, launch, scratch) != CRP_OK) {
        end_launch(split);
        stay_alone(gpu);
        return false;
    }
    tell(split, scratch->n_bytes);
    start_parts(split, launch);
    gpu->last[queue] = kernel;
    return true;
}

bool cuda_split_is_on(const cuda_gpu *gpu, uint32_t queue)
{
    return gpu->split != NULL && gpu->split->is_on && gpu->split->parts[0].queue == queue;
}

/* ------------------------------------------------------------------------------------------------ the end */

static cuda_result look_at(split_part *part)
{
    part->gpu->driver.context_set_current(part->gpu->context);
    return part->gpu->driver.stream_query(part->gpu->stream[part->queue]);
}

/* Until all are done or one fails, which is returned: the others would wait for it for ever. */
static const split_part *watch(cuda_split *split, cuda_result *result)
{
    for (bool is_done = false; !is_done;) {
        is_done = true;
        for (uint32_t i = 0; i < split->n; i++) {
            *result = look_at(&split->parts[i]);
            if (*result != CUDA_SUCCESS && *result != CUDA_ERROR_NOT_READY) {
                return &split->parts[i];
            }
            is_done = is_done && *result == CUDA_SUCCESS;
        }
        if (!is_done) {
            nanosleep(&LOOK_AGAIN, NULL);
        }
    }
    return NULL;
}

/* Have all parts end; true if the GPU that was launched on is well. */
static bool stop_parts(cuda_split *split)
{
    cuda_result own = CUDA_SUCCESS;
    __atomic_store_n(split->stop, 1u, __ATOMIC_SEQ_CST);
    for (uint32_t i = split->n; i-- > 0;) {
        cuda_gpu *gpu = split->parts[i].gpu;
        gpu->driver.context_set_current(gpu->context);
        own = gpu->driver.stream_synchronize(gpu->stream[split->parts[i].queue]);
    }
    return own == CUDA_SUCCESS;
}

crp_status cuda_split_wait(cuda_gpu *gpu)
{
    cuda_split *split = gpu->split;
    cuda_result result = CUDA_SUCCESS;
    crp_status status = split->failed != NULL ? CRP_ERR_DEVICE : CRP_OK; /* with its reason in the context */
    const split_part *failed = split->failed != NULL ? split->failed : watch(split, &result);
    if (failed == NULL) {
        end_launch(split);
        return CRP_OK;
    }
    if (status == CRP_OK) {
        status = cuda_fail(failed->gpu, result, "working on its part of %s", split->of->entry);
    }
    bool is_well = stop_parts(split);
    end_launch(split);
    if (is_well) {
        stay_alone(gpu);
        gpu->base.can_repeat = true;
    }
    return status;
}

void cuda_split_destroy(cuda_gpu *gpu)
{
    cuda_split *split = gpu->split;
    if (split == NULL) {
        return;
    }
    if (split->is_on) {
        stop_parts(split);
        end_launch(split);
    }
    destroy_kernels(split);
    if (split->stop != NULL) {
        gpu->driver.context_set_current(gpu->context);
        gpu->driver.host_free(split->stop);
    }
    for (uint32_t i = 1; i < split->n; i++) {
        device *d = &split->parts[i].gpu->base;
        device_close(&d);
    }
    free(split);
    gpu->split = NULL;
}
