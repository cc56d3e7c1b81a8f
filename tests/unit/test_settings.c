/* Settings on built light models: every key of the schema, layers by number and name, nothing changed by a wrong one.
 */
#include "model/light/light_schema.h"
#include "model/light/light_settings.h"
#include "unit/yaml_test.h"

typedef struct fixture {
    light_model *light;
    crp_model model;
} fixture;

static fixture f;

static int build(void **state)
{
    (void)state;
    static const char *const names[] = {"epidermis", "dermis", "fat", "dermis"};
    if (crp_context_create(&context) != CRP_OK) {
        return -1;
    }
    memset(&f, 0, sizeof f);
    f.light = light_model_create(4);
    for (uint32_t i = 0; i < 4; i++) {
        f.light->layers[i] = (light_layer){.n = 1.4, .mu_a = 1, .mu_s = 100, .g = 0.9, .d = 0.1};
        strcpy(f.light->layers[i].name, names[i]);
    }
    return 0;
}

static int drop(void **state)
{
    (void)state;
    light_model_destroy(f.light);
    crp_context_destroy(&context);
    return 0;
}

static crp_status set(const char *setting)
{
    return light_apply_setting(context, f.light, &f.model, setting);
}

static void values_arrive_in_base_units(void **state)
{
    (void)state;
    assert_ok(set("layers.2.mu_a=0.02/mm"));
    assert_ok(set("layers[epidermis].g=0.8"));
    assert_ok(set("layers.fat.mu_s=3 /um"));
    assert_ok(set("layers.4.thickness=infinite"));
    assert_ok(set("layers[3].thickness=20 um"));
    assert_ok(set("layers.1.n=1.5"));
    assert_ok(set("layers.4.name=deep dermis"));
    assert_ok(set("layers.deep dermis.mu_a=0"));
    assert_ok(set("grid.nz=200"));
    assert_ok(set("grid.nr=1e3"));
    assert_ok(set("grid.na=1"));
    assert_ok(set("grid.dz=5 um"));
    assert_ok(set("grid.dr=1 mm"));
    assert_ok(set("scores.fluence=true"));
    assert_ok(set("roulette.threshold=1e-5"));
    assert_ok(set("roulette.chance=5%"));
    assert_ok(set("ambient.n_above=1.33"));
    assert_ok(set("ambient.n_below=2"));
    assert_ok(set("run.histories=4294967306"));
    assert_ok(set("run.batches=64"));
    assert_ok(set("run.seed=9"));
    assert_ok(set("run.until=rel_err(Rd)<0.1% and std_dev(Tt)<1e-5"));
    assert_ok(set("output.mco=a=b.mco"));
    assert_ok(set("output.format=B"));
    assert_ok(set("output.mci_version=1.2"));
    assert_ok(set("name=skin"));
    const light_layer *l = f.light->layers;
    assert_true(l[1].mu_a == 0.2 && l[0].g == 0.8 && l[2].mu_s == 30000 && l[3].d == 1e8 && l[2].d == 0.002);
    assert_true(l[0].n == 1.5 && l[3].mu_a == 0);
    assert_string_equal(l[3].name, "deep dermis");
    assert_true(f.light->nz == 200 && f.light->nr == 1000 && f.light->na == 1 && f.light->dz == 0.0005 &&
                f.light->dr == 0.1);
    assert_true(f.light->score_fluence && f.light->weight_threshold == 1e-5 && f.light->roulette_chance == 0.05);
    assert_true(f.light->n_above == 1.33 && f.light->n_below == 2);
    assert_true(f.model.histories == 4294967306u && f.model.batches == 64 && f.model.seed == 9);
    assert_string_equal(f.model.until, "rel_err(Rd)<0.1% and std_dev(Tt)<1e-5");
    assert_string_equal(f.light->mco_path, "a=b.mco");
    assert_int_equal(f.light->mco_format, 'B');
    assert_string_equal(f.light->mci_version, "1.2");
    assert_string_equal(f.model.name, "skin");
}

