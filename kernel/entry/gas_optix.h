/**
 * Molecules on rays: OptiX finds what is hit, and everything else is the physics of the other devices. One molecule a
 * thread, in a loop of the ray-generation program.
 *
 * GAS_RAY_DEPTH: the hit programs do the event, and trace the next ray themselves, so many one in the other; else they
 * only say what was hit. GAS_BATCH: the random words of so many turns of the loop are drawn at once, and kept in
 * memory; they are the same words. GAS_RAY_PLANE, GAS_RAY_FACET, GAS_RAY_OFFSET, GAS_RAY_CULLS, GAS_RAY_LOOKS: see
 * gas_begin_ray.
 */
#define GAS_RAYS 1
#ifdef GAS_BATCH
#define GAS_DRAWS_AHEAD 1
#endif
#include "entry/gas_gpu.h"
#include "gas/polygon.h"
#include "gas/ray_start.h"
#ifdef GAS_RAY_DEPTH
#define CK_RAY_WORDS 4
#else
#define CK_RAY_WORDS 2
#endif
#include "optix.h"

typedef struct gas_arguments {
    ck_u64 scene;
    const gas_rays *rays;
    gas_params p;
    const ck_u32 *nodes;
    const gas_primitive *primitives;
    const gas_surface_row *surfaces;
    const gas_source *sources;
    const gas_mark *marks;
    const ck_u32 *mark_of;
    const gas_view *views;
    const ck_u32 *records;
    const double *planes;
    ck_u64 *words;
    ck_u32 *next;
    ck_u64 *copies;
} gas_arguments;

extern "C" {
__constant__ gas_arguments optix_arguments;
}

#define GAS_RAY_TRIES 8u /* rays of one flight, at most */
#ifndef GAS_RAY_LOOKS
#define GAS_RAY_LOOKS 0u /* of them, those that are traced again because they hit nothing */
#endif
#if defined(GAS_RAY_PLANE) || defined(GAS_RAY_FACET)
#define GAS_NUDGE GAS_NUDGE_PLACED
#else
#define GAS_NUDGE GAS_NUDGE_PUBLISHED
#endif
#ifdef GAS_RAY_DEPTH
#define GAS_TURN_EVENTS GAS_RAY_DEPTH
#else
#define GAS_TURN_EVENTS 1u
#endif

/* What a ray brings back in its words. */
#define GAS_RAY_WORD_SHAPE 0u    /* number + 1; 0: nothing was hit */
#define GAS_RAY_WORD_DISTANCE 1u /* bits */

#define GAS_RAY_WORD_LANE 2u /* and 3: address of the thread's lane, with GAS_RAY_DEPTH */

/* What a thread has in hand. */
typedef struct gas_lane {
    gas_molecule m;
    ck_u32 primitive; /* that it starts from */
    ck_u32 flies;
    ck_u32 depth; /* rays in rays, of this turn */
    ck_u32 tries; /* rays of this flight, before the next one */
    float beyond; /* where the next ray begins to look */
} gas_lane;

/* ------------------------------------------------------------------------------------------- random words ahead */

#ifdef GAS_BATCH
#define GAS_BATCH_EVENTS (GAS_BATCH * GAS_TURN_EVENTS)

/* Where the words of an event stand: those of neighbouring threads side by side. */
CK_FN uint4 *gas_kept_words(gas_params p, ck_u32 event)
{
    uint4 *first = (uint4 *)(optix_arguments.copies + (ck_u64)(p.at_textures + 4u) * GAS_COPIES);
    return first + ((ck_u64)(event % GAS_BATCH_EVENTS) * ck_ray_threads() + ck_ray_thread());
}

CK_FN ck_quad gas_draw(gas_params p, ck_u32 event, ck_u32 history_low, ck_u32 history_high, ck_u32 stream)
{
    if (stream != GAS_STREAM_FLIGHT || event == 0u) {
        return gas_draw_now(p, event, history_low, history_high, stream);
    }
    uint4 kept = *gas_kept_words(p, event);
    ck_quad words;
    words.a = kept.x;
    words.b = kept.y;
    words.c = kept.z;
    words.d = kept.w;
    return words;
}

