/** Writer of MCML input files (.mci). Format: docs/formats/mci.md. */
#ifndef IO_MCI_WRITE_H
#define IO_MCI_WRITE_H

#include "model/model.h"

#include <stdio.h>

/**
 * Write models of kind `light` as one .mci file, one run each, with all digits of every number.
 *
 * What a .mci cannot say is an error if it changes the physics (roulette other than MCML's, no number of photons) and
 * dropped otherwise (seed, batches, trigger, fluence).
 *
 * Errors: CRP_ERR_UNSUPPORTED with what does not fit, CRP_ERR_IO.
 */
crp_status mci_write(crp_context *context, const crp_model *const *models, size_t n_models, FILE *file);

#endif
