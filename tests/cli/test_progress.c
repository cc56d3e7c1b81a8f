/** Progress and summary: what is printed, and only when it is due. */
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/summary.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static crp_progress sample(double seconds)
{
    return (crp_progress){.size = sizeof(crp_progress),
                          .histories_done = 250000,
                          .histories_total = 1000000,
                          .batches_done = 8,
                          .batches_total = 32,
                          .seconds = seconds,
                          .rate = 50000.0,
                          .rel_err = NAN,
                          .rel_err_target = NAN,
                          .device = "cpu"};
}

/* Report once in a style; the text printed, static. */
static const char *report(progress_style style, const crp_progress *now, uint32_t n_runs)
{
    static char text[2048];
    progress p;
    FILE *file = tmpfile();
    assert_non_null(file);
    progress_start(&p, style, file, "skin7", "photons", 2, n_runs);
    assert_int_equal(progress_report(&p, now), 0);
    progress_clear();
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void assert_contains(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
    }
}

static void test_styles(void **state)
{
    (void)state;
    assert_int_equal(progress_style_of("auto", false, true), PROGRESS_BAR);
    assert_int_equal(progress_style_of("auto", false, false), PROGRESS_PLAIN);
    assert_int_equal(progress_style_of("auto", true, true), PROGRESS_NONE);
    assert_int_equal(progress_style_of("none", false, true), PROGRESS_NONE);
    assert_int_equal(progress_style_of("plain", true, true), PROGRESS_PLAIN);
    assert_int_equal(progress_style_of("json", true, false), PROGRESS_JSON);
}

static void test_bar(void **state)
{
    (void)state;
    crp_progress now = sample(5.0);
    const char *text = report(PROGRESS_BAR, &now, 1);
    assert_contains(text, "skin7 [######------------------]  25 %, 50.0 kphotons/s, 15 s left");
    assert_true(strchr(text, '\n') == NULL);
    assert_contains(report(PROGRESS_BAR, &now, 3), "skin7 (2/3) [");
    now.rel_err = 0.02;
    now.rel_err_target = 0.015;
    assert_contains(report(PROGRESS_BAR, &now, 1), "error 2 % of 1.5 %");
    now.rel_err = NAN;
    assert_contains(report(PROGRESS_BAR, &now, 1), "error ? of 1.5 %");
}

static void test_plain_is_sparse(void **state)
{
    (void)state;
    crp_progress early = sample(1.0), late = sample(11.0);
    assert_string_equal(report(PROGRESS_PLAIN, &early, 1), "");
    assert_string_equal(report(PROGRESS_PLAIN, &late, 1),
                        "skin7: batch 8 of 32, 250000 of 1000000 photons, 50.0 kphotons/s, 15 s left\n");
    assert_string_equal(report(PROGRESS_NONE, &late, 1), "");
}

static void test_json(void **state)
{
    (void)state;
    crp_progress now = sample(5.0);
    assert_string_equal(report(PROGRESS_JSON, &now, 3),
                        "{\"progress\":{\"run\":2,\"runs\":3,\"histories_done\":250000,\"histories_total\":1000000,"
                        "\"batches_done\":8,\"batches_total\":32,\"seconds\":5,\"rate\":50000,\"remaining\":15,"
                        "\"rel_err\":null,\"rel_err_target\":null,\"devices\":[]}}\n");
    const crp_device_progress devices[] = {{"cuda:0 (GPU \"A\")", 200000, 0.8, 40000.0, 0}, {"cpu (B)", 50000, 0.2, 0.0, 1}};
    now.n_devices = 2;
    now.devices = devices;
    assert_contains(report(PROGRESS_JSON, &now, 1),
                    ",\"devices\":[{\"device\":\"cuda:0 (GPU \\\"A\\\")\",\"histories\":200000,\"dropped\":false,\"share\":0.8,"
                    "\"rate\":40000},{\"device\":\"cpu (B)\",\"histories\":50000,\"dropped\":true,\"share\":0.2,\"rate\":0}]}}\n");
}