/* Draw and keep the words of the next events of a molecule. */
CK_FN void gas_draw_ahead(gas_params p, const gas_molecule *m, ck_u32 n)
{
    for (ck_u32 i = 1u; i <= n; ++i) {
        ck_quad words = gas_draw_now(p, m->event + i, m->history_low, m->history_high, GAS_STREAM_FLIGHT);
        *gas_kept_words(p, m->event + i) = make_uint4(words.a, words.b, words.c, words.d);
    }
}
#endif

/* ------------------------------------------------------------------------------------------- beginning of a ray */

CK_FN void gas_set_ray(ck_ray *ray, float x, float y, float z, gas_vector way)
{
    ray->origin[0] = x;
    ray->origin[1] = y;
    ray->origin[2] = z;
    ray->way[0] = (float)way.x;
    ray->way[1] = (float)way.y;
    ray->way[2] = (float)way.z;
    ray->nearest = 0.0f;
    ray->farthest = 1.0e30f;
    ray->flags = CK_RAY_NO_ANY_HIT;
#ifdef GAS_RAY_CULLS
    ray->flags |= CK_RAY_CULL_BACK;
#endif
    ray->word[0] = ray->word[1] = ray->word[2] = ray->word[3] = 0u;
}

/**
 * A ray from the molecule's place, which is first put on the plane of the primitive it leaves, then made one of single
 * precision and moved off the plane to the side it goes to.
 *
 * @param tries  rays of this flight before: if there are any, they hit nothing, as rounding had put their beginning
 *               behind a neighbour; this one begins inside the primitive, the farther the more there were
 */
CK_FN void gas_begin_ray(const gas_lane *lane, ck_ray *ray, ck_u32 tries)
{
    const gas_rays *r = optix_arguments.rays;
    const gas_primitive *q = optix_arguments.primitives + lane->primitive;
    gas_vector place = lane->m.place;
    ck_doubles4 n = ck_load_doubles4(q->n);
    gas_vector normal = gas_vector_of(n.a, n.b, n.c);
#if defined(GAS_RAY_PLANE) || defined(GAS_RAY_FACET)
    place = gas_along(place, n.d - gas_dot(normal, place), normal);
#endif
#ifdef GAS_RAY_FACET
    place = gas_place_inside(q, normal, place, r->unit);
#endif
    if (GAS_RAY_LOOKS > 0u && tries > 0u) {
        place = gas_look_from(q, normal, place, r->unit, tries);
    }
    float x = gas_ray_coordinate(place.x, r->centre[0], r->scale);
    float y = gas_ray_coordinate(place.y, r->centre[1], r->scale);
    float z = gas_ray_coordinate(place.z, r->centre[2], r->scale);
#ifdef GAS_RAY_OFFSET
    float side = gas_dot(normal, lane->m.way) < 0.0 ? -1.0f : 1.0f;
    x = gas_nudge(x, side * (float)n.a, GAS_NUDGE);
    y = gas_nudge(y, side * (float)n.b, GAS_NUDGE);
    z = gas_nudge(z, side * (float)n.c, GAS_NUDGE);
#endif
    gas_set_ray(ray, x, y, z, lane->m.way);
}

/* The molecule flew along the ray: its place and way are the ray's, to the last bit. And what is the same for all
 * molecules of a launch, which need not be kept while a ray is traced. */
CK_FN void gas_take_ray(gas_molecule *m, const float *origin, const float *way)
{
    const gas_rays *r = optix_arguments.rays;
    m->place = gas_vector_of(ck_fma64((double)origin[0], r->unit, r->centre[0]),
                             ck_fma64((double)origin[1], r->unit, r->centre[1]),
                             ck_fma64((double)origin[2], r->unit, r->centre[2]));
    m->way = gas_vector_of((double)way[0], (double)way[1], (double)way[2]);
    m->history_high = (ck_u32)(optix_arguments.p.first_history >> 32);
#ifdef GAS_ONE_STRUCTURE
    m->structure = (ck_i32)optix_arguments.p.first_structure;
#endif
#ifndef GAS_MARKS_ON
    m->teleported = GAS_NOTHING;
#endif
}

