/* Cones of normals: what a way is told to see from behind only, it does; and the cones are of use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gas_fixture.h"
#include "model/gas/gas_cones.h"

enum { N = 200000 };

static double random_of(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (double)(*s >> 11) / 9007199254740992.0;
}

static gas_vector direction_of(uint64_t *seed)
{
    double z = 2.0 * random_of(seed) - 1.0, angle = 6.283185307179586 * random_of(seed), r = sqrt(1.0 - z * z);
    return gas_vector_of(r * cos(angle), r * sin(angle), z);
}

static double along(uint32_t cone, gas_vector v)
{
    double a[3];
    gas_cone_axis(cone, a);
    return a[0] * v.x + a[1] * v.y + a[2] * v.z;
}

static double cosine_of(uint32_t cone)
{
    return cone < GAS_NARROW_CONES ? GAS_NARROW_COSINE : GAS_WIDE_COSINE;
}

static void axes_are_unit_vectors_and_differ(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < GAS_N_CONES; c++) {
        double a[3];
        gas_cone_axis(c, a);
        assert_true(fabs(along(c, gas_vector_of(a[0], a[1], a[2])) - 1.0) < 1e-12);
        for (uint32_t d = 0; d < c; d++) {
            bool are_alike = c < GAS_NARROW_CONES || d >= GAS_NARROW_CONES;
            assert_true(!are_alike || along(d, gas_vector_of(a[0], a[1], a[2])) < 0.9);
        }
    }
}

/* The bit of a cone is set exactly where the way is less than a right angle from all of it, up to the margin. */
static void bits_say_what_is_behind(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < N; i++) {
        gas_vector way = direction_of(&seed);
        uint32_t bits = gas_cones_behind(way);
        assert_int_equal(bits >> GAS_NO_CONE, 0);
        for (uint32_t c = 0; c < GAS_N_CONES; c++) {
            double cosine = cosine_of(c), least = along(c, way) - sqrt(1.0 - cosine * cosine);
            bool is_behind = (bits >> c & 1u) != 0;
            assert_true(is_behind ? least > 1e-5 : least < 5e-4);
        }
    }
}

/* A normal of its own lies in a narrow cone, but for one in ten; of those most lie in a wide one. */
static void normals_have_cones(void **state)
{
    (void)state;
    uint64_t seed = 4;
    int n_without_narrow = 0, n_without = 0;
    for (int i = 0; i < N; i++) {
        gas_vector normal = direction_of(&seed);
        uint32_t n = 0, n_narrow = 0;
        for (uint32_t c = 0; c < GAS_N_CONES; c++) {
            bool is_in = along(c, normal) >= cosine_of(c);
            n += is_in;
            n_narrow += is_in && c < GAS_NARROW_CONES;
        }
        n_without += n == 0;
        n_without_narrow += n_narrow == 0;
    }
    assert_true(n_without_narrow < N / 10 && n_without < N / 50);
}

/* Two-sided facets have none, nor has what lies above them; a node of one-sided ones that look one way has. */
static void hierarchies_are_marked(void **state)
{
    (void)state;
    gas_primitive q[4];
    geom_box boxes[4];
    memset(q, 0, sizeof q);
    for (uint32_t i = 0; i < 4; i++) {
        double x = 10.0 * i;
        q[i].n[2] = 1.0;
        q[i].facet = i | (i == 3 ? GAS_IS_TWO_SIDED : 0u);
        boxes[i] = (geom_box){{x, 0, 0}, {x + 1, 1, 0}};
    }
    geom_grid grid;
    uint32_t *nodes = NULL;
    assert_int_equal(geom_bvh_build(boxes, 4, &grid, &nodes), 3);
    gas_cones_mark(nodes, q);
    uint32_t n_without = 0, n_up = 0;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t reference = nodes[8 * (i / 2) + 6 + i % 2];
        bool has_last = (reference & GEOM_BVH_LEAF) != 0 && GEOM_BVH_NUMBER(reference) == 3;
        assert_true(!has_last || (reference & 31u) == GAS_NO_CONE);
        n_without += (reference & 31u) == GAS_NO_CONE;
        n_up += (reference & 31u) == 4u;
    }
    assert_true(n_without >= 2 && n_up >= 3 && n_up + n_without == 6);
    free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_unit_vectors_and_differ),
        cmocka_unit_test(bits_say_what_is_behind),
        cmocka_unit_test(normals_have_cones),
        cmocka_unit_test(hierarchies_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
