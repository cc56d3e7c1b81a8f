/* The grid of the search: what it is made of must not show. Boxes of any number of cells give what open space gives as
 * long as no one comes near a wall, and across an edge too; more species than the grid tells apart; the same on OpenCL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "device/device.h"

enum { N = 800, N_SPECIES = 40 };

static const char *const names[] = {"e_aq", "OH", "H", "H3O+", "H2O2", "OH-"};

/* A dense cloud at multiples of 1/64 nm, so that `shift` (of all coordinates) is added without rounding. */
static void write_cloud(const char *path, double shift, int n_species)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# corpuscle molecules 1\n# energy: 10 keV\nspecies,x,y,z,t,track\n", file);
    for (int k = 0; k < N; ++k) {
        unsigned h = (unsigned)k * 2654435761u;
        char numbered[16];
        snprintf(numbered, sizeof numbered, "X%d", n_species > 0 ? k % n_species : 0);
        const char *name = n_species > 0 ? numbered : names[k % 6];
        fprintf(file, "%s,%.10g,%.10g,%.10g,%g,1\n", name, (h % 641) / 64.0 + shift, (h / 641 % 643) / 64.0 + shift,
                (h / 412163 % 647) / 64.0 + shift, k % 53 == 0 ? 300.0 : 1.0);
    }
    fclose(file);
}

/* X0 to X39, of which neighbours in number react to P; X31 and X32 among them, whose numbers the grid takes for 31 and
 * 0. */
static char *many_species(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    fputs("set many \"more species than bits\"\nrate_convention 2k\nsource \"a test\"\nspecies P D=1.0 formula=C2\n",
          file);
    for (int k = 0; k < N_SPECIES; ++k) {
        fprintf(file, "species X%d D=%g formula=C\n", k, 1.0 + 0.2 * k);
    }
    for (int k = 0; k + 1 < N_SPECIES; ++k) {
        fprintf(file, "reaction X%d + X%d -> P k=%ge10\n", k, k + 1, 1.0 + 0.1 * k);
    }
    fclose(file);
    return text;
}

static void run_cloud(const char *device, const char *set, const char *space, double shift, uint64_t copies,
                      char digest[65])
{
    char path[256], yaml[1024];
    snprintf(path, sizeof path, "%s/chem_grid_%ld.csv", CRP_BINARY_DIR, (long)getpid());
    write_cloud(path, shift, set != NULL ? N_SPECIES : 0);
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 1 ns, outputs_per_decade: 2}\nsource: {file: \"%s\"}\n%s",
             path, space);
    chem_case c = {.set = set,
                   .yaml = yaml,
                   .chem = "",
                   .copies = copies,
                   .seed = 4,
                   .threads = 2,
                   .batches = 1,
                   .device = device};
    crp_result *result = chem_case_run(&c);
    unlink(path);
    chem_case_balances(result);
    memcpy(digest, crp_result_digest(result), 65);
    crp_result_destroy(&result);
}

/* Edges of 20 um down to 128 nm: cells along them are a multiple of 4096, 2047 and any smaller number, and many of
 * these in one run. */
static void boxes_do_not_show(void **state)
{
    (void)state;
    static const double edges[] = {20000.0, 5000.0, 1024.0, 128.0};
    char open[65], box[65], space[128];
    run_cloud("cpu", NULL, "", 0.0, 2, open);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; ++i) {
        snprintf(space, sizeof space, "space: {kind: periodic, box: %g nm}\n", edges[i]);
        run_cloud("cpu", NULL, space, 0.0, 2, box);
        assert_string_equal(open, box);
    }
}

/* The cloud across the edges of the box: its pairs are the same over them. */
static void edges_do_not_show(void **state)
{
    (void)state;
    static const double edges[] = {8192.0, 512.0, 128.0};
    char open[65], box[65], space[128];
    run_cloud("cpu", NULL, "", 0.0, 2, open);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; ++i) {
        snprintf(space, sizeof space, "space: {kind: periodic, box: %g nm}\n", edges[i]);
        run_cloud("cpu", NULL, space, 0.5 * edges[i] - 5.0, 2, box);
        assert_string_equal(open, box);
    }
}

static void same_bits_on_opencl(void **state)
{
    (void)state;
    static const char space[] = "space: {kind: periodic, box: 40 nm}\n";
    chem_case_needs_opencl();
    char cpu[65], opencl[65], *set = many_species();
    run_cloud("cpu", NULL, space, 0.0, 2, cpu);
    run_cloud("opencl:0", NULL, space, 0.0, 2, opencl);
    assert_string_equal(cpu, opencl);
    run_cloud("cpu", set, "", 0.0, 1, cpu);
    run_cloud("opencl:0", set, "", 0.0, 1, opencl);
    assert_string_equal(cpu, opencl);
    run_cloud("cpu", set, "", 0.0, 2, opencl);
    assert_string_not_equal(cpu, opencl); /* and it is no constant */
    free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_do_not_show), cmocka_unit_test(edges_do_not_show),
                                       cmocka_unit_test(same_bits_on_opencl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
