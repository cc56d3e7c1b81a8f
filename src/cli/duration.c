/** Times as people write them on a command line. */
#include "cli/duration.h"

#include "core/units.h"

#include <math.h>

static double unit_seconds(char letter)
{
    switch (letter) {
    case 'h':
        return 3600.0;
    case 'm':
        return 60.0;
    case 's':
    case '\0':
        return 1.0;
    default:
        return (double)NAN;
    }
}

bool duration_parse(const char *text, double *seconds)
{
    double total = 0.0, last_unit = (double)INFINITY;
    const char *c = text;
    do {
        const char *end = c;
        double number = units_scan_real(c, &end);
        double unit = unit_seconds(*end);
        if (end == c || !(number >= 0.0) || !(unit < last_unit)) {
            return false;
        }
        total += number * unit;
        last_unit = unit;
        c = *end == '\0' ? end : end + 1;
    } while (*c != '\0');
    *seconds = total;
    return isfinite(total);
}
