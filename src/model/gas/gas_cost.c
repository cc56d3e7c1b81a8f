/* What a molecule costs, before any is run. */
#include "model/gas/gas_plan.h"

#include <math.h>

/* One hit on one core, measured on tubes of 100 to 10000 walls: a flight through a hierarchy of n boxes and a
 * reflection. */
static const double SECONDS_OF_HIT = 6e-8, SECONDS_OF_LEVEL = 2e-8;

/* Hits until a molecule is pumped if all facets were hit alike: total area over pumping area, at most that of a long
 * tube. */
double gas_hits_of_molecule(const gas_model *m)
{
    double area = 0.0, pumping = 0.0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        const gas_surface *s = &m->surfaces[m->facets[i].surface];
        double one = gas_facet_frame(m, i).area * s->opacity;
        area += one;
        pumping += one * s->sticking;
    }
    return pumping > 0.0 ? fmin(area / pumping, 1e6) : 1e6;
}

double gas_cost(const crp_model *model)
{
    const gas_model *m = model->data;
    return gas_hits_of_molecule(m) * (SECONDS_OF_HIT + SECONDS_OF_LEVEL * log2(1.0 + m->n_facets));
}
