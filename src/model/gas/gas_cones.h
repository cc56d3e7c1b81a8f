/** Cones of normals in the references of a hierarchy: see kernel/gas/cone.h. */
#ifndef MODEL_GAS_GAS_CONES_H
#define MODEL_GAS_GAS_CONES_H

#include "gas/cone.h"
#include "gas/params.h"

#include <stddef.h>
#include <stdint.h>

/** Unit vector in the middle of a cone, c below GAS_N_CONES. */
void gas_cone_axis(uint32_t c, double axis[3]);

/**
 * Write into every reference of a hierarchy (geom/bvh.h) the cone that all normals below it lie in; GAS_NO_CONE where
 * there is none, or where something below can be seen from both sides.
 *
 * @param nodes       as geom_bvh_build made them over the primitives
 */
void gas_cones_mark(uint32_t *nodes, const gas_primitive *primitives);

#endif
