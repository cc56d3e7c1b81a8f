/* Light models in YAML: reading, messages, digests, the way back to text, starters, the page of the format. */
#include "io/starter.h"
#include "model/light/light_schema.h"
#include "model/light/light_yaml.h"
#include "unit/yaml_test.h"

#define SKIN                                                                                                           \
    "version: 1\n"                                                                                                     \
    "kind: light\n"                                                                                                    \
    "name: skin, 7 layers, 600 nm\n"                                                                                   \
    "run: {histories: 1e7, batches: 32, seed: 1, until: \"rel_err(Rd)<0.1%\"}\n"                                       \
    "ambient: {n_above: 1.0, n_below: 1.33}\n"                                                                         \
    "layers:\n"                                                                                                        \
    "  - {name: stratum corneum, n: 1.53, mu_a: 0.2 /cm, mu_s: 1000 /cm, g: 0.9, thickness: 20 um}\n"                  \
    "  - {n: 1.40, mu_a: 0.07 /mm, mu_s: 200 /cm, g: 0.76, thickness: infinite}\n"                                     \
    "grid: {dz: 20 um, dr: 0.1 mm, nz: 500, nr: 200, na: 30}\n"                                                        \
    "roulette: {threshold: 1e-4, chance: 0.1}\n"                                                                       \
    "scores: {fluence: true}\n"                                                                                        \
    "output: {mco: skin7.mco, format: A}\n"

#define LAYER "layers: [{n: 1.4, mu_a: 1, mu_s: 10, g: 0, thickness: 1}]\n"
#define GRID "grid: {dz: 0.01, dr: 0.01, nz: 10, nr: 10}\n"
#define HEAD "version: 1\nkind: light\n"

static crp_status load(const char *text, crp_input **input)
{
    *input = NULL;
    return yaml_load(context, "dir/my.skin.yaml", text, strlen(text), NULL, input);
}

static crp_input *must_load(const char *text)
{
    crp_input *input = NULL;
    assert_ok(load(text, &input));
    assert_int_equal(input->n_models, 1);
    return input;
}

static void reads_the_whole_example(void **state)
{
    (void)state;
    crp_input *input = must_load(SKIN);
    const crp_model *model = input->models[0];
    const light_model *light = model->data;
    assert_string_equal(crp_model_kind(model), "light");
    assert_string_equal(crp_model_name(model), "skin, 7 layers, 600 nm");
    assert_int_equal(crp_model_histories(model), 10000000);
    assert_int_equal(model->batches, 32);
    assert_int_equal(model->seed, 1);
    assert_string_equal(model->until, "rel_err(Rd)<0.1%");
    assert_string_equal(model->source_path, "dir/my.skin.yaml");
    assert_int_equal(light->n_layers, 2);
    assert_true(light->n_above == 1 && light->n_below == 1.33);
    assert_string_equal(light->layers[0].name, "stratum corneum");
    assert_true(light->layers[0].n == 1.53 && light->layers[0].mu_a == 0.2 && light->layers[0].mu_s == 1000);
    assert_true(light->layers[0].g == 0.9 && light->layers[0].d == 0.002);
    assert_string_equal(light->layers[1].name, "");
    assert_true(light->layers[1].mu_a == 0.7 && light->layers[1].d == 1e8);
    assert_true(light->dz == 0.002 && light->dr == 0.01 && light->nz == 500 && light->nr == 200 && light->na == 30);
    assert_true(light->weight_threshold == 1e-4 && light->roulette_chance == 0.1 && light->score_fluence);
    assert_string_equal(light->mco_path, "skin7.mco");
    assert_int_equal(light->mco_format, 'A');
    crp_input_destroy(&input);
}

static void the_least_file_gets_defaults(void **state)
{
    (void)state;
    crp_input *input = must_load(HEAD LAYER GRID);
    const crp_model *model = input->models[0];
    const light_model *light = model->data;
    assert_string_equal(model->name, "my.skin");
    assert_true(model->histories == 0 && model->batches == 0 && model->seed == 0 && model->until[0] == '\0');
    assert_true(light->n_above == 1 && light->n_below == 1 && light->na == 30 && light->score_fluence);
    assert_true(light->weight_threshold == 1e-4 && light->roulette_chance == 0.1);
    assert_string_equal(light->mco_path, "");
    assert_string_equal(light->mci_version, "1.0");
    crp_input_destroy(&input);
}

