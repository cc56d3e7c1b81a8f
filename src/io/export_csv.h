/** Results as comma-separated values (RFC 4180). Format: docs/formats/csv.md. */
#ifndef IO_EXPORT_CSV_H
#define IO_EXPORT_CSV_H

#include "engine/result.h"

#include <stdio.h>

/**
 * One tally: a line of names with units, then one line a bin: the centre of each axis, mean, standard error.
 * @param tally  index of the tally
 * The caller checks the stream.
 */
void csv_write_tally(const crp_result *result, size_t tally, FILE *file);

/** All tallies in long form: tally, for each axis its index (from 0) and centre, mean, standard error, unit. */
void csv_write_all(const crp_result *result, FILE *file);

#endif
