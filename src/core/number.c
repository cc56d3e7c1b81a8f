/** Numbers as text: see number.h. */
#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *number_print(char text[NUMBER_TEXT], double value)
{
    if (isnan(value)) {
        return strcpy(text, "nan");
    }
    if (isinf(value)) {
        return strcpy(text, value < 0 ? "-inf" : "inf");
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof value) == 0) {
            break;
        }
    }
    /* A locale's decimal sign, which may be several bytes, is all that is not ASCII of a number. */
    size_t keep = strspn(text, "+-0123456789");
    size_t skip = strcspn(text + keep, "+-0123456789eE");
    if (skip > 0) {
        text[keep] = '.';
        memmove(text + keep + 1, text + keep + skip, strlen(text + keep + skip) + 1);
    }
    return text;
}
