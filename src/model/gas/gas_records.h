/** Candidate records of a model: see kernel/gas/records.h and docs/theory/gas.md. */
#ifndef MODEL_GAS_GAS_RECORDS_H
#define MODEL_GAS_GAS_RECORDS_H

#include "gas/records.h"
#include "model/gas/gas_mesh.h"

/** Tables of the kernel; owned, free with gas_records_destroy. */
typedef struct gas_records {
    gas_view *views; /**< one a facet */
    uint32_t *words; /**< four a record; record 0 sends to the tree */
    double *planes;  /**< unit normal and n . p of every facet */
    uint64_t n;      /**< records */
    double share;    /**< of the records that need no tree */
} gas_records;

/**
 * Can records serve a model at all? It must be closed: every edge that two facets share, each in its own sense; all
 * facets flat, opaque and one-sided, in one structure, without teleports; and not too many. Else a record could see
 * through a hole, or past a facet that lets molecules pass.
 */
bool gas_records_are_possible(const gas_model *model, const gas_mesh *mesh);

/** Make them; none (n = 0) where there would be more than a GPU has room for. Errors: CRP_ERR_MEMORY. */
crp_status gas_records_build(crp_context *context, const gas_model *model, const gas_mesh *mesh, gas_records *records);
void gas_records_destroy(gas_records *records);

#endif
