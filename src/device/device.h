/**
 * Devices: where kernels run. One table of operations, four implementations (cpu.c, cuda.c, opencl.c, optix.c).
 * Nothing here knows any physics; a module brings kernels (by entry name and defines), parameters and buffers.
 */
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>

enum { DEVICE_N_QUEUES = 8, DEVICE_MAX_ARGS = 16 };

typedef struct device device;               /* each implementation's own struct begins with `struct device` */
typedef struct device_buffer device_buffer; /* opaque, implementation-defined */
typedef struct device_kernel device_kernel; /* opaque, implementation-defined */

/** What a host has to know to shape a launch and to report. */
typedef struct device_info {
    char kind[16];             /**< "cpu", "cuda", "opencl", "optix" */
    char label[24];            /**< "cuda:0", as the user would write it */
    char name[128];            /**< the maker's name, with driver or instruction set: "NVIDIA H200", "cpu (x86-64-v4, 2 threads)" */
    char detail[256];          /**< versions: driver, NVRTC, OpenCL platform ... */
    uint64_t memory_total;     /**< bytes */
    uint64_t memory_free;      /**< bytes, at the time of asking */
    uint32_t n_units;          /**< CUDA multiprocessors, OpenCL compute units, CPU threads */
    uint32_t local_memory;     /**< largest shared (local) memory of a block in bytes, opt-in included; 0 on a CPU */
    uint32_t local_memory_unit; /**< shared memory of a whole multiprocessor in bytes (CUDA), else = local_memory */
    uint32_t max_block;        /**< largest block (work-group) */
    bool has_fma;              /**< false: a CPU without fused multiply-add, where strict math is very slow */
} device_info;

typedef struct device_options {
    uint32_t threads; /**< CPU threads, 0 for all */
} device_options;

/**
 * What rays are traced against on a device that does so itself (optix), and the programs that it calls. A program's name is
 * that of a function in the kernel's file, after "__closesthit__", "__miss__" or "__intersection__". The ray-generation program
 * has the kernel's name and returns at once where its scene is 0: it is launched so when it is made, to have it loaded.
 */
typedef struct device_scene {
    const float *corners;   /**< of the triangles, three numbers each; NULL: boxes */
    uint32_t n_corners;
    const uint32_t *triangles; /**< three numbers of corners each, in this order about the front */
    const float *boxes; /**< six numbers each, low corner and high; NULL: triangles */
    uint32_t n;
    const uint32_t *kinds;       /**< of each triangle or box: which of the hit programs is called */
    uint32_t n_kinds;
    const char *const *on_hit;   /**< of each kind: called at the nearest hit */
    const bool *is_never_culled; /**< of each kind: seen from behind by rays that leave out back faces */
    const char *on_box;          /**< called where a ray meets a box: tells whether and where there is a hit */
    const char *on_miss;
    uint32_t n_payload, n_attributes; /**< words that a ray carries, and that on_box gives to a hit program */
    const void *data; /**< what the programs know of the shapes; they get its address before the arguments of a launch */
    size_t n_data;
    uint32_t registers;               /**< of a thread, at most; 0: as the device's compiler likes */
    uint32_t trace_depth;             /**< rays in rays: 1 where no hit program traces one */
} device_scene;

/** A kernel to be had: compiled at run time on a GPU, looked up among the compiled-in ones on a CPU. */
typedef struct device_kernel_source {
    const char *file;           /**< entry file under kernel/, e.g. "entry/light_gpu.h" (CPU: ignored) */
    const char *entry;          /**< function name, e.g. "light_transport" */
    crp_math math;
    const char *const *defines; /**< "NAME=VALUE" strings: integers and features, never physical reals */
    size_t n_defines;
    const char *ahead;          /**< the defines, joined by blanks, of a build that gives the same integers and may have been
                                     made ahead of time (kernel/entry/NAME.builds): those that only make the kernel faster
                                     are left out. NULL: `defines` themselves */
    uint32_t block;             /**< threads of a block the kernel will be launched with (launch bounds), 0: not fixed */
    uint32_t blocks_per_unit;   /**< blocks wished for on a multiprocessor, 0: not fixed */
    bool can_split;             /**< where its scratch outgrows a device several may share a launch: the kernel is then built once
                                     more with CK_SPLIT (kernel/port_team.h). The source is borrowed as long as the kernel */
    const device_scene *scene;  /**< for devices that trace rays; borrowed until the kernel is made. NULL: none */
    const char *after_file, *after; /**< a kernel that follows each launch, with the same arguments, on devices that trace
                                         rays (whose programs cannot wait for each other). NULL: none */
} device_kernel_source;

typedef enum device_arg_kind {
    DEVICE_ARG_BYTES,  /**< a plain struct by value */
    DEVICE_ARG_IN,     /**< buffer, only read */
    DEVICE_ARG_SUM,    /**< buffer of 64-bit words to which the kernel only adds: a device may give each worker a zeroed
                            private copy and add the copies afterwards */
    DEVICE_ARG_SHARED  /**< buffer read and written by all workers with atomics */
} device_arg_kind;

typedef struct device_arg {
    device_arg_kind kind;
    const void *bytes;     /**< BYTES: host pointer, copied at launch */
    size_t n_bytes;        /**< BYTES: size */
    device_buffer *buffer; /**< the other kinds */
} device_arg;

