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
    {"gas-chamber", {"bodies=1", "segments=8", NULL}, 500, false},
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
        setenv("CORPUSCLE_GAS_RECORDS", "1", 1);
        digest_of(i, with);
        setenv("CORPUSCLE_GAS_RECORDS", "0", 1);
        digest_of(i, without);
        unsetenv("CORPUSCLE_GAS_RECORDS");
        if (strcmp(with, without) != 0) {
            fail_msg("%s %s: %.12s with records, %.12s without", cases[i].starter, cases[i].settings[0], with, without);
        }
    }
}

#define VERTICES                                                                                                       \
    "geometry:\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1\n    0 1 "  \
    "1\n"
#define BOX                                                                                                            \
    "version: 1\nkind: gas\nfacets:\n  - {name: a, outgassing: 1e-6 mbar l/s, sticking: 0.3, polygons: 0 1 2 3}\n"     \
    "  - {name: b, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\"}\n"
#define LID "  - {name: d, polygons: \"3 7 4 0\\n7 6 5 4\"}\n"
#define INSIDE "    0.2 0.2 0.5\n    0.8 0.3 0.4\n    0.7 0.8 0.5\n    0.3 0.7 0.6\n"

/* Walls with a hole, walls that let molecules pass, and bodies with nothing around them must have no records; what
 * stands free among closed walls does not matter. */
static void only_closed_models_have_records(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_closed;
    } models[] = {
        {BOX "  - {name: d, polygons: \"3 7 4 0\"}\n" VERTICES, false},           /* the lid is missing */
        {BOX "  - {name: d, polygons: \"3 7 4 0\\n4 5 6 7\"}\n" VERTICES, false}, /* the lid is upside down */
        {BOX "  - {name: d, opacity: 0.5, polygons: \"3 7 4 0\\n7 6 5 4\"}\n" VERTICES, false},
        {BOX "  - {name: d, two_sided: true, polygons: \"3 7 4 0\\n7 6 5 4\"}\n" VERTICES, false},
        {"version: 1\nkind: gas\nfacets:\n  - {name: a, outgassing: 1e-6 mbar l/s, polygons: 3 2 1 0}\n" /* outside */
         "  - {name: b, polygons: \"1 5 4 0\\n2 6 5 1\\n3 7 6 2\\n0 4 7 3\\n4 5 6 7\"}\n" VERTICES,
         false},
        {BOX LID "  - {name: e, polygons: 8 9 10 11}\n" VERTICES INSIDE, false}, /* a free wall with one side */
        {BOX LID VERTICES, true},
        {BOX LID "  - {name: e, two_sided: true, sticking: 0.1, polygons: 8 9 10 11}\n" VERTICES INSIDE, true},
        {BOX LID "  - {name: e, opacity: 0.5, polygons: 8 9 10 11}\n" VERTICES INSIDE, true},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        crp_input *input = fixture_text(models[i].text);
        gas_mesh mesh;
        const gas_model *model = crp_input_model(input, 0)->data;
        FIXTURE_OK(gas_mesh_build(fixture_context, model, &mesh));
        if (gas_records_are_possible(model, &mesh) != models[i].is_closed) {
            fail_msg("model %zu", i);
        }
        gas_mesh_destroy(&mesh);
        crp_input_destroy(&input);
    }
}

/* With baffles, grids, a bent wall and a teleport among the walls records serve in part, and the bits are the tree's.
 */
static void what_stands_among_walls_is_hit(void **state)
{
    (void)state;
    static const char *const texts[] = {
        BOX LID
        "  - {name: e, two_sided: true, sticking: 0.1, outgassing: 1e-6 mbar l/s, polygons: 8 9 10 11}\n" VERTICES
        "    0.4 0.2 0.05\n    0.6 0.3 0.05\n    0.5 0.5 0.05\n    0.4 0.4 0.05\n",
        BOX LID "  - {name: e, opacity: 0.5, sticking: 0.1, polygons: 8 9 10 11}\n" VERTICES INSIDE,
        BOX LID "  - {name: e, opacity: 0.3, two_sided: true, polygons: 8 9 10 11}\n" VERTICES INSIDE,
        "version: 1\nkind: gas\nfacets:\n  - {name: a, outgassing: 1e-6 mbar l/s, sticking: 0.3, polygons: 0 1 2 3}\n"
        "  - {name: b, teleport: c, polygons: 0 4 5 1}\n  - {name: c, polygons: \"2 6 7 3\"}\n"
        "  - {name: d, polygons: \"1 5 6 2\\n3 7 4 0\\n7 6 5 4\"}\n" VERTICES,
        "version: 1\nkind: gas\nfacets:\n  - {name: a, outgassing: 1e-6 mbar l/s, sticking: 0.3, polygons: 0 1 2 3}\n"
        "  - {name: b, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\\n7 6 5 4\"}\n" /* the lid is bent */
        "geometry:\n  vertices: |\n    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1.0005\n"
        "    0 1 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char with[65], without[65];
        setenv("CORPUSCLE_GAS_RECORDS", "1", 1);
        crp_result *r = fixture_run(fixture_text(texts[i]), 20000, 5);
        snprintf(with, sizeof with, "%s", crp_result_digest(r));
        assert_true(fixture_event(r, "leaks") == 0);
        crp_result_destroy(&r);
        setenv("CORPUSCLE_GAS_RECORDS", "0", 1);
        r = fixture_run(fixture_text(texts[i]), 20000, 5);
        snprintf(without, sizeof without, "%s", crp_result_digest(r));
        unsetenv("CORPUSCLE_GAS_RECORDS");
        crp_result_destroy(&r);
        if (strcmp(with, without) != 0) {
            fail_msg("model %zu: %.12s with records, %.12s without", i, with, without);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records_and_tree_agree),
                                       cmocka_unit_test(only_closed_models_have_records),
                                       cmocka_unit_test(what_stands_among_walls_is_hit)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