static void json_is_the_same_model(void **state)
{
    (void)state;
    crp_input *yaml = must_load(HEAD LAYER GRID);
    crp_input *json = must_load(
        "{\"kind\": \"light\", \"version\": 1,\n\t\"grid\": {\"nr\": 10, \"nz\": 10, \"dr\": \"0.1 mm\", \"dz\": 1e-2},"
        "\"layers\": [{\"n\": 1.4, \"mu_a\": \"0.1 /mm\", \"mu_s\": 10.0, \"g\": 0, \"thickness\": \"1 cm\"}]}");
    assert_string_equal(yaml->models[0]->digest, json->models[0]->digest);
    crp_input_destroy(&yaml);
    crp_input_destroy(&json);
}

static void anchors_serve_repeated_layers(void **state)
{
    (void)state;
    crp_input *input =
        must_load(HEAD GRID "layers:\n  - &d {n: 1.4, mu_a: 1, mu_s: 10, g: 0, thickness: 1}\n  - *d\n  - *d\n");
    const light_model *light = input->models[0]->data;
    assert_int_equal(light->n_layers, 3);
    assert_true(light->layers[2].mu_s == 10);
    crp_input_destroy(&input);
}

static const char *digest_of(const char *text, char digest[65])
{
    crp_input *input = must_load(text);
    memcpy(digest, input->models[0]->digest, 65);
    crp_input_destroy(&input);
    return digest;
}

static void the_digest_is_that_of_the_physics(void **state)
{
    (void)state;
    static const char *const same[] = {
        "# comment\n" HEAD GRID LAYER,
        HEAD LAYER "grid: {nr: 1e1, nz: 10, dz: 100 um, dr: 0.1 mm, na: 30}\nname: other\nrun: {histories: 5}\noutput: "
                   "{mco: x.mco, format: B}\n",
        HEAD LAYER GRID "ambient: {n_above: 1}\nscores: {fluence: true}\nroulette: {chance: 10%}\n",
    };
    static const char *const different[] = {
        HEAD LAYER GRID "ambient: {n_above: 1.0000000000000002}\n",
        HEAD LAYER GRID "scores: {fluence: false}\n",
        HEAD LAYER GRID "roulette: {threshold: 1.1e-4}\n",
        HEAD LAYER "grid: {dz: 0.01, dr: 0.01, nz: 10, nr: 11}\n",
        HEAD GRID "layers: [{n: 1.4, mu_a: 1, mu_s: 10, g: 1e-300, thickness: 1}]\n",
    };
    char reference[65], digest[65];
    digest_of(HEAD LAYER GRID, reference);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        assert_string_equal(digest_of(same[i], digest), reference);
    }
    for (size_t i = 0; i < sizeof different / sizeof different[0]; i++) {
        assert_string_not_equal(digest_of(different[i], digest), reference);
    }
}

#define AT "dir/my.skin.yaml"

typedef struct bad_case {
    const char *text, *message;
    crp_status status;
} bad_case;

