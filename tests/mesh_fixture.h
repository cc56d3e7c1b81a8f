/* Bodies for the tests of meshes: a box of triangles, a tube with caps. Normals point into them, where the gas is. */
#ifndef TESTS_MESH_FIXTURE_H
#define TESTS_MESH_FIXTURE_H

#include "geom/mesh_check.h"

#include <math.h>

static inline uint32_t fixture_vertex(crp_context *context, geom_mesh *mesh, double x, double y, double z)
{
    assert_int_equal(mesh_add_vertex(context, mesh, (geom_point){x, y, z}), CRP_OK);
    return mesh->n_vertices - 1;
}

static inline void fixture_facet(crp_context *context, geom_mesh *mesh, const uint32_t *corners, uint32_t n)
{
    assert_int_equal(mesh_add_facet(context, mesh, mesh->n_bodies - 1, false), CRP_OK);
    assert_int_equal(mesh_add_loop(context, mesh, corners, n), CRP_OK);
}

/* Twelve triangles, each with vertices of its own, as an STL file has them. `is_solid`: normals point out. */
static inline void fixture_box(crp_context *context, geom_mesh *mesh, geom_point low, geom_point high, bool is_solid)
{
    static const int faces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
    double xyz[2][3] = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
    for (int f = 0; f < 6; f++) {
        for (int half = 0; half < 2; half++) {
            int turn[3] = {0, half == 0 ? 1 : 2, half == 0 ? 2 : 3};
            uint32_t corners[3];
            for (int k = 0; k < 3; k++) {
                int v = faces[f][turn[is_solid ? 2 - k : k]];
                corners[k] = fixture_vertex(context, mesh, xyz[v & 1][0], xyz[v >> 1 & 1][1], xyz[v >> 2][2]);
            }
            fixture_facet(context, mesh, corners, 3);
        }
    }
}

/* A tube along z of radius 1 cm: two triangles a side, fans of triangles for caps, vertices shared. */
static inline void fixture_tube(crp_context *context, geom_mesh *mesh, uint32_t n, double length)
{
    const double pi = 3.14159265358979323846;
    uint32_t first = mesh->n_vertices;
    for (uint32_t i = 0; i < n; i++) {
        double a = 2 * pi * i / n;
        fixture_vertex(context, mesh, cos(a), sin(a), 0);
        fixture_vertex(context, mesh, cos(a), sin(a), length);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = first + 2 * i, b = first + 2 * ((i + 1) % n);
        fixture_facet(context, mesh, (uint32_t[]){a, a + 1, b + 1}, 3);
        fixture_facet(context, mesh, (uint32_t[]){a, b + 1, b}, 3);
        if (i >= 1 && i + 1 < n) {
            fixture_facet(context, mesh, (uint32_t[]){first, a, b}, 3);
            fixture_facet(context, mesh, (uint32_t[]){first + 1, b + 1, a + 1}, 3);
        }
    }
}

#endif
