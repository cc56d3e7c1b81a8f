/** What all modules' plans share: their end, and what they cost in memory. */
#include "engine/plan.h"

#include "core/context.h"
#include "core/memory.h"

#include <stdlib.h>

enum {
    /* Sums of the run and of the batch; mean, deviation, scale in the plan and in the result. */
    BYTES_OF_BIN = 2 * sizeof(crp_wide) + 4 * sizeof(double), /* the covariance of ratios: untouched pages elsewhere */
    /* In the file: sum, mean, standard error, scale; and one of these arrays on its way there. */
    BYTES_OF_SAVED_BIN = 2 * sizeof(crp_wide) + 3 * sizeof(double)
};

void plan_destroy(crp_plan **pointer)
{
    if (pointer == NULL || *pointer == NULL) {
        return;
    }
    crp_plan *plan = *pointer;
    for (size_t i = 0; plan->tallies != NULL && i < plan->n_tallies; ++i) {
        for (uint32_t k = 0; k < plan->tallies[i].n_dims; ++k) {
            free(plan->tallies[i].axis_edges[k]);
            free(plan->tallies[i].axis_points[k]);
            free(plan->tallies[i].axis_labels[k]);
        }
        free(plan->tallies[i].scale);
    }
    for (size_t i = 0; i < plan->n_tables; ++i) {
        free(plan->tables[i].data);
    }
    free(plan->tallies);
    free(plan->events);
    free(plan->results);
    if (plan->data_destroy != NULL) {
        plan->data_destroy(plan->data);
    }
    free(plan);
    *pointer = NULL;
}

uint64_t plan_host_bytes(uint64_t n_bins, uint64_t n_words, uint32_t n_copies, bool is_saved)
{
    return n_bins * (uint64_t)(BYTES_OF_BIN + (is_saved ? BYTES_OF_SAVED_BIN : 0)) + n_words * 8u * n_copies;
}

crp_status plan_check_memory(crp_context *context, const char *grid, uint64_t needed, uint64_t held)
{
    uint64_t available = 0, wanted = needed - (held < needed ? held : needed);
    CRP_CHECK(context, memory_suffices(wanted, &available), CRP_ERR_MEMORY,
              "the grid is too large for the memory of this machine (%s: %llu bytes needed, %llu available) use fewer bins",
              grid, (unsigned long long)wanted, (unsigned long long)available);
    return CRP_OK;
}
