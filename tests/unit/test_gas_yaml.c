/* Gas models in YAML: read, written back, set, and every wrong value refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"
#include "model/gas/gas_yaml.h"

#define VERTICES                                                                                                       \
    "geometry:\n  unit: 1 cm\n  vertices: |\n    0 0 0   # first\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 "  \
    "0 1\n"                                                                                                            \
    "    1 1 1\n    0 1 1\n    0.2 0.2 0\n    0.6 0.2 0\n    0.4 0.5 0\n"
#define HEAD "version: 1\nkind: gas\nname: box\n"
#define FACETS                                                                                                         \
    "facets:\n  - {name: inlet, sticking: 1, outgassing: 1e-6 mbar l/s, polygons: 0 1 2 3}\n"                          \
    "  - {name: outlet, sticking: 0.5, temperature: 77 K, polygons: 7 6 5 4}\n"                                        \
    "  - {name: wall, polygons: \"0 4 5 1\\n1 5 6 2\\n2 6 7 3\\n3 7 4 0\"}\n"

static crp_status load(const char *text, const char *const *settings, size_t n, crp_input **input)
{
    crp_input_options options = crp_input_options_default();
    options.settings = settings;
    options.n_settings = n;
    *input = NULL;
    return yaml_load(fixture_context, "box.yaml", text, strlen(text), &options, input);
}

static char *written(const crp_input *input, bool full)
{
    char *text = NULL;
    size_t n = 0;
    const crp_model *model = crp_input_model(input, 0);
    FILE *file = open_memstream(&text, &n);
    FIXTURE_OK((full ? gas_write_yaml_full : gas_write_yaml)(fixture_context, model, file));
    fclose(file);
    return text;
}

static const gas_surface *surface(const crp_input *input, const char *name)
{
    const gas_model *m = crp_input_model(input, 0)->data;
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        if (strcmp(m->surfaces[i].name, name) == 0) {
            return &m->surfaces[i];
        }
    }
    fail_msg("no surface %s", name);
    return NULL;
}

static void values_and_units(void **state)
{
    (void)state;
    crp_input *input;
    FIXTURE_OK(load(HEAD FACETS VERTICES, NULL, 0, &input));
    const gas_model *m = crp_input_model(input, 0)->data;
    assert_true(m->n_facets == 6 && m->n_vertices == 11 && m->n_surfaces == 3);
    assert_true(m->vertices[3] == 0.01 && m->mass == 0.0280134);
    assert_true(fabs(surface(input, "inlet")->outgassing - 1e-7) < 1e-21); /* 1 mbar l/s is 0.1 Pa m3/s */
    assert_true(surface(input, "outlet")->temperature == 77.0 && surface(input, "wall")->temperature == 293.15);
    crp_input_destroy(&input);
}

/* What is written loads as the same model, and is written as the same text; a richer one too. */
static void written_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD FACETS VERTICES,
        HEAD
        "run: {histories: 1e6, seed: 3, until: \"rel_err(transmission)<1%\"}\ngas: {mass: 2.016 g/mol, speed: mean}\n"
        "scores: {forces: true}\nfacets:\n"
        "  - {name: a, outgassing: 1e-6 mbar l/s, desorption: cosine_n, desorption_exponent: 3, two_sided: true,\n"
        "     reflection: {diffuse: 0.2, specular: 0.3, exponent: 2, maxwell: true}, accommodation: 0.7, opacity: "
        "0.5,\n"
        "     texture: {cell: 1 mm}, profile: angle, polygons: \"0 1 2 3 / 8 9 10\"}\n"
        "  - {name: b, link: 2, structure: 0, texture: {u: 3.5, v: 2}, polygons: 7 6 5 4}\n"
        "  - {name: c, teleport: b, structure: 2, polygons: 0 4 5 1}\n"
        "groups:\n  - {name: all, facets: 1-3}\nformulas:\n  - {name: f, text: A1/SUMDES}\n" VERTICES,
    };
    for (size_t i = 0; i < 2; i++) {
        crp_input *first, *second;
        FIXTURE_OK(load(texts[i], NULL, 0, &first));
        char *text = written(first, true), *normalised = written(first, false);
        FIXTURE_OK(load(text, NULL, 0, &second));
        char *again = written(second, true);
        assert_string_equal(text, again);
        assert_string_equal(crp_model_digest(crp_input_model(first, 0)), crp_model_digest(crp_input_model(second, 0)));
        assert_null(strstr(normalised, "name: \"box\""));
        free(text);
        free(again);
        free(normalised);
        crp_input_destroy(&first);
        crp_input_destroy(&second);
    }
}

