/*
 * Stacks of layers against exact solutions of the transport equation: Rsp, Rd, Tt, A, absorption by layer, angular
 * bins.
 *
 * The references were computed for this project by discrete ordinates with nodes shared between media through n
 * sin(theta), delta-M scaling, doubling, and Fresnel operators at the interfaces; they reproduce van de Hulst's and
 * Giovanelli's tables and are converged to the digits given. z = (x - ref)/sqrt(s_x^2 + s_ref^2) with s_ref half a unit
 * of the last digit; the limit on |z| follows from the number of all checks here at a family error of 1e-4, with
 * Student's t for 32 batches.
 *
 * Each case names the smallest relative bias of its main value that it must catch, has the photons for it (asserted),
 * and is run once more with a parameter shifted by about that bias, where it must fail. The long tier (CRP_TEST_LONG=1)
 * has ten times the photons and asks for a bias smaller by the root of ten. CRP_TEST_VERBOSE=1 prints every z.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/statistics.h"
#include "light_fixture.h"

enum { MAX_CHECKS = 40, MAX_LAYERS = 7, BATCHES = 32 };

typedef struct check {
    const char *tally;
    size_t bin;
    double value;
    int decimals; /* digits behind the point; EXACT: no error at all */
} check;

enum { EXACT = 99 };

/* Which number is shifted by the relative `change` for the run that must fail. */
typedef struct shift {
    char parameter; /* 'a', 's', 'g', 'n', 'd' of a layer */
    size_t layer;
    double change;
} shift;

typedef struct stack_case {
    const char *name;
    fixture_stack stack;
    uint64_t histories;
    double bias; /* smallest relative bias of checks[main_check] that must be caught */
    size_t main_check;
    shift mutation;
    size_t n_checks;
    check checks[MAX_CHECKS];
} stack_case;

/* clang-format off */
#define LAYERS(...) .n_layers = sizeof((const fixture_layer[]){__VA_ARGS__}) / sizeof(fixture_layer), \
                    .layers = (const fixture_layer[]){__VA_ARGS__}
#define SKIN_GRID .dz = 0.002, .dr = 0.01, .nz = 256, .nr = 256, .na = 30
#define COARSE_GRID .dz = 0.01, .dr = 0.01, .nz = 40, .nr = 50, .na = 30
#define L(n, a, s, g, d) {n, a, s, g, d}
#define RSP(v, digits) {"Rsp", 0, v, digits}
#define RD(v, digits) {"Rd", 0, v, digits}
#define TT(v, digits) {"Tt", 0, v, digits}
#define A(v, digits) {"A", 0, v, digits}
#define AL(layer, v, digits) {"absorbed_fraction", (layer) - 1, v, digits}
#define RA(bin, v) {"Rd_a", bin, v, 6}
#define TA(bin, v) {"Tt_a", bin, v, 6}

/* exp(-2) per steradian of the first of 30 bins: the light that was not scattered, which the table of Td leaves out. */
#define BALLISTIC_BIN (0.13533528323661269 / 0.00861088709)

