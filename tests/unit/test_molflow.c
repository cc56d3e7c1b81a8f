/* Molflow XML and ZIP: every field that is read, features that are not there, and every way to be broken or hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/context.h"
#include "io/molflow.h"
#include "molflow_fixture.h"

#include <stdlib.h>

typedef struct reading {
    crp_context *context;
    gas_model *gas;
    char text[FIXTURE_XML];
} reading;

static int set_up(void **state)
{
    reading *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(crp_context_create(&r->context), CRP_OK);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    reading *r = *state;
    gas_model_destroy(r->gas);
    crp_context_destroy(&r->context);
    free(r);
    return 0;
}

static crp_status read_text(reading *r, const char *text, size_t n)
{
    gas_model_destroy(r->gas);
    r->gas = gas_model_create();
    assert_non_null(r->gas);
    return molflow_read_xml(r->context, "model.xml", text, n, r->gas);
}

static crp_status read_model(reading *r, const molflow_text *t)
{
    molflow_write(t, r->text);
    return read_text(r, r->text, strlen(r->text));
}

static void expect_message(reading *r, crp_status status, crp_status wanted, const char *message)
{
    if (status != wanted || strstr(crp_context_error(r->context), message) == NULL) {
        fail_msg("status %d, message: %s\nwanted: %d, %s", status, crp_context_error(r->context), wanted, message);
    }
}

static void check_fields(const gas_model *gas)
{
    assert_int_equal(gas->n_vertices, 8);
    assert_int_equal(gas->n_facets, 6);
    assert_int_equal(gas->n_surfaces, 6);
    assert_true(gas->vertices[3 * 7 + 2] == 5.0 / 100);
    assert_true(gas->mass == 4.0 / 1000);
    assert_int_equal(gas->speed, GAS_SPEED_MAXWELL);
    assert_false(gas->score_forces);
    const gas_surface *s = gas->surfaces;
    assert_true(s[0].sticking == 1 && s[0].outgassing == 1e-6 && s[0].desorption == GAS_DESORB_COSINE);
    assert_true(s[1].sticking == 0.25 && s[1].opacity == 1 && !s[1].is_two_sided && s[1].outgassing == 0);
    assert_true(s[2].temperature == 300 && s[2].accommodation == 0.5);
    assert_true(s[2].diffuse == 0.7 && s[2].specular == 0.2 && s[2].cosine_exponent == 2);
    assert_true(s[2].texture_u == 4.5 && s[2].texture_v == 8 && s[2].profile == GAS_PROFILE_U);
    assert_true(s[2].structure == 0 && s[2].link == GAS_NONE && s[2].teleport == GAS_NONE);
    assert_int_equal(gas->facets[3].number, 4);
    assert_int_equal(gas->n_groups, 1);
    assert_string_equal(gas->groups[0].name, "walls");
    assert_int_equal(gas->groups[0].n_facets, 2);
    assert_int_equal(gas->groups[0].facets[0], 2);
    assert_int_equal(gas->groups[0].facets[1], 5);
    assert_int_equal(gas->n_formulas, 1);
    assert_string_equal(gas->formulas[0].name, "T");
    assert_string_equal(gas->formulas[0].text, "A2/SUMDES");
    assert_int_equal(gas->n_features, 0);
    assert_string_equal(gas->structure_names[0], "main");
}

static void test_every_field(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    assert_int_equal(read_model(r, &t), CRP_OK);
    check_fields(r->gas);
    assert_int_equal(gas_model_validate(r->context, "model.xml", r->gas), CRP_OK);
    assert_int_equal(r->gas->facets[0].line, 15); /* where <Facet id="0"> stands */
}

/* Files before 2.8 have no root; a byte order mark, CR LF and comments are nothing special. */
static void test_old_form(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    const char *heads[] = {"<?xml version=\"1.0\"?>\n", "\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n<!-- a > b -->\r\n",
                           ""};
    t.tail = "";
    for (int i = 0; i < 3; i++) {
        t.head = heads[i];
        assert_int_equal(read_model(r, &t), CRP_OK);
        check_fields(r->gas);
    }
}

