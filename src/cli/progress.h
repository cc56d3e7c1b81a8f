/** What a run shows while it goes: a bar, lines, JSON lines or nothing, on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "corpuscle/corpuscle.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum progress_style { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON } progress_style;

typedef struct progress {
    progress_style style;
    FILE *file;
    char label[64];       /**< name of the model */
    const char *unit;     /**< "photons" */
    uint32_t run, n_runs; /**< which run of the file, from 1 */
    double next_seconds;  /**< PLAIN: when the next line is due */
} progress;

/** From the option's value. "auto" is a bar on a terminal, else sparse lines. */
progress_style progress_style_of(const char *option, bool quiet, bool is_terminal);

/** Prepare for one run. */
void progress_start(progress *p, progress_style style, FILE *file, const char *label, const char *unit, uint32_t run,
                    uint32_t n_runs);

/** The callback for crp_run_options; `user` is a progress. Asks the run to stop once a signal has come. */
int progress_report(void *user, const crp_progress *now);

/** Take the bar off the line, so that something else can be printed. Does nothing when there is none. */
void progress_clear(void);

/** Seconds still to go: to the last history, or to the trigger's target if that is sooner. NaN when unknown. */
double progress_remaining(const crp_progress *now);

/** What part each of several devices has done, ", cuda:0 51 % + cuda:1 49 %"; of many the least and the most; of one "". */
void progress_format_devices(const crp_progress *now, char *text, size_t size);

/** "45 s", "3 min 20 s", "2 h 05 min"; "?" for NaN. */
void progress_format_time(double seconds, char *text, size_t size);

/** Three digits and a prefix, "1.05 M" or "337 k" or "12.0 ". */
void progress_format_si(double value, char *text, size_t size);

#endif
