/**
 * The beam before its first scatter: what the surface and clear layers above the tissue reflect, and the light that goes
 * to and fro in them. Exact, so no photon has to fly it.
 */
#include "model/light/light_plan.h"

#include <math.h>

bool light_layer_is_clear(const light_layer *l)
{
    return l->mu_a == 0.0 && l->mu_s == 0.0;
}

static double normal_reflectance(double n1, double n2)
{
    double r = (n1 - n2) / (n1 + n2);
    return r * r;
}

/* Reflectance of the interface above layer i, for a perpendicular beam. */
static double above_layer(const light_model *m, uint32_t i)
{
    return normal_reflectance(i == 0 ? m->n_above : m->layers[i - 1].n, m->layers[i].n);
}

/* All interfaces from the one above layer i down to the one above layer `last`, seen from above, with all reflections
 * between them: r <- r1 + (1 - r1)^2 r / (1 - r1 r), from below. */
static double stack_reflectance(const light_model *m, uint32_t i, uint32_t last)
{
    double r = 0.0;
    for (uint32_t k = last + 1; k-- > i;) {
        double r1 = above_layer(m, k);
        r = r1 + (1.0 - r1) * (1.0 - r1) * r / (1.0 - r1 * r);
    }
    return r;
}

double light_specular(const light_model *m, uint32_t *first_layer)
{
    uint32_t first = 0;
    while (first + 1 < m->n_layers && light_layer_is_clear(&m->layers[first])) {
        ++first;
    }
    *first_layer = first;
    return stack_reflectance(m, 0, first);
}

/* Add weight x path length [cm] of the beam between depths `top` and `bottom` to the bins of the axis. */
static void add_beam(const light_model *m, double top, double bottom, double weight, double *path)
{
    for (uint32_t j = 0; j <= m->nz; ++j) {
        double low = fmax(top, (double)j * m->dz);
        double high = j == m->nz ? bottom : fmin(bottom, (double)(j + 1) * m->dz);
        path[j] += high > low ? weight * (high - low) : 0.0;
    }
}

void light_beam_path(const light_model *m, double *path)
{
    uint32_t first;
    light_specular(m, &first);
    double down = 1.0, top = 0.0;
    for (uint32_t i = 0; i < first; ++i) {
        /* What comes through the interface above, and comes back to it from below again and again. */
        double r1 = above_layer(m, i), below = stack_reflectance(m, i + 1, first);
        down *= (1.0 - r1) / (1.0 - r1 * below);
        add_beam(m, top, top + m->layers[i].d, down * (1.0 + below), path);
        top += m->layers[i].d;
    }
}
