#include "engine/plan.h"

#include <stdlib.h>

void plan_destroy(crp_plan **pointer)
{
    if (pointer == NULL || *pointer == NULL) {
        return;
    }
    crp_plan *plan = *pointer;
    for (size_t i = 0; plan->tallies != NULL && i < plan->n_tallies; ++i) {
        for (uint32_t k = 0; k < plan->tallies[i].n_dims; ++k) {
            free(plan->tallies[i].axis_edges[k]);
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
