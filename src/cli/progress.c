/** What a run shows while it goes: a bar, lines, JSON lines or nothing, on stderr. */
#include "cli/progress.h"

#include "cli/interrupt.h"
#include "core/json.h"
#include "engine/trigger.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BAR_WIDTH = 24, SHOWN_DEVICES = 4 };

static const double PLAIN_INTERVAL = 10.0; /* seconds: a log file of a night stays readable */

static FILE *bar_file; /* where a bar stands now, NULL if nowhere; the log callback has to know */

progress_style progress_style_of(const char *option, bool quiet, bool is_terminal)
{
    if (strcmp(option, "json") == 0) {
        return PROGRESS_JSON;
    }
    if (strcmp(option, "plain") == 0) {
        return PROGRESS_PLAIN;
    }
    if (strcmp(option, "none") == 0 || quiet) {
        return PROGRESS_NONE;
    }
    return is_terminal ? PROGRESS_BAR : PROGRESS_PLAIN;
}

void progress_start(progress *p, progress_style style, FILE *file, const char *label, const char *unit, uint32_t run,
                    uint32_t n_runs)
{
    *p = (progress){
        .style = style, .file = file, .unit = unit, .run = run, .n_runs = n_runs, .next_seconds = PLAIN_INTERVAL};
    snprintf(p->label, sizeof p->label, "%s", label);
    if (style == PROGRESS_BAR) {
        fprintf(file, "%s: starting ...", p->label);
        fflush(file);
        bar_file = file;
    }
}

void progress_clear(void)
{
    if (bar_file != NULL) {
        fputs("\r\033[K", bar_file);
        fflush(bar_file);
        bar_file = NULL;
    }
}

double progress_remaining(const crp_progress *now)
{
    if (!(now->rate > 0.0)) {
        return (double)NAN;
    }
    double done = (double)now->histories_done, needed = (double)now->histories_total;
    double ratio = now->rel_err / now->rel_err_target;
    if (isfinite(ratio) && now->batches_total > TRIGGER_MIN_BATCHES) {
        double least = needed * TRIGGER_MIN_BATCHES / now->batches_total;
        needed = fmin(needed, fmax(least, done * ratio * ratio)); /* errors fall as 1 / sqrt(n) */
    }
    return needed > done ? (needed - done) / now->rate : 0.0;
}

void progress_format_time(double seconds, char *text, size_t size)
{
    if (!(seconds >= 0.0) || seconds > 1e9) {
        snprintf(text, size, "?");
    } else if (seconds < 99.5) {
        snprintf(text, size, "%.0f s", seconds);
    } else if (seconds < 3600.0) {
        snprintf(text, size, "%d min %02d s", (int)seconds / 60, (int)seconds % 60);
    } else {
        snprintf(text, size, "%.0f h %02d min", floor(seconds / 3600.0), (int)(fmod(seconds, 3600.0) / 60.0));
    }
}

void progress_format_si(double value, char *text, size_t size)
{
    static const char prefixes[] = " kMGT";
    size_t k = 0;
    if (!isfinite(value)) {
        snprintf(text, size, "? ");
        return;
    }
    while (value >= 999.5 && k < 4) {
        value /= 1000.0;
        k++;
    }
    const char *format = value < 9.995 ? "%.2f %c" : value < 99.95 ? "%.1f %c" : "%.0f %c";
    snprintf(text, size, format, value, prefixes[k]);
    if (k == 0) {
        text[strlen(text) - 1] = '\0'; /* keep the blank, drop the empty prefix */
    }
}

static void format_precision(const crp_progress *now, char *text, size_t size)
{
    text[0] = '\0';
    if (isfinite(now->rel_err_target)) {
        char reached[24] = "?";
        if (isfinite(now->rel_err)) {
            snprintf(reached, sizeof reached, "%.2g %%", 100.0 * now->rel_err);
        }
        snprintf(text, size, ", error %s of %.2g %%", reached, 100.0 * now->rel_err_target);
    }
}

void progress_format_devices(const crp_progress *now, char *text, size_t size)
{
    size_t n = 0;
    double least = 1.0, most = 0.0;
    uint32_t n_dropped = 0;
    text[0] = '\0';
    if (now->n_devices < 2) {
        return;
    }
    for (uint32_t i = 0; i < now->n_devices; i++) {
        const crp_device_progress *d = &now->devices[i];
        int n_name = (int)strcspn(d->device, "("); /* "cuda:0 " of "cuda:0 (NVIDIA H200)" */
        if (now->n_devices <= SHOWN_DEVICES && n < size) {
            n += (size_t)snprintf(text + n, size - n, "%s%.*s%s%.0f %%", i == 0 ? ", " : " + ", n_name, d->device,
                                  d->is_dropped ? "(dropped) " : "", 100.0 * d->share);
        }
        least = d->is_dropped ? least : fmin(least, d->share);
        most = d->is_dropped ? most : fmax(most, d->share);
        n_dropped += d->is_dropped ? 1 : 0;
    }
    if (now->n_devices > SHOWN_DEVICES) {
        n = (size_t)snprintf(text, size, ", %" PRIu32 " devices of %.2g to %.2g %% each", now->n_devices - n_dropped,
                             100.0 * least, 100.0 * most);
        if (n_dropped > 0 && n < size) {
            snprintf(text + n, size - n, " (%" PRIu32 " dropped)", n_dropped);
        }
    }
}

