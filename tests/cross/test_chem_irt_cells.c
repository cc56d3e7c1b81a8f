/* Method irt: the edge of the cells that molecules are found by changes no bit, and tracks may be as long as positions go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"

enum { MOLECULES = 120, COPIES = 20 };

/* Products of these do not react, and Z does nothing: it is the last in the order of ids, so that all numbers of the others stay. */
static const char set[] = "rate_convention k\nspecies A D=5 formula=H2O\nspecies B D=3 formula=H2O\nspecies P D=2 formula=H2O\n"
                          "species Z D=2 formula=H2O\nreaction A + B -> P k=1e10\nreaction A + A -> P + P k=2e9\n";

/* A spur of A and B, and, unless `far` is 0, a Z so far away [nm] that cells must be larger. */
static crp_result *run_spur(double far, const char *end)
{
    char path[256], yaml[600];
    snprintf(path, sizeof path, "%s/chem_irt_cells_%ld.csv", CRP_BINARY_DIR, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# energy: 1 keV\nspecies,x,y,z\n", file);
    for (int i = 0; i < MOLECULES; i++) { /* a box of 4 nm, filled without a pattern */
        fprintf(file, "%s,%.6f,%.6f,%.6f\n", i % 2 == 0 ? "A" : "B", fmod(i * 2.6180339, 4.0), fmod(i * 1.7320508, 4.0), fmod(i * 3.1622777, 4.0));
    }
    if (far != 0.0) {
        fprintf(file, "Z,%g,0,0\n", far);
    }
    fclose(file);
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: %s}\nsource: {file: \"%s\"}\n", end, path);
    chem_case c = {.set = set, .yaml = yaml, .chem = "method: irt", .copies = COPIES, .seed = 5, .threads = 1};
    crp_result *result = chem_case_run(&c);
    unlink(path);
    chem_case_balances(result);
    return result;
}

static void larger_cells_change_nothing(void **state)
{
    (void)state;
    static const char *const ends[] = {"3 ps", "1 ns"};
    static const double places[] = {2.0e6, -9.0e8};
    for (size_t e = 0; e < 2; e++) {
        crp_result *near = run_spur(0.0, ends[e]);
        size_t n;
        chem_case_times(near, &n);
        assert_true(chem_case_count(near, "G", n - 1, 0) < 0.9 * COPIES * MOLECULES / 2); /* something happens */
        for (size_t p = 0; p < 2; p++) {
            crp_result *far = run_spur(places[p], ends[e]);
            for (size_t i = 0; i < n; i++) {
                for (size_t s = 0; s < 4; s++) {
                    double one_more = s == 3 ? COPIES : 0.0;
                    assert_true(chem_case_count(far, "G", i, s) == chem_case_count(near, "G", i, s) + one_more);
                }
            }
            crp_result_destroy(&far);
        }
        crp_result_destroy(&near);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(larger_cells_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
