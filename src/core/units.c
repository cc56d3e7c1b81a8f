/** Numbers with units: scanning, the table of units, conversion, messages. */
#include "core/units.h"

#include "core/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N_BASES = 5,           /* length [m], time [s], mass [kg], temperature [K], angle [rad] */
    MAX_NUMBER_TEXT = 100, /* longest number taken; a double needs 17 digits */
    MAX_UNIT_POWER = 9,
    MAX_EXPONENT = 100000 /* of ten in the text: far outside any double, far inside an int */
};

/* One unit: value in base units = mantissa * 10^exponent (+ offset for temperatures). */
typedef struct unit {
    const char *name;
    double mantissa;
    int exponent;
    int powers[N_BASES];
    double offset;
} unit;

/* clang-format off */
#define LENGTH      { 1, 0, 0, 0, 0 }
#define VOLUME      { 3, 0, 0, 0, 0 }
#define TIME        { 0, 1, 0, 0, 0 }
#define MASS        { 0, 0, 1, 0, 0 }
#define TEMPERATURE { 0, 0, 0, 1, 0 }
#define ANGLE       { 0, 0, 0, 0, 1 }
#define PRESSURE    { -1, -2, 1, 0, 0 }
#define ENERGY      { 2, -2, 1, 0, 0 }
#define FLOW        { 2, -3, 1, 0, 0 }
#define NONE        { 0, 0, 0, 0, 0 }
#define NUMBER_IN_VOLUME { -3, 0, 0, 0, 0 }
/* Values: SI brochure 2019 (exact); atomic mass constant: CODATA 2018; sccm: 1 cm3/min at 101325 Pa (0 degC). */
static const unit known_units[] = {
    { "fm", 1, -15, LENGTH, 0 }, { "pm", 1, -12, LENGTH, 0 }, { "nm", 1, -9, LENGTH, 0 }, { "um", 1, -6, LENGTH, 0 },
    { "\xc2\xb5m", 1, -6, LENGTH, 0 }, { "\xce\xbcm", 1, -6, LENGTH, 0 }, /* micro sign, Greek mu */
    { "mm", 1, -3, LENGTH, 0 }, { "cm", 1, -2, LENGTH, 0 }, { "dm", 1, -1, LENGTH, 0 }, { "m", 1, 0, LENGTH, 0 },
    { "km", 1, 3, LENGTH, 0 }, { "in", 254, -4, LENGTH, 0 }, { "Angstrom", 1, -10, LENGTH, 0 },
    { "\xc3\x85", 1, -10, LENGTH, 0 },
    { "l", 1, -3, VOLUME, 0 }, { "L", 1, -3, VOLUME, 0 }, { "ml", 1, -6, VOLUME, 0 }, { "mL", 1, -6, VOLUME, 0 },
    { "fs", 1, -15, TIME, 0 }, { "ps", 1, -12, TIME, 0 }, { "ns", 1, -9, TIME, 0 }, { "us", 1, -6, TIME, 0 },
    { "\xc2\xb5s", 1, -6, TIME, 0 }, { "\xce\xbcs", 1, -6, TIME, 0 }, { "ms", 1, -3, TIME, 0 }, { "s", 1, 0, TIME, 0 },
    { "min", 6, 1, TIME, 0 }, { "h", 36, 2, TIME, 0 }, { "d", 864, 2, TIME, 0 },
    { "kg", 1, 0, MASS, 0 }, { "g", 1, -3, MASS, 0 }, { "mg", 1, -6, MASS, 0 },
    { "u", 1.66053906660, -27, MASS, 0 }, { "amu", 1.66053906660, -27, MASS, 0 }, { "Da", 1.66053906660, -27, MASS, 0 },
    { "K", 1, 0, TEMPERATURE, 0 }, { "mK", 1, -3, TEMPERATURE, 0 }, { "degC", 1, 0, TEMPERATURE, 273.15 },
    { "\xc2\xb0" "C", 1, 0, TEMPERATURE, 273.15 }, { "degF", 5.0 / 9.0, 0, TEMPERATURE, 459.67 * 5.0 / 9.0 },
    { "\xc2\xb0" "F", 5.0 / 9.0, 0, TEMPERATURE, 459.67 * 5.0 / 9.0 },
    { "rad", 1, 0, ANGLE, 0 }, { "mrad", 1, -3, ANGLE, 0 }, { "deg", 1.7453292519943295, -2, ANGLE, 0 },
    { "\xc2\xb0", 1.7453292519943295, -2, ANGLE, 0 },
    { "Pa", 1, 0, PRESSURE, 0 }, { "mPa", 1, -3, PRESSURE, 0 }, { "hPa", 1, 2, PRESSURE, 0 },
    { "kPa", 1, 3, PRESSURE, 0 }, { "MPa", 1, 6, PRESSURE, 0 }, { "mbar", 1, 2, PRESSURE, 0 },
    { "bar", 1, 5, PRESSURE, 0 }, { "atm", 101325, 0, PRESSURE, 0 }, { "Torr", 101325.0 / 760.0, 0, PRESSURE, 0 },
    { "torr", 101325.0 / 760.0, 0, PRESSURE, 0 }, { "mTorr", 101325.0 / 760.0, -3, PRESSURE, 0 },
    { "J", 1, 0, ENERGY, 0 }, { "mJ", 1, -3, ENERGY, 0 }, { "kJ", 1, 3, ENERGY, 0 },
    { "meV", 1.602176634, -22, ENERGY, 0 }, { "eV", 1.602176634, -19, ENERGY, 0 },
    { "keV", 1.602176634, -16, ENERGY, 0 }, { "MeV", 1.602176634, -13, ENERGY, 0 },
    { "GeV", 1.602176634, -10, ENERGY, 0 },
    { "sccm", 101325.0 / 60.0, -6, FLOW, 0 },
    { "mol", 6.02214076, 23, NONE, 0 },
    { "M", 6.02214076, 26, NUMBER_IN_VOLUME, 0 }, { "mM", 6.02214076, 23, NUMBER_IN_VOLUME, 0 },
    { "uM", 6.02214076, 20, NUMBER_IN_VOLUME, 0 }, { "\xc2\xb5M", 6.02214076, 20, NUMBER_IN_VOLUME, 0 },
    { "\xce\xbcM", 6.02214076, 20, NUMBER_IN_VOLUME, 0 }, { "nM", 6.02214076, 17, NUMBER_IN_VOLUME, 0 },
    { "%", 1, -2, NONE, 0 }, { "permille", 1, -3, NONE, 0 }, { "ppm", 1, -6, NONE, 0 },
};
/* clang-format on */

