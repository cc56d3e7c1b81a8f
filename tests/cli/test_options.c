/** The option parser: every way of writing an option, exact counts, and the message of every mistake. */
#include "cli/duration.h"
#include "cli/options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static crp_context *context;

static int create_context(void **state)
{
    (void)state;
    return crp_context_create(&context) == CRP_OK ? 0 : -1;
}

static int destroy_context(void **state)
{
    (void)state;
    crp_context_destroy(&context);
    return 0;
}

/* Arguments as one string, split at blanks. */
static crp_status parse(cli_command command, const char *line, cli_options *options)
{
    static char text[4096];
    char *args[256];
    int n = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        args[n++] = word;
    }
    return options_parse(context, command, n, args, options);
}

static void assert_message(cli_command command, const char *line, const char *message)
{
    cli_options options;
    assert_int_equal(parse(command, line, &options), CRP_ERR_ARG);
    if (strstr(crp_context_error(context), message) == NULL) {
        fail_msg("%s: message is \"%s\", expected \"%s\" in it", line, crp_context_error(context), message);
    }
}

static void test_forms(void **state)
{
    (void)state;
    cli_options o;
    assert_int_equal(parse(CLI_RUN, "a.mci -n 1e7 --seed=3 -o out.h5 --batches 16 -v --json", &o), CRP_OK);
    assert_int_equal(o.n_operands, 1);
    assert_string_equal(o.operands[0], "a.mci");
    assert_true(o.histories == 10000000 && o.seed == 3 && o.batches == 16);
    assert_string_equal(o.output, "out.h5");
    assert_true(o.verbose && o.json && !o.quiet);
    assert_int_equal(parse(CLI_RUN, "-n5 -oout.h5 --histories 7 -- -x.mci", &o), CRP_OK);
    assert_true(o.histories == 7);
    assert_string_equal(o.output, "out.h5");
    assert_string_equal(o.operands[0], "-x.mci");
    assert_int_equal(parse(CLI_EXPORT, "a.h5 -o - --to csv", &o), CRP_OK);
    assert_string_equal(o.output, "-");
    assert_string_equal(o.to, "csv");
    assert_int_equal(parse(CLI_RUN, "a --set x=1 --set layers[2].mu_a=0.2 --until rel_err(Rd)<1%", &o), CRP_OK);
    assert_int_equal(o.n_settings, 2);
    assert_string_equal(o.settings[1], "layers[2].mu_a=0.2");
    assert_string_equal(o.until, "rel_err(Rd)<1%");
}

static void test_defaults(void **state)
{
    (void)state;
    cli_options o;
    assert_int_equal(parse(CLI_RUN, "a", &o), CRP_OK);
    assert_true(o.histories == 0 && o.batches == 0 && o.seed == 0 && o.math == NULL && o.time_limit == 0.0);
    assert_true(o.save_every < 0.0 && o.output == NULL && o.restart == NULL && o.until == NULL && o.threads == 0);
    assert_string_equal(o.device, "auto");
    assert_string_equal(o.progress, "auto");
}

static void test_counts_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"1", 1},
        {"4294967306", 4294967306u},
        {"1e12", 1000000000000u},
        {"1.5e6", 1500000},
        {"9007199254740993", 9007199254740993u}, /* 2^53 + 1: a double would lose it */
        {"18446744073709551615", UINT64_MAX},
    };
    static const char *const bad[] = {"0",    "-3",  "1.5", "1e-3", "18446744073709551616",
                                      "1e20", "abc", "1e",  "1x",   "nan"};
    char line[64];
    cli_options o;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(line, sizeof line, "a -n %s", good[i].text);
        assert_int_equal(parse(CLI_RUN, line, &o), CRP_OK);
        assert_true(o.histories == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "a -n %s", bad[i]);
        assert_message(CLI_RUN, line, "--histories");
    }
    assert_int_equal(parse(CLI_RUN, "a --seed 18446744073709551615", &o), CRP_OK);
    assert_true(o.seed == UINT64_MAX);
    assert_message(CLI_RUN, "a --seed 0", "must be at least 1");
}