static stack_case cases[] = {
    {"van de Hulst", {1.0, 1.0, LAYERS(L(1.0, 10, 90, 0.75, 0.02)), .dz = 0.001, .dr = 0.01, .nz = 20, .nr = 50, .na = 30},
     2000000, 0.016, 1, {'a', 0, 0.065}, 28,
     {RSP(0, EXACT), RD(0.0973946, 7), TT(0.6609577, 7), A(0.2416477, 7),
      RA(0, 0.019674), RA(1, 0.019697), RA(2, 0.019743), RA(5, 0.020009), RA(9, 0.020559), RA(10, 0.020700),
      RA(15, 0.020933), RA(19, 0.019408), RA(20, 0.018564), RA(24, 0.012580), RA(28, 0.003246), RA(29, 0.000999),
      TA(0, 0.750266), TA(1, 0.697875), TA(2, 0.612531), TA(5, 0.356892), TA(9, 0.179641), TA(10, 0.154495),
      TA(15, 0.079067), TA(19, 0.047380), TA(20, 0.041177), TA(24, 0.019942), TA(28, 0.003939), TA(29, 0.001151)}},
    {"Giovanelli", {1.0, 1.0, LAYERS(L(1.5, 10, 90, 0.0, 1e8)), .dz = 0.002, .dr = 0.002, .nz = 100, .nr = 100, .na = 30},
     1000000, 0.013, 1, {'a', 0, 0.036}, 4,
     {RSP(0.04, EXACT), RD(0.2199186, 7), TT(0, EXACT), A(0.7400814, 7)}},
    {"MCML manual, 3 layers",
     {1.0, 1.0, LAYERS(L(1.37, 1, 100, 0.9, 0.1), L(1.37, 1, 10, 0.0, 0.1), L(1.37, 2, 10, 0.7, 0.2)), COARSE_GRID},
     1000000, 0.015, 1, {'s', 0, 0.045}, 7,
     {RSP(0.0243729, 7), RD(0.237856, 6), TT(0.0960477, 7), A(0.641723, 6), AL(1, 0.261938, 6), AL(2, 0.148754, 6),
      AL(3, 0.231031, 6)}},
    {"5-layer skin, 633 nm",
     {1.0, 1.0, LAYERS(L(1.5, 4.3, 107, 0.79, 0.01), L(1.4, 2.7, 187, 0.82, 0.02), L(1.4, 3.3, 192, 0.82, 0.02),
                       L(1.4, 2.7, 187, 0.82, 0.09), L(1.4, 3.4, 194, 0.82, 0.06)), SKIN_GRID},
     1000000, 0.012, 1, {'s', 1, 0.065}, 9,
     {RSP(0.04, EXACT), RD(0.2408819, 7), TT(0.0214911, 7), A(0.6976270, 7), AL(1, 0.1379924, 7), AL(2, 0.1482844, 7),
      AL(3, 0.1404330, 7), AL(4, 0.2253175, 7), AL(5, 0.0455996, 7)}},
    {"5-layer skin, 337 nm",
     {1.0, 1.0, LAYERS(L(1.5, 32, 165, 0.72, 0.01), L(1.4, 23, 227, 0.72, 0.02), L(1.4, 40, 246, 0.72, 0.02),
                       L(1.4, 23, 227, 0.72, 0.09), L(1.4, 46, 253, 0.72, 0.06)), SKIN_GRID},
     1000000, 0.025, 1, {'a', 0, 0.048}, 9,
     {RSP(0.04, EXACT), RD(0.0605398, 7), TT(2e-8, 8), A(0.8994602, 7), AL(1, 0.4587823, 7), AL(2, 0.3196345, 7),
      AL(3, 0.1068213, 7), AL(4, 0.0141985, 7), AL(5, 0.0000237, 7)}},
    {"7-layer skin, 600 nm",
     {1.0, 1.0, LAYERS(L(1.53, 0.2, 1000, 0.90, 0.002), L(1.34, 0.15, 400, 0.85, 0.008), L(1.40, 0.7, 300, 0.80, 0.010),
                       L(1.39, 1.0, 350, 0.90, 0.008), L(1.40, 0.7, 200, 0.76, 0.162), L(1.39, 1.0, 350, 0.95, 0.020),
                       L(1.44, 0.3, 150, 0.80, 0.590)), .dz = 0.002, .dr = 0.01, .nz = 500, .nr = 200, .na = 30},
     1000000, 0.01, 1, {'a', 4, 0.08}, 11,
     {RSP(0.0438845, 7), RD(0.562585, 6), TT(0.0032634, 7), A(0.390267, 6), AL(1, 0.0025282, 7), AL(2, 0.0058862, 7),
      AL(3, 0.0350810, 7), AL(4, 0.0363517, 7), AL(5, 0.250003, 6), AL(6, 0.0158815, 7), AL(7, 0.0445357, 7)}},
    {"7-layer vein, 700 nm",
     {1.0, 1.0, LAYERS(L(1.34, 3.88, 108.07, 0.765, 0.01), L(1.40, 0.21, 108.07, 0.765, 0.20), L(1.44, 1.36, 12.21, 0.75, 0.05),
                       L(0.98, 1.05, 18.61, 0.90, 0.005), L(0.98, 1.55, 308.23, 0.98, 0.50), L(0.98, 1.05, 18.61, 0.90, 0.005),
                       L(1.44, 1.36, 12.21, 0.75, 0.23)), .dz = 0.0025, .dr = 0.01, .nz = 500, .nr = 200, .na = 30},
     1000000, 0.01, 1, {'a', 0, 0.05}, 11,
     {RSP(0.0211118, 7), RD(0.4787458, 7), TT(0.00285978, 8), A(0.4972826, 7), AL(1, 0.1580328, 7), AL(2, 0.1300373, 7),
      AL(3, 0.0858018, 7), AL(4, 0.0025769, 7), AL(5, 0.1156118, 7), AL(6, 0.0001058, 7), AL(7, 0.0051161, 7)}},
    {"glass, tissue, glass",
     {1.0, 1.0, LAYERS(L(1.5, 0, 0, 0, 0.1), L(1.4, 1, 100, 0.9, 0.1), L(1.5, 0, 0, 0, 0.1)), COARSE_GRID},
     1000000, 0.016, 1, {'s', 1, 0.04}, 7,
     {RSP(0.0410959, 7), RD(0.2297707, 7), TT(0.4509048, 7), A(0.2782287, 7), AL(1, 0, EXACT), AL(2, 0.2782287, 7),
      AL(3, 0, EXACT)}},
    {"the same tissue without glass", {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.1)), COARSE_GRID},
     1000000, 0.016, 1, {'s', 0, 0.035}, 4,
     {RSP(0.0277778, 7), RD(0.2326178, 7), TT(0.4612031, 7), A(0.2784013, 7)}},
    {"glass on top only", {1.0, 1.0, LAYERS(L(1.5, 0, 0, 0, 0.1), L(1.4, 1, 100, 0.9, 0.1)), COARSE_GRID},
     1000000, 0.016, 1, {'s', 1, 0.035}, 5,
     {RSP(0.0410959, 7), RD(0.2264459, 7), TT(0.4566247, 7), A(0.2758336, 7), AL(1, 0, EXACT)}},
    {"tissue, matched clear layer, tissue",
     {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.05), L(1.4, 0, 0, 0, 0.02), L(1.4, 1, 100, 0.9, 0.05)), COARSE_GRID},
     1000000, 0.016, 1, {'s', 0, 0.055}, 7,
     {RSP(0.0277778, 7), RD(0.2326178, 7), TT(0.4612031, 7), A(0.2784014, 7), AL(1, 0.1446643, 7), AL(2, 0, EXACT),
      AL(3, 0.1337371, 7)}},
    {"tissue, air gap, tissue",
     {1.0, 1.0, LAYERS(L(1.4, 1, 100, 0.9, 0.05), L(1.0, 0, 0, 0, 0.02), L(1.4, 1, 100, 0.9, 0.05)), COARSE_GRID},
     1000000, 0.013, 1, {'n', 1, 0.016}, 7,
     {RSP(0.0277778, 7), RD(0.2847718, 7), TT(0.4090491, 7), A(0.2784014, 7), AL(1, 0.1684602, 7), AL(2, 0, EXACT),
      AL(3, 0.1099412, 7)}},
    {"pure absorber", {1.0, 1.0, LAYERS(L(1.4, 1, 0, 0, 1.0)), .dz = 0.05, .dr = 0.01, .nz = 20, .nr = 10, .na = 30},
     1000000, 0.014, 2, {'a', 0, 0.02}, 4,
     {RSP(0.0277778, 7), RD(0.0035537, 7), TT(0.3477619, 7), A(0.6209066, 7)}},
    {"no absorption, n = 1.4", {1.0, 1.0, LAYERS(L(1.4, 0, 100, 0.9, 0.1)), COARSE_GRID},
     1000000, 0.017, 1, {'s', 0, 0.04}, 4,
     {RSP(0.0277778, 7), RD(0.358587, 6), TT(0.613635, 6), A(0, EXACT)}},
    {"no absorption, n = 1", {1.0, 1.0, LAYERS(L(1.0, 0, 100, 0.9, 0.1)), COARSE_GRID},
     1000000, 0.016, 1, {'s', 0, 0.022}, 4,
     {RSP(0, EXACT), RD(0.307423, 6), TT(0.692577, 6), A(0, EXACT)}},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* Semi-infinite media, mu_s = 100, g and n; Rd without the specular part. */
