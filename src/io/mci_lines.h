/** Data lines and numbers of an .mci file, read as MCML reads them but without its limits. See docs/formats/mci.md. */
#ifndef IO_MCI_LINES_H
#define IO_MCI_LINES_H

#include "corpuscle/corpuscle.h"

#include <locale.h>
#include <stdbool.h>

enum {
    MCI_LINE_MAX = 4096, /* of a data line: the file name and every number are within it, else an error says so */
    MCML_PIECE = 254,    /* MCML reads a longer line in pieces of this many characters */
    MCML_SHORT = 32767   /* MCML holds most counts in 16 bits */
};

typedef struct mci_reader {
    crp_context *context;
    const char *path;
    const char *next, *end;   /* text not yet looked at */
    char newline;             /* '\n', or '\r' for a file that has no '\n' at all */
    uint64_t n_lines;         /* read so far: the number of the last line, from 1 */
    uint64_t line;            /* number of the data line in hand */
    char text[MCI_LINE_MAX];  /* the data line in hand without control characters */
    const char *cursor;       /* what is left of it */
    char scope[64];           /* "run 2: layer 3: ", put into messages */
    uint32_t n_warnings;
    bool has_noted_crlf, has_noted_bytes, has_noted_long;
    locale_t locale;          /* "C": the point is the decimal point whatever the program's locale */
} mci_reader;

/** Errors: CRP_ERR_FORMAT for a NUL byte (with its line), CRP_ERR_MEMORY. Close it in any case. */
crp_status mci_reader_open(mci_reader *reader, crp_context *context, const char *path, const char *text, size_t n_bytes);
void mci_reader_close(mci_reader *reader);

/** Go to the next data line: false at the end of the file. */
bool mci_next(mci_reader *reader);

/** The same; at the end of the file CRP_ERR_FORMAT that names what is missing. */
crp_status mci_expect(mci_reader *reader, const char *what);

/** Record "path:line: scope" and the message. */
crp_status mci_fail(mci_reader *reader, crp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Log the same as a warning; after 50 of them a last one says that there are more. */
void mci_warn(mci_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** `text` up to `end` (NULL: its end) with control and non-ASCII bytes as \xNN, cut after some 60 characters. */
const char *mci_quote(const char *text, const char *end, char quoted[80]);

/** A number as it stands in the file. */
typedef struct mci_number {
    double value;
    char text[32];      /**< as written, cut if long */
    bool is_whole;      /**< a decimal whole number that fits 64 bits ... */
    uint64_t whole;     /**< ... this one: 1e5 and 12.50e1 too */
    bool is_plain;      /**< digits only, as MCML must have it */
    bool has_mcml;      /**< MCML's integer reading finds digits ... */
    uint64_t mcml;      /**< ... and reads this */
} mci_number;

/**
 * Read one number of the line in hand.
 *
 * @param name     for messages: "mu_a"
 * @param form     what the line must hold: "n mu_a mu_s g d"
 * @param is_last  the last number of its line: text glued to it ("1.0cm") is left for mci_end_line to warn of
 * Errors: CRP_ERR_FORMAT for none, or text in its place.
 */
crp_status mci_read_number(mci_reader *reader, const char *name, const char *form, bool is_last, mci_number *number);

/** A physical number within the range that `check` (light_check_*) allows; a broken rule is CRP_ERR_CONFIG. */
crp_status mci_read_real(mci_reader *reader, const char *name, const char *form, bool is_last,
                         const char *(*check)(double), double *value);

/**
 * A count of at least 1: also written 1e5, with a warning that MCML reads 1.
 *
 * @param most       largest count allowed
 * @param mcml_most  above it a warning says that MCML refuses
 */
crp_status mci_read_count(mci_reader *reader, const char *name, const char *form, bool is_last, uint64_t most,
                          uint64_t mcml_most, uint64_t *count);

/** Warn of anything but a comment behind the last number. */
void mci_end_line(mci_reader *reader);

#endif
