/** Comparison of results: what agrees, what does not, and how often it is wrong about it. */
#include "io/compare.h"
#include "unit/result_fixture.h"

#include "core/statistics.h"

static crp_context *context;

static int setup(void **state)
{
    (void)state;
    return crp_context_create(&context);
}

static int teardown(void **state)
{
    (void)state;
    crp_context_destroy(&context);
    return 0;
}

static crp_result *sample(uint64_t seed)
{
    crp_result *r = fixture_empty(context, 20, 30);
    r->seed = seed;
    fixture_add(r, seed, 0, 32, 100000, 100000, 0);
    return r;
}

static compare_report *compare(const crp_result *a, const crp_result *b, double limit)
{
    compare_report *report = NULL;
    assert_int_equal(compare_results(context, a, b, limit, &report), CRP_OK);
    return report;
}

static void assert_prints(const compare_report *report, const crp_result *a, const crp_result *b, const char *expected)
{
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    compare_print(report, a, b, file);
    fclose(file);
    if (strstr(text, expected) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", expected, text);
    }
    free(text);
}

static void test_same_bits(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = sample(1);
    compare_report *report = compare(a, b, 0);
    assert_true(report->is_same_bits && report->agree);
    assert_prints(report, a, b, "same bits");
    compare_destroy(&report);
    assert_null(report);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

static void test_independent(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = sample(2);
    compare_report *report = compare(a, b, 0);
    assert_true(report->agree && !report->is_same_bits && report->is_same_input && !report->is_same_seed);
    assert_int_equal(report->n_checks, 1 + FIXTURE_LAYERS + FIXTURE_NA + 600);
    assert_int_equal(report->n_tallies, FIXTURE_TALLIES);
    const compare_tally *map = &report->tallies[3];
    assert_int_equal(map->n_checked, 600);
    /* Welch with 32 batches each: variance of z is 62 / 60; 600 bins know chi2/n to sqrt(2 / 600) = 6 % */
    assert_true(fabs(map->chi2 / 600 - 1.03) < 5 * 0.06);
    assert_true(fabs(map->worst_z) > 2 && fabs(map->worst_z) < map->worst_limit);
    assert_true(map->worst_limit > statistics_limit(609, 62) - 1e-9 && map->worst_limit < statistics_limit(609, 31));
    assert_prints(report, a, b, "agree: 609 bins checked, 0 without error");
    compare_destroy(&report);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

/** One bin of 609 shifted by a little more than the limit is found, by its place; by a little less it is not. */
static void test_shift(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = sample(2);
    const tally_spec *t = &a->tallies[3];
    size_t bin = t->offset + 7 * 30 + 11;
    double spread = hypot(result_bin_std_dev(a, 3, bin), result_bin_std_dev(b, 3, bin));
    double unit = t->quantum * t->scale[bin - t->offset];
    crp_wide was = b->sum[bin];
    for (int beyond = 0; beyond < 2; beyond++) {
        double z = beyond ? 7.0 : 5.0; /* the limit lies between: 5.7 for 62 degrees, 6.8 for 31 */
        double mean = result_bin_mean(a, 3, bin) + z * spread;
        b->sum[bin] = (crp_wide)(mean / unit * (double)b->histories);
        compare_report *report = compare(a, b, 0);
        assert_int_equal(report->agree, !beyond);
        assert_int_equal(report->tallies[3].n_beyond, beyond);
        assert_int_equal(report->tallies[3].worst, 7 * 30 + 11);
        assert_true(fabs(report->tallies[3].worst_z - z) < 1e-3);
        assert_prints(report, a, b, beyond ? "BEYOND: 1" : "at [7, 11]");
        assert_prints(report, a, b, beyond ? "DIFFER" : "agree");
        compare_destroy(&report);
        report = compare(a, b, 4.0); /* a limit of the caller's own */
        assert_false(report->agree);
        compare_destroy(&report);
    }
    b->sum[bin] = was;
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

/** False alarms: at a family error of 1e-4 there is none in 200 comparisons (chance of one: 2 %, seeds are fixed),
 * and a limit of 3 for all bins alarms in most. */
static void test_false_alarms(void **state)
{
    (void)state;
    int alarms = 0, alarms_at_3 = 0;
    for (uint64_t seed = 10; seed < 210; seed++) {
        crp_result *a = fixture_empty(context, 10, 10), *b = fixture_empty(context, 10, 10);
        fixture_add(a, seed, 0, 8, 1000, 1000, 0); /* few batches: heavy tails */
        fixture_add(b, seed + 1000, 0, 32, 1000, 100, 0);
        compare_report *report = compare(a, b, 0);
        alarms += !report->agree;
        compare_destroy(&report);
        report = compare(a, b, 3);
        alarms_at_3 += !report->agree;
        compare_destroy(&report);
        crp_result_destroy(&a);
        crp_result_destroy(&b);
    }
    assert_int_equal(alarms, 0);
    assert_true(alarms_at_3 > 60);
}

/** Bins without spread are compared as numbers; bins without known error are counted, not judged. */
static void test_without_error(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = sample(2);
    a->sum[0] = b->sum[0];
    a->m2[0] = b->m2[0] = 0;
    compare_report *report = compare(a, b, 0);
    assert_true(report->agree);
    assert_int_equal(report->tallies[0].n_exact, 1);
    assert_true(report->tallies[0].worst_z == 0);
    compare_destroy(&report);
    a->sum[0] += a->sum[0] / 1000000000;
    report = compare(a, b, 0);
    assert_false(report->agree);
    assert_true(isinf(report->tallies[0].worst_z) && report->tallies[0].worst_z < 0);
    assert_int_equal(report->tallies[0].n_beyond, 1);
    compare_destroy(&report);

    a->batches = 1;
    report = compare(a, b, 0);
    assert_int_equal(report->n_checks, 0);
    assert_int_equal(report->n_skipped, 609);
    assert_false(report->agree); /* nothing was compared: that is not agreement */
    compare_destroy(&report);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

static void test_structure(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = fixture_empty(context, 20, 31);
    fixture_add(b, 2, 0, 32, 100000, 100000, 0);
    strcpy(b->tallies[2].name, "Tt_a");
    compare_report *report = compare(a, b, 0);
    assert_false(report->agree);
    assert_int_equal(report->n_tallies, 5);
    assert_int_equal(report->tallies[0].shape, COMPARE_COMMON);
    assert_int_equal(report->tallies[2].shape, COMPARE_ONLY_IN_A);
    assert_int_equal(report->tallies[3].shape, COMPARE_OTHER_SHAPE);
    assert_int_equal(report->tallies[4].shape, COMPARE_ONLY_IN_B);
    assert_string_equal(report->tallies[4].name, "Tt_a");
    assert_prints(report, a, b, "only in the second");
    compare_destroy(&report);

    strcpy(b->kind, "gas");
    assert_int_equal(compare_results(context, a, b, 0, &report), CRP_ERR_ARG);
    assert_null(report);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

static void test_notes(void **state)
{
    (void)state;
    crp_result *a = sample(1), *b = fixture_empty(context, 20, 30);
    b->seed = 1; /* an extension of a */
    fixture_add(b, 1, 0, 64, 100000, 100000, 0);
    compare_report *report = compare(a, b, 0);
    assert_true(report->is_same_seed);
    assert_prints(report, a, b, "share histories");
    compare_destroy(&report);
    b->model_digest[0] = 'b';
    report = compare(a, b, 0);
    assert_false(report->is_same_seed);
    assert_prints(report, a, b, "the inputs differ");
    compare_destroy(&report);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),    cmocka_unit_test(test_independent),   cmocka_unit_test(test_shift),
        cmocka_unit_test(test_false_alarms), cmocka_unit_test(test_without_error), cmocka_unit_test(test_structure),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