static const struct {
    double n, g;
    double albedo[4], rd[4];
    double bias[4], change[4]; /* relative change of mu_a */
    uint64_t histories[4];
} media[] = {
    {1.0, 0.0, {0.5, 0.9, 0.99, 0.999}, {0.115226, 0.414947, 0.752721, 0.912845}, {0.018, 0.0095, 0.0045, 0.005},
     {0.03, 0.03, 0.038, 0.16}, {1000000, 1000000, 1000000, 300000}},
    {1.0, 0.9, {0.5, 0.9, 0.99, 0.999}, {0.006461, 0.068566, 0.399541, 0.745954}, {0.08, 0.026, 0.01, 0.01},
     {0.08, 0.03, 0.025, 0.08}, {1000000, 1000000, 1000000, 300000}},
    {1.4, 0.0, {0.5, 0.9, 0.99, 0.999}, {0.052302, 0.250596, 0.603589, 0.830116}, {0.025, 0.012, 0.007, 0.007},
     {0.042, 0.03, 0.04, 0.12}, {1000000, 1000000, 1000000, 300000}},
    {1.4, 0.9, {0.5, 0.9, 0.99, 0.999}, {0.002143, 0.029522, 0.250897, 0.603828}, {0.12, 0.035, 0.013, 0.013},
     {0.17, 0.035, 0.03, 0.06}, {1000000, 1000000, 1000000, 300000}},
};
enum { N_MEDIA = sizeof media / sizeof media[0] };
/* clang-format on */

