/** Numbers as text, the same in every locale. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

#include <locale.h>

enum { NUMBER_TEXT = 40 };

/**
 * Write the shortest decimal that reads back as the same double: "0.04", "1000", "1e-30", "nan", "inf", "-inf".
 * The decimal point is a point whatever the locale says. Returns `text`. Thread-safe.
 */
const char *number_print(char text[NUMBER_TEXT], double value);

/**
 * Make "C" the locale of the calling thread, which strtod and printf obey, until number_locale_leave() gets back what
 * this returned. Thread-safe.
 */
locale_t number_locale_enter(void);
void number_locale_leave(locale_t before);

#endif
