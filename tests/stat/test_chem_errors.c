/*
 * Errors of G. Tracks of unequal energy: G is molecules over energy, and its error is that of the ratio and not the spread of
 * the tracks' sizes. Energies of tracks that share a space are added.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "core/statistics.h"
#include "rng.h"

enum { N_SEEDS = 100, N_TRACKS = 64, MOST_SPURS = 8, N_WATCHED = 7 };

static const char *const names[] = {"e_aq", "e_aq", "H3O+", "H3O+", "OH", "OH", "OH", "H"};

/* Tracks of 1 to 8 separate spurs, drawn anew for every seed; 70 eV a spur. */
static void write_tracks(const char *path, uint32_t seed)
{
    ck_philox4_key key = ck_philox4_key_of(seed);
    FILE *file = fopen(path, "w");
    uint32_t spurs[N_TRACKS];
    assert_non_null(file);
    fputs("# corpuscle molecules 1\n", file);
    for (uint32_t i = 0; i < N_TRACKS; i++) {
        spurs[i] = 1 + ck_philox4x32(key, (ck_quad){i, 0, 0, 1}).a % MOST_SPURS;
        fprintf(file, "# energy[%u]: %u eV\n", i + 1, 70 * spurs[i]);
    }
    fputs("species,x,y,z,track\n", file);
    for (uint32_t i = 0; i < N_TRACKS; i++) {
        for (uint32_t k = 0; k < 8 * spurs[i]; k++) {
            ck_quad w = ck_philox4x32(key, (ck_quad){i, k, 0, 2});
            fprintf(file, "%s,%.9g,%.9g,%.9g,%u\n", names[k % 8], k / 8 * 500.0 + w.a * 1e-9, w.b * 1e-9, w.c * 1e-9, i + 1);
        }
    }
    fclose(file);
}

static crp_result *run_file(const char *path, uint64_t seed)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 10 ns, outputs_per_decade: 1}\nsource: {file: \"%s\"}\n", path);
    chem_case run = {.yaml = yaml, .chem = "method: irt", .copies = 1, .seed = seed, .threads = 1, .batches = 32};
    return chem_case_run(&run);
}

/* Variance over the seeds by the mean variance that the runs report. */
static double variance_ratio(const double *mean, const double *error)
{
    double middle = 0.0, spread = 0.0, reported = 0.0;
    for (size_t i = 0; i < N_SEEDS; i++) {
        middle += mean[i] / N_SEEDS;
        reported += error[i] * error[i] / N_SEEDS;
    }
    for (size_t i = 0; i < N_SEEDS; i++) {
        spread += (mean[i] - middle) * (mean[i] - middle) / (N_SEEDS - 1);
    }
    return spread / reported;
}

static bool agrees(double ratio)
{
    double above = statistics_chi2_tail(ratio * (N_SEEDS - 1), N_SEEDS - 1), least = STATISTICS_FAMILY_ERROR / (2.0 * N_WATCHED);
    return above >= least && above <= 1.0 - least;
}

/* Errors wrong by a factor of 1.8 would be seen; the spread of sizes is wrong by more. */
static void unequal_tracks(void **state)
{
    (void)state;
    static double mean[N_WATCHED][N_SEEDS], error[N_WATCHED][N_SEEDS], of_sizes[N_SEEDS];
    char path[256];
    snprintf(path, sizeof path, "%s/chem_errors_%ld.csv", CRP_BINARY_DIR, (long)getpid());
    for (uint32_t seed = 0; seed < N_SEEDS; seed++) {
        write_tracks(path, seed + 1);
        crp_result *result = run_file(path, seed + 1);
        size_t n_times, i;
        chem_case_times(result, &n_times);
        const tally_spec *t = chem_case_tally(result, "G", &i);
        for (size_t s = 0; s < N_WATCHED; s++) {
            size_t bin = t->offset + (n_times - 1) * t->shape[1] + s;
            mean[s][seed] = result_bin_mean(result, i, bin);
            error[s][seed] = result_bin_std_dev(result, i, bin);
            of_sizes[seed] = s == 1 ? sqrt(result->m2[bin] / 31.0 / N_TRACKS) / wide_ratio(result->sum[bin], N_TRACKS) * mean[s][seed]
                                    : of_sizes[seed];
        }
        chem_case_balances(result);
        crp_result_destroy(&result);
    }
    unlink(path);
    for (size_t s = 0; s < N_WATCHED; s++) {
        double ratio = variance_ratio(mean[s], error[s]);
        if (!agrees(ratio) || agrees(1.8 * 1.8 * ratio) || agrees(ratio / (1.8 * 1.8))) {
            fail_msg("species %zu: the variance over %d seeds is %.3f times the reported one", s, N_SEEDS, ratio);
        }
    }
    assert_false(agrees(1.8 * variance_ratio(mean[1], of_sizes))); /* what is not reported */
}

static double last_yield(const char *source, const char *rest)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 10 ps}\nsource: {%s}\n%s", source, rest);
    chem_case run = {.yaml = yaml, .chem = "", .copies = 2, .seed = 1, .threads = 1};
    crp_result *result = chem_case_run(&run);
    size_t n, i;
    chem_case_times(result, &n);
    const tally_spec *t = chem_case_tally(result, "G", &i);
    double g = result_bin_mean(result, i, t->offset + (n - 1) * t->shape[1] + 1); /* OH */
    crp_result_destroy(&result);
    return g;
}

/* Ten tracks of 50 eV with one OH each: G = 2, alone and in one space. */
static void energies_of_joined_tracks(void **state)
{
    (void)state;
    static const char ten[] = "kind: uniform, length: 10 um, tracks: 10, energy: 50 eV, molecules: [{species: OH, count: 1}]";
    char joined[256];
    snprintf(joined, sizeof joined, "%s, together: true", ten);
    assert_true(fabs(last_yield(ten, "") - 2.0) < 1e-12);
    assert_true(fabs(last_yield(joined, "") - 2.0) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unequal_tracks), cmocka_unit_test(energies_of_joined_tracks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
