/** Plane geometry of one facet: its frame, area, and how far it leaves its plane. */
#ifndef MODEL_GAS_GAS_FACET_H
#define MODEL_GAS_GAS_FACET_H

#include "geom/point.h"
#include "model/gas/gas.h"

/**
 * The frame that textures, profiles and teleports are measured in, as Molflow has it: N by the right-hand rule of the
 * outline (Newell), U along the first edge, V = N x U; the bounding rectangle of the outline in (U, V) begins at
 * `origin` and measures `length_u` by `length_v`.
 */
typedef struct gas_frame {
    geom_point origin, u, v, n; /**< u, v, n: unit vectors */
    double length_u, length_v; /**< [m] */
    double area;               /**< of the outline less the holes, one side [m2] */
    double flatness;           /**< farthest corner from the plane through the centre [m] */
} gas_frame;

/** Frame of a facet. All zero for one that has no area. */
gas_frame gas_facet_frame(const gas_model *model, uint32_t facet);

/** Real-valued numbers of texture cells along U and V: a cell spans 1 of them, the last one is cut. 0 and 0: no
 * texture. */
void gas_facet_texture_counts(const gas_model *model, uint32_t facet, const gas_frame *frame, double *u, double *v);

/** Cells of the texture of a facet along U and V, the cut ones included; 0 and 0 where it has none. */
void gas_facet_texture(const gas_model *model, uint32_t facet, const gas_frame *frame, uint32_t *n_u, uint32_t *n_v);

/**
 * First texture cell of every facet in the row of all cells (facet after facet, n_v rows of n_u cells, u fastest): the
 * bins of the tallies texture_pressure and so on.
 * @param[out] first  n_facets numbers, or NULL
 * @return            how many cells there are
 */
uint64_t gas_texture_cells(const gas_model *model, uint64_t *first);

/**
 * Area of every cell of a texture: its part inside the outline less the holes [m2].
 * @param[out] area  n_u * n_v numbers, u fastest
 * Errors: CRP_ERR_MEMORY.
 */
crp_status gas_texture_areas(crp_context *context, const gas_model *model, uint32_t facet, const gas_frame *frame,
                             uint32_t n_u, uint32_t n_v, double *area);

#endif
