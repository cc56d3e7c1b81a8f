/** Writer of MCML result files (.mco), version A1. Format: docs/formats/mco.md. */
#ifndef IO_MCO_H
#define IO_MCO_H

#include "engine/result.h"
#include "model/light/light.h"

typedef struct mco_options {
    int digits;         /**< significant digits of every number, 2 to 17; 0: MCML's own, 5 (6 in the RAT section) */
    bool has_std_dev;   /**< append sections SE_RAT, SE_A_l ... with standard errors; MCML's readers stop before them */
} mco_options;

/** MCML's digits, no standard errors. */
mco_options mco_options_default(void);

/**
 * Write a result as .mco: what is at `path` is replaced in one step, or, after an error, is as it was.
 *
 * Values are formed from the integer sums with MCML's scale factors. What fell outside the grid is added to the last
 * bin of r and of z, as MCML does; the standard error of such a bin is an upper bound, the sum of the errors.
 *
 * @param light    the model the result is of
 * @param result   with tallies Rsp, Rd, A, Tt; absorbed_fraction (n_layers); A_z (nz+1); Rd_r, Tt_r (nr+1);
 *                 Rd_a, Tt_a (na); A_rz (nr+1, nz+1); Rd_ra, Tt_ra (nr+1, na)
 * @param options  NULL: the default
 * Errors: CRP_ERR_ARG (digits, no histories), CRP_ERR_FORMAT (a tally is missing or has another shape), CRP_ERR_IO.
 */
crp_status mco_write(crp_context *context, const char *path, const light_model *light, const crp_result *result,
                     const mco_options *options);

#endif
