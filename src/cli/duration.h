/** Times as people write them on a command line. */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdbool.h>

/** Seconds: "90", "90s", "1.5m", "10m", "1h", "1h30m". False for anything else; the result is finite and >= 0. */
bool duration_parse(const char *text, double *seconds);

#endif
