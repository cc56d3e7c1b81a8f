/* Shapes of pulses: two columns of text. */
#include "io/pulse_table.h"
#include "reader_fixture.h"

#include <math.h>

static crp_status parse(crp_context *context, const char *text, pulse_table **table)
{
    void *exact = reader_exact(text, strlen(text));
    crp_status status = pulse_parse(context, "pulse.txt", exact, strlen(text), table);
    free(exact);
    assert_true((status == CRP_OK) == (*table != NULL));
    return status;
}

static void pulse_is_read(void **state)
{
    (void)state;
    reader_log log;
    crp_context *context = reader_context(&log);
    pulse_table *table = NULL;
    assert_int_equal(parse(context, "# a ramp and a plateau\n0 0\n1.0  2\n\n3\t2 \n", &table), CRP_OK);
    assert_int_equal(table->n, 3);
    assert_true(table->time[1] == 1e6 && table->time[2] == 3e6 && table->current[2] == 2.0);
    assert_true(table->charge[0] == 0.0 && fabs(table->charge[1] - 0.2) < 1e-15 && table->charge[2] == 1.0);
    pulse_destroy(&table);
    assert_int_equal(parse(context, "time [ns], current\n0, 1\n5, 1\n", &table), CRP_OK);
    assert_true(table->time[1] == 5000.0);
    pulse_destroy(&table);
    crp_context_destroy(&context);
}

static void pulse_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        crp_status status;
        const char *message;
    } cases[] = {
        {"", CRP_ERR_FORMAT, "pulse.txt: has 0 points"},
        {"# nothing\n", CRP_ERR_FORMAT, "pulse.txt: has 0 points"},
        {"0 1\n", CRP_ERR_FORMAT, "pulse.txt: has 1 points"},
        {"0 1\n0 1\n", CRP_ERR_CONFIG, "pulse.txt:2: time = 0 is not after that of the line before"},
        {"0 1\n-1 1\n", CRP_ERR_CONFIG, "pulse.txt:2: time = -1 is negative"},
        {"0 1\n1 -1\n", CRP_ERR_CONFIG, "pulse.txt:2: current = -1 is negative"},
        {"0 0\n1 0\n", CRP_ERR_CONFIG, "pulse.txt: the current is zero everywhere"},
        {"0 1\n1 nan\n", CRP_ERR_FORMAT, "pulse.txt:2: current = \"nan\" is not a finite decimal number"},
        {"0 1 2\n", CRP_ERR_FORMAT, "pulse.txt:1: 3 fields (wanted two"},
        {"0\n", CRP_ERR_FORMAT, "pulse.txt:1: 1 fields (wanted two"},
        {"time [kg], current\n0,1\n", CRP_ERR_CONFIG, "pulse.txt:1: time = 1 kg"},
        {"0 1\ntime current\n", CRP_ERR_FORMAT, "pulse.txt:2: time = \"time\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reader_log log;
        crp_context *context = reader_context(&log);
        pulse_table *table = NULL;
        reader_expect(context, parse(context, cases[i].text, &table), cases[i].status, cases[i].message);
        crp_context_destroy(&context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pulse_is_read), cmocka_unit_test(pulse_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
