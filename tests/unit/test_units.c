/* Numbers with units, counts, shortest decimals. */
#include "core/units.h"

#include "core/number.h"
#include "unit/yaml_test.h"

#include <locale.h>
#include <math.h>

typedef struct real_case {
    const char *text;
    unit_dimension dimension;
    const char *unit;
    double value;
} real_case;

/* Decimal prefixes must give the very double that the decimal in the base unit gives. */
static const real_case exact_cases[] = {
    {"0.02 /mm", UNIT_INVERSE_LENGTH, "1/cm", 0.2},
    {"0.02/mm", UNIT_INVERSE_LENGTH, "1/cm", 0.2},
    {"0.02 1/mm", UNIT_INVERSE_LENGTH, "1/cm", 0.2},
    {"0.02 mm-1", UNIT_INVERSE_LENGTH, "1/cm", 0.2},
    {"0.02 mm^-1", UNIT_INVERSE_LENGTH, "/cm", 0.2},
    {"3 /um", UNIT_INVERSE_LENGTH, "1/cm", 30000},
    {"2 cm", UNIT_LENGTH, "cm", 2},
    {"20 um", UNIT_LENGTH, "cm", 0.002},
    {"20 \xc2\xb5m", UNIT_LENGTH, "cm", 0.002},
    {"1.62 mm", UNIT_LENGTH, "cm", 0.162},
    {"5.9mm", UNIT_LENGTH, "cm", 0.59},
    {"1 in", UNIT_LENGTH, "cm", 2.54},
    {"7e-3", UNIT_LENGTH, "cm", 0.007},
    {"-1.5e2 nm", UNIT_LENGTH, "m", -150e-9},
    {"+.5 m", UNIT_LENGTH, "m", 0.5},
    {"5. m", UNIT_LENGTH, "m", 5},
    {"  4\tmm ", UNIT_LENGTH, "mm", 4},
    {"1e-8 mbar l/s", UNIT_GAS_FLOW, "mbar l/s", 1e-8},
    {"1e-8 mbar*l/s", UNIT_GAS_FLOW, "Pa m3/s", 1e-9},
    {"1e-9 Pa m^3/s", UNIT_GAS_FLOW, "mbar l/s", 1e-8},
    {"1e-6 mbar", UNIT_PRESSURE, "Pa", 1e-4},
    {"1 atm", UNIT_PRESSURE, "Pa", 101325},
    {"0.1%", UNIT_FRACTION, "", 0.001},
    {"20 ppm", UNIT_FRACTION, "", 20e-6},
    {"0.25", UNIT_FRACTION, "", 0.25},
    {"30 degC", UNIT_TEMPERATURE, "K", 303.15},
    {"-273.15 \xc2\xb0"
     "C",
     UNIT_TEMPERATURE, "K", 0},
    {"293 K", UNIT_TEMPERATURE, "K", 293},
    {"5 min", UNIT_TIME, "s", 300},
    {"1 h", UNIT_TIME, "s", 3600},
    {"10 ps", UNIT_TIME, "ps", 10},
    {"2.5e-4", UNIT_CONCENTRATION, "mol/l", 2.5e-4},
    {"0.25 mM", UNIT_CONCENTRATION, "mol/l", 2.5e-4},
    {"250 \xc2\xb5M", UNIT_CONCENTRATION, "mol/l", 2.5e-4},
    {"1.2 mol/m3", UNIT_CONCENTRATION, "mol/l", 1.2e-3},
    {"3 nM", UNIT_CONCENTRATION, "uM", 3e-3},
    {"2 MeV", UNIT_ENERGY, "eV", 2e6},
    {"3 L", UNIT_VOLUME, "cm3", 3000},
    {"12 mm2", UNIT_AREA, "cm^2", 0.12},
    {"1.4", UNIT_NUMBER, "", 1.4},
};

static void decimal_units_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof exact_cases / sizeof exact_cases[0]; i++) {
        const real_case *c = &exact_cases[i];
        double value = -1;
        assert_ok(units_parse_real(context, "x", c->text, c->dimension, c->unit, &value));
        if (value != c->value) {
            fail_msg("%s in %s: %.17g, not %.17g", c->text, c->unit, value, c->value);
        }
    }
}

