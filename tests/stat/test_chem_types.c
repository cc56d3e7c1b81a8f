/* Reactions of types II to VI against closed forms and, for ions, against the Debye-Smoluchowski equation solved here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "core/statistics.h"

enum { N_CHECKS = 120, PAIRS = 60000, TRACKS = 1000 };

static const double D_A = 4.9e-3, D_B = 2.2e-3, PI = 3.14159265358979323846;

static double limit(void)
{
    return statistics_limit(N_CHECKS, INFINITY);
}

static crp_result *run_pairs(const char *set, double distance, const char *chem, uint64_t seed)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1 us, outputs_per_decade: 1}\nsource: {kind: pair, tracks: %d, "
             "distance: %.17g nm, energy: 100 eV, molecules: [{species: A, count: 1}, {species: B, count: 1}]}\n", TRACKS, distance);
    chem_case c = {.set = set, .yaml = yaml, .chem = chem, .copies = PAIRS / TRACKS, .seed = seed, .threads = 2};
    return chem_case_run(&c);
}

typedef double (*curve)(const void *data, double t);

/* Reacted part against a curve, to the statistics and a systematic part of it. Also: 8 % more, or less, is seen (12 % where a
 * systematic 1 % is allowed). */
static void expect_curve(const char *name, crp_result *result, curve w_of, const void *data, double systematic)
{
    size_t n;
    const double *t = chem_case_times(result, &n);
    double worst_low = 0.0, worst_high = 0.0, bias = 0.08 + 4.0 * systematic;
    chem_case_balances(result);
    for (size_t k = 1; k < n; ++k) {
        double w = w_of(data, t[k] - t[0]), x = chem_case_events(result, k, 0) / PAIRS;
        double sigma = sqrt(fmax(w * (1.0 - w), 1.0 / PAIRS) / PAIRS);
        if (!(fabs(x - w) <= limit() * sigma + systematic * w)) {
            fail_msg("%s at %g ps: %.5f where %.5f is right (%+.2f %%, %.1f sigma)", name, t[k], x, w, 100.0 * (x / w - 1.0),
                     (x - w) / sigma);
        }
        worst_low = fmax(worst_low, (fabs(x - (1.0 - bias) * w) - systematic * w) / sigma);
        worst_high = fmax(worst_high, (fabs(x - (1.0 + bias) * w) - systematic * w) / sigma);
    }
    assert_true(worst_low > limit() && worst_high > limit());
    crp_result_destroy(&result);
}

/* ------------------------------------------------------------------------------------------------------- type II */

typedef struct radiating {
    double sigma, diffusion, q, alpha, r0;
} radiating;

static double erfcx_of(double x)
{
    return x < 25.0 ? exp(x * x) * erfc(x) : 1.0 / (x * sqrt(PI)) * (1.0 - 0.5 / (x * x));
}

/* Collins and Kimball 1949. */
static double reacted_radiating(const void *data, double t)
{
    const radiating *r = data;
    double x = (r->r0 - r->sigma) / sqrt(4.0 * r->diffusion * t), y = r->alpha * sqrt(r->diffusion * t);
    return r->sigma / r->r0 * r->q / (1.0 + r->q) * exp(-x * x) * (erfcx_of(x) - erfcx_of(x + y));
}

static void test_partially_controlled(void **state)
{
    (void)state;
    char set[512];
    radiating r = {.sigma = 0.72, .diffusion = D_A + D_B, .r0 = 1.0};
    double k = 2.95e10, k_dif = CHEM_RATE_UNIT * r.sigma * r.diffusion;
    r.q = k / (k_dif - k);
    r.alpha = (1.0 + r.q) / r.sigma;
    assert_true(fabs(reacted_radiating(&r, 1e3) - 0.49673) < 2e-4); /* the formula itself */
    snprintf(set, sizeof set, "species A D=4.9 formula=e-\nspecies B D=2.2 formula=HO\nspecies C D=5 formula=OH-\n"
             "reaction A + B -> C k=2.95e10 type=II sigma=0.72\n");
    expect_curve("20 steps a decade", run_pairs(set, 1.0, "", 1), reacted_radiating, &r, 0.0);
    expect_curve("2 steps a decade", run_pairs(set, 1.0, "steps_per_decade: 2", 2), reacted_radiating, &r, 0.0);
    expect_curve("one step", run_pairs(set, 1.0, "step: 1 us", 3), reacted_radiating, &r, 0.0);
    r.r0 = 0.72;
    expect_curve("from contact", run_pairs(set, 0.72, "steps_per_decade: 5", 4), reacted_radiating, &r, 0.0);
}

/* ------------------------------------------------------------------------------------------------------- type V */

static double reacted_spin(const void *data, double t)
{
    const radiating *r = data;
    return 0.25 * r->sigma / r->r0 * erfc((r->r0 - r->sigma) / sqrt(4.0 * r->diffusion * t));
}

static void test_spin(void **state)
{
    (void)state;
    char set[512];
    radiating r = {.sigma = 0.5, .diffusion = D_A + D_B, .r0 = 0.8};
    snprintf(set, sizeof set, "species A D=4.9 formula=e-\nspecies B D=2.2 formula=HO\nspecies C D=5 formula=OH-\n"
             "reaction A + B -> C k=%.17g type=V\n", 0.25 * CHEM_RATE_UNIT * r.sigma * r.diffusion);
    expect_curve("type V", run_pairs(set, r.r0, "steps_per_decade: 5", 5), reacted_spin, &r, 0.0);
}

