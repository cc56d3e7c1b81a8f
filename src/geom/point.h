/** Points and vectors in space, in double precision. */
#ifndef GEOM_POINT_H
#define GEOM_POINT_H

#include <math.h>

typedef struct geom_point {
    double x, y, z;
} geom_point;

static inline geom_point point_sub(geom_point a, geom_point b)
{
    return (geom_point){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline geom_point point_cross(geom_point a, geom_point b)
{
    return (geom_point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double point_dot(geom_point a, geom_point b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline geom_point point_scaled(geom_point a, double s)
{
    return (geom_point){a.x * s, a.y * s, a.z * s};
}
static inline double point_length(geom_point a)
{
    return sqrt(point_dot(a, a));
}
static inline double point_distance(geom_point a, geom_point b)
{
    return point_length(point_sub(a, b));
}

#endif
