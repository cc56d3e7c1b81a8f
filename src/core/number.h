/** Numbers as text, the same in every locale. */
#ifndef CORE_NUMBER_H
#define CORE_NUMBER_H

enum { NUMBER_TEXT = 40 };

/**
 * Write the shortest decimal that reads back as the same double: "0.04", "1e-30", "nan", "inf", "-inf".
 * The decimal point is a point whatever the locale says. Returns `text`.
 */
const char *number_print(char text[NUMBER_TEXT], double value);

#endif
