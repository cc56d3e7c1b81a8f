/** The program: picks the sub-command. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static void print_usage(FILE *file)
{
    static const cli_command commands[] = {CLI_RUN,     CLI_CHECK,   CLI_INFO, CLI_EXPORT,
                                           CLI_COMPARE, CLI_CONVERT, CLI_NEW,  CLI_BENCH};
    fputs("usage: corpuscle COMMAND [arguments] [options]\n"
          "Monte Carlo of particles that scatter, bounce and react, on CPUs and GPUs.\n\n",
          file);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", command_name(commands[i]), command_operands(commands[i]));
        fprintf(file, "  %-30s %s\n", left, command_purpose(commands[i]));
    }
    fputs("\n  corpuscle COMMAND --help       the options of a command\n"
          "  corpuscle --version            version and commit\n\n"
          "Exit codes: 0 done, 1 run failed, 2 usage or input error, 3 precision not reached, 130 interrupted.\n",
          file);
}

typedef cli_exit (*command_function)(crp_context *context, const cli_options *options);

static command_function function_of(cli_command command)
{
    switch (command) {
    case CLI_RUN:
        return cmd_run;
    case CLI_CHECK:
        return cmd_check;
    case CLI_INFO:
        return cmd_info;
    case CLI_EXPORT:
        return cmd_export;
    case CLI_COMPARE:
        return cmd_compare;
    case CLI_CONVERT:
        return cmd_convert;
    case CLI_NEW:
        return cmd_new;
    case CLI_BENCH:
        return cmd_bench;
    }
    return NULL;
}

static cli_exit run_command(crp_context *context, int argc, char **argv)
{
    cli_options options;
    const char *nearest = NULL;
    cli_command command = command_find(argv[1], &nearest);
    if (command == 0) {
        if (nearest != NULL) {
            return cli_usage_error("unknown command %s (did you mean %s?)", argv[1], nearest);
        }
        return cli_usage_error("unknown command %s (see: corpuscle --help)", argv[1]);
    }
    crp_status status = options_parse(context, command, argc - 2, argv + 2, &options);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_BEFORE_RUN);
    }
    if (options.help) {
        options_print_help(command, stdout);
        return CLI_DONE;
    }
    cli_install_log(context, &options, 0);
    return function_of(command)(context, &options);
}

int main(int argc, char **argv)
{
    crp_context *context = NULL;
    if (argc < 2) {
        print_usage(stderr);
        return (int)CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return (int)cli_finish_stdout(CLI_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("corpuscle %s (%s)\n", crp_version(), crp_commit());
        return (int)cli_finish_stdout(CLI_DONE);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is a failed write, which is reported and cleared up */
    crp_status status = crp_context_create(&context);
    if (status != CRP_OK) {
        return (int)cli_report(NULL, status, CLI_IN_RUN);
    }
    cli_exit code = cli_finish_stdout(run_command(context, argc, argv));
    crp_context_destroy(&context);
    return (int)code;
}
