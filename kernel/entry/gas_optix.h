/**
 * Molecules on rays: OptiX finds what is hit, and everything else is the physics of the other devices. One molecule a
 * thread, in a loop of the ray-generation program.
 */
#define GAS_RAYS 1
#include "entry/gas_gpu.h"
#include "gas/rays.h"
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

#define GAS_RAY_TRIES 8

/* What a ray brings back in its words. */
#define GAS_WORD_SHAPE 0u    /* number + 1; 0: nothing was hit */
#define GAS_WORD_DISTANCE 1u /* bits */

/* ------------------------------------------------------------------------------------------- beginning of a ray */

/**
 * Move a coordinate along the normal by more than the rounding of single precision: by 256 units in the last place, near 0
 * by 2^-16. Ref: Waechter, Binder 2019, "A fast and robust method for avoiding self-intersection".  Draws: 0.
 */
CK_FN float gas_nudge(float x, float n)
{
    ck_i32 step = (ck_i32)(256.0f * n);
    float far = CK_FLOAT((ck_u32)((ck_i32)CK_BITS(x) + (x < 0.0f ? -step : step)));
    return ck_fabs(x) < 0.03125f ? ck_fma(n, 1.52587890625e-5f, x) : far;
}

/* A coordinate of a ray. */
CK_FN float gas_ray_coordinate(double x, double centre, double scale)
{
    return (float)((x - centre) * scale);
}

/* The molecule's place on the plane of the facet it leaves, in single precision and moved off it to the side it goes to. The
 * molecule then starts from there, to the last bit, and its way too is the ray's. */
CK_FN void gas_begin_ray(gas_molecule *m, ck_ray *ray)
{
    const gas_rays *r = optix_arguments.rays;
    const ck_u32 *words = (const ck_u32 *)r;
    const gas_primitive *q = optix_arguments.primitives + words[r->at_facets + m->facet];
    ck_doubles4 n = ck_load_doubles4(q->n);
    gas_vector normal = gas_vector_of(n.a, n.b, n.c);
#ifdef GAS_RAY_PLANE
    m->place = gas_along(m->place, n.d - gas_dot(normal, m->place), normal);
#endif
    float x = gas_ray_coordinate(m->place.x, r->centre[0], r->scale);
    float y = gas_ray_coordinate(m->place.y, r->centre[1], r->scale);
    float z = gas_ray_coordinate(m->place.z, r->centre[2], r->scale);
#ifdef GAS_RAY_OFFSET
    float side = gas_dot(normal, m->way) < 0.0 ? -1.0f : 1.0f;
    x = gas_nudge(x, side * (float)n.a);
    y = gas_nudge(y, side * (float)n.b);
    z = gas_nudge(z, side * (float)n.c);
#endif
    ray->origin[0] = x;
    ray->origin[1] = y;
    ray->origin[2] = z;
    ray->way[0] = (float)m->way.x;
    ray->way[1] = (float)m->way.y;
    ray->way[2] = (float)m->way.z;
    m->place = gas_vector_of(ck_fma64((double)x, r->unit, r->centre[0]), ck_fma64((double)y, r->unit, r->centre[1]),
                             ck_fma64((double)z, r->unit, r->centre[2]));
    m->way = gas_vector_of((double)ray->way[0], (double)ray->way[1], (double)ray->way[2]);
    ray->nearest = 0.0f;
    ray->farthest = 1.0e30f;
    ray->flags = CK_RAY_NO_ANY_HIT;
#ifdef GAS_RAY_CULLS
    ray->flags |= CK_RAY_CULL_BACK;
#endif
    ray->word[0] = ray->word[1] = ray->word[2] = ray->word[3] = 0u;
}

/* ------------------------------------------------------------------------------------------------- end of a ray */

/* What was hit, as the physics wants it. A facet that is seen from its front alone is hit from there, whatever rounding says
 * of a grazing way; so a molecule that got behind it (without culling) is sent back inside. */
