/** Small text tables: see text_rows.h. */
#include "io/text_rows.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

crp_status rows_open(text_rows *rows, crp_context *context, const char *path, const char *text, size_t n_bytes)
{
    *rows = (text_rows){.context = context, .path = path, .next = text, .end = text + n_bytes, .separator = ' '};
    if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        rows->next += 3;
    }
    const char *nul = memchr(text, '\0', n_bytes);
    if (nul != NULL) {
        rows->line = 1;
        for (const char *p = text; p < nul; p++) {
            rows->line += *p == '\n';
        }
        return rows_fail(rows, CRP_ERR_FORMAT, "holds a NUL byte (not text): is this a binary file?");
    }
    return CRP_OK;
}

bool rows_next(text_rows *rows)
{
    if (rows->next >= rows->end) {
        return false;
    }
    rows->line++;
    rows->at = rows->next;
    const char *p = rows->next;
    while (p < rows->end && *p != '\n' && *p != '\r') {
        p++;
    }
    rows->stop = p;
    if (p < rows->end) {
        p += *p == '\r' && p + 1 < rows->end && p[1] == '\n' ? 2 : 1;
    }
    rows->next = p;
    return true;
}

bool rows_is_blank(const text_rows *rows)
{
    return field_trim(rows->at, rows->stop).length == 0;
}

void rows_choose_separator(text_rows *rows)
{
    size_t length = (size_t)(rows->stop - rows->at);
    rows->separator = ' ';
    for (const char *s = ",;\t"; *s != '\0'; s++) {
        if (memchr(rows->at, *s, length) != NULL) {
            rows->separator = *s;
            return;
        }
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

text_field field_trim(const char *at, const char *stop)
{
    while (at < stop && is_blank(*at)) {
        at++;
    }
    while (at < stop && is_blank(stop[-1])) {
        stop--;
    }
    return (text_field){at, (size_t)(stop - at)};
}

static text_field unquote(text_field f)
{
    bool is_quoted = f.length >= 2 && (*f.at == '"' || *f.at == '\'') && f.at[f.length - 1] == *f.at;
    return is_quoted ? field_trim(f.at + 1, f.at + f.length - 1) : f;
}

size_t rows_split(const text_rows *rows, text_field fields[ROW_MAX_FIELDS])
{
    size_t n = 0;
    const char *p = rows->at;
    bool is_loose = rows->separator == ' ';
    for (;;) {
        while (is_loose && p < rows->stop && is_blank(*p)) {
            p++;
        }
        if (is_loose && p == rows->stop) {
            return n;
        }
        const char *begin = p;
        while (p < rows->stop && (is_loose ? !is_blank(*p) : *p != rows->separator)) {
            p++;
        }
        if (n == ROW_MAX_FIELDS) {
            return n + 1;
        }
        fields[n++] = unquote(field_trim(begin, p));
        if (p == rows->stop) {
            return n;
        }
        p++;
    }
}

crp_status rows_fail(const text_rows *rows, crp_status status, const char *format, ...)
{
    char message[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return context_fail(rows->context, status, "%s:%llu: %s", rows->path, (unsigned long long)rows->line, message);
}

bool field_is(text_field field, const char *word)
{
    return strlen(word) == field.length && strncasecmp(field.at, word, field.length) == 0;
}

char *field_copy(text_field field, char *text, size_t size)
{
    size_t n = field.length < size - 1 ? field.length : size - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)field.at[i];
        text[i] = c < 0x20 || c == 0x7f ? '?' : field.at[i];
    }
    text[n] = '\0';
    return text;
}

/* ------------------------------------------------------------------------------------------------- numbers */

/* Up to 15 digits and a power of ten up to 22 are exact in a double, and so is one product or quotient of them correctly
 * rounded (Clinger 1990): that is nearly every number in a file. Returns false when the slow way must decide. */
static bool scan_quickly(text_field field, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *p = field.at, *stop = field.at + field.length;
    bool is_negative = p < stop && *p == '-', has_point = false;
    int n_digits = 0, exponent = 0;
    uint64_t digits = 0;
    p += p < stop && (*p == '-' || *p == '+');
    for (; p < stop && ((*p >= '0' && *p <= '9') || (*p == '.' && !has_point)); p++) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(*p - '0');
        n_digits++;
        exponent -= has_point;
        if (n_digits > 15) {
            return false;
        }
    }
    if (p != stop || n_digits == 0 || exponent < -22) {
        return false;
    }
    double size = (double)digits / powers[-exponent];
    *value = is_negative ? -size : size;
    return true;
}

crp_status field_real(const text_rows *rows, text_field field, const char *name, double *value)
{
    char text[120];
    const char *end;
    if (scan_quickly(field, value)) {
        return CRP_OK;
    }
    field_copy(field, text, sizeof text);
    if (field.length >= sizeof text) {
        return rows_fail(rows, CRP_ERR_FORMAT, "%s = %.40s... is too long for a number: write at most 17 digits", name, text);
    }
    *value = units_scan_real(text, &end);
    if (field.length == 0 || end == text || *end != '\0') {
        return rows_fail(rows, CRP_ERR_FORMAT, "%s = \"%.60s\" is not a finite decimal number: write it like 12.5 or 1e-3",
                         name, text);
    }
    if (!isfinite(*value)) {
        return rows_fail(rows, CRP_ERR_CONFIG, "%s = %.60s is too large: it must be finite", name, text);
    }
    return CRP_OK;
}

crp_status field_count(const text_rows *rows, text_field field, const char *name, uint64_t *value)
{
    char text[40];
    field_copy(field, text, sizeof text);
    if (field.length == 0 || field.length > 19 || text[strspn(text, "0123456789")] != '\0') {
        return rows_fail(rows, CRP_ERR_FORMAT, "%s = \"%s\" is not a whole number from 0 on", name, text);
    }
    *value = strtoull(text, NULL, 10);
    return CRP_OK;
}

crp_status field_quantity(const text_rows *rows, text_field field, const char *name, unit_dimension dimension,
                          const char *unit, double *value)
{
    char text[120], where[1200];
    field_copy(field, text, sizeof text);
    snprintf(where, sizeof where, "%s:%llu: %s", rows->path, (unsigned long long)rows->line, name);
    return units_parse_real(rows->context, where, text, dimension, unit, value);
}