static void test_other_choices(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.opacity = "constValue=\"0.5\" is2sided=\"true\"";
    t.outgassing = "constValue=\"2\" desType=\"3\" desExponent=\"4\"";
    t.structure = "inStructure=\"-1\" linksTo=\"1\"";
    t.teleport = "target=\"6\"";
    t.reflection = "type=\"1\"";
    t.settings = "<TimeSettings useMaxwellDistr=\"0\"/><MeasureForces enabled=\"1\"/>";
    assert_int_equal(read_model(r, &t), CRP_OK);
    const gas_surface *s = r->gas->surfaces;
    assert_true(s[1].opacity == 0.5 && s[1].is_two_sided);
    assert_true(s[0].desorption == GAS_DESORB_COSINE_N && s[0].desorption_exponent == 4);
    assert_true(s[2].structure == GAS_NONE && s[2].link == 0 && s[2].teleport == 5);
    assert_true(s[2].diffuse == 0 && s[2].specular == 1);
    assert_true(r->gas->speed == GAS_SPEED_MEAN && r->gas->score_forces);
    t.teleport = "target=\"-1\"";
    t.reflection = "type=\"2\"";
    assert_int_equal(read_model(r, &t), CRP_OK);
    s = r->gas->surfaces;
    assert_true(s[2].teleport == GAS_TELEPORT_BACK);
    assert_true(s[2].diffuse == 0 && s[2].specular == 0 && s[2].cosine_exponent == 0);
}

/* A facet that does not desorb keeps a number that must not count. */
static void test_outgassing_without_desorption(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.outgassing = "constValue=\"1e-6\" desType=\"0\"";
    assert_int_equal(read_model(r, &t), CRP_OK);
    assert_true(r->gas->surfaces[0].outgassing == 0);
}

/* What is not known is skipped, at any depth, with whatever is inside it. */
static void test_unknown_parts(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.facet_extra = "<Colour r=\"1\"><Facet id=\"99\"><Indices><Indice vertex=\"99\"/></Indices></Facet></Colour>";
    t.extra =
        "<MolflowResults><Moments><Moment id=\"0\"><FacetResults><Facet id=\"0\"/></FacetResults></Moment></Moments>"
        "</MolflowResults><Geometry_of_the_future/>";
    assert_int_equal(read_model(r, &t), CRP_OK);
    check_fields(r->gas);
}

typedef struct feature_case {
    size_t field; /* of molflow_text */
    const char *text, *feature, *where;
} feature_case;

#define FIELD(name) offsetof(molflow_text, name)

