/** The command line: one table of options for all sub-commands, one parser. */
#include "cli/options.h"

#include "cli/duration.h"
#include "core/context.h"
#include "core/nearest.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

typedef enum option_kind {
    KIND_FLAG,     /* bool */
    KIND_TEXT,     /* const char * */
    KIND_COUNT,    /* uint64_t >= 1 */
    KIND_SMALL,    /* uint32_t >= 1 */
    KIND_DIGITS,   /* uint32_t from 2 to 17, what a double can hold */
    KIND_REAL,     /* double > 0 */
    KIND_DURATION, /* seconds */
    KIND_CHOICE,   /* const char *, one of `value` split at '|' */
    KIND_LENGTH,   /* double >= 0 in cm, with or without a unit */
    KIND_SETTING,  /* appended to settings */
    KIND_IGNORED,  /* appended to ignored */
    KIND_EXPORT,   /* appended to exports */
    KIND_SHORT     /* a setting with its path in `value`: "source.energy" */
} option_kind;

typedef struct option_spec {
    const char *name;
    char letter;
    option_kind kind;
    size_t offset;
    unsigned commands;
    const char *value; /* placeholder in the help, or the choices */
    const char *help;
} option_spec;

#define AT(member) offsetof(cli_options, member)

enum {
    READS_INPUT = CLI_RUN | CLI_CHECK | CLI_CONVERT,
    SIMULATES = CLI_RUN | CLI_CHECK | CLI_BENCH,
    ALL = CLI_RUN | CLI_CHECK | CLI_INFO | CLI_EXPORT | CLI_COMPARE | CLI_CONVERT | CLI_NEW | CLI_BENCH
};

