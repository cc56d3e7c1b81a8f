/** The tables behind kernel/arithmetic.h, computed with + - * / in double only, so that every machine gets the same bits. */
#ifndef MODEL_MATH_TABLES_H
#define MODEL_MATH_TABLES_H

#include "arithmetic.h"

/** Fill CK_TABLE_FLOATS floats: cells of the logarithm, then azimuths. */
void math_tables_fill(float *table);

#endif
