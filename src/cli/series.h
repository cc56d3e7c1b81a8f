/** Curves of a result as a table: a row for each of some points, a column for each name. */
#ifndef CLI_SERIES_H
#define CLI_SERIES_H

#include "engine/result.h"

#include <stdio.h>

/** Print the first tally over points and names, if there is one, at a dozen of its points. */
void series_print(FILE *file, const crp_result *result);

/** "2.2432(18)": the mean with the standard error in units of its last digits; the mean alone where the error is unknown. */
void series_format_value(double mean, double std_dev, char *text, size_t size);

#endif
