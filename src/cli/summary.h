/** What a person wants to know at the end of a run, on stderr. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "engine/result.h"

#include <stdio.h>

/** A mean and its standard error to two digits of the error: "0.56271 +- 0.00034". NaN error: "(error unknown)". */
void summary_format_value(double mean, double std_dev, char *text, size_t size);

/** Histories in impossible states: the sum of all fault counters. */
uint64_t summary_lost(const crp_result *result);

/** Print results with errors, rate, device, seed and lost histories; `verbose` adds all event counters and the digest.
 */
void summary_print(FILE *file, const crp_result *result, bool is_verbose);

#endif
