/**
 * What programs of the OptiX device call: the ray tracer's functions, known to its compiler by name (so by PTX alone).
 * A ray carries CK_RAY_WORDS words (at most 4), which hit programs read and write.
 */
#ifndef CK_OPTIX_H
#define CK_OPTIX_H

#include "port.h"

#if defined(CK_LANG_CUDA)

#pragma nv_diag_suppress 550 /* results of a call that nobody wants */

#ifndef CK_RAY_WORDS
#define CK_RAY_WORDS 4
#endif
#define CK_RAY_MOST_WORDS 4
#define CK_RAY_NO_ANY_HIT 1u
#define CK_RAY_CULL_BACK 0x10u

/* The kinds of hit of the built-in test of triangles. */
#define CK_HIT_FRONT 0xFEu
#define CK_HIT_BACK 0xFFu

typedef struct ck_ray {
    float origin[3], way[3];
    float nearest, farthest;
    ck_u32 flags;
    ck_u32 word[CK_RAY_MOST_WORDS];
} ck_ray;

/* A program of the pipeline. */
#define CK_PROGRAM(kind, name) extern "C" __global__ void __##kind##__##name()

/* The call of a function that takes a ray. All 32 words that one may carry are named in it; those beyond CK_RAY_WORDS
 * go nowhere. */
#define CK_RAY_CALL(function)                                                                                          \
    asm volatile(                                                                                                      \
        "call ("                                                                                                       \
        "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,"           \
        "%27,%28,%29,%30,%31"                                                                                          \
        "), " function ", ("                                                                                           \
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,"         \
        "%57,%58,%59,%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80"              \
        ");"                                                                                                           \
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none),  \
          "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none),  \
          "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none), "=r"(none),  \
          "=r"(none), "=r"(none), "=r"(none), "=r"(none)                                                               \
        : "r"(0u), "l"(scene), "f"(ray->origin[0]), "f"(ray->origin[1]), "f"(ray->origin[2]), "f"(ray->way[0]),        \
          "f"(ray->way[1]), "f"(ray->way[2]), "f"(ray->nearest), "f"(ray->farthest), "f"(0.0f), "r"(255u),             \
          "r"(ray->flags), "r"(0u), "r"(1u), "r"(0u), "r"(CK_RAY_WORDS), "r"(ray->word[0]), "r"(ray->word[1]),         \
          "r"(ray->word[2]), "r"(ray->word[3]), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero),      \
          "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero),           \
          "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero), "r"(zero),           \
          "r"(zero), "r"(zero), "r"(zero), "r"(zero))

/**
 * Trace a ray: at its nearest hit the program of what was hit is called, or that of a miss, and this returns with the
 * words they left.
 */
CK_FN void ck_trace(ck_u64 scene, ck_ray *ray)
{
    ck_u32 zero = 0u;
    ck_u32 a, b, c, d, none;
    CK_RAY_CALL("_optix_trace_typed_32");
    ray->word[0] = a;
    ray->word[1] = b;
    ray->word[2] = c;
    ray->word[3] = d;
    (void)none;
}

/**
 * Find the nearest hit of a ray and call no program (from OptiX 8.0 on). Word 0: number of the shape + 1, 0: nothing
 * was hit; word 1: bits of its distance.
 */
CK_FN void ck_find(ck_u64 scene, ck_ray *ray)
{
    ck_u32 zero = 0u;
    ck_u32 a, b, c, d, none, is_hit, shape = 0u;
    float distance = 0.0f;
    CK_RAY_CALL("_optix_hitobject_traverse");
    asm volatile("call (%0), _optix_hitobject_is_hit, ();" : "=r"(is_hit));
    if (is_hit) {
        asm volatile("call (%0), _optix_hitobject_get_primitive_idx, ();" : "=r"(shape));
        asm volatile("call (%0), _optix_hitobject_get_ray_tmax, ();" : "=f"(distance));
        shape += 1u;
    }
    ray->word[0] = shape;
    ray->word[1] = CK_BITS(distance);
    (void)a, (void)b, (void)c, (void)d, (void)none;
}

CK_FN ck_u32 ck_ray_thread(void)
{
    ck_u32 index;
    asm("call (%0), _optix_get_launch_index_x, ();" : "=r"(index));
    return index;
}

/* How many threads the launch has. */
CK_FN ck_u32 ck_ray_threads(void)
{
    ck_u32 n;
    asm("call (%0), _optix_get_launch_dimension_x, ();" : "=r"(n));
    return n;
}

CK_FN ck_u32 ck_ray_word(ck_u32 i)
{
    ck_u32 word;
    asm volatile("call (%0), _optix_get_payload, (%1);" : "=r"(word) : "r"(i));
    return word;
}

CK_FN void ck_set_ray_word(ck_u32 i, ck_u32 word)
{
    asm volatile("call _optix_set_payload, (%0, %1);" ::"r"(i), "r"(word));
}

/* Number of the triangle or box. */
CK_FN ck_u32 ck_hit_shape(void)
{
    ck_u32 number;
    asm("call (%0), _optix_read_primitive_idx, ();" : "=r"(number));
    return number;
}

/* CK_HIT_FRONT, CK_HIT_BACK, or what the program of a box reported. */
CK_FN ck_u32 ck_hit_kind(void)
{
    ck_u32 kind;
    asm("call (%0), _optix_get_hit_kind, ();" : "=r"(kind));
    return kind;
}

/* In a hit program the distance of the hit; in that of a box the nearest one so far. */
CK_FN float ck_hit_distance(void)
{
    float distance;
    asm("call (%0), _optix_get_ray_tmax, ();" : "=f"(distance));
    return distance;
}

/* How near a hit may be. */
CK_FN float ck_ray_nearest(void)
{
    float nearest;
    asm("call (%0), _optix_get_ray_tmin, ();" : "=f"(nearest));
    return nearest;
}

/* Which of the kinds of the scene was hit: the word behind the header of the record. */
CK_FN ck_u32 ck_hit_row(void)
{
    ck_u64 record;
    asm("call (%0), _optix_get_sbt_data_ptr_64, ();" : "=l"(record));
    return *(const ck_u32 *)record;
}

CK_FN void ck_ray_origin(float *o)
{
    asm("call (%0), _optix_get_world_ray_origin_x, ();" : "=f"(o[0]));
    asm("call (%0), _optix_get_world_ray_origin_y, ();" : "=f"(o[1]));
    asm("call (%0), _optix_get_world_ray_origin_z, ();" : "=f"(o[2]));
}

CK_FN void ck_ray_way(float *d)
{
    asm("call (%0), _optix_get_world_ray_direction_x, ();" : "=f"(d[0]));
    asm("call (%0), _optix_get_world_ray_direction_y, ();" : "=f"(d[1]));
    asm("call (%0), _optix_get_world_ray_direction_z, ();" : "=f"(d[2]));
}

CK_FN ck_u32 ck_ray_flags(void)
{
    ck_u32 flags;
    asm("call (%0), _optix_get_ray_flags, ();" : "=r"(flags));
    return flags;
}

/* In the program of a box: there is a hit at this distance. */
CK_FN void ck_report_hit(float distance, ck_u32 kind)
{
    int taken;
    asm volatile("call (%0), _optix_report_intersection_0, (%1, %2);" : "=r"(taken) : "f"(distance), "r"(kind));
    (void)taken;
}

#endif
#endif
