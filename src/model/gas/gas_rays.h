/** The scene of the device optix: shapes in single precision, and what its programs know of them. */
#ifndef MODEL_GAS_GAS_RAYS_H
#define MODEL_GAS_GAS_RAYS_H

#include "gas/rays.h"
#include "model/gas/gas_plan.h"

/** Everything that its device_scene points to; all arrays are owned. */
typedef struct gas_ray_scene {
    device_scene scene;
    float *shapes;       /**< three numbers a corner of triangles, or six a box */
    uint32_t *triangles; /**< three corners each; NULL: boxes */
    uint32_t *kinds;
    unsigned char *data; /**< a gas_rays and the tables behind it */
} gas_ray_scene;

/** What a scene is made from, and where its parts go. */
typedef struct gas_ray_maker {
    const gas_plan *plan;
    const gas_mesh *mesh;
    const gas_surface_row *rows;
    gas_rays rays;
    gas_ray_scene *out;
} gas_ray_maker;

/** Scene of an open plan's model. Errors: CRP_ERR_MEMORY, those of gas_mesh_build. */
crp_status gas_ray_scene_create(crp_context *context, const gas_plan *plan, const gas_surface_row *rows,
                                gas_ray_scene **out);
void gas_ray_scene_destroy(gas_ray_scene **scene);

/** Row of the binding table for hits of a primitive. */
uint32_t gas_ray_kind(const gas_surface_row *rows, const gas_primitive *q);

/** How many polygons there are, and corners of their outlines. */
void gas_ray_polygons_count(const gas_plan *plan, const gas_mesh *mesh, uint32_t *n_polygons, uint32_t *n_corners);
/** Boxes, kinds, primitives, outlines and corners of all polygons, into arrays of that size. */
void gas_ray_polygons_fill(gas_ray_maker *maker);

#endif