static const bad_case bad_cases[] = {
    {"version: 1\nkind: sound\n", AT ":2:7: kind = sound is not known (kinds that exist: light", CRP_ERR_UNSUPPORTED},
    {"version: 1\n", "kind is missing", CRP_ERR_CONFIG},
    {"[1]", "must be a mapping", CRP_ERR_CONFIG},
    {"kind: [light]\n", "kind is missing", CRP_ERR_CONFIG},
    {"kind: light\n" LAYER GRID, "version is missing", CRP_ERR_CONFIG},
    {"version: 2\nkind: light\n" LAYER GRID, "version = 2 must lie in [1, 1]", CRP_ERR_CONFIG},
    {HEAD GRID, "layers is missing", CRP_ERR_CONFIG},
    {HEAD LAYER, "grid is missing", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 1, dr: 1, nz: 1}\n", "grid.nr is missing (number of bins in radius)", CRP_ERR_CONFIG},
    {HEAD GRID "layers: []\n", "layers must have 1 to", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1, mu_s: 1, g: 0}]\n", "layers[1].thickness is missing", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1, mus: 1, g: 0, thickness: 1}]\n",
     AT ":4:26: layers[1].mus is not a known key (known: name, n, mu_a, mu_s, g, thickness) did you mean mu_s",
     CRP_ERR_CONFIG},
    {HEAD GRID "layers:\n- {n: 1, mu_a: 1, mu_s: -3 /cm, g: 0, thickness: 1}\n",
     AT ":5:25: layers[1].mu_s = -3 /cm must be", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 0, mu_a: 1, mu_s: 1, g: 0, thickness: 1}]\n", "layers[1].n = 0 must", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: -1, mu_s: 1, g: 0, thickness: 1}]\n", "layers[1].mu_a = -1 must", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1, mu_s: 1, g: 1.2, thickness: 1}]\n", "layers[1].g = 1.2 must", CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1, mu_s: 1, g: 0, thickness: -1 mm}]\n", "thickness = -1 mm must",
     CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1 cm, mu_s: 1, g: 0, thickness: 1}]\n", "mu_a = 1 cm must be an inverse length",
     CRP_ERR_CONFIG},
    {HEAD GRID "layers: [{n: 1, mu_a: 1, mu_s: 1, g: 0, thickness: thick}]\n", "thickness = thick is not a number",
     CRP_ERR_CONFIG},
    {HEAD LAYER GRID "ambient: {n_above: 0}\n", "ambient.n_above = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "ambient: {n_below: -1}\n", "ambient.n_below = -1 must", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 0, dr: 1, nz: 1, nr: 1}\n", "grid.dz = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 1, dr: -1, nz: 1, nr: 1}\n", "grid.dr = -1 must", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 1, dr: 1, nz: 0, nr: 1}\n", "grid.nz = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 1, dr: 1, nz: 1, nr: 1e7}\n", "grid.nr = 1e7 must", CRP_ERR_CONFIG},
    {HEAD LAYER "grid: {dz: 1, dr: 1, nz: 1, nr: 1, na: 0.5}\n", "grid.na = 0.5 must be a whole number",
     CRP_ERR_CONFIG},
    {HEAD LAYER GRID "roulette: {threshold: 0}\n", "roulette.threshold = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "roulette: {threshold: 1}\n", "roulette.threshold = 1 must", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "roulette: {chance: 0.3}\n", "roulette.chance = 0.3 must be 1/m for a whole m", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "roulette: {chance: 1}\n", "roulette.chance = 1 must be 1/m", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "roulette: {chance: 0}\n", "roulette.chance = 0 must be 1/m", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "scores: {fluence: maybe}\n", "scores.fluence = maybe must be true or false", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "output: {format: C}\n", "output.format = C must be one of: A, B", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "run: {histories: 0}\n", "run.histories = 0 must lie in [1,", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "run: {histories: 1e30}\n", "run.histories = 1e30 is too large", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "run: {batches: 0}\n", "run.batches = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "run: {seed: 0}\n", "run.seed = 0 must", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "run: {until: Rd<1%}\n", AT ":5:14: run.until: until \"Rd<1%\": rel_err or std_dev expected",
     CRP_ERR_CONFIG},
    {HEAD LAYER GRID "runs: {seed: 1}\n", AT ":5:1: runs is not a known key", CRP_ERR_CONFIG},
    {HEAD LAYER GRID "kind: light\n", AT ":5:1: duplicate key \"kind\" (first given at line 2)", CRP_ERR_FORMAT},
    {HEAD "layers: [\n", AT ":4:1:", CRP_ERR_FORMAT},
};

static void wrong_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof bad_cases[0]; i++) {
        crp_input *input = NULL;
        if (load(bad_cases[i].text, &input) != bad_cases[i].status) {
            fail_msg("accepted, or refused in another way (%s): %s", crp_context_error(context), bad_cases[i].text);
        }
        assert_null(input);
        assert_message(bad_cases[i].message);
    }
}

static void counts_of_photons_have_64_bits(void **state)
{
    (void)state;
    crp_input *input = must_load(HEAD LAYER GRID "run: {histories: 4294967306, seed: 18446744073709551615}\n");
    assert_true(input->models[0]->histories == 4294967306u);
    assert_true(input->models[0]->seed == UINT64_MAX);
    crp_input_destroy(&input);
    input = must_load(HEAD LAYER GRID "run: {histories: 1e12}\n");
    assert_true(input->models[0]->histories == 1000000000000u);
    crp_input_destroy(&input);
}

/* ------------------------------------------------------------------------------------------ back to text */

