/* Data lines and numbers of an .mci file. What MCML itself does with them is in docs/formats/mci.md. */
#define _GNU_SOURCE /* strtod_l */
#include "io/mci_lines.h"

#include "core/context.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WARNINGS = 50 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* --------------------------------------------------------------------------------------------- messages */

crp_status mci_fail(mci_reader *reader, crp_status status, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return context_fail(reader->context, status, "%s:%" PRIu64 ": %s%s", reader->path, reader->line, reader->scope,
                        message);
}

void mci_warn(mci_reader *reader, const char *format, ...)
{
    reader->n_warnings++;
    if (reader->n_warnings > MAX_WARNINGS) {
        if (reader->n_warnings == MAX_WARNINGS + 1) {
            context_log(reader->context, CRP_LOG_WARNING, "mci", "%s: more warnings are not shown", reader->path);
        }
        return;
    }
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    context_log(reader->context, CRP_LOG_WARNING, "mci", "%s:%" PRIu64 ": %s%s", reader->path, reader->line,
                reader->scope, message);
}

const char *mci_quote(const char *text, const char *end, char quoted[80])
{
    size_t n = 0;
    for (; end == NULL ? *text != '\0' : text < end; text++) {
        if (n > 60) {
            memcpy(quoted + n, "...", 3);
            n += 3;
            break;
        }
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c >= 0x7f) {
            n += (size_t)snprintf(quoted + n, 5, "\\x%02x", c);
        } else {
            quoted[n++] = (char)c;
        }
    }
    while (n > 0 && quoted[n - 1] == ' ') {
        n--;
    }
    quoted[n] = '\0';
    return quoted;
}

/* ------------------------------------------------------------------------------------------------ lines */

crp_status mci_reader_open(mci_reader *reader, crp_context *context, const char *path, const char *text, size_t n_bytes)
{
    memset(reader, 0, sizeof *reader);
    reader->context = context;
    reader->path = path;
    reader->next = text;
    reader->end = text + n_bytes;
    reader->cursor = reader->text;
    reader->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    CRP_CHECK(context, reader->locale != (locale_t)0, CRP_ERR_MEMORY, "%s: no memory for the C locale", path);
    if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark of UTF-8 */
        reader->next += 3;
    }
    reader->newline = n_bytes > 0 && memchr(text, '\n', n_bytes) != NULL ? '\n' : '\r';
    const char *nul = n_bytes > 0 ? memchr(text, '\0', n_bytes) : NULL;
    if (nul != NULL) {
        reader->line = 1;
        for (const char *at = text; at < nul; at++) {
            reader->line += *at == reader->newline;
        }
        return mci_fail(reader, CRP_ERR_FORMAT,
                        "holds a NUL byte (so it is a binary file, or UTF-16 text, not an .mci): save it as plain text");
    }
    return CRP_OK;
}

void mci_reader_close(mci_reader *reader)
{
    if (reader->locale != (locale_t)0) {
        freelocale(reader->locale);
        reader->locale = (locale_t)0;
    }
}

/* Copy a data line: MCML deletes what cannot be printed, except white space; here that becomes a blank. */
static void take_line(mci_reader *reader, const char *begin, const char *stop)
{
    size_t n = 0;
    bool has_control = false, has_bytes = false;
    for (const char *at = begin; at < stop && n + 1 < MCI_LINE_MAX; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            if (n > 0) { /* text begins with data also where a control character stood in front of blanks */
                reader->text[n++] = ' ';
            }
        } else if (c < 0x20 || c == 0x7f) {
            has_control = true;
        } else {
            has_bytes = has_bytes || c >= 0x80;
            reader->text[n++] = (char)c;
        }
    }
    reader->text[n] = '\0';
    reader->cursor = reader->text;
    if (has_control) {
        mci_warn(reader, "control characters are left out (as MCML does) remove them");
    }
    if (has_bytes && !reader->has_noted_bytes) {
        reader->has_noted_bytes = true;
        mci_warn(reader, "holds bytes beyond ASCII (MCML itself may stop here with \"Non-ASCII file\")");
    }
    if (stop - begin > MCML_PIECE && !reader->has_noted_long) {
        reader->has_noted_long = true;
        mci_warn(reader, "%zu characters (MCML itself reads a line in pieces of %d and takes the rest as the next line)",
                 (size_t)(stop - begin), MCML_PIECE);
    }
}