/* -------------------------------------------------------------------------------------------------- types III, IV */

enum { N_GRID = 1500, N_TIMES = 8 };

/* Survival S(r, t) of a pair in the potential r_c/r: dS/dt = D (S'' + (2/r + r_c/r^2) S'), implicit in time, on a grid that is
 * even in ln r; S = 0 (or S' = kappa S) at contact and 1 far away. */
typedef struct ions {
    double sigma, onsager, diffusion, kappa, r0; /* kappa [1/nm], infinite: absorbing */
    double reacted[N_TIMES];                     /* at 10^k ps less the start */
} ions;

static double survival_at(const double *r, const double *s, double r0)
{
    size_t i = 1;
    while (i + 1 < N_GRID && r[i] < r0) {
        ++i;
    }
    double part = (r0 - r[i - 1]) / (r[i] - r[i - 1]);
    return (1.0 - part) * s[i - 1] + part * s[i];
}

static void implicit_step(const ions *p, const double *r, double *s, double dt)
{
    static double a[N_GRID], b[N_GRID], c[N_GRID], d[N_GRID];
    for (size_t i = 1; i + 1 < N_GRID; ++i) {
        double left = r[i] - r[i - 1], right = r[i + 1] - r[i], drift = 2.0 / r[i] + p->onsager / (r[i] * r[i]);
        double low = (2.0 / left - drift * right / left) / (left + right), high = (2.0 / right + drift * left / right) / (left + right);
        a[i] = -p->diffusion * dt * low;
        c[i] = -p->diffusion * dt * high;
        b[i] = 1.0 - a[i] - c[i];
        d[i] = s[i];
    }
    b[0] = isinf(p->kappa) ? 1.0 : 1.0 + p->kappa * (r[1] - r[0]);
    c[0] = isinf(p->kappa) ? 0.0 : -1.0;
    d[0] = 0.0;
    a[N_GRID - 1] = 0.0;
    b[N_GRID - 1] = d[N_GRID - 1] = 1.0;
    for (size_t i = 1; i < N_GRID; ++i) {
        double f = a[i] / b[i - 1];
        b[i] -= f * (i - 1 < N_GRID - 1 ? c[i - 1] : 0.0);
        d[i] -= f * d[i - 1];
    }
    s[N_GRID - 1] = d[N_GRID - 1] / b[N_GRID - 1];
    for (size_t i = N_GRID - 1; i-- > 0;) {
        s[i] = (d[i] - c[i] * s[i + 1]) / b[i];
    }
}

static void solve(ions *p)
{
    static double r[N_GRID], s[N_GRID];
    for (size_t i = 0; i < N_GRID; ++i) {
        r[i] = p->sigma * pow(2000.0, (double)i / (N_GRID - 1));
        s[i] = 1.0;
    }
    double t = 0.0;
    for (int k = 1; k < N_TIMES; ++k) {
        double end = pow(10.0, k) - 1.0;
        if (k == N_TIMES - 1) {
            end = 1.0e6 - 1.0;
        }
        while (t < end * (1.0 - 1e-12)) {
            double dt = fmin(fmax(1.0e-4, 2.0e-3 * t), end - t);
            implicit_step(p, r, s, dt);
            t += dt;
        }
        p->reacted[k] = 1.0 - survival_at(r, s, p->r0);
    }
}

static double reacted_ions(const void *data, double t)
{
    const ions *p = data;
    return p->reacted[(int)floor(log10(t + 1.0) + 0.5)];
}

static void expect_ions(const char *name, double sign, double part, const char *chem, uint64_t seed)
{
    char set[512];
    ions p = {.sigma = 0.5, .onsager = 0.711 * sign, .diffusion = 14.0e-3, .r0 = 1.0};
    double effective = p.onsager / expm1(p.onsager / p.sigma), k_dif = CHEM_RATE_UNIT * effective * p.diffusion;
    double k = part * k_dif, q = part / (1.0 - part);
    /* Flux into contact: k_act S = 4 pi sigma^2 exp(-r_c/sigma)... in the equation for S the boundary is D S' = v S with
     * k_act = 4 pi sigma^2 v exp(-r_c/sigma). */
    p.kappa = part < 1.0 ? q * effective * exp(p.onsager / p.sigma) / (p.sigma * p.sigma) : (double)INFINITY;
    snprintf(set, sizeof set, "species A D=9 formula=H3O+\nspecies B D=5 formula=%s\nspecies C D=1 formula=%s\n"
             "reaction A + B -> C k=%.17g type=%s sigma=0.5\n", sign < 0.0 ? "OH-" : "H5O2^1+", sign < 0.0 ? "H4O2" : "H8O3^2+", k,
             part < 1.0 ? "IV" : "III");
    solve(&p);
    expect_curve(name, run_pairs(set, p.r0, chem, seed), reacted_ions, &p, 0.01);
}

static void test_ions(void **state)
{
    (void)state;
    expect_ions("III, attraction", -1.0, 1.0, "", 6);
    expect_ions("III, repulsion", 1.0, 1.0, "", 7);
    expect_ions("III, attraction, 5 steps a decade", -1.0, 1.0, "steps_per_decade: 5", 8);
    expect_ions("IV, attraction", -1.0, 0.4, "", 9);
    expect_ions("IV, repulsion", 1.0, 0.4, "", 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partially_controlled),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_ions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
