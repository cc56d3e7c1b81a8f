/** What a person wants to know at the end of a run, on stderr. */
#include "cli/summary.h"

#include "cli/progress.h"
#include "cli/series.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void summary_format_value(double mean, double std_dev, char *text, size_t size)
{
    if (!isfinite(std_dev)) {
        snprintf(text, size, "%.6g (error unknown)", mean);
        return;
    }
    if (std_dev == 0.0) {
        snprintf(text, size, "%.7g +- 0", mean);
        return;
    }
    int exponent = (int)floor(log10(std_dev));
    int decimals = 1 - exponent;
    double largest = fmax(fabs(mean), std_dev);
    if (decimals < 0 || decimals > 12 || largest >= 1e7 || largest < 1e-4) {
        int digits = (int)floor(log10(largest)) - exponent + 1;
        digits = digits < 1 ? 1 : digits > 16 ? 16 : digits;
        snprintf(text, size, "%.*e +- %.1e", digits, mean, std_dev);
    } else {
        snprintf(text, size, "%.*f +- %.*f", decimals, mean, decimals, std_dev);
    }
}

uint64_t summary_lost(const crp_result *result)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < result->n_events; i++) {
        lost += result->events[i].is_fault ? result->event_count[i] : 0;
    }
    return lost;
}

/* "Rd", "absorbed_fraction 4 (dermis)", "transmission inlet->outlet"; returns its length. */
static int format_label(const result_spec *spec, char *text, size_t size)
{
    if (spec->of == 0) {
        return snprintf(text, size, "%s", spec->name);
    }
    bool has_name = spec->of_name[0] != '\0';
    if (spec->of < 0) {
        return snprintf(text, size, "%s %s", spec->name, spec->of_name);
    }
    return snprintf(text, size, "%s %" PRId64 "%s%s%s", spec->name, spec->of, has_name ? " (" : "", spec->of_name,
                    has_name ? ")" : "");
}

static void print_results(FILE *file, const crp_result *result)
{
    int width = 0;
    char label[160];
    for (size_t i = 0; i < result->n_results; i++) {
        int n = format_label(&result->results[i], label, sizeof label);
        width = n > width ? n : width;
    }
    for (size_t i = 0; i < result->n_results; i++) {
        const result_spec *spec = &result->results[i];
        const char *unit = result->tallies[spec->tally].unit;
        char value[96];
        format_label(spec, label, sizeof label);
        summary_format_value(result_bin_mean(result, spec->tally, spec->bin),
                             result_bin_std_dev(result, spec->tally, spec->bin), value, sizeof value);
        fprintf(file, "  %-*s  %s%s%s\n", width, label, value, strcmp(unit, "1") == 0 ? "" : " ",
                strcmp(unit, "1") == 0 ? "" : unit);
    }
}

void summary_print(FILE *file, const crp_result *result, bool is_verbose)
{
    char rate[16], duration[32];
    progress_format_si((double)result->histories / result->seconds, rate, sizeof rate);
    if (result->seconds < 99.5) {
        snprintf(duration, sizeof duration, "%.3g s", result->seconds);
    } else {
        progress_format_time(result->seconds, duration, sizeof duration);
    }
    fprintf(file, "%s: %" PRIu64 " %s in %s, %s%s/s\n", result->model_name, result->histories, result->history_name,
            duration, rate, result->history_name);
    if (result->histories < result->histories_planned) {
        fprintf(file, "  stopped before %" PRIu64 "%s%s\n", result->histories_planned,
                result->until[0] != '\0' ? ", until " : "", result->until);
    }
    series_print(file, result);
    print_results(file, result);
    if (result->note[0] != '\0') {
        fprintf(file, "  %s\n", result->note);
    }
    bool is_traced = strcmp(result->math, "rays") == 0;
    fprintf(file, "  device %s, %s%s, seed %" PRIu64 ", %" PRIu32 " batches, %" PRIu64 " lost\n", result->device,
            is_traced ? "rays" : result->math, is_traced ? "" : " math", result->seed, result->batches, summary_lost(result));
    if (is_traced) {
        fputs("  its ray tracer decided what is hit: the last digits depend on the GPU and its driver\n", file);
    }
    if (is_verbose) {
        for (size_t i = 0; i < result->n_events; i++) {
            fprintf(file, "  event %s: %" PRIu64 "\n", result->events[i].name, result->event_count[i]);
        }
        fprintf(file, "  digest %s\n", result->digest);
    }
}