/* ------------------------------------------------------------------------------------------------------- comparison */

static double n_all_checks(void)
{
    double n = 4.0 * N_MEDIA;
    for (size_t i = 0; i < N_CASES; ++i) {
        n += (double)cases[i].n_checks;
    }
    return n;
}

static double limit(void)
{
    return statistics_limit(n_all_checks(), BATCHES - 1.0);
}

static double tightening(void)
{
    return fixture_is_long() ? sqrt(10.0) : 1.0;
}

static void __attribute__((format(printf, 1, 2))) tell(const char *format, ...)
{
    if (getenv("CRP_TEST_VERBOSE") != NULL) {
        va_list list;
        va_start(list, format);
        vprintf(format, list);
        va_end(list);
    }
}

static double z_of(const crp_result *result, const check *c)
{
    fixture_value x = fixture_get(result, c->tally, c->bin);
    double s_ref = c->decimals == EXACT ? 0.0 : 0.5 * pow(10.0, -c->decimals);
    double s = sqrt(x.error * x.error + s_ref * s_ref);
    double off = x.mean - c->value;
    if (c->decimals == EXACT && fabs(off) <= 0.5 / (double)LIGHT_WEIGHT_ONE) { /* to the unit of the weight */
        return 0.0;
    }
    tell("  %-18s %3zu  %.8f +- %.8f  reference %.8f  z = %6.2f\n", c->tally, c->bin, x.mean, x.error, c->value,
         off / s);
    return off / s;
}

/* All checks within the limit, and enough photons for the bias that the case promises to catch. */
static void expect_right(const stack_case *c, const crp_result *result)
{
    for (size_t i = 0; i < c->n_checks; ++i) {
        double z = z_of(result, &c->checks[i]);
        if (!(fabs(z) <= limit())) {
            fixture_value x = fixture_get(result, c->checks[i].tally, c->checks[i].bin);
            fail_msg("%s: %s[%zu] = %.8f +- %.8f, reference %.8f: z = %.1f, limit %.1f", c->name, c->checks[i].tally,
                     c->checks[i].bin, x.mean, x.error, c->checks[i].value, z, limit());
        }
    }
    const check *m = &c->checks[c->main_check];
    fixture_value x = fixture_get(result, m->tally, m->bin);
    double caught = (limit() + 1.645) * x.error / m->value;
    tell("  catches a bias of %.4f, promised %.4f\n", caught, c->bias / tightening());
    /* the error itself is known to 1/sqrt(2 * 31) = 13 %: three times that is allowed before more photons are asked for
     */
    if (!(caught <= 1.39 * c->bias / tightening())) {
        fail_msg("%s: catches a bias of %.3g of %s at best, %.3g was promised: needs more photons", c->name, caught,
                 m->tally, c->bias / tightening());
    }
}

