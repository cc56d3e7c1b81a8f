/* Formulas of gas models: values of every token, rules of arithmetic, and messages of what cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/context.h"
#include "model/gas/gas_formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static crp_context *context;
static gas_model *model;

/* Three squares of 1, 4 and 9 cm2 on two surfaces, and a group of the last two. */
static int set_up(void **state)
{
    (void)state;
    assert_int_equal(crp_context_create(&context), CRP_OK);
    model = gas_model_create();
    assert_non_null(model);
    gas_surface surface = gas_surface_default();
    strcpy(surface.name, "wall");
    assert_int_equal(gas_model_add_surface(context, model, &surface), CRP_OK);
    strcpy(surface.name, "pump");
    assert_int_equal(gas_model_add_surface(context, model, &surface), CRP_OK);
    for (uint32_t i = 0; i < 3; i++) {
        double a = 0.01 * (i + 1), z = i;
        const uint32_t n = 4, corners[4] = {4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
        const double xy[4][2] = {{0, 0}, {a, 0}, {a, a}, {0, a}};
        for (int k = 0; k < 4; k++) {
            assert_int_equal(gas_model_add_vertex(context, model, xy[k][0], xy[k][1], z), CRP_OK);
        }
        assert_int_equal(gas_model_add_facet(context, model, i == 0 ? 0 : 1, corners, &n, 1, 0, 0), CRP_OK);
    }
    const uint32_t group[2] = {1, 2};
    return gas_model_add_group(context, model, "the rest", group, 2) == CRP_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gas_model_destroy(model);
    crp_context_destroy(&context);
    return 0;
}

/* A number for every quantity and facet that says which it is. */
static double code(void *user, gas_quantity quantity, uint32_t facet)
{
    (void)user;
    return quantity < GAS_N_FACET_QUANTITIES ? 100.0 * ((int)quantity + 1) + facet + 1 : 10000.0 + (int)quantity;
}

static double value_of(const char *text)
{
    gas_expression *expression = NULL;
    if (gas_expression_create(context, model, "test", text, &expression) != CRP_OK) {
        fail_msg("%s: %s", text, crp_context_error(context));
    }
    double value = gas_expression_value(expression, code, NULL);
    gas_expression_destroy(&expression);
    return value;
}

static double facet_code(gas_quantity quantity, int number)
{
    return code(NULL, quantity, (uint32_t)number - 1);
}

static void test_arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1+2*3", 7},        {"(1+2)*3", 9}, {"2-3-4", -5},       {"16/4/2", 2},        {"2^3^2", 512},
        {"-2^2", -4},        {"2*-3", -6},   {"--2", 2},          {"+1.5e1", 15},       {" 1 / 4 ", 0.25},
        {"sqrt(16)", 4},     {"abs(-2)", 2}, {"inv(4)", 0.25},    {"pow(2, 10)", 1024}, {"ln(exp(2))", 2},
        {"log10(100)", 2},   {"log2(8)", 3}, {"sin(PI/2)", 1},    {"cos(0)", 1},        {"tan(0)", 0},
        {"asin(1)*2/PI", 1}, {"acos(1)", 0}, {"atan(1)*4/pi", 1}, {"sinh(0)", 0},       {"cosh(0)", 1},
        {"tanh(0)", 0},      {"Na*Kb/R", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = value_of(cases[i].text);
        if (!(fabs(value - cases[i].value) <= 1e-9)) {
            fail_msg("%s = %.17g, expected %g", cases[i].text, value, cases[i].value);
        }
    }
    assert_true(isnan(value_of("0/0")));
    assert_true(isinf(value_of("1/0")));
}

static void test_every_facet_quantity(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        gas_quantity quantity;
    } words[] = {{"A", GAS_Q_ABSORBED},     {"D", GAS_Q_DESORBED},    {"H", GAS_Q_HITS},
                 {"MCH", GAS_Q_MC_HITS},    {"P", GAS_Q_PRESSURE},    {"DEN", GAS_Q_DENSITY},
                 {"Z", GAS_Q_IMPINGEMENT},  {"V", GAS_Q_MEAN_SPEED},  {"T", GAS_Q_TEMPERATURE},
                 {"AR", GAS_Q_AREA},        {"FORCE", GAS_Q_FORCE},   {"FORCEX", GAS_Q_FORCE_X},
                 {"FORCEY", GAS_Q_FORCE_Y}, {"FORCEZ", GAS_Q_FORCE_Z}};
    assert_int_equal(sizeof words / sizeof words[0], GAS_N_FACET_QUANTITIES);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s2", words[i].word);
        assert_float_equal(value_of(text), facet_code(words[i].quantity, 2), 0);
    }
    assert_float_equal(value_of("den3"), facet_code(GAS_Q_DENSITY, 3), 0);
}

