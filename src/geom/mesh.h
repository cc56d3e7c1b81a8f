/**
 * A mesh of plane polygons: what the readers of STL and Molflow files fill, what `check` looks at and what models are
 * made from. Lengths in cm. A facet is one outer loop and any number of holes; seen from the side that its normal
 * points to, the outer loop runs counter-clockwise and holes run clockwise (right-hand rule).
 */
#ifndef GEOM_MESH_H
#define GEOM_MESH_H

#include "core/context.h"
#include "geom/point.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    MESH_NAME_LENGTH = 64,
    MESH_MAX_FACETS = 20000000, /**< more is a wrong file */
    MESH_MAX_CORNERS = 200000000
};

/** A part of a file that has a name: a `solid` of an STL file. */
typedef struct mesh_body {
    char name[MESH_NAME_LENGTH];
} mesh_body;

/** All arrays are owned. `loops` and `corners` are numbered through all facets. */
typedef struct geom_mesh {
    geom_point *vertices; /**< [cm] */
    uint32_t n_vertices, vertex_room;
    uint32_t n_facets, facet_room;
    uint32_t *facet_loops; /**< n_facets + 1 numbers: loops of facet f are [facet_loops[f], facet_loops[f + 1]) */
    uint32_t *facet_body;  /**< n_facets numbers */
    bool *is_two_sided;    /**< n_facets flags: gas on both sides */
    uint32_t n_loops, loop_room;
    uint32_t *loop_corners; /**< n_loops + 1 numbers: corners of loop l */
    uint32_t n_corners, corner_room;
    uint32_t *corners; /**< vertex numbers */
    uint32_t n_bodies, body_room;
    mesh_body *bodies;
    uint32_t
        n_space_vertices; /**< 0, or: bodies are spaces of their own, and each has its copy of so many vertices. Facets
                             of two spaces never touch or overlap, but a two-sided facet closes openings in all */
    double rounding;      /**< relative error of a coordinate as the file gives it: 6e-8 for 32-bit numbers */
} geom_mesh;

/** An empty mesh. Errors: CRP_ERR_MEMORY. */
crp_status mesh_create(crp_context *context, geom_mesh **mesh);
/** Free a mesh and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
void mesh_destroy(geom_mesh **mesh);

/** Append a vertex; its number is n_vertices - 1 afterwards. Errors: CRP_ERR_MEMORY. */
crp_status mesh_add_vertex(crp_context *context, geom_mesh *mesh, geom_point vertex);
/** Append a body; facets added later belong to it. Long names are cut. Errors: CRP_ERR_MEMORY. */
crp_status mesh_add_body(crp_context *context, geom_mesh *mesh, const char *name);
/**
 * Begin a facet of the given body; then add its loops, the outer one first.
 * Errors: CRP_ERR_MEMORY; CRP_ERR_FORMAT when there are more than MESH_MAX_FACETS.
 */
crp_status mesh_add_facet(crp_context *context, geom_mesh *mesh, uint32_t body, bool is_two_sided);
/** Append a loop of n vertex numbers to the last facet. Errors: CRP_ERR_MEMORY, CRP_ERR_FORMAT as above. */
crp_status mesh_add_loop(crp_context *context, geom_mesh *mesh, const uint32_t *vertices, size_t n);

/** Corners of a facet through all of its loops: [first, end). */
static inline uint32_t mesh_first_corner(const geom_mesh *mesh, uint32_t facet)
{
    return mesh->loop_corners[mesh->facet_loops[facet]];
}
static inline uint32_t mesh_end_corner(const geom_mesh *mesh, uint32_t facet)
{
    return mesh->loop_corners[mesh->facet_loops[facet + 1]];
}

/* ---------------------------------------------------------------------------------------------- geometry of a facet */

/** The plane of a facet: { p : normal . p = offset }. */
typedef struct mesh_plane {
    geom_point normal; /**< of length 1; 0 for a facet without area */
    double offset;     /**< [cm] */
    double area;       /**< [cm2], holes taken off */
    double height;     /**< [cm] 2 area / longest edge: how thin the facet is */
} mesh_plane;

/** Normal and area by Newell's sum over all loops (Sutherland, Sproull, Schumacker 1974), through the mean of the
 * corners. */
mesh_plane mesh_facet_plane(const geom_mesh *mesh, uint32_t facet);
/** Planes of all facets; free with free(). Errors: CRP_ERR_MEMORY. */
crp_status mesh_planes(crp_context *context, const geom_mesh *mesh, mesh_plane **planes);
/** How far the farthest corner of a facet lies from a plane [cm], and which vertex that is. */
double mesh_facet_deviation(const geom_mesh *mesh, uint32_t facet, const mesh_plane *plane, uint32_t *vertex);
/** Lowest and highest coordinates of all corners [cm]; both 0 for an empty mesh. */
void mesh_bounds(const geom_mesh *mesh, geom_point *low, geom_point *high);

/* ------------------------------------------------------------------------------------------------- weld, merge, group
 */

typedef struct mesh_weld_report {
    uint32_t n_merged;     /**< vertices that went into another one */
    uint32_t n_degenerate; /**< facets dropped because fewer than three corners or no area were left */
    uint32_t degenerate;   /**< the first of them, from 0, as numbered before */
} mesh_weld_report;

/**
 * Make one vertex of all that lie within `tolerance` [cm] of the first of them. Corners that repeat the one before are
 * dropped, and facets that have no area left. `report` may be NULL. Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_weld(crp_context *context, geom_mesh *mesh, double tolerance, mesh_weld_report *report);

/**
 * New numbers for vertices: those within `tolerance` [cm] of the first of them get its number; numbers are closed up in
 * order.
 * @param[out] target  n numbers
 * @param[out] n_left  how many different ones
 * Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_weld_numbers(crp_context *context, const geom_point *vertices, uint32_t n, double tolerance,
                             uint32_t *target, uint32_t *n_left);

/**
 * Join neighbouring facets of one body that lie in one plane to polygons, and leave out corners in the middle of
 * straight edges. No corner of a joined facet is farther than `tolerance` [cm] from the plane of that facet: where a
 * group would exceed it, it is split. Facets join where their normals agree within what the rounding of the coordinates
 * explains, so facets of a finely cut cylinder stay apart. Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_merge_coplanar(crp_context *context, geom_mesh *mesh, double tolerance);

/**
 * Leave out corners in the middle of an edge that two facets share, all of them within `tolerance` [cm] of the straight
 * line that replaces them, and then vertices that no facet uses. Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_drop_straight_corners(crp_context *context, geom_mesh *mesh, double tolerance);

/** A tolerance for both that suits the rounding of the coordinates: 1e-6 cm, or twice the rounding of the largest. */
double mesh_default_tolerance(const geom_mesh *mesh);

/**
 * Number smooth patches: facets of one body that meet at less than `angle` [rad] belong together.
 *
 * @param[out] patch  patch number of each facet, from 0, in order of the first facet; n_facets numbers, free with
 * free() Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_find_patches(crp_context *context, const geom_mesh *mesh, double angle, uint32_t **patch,
                             uint32_t *n_patches);

/** Turn every facet round: its normal then points the other way. */
void mesh_flip(geom_mesh *mesh);

#endif
