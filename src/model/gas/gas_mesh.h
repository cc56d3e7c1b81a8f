/** From facets to what a ray can hit: triangles and parallelograms, their planes, their boxes. */
#ifndef MODEL_GAS_GAS_MESH_H
#define MODEL_GAS_GAS_MESH_H

#include "gas/params.h"
#include "geom/bvh.h"
#include "model/gas/gas_facet.h"

/** Corner and two edges of a primitive [m]. */
typedef struct gas_corner {
    double corner[3], edge_u[3], edge_v[3];
    double area; /**< [m2] */
} gas_corner;

/** All arrays are owned; free with gas_mesh_destroy. */
typedef struct gas_mesh {
    gas_primitive *primitives;
    gas_corner *corners; /**< of the primitives */
    geom_box *boxes;
    uint32_t n;
    uint32_t n_sheets;
    double size;  /**< largest distance of a coordinate from 0 or between two [m] */
    double *area; /**< of every facet, one side [m2] */
} gas_mesh;

/**
 * Cut all facets.
 *
 * A parallelogram stays whole; any other polygon is cut into triangles (geom/triangulate.h). A facet that is flat to
 * rounding (1e-12 of the model's size) has one plane; the triangles of another have their own, so that it stays closed
 * along its edges. Flat facets that lie in one plane, whatever their sides, share a sheet, and the plane of the lowest
 * facet: equally far for every ray, to the last bit, so that of coincident facets the lowest is hit; and a molecule
 * that leaves a sheet cannot hit it again, so that no facet hits itself or one at its back.
 *
 * Errors: CRP_ERR_GEOMETRY (an outline that crosses itself) with the facet, CRP_ERR_MEMORY.
 */
crp_status gas_mesh_build(crp_context *context, const gas_model *model, gas_mesh *mesh);
void gas_mesh_destroy(gas_mesh *mesh);

#endif
