/* Making candidate records: which facets lie in reach of a patch, by angle in a plane. */
#include "model/gas/gas_records.h"

#include "core/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Directions are computed in 32 bits from angles of 64: bins are this much wider on each side, in units of the diamond
 * angle. */
static const double ANGLE_MARGIN = 1e-5;
/* And patches by this part of their size. */
static const double PATCH_MARGIN = 1e-3;
/* Of the model's size: nearer to a plane than this is in it. */
static const double IN_PLANE = 1e-12;
/* A facet that is so many times longer than wide is seen along its length. */
static const double LONG = 2.0;

/* 256 MB, as much as a GPU can spare beside a large model. */
static const uint64_t MOST_RECORDS = 1u << 24;
/* Of a part of the records: fewer that serve, and the whole will not be worth it. */
static const double HOPELESS = 0.3;
/* Their records are made all the same: a sixteenth of them says nothing. */
enum { FEW_FACETS = 1000 };

enum { MAX_RUNS = 4, MAX_RUN = GAS_RUN_MASK, LEAST_TURN = 128 };

typedef struct builder {
    const gas_model *model;
    gas_records *records;
    double *corners; /* x, y, z of all corners, facet after facet */
    uint32_t *first; /* first corner of every facet, n_facets + 1 */
    uint32_t *front; /* bit j of row i: facet j lies in front of the plane of facet i, and not in it */
    size_t row;      /* words of a row */
    bool is_convex;  /* all of those bits are set but the diagonal */
    const double *area;
    uint8_t *kind; /* of every facet: IS_ROUGH and so on */
    double tolerance;
    uint32_t turn;    /* bins of a whole turn */
    uint32_t patches; /* along each side of a facet that is divided */
} builder;

/* Kinds of facets. */
enum {
    IS_ROUGH = 1,     /* not flat: its parts have planes of their own */
    IS_TWO_SIDED = 2, /* can be hit from behind */
    ASKS_TREE = 4     /* molecules leave it backwards too, or come from elsewhere: theirs are no records */
};

/* The record of one bin while it is made. */
typedef struct bin {
    uint32_t runs[MAX_RUNS];
    uint32_t n; /* runs; MAX_RUNS + 1: too many */
} bin;

static double height(const double *plane, const double *p)
{
    return plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] - plane[3];
}

/* --------------------------------------------------------------------------------------------- relations */

static bool is_in_front(const builder *b, uint32_t plane, uint32_t facet)
{
    double highest = 0.0;
    const double *n = b->records->planes + 4 * (size_t)plane;
    for (uint32_t k = b->first[facet]; k < b->first[facet + 1]; k++) {
        double h = height(n, b->corners + 3 * (size_t)k);
        if (h < -b->tolerance) {
            return false;
        }
        highest = fmax(highest, h);
    }
    return highest > b->tolerance;
}

static bool has_front(const builder *b, uint32_t plane, uint32_t facet)
{
    return (b->front[plane * b->row + facet / 32] >> (facet % 32) & 1u) != 0;
}

static void relate(builder *b)
{
    uint32_t n = b->model->n_facets;
    bool is_convex = true;
#pragma omp parallel for schedule(static) reduction(&& : is_convex)
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            if (i != j && (b->kind[i] & IS_ROUGH) == 0 && is_in_front(b, i, j)) {
                b->front[i * b->row + j / 32] |= 1u << (j % 32);
            } else {
                is_convex = is_convex && i == j;
            }
        }
    }
    b->is_convex = is_convex;
}

/* ------------------------------------------------------------------------------------------------- angles */

static double diamond_angle(double x, double y)
{
    double q = x / (fabs(x) + fabs(y));
    return y >= 0.0 ? 1.0 - q : 3.0 + q;
}

/* An arc from `from`, `width` long: the directions from any point of a patch to any of a facet. Whole turn: 4. */
typedef struct arc {
    double from, width;
} arc;

/* Points of a patch in the plane of the angle. */
typedef struct patch {
    double x[4], y[4];
    uint32_t n;
} patch;

/*
 * The differences of two convex sets fill a convex set. If it holds the origin the arc is the whole turn; else it is
 * shorter than half a turn, 2 units, and its ends are differences of corners.
 */
