/**
 * What a module (light, gas ...) gives to the engine: the layout of its tallies, its kernel, its parameters, and how raw
 * device words become named tallies. The engine knows nothing else about physics.
 */
#ifndef ENGINE_PLAN_H
#define ENGINE_PLAN_H

#include "core/yaml_tree.h"
#include "corpuscle/corpuscle.h"
#include "device/device.h"

#include <stdbool.h>

/** Exact sums: a batch of 2^37 histories of weight 2^30 still fits. */
__extension__ typedef __int128 crp_wide;

enum { TALLY_MAX_DIMS = 4, PLAN_MAX_TABLES = 10 };

/**
 * A named tally. Its integers count `quantum` units per history; the physical mean is sum / N * quantum * scale. One that is a
 * ratio has the sum of another tally in the place of N; its standard error allows for the covariance of both.
 */
typedef struct tally_spec {
    char name[48];
    char description[128];
    char unit[24];                           /**< of the scaled mean: "1/cm3"; "1" for a pure number */
    uint32_t n_dims;                         /**< 0: scalar */
    size_t shape[TALLY_MAX_DIMS];
    char axis_name[TALLY_MAX_DIMS][16];
    char axis_unit[TALLY_MAX_DIMS][16];
    double *axis_edges[TALLY_MAX_DIMS];      /**< shape + 1 numbers, or NULL; owned */
    double *axis_points[TALLY_MAX_DIMS];     /**< of an axis whose elements are points (times): shape numbers; NULL. Owned */
    char *axis_labels[TALLY_MAX_DIMS];       /**< names of its elements, one a line; NULL: none. Owned */
    double quantum;                          /**< value of one integer unit, e.g. 2^-30 */
    double *scale;                           /**< per bin (1 / volume and so on), n_bins numbers; NULL: 1. Owned */
    size_t n_bins;
    size_t offset;                           /**< first bin in the engine's array of all bins */
    size_t over;                             /**< a ratio: 1 + number of an earlier tally, 0: none */
    bool is_derived;                         /**< no integers: its bins are functions of others, see crp_plan.derive */
    size_t over_run;                         /**< so many bins in turn have one bin of that tally as denominator; >= 1 */
} tally_spec;

/** A counter of the kernel: printed under `events`, never part of a mean. */
typedef struct event_spec {
    char name[32];
    bool is_fault; /**< an impossible state: above FAULT_FRACTION of the histories the run fails with CRP_ERR_NUMERIC */
} event_spec;

/** One line of the summary and one object of `results` in JSON. */
typedef struct result_spec {
    char name[48];       /**< "Rd", "absorbed_fraction" */
    int64_t of;          /**< element, from 1 (layer); 0 where there is none; -k: element k, which goes by its name */
    char of_name[64];    /**< name of that element, "" if none */
    size_t bin;          /**< index among all bins */
    size_t tally;        /**< index of its tally */
} result_spec;

struct crp_plan;

/** How a kernel is launched on a given device. */
typedef struct plan_shape {
    device_kernel_source source;   /**< defines point into `define_text` below */
    char define_text[24][48];
    const char *define_pointer[24];
    char ahead_text[128];          /**< what source.ahead points to */
    uint32_t grid, block, local_bytes;
    uint32_t side_by_side;         /**< launches that share the `grid` blocks; 0 or 1: one has them all */
    bool is_alone;      /**< a launch needs the whole device: all its blocks run at once, and never beside another launch */
    /** Working memory of a launch of so many histories, given to the kernel as its last argument; NULL: none. */
    uint64_t (*scratch_bytes)(const struct crp_plan *plan, const struct plan_shape *shape, uint64_t n_histories);
    /** After a launch: true when its working memory was too small. `room` then says how much there must be, and the launch is
     * run again. NULL: never. */
    bool (*needs_more)(const struct crp_plan *plan, const uint64_t *words, struct plan_shape *shape);
    uint64_t room[2];   /**< the module's own */
    uint32_t n_workers; /**< the module's own: workers of a CPU */
    uint32_t near_rows; /**< the module's own: rows of its main tally that it keeps in shared memory */
} plan_shape;

/** Constant tables and parameters of one run, and its tallies. Made by module->plan, freed by plan_destroy. */
typedef struct crp_plan {
    tally_spec *tallies;
    size_t n_tallies;
    size_t n_bins;                 /**< of all tallies */
    event_spec *events;
    size_t n_events;
    result_spec *results;
    size_t n_results;
    size_t n_words;                /**< 64-bit words that the kernel adds to: the module's own layout, counters last */
    size_t n_tables;
    struct { void *data; size_t n_bytes; } tables[PLAN_MAX_TABLES]; /**< uploaded once, given to the kernel as IN arguments in order */
    char grid[96];                 /**< the numbers that make the tallies large, for messages: "nr = 50, nz = 200, na = 30" */
    uint64_t max_launch;           /**< most histories of one launch before a word could overflow */
    /**
     * Values of a derived tally from the integers of n histories; NULL where there is none. The engine calls it for every batch,
     * from whose spread the errors come, and for the sums of all, which give the value itself.
     * @param bins    of all tallies
     * @param values  n_bins of that tally
     */
    void (*derive)(const struct crp_plan *plan, size_t tally, const crp_wide *bins, uint64_t n_histories, double *values);
    void *data;                    /**< the module's own */
    void (*data_destroy)(void *data);
} crp_plan;

/** Free a plan and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
void plan_destroy(crp_plan **plan);

/**
 * Host memory of a run in bytes: sums, means and deviations of every bin, those of the batch, the scale of a plan and of a
 * result, and `n_copies` arrays of the kernel's words (one to collect a launch in; on a CPU one more a thread). `is_saved`:
 * also the result file, which is built in memory.
 */
