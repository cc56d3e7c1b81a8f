/* irt: the same bits for any threads and any order of the input, the queue that gives up its later half, what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/irt_queue.h"
#include "chem_fixture.h"
#include "core/statistics.h"

enum { N = 300 };

/* A small dense track as text: row i of the table goes to line order[i], positions are those of row place[i]. */
static void write_track(const char *path, const uint32_t *order, const uint32_t *place)
{
    static const char *const names[] = {"e_aq", "OH", "H3O+", "H", "OH-", "H2O2"};
    uint32_t inverse[N];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("# energy: 1 keV\nspecies,x,y,z\n", file);
    for (uint32_t i = 0; i < N; i++) {
        inverse[order[i]] = i;
    }
    for (uint32_t line = 0; line < N; line++) {
        uint32_t row = inverse[line];
        ck_philox4_key key = ck_philox4_key_of(99);
        ck_quad w = ck_philox4x32(key, (ck_quad){place[row], 0, 0, 0});
        fprintf(file, "%s,%.9g,%.9g,%.9g\n", names[row % 6], w.a * 8e-9, w.b * 8e-9, w.c * 20e-9);
    }
    fclose(file);
}

static crp_result *run_track(const uint32_t *order, const uint32_t *place, uint32_t threads, const char *method)
{
    char path[256], yaml[512];
    snprintf(path, sizeof path, "%s/chem_irt_%ld.csv", CRP_BINARY_DIR, (long)getpid());
    write_track(path, order, place);
    snprintf(yaml, sizeof yaml, "source: {file: \"%s\"}\n", path);
    chem_case run = {.yaml = yaml, .chem = method, .copies = 64, .seed = 3, .threads = threads};
    crp_result *result = chem_case_run(&run);
    unlink(path);
    return result;
}

static void same_bits(void **state)
{
    (void)state;
    uint32_t same[N], turned[N], mixed[N];
    for (uint32_t i = 0; i < N; i++) {
        same[i] = i;
        turned[i] = N - 1 - i;
        mixed[i] = i * 7 % N; /* 7 and 300 have no common divisor */
    }
    crp_result *first = run_track(same, same, 1, "method: irt");
    crp_result *threads = run_track(same, same, 3, "method: irt");
    crp_result *reversed = run_track(turned, same, 2, "method: irt");
    crp_result *shuffled = run_track(mixed, same, 2, "method: irt");
    crp_result *moved = run_track(same, turned, 2, "method: irt"); /* positions among the molecules: another track */
    chem_case_balances(first);
    assert_string_equal(crp_result_digest(first), crp_result_digest(threads));
    assert_string_equal(crp_result_digest(first), crp_result_digest(reversed));
    assert_string_equal(crp_result_digest(first), crp_result_digest(shuffled));
    assert_string_not_equal(crp_result_digest(first), crp_result_digest(moved));
    crp_result *all[] = {first, threads, reversed, shuffled, moved};
    for (size_t i = 0; i < 5; i++) {
        crp_result_destroy(&all[i]);
    }
}

/* The method works on positions: with those shuffled among the molecules of a track of separate spurs, G changes. */
static void positions_matter(void **state)
{
    (void)state;
    crp_result *result[2];
    static const char *const sources[] = {
        "source: {kind: spur, radius: 1 nm, tracks: 200, energy: 100 eV, molecules: [{species: e_aq, count: 3}, {species: H3O+, count: 3}]}\n",
        "source: {kind: spur, radius: 9 nm, tracks: 200, energy: 100 eV, molecules: [{species: e_aq, count: 3}, {species: H3O+, count: 3}]}\n"};
    for (size_t i = 0; i < 2; i++) {
        chem_case run = {.yaml = sources[i], .chem = "method: irt", .copies = 32, .seed = 3, .threads = 2};
        result[i] = chem_case_run(&run);
    }
    size_t n;
    chem_case_times(result[0], &n);
    double near = chem_case_count(result[0], "G", n - 1, 0), far = chem_case_count(result[1], "G", n - 1, 0);
    assert_true(near < 0.8 * far);
    crp_result_destroy(&result[0]);
    crp_result_destroy(&result[1]);
}

/* T19: against exact on spurs of twelve. Independent pairs are an approximation where several may react: 3 %. */
static void near_exact(void **state)
{
    (void)state;
    static const char yaml[] = "source: {kind: spur, radius: 2 nm, tracks: 500, energy: 100 eV, molecules: [{species: e_aq, count: 4}, "
                               "{species: H3O+, count: 4}, {species: OH, count: 4}]}\ntime: {start: 1 ps, end: 1 us, outputs_per_decade: 1}\n";
    chem_case exact = {.yaml = yaml, .chem = "method: exact", .copies = 5, .seed = 3, .threads = 2};
    chem_case irt = {.yaml = yaml, .chem = "method: irt", .copies = 32, .seed = 4, .threads = 2};
    crp_result *a = chem_case_run(&exact), *b = chem_case_run(&irt);
    size_t n;
    chem_case_times(a, &n);
    for (size_t species = 0; species < 4; species++) { /* e_aq, OH, H, H3O+ */
        double x = chem_case_count(a, "G", n - 1, species) / (5 * 500), y = chem_case_count(b, "G", n - 1, species) / (32 * 500);
        double error = sqrt(x / (5 * 500) + y / (32 * 500));
        print_message("species %zu: exact %.4f, irt %.4f +- %.4f\n", species, x, y, error);
        assert_true(fabs(y - x) < 0.03 * x + 4.0 * error);
    }
    crp_result_destroy(&a);
    crp_result_destroy(&b);
}