static arc arc_to(const builder *b, const gas_view *view, const patch *p, uint32_t facet)
{
    const arc whole = {0.0, 4.0};
    double start = -1.0, low = 0.0, high = 0.0, last_x = (double)NAN, last_y = 0.0;
    for (uint32_t k = b->first[facet]; k < b->first[facet + 1]; k++) {
        const double *c = b->corners + 3 * (size_t)k;
        double x = c[0] * view->e1[0] + c[1] * view->e1[1] + c[2] * view->e1[2];
        double y = c[0] * view->e2[0] + c[1] * view->e2[1] + c[2] * view->e2[2];
        if (fabs(x - last_x) + fabs(y - last_y) <= 1e-3 * b->tolerance) {
            continue; /* a corner that stands behind the last one */
        }
        last_x = x;
        last_y = y;
        for (uint32_t i = 0; i < p->n; i++) {
            double dx = x - p->x[i], dy = y - p->y[i];
            if (fabs(dx) + fabs(dy) <= b->tolerance) {
                return whole;
            }
            double angle = diamond_angle(dx, dy), turn;
            start = start < 0.0 ? angle : start;
            turn = angle - start;
            turn = turn > 2.0 ? turn - 4.0 : turn <= -2.0 ? turn + 4.0 : turn;
            low = fmin(low, turn);
            high = fmax(high, turn);
        }
    }
    return high - low >= 2.0 - 1e-9 ? whole : (arc){start + low, high - low};
}

/* ------------------------------------------------------------------------------------------------ records */

static void add_facet(bin *to, uint32_t facet)
{
    if (to->n > MAX_RUNS) {
        return;
    }
    if (to->n > 0) {
        uint32_t *run = &to->runs[to->n - 1];
        uint32_t count = *run & GAS_RUN_MASK;
        if ((*run >> GAS_RUN_BITS) + count == facet && count < MAX_RUN) {
            *run += 1;
            return;
        }
    }
    if (to->n == MAX_RUNS) {
        to->n = MAX_RUNS + 1;
        return;
    }
    to->runs[to->n++] = facet << GAS_RUN_BITS | 1u;
}

/* Into all bins that an arc touches. Half views have no bins below the horizon. */
static void add_arc(bin *bins, const gas_view *view, arc a, uint32_t turn, uint32_t facet)
{
    double scale = (double)turn / 4.0;
    int64_t first = (int64_t)floor((a.from - ANGLE_MARGIN) * scale),
            last = (int64_t)floor((a.from + a.width + ANGLE_MARGIN) * scale);
    if (last - first >= (int64_t)turn) {
        first = 0;
        last = (int64_t)turn - 1;
    }
    for (int64_t k = first; k <= last; k++) {
        uint32_t i = (uint32_t)((k % (int64_t)turn + (int64_t)turn) % (int64_t)turn);
        if (i < view->n_bins) {
            add_facet(&bins[i], facet);
        }
    }
}

