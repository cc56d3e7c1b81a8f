/*
 * The OptiX device without one: every version of the interface, what its library is given, and what is said when
 * something is missing or fails. The fake library computes what a CPU would, so that the path of scores and statistics
 * is that of a run.
 */
#include "device/fake_optix.h"
#include "device/nvrtc.h"
#include "gas_fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_optix_record *seen;
static bool has_nvrtc;

/* A tube with four walls of triangles and polygons: caps that pump, one desorbs, one wall is two-sided and one partly
 * sticks. */
static const char tube[] =
    "version: 1\nkind: gas\nfacets:\n"
    "  - {name: inlet, sticking: 1, outgassing: 1e-6 mbar l/s, polygons: \"0 1 2 3\"}\n"
    "  - {name: outlet, sticking: 1, polygons: \"7 6 5 4\"}\n"
    "  - {name: wall, polygons: \"0 4 5 1\\n1 5 6 2\"}\n"
    "  - {name: rough, sticking: 0.1, polygons: \"2 6 7 3\"}\n"
    "  - {name: door, two_sided: true, polygons: \"3 7 4 0\"}\n"
    "geometry:\n  unit: 1 cm\n  vertices: \"0 0 0\\n1 0 0\\n1 1 0\\n0 1 0\\n0 0 4\\n1 0 4\\n1 1 4\\n0 1 4\"\n";

