/** Starter inputs for `corpuscle new NAME`: commented YAML that runs as it is. */
#ifndef IO_STARTER_H
#define IO_STARTER_H

#include "core/context.h"

#include <stdio.h>

/** A number that a starter is made from, set as `--set name=value`. */
typedef struct starter_parameter {
    const char *name;     /**< "length_over_radius"; NULL ends a list */
    double value;         /**< default */
    double least, most;
    const char *doc;      /**< with the unit in brackets */
} starter_parameter;

typedef struct starter {
    const char *name;    /**< "light-skin7" */
    const char *summary; /**< one line */
    const char *text;    /**< commented YAML, ASCII; NULL where it is made */
    const starter_parameter *parameters; /**< of a starter that is made, ended by one without a name */
    /** Write the text; `values` are those of the parameters. */
    crp_status (*make)(crp_context *context, const double *values, FILE *file);
} starter;

/** All starters, `*n` of them, in the order of a list for people. Static storage. */
const starter *starter_list(size_t *n);

/**
 * The model of a starter, settings applied.
 *
 * @param settings    n `path=value` strings, or `parameter=value`; may be NULL when n is 0
 * @param[out] input  one model; free with crp_input_destroy
 * Errors: CRP_ERR_ARG for an unknown name (with the nearest), CRP_ERR_CONFIG for a setting that does not fit.
 */
crp_status starter_load(crp_context *context, const char *name, const char *const *settings, size_t n,
                        crp_input **input);

/**
 * Write a starter, settings applied; or the text of a shipped set of chem, "chem-set-paper" and so on, which takes none. Comments and layout stay; where a setting names a key that the text does not
 * have, the whole is written anew without comments.
 *
 * @param settings  n `path=value` strings; may be NULL when n is 0
 * Errors: CRP_ERR_ARG for an unknown name (with the nearest), CRP_ERR_CONFIG for a setting that does not fit (nothing
 * is written then), CRP_ERR_IO.
 */
crp_status starter_write(crp_context *context, const char *name, const char *const *settings, size_t n, FILE *file);

#endif
