/** Initial radicals of gMicroMC: headerless little-endian arrays x, y, z, time, parent, species of N entries each. */
#ifndef IO_GMICROMC_H
#define IO_GMICROMC_H

#include "model/chem/chem.h"

/** A multiple of 24 bytes whose last array holds species ids only. */
bool gmicromc_recognise(const void *bytes, size_t n_bytes);

/** Append one track with all molecules of the file: its parent index is of an event and not of a track. Times are not
 * births and are not used. Errors: CRP_ERR_FORMAT. */
crp_status gmicromc_read(crp_context *context, const char *path, const void *bytes, size_t n_bytes, chem_model *model);

#endif