static double log_uniform(uint64_t *random, double low, double high)
{
    double u = next_uniform(random), x = low;
    for (double step = high / low; step > 1.0000001; step = __builtin_sqrt(step), u *= 2) {
        if (u >= 1) {
            u -= 1;
        }
        x *= u >= 0.5 ? __builtin_sqrt(step) : 1;
    }
    return x;
}

static void random_name(uint64_t *random, char *name, size_t size)
{
    static const char *const pieces[] = {"skin", " ", "\"", "\\", ":",    "#",           "\xc3\xa9",
                                         ",",    "}", "1",  "'",  "null", "\xe6\x97\xa5"};
    name[0] = '\0';
    for (size_t k = next_random(random) % 6; k > 0 && strlen(name) + 8 < size; k--) {
        strcat(name, pieces[next_random(random) % (sizeof pieces / sizeof pieces[0])]);
    }
}

static crp_model *random_model(uint64_t *random)
{
    crp_model *model = NULL;
    light_model *light = light_model_create((uint32_t)(next_random(random) % 12) + 1);
    assert_ok(model_create(context, &module_light, "r.yaml", light, &model));
    for (uint32_t i = 0; i < light->n_layers; i++) {
        light_layer *l = &light->layers[i];
        random_name(random, l->name, sizeof l->name);
        *l = (light_layer){.n = 0.5 + next_uniform(random), .g = 2 * next_uniform(random) - 1};
        random_name(random, l->name, sizeof l->name);
        l->mu_a = next_random(random) % 4 == 0 ? 0 : log_uniform(random, 1e-6, 1e5);
        l->mu_s = next_random(random) % 4 == 0 ? 0 : log_uniform(random, 1e-6, 1e5);
        l->d = next_random(random) % 8 == 0 ? 1e8 : log_uniform(random, 1e-6, 1e3);
    }
    light->n_above = 0.5 + next_uniform(random);
    light->n_below = 0.5 + next_uniform(random);
    light->dz = log_uniform(random, 1e-6, 1);
    light->dr = log_uniform(random, 1e-6, 1);
    light->nz = (uint32_t)(next_random(random) % 1000) + 1;
    light->nr = (uint32_t)(next_random(random) % 1000) + 1;
    light->na = (uint32_t)(next_random(random) % 90) + 1;
    light->roulette_chance = 1.0 / (double)(next_random(random) % 999 + 2);
    light->weight_threshold = log_uniform(random, 1e-8, 1e-3);
    light->score_fluence = next_random(random) % 2 == 0;
    light->mco_format = next_random(random) % 2 == 0 ? 'A' : 'B';
    random_name(random, light->mco_path, 64);
    random_name(random, light->mci_version, sizeof light->mci_version);
    random_name(random, model->name, sizeof model->name);
    strcat(model->name, "x"); /* a model without a name gets its file's */
    model->histories = next_random(random) >> (1 + next_random(random) % 63);
    model->batches = (uint32_t)(next_random(random) % 100);
    model->seed = next_random(random) % 3 == 0 ? 0 : next_random(random);
    if (next_random(random) % 2 == 0) {
        strcpy(model->until, "rel_err(Rd)<0.1% and std_dev(Tt)<1e-5");
    }
    return model;
}

static char *text_of(const crp_model *model, bool is_full)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *file = open_memstream(&text, &n_bytes);
    assert_ok(is_full ? light_write_yaml_full(context, model, file) : light_write_yaml(context, model, file));
    fclose(file);
    return text;
}

static void assert_same_physics(const light_model *a, const light_model *b)
{
    assert_int_equal(a->n_layers, b->n_layers);
    for (uint32_t i = 0; i < a->n_layers; i++) {
        const light_layer *x = &a->layers[i], *y = &b->layers[i];
        assert_string_equal(x->name, y->name);
        assert_true(x->n == y->n && x->mu_a == y->mu_a && x->mu_s == y->mu_s && x->g == y->g && x->d == y->d);
    }
    assert_true(a->n_above == b->n_above && a->n_below == b->n_below && a->dz == b->dz && a->dr == b->dr);
    assert_true(a->nz == b->nz && a->nr == b->nr && a->na == b->na && a->score_fluence == b->score_fluence);
    assert_true(a->weight_threshold == b->weight_threshold && a->roulette_chance == b->roulette_chance);
}

