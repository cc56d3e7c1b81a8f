/** `--until`: stop when a relative or absolute standard error is small enough. */
#ifndef ENGINE_TRIGGER_H
#define ENGINE_TRIGGER_H

#include "engine/result.h"

enum {
    TRIGGER_MAX = 8,
    TRIGGER_MIN_BATCHES = 8 /**< an error estimated from fewer is too uncertain to stop for */
};

typedef struct trigger_term {
    char name[48];      /**< "Rd"; "absorbed_fraction" means every element of it, "absorbed_fraction[3]" one (from 1) */
    int64_t of;         /**< 0: all */
    char of_name[64];   /**< "inlet->outlet", where elements go by names; "": all, or by number */
    bool is_relative;   /**< rel_err(x) < limit, else std_dev(x) < limit */
    double limit;
} trigger_term;

typedef struct trigger {
    trigger_term terms[TRIGGER_MAX]; /**< all must hold */
    size_t n_terms;
} trigger;

/** Parse "rel_err(Rd)<0.1% and std_dev(Tt)<1e-5". Errors: CRP_ERR_ARG: says which part and what is expected. */
crp_status trigger_parse(crp_context *context, const char *text, trigger *out);
/** Check that every name is a tally of the result; CRP_ERR_ARG lists those that exist, nearest first. */
crp_status trigger_bind(crp_context *context, const trigger *t, const crp_result *result);
/** Do all terms hold? Never with fewer than TRIGGER_MIN_BATCHES, or without terms. `error` and `limit` get those of the
 * first term, NaN where there is none or the error is not known. */
bool trigger_holds(const trigger *t, const crp_result *result, double *error, double *limit);

#endif
