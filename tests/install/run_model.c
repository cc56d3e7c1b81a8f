/* A whole run through the public API alone, in the common subset of C11 and C++17. Usage: run_model INPUT */
#include <corpuscle/corpuscle.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int n_calls;

static int on_progress(void *user, const crp_progress *progress)
{
    const char *expected = (const char *)user;
    n_calls += progress->histories_total == 20000 && strcmp(expected, "user") == 0;
    return 0;
}

static int fail(crp_context *context, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, crp_context_error(context));
    return 1;
}

static int check_result(crp_context *context, const crp_result *result)
{
    ptrdiff_t i = crp_result_find(result, "Rd");
    crp_tally_view view;
    double mean = 0.0, std_dev = 0.0;
    view.size = (uint32_t)sizeof view;
    if (i < 0 || crp_result_tally(result, (size_t)i, &view) != CRP_OK || view.n_bins != 1) {
        return fail(context, "Rd is no scalar");
    }
    if (crp_result_mean(result, (size_t)i, &mean) != CRP_OK ||
        crp_result_std_dev(result, (size_t)i, &std_dev) != CRP_OK) {
        return fail(context, "no mean");
    }
    printf("Rd %.5f +- %.5f, %s\n", mean, std_dev, crp_result_digest(result));
    return fabs(mean - 0.562585) < 6.0 * std_dev && std_dev > 0.0 && std_dev < 0.01 ? 0 : fail(context, "Rd is wrong");
}

int main(int argc, char **argv)
{
    crp_context *context = NULL;
    crp_input *input = NULL;
    crp_result *result = NULL;
    char user[] = "user";
    int code = 0;
    if (argc != 2 || crp_context_create(&context) != CRP_OK) {
        return 2;
    }
    if (crp_input_load(context, "no-such-file.mci", NULL, &input) != CRP_ERR_IO || input != NULL) {
        return fail(context, "a missing file was no CRP_ERR_IO");
    }
    if (strcmp(crp_status_text(CRP_ERR_IO), "a file cannot be read or written") != 0) {
        return fail(context, "no status text");
    }
    crp_input_options input_options = crp_input_options_default();
    if (crp_input_load(context, argv[1], &input_options, &input) != CRP_OK) {
        return fail(context, "load");
    }
    crp_run_options options = crp_run_options_default();
    options.histories = 20000;
    options.device = "cpu";
    options.progress = on_progress;
    options.progress_user = user;
    if (crp_run_execute(context, crp_input_model(input, 0), &options, &result) != CRP_OK) {
        return fail(context, "run");
    }
    code = check_result(context, result);
    code |= crp_result_histories(result) != 20000 || n_calls == 0;
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return code != 0 || result != NULL || input != NULL || context != NULL;
}
