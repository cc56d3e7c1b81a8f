/** Sums, standard errors, digest and views of results: known answers, and the coverage of the error by simulation. */
#include "unit/result_fixture.h"

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

/** A result with one scalar tally. */
static crp_result *scalar(double quantum)
{
    crp_result *r = NULL;
    assert_int_equal(result_allocate(context, 1, 1, 0, 0, &r), CRP_OK);
    fixture_tally(&r->tallies[0], "x", "1", quantum);
    return r;
}

static void add(crp_result *r, crp_wide x, uint64_t n)
{
    result_add_batch(r, &x, NULL, n);
}

static void test_known_answer(void **state)
{
    (void)state;
    crp_result *r = scalar(0.5);
    assert_true(isnan(result_bin_std_dev(r, 0, 0)));
    assert_true(result_bin_mean(r, 0, 0) == 0);
    add(r, 20, 10);
    assert_true(result_bin_mean(r, 0, 0) == 1);
    assert_true(isnan(result_bin_std_dev(r, 0, 0)));
    /* y = 2, 4, 6 with 10 histories each: mean 4, M2 = 10 (4 + 0 + 4) = 80, error sqrt(80 / 2 / 30) / 2 */
    add(r, 40, 10);
    add(r, 60, 10);
    assert_int_equal(r->batches, 3);
    assert_int_equal(r->histories, 30);
    assert_true(r->sum[0] == 120);
    assert_true(r->mean_batch[0] == 4);
    assert_true(fabs(r->m2[0] - 80) < 1e-13);
    assert_true(fabs(result_bin_std_dev(r, 0, 0) - 0.5 * sqrt(80.0 / 60)) < 1e-15);
    crp_result_destroy(&r);
    assert_null(r);
}

/** y = 1, 3 with 10 histories and y = 5 with 4: mean 60/24 = 2.5, M2 = 10 1.5^2 + 10 0.5^2 + 4 2.5^2 = 50. */
static void test_unequal_batch(void **state)
{
    (void)state;
    crp_result *r = scalar(1);
    add(r, 10, 10);
    add(r, 30, 10);
    add(r, 20, 4);
    assert_true(result_bin_mean(r, 0, 0) == 2.5);
    assert_true(fabs(r->m2[0] - 50) < 1e-12);
    assert_true(fabs(result_bin_std_dev(r, 0, 0) - sqrt(50.0 / (2 * 24))) < 1e-14);
    crp_result_destroy(&r);
}

/** A score that is the same in every history has no spread, also where sums need more than 53 bits. */
static void test_constant_score(void **state)
{
    (void)state;
    crp_result *r = scalar(0x1p-30);
    const uint64_t n[] = {UINT64_C(1000000007), UINT64_C(1000000007), UINT64_C(999999937), UINT64_C(40000000003), 3};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        add(r, (crp_wide)42949673 * (crp_wide)n[i], n[i]);
    }
    assert_true(r->mean_batch[0] == 42949673);
    assert_true(result_bin_std_dev(r, 0, 0) == 0);
    assert_true(result_bin_mean(r, 0, 0) == 42949673 * 0x1p-30);
    crp_result_destroy(&r);
}

/** Sums near 2^100: exact as integers, right to the last digits as doubles. */
static void test_big_numbers(void **state)
{
    (void)state;
    crp_result *r = scalar(1);
    crp_wide big = ((crp_wide)1 << 100) + 1, less = ((crp_wide)1 << 100) - ((crp_wide)1 << 70);
    const uint64_t n = (uint64_t)1 << 40;
    add(r, big, n);
    add(r, less, n);
    assert_true(r->sum[0] == big + less);
    assert_true(wide_ratio(big, n) == 0x1p60);
    assert_true(wide_ratio(-big, n) == -0x1p60);
    /* y = 2^60 and 2^60 - 2^30, so M2 = 2 n 2^58 */
    assert_true(fabs(r->m2[0] / (2 * 0x1p40 * 0x1p58) - 1) < 1e-6);
    assert_true(wide_ratio((crp_wide)7, 2) == 3.5);
    assert_true(wide_ratio(0, 0) == 0);
    crp_result_destroy(&r);
}

