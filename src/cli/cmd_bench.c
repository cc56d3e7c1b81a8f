/** corpuscle bench: speed of the built-in cases on one device, in numbers that can be compared. */
#include "cli/bench_cases.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "core/context.h"
#include "core/json.h"
#include "engine/result.h"
#include "io/starter.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

enum { N_REPEATS = 3 };

typedef struct measurement {
    char device[256], math[8], digest[65];
    uint64_t histories;
    double seconds;        /* wall time of the transport, median */
    double device_seconds; /* by the device's clock, median; NaN where unknown */
} measurement;

/* The fastest kind there is: `auto` of a run would take the CPU for the short warm-up. */
static void prefer_gpu(void *user, const char *kind, const device_info *info, const char *reason)
{
    char *label = user;
    (void)reason;
    if (info != NULL && label[0] == '\0' && strcmp(kind, "cuda") == 0) {
        snprintf(label, sizeof info->label, "%s", info->label);
    }
}

static int stop_when_asked(void *user, const crp_progress *progress)
{
    (void)user;
    (void)progress;
    return interrupt_requested();
}

static double median3(const double *x)
{
    return fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
}

static crp_status run_once(crp_context *context, const crp_model *model, crp_run_options *options, measurement *m,
                           double *seconds, double *device_seconds)
{
    crp_result *result = NULL;
    crp_status status = crp_run_execute(context, model, options, &result);
    if (status == CRP_OK) {
        snprintf(m->device, sizeof m->device, "%s", result->device);
        snprintf(m->math, sizeof m->math, "%s", result->math);
        memcpy(m->digest, result->digest, sizeof m->digest);
        m->histories = result->histories;
        *seconds = result->seconds;
        *device_seconds = result->device_seconds;
    }
    crp_result_destroy(&result);
    return status;
}

/* One short run to compile kernels and wake the device, then the median of three. */
static crp_status measure(crp_context *context, const bench_case *bench, const cli_options *given, const char *label,
                          measurement *m)
{
    crp_input *input = NULL;
    double seconds[N_REPEATS], device_seconds[N_REPEATS];
    crp_run_options options = crp_run_options_default();
    options.device = label;
    options.threads = given->threads;
    options.seed = given->seed;
    options.math = given->math != NULL && strcmp(given->math, "fast") == 0 ? CRP_MATH_FAST : CRP_MATH_STRICT;
    options.progress = stop_when_asked;
    options.histories = bench->histories_cpu / 10 + 1;
    crp_status status = starter_load(context, bench->starter, &bench->setting, 1, &input);
    if (status != CRP_OK) {
        return status;
    }
    const crp_model *model = crp_input_model(input, 0);
    status = run_once(context, model, &options, m, &seconds[0], &device_seconds[0]);
    bool is_cpu = strncmp(m->device, "cpu", 3) == 0;
    options.histories = given->histories != 0 ? given->histories : is_cpu ? bench->histories_cpu : bench->histories_gpu;
    for (int i = 0; i < N_REPEATS && status == CRP_OK; i++) {
        status = run_once(context, model, &options, m, &seconds[i], &device_seconds[i]);
    }
    if (status == CRP_OK) {
        m->seconds = median3(seconds);
        m->device_seconds = median3(device_seconds);
    }
    crp_input_destroy(&input);
    return status;
}

/* Photons/ms by the device's own clock where there is one: what the kernel does, without start and transfers. */
static double best_rate(const measurement *m)
{
    return (double)m->histories / (isfinite(m->device_seconds) ? m->device_seconds : m->seconds);
}

static void print_row(const bench_case *bench, const measurement *m)
{
    if (bench->mcml_rate == 0.0) { /* no counterpart in MCML: the time of a history */
        printf("%-24s %-7s %8" PRIu64 " %9.3f %12.4f %12.4f\n", bench->name, m->math, m->histories, m->seconds,
               1e3 * m->seconds / (double)m->histories, 1e3 / best_rate(m));
        return;
    }
    printf("%-16s %-7s %12" PRIu64 " %9.3f %12.1f %12.1f %9.1f\n", bench->name, m->math, m->histories, m->seconds,
           (double)m->histories / m->seconds / 1e3, best_rate(m) / 1e3, best_rate(m) / bench->mcml_rate);
}