static const real_case close_cases[] = {
    {"180 deg", UNIT_ANGLE, "rad", 3.14159265358979323846},
    {"100 mrad", UNIT_ANGLE, "deg", 5.7295779513082320877},
    {"760 Torr", UNIT_PRESSURE, "Pa", 101325},
    {"1 mTorr", UNIT_PRESSURE, "Pa", 0.13332236842105263},
    {"1 sccm", UNIT_GAS_FLOW, "mbar l/s", 0.016887500000000000},
    {"86 degF", UNIT_TEMPERATURE, "K", 303.15},
    {"300 K", UNIT_TEMPERATURE, "degC", 26.85},
    {"28 g/mol", UNIT_MASS, "u", 28.0},
    {"1 u", UNIT_MASS, "kg", 1.66053906660e-27},
    {"1 eV", UNIT_ENERGY, "J", 1.602176634e-19},
    {"1 mm", UNIT_LENGTH, "in", 1 / 25.4},
};

static void other_units_are_close(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof close_cases / sizeof close_cases[0]; i++) {
        const real_case *c = &close_cases[i];
        double value = -1, allowed = c->dimension == UNIT_MASS ? 1e-9 : 1e-14;
        assert_ok(units_parse_real(context, "x", c->text, c->dimension, c->unit, &value));
        if (!(fabs(value / c->value - 1) < allowed)) {
            fail_msg("%s in %s: %.17g, not %.17g", c->text, c->unit, value, c->value);
        }
    }
}

typedef struct bad_case {
    const char *text;
    unit_dimension dimension;
    const char *unit, *message;
} bad_case;

static const bad_case bad_cases[] = {
    {"2 s", UNIT_LENGTH, "cm", "x = 2 s must be a length (\"s\" is a time) units that fit: nm, um, mm, cm, m, in"},
    {"3 cm", UNIT_INVERSE_LENGTH, "1/cm", "must be an inverse length (\"cm\" is a length) units that fit: /um, /mm"},
    {"3 cm", UNIT_NUMBER, "", "must be a plain number"},
    {"3 furlongs", UNIT_LENGTH, "cm", "\"furlongs\" is not a unit known here"},
    {"3 cm cm", UNIT_LENGTH, "cm", "\"cm cm\" is an area"},
    {"1 mbar", UNIT_GAS_FLOW, "mbar l/s", "must be a gas flow (pressure * volume / time) (\"mbar\" is a pressure)"},
    {"1 degC/s", UNIT_TEMPERATURE, "K", "(\"degC/s\" is something else)"},
    {"1 s degC", UNIT_TEMPERATURE, "K", "not a unit known here"},
    {"1 cm /", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1 cm^", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1 cm12", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1 %%", UNIT_FRACTION, "", "not a unit known here"},
    {"", UNIT_LENGTH, "cm", "x = \"\" is not a number (a length is needed) write it like 1.5 cm"},
    {"abc", UNIT_LENGTH, "cm", "is not a number"},
    {"cm", UNIT_LENGTH, "cm", "is not a number"},
    {".", UNIT_LENGTH, "cm", "is not a number"},
    {"-", UNIT_LENGTH, "cm", "is not a number"},
    {"- 3", UNIT_LENGTH, "cm", "is not a number"},
    {"inf", UNIT_LENGTH, "cm", "is not a number"},
    {"nan", UNIT_LENGTH, "cm", "is not a number"},
    {".inf", UNIT_LENGTH, "cm", "is not a number"},
    {"0x10", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1,5", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1_000", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1.2.3", UNIT_LENGTH, "cm", "not a unit known here"},
    {"1e999", UNIT_LENGTH, "cm", "is too large"},
    {"1e307 km", UNIT_LENGTH, "fm", "is too large"},
    {"1e99999999999999999999", UNIT_LENGTH, "cm", "is too large"},
    {"1e-999", UNIT_LENGTH, "cm", "is too small"},
};

static void wrong_numbers_say_what_fits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof bad_cases[0]; i++) {
        const bad_case *c = &bad_cases[i];
        double value = 7;
        if (units_parse_real(context, "x", c->text, c->dimension, c->unit, &value) != CRP_ERR_CONFIG) {
            fail_msg("\"%s\" was taken as %g", c->text, value);
        }
        assert_message(c->message);
        assert_true(value == 7);
    }
}

