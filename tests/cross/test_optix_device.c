/* Rays against a few triangles and boxes on the OptiX device: what is hit, from which side, at what distance; what the
 * arguments and the kernel that follows bring. Skipped, loudly, where there is no such device. */
#include "context_fixture.h"
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

/* Each thread traces the ray of its number; the hit program leaves shape, kind, distance and the side. */
static const char programs[] =
    "@#include \"optix.h\"\n"
    "struct arguments { ck_u64 scene; const ck_u32 *data; ck_u32 n, flags; const float *rays; ck_u64 *sums; };\n"
    "extern \"C\" { __constant__ arguments optix_arguments; }\n"
    "CK_PROGRAM(raygen, probe) {\n"
    "    ck_u32 i = ck_ray_thread();\n"
    "    if (optix_arguments.scene == 0 || i >= optix_arguments.n) return;\n"
    "    ck_ray ray;\n"
    "    for (int k = 0; k < 3; k++) {\n"
    "        ray.origin[k] = optix_arguments.rays[6 * i + k];\n"
    "        ray.way[k] = optix_arguments.rays[6 * i + 3 + k];\n"
    "    }\n"
    "    ray.nearest = 0.0f; ray.farthest = 1e30f; ray.flags = optix_arguments.flags;\n"
    "    for (int k = 0; k < CK_RAY_WORDS; k++) ray.word[k] = 0u;\n"
    "    ck_trace(optix_arguments.scene, &ray);\n"
    "    for (int k = 0; k < CK_RAY_WORDS; k++)\n"
    "        ck_atomic_add_u64(optix_arguments.sums + (4 * i + k), ray.word[k]);\n"
    "}\n"
    "CK_PROGRAM(miss, nothing) { ck_set_ray_word(0u, *optix_arguments.data); }\n"
    "CK_FN void leave(ck_u32 program) {\n"
    "    ck_set_ray_word(0u, 10u * program + ck_hit_shape() + 1u);\n"
    "    ck_set_ray_word(1u, ck_hit_row());\n"
    "    ck_set_ray_word(2u, CK_BITS(ck_hit_distance()));\n"
    "    ck_set_ray_word(3u, ck_hit_kind());\n"
    "}\n"
    "CK_PROGRAM(closesthit, first) { leave(1u); }\n"
    "CK_PROGRAM(closesthit, second) { leave(2u); }\n"
    "CK_PROGRAM(intersection, middle) {\n" /* a plane z = 0 through the middle of the box */
    "    float o[3], d[3]; ck_ray_origin(o); ck_ray_way(d);\n"
    "    if (-o[2] / d[2] > 0.0f) ck_report_hit(-o[2] / d[2], 7u);\n"
    "}\n";
static const char following[] = "@#include \"port.h\"\n"
                                "struct head { ck_u32 n, flags; };\n"
                                "extern \"C\" __global__ void doubled(head h, const float *rays, ck_u64 *sums) {\n"
                                "    ck_u32 i = CK_GLOBAL_INDEX();\n"
                                "    if (i < 4u * h.n) sums[i] *= 2u;\n"
                                "}\n";

/* Two triangles in z = 0, the second in z = 1 above it, seen from +z at its front; and as boxes. */
static const uint32_t corners_of[] = {0, 1, 2, 3, 4, 5};
static const float triangles[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 8, 0, 1, 12, 0, 1, 8, 4, 1};
static const float boxes[] = {0, 0, -1, 4, 4, 1, 8, 0, -1, 12, 4, 1};
static const uint32_t kinds[] = {0, 1};
static const char *const on_hit[] = {"first", "second"};

enum { N_RAYS = 4 };
static const float rays[6 * N_RAYS] = {1, 1, 3, 0, 0, -1, 9, 1, 3, 0, 0, -1, 1, 1, -3, 0, 0, 1, 6, 1, 3, 0, 0, -1};

typedef struct found {
    uint64_t word[N_RAYS][4];
} found;

static bool is_absent(void)
{
    uint32_t n = 0;
    if (device_ops_optix.count(fixture_context, &n) == CRP_OK && n > 0) {
        return false;
    }
    print_message("SKIPPED, no OptiX device here: %s\n", crp_context_error(fixture_context));
    return true;
}

