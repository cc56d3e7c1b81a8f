/**
 * Facets cut into cells: see gas_cells.h. A texture cell is its rectangle cut at the facet; of facets that are not
 * convex it is cut at each of their triangles, and so may be several cells with one number.
 */
#include "io/gas_cells.h"

#include "core/context.h"
#include "geom/triangulate.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/** A polygon in cells of the texture. */
typedef struct flat_polygon {
    geom_point2 *at;
    uint32_t n;
} flat_polygon;

/** What the cutting of one facet needs. */
typedef struct facet_cutter {
    crp_context *context;
    const gas_model *model;
    gas_cells *cells;
    uint32_t facet;
    gas_frame frame;
    double step_u, step_v; /* of texture cells [m]; 0: none */
    uint32_t n_u, n_v;
    uint64_t first_texel;
    geom_point2 *points; /* corners of the facet, loop after loop [m] */
    uint32_t *n_points;  /* of each loop */
    uint32_t *numbers;   /* their vertices */
    uint32_t n;
    flat_polygon pieces[4]; /* scratch */
} facet_cutter;

/* --------------------------------------------------------------------------------------------------------------
 * storage */

static crp_status grow(crp_context *context, void *items, int64_t n, int64_t *room, size_t size)
{
    void **array = items;
    if (n <= *room) {
        return CRP_OK;
    }
    int64_t wanted = n + n / 2 + 64;
    void *larger = realloc(*array, (size_t)wanted * size);
    CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "not enough memory for %lld cells of facets and textures",
              (long long)n);
    *array = larger;
    *room = wanted;
    return CRP_OK;
}

static crp_status add_point(crp_context *context, gas_cells *c, const double at[3])
{
    CRP_TRY(grow(context, &c->points, 3 * (c->n_points + 1), &c->point_room, sizeof *c->points));
    for (int axis = 0; axis < 3; axis++) {
        c->points[3 * c->n_points + axis] = 100 * at[axis]; /* cm */
    }
    c->n_points++;
    return CRP_OK;
}

static crp_status add_corner(crp_context *context, gas_cells *c, int64_t point)
{
    CRP_TRY(grow(context, &c->corners, c->n_corners + 1, &c->corner_room, sizeof *c->corners));
    c->corners[c->n_corners++] = point;
    return CRP_OK;
}

static crp_status end_cell(crp_context *context, gas_cells *c, uint32_t facet, int64_t texel)
{
    int64_t room = c->cell_room;
    CRP_TRY(grow(context, &c->ends, c->n_cells + 1, &room, sizeof *c->ends));
    room = c->cell_room;
    CRP_TRY(grow(context, &c->facets, c->n_cells + 1, &room, sizeof *c->facets));
    CRP_TRY(grow(context, &c->texels, c->n_cells + 1, &c->cell_room, sizeof *c->texels));
    c->ends[c->n_cells] = c->n_corners;
    c->facets[c->n_cells] = facet;
    c->texels[c->n_cells++] = texel;
    return CRP_OK;
}

void gas_cells_destroy(gas_cells *cells)
{
    free(cells->points);
    free(cells->corners);
    free(cells->ends);
    free(cells->facets);
    free(cells->texels);
    memset(cells, 0, sizeof *cells);
}

/* ------------------------------------------------------------------------------------------------------------- cutting
 */

/** The part of a convex polygon where sign (x - limit) <= 0. Sutherland and Hodgman 1974. */
static void clip(const flat_polygon *from, flat_polygon *to, bool is_v, double limit, double sign)
{
    to->n = 0;
    for (uint32_t i = 0; i < from->n; i++) {
        geom_point2 p = from->at[i], q = from->at[(i + 1) % from->n];
        double a = sign * ((is_v ? p.v : p.u) - limit), b = sign * ((is_v ? q.v : q.u) - limit);
        if (a <= 0) {
            to->at[to->n++] = p;
        }
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) {
            double t = a / (a - b);
            geom_point2 cut = {p.u + t * (q.u - p.u), p.v + t * (q.v - p.v)};
            if (is_v) {
                cut.v = limit;
            } else {
                cut.u = limit;
            }
            to->at[to->n++] = cut;
        }
    }
}

static double area_of(const flat_polygon *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        geom_point2 a = p->at[i], b = p->at[(i + 1) % p->n];
        sum += a.u * b.v - b.u * a.v;
    }
    return 0.5 * sum;
}

