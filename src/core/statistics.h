/** Quantiles and tails of the distributions that tests and comparisons use. */
#ifndef CORE_STATISTICS_H
#define CORE_STATISTICS_H

/** Chance that one comparison of many (a whole report, a whole test suite) alarms although all is well. */
#define STATISTICS_FAMILY_ERROR 1e-4

/** P(Z > z) of the standard normal distribution. Relative error below 1e-14 while it is above 1e-300. */
double statistics_normal_tail(double z);

/** z with P(Z > z) = tail, tail in (0, 1); infinite at the ends, NaN outside. */
double statistics_normal_quantile(double tail);

/**
 * P(T > t) of Student's t with `dof` degrees of freedom, dof > 0 (need not be whole; infinite: normal).
 * By the regularised incomplete beta function, I_x(dof/2, 1/2) / 2 with x = dof / (dof + t^2).
 * Ref: Abramowitz and Stegun 1964, 26.7.1 and 26.5.8.
 */
double statistics_student_tail(double t, double dof);

/** t with P(T > t) = tail, tail in (0, 1). */
double statistics_student_quantile(double tail, double dof);

/** P(X > x) of chi-square with `dof` degrees of freedom: the upper incomplete gamma function Q(dof/2, x/2). */
double statistics_chi2_tail(double x, double dof);

/**
 * The two-sided limit on |z| for `n_checks` comparisons at the family error above (Bonferroni).
 * 300 checks: 6.5 with 31 degrees of freedom, 5.1 for the normal distribution (dof infinite).
 */
double statistics_limit(double n_checks, double dof);

/**
 * Degrees of freedom of the difference of two means with standard errors sa and sb, known to dof_a and dof_b degrees.
 * (sa^2 + sb^2)^2 / (sa^4 / dof_a + sb^4 / dof_b). Ref: Welch 1947.
 */
double statistics_welch_dof(double sa, double dof_a, double sb, double dof_b);

#endif
