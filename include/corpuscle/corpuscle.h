/**
 * Corpuscle: Monte Carlo of particles that scatter, bounce and react. The public C API.
 *
 * The life of a run:
 *
 *     crp_context_create -> crp_input_load -> crp_run_execute (once per model) -> crp_result_* -> *_destroy
 *
 * Every function that can fail returns a crp_status; the text of the last failure is crp_context_error().
 * The library never prints, never exits and installs no signal handler. A context, and whatever was made with
 * it, belongs to one thread at a time; different contexts may be used by different threads.
 */
#ifndef CORPUSCLE_H
#define CORPUSCLE_H

#include "corpuscle/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------- context */

typedef struct crp_context crp_context;

typedef enum crp_log_level { CRP_LOG_DEBUG, CRP_LOG_INFO, CRP_LOG_WARNING, CRP_LOG_ERROR } crp_log_level;

/** Receives log lines, without newline. `component` is a short lower-case word such as "mci" or "cuda". */
typedef void (*crp_log_callback)(void *user, crp_log_level level, const char *component, const char *line);

/** Make a context. Errors: CRP_ERR_ARG, CRP_ERR_MEMORY. Free it with crp_context_destroy. */
CRP_API crp_status crp_context_create(crp_context **context);

/** Free a context and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
CRP_API void crp_context_destroy(crp_context **context);

/** Install the log callback (NULL: no log). */
CRP_API void crp_context_set_log(crp_context *context, crp_log_callback callback, void *user);

/** The message of the last failure, "" if none. Valid until the next call with this context. */
CRP_API const char *crp_context_error(const crp_context *context);

/** "0.1.0", and the git commit the library was built from ("unknown" outside a checkout). Static storage. */
CRP_API const char *crp_version(void);
CRP_API const char *crp_commit(void);

/* ------------------------------------------------------------------------------------------------ input */

/** One validated model: what is simulated, and the run settings its file named. Immutable. */
typedef struct crp_model crp_model;

/** The models of one input file, in the file's order. */
typedef struct crp_input crp_input;

typedef struct crp_input_options {
    uint32_t size;               /**< sizeof(crp_input_options), set by crp_input_options_default() */
    const char *const *settings; /**< `path=value` overrides; NULL if none. Borrowed during the call */
    size_t n_settings;           /**< how many */
    const char *const *ignored;  /**< words of features that the model asks for and that are to be left out; NULL if none */
    size_t n_ignored;            /**< how many */
    const char *unit;            /**< STL: length of one unit, "mm", "cm", "m", "in", "ft"; NULL: mm, with a warning */
    int is_flipped;              /**< STL: not 0: turn all facets round, where the solid is the wall and not the gas */
    double vertex_tolerance;     /**< STL: vertices that are to be one lie closer than this [cm]; NaN: from the file */
    double plane_tolerance;      /**< STL: no corner of a joined facet leaves its plane by more [cm]; 0: join none; NaN:
                                      from the file */
} crp_input_options;

/** No settings, nothing ignored, tolerances from the file. */
CRP_API crp_input_options crp_input_options_default(void);

/**
 * Read an input file of any known kind (MCML .mci, STL, Molflow XML or ZIP, YAML, JSON) and validate all models in it. Nothing is written.
 *
 * Settings are applied to every model once it has been read: a value of the file must lie in its range even where a
 * setting replaces it. They are checked like the same value in the file, and then the model as a whole.
 *
 * @param path        of the file; its contents, not its name, decide what it is
 * @param options     NULL: the default
 * @param[out] input  yours, to be freed with crp_input_destroy; NULL after an error
 * Errors: CRP_ERR_ARG, CRP_ERR_IO, CRP_ERR_MEMORY; CRP_ERR_FORMAT, CRP_ERR_CONFIG, CRP_ERR_UNSUPPORTED with file:line
 * or the setting in the message.
 */
CRP_API crp_status crp_input_load(crp_context *context, const char *path, const crp_input_options *options,
                                  crp_input **input);