static const option_spec option_table[] = {
    {"output", 'o', KIND_TEXT, AT(output), CLI_RUN | CLI_EXPORT | CLI_CONVERT | CLI_NEW, "FILE", "file to write"},
    {"histories", 'n', KIND_COUNT, AT(histories), SIMULATES | CLI_CONVERT, "N",
     "histories to run, exact to 64 bits: 1e7, 4294967306"},
    {"batches", 0, KIND_SMALL, AT(batches), CLI_RUN, "N", "batches, from whose spread the errors come (32)"},
    {"seed", 0, KIND_COUNT, AT(seed), CLI_RUN | CLI_BENCH, "N", "seed of the random numbers (1)"},
    {"device", 0, KIND_TEXT, AT(device), CLI_RUN | CLI_BENCH, "NAME",
     "auto (the soonest done), cpu, cuda:0, cuda:0,1, cuda:all, cpu+cuda:0, opencl:0, optix:0"},
    {"math", 0, KIND_CHOICE, AT(math), CLI_RUN | CLI_BENCH, "strict|fast",
     "strict: the same bits on every device; fast: approximations of the hardware"},
    {"threads", 0, KIND_SMALL, AT(threads), SIMULATES, "N", "threads on the CPU (all)"},
    {"set", 0, KIND_SETTING, 0, READS_INPUT | CLI_NEW | CLI_EXPORT | CLI_BENCH, "PATH=VALUE",
     "change a value of the input; may be repeated"},
    {"ignore", 0, KIND_IGNORED, 0, READS_INPUT, "FEATURE",
     "leave out what the model asks for and is not there yet; may be repeated"},
    {"unit", 0, KIND_CHOICE, AT(unit), READS_INPUT, "mm|cm|m|in|ft", "length of one unit of an STL file (mm)"},
    {"flip", 0, KIND_FLAG, AT(is_flipped), READS_INPUT, NULL,
     "turn the facets of an STL file round: the solid is the wall, not the gas"},
    {"vertex-tolerance", 0, KIND_LENGTH, AT(vertex_tolerance), READS_INPUT, "LENGTH",
     "vertices of an STL file that are closer become one (1e-6 cm)"},
    {"plane-tolerance", 0, KIND_LENGTH, AT(plane_tolerance), READS_INPUT, "LENGTH",
     "how far a corner may leave the plane of a joined facet of an STL file (1e-6 cm); 0: join none"},
    {"energy", 0, KIND_SHORT, 0, READS_INPUT | CLI_BENCH, "source.energy", "chem: deposited energy of every track, 750keV"},
    {"method", 0, KIND_SHORT, 0, READS_INPUT | CLI_NEW, "chem.method", "chem: exact, paper or irt"},
    {"format", 0, KIND_SHORT, 0, READS_INPUT | CLI_BENCH, "source.format", "chem: format of the list of molecules: gmicromc, csv"},
    {"until", 0, KIND_TEXT, AT(until), CLI_RUN, "EXPR", "stop when precise enough: 'rel_err(Rd)<0.1%'"},
    {"time-limit", 0, KIND_DURATION, AT(time_limit), CLI_RUN, "TIME",
     "stop at the end of a batch after 30s, 10m, 1h30m"},
    {"restart", 0, KIND_TEXT, AT(restart), CLI_RUN, "FILE",
     "go on from this result file, or extend it with a larger -n"},
    {"save-every", 0, KIND_DURATION, AT(save_every), CLI_RUN, "TIME", "time between saves of the result file (1s; longer where one takes long)"},
    {"progress", 0, KIND_CHOICE, AT(progress), CLI_RUN, "auto|plain|json|none",
     "a bar on a terminal, lines, JSON lines or nothing; on stderr"},
    {"json", 0, KIND_FLAG, AT(json), CLI_RUN | CLI_CHECK | CLI_INFO | CLI_COMPARE | CLI_BENCH, NULL,
     "results as JSON on stdout, one object a line"},
    {"digits", 0, KIND_DIGITS, AT(digits), CLI_RUN | CLI_EXPORT, "N", "significant digits in the .mco, 2 to 17 (5)"},
    {"std-dev", 0, KIND_FLAG, AT(has_std_dev), CLI_RUN | CLI_EXPORT, NULL, "append standard errors to the .mco"},
    {"to", 0, KIND_TEXT, AT(to), CLI_EXPORT, "FORMAT", "csv, json, vtkhdf, or the model's own: mco, molflow, facets, xyz"},
    {"template", 0, KIND_TEXT, AT(template_path), CLI_EXPORT, "FILE",
     "molflow: a Molflow file of the same model, all of which is kept but old results"},
    {"export", 0, KIND_EXPORT, 0, CLI_RUN, "FILE",
     "also write results of gas to .vtkhdf, .zip or .xml (Molflow), .csv (facets), leaks=FILE, of chem to .xyz, .vtkhdf; may be repeated"},
    {"tally", 0, KIND_TEXT, AT(tally), CLI_EXPORT, "NAME", "write one tally only"},
    {"group", 0, KIND_SMALL, AT(group), CLI_EXPORT | CLI_COMPARE | CLI_INFO | CLI_CONVERT, "N",
     "run in the file, from 1"},
    {"limit", 0, KIND_REAL, AT(limit), CLI_COMPARE, "Z", "largest |z| to accept (from the number of bins)"},
    {"quiet", 'q', KIND_FLAG, AT(quiet), ALL, NULL, "errors only"},
    {"verbose", 'v', KIND_FLAG, AT(verbose), ALL, NULL, "say more on stderr"},
    {"help", 'h', KIND_FLAG, AT(help), ALL, NULL, "this text"},
};

enum { N_OPTIONS = sizeof option_table / sizeof *option_table };

typedef struct command_spec {
    cli_command command;
    const char *name, *operands, *purpose;
} command_spec;

static const command_spec command_table[] = {
    {CLI_RUN, "run", "FILE", "run every model of an input file (.mci, STL, Molflow, molecules as CSV or gMicroMC, YAML)"},
    {CLI_CHECK, "check", "FILE", "validate an input file, print it normalised, estimate memory and time"},
    {CLI_INFO, "info", "devices|build|FILE.h5", "what this machine, this program or a result file holds"},
    {CLI_EXPORT, "export", "FILE.h5", "write a result in another format"},
    {CLI_COMPARE, "compare", "A.h5 B.h5", "z-score of every tally; exit code 1 beyond the limit"},
    {CLI_CONVERT, "convert", "FILE", "rewrite an input file as YAML, .mci, Molflow .xml or .zip"},
    {CLI_NEW, "new", "[NAME]", "write a commented starter input; without a name, list them"},
    {CLI_BENCH, "bench", "[light|gas|chem] [FILE]", "measure the built-in cases, or an input of yours, on a device"},
};

