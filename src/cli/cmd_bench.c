/** corpuscle bench: speed of the built-in cases on one device, in numbers that can be compared. */
#include "cli/bench_cases.h"
#include "cli/bench_optix.h"
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
    double work;           /* histories, or what the case counts */
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

/* What a run has done: its histories, or a counter. */
static double work_of(const crp_result *result, const char *event)
{
    for (size_t i = 0; event != NULL && i < result->n_events; i++) {
        if (strcmp(result->events[i].name, event) == 0) {
            return (double)result->event_count[i];
        }
    }
    return (double)result->histories;
}

static crp_status run_once(crp_context *context, const crp_model *model, crp_run_options *options, const char *event,
                           measurement *m, double *seconds, double *device_seconds)
{
    crp_result *result = NULL;
    crp_status status = crp_run_execute(context, model, options, &result);
    if (status == CRP_OK) {
        snprintf(m->device, sizeof m->device, "%s", result->device);
        snprintf(m->math, sizeof m->math, "%s", result->math);
        memcpy(m->digest, result->digest, sizeof m->digest);
        m->histories = result->histories;
        m->work = work_of(result, event);
        *seconds = result->seconds;
        *device_seconds = result->device_seconds;
    }
    crp_result_destroy(&result);
    return status;
}

/* The model of a case: of its starter, or of the user's file with the settings of both. */
static crp_status load_case(crp_context *context, const bench_case *bench, const cli_options *given, const char *file, crp_input **input)
{
    const char *settings[CLI_MAX_SETTINGS + BENCH_MAX_SETTINGS];
    size_t n = 0;
    for (; file != NULL && n < given->n_settings; n++) {
        settings[n] = given->settings[n];
    }
    for (size_t i = 0; i < BENCH_MAX_SETTINGS && bench->settings[i] != NULL; i++) {
        settings[n++] = bench->settings[i];
    }
    if (file == NULL) {
        return starter_load(context, bench->starter, settings, n, input);
    }
    crp_input_options options = crp_input_options_default();
    options.settings = settings;
    options.n_settings = n;
    return crp_input_load(context, file, &options, input);
}

/* One short run to compile kernels and wake the device, then the median of three. */
static crp_status measure(crp_context *context, const bench_case *bench, const cli_options *given, const char *label,
                          const char *file, measurement *m)
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
    crp_status status = load_case(context, bench, given, file, &input);
    if (status != CRP_OK) {
        return status;
    }
    const crp_model *model = crp_input_model(input, 0);
    if (strcmp(crp_model_kind(model), bench->kind) != 0) {
        status = context_fail(context, CRP_ERR_ARG, "%s: is of kind %s, not %s: bench %s FILE", file, crp_model_kind(model), bench->kind,
                              crp_model_kind(model));
        crp_input_destroy(&input);
        return status;
    }
    status = run_once(context, model, &options, bench->event, m, &seconds[0], &device_seconds[0]);
    bool is_cpu = strncmp(m->device, "cpu", 3) == 0;
    options.histories = given->histories != 0 ? given->histories : is_cpu ? bench->histories_cpu : bench->histories_gpu;
    for (int i = 0; i < N_REPEATS && status == CRP_OK; i++) {
        status = run_once(context, model, &options, bench->event, m, &seconds[i], &device_seconds[i]);
    }
    if (status == CRP_OK) {
        m->seconds = median3(seconds);
        m->device_seconds = median3(device_seconds);
    }
    crp_input_destroy(&input);
    return status;
}

/* Work per second by the device's own clock where there is one: what the kernel does, without start and transfers. */
static double best_rate(const measurement *m)
{
    return m->work / (isfinite(m->device_seconds) ? m->device_seconds : m->seconds);
}

static void print_row(const bench_case *bench, const measurement *m)
{
    printf("%-19s %-7s %12" PRIu64 " %9.3f %12.1f %12.1f", bench->name, m->math, m->histories, m->seconds,
           m->work / m->seconds / bench->scale, best_rate(m) / bench->scale);
    if (bench->peer_rate > 0.0) {
        printf(" %9.1f\n", best_rate(m) / bench->peer_rate);
    } else {
        printf(" %9s\n", "-");
    }
}

static void print_head(const bench_case *bench, const measurement *m)
{
    struct utsname machine;
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    uname(&machine);
    printf("corpuscle %s (%s), %s, %s %s, %s\n", crp_version(), crp_commit(), date, machine.sysname, machine.machine,
           m->device);
    char peer[32] = "";
    if (bench->peer != NULL) {
        snprintf(peer, sizeof peer, "x %s", bench->peer);
    }
    printf("%-19s %-7s %12s %9s %12s %12s %9s\n", "case", "math", module_find(bench->kind)->history_name, "seconds",
           bench->unit, "in kernels", peer);
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
    json_write_real(stdout, best_rate(m) / bench->scale);
    printf(",\"unit\":\"%s\"}", bench->unit);
    if (bench->peer != NULL) {
        printf(",\"ratio_to_%s\":", strcmp(bench->peer, "MCML") == 0 ? "mcml" : "molflow");
        json_write_real(stdout, bench->peer_rate > 0.0 ? best_rate(m) / bench->peer_rate : (double)NAN);
    }
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
    if (options->n_operands == 1 && bench_optix_is_meant(options->operands[0])) {
        return bench_optix(context, options, options->operands[0]);
    }
    if (options->n_operands >= 1 && !has_cases(options->operands[0])) {
        return cli_usage_error("bench: no built-in cases named %s (there are: light, gas, chem, gas-optix)", options->operands[0]);
    }
    const char *file = options->n_operands == 2 ? options->operands[1] : NULL;
    if (options->n_operands > 2 || (file == NULL && options->n_settings > 0)) {
        return cli_usage_error("bench: %s", options->n_operands > 2 ? "one input file at a time"
                                                                     : "settings are for an input file (bench chem FILE)");
    }
    char gpu[sizeof((device_info *)NULL)->label] = "";
    const char *label = options->device;
    if (strcmp(label, "auto") == 0) {
        device_list(context, prefer_gpu, gpu);
        label = gpu[0] != '\0' ? gpu : "cpu";
    }
    interrupt_install(!options->quiet, false);
    const char *head = "";
    for (const bench_case *bench = file == NULL ? bench_cases : bench_own_cases; bench->name != NULL; bench++) {
        if ((options->n_operands >= 1 && strcmp(options->operands[0], bench->kind) != 0) ||
            (bench->histories_cpu == 0 && strncmp(label, "cpu", 3) == 0)) {
            continue;
        }
        measurement m = {.math = ""};
        crp_status status = measure(context, bench, options, label, file, &m);
        if (status != CRP_OK) {
            return cli_report(context, status, CLI_IN_RUN);
        }
        if (options->json) {
            print_json(bench, &m);
        } else {
            if (strcmp(head, bench->kind) != 0) { /* a head for each kind */
                print_head(bench, &m);
                head = bench->kind;
            }
            print_row(bench, &m);
        }
        fflush(stdout);
    }
    if (!options->json && !options->quiet && file == NULL) {
        fputs(
            "median of 3; in kernels: by the device's own clock; x MCML, x Molflow: against original MCML 1.2.2 and\n"
            "molflowCLI 2.9.25 (gcc -O3) on one core of an AMD EPYC (Zen 4): 90.9 and 25.4 photons/ms, 1.50 and 1.01 Mhits/s\n",
            stderr);
    }
    return CLI_DONE;
}