#ifdef GAS_RAY_DEPTH
/* The ray of a molecule again, whose place and way are a ray's already. */
CK_FN void gas_same_ray(const gas_molecule *m, ck_ray *ray)
{
    const gas_rays *r = optix_arguments.rays;
    gas_set_ray(ray, gas_ray_coordinate(m->place.x, r->centre[0], r->scale),
                gas_ray_coordinate(m->place.y, r->centre[1], r->scale),
                gas_ray_coordinate(m->place.z, r->centre[2], r->scale), m->way);
}
#endif

/* ------------------------------------------------------------------------------------------------- end of a ray */

/* What was hit, as the physics wants it; `shape` is a number + 1, 0: nothing. A facet that is seen from its front alone
 * is hit from there, whatever rounding says of a grazing way; so a molecule that got behind it (without culling) is
 * sent back inside. */
CK_FN gas_hit gas_end_ray(const gas_molecule *m, ck_u32 shape, float distance)
{
    const gas_rays *r = optix_arguments.rays;
    const ck_u32 *words = (const ck_u32 *)r;
    gas_hit hit = gas_no_hit();
    if (shape == 0u) {
        return hit;
    }
    hit.primitive = words[r->at_primitives + (shape - 1u)];
    const gas_primitive *q = optix_arguments.primitives + hit.primitive;
    ck_doubles4 n = ck_load_doubles4(q->n);
    ck_u32 facet = q->facet;
    hit.facet = facet & GAS_FACET_MASK;
    hit.distance = (double)distance * r->unit;
    hit.cosine = gas_dot(gas_vector_of(n.a, n.b, n.c), m->way);
    if ((facet & GAS_IS_TWO_SIDED) == 0u && hit.cosine > 0.0) {
        hit.cosine = -hit.cosine;
    }
    return hit;
}

/* Is what was hit out of reach: the sheet that the molecule starts from, or part of another structure? */
CK_FN int gas_is_elsewhere(const gas_molecule *m, gas_hit hit)
{
    const gas_primitive *q = optix_arguments.primitives + hit.primitive;
    int is_elsewhere = q->sheet == m->skip;
#ifndef GAS_ONE_STRUCTURE
    is_elsewhere = is_elsewhere || (q->structure >= 0 && q->structure != m->structure);
#endif
    return is_elsewhere;
}

/* The event at a hit, and where the molecule starts from then. */
CK_FN void gas_event_of_lane(const gas_block *block, gas_params p, gas_lane *lane, gas_hit hit)
{
    lane->flies = gas_event(block, p, &lane->m, hit);
    lane->primitive = hit.primitive;
    lane->tries = 0u;
#ifdef GAS_MARKS_ON
    if (lane->flies && lane->m.facet != hit.facet) { /* teleported */
        lane->primitive = ((const ck_u32 *)optix_arguments.rays)[optix_arguments.rays->at_facets + lane->m.facet];
    }
#endif
}

/* Just beyond a distance. */
CK_FN float gas_beyond(float distance)
{
    return ck_fma(distance, 1.00000024f, 1.0e-6f);
}

CK_FN gas_block gas_block_open(gas_params p)
{
    gas_block block;
    block.primitives = optix_arguments.primitives;
    block.surfaces = optix_arguments.surfaces;
    block.sources = optix_arguments.sources;
    block.marks = optix_arguments.marks;
    block.mark_of = optix_arguments.mark_of;
    block.words = optix_arguments.words;
    block.copy = optix_arguments.copies + (ck_u64)(p.at_textures + 4u) * (ck_ray_thread() & (GAS_COPIES - 1u));
    return block;
}

/* ------------------------------------------------------------------------------------------------------ programs */

#ifdef GAS_RAY_DEPTH

