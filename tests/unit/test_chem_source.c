/* Built-in sources: where the molecules are, that they depend on the seed alone, and what is refused. */
#include "model/chem/chem.h"
#include "reader_fixture.h"

#include <math.h>

static chem_model *make(crp_context *context, uint32_t kind, const chem_population *molecules, uint32_t n, uint32_t tracks)
{
    chem_model *model = chem_model_create();
    assert_non_null(model);
    assert_int_equal(chem_set_load(context, "test", "paper", &model->set), CRP_OK);
    model->source = (chem_source){.kind = kind, .energy = 100.0, .tracks = tracks, .seed = 5, .distance = 1.5, .radius = 2.0,
                                  .length = 30.0, .n_molecules = n};
    model->source.molecules = calloc(n > 0 ? n : 1, sizeof *molecules);
    assert_non_null(model->source.molecules);
    if (n > 0) {
        memcpy(model->source.molecules, molecules, n * sizeof *molecules);
    }
    return model;
}

static const chem_population spur[] = {{"e_aq", 3}, {"H3O+", 2}, {"OH", 1}};

/* Mean square of a coordinate over all molecules. */
static double mean_square(const chem_model *m, int axis)
{
    double sum = 0.0, n = 0.0;
    for (uint32_t t = 0; t < m->n_tracks; t++) {
        for (size_t i = 0; i < m->tracks[t].n_molecules; i++, n += 1.0) {
            const chem_molecule *a = &m->tracks[t].molecules[i];
            double x = axis == 0 ? a->x : axis == 1 ? a->y : a->z;
            sum += x * x;
        }
    }
    return sum / n;
}

/* 60000 molecules: a width off by 2 % is 5 sigma. */
static void widths(void **state)
{
    (void)state;
    static const double expected[][3] = {
        [CHEM_SOURCE_SPUR] = {4.0, 4.0, 4.0}, [CHEM_SOURCE_CYLINDER] = {4.0, 4.0, 75.0}, [CHEM_SOURCE_UNIFORM] = {75.0, 75.0, 75.0}};
    for (uint32_t kind = CHEM_SOURCE_SPUR; kind <= CHEM_SOURCE_UNIFORM; kind++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        chem_model *model = make(context, kind, spur, 3, 10000);
        assert_int_equal(chem_source_fill(context, "test", model), CRP_OK);
        assert_int_equal(model->n_tracks, 10000);
        assert_int_equal(model->tracks[9999].n_molecules, 6);
        assert_true(model->tracks[77].energy == 100.0);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(mean_square(model, axis) / expected[kind][axis] - 1.0) < 5.0 * sqrt(2.0 / 60000.0));
        }
        chem_model_destroy(model);
        crp_context_destroy(&context);
    }
}

static void pairs(void **state)
{
    (void)state;
    static const chem_population two[] = {{"e_aq", 1}, {"OH", 1}};
    reader_log log;
    crp_context *context = reader_context(&log);
    chem_model *model = make(context, CHEM_SOURCE_PAIR, two, 2, 20000);
    assert_int_equal(chem_source_fill(context, "test", model), CRP_OK);
    double cosines = 0.0;
    for (uint32_t t = 0; t < model->n_tracks; t++) {
        const chem_molecule *a = &model->tracks[t].molecules[0], *b = &model->tracks[t].molecules[1];
        double distance = sqrt(pow(a->x - b->x, 2) + pow(a->y - b->y, 2) + pow(a->z - b->z, 2));
        assert_true(fabs(distance - 1.5) < 1e-14 && a->species != b->species);
        cosines += pow((a->z - b->z) / distance, 2) / model->n_tracks;
    }
    assert_true(fabs(cosines - 1.0 / 3.0) < 5.0 * sqrt(4.0 / 45.0 / 20000.0)); /* directions are uniform */
    chem_model_destroy(model);
    crp_context_destroy(&context);
}

/* The order in which species are listed changes nothing; the seed changes all. */
static void order_and_seed(void **state)
{
    (void)state;
    static const chem_population turned[] = {{"OH", 1}, {"e_aq", 1}, {"H3O+", 2}, {"SolvatedElectron", 2}};
    reader_log log;
    crp_context *context = reader_context(&log);
    chem_model *a = make(context, CHEM_SOURCE_SPUR, spur, 3, 100), *b = make(context, CHEM_SOURCE_SPUR, turned, 4, 100);
    chem_model *c = make(context, CHEM_SOURCE_SPUR, spur, 3, 100);
    c->source.seed = 6;
    assert_int_equal(chem_source_fill(context, "a", a), CRP_OK);
    assert_int_equal(chem_source_fill(context, "b", b), CRP_OK);
    assert_int_equal(chem_source_fill(context, "c", c), CRP_OK);
    for (uint32_t t = 0; t < 100; t++) {
        size_t size = 6 * sizeof *a->tracks[t].molecules;
        assert_memory_equal(a->tracks[t].molecules, b->tracks[t].molecules, size);
        assert_true(memcmp(a->tracks[t].molecules, c->tracks[t].molecules, size) != 0);
        assert_true(t == 0 || memcmp(a->tracks[t].molecules, a->tracks[t - 1].molecules, size) != 0);
    }
    chem_model_destroy(a);
    chem_model_destroy(b);
    chem_model_destroy(c);
    crp_context_destroy(&context);
}

