/** Quantiles and tails against tabulated values. */
#include "core/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void close_to(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected))) {
        fail_msg("%.17g is not %.17g within %g", value, expected, relative);
    }
}

/* Expected values: mpmath at 30 digits (erfc, betainc, gammainc and a root finder), and closed forms. They agree with
 * the printed digits of Abramowitz and Stegun 1964, tables 26.1, 26.8 and 26.10. */
static void test_normal(void **state)
{
    (void)state;
    close_to(statistics_normal_tail(0), 0.5, 1e-15);
    close_to(statistics_normal_tail(1.959963984540054), 0.025, 1e-13);
    close_to(statistics_normal_tail(5), 2.866515718791939e-07, 1e-13);
    close_to(statistics_normal_quantile(0.025), 1.959963984540054, 1e-14);
    close_to(statistics_normal_quantile(0.975), -1.959963984540054, 1e-14);
    close_to(statistics_normal_quantile(1e-10), 6.361340902404056, 1e-13);
    assert_true(fabs(statistics_normal_quantile(0.5)) < 1e-15);
    assert_true(isinf(statistics_normal_quantile(0)));
    assert_true(isnan(statistics_normal_quantile(-0.1)));
}

static void test_student(void **state)
{
    (void)state;
    close_to(statistics_student_quantile(0.025, 1), 12.706204736174705, 1e-12);
    close_to(statistics_student_quantile(0.005, 10), 3.169272672616951, 1e-12);
    close_to(statistics_student_quantile(0.025, 31), 2.0395134463964077, 1e-12);
    close_to(statistics_student_quantile(0.0005, 120), 3.3734537685625004, 1e-12);
    close_to(statistics_student_quantile(0.95, 4), -2.1318467863266495, 1e-11);
    close_to(statistics_student_tail(1, 1), 0.25, 1e-14); /* arctangent */
    close_to(statistics_student_tail(-1, 1), 0.75, 1e-14);
    close_to(statistics_student_tail(2, 2), 0.5 - 1 / sqrt(6.0), 1e-13); /* closed form for 2 degrees */
    close_to(statistics_student_tail(1e10, 3), 1.1026577908435841e-30, 1e-13);
    close_to(statistics_student_tail(3, 1e7), statistics_normal_tail(3), 1e-5);
    close_to(statistics_student_tail(3, 1e12), statistics_normal_tail(3), 1e-12);
    for (double dof = 1; dof < 1000; dof *= 1.7) { /* inverse of each other, whole or broken degrees of freedom */
        for (double tail = 1e-12; tail < 0.5; tail *= 10) {
            close_to(statistics_student_tail(statistics_student_quantile(tail, dof), dof), tail, 1e-10);
        }
    }
}

static void test_chi2(void **state)
{
    (void)state;
    close_to(statistics_chi2_tail(3.841458820694124, 1), 0.05, 1e-12);
    close_to(statistics_chi2_tail(18.307038053275146, 10), 0.05, 1e-12);
    close_to(statistics_chi2_tail(124.342113404004, 100), 0.05, 1e-9);
    close_to(statistics_chi2_tail(2.5582121601872063, 10), 0.99, 1e-12);
    close_to(statistics_chi2_tail(6, 2), exp(-3.0), 1e-13);
    close_to(statistics_chi2_tail(600, 2), exp(-300.0), 1e-10);
    assert_true(statistics_chi2_tail(0, 5) == 1);
    close_to(statistics_chi2_tail(1e5, 1e5), 0.49940529189520669, 1e-9);
}

/** The numbers that the design quotes: 6.5 at 32 batches and 5.1 for known sigma, 300 checks. */
static void test_limit(void **state)
{
    (void)state;
    close_to(statistics_limit(300, INFINITY), 5.103554002914587, 1e-12);
    close_to(statistics_limit(300, 31), 6.460488923860543, 1e-10);
    close_to(statistics_limit(1, INFINITY), 3.890591886413094, 1e-12);
    assert_true(statistics_limit(3000, 31) > statistics_limit(300, 31));
    assert_true(statistics_limit(300, 7) > statistics_limit(300, 31));
}

static void test_welch(void **state)
{
    (void)state;
    close_to(statistics_welch_dof(1, 31, 1, 31), 62, 1e-14);
    close_to(statistics_welch_dof(1e-200, 31, 1e-200, 31), 31, 1e-14); /* squares underflow: the cautious answer */
    close_to(statistics_welch_dof(0, 9, 3, 31), 31, 1e-14);
    close_to(statistics_welch_dof(3, 9, 0, 31), 9, 1e-14);
    close_to(statistics_welch_dof(2, 9, 1, 31), 25.0 / (16.0 / 9 + 1.0 / 31), 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal), cmocka_unit_test(test_student), cmocka_unit_test(test_chi2),
        cmocka_unit_test(test_limit),  cmocka_unit_test(test_welch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
