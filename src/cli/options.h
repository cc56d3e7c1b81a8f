/** The command line: one table of options for all sub-commands, one parser. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>
#include <stdio.h>

enum { CLI_MAX_OPERANDS = 16, CLI_MAX_SETTINGS = 64, CLI_MAX_IGNORED = 16, CLI_MAX_EXPORTS = 8, CLI_MAX_SHORT = 8 };

/** Sub-commands as bits: an option says by a mask where it may stand. */
typedef enum cli_command {
    CLI_RUN = 1 << 0,
    CLI_CHECK = 1 << 1,
    CLI_INFO = 1 << 2,
    CLI_EXPORT = 1 << 3,
    CLI_COMPARE = 1 << 4,
    CLI_CONVERT = 1 << 5,
    CLI_NEW = 1 << 6,
    CLI_BENCH = 1 << 7
} cli_command;

/** All values that options can have. Strings are borrowed from argv. */
typedef struct cli_options {
    cli_command command;
    const char *operands[CLI_MAX_OPERANDS];
    size_t n_operands;
    const char *output;                     /**< -o; NULL: not given */
    uint64_t histories;                     /**< -n; 0: not given */
    uint32_t batches;                       /**< 0: not given */
    uint64_t seed;                          /**< 0: not given */
    const char *device;                     /**< "auto" by default */
    const char *math;                       /**< "strict" or "fast"; NULL: not given */
    uint32_t threads;                       /**< 0: all */
    const char *settings[CLI_MAX_SETTINGS]; /**< --set, in order */
    size_t n_settings;
    const char *ignored[CLI_MAX_IGNORED];   /**< --ignore, in order */
    size_t n_ignored;
    const char *unit;                       /**< of an STL file; NULL: not given */
    bool is_flipped;                        /**< --flip */
    double vertex_tolerance;                /**< [cm]; NaN: from the file */
    double plane_tolerance;                 /**< the same */
    const char *exports[CLI_MAX_EXPORTS];   /**< --export, in order */
    size_t n_exports;
    const char *template_path;              /**< export: NULL: none */
    char setting_text[CLI_MAX_SHORT][256];  /**< of options that stand for a setting: "source.energy=750 keV" */
    size_t n_setting_texts;
    const char *until; /**< NULL: as the input says */
    double time_limit; /**< seconds; 0: none */
    const char *restart;
    double save_every;    /**< seconds; negative: the library's default */
    const char *progress; /**< "auto", "plain", "json", "none" */
    bool json;
    uint32_t digits;  /**< of numbers in the .mco; 0: MCML's own */
    bool has_std_dev; /**< standard errors in the .mco too */
    bool quiet, verbose, help;
    const char *to;    /**< export, convert: format */
    const char *tally; /**< export: one tally; NULL: all */
    uint32_t group;    /**< export, compare: run in the file, 0: not given */
    double limit;      /**< compare: largest |z|; 0: from the number of bins */
} cli_options;

/** Parse what follows the sub-command's name. Errors: CRP_ERR_ARG, with the nearest option for an unknown one. */
crp_status options_parse(crp_context *context, cli_command command, int n_args, char *const *args,
                         cli_options *options);

/** The options of one sub-command, for its --help. */
void options_print_help(cli_command command, FILE *file);

/** The sub-command of that name, 0 if there is none; `nearest` then gets the most similar name or NULL. */
cli_command command_find(const char *name, const char **nearest);
/** Name, operands and one line of purpose of a sub-command. */
const char *command_name(cli_command command);
const char *command_operands(cli_command command);
const char *command_purpose(cli_command command);

#endif