enum { N_COMMANDS = sizeof command_table / sizeof *command_table };

static const command_spec *command_spec_of(cli_command command)
{
    const command_spec *spec = command_table;
    while (spec->command != command) {
        spec++;
    }
    return spec;
}

const char *command_name(cli_command command)
{
    return command_spec_of(command)->name;
}

const char *command_operands(cli_command command)
{
    return command_spec_of(command)->operands;
}

const char *command_purpose(cli_command command)
{
    return command_spec_of(command)->purpose;
}

cli_command command_find(const char *name, const char **nearest)
{
    const char *names[N_COMMANDS];
    for (size_t i = 0; i < N_COMMANDS; i++) {
        names[i] = command_table[i].name;
        if (strcmp(name, names[i]) == 0) {
            return command_table[i].command;
        }
    }
    *nearest = nearest_name(name, names, N_COMMANDS);
    return 0;
}

static bool is_one_of(const char *text, const char *choices)
{
    size_t n = strlen(text);
    for (const char *c = choices; *c != '\0';) {
        size_t n_choice = strcspn(c, "|");
        if (n == n_choice && strncmp(c, text, n) == 0) {
            return true;
        }
        c += n_choice + (c[n_choice] == '|');
    }
    return false;
}

static crp_status store_setting(crp_context *context, cli_options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    CRP_CHECK(context, equals != NULL && equals != text, CRP_ERR_ARG,
              "--set %s: must have the form path=value (such as layers[1].mu_a=0.02)", text);
    CRP_CHECK(context, options->n_settings < CLI_MAX_SETTINGS, CRP_ERR_ARG,
              "--set: more than %d settings (put them into a YAML file: corpuscle convert)", (int)CLI_MAX_SETTINGS);
    options->settings[options->n_settings++] = text;
    return CRP_OK;
}

static crp_status store_ignored(crp_context *context, cli_options *options, const char *word)
{
    CRP_CHECK(context, *word != '\0', CRP_ERR_ARG, "--ignore: the value is empty (give the word of a feature)");
    CRP_CHECK(context, options->n_ignored < CLI_MAX_IGNORED, CRP_ERR_ARG, "--ignore: more than %d features",
              (int)CLI_MAX_IGNORED);
    options->ignored[options->n_ignored++] = word;
    return CRP_OK;
}

static crp_status store_export(crp_context *context, cli_options *options, const char *path)
{
    CRP_CHECK(context, *path != '\0', CRP_ERR_ARG, "--export: the value is empty (give a file)");
    CRP_CHECK(context, options->n_exports < CLI_MAX_EXPORTS, CRP_ERR_ARG,
              "--export: more than %d files (write the rest with corpuscle export)", (int)CLI_MAX_EXPORTS);
    options->exports[options->n_exports++] = path;
    return CRP_OK;
}

static crp_status store_length(crp_context *context, cli_options *options, const option_spec *spec, const char *text)
{
    double length = 0;
    char where[32];
    snprintf(where, sizeof where, "--%s", spec->name);
    CRP_TRY(units_parse_real(context, where, text, UNIT_LENGTH, "cm", &length) == CRP_OK ? CRP_OK : CRP_ERR_ARG);
    CRP_CHECK(context, length >= 0, CRP_ERR_ARG, "%s = %s: must not be negative", where, text);
    memcpy((char *)options + spec->offset, &length, sizeof length);
    return CRP_OK;
}

/* An option that stands for a setting: --energy 750keV is --set source.energy=750keV. */
static crp_status store_short(crp_context *context, cli_options *options, const option_spec *spec, const char *text)
{
    CRP_CHECK(context, *text != '\0' && strlen(text) < 128, CRP_ERR_ARG, "--%s: the value is empty or longer than 127 letters",
              spec->name);
    CRP_CHECK(context, options->n_setting_texts < CLI_MAX_SHORT, CRP_ERR_ARG, "--%s: given too often", spec->name);
    char *setting = options->setting_text[options->n_setting_texts++];
    snprintf(setting, sizeof options->setting_text[0], "%s=%s", spec->value, text);
    return store_setting(context, options, setting);
}