CK_FN gas_lane *gas_lane_here(void)
{
    return (gas_lane *)((ck_u64)ck_ray_word(GAS_RAY_WORD_LANE + 1u) << 32 | ck_ray_word(GAS_RAY_WORD_LANE));
}

/* Trace the next ray of a lane; the programs that it calls go on with the lane. */
CK_FN void gas_trace_lane(gas_lane *lane)
{
    ck_ray ray;
    float beyond = lane->beyond;
    if (beyond == 0.0f) {
        gas_begin_ray(lane, &ray, lane->tries);
    } else {
        gas_same_ray(&lane->m, &ray);
    }
    ray.nearest = beyond;
    ray.word[GAS_RAY_WORD_LANE] = (ck_u32)(ck_u64)lane;
    ray.word[GAS_RAY_WORD_LANE + 1u] = (ck_u32)((ck_u64)lane >> 32);
    lane->beyond = 0.0f;
    lane->depth += 1u;
    lane->tries += 1u;
    ck_trace(optix_arguments.scene, &ray);
}

/* In a program that a ray has called: the lane's molecule flew along it. */
CK_FN void gas_take_this_ray(gas_lane *lane)
{
    float origin[3], way[3];
    ck_ray_origin(origin);
    ck_ray_way(way);
    gas_take_ray(&lane->m, origin, way);
}

/* The event at a hit, and the next ray, if any is to follow here. */
CK_FN void gas_process(ck_u32 may_follow)
{
    gas_lane *lane = gas_lane_here();
    gas_take_this_ray(lane);
    gas_hit hit = gas_end_ray(&lane->m, ck_hit_shape() + 1u, ck_hit_distance());
    if (gas_is_elsewhere(&lane->m, hit)) {
        lane->beyond = gas_beyond(ck_hit_distance());
    } else {
        gas_params p = optix_arguments.p;
        gas_block block = gas_block_open(p);
        gas_event_of_lane(&block, p, lane, hit);
    }
    if (may_follow && lane->flies && lane->depth < GAS_RAY_DEPTH) {
        gas_trace_lane(lane);
    }
}

CK_PROGRAM(miss, gas_nothing)
{
    gas_lane *lane = gas_lane_here();
    gas_block block = gas_block_open(optix_arguments.p);
    gas_take_this_ray(lane);
    if (lane->tries > GAS_RAY_LOOKS) {
        gas_score_leak(&block, optix_arguments.p, lane->m);
        lane->flies = 0u;
    }
}

CK_PROGRAM(closesthit, gas_wall)
{
    gas_process(GAS_RAY_DEPTH > 1u);
}

CK_PROGRAM(closesthit, gas_sink)
{
    gas_process(0u);
}

CK_PROGRAM(closesthit, gas_other)
{
    gas_process(GAS_RAY_DEPTH > 1u);
}

/* One turn: a ray, and those that follow it. */
CK_FN void gas_turn_lane(gas_lane *lane, const gas_block *block, gas_params p)
{
    (void)block;
    (void)p;
    lane->depth = 0u;
    gas_trace_lane(lane);
}

#else

/* The first hit on a molecule's way; the ray is traced again, from beyond what it found, where that is out of reach, and
 * from elsewhere where it found nothing. */
CK_FN gas_hit gas_search(gas_lane *lane)
{
    ck_ray ray;
    gas_hit hit;
    ray.nearest = 0.0f;
    _Pragma("unroll 1") for (ck_u32 tries = 0u; tries < GAS_RAY_TRIES; ++tries)
    {
        if (ray.nearest == 0.0f) {
            gas_begin_ray(lane, &ray, tries);
        }
#ifdef GAS_RAY_FINDS
        ck_find(optix_arguments.scene, &ray);
#else
        ck_trace(optix_arguments.scene, &ray);
#endif
        gas_take_ray(&lane->m, ray.origin, ray.way);
        hit = gas_end_ray(&lane->m, ray.word[GAS_RAY_WORD_SHAPE], CK_FLOAT(ray.word[GAS_RAY_WORD_DISTANCE]));
        if (hit.primitive == GAS_NOTHING) {
            if (tries >= GAS_RAY_LOOKS) {
                return hit;
            }
            ray.nearest = 0.0f;
        } else if (gas_is_elsewhere(&lane->m, hit)) {
            ray.nearest = gas_beyond(CK_FLOAT(ray.word[GAS_RAY_WORD_DISTANCE]));
        } else {
            return hit;
        }
    }
    return gas_no_hit();
}