typedef struct dimension_row {
    const char *words;
    int powers[N_BASES];
    const char *examples;
} dimension_row;

#define DIMENSION_ROW(name, words, l, t, m, k, a, units) {words, {l, t, m, k, a}, units},
static const dimension_row dimension_rows[] = {UNIT_DIMENSION_LIST(DIMENSION_ROW)};
#undef DIMENSION_ROW

/* ---------------------------------------------------------------------------------------------- scanning */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* A decimal number taken apart: sign and digits with point in `digits`, exponent of ten apart. */
typedef struct decimal {
    char digits[MAX_NUMBER_TEXT + 1];
    long exponent;
    bool has_digits, is_zero, is_too_long;
} decimal;

/* An 'e' begins an exponent only before a (signed) digit, so that a unit such as "eV" may follow a number directly. */
static const char *scan_exponent(const char *p, long *exponent)
{
    const char *q = p + 1;
    long sign = 1;
    if (*p != 'e' && *p != 'E') {
        return p;
    }
    if (*q == '+' || *q == '-') {
        sign = *q == '-' ? -1 : 1;
        q++;
    }
    if (!is_digit(*q)) {
        return p;
    }
    for (; is_digit(*q); q++) {
        *exponent = *exponent < MAX_EXPONENT ? *exponent * 10 + (*q - '0') : MAX_EXPONENT;
    }
    *exponent *= sign;
    return q;
}

static const char *scan_decimal(const char *text, decimal *d)
{
    size_t n = 0;
    bool has_point = false;
    const char *p = text;
    memset(d, 0, sizeof *d);
    d->is_zero = true;
    if (*p == '+' || *p == '-') {
        d->digits[n++] = *p++;
    }
    for (; is_digit(*p) || (*p == '.' && !has_point); p++) {
        if (n == MAX_NUMBER_TEXT) {
            d->is_too_long = true;
            return p;
        }
        has_point = has_point || *p == '.';
        d->has_digits = d->has_digits || *p != '.';
        d->is_zero = d->is_zero && (*p == '.' || *p == '0');
        d->digits[n++] = *p;
    }
    return d->has_digits ? scan_exponent(p, &d->exponent) : text;
}

