/** Writer of MCML result files (.mco), version A1. Format: docs/formats/mco.md. */
#ifndef IO_MCO_H
#define IO_MCO_H

#include "engine/result.h"
#include "model/light/light.h"

#include <stdio.h>

/**
 * Write a result as .mco.
 *
 * Values are formed from the integer sums with MCML's scale factors. What fell outside the grid is added to the last
 * bin of r and of z, as MCML does; the standard error of such a bin is an upper bound, the sum of the errors.
 *
 * @param light    the model the result is of
 * @param result   with tallies Rsp, Rd, A, Tt; absorbed_fraction (n_layers); A_z (nz+1); Rd_r, Tt_r (nr+1);
 *                 Rd_a, Tt_a (na); A_rz (nr+1, nz+1); Rd_ra, Tt_ra (nr+1, na)
 * @param options  digits: 2 to 17, 0 for MCML's own, 5 (6 in the RAT section). has_std_dev: append the sections SE_RAT,
 *                 SE_A_l ... with standard errors, which MCML's readers stop before
 * @param path     name that the file gives itself where the model has none
 * @param file     open for writing; its state (a full disk) is the caller's to look at
 * Errors: CRP_ERR_ARG (digits, no histories), CRP_ERR_FORMAT (a tally is missing or has another shape).
 */
crp_status mco_write(crp_context *context, const light_model *light, const crp_result *result,
                     const output_options *options, const char *path, FILE *file);

#endif
