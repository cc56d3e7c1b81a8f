/** --restart: which runs of a result file are finished, which go on, and how far. */
#ifndef CLI_RESTART_H
#define CLI_RESTART_H

#include "cli/cli.h"
#include "comm/comm.h"
#include "engine/result.h"

typedef enum restart_state {
    RESTART_TO_RUN,   /**< from the start or from where it stopped */
    RESTART_FINISHED, /**< nothing to do */
    RESTART_IMPRECISE /**< all histories are done, but --until does not hold */
} restart_state;

typedef struct restart_plan {
    crp_result **results; /**< one a model, NULL where the file holds none; owned */
    restart_state *states;
    bool *is_fast;        /**< made in fast math */
    size_t n;
    bool is_in_place; /**< the restart file is the one to be written */
} restart_plan;

/**
 * Read what the restart file holds (nothing without --restart). Refuses what would lose data: in a file with several
 * runs every write replaces the later ones, so a run that is not the last can only be extended into another file.
 */
cli_exit restart_open(crp_context *context, const cli_options *options, const crp_input *input, const char *result_path,
                      restart_plan *plan);
void restart_close(restart_plan *plan);

/** Let the other ranks know what rank 0 read: states and maths of all models. They have no results. Errors: CRP_ERR_MEMORY. */
crp_status restart_share(crp_context *context, const comm *c, size_t n_models, restart_plan *plan);

/** Was the earlier result made in fast math? */
bool restart_is_fast(const restart_plan *plan, size_t i);

/** The earlier result of model i, NULL if there is none. */
const crp_result *restart_result(const restart_plan *plan, size_t i);

/** Take that result out of the plan: the caller owns it. */
crp_result *restart_take(restart_plan *plan, size_t i);

/** Is there anything left to run for model i? */
restart_state restart_state_of(const restart_plan *plan, size_t i);

/** Histories to reach: -n, else the statepoint's plan or the input's number, whichever is larger. 0: the default. */
uint64_t restart_histories(const restart_plan *plan, const cli_options *options, const crp_model *model, size_t i);

#endif
