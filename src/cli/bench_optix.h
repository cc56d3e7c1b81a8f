/** `corpuscle bench gas-optix`: the experiments of Baehr and Lang on the device optix, beside their figures. */
#ifndef CLI_BENCH_OPTIX_H
#define CLI_BENCH_OPTIX_H

#include "cli/cli.h"

/** Whether an operand of `bench` asks for it: "gas-optix", or one experiment, "gas-optix:copies". */
bool bench_optix_is_meant(const char *operand);

/** Run the experiments, or the one that is named, and print a row each. */
cli_exit bench_optix(crp_context *context, const cli_options *options, const char *operand);

#endif