static crp_status add_piece(facet_cutter *c, const flat_polygon *p, int64_t texel)
{
    const gas_frame *f = &c->frame;
    for (uint32_t i = 0; i < p->n; i++) {
        double u = p->at[i].u * c->step_u, v = p->at[i].v * c->step_v;
        const double at[3] = {f->origin.x + u * f->u.x + v * f->v.x, f->origin.y + u * f->u.y + v * f->v.y,
                              f->origin.z + u * f->u.z + v * f->v.z};
        CRP_TRY(add_point(c->context, c->cells, at));
        CRP_TRY(add_corner(c->context, c->cells, c->cells->n_points - 1));
    }
    return end_cell(c->context, c->cells, c->facet, texel);
}

/** All texture cells of pieces[0], a convex polygon in units of cells. */
static crp_status cut_texture(facet_cutter *c)
{
    double low_u = (double)INFINITY, high_u = 0, low_v = low_u, high_v = 0;
    for (uint32_t i = 0; i < c->pieces[0].n; i++) {
        geom_point2 p = c->pieces[0].at[i];
        low_u = fmin(low_u, p.u), high_u = fmax(high_u, p.u), low_v = fmin(low_v, p.v), high_v = fmax(high_v, p.v);
    }
    for (uint32_t j = (uint32_t)fmax(low_v, 0); j < c->n_v && j < high_v; j++) {
        clip(&c->pieces[0], &c->pieces[1], true, j, -1);
        clip(&c->pieces[1], &c->pieces[2], true, j + 1.0, 1);
        for (uint32_t i = (uint32_t)fmax(low_u, 0); i < c->n_u && i < high_u; i++) {
            clip(&c->pieces[2], &c->pieces[1], false, i, -1);
            clip(&c->pieces[1], &c->pieces[3], false, i + 1.0, 1);
            if (c->pieces[3].n >= 3 && area_of(&c->pieces[3]) > 1e-9) {
                CRP_TRY(add_piece(c, &c->pieces[3], (int64_t)(c->first_texel + (uint64_t)j * c->n_u + i)));
            }
        }
    }
    return CRP_OK;
}

static bool is_convex(const facet_cutter *c)
{
    double sum = 0;
    if (c->model->facets[c->facet].n_loops > 1) {
        return false;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        geom_point2 a = c->points[i], b = c->points[(i + 1) % c->n], d = c->points[(i + 2) % c->n];
        double x1 = b.u - a.u, y1 = b.v - a.v, x2 = d.u - b.u, y2 = d.v - b.v;
        if (x1 * y2 - x2 * y1 < 0) {
            return false;
        }
        sum += atan2(x1 * y2 - x2 * y1, x1 * x2 + y1 * y2);
    }
    return sum < 7; /* once round, not twice */
}

/** Does an outline pass a vertex twice, as that of a keyhole does? */
static bool repeats_vertex(const facet_cutter *c)
{
    enum { MOST = 4000 }; /* pairs of corners of a larger outline are too many to look at: triangles serve as well */
    for (uint32_t i = 0; i < c->n && c->n <= MOST; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (c->numbers[i] == c->numbers[k]) {
                return true;
            }
        }
    }
    return c->n > MOST;
}

static crp_status add_triangle(facet_cutter *c, const uint32_t *corner)
{
    if (c->step_u > 0) {
        for (int k = 0; k < 3; k++) {
            geom_point2 p = c->points[corner[k]];
            c->pieces[0].at[k] = (geom_point2){p.u / c->step_u, p.v / c->step_v};
        }
        c->pieces[0].n = 3;
        return cut_texture(c);
    }
    for (int k = 0; k < 3; k++) {
        CRP_TRY(add_corner(c->context, c->cells, c->numbers[corner[k]]));
    }
    return end_cell(c->context, c->cells, c->facet, -1);
}

static crp_status add_triangles(facet_cutter *c)
{
    uint32_t n_loops = c->model->facets[c->facet].n_loops;
    uint32_t *triangles = malloc((3 * (c->n + 2 * (size_t)n_loops) + 3) * sizeof *triangles);
    CRP_CHECK(c->context, triangles != NULL, CRP_ERR_MEMORY, "not enough memory for a facet of %u corners",
              (unsigned)c->n);
    int64_t n = geom_triangulate(c->points, c->n_points, n_loops, triangles);
    crp_status status = CRP_OK;
    for (int64_t i = 0; i < n && status == CRP_OK; i++) {
        status = add_triangle(c, triangles + 3 * i);
    }
    free(triangles);
    return status;
}

static crp_status add_whole(facet_cutter *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        CRP_TRY(add_corner(c->context, c->cells, c->numbers[i]));
    }
    return end_cell(c->context, c->cells, c->facet, -1);
}

static crp_status cut_facet(facet_cutter *c)
{
    bool is_simple = c->model->facets[c->facet].n_loops == 1 && !repeats_vertex(c);
    if (c->step_u <= 0) {
        return is_simple ? add_whole(c) : add_triangles(c);
    }
    if (!is_simple || !is_convex(c)) {
        return add_triangles(c);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        c->pieces[0].at[i] = (geom_point2){c->points[i].u / c->step_u, c->points[i].v / c->step_v};
    }
    c->pieces[0].n = c->n;
    return cut_texture(c);
}

