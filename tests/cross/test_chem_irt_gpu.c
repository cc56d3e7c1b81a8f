/*
 * irt on a GPU: through OpenCL, and CUDA where there is a GPU, the same bits as on the CPU, for every type of reaction,
 * any order of the input, a queue and a memory that are too small at first; and by NVRTC code that keeps a history in
 * registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/params.h"
#include "chem_fixture.h"
#include "device/cuda_compile.h"

enum { N = 1200 }; /* above SMALL_TRACK of chem_irt.c: blocks of many threads on a GPU */

static const char every_type[] =
    "set types \"every type of reaction\"\n"
    "rate_convention 2k\n"
    "species e_aq D=4.9 radius=0.5\nspecies OH D=2.8 radius=0.22\nspecies H D=7.0 radius=0.19\nspecies H3O+ D=9.0 "
    "radius=0.25\n"
    "species OH- D=5.0 radius=0.33\nspecies H2O2 D=2.3 radius=0.21\nspecies H2 D=4.8 radius=0.14\n"
    "species A D=1 formula=H2O radius=0.3\nspecies B D=3 formula=H2O radius=0.3\nspecies C D=0 formula=H2O radius=0.3\n"
    "species S D=1 formula=CH4O\nspecies P D=1 formula=CH3O\n"
    "reaction OH + OH -> H2O2              k=0.55e10 type=I\n"
    "reaction e_aq + OH -> OH-             k=2.95e10 type=II\n"
    "reaction H3O+ + OH- -> 2 H2O          k=11.3e10 type=III\n"
    "reaction e_aq + e_aq -> H2 + 2 OH-    k=0.636e10 type=III\n"
    "reaction e_aq + H3O+ -> H             k=2.11e10 type=IV\n"
    "reaction H + H -> H2                  k=0.5e10 type=V\n"
    "reaction A + B -> C                   k=1e10 type=I\n"
    "reaction C -> A + B                   rate=1e8\n"
    "reaction OH + [S] -> P + H2O          k=9.7e8 transient=yes\n"
    "scavenger S 0.1\n";
enum { N_CHANNELS = 9 };

static crp_result *run_on(const char *device, const char *set, const char *yaml, uint64_t copies)
{
    chem_case run = {.set = set,
                     .yaml = yaml,
                     .chem = "method: irt",
                     .copies = copies,
                     .seed = 5,
                     .threads = 2,
                     .batches = 2,
                     .device = device};
    crp_result *result = chem_case_run(&run);
    chem_case_balances(result);
    return result;
}

/* A GPU, or OpenCL on a CPU; skips the test, loudly, where there is neither. */
static const char *any_gpu(void)
{
    if (!chem_case_has(&device_ops_cuda)) {
        chem_case_needs_opencl();
        return "opencl:0";
    }
    return "cuda:0";
}

/* The CPU's result, once those of all devices that are there have been seen to have the same digest. */
static crp_result *same_on_all(const char *set, const char *yaml, uint64_t copies)
{
    static const char *const names[] = {"opencl:0", "cuda:0"};
    const device_ops *kinds[] = {&device_ops_opencl, &device_ops_cuda};
    crp_result *cpu = run_on("cpu", set, yaml, copies);
    for (size_t k = 0; k < 2; k++) {
        if (chem_case_has(kinds[k])) {
            crp_result *gpu = run_on(names[k], set, yaml, copies);
            assert_string_equal(crp_result_digest(cpu), crp_result_digest(gpu));
            crp_result_destroy(&gpu);
        }
    }
    return cpu;
}

/* Spurs of forty, many of them at once; every channel is seen to act. */
static void every_type_of_reaction(void **state)
{
    (void)state;
    static const char yaml[] = "time: {start: 1 ps, end: 100 ns, outputs_per_decade: 3}\n"
                               "source: {kind: spur, radius: 2 nm, tracks: 40, energy: 100 eV, molecules: [{species: "
                               "e_aq, count: 5}, {species: OH, count: 5}, "
                               "{species: H3O+, count: 5}, {species: OH-, count: 5}, {species: H, count: 5}, {species: "
                               "A, count: 5}, {species: B, count: 5}, "
                               "{species: C, count: 5}]}\n";
    any_gpu();
    crp_result *result = same_on_all(every_type, yaml, 3);
    for (size_t channel = 0; channel < N_CHANNELS; channel++) {
        size_t n;
        chem_case_times(result, &n);
        assert_true(chem_case_events(result, n - 1, channel) > 0.0);
    }
    crp_result_destroy(&result);
}

