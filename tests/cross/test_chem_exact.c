/* The method exact: one digest for every number of threads, division of the work, order of the input, and instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"

enum { N = 1500 };

static const char *const names[] = {"e_aq", "OH", "H", "H3O+", "H2O2", "OH-"};

/* A dense cloud of N molecules of all kinds, some born late, in the order of `order`. */
static void write_cloud(const char *path, const int *order)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# corpuscle molecules 1\n# energy: 10 keV\nspecies,x,y,z,t,track\n", file);
    for (int k = 0; k < N; ++k) {
        unsigned h = (unsigned)order[k] * 2654435761u;
        fprintf(file, "%s,%g,%g,%g,%g,%d\n", names[order[k] % 6], (h % 1009) * 0.01, (h / 1009 % 1013) * 0.01,
                (h / 1022117 % 997) * 0.01, order[k] % 47 == 0 ? 300.0 : 1.0, order[k] % 5 == 0 ? 2 : 1);
    }
    fclose(file);
}

static void digest_of(const char *path, const char *space, uint32_t threads, uint64_t copies, char digest[65])
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1 ns}\nsource: {file: \"%s\"}\n%s", path, space);
    chem_case c = {.yaml = yaml, .chem = "", .copies = copies, .seed = 3, .threads = threads};
    crp_result *result = chem_case_run(&c);
    chem_case_balances(result);
    assert_true(chem_case_events(result, 20, 1) > 0.0);
    memcpy(digest, crp_result_digest(result), 65);
    crp_result_destroy(&result);
}

static void test_one_digest(void **state)
{
    (void)state;
    static const char *const spaces[] = {"", "space: {kind: periodic, box: 30 nm}\n", "space: {kind: reflecting, box: 30 nm}\n"};
    char straight[256], shuffled[256], a[65], b[65];
    int order[N];
    snprintf(straight, sizeof straight, "%s/chem_straight.csv", CRP_BINARY_DIR);
    snprintf(shuffled, sizeof shuffled, "%s/chem_shuffled.csv", CRP_BINARY_DIR);
    for (int k = 0; k < N; ++k) {
        order[k] = k;
    }
    write_cloud(straight, order);
    for (int k = 0; k < N; ++k) {
        order[k] = (k * 7 + 13) % N;
    }
    write_cloud(shuffled, order);
    for (size_t i = 0; i < 3; ++i) {
        digest_of(straight, spaces[i], 1, 3, a);
        for (uint32_t threads = 2; threads <= 5; ++threads) { /* 2, 3: a part for each worker; more: shared steps */
            digest_of(straight, spaces[i], threads, 3, b);
            assert_string_equal(a, b);
        }
        digest_of(shuffled, spaces[i], 2, 3, b);
        assert_string_equal(a, b);
        digest_of(straight, spaces[i], 1, 2, b); /* and it is no constant */
        assert_string_not_equal(a, b);
    }
}

/* All workers share each step where there are fewer histories than workers. */
static void test_shared_steps(void **state)
{
    (void)state;
    char path[256], a[65], b[65];
    int order[N];
    snprintf(path, sizeof path, "%s/chem_shared.csv", CRP_BINARY_DIR);
    for (int k = 0; k < N; ++k) {
        order[k] = k;
    }
    write_cloud(path, order);
    digest_of(path, "", 1, 1, a);
    digest_of(path, "", 4, 1, b);
    assert_string_equal(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_digest), cmocka_unit_test(test_shared_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
