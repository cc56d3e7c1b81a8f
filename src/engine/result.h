/** A result: exact integer sums, squared deviations, counters, provenance. The statepoint is this, in a file. */
#ifndef ENGINE_RESULT_H
#define ENGINE_RESULT_H

#include "model/model.h"

/** Pointers to the names inside a tally_spec, in the form that crp_tally_view hands out. */
typedef struct result_axis_names {
    const char *name[TALLY_MAX_DIMS], *unit[TALLY_MAX_DIMS];
} result_axis_names;

/** A place where a history was lost, for people to look at. */
typedef struct result_place {
    double at[3];  /**< [cm] */
    double way[3]; /**< direction that it went in */
    double out[3]; /**< where it left the bounding box of the model [cm] */
    int64_t of;    /**< number of the element that it came from, from 1 */
} result_place;

/** A device that the last part of a run used. */
typedef struct result_device {
    char label[160];            /**< "cuda:0 (NVIDIA H200)" */
    char host[64];
    uint64_t rank;              /**< of its process */
    uint64_t histories;         /**< that it ran in that part */
    uint8_t is_dropped;         /**< it failed on the way, and others did its work again */
} result_device;

struct crp_result {
    /* what was run */
    char kind[16];
    char history_name[16];      /**< "photons" */
    char model_name[128];
    char model_digest[65];
    char *model_text;           /**< normalised input; owned */
    char *model_files;          /**< settings with the files that it names, as crp_model.files; NULL: none. Owned */
    char version[32], commit[48];
    char device[256];           /**< "cuda:0 (NVIDIA H200)"; of many devices a short text */
    result_device *devices;     /**< all of them, owned; NULL in files of early versions */
    size_t n_devices;
    char math[8];               /**< "strict", "fast", or "rays": a GPU's ray tracer decided what is hit */
    char date[32];              /**< ISO 8601, UTC, when the run ended */
    char host[64];
    uint64_t seed;
    char until[128];            /**< the trigger, "" if none */
    /* how far */
    uint64_t batch_size;        /**< histories of a batch; the last one of a run may be shorter */
    uint32_t batch_growth;      /**< 0: all batches are alike; g: the size doubles after every g batches */
    uint64_t histories_planned; /**< N asked for */
    uint64_t histories;         /**< done */
    uint32_t batches;           /**< done */
    double seconds;             /**< wall time of the transport, summed over resumptions */
    double device_seconds;      /**< time of the launches by the device's own clock; NaN where unknown */
    /* the numbers: arrays over all bins of all tallies, in the order of the plan */
    tally_spec *tallies;        /**< copy of the plan's, owned (edges and scale too) */
    size_t n_tallies, n_bins;
    crp_wide *sum;              /**< integer sum over all histories */
    double *mean_batch;         /**< mean per history so far in integer units: wide_ratio(sum, histories) */
    double *m2;                 /**< sum over batches of n_b (x_b/n_b - mean)^2 in integer units squared */
    double *cross;              /**< of ratios: the same with the deviation of the denominator; of derived tallies: mean over
                                     batches, of which mean_batch holds the value from all histories */
    event_spec *events;
    uint64_t *event_count;
    size_t n_events;
    result_spec *results;
    size_t n_results;
    result_axis_names *axis_names; /**< one a tally, owned, set by result_allocate */
    result_place *places;       /**< of some lost histories; owned */
    size_t n_places;
    char note[256];             /**< the module's line for the summary, "" if none; not in the file */
    char digest[65];            /**< formed by result_digest */
};

/** An empty result shaped like the plan. */
crp_status result_create(crp_context *context, const crp_model *model, const crp_plan *plan, crp_result **result);

/** An empty result with arrays for n_bins bins, n_tallies, n_events, n_results: for readers of files.
 * Afterwards `tallies` must not be moved: the views point into it. */
crp_status result_allocate(crp_context *context, size_t n_tallies, size_t n_bins, size_t n_events, size_t n_results,
                           crp_result **result);

/** Add one batch of n histories: integers to sum, deviations by Welford's weighted update. In order of batches only. */
void result_add_batch(crp_result *result, const crp_wide *bins, const uint64_t *events, uint64_t n);

/**
 * The same for derived tallies, after result_add_batch: bins of the batch of n histories. The value becomes that of all
 * histories; its error comes from the spread of the batches' own values. Errors: CRP_ERR_MEMORY.
 */
crp_status result_add_derived(crp_context *context, crp_result *result, const crp_plan *plan, const crp_wide *bins,
                              uint64_t n);

/** x / n in double, rounded once where |x| < 2^53 and exact whenever the quotient is a double: a score that is the same
 * in every history has no spread, however many there are. 0 for n = 0. */
double wide_ratio(crp_wide x, uint64_t n);

/** Physical mean per history and standard error of one bin (index among all bins). NaN error below two batches. */
double result_bin_mean(const crp_result *result, size_t tally, size_t bin);
double result_bin_std_dev(const crp_result *result, size_t tally, size_t bin);

/** What one integer more would add to that mean; NaN for derived tallies. */
double result_bin_unit(const crp_result *result, size_t tally, size_t bin);

/** Bin (among all) that the bin of a ratio is divided by; SIZE_MAX for other tallies. */
size_t result_denominator(const crp_result *result, size_t tally, size_t bin);

/** Form the digest from all integer sums and the event counters of histories (not from times or devices). */
void result_digest(crp_result *result);

/** Where the batch ends that history `first` belongs to (the first history of the next one). */
uint64_t result_batch_end(const crp_result *result, uint64_t first);

/** How many batches n histories take. */
uint32_t result_count_batches(const crp_result *result, uint64_t n);

/** The name of element i of an axis into `text`, "" if it has none. Returns `text`. */
const char *tally_axis_label(const tally_spec *t, uint32_t axis, size_t i, char *text, size_t size);

/** Index of a tally, or -1. */
ptrdiff_t result_find(const crp_result *result, const char *name);

#endif
