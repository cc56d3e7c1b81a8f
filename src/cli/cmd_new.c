/** corpuscle new: a commented starter input. */
#include "cli/cli.h"
#include "io/starter.h"
#include "model/chem/chem.h"

static cli_exit list_starters(void)
{
    size_t n = 0;
    const starter *starters = starter_list(&n);
    for (size_t i = 0; i < n; i++) {
        printf("%-20s %s\n", starters[i].name, starters[i].summary);
    }
    for (size_t i = 0; chem_set_names[i] != NULL; i++) {
        char name[64];
        snprintf(name, sizeof name, "chem-set-%s", chem_set_names[i]);
        printf("%-20s species and reactions of the set %s, to change\n", name, chem_set_names[i]);
    }
    return CLI_DONE;
}

cli_exit cmd_new(crp_context *context, const cli_options *options)
{
    text_buffer text;
    if (options->n_operands == 0) {
        return list_starters();
    }
    cli_exit code = cli_expect_operands(options, 1, "the name of a starter");
    if (code != CLI_DONE) {
        return code;
    }
    crp_status status = text_open(context, &text);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_IN_RUN);
    }
    status = starter_write(context, options->operands[0], options->settings, options->n_settings, text.file);
    return cli_deliver(context, &text, status, options->output);
}
