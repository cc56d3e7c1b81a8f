/** Initial radicals of gMicroMC: headerless binary, see docs/formats/gmicromc.md. */
#ifndef IO_MOLECULES_GMICROMC_H
#define IO_MOLECULES_GMICROMC_H

#include "io/molecules.h"

/** Whether the size is a multiple of 24 and (nearly) all species ids are known ones: a faulty id is then a message. */
bool gmicromc_looks_like(const void *bytes, size_t n_bytes);

/** Fill the list: one track, all molecules present from the start. Errors: CRP_ERR_FORMAT, CRP_ERR_CONFIG, CRP_ERR_MEMORY. */
crp_status gmicromc_parse(crp_context *context, const void *bytes, size_t n_bytes, molecule_list *list);

#endif
