/* STL files: both forms, their traps, and every way in which they can be broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/stl.h"
#include "mesh_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIANGLE "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 10 0 0 vertex 0 10 0 endloop endfacet\n"

typedef struct reading {
    crp_context *context;
    geom_mesh *mesh;
} reading;

static int set_up(void **state)
{
    reading *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(crp_context_create(&r->context), CRP_OK);
    *state = r;
    return 0;
}

static int tear_down(void **state)
{
    reading *r = *state;
    mesh_destroy(&r->mesh);
    crp_context_destroy(&r->context);
    free(r);
    return 0;
}

static crp_status read_bytes(reading *r, const void *bytes, size_t n)
{
    mesh_destroy(&r->mesh);
    return stl_read(r->context, "part.stl", bytes, n, 0.1, &r->mesh);
}

static crp_status read_text(reading *r, const char *text)
{
    return read_bytes(r, text, strlen(text));
}

/* Header, count, triangles in the plane z = i. Returns its length. */
static size_t make_binary(char *bytes, uint32_t n)
{
    memset(bytes, 0, 84 + 50 * (size_t)n);
    memcpy(bytes, "solid that is binary", 20);
    memcpy(bytes + 80, &n, 4);
    for (uint32_t i = 0; i < n; i++) {
        float numbers[12] = {0, 0, 1, 0, 0, (float)i, 10, 0, (float)i, 0, 10, (float)i};
        memcpy(bytes + 84 + 50 * (size_t)i, numbers, sizeof numbers);
    }
    return 84 + 50 * (size_t)n;
}

static void test_ascii_with_several_solids(void **state)
{
    reading *r = *state;
    assert_int_equal(
        read_text(r, "solid inlet flange\n" TRIANGLE "endsolid inlet flange\n\nSOLID\n" TRIANGLE TRIANGLE "ENDSOLID"),
        CRP_OK);
    assert_int_equal(r->mesh->n_facets, 3);
    assert_int_equal(r->mesh->n_bodies, 2);
    assert_string_equal(r->mesh->bodies[0].name, "inlet flange");
    assert_string_equal(r->mesh->bodies[1].name, "solid");
    assert_int_equal(r->mesh->facet_body[0], 0);
    assert_int_equal(r->mesh->facet_body[2], 1);
}

/* mm to cm, and the order of corners turned round: the gas is inside the solid. */
static void test_units_and_orientation(void **state)
{
    reading *r = *state;
    assert_int_equal(read_text(r, "solid x\n" TRIANGLE "endsolid x\n"), CRP_OK);
    mesh_plane plane = mesh_facet_plane(r->mesh, 0);
    assert_float_equal(plane.area, 0.5, 1e-15);
    assert_float_equal(plane.normal.z, -1, 1e-15);
}

static void test_binary(void **state)
{
    reading *r = *state;
    char bytes[84 + 150];
    size_t n = make_binary(bytes, 3);
    assert_true(stl_recognise(bytes, n));
    assert_int_equal(read_bytes(r, bytes, n), CRP_OK);
    assert_int_equal(r->mesh->n_facets, 3);
    mesh_plane plane = mesh_facet_plane(r->mesh, 2);
    assert_float_equal(plane.offset, -0.2, 1e-15);
    assert_float_equal(plane.area, 0.5, 1e-15);
}

/* Some programs write more behind the triangles. */
static void test_binary_with_tail(void **state)
{
    reading *r = *state;
    char bytes[84 + 150];
    make_binary(bytes, 2);
    assert_int_equal(read_bytes(r, bytes, 84 + 103), CRP_OK);
    assert_int_equal(r->mesh->n_facets, 2);
}

static void test_recognition(void **state)
{
    (void)state;
    const char *no[] = {"", "solid", "solids\nfacet", "solid x\nversion: 1", "kind: gas", "1.0\n1\n"};
    assert_true(stl_recognise("  solid a b c\r\n  facet", 22));
    assert_true(stl_recognise("solid a\nendsolid", 16));
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        if (i != 1) {
            assert_false(stl_recognise(no[i], strlen(no[i])));
        }
    }
}

static void expect_failure(reading *r, const void *bytes, size_t n, const char *message)
{
    assert_int_equal(read_bytes(r, bytes, n), CRP_ERR_FORMAT);
    assert_null(r->mesh);
    if (strstr(crp_context_error(r->context), message) == NULL) {
        fail_msg("message is: %s\nwanted: %s", crp_context_error(r->context), message);
    }
}

/* Every file that is cut short, anywhere, is refused; nothing is read beyond its end (seen by the sanitizers). */
static void test_cut_files(void **state)
{
    reading *r = *state;
    static const char whole[] = "solid x\n" TRIANGLE "endsolid";
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char *part = malloc(n + 1);
        memcpy(part, whole, n);
        assert_int_not_equal(read_bytes(r, part, n), CRP_OK);
        free(part);
    }
    char bytes[84 + 100];
    size_t size = make_binary(bytes, 2);
    for (size_t n = 0; n < size; n++) {
        char *part = malloc(n + 1);
        memcpy(part, bytes, n);
        assert_int_not_equal(read_bytes(r, part, n), CRP_OK);
        free(part);
    }
}

static void test_bad_ascii(void **state)
{
    reading *r = *state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n",
         "part.stl:4: found `nan` where a finite coordinate"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e300\n", "part.stl:4"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 1,5 2\n", "found `1,5`"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\nendloop",
         "part.stl:7: found `vertex` where `endloop`"},
        {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop", "part.stl:6"},
        {"solid x\nfacet normal 0 0 1\n", "part.stl:3: the file ends where `outer`"},
        {"solid x\nendsolid x\n", "has no triangles"},
        {"solid x\nfacet inner 0 0 1\n", "found `inner` where `normal`"},
        {"solid x\nendsolid x\nwhat\n", "part.stl:3: found `what` where `solid`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_failure(r, cases[i].text, strlen(cases[i].text), cases[i].message);
    }
}

/* The normal of a sliver is nan in files of some programs; it is not used. */
static void test_normal_is_not_used(void **state)
{
    reading *r = *state;
    assert_int_equal(read_text(r, "solid x\nfacet normal nan nan nan outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 "
                                  "endloop endfacet endsolid"),
                     CRP_OK);
}

static void test_bad_binary(void **state)
{
    reading *r = *state;
    char bytes[84 + 100];
    make_binary(bytes, 0);
    expect_failure(r, bytes, 84, "has no triangles");
    size_t n = make_binary(bytes, 2);
    float nan_value = NAN;
    memcpy(bytes + 84 + 50 + 12 + 4, &nan_value, 4);
    expect_failure(r, bytes, n, "triangle 2 of 2: corner 1: y = ");
    uint32_t huge = 0xffffffff;
    memcpy(bytes + 80, &huge, 4);
    expect_failure(r, bytes, n, "is it cut?");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_ascii_with_several_solids),
        CASE(test_units_and_orientation),
        CASE(test_binary), CASE(test_binary_with_tail),
        CASE(test_recognition),
        CASE(test_cut_files),
        CASE(test_bad_ascii),
        CASE(test_normal_is_not_used),
        CASE(test_bad_binary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