/* What MCML would trip over in a line that carries no data: said once a file, for who still runs MCML too. */
static void note_comment(mci_reader *reader, const char *begin, const char *first, const char *stop)
{
    if (first < stop && *first == '\r' && !reader->has_noted_crlf) {
        reader->has_noted_crlf = true;
        context_log(reader->context, CRP_LOG_INFO, "mci",
                    "%s:%" PRIu64 ": blank line with a carriage return is skipped (MCML itself takes it for data)",
                    reader->path, reader->n_lines);
    }
    if (stop - begin > MCML_PIECE && !reader->has_noted_long) {
        reader->has_noted_long = true;
        reader->line = reader->n_lines;
        char scope = reader->scope[0];
        reader->scope[0] = '\0';
        mci_warn(reader, "comment of %zu characters (MCML itself reads lines in pieces of %d and may take the rest for "
                 "data)", (size_t)(stop - begin), MCML_PIECE);
        reader->scope[0] = scope;
    }
}

bool mci_next(mci_reader *reader)
{
    while (reader->next < reader->end) {
        const char *begin = reader->next;
        const char *stop = memchr(begin, reader->newline, (size_t)(reader->end - begin));
        reader->next = stop == NULL ? reader->end : stop + 1;
        stop = stop == NULL ? reader->end : stop;
        reader->n_lines++;
        const char *first = begin;
        while (first < stop && is_blank(*first)) {
            first++;
        }
        const char *data = first;
        while (data < stop && isspace((unsigned char)*data)) {
            data++;
        }
        if (data == stop || *data == '#') {
            note_comment(reader, begin, first, stop);
            continue;
        }
        reader->line = reader->n_lines;
        take_line(reader, data, stop);
        if (reader->text[0] != '\0' && reader->text[0] != '#') {
            return true;
        }
    }
    return false;
}

crp_status mci_expect(mci_reader *reader, const char *what)
{
    if (mci_next(reader)) {
        return CRP_OK;
    }
    reader->line = reader->n_lines == 0 ? 1 : reader->n_lines;
    return mci_fail(reader, CRP_ERR_FORMAT, "the file ends where %s is expected (see docs/formats/mci.md for the order)",
                    what);
}

/* ---------------------------------------------------------------------------------------------- numbers */

/* The exact value of [+]digits[.digits][e[+-]digits]: a double would lose the last digits of large counts. */
static bool exact_whole(const char *at, const char *stop, uint64_t *whole)
{
    uint64_t value = 0;
    int shift = 0, exponent = 0, zeros = 0;
    bool has_point = false, is_exact = true;
    at += at < stop && *at == '+';
    for (; at < stop && (isdigit((unsigned char)*at) || *at == '.'); at++) {
        if (*at == '.') {
            has_point = true;
            continue;
        }
        shift -= has_point;
        if (*at == '0') { /* held back: zeros at the end of a fraction must not overflow anything */
            zeros++;
            continue;
        }
        for (; zeros > 0 && value != 0 && is_exact; zeros--) {
            is_exact = !__builtin_mul_overflow(value, (uint64_t)10, &value);
        }
        zeros = 0;
        is_exact = is_exact && !__builtin_mul_overflow(value, (uint64_t)10, &value) &&
                   !__builtin_add_overflow(value, (uint64_t)(*at - '0'), &value);
    }
    if (at < stop) {
        bool is_negative = at + 1 < stop && at[1] == '-';
        if ((*at != 'e' && *at != 'E') || !is_exact) {
            return false;
        }
        for (at += 1; at < stop; at++) {
            if (isdigit((unsigned char)*at) && exponent < 100000) {
                exponent = 10 * exponent + (*at - '0');
            }
        }
        exponent = is_negative ? -exponent : exponent;
    }
    exponent += zeros + shift;
    for (; exponent > 0 && is_exact && value != 0; exponent--) {
        is_exact = !__builtin_mul_overflow(value, (uint64_t)10, &value);
    }
    *whole = value;
    return is_exact && (exponent >= 0 || value == 0);
}

/* What scanf's %ld makes of the text. */
static bool mcml_whole(const char *at, const char *stop, uint64_t *whole)
{
    at += at < stop && *at == '+';
    if (at >= stop || !isdigit((unsigned char)*at)) {
        return false;
    }
    *whole = 0;
    for (; at < stop && isdigit((unsigned char)*at); at++) {
        if (__builtin_mul_overflow(*whole, (uint64_t)10, whole) ||
            __builtin_add_overflow(*whole, (uint64_t)(*at - '0'), whole)) {
            return false;
        }
    }
    return true;
}

static void fill_number(const char *begin, const char *stop, mci_number *number)
{
    size_t n = (size_t)(stop - begin);
    if (n < sizeof number->text) {
        memcpy(number->text, begin, n);
        number->text[n] = '\0';
    } else {
        snprintf(number->text, sizeof number->text, "%.24s...", begin);
    }
    number->is_whole = exact_whole(begin, stop, &number->whole);
    number->has_mcml = mcml_whole(begin, stop, &number->mcml);
    number->is_plain = true;
    for (const char *at = begin; at < stop; at++) {
        number->is_plain = number->is_plain && (isdigit((unsigned char)*at) || (at == begin && *at == '+'));
    }
}

