/* Fuzz target of the STL reader and what is done with its triangles: whatever the bytes, it answers, and what it
 * accepts is a sound mesh. */
#include "core/context.h"
#include "geom/mesh_check.h"
#include "io/stl.h"
#include "require.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_mesh(const geom_mesh *mesh)
{
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        REQUIRE(mesh->facet_loops[f] < mesh->facet_loops[f + 1]);
        REQUIRE(mesh->facet_body[f] < mesh->n_bodies);
    }
    for (uint32_t l = 0; l < mesh->n_loops; l++) {
        REQUIRE(mesh->loop_corners[l + 1] >= mesh->loop_corners[l] + 3);
    }
    for (uint32_t c = 0; c < mesh->n_corners; c++) {
        REQUIRE(mesh->corners[c] < mesh->n_vertices);
    }
    for (uint32_t v = 0; v < mesh->n_vertices; v++) {
        REQUIRE(isfinite(mesh->vertices[v].x) && isfinite(mesh->vertices[v].y) && isfinite(mesh->vertices[v].z));
    }
}

static void check_flat(const geom_mesh *mesh, double tolerance)
{
    for (uint32_t f = 0; f < mesh->n_facets; f++) {
        mesh_plane plane = mesh_facet_plane(mesh, f);
        REQUIRE(mesh_facet_deviation(mesh, f, &plane, NULL) <= 1.001 * tolerance);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    geom_mesh *mesh = NULL;
    REQUIRE(crp_context_create(&context) == CRP_OK);
    crp_status status = stl_read(context, "fuzz", (const char *)data, size, 0.1, &mesh);
    if (status == CRP_OK) {
        mesh_report *report = malloc(sizeof *report);
        REQUIRE(report != NULL);
        check_mesh(mesh);
        double tolerance = mesh_default_tolerance(mesh);
        REQUIRE(mesh_weld(context, mesh, tolerance, NULL) == CRP_OK);
        check_mesh(mesh);
        REQUIRE(mesh_merge_coplanar(context, mesh, 1000 * tolerance) == CRP_OK);
        check_mesh(mesh);
        check_flat(mesh, 1000 * tolerance);
        REQUIRE(mesh_check(context, mesh, tolerance, report) == CRP_OK);
        free(report);
    } else {
        REQUIRE(status == CRP_ERR_FORMAT);
        REQUIRE(mesh == NULL);
        REQUIRE(strncmp(crp_context_error(context), "fuzz", 4) == 0);
    }
    mesh_destroy(&mesh);
    crp_context_destroy(&context);
    return 0;
}
