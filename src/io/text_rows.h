/** Small text tables: lines, comments, fields, numbers with file and line in every message. */
#ifndef IO_TEXT_ROWS_H
#define IO_TEXT_ROWS_H

#include "core/units.h"

#include <stdbool.h>

enum { ROW_MAX_FIELDS = 64 };

/** A piece of the text, without blanks around it. */
typedef struct text_field {
    const char *at;
    size_t length;
} text_field;

/** A reader that goes through a text line by line. Fill with rows_open. */
typedef struct text_rows {
    crp_context *context;
    const char *path;       /**< for messages */
    const char *next, *end; /**< text not yet looked at */
    uint64_t line;          /**< number of the line in hand, from 1 */
    const char *at, *stop;  /**< the line in hand without its end */
    char separator;         /**< ',', ';', '\t', or ' ' for any run of blanks */
} text_rows;

/** Begin. A byte order mark is skipped. Errors: CRP_ERR_FORMAT for a NUL byte, with its line. */
crp_status rows_open(text_rows *rows, crp_context *context, const char *path, const char *text, size_t n_bytes);
/** Go to the next line, whatever is in it; LF, CR LF and CR end lines. False at the end of the text. */
bool rows_next(text_rows *rows);
/** Whether the line in hand is blank. */
bool rows_is_blank(const text_rows *rows);
/** Choose the separator from a header line: the first of comma, semicolon, tab that is in it, else blanks. */
void rows_choose_separator(text_rows *rows);
/** Cut the line in hand into fields; quotes around a field are taken off. Returns their number, at most ROW_MAX_FIELDS + 1. */
size_t rows_split(const text_rows *rows, text_field fields[ROW_MAX_FIELDS]);

/** Record "path:line: " and the message. */
crp_status rows_fail(const text_rows *rows, crp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** A field without blanks around it. */
text_field field_trim(const char *at, const char *stop);
/** Whether a field is this word, upper and lower case alike. */
bool field_is(text_field field, const char *word);
/** A copy that ends in a zero byte; cut where `text` is too small, control bytes as '?'. Returns `text`. */
char *field_copy(text_field field, char *text, size_t size);

/**
 * A plain decimal number that fills a field; not "nan", "inf", hexadecimal.
 * Errors: CRP_ERR_FORMAT, "path:line: x = ...: problem", for anything else or a number too large.
 */
crp_status field_real(const text_rows *rows, text_field field, const char *name, double *value);
/** A whole number from 0 that fills a field. Errors as above. */
crp_status field_count(const text_rows *rows, text_field field, const char *name, uint64_t *value);
/** A number with or without unit: see units_parse_real. */
crp_status field_quantity(const text_rows *rows, text_field field, const char *name, unit_dimension dimension,
                          const char *unit, double *value);

#endif
