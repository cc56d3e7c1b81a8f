/* Many molecules with known answers: free diffusion, scavengers, rates in a box, equilibrium, competition, translation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/react.h"
#include "chem_fixture.h"
#include "core/statistics.h"

enum { N_CHECKS = 60 };

static const double PI = 3.14159265358979323846, PER_MOLAR = 6.02214076e-4 * 1e3 /* molecules in 1e3 nm3 at 1 mol/l */;

static double limit(void)
{
    return statistics_limit(N_CHECKS, INFINITY);
}

static void expect_near(const char *what, double x, double reference, double sigma)
{
    if (!(fabs(x - reference) <= limit() * sigma)) {
        fail_msg("%s: %.6g where %.6g is right (%.1f sigma)", what, x, reference, (x - reference) / sigma);
    }
}

/* T1. The displacement of a step is normal with variance 2 D dt along each axis: mean square and kurtosis of 400 000 of them. */
static void test_free_diffusion(void **state)
{
    (void)state;
    enum { N = 400000 };
    ck_philox4_key key = ck_philox4_key_of(11);
    double second = 0.0, fourth = 0.0, cross = 0.0;
    for (uint32_t i = 0; i < N; ++i) {
        chem_vector v = chem_normal_vector(chem_draw(key, i, 0u, i % 120u, 0u, CHEM_STREAM_MOVE, 0u));
        second += (double)(v.x * v.x + v.y * v.y + v.z * v.z);
        fourth += (double)(v.x * v.x * v.x * v.x);
        cross += (double)(v.x * v.y + v.y * v.z + v.z * v.x);
    }
    expect_near("mean square", second / N, 3.0, sqrt(6.0 / N));
    expect_near("fourth moment", fourth / N, 3.0, sqrt(96.0 / N));
    expect_near("correlation", cross / N, 0.0, sqrt(3.0 / N));
}

/* T14. Where an asymmetric pair reacts: the weighted point Y has variance 2 D1 D2/(D1 + D2) t, whatever the separation did. */
static void test_site(void **state)
{
    (void)state;
    enum { N = 100000 };
    ck_philox4_key key = ck_philox4_key_of(12);
    const float d1 = 9.0e-3f, d2 = 2.3e-3f, dt = 50.0f, fraction = 0.3f;
    double share = (double)(d1 / (d1 + d2)), mean = 0.0, square = 0.0;
    for (uint32_t i = 0; i < N; ++i) {
        chem_vector a = chem_normal_vector(chem_draw(key, i, 1u, 0u, 0u, CHEM_STREAM_MOVE, 0u));
        chem_vector b = chem_normal_vector(chem_draw(key, i, 2u, 0u, 0u, CHEM_STREAM_MOVE, 0u));
        float wide = sqrtf(2.0f * d1 * dt), narrow = sqrtf(2.0f * d2 * dt);
        chem_vector move = {wide * a.x, wide * a.y, wide * a.z};
        chem_pair p = {i, i + 1u, 0u, 1u, {1.0f, 0.0f, 0.0f},
                       {narrow * b.x - move.x, narrow * b.y - move.y, narrow * b.z - move.z}};
        chem_point at = chem_site(key, p, (chem_point){0.0, 0.0, 0.0}, move, (float)share, (d1 + d2) * dt, fraction);
        mean += at.x / N;
        square += (at.y * at.y + at.z * at.z) / (2.0 * N);
    }
    double variance = 2.0 * (double)(d1 * d2 / (d1 + d2) * dt * fraction);
    expect_near("mean of the site", mean, share, sqrt(variance / N));
    expect_near("variance of the site", square, variance, variance / sqrt((double)N));
}

/* T10. A scavenger of constant concentration, with and without the time-dependent term. */
static void test_continuum(void **state)
{
    (void)state;
    enum { N = 40000 };
    const double k = 2.0e10, c = 0.05, d = 7.3e-3;
    for (int transient = 0; transient < 2; ++transient) {
        char set[512];
        snprintf(set, sizeof set, "species A D=4.9 formula=e-\nspecies S D=2.4 formula=H2O\nspecies B D=1 formula=e-\n"
                 "reaction A + [S] -> B k=%g transient=%s\nscavenger S %g\n", k, transient ? "yes" : "no", c);
        chem_case run = {.set = set, .chem = "steps_per_decade: 4", .copies = N / 1000, .seed = 3, .threads = 2,
                         .yaml = "time: {start: 1 ps, end: 10 ns, outputs_per_decade: 1}\nsource: {kind: spur, tracks: 1000, "
                                 "radius: 1 nm, energy: 100 eV, molecules: [{species: A, count: 1}]}\n"};
        crp_result *result = chem_case_run(&run);
        size_t n;
        const double *t = chem_case_times(result, &n);
        double radius = k / (CHEM_RATE_UNIT * d);
        for (size_t i = 1; i < n; ++i) {
            double age = t[i] - t[0];
            double s = exp(-1e-12 * k * c * (age + (transient ? 2.0 * radius * sqrt(age / (PI * d)) : 0.0)));
            expect_near("survival in a scavenger", chem_case_count(result, "G", i, 0) / N, s, sqrt(s * (1.0 - s) / N));
        }
        chem_case_balances(result);
        crp_result_destroy(&result);
    }
}