static void print_columns(const bench_case *bench)
{
    if (bench->mcml_rate == 0.0) {
        printf("%-24s %-7s %8s %9s %12s %12s\n", "case", "math", "tracks", "seconds", "ms a track", "in kernels");
    } else {
        printf("%-16s %-7s %12s %9s %12s %12s %9s\n", "case", "math", "photons", "seconds", "photons/ms", "in kernels", "x MCML");
    }
}

static void print_head(const measurement *m)
{
    struct utsname machine;
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    uname(&machine);
    printf("corpuscle %s (%s), %s, %s %s, %s\n", crp_version(), crp_commit(), date, machine.sysname, machine.machine,
           m->device);
}

static void print_json(const bench_case *bench, const measurement *m)
{
    fputs("{\"case\":", stdout);
    json_write_string(stdout, bench->name);
    printf(",\"version\":\"%s\",\"commit\":\"%s\",\"device\":", crp_version(), crp_commit());
    json_write_string(stdout, m->device);
    printf(",\"math\":\"%s\",\"histories\":%" PRIu64 ",\"seconds\":", m->math, m->histories);
    json_write_real(stdout, m->seconds);
    fputs(",\"device_seconds\":", stdout);
    json_write_real(stdout, m->device_seconds);
    fputs(",\"rate\":{\"value\":", stdout);
    json_write_real(stdout, best_rate(m) / 1e3);
    printf(",\"unit\":\"%s/ms\"},\"ratio_to_mcml\":", bench->mcml_rate > 0.0 ? "photons" : "tracks");
    json_write_real(stdout, bench->mcml_rate > 0.0 ? best_rate(m) / bench->mcml_rate : (double)NAN);
    printf(",\"digest\":\"%s\"}\n", m->digest);
}

static bool has_cases(const char *kind)
{
    const bench_case *bench = bench_cases;
    while (bench->name != NULL && strcmp(bench->kind, kind) != 0) {
        bench++;
    }
    return bench->name != NULL;
}

cli_exit cmd_bench(crp_context *context, const cli_options *options)
{
    if (options->n_operands > 1 || (options->n_operands == 1 && !has_cases(options->operands[0]))) {
        return cli_usage_error("bench: no built-in cases named %s (there are: light, chem)", options->operands[0]);
    }
    char gpu[sizeof((device_info *)NULL)->label] = "";
    const char *label = options->device;
    if (strcmp(label, "auto") == 0) {
        device_list(context, prefer_gpu, gpu);
        label = gpu[0] != '\0' ? gpu : "cpu";
    }
    interrupt_install(!options->quiet, false);
    bool has_head = false;
    const char *kind = "";
    for (const bench_case *bench = bench_cases; bench->name != NULL; bench++) {
        if (options->n_operands == 1 && strcmp(options->operands[0], bench->kind) != 0) {
            continue;
        }
        measurement m = {.math = ""};
        crp_status status = measure(context, bench, options, label, &m);
        if (status != CRP_OK) {
            return cli_report(context, status, CLI_IN_RUN);
        }
        if (options->json) {
            print_json(bench, &m);
        } else {
            if (!has_head) {
                print_head(&m);
                has_head = true;
            }
            if (strcmp(kind, bench->kind) != 0) {
                print_columns(bench);
                kind = bench->kind;
            }
            print_row(bench, &m);
        }
        fflush(stdout);
    }
    if (!options->json && !options->quiet) {
        fputs(
            "median of 3; in kernels: by the device's own clock; x MCML: against original MCML 1.2.2 (gcc -O3) on one\n"
            "core of an AMD EPYC (Zen 4), 90.9 and 25.4 photons/ms\n",
            stderr);
    }
    return CLI_DONE;
}
