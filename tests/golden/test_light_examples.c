/*
 * Digests of the shipped light examples at a small number of photons: all integers of all tallies. A change of any bit
 * on any compiler, optimisation level or processor fails here. Where it is meant, tools/make_golden.py --update writes
 * new digests and prints z of old against new, so that "draws moved" can be told from "result moved".
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"

#define GOLDEN_FILE CRP_SOURCE_DIR "/tests/golden/light.txt"
#define EXAMPLES CRP_SOURCE_DIR "/examples/light/"

enum { MAX_ROWS = 200 };

/* A row: file, number of the run in it from 1, a setting or "-", photons, seed, digest. */
typedef struct golden_row {
    char file[128], setting[128], digest[80];
    size_t run;
    unsigned long long photons, seed;
} golden_row;

static golden_row rows[MAX_ROWS];
static size_t n_rows;

static int read_rows(void **state)
{
    FILE *file = fopen(GOLDEN_FILE, "r");
    char line[512];
    if (fixture_open(state) != 0 || file == NULL) {
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL && n_rows < MAX_ROWS) {
        golden_row *r = &rows[n_rows];
        if (line[0] == '#' || line[0] == ' ' || line[0] == '\n') { /* comments, and values for people and for z */
            continue;
        }
        if (sscanf(line, "%127s %zu %127s %llu %llu %79s", r->file, &r->run, r->setting, &r->photons, &r->seed,
                   r->digest) != 6) {
            printf("%s: not a row: %s", GOLDEN_FILE, line);
            fclose(file);
            return -1;
        }
        ++n_rows;
    }
    fclose(file);
    return n_rows > 0 ? 0 : -1;
}

static crp_result *run_row(const golden_row *r)
{
    char path[600];
    const char *setting = r->setting;
    crp_input_options input_options = crp_input_options_default();
    crp_input *input = NULL;
    crp_result *result = NULL;
    snprintf(path, sizeof path, "%s%s", EXAMPLES, r->file);
    if (strcmp(r->setting, "-") != 0) {
        input_options.settings = &setting;
        input_options.n_settings = 1;
    }
    FIXTURE_OK(crp_input_load(fixture_context, path, &input_options, &input));
    assert_in_range(r->run, 1, crp_input_n_models(input));
    crp_run_options options = fixture_options(r->photons, r->seed);
    FIXTURE_OK(crp_run_execute(fixture_context, crp_input_model(input, r->run - 1), &options, &result));
    crp_input_destroy(&input);
    return result;
}

static void test_digests(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_rows; ++i) {
        crp_result *result = run_row(&rows[i]);
        fixture_conserves(result);
        if (strcmp(crp_result_digest(result), rows[i].digest) != 0) {
            fail_msg("%s, run %zu, %s, %llu photons: digest %.16s..., in the golden file %.16s... (if the draws were "
                     "meant to "
                     "move: tools/make_golden.py --update)",
                     rows[i].file, rows[i].run, rows[i].setting, rows[i].photons, crp_result_digest(result),
                     rows[i].digest);
        }
        crp_result_destroy(&result);
    }
}

/* Another seed gives another digest, so that the comparison above compares something. */
static void test_another_seed(void **state)
{
    (void)state;
    golden_row r = rows[0];
    r.seed += 1;
    crp_result *result = run_row(&r);
    assert_string_not_equal(crp_result_digest(result), rows[0].digest);
    crp_result_destroy(&result);
}

/* Every example has a row. */
static void test_all_examples(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(EXAMPLES "*.mci", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 10);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        bool has_row = false;
        for (size_t k = 0; k < n_rows; ++k) {
            has_row = has_row || strcmp(rows[k].file, name) == 0;
        }
        if (!has_row) {
            fail_msg("%s has no digest: tools/make_golden.py --update", name);
        }
    }
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digests),
        cmocka_unit_test(test_another_seed),
        cmocka_unit_test(test_all_examples),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, read_rows, fixture_close);
}