static crp_status store_count(crp_context *context, cli_options *options, const option_spec *spec, const char *text)
{
    uint64_t count = 0;
    char where[32];
    snprintf(where, sizeof where, "--%s", spec->name);
    CRP_TRY(units_parse_count(context, where, text, &count) == CRP_OK ? CRP_OK : CRP_ERR_ARG);
    CRP_CHECK(context, count > 0, CRP_ERR_ARG, "%s = 0: must be at least 1", where);
    if (spec->kind == KIND_DIGITS) {
        CRP_CHECK(context, count >= 2 && count <= 17, CRP_ERR_ARG, "%s = %s: must lie in [2, 17]", where, text);
    }
    if (spec->kind == KIND_SMALL || spec->kind == KIND_DIGITS) {
        CRP_CHECK(context, count <= UINT32_MAX, CRP_ERR_ARG, "%s = %s: must be at most 4294967295", where, text);
        memcpy((char *)options + spec->offset, &(uint32_t){(uint32_t)count}, sizeof(uint32_t));
        return CRP_OK;
    }
    memcpy((char *)options + spec->offset, &count, sizeof count);
    return CRP_OK;
}

static crp_status store_real(crp_context *context, cli_options *options, const option_spec *spec, const char *text)
{
    const char *end = text;
    double real = units_scan_real(text, &end);
    CRP_CHECK(context, end != text && *end == '\0' && isfinite(real) && real > 0.0, CRP_ERR_ARG,
              "--%s = %s: must be a number greater than 0 (such as 5.1)", spec->name, text);
    memcpy((char *)options + spec->offset, &real, sizeof real);
    return CRP_OK;
}

static crp_status store(crp_context *context, cli_options *options, const option_spec *spec, const char *text)
{
    char *target = (char *)options + spec->offset;
    double seconds = 0.0;
    switch (spec->kind) {
    case KIND_FLAG:
        memcpy(target, &(bool){true}, sizeof(bool));
        return CRP_OK;
    case KIND_TEXT:
        CRP_CHECK(context, *text != '\0', CRP_ERR_ARG, "--%s: the value is empty (give %s)", spec->name, spec->value);
        memcpy(target, &text, sizeof text);
        return CRP_OK;
    case KIND_CHOICE:
        CRP_CHECK(context, is_one_of(text, spec->value), CRP_ERR_ARG, "--%s = %s: must be one of %s", spec->name, text,
                  spec->value);
        memcpy(target, &text, sizeof text);
        return CRP_OK;
    case KIND_DURATION:
        CRP_CHECK(context, duration_parse(text, &seconds), CRP_ERR_ARG,
                  "--%s = %s: must be a time (such as 30s, 10m or 1h30m)", spec->name, text);
        memcpy(target, &seconds, sizeof seconds);
        return CRP_OK;
    case KIND_COUNT:
    case KIND_SMALL:
    case KIND_DIGITS:
        return store_count(context, options, spec, text);
    case KIND_REAL:
        return store_real(context, options, spec, text);
    case KIND_LENGTH:
        return store_length(context, options, spec, text);
    case KIND_SETTING:
        return store_setting(context, options, text);
    case KIND_IGNORED:
        return store_ignored(context, options, text);
    case KIND_EXPORT:
        return store_export(context, options, text);
    case KIND_SHORT:
        return store_short(context, options, spec, text);
    }
    return CRP_ERR_INTERNAL;
}

static crp_status check_belongs(crp_context *context, cli_command command, const option_spec *spec)
{
    char owners[128] = "";
    if (spec->commands & (unsigned)command) {
        return CRP_OK;
    }
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (spec->commands & (unsigned)command_table[i].command) {
            size_t n = strlen(owners);
            snprintf(owners + n, sizeof owners - n, "%s%s", n == 0 ? "" : ", ", command_table[i].name);
        }
    }
    return context_fail(context, CRP_ERR_ARG, "--%s is not an option of corpuscle %s (it belongs to %s)", spec->name,
                        command_name(command), owners);
}

