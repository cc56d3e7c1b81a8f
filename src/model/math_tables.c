/** The tables of the kernels' own functions: see math_tables.h. */
#include "model/math_tables.h"

static const double LN2 = 0.69314718055994530942;
static const double PI = 3.14159265358979323846;

/* ln x for x in [1/2, 2] by the series of the inverse hyperbolic tangent: 2 sum t^(2k+1)/(2k+1), t = (x-1)/(x+1). */
static double natural_log(double x)
{
    double t = (x - 1.0) / (x + 1.0);
    double power = t;
    double sum = 0.0;
    for (int k = 0; k < 40; ++k) {
        sum += power / (double)(2 * k + 1);
        power *= t * t;
    }
    return 2.0 * sum;
}

/* cos and sin of an angle in [0, pi/4] by their series. */
static void cos_sin_series(double angle, double *cosine, double *sine)
{
    double c = 1.0, s = angle, term_c = 1.0, term_s = angle;
    for (int k = 1; k < 14; ++k) {
        term_c *= -angle * angle / (double)((2 * k - 1) * (2 * k));
        term_s *= -angle * angle / (double)((2 * k) * (2 * k + 1));
        c += term_c;
        s += term_s;
    }
    *cosine = c;
    *sine = s;
}

/* Azimuth (i + 1/2) 2 pi / n, folded into the first octant so that the table has the circle's symmetry exactly. */
static void azimuth(int i, float *cosine, float *sine)
{
    int quarter = CK_AZIMUTHS / 4;
    int quadrant = i / quarter;
    int k = i % quarter;
    int mirror = k >= quarter / 2;
    int j = mirror ? quarter - 1 - k : k;
    double c, s;
    cos_sin_series(((double)j + 0.5) * 2.0 * PI / (double)CK_AZIMUTHS, &c, &s);
    if (mirror) {
        double swap = c;
        c = s;
        s = swap;
    }
    double turned_c = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
    double turned_s = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
    *cosine = (float)turned_c;
    *sine = (float)turned_s;
}

void math_tables_fill(float *table)
{
    for (int cell = 0; cell < CK_LOG_CELLS; ++cell) {
        int octave = cell / CK_LOG_CELLS_PER_OCTAVE;
        int part = cell % CK_LOG_CELLS_PER_OCTAVE;
        double centre = 1.0 + ((double)part + 0.5) / (double)CK_LOG_CELLS_PER_OCTAVE;
        if (cell == CK_LOG_CELLS - 1) {
            centre = 1.0; /* only 2^32 itself falls into the last cell: a path of zero, made positive below */
        }
        double scale = 1.0;
        for (int k = 0; k < octave; ++k) {
            scale *= 2.0;
        }
        float inverse = (float)(1.0 / (centre * scale));
        /* The logarithm belongs to the rounded inverse, so that u * inverse - 1 is exact to first order. */
        double path = natural_log((double)inverse * scale) + (double)(32 - octave) * LN2;
        if (cell == CK_LOG_CELLS - 1) {
            path = 2.3e-10;
        }
        table[CK_LOG_TABLE + 2 * cell] = inverse;
        table[CK_LOG_TABLE + 2 * cell + 1] = (float)path;
    }
    for (int i = 0; i < CK_AZIMUTHS; ++i) {
        azimuth(i, &table[CK_AZIMUTH_TABLE + 2 * i], &table[CK_AZIMUTH_TABLE + 2 * i + 1]);
    }
}