static void a_very_long_number_is_refused(void **state)
{
    (void)state;
    char text[300];
    double value;
    uint64_t count;
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(units_parse_real(context, "x", text, UNIT_NUMBER, "", &value), CRP_ERR_CONFIG);
    assert_message("too long");
    assert_int_equal(units_parse_count(context, "x", text, &count), CRP_ERR_CONFIG);
    assert_message("too long");
}

typedef struct count_case {
    const char *text;
    uint64_t value;
} count_case;

static const count_case count_cases[] = {
    {"0", 0},
    {"0e99", 0},
    {"-0", 0},
    {"00", 0},
    {"7", 7},
    {"+7", 7},
    {"1e7", 10000000},
    {"1E7", 10000000},
    {"1.5e6", 1500000},
    {"1.50e1", 15},
    {"100e-2", 1},
    {"0.001e3", 1},
    {"10.0", 10},
    {" 12 ", 12},
    {"4294967306", 4294967306u},
    {"1e12", 1000000000000u},
    {"18446744073709551615", UINT64_MAX},
    {"9007199254740993", 9007199254740993u}, /* 2^53 + 1: not a double */
    {"1.8446744073709551615e19", UINT64_MAX},
    {"1e19", 10000000000000000000u},
};

static void counts_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof count_cases / sizeof count_cases[0]; i++) {
        uint64_t value = 99;
        assert_ok(units_parse_count(context, "n", count_cases[i].text, &value));
        if (value != count_cases[i].value) {
            fail_msg("%s was read as %llu", count_cases[i].text, (unsigned long long)value);
        }
    }
}

static void wrong_counts_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"-3", "n = -3 must not be negative"},
        {"0.5", "must be a whole number"},
        {"1e-1", "must be a whole number"},
        {"1.5", "must be a whole number"},
        {"15e-1", "must be a whole number"},
        {"1e20", "is too large"},
        {"18446744073709551616", "is too large"},
        {"1e999999999999", "is too large"},
        {"", "is not a whole number"},
        {"ten", "is not a whole number"},
        {"7 cm", "is not a whole number"},
        {"1e", "is not a whole number"},
        {"0x10", "is not a whole number"},
        {"1 000", "is not a whole number"},
        {"1e-99999999999", "whole number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t value;
        if (units_parse_count(context, "n", cases[i][0], &value) != CRP_ERR_CONFIG) {
            fail_msg("\"%s\" was taken as %llu", cases[i][0], (unsigned long long)value);
        }
        assert_message(cases[i][1]);
    }
}

/* Any finite double, written shortest, reads back; with a unit in front of the same base unit too. */
static void random_numbers_come_back(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = next_random(&random);
        double value, back = 0;
        char text[NUMBER_TEXT + 8];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        number_print(text, value);
        assert_ok(units_parse_real(context, "x", text, UNIT_NUMBER, "", &back));
        assert_true(back == value);
        strcat(text, " /cm");
        assert_ok(units_parse_real(context, "x", text, UNIT_INVERSE_LENGTH, "1/cm", &back));
        assert_true(back == value);
    }
}