/** Free an input with its models and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
CRP_API void crp_input_destroy(crp_input **input);

/** How many models the input has; 0 for NULL. */
CRP_API size_t crp_input_n_models(const crp_input *input);

/** Model i, from 0. Borrowed: lives as long as the input. NULL when i is out of range. */
CRP_API const crp_model *crp_input_model(const crp_input *input, size_t i);

/* Of a model, which must not be NULL. Strings live as long as its input. */

/** The model's kind ("light"). */
CRP_API const char *crp_model_kind(const crp_model *model);
/** A short name for people: the name in the file, else the file's base name. */
CRP_API const char *crp_model_name(const crp_model *model);
/** SHA-256 of the normalised input, 64 hex digits. Equal for files that differ in comments, order or spelling only. */
CRP_API const char *crp_model_digest(const crp_model *model);
/** Histories asked for in the file, 0 when it does not say. */
CRP_API uint64_t crp_model_histories(const crp_model *model);

/* -------------------------------------------------------------------------------------------------- run */

/** Strict: the same digits on every device. Fast: approximations of the hardware, on GPUs; a CPU takes strict. */
typedef enum crp_math { CRP_MATH_STRICT, CRP_MATH_FAST } crp_math;

/** One device of a run: what it has done of it. */
typedef struct crp_device_progress {
    const char *device;        /**< "cuda:1 (NVIDIA H200)" */
    uint64_t histories;        /**< done in this run, those of batches in progress included */
    double share;              /**< part of what all devices have done in this run, 0 to 1 */
    double rate;               /**< its own pace in histories per second [1/s]; 0 when it is dropped */
    int is_dropped;            /**< it failed, and the others went on without it */
} crp_device_progress;

/** What a run has done so far; given to the progress callback after every batch, and borrowed during the call. */
typedef struct crp_progress {
    uint32_t size;             /**< sizeof(crp_progress) of the library */
    uint64_t histories_done;   /**< including those of the statepoint that the run was resumed from */
    uint64_t histories_total;  /**< N */
    uint32_t batches_done, batches_total;
    double seconds;            /**< wall time since this run began, without what it was resumed from [s] */
    double rate;               /**< histories per second in this run [1/s] */
    double rel_err;            /**< error that the first condition of `until` is about: relative for rel_err(...), in
                                    the tally's unit for std_dev(...); NaN without one or before two batches */
    double rel_err_target;     /**< the limit it must fall below; NaN without a condition */
    const char *device;        /**< "cuda:0 (NVIDIA H200)"; several are joined by commas */
    uint32_t n_devices;
    const crp_device_progress *devices; /**< n_devices of them */
} crp_progress;

/** Return 0 to go on, anything else to stop at the end of the batch (CRP_ERR_CANCELLED, statepoint written). */
typedef int (*crp_progress_callback)(void *user, const crp_progress *progress);

/** How to run a model. Strings are borrowed during the run. */
typedef struct crp_run_options {
    uint32_t size;                /**< sizeof(crp_run_options), set by crp_run_options_default() */
    uint64_t histories;           /**< N; 0: as the model says */
    uint32_t batches;             /**< 0 (default): as the model says, else 32 or more (docs/user/options.md) */
    uint64_t seed;                /**< 0 (default): as the model says, else 1 */
    const char *device;           /**< "auto" (default), "cpu", "cuda:0", "opencl:0"; several: "cuda:all", "cuda:0,1",
                                       "cpu+cuda:0" (docs/user/devices.md) */
    crp_math math;                /**< strict (default): one digest everywhere */
    uint32_t threads;             /**< CPU threads; 0: all */
    const char *until;            /**< "rel_err(Rd)<0.1%", several joined by "and"; NULL: as the model says, "": none */
    double time_limit;            /**< [s], stops at the end of a batch; 0: none */
    const char *restart;          /**< statepoint (result file) to go on from; NULL: none */
    const char *output;           /**< result file (HDF5) to write; NULL: none */
    uint32_t output_group;        /**< number of the run in the file, from 1 */
    double save_every;            /**< [s] between statepoints; the last batch is always saved. Default 1 */
    crp_progress_callback progress; /**< called in the thread of crp_run_execute; NULL: none */
    void *progress_user;          /**< given to it as it is */
} crp_run_options;