static void write_track(const char *path, bool is_reversed)
{
    static const char *const names[] = {"e_aq", "OH", "H3O+", "H", "OH-", "A", "B", "C"};
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# energy: 1 keV\nspecies,x,y,z\n", file);
    for (uint32_t line = 0; line < N; line++) {
        uint32_t row = is_reversed ? N - 1 - line : line;
        ck_quad w = ck_philox4x32(ck_philox4_key_of(99), (ck_quad){row, 0, 0, 0});
        fprintf(file, "%s,%.9g,%.9g,%.9g\n", names[row % 8], w.a * 8e-9, w.b * 8e-9, w.c * 2e-7);
    }
    fclose(file);
}

/* A track of N, with lines in either order. */
static void any_order_of_the_input(void **state)
{
    (void)state;
    char path[256], yaml[512], digest[65];
    const char *gpu = any_gpu();
    snprintf(path, sizeof path, "%s/chem_irt_gpu_%ld.csv", CRP_BINARY_DIR, (long)getpid());
    snprintf(yaml, sizeof yaml, "time: {start: 1 ps, end: 10 ns}\nsource: {file: \"%s\"}\n", path);
    write_track(path, false);
    crp_result *result = same_on_all(every_type, yaml, 2);
    memcpy(digest, crp_result_digest(result), sizeof digest);
    crp_result_destroy(&result);
    write_track(path, true);
    result = run_on(gpu, every_type, yaml, 2);
    unlink(path);
    assert_string_equal(crp_result_digest(result), digest);
    crp_result_destroy(&result);
}

/* Six hundred thousand reactions at one time, and a list for some thousand: it is made again with a nearer horizon. */
static void one_place(void **state)
{
    (void)state;
    static const char yaml[] =
        "source: {kind: spur, radius: 0 nm, tracks: 1, energy: 100 eV, molecules: [{species: OH, count: 1100}]}\n";
    any_gpu();
    crp_result *result = same_on_all(NULL, yaml, 1);
    assert_int_equal(result->event_count[CHEM_COUNT_PAIRS], 1100 * 1099 / 2); /* however often they were asked */
    crp_result_destroy(&result);
}

/* From one molecule to more than its launch has places for at first. */
static void memory_grows(void **state)
{
    (void)state;
    static const char set[] = "species A D=1 formula=H2O\nspecies B D=1 formula=H2O\nreaction A -> 2 A rate=7e6\n";
    static const char yaml[] = "time: {start: 1 ps, end: 1 us}\nsource: {kind: spur, tracks: 3, energy: 100 eV, "
                               "molecules: [{species: A, count: 1}]}\n";
    any_gpu();
    crp_result *result = same_on_all(set, yaml, 4);
    size_t n;
    chem_case_times(result, &n);
    assert_true(chem_case_count(result, "G", n - 1, 0) / 12.0 >
                300.0); /* e^7 = 1100 in the mean; 272 places at first */
    crp_result_destroy(&result);
}

/* What nvcc makes of it: IEEE division, no address space unknown (it costs, and once was guessed wrong), few words of a
 * thread in memory. */
static void code_of_cuda(void **state)
{
    (void)state;
    static const uint32_t blocks[][2] = {{32, 12}, {256, 2}};
    crp_context *context = chem_case_context();
    nvrtc compiler;
    crp_context_set_log(context, NULL, NULL);
    if (nvrtc_open(context, 0, &compiler) != CRP_OK) {
        print_message("SKIPPED, NOT CHECKED: no NVRTC\n");
        crp_context_destroy(&context);
        skip();
    }
    nvrtc_close(&compiler);
    for (size_t i = 0; i < 2; i++) {
        device_kernel_source source = {.file = "entry/chem_irt_gpu.h",
                                       .entry = "chem_irt",
                                       .math = CRP_MATH_STRICT,
                                       .block = blocks[i][0],
                                       .blocks_per_unit = blocks[i][1]};
        void *ptx = NULL;
        size_t n = 0;
        if (cuda_compile(context, &source, 90, true, &ptx, &n) != CRP_OK) {
            fail_msg("%s", crp_context_error(context));
        }
        assert_non_null(strstr(ptx, "div.rn.f64"));
        assert_null(strstr(ptx, "div.full"));
        assert_null(strstr(ptx, "fma.rn.ftz"));
        static const char *const unknown[] = {"\tld.u32", "\tld.f64", "\tld.u64", "\tld.b32", "\tld.b64",
                                              "\tst.u32", "\tst.f64", "\tst.u64", "\tst.b32", "\tst.b64"};
        for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++) {
            assert_null(strstr(ptx, unknown[k]));
        }
        const char *depot = strstr(ptx, "__local_depot0[");
        assert_true(depot == NULL || atoi(depot + strlen("__local_depot0[")) <= 64);
        free(ptx);
    }
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_of_reaction),
                                       cmocka_unit_test(any_order_of_the_input), cmocka_unit_test(one_place),
                                       cmocka_unit_test(memory_grows), cmocka_unit_test(code_of_cuda)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
