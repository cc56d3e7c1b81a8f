/* Working memory of a launch: it grows until all candidates have a place, by every method and device; where it cannot grow, the
 * run says so and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "model/model.h"

/* 400 e_aq, 400 OH and 400 H3O+ in one place make half a million pairs that react: a hundred times the room that a launch begins
 * with. */
#define CROWD "time: {start: 1 ps, end: 2 ps}\nsource: {kind: spur, radius: 0 nm, energy: 100 eV, molecules: [" \
              "{species: e_aq, count: 400}, {species: OH, count: 400}, {species: H3O+, count: 400}]}\n"

/* Who can react has reacted: of two e_aq or two OH, or of one of each, none is left. The few of a history may come from reactions
 * in the picosecond after. */
static void check_crowd(const char *method, const char *device, uint32_t threads)
{
    chem_case c = {.yaml = CROWD, .chem = method, .copies = 2, .seed = 1, .threads = threads, .device = device};
    crp_result *result = chem_case_run(&c);
    size_t n;
    chem_case_times(result, &n);
    chem_case_balances(result);
    /* species in the order of the paper's set: e_aq, OH, H, H3O+, H2, OH-, H2O2 */
    assert_true(chem_case_count(result, "G", n - 1, 0) + chem_case_count(result, "G", n - 1, 1) <= 4.0);
    assert_true(chem_case_count(result, "G", n - 1, 4) + chem_case_count(result, "G", n - 1, 6) >= 100.0);
    crp_result_destroy(&result);
}

static void test_room_grows(void **state)
{
    (void)state;
    static const char *const methods[] = {"method: exact", "method: irt", "method: paper"};
    for (size_t i = 0; i < 3; ++i) {
        check_crowd(methods[i], "cpu", 1);
        check_crowd(methods[i], "cpu", 2);
    }
}

static void test_room_grows_on_opencl(void **state)
{
    (void)state;
    chem_case_needs_opencl();
    check_crowd("method: exact", "opencl:0", 1);
    check_crowd("method: paper", "opencl:0", 1);
}

static bool always_more(const crp_plan *plan, const uint64_t *words, plan_shape *shape)
{
    (void)plan;
    (void)words;
    (void)shape;
    return true;
}

static crp_status insatiable_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                                   crp_math math, plan_shape *shape)
{
    crp_status status = module_chem.shape(context, model, plan, info, math, shape);
    shape->needs_more = always_more;
    return status;
}

/* A launch that asks for more memory than there can be is not run again for ever. */
static void test_room_that_cannot_grow(void **state)
{
    (void)state;
    crp_context *context = chem_case_context();
    crp_input *input = NULL;
    crp_result *result = NULL;
    chem_case c = {.yaml = CROWD, .chem = "", .copies = 1, .seed = 1, .threads = 1};
    assert_int_equal(chem_case_load(context, &c, &input), CRP_OK);
    crp_module insatiable = module_chem;
    insatiable.shape = insatiable_shape;
    input->models[0]->module = &insatiable;
    crp_run_options options = crp_run_options_default();
    options.device = "cpu";
    crp_context_set_log(context, NULL, NULL);
    assert_int_equal(crp_run_execute(context, crp_input_model(input, 0), &options, &result), CRP_ERR_MEMORY);
    assert_non_null(strstr(crp_context_error(context), "cannot be counted"));
    crp_result_destroy(&result);
    input->models[0]->module = &module_chem;
    crp_input_destroy(&input);
    crp_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room_grows),
        cmocka_unit_test(test_room_grows_on_opencl),
        cmocka_unit_test(test_room_that_cannot_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
