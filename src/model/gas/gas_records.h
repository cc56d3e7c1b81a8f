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
    bool is_whole;   /**< all of them have been made */
    double share;    /**< of the records that need no tree, by the area of the facets that they are for */
} gas_records;

/**
 * Can records serve a model at all? Its walls, the facets that are opaque and one-sided, must be closed, each edge
 * being of two of them, in either sense once, and surround the places in front of them: else a record could see through
 * a hole, or where a way ends nowhere. They must be in one structure, and not too many. Facets that are two-sided or
 * let molecules pass may stand among them.
 */
bool gas_records_are_possible(const gas_model *model, const gas_mesh *mesh);

/** Make them; none (n = 0) where there would be more than a GPU has room for. Errors: CRP_ERR_MEMORY. */
crp_status gas_records_build(crp_context *context, const gas_model *model, const gas_mesh *mesh, gas_records *records);
void gas_records_destroy(gas_records *records);

#endif
