/** Shapes of radiation pulses as files give them: see docs/formats/pulse.md. */
#ifndef IO_PULSE_TABLE_H
#define IO_PULSE_TABLE_H

#include "core/context.h"

/** Relative current at times; linear between them, zero outside. */
typedef struct pulse_table {
    size_t n;        /**< points, at least 2 */
    double *time;    /**< [ps], >= 0, increasing */
    double *current; /**< relative, >= 0, not all zero */
    double *charge;  /**< part of the pulse delivered by then, from 0 to exactly 1 */
} pulse_table;

/**
 * Read a pulse: two columns, time [us] (first column; another unit where a header `time [ns]` says so) and relative current.
 * `#` begins a comment. Errors: CRP_ERR_FORMAT, CRP_ERR_CONFIG with path and line, CRP_ERR_MEMORY.
 */
crp_status pulse_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes, pulse_table **table);
/** The same from disk. Errors: also CRP_ERR_IO. */
crp_status pulse_read(crp_context *context, const char *path, pulse_table **table);
/** Free and set to NULL; accepts NULL and a pointer to NULL. */
void pulse_destroy(pulse_table **table);

#endif
