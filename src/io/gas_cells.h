/** Facets of a gas model cut into what can be drawn. */
#ifndef IO_GAS_CELLS_H
#define IO_GAS_CELLS_H

#include "model/gas/gas.h"

/** Convex or simple polygons; all arrays are owned. */
typedef struct gas_cells {
    double *points; /**< x, y, z [cm]; shape (n_points, 3); the vertices of the model come first */
    int64_t n_points, point_room;
    int64_t *corners; /**< numbers of points */
    int64_t n_corners, corner_room;
    int64_t *ends;   /**< end of each cell in `corners` */
    int64_t *facets; /**< facet of each cell, from 0 */
    int64_t *texels; /**< texture cell that it is part of, counted through all textures; -1: none */
    int64_t n_cells, cell_room;
} gas_cells;

/** Cut all facets. Errors: CRP_ERR_MEMORY. */
crp_status gas_cells_create(crp_context *context, const gas_model *model, gas_cells *cells);
void gas_cells_destroy(gas_cells *cells);

#endif