/* The number times 10^shift, rounded once. */
static double decimal_value(const decimal *d, long shift)
{
    char text[MAX_NUMBER_TEXT + 32];
    snprintf(text, sizeof text, "%se%ld", d->digits, d->exponent + shift);
    locale_t before = number_locale_enter();
    double value = strtod(text, NULL);
    number_locale_leave(before);
    return value;
}

double units_scan_real(const char *text, const char **end)
{
    decimal d;
    *end = scan_decimal(text, &d);
    return *end == text || d.is_too_long ? 0.0 : decimal_value(&d, 0);
}

/* ------------------------------------------------------------------------------------------------- units */

static bool is_unit_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || (unsigned char)c >= 0x80;
}

static const unit *find_unit(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof known_units / sizeof known_units[0]; i++) {
        if (strlen(known_units[i].name) == length && memcmp(known_units[i].name, name, length) == 0) {
            return &known_units[i];
        }
    }
    return NULL;
}

/* The power behind a unit: "m3", "m^3", "cm-1", "cm^-1". 0 when there is none of 1 to 9. */
static const char *scan_power(const char *p, int *power)
{
    const char *q = p + (*p == '^' ? 1 : 0);
    int sign = *q == '-' ? -1 : 1;
    q += *q == '-' ? 1 : 0;
    *power = 1;
    if (!is_digit(*q)) {
        *power = *p == '^' || *p == '-' ? 0 : 1;
        return p;
    }
    *power = *q >= '1' && !is_digit(q[1]) ? sign * (*q - '0') : 0;
    return q + 1;
}

static void multiply_unit(unit *product, const unit *factor, int power)
{
    for (int i = 0; i < N_BASES; i++) {
        product->powers[i] += power * factor->powers[i];
    }
    product->exponent += power * factor->exponent;
    for (int i = 0; i < abs(power); i++) {
        product->mantissa = power > 0 ? product->mantissa * factor->mantissa : product->mantissa / factor->mantissa;
    }
}

/* Read a whole unit. Returns NULL, or where it went wrong. An offset survives only in a unit that stands alone. */
static const char *scan_unit(const char *text, unit *product)
{
    const char *p = skip_blanks(text);
    int n_factors = 0;
    *product = (unit){.mantissa = 1.0};
    if (p[0] == '1' && *skip_blanks(p + 1) == '/') {
        p = skip_blanks(p + 1);
    }
    while (*p != '\0') {
        const char *start = p;
        int power, sign = 1;
        if (*p == '/' || ((*p == '*' || *p == '.') && n_factors > 0)) {
            sign = *p == '/' ? -1 : 1;
            p = skip_blanks(p + 1);
        }
        const char *name = p;
        while (is_unit_letter(*p)) {
            p++;
        }
        const unit *factor = find_unit(name, (size_t)(p - name));
        if (factor == NULL || n_factors == MAX_UNIT_POWER) {
            return start;
        }
        p = skip_blanks(scan_power(p, &power));
        if (power == 0) {
            return start;
        }
        multiply_unit(product, factor, sign * power);
        product->offset = n_factors == 0 && sign * power == 1 ? factor->offset : 0.0;
        if (factor->offset != 0.0 && product->offset == 0.0) {
            return start;
        }
        n_factors++;
        if (n_factors > 1 && product->offset != 0.0) {
            return start;
        }
    }
    return NULL;
}

static bool same_powers(const int *a, const int *b)
{
    return memcmp(a, b, N_BASES * sizeof *a) == 0;
}

/* What an unfitting unit measures, for the message; NULL if it has no name here. */
static const char *words_of_powers(const int *powers)
{
    for (int i = UNIT_FRACTION; i < UNIT_N_DIMENSIONS; i++) {
        if (same_powers(powers, dimension_rows[i].powers)) {
            return dimension_rows[i].words;
        }
    }
    return NULL;
}

static crp_status fail_unit(crp_context *context, const char *where, const char *text, const char *unit_text,
                            unit_dimension dimension, const char *found)
{
    const char *blank = unit_text[0] == '\0' ? "" : " ";
    return context_fail(context, CRP_ERR_CONFIG, "%s = %.60s must be %s (\"%.30s\" is %s) units that fit: %s", where,
                        text, dimension_rows[dimension].words, unit_text + strspn(unit_text, blank), found,
                        dimension_rows[dimension].examples);
}