static void wrong_settings_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"layers.2.mua=1", "--set layers.2.mua=1: layers[2].mua is not a known key (known: name, n, mu_a, mu_s, g, "
                           "thickness) did you mean mu_a"},
        {"layers.dermis.g=0.8",
         "layers has 2 elements named \"dermis\" (the first are 2 and 4) say which by its number"},
        {"layers.epidermus.g=0.8", "did you mean epidermis"},
        {"layers.0.g=0.8", "layers has no element 0 (it has 4, counted from 1)"},
        {"layers.5.g=0.8", "layers has no element 5"},
        {"layers.2.g=1.2", "--set layers.2.g=1.2: layers[2].g = 1.2 must"},
        {"layers.2.mu_s=-3 /cm", "layers[2].mu_s = -3 /cm must"},
        {"layers.2.mu_s=3 cm", "layers[2].mu_s = 3 cm must be an inverse length"},
        {"layer.2.g=0.8", "layer is not a known key"},
        {"layer.2.g=0.8", "did you mean layers"},
        {"gird.nz=2", "did you mean grid"},
        {"grid.nx=2", "did you mean n"},
        {"grid.nz=0", "grid.nz = 0 must"},
        {"grid=2", "grid holds several values"},
        {"layers=2", "layers holds several values"},
        {"layers.2=1", "layers[2] holds several values"},
        {"roulette.chance=0.3", "must be 1/m"},
        {"roulette.threshold=2", "must be at least 1e-9 and less than 1"},
        {"ambient.n_above=0", "ambient.n_above = 0 must"},
        {"scores.fluence=1", "must be true or false"},
        {"run.histories=0", "run.histories = 0 must"},
        {"run.histories=1e25", "is too large"},
        {"run.until=Rd", "run.until: until \"Rd\": rel_err or std_dev expected"},
        {"output.format=C", "must be one of: A, B"},
        {"version=1", "version cannot be set"},
        {"kind=light", "kind cannot be set"},
        {"grid.nz", "path=value"},
    };
    light_model before = *f.light;
    light_layer layers[4];
    crp_model model = f.model;
    memcpy(layers, f.light->layers, sizeof layers);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (set(cases[i][0]) != CRP_ERR_CONFIG) {
            fail_msg("accepted: %s", cases[i][0]);
        }
        assert_message(cases[i][1]);
        assert_memory_equal(f.light, &before, sizeof before);
        assert_memory_equal(f.light->layers, layers, sizeof layers);
        assert_memory_equal(&f.model, &model, sizeof model);
    }
}

static void without_a_model_there_is_no_run(void **state)
{
    (void)state;
    assert_int_equal(light_apply_setting(context, f.light, NULL, "run.seed=2"), CRP_ERR_CONFIG);
    assert_message("run.seed cannot be set here");
    assert_ok(light_apply_setting(context, f.light, NULL, "grid.nz=3"));
    assert_int_equal(f.light->nz, 3);
}

/* Every single value of the schema can be set to the example that its documentation gives. */
static void set_example(void *user, const char *path, const schema_field *field)
{
    (void)user;
    if (field->type == SCHEMA_SECTION || field->type == SCHEMA_LIST || field->need == SCHEMA_FIXED) {
        return;
    }
    char setting[512], *example = strdup(field->example), *text = example;
    if (text[0] == '"') { /* quotes belong to the file */
        text++;
        text[strlen(text) - 1] = '\0';
    }
    const char *list = strstr(path, "[]");
    if (list == NULL) {
        snprintf(setting, sizeof setting, "%s=%s", path, text);
    } else {
        snprintf(setting, sizeof setting, "%.*s[1]%s=%s", (int)(list - path), path, list + 2, text);
    }
    assert_ok(set(setting));
    free(example);
}

static void every_example_can_be_set(void **state)
{
    (void)state;
    schema_visit(&light_schema, set_example, NULL);
    assert_ok(light_model_validate(context, "examples", f.light));
}

static void settings_apply_while_loading(void **state)
{
    (void)state;
    static const char *const settings[] = {"layers.1.mu_a=0.3 /mm", "grid.nz=7", "run.histories=12",
                                           "roulette.threshold=0.6"};
    const char *text = "version: 1\nkind: light\nlayers: [{n: 1.4, mu_a: 1, mu_s: 10, g: 0, thickness: 1}]\n"
                       "grid: {dz: 0.01, dr: 0.01, nz: 10, nr: 10}\n";
    crp_input_options options = crp_input_options_default();
    crp_input *input = NULL, *plain = NULL;
    options.settings = settings;
    options.n_settings = 3;
    assert_ok(yaml_load(context, "a.yaml", text, strlen(text), &options, &input));
    assert_ok(yaml_load(context, "a.yaml", text, strlen(text), NULL, &plain));
    const light_model *light = input->models[0]->data;
    assert_true(light->layers[0].mu_a == 3 && light->nz == 7 && input->models[0]->histories == 12);
    assert_string_not_equal(input->models[0]->digest, plain->models[0]->digest);
    crp_input_destroy(&input);
    crp_input_destroy(&plain);
    options.n_settings = 4; /* fine by itself, wrong together with the chance */
    assert_int_equal(yaml_load(context, "a.yaml", text, strlen(text), &options, &input), CRP_ERR_CONFIG);
    assert_null(input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_arrive_in_base_units, build, drop),
        cmocka_unit_test_setup_teardown(wrong_settings_are_refused, build, drop),
        cmocka_unit_test_setup_teardown(without_a_model_there_is_no_run, build, drop),
        cmocka_unit_test_setup_teardown(every_example_can_be_set, build, drop),
        cmocka_unit_test_setup_teardown(settings_apply_while_loading, build, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
