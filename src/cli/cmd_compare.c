/** corpuscle compare: do two results agree within their errors? */
#include "cli/cli.h"
#include "cli/result_group.h"
#include "core/json.h"
#include "io/compare.h"

static const char *shape_name(compare_shape shape)
{
    switch (shape) {
    case COMPARE_COMMON:
        return "common";
    case COMPARE_ONLY_IN_A:
        return "only in a";
    case COMPARE_ONLY_IN_B:
        return "only in b";
    case COMPARE_OTHER_SHAPE:
        return "other shape";
    }
    return "";
}

static void print_json(const compare_report *report)
{
    printf(
        "{\"agree\": %s, \"same_bits\": %s, \"same_input\": %s, \"same_seed\": %s, \"checks\": %zu, \"skipped\": %zu, "
        "\"tallies\": [",
        report->agree ? "true" : "false", report->is_same_bits ? "true" : "false",
        report->is_same_input ? "true" : "false", report->is_same_seed ? "true" : "false", report->n_checks,
        report->n_skipped);
    for (size_t i = 0; i < report->n_tallies; i++) {
        const compare_tally *t = &report->tallies[i];
        fputs(i == 0 ? "{\"name\": " : ", {\"name\": ", stdout);
        json_write_string(stdout, t->name);
        printf(
            ", \"shape\": \"%s\", \"bins\": %zu, \"checked\": %zu, \"exact\": %zu, \"skipped\": %zu, \"beyond\": %zu, "
            "\"worst_bin\": %zu, \"worst_z\": ",
            shape_name(t->shape), t->n_bins, t->n_checked, t->n_exact, t->n_skipped, t->n_beyond, t->worst);
        json_write_real(stdout, t->worst_z);
        fputs(", \"limit\": ", stdout);
        json_write_real(stdout, t->worst_limit);
        fputs(", \"chi2\": ", stdout);
        json_write_real(stdout, t->chi2);
        fputs("}", stdout);
    }
    fputs("]}\n", stdout);
}

static cli_exit compare(crp_context *context, const cli_options *options, const crp_result *a, const crp_result *b)
{
    compare_report *report = NULL;
    crp_status status = compare_results(context, a, b, options->limit, &report);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    if (options->json) {
        print_json(report);
    } else if (!options->quiet) {
        compare_print(report, a, b, stdout);
    }
    cli_exit code = report->agree ? CLI_DONE : CLI_FAILED;
    compare_destroy(&report);
    return code;
}

cli_exit cmd_compare(crp_context *context, const cli_options *options)
{
    crp_result *a = NULL, *b = NULL;
    cli_exit code = cli_expect_operands(options, 2, "two result files");
    if (code == CLI_DONE) {
        code = result_group_read(context, options, options->operands[0], &a);
    }
    if (code == CLI_DONE) {
        code = result_group_read(context, options, options->operands[1], &b);
    }
    if (code == CLI_DONE) {
        code = compare(context, options, a, b);
    }
    crp_result_destroy(&a);
    crp_result_destroy(&b);
    return code;
}