static void faults(void **state)
{
    (void)state;
    static const chem_population half[] = {{"OH", 0.5}}, minus[] = {{"OH", -1}}, unknown[] = {{"OH", 1}, {"Oh2", 1}},
                                 none[] = {{"OH", 0}}, three[] = {{"OH", 3}};
    static const struct {
        uint32_t kind;
        const chem_population *molecules;
        uint32_t n, tracks;
        double distance, radius, length;
        const char *message;
    } cases[] = {
        {CHEM_SOURCE_SPUR, half, 1, 1, 1, 1, 1, "test: source.molecules[1]: count = 0.5 of OH must be a whole number"},
        {CHEM_SOURCE_SPUR, minus, 1, 1, 1, 1, 1, "test: source.molecules[1]: count = -1 of OH must be"},
        {CHEM_SOURCE_SPUR, unknown, 2, 1, 1, 1, 1, "test: source.molecules[2]: species Oh2 is not known"},
        {CHEM_SOURCE_SPUR, none, 1, 1, 1, 1, 1, "test: source.molecules is empty"},
        {CHEM_SOURCE_SPUR, none, 0, 1, 1, 1, 1, "test: source.molecules is empty"},
        {CHEM_SOURCE_PAIR, three, 1, 1, 1, 1, 1, "test: source.molecules has 3 molecules where a pair has two"},
        {CHEM_SOURCE_SPUR, three, 1, 0, 1, 1, 1, "test: source.tracks = 0 of 3 molecules each"},
        {CHEM_SOURCE_SPUR, three, 1, 4000000000u, 1, 1, 1, "test: source.tracks = 4000000000 of 3 molecules each"},
        {CHEM_SOURCE_SPUR, three, 1, 1, 1, -1, 1, "test: source.radius = -1 nm must be >= 0"},
        {CHEM_SOURCE_SPUR, three, 1, 1, 1, NAN, 1, "test: source.radius = nan nm must be >= 0"},
        {CHEM_SOURCE_CYLINDER, three, 1, 1, 1, 1, 0, "test: source.length = 0 nm must be > 0"},
        {CHEM_SOURCE_PAIR, three, 1, 1, 0, 1, 1, "test: source.distance = 0 nm must be > 0"},
        {CHEM_SOURCE_UNIFORM, three, 1, 1, 1, 1, INFINITY, "test: source.length = inf nm must be > 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        chem_model *model = make(context, cases[i].kind, cases[i].molecules, cases[i].n, cases[i].tracks);
        model->source.distance = cases[i].distance;
        model->source.radius = cases[i].radius;
        model->source.length = cases[i].length;
        reader_expect(context, chem_source_fill(context, "test", model), CRP_ERR_CONFIG, cases[i].message);
        chem_model_destroy(model);
        crp_context_destroy(&context);
    }
}

/* All molecules in one place are a source too. */
static void one_point(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    chem_model *model = make(context, CHEM_SOURCE_SPUR, spur, 3, 1);
    model->source.radius = 0.0;
    assert_int_equal(chem_source_fill(context, "test", model), CRP_OK);
    assert_true(mean_square(model, 0) == 0.0);
    chem_model_destroy(model);
    crp_context_destroy(&context);
}

/* Births follow the current: a ramp from 0 to 1 us has its mean at 2/3 us; 4000 tracks, so that 1.5 % are 5 sigma. */
static void pulse_births(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/chem_source_pulse.txt", CRP_BINARY_DIR);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("0 0\n1 1\n", file);
    fclose(file);
    reader_log log;
    crp_context *context = reader_context(&log);
    chem_model *model = make(context, CHEM_SOURCE_SPUR, spur, 3, 4000);
    model->start = 1.0;
    model->end = 2.0e6;
    snprintf(model->source.pulse, sizeof model->source.pulse, "%s", path);
    assert_int_equal(chem_source_fill(context, "test", model), CRP_OK);
    double mean = 0.0;
    for (uint32_t i = 0; i < model->n_tracks; i++) {
        const chem_track *t = &model->tracks[i];
        for (size_t k = 1; k < t->n_molecules; k++) {
            assert_true(t->molecules[k].time == t->molecules[0].time); /* a track is born as a whole */
        }
        assert_true(t->molecules[0].time >= 1.0 && t->molecules[0].time <= 1.0e6 + 1.0);
        mean += t->molecules[0].time / model->n_tracks;
    }
    assert_true(fabs(mean / (2.0e6 / 3.0) - 1.0) < 5.0 * sqrt(1.0 / 8.0 / 4000.0));
    chem_model_destroy(model);
    model = make(context, CHEM_SOURCE_SPUR, spur, 3, 10);
    model->start = 1.0;
    model->end = 1.0e5;
    snprintf(model->source.pulse, sizeof model->source.pulse, "%s", path);
    reader_expect(context, chem_source_fill(context, "test", model), CRP_ERR_CONFIG, "the pulse lasts until 1e+06 ps");
    chem_model_destroy(model);
    crp_context_destroy(&context);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(pairs), cmocka_unit_test(order_and_seed),
                                       cmocka_unit_test(faults), cmocka_unit_test(one_point), cmocka_unit_test(pulse_births)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
