/** Where the molecules of a history are at some times: run again, as every history can be, and stopped there. */
#ifndef MODEL_CHEM_CHEM_POSITIONS_H
#define MODEL_CHEM_CHEM_POSITIONS_H

#include "chem/params.h"
#include "model/chem/chem.h"

/** Molecules at one time, in the order of their ids. */
typedef struct chem_frame {
    double time;              /**< [ps] */
    chem_particle *molecules; /**< owned */
    size_t n;
} chem_frame;

/** Frames of one history: at the first output time, about one a decade, and at the last. */
typedef struct chem_frames {
    chem_frame *frames;
    size_t n;
} chem_frames;

/** Before a run: will its positions be known? Errors: CRP_ERR_UNSUPPORTED (irt and paper). */
crp_status chem_frames_check(crp_context *context, const crp_model *model);

/**
 * Run a history of a model of method `exact` up to each of the times, on one thread of the CPU. Its digits are those of the run
 * that had this seed.
 *
 * @param history      from 0: track `history` modulo their number
 * @param[out] frames  free with chem_frames_destroy
 * Errors: CRP_ERR_UNSUPPORTED (irt and paper: `exact` alone has positions at any time), and those of a run.
 */
crp_status chem_frames_replay(crp_context *context, const crp_model *model, uint64_t seed, uint64_t history,
                              chem_frames **frames);
/** Free and set to NULL; accepts NULL and a pointer to NULL. */
void chem_frames_destroy(chem_frames **frames);

#endif