/* T9. A target that stands still among mobile scavengers: S = exp(-4 pi R D n (t + 2 R sqrt(t/(pi D)))) (Smoluchowski 1917). One
 * target in a periodic box of 1000 nm3 per scavenger at 0.1 mol/l holds 60 of them; the box is not seen within 100 ps. */
static void test_static_target(void **state)
{
    (void)state;
    enum { N = 3000 };
    const double radius = 0.5, d = 5.0e-3, edge = 16.0;
    uint32_t n_scavengers = (uint32_t)(0.1 * PER_MOLAR * edge * edge * edge / 1e3 + 0.5);
    char set[512], yaml[512];
    snprintf(set, sizeof set, "species T D=0 formula=e-\nspecies S D=5 formula=H2O\nspecies B D=0 formula=e-\n"
             "reaction T + S -> B k=%.17g\n", CHEM_RATE_UNIT * radius * d);
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 200 ps, outputs_per_decade: 2}\nspace: {kind: periodic, box: %g nm}\n"
             "source: {kind: uniform, tracks: %d, length: %g nm, energy: 100 eV, molecules: [{species: T, count: 1}, "
             "{species: S, count: %u}]}\n", edge, N, edge, n_scavengers);
    chem_case run = {.set = set, .yaml = yaml, .chem = "steps_per_decade: 10", .copies = 1, .seed = 4, .threads = 2};
    crp_result *result = chem_case_run(&run);
    size_t n;
    const double *t = chem_case_times(result, &n);
    double density = n_scavengers / (edge * edge * edge), inside = 4.0 / 3.0 * PI * radius * radius * radius * density;
    for (size_t i = 0; i < n; ++i) { /* those inside the radius at the start are gone at once */
        double age = t[i] - t[0];
        double s = exp(-inside - 4.0 * PI * radius * d * density * (age + 2.0 * radius * sqrt(age / (PI * d))));
        expect_near("survival of a static target", chem_case_count(result, "G", i, 0) / N, s, sqrt(s * (1.0 - s) / N));
    }
    chem_case_balances(result);
    crp_result_destroy(&result);
}

/* T11. A + B in a periodic box, late: 1/c grows by k a unit of time, for steps of any length. k is found within 3 %. */
static void expect_rate(const char *chem, uint64_t seed)
{
    enum { N_EACH = 400, TRACKS = 24 };
    const double k = 2.0e10, edge = 100.0, d = 10.0e-3;
    char yaml[512];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 100 ns, outputs_per_decade: 4}\nspace: {kind: periodic, box: %g nm}\n"
             "source: {kind: uniform, tracks: %d, length: %g nm, energy: 100 eV, molecules: [{species: A, count: %d}, "
             "{species: B, count: %d}]}\n", edge, TRACKS, edge, N_EACH, N_EACH);
    chem_case run = {.yaml = yaml, .chem = chem, .copies = 1, .seed = seed, .threads = 2,
                     .set = "species A D=5 formula=H2O\nspecies B D=5 formula=H2O\nreaction A + B -> H2O k=2e10\n"};
    crp_result *result = chem_case_run(&run);
    size_t n;
    const double *t = chem_case_times(result, &n);
    size_t from = n - 9, to = n - 1; /* 1 to 100 ns, two decades after the transient term has gone */
    double volume = edge * edge * edge * 1e-24 /* l in 1 nm3 */, molar = 6.02214076e23 * volume * TRACKS;
    double c0 = chem_case_count(result, "G", from, 0), c1 = chem_case_count(result, "G", to, 0);
    double found = (molar / c1 - molar / c0) / ((t[to] - t[from]) * 1e-12);
    /* The transient term adds 2 R (sqrt(t1) - sqrt(t0))/sqrt(pi D) to the time. */
    double radius = k / (CHEM_RATE_UNIT * d), extra = 2.0 * radius * (sqrt(t[to]) - sqrt(t[from])) / sqrt(PI * d);
    double expected = k * (1.0 + extra / (t[to] - t[from]));
    double sigma = molar * sqrt(1.0 / c1) / c1 / ((t[to] - t[from]) * 1e-12);
    expect_near("rate constant in a box", found, expected, sigma + 0.005 * expected);
    assert_true(sigma < 0.03 * expected);
    chem_case_balances(result);
    crp_result_destroy(&result);
}

static void test_rate_in_a_box(void **state)
{
    (void)state;
    expect_rate("steps_per_decade: 10", 5);
    expect_rate("steps_per_decade: 3", 6);
}