static void random_models_come_back_equal(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 500; i++) {
        crp_model *model = random_model(&random);
        light_model *light = model->data;
        for (int is_full = 0; is_full <= 1; is_full++) {
            char *text = text_of(model, is_full);
            crp_input *input = must_load(text);
            const crp_model *back = input->models[0];
            const light_model *light_back = back->data;
            assert_same_physics(light, light_back);
            if (is_full) {
                assert_string_equal(back->name, model->name);
                assert_true(back->histories == model->histories && back->batches == model->batches);
                assert_true(back->seed == model->seed);
                assert_string_equal(back->until, model->until);
                assert_string_equal(light_back->mco_path, light->mco_path);
                assert_string_equal(light_back->mci_version, light->mci_version);
                assert_int_equal(light_back->mco_format, light->mco_format);
            }
            char *again = text_of(back, is_full);
            assert_string_equal(again, text);
            free(again);
            free(text);
            crp_input_destroy(&input);
        }
        model_destroy(&model);
    }
}

static void the_normal_form_is_readable(void **state)
{
    (void)state;
    crp_input *input = must_load(SKIN);
    assert_string_equal(
        input->models[0]->normalised,
        "version: 1\nkind: light\nambient: {n_above: 1, n_below: 1.33}\nlayers:\n"
        "  - {name: \"stratum corneum\", n: 1.53, mu_a: 0.2 /cm, mu_s: 1000 /cm, g: 0.9, thickness: 0.002 cm}\n"
        "  - {n: 1.4, mu_a: 0.7 /cm, mu_s: 200 /cm, g: 0.76, thickness: infinite}\n"
        "grid: {dz: 0.002 cm, dr: 0.01 cm, nz: 500, nr: 200, na: 30}\n"
        "roulette: {threshold: 0.0001, chance: 0.1}\nscores: {fluence: true}\n");
    crp_input_destroy(&input);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *file = fopen("/dev/full", "w");
    if (file == NULL) {
        skip();
    }
    setvbuf(file, NULL, _IONBF, 0);
    crp_input *input = must_load(SKIN);
    assert_int_equal(light_write_yaml(context, input->models[0], file), CRP_ERR_IO);
    assert_int_equal(light_write_yaml_full(context, input->models[0], file), CRP_ERR_IO);
    assert_int_equal(starter_write(context, "light-slab", NULL, 0, file), CRP_ERR_IO);
    crp_input_destroy(&input);
    fclose(file);
}

/* ---------------------------------------------------------------------------------------------- starters */

static char *start(const char *name, const char *const *settings, size_t n, crp_status expected)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *file = open_memstream(&text, &n_bytes);
    crp_status status = starter_write(context, name, settings, n, file);
    fclose(file);
    if (status != expected) {
        fail_msg("status %d, \"%s\"", (int)status, crp_context_error(context));
    }
    return text;
}

static void starters_load_as_they_are(void **state)
{
    (void)state;
    size_t n;
    const starter *list = starter_list(&n);
    assert_true(n >= 3);
    for (size_t i = 0; i < n; i++) {
        char *text = start(list[i].name, NULL, 0, CRP_OK);
        assert_true(list[i].text == NULL || strcmp(text, list[i].text) == 0);
        crp_input *input = must_load(text);
        /* where -n counts copies, one is the default */
        assert_true(crp_model_histories(input->models[0]) > 0 || input->models[0]->module->copy != NULL);
        crp_input_destroy(&input);
        free(text);
    }
    crp_input *none = NULL;
    assert_int_equal(starter_load(context, "light-skin8", NULL, 0, &none), CRP_ERR_ARG);
    assert_null(none);
}

static void the_skin_starter_is_the_model_of_the_literature(void **state)
{
    (void)state;
    static const double table[7][5] = {
        /* n, mu_a, mu_s, g, d */
        {1.53, 0.2, 1000, 0.90, 0.002}, {1.34, 0.15, 400, 0.85, 0.008}, {1.40, 0.7, 300, 0.80, 0.010},
        {1.39, 1.0, 350, 0.90, 0.008},  {1.40, 0.7, 200, 0.76, 0.162},  {1.39, 1.0, 350, 0.95, 0.020},
        {1.44, 0.3, 150, 0.80, 0.590},
    };
    crp_input *input = NULL;
    assert_ok(starter_load(context, "light-skin7", NULL, 0, &input));
    const light_model *light = input->models[0]->data;
    assert_int_equal(light->n_layers, 7);
    for (size_t i = 0; i < 7; i++) {
        const light_layer *l = &light->layers[i];
        assert_true(l->n == table[i][0] && l->mu_a == table[i][1] && l->mu_s == table[i][2] && l->g == table[i][3] &&
                    l->d == table[i][4]);
    }
    assert_true(light->dz == 0.002 && light->dr == 0.01 && light->nz == 500 && light->nr == 200 && light->na == 30);
    crp_input_destroy(&input);
}

