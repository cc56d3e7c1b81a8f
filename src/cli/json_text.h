/** The two things that JSON written by hand gets wrong: strings and numbers that are not finite. */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdio.h>

/** A string in quotes, with what must be escaped. */
void json_print_string(FILE *file, const char *text);

/** A number that reads back exactly, "null" for NaN and infinities. */
void json_print_real(FILE *file, double value);

#endif
