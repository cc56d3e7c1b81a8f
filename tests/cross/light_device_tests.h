/**
 * What every device that is no CPU must pass: the digests of the models, resumed runs, borders, the step limit. Define
 * CROSS_DEVICE, its name, before; include after cmocka.h.
 */
#ifndef TESTS_CROSS_LIGHT_DEVICE_TESTS_H
#define TESTS_CROSS_LIGHT_DEVICE_TESTS_H

#include "cross/light_models.h"

static void test_models(void **state)
{
    (void)state;
    check_models(CROSS_DEVICE);
}

static void test_resume(void **state)
{
    (void)state;
    check_resume(0, CROSS_DEVICE);
    check_resume(3, CROSS_DEVICE);
}

static void test_border(void **state)
{
    (void)state;
    check_border(CROSS_DEVICE);
}

static void test_step_limit(void **state)
{
    (void)state;
    check_step_limit(CROSS_DEVICE);
}

#define LIGHT_DEVICE_TESTS                                                                                             \
    cmocka_unit_test(test_models), cmocka_unit_test(test_resume), cmocka_unit_test(test_border),                       \
        cmocka_unit_test(test_step_limit)

#endif