CK_FN gas_hit gas_end_ray(const gas_molecule *m, const ck_ray *ray)
{
    const gas_rays *r = optix_arguments.rays;
    const ck_u32 *words = (const ck_u32 *)r;
    gas_hit hit = gas_no_hit();
    ck_u32 shape = ray->word[GAS_WORD_SHAPE];
    if (shape == 0u) {
        return hit;
    }
    hit.primitive = words[r->at_primitives + (shape - 1u)];
    const gas_primitive *q = optix_arguments.primitives + hit.primitive;
    ck_doubles4 n = ck_load_doubles4(q->n);
    ck_u32 facet = q->facet;
    hit.facet = facet & GAS_FACET_MASK;
    hit.distance = (double)CK_FLOAT(ray->word[GAS_WORD_DISTANCE]) * r->unit;
    hit.cosine = gas_dot(gas_vector_of(n.a, n.b, n.c), m->way);
    if ((facet & GAS_IS_TWO_SIDED) == 0u && hit.cosine > 0.0) {
        hit.cosine = -hit.cosine;
    }
    return hit;
}

/* The first hit on a molecule's way: the ray is traced again, from beyond what it found, where that is the sheet it starts from
 * or belongs to another structure. */
CK_FN gas_hit gas_search(gas_molecule *m)
{
    ck_ray ray;
    gas_hit hit;
    gas_begin_ray(m, &ray);
    _Pragma("unroll 1") for (int i = 0; i < GAS_RAY_TRIES; ++i)
    {
        ck_trace(optix_arguments.scene, &ray);
        hit = gas_end_ray(m, &ray);
        if (hit.primitive == GAS_NOTHING) {
            return hit;
        }
        const gas_primitive *q = optix_arguments.primitives + hit.primitive;
        int is_other = q->sheet == m->skip;
#ifndef GAS_ONE_STRUCTURE
        is_other = is_other || (q->structure >= 0 && q->structure != m->structure);
#endif
        if (!is_other) {
            return hit;
        }
        float distance = CK_FLOAT(ray.word[GAS_WORD_DISTANCE]);
        ray.nearest = ck_fma(distance, 1.00000024f, 1.0e-6f);
        ray.word[0] = ray.word[1] = 0u;
    }
    return gas_no_hit();
}

CK_PROGRAM(miss, gas_nothing)
{
    ck_set_ray_word(GAS_WORD_SHAPE, 0u);
}

CK_FN void gas_found(void)
{
    ck_set_ray_word(GAS_WORD_SHAPE, ck_hit_shape() + 1u);
    ck_set_ray_word(GAS_WORD_DISTANCE, CK_BITS(ck_hit_distance()));
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

/* ----------------------------------------------------------------------------------------------- the molecules */

CK_FN ck_u32 gas_next(const gas_block *block, gas_params p, gas_molecule *m)
{
    ck_u32 number = ck_atomic_add_u32(optix_arguments.next, 1u);
    if (number >= (ck_u32)p.n_histories) {
        return 0u;
    }
    gas_start start = gas_launch(number, block->sources, block->primitives, block->surfaces, p);
    gas_score_start(block, p, start);
    *m = start.molecule;
    return 1u;
}

/* The path of a molecule that has ended. */
CK_FN void gas_end(const gas_block *block, gas_params p, gas_molecule m)
{
    ck_atomic_add_u64(block->copy + p.at_textures, gas_path_units(m.path, p));
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

CK_PROGRAM(raygen, gas_transport)
{
    gas_params p = optix_arguments.p;
    gas_block block = gas_block_open(p);
    gas_molecule m;
    ck_u32 flies = gas_next(&block, p, &m);
    while (flies) {
        gas_hit hit = gas_search(&m);
        if (!gas_event(&block, p, &m, hit)) {
            gas_end(&block, p, m);
            flies = gas_next(&block, p, &m);
        }
    }
}