static void test_shares_of_devices(void **state)
{
    (void)state;
    static crp_device_progress devices[1000];
    crp_progress now = sample(11.0);
    now.devices = devices;
    for (size_t i = 0; i < 1000; i++) {
        devices[i] = (crp_device_progress){"cuda:0 (NVIDIA H200)", 0, 0.001 + (i == 7 ? 0.0002 : 0.0), 1.0, 0};
    }
    now.n_devices = 1;
    assert_null(strstr(report(PROGRESS_PLAIN, &now, 1), "cuda"));
    now.n_devices = 1000;
    assert_contains(report(PROGRESS_PLAIN, &now, 1), "15 s left, 1000 devices of 0.1 to 0.12 % each\n");
    devices[3] = (crp_device_progress){"cuda:3 (NVIDIA H200)", 0, 0.0, 0.0, 1};
    assert_contains(report(PROGRESS_BAR, &now, 1), ", 999 devices of 0.1 to 0.12 % each (1 dropped)");
    devices[0] = (crp_device_progress){"cpu (EPYC, 2 threads)", 0, 0.031, 1.0, 0};
    devices[1] = (crp_device_progress){"cuda:0 (NVIDIA H200)", 0, 0.969, 1.0, 0};
    now.n_devices = 2;
    assert_contains(report(PROGRESS_BAR, &now, 1), "15 s left, cpu 3 % + cuda:0 97 %");
    devices[0].is_dropped = 1;
    assert_contains(report(PROGRESS_PLAIN, &now, 1), ", cpu (dropped) 3 % + cuda:0 97 %\n");
}

static void test_remaining(void **state)
{
    (void)state;
    crp_progress now = sample(5.0);
    now.rel_err = 0.02;
    now.rel_err_target = 0.016; /* 1.5625 times the histories: sooner than all of them */
    assert_true(fabs(progress_remaining(&now) - 250000.0 * 0.5625 / 50000.0) < 1e-9);
    now.rel_err_target = 0.001; /* later than all of them */
    assert_true(fabs(progress_remaining(&now) - 15.0) < 1e-9);
    now.rel_err_target = 0.5;
    assert_true(progress_remaining(&now) == 0.0);
    now.histories_done = 125000; /* precise enough, but only after the fourth of eight batches at least */
    now.batches_done = 4;
    assert_true(fabs(progress_remaining(&now) - 125000.0 / 50000.0) < 1e-9);
    now.histories_done = 250000;
    now.rate = 0.0;
    assert_true(isnan(progress_remaining(&now)));
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } times[] = {{0.2, "0 s"}, {45.4, "45 s"}, {200.0, "3 min 20 s"}, {7500.0, "2 h 05 min"}, {NAN, "?"}, {-1.0, "?"}};
    static const struct {
        double value;
        const char *text;
    } rates[] = {{12.0, "12.0 "}, {337000.0, "337 k"}, {1.145e6, "1.15 M"}, {999.6, "1.00 k"}, {NAN, "? "}};
    static const struct {
        double mean, std_dev;
        const char *text;
    } values[] = {{0.562713, 0.000342, "0.56271 +- 0.00034"},   {0.04, 0.0, "0.04 +- 0"},
                  {0.25, NAN, "0.25 (error unknown)"},          {3.2e-9, 1.4e-10, "3.20e-09 +- 1.4e-10"},
                  {1234567.0, 120.0, "1.23457e+06 +- 1.2e+02"}, {0.5, 0.25, "0.50 +- 0.25"}};
    char text[96];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        progress_format_time(times[i].seconds, text, sizeof text);
        assert_string_equal(text, times[i].text);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        progress_format_si(rates[i].value, text, sizeof text);
        assert_string_equal(text, rates[i].text);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        summary_format_value(values[i].mean, values[i].std_dev, text, sizeof text);
        assert_string_equal(text, values[i].text);
    }
}

static void test_signal_stops(void **state)
{
    (void)state;
    crp_progress now = sample(5.0);
    progress p;
    progress_start(&p, PROGRESS_NONE, stderr, "skin7", "photons", 1, 1);
    interrupt_install(false, false);
    assert_int_equal(progress_report(&p, &now), 0);
    raise(SIGTERM);
    assert_int_equal(progress_report(&p, &now), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles),          cmocka_unit_test(test_bar),       cmocka_unit_test(test_json),
        cmocka_unit_test(test_plain_is_sparse), cmocka_unit_test(test_remaining), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_shares_of_devices), cmocka_unit_test(test_signal_stops), /* the last: a signal stays */
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
