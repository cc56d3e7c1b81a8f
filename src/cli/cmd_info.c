/** corpuscle info: what this machine, this program or a result file holds. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "comm/comm.h"
#include "core/json.h"
#include "engine/statepoint.h"
#include "io/export_json.h"

#include <hdf5.h>
#include <inttypes.h>
#include <string.h>
#include <yaml.h>

/* Approximations of the hardware are for GPUs. */
static bool has_fast_math(const char *kind)
{
    return strcmp(kind, "cpu") != 0;
}

static void print_device_json(const char *kind, const device_info *info, const char *reason)
{
    fputs("{\"kind\":", stdout);
    json_write_string(stdout, kind);
    if (info == NULL) {
        fputs(",\"available\":false,\"reason\":", stdout);
        json_write_string(stdout, reason);
        fputs("}\n", stdout);
        return;
    }
    fputs(",\"available\":true,\"device\":", stdout);
    json_write_string(stdout, info->label);
    fputs(",\"name\":", stdout);
    json_write_string(stdout, info->name);
    fputs(",\"detail\":", stdout);
    json_write_string(stdout, info->detail);
    printf(",\"units\":%" PRIu32 ",\"memory\":%" PRIu64 ",\"memory_available\":%" PRIu64 ",\"math\":[\"strict\"%s]}\n",
           info->n_units, info->memory_total, info->memory_free, has_fast_math(kind) ? ",\"fast\"" : "");
}

static void print_device(void *user, const char *kind, const device_info *info, const char *reason)
{
    const cli_options *options = user;
    if (options->json) {
        print_device_json(kind, info, reason);
    } else if (info == NULL) {
        printf("%-10s none (%s)\n", kind, reason);
    } else {
        char memory[16], available[16];
        progress_format_si((double)info->memory_total, memory, sizeof memory);
        progress_format_si((double)info->memory_free, available, sizeof available);
        printf("%-10s %s, %sB (%sB free); %s%smath %s\n", info->label, info->name, memory, available, info->detail,
               info->detail[0] != '\0' ? "; " : "", has_fast_math(kind) ? "strict, fast" : "strict");
    }
}

static cli_exit info_build(void)
{
    unsigned major = 0, minor = 0, release = 0;
    int yaml_major = 0, yaml_minor = 0, yaml_patch = 0;
    char path[4096];
    H5get_libversion(&major, &minor, &release);
    yaml_get_version(&yaml_major, &yaml_minor, &yaml_patch);
    printf("version    %s\ncommit     %s\ncompiler   %s\nhdf5       %u.%u.%u\nlibyaml    %d.%d.%d\n", crp_version(),
           crp_commit(), __VERSION__, major, minor, release, yaml_major, yaml_minor, yaml_patch);
    printf("mpi        %s\n", comm_find_plugin(path, sizeof path) ? path : "no plug-in for several processes was built or installed");
    for (const device_cpu_kernel *k = device_cpu_kernels; k->entry != NULL; k++) {
        printf("kernel     %s for %s%s%s\n", k->entry, k->isa, k->features[0] != '\0' ? " with " : "", k->features);
    }
    return CLI_DONE;
}

static void print_tally(const crp_result *result, size_t i)
{
    const tally_spec *tally = &result->tallies[i];
    char shape[80] = "scalar";
    for (uint32_t k = 0; k < tally->n_dims; k++) {
        size_t n = k == 0 ? 0 : strlen(shape);
        snprintf(shape + n, sizeof shape - n, "%s%zu %s", k == 0 ? "" : " x ", tally->shape[k], tally->axis_name[k]);
    }
    printf("  tally %-24s %-8s %-24s %s\n", tally->name, tally->unit, shape, tally->description);
}

static void print_run(const crp_result *result, uint32_t group)
{
    printf("run %" PRIu32 ": %s (%s)\n", group, result->model_name, result->kind);
    printf("  input digest %s\n  written by corpuscle %s (%s) on %s, %s\n", result->model_digest, result->version,
           result->commit, result->host, result->date);
    printf("  %" PRIu64 " of %" PRIu64 " %s in %" PRIu32 " batches of %" PRIu64 "%s\n", result->histories,
           result->histories_planned, result->history_name, result->batches, result->batch_size,
           result->histories < result->histories_planned ? " (not all: go on with --restart)" : "");
    if (result->until[0] != '\0') {
        printf("  until %s\n", result->until);
    }
    summary_print(stdout, result, true);
    for (size_t i = 0; i < result->n_tallies; i++) {
        print_tally(result, i);
    }
}

static crp_status info_run(crp_context *context, const cli_options *options, statepoint_file *file, uint32_t group)
{
    crp_result *result = NULL;
    crp_status status = statepoint_file_read(context, file, group, &result);
    if (status == CRP_OK && options->json) {
        status = result_write_json(context, result, stdout);
    } else if (status == CRP_OK) {
        print_run(result, group);
    }
    crp_result_destroy(&result);
    return status;
}

static cli_exit info_file(crp_context *context, const cli_options *options, const char *path)
{
    statepoint_file *file = NULL;
    uint32_t n_groups = 0;
    crp_status status = statepoint_open(context, path, &file, &n_groups);
    uint32_t first = options->group != 0 ? options->group : 1;
    uint32_t last = options->group != 0 ? first : n_groups;
    for (uint32_t group = first; group <= last && status == CRP_OK; group++) {
        status = info_run(context, options, file, group);
    }
    statepoint_close(&file);
    return status == CRP_OK ? CLI_DONE : cli_report(context, status, CLI_BEFORE_RUN);
}

cli_exit cmd_info(crp_context *context, const cli_options *options)
{
    cli_exit code = cli_expect_operands(options, 1, "what to tell about");
    if (code != CLI_DONE) {
        return code;
    }
    const char *what = options->operands[0];
    if (strcmp(what, "devices") == 0) {
        device_list(context, print_device, (void *)(uintptr_t)options);
        return CLI_DONE;
    }
    if (strcmp(what, "build") == 0) {
        return info_build();
    }
    return info_file(context, options, what);
}
