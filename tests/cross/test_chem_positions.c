/* Positions come from the history itself: as many of each species as the run has counted, where they were, and the same again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "model/chem/chem_positions.h"

static const char yaml[] = "source: {kind: spur, radius: 1.5 nm, tracks: 1, energy: 100 eV, molecules: [{species: e_aq, count: 20}, "
                           "{species: OH, count: 20}, {species: H3O+, count: 20}]}\n";

static void frames_are_the_run_s(void **state)
{
    (void)state;
    chem_case run = {.yaml = yaml, .chem = "method: exact", .copies = 1, .seed = 9, .threads = 2, .batches = 1};
    crp_result *result = chem_case_run(&run);
    crp_context *context = chem_case_context();
    crp_input *input;
    chem_frames *frames = NULL;
    size_t n_times;
    const double *times = chem_case_times(result, &n_times);
    assert_int_equal(chem_case_load(context, &run, &input), CRP_OK);
    assert_int_equal(chem_frames_replay(context, crp_input_model(input, 0), 9, 0, &frames), CRP_OK);
    assert_int_equal(frames->n, 7);
    const chem_model *m = crp_input_model(input, 0)->data;
    for (size_t i = 0; i < frames->n; i++) {
        const chem_frame *f = &frames->frames[i];
        size_t k = 0;
        while (times[k] != f->time) {
            k++;
            assert_true(k < n_times);
        }
        for (uint32_t s = 0; s < m->set.n_species; s++) {
            double n = 0.0;
            for (size_t j = 0; j < f->n; j++) {
                n += f->molecules[j].species == s ? 1.0 : 0.0;
            }
            assert_true(n == chem_case_count(result, "G", k, s));
        }
    }
    /* At the start those that did not react at once are where the input has them; at the end they have gone far. */
    double square = 0.0;
    const chem_frame *last = &frames->frames[6];
    for (size_t j = 0; j < last->n; j++) {
        square += last->molecules[j].x * last->molecules[j].x / (double)last->n;
    }
    assert_true(square > 1000.0); /* 2 D t is 4600 nm2 and more */
    chem_frames_destroy(&frames);
    crp_input_destroy(&input);
    crp_result_destroy(&result);
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(frames_are_the_run_s)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