/* A decimal comma, or Fortran's 1.0D-3: MCML reads the digits in front only. No warning is loud enough for that. */
static bool is_misspelt(const char *end)
{
    bool has_digit = isdigit((unsigned char)end[1]) != 0;
    bool has_exponent = has_digit || ((end[1] == '-' || end[1] == '+') && isdigit((unsigned char)end[2]));
    return (*end == ',' && has_digit) || ((*end == 'd' || *end == 'D') && has_exponent);
}

crp_status mci_read_number(mci_reader *reader, const char *name, const char *form, bool is_last, mci_number *number)
{
    memset(number, 0, sizeof *number);
    while (is_blank(*reader->cursor)) {
        reader->cursor++;
    }
    const char *begin = reader->cursor;
    char quoted[80];
    if (*begin == '\0' || *begin == '#') {
        return mci_fail(reader, CRP_ERR_FORMAT, "%s is missing (the line must hold %s): '%s'", name, form,
                        mci_quote(reader->text, NULL, quoted));
    }
    char *end = NULL;
    number->value = strtod_l(begin, &end, reader->locale);
    bool is_glued = !is_blank(*end) && *end != '\0' && *end != '#';
    const char *digits = begin + (*begin == '+' || *begin == '-');
    bool is_word = isalpha((unsigned char)*digits) != 0; /* inf, nan */
    if (end == begin || (is_glued && (!is_last || is_word || is_misspelt(end)))) {
        const char *stop = begin;
        while (*stop != '\0' && !is_blank(*stop)) {
            stop++;
        }
        return mci_fail(reader, CRP_ERR_FORMAT,
                        "%s = '%s' is not a number (the line must hold %s, parted by blanks, with a decimal point)", name,
                        mci_quote(begin, stop, quoted), form);
    }
    fill_number(begin, end, number);
    reader->cursor = end;
    return CRP_OK;
}

crp_status mci_read_real(mci_reader *reader, const char *name, const char *form, bool is_last,
                         const char *(*check)(double), double *value)
{
    mci_number number;
    CRP_TRY(mci_read_number(reader, name, form, is_last, &number));
    const char *rule = check(number.value);
    if (rule != NULL) {
        return mci_fail(reader, CRP_ERR_CONFIG, "%s = %s %s", name, number.text, rule);
    }
    *value = number.value + 0.0; /* -0 is 0, in the digest too */
    return CRP_OK;
}

crp_status mci_read_count(mci_reader *reader, const char *name, const char *form, bool is_last, uint64_t most,
                          uint64_t mcml_most, uint64_t *count)
{
    mci_number number;
    CRP_TRY(mci_read_number(reader, name, form, is_last, &number));
    if (!(number.value > 0.0)) {
        return mci_fail(reader, CRP_ERR_CONFIG, "%s = %s must be at least 1", name, number.text);
    }
    if (number.value > (double)most || (number.is_whole && number.whole > most)) {
        return mci_fail(reader, CRP_ERR_CONFIG, "%s = %s must be at most %" PRIu64, name, number.text, most);
    }
    if (!number.is_whole || number.whole == 0) {
        return mci_fail(reader, CRP_ERR_CONFIG, "%s = %s must be a whole number (such as 1000)", name, number.text);
    }
    *count = number.whole;
    if (!number.is_plain && !number.has_mcml) {
        mci_warn(reader, "%s = %s is taken as %" PRIu64 " (MCML itself cannot read it) write %" PRIu64, name,
                 number.text, *count, *count);
    } else if (!number.is_plain) {
        mci_warn(reader, "%s = %s is taken as %" PRIu64 " (MCML itself would read %" PRIu64 ") write %" PRIu64, name,
                 number.text, *count, number.mcml, *count);
    }
    if (*count > mcml_most) {
        mci_warn(reader, "%s = %" PRIu64 " is used as it is (MCML itself has at most %" PRIu64 " here and would refuse)",
                 name, *count, mcml_most);
    }
    return CRP_OK;
}

void mci_end_line(mci_reader *reader)
{
    while (is_blank(*reader->cursor)) {
        reader->cursor++;
    }
    if (*reader->cursor != '\0' && *reader->cursor != '#') {
        char quoted[80];
        mci_warn(reader, "text behind the last number is ignored (as MCML does): '%s'",
                 mci_quote(reader->cursor, NULL, quoted));
    }
}
