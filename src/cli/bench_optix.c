/* The experiments of Baehr and Lang, "Development of a hardware-accelerated simulation kernel for ultra-high vacuum
 * with Nvidia RTX GPUs": one option after the other is varied on tubes of L/R = 100 with 100 and 1000 walls. */
#include "cli/bench_optix.h"

#include "cli/interrupt.h"
#include "core/json.h"
#include "engine/lane.h"
#include "engine/result.h"
#include "io/starter.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETTINGS = 10, MAX_TEXT = 64, N_TUBES = 2 };

static const unsigned walls[N_TUBES] = {100, 1000};
static const uint64_t molecules[N_TUBES] = {40000000, 20000000};

/* One row: what is varied and to what; rates of the study in its Table 1 [MHit/s], 0: it gives a figure, no numbers. */
typedef struct variant {
    const char *experiment, *name;
    const char *settings[MAX_SETTINGS];
    double rtx2060[N_TUBES], rtx3090[N_TUBES];
} variant;

#define TEXTURES                                                                                                       \
    "facets.wall.texture.u=10", "facets.wall.texture.v=10", "facets.inlet.texture.u=10", "facets.inlet.texture.v=10",  \
        "facets.outlet.texture.u=10", "facets.outlet.texture.v=10"
#define LEAKS_AT_ONCE "optix.second_look=false"
#define BATCH(n, depth)                                                                                                \
    {                                                                                                                  \
        "random", "batches of " n ", depth " depth, {"optix.batch=" n, "optix.depth=" depth}, {0},                     \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define AD_HOC(depth)                                                                                                  \
    {                                                                                                                  \
        "random", "ad hoc, depth " depth, {"optix.depth=" depth}, {0},                                                 \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define THREADS(n)                                                                                                     \
    {                                                                                                                  \
        "threads", n, {"optix.threads=" n}, {0},                                                                       \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define COPIES(n)                                                                                                      \
    {                                                                                                                  \
        "copies", n, {"optix.copies=" n}, {0},                                                                         \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

/* In the study's order; what is not varied has the defaults. */
static const variant variants[] = {
    THREADS("16384"),
    THREADS("65536"),
    THREADS("262144"),
    THREADS("1048576"),
    THREADS("2097152"),
    THREADS("4194304"),
    COPIES("1"),
    COPIES("2"),
    COPIES("4"),
    COPIES("8"),
    COPIES("16"),
    {"random", "ad hoc, loop", {NULL}, {0}, {0}},
    {"random", "batches of 1, loop", {"optix.batch=1"}, {0}, {0}},
    {"random", "batches of 4, loop", {"optix.batch=4"}, {0}, {0}},
    {"random", "batches of 16, loop", {"optix.batch=16"}, {0}, {0}},
    AD_HOC("1"),
    AD_HOC("2"),
    AD_HOC("4"),
    AD_HOC("8"),
    AD_HOC("16"),
    BATCH("1", "1"),
    BATCH("1", "4"),
    BATCH("1", "16"),
    BATCH("4", "1"),
    BATCH("4", "16"),
    {"mesh", "triangles", {NULL}, {747.10, 538.55}, {2646.48, 1819.27}},
    {"mesh", "triangles, textures", {TEXTURES}, {575.10, 374.87}, {2003.73, 1347.90}},
    {"mesh", "polygons", {"optix.mesh=polygons"}, {298.62, 172.48}, {1308.18, 602.03}},
    {"mesh", "polygons, textures", {"optix.mesh=polygons", TEXTURES}, {274.10, 152.82}, {1168.75, 548.91}},
    {"safeguards", "both, second look", {NULL}, {0}, {0}},
    {"safeguards", "both", {LEAKS_AT_ONCE}, {0}, {0}},
    {"safeguards", "culling", {LEAKS_AT_ONCE, "optix.offset=false"}, {0}, {0}},
    {"safeguards", "offset", {LEAKS_AT_ONCE, "optix.culling=false"}, {0}, {0}},
    {"safeguards", "none", {LEAKS_AT_ONCE, "optix.culling=false", "optix.offset=false"}, {0}, {0}},
    {"safeguards", "both, positions of the ray", {LEAKS_AT_ONCE, "optix.positions=ray"}, {0}, {0}},
    {"safeguards",
     "culling, positions of the ray",
     {LEAKS_AT_ONCE, "optix.positions=ray", "optix.offset=false"},
     {0},
     {0}},
    {"safeguards",
     "offset, positions of the ray",
     {LEAKS_AT_ONCE, "optix.positions=ray", "optix.culling=false"},
     {0},
     {0}},
    {"safeguards",
     "none, positions of the ray",
     {LEAKS_AT_ONCE, "optix.positions=ray", "optix.culling=false", "optix.offset=false"},
     {0},
     {0}},
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static const char *experiment_of(const char *operand)
{
    return operand[strlen("gas-optix")] == ':' ? operand + strlen("gas-optix:") : "";
}

bool bench_optix_is_meant(const char *operand)
{
    if (strncmp(operand, "gas-optix", strlen("gas-optix")) != 0) {
        return false;
    }
    const char *wanted = experiment_of(operand);
    bool is_known = strcmp(operand, "gas-optix") == 0 || strcmp(wanted, "precision") == 0;
    for (size_t i = 0; i < N_VARIANTS; i++) {
        is_known = is_known || strcmp(variants[i].experiment, wanted) == 0;
    }
    return is_known;
}

/* Geometry of the precision study: rays and positions in single precision, positions in double, all in double. */
static const struct geometry {
    const char *name;
    const char *device; /* NULL: the one that is measured */
    const char *setting;
} geometries[] = {{"single", NULL, "optix.positions=ray"},
                  {"single, places double", NULL, "optix.positions=plane"},
                  {"double (cuda)", "cuda:0", "optix.positions=plane"}};
enum { N_GEOMETRIES = sizeof geometries / sizeof *geometries, N_RUNS = 50 };
static const uint64_t PRECISION_MOLECULES = 10000000;

/* What a run gave. */
typedef struct outcome {
    char device[256];
    double rate, leaks, transmission, error; /* hits/s, leaks a hit */
    uint64_t histories, hits;
} outcome;

static int stop_when_asked(void *user, const crp_progress *progress)
{
    (void)user;
    (void)progress;
    return interrupt_requested();
}

static double event(const crp_result *result, const char *name)
{
    for (size_t i = 0; i < result->n_events; i++) {
        if (strcmp(result->events[i].name, name) == 0) {
            return (double)result->event_count[i];
        }
    }
    return (double)NAN;
}

static void take(const crp_result *result, outcome *out)
{
    double seconds = isfinite(result->device_seconds) ? result->device_seconds : result->seconds;
    double hits = event(result, "hits");
    *out = (outcome){.rate = hits / seconds,
                     .leaks = event(result, "leaks") / hits,
                     .histories = result->histories,
                     .hits = (uint64_t)hits};
    snprintf(out->device, sizeof out->device, "%s", result->device);
    for (size_t i = 0; i < result->n_results; i++) {
        const result_spec *r = &result->results[i];
        if (strcmp(r->name, "transmission") == 0 && strcmp(r->of_name, "inlet->outlet") == 0) {
            out->transmission = result_bin_mean(result, r->tally, r->bin);
            out->error = result_bin_std_dev(result, r->tally, r->bin);
        }
    }
}

static crp_status run_variant(crp_context *context, const cli_options *given, const char *label, const variant *v,
                              unsigned tube, uint64_t seed, uint64_t histories, outcome *out)
{
    char sides[MAX_TEXT];
    const char *settings[MAX_SETTINGS + 2] = {"length_over_radius=100", sides};
    size_t n = 2;
    crp_input *input = NULL;
    crp_result *result = NULL;
    crp_run_options options = crp_run_options_default();
    snprintf(sides, sizeof sides, "sides=%u", walls[tube]);
    for (size_t i = 0; i < MAX_SETTINGS && v->settings[i] != NULL; i++) {
        settings[n++] = v->settings[i];
    }
    options.device = label;
    options.seed = seed;
    options.batches = 2; /* few launches: each ends with its slowest molecule */
    options.progress = stop_when_asked;
    options.histories = given->histories != 0 ? given->histories : histories;
    options.math = given->math != NULL && strcmp(given->math, "fast") == 0 ? CRP_MATH_FAST : CRP_MATH_STRICT;
    crp_status status = starter_load(context, "gas-tube", settings, n, &input);
    if (status == CRP_OK) {
        status = crp_run_execute(context, crp_input_model(input, 0), &options, &result);
    }
    if (status == CRP_OK) {
        take(result, out);
    }
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    return status;
}

static void print_row(const variant *v, unsigned tube, const outcome *o)
{
    printf("%-10s %-30s %5u %10.1f %9.1e %.6f +- %.6f", v->experiment, v->name, walls[tube], o->rate / 1e6, o->leaks,
           o->transmission, o->error);
    if (v->rtx2060[tube] > 0.0) {
        printf(" %9.1f %9.1f", v->rtx2060[tube], v->rtx3090[tube]);
    }
    puts("");
}

static void print_json(const variant *v, unsigned tube, const outcome *o)
{
    printf("{\"experiment\":\"%s\",\"variant\":\"%s\",\"walls\":%u,\"device\":", v->experiment, v->name, walls[tube]);
    json_write_string(stdout, o->device);
    printf(",\"histories\":%" PRIu64 ",\"hits\":%" PRIu64 ",\"rate\":{\"value\":", o->histories, o->hits);
    json_write_real(stdout, o->rate / 1e6);
    printf(",\"unit\":\"Mhits/s\"},\"leaks_per_hit\":");
    json_write_real(stdout, o->leaks);
    printf(",\"transmission\":");
    json_write_real(stdout, o->transmission);
    printf(",\"std_dev\":");
    json_write_real(stdout, o->error);
    if (v->rtx2060[tube] > 0.0) {
        printf(",\"study\":{\"rtx2060\":%.2f,\"rtx3090\":%.2f}", v->rtx2060[tube], v->rtx3090[tube]);
    }
    puts("}");
}

/* The transmission of fifty sets of molecules, all others, and what of them leaked. */
typedef struct spread {
    double sum, least, largest, leaks, hits;
} spread;

static void add_set(const crp_plan *plan, const crp_wide *bins, const uint64_t *events, uint64_t n, spread *s)
{
    for (size_t i = 0; i < plan->n_events; i++) {
        s->leaks += strcmp(plan->events[i].name, "leaks") == 0 ? (double)events[i] : 0.0;
        s->hits += strcmp(plan->events[i].name, "hits") == 0 ? (double)events[i] : 0.0;
    }
    for (size_t i = 0; i < plan->n_results; i++) {
        const result_spec *r = &plan->results[i];
        if (strcmp(r->name, "transmission") == 0 && strcmp(r->of_name, "inlet->outlet") == 0) {
            double w = (double)bins[r->bin] / (double)n;
            s->sum += w;
            s->least = fmin(s->least, w);
            s->largest = fmax(s->largest, w);
        }
    }
}

/* One launch a set: set k has the molecules k n to (k + 1) n - 1. */
static crp_status run_sets(device_lane *lane, uint64_t n, spread *s)
{
    const crp_plan *plan = lane->plan;
    uint64_t *words = calloc(plan->n_words, sizeof *words), *events = calloc(plan->n_events, sizeof *events);
    crp_wide *bins = calloc(plan->n_bins, sizeof *bins);
    crp_status status = words != NULL && events != NULL && bins != NULL ? CRP_OK : CRP_ERR_MEMORY;
    for (uint64_t k = 0; k < N_RUNS && status == CRP_OK && !interrupt_requested(); k++) {
        double seconds = 0.0;
        status = lane_start(lane, 0, (history_range){.first = k * n, .count = n, .ends_batch = true});
        status = status == CRP_OK ? lane_collect(lane, 0, words, &seconds) : status;
        memset(bins, 0, plan->n_bins * sizeof *bins);
        memset(events, 0, plan->n_events * sizeof *events);
        lane->model->module->reduce(plan, words, n, bins, events);
        add_set(plan, bins, events, n, s);
    }
    free(words);
    free(events);
    free(bins);
    return status;
}

static void print_spread(const cli_options *options, const struct geometry *g, unsigned tube, uint64_t n,
                         const spread *s)
{
    const char *format =
        options->json
            ? "{\"experiment\":\"precision\",\"variant\":\"%s\",\"walls\":%u,\"runs\":%d,\"histories\":%" PRIu64
              ",\"mean\":%.8f,\"least\":%.8f,\"largest\":%.8f,\"leaks_per_hit\":%.3g}\n"
            : "precision  %-30s %5u  %d sets of %" PRIu64 ": W %.7f, from %.7f to %.7f; leaks/hit %.1e\n";
    printf(format, g->name, walls[tube], N_RUNS, n, s->sum / N_RUNS, s->least, s->largest, s->leaks / s->hits);
    fflush(stdout);
}

static crp_status measure_precision(crp_context *context, const cli_options *options, const char *label, unsigned tube,
                                    const struct geometry *g)
{
    char sides[MAX_TEXT];
    const char *settings[] = {"length_over_radius=100", sides, g->setting};
    uint64_t n = options->histories != 0 ? options->histories : PRECISION_MOLECULES;
    spread s = {.least = INFINITY};
    crp_run_options run = crp_run_options_default();
    crp_input *input = NULL;
    crp_plan *plan = NULL;
    device_lane *lane = NULL;
    crp_status status;
    snprintf(sides, sizeof sides, "sides=%u", walls[tube]);
    run.device = g->device != NULL && strcmp(label, "cpu") != 0 ? g->device : label;
    CRP_GOTO(starter_load(context, "gas-tube", settings, 3, &input), done);
    const crp_model *model = crp_input_model(input, 0);
    CRP_GOTO(model->module->plan(context, model, options->seed != 0 ? options->seed : 1, &plan), done);
    CRP_GOTO(lane_open(context, model, plan, &run, N_RUNS * n, N_RUNS, &lane), done);
    CRP_GOTO(run_sets(lane, n, &s), done);
    print_spread(options, g, tube, n, &s);
done:
    lane_close(&lane);
    plan_destroy(&plan);
    crp_input_destroy(&input);
    return status;
}

static crp_status bench_precision(crp_context *context, const cli_options *options, const char *label)
{
    crp_status status = CRP_OK;
    for (unsigned tube = 0; tube < N_TUBES; tube++) {
        for (size_t i = 0; i < N_GEOMETRIES && status == CRP_OK; i++) {
            status = measure_precision(context, options, label, tube, &geometries[i]);
        }
    }
    return status;
}

static crp_status bench_variants(crp_context *context, const cli_options *options, const char *label,
                                 const char *wanted)
{
    bool has_head = options->json;
    for (size_t i = 0; i < N_VARIANTS; i++) {
        for (unsigned tube = 0; tube < N_TUBES; tube++) {
            outcome out;
            if (wanted[0] != '\0' && strcmp(variants[i].experiment, wanted) != 0) {
                continue;
            }
            CRP_TRY(run_variant(context, options, label, &variants[i], tube, options->seed, molecules[tube], &out));
            if (!has_head) {
                printf("corpuscle %s (%s), %s\n%-10s %-30s %5s %10s %9s %-20s %9s %9s\n", crp_version(), crp_commit(),
                       out.device, "experiment", "variant", "walls", "Mhits/s", "leaks/hit", "transmission", "RTX 2060",
                       "RTX 3090");
                has_head = true;
            }
            (options->json ? print_json : print_row)(&variants[i], tube, &out);
            fflush(stdout);
        }
    }
    return CRP_OK;
}

/* A device stays open for all of it: its driver then starts once. */
cli_exit bench_optix(crp_context *context, const cli_options *options, const char *operand)
{
    const char *label = strcmp(options->device, "auto") == 0 ? "optix:0" : options->device,
               *wanted = experiment_of(operand);
    device *held = NULL;
    interrupt_install(!options->quiet, false);
    crp_status status = device_open(context, label, NULL, &held);
    if (status == CRP_OK) {
        status = strcmp(wanted, "precision") == 0 ? bench_precision(context, options, label)
                                                  : bench_variants(context, options, label, wanted);
    }
    device_close(&held);
    if (status != CRP_OK) {
        return cli_report(context, status, CLI_IN_RUN);
    }
    if (!options->json && !options->quiet) {
        fputs("RTX 2060, RTX 3090: rates of the study's kernel (Baehr and Lang, Table 1) in Mhits/s\n", stderr);
    }
    return CLI_DONE;
}