/* The queue: whatever its room, and however many times are equal, entries come out in order, up to the horizon, and none before it
 * is missing. */
static void queue_gives_up_its_later_half(void **state)
{
    (void)state;
    enum { MANY = 5000, ROOM = 700 };
    static chem_irt_entry entries[ROOM], all[MANY];
    ck_philox4_key key = ck_philox4_key_of(5);
    for (ck_u32 n_times = 1; n_times <= 2000; n_times += 1999) {
        chem_irt_queue q = {.entries = entries, .room = ROOM};
        for (ck_u32 i = 0; i < MANY; i++) {
            ck_quad w = ck_philox4x32(key, (ck_quad){i, 0, 0, 0});
            all[i] = (chem_irt_entry){.time = w.a % n_times, .tie = w.b, .low = i};
            chem_irt_push(&q, all[i]);
            if (i == MANY / 2) {
                chem_irt_make_heap(&q);
            }
        }
        size_t n_before = 0, n_popped = 0;
        for (size_t i = 0; i < MANY; i++) {
            n_before += chem_irt_is_beyond(&q, all[i]) == 0;
        }
        chem_irt_entry last = {.time = -1.0};
        while (q.n > 0) {
            chem_irt_entry e = chem_irt_pop(&q);
            assert_true(chem_irt_is_before(last, e) && chem_irt_is_beyond(&q, e) == 0);
            last = e;
            n_popped++;
        }
        assert_int_equal(n_popped, n_before);
        assert_true(q.is_cut == 1 && n_popped > ROOM / 4 && n_popped <= ROOM);
    }
}

/* Four and a half million reactions at one time, and room for some thousand. */
static void one_place(void **state)
{
    (void)state;
    static const char yaml[] = "source: {kind: spur, radius: 0 nm, tracks: 2, energy: 100 eV, molecules: [{species: OH, count: 3000}]}\n";
    chem_case run = {.yaml = yaml, .chem = "method: irt", .copies = 2, .seed = 3, .threads = 2};
    crp_result *result = chem_case_run(&run);
    chem_case_balances(result);
    assert_true(chem_case_count(result, "G", 0, 1) == 0.0); /* all in contact: pairs at once, no OH left */
    crp_result_destroy(&result);
}

static void odd_models(void **state)
{
    (void)state;
    static const char one[] = "source: {kind: spur, tracks: 1, energy: 100 eV, molecules: [{species: OH, count: 1}]}\n";
    chem_case run = {.yaml = one, .chem = "method: irt", .copies = 1, .seed = 3, .threads = 1};
    crp_result *result = chem_case_run(&run);
    assert_true(chem_case_count(result, "G", 0, 1) == 1.0);
    crp_result_destroy(&result);
    static const char still[] = "species A D=0 formula=H2O\n"; /* no motion, no reactions */
    static const char two[] = "source: {kind: spur, radius: 0 nm, tracks: 1, energy: 100 eV, molecules: [{species: A, count: 2}]}\n";
    chem_case none = {.set = still, .yaml = two, .chem = "method: irt", .copies = 1, .seed = 3, .threads = 1};
    result = chem_case_run(&none);
    assert_true(chem_case_count(result, "G", 0, 0) == 2.0);
    crp_result_destroy(&result);
}

static void refuses_walls(void **state)
{
    (void)state;
    static const char box[] = "space: {kind: periodic, box: 100 nm}\n"
                              "source: {kind: spur, tracks: 1, energy: 100 eV, molecules: [{species: OH, count: 2}]}\n";
    chem_case run = {.yaml = box, .chem = "method: irt"};
    crp_context *context = chem_case_context();
    crp_context_set_log(context, NULL, NULL);
    crp_input *input;
    crp_result *result = NULL;
    assert_int_equal(chem_case_load(context, &run, &input), CRP_OK);
    crp_run_options options = crp_run_options_default();
    options.device = "cpu";
    assert_int_equal(crp_run_execute(context, crp_input_model(input, 0), &options, &result), CRP_ERR_CONFIG);
    assert_non_null(strstr(crp_context_error(context), "method irt works in open space"));
    crp_input_destroy(&input);
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits), cmocka_unit_test(positions_matter), cmocka_unit_test(near_exact),
        cmocka_unit_test(queue_gives_up_its_later_half), cmocka_unit_test(one_place), cmocka_unit_test(odd_models),
        cmocka_unit_test(refuses_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
