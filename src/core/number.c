/** Numbers as text: see number.h. */
#include "core/number.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void c_locale_create(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t number_locale_enter(void)
{
    pthread_once(&c_locale_once, c_locale_create);
    return c_locale == (locale_t)0 ? (locale_t)0 : uselocale(c_locale);
}

void number_locale_leave(locale_t before)
{
    if (before != (locale_t)0) {
        uselocale(before);
    }
}

const char *number_print(char text[NUMBER_TEXT], double value)
{
    if (isnan(value)) {
        return strcpy(text, "nan");
    }
    if (isinf(value)) {
        return strcpy(text, value < 0 ? "-inf" : "inf");
    }
    locale_t before = number_locale_enter();
    /* A double holds any 15 digits, of which %g drops the zeros at the end; a subnormal holds fewer. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) { /* NOLINT: equality is meant */
            break;
        }
    }
    number_locale_leave(before);
    return text;
}