/* The shifted run: the main value is off by no more than a few times the promised bias, and the case sees it. */
static void expect_caught(const stack_case *c, const crp_result *result)
{
    const check *m = &c->checks[c->main_check];
    fixture_value x = fixture_get(result, m->tally, m->bin);
    double shifted = fabs(x.mean / m->value - 1.0), z = z_of(result, m);
    tell("  the shifted run is off by %.4f\n", shifted);
    if (!(fabs(z) > limit())) {
        fail_msg("%s: with a shifted parameter %s = %.7f still passes (z = %.1f, limit %.1f): the case has no power",
                 c->name, m->tally, x.mean, z, limit());
    }
    if (!(shifted <= 2.5 * c->bias / tightening())) {
        fail_msg("%s: the shift of %.3g is too large to show that %.3g is caught", c->name, shifted,
                 c->bias / tightening());
    }
}

static fixture_layer shifted_layer(fixture_layer l, char parameter, double factor)
{
    l.mu_a *= parameter == 'a' ? factor : 1.0;
    l.mu_s *= parameter == 's' ? factor : 1.0;
    l.g *= parameter == 'g' ? factor : 1.0;
    l.n *= parameter == 'n' ? factor : 1.0;
    l.d *= parameter == 'd' ? factor : 1.0;
    return l;
}

static void run_case(const stack_case *c, uint64_t seed)
{
    uint64_t histories = c->histories * (fixture_is_long() ? 10 : 1);
    tell("%s, %llu photons, limit %.2f\n", c->name, (unsigned long long)histories, limit());
    crp_result *result = fixture_run(&c->stack, histories, seed);
    expect_right(c, result);
    crp_result_destroy(&result);

    fixture_layer layers[MAX_LAYERS];
    fixture_stack stack = c->stack;
    memcpy(layers, c->stack.layers, c->stack.n_layers * sizeof *layers);
    stack.layers = layers;
    layers[c->mutation.layer] =
        shifted_layer(layers[c->mutation.layer], c->mutation.parameter, 1.0 + c->mutation.change / tightening());
    result = fixture_run(&stack, histories, seed + 1000);
    expect_caught(c, result);
    crp_result_destroy(&result);
}

static void test_stack(void **state)
{
    const stack_case *c = *state;
    run_case(c, 100 + (uint64_t)(c - cases));
}

static void test_semi_infinite(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MEDIA; ++i) {
        for (size_t k = 0; k < 4; ++k) {
            double mu_a = 100.0 * (1.0 - media[i].albedo[k]) / media[i].albedo[k];
            const fixture_layer layer = {media[i].n, mu_a, 100.0, media[i].g, 1e8};
            char name[80];
            snprintf(name, sizeof name, "semi-infinite, n = %g, g = %g, albedo %g", media[i].n, media[i].g,
                     media[i].albedo[k]);
            stack_case c = {name,
                            {1.0, 1.0, 1, &layer, COARSE_GRID},
                            media[i].histories[k],
                            media[i].bias[k],
                            0,
                            {'a', 0, media[i].change[k]},
                            1,
                            {RD(media[i].rd[k], 6)}};
            run_case(&c, 200 + 4 * i + k);
        }
    }
}

/* ----------------------------------------------------------------------------------------------------------------------
 */

int main(void)
{
    struct CMUnitTest tests[N_CASES + 1];
    for (size_t i = 0; i < N_CASES; ++i) {
        struct CMUnitTest test = {cases[i].name, test_stack, NULL, NULL, &cases[i]};
        tests[i] = test;
        for (size_t k = 0; k < cases[i].n_checks; ++k) {
            check *c = &cases[i].checks[k];
            c->value += strcmp(c->tally, "Tt_a") == 0 && c->bin == 0 ? BALLISTIC_BIN : 0.0;
        }
    }
    struct CMUnitTest test = {"semi-infinite media", test_semi_infinite, NULL, NULL, NULL};
    tests[N_CASES] = test;
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
