/**
 * Numbers with units: "0.02 /mm", "20 um", "1e-8 mbar l/s", "0.1%", "30 degC", and whole numbers such as "1e7".
 *
 * A unit is a product of known units with whole powers ("mbar l/s", "Pa m^3/s", "1/cm", "cm-1"). Decimal prefixes are
 * applied to the decimal exponent before the number is rounded, so "20 um" and "0.002 cm" are the same double.
 * Nothing here depends on the locale. All functions are thread-safe.
 */
#ifndef CORE_UNITS_H
#define CORE_UNITS_H

#include "core/context.h"

#include <stdbool.h>

/* X(name, words for messages, length, time, mass, temperature, angle, units to suggest) */
#define UNIT_DIMENSION_LIST(X)                                                                     \
    X(UNIT_NUMBER, "a plain number", 0, 0, 0, 0, 0, "none")                                        \
    X(UNIT_FRACTION, "a fraction", 0, 0, 0, 0, 0, "none, %, permille, ppm")                        \
    X(UNIT_LENGTH, "a length", 1, 0, 0, 0, 0, "nm, um, mm, cm, m, in")                             \
    X(UNIT_INVERSE_LENGTH, "an inverse length", -1, 0, 0, 0, 0, "/um, /mm, /cm, /m")               \
    X(UNIT_AREA, "an area", 2, 0, 0, 0, 0, "mm2, cm2, m2")                                         \
    X(UNIT_VOLUME, "a volume", 3, 0, 0, 0, 0, "cm3, l, m3")                                        \
    X(UNIT_TIME, "a time", 0, 1, 0, 0, 0, "fs, ps, ns, us, ms, s, min, h")                         \
    X(UNIT_PRESSURE, "a pressure", -1, -2, 1, 0, 0, "Pa, hPa, kPa, mbar, bar, Torr, atm")          \
    X(UNIT_TEMPERATURE, "a temperature", 0, 0, 0, 1, 0, "K, degC, degF")                           \
    X(UNIT_GAS_FLOW, "a gas flow (pressure * volume / time)", 2, -3, 1, 0, 0,                      \
      "mbar l/s, Pa m3/s, Torr l/s, sccm")                                                         \
    X(UNIT_ENERGY, "an energy", 2, -2, 1, 0, 0, "eV, keV, MeV, J")                                 \
    X(UNIT_CONCENTRATION, "a concentration", -3, 0, 0, 0, 0, "mol/l, M, mM, uM, nM")               \
    X(UNIT_MASS, "a mass", 0, 0, 1, 0, 0, "u, g/mol, g, kg")                                       \
    X(UNIT_ANGLE, "an angle", 0, 0, 0, 0, 1, "deg, rad, mrad")

#define UNIT_DIMENSION_ENUM(name, words, l, t, m, k, a, units) name,
typedef enum unit_dimension { UNIT_DIMENSION_LIST(UNIT_DIMENSION_ENUM) UNIT_N_DIMENSIONS } unit_dimension;
#undef UNIT_DIMENSION_ENUM

/**
 * Read a number with or without a unit.
 *
 * @param where      front of the message, e.g. "skin.yaml:14:9: layers[2].mu_s"
 * @param text       "0.02 /mm"; a number without unit is in `unit`
 * @param dimension  what the unit must measure
 * @param unit       unit of the value returned, e.g. "1/cm"; "" for plain numbers and fractions
 * @param[out] value finite
 * Errors: CRP_ERR_CONFIG, "<where> = <text>: problem (why) suggestion".
 */
crp_status units_parse_real(crp_context *context, const char *where, const char *text, unit_dimension dimension,
                            const char *unit, double *value);

/**
 * Read a whole number of 64 bits exactly: "4294967306", "1e7", "1.5e6". "0.5", "-3" and "1e20" are errors.
 * Errors: CRP_ERR_CONFIG as above.
 */
crp_status units_parse_count(crp_context *context, const char *where, const char *text, uint64_t *value);

/**
 * strtod for decimal numbers, without locale, hexadecimal, "inf" and "nan".
 *
 * @param[out] end  first character after the number; equal to `text` when there is none
 */
double units_scan_real(const char *text, const char **end);

#endif
