/** The two things that JSON written by hand gets wrong: strings and numbers that are not finite. */
#include "cli/json_text.h"

#include <math.h>

void json_print_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

void json_print_real(FILE *file, double value)
{
    if (isfinite(value)) {
        fprintf(file, "%.17g", value);
    } else {
        fputs("null", file);
    }
}