/** Ids in the same batches give the same bits whether they were added in one go or after a pause. */
static void test_extension(void **state)
{
    (void)state;
    crp_result *a = fixture_empty(context, 6, 7), *b = fixture_empty(context, 6, 7);
    fixture_add(a, 5, 0, 9, 1000, 1000, 0);
    fixture_add(b, 5, 0, 4, 1000, 1000, 0);
    assert_string_not_equal(a->digest, b->digest);
    fixture_add(b, 5, 4, 5, 1000, 1000, 0);
    assert_memory_equal(a->sum, b->sum, a->n_bins * sizeof *a->sum);
    assert_memory_equal(a->mean_batch, b->mean_batch, a->n_bins * sizeof *a->mean_batch);
    assert_memory_equal(a->m2, b->m2, a->n_bins * sizeof *a->m2);
    assert_string_equal(a->digest, b->digest);
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

/** Everything that is counted is in the digest; nothing else is. */
static void test_digest(void **state)
{
    (void)state;
    crp_result *r = fixture_empty(context, 4, 5);
    fixture_add(r, 1, 0, 3, 100, 50, 0);
    char was[65];
    strcpy(was, r->digest);
    assert_int_equal(strlen(was), 64);

    r->seconds = 99;
    strcpy(r->device, "elsewhere");
    strcpy(r->date, "later");
    r->m2[0] *= 2;
    r->batches = 7;
    result_digest(r);
    assert_string_equal(r->digest, was);

    struct change {
        unsigned char *byte;
    } changes[] = {
        {(unsigned char *)&r->sum[0]},         {(unsigned char *)&r->sum[r->n_bins - 1] + 15},
        {(unsigned char *)&r->event_count[0]}, {(unsigned char *)&r->histories},
        {(unsigned char *)r->tallies[2].name}, {(unsigned char *)r->events[1].name},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        *changes[i].byte ^= 1;
        result_digest(r);
        assert_string_not_equal(r->digest, was);
        *changes[i].byte ^= 1;
    }
    size_t swap = r->tallies[3].shape[0]; /* the same bins in another shape are another map */
    r->tallies[3].shape[0] = r->tallies[3].shape[1];
    r->tallies[3].shape[1] = swap;
    result_digest(r);
    assert_string_not_equal(r->digest, was);
    r->tallies[3].shape[1] = r->tallies[3].shape[0];
    r->tallies[3].shape[0] = swap;
    result_digest(r);
    assert_string_equal(r->digest, was);
    crp_result_destroy(&r);
}

/** The layout of what is hashed, byte by byte: another program can form the same digest. */
static void test_digest_bytes(void **state)
{
    (void)state;
    crp_result *r = scalar(1);
    add(r, -2, 3);
    result_digest(r);
    /* printf 'corpuscle digest 1\0', 3 and 1 in 16 bytes, 'x\0', 0 in 16 bytes, -2 in 16 bytes, 0 in 16 bytes:
     * sha256sum */
    assert_string_equal(r->digest, "7af8d9ec0e35e253894420b9d5eb952f6f8f72092da16003cc8064ac5bab3c09");
    crp_result_destroy(&r);
}

/** The reported error is the real one: spread of the mean over many runs against the mean of the reported variances.
 *
 * 4000 runs of 8 batches, the last one shorter. The variance of 4000 means is known to 2 sqrt(1/(2 3999)) = 2.2 % (one
 * sigma of the ratio is below 2.5 % with that of the reported ones), so a limit of 10 % is over four sigma; dividing by
 * B for B - 1 (12.5 %) or ignoring the weights of the batches would leave it. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 4000, BATCHES = 8 };
    uint64_t stream = 20240607;
    double sum = 0, square = 0, reported = 0;
    size_t inside = 0;
    for (int run = 0; run < RUNS; run++) {
        crp_result *r = scalar(1);
        for (int b = 0; b < BATCHES; b++) {
            uint64_t n = b + 1 == BATCHES ? 7 : 40;
            crp_wide x = 0;
            for (uint64_t i = 0; i < n; i++) {
                x += (crp_wide)(-1000 * log(fixture_uniform(&stream))); /* exponential: mean and sigma 999.5, about */
            }
            add(r, x, n);
        }
        double mean = result_bin_mean(r, 0, 0), error = result_bin_std_dev(r, 0, 0);
        sum += mean;
        square += mean * mean;
        reported += error * error;
        inside += fabs(mean - 999.5) < 2.364624251 * error; /* Student, 7 degrees: 95 % */
        crp_result_destroy(&r);
    }
    double variance = (square - sum * sum / RUNS) / (RUNS - 1);
    assert_true(fabs(reported / RUNS / variance - 1) < 0.10);
    /* 95 % of 4000 is 3800 +- 14; the exponential's skewness costs about half a per cent. */
    assert_true(inside > 3800 - 70 && inside < 3800 + 70);
}