/* T12. A <-> B + C in a box: at the end the ratio of the rate constants, for a fully and a partially controlled return. */
static void expect_equilibrium(const char *type, uint64_t seed)
{
    enum { N = 300, TRACKS = 30 };
    const double edge = 40.0, k_back = 5.0e9, k_forth = 5.0e8; /* 1/(M s), 1/s */
    char set[512], yaml[512];
    snprintf(set, sizeof set, "species A D=2 formula=H4O2\nspecies B D=5 formula=H2O\nspecies C D=5 formula=H2O\n"
             "reaction B + C -> A k=%g %s\nreaction A -> B + C rate=%g\n", k_back, type, k_forth);
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 30 ns, outputs_per_decade: 10}\nspace: {kind: periodic, box: %g nm}\n"
             "source: {kind: uniform, tracks: %d, length: %g nm, energy: 100 eV, molecules: [{species: A, count: %d}]}\n",
             edge, TRACKS, edge, N);
    chem_case run = {.set = set, .yaml = yaml, .chem = "steps_per_decade: 20", .copies = 1, .seed = seed, .threads = 2};
    crp_result *result = chem_case_run(&run);
    size_t n;
    chem_case_times(result, &n);
    double molar = 6.02214076e23 * edge * edge * edge * 1e-24, constant = k_forth / k_back; /* mol/l */
    double total = N / molar, b = 0.5 * (sqrt(constant * constant + 4.0 * constant * total) - constant);
    double found = chem_case_count(result, "G", n - 1, 1) / TRACKS / molar;
    /* Spread of the number of dissociated: that of a two-state system at this equilibrium, at most binomial. */
    double part = b / total, sigma = total * sqrt(part * (1.0 - part) / (N * TRACKS));
    expect_near("equilibrium", found, b, sigma + 0.01 * b);
    chem_case_balances(result);
    crp_result_destroy(&result);
}

static void test_equilibrium(void **state)
{
    (void)state;
    expect_equilibrium("type=I", 7);
    expect_equilibrium("type=II sigma=0.5", 8);
}

/* T15. One molecule between two equal rivals: each gets it half the time, and it goes to one of them only. */
static void test_competition(void **state)
{
    (void)state;
    enum { N = 40000 };
    char path[256], yaml[512];
    snprintf(path, sizeof path, "%s/chem_rivals.csv", CRP_BINARY_DIR);
    chem_case_write(path, "# corpuscle molecules 1\n# energy: 100 eV\nspecies,x,y,z\nA,0,0,0\nB,0.8,0,0\nC,-0.8,0,0\n");
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1 us, outputs_per_decade: 1}\nsource: {file: \"%s\"}\n", path);
    for (int k = 0; k < 2; ++k) {
        chem_case run = {.yaml = yaml, .chem = k == 0 ? "steps_per_decade: 10" : "step: 1 us", .copies = N, .seed = 9, .threads = 2,
                         .set = "species A D=5 formula=H2O\nspecies B D=2 formula=H2O\nspecies C D=2 formula=H2O\n"
                                "reaction A + B -> H2O k=2e10\nreaction A + C -> H2O k=2e10\n"};
        crp_result *result = chem_case_run(&run);
        double b = chem_case_events(result, 6, 0), c = chem_case_events(result, 6, 1);
        assert_true(b + c <= N && b + c > 0.3 * N);
        expect_near("share of the first rival", b / (b + c), 0.5, 0.5 / sqrt(b + c));
        chem_case_balances(result);
        crp_result_destroy(&result);
    }
}

/* T17. Pairs 5 mm from the origin, along another axis: the same survival. Floats of 0.5 nm would not know where they are. */
static void test_far_away(void **state)
{
    (void)state;
    enum { N = 40000 };
    const double radius = 0.50618, d = 7.7e-3;
    char path[256], yaml[512], set[256];
    snprintf(path, sizeof path, "%s/chem_far.csv", CRP_BINARY_DIR);
    chem_case_write(path, "# corpuscle molecules 1\n# energy: 100 eV\nspecies,x,y,z\nA,5000000.25,-5000000,17\nB,5000000.25,-4999999,17\n");
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 100 ns, outputs_per_decade: 1}\nsource: {file: \"%s\"}\n", path);
    snprintf(set, sizeof set, "species A D=4.9 formula=H2O\nspecies B D=2.8 formula=H2O\nreaction A + B -> H2O k=%.17g\n",
             CHEM_RATE_UNIT * radius * d);
    chem_case run = {.set = set, .yaml = yaml, .chem = "steps_per_decade: 5", .copies = N, .seed = 10, .threads = 2};
    crp_result *result = chem_case_run(&run);
    size_t n;
    const double *t = chem_case_times(result, &n);
    for (size_t i = 1; i < n; ++i) {
        double w = radius * erfc((1.0 - radius) / sqrt(4.0 * d * (t[i] - t[0])));
        expect_near("pairs far away", chem_case_events(result, i, 0) / N, w, sqrt(w * (1.0 - w) / N));
    }
    crp_result_destroy(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_diffusion), cmocka_unit_test(test_site),          cmocka_unit_test(test_continuum),
        cmocka_unit_test(test_competition),    cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_static_target),  cmocka_unit_test(test_rate_in_a_box), cmocka_unit_test(test_equilibrium),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