/* Refused with the facet and the feature; --ignore lets it pass. */
static void test_features_are_refused(void **state)
{
    reading *r = *state;
    static const feature_case cases[] = {
        {FIELD(sticking), "constValue=\"0\" stickingParam=\"table\"", "time-dependent-sticking", "facet 2"},
        {FIELD(sticking), "constValue=\"0\" parameterId=\"1\"", "time-dependent-sticking", "facet 2"},
        {FIELD(opacity), "constValue=\"0\" opacityParam=\"valve\"", "time-dependent-opacity", "facet 2"},
        {FIELD(outgassing), "constValue=\"1\" desType=\"2\" outgassingParam=\"p\"", "time-dependent-outgassing",
         "facet 1"},
        {FIELD(outgassing), "constValue=\"1\" desType=\"4\"", "angle-map", "facet 1"},
        {FIELD(outgassing), "constValue=\"0\" desType=\"2\" useOutgassingFile=\"1\"", "outgassing-map", "facet 1"},
        {FIELD(temperature), "value=\"300\" tempParam=\"ramp\"", "time-dependent-temperature", "facet 3"},
        {FIELD(reflection), "diffusePart=\"1\" enableSojournTime=\"1\"", "sojourn", "facet 3"},
        {FIELD(recordings), "<IncidentAngleMap record=\"1\"/>", "angle-map", "facet 3"},
        {FIELD(settings), "<Gas mass=\"28\" enableDecay=\"1\"/>", "decay", "gas"},
        {FIELD(settings), "<Gas mass=\"28\"><Scattering enabled=\"true\"/></Gas>", "background-gas", "gas"},
        {FIELD(settings), "<LowFluxMode enabled=\"1\"/>", "low-flux", "settings"},
        {FIELD(settings),
         "<TimeSettings><UserMoments><UserEntry content=\"1\" window=\"1\"/></UserMoments></TimeSettings>", "moments",
         "time settings"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        molflow_text t = molflow_text_default();
        *(const char **)((char *)&t + cases[i].field) = cases[i].text;
        if (read_model(r, &t) != CRP_OK) {
            fail_msg("case %zu: %s", i, crp_context_error(r->context));
        }
        crp_status status = gas_model_check_features(r->context, "model.xml", r->gas, NULL, 0);
        expect_message(r, status, CRP_ERR_UNSUPPORTED, cases[i].feature);
        expect_message(r, status, CRP_ERR_UNSUPPORTED, cases[i].where);
        assert_int_equal(gas_model_check_features(r->context, "model.xml", r->gas, &cases[i].feature, 1), CRP_OK);
    }
}

/* A facet marked as moving does not move unless the model says how. */
static void test_motion(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.motion = "isMoving=\"1\"";
    assert_int_equal(read_model(r, &t), CRP_OK);
    assert_int_equal(r->gas->n_features, 0);
    t.settings = "<Motion type=\"1\"><VelocityVector vx=\"1\" vy=\"0\" vz=\"0\"/></Motion>";
    assert_int_equal(read_model(r, &t), CRP_OK);
    expect_message(r, gas_model_check_features(r->context, "model.xml", r->gas, NULL, 0), CRP_ERR_UNSUPPORTED,
                   "facet 3: moving-walls");
}

/* Outputs that are not recorded change no number: a warning, not a refusal. */
static void test_extra_outputs_pass(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.recordings = "<Texture hasMesh=\"1\" texDimX=\"2\" texDimY=\"2\" countDir=\"1\"/>";
    t.facet_extra = "<Histograms><Bounces binSize=\"1\" max=\"10\"/></Histograms>";
    assert_int_equal(read_model(r, &t), CRP_OK);
    assert_int_equal(r->gas->n_features, 2);
    assert_int_equal(gas_model_check_features(r->context, "model.xml", r->gas, NULL, 0), CRP_OK);
}

/* With --ignore outgassing-map the total of the map is spread evenly. */
static void test_outgassing_map_total(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.recordings =
        "<Profile type=\"0\"/></Recordings><Outgassing constValue=\"7\" desType=\"2\" useOutgassingFile=\"1\"/>"
        "<DynamicOutgassing width=\"1\" height=\"1\" totalOutgassing=\"3e-5\"><map>3e-5</map></DynamicOutgassing>"
        "<Recordings>";
    assert_int_equal(read_model(r, &t), CRP_OK);
    assert_true(r->gas->surfaces[2].outgassing == 3e-5);
}

typedef struct bad_case {
    size_t field;
    const char *text, *message;
} bad_case;

static void test_bad_values(void **state)
{
    reading *r = *state;
    static const bad_case cases[] = {
        {FIELD(sticking), "constValue=\"lots\"", "facet 2: constValue = `lots` is not a number"},
        {FIELD(sticking), "constValue=\"nan\"", "is not a number"},
        {FIELD(sticking), "constValue=\"\"", "is not a number"},
        {FIELD(opacity), "constValue=\"1\" is2sided=\"yes\"", "facet 2: is2sided = `yes` must be 0, 1, true or false"},
        {FIELD(outgassing), "constValue=\"1\" desType=\"9\"",
         "facet 1: desType = `9` must be a whole number from 0 to 4"},
        {FIELD(outgassing), "constValue=\"1\" desType=\"1.5\"", "must be a whole number"},
        {FIELD(teleport), "target=\"-2\"", "facet 3: target"},
        {FIELD(structure), "inStructure=\"1e9\"", "facet 3: inStructure"},
        {FIELD(vertex_7), "id=\"7\" x=\"0\" y=\"nan\" z=\"5\"", "y = `nan` is not a number"},
        {FIELD(vertex_7), "id=\"7\" x=\"0\" y=\"1e999\" z=\"5\"", "is not a number"},
        {FIELD(vertex_7), "id=\"7\" x=\"0\" z=\"5\"", "vertex 7 has no x, y or z"},
        {FIELD(vertex_7), "id=\"6\" x=\"0\" y=\"1\" z=\"5\"", "a vertex with id 6 stands where id 7 must stand"},
        {FIELD(vertex_7), "id=\"8\" x=\"0\" y=\"1\" z=\"5\"", "repeated, missing or out of order"},
        {FIELD(indices_1), "<Indice vertex=\"0\"/><Indice vertex=\"1\"/><Indice vertex=\"8\"/>",
         "facet 1: corner 3 is vertex 8 of 8"},
        {FIELD(indices_1), "<Indice vertex=\"0\"/><Indice vertex=\"-1\"/><Indice vertex=\"2\"/>",
         "facet 1: vertex = `-1`"},
        {FIELD(indices_1), "<Indice vertex=\"0\"/><Indice vertex=\"1\"/>", "facet 1: has 2 corners"},
        {FIELD(indices_1), "<Indice vertex=\"0\"/><Indice/><Indice vertex=\"1\"/>",
         "facet 1: corner 2 names no vertex"},
        {FIELD(extra), "<Geometry/>", "second <Geometry>"},
        {FIELD(tail), "", "is not well-formed XML"},
        {FIELD(tail), "</SimulationEnvironment><more/>", "is not well-formed XML"},
        {FIELD(head), "<svg>", "the file begins with <svg>"},
        {FIELD(head), "<html><SimulationEnvironment>", "the file begins with <html>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        molflow_text t = molflow_text_default();
        *(const char **)((char *)&t + cases[i].field) = cases[i].text;
        expect_message(r, read_model(r, &t), CRP_ERR_FORMAT, cases[i].message);
        assert_memory_equal(crp_context_error(r->context), "model.xml:", 10);
    }
}

/* Found by the checks that all readers share, with facet and line. */
static void test_ranges(void **state)
{
    reading *r = *state;
    static const bad_case cases[] = {
        {FIELD(sticking), "constValue=\"1.5\"", "facet 2: sticking = 1.5 must lie in [0, 1]"},
        {FIELD(opacity), "constValue=\"-0.1\"", "facet 2: opacity = -0.1"},
        {FIELD(temperature), "value=\"0\" accFactor=\"1\"", "facet 3: temperature = 0 K must be larger than 0"},
        {FIELD(indices_1), "<Indice vertex=\"0\"/><Indice vertex=\"1\"/><Indice vertex=\"1\"/><Indice vertex=\"2\"/>",
         "vertex 1 twice in a row"},
        {FIELD(structure), "inStructure=\"5\"", "structure that is not there"},
        {FIELD(teleport), "target=\"7\"", "teleports to a facet that is not there"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        molflow_text t = molflow_text_default();
        *(const char **)((char *)&t + cases[i].field) = cases[i].text;
        assert_int_equal(read_model(r, &t), CRP_OK);
        crp_status status = gas_model_validate(r->context, "model.xml", r->gas);
        if (status == CRP_OK || strstr(crp_context_error(r->context), cases[i].message) == NULL) {
            fail_msg("case %zu: %d %s", i, status, crp_context_error(r->context));
        }
    }
}

static void test_synrad_file(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    t.head = "<SimulationEnvironment type=\"synrad\" version=\"1\">";
    expect_message(r, read_model(r, &t), CRP_ERR_UNSUPPORTED, "type `synrad`");
}

/* A kilobyte that unfolds to gigabytes must not even begin to. */
static void test_entity_bomb(void **state)
{
    reading *r = *state;
    static const char bomb[] = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
                               "\"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\">]>\n"
                               "<SimulationEnvironment type=\"molflow\">&c;</SimulationEnvironment>";
    static const char outside[] = "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><SimulationEnvironment/>";
    expect_message(r, read_text(r, bomb, sizeof bomb - 1), CRP_ERR_FORMAT, "model.xml:2: has a DOCTYPE");
    expect_message(r, read_text(r, outside, sizeof outside - 1), CRP_ERR_FORMAT, "has a DOCTYPE");
}

static void test_depth(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    char deep[4 * 60 + 1] = "";
    for (int i = 0; i < 60; i++) {
        strcat(deep, "<a>");
    }
    t.extra = deep;
    expect_message(r, read_model(r, &t), CRP_ERR_FORMAT, "stands inside 40 others");
}

static void test_cut_files(void **state)
{
    reading *r = *state;
    molflow_text t = molflow_text_default();
    char whole[FIXTURE_XML];
    molflow_write(&t, whole);
    size_t n = strlen(whole) - strlen("\n");
    for (size_t k = 0; k < n; k += k < 100 ? 1 : 37) {
        char *part = malloc(k + 1); /* exact, so that a read beyond the end is seen */
        memcpy(part, whole, k);
        assert_int_not_equal(read_text(r, part, k), CRP_OK);
        free(part);
    }
}

/* ------------------------------------------------------------------------------------------------------------------
 * ZIP */

static void test_zip_round_trip(void **state)
{
    reading *r = *state;
    void *bytes = NULL;
    char *text = NULL, name[256];
    size_t n_bytes = 0, n_text = 0;
    molflow_text t = molflow_text_default();
    molflow_write(&t, r->text);
    assert_int_equal(zip_pack(r->context, "model.xml", r->text, strlen(r->text), &bytes, &n_bytes), CRP_OK);
    assert_true(zip_recognise(bytes, n_bytes));
    assert_true(n_bytes < strlen(r->text));
    assert_int_equal(zip_unpack_xml(r->context, "m.zip", bytes, n_bytes, &text, &n_text, name), CRP_OK);
    assert_string_equal(text, r->text);
    assert_int_equal(n_text, strlen(r->text));
    assert_string_equal(name, "model.xml");
    free(text);
    for (size_t n = 4; n < n_bytes; n += 7) { /* cut */
        char *part = malloc(n);
        memcpy(part, bytes, n);
        assert_int_equal(zip_unpack_xml(r->context, "m.zip", part, n, &text, &n_text, name), CRP_ERR_FORMAT);
        assert_null(text);
        free(part);
    }
    ((char *)bytes)[60] ^= 0x55; /* damaged contents */
    assert_int_equal(zip_unpack_xml(r->context, "m.zip", bytes, n_bytes, &text, &n_text, name), CRP_ERR_FORMAT);
    free(bytes);
}

static void test_zip_without_model(void **state)
{
    reading *r = *state;
    void *bytes = NULL;
    char *text = NULL, name[256];
    size_t n_bytes = 0, n_text = 0;
    assert_int_equal(zip_pack(r->context, "readme.txt", "hello", 5, &bytes, &n_bytes), CRP_OK);
    expect_message(r, zip_unpack_xml(r->context, "m.zip", bytes, n_bytes, &text, &n_text, name), CRP_ERR_FORMAT,
                   "holds no .xml file");
    free(bytes);
}

/* 100 MB of blanks in 100 kB. */
static void test_zip_bomb(void **state)
{
    reading *r = *state;
    const size_t size = 100000000;
    void *bytes = NULL;
    char *text = NULL, name[256], *blanks = malloc(size);
    size_t n_bytes = 0, n_text = 0;
    memset(blanks, ' ', size);
    assert_int_equal(zip_pack(r->context, "bomb.xml", blanks, size, &bytes, &n_bytes), CRP_OK);
    free(blanks);
    assert_true(n_bytes < 200000);
    expect_message(r, zip_unpack_xml(r->context, "m.zip", bytes, n_bytes, &text, &n_text, name), CRP_ERR_FORMAT,
                   "a ZIP bomb?");
    assert_null(text);
    free(bytes);
}

static void test_recognition(void **state)
{
    (void)state;
    assert_true(molflow_recognise_xml("<?xml version=\"1.0\"?>", 21));
    assert_true(molflow_recognise_xml("\xef\xbb\xbf\r\n<Geometry>", 15));
    assert_false(molflow_recognise_xml("", 0));
    assert_false(molflow_recognise_xml("<", 1));
    assert_false(molflow_recognise_xml("kind: gas", 9));
    assert_false(molflow_recognise_xml("< 5", 3));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_every_field),
        CASE(test_old_form),
        CASE(test_other_choices),
        CASE(test_outgassing_without_desorption),
        CASE(test_unknown_parts),
        CASE(test_features_are_refused),
        CASE(test_motion),
        CASE(test_extra_outputs_pass),
        CASE(test_outgassing_map_total),
        CASE(test_bad_values),
        CASE(test_ranges),
        CASE(test_synrad_file),
        CASE(test_entity_bomb),
        CASE(test_depth),
        CASE(test_cut_files),
        CASE(test_zip_round_trip),
        CASE(test_zip_without_model),
        CASE(test_zip_bomb),
        cmocka_unit_test(test_recognition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