uint64_t plan_host_bytes(uint64_t n_bins, uint64_t n_words, uint32_t n_copies, bool is_saved);

/**
 * Refuse a run whose memory is not there. A module calls it with the least that any device needs, before it allocates.
 *
 * @param grid    as crp_plan.grid
 * @param needed  bytes, of which `held` are taken already
 * Errors: CRP_ERR_MEMORY with the bytes needed and available.
 */
crp_status plan_check_memory(crp_context *context, const char *grid, uint64_t needed, uint64_t held);

/** How a file in a module's own format is to look. */
typedef struct output_options {
    uint32_t digits;  /**< significant digits of every number; 0: the format's own */
    bool has_std_dev; /**< standard errors too */
    const char *template_path; /**< file in that format whose other parts are kept; NULL: none */
    const char *const *settings; /**< `path=value` on the model that a result holds as text; NULL: none */
    size_t n_settings;
} output_options;

/** A format that results of one kind of model go to, besides those of all kinds, or in the place of one of those. */
typedef struct module_export {
    const char *format;     /**< "molflow"; NULL ends a list */
    const char *endings[3]; /**< of files: ".zip"; the first NULL ends them */
    bool is_binary;         /**< not for standard output */
    bool takes_model;       /**< also for a model alone: `result` may be NULL, and `convert` writes it */
    crp_status (*check)(crp_context *context, const crp_model *model); /**< before a run: will its result have this? NULL: yes */
    /**
     * Form the file in memory.
     * @param path        where it will stand: its ending may choose between forms; NULL: standard output
     * @param[out] bytes  free with free()
     */
    crp_status (*form)(crp_context *context, const crp_model *model, const crp_result *result,
                       const output_options *options, const char *path, void **bytes, size_t *n_bytes);
} module_export;

/**
 * One kind of model: all that the engine, the readers and the program know of it. Listed in model/modules.c.
 *
 * Several devices work at the same time, each in a thread of its own: `params`, `reduce` and the functions of a plan_shape are
 * called from all of them, and must not write to the plan or to anything else that is shared. A plan_shape belongs to one device.
 */
typedef struct crp_module {
    const char *name;              /**< "light" */
    const char *history_name;      /**< "photons" */
    /** Build, set, validate, append the model of a parsed file of this kind. Errors: CRP_ERR_CONFIG, CRP_ERR_MEMORY. */
    crp_status (*load_yaml)(crp_context *context, const char *path, const yaml_node *root,
                            const crp_input_options *options, crp_input **input);
    /** Write YAML that loads back as the same model, and that the digest is of, into a FILE. Errors: CRP_ERR_IO. */
    crp_status (*write_yaml)(crp_context *context, const crp_model *model, void *file);
    /** The same with what the digest leaves out (name, run settings, outputs): for people. */
    crp_status (*write_full)(crp_context *context, const crp_model *model, void *file);
    /** What `check` says about a model instead of its text, as text or one JSON object; NULL: nothing. Errors: CRP_ERR_MEMORY. */
    crp_status (*report)(crp_context *context, const crp_model *model, bool is_json, void *file);
    /** The results that people run it for: `check` says how long they take to 1 %. NULL: it says nothing. */
    const char *main_result;
    /** Name and ending of the module's own output format ("mco"); NULL: it has none, nor the next two. */
    const char *output_format;
    /** The file in that format that the model asks for, NULL if none. Borrowed from the model. */
    const char *(*output_path)(const crp_model *model);
    /**
     * Write a result of the model in that format into a FILE.
     *
     * @param path  where the text will stand, for formats that name themselves
     * Errors: CRP_ERR_ARG (options, no histories), CRP_ERR_FORMAT (the result is not one of this model).
     */
    crp_status (*write_output)(crp_context *context, const crp_model *model, const crp_result *result,
                               const output_options *options, const char *path, void *file);
    const module_export *exports; /**< more formats, ended by one without a name; NULL: none */
    /** Lay out a run: tallies, results, counters, tables, words. `plan` is freed by plan_destroy. Errors: CRP_ERR_MEMORY. */
    crp_status (*plan)(crp_context *context, const crp_model *model, uint64_t seed, crp_plan **plan);
    /** Choose kernel, defines, grid, block and shared memory for this device. */
    crp_status (*shape)(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                        crp_math math, plan_shape *shape);
    /** Parameter struct of a launch of histories [first, first + count) into `bytes` (at most 1024), size out. */
    crp_status (*params)(const crp_plan *plan, const device_info *info, const plan_shape *shape, uint64_t first,
                         uint64_t count, void *bytes, size_t *n_bytes);
    /** Add the raw words of `n_histories` histories to the named bins and the event counters. */
    void (*reduce)(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events);
    /** Add to the bins what the histories [first, first + n) score whatever becomes of them (the energy that made them); called
     * with every `reduce`. NULL: nothing. */
    void (*add_known)(const crp_plan *plan, uint64_t first, uint64_t n_histories, crp_wide *bins);
    /** Before a result is written: bring to it what stands in no bin, result->places. In the thread of the run, while
     * devices work. May be NULL. */
    void (*keep)(const crp_plan *plan, crp_result *result);
    /** At the end of a run: log what the user must know, and leave one line for the summary in result->note. May be NULL. */
    void (*finish)(crp_context *context, const crp_plan *plan, crp_result *result);
    /** Rough seconds per history on one CPU core, for --device auto and time estimates. */
    double (*cost)(const crp_model *model);
    /** How many histories -n 1 stands for, where a history is a part of what the user counts; NULL: one, and the default of
     * -n is a million instead of one. */
    uint64_t (*copy)(const crp_model *model);
    void (*data_destroy)(void *data); /**< of crp_model.data */
} crp_module;

#endif