/* ------------------------------------------------------------------------------------------------------ facet by facet
 */

/** Edges of a texture cell: the real counts of the model along U and V, of which the last cell may be cut. */
static void find_texture(facet_cutter *c, const uint64_t *first)
{
    const gas_surface *s = &c->model->surfaces[c->model->facets[c->facet].surface];
    c->n_u = c->n_v = 0;
    c->step_u = c->step_v = 0;
    if (!c->model->score_textures) {
        return;
    }
    gas_facet_texture(c->model, c->facet, &c->frame, &c->n_u, &c->n_v);
    if (c->n_u > 0 && c->n_v > 0) {
        c->first_texel = first[c->facet];
        c->step_u = s->texture_cell > 0 ? s->texture_cell : c->frame.length_u / s->texture_u;
        c->step_v = s->texture_cell > 0 ? s->texture_cell : c->frame.length_v / s->texture_v;
    }
}

static void load_facet(facet_cutter *c)
{
    const gas_facet *facet = &c->model->facets[c->facet];
    const gas_frame *f = &c->frame;
    c->n = 0;
    for (uint32_t l = 0; l < facet->n_loops; l++) {
        const gas_loop *loop = &c->model->loops[facet->first_loop + l];
        c->n_points[l] = loop->n;
        for (uint32_t i = 0; i < loop->n; i++) {
            uint32_t vertex = c->model->corners[loop->first + i];
            const double *x = c->model->vertices + 3 * (size_t)vertex;
            double dx = x[0] - f->origin.x, dy = x[1] - f->origin.y, dz = x[2] - f->origin.z;
            c->points[c->n] =
                (geom_point2){dx * f->u.x + dy * f->u.y + dz * f->u.z, dx * f->v.x + dy * f->v.y + dz * f->v.z};
            c->numbers[c->n++] = vertex;
        }
    }
}

static crp_status allocate_scratch(facet_cutter *c)
{
    size_t most = 0, most_loops = 0;
    for (uint32_t f = 0; f < c->model->n_facets; f++) {
        const gas_facet *facet = &c->model->facets[f];
        size_t n = 0;
        for (uint32_t l = 0; l < facet->n_loops; l++) {
            n += c->model->loops[facet->first_loop + l].n;
        }
        most = n > most ? n : most;
        most_loops = facet->n_loops > most_loops ? facet->n_loops : most_loops;
    }
    c->points = malloc((most + 1) * sizeof *c->points);
    c->numbers = malloc((most + 1) * sizeof *c->numbers);
    c->n_points = malloc((most_loops + 1) * sizeof *c->n_points);
    bool is_fine = c->points != NULL && c->numbers != NULL && c->n_points != NULL;
    for (int i = 0; i < 4; i++) {
        c->pieces[i].at = malloc((most + 16) * sizeof *c->pieces[i].at); /* a cut adds one corner to a convex polygon */
        is_fine = is_fine && c->pieces[i].at != NULL;
    }
    CRP_CHECK(c->context, is_fine, CRP_ERR_MEMORY, "not enough memory for a facet of %zu corners", most);
    return CRP_OK;
}

static crp_status cut_all(facet_cutter *c, uint64_t *first)
{
    for (uint32_t v = 0; v < c->model->n_vertices; v++) {
        CRP_TRY(add_point(c->context, c->cells, c->model->vertices + 3 * (size_t)v));
    }
    gas_texture_cells(c->model, first);
    for (c->facet = 0; c->facet < c->model->n_facets; c->facet++) {
        c->frame = gas_facet_frame(c->model, c->facet);
        find_texture(c, first);
        load_facet(c);
        CRP_TRY(cut_facet(c));
    }
    return CRP_OK;
}

crp_status gas_cells_create(crp_context *context, const gas_model *model, gas_cells *cells)
{
    memset(cells, 0, sizeof *cells);
    facet_cutter c = {.context = context, .model = model, .cells = cells};
    uint64_t *first = malloc((model->n_facets + (size_t)1) * sizeof *first);
    crp_status status = first == NULL ? context_fail(context, CRP_ERR_MEMORY, "not enough memory for %u facets",
                                                     (unsigned)model->n_facets)
                                      : allocate_scratch(&c);
    if (status == CRP_OK) {
        status = cut_all(&c, first);
    }
    free(first);
    free(c.points);
    free(c.numbers);
    free(c.n_points);
    for (int i = 0; i < 4; i++) {
        free(c.pieces[i].at);
    }
    if (status != CRP_OK) {
        gas_cells_destroy(cells);
    }
    return status;
}