typedef struct device_launch {
    uint32_t grid;         /**< blocks (GPU); a CPU runs one worker per thread and ignores grid and block */
    uint32_t block;        /**< threads of a block */
    uint32_t local_bytes;  /**< dynamic shared memory of a block. CUDA: extern __shared__; OpenCL: passed as last
                                argument, a __local pointer, when non-zero */
    bool is_cooperative;   /**< the blocks wait for each other: all must be on the device at once, or the launch fails */
    uint32_t n_args;
    device_arg args[DEVICE_MAX_ARGS];
} device_launch;

/**
 * The operations. All return crp_status and record a message in the device's context. Queues (below DEVICE_N_QUEUES) are ordered
 * inside and independent of each other; upload and zero are ordered in their queue; download waits for its queue.
 */
typedef struct device_ops {
    const char *kind;
    /** How many devices of this kind there are. 0 with a message in the context when there is no driver and so on; an error
     * status when there is one and it is faulty. */
    crp_status (*count)(crp_context *context, uint32_t *n);
    crp_status (*open)(crp_context *context, uint32_t index, const device_options *options, device **out);
    void (*close)(device *d);
    crp_status (*info)(device *d, device_info *info);
    crp_status (*buffer_create)(device *d, size_t n_bytes, device_buffer **out); /**< contents undefined */
    /** A buffer for kernels alone. Where the device's own memory is too small it may lie, while a kernel works with it, in that of
     * several devices (see `meet`), or in the host's in part: then slow. Either is said in the log. NULL: buffer_create is all
     * there is. */
    crp_status (*scratch_create)(device *d, size_t n_bytes, device_buffer **out);
    /** The devices of the run, itself among them, before it works: those of its kind may help with what outgrows it. NULL: it needs
     * no help. */
    void (*meet)(device *d, device *const *devices, uint32_t n);
    void (*buffer_destroy)(device *d, device_buffer *buffer);                   /**< accepts NULL */
    crp_status (*upload)(device *d, uint32_t queue, device_buffer *buffer, const void *source, size_t n_bytes);
    crp_status (*zero)(device *d, uint32_t queue, device_buffer *buffer, size_t n_bytes);
    crp_status (*download)(device *d, uint32_t queue, device_buffer *buffer, void *target, size_t n_bytes);
    crp_status (*kernel_create)(device *d, const device_kernel_source *source, device_kernel **out);
    void (*kernel_destroy)(device *d, device_kernel *kernel);
    crp_status (*launch)(device *d, uint32_t queue, device_kernel *kernel, const device_launch *launch);
    crp_status (*wait)(device *d, uint32_t queue);
    /** Seconds that the last launch of the queue kept the device busy, after wait: by its own clock, and without what it had
     * in common with launches asked about before, so that these seconds may be added up. NaN where unknown. */
    double (*launch_seconds)(device *d, uint32_t queue);
} device_ops;

struct device {
    const device_ops *ops;
    crp_context *context;
    device_info info;  /* filled by open */
    double busy_until; /* end of the last launch that was asked about, on the device's clock [s] */
    bool can_repeat;   /* after a wait that failed: the device works on, and goes another way when the launch is started again */
};

extern const device_ops device_ops_cpu, device_ops_cuda, device_ops_opencl, device_ops_optix;

/** Open a device by the name a user gives: "cpu", "cuda:0", "cuda", "opencl:1", "optix:0". "auto" is decided by the engine. */
crp_status device_open(crp_context *context, const char *name, const device_options *options, device **out);
/** Close and set to NULL; accepts a pointer to NULL. */
void device_close(device **d);

/** What implementations check alike: the queue exists, n_bytes fit a buffer of `capacity`. Errors: CRP_ERR_INTERNAL. */
crp_status device_check_access(const device *d, uint32_t queue, size_t n_bytes, size_t capacity);
/** For launch_seconds: the part of [begin, end] (seconds on the device's clock) that is not counted yet. */
double device_count_busy(device *d, double begin, double end);
/** The same of a launch: the queue exists, arguments are not too many, none is missing. Errors: CRP_ERR_INTERNAL. */
crp_status device_check_launch(const device *d, uint32_t queue, const char *entry, const device_launch *launch);

/** Gets one device, or for a kind that is absent or a device that fails `info` NULL and the reason. Borrowed. */
typedef void (*device_visitor)(void *user, const char *kind, const device_info *info, const char *reason);
/** Visit every device of every kind. */
void device_list(crp_context *context, device_visitor visitor, void *user);

/**
 * The text of kernel/<file> with every #include "..." replaced by the file named (each once), as embedded in the
 * program at build time. Free with free(). Errors: CRP_ERR_INTERNAL for a file that is not embedded.
 */
crp_status kernel_source_flatten(crp_context *context, const char *file, char **text);

/* ------------------------------------------------------------------------------------------ CPU entries */

/** A kernel compiled for one instruction set. args[i] points at the bytes of a BYTES argument or at buffer memory;
 * worker counts from 0 to n_workers - 1. */
typedef void (*device_cpu_entry)(void *const *args, uint32_t worker, uint32_t n_workers);

typedef struct device_cpu_kernel {
    const char *entry;     /**< "light_transport" */
    const char *isa;       /**< "x86-64-v2", "x86-64-v3", "x86-64-v4", "generic" */
    const char *features;  /**< the defines that this instance was built with, joined by blanks, "" for none */
    device_cpu_entry function;
} device_cpu_kernel;

/** All compiled-in kernels, ended by an element with entry == NULL (src/device/cpu_kernels.c). */
extern const device_cpu_kernel device_cpu_kernels[];

#endif