/* Do all facets of a record, and the source, lie in front of one another's planes? */
static bool is_convex(const builder *b, uint32_t source, const bin *record)
{
    if (b->is_convex) {
        return true;
    }
    for (uint32_t r = 0; r < record->n; r++) {
        uint32_t i = record->runs[r] >> GAS_RUN_BITS, end = i + (record->runs[r] & GAS_RUN_MASK);
        for (; i < end; i++) {
            if (!has_front(b, i, source)) {
                return false;
            }
            for (uint32_t s = 0; s < record->n; s++) {
                uint32_t j = record->runs[s] >> GAS_RUN_BITS, stop = j + (record->runs[s] & GAS_RUN_MASK);
                for (; j < stop; j++) {
                    if (i != j && !has_front(b, i, j)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* A facet that a way from the source can hit: not all behind it, and the source not all behind that, if it has a
 * behind. */
static bool is_in_reach(const builder *b, uint32_t source, uint32_t facet)
{
    const double *mine = b->records->planes + 4 * (size_t)source, *its = b->records->planes + 4 * (size_t)facet;
    bool is_above = false, is_seen = false;
    for (uint32_t k = b->first[facet]; k < b->first[facet + 1] && !is_above; k++) {
        is_above = height(mine, b->corners + 3 * (size_t)k) > b->tolerance;
    }
    for (uint32_t k = b->first[source]; k < b->first[source + 1] && !is_seen; k++) {
        double h = height(its, b->corners + 3 * (size_t)k);
        is_seen = (b->kind[facet] & IS_ROUGH) != 0 || h > b->tolerance ||
                  ((b->kind[facet] & IS_TWO_SIDED) != 0 && h < -b->tolerance);
    }
    return is_above && is_seen;
}

static patch patch_of(const builder *b, uint32_t facet, const gas_view *view, const gas_frame *frame, uint32_t iu,
                      uint32_t iv)
{
    patch p = {.n = 0};
    (void)b;
    (void)facet;
    for (int k = 0; k < 4; k++) {
        double u = ((double)iu + ((k & 1) != 0 ? 1.0 + PATCH_MARGIN : -PATCH_MARGIN)) / view->n_u * frame->length_u;
        double v = ((double)iv + ((k & 2) != 0 ? 1.0 + PATCH_MARGIN : -PATCH_MARGIN)) / view->n_v * frame->length_v;
        double at[3] = {frame->origin.x + u * frame->u.x + v * frame->v.x,
                        frame->origin.y + u * frame->u.y + v * frame->v.y,
                        frame->origin.z + u * frame->u.z + v * frame->v.z};
        double x = at[0] * view->e1[0] + at[1] * view->e1[1] + at[2] * view->e1[2];
        double y = at[0] * view->e2[0] + at[1] * view->e2[1] + at[2] * view->e2[2];
        bool is_new = true;
        for (uint32_t i = 0; i < p.n; i++) {
            is_new = is_new && fabs(x - p.x[i]) + fabs(y - p.y[i]) > 1e-2 * b->tolerance;
        }
        if (is_new) {
            p.x[p.n] = x;
            p.y[p.n++] = y;
        }
    }
    return p;
}

/* All records of one patch. Returns how many need no tree. */
static uint64_t fill_patch(const builder *b, uint32_t facet, const gas_view *view, const patch *p, bin *bins,
                           uint32_t *words, const uint32_t *reach, uint32_t n_reach)
{
    uint64_t n_fine = 0;
    memset(bins, 0, view->n_bins * sizeof *bins);
    for (uint32_t i = 0; i < n_reach; i++) {
        add_arc(bins, view, arc_to(b, view, p, reach[i]), b->turn, reach[i]);
    }
    for (uint32_t k = 0; k < view->n_bins; k++) {
        bool is_fine = bins[k].n > 0 && bins[k].n <= MAX_RUNS && is_convex(b, facet, &bins[k]);
        for (uint32_t r = 0; r < 4; r++) {
            words[4 * (size_t)k + r] = is_fine && r < bins[k].n ? bins[k].runs[r] : 0;
        }
        words[4 * (size_t)k] = is_fine ? words[4 * (size_t)k] : GAS_NOTHING;
        n_fine += is_fine ? 1 : 0;
    }
    return n_fine;
}

static uint64_t fill_facet(const builder *b, uint32_t facet, bin *bins, uint32_t *reach)
{
    const gas_view *view = &b->records->views[facet];
    gas_frame frame = gas_facet_frame(b->model, facet);
    uint64_t n_fine = 0;
    uint32_t n_reach = 0;
    if (view->n_bins == 1) {
        return 0; /* nothing starts here: the first record of all */
    }
    for (uint32_t j = 0; j < b->model->n_facets; j++) {
        if (j != facet && is_in_reach(b, facet, j)) {
            reach[n_reach++] = j;
        }
    }
    for (uint32_t iv = 0; iv < view->n_v; iv++) {
        for (uint32_t iu = 0; iu < view->n_u; iu++) {
            patch p = patch_of(b, facet, view, &frame, iu, iv);
            uint32_t *words =
                b->records->words + 4 * ((size_t)view->first + ((size_t)iv * view->n_u + iu) * view->n_bins);
            n_fine += fill_patch(b, facet, view, &p, bins, words, reach, n_reach);
        }
    }
    return n_fine;
}

/* -------------------------------------------------------------------------------------------------- views */

static void store(double *to, geom_point p)
{
    to[0] = p.x;
    to[1] = p.y;
    to[2] = p.z;
}

/* p . u + u0 = n (p - origin) . u / length */
static void set_coordinate(float *to, geom_point origin, geom_point axis, double length, uint32_t n)
{
    double scale = n / length;
    to[0] = (float)(axis.x * scale);
    to[1] = (float)(axis.y * scale);
    to[2] = (float)(axis.z * scale);
    to[3] = (float)(-(origin.x * axis.x + origin.y * axis.y + origin.z * axis.z) * scale);
}

/* Do molecules leave it at all? */
static bool starts_flights(const builder *b, uint32_t facet)
{
    const gas_surface *s = &b->model->surfaces[b->model->facets[facet].surface];
    return s->sticking < 1.0 || s->outgassing > 0.0;
}

/* A long facet is seen along its length: the angle runs from one side over the normal to the other. Others by azimuth.
 */
static void set_view(builder *b, uint32_t facet, gas_view *view)
{
    gas_frame f = gas_facet_frame(b->model, facet);
    bool is_long_u = f.length_u >= LONG * f.length_v, is_long_v = f.length_v >= LONG * f.length_u;
    view->n_u = view->n_v = view->n_bins = 1;
    if (!starts_flights(b, facet) || (b->kind[facet] & ASKS_TREE) != 0) {
        return; /* the first record of all, which sends to the tree */
    }
    view->scale = (float)(b->turn / 4.0);
    view->n_bins = is_long_u || is_long_v ? b->turn / 2 : b->turn;
    store(view->e1, is_long_u ? f.v : f.u);
    store(view->e2, is_long_u || is_long_v ? f.n : f.v);
    if (!is_long_u && !is_long_v) {
        view->n_u = view->n_v = b->patches;
        set_coordinate(view->u, f.origin, f.u, f.length_u, view->n_u);
        set_coordinate(view->v, f.origin, f.v, f.length_v, view->n_v);
    }
    view->first = (uint32_t)b->records->n;
    b->records->n += (uint64_t)view->n_bins * view->n_u * view->n_v;
}

/* Views of all facets: of a model with many broad ones, each of which would be divided, coarser ones. False: too many
 * records even so. */
static bool set_views(builder *b)
{
    gas_records *r = b->records;
    for (;;) {
        r->n = 1;
        memset(r->views, 0, b->model->n_facets * sizeof *r->views);
        for (uint32_t i = 0; i < b->model->n_facets; i++) {
            set_view(b, i, &r->views[i]);
        }
        if (r->n <= MOST_RECORDS || (b->patches == 1 && b->turn <= LEAST_TURN)) {
            return r->n <= MOST_RECORDS;
        }
        b->turn /= b->patches == 1 ? 2 : 1;
        b->patches = (b->patches + 1) / 2;
    }
}

static void set_planes(builder *b, const gas_mesh *mesh)
{
    for (uint32_t i = mesh->n; i-- > 0;) { /* the first primitive of a facet comes last */
        uint32_t facet = mesh->primitives[i].facet & GAS_FACET_MASK;
        memcpy(b->records->planes + 4 * (size_t)facet, mesh->primitives[i].n, sizeof mesh->primitives[i].n);
        b->records->views[facet].primitive = i;
    }
}

static void copy_corners(builder *b)
{
    const gas_model *m = b->model;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        b->first[i] = n;
        for (uint32_t k = 0; k < m->facets[i].n_loops; k++) {
            const gas_loop *loop = &m->loops[m->facets[i].first_loop + k];
            for (uint32_t c = 0; c < loop->n; c++) {
                memcpy(b->corners + 3 * (size_t)n++, m->vertices + 3 * (size_t)m->corners[loop->first + c],
                       3 * sizeof(double));
            }
        }
    }
    b->first[m->n_facets] = n;
}

/* ------------------------------------------------------------------------------------------------- making */

/* Facets k, k + step and so on. Adds their area, and that times the share of their records that need no tree. */
static crp_status fill_some(crp_context *context, builder *b, uint32_t k, uint32_t step, double *area, double *fine)
{
    double all = 0.0, good = 0.0;
    uint32_t n = b->model->n_facets;
    bool is_short = false;
#pragma omp parallel reduction(+ : all, good) reduction(|| : is_short)
    {
        bin *bins = malloc(b->turn * sizeof *bins);
        uint32_t *reach = malloc(((size_t)n + 1) * sizeof *reach);
        is_short = bins == NULL || reach == NULL;
#pragma omp for schedule(dynamic, 1)
        for (uint32_t i = k; i < n; i += step) {
            const gas_view *view = &b->records->views[i];
            uint64_t n_fine = is_short ? 0 : fill_facet(b, i, bins, reach);
            all += starts_flights(b, i) ? b->area[i] : 0.0;
            good += b->area[i] * (double)n_fine / ((double)view->n_bins * view->n_u * view->n_v);
        }
        free(bins);
        free(reach);
    }
    CRP_CHECK(context, !is_short, CRP_ERR_MEMORY, "no memory for candidate records");
    *area += all;
    *fine += good;
    return CRP_OK;
}

/* One facet in sixteen first: where few of their records serve, the others are not made. */
static crp_status fill_all(crp_context *context, builder *b)
{
    enum { STEP = 16 };
    double area = 0.0, fine = 0.0;
    for (uint32_t k = 0; k < STEP; k++) {
        CRP_TRY(fill_some(context, b, k, STEP, &area, &fine));
        b->records->share = area > 0.0 ? fine / area : 0.0;
        if (b->records->share < HOPELESS && area > 0.0 && b->model->n_facets > FEW_FACETS) {
            return CRP_OK;
        }
    }
    b->records->is_whole = true;
    return CRP_OK;
}

static void set_kinds(builder *b, const gas_mesh *mesh)
{
    const gas_model *m = b->model;
    for (uint32_t i = 0; i < m->n_facets; i++) {
        const gas_surface *s = &m->surfaces[m->facets[i].surface];
        bool asks = s->is_two_sided || s->opacity < 1.0 || s->teleport != GAS_NONE || s->link >= 0;
        b->kind[i] = (uint8_t)((s->is_two_sided ? IS_TWO_SIDED : 0) | (asks ? ASKS_TREE : 0));
    }
    for (uint32_t i = 0; i < m->n_surfaces; i++) { /* what is teleported may start beside its facet */
        if (m->surfaces[i].teleport >= 0) {
            b->kind[m->surfaces[i].teleport] |= ASKS_TREE;
        }
    }
    for (uint32_t i = 1; i < mesh->n; i++) { /* the parts of a facet have one plane, or it is not flat */
        const gas_primitive *a = &mesh->primitives[i - 1], *q = &mesh->primitives[i];
        uint32_t facet = q->facet & GAS_FACET_MASK;
        if ((a->facet & GAS_FACET_MASK) == facet && memcmp(a->n, q->n, sizeof a->n) != 0) {
            b->kind[facet] |= IS_ROUGH | ASKS_TREE;
        }
    }
}

static crp_status prepare(crp_context *context, builder *b, const gas_mesh *mesh)
{
    const gas_model *m = b->model;
    gas_records *r = b->records;
    b->row = (m->n_facets + 31) / 32;
    b->corners = malloc(3 * ((size_t)m->n_corners + 1) * sizeof *b->corners);
    b->first = malloc(((size_t)m->n_facets + 1) * sizeof *b->first);
    b->front = calloc(b->row * m->n_facets + 1, sizeof *b->front);
    b->kind = calloc((size_t)m->n_facets + 1, sizeof *b->kind);
    b->area = mesh->area;
    r->views = calloc((size_t)m->n_facets + 1, sizeof *r->views);
    r->planes = calloc(4 * ((size_t)m->n_facets + 1), sizeof *r->planes);
    CRP_CHECK(context,
              b->corners != NULL && b->first != NULL && b->front != NULL && b->kind != NULL && r->views != NULL &&
                  r->planes != NULL,
              CRP_ERR_MEMORY, "no memory for candidate records of %u facets", m->n_facets);
    copy_corners(b);
    set_kinds(b, mesh);
    if (!set_views(b)) {
        r->n = 0;
        return CRP_OK;
    }
    set_planes(b, mesh);
    r->words = calloc(4 * (size_t)r->n, sizeof *r->words);
    CRP_CHECK(context, r->words != NULL, CRP_ERR_MEMORY, "no memory for %llu candidate records",
              (unsigned long long)r->n);
    r->words[0] = GAS_NOTHING;
    relate(b);
    return CRP_OK;
}

crp_status gas_records_build(crp_context *context, const gas_model *model, const gas_mesh *mesh, gas_records *records)
{
    memset(records, 0, sizeof *records);
    builder b = {.model = model, .records = records, .tolerance = IN_PLANE * mesh->size};
    b.turn = model->n_facets <= 300 ? 128 : model->n_facets <= 3000 ? 512 : 1024;
    b.patches = model->n_facets <= 300 ? 8 : model->n_facets <= 3000 ? 16 : 32;
    crp_status status = prepare(context, &b, mesh);
    if (status == CRP_OK && records->n > 0) {
        status = fill_all(context, &b);
    }
    free(b.corners);
    free(b.first);
    free(b.front);
    free(b.kind);
    if (status != CRP_OK) {
        gas_records_destroy(records);
    }
    return status;
}

void gas_records_destroy(gas_records *records)
{
    free(records->views);
    free(records->words);
    free(records->planes);
    memset(records, 0, sizeof *records);
}
