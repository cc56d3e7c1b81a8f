/* The section `run` is the same for all kinds of models: read, checked, and written back. */
#include "context_fixture.h"
#include "io/starter.h"
#include "model/model.h"
#include "model/model_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const starters_of_kinds[] = {"light-slab", "gas-tube", "chem-water"};
enum { N_KINDS = sizeof starters_of_kinds / sizeof *starters_of_kinds };

static void a_run_is_written_back(void **state)
{
    (void)state;
    const char *const settings[] = {"run.until=std_dev(A)<0.5", "run.batches=7", "run.seed=5"};
    for (size_t i = 0; i < N_KINDS; i++) {
        crp_input *input = NULL;
        char *text = NULL;
        size_t n = 0;
        FIXTURE_OK(starter_load(fixture_context, starters_of_kinds[i], settings, 3, &input));
        const crp_model *model = input->models[0];
        FILE *file = open_memstream(&text, &n);
        assert_non_null(file);
        FIXTURE_OK(model->module->write_full(fixture_context, model, file));
        fclose(file);
        if (strstr(text, "  batches: 7\n  seed: 5\n  until: \"std_dev(A)<0.5\"\n") == NULL) {
            fail_msg("%s: %.400s", starters_of_kinds[i], text);
        }
        free(text);
        crp_input_destroy(&input);
    }
}

static void a_wrong_until_is_refused(void **state)
{
    (void)state;
    const char *const setting = "run.until=soon";
    for (size_t i = 0; i < N_KINDS; i++) {
        crp_input *input = NULL;
        crp_status status = starter_load(fixture_context, starters_of_kinds[i], &setting, 1, &input);
        if (status == CRP_OK || input != NULL || strstr(crp_context_error(fixture_context), "until") == NULL) {
            fail_msg("%s: status %d: %s", starters_of_kinds[i], (int)status, crp_context_error(fixture_context));
        }
    }
}

static void names_come_from_paths(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"a/b/skin.yaml", "skin"}, {"skin", "skin"}, {".hidden", ".hidden"},
                                           {"a.b/c.d.yaml", "c.d"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crp_model model = {.name = ""};
        model_name_from_path(&model, cases[i][0]);
        assert_string_equal(model.name, cases[i][1]);
    }
    crp_model named = {.name = "mine"};
    model_name_from_path(&named, "skin.yaml");
    assert_string_equal(named.name, "mine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_is_written_back), cmocka_unit_test(a_wrong_until_is_refused),
                                       cmocka_unit_test(names_come_from_paths)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