static found run(const device_scene *scene, uint32_t flags, bool is_doubled)
{
    static const char *const no_defines[] = {NULL};
    device *d = NULL;
    device_kernel *kernel = NULL;
    device_buffer *input = NULL, *sums = NULL;
    found out;
    uint32_t head[2] = {N_RAYS, flags};
    device_kernel_source source = {.file = programs,
                                   .entry = "probe",
                                   .math = CRP_MATH_STRICT,
                                   .defines = no_defines,
                                   .scene = scene,
                                   .after_file = following,
                                   .after = is_doubled ? "doubled" : NULL};
    device_launch launch = {.grid = 2, .block = 32, .n_args = 3};
    FIXTURE_OK(device_open(fixture_context, "optix:0", NULL, &d));
    FIXTURE_OK(d->ops->kernel_create(d, &source, &kernel));
    FIXTURE_OK(d->ops->buffer_create(d, sizeof rays, &input));
    FIXTURE_OK(d->ops->buffer_create(d, sizeof out, &sums));
    FIXTURE_OK(d->ops->upload(d, 0, input, rays, sizeof rays));
    launch.args[0] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = head, .n_bytes = sizeof head};
    launch.args[1] = (device_arg){.kind = DEVICE_ARG_IN, .buffer = input};
    launch.args[2] = (device_arg){.kind = DEVICE_ARG_SUM, .buffer = sums};
    FIXTURE_OK(d->ops->launch(d, 0, kernel, &launch));
    FIXTURE_OK(d->ops->download(d, 0, sums, &out, sizeof out));
    assert_true(d->ops->launch_seconds(d, 0) > 0.0);
    d->ops->buffer_destroy(d, input);
    d->ops->buffer_destroy(d, sums);
    d->ops->kernel_destroy(d, kernel);
    device_close(&d);
    for (int i = 0; i < N_RAYS; i++) {
        print_message("ray %d: %llu row %llu distance bits %llx kind %llx\n", i, (unsigned long long)out.word[i][0],
                      (unsigned long long)out.word[i][1], (unsigned long long)out.word[i][2],
                      (unsigned long long)out.word[i][3]);
    }
    return out;
}

static const uint32_t missed = 1000;
static const bool all_culled[] = {false, false};

static device_scene scene_of(const float *shapes_triangles, const float *shapes_boxes)
{
    return (device_scene){.corners = shapes_triangles,
                          .n_corners = 6,
                          .triangles = corners_of,
                          .boxes = shapes_boxes,
                          .n = 2,
                          .kinds = kinds,
                          .n_kinds = 2,
                          .on_hit = on_hit,
                          .is_never_culled = all_culled,
                          .on_box = "middle",
                          .on_miss = "nothing",
                          .n_payload = 4,
                          .trace_depth = 1,
                          .data = &missed,
                          .n_data = sizeof missed};
}

static void triangles_are_hit(void **state)
{
    (void)state;
    if (is_absent()) {
        skip();
    }
    device_scene scene = scene_of(triangles, NULL);
    found f = run(&scene, 1u, false);
    assert_int_equal(f.word[0][0], 11); /* first program, first triangle */
    assert_int_equal(f.word[0][1], 0);
    assert_int_equal(f.word[0][2], 0x40400000); /* 3 */
    assert_int_equal(f.word[0][3], 0xFE);       /* front */
    assert_int_equal(f.word[1][0], 22);
    assert_int_equal(f.word[1][1], 1);
    assert_int_equal(f.word[1][2], 0x40000000); /* 2 */
    assert_int_equal(f.word[2][0], 11);
    assert_int_equal(f.word[2][3], 0xFF); /* back */
    assert_int_equal(f.word[3][0], 1000);
}

static void back_faces_are_culled(void **state)
{
    (void)state;
    if (is_absent()) {
        skip();
    }
    device_scene scene = scene_of(triangles, NULL);
    found f = run(&scene, 0x11u, true); /* and all words are doubled by the kernel that follows */
    assert_int_equal(f.word[0][0], 22);
    assert_int_equal(f.word[1][0], 44);
    assert_int_equal(f.word[2][0], 2000);
    scene.is_never_culled = (const bool[]){true, true};
    f = run(&scene, 0x11u, false);
    assert_int_equal(f.word[2][0], 11);
}

static void boxes_are_hit(void **state)
{
    (void)state;
    if (is_absent()) {
        skip();
    }
    device_scene scene = scene_of(NULL, boxes);
    found f = run(&scene, 1u, false);
    assert_int_equal(f.word[0][0], 11);
    assert_int_equal(f.word[0][2], 0x40400000);
    assert_int_equal(f.word[0][3], 7);
    assert_int_equal(f.word[1][0], 22);
    assert_int_equal(f.word[2][0], 11);
    assert_int_equal(f.word[3][0], 1000);
}

static void print_line(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    print_message("%d %s: %s\n", (int)level, component, line);
}

/* With TEST_LOG in the environment all that the device and its driver say is printed. */
static int open_logged(void **state)
{
    int failed = fixture_open(state);
    if (failed == 0 && getenv("TEST_LOG") != NULL) {
        crp_context_set_log(fixture_context, print_line, NULL);
    }
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_hit),
        cmocka_unit_test(back_faces_are_culled),
        cmocka_unit_test(boxes_are_hit),
    };
    return cmocka_run_group_tests(tests, open_logged, fixture_close);
}