static int set_up(void **state)
{
    setenv("CORPUSCLE_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("CORPUSCLE_OPTIX", FAKE_OPTIX, 1);
    setenv("FAKE_CUDA_FREE", "1000000000", 1);
    setenv("FAKE_OPTIX_COMPUTE", "1", 1);
    void *library = dlopen(FAKE_OPTIX, RTLD_NOW);
    seen = library == NULL ? NULL : dlsym(library, "fake_optix_seen");
    int status = fixture_open(state);
    nvrtc compiler;
    has_nvrtc = status == 0 && nvrtc_open(fixture_context, 0, &compiler) == CRP_OK;
    return seen == NULL ? -1 : status;
}

static int tear_down(void **state)
{
    static const char *const names[] = {
        "FAKE_OPTIX_ABI",      "FAKE_OPTIX_COMPUTE", "FAKE_OPTIX_CONTEXT", "FAKE_OPTIX_MODULE", "FAKE_OPTIX_GROUP",
        "FAKE_OPTIX_PIPELINE", "FAKE_OPTIX_STACK",   "FAKE_OPTIX_BUILD",   "FAKE_OPTIX_LAUNCH", "FAKE_OPTIX_COMPACT",
        "FAKE_OPTIX_RT",       "FAKE_CUDA_FREE",     "CORPUSCLE_OPTIX_ABI"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unsetenv(names[i]);
    }
    return fixture_close(state);
}

static void needs_nvrtc(void)
{
    if (!has_nvrtc) {
        print_message("SKIPPED: no NVRTC here, so no programs for the ray tracer\n");
        skip();
    }
}

/* Detail of optix:0 with the library as it is set up. */
static device_info opened(void)
{
    device *d = NULL;
    device_info info;
    FIXTURE_OK(device_open(fixture_context, "optix:0", NULL, &d));
    FIXTURE_OK(d->ops->info(d, &info));
    device_close(&d);
    assert_string_equal(seen->complaint, "");
    return info;
}

static void every_version_is_spoken(void **state)
{
    static const struct {
        const char *known, *said;
    } cases[] = {{",118,", "OptiX 9.1 (ABI 118)"}, {",105,", "OptiX 9.0 (ABI 105)"}, {",93,", "OptiX 8.1 (ABI 93)"},
                 {",87,", "OptiX 8.0 (ABI 87)"},   {",84,", "OptiX 7.7 (ABI 84)"},   {",68,", "OptiX 7.6 (ABI 68)"},
                 {",68,87,105,", "OptiX 9.0"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("FAKE_OPTIX_ABI", cases[i].known, 1);
        device_info info = opened();
        assert_non_null(strstr(info.detail, cases[i].said));
        assert_non_null(strstr(info.detail, "no ray-tracing units"));
        assert_string_equal(info.kind, "optix");
        assert_string_equal(info.label, "optix:0");
    }
    setenv("FAKE_OPTIX_RT", "20", 1);
    assert_non_null(strstr(opened().detail, "ray-tracing units 2.0"));
    setenv("CORPUSCLE_OPTIX_ABI", "87", 1);
    assert_non_null(strstr(opened().detail, "ABI 87"));
}

static void refused(const char *const *parts)
{
    device *d = NULL;
    assert_int_not_equal(device_open(fixture_context, "optix:0", NULL, &d), CRP_OK);
    assert_null(d);
    for (; *parts != NULL; parts++) {
        if (strstr(crp_context_error(fixture_context), *parts) == NULL) {
            fail_msg("no \"%s\" in: %s", *parts, crp_context_error(fixture_context));
        }
    }
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    setenv("FAKE_OPTIX_ABI", ",999,", 1);
    refused((const char *const[]){"does not fit", "7.6 to 9.1", "7801", "update the driver", "device cuda", NULL});
    setenv("CORPUSCLE_OPTIX", "/nowhere/libnvoptix.so.1", 1);
    refused(
        (const char *const[]){"no OptiX in the NVIDIA driver", "/nowhere/libnvoptix.so.1", "CORPUSCLE_OPTIX", NULL});
    setenv("CORPUSCLE_OPTIX", FAKE_CUDA, 1);
    refused((const char *const[]){"is no OptiX library", "optixQueryFunctionTable", NULL});
    unsetenv("CORPUSCLE_OPTIX");
    refused((const char *const[]){"no OptiX in the NVIDIA driver", "libnvoptix1", "device cuda", NULL});
    setenv("CORPUSCLE_OPTIX", FAKE_OPTIX, 1);
    unsetenv("FAKE_OPTIX_ABI");
    setenv("FAKE_OPTIX_CONTEXT", "7001", 1);
    refused((const char *const[]){"OPTIX_ERROR_INVALID_VALUE (7001)", "making its ray tracer", NULL});
}

/* The tube on a device, with a section `optix` of the model. */
static crp_result *run(const char *device, const char *optix, crp_status expected)
{
    char text[2048];
    crp_result *result = NULL;
    snprintf(text, sizeof text, "%s%s", tube, optix);
    crp_input *input = fixture_text(text);
    crp_run_options options = fixture_options(2000, 3);
    options.device = device;
    crp_status status = crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result);
    if (status != expected) {
        fail_msg("status %d: %s", status, crp_context_error(fixture_context));
    }
    crp_input_destroy(&input);
    assert_string_equal(seen->complaint, "");
    return result;
}

/* The same integers as on a CPU, since the fake one computes them there. */
static void expect_same(const char *optix)
{
    crp_result *cpu = run("cpu", "", CRP_OK), *rays = run("optix:0", optix, CRP_OK);
    assert_string_equal(crp_result_digest(rays), crp_result_digest(cpu));
    assert_true(strncmp(crp_result_device(rays), "optix:0 (", 9) == 0);
    assert_true(seen->n_launches > 0);
    assert_int_equal(seen->n_made + 1, seen->n_destroyed); /* and the context */
    crp_result_destroy(&cpu);
    crp_result_destroy(&rays);
}

static void triangles_arrive(void **state)
{
    (void)state;
    needs_nvrtc();
    expect_same("");
    assert_false(seen->is_boxes);
    assert_int_equal(seen->primitive_flags, 0x80000000u);
    assert_int_equal(seen->n_shapes, 12);
    assert_int_equal(seen->n_records, 4);
    assert_int_equal(seen->n_of_kind[0], 4); /* walls */
    assert_int_equal(seen->n_of_kind[1], 4); /* caps */
    assert_int_equal(seen->n_of_kind[2], 2); /* rough */
    assert_int_equal(seen->n_of_kind[3], 2); /* door */
    assert_int_equal(seen->flags[0], 1);
    assert_int_equal(seen->flags[3], 5); /* never culled */
    assert_int_equal(seen->n_groups, 6);
    assert_string_equal(seen->groups,
                        "2421 __raygen__gas_transport;2422 __miss__gas_nothing;2424 __closesthit__gas_wall;"
                        "2424 __closesthit__gas_sink;2424 __closesthit__gas_other;2424 __closesthit__gas_other;");
    assert_int_equal(seen->depth, 1);
    assert_int_equal(seen->stack, 1100);
    assert_int_equal(seen->threads, 1024 * 2048); /* multiprocessors of the fake GPU */
}

/* All triangles of the tube turn about the normal that points inside, in a cube about 0 of half edge 64 to 128. */
static void triangles_face_inside(void **state)
{
    (void)state;
    needs_nvrtc();
    crp_result *result = run("optix:0", "", CRP_OK);
    crp_result_destroy(&result);
    double area = 0.0;
    float largest = 0.0f;
    for (unsigned i = 0; i < 12; i++) {
        const float *t = seen->numbers + 9 * i;
        double a[3], b[3], n[3], inwards = 0.0;
        for (int k = 0; k < 3; k++) {
            a[k] = (double)t[3 + k] - (double)t[k];
            b[k] = (double)t[6 + k] - (double)t[k];
            largest = fmaxf(largest, fmaxf(fabsf(t[k]), fmaxf(fabsf(t[3 + k]), fabsf(t[6 + k]))));
        }
        for (int k = 0; k < 3; k++) {
            n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
            inwards -= n[k] * (double)t[k]; /* the middle is at 0 */
        }
        assert_true(inwards > 0.0);
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    assert_true(largest == 64.0f * 1.28f || (largest >= 64.0f && largest < 128.0f));
    double edge = 2.0 * (double)largest / 4.0; /* of 1 cm */
    assert_true(fabs(area / (edge * edge) - 18.0) < 1e-4);
}

static void polygons_arrive(void **state)
{
    (void)state;
    needs_nvrtc();
    expect_same("optix: {mesh: polygons}\n");
    assert_true(seen->is_boxes);
    assert_int_equal(seen->primitive_flags, 1);
    assert_int_equal(seen->n_shapes, 6);
    assert_non_null(strstr(seen->text, "__intersection__gas_polygon"));
    for (unsigned i = 0; i < 6; i++) {
        const float *box = seen->numbers + 6 * i;
        assert_true(box[0] < box[3] && box[1] < box[4] && box[2] < box[5]);
    }
}

static void options_arrive(void **state)
{
    (void)state;
    needs_nvrtc();
    setenv("FAKE_OPTIX_ABI", ",118,", 1); /* where the size of the arguments is checked */
    expect_same("optix: {depth: 16, batch: 2, copies: 4, threads: 4096}\n");
    assert_int_equal(seen->depth, 16);
    assert_int_equal(seen->stack, 1000 + 16 * 100);
    assert_int_equal(seen->threads, 4096);
    expect_same("optix: {culling: false, offset: false, positions: ray}\n");
}

static void expect_failure(const char *name, crp_status status, const char *what)
{
    setenv(name, "7001", 1);
    crp_result *result = run("optix:0", "", status);
    assert_null(result);
    if (strstr(crp_context_error(fixture_context), what) == NULL ||
        strstr(crp_context_error(fixture_context), "OPTIX_ERROR_INVALID_VALUE") == NULL) {
        fail_msg("%s: no \"%s\" in: %s", name, what, crp_context_error(fixture_context));
    }
    unsetenv(name);
}

static void failures_are_told(void **state)
{
    (void)state;
    needs_nvrtc();
    expect_failure("FAKE_OPTIX_MODULE", CRP_ERR_COMPILE, "the text is not to its taste");
    expect_failure("FAKE_OPTIX_GROUP", CRP_ERR_DEVICE, "making its program");
    expect_failure("FAKE_OPTIX_PIPELINE", CRP_ERR_DEVICE, "joining its programs");
    expect_failure("FAKE_OPTIX_STACK", CRP_ERR_DEVICE, "bytes of stack");
    expect_failure("FAKE_OPTIX_BUILD", CRP_ERR_DEVICE, "building its scene");
    expect_failure("FAKE_OPTIX_COMPACT", CRP_ERR_DEVICE, "compacting its scene");
    expect_failure("FAKE_OPTIX_LAUNCH", CRP_ERR_DEVICE, "launching gas_transport");
}

static crp_status go_on(const char *device, const char *file, uint64_t histories)
{
    crp_input *input = fixture_text(tube);
    crp_run_options options = fixture_options(histories, 3);
    crp_result *result = NULL;
    options.device = device;
    options.output = file;
    options.restart = access(file, F_OK) == 0 ? file : NULL;
    crp_status status = crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result);
    crp_result_destroy(&result);
    crp_input_destroy(&input);
    return status;
}

/* A run goes on where its digits are those it has, and optix shares none with another kind of device. */
static void runs_are_not_mixed(void **state)
{
    char file[4200];
    (void)state;
    needs_nvrtc();
    snprintf(file, sizeof file, "%s/traced.h5", getenv("CORPUSCLE_CACHE"));
    FIXTURE_OK(go_on("optix:0", file, 3200));
    assert_int_equal(go_on("cpu", file, 6400), CRP_ERR_CONFIG);
    assert_non_null(strstr(crp_context_error(fixture_context), "--device optix"));
    FIXTURE_OK(go_on("optix:0", file, 6400));
    remove(file);
    FIXTURE_OK(go_on("cpu", file, 3200));
    assert_int_equal(go_on("optix:0", file, 6400), CRP_ERR_CONFIG);
    remove(file);
    assert_int_equal(go_on("cpu+optix:0", file, 3200), CRP_ERR_ARG);
    assert_non_null(strstr(crp_context_error(fixture_context), "use one kind"));
}

static void other_models_are_refused(void **state)
{
    (void)state;
    crp_input *input = fixture_starter("light-skin5", NULL);
    crp_run_options options = fixture_options(1000, 1);
    crp_result *result = NULL;
    options.device = "optix:0";
    assert_int_equal(crp_run_execute(fixture_context, crp_input_model(input, 0), &options, &result), CRP_ERR_DEVICE);
    assert_non_null(strstr(crp_context_error(fixture_context), "traces no rays"));
    assert_non_null(strstr(crp_context_error(fixture_context), "--device cuda:0"));
    crp_input_destroy(&input);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    char cache[] = "/tmp/corpuscle-optix-XXXXXX";
    const struct CMUnitTest tests[] = {
        TEST(every_version_is_spoken), TEST(what_is_missing_is_said),  TEST(triangles_arrive),
        TEST(triangles_face_inside),   TEST(polygons_arrive),          TEST(options_arrive),
        TEST(failures_are_told),       TEST(other_models_are_refused), TEST(runs_are_not_mixed),
    };
    if (mkdtemp(cache) == NULL) {
        return 1;
    }
    setenv("CORPUSCLE_CACHE", cache, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