static crp_status fail_unknown(crp_context *context, cli_command command, const char *written)
{
    const char *names[N_OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (option_table[i].commands & (unsigned)command) {
            names[n++] = option_table[i].name;
        }
    }
    const char *nearest = nearest_name(written + strspn(written, "-"), names, n);
    if (nearest != NULL) {
        return context_fail(context, CRP_ERR_ARG, "unknown option %s (did you mean --%s?)", written, nearest);
    }
    return context_fail(context, CRP_ERR_ARG, "unknown option %s (see: corpuscle %s --help)", written,
                        command_name(command));
}

static const option_spec *find_option(const char *arg, size_t n_name, bool is_long)
{
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const option_spec *spec = &option_table[i];
        if (is_long ? strlen(spec->name) == n_name && strncmp(spec->name, arg + 2, n_name) == 0
                    : spec->letter != 0 && spec->letter == arg[1]) {
            return spec;
        }
    }
    return NULL;
}

/* "--name value", "--name=value", "-n value", "-nvalue". `i` is the index of the argument, moved past a value. */
static crp_status parse_option(crp_context *context, int n_args, char *const *args, int *i, cli_options *options)
{
    const char *arg = args[*i];
    bool is_long = arg[1] == '-';
    size_t n_name = is_long ? strcspn(arg + 2, "=") : 1;
    const char *after = arg + (is_long ? 2 : 1) + n_name;
    const char *attached = *after == '\0' ? NULL : after + is_long;
    char written[64];
    snprintf(written, sizeof written, "%.*s", (int)(after - arg), arg);
    const option_spec *spec = find_option(arg, n_name, is_long);
    if (spec == NULL) {
        return fail_unknown(context, options->command, written);
    }
    CRP_TRY(check_belongs(context, options->command, spec));
    if (spec->kind == KIND_FLAG) {
        CRP_CHECK(context, attached == NULL, CRP_ERR_ARG, "%s takes no value (found %s)", written, attached);
        return store(context, options, spec, "");
    }
    if (attached == NULL) {
        bool is_next_option = *i + 1 < n_args && strncmp(args[*i + 1], "--", 2) == 0;
        CRP_CHECK(context, *i + 1 < n_args && !is_next_option, CRP_ERR_ARG, "%s needs a value (%s)", written,
                  spec->value);
        attached = args[++*i];
    }
    return store(context, options, spec, attached);
}

crp_status options_parse(crp_context *context, cli_command command, int n_args, char *const *args, cli_options *options)
{
    bool is_operands_only = false;
    *options = (cli_options){.command = command, .device = "auto", .progress = "auto", .save_every = -1.0,
                             .vertex_tolerance = (double)NAN, .plane_tolerance = (double)NAN};
    for (int i = 0; i < n_args; i++) {
        const char *arg = args[i];
        if (!is_operands_only && strcmp(arg, "--") == 0) {
            is_operands_only = true;
        } else if (!is_operands_only && arg[0] == '-' && arg[1] != '\0') {
            CRP_TRY(parse_option(context, n_args, args, &i, options));
        } else {
            CRP_CHECK(context, options->n_operands < CLI_MAX_OPERANDS, CRP_ERR_ARG,
                      "too many arguments from %s on (usage: corpuscle %s %s)", arg, command_name(command),
                      command_operands(command));
            options->operands[options->n_operands++] = arg;
        }
    }
    return CRP_OK;
}

void options_print_help(cli_command command, FILE *file)
{
    fprintf(file, "usage: corpuscle %s %s [options]\n%s\n\n", command_name(command), command_operands(command),
            command_purpose(command));
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const option_spec *spec = &option_table[i];
        if (!(spec->commands & (unsigned)command)) {
            continue;
        }
        char left[64];
        char letter[5] = "    ";
        if (spec->letter != 0) {
            snprintf(letter, sizeof letter, "-%c, ", spec->letter);
        }
        snprintf(left, sizeof left, "%s--%s %s", letter, spec->name, spec->value == NULL ? "" : spec->kind == KIND_SHORT ? "VALUE" : spec->value);
        fprintf(file, "  %-38s %s\n", left, spec->help);
    }
}
