/* Cutting facets into primitives, and finding the sheets. */
#include "model/gas/gas_mesh.h"

#include "core/context.h"
#include "geom/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the size of the model: corners this near a plane lie in it; and points this far outside an edge still count. */
static const double IN_PLANE = 1e-12, SLACK = 4e-12;

typedef struct cutter {
    crp_context *context;
    const gas_model *model;
    gas_mesh *mesh;
    uint32_t room;
    geom_point2 *points; /* corners of one facet in its frame */
    uint32_t *triangles;
    size_t n_points, n_triangles; /* room of the two */
} cutter;

static geom_point vertex(const gas_model *model, uint32_t corner)
{
    const double *v = model->vertices + 3 * (size_t)model->corners[corner];
    return (geom_point){v[0], v[1], v[2]};
}

static crp_status make_room(cutter *c, uint32_t n)
{
    gas_mesh *m = c->mesh;
    if (m->n + (uint64_t)n <= c->room) {
        return CRP_OK;
    }
    CRP_CHECK(c->context, m->n + (uint64_t)n < GAS_FACET_MASK, CRP_ERR_GEOMETRY, "the model has more than %u triangles",
              GAS_FACET_MASK);
    uint32_t room = m->n + n + c->room;
    gas_primitive *primitives = realloc(m->primitives, room * sizeof *primitives);
    m->primitives = primitives != NULL ? primitives : m->primitives;
    gas_corner *corners = realloc(m->corners, room * sizeof *corners);
    m->corners = corners != NULL ? corners : m->corners;
    geom_box *boxes = realloc(m->boxes, room * sizeof *boxes);
    m->boxes = boxes != NULL ? boxes : m->boxes;
    CRP_CHECK(c->context, primitives != NULL && corners != NULL && boxes != NULL, CRP_ERR_MEMORY,
              "no memory for %u triangles", room);
    c->room = room;
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------- primitives */

static void store(double *to, geom_point p, double fourth)
{
    to[0] = p.x;
    to[1] = p.y;
    to[2] = p.z;
    to[3] = fourth;
}

/* Coordinates u, v of a point p: p . u + u0 with the reciprocal basis of the edges in the plane. */
static void set_basis(gas_primitive *q, const gas_corner *c, double slack)
{
    geom_point n = {q->n[0], q->n[1], q->n[2]}, corner = {c->corner[0], c->corner[1], c->corner[2]};
    geom_point a = {c->edge_u[0], c->edge_u[1], c->edge_u[2]}, b = {c->edge_v[0], c->edge_v[1], c->edge_v[2]};
    geom_point u = point_cross(b, n), v = point_cross(n, a);
    double scale_u = 1.0 / point_dot(a, u), scale_v = 1.0 / point_dot(b, v);
    u = (geom_point){u.x * scale_u, u.y * scale_u, u.z * scale_u};
    v = (geom_point){v.x * scale_v, v.y * scale_v, v.z * scale_v};
    store(q->u, u, -point_dot(u, corner));
    store(q->v, v, -point_dot(v, corner));
    q->basis = -1.0 / ((q->n[2] < 0.0 ? -1.0 : 1.0) + q->n[2]);
    q->slack_u = (float)(slack * point_length(u));
    q->slack_v = (float)(slack * point_length(v));
}

static void set_box(geom_box *box, const geom_point *points, int n, double margin)
{
    *box = (geom_box){{points[0].x, points[0].y, points[0].z}, {points[0].x, points[0].y, points[0].z}};
    for (int i = 1; i < n; i++) {
        const double p[3] = {points[i].x, points[i].y, points[i].z};
        for (int k = 0; k < 3; k++) {
            box->low[k] = fmin(box->low[k], p[k]);
            box->high[k] = fmax(box->high[k], p[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        box->low[k] -= margin;
        box->high[k] += margin;
    }
}

/* Add the primitive with corner p[0] and edges to p[1] and p[2]; p[3] is the fourth corner of a parallelogram. A
 * triangle in a facet that is not flat takes its own normal. */
static void add_primitive(cutter *c, uint32_t facet, const geom_point *p, int n_points, const gas_frame *frame,
                          bool is_flat)
{
    gas_mesh *m = c->mesh;
    const gas_surface *surface = &c->model->surfaces[c->model->facets[facet].surface];
    geom_point a = point_sub(p[1], p[0]), b = point_sub(p[2], p[0]), n = point_cross(a, b);
    double area2 = point_length(n);
    if (!(area2 > 0.0)) {
        return;
    }
    gas_corner *corner = &m->corners[m->n];
    *corner =
        (gas_corner){{p[0].x, p[0].y, p[0].z}, {a.x, a.y, a.z}, {b.x, b.y, b.z}, n_points == 3 ? 0.5 * area2 : area2};
    gas_primitive *q = &m->primitives[m->n];
    memset(q, 0, sizeof *q);
    n = is_flat ? frame->n : (geom_point){n.x / area2, n.y / area2, n.z / area2};
    store(q->n, n, point_dot(n, is_flat ? frame->origin : p[0]));
    q->facet = facet | (n_points == 3 ? GAS_IS_TRIANGLE : 0u) | (surface->is_two_sided ? GAS_IS_TWO_SIDED : 0u);
    q->surface = c->model->facets[facet].surface;
    q->structure = surface->structure;
    q->sheet = facet;
    set_box(&m->boxes[m->n], p, n_points, SLACK * m->size);
    m->n++;
}

/* ------------------------------------------------------------------------------------------------ facets */

/* Corners 0, 1, 2, 3 in turn: is 0 + 2 = 1 + 3? */
static bool is_parallelogram(const geom_point *p, double size)
{
    geom_point d = {p[0].x - p[1].x + p[2].x - p[3].x, p[0].y - p[1].y + p[2].y - p[3].y,
                   p[0].z - p[1].z + p[2].z - p[3].z};
    return point_length(d) <= 1e-13 * size;
}

static crp_status grow(cutter *c, size_t n, uint32_t n_loops)
{
    size_t n_triangles = 3 * (n + 2 * (size_t)n_loops);
    if (n > c->n_points || n_triangles > c->n_triangles) {
        geom_point2 *points = realloc(c->points, n * sizeof *points);
        c->points = points != NULL ? points : c->points;
        uint32_t *triangles = realloc(c->triangles, n_triangles * sizeof *triangles);
        c->triangles = triangles != NULL ? triangles : c->triangles;
        CRP_CHECK(c->context, points != NULL && triangles != NULL, CRP_ERR_MEMORY,
                  "no memory for a facet of %zu corners", n);
        c->n_points = n;
        c->n_triangles = n_triangles;
    }
    return CRP_OK;
}

static crp_status cut_polygon(cutter *c, uint32_t facet, const gas_frame *frame, bool is_flat)
{
    const gas_model *m = c->model;
    const gas_facet *f = &m->facets[facet];
    const gas_loop *loops = &m->loops[f->first_loop];
    uint32_t first = loops[0].first, n = 0, *n_points = malloc(f->n_loops * sizeof *n_points);
    CRP_CHECK(c->context, n_points != NULL, CRP_ERR_MEMORY, "no memory for a facet");
    for (uint32_t k = 0; k < f->n_loops; k++) {
        n_points[k] = loops[k].n;
        n += loops[k].n;
    }
    crp_status status = grow(c, n, f->n_loops);
    int64_t n_triangles = 0;
    if (status == CRP_OK) {
        for (uint32_t i = 0; i < n; i++) {
            geom_point d = point_sub(vertex(m, first + i), frame->origin);
            c->points[i] = (geom_point2){point_dot(d, frame->u), point_dot(d, frame->v)};
        }
        n_triangles = geom_triangulate(c->points, n_points, f->n_loops, c->triangles);
    }
    free(n_points);
    CRP_TRY(status);
    char label[2 * GAS_NAME];
    CRP_CHECK(c->context, n_triangles != 0, CRP_ERR_MEMORY, "no memory to cut a facet of %u corners", n);
    CRP_CHECK(c->context, n_triangles > 0, CRP_ERR_GEOMETRY,
              "%s: its outline crosses itself, or a hole lies outside (it cannot be cut into triangles)",
              gas_facet_label(m, facet, label));
    CRP_TRY(make_room(c, (uint32_t)n_triangles));
    for (int64_t i = 0; i < n_triangles; i++) {
        const uint32_t *t = c->triangles + 3 * i;
        const geom_point p[3] = {vertex(m, first + t[0]), vertex(m, first + t[1]), vertex(m, first + t[2])};
        add_primitive(c, facet, p, 3, frame, is_flat);
    }
    return CRP_OK;
}

static crp_status cut_facet(cutter *c, uint32_t facet)
{
    const gas_model *m = c->model;
    const gas_facet *f = &m->facets[facet];
    const gas_loop *outline = &m->loops[f->first_loop];
    gas_frame frame = gas_facet_frame(m, facet);
    double size = fmax(frame.length_u, frame.length_v);
    bool is_flat = frame.flatness <= IN_PLANE * c->mesh->size;
    c->mesh->area[facet] = frame.area;
    if (f->n_loops == 1 && outline->n == 4 && is_flat) {
        geom_point p[4];
        for (uint32_t i = 0; i < 4; i++) {
            p[i] = vertex(m, outline->first + i);
        }
        if (is_parallelogram(p, size)) {
            const geom_point ordered[4] = {p[0], p[1], p[3], p[2]};
            CRP_TRY(make_room(c, 1));
            add_primitive(c, facet, ordered, 4, &frame, true);
            return CRP_OK;
        }
    }
    CRP_TRY(cut_polygon(c, facet, &frame, is_flat));
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------ sheets */

/* A plane by a number that is nearly equal for nearly equal planes, whatever their sides. */
typedef struct plane {
    double key;
    uint32_t primitive; /* the first of a facet */
} plane;

static int compare_planes(const void *a, const void *b)
{
    const plane *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->primitive < y->primitive ? -1 : x->primitive > y->primitive;
}

/* +1 or -1, so that planes with opposite normals get one key. 0.43: some component is larger; none of a common angle is
 * near. */
static double sign_of(const double *n)
{
    for (int k = 0; k < 3; k++) {
        if (fabs(n[k]) > 0.4321) {
            return n[k] < 0.0 ? -1.0 : 1.0;
        }
    }
    return 1.0;
}

static double key_of(const double *n, double size)
{
    return sign_of(n) * (0.8191 * n[0] + 0.4253 * n[1] + 0.3847 * n[2] + 0.2917 * n[3] / size);
}

/* Do all corners of a primitive lie in the plane n? */
static bool lies_in(const gas_mesh *m, uint32_t primitive, const double *n)
{
    const gas_corner *c = &m->corners[primitive];
    for (int i = 0; i < 4; i++) {
        double height = -n[3];
        for (int k = 0; k < 3; k++) {
            height += n[k] * (c->corner[k] + ((i & 1) != 0 ? c->edge_u[k] : 0.0) + ((i & 2) != 0 ? c->edge_v[k] : 0.0));
        }
        if (!(fabs(height) <= IN_PLANE * m->size)) {
            return false;
        }
    }
    return true;
}

static bool facet_lies_in(const gas_mesh *m, uint32_t first, const double *n)
{
    uint32_t facet = m->primitives[first].facet & GAS_FACET_MASK;
    for (uint32_t i = first; i < m->n && (m->primitives[i].facet & GAS_FACET_MASK) == facet; i++) {
        if (!lies_in(m, i, n)) {
            return false;
        }
    }
    return true;
}

/* Give the facet that begins with a primitive the sheet and the plane of another, with its own side. */
static void join(gas_mesh *m, uint32_t first, const gas_primitive *to)
{
    uint32_t facet = m->primitives[first].facet & GAS_FACET_MASK;
    for (uint32_t i = first; i < m->n && (m->primitives[i].facet & GAS_FACET_MASK) == facet; i++) {
        gas_primitive *q = &m->primitives[i];
        double side = q->n[0] * to->n[0] + q->n[1] * to->n[1] + q->n[2] * to->n[2] < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 4; k++) {
            q->n[k] = side * to->n[k];
        }
        q->sheet = to->sheet;
    }
}

/* The lowest facet whose plane the i-th one lies in, among its neighbours by key. Keys of coplanar facets differ by
 * rounding only: about 1e-15 times the ratio of the model's size to the facet's. */
static uint32_t lowest_in_plane(const gas_mesh *m, const plane *planes, uint32_t n, uint32_t i)
{
    const double window = 1e-10;
    const uint32_t most = 4096;
    uint32_t self = planes[i].primitive, best = self;
    for (uint32_t k = i; k-- > 0 && planes[i].key - planes[k].key <= window && i - k <= most;) {
        uint32_t other = planes[k].primitive;
        best = other < best && facet_lies_in(m, self, m->primitives[other].n) ? other : best;
    }
    for (uint32_t k = i + 1; k < n && planes[k].key - planes[i].key <= window && k - i <= most; k++) {
        uint32_t other = planes[k].primitive;
        best = other < best && facet_lies_in(m, self, m->primitives[other].n) ? other : best;
    }
    return best;
}

/* In rising order of facets, so that the lower one has its final plane already. */
static void join_sheets(gas_mesh *m, plane *planes, uint32_t n, uint32_t *lowest)
{
    qsort(planes, n, sizeof *planes, compare_planes);
    for (uint32_t i = 0; i < n; i++) {
        lowest[planes[i].primitive] = lowest_in_plane(m, planes, n, i);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        if (lowest[i] < i) {
            join(m, i, &m->primitives[lowest[i]]);
        }
    }
}

static crp_status find_sheets(crp_context *context, const gas_model *model, gas_mesh *m)
{
    plane *planes = malloc(model->n_facets * sizeof *planes);
    uint32_t n = 0, *lowest = malloc((m->n + 1) * sizeof *lowest);
    if (planes == NULL || lowest == NULL) {
        free(planes);
        free(lowest);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for the planes of %u facets", model->n_facets);
    }
    for (uint32_t i = 0; i < m->n; i++) {
        lowest[i] = i;
        uint32_t facet = m->primitives[i].facet & GAS_FACET_MASK;
        bool is_first = i == 0 || (m->primitives[i - 1].facet & GAS_FACET_MASK) != facet;
        if (is_first && facet_lies_in(m, i, m->primitives[i].n)) {
            planes[n++] = (plane){key_of(m->primitives[i].n, m->size), i};
        }
    }
    join_sheets(m, planes, n, lowest);
    free(lowest);
    free(planes);
    return CRP_OK;
}

/* -------------------------------------------------------------------------------------------------- mesh */

static double size_of(const gas_model *model)
{
    double size = 0.0;
    for (size_t i = 0; i < 3 * (size_t)model->n_vertices; i++) {
        size = fmax(size, fabs(model->vertices[i]));
    }
    return 2.0 * size;
}

crp_status gas_mesh_build(crp_context *context, const gas_model *model, gas_mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    cutter c = {.context = context, .model = model, .mesh = mesh};
    crp_status status = CRP_OK;
    mesh->size = size_of(model);
    mesh->area = calloc(model->n_facets, sizeof *mesh->area);
    if (mesh->area == NULL) {
        return context_fail(context, CRP_ERR_MEMORY, "no memory for %u facets", model->n_facets);
    }
    for (uint32_t i = 0; i < model->n_facets && status == CRP_OK; i++) {
        status = cut_facet(&c, i);
    }
    free(c.points);
    free(c.triangles);
    if (status == CRP_OK) {
        status = find_sheets(context, model, mesh);
    }
    for (uint32_t i = 0; i < mesh->n && status == CRP_OK; i++) {
        set_basis(&mesh->primitives[i], &mesh->corners[i], SLACK * mesh->size);
    }
    if (status != CRP_OK) {
        gas_mesh_destroy(mesh);
    }
    return status;
}

void gas_mesh_destroy(gas_mesh *mesh)
{
    free(mesh->primitives);
    free(mesh->corners);
    free(mesh->boxes);
    free(mesh->area);
    memset(mesh, 0, sizeof *mesh);
}
