/** Quantiles and tails: see statistics.h. Tails, not cumulative probabilities, so that 1e-10 keeps all its digits. */
#include "core/statistics.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_TERMS = 100000 };
#define TINY 1e-300
#define PRECISION 1e-16

double statistics_normal_tail(double z)
{
    return 0.5 * erfc(z * 0.70710678118654752440);
}

/** Solve tail(x) = target for a falling tail by bisection: monotone, and sure to end. [low, high] must bracket. */
static double solve_tail(double (*tail)(double x, double dof), double dof, double target, double low, double high)
{
    for (int i = 0; i < 2000; i++) {
        double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) {
            break;
        }
        if (tail(middle, dof) > target) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low + 0.5 * (high - low);
}

static double normal_tail(double z, double dof)
{
    (void)dof;
    return statistics_normal_tail(z);
}

double statistics_normal_quantile(double tail)
{
    if (!(tail >= 0 && tail <= 1)) {
        return (double)NAN;
    }
    if (tail == 0 || tail == 1) {
        return tail == 0 ? (double)INFINITY : -(double)INFINITY;
    }
    return solve_tail(normal_tail, (double)INFINITY, tail, -39.0, 39.0);
}

/** Continued fraction of the incomplete beta function by Lentz's method. Ref: Abramowitz and Stegun 26.5.8. */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < TINY ? TINY : d);
    double h = d;
    for (int i = 1; i < MAX_TERMS; i++) {
        double m = i;
        for (int odd = 0; odd < 2; odd++) {
            double term = odd == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                   : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 + term * d;
            d = 1 / (fabs(d) < TINY ? TINY : d);
            c = 1 + term / c;
            c = fabs(c) < TINY ? TINY : c;
            h *= c * d;
        }
        if (fabs(c * d - 1) < PRECISION * 4) {
            break;
        }
    }
    return h;
}

/** I_x(a, b), with 1 - x given apart so that neither end loses digits. */
static double beta_regularised(double a, double b, double x, double one_minus_x)
{
    if (x <= 0 || one_minus_x <= 0) {
        return x <= 0 ? 0 : 1;
    }
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(one_minus_x));
    bool direct = x < (a + 1) / (a + b + 2);
    return direct ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, one_minus_x) / b;
}

double statistics_student_tail(double t, double dof)
{
    if (isnan(t) || !(dof > 0)) {
        return (double)NAN;
    }
    if (dof > 1e8) {
        return statistics_normal_tail(t);
    }
    double square = t * t;
    double half =
        isinf(square) ? 0 : 0.5 * beta_regularised(0.5 * dof, 0.5, dof / (dof + square), square / (dof + square));
    return t >= 0 ? half : 1 - half;
}

double statistics_student_quantile(double tail, double dof)
{
    if (!(tail >= 0 && tail <= 1) || !(dof > 0)) {
        return (double)NAN;
    }
    if (tail == 0 || tail == 1) {
        return tail == 0 ? (double)INFINITY : -(double)INFINITY;
    }
    if (tail > 0.5) {
        return -statistics_student_quantile(1 - tail, dof);
    }
    double high = 1;
    while (high < 1e150 && statistics_student_tail(high, dof) > tail) {
        high *= 2;
    }
    return solve_tail(statistics_student_tail, dof, tail, 0, high);
}

double statistics_chi2_tail(double x, double dof)
{
    if (isnan(x) || !(dof > 0)) {
        return (double)NAN;
    }
    if (x <= 0) {
        return 1;
    }
    double a = 0.5 * dof, y = 0.5 * x;
    double front = exp(a * log(y) - y - lgamma(a));
    if (y < a + 1) { /* series of the lower function */
        double term = 1 / a, sum = term;
        for (int i = 1; i < MAX_TERMS && term > sum * PRECISION; i++) {
            term *= y / (a + i);
            sum += term;
        }
        return 1 - front * sum;
    }
    double b = y + 1 - a, c = 1 / TINY, d = 1 / b, h = d;
    for (int i = 1; i < MAX_TERMS; i++) { /* Lentz: Abramowitz and Stegun 6.5.31 */
        double term = -i * (i - a);
        b += 2;
        d = term * d + b;
        d = 1 / (fabs(d) < TINY ? TINY : d);
        c = b + term / c;
        c = fabs(c) < TINY ? TINY : c;
        h *= c * d;
        if (fabs(c * d - 1) < PRECISION * 4) {
            break;
        }
    }
    return front * h;
}

double statistics_limit(double n_checks, double dof)
{
    double tail = STATISTICS_FAMILY_ERROR / (2 * (n_checks < 1 ? 1 : n_checks));
    return isinf(dof) ? statistics_normal_quantile(tail) : statistics_student_quantile(tail, dof);
}

double statistics_welch_dof(double sa, double dof_a, double sb, double dof_b)
{
    double a = sa * sa, b = sb * sb;
    if (a == 0 || b == 0) {
        return a == 0 ? dof_b : dof_a;
    }
    /* Scaled by the sum: fourth powers of small errors would underflow. */
    double fa = a / (a + b), fb = b / (a + b);
    return 1 / (fa * fa / dof_a + fb * fb / dof_b);
}