static void test_views(void **state)
{
    (void)state;
    crp_result *r = fixture_empty(context, 4, 5);
    fixture_add(r, 1, 0, 3, 100, 50, 0);
    assert_int_equal(crp_result_n_tallies(r), 4);
    assert_int_equal(crp_result_find(r, "A_rz"), 3);
    assert_int_equal(crp_result_find(r, "A_r"), -1);
    assert_int_equal(crp_result_histories(r), 250);
    assert_true(crp_result_seconds(r) == 1.25);
    assert_string_equal(crp_result_digest(r), r->digest);

    crp_tally_view view = {.size = sizeof view};
    assert_int_equal(crp_result_tally(r, 3, &view), CRP_OK);
    assert_string_equal(view.name, "A_rz");
    assert_string_equal(view.axis_name[1], "z");
    assert_string_equal(view.axis_unit[0], "cm");
    assert_int_equal(view.n_bins, 20);
    assert_true(view.axis_edges[1][1] == 0.002);
    assert_int_equal(crp_result_tally(r, 1, &view), CRP_OK);
    assert_null(view.axis_edges[0]);
    assert_int_equal(crp_result_tally(r, 4, &view), CRP_ERR_ARG);

    double mean[20], error[20];
    assert_int_equal(crp_result_mean(r, 3, mean), CRP_OK);
    assert_int_equal(crp_result_std_dev(r, 3, error), CRP_OK);
    size_t bin = r->tallies[3].offset + 7;
    assert_true(mean[7] == (double)r->sum[bin] / 250 * (0x1p-30 * r->tallies[3].scale[7]));
    assert_true(error[7] == result_bin_std_dev(r, 3, bin) && error[7] > 0);
    assert_int_equal(crp_result_mean(r, 9, mean), CRP_ERR_ARG);

    struct {
        crp_tally_view view;
    } old = {.view = {.size = offsetof(crp_tally_view, unit)}}; /* a caller with an older header */
    old.view.unit = "untouched";
    assert_int_equal(crp_result_tally(r, 0, &old.view), CRP_OK);
    assert_string_equal(old.view.name, "Rd");
    assert_string_equal(old.view.unit, "untouched");
    crp_result_destroy(&r);
    crp_result_destroy(NULL);
}

/** A result made from a plan owns copies of everything: the plan may go first. */
static void test_create(void **state)
{
    (void)state;
    crp_result *from = fixture_empty(context, 3, 4), *r = NULL;
    crp_plan plan = {.tallies = from->tallies,
                     .n_tallies = from->n_tallies,
                     .n_bins = from->n_bins,
                     .events = from->events,
                     .n_events = from->n_events,
                     .results = from->results,
                     .n_results = from->n_results};
    crp_module module = {.name = "light", .history_name = "photons"};
    crp_model model = {.module = &module, .name = "skin", .digest = "d", .normalised = "text"};
    assert_int_equal(result_create(context, &model, &plan, &r), CRP_OK);
    assert_ptr_not_equal(r->tallies[3].scale, from->tallies[3].scale);
    assert_memory_equal(r->tallies[3].scale, from->tallies[3].scale, 12 * sizeof(double));
    assert_memory_equal(r->tallies[3].axis_edges[1], from->tallies[3].axis_edges[1], 5 * sizeof(double));
    assert_string_equal(r->kind, "light");
    assert_string_equal(r->history_name, "photons");
    assert_string_equal(r->model_text, "text");
    assert_string_equal(r->version, crp_version());
    crp_result_destroy(&from);
    fixture_add(r, 1, 0, 2, 10, 10, 0);
    crp_result_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answer),   cmocka_unit_test(test_unequal_batch),
        cmocka_unit_test(test_constant_score), cmocka_unit_test(test_big_numbers),
        cmocka_unit_test(test_extension),      cmocka_unit_test(test_digest),
        cmocka_unit_test(test_digest_bytes),   cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_views),          cmocka_unit_test(test_create),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
