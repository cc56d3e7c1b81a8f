/** Molecules that lie too close together to be asked about each other in any time. */
#ifndef MODEL_CHEM_CHEM_CROWD_H
#define MODEL_CHEM_CHEM_CROWD_H

#include "model/chem/chem.h"

/** Refuse a track whose molecules make more pairs within `cell` [nm] than can be asked. Errors: CRP_ERR_CONFIG, CRP_ERR_MEMORY. */
crp_status chem_crowd_check(crp_context *context, const chem_model *model, double cell);

#endif
