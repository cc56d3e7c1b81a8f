/** Strings and numbers of JSON: see json.h. */
#include "core/json.h"

#include "core/number.h"

#include <math.h>
#include <string.h>

/** Length of the valid UTF-8 sequence at `c`, 0 if there is none. Ref: RFC 3629, section 4. */
static size_t utf8_length(const unsigned char *c)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (c[0] < forms[i].first_low || c[0] > forms[i].first_high) {
            continue;
        }
        if (forms[i].length > 1 && (c[1] < forms[i].second_low || c[1] > forms[i].second_high)) {
            continue;
        }
        for (size_t k = 2; k < forms[i].length; k++) {
            if (c[k] < 0x80 || c[k] > 0xbf) {
                return 0;
            }
        }
        return forms[i].length;
    }
    return 0;
}

void json_write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        size_t length = utf8_length(c);
        if (length == 0) {
            fputs("\\ufffd", file);
            c++;
        } else if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c++);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(file, "\\u%04x", (unsigned)*c++);
        } else {
            fwrite(c, 1, length, file);
            c += length;
        }
    }
    fputc('"', file);
}

void json_write_real(FILE *file, double value)
{
    char text[NUMBER_TEXT];
    fputs(isfinite(value) ? number_print(text, value) : "null", file);
}