/* A length written in any metric unit is the same number: digits and exponent alone decide. */
static void metric_units_agree(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        int exponent;
    } units[] = {{"fm", -15}, {"nm", -9}, {"um", -6}, {"mm", -3}, {"cm", -2}, {"m", 0}, {"km", 3}};
    uint64_t random = 2;
    for (int i = 0; i < 2000; i++) {
        unsigned digits = (unsigned)(next_random(&random) % 1000000) + 1;
        int exponent = (int)(next_random(&random) % 20) - 10;
        double expected = 0, value = 0;
        char text[64];
        snprintf(text, sizeof text, "%ue%d cm", digits, exponent);
        assert_ok(units_parse_real(context, "x", text, UNIT_LENGTH, "cm", &expected));
        for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
            snprintf(text, sizeof text, "%ue%d %s", digits, exponent - 2 - units[k].exponent, units[k].unit);
            assert_ok(units_parse_real(context, "x", text, UNIT_LENGTH, "cm", &value));
            assert_true(value == expected);
        }
    }
}

static void random_counts_come_back(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 20000; i++) {
        uint64_t value = next_random(&random) >> (next_random(&random) % 64), back = 1;
        char text[32];
        snprintf(text, sizeof text, "%llu", (unsigned long long)value);
        assert_ok(units_parse_count(context, "n", text, &back));
        assert_true(back == value);
    }
}

static void scan_stops_behind_the_number(void **state)
{
    (void)state;
    const char *end, *text = "1.5e3%";
    assert_true(units_scan_real(text, &end) == 1500 && *end == '%');
    text = "2eV";
    assert_true(units_scan_real(text, &end) == 2 && *end == 'e');
    text = "x";
    assert_true(units_scan_real(text, &end) == 0 && end == text);
}

/* A locale with a decimal comma: one that is installed, or else one made for the test where its sources are there. */
static const char *comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            return names[i];
        }
    }
    if (system("localedef -i de_DE -f UTF-8 '" CRP_BINARY_DIR "/de_DE.UTF-8' > /dev/null 2>&1") == 0) {
        setenv("LOCPATH", CRP_BINARY_DIR, 1);
        return setlocale(LC_ALL, "de_DE.UTF-8");
    }
    return NULL;
}

static void the_locale_does_not_matter(void **state)
{
    (void)state;
    if (comma_locale() == NULL) {
        print_message("no locale with a decimal comma here, and none can be made (package locales)\n");
        skip();
    }
    double value = 0;
    char text[NUMBER_TEXT], before[64], after[64];
    snprintf(before, sizeof before, "%.1f", 0.5);
    assert_ok(units_parse_real(context, "x", "1.5 mm", UNIT_LENGTH, "cm", &value));
    number_print(text, 0.15);
    snprintf(after, sizeof after, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    assert_true(value == 0.15);
    assert_string_equal(text, "0.15");
    assert_string_equal(before, "0,5"); /* else the test tests nothing */
    assert_string_equal(before, after); /* and the caller's locale is as it was */
}

static void every_dimension_knows_its_examples(void **state)
{
    (void)state;
#define EXAMPLES(name, words, l, t, m, k, a, units) units,
    static const char *const all[] = {UNIT_DIMENSION_LIST(EXAMPLES)};
    for (int d = UNIT_FRACTION; d < UNIT_N_DIMENSIONS; d++) {
        char examples[128], *save = NULL;
        snprintf(examples, sizeof examples, "%s", all[d]);
        for (char *unit = strtok_r(examples, ",", &save); unit != NULL; unit = strtok_r(NULL, ",", &save)) {
            char text[64];
            double value = 0;
            snprintf(text, sizeof text, "2 %s", strcmp(unit, "none") == 0 ? "" : unit);
            assert_ok(
                units_parse_real(context, "x", text, (unit_dimension)d, strcmp(unit, "none") == 0 ? "" : unit, &value));
            assert_true(value == 2 || (d == UNIT_FRACTION && value > 0));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_units_are_exact),
        cmocka_unit_test(other_units_are_close),
        cmocka_unit_test(wrong_numbers_say_what_fits),
        cmocka_unit_test(a_very_long_number_is_refused),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(wrong_counts_are_refused),
        cmocka_unit_test(random_numbers_come_back),
        cmocka_unit_test(metric_units_agree),
        cmocka_unit_test(random_counts_come_back),
        cmocka_unit_test(scan_stops_behind_the_number),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(every_dimension_knows_its_examples),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