static crp_status convert(crp_context *context, const char *where, const char *text, const decimal *d, const unit *from,
                          const unit *to, double *value)
{
    double x = decimal_value(d, from->exponent - to->exponent);
    if (from->mantissa != to->mantissa) {
        x = x * (from->mantissa / to->mantissa);
    }
    if (from->offset != to->offset) {
        x += (from->offset - to->offset) * pow(10.0, -to->exponent) / to->mantissa;
    }
    CRP_CHECK(context, isfinite(x), CRP_ERR_CONFIG, "%s = %.60s is too large (the largest number is about 1.8e308)",
              where, text);
    CRP_CHECK(context, d->is_zero || x != 0.0 || from->offset != to->offset, CRP_ERR_CONFIG,
              "%s = %.60s is too small (it would be read as 0) write 0 if that is meant", where, text);
    *value = x;
    return CRP_OK;
}

crp_status units_parse_real(crp_context *context, const char *where, const char *text, unit_dimension dimension,
                            const char *base, double *value)
{
    decimal d;
    unit from, to;
    const char *start = skip_blanks(text), *rest = scan_decimal(start, &d);
    CRP_CHECK(context, scan_unit(base, &to) == NULL, CRP_ERR_INTERNAL, "%s: unknown base unit \"%s\"", where, base);
    CRP_CHECK(context, !d.is_too_long, CRP_ERR_CONFIG, "%s = %.60s... is too long (17 digits hold any number)", where,
              text);
    CRP_CHECK(context, rest != start, CRP_ERR_CONFIG, "%s = %.60s is not a number (%s is needed) write it like 1.5%s%s",
              where, *text == '\0' ? "\"\"" : text, dimension_rows[dimension].words, *base == '\0' ? "" : " ", base);
    rest = skip_blanks(rest);
    if (*rest == '\0') {
        return convert(context, where, text, &d, &to, &to, value);
    }
    if (dimension == UNIT_NUMBER) {
        return fail_unit(context, where, text, rest, dimension, "text after it");
    }
    if (scan_unit(rest, &from) != NULL) {
        return fail_unit(context, where, text, rest, dimension, "not a unit known here");
    }
    if (!same_powers(from.powers, dimension_rows[dimension].powers)) {
        const char *words = words_of_powers(from.powers);
        return fail_unit(context, where, text, rest, dimension, words == NULL ? "something else" : words);
    }
    return convert(context, where, text, &d, &from, &to, value);
}

/* ------------------------------------------------------------------------------------------------ counts */

static bool push_digit(uint64_t *value, char digit)
{
    uint64_t tens;
    return !__builtin_mul_overflow(*value, (uint64_t)10, &tens) &&
           !__builtin_add_overflow(tens, (uint64_t)(digit - '0'), value);
}

/* Digits, point and exponent to an integer: digits left of the shifted point enter, those right of it must be 0. */
static const char *decimal_to_count(const decimal *d, uint64_t *value)
{
    const char *p = d->digits + (d->digits[0] == '+' || d->digits[0] == '-' ? 1 : 0);
    const char *point = strchr(p, '.');
    long n_before = point == NULL ? (long)strlen(p) : (long)(point - p);
    long n_whole = n_before + d->exponent, position = 0;
    *value = 0;
    if (d->is_zero) {
        return NULL;
    }
    if (d->digits[0] == '-') {
        return "must not be negative (it counts things)";
    }
    for (; *p != '\0'; p++) {
        if (*p == '.') {
            continue;
        }
        if (position >= n_whole && *p != '0') {
            return "must be a whole number (it counts things)";
        }
        if (position < n_whole && !push_digit(value, *p)) {
            return "is too large (counts have 64 bits) the largest is 18446744073709551615";
        }
        position++;
    }
    for (; position < n_whole; position++) {
        if (!push_digit(value, '0')) {
            return "is too large (counts have 64 bits) the largest is 18446744073709551615";
        }
    }
    return NULL;
}

crp_status units_parse_count(crp_context *context, const char *where, const char *text, uint64_t *value)
{
    decimal d;
    const char *start = skip_blanks(text), *rest = scan_decimal(start, &d);
    CRP_CHECK(context, !d.is_too_long, CRP_ERR_CONFIG, "%s = %.60s... is too long (counts have 64 bits)", where, text);
    CRP_CHECK(context, rest != start && *skip_blanks(rest) == '\0', CRP_ERR_CONFIG,
              "%s = %.60s is not a whole number (digits, or a form like 1e7, without unit)", where,
              *text == '\0' ? "\"\"" : text);
    const char *problem = decimal_to_count(&d, value);
    CRP_CHECK(context, problem == NULL, CRP_ERR_CONFIG, "%s = %.60s %s", where, text, problem);
    return CRP_OK;
}
