/* T13. Touches between the ends of a step, and their times, against Smoluchowski's first passage; the form of a line fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/react.h"
#include "core/statistics.h"

#include <math.h>
#include <stdio.h>

enum { N = 200000, N_CHECKS = 40, N_PARTS = 4 };

static const double parts[N_PARTS + 1] = {0.0, 0.01, 0.1, 0.5, 1.0};

typedef struct bridge_case {
    float r0, radius, spread; /* nm, nm, D dt in nm2 */
} bridge_case;

/* Part that has touched by the fraction f of the step. */
static double touched(const bridge_case *c, double f)
{
    return f <= 0.0 ? 0.0 : (double)c->radius / (double)c->r0 * erfc((double)(c->r0 - c->radius) / sqrt(4.0 * (double)c->spread * f));
}

static void test_touches(void **state)
{
    (void)state;
    static const bridge_case cases[] = {{0.52f, 0.5f, 0.01f}, {0.8f, 0.5f, 1.0f}, {2.0f, 0.5f, 30.0f}, {0.55f, 0.5f, 30.0f}, {1.0f, 0.2f, 0.14f}};
    ck_philox4_key key = ck_philox4_key_of(7);
    double limit = statistics_limit(N_CHECKS, INFINITY), line_error = 0.0;
    for (uint32_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const bridge_case *c = &cases[k];
        double count[N_PARTS] = {0.0}, on_a_line = 0.0, whole = touched(c, 1.0);
        for (uint32_t i = 0; i < N; ++i) {
            chem_vector normal = chem_normal_vector(chem_draw(key, i, 1u, k, 0u, CHEM_STREAM_MOVE, 0u));
            float width = sqrtf(2.0f * c->spread);
            chem_pair p = {i, 2u, 0u, k, {c->r0, 0.0f, 0.0f}, {width * normal.x, width * normal.y, width * normal.z}};
            chem_event e = chem_meet_absorbing(key, p, 0u, c->radius, c->spread, chem_draw(key, i, 2u, k, 0u, CHEM_STREAM_MOVE, 1u).a);
            for (int j = 0; e.channel == 0u && j < N_PARTS; ++j) {
                count[j] += (double)e.fraction >= parts[j] && (double)e.fraction < parts[j + 1];
            }
            chem_vector end = {p.apart.x + p.moved.x, p.moved.y, p.moved.z};
            double r1 = (double)chem_length(end), gap = (double)((c->r0 - c->radius)) * (r1 - (double)c->radius);
            on_a_line += r1 <= (double)c->radius ? 1.0 : exp(-gap / (double)c->spread);
        }
        for (int j = 0; j < N_PARTS; ++j) {
            double w = touched(c, parts[j + 1]) - touched(c, parts[j]), z = (count[j] / N - w) / sqrt(fmax(w, 1.0 / N) / N);
            if (!(fabs(z) <= limit)) {
                fail_msg("r0 %g, D dt %g, part %d: %.5f where %.5f is right (z = %.1f)", (double)c->r0, (double)c->spread, j,
                         count[j] / N, w, z);
            }
        }
        line_error = fmax(line_error, on_a_line / N / whole - 1.0);
    }
    assert_true(line_error > 0.5); /* Eq. 5 of the published codes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