static void test_messages(void **state)
{
    (void)state;
    assert_message(CLI_RUN, "a --devise cpu", "unknown option --devise (did you mean --device?)");
    assert_message(CLI_RUN, "a --batch 3", "did you mean --batches?");
    assert_message(CLI_RUN, "a --qqqqqqqq", "see: corpuscle run --help");
    assert_message(CLI_RUN, "a -x", "unknown option -x");
    assert_message(CLI_RUN, "a --tally Rd", "--tally is not an option of corpuscle run (it belongs to export)");
    assert_message(CLI_INFO, "a --until x", "belongs to run");
    assert_message(CLI_RUN, "a --device", "--device needs a value (NAME)");
    assert_message(CLI_RUN, "a --until --json", "--until needs a value");
    assert_message(CLI_RUN, "a --json=yes", "--json takes no value (found yes)");
    assert_message(CLI_RUN, "a --math slow", "--math = slow: must be one of strict|fast");
    assert_message(CLI_RUN, "a --math stric", "must be one of");
    assert_message(CLI_RUN, "a --progress=bar", "auto|plain|json|none");
    assert_message(CLI_RUN, "a --time-limit soon", "must be a time");
    assert_message(CLI_RUN, "a --set mu_a", "must have the form path=value");
    assert_message(CLI_RUN, "a --set =3", "must have the form path=value");
    assert_message(CLI_RUN, "a --output=", "the value is empty");
    assert_message(CLI_RUN, "a --threads 4294967296", "must be at most 4294967295");
    assert_message(CLI_RUN, "a --digits 1", "must lie in [2, 17]");
    assert_message(CLI_RUN, "a --digits 18", "must lie in [2, 17]");
    assert_message(CLI_COMPARE, "a b --limit -1", "greater than 0");
    assert_message(CLI_COMPARE, "a b --limit nan", "greater than 0");
    assert_message(CLI_RUN, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "too many arguments from 17 on");
}

static void test_too_many_settings(void **state)
{
    (void)state;
    char line[1024] = "a";
    cli_options o;
    for (int i = 0; i < CLI_MAX_SETTINGS; i++) {
        strcat(line, " --set a=1");
    }
    assert_int_equal(parse(CLI_RUN, line, &o), CRP_OK);
    assert_int_equal(o.n_settings, CLI_MAX_SETTINGS);
    strcat(line, " --set a=1");
    assert_message(CLI_RUN, line, "more than 64 settings");
}

static void test_commands(void **state)
{
    (void)state;
    const char *nearest = NULL;
    assert_int_equal(command_find("bench", &nearest), CLI_BENCH);
    assert_int_equal(command_find("exprot", &nearest), 0);
    assert_string_equal(nearest, "export");
    assert_int_equal(command_find("zzzzzz", &nearest), 0);
    assert_null(nearest);
}

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
    } good[] = {{"90", 90.0},      {"30s", 30.0},    {"10m", 600.0}, {"1h", 3600.0}, {"1.5m", 90.0},
                {"1h30m", 5400.0}, {"1h5s", 3605.0}, {"0", 0.0},     {"0.5", 0.5},   {"1h0m10.5s", 3610.5}};
    static const char *const bad[] = {"",     "m",   "-1s", "1d",  "10ms",  "30s10m",
                                      "1h1h", "1 h", "inf", "nan", "1e999", "5s3"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double seconds = NAN;
        assert_true(duration_parse(good[i].text, &seconds));
        assert_true(seconds == good[i].seconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double seconds = 7.0;
        if (duration_parse(bad[i], &seconds)) {
            fail_msg("\"%s\" was taken as %g s", bad[i], seconds);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_messages),  cmocka_unit_test(test_counts_are_exact),
        cmocka_unit_test(test_commands),  cmocka_unit_test(test_too_many_settings),
        cmocka_unit_test(test_durations),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, create_context, destroy_context);
}
