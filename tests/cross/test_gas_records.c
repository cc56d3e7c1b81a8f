/* Candidate records and the tree find the same facets: the same bits, on models where records are used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"
#include "model/gas/gas_records.h"

static const struct {
    const char *starter;
    const char *settings[5];
    uint64_t histories;
    bool uses_records;
} cases[] = {
    {"gas-tube", {"length_over_radius=50", "sides=100", NULL}, 20000, true},
    {"gas-tube", {"length_over_radius=0.5", "sides=64", "facets.inlet.sticking=0.3", NULL}, 100000, true},
    {"gas-tube", {"length_over_radius=3", "sides=1000", NULL}, 30000, true},
    {"gas-tube", {"length_over_radius=300", "sides=7", "facets.wall.reflection.diffuse=0.9", NULL}, 4000, true},
    {"gas-duct", {"width=10", "length=3", NULL}, 100000, true},
    {"gas-elbow", {"arm_in=2", "arm_out=1", NULL}, 30000, true},
    {"gas-chamber", {"bodies=1", "segments=8", NULL}, 500, true},
    {"gas-chamber", {"bodies=27", "segments=8", NULL}, 200, false},
};

static crp_plan *plan_of(size_t i)
{
    crp_plan *plan = NULL;
    crp_input *input = fixture_starter(cases[i].starter, cases[i].settings);
    FIXTURE_OK(gas_plan_create(fixture_context, crp_input_model(input, 0), 1, &plan));
    bool uses = ((gas_plan *)plan->data)->params.has_records != 0;
    if (uses != cases[i].uses_records) {
        fail_msg("%s %s: %s records", cases[i].starter, cases[i].settings[0], uses ? "uses" : "has no");
    }
    crp_input_destroy(&input);
    return plan;
}

static void digest_of(size_t i, char digest[65])
{
    crp_result *r = fixture_run(fixture_starter(cases[i].starter, cases[i].settings), cases[i].histories, 3);
    snprintf(digest, 65, "%s", crp_result_digest(r));
    assert_true(fixture_event(r, "leaks") == 0);
    crp_result_destroy(&r);
}

static void records_and_tree_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char with[65], without[65];
        crp_plan *plan = plan_of(i);
        plan_destroy(&plan);
        digest_of(i, with);
        setenv("CORPUSCLE_GAS_RECORDS", "0", 1);
        digest_of(i, without);
        unsetenv("CORPUSCLE_GAS_RECORDS");
        if (strcmp(with, without) != 0) {
            fail_msg("%s %s: %.12s with records, %.12s without", cases[i].starter, cases[i].settings[0], with, without);
        }
    }
}

/* A model with a hole, or with a facet that lets molecules pass, must not use them. */
static void only_closed_models_have_records(void **state)
{
    (void)state;
    static const char *const endings[] = {
        "  - {name: d, polygons: \"3 7 4 0\"}\n",           /* the lid is missing */
        "  - {name: d, polygons: \"3 7 4 0\\n4 5 6 7\"}\n", /* the lid is upside down */
        "  - {name: d, opacity: 0.5, polygons: \"3 7 4 0\\n7 6 5 4\"}\n",
        "  - {name: d, two_sided: true, polygons: \"3 7 4 0\\n7 6 5 4\"}\n",
        "  - {name: d, polygons: \"3 7 4 0\\n7 6 5 4\"}\n", /* closed */
    };
    for (size_t i = 0; i < 5; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "version: 1\nkind: gas\nfacets:\n  - {name: a, outgassing: 1e-6 mbar l/s, sticking: 1, polygons: 0 1 2 3}\n"
            "  - {name: b, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\"}\n%s"
            "geometry:\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1\n   "
            " 0 1 1\n",
            endings[i]);
        crp_input *input = fixture_text(text);
        gas_mesh mesh;
        const gas_model *model = crp_input_model(input, 0)->data;
        FIXTURE_OK(gas_mesh_build(fixture_context, model, &mesh));
        assert_true(gas_records_are_possible(model, &mesh) == (i == 4));
        gas_mesh_destroy(&mesh);
        crp_input_destroy(&input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_and_tree_agree),
                                       cmocka_unit_test(only_closed_models_have_records)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
