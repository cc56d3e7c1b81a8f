/** What is wrong with a mesh: see mesh_check. */
#ifndef GEOM_MESH_CHECK_H
#define GEOM_MESH_CHECK_H

#include "geom/mesh.h"

enum { MESH_MAX_FINDINGS = 20 };

typedef enum mesh_problem {
    MESH_OPEN_EDGE,    /**< an edge of one facet only: `value` its length [cm], `at` its middle */
    MESH_CROWDED_EDGE, /**< an edge of three facets or more: `value` how many, `at` its middle */
    MESH_NOT_FLAT,     /**< `value` how far a corner leaves the plane [cm], `at` that corner; the worst first */
    MESH_DUPLICATE,    /**< `other` has the same corners, `value` 1 or, turned the other way, -1 */
    MESH_OVERLAP,      /**< `other` lies in the same plane and covers part of it */
    MESH_INVERTED,     /**< its normal points the other way than those of its neighbours */
    MESH_INSIDE_OUT,   /**< first facet of a closed part whose normals point away from the gas: `value` its volume [cm3]
                        */
    MESH_TINY,         /**< `value` its height [cm]: thinner than coordinates can tell well; the worst first */
    MESH_N_PROBLEMS
} mesh_problem;

typedef struct mesh_finding {
    uint32_t facet, other; /**< from 0 */
    double value;
    geom_point at; /**< [cm] */
} mesh_finding;

typedef struct mesh_findings {
    uint32_t n;      /**< all of them */
    uint32_t n_kept; /**< in `kept` */
    mesh_finding kept[MESH_MAX_FINDINGS];
} mesh_findings;

typedef struct mesh_report {
    uint32_t n_facets, n_triangles, n_vertices, n_bodies;
    uint32_t n_parts;     /**< sets of one-sided facets that hang together by edges */
    uint32_t n_closed;    /**< of them, those without open edges, be it with the help of two-sided facets */
    geom_point low, high; /**< [cm] */
    double area;          /**< of all facets, one side [cm2] */
    double volume;        /**< of the gas inside parts that are closed by themselves [cm3]; NaN when there is none */
    double tolerance;     /**< that "flat", "same plane" and "on the edge" were judged with [cm] */
    mesh_findings problems[MESH_N_PROBLEMS];
} mesh_report;

/**
 * Look for all problems. Two-sided facets may stand free: their edges are not looked at. Nothing is changed.
 *
 * @param tolerance  [cm]
 * Errors: CRP_ERR_MEMORY.
 */
crp_status mesh_check(crp_context *context, const geom_mesh *mesh, double tolerance, mesh_report *report);

/* ------------------------------------------------------------------------------------------------- parts of mesh_check
 */

/** Note a finding while there is room. */
void mesh_note(mesh_findings *findings, mesh_finding finding);
/** Note a finding so that those with the largest |value| (or, `is_least`, the smallest) are kept, in order. */
void mesh_note_worst(mesh_findings *findings, mesh_finding finding, bool is_least);
/** Edges, parts, orientation. */
crp_status mesh_check_edges(crp_context *context, const geom_mesh *mesh, const mesh_plane *planes, mesh_report *report);
/** Duplicates and overlaps. */
crp_status mesh_check_overlaps(crp_context *context, const geom_mesh *mesh, const mesh_plane *planes,
                               mesh_report *report);

/** Two directions that span a plane, at right angles to its normal and to each other, so that u x v = normal. */
void mesh_plane_axes(geom_point normal, geom_point *u, geom_point *v);

/** Is the point, which lies in the plane of the facet, inside its outline and outside its holes? */
bool mesh_facet_contains(const geom_mesh *mesh, uint32_t facet, const mesh_plane *plane, geom_point point);

#endif
