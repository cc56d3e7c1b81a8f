/** Checks of a mesh: those of single facets, and the order of all. See mesh_check.h. */
#include "geom/mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A facet thinner than this part of the model is hard to hit and to tell from an edge. */
static const double tiny_part = 1e-6;

void mesh_note(mesh_findings *findings, mesh_finding finding)
{
    findings->n++;
    if (findings->n_kept < MESH_MAX_FINDINGS) {
        findings->kept[findings->n_kept++] = finding;
    }
}

void mesh_note_worst(mesh_findings *findings, mesh_finding finding, bool is_least)
{
    uint32_t at = findings->n_kept;
    findings->n++;
    while (at > 0 &&
           (is_least ? finding.value < findings->kept[at - 1].value : finding.value > findings->kept[at - 1].value)) {
        at--;
    }
    if (at >= MESH_MAX_FINDINGS) {
        return;
    }
    uint32_t n_moved = (findings->n_kept < MESH_MAX_FINDINGS ? findings->n_kept : MESH_MAX_FINDINGS - 1) - at;
    memmove(findings->kept + at + 1, findings->kept + at, n_moved * sizeof *findings->kept);
    findings->kept[at] = finding;
    findings->n_kept += findings->n_kept < MESH_MAX_FINDINGS;
}

void mesh_plane_axes(geom_point normal, geom_point *u, geom_point *v)
{
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    geom_point far = x <= y && x <= z ? (geom_point){1, 0, 0} : y <= z ? (geom_point){0, 1, 0} : (geom_point){0, 0, 1};
    *u = point_cross(far, normal);
    double length = point_length(*u);
    *u = (geom_point){u->x / length, u->y / length, u->z / length};
    *v = point_cross(normal, *u);
}

bool mesh_facet_contains(const geom_mesh *mesh, uint32_t facet, const mesh_plane *plane, geom_point point)
{
    geom_point u, v;
    bool is_inside = false;
    mesh_plane_axes(plane->normal, &u, &v);
    for (uint32_t l = mesh->facet_loops[facet]; l < mesh->facet_loops[facet + 1]; l++) {
        uint32_t first = mesh->loop_corners[l], end = mesh->loop_corners[l + 1];
        geom_point before = point_sub(mesh->vertices[mesh->corners[end - 1]], point);
        double bu = point_dot(before, u), bv = point_dot(before, v);
        for (uint32_t c = first; c < end; c++) {
            geom_point now = point_sub(mesh->vertices[mesh->corners[c]], point);
            double nu = point_dot(now, u), nv = point_dot(now, v);
            if ((nv > 0) != (bv > 0) && nu - nv * (bu - nu) / (bv - nv) > 0) {
                is_inside = !is_inside;
            }
            bu = nu;
            bv = nv;
        }
    }
    return is_inside;
}

static void check_facets(const geom_mesh *mesh, const mesh_plane *planes, mesh_report *report)
{
    double diagonal = point_distance(report->low, report->high);
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        uint32_t vertex = mesh->corners[mesh_first_corner(mesh, f)],
                 n_loops = mesh->facet_loops[f + 1] - mesh->facet_loops[f];
        uint32_t n = mesh_end_corner(mesh, f) - mesh_first_corner(mesh, f);
        double deviation = mesh_facet_deviation(mesh, f, &planes[f], &vertex);
        report->area += planes[f].area;
        report->n_triangles += n + 2 * (n_loops - 1) - 2;
        if (deviation > report->tolerance) {
            mesh_note_worst(&report->problems[MESH_NOT_FLAT], (mesh_finding){f, 0, deviation, mesh->vertices[vertex]},
                            false);
        }
        if (planes[f].height < tiny_part * diagonal) {
            vertex = mesh->corners[mesh_first_corner(mesh, f)];
            mesh_note_worst(&report->problems[MESH_TINY],
                            (mesh_finding){f, 0, planes[f].height, mesh->vertices[vertex]}, true);
        }
    }
}

crp_status mesh_check(crp_context *context, const geom_mesh *mesh, double tolerance, mesh_report *report)
{
    mesh_plane *planes = NULL;
    crp_status status = CRP_OK;
    memset(report, 0, sizeof *report);
    report->tolerance = tolerance;
    report->n_facets = mesh->n_facets;
    report->n_vertices = mesh->n_vertices;
    report->n_bodies = mesh->n_bodies;
    report->volume = (double)NAN;
    mesh_bounds(mesh, &report->low, &report->high);
    CRP_GOTO(mesh_planes(context, mesh, &planes), done);
    check_facets(mesh, planes, report);
    CRP_GOTO(mesh_check_edges(context, mesh, planes, report), done);
    CRP_GOTO(mesh_check_overlaps(context, mesh, planes, report), done);
done:
    free(planes);
    return status;
}
