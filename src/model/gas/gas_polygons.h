/** Between meshes in cm (what files hold and checks look at) and the gas model in m. */
#ifndef MODEL_GAS_GAS_POLYGONS_H
#define MODEL_GAS_GAS_POLYGONS_H

#include "geom/mesh.h"
#include "model/gas/gas.h"

/** All facets of a model as a mesh, in the same order; structures become bodies, which are spaces of their own. Errors:
 * CRP_ERR_MEMORY. */
crp_status gas_polygons_of_model(crp_context *context, const gas_model *model, geom_mesh **mesh);

/**
 * Append a mesh to an empty model. Every smooth patch of a body (facets that meet at less than `angle` [rad]) becomes a
 * surface with the properties of a plain wall and a name: that of the body, with a number where a body has several. A
 * body of several patches is also a group of its facets. Names hold letters, digits, `_` and `-` only, and no two are
 * the same. Errors: CRP_ERR_MEMORY, CRP_ERR_CONFIG (too many).
 */
crp_status gas_model_of_polygons(crp_context *context, const geom_mesh *mesh, double angle, gas_model *model);

#endif
