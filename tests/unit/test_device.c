/* Devices by name: the forms, what is refused and with which words, the list with reasons for what is absent. */
#include "core/context.h"
#include "device/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static crp_context *context;

static void check_fails(const char *name, crp_status wanted, const char *part)
{
    device *d = (device *)1;
    crp_status status = device_open(context, name, NULL, &d);
    if (status != wanted || strstr(crp_context_error(context), part) == NULL) {
        fail_msg("%s: status %d: %s", name, status, crp_context_error(context));
    }
    assert_null(d);
}

static void test_unknown_names(void **state)
{
    (void)state;
    static const char *const names[] = {"",       "gpu",    "CPU",     "cpu ",     "cuda:",     "cuda:x",
                                        "cuda:0x", "cuda:-1", "cuda:0,1", "cudas:0", "opencl:1:2", "cuda:99999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_fails(names[i], CRP_ERR_ARG, "a device is written cpu, cuda, cuda:1, opencl:0 or optix:0");
    }
    device *d = NULL;
    assert_int_equal(device_open(context, NULL, NULL, &d), CRP_ERR_ARG);
}

static void test_cpu(void **state)
{
    (void)state;
    static const char *const names[] = {"cpu", "cpu:0"};
    for (size_t i = 0; i < 2; i++) {
        device *d = NULL;
        assert_int_equal(device_open(context, names[i], NULL, &d), CRP_OK);
        assert_non_null(d);
        assert_string_equal(d->info.kind, "cpu");
        device_close(&d);
        assert_null(d);
        device_close(&d);
    }
    device_close(NULL);
    check_fails("cpu:1", CRP_ERR_DEVICE, "device cpu:1 is not there (this machine has 1 of the kind");
}

static void test_absent_libraries(void **state)
{
    (void)state;
    setenv("CORPUSCLE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    setenv("CORPUSCLE_OPENCL", "/nonexistent/libOpenCL.so.1", 1);
    check_fails("cuda", CRP_ERR_DEVICE, "device cuda: no NVIDIA driver (/nonexistent/libcuda.so.1");
    check_fails("cuda:3", CRP_ERR_DEVICE, "correct or unset CORPUSCLE_CUDA_DRIVER");
    check_fails("opencl:0", CRP_ERR_DEVICE, "device opencl:0: no OpenCL (/nonexistent/libOpenCL.so.1");
    setenv("CORPUSCLE_CUDA_DRIVER", "libc.so.6", 1);
    check_fails("cuda", CRP_ERR_DEVICE, "the NVIDIA driver is too old (libc.so.6 has no cuInit)");
    unsetenv("CORPUSCLE_CUDA_DRIVER");
    unsetenv("CORPUSCLE_OPENCL");
}

typedef struct visits {
    int n_cpu, n_cuda_absent, n_opencl_absent, n_optix_absent, n_other;
} visits;

static void visit(void *user, const char *kind, const device_info *info, const char *reason)
{
    visits *v = user;
    assert_true((info == NULL) != (reason == NULL));
    if (info != NULL && strcmp(kind, "cpu") == 0) {
        assert_string_equal(info->label, "cpu");
        v->n_cpu++;
    } else if (info == NULL && strcmp(kind, "cuda") == 0 && strstr(reason, "no NVIDIA driver") != NULL) {
        v->n_cuda_absent++;
    } else if (info == NULL && strcmp(kind, "opencl") == 0 && strstr(reason, "no OpenCL") != NULL) {
        v->n_opencl_absent++;
    } else if (info == NULL && strcmp(kind, "optix") == 0 && strstr(reason, "no NVIDIA driver") != NULL) {
        v->n_optix_absent++;
    } else {
        v->n_other++;
    }
}

static void test_list_gives_reasons(void **state)
{
    (void)state;
    visits v = {0};
    setenv("CORPUSCLE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
    setenv("CORPUSCLE_OPENCL", "/nonexistent/libOpenCL.so.1", 1);
    device_list(context, visit, &v);
    assert_int_equal(v.n_cpu, 1);
    assert_int_equal(v.n_cuda_absent, 1);
    assert_int_equal(v.n_opencl_absent, 1);
    assert_int_equal(v.n_optix_absent, 1);
    assert_int_equal(v.n_other, 0);
    assert_string_equal(crp_context_error(context), "");
    unsetenv("CORPUSCLE_CUDA_DRIVER");
    unsetenv("CORPUSCLE_OPENCL");
}

/* Launches side by side: every instant counts once, in whatever order they end. */
static void test_busy_seconds(void **state)
{
    (void)state;
    device d = {.busy_until = 0.0};
    assert_true(device_count_busy(&d, 1.0, 3.0) == 2.0);
    assert_true(device_count_busy(&d, 2.0, 5.0) == 2.0); /* 3 to 5 */
    assert_true(device_count_busy(&d, 2.5, 4.0) == 0.0); /* inside */
    assert_true(device_count_busy(&d, 7.0, 8.0) == 1.0); /* after a pause */
    assert_true(device_count_busy(&d, 7.0, 8.0) == 0.0); /* asked twice */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_cpu),
                                       cmocka_unit_test(test_absent_libraries), cmocka_unit_test(test_list_gives_reasons),
                                       cmocka_unit_test(test_busy_seconds)};
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crp_context_destroy(&context);
    return failed;
}
