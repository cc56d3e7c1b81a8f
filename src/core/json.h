/** The parts of JSON that are easy to get wrong when written by hand: strings, and numbers that are not finite. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <stdio.h>

/** A string in quotes, escaped (RFC 8259). Bytes that are not UTF-8 become U+FFFD, for JSON must be UTF-8. */
void json_write_string(FILE *file, const char *text);

/** The shortest number that reads back as the same double; `null` for NaN and infinities. */
void json_write_real(FILE *file, double value);

#endif
