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

static double random_of(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

/* A text that is written to its end. */
typedef struct page {
    char text[16384];
    size_t n;
} page;

static void add(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(page *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    p->n += (size_t)vsnprintf(p->text + p->n, sizeof p->text - p->n, format, arguments);
    va_end(arguments);
}

/* Corners 0, 1, 2 turn left seen from outside, 3 lies below them. */
static void add_tetrahedron(page *p, uint64_t *seed)
{
    double c[3], size = 0.05 + 0.25 * random_of(seed), turn = 6.28 * random_of(seed), tilt = 0.5 * random_of(seed);
    for (int x = 0; x < 3; x++) {
        c[x] = 0.32 + 0.36 * random_of(seed);
    }
    for (int corner = 0; corner < 3; corner++) {
        double a = turn + 2.0944 * corner;
        add(p, "    %.17g %.17g %.17g\n", c[0] + size * cos(a), c[1] + size * sin(a), c[2] + tilt * size * cos(a));
    }
    add(p, "    %.17g %.17g %.17g\n", c[0], c[1], c[2] - size);
}

/* A room with up to two tetrahedra, which may overlap, and up to two free triangles of any kind. */
static void write_room(page *p, uint64_t *seed)
{
    static const char *const kinds[] = {"two_sided: true, sticking: 0.2", "opacity: 0.4, sticking: 0.1",
                                        "two_sided: true, opacity: 0.7", "two_sided: true, outgassing: 1e-7 mbar l/s"};
    int n_bodies = (int)(3.0 * random_of(seed)), n_free = (int)(3.0 * random_of(seed)), v = 8;
    p->n = 0;
    add(p, "%s%s", BOX, LID);
    for (int k = 0; k < n_bodies; k++, v += 4) {
        add(p, "  - {name: body%d, sticking: 0.1, polygons: \"%d %d %d\\n%d %d %d\\n%d %d %d\\n%d %d %d\"}\n", k, v,
            v + 1, v + 2, v, v + 3, v + 1, v + 1, v + 3, v + 2, v + 2, v + 3, v);
    }
    for (int k = 0; k < n_free; k++, v += 3) {
        add(p, "  - {name: free%d, %s, polygons: %d %d %d}\n", k, kinds[(int)(4.0 * random_of(seed))], v, v + 1, v + 2);
    }
    add(p, "%s", VERTICES);
    for (int k = 0; k < n_bodies; k++) {
        add_tetrahedron(p, seed);
    }
    for (int k = 0; k < 9 * n_free; k++) {
        add(p, "%s%.17g%s", k % 3 == 0 ? "    " : " ", 0.05 + 0.9 * random_of(seed), k % 3 == 2 ? "\n" : "");
    }
}

static void digest_of_text(const char *text, const char *records, char digest[65])
{
    setenv("CORPUSCLE_GAS_RECORDS", records, 1);
    crp_result *r = fixture_run(fixture_text(text), 2000, 7);
    unsetenv("CORPUSCLE_GAS_RECORDS");
    snprintf(digest, 65, "%s", crp_result_digest(r));
    assert_true(fixture_event(r, "leaks") == 0);
    crp_result_destroy(&r);
}

static bool has_records(const char *text)
{
    crp_plan *plan = NULL;
    crp_input *input = fixture_text(text);
    setenv("CORPUSCLE_GAS_RECORDS", "1", 1);
    FIXTURE_OK(gas_plan_create(fixture_context, crp_input_model(input, 0), 1, &plan));
    unsetenv("CORPUSCLE_GAS_RECORDS");
    bool has = ((gas_plan *)plan->data)->params.has_records != 0;
    plan_destroy(&plan);
    crp_input_destroy(&input);
    return has;
}

/* Whatever records there are, the bits are the tree's. Most rooms have some; not where one tetrahedron is in another.
 */
static void random_rooms(void **state)
{
    (void)state;
    enum { ROOMS = 60 };
    static page p;
    uint64_t seed = 11;
    int n_with = 0;
    for (int room = 0; room < ROOMS; room++) {
        char with[65], without[65];
        write_room(&p, &seed);
        n_with += has_records(p.text);
        digest_of_text(p.text, "1", with);
        digest_of_text(p.text, "0", without);
        if (strcmp(with, without) != 0) {
            fail_msg("room %d: %.12s with records, %.12s without:\n%s", room, with, without, p.text);
        }
    }
    assert_true(n_with > ROOMS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_and_tree_agree), cmocka_unit_test(only_closed_models_have_records),
        cmocka_unit_test(what_stands_among_walls_is_hit), cmocka_unit_test(random_rooms)};
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