static void settings(void **state)
{
    (void)state;
    const char *const some[] = {"facets.outlet.sticking=0.1", "facets.3.temperature=400", "gas.mass=40 g/mol"};
    crp_input *input;
    FIXTURE_OK(load(HEAD FACETS VERTICES, some, 3, &input));
    assert_true(surface(input, "outlet")->sticking == 0.1 && surface(input, "wall")->temperature == 400.0);
    crp_input_destroy(&input);
    /* A group of facets of one surface gets a surface of its own; outgassing is shared by area. */
    const char *const group[] = {"facets.pumps.sticking=0.25", "facets.pumps.outgassing=4e-7 Pa m3/s"};
    FIXTURE_OK(load(HEAD FACETS "groups:\n  - {name: pumps, facets: 2 4-5}\n" VERTICES, group, 2, &input));
    const gas_model *m = crp_input_model(input, 0)->data;
    double outgassing = 0.0;
    uint32_t n_pumping = 0, last = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        const gas_surface *s = &m->surfaces[m->facets[i].surface];
        assert_true(m->facets[i].surface >= last); /* still in the order of the surfaces */
        last = m->facets[i].surface;
        n_pumping += s->sticking == 0.25;
    }
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        outgassing += m->surfaces[i].sticking == 0.25 ? m->surfaces[i].outgassing : 0.0;
    }
    assert_int_equal(n_pumping, 3);
    assert_true(fabs(outgassing - 4e-7) < 1e-20);
    crp_input_destroy(&input);
}

static const struct {
    const char *text, *message;
} bad[] = {
    {HEAD VERTICES, "facets is missing"},
    {HEAD FACETS, "geometry is missing"},
    {HEAD "facets:\n  - {name: a, sticking: 1.1, polygons: 0 1 2}\n" VERTICES,
     "facets[1].sticking = 1.1 must lie in [0, 1]"},
    {HEAD "facets:\n  - {name: a, opacity: -0.1, polygons: 0 1 2}\n" VERTICES,
     "facets[1].opacity = -0.1 must lie in [0, 1]"},
    {HEAD "facets:\n  - {name: a, temperature: 0, polygons: 0 1 2}\n" VERTICES,
     "temperature = 0 must be larger than 0"},
    {HEAD "facets:\n  - {name: a, outgassing: -1, polygons: 0 1 2}\n" VERTICES, "outgassing = -1"},
    {HEAD "facets:\n  - {name: a, stickin: 1, polygons: 0 1 2}\n" VERTICES, "did you mean sticking"},
    {HEAD "facets:\n  - {name: a}\n" VERTICES, "polygons is missing"},
    {HEAD "facets:\n  - name: a\n    polygons: |\n      0 1 2\n      0 1 11\n" VERTICES,
     "box.yaml:8: facets[1].polygons: there is no vertex 11"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 x}\n" VERTICES, "a facet is a line of numbers of vertices"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1}\n" VERTICES, "facet 1 (a): has a loop of 2 corners"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 1 2}\n" VERTICES, "facet 1 (a): has vertex 1 twice in a row"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 0}\n" VERTICES, "twice in a row"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 6 3}\n" VERTICES, "is not flat"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 2, reflection: {diffuse: 0.7, specular: 0.4}}\n" VERTICES,
     "add up to more than 1"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 2, desorption: none, outgassing: 1}\n" VERTICES,
     "has outgassing but no desorption"},
    {HEAD "facets:\n  - {name: a, polygons: 0 1 2, teleport: b}\n" VERTICES,
     "teleport = b must name one facet (0 have that name)"},
    {HEAD FACETS "groups:\n  - {name: g, facets: 7}\n" VERTICES, "must be numbers of facets"},
    {HEAD FACETS "geometry:\n  vertices: |\n    0 0 0\n    1 0\n", "a vertex is three numbers"},
    {HEAD FACETS "geometry:\n  vertices: |\n    0 0 0 7\n", "something stands behind x y z"},
    {HEAD "gas: {mass: 28}\n" FACETS VERTICES, "must lie in [0.001, 10000] g/mol"},
};

static void wrong_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crp_input *input;
        crp_status status = load(bad[i].text, NULL, 0, &input);
        const char *message = crp_context_error(fixture_context);
        if (status == CRP_OK || strstr(message, bad[i].message) == NULL || strstr(message, "box.yaml") == NULL) {
            fail_msg("case %zu: status %d, \"%s\" (wanted \"%s\")", i, status, message, bad[i].message);
        }
        assert_null(input);
    }
}

/* A model that cannot be run is said to be so before anything runs. */
static void what_cannot_run_is_told(void **state)
{
    (void)state;
    crp_input *input;
    const char *const closed[] = {"facets.inlet.outgassing=0"};
    FIXTURE_OK(load(HEAD FACETS VERTICES, closed, 1, &input));
    crp_run_options options = fixture_options(10, 1);
    crp_result *result = NULL;
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_CONFIG);
    assert_non_null(strstr(crp_context_error(fixture_context), "nothing desorbs"));
    crp_input_destroy(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_units),
        cmocka_unit_test(written_back),
        cmocka_unit_test(settings),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(what_cannot_run_is_told),
    };
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