static void test_every_global_quantity(void **state)
{
    (void)state;
    static const char *const words[] = {"SUMABS", "SUMDES", "SUMHIT", "SUMMCHIT", "MFP",
                                        "MPP",    "DESR",   "ABSR",   "QCONST",   "QCONST_N"};
    assert_int_equal(sizeof words / sizeof words[0], GAS_N_QUANTITIES - GAS_N_FACET_QUANTITIES);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        assert_float_equal(value_of(words[i]), 10000.0 + GAS_N_FACET_QUANTITIES + (double)i, 0);
    }
}

static void test_sums_and_averages(void **state)
{
    (void)state;
    double h1 = facet_code(GAS_Q_HITS, 1), h2 = facet_code(GAS_Q_HITS, 2), h3 = facet_code(GAS_Q_HITS, 3);
    double p1 = facet_code(GAS_Q_PRESSURE, 1), p2 = facet_code(GAS_Q_PRESSURE, 2), p3 = facet_code(GAS_Q_PRESSURE, 3);
    assert_float_equal(value_of("SUM(H,1,3)"), h1 + h2 + h3, 0);
    assert_float_equal(value_of("sum( H , S1 )"), h2 + h3, 0);
    assert_float_equal(value_of("H[wall]"), h1, 0);
    assert_float_equal(value_of("H[pump]"), h2 + h3, 0);
    assert_float_equal(value_of("H[the rest]"), h2 + h3, 0);
    /* weighted by the areas 1, 4 and 9 */
    assert_float_equal(value_of("AVG(P,1,3)"), (p1 + 4 * p2 + 9 * p3) / 14, 1e-9);
    assert_float_equal(value_of("AVG(P,S1)"), (4 * p2 + 9 * p3) / 13, 1e-9);
    assert_float_equal(value_of("P[pump]"), (4 * p2 + 9 * p3) / 13, 1e-9);
    assert_float_equal(value_of("A2/SUMDES"), facet_code(GAS_Q_ABSORBED, 2) / (10000.0 + GAS_Q_SUM_DESORBED), 1e-15);
}

static void test_what_cannot_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "the formula ends too soon"},
        {"1+", "the formula ends too soon"},
        {"(1", "a closing bracket is expected"},
        {"1)", "an operator or the end is expected"},
        {"1 2", "an operator or the end is expected"},
        {"A4", "there is no facet of this number"},
        {"A0", "numbered from 1"},
        {"A99999999999999999999", "there is no facet of this number"},
        {"A", "the number of a facet is missing"},
        {"Q2", "this word is not known"},
        {"what", "character 1: this word is not known"},
        {"1+what", "character 3: this word is not known"},
        {"f(2)", "this function is not known"},
        {"pow(2)", "pow takes two numbers"},
        {"SUM(H)", "a comma and facets"},
        {"SUM(Q,1,2)", "a quantity of facets is expected"},
        {"SUM(H,2,1)", "there are no such facets"},
        {"SUM(H,1,4)", "there are no such facets"},
        {"SUM(H,S2)", "there is no group of this number"},
        {"AVG(P,S)", "a group is S and its number"},
        {"A[nobody]", "no surface or group of this name"},
        {"A[pump", "the name has no end"},
        {"*2", "a number, a word or a bracket is expected"},
        {"1;2", "an operator or the end is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gas_expression *expression = NULL;
        crp_status status = gas_expression_create(context, model, "test", cases[i].text, &expression);
        if (status != CRP_ERR_CONFIG || strstr(crp_context_error(context), cases[i].message) == NULL) {
            fail_msg("'%s': status %d, message: %s", cases[i].text, status, crp_context_error(context));
        }
        assert_null(expression);
    }
}

/* Neither depth nor length can break it. */
static void test_limits(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    char *text = malloc(LONG + 2);
    static const char *const pieces[] = {"(", "-", "1+", "2^", "sin("};
    for (size_t k = 0; k < sizeof pieces / sizeof pieces[0]; k++) {
        gas_expression *expression = NULL;
        size_t n = strlen(pieces[k]);
        for (size_t i = 0; i + n <= LONG; i += n) {
            memcpy(text + i, pieces[k], n);
        }
        text[LONG / n * n] = '\0';
        assert_int_equal(gas_expression_create(context, model, "test", text, &expression), CRP_ERR_CONFIG);
        assert_null(expression);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_every_facet_quantity),
        cmocka_unit_test(test_every_global_quantity),
        cmocka_unit_test(test_sums_and_averages),
        cmocka_unit_test(test_what_cannot_be_read),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