CK_PROGRAM(miss, gas_nothing)
{
    ck_set_ray_word(GAS_RAY_WORD_SHAPE, 0u);
}

CK_FN void gas_found(void)
{
    ck_set_ray_word(GAS_RAY_WORD_SHAPE, ck_hit_shape() + 1u);
    ck_set_ray_word(GAS_RAY_WORD_DISTANCE, CK_BITS(ck_hit_distance()));
}

CK_PROGRAM(closesthit, gas_wall)
{
    gas_found();
}

CK_PROGRAM(closesthit, gas_sink)
{
    gas_found();
}

CK_PROGRAM(closesthit, gas_other)
{
    gas_found();
}

CK_FN void gas_turn_lane(gas_lane *lane, const gas_block *block, gas_params p)
{
    gas_hit hit = gas_search(lane);
    gas_event_of_lane(block, p, lane, hit);
}

#endif

#ifdef GAS_RAY_POLYGONS
CK_PROGRAM(intersection, gas_polygon)
{
    const ck_u32 *words = (const ck_u32 *)optix_arguments.rays;
    const gas_outline *outline = (const gas_outline *)(words + optix_arguments.rays->at_outlines) + ck_hit_shape();
    float o[3], d[3];
    ck_ray_origin(o);
    ck_ray_way(d);
    float t =
        gas_meet_polygon(outline, (const float *)(words + optix_arguments.rays->at_corners), o, d, ck_ray_nearest(),
#ifdef GAS_RAY_CULLS
                         1u
#else
                         0u
#endif
        );
    if (t > 0.0f) {
        ck_report_hit(t, 0u);
    }
}
#endif

/* ----------------------------------------------------------------------------------------------- the molecules */

CK_FN void gas_next(const gas_block *block, gas_params p, gas_lane *lane)
{
    ck_u32 number = ck_atomic_add_u32(optix_arguments.next, 1u);
    lane->flies = number < (ck_u32)p.n_histories ? 1u : 0u;
    lane->beyond = 0.0f;
    lane->tries = 0u;
    if (lane->flies) {
        gas_start start = gas_launch(number, block->sources, block->primitives, block->surfaces, p);
        gas_score_start(block, p, start);
        lane->m = start.molecule;
        lane->primitive = start.primitive;
    }
}

/* The path of a molecule that has ended. */
CK_FN void gas_end(const gas_block *block, gas_params p, gas_molecule m)
{
    ck_atomic_add_u64(block->copy + p.at_textures, gas_path_units(m.path, p));
}

CK_PROGRAM(raygen, gas_transport)
{
    gas_params p = optix_arguments.p;
    gas_block block = gas_block_open(p);
    gas_lane lane;
    ck_u32 turn = 0u;
    if (optix_arguments.scene == 0u) {
        return; /* launched to be loaded */
    }
    gas_next(&block, p, &lane);
    while (lane.flies) {
#ifdef GAS_BATCH
        if (turn % GAS_BATCH == 0u) {
            gas_draw_ahead(p, &lane.m, GAS_BATCH_EVENTS);
        }
#endif
        gas_turn_lane(&lane, &block, p);
        turn += 1u;
        if (!lane.flies) {
            gas_end(&block, p, lane.m);
            gas_next(&block, p, &lane);
#ifdef GAS_BATCH
            gas_draw_ahead(p, &lane.m, turn % GAS_BATCH == 0u ? 0u : (GAS_BATCH - turn % GAS_BATCH) * GAS_TURN_EVENTS);
#endif
        }
    }
}
