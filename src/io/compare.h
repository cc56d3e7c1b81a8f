/** Do two results agree within their errors? `corpuscle compare a.h5 b.h5`. */
#ifndef IO_COMPARE_H
#define IO_COMPARE_H

#include "engine/result.h"

#include <stdio.h>

typedef enum compare_shape {
    COMPARE_COMMON, /**< both results have the tally, in one shape */
    COMPARE_ONLY_IN_A,
    COMPARE_ONLY_IN_B,
    COMPARE_OTHER_SHAPE /**< other shape, unit or edges: nothing compared */
} compare_shape;

/** One tally. Bins are counted within the tally, in C order. */
typedef struct compare_tally {
    char name[48];
    compare_shape shape;
    size_t n_bins;
    size_t n_checked;   /**< compared by z */
    size_t n_exact;     /**< no spread in either: compared as numbers */
    size_t n_skipped;   /**< no error known (fewer than two batches) */
    size_t n_beyond;    /**< disagree */
    size_t worst;       /**< bin with the least probability */
    double worst_z;     /**< (b - a) / sqrt(sa^2 + sb^2) there; infinite: differ without spread; NaN: nothing checked */
    double worst_limit; /**< of |z| there */
    double chi2;        /**< sum of z^2: near n_checked when all is well; bins of one run are not independent */
} compare_tally;

typedef struct compare_report {
    bool is_same_bits; /**< the digests are equal: nothing else was looked at */
    bool is_same_input;
    bool is_same_seed; /**< of the same input: the runs share histories, z is too small by nature */
    bool agree;        /**< no bin beyond its limit, every tally in both in one shape, something was compared */
    size_t n_checks;   /**< m, over all tallies */
    size_t n_skipped;
    double limit; /**< |z| limit given by the caller, 0: formed from m */
    compare_tally *tallies;
    size_t n_tallies;
} compare_report;

/**
 * Compare bin by bin: z = (b - a) / sqrt(sa^2 + sb^2), Student's t with Welch's degrees of freedom from batches - 1 of
 * each. The limit follows from the number of checks at a family error of 1e-4 (Bonferroni, two-sided).
 *
 * @param limit  largest |z| allowed, for every bin; 0: from the number of checks
 * Errors: CRP_ERR_ARG (results of different kinds), CRP_ERR_MEMORY. Disagreement is no error: see report->agree.
 */
crp_status compare_results(crp_context *context, const crp_result *a, const crp_result *b, double limit,
                           compare_report **report);
void compare_destroy(compare_report **report);

/** A table for people: one line a tally and a verdict. */
void compare_print(const compare_report *report, const crp_result *a, const crp_result *b, FILE *file);

#endif
