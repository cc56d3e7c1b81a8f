/* Rsp and the beam in clear layers on top, against light followed bounce by bounce. */
#include "core/context.h"
#include "model/light/light_plan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MAX_LAYERS = 8 };

static double reflectance(double n1, double n2)
{
    return (n1 - n2) * (n1 - n2) / ((n1 + n2) * (n1 + n2));
}

/* Weights that go down and up in each clear layer, split at every interface until nothing is left. */
static void follow(const light_model *m, uint32_t n_clear, double *path, double *reflected)
{
    double down[MAX_LAYERS] = {0}, up[MAX_LAYERS] = {0};
    double first = reflectance(m->n_above, m->layers[0].n);
    *reflected = first;
    down[0] = 1.0 - first;
    for (int round = 0; round < 4000; ++round) {
        double next_down[MAX_LAYERS] = {0}, next_up[MAX_LAYERS] = {0};
        for (uint32_t i = 0; i < n_clear; ++i) {
            path[i] += (down[i] + up[i]) * m->layers[i].d;
            double below = reflectance(m->layers[i].n, m->layers[i + 1].n);
            double above = reflectance(m->layers[i].n, i == 0 ? m->n_above : m->layers[i - 1].n);
            next_up[i] += down[i] * below;
            if (i + 1 < n_clear) {
                next_down[i + 1] += down[i] * (1.0 - below);
            }
            next_down[i] += up[i] * above;
            if (i > 0) {
                next_up[i - 1] += up[i] * (1.0 - above);
            } else {
                *reflected += up[i] * (1.0 - above);
            }
        }
        for (uint32_t i = 0; i < n_clear; ++i) {
            down[i] = next_down[i];
            up[i] = next_up[i];
        }
    }
}

static light_model *stack(const double *n, const double *d, uint32_t n_clear)
{
    light_model *m = light_model_create(n_clear + 1);
    assert_non_null(m);
    m->n_above = 1.0;
    m->n_below = 1.0;
    for (uint32_t i = 0; i <= n_clear; ++i) {
        m->layers[i] = (light_layer){.n = n[i], .mu_a = i < n_clear ? 0.0 : 1.0, .mu_s = i < n_clear ? 0.0 : 10.0,
                                     .g = 0.5, .d = d[i]};
    }
    m->dz = 0.1;
    m->dr = 0.1;
    m->nz = 40;
    m->nr = m->na = 3;
    return m;
}

static void check(const double *n, const double *d, uint32_t n_clear)
{
    light_model *m = stack(n, d, n_clear);
    double expected[MAX_LAYERS] = {0}, reflected = 0.0, top = 0.0;
    double *path = calloc(m->nz + 1, sizeof *path);
    uint32_t first = 0;
    follow(m, n_clear, expected, &reflected);
    assert_true(fabs(light_specular(m, &first) - reflected) < 1.0e-12);
    assert_int_equal(first, n_clear);
    light_beam_path(m, path);
    for (uint32_t i = 0; i < n_clear; ++i) { /* layers here end on multiples of dz, or beyond the grid */
        double sum = 0.0;
        for (uint32_t j = 0; j <= m->nz; ++j) {
            double middle = (j + 0.5) * m->dz;
            sum += middle > top && (middle < top + m->layers[i].d) ? path[j] : 0.0;
        }
        assert_true(fabs(sum - expected[i]) < 1.0e-9);
        top += m->layers[i].d;
    }
    double all = 0.0;
    for (uint32_t j = 0; j <= m->nz; ++j) {
        all += path[j];
        expected[MAX_LAYERS - 1] += j * m->dz >= top ? path[j] : 0.0;
    }
    assert_true(all > 0.0 && expected[MAX_LAYERS - 1] == 0.0); /* nothing below the clear layers */
    free(path);
    light_model_destroy(m);
}

static void test_one_layer(void **state)
{
    (void)state;
    check((const double[]){1.5, 1.4}, (const double[]){0.5, 1.0}, 1);
}

static void test_several_layers(void **state)
{
    (void)state;
    check((const double[]){1.5, 1.0, 2.4, 1.33}, (const double[]){0.3, 1.0, 0.7, 1.0}, 3);
}

static void test_matched(void **state)
{
    (void)state;
    check((const double[]){1.0, 1.0, 1.0}, (const double[]){0.4, 0.2, 1.0}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_layer),
        cmocka_unit_test(test_several_layers),
        cmocka_unit_test(test_matched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