static void show_bar(progress *p, const crp_progress *now)
{
    char rate[16], left[32], precision[64], devices[160], bar[BAR_WIDTH + 1], run[32] = "";
    double part = now->histories_total > 0 ? (double)now->histories_done / (double)now->histories_total : 1.0;
    int filled = (int)(part * BAR_WIDTH);
    for (int i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : '-';
    }
    bar[BAR_WIDTH] = '\0';
    progress_format_si(now->rate, rate, sizeof rate);
    progress_format_time(progress_remaining(now), left, sizeof left);
    format_precision(now, precision, sizeof precision);
    if (p->n_runs > 1) {
        snprintf(run, sizeof run, " (%" PRIu32 "/%" PRIu32 ")", p->run, p->n_runs);
    }
    progress_clear();
    progress_format_devices(now, devices, sizeof devices);
    fprintf(p->file, "%s%s [%s] %3.0f %%, %s%s/s, %s left%s%s", p->label, run, bar, floor(100.0 * part), rate, p->unit,
            left, precision, devices);
    fflush(p->file);
    bar_file = p->file;
}

static void show_line(progress *p, const crp_progress *now)
{
    char rate[16], left[32], precision[64], devices[160];
    if (now->seconds < p->next_seconds) {
        return;
    }
    p->next_seconds = now->seconds + PLAIN_INTERVAL;
    progress_format_si(now->rate, rate, sizeof rate);
    progress_format_time(progress_remaining(now), left, sizeof left);
    format_precision(now, precision, sizeof precision);
    progress_format_devices(now, devices, sizeof devices);
    fprintf(p->file, "%s: batch %" PRIu32 " of %" PRIu32 ", %" PRIu64 " of %" PRIu64 " %s, %s%s/s, %s left%s%s\n",
            p->label, now->batches_done, now->batches_total, now->histories_done, now->histories_total, p->unit, rate,
            p->unit, left, precision, devices);
    fflush(p->file);
}

static void print_number_or_null(FILE *file, const char *key, double value)
{
    if (isfinite(value)) {
        fprintf(file, ",\"%s\":%.6g", key, value);
    } else {
        fprintf(file, ",\"%s\":null", key);
    }
}

static void print_devices(FILE *file, const crp_progress *now)
{
    fputs(",\"devices\":[", file);
    for (uint32_t i = 0; i < now->n_devices; i++) {
        const crp_device_progress *d = &now->devices[i];
        fputs(i == 0 ? "{\"device\":" : ",{\"device\":", file);
        json_write_string(file, d->device);
        fprintf(file, ",\"histories\":%" PRIu64 ",\"dropped\":%s", d->histories, d->is_dropped ? "true" : "false");
        print_number_or_null(file, "share", d->share);
        print_number_or_null(file, "rate", d->rate);
        fputc('}', file);
    }
    fputc(']', file);
}

static void show_json(progress *p, const crp_progress *now)
{
    fprintf(p->file,
            "{\"progress\":{\"run\":%" PRIu32 ",\"runs\":%" PRIu32 ",\"histories_done\":%" PRIu64
            ",\"histories_total\":%" PRIu64 ",\"batches_done\":%" PRIu32 ",\"batches_total\":%" PRIu32,
            p->run, p->n_runs, now->histories_done, now->histories_total, now->batches_done, now->batches_total);
    print_number_or_null(p->file, "seconds", now->seconds);
    print_number_or_null(p->file, "rate", now->rate);
    print_number_or_null(p->file, "remaining", progress_remaining(now));
    print_number_or_null(p->file, "rel_err", now->rel_err);
    print_number_or_null(p->file, "rel_err_target", now->rel_err_target);
    print_devices(p->file, now);
    fputs("}}\n", p->file);
    fflush(p->file);
}

int progress_report(void *user, const crp_progress *now)
{
    progress *p = user;
    switch (p->style) {
    case PROGRESS_BAR:
        show_bar(p, now);
        break;
    case PROGRESS_PLAIN:
        show_line(p, now);
        break;
    case PROGRESS_JSON:
        show_json(p, now);
        break;
    case PROGRESS_NONE:
        break;
    }
    return interrupt_requested();
}
