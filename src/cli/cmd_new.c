/** corpuscle new: a commented starter input. */
#include "cli/cli.h"
#include "io/starter.h"

static cli_exit list_starters(void)
{
    size_t n = 0;
    const starter *starters = starter_list(&n);
    for (size_t i = 0; i < n; i++) {
        printf("%-20s %s\n", starters[i].name, starters[i].summary);
    }
    return CLI_DONE;
}

cli_exit cmd_new(crp_context *context, const cli_options *options)
{
    cli_text text;
    if (options->n_operands == 0) {
        return list_starters();
    }
    cli_exit code = cli_expect_operands(options, 1, "the name of a starter");
    if (code != CLI_DONE) {
        return code;
    }
    if (!cli_text_open(&text)) {
        return cli_report(context, CRP_ERR_MEMORY, CLI_IN_RUN);
    }
    crp_status status = starter_write(context, options->operands[0], options->settings, options->n_settings, text.file);
    return cli_text_close(context, &text, status, options->output);
}