/** The model's own settings, device "auto", strict math, no files. */
CRP_API crp_run_options crp_run_options_default(void);

/** A finished or interrupted run: named tallies with mean and standard error, counters, provenance. */
typedef struct crp_result crp_result;

/**
 * Run one model.
 *
 * @param options      NULL: the default
 * @param[out] result  yours, to be freed with crp_result_destroy; it needs neither input nor model
 * @return CRP_OK; CRP_ERR_CANCELLED (the callback asked) or CRP_ERR_PRECISION (N or the time limit reached before
 *         `until` held), with *result valid; or an error, with *result NULL: CRP_ERR_ARG (context, model or result is
 *         NULL, options->size is not that of this version, `device` or `until` is not understood), CRP_ERR_CONFIG (the
 *         restart file is of another input, seed or math), CRP_ERR_FORMAT, CRP_ERR_IO, CRP_ERR_MEMORY, CRP_ERR_DEVICE,
 *         CRP_ERR_COMPILE, CRP_ERR_UNSUPPORTED, CRP_ERR_NUMERIC
 */
CRP_API crp_status crp_run_execute(crp_context *context, const crp_model *model, const crp_run_options *options,
                                   crp_result **result);

/** Free a result and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
CRP_API void crp_result_destroy(crp_result **result);

/* ----------------------------------------------------------------------------------------------- result */

/** One tally; all pointers are borrowed from its result. Arrays are in C order (last index fastest). */
typedef struct crp_tally_view {
    uint32_t size;                /**< sizeof(crp_tally_view), set by the caller */
    const char *name;             /**< "A_rz" */
    const char *description;      /**< one line */
    const char *unit;             /**< "1/cm3"; "1" for pure numbers */
    uint32_t n_dims;              /**< 0 for a scalar */
    const size_t *shape;          /**< n_dims numbers */
    const char *const *axis_name; /**< n_dims names: "r", "z", "alpha", "layer" */
    const char *const *axis_unit; /**< n_dims units: "cm", "rad"; "1" for an axis that only counts */
    const double *const *axis_edges; /**< shape[k] + 1 edges each; NULL for an axis that only counts */
    size_t n_bins;                /**< product of shape, 1 for a scalar */
} crp_tally_view;

/** How many tallies the result has; 0 for NULL. */
CRP_API size_t crp_result_n_tallies(const crp_result *result);

/** Describe tally i, from 0. Set view->size first. Errors: CRP_ERR_ARG (also: i out of range), without a message. */
CRP_API crp_status crp_result_tally(const crp_result *result, size_t i, crp_tally_view *view);

/** Index of the tally with that name, or -1. */
CRP_API ptrdiff_t crp_result_find(const crp_result *result, const char *name);

/**
 * Mean per history of every bin of tally i.
 *
 * @param[out] mean  [unit of the tally], n_bins numbers in C order; your memory
 * Errors: CRP_ERR_ARG (also when i is out of range), without a message.
 */
CRP_API crp_status crp_result_mean(const crp_result *result, size_t i, double *mean);

/** The same for the standard error of the mean; NaN where unknown (fewer than two batches). */
CRP_API crp_status crp_result_std_dev(const crp_result *result, size_t i, double *std_dev);

/** Histories done, those of the statepoint included. 0 for NULL. */
CRP_API uint64_t crp_result_histories(const crp_result *result);

/** Wall time of the transport [s], summed over resumptions. 0 for NULL. */
CRP_API double crp_result_seconds(const crp_result *result);

/** "cuda:0 (NVIDIA H200)", several joined by commas: where the last part ran. Borrowed from the result; "" for NULL, as the digest. */
CRP_API const char *crp_result_device(const crp_result *result);

/** SHA-256 over all integer tallies, 64 hex digits: equal wherever the same histories were run in the same math. */
CRP_API const char *crp_result_digest(const crp_result *result);

#ifdef __cplusplus
}
#endif
#endif
