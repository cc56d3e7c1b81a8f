/**
 * The devices of a run, side by side: one lane each, and with more than one lane a host thread each. Lanes take chunks of
 * histories from the work at their own pace. One that fails is dropped, and what it had in hand is done again by the others.
 */
#ifndef ENGINE_CREW_H
#define ENGINE_CREW_H

#include "engine/lane.h"
#include "engine/work.h"

#include <pthread.h>

struct crew;

typedef struct crew_member {
    struct crew *crew;
    uint32_t index;
    crp_context *context;  /**< its own: errors of two lanes must not mix. That of the run if there is one lane */
    device_lane *lane;     /**< NULL once it is lost and has been told */
    char label[160];       /**< "cuda:0 (NVIDIA H200)" */
    uint64_t *words;       /**< of the launch being collected */
    double seconds;        /**< that its launches took, by its own clock */
    uint32_t n_started, n_collected;
    pthread_t thread;
    bool has_thread;
    crp_status status;     /**< not CRP_OK: it is lost, for the reason in its context */
    uint64_t n_given_back; /**< histories that it had in hand then */
    bool is_told;
} crew_member;

typedef struct crew {
    crp_context *context;
    const crp_model *model;
    const crp_plan *plan;
    crew_member members[WORK_MAX_WORKERS];
    uint32_t n;
    bool is_mixed;         /**< of several kinds */
    bool is_traced;        /**< the ray tracer of a GPU decides what is hit: digits are those of its hardware and driver */
    bool has_threads;      /**< each lane works in its own; else the caller's thread does it all, by crew_turn */
    crp_math math;
    uint32_t threads;      /**< option `threads`: also for loops over bins; 0: all */
    work *work;            /**< set by crew_start */
    struct crew_line *lines; /**< logged by the lanes since the last crew_tell_losses */
    pthread_mutex_t lock;  /**< of status, n_given_back and lines */
} crew;

/**
 * Open the devices that the options name (see device_set.h). One that was named and does not open is an error; of "all" it is left
 * out with a warning.
 *
 * @param histories  still to run
 * @param n_batches  still to run
 * @param place      which of the processes on this machine this is, and how many there are: "auto" gives each its own GPU,
 *                   and they share the cores
 * Errors: those of lane_open; CRP_ERR_ARG for a CPU or two kinds of GPU together in fast math.
 */
crp_status crew_open(crp_context *context, const crp_model *model, const crp_plan *plan, const crp_run_options *options,
                     uint64_t histories, uint64_t n_batches, lane_place place, bool needs_threads, crew *c);
/** Stop the threads and close the devices. Accepts a crew that is all zero. */
void crew_close(crew *c);

/** Make the workers known, and start the threads. */
crp_status crew_start(crew *c, work *w);
/** Without threads: fill the queues, and collect one launch. */
crp_status crew_turn(crew *c);
/** Log what the lanes have to say, and a line about each that was lost, since the last call. */
void crew_tell_losses(crew *c);
/** The reason why the last lane was lost, recorded in the crew's context. */
crp_status crew_failure(crew *c);

/** "cuda:0 (NVIDIA H200), cuda:1 (NVIDIA H200)"; cut short with "..." where it does not fit. */
void crew_label(const crew *c, char *text, size_t size);
/** How long the launches of a lane took so far, by its device's clock [s]; NaN where unknown. */
double crew_member_seconds(crew_member *m);
/** How many arrays of a launch's words the lanes keep on the host. */
uint32_t crew_n_copies(const crew *c);
/** Launches that may be under way at any time, all lanes together. */
uint32_t crew_depth(const crew *c);

#endif
