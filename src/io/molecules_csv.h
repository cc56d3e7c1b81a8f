/** Molecules as comma-separated text, corpuscle's own format: see docs/formats/molecules.md. */
#ifndef IO_MOLECULES_CSV_H
#define IO_MOLECULES_CSV_H

#include "io/molecules.h"

/** Whether the first line says so, or the first that is no comment names the columns species, x, y and z. */
bool molecules_csv_looks_like(const void *bytes, size_t n_bytes);

/** Fill the list. Errors: CRP_ERR_FORMAT, CRP_ERR_CONFIG, CRP_ERR_IO (the file of energies), CRP_ERR_MEMORY. */
crp_status molecules_csv_parse(crp_context *context, const void *bytes, size_t n_bytes, molecule_list *list);

#endif