static void settings_of_a_starter_keep_its_comments(void **state)
{
    (void)state;
    static const char *const settings[] = {"layers.dermis.mu_a=0.09 /mm", "layers.7.thickness=infinite",
                                           "run.histories=2e6", "name=my: skin", "layers.dermis.name=my dermis"};
    char *text = start("light-skin7", settings, 5, CRP_OK);
    assert_non_null(strstr(text, "# Run it:"));
    assert_non_null(strstr(text, "# photons; -n overrides"));
    assert_non_null(strstr(text, "name: my dermis, "));
    assert_non_null(strstr(text, "mu_a: 0.09 /mm,"));
    crp_input *input = must_load(text);
    const light_model *light = input->models[0]->data;
    assert_true(light->layers[4].mu_a == 0.9 && light->layers[6].d == 1e8 && input->models[0]->histories == 2000000);
    assert_string_equal(input->models[0]->name, "my: skin");
    crp_input_destroy(&input);
    free(text);
}

static void a_setting_outside_the_text_is_kept_too(void **state)
{
    (void)state;
    static const char *const settings[] = {"output.format=B", "grid.nz=7", "run.until=rel_err(Rd)<1%"};
    char *text = start("light-slab", settings, 3, CRP_OK);
    crp_input *input = must_load(text);
    const light_model *light = input->models[0]->data;
    assert_true(light->mco_format == 'B' && light->nz == 7);
    assert_string_equal(input->models[0]->until, "rel_err(Rd)<1%");
    crp_input_destroy(&input);
    free(text);
}

static void wrong_starters_write_nothing(void **state)
{
    (void)state;
    static const char *const settings[] = {"grid.nz=0"};
    char *text = start("light-skin7", settings, 1, CRP_ERR_CONFIG);
    assert_string_equal(text, "");
    assert_message("--set grid.nz=0: grid.nz = 0 must");
    free(text);
    text = start("light-slap", NULL, 0, CRP_ERR_ARG);
    assert_string_equal(text, "");
    assert_message("there is no starter \"light-slap\" (known: light-slab,");
    assert_message("did you mean light-slab");
    free(text);
}

/* ------------------------------------------------------------------------------------------- the page */

typedef struct page {
    const char *text;
} page;

static void look_up(void *user, const char *path, const schema_field *field)
{
    const page *p = user;
    char row[512];
    snprintf(row, sizeof row, "| `%s` |", path);
    const char *found = strstr(p->text, row);
    if (found == NULL) {
        fail_msg("docs/formats/light_yaml.md has no row %s", row);
    }
    const char *doc = strstr(found, field->doc), *end = strchr(found, '\n');
    if (doc == NULL || doc > end) {
        fail_msg("docs/formats/light_yaml.md: the row of %s does not say: %s", path, field->doc);
    }
}

static void the_page_lists_every_key(void **state)
{
    (void)state;
    FILE *file = fopen(CRP_SOURCE_DIR "/docs/formats/light_yaml.md", "r");
    assert_non_null(file);
    char *text = calloc(1, 100000);
    assert_true(fread(text, 1, 99999, file) > 0);
    fclose(file);
    page p = {text};
    schema_visit(&light_schema, look_up, &p);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_whole_example),
        cmocka_unit_test(the_least_file_gets_defaults),
        cmocka_unit_test(json_is_the_same_model),
        cmocka_unit_test(anchors_serve_repeated_layers),
        cmocka_unit_test(the_digest_is_that_of_the_physics),
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(counts_of_photons_have_64_bits),
        cmocka_unit_test(random_models_come_back_equal),
        cmocka_unit_test(the_normal_form_is_readable),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(starters_load_as_they_are),
        cmocka_unit_test(the_skin_starter_is_the_model_of_the_literature),
        cmocka_unit_test(settings_of_a_starter_keep_its_comments),
        cmocka_unit_test(a_setting_outside_the_text_is_kept_too),
        cmocka_unit_test(wrong_starters_write_nothing),
        cmocka_unit_test(the_page_lists_every_key),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
