/* The plain nested kernel as CUDA on a real GPU: the integers of the CPU. "--time" compares it with the engine's kernel. */
#include "cross/plain_checks.h"
#include "plain_source.h"

enum { BLOCK = 256, BLOCKS_PER_UNIT = 6 };

static device *gpu;
static device_kernel *kernel;

static int compile_plain(void **state)
{
    (void)state;
    char *text = plain_source();
    device_kernel_source source = {.file = text, .entry = "plain_transport", .block = BLOCK,
                                   .blocks_per_unit = BLOCKS_PER_UNIT};
    crp_status status = gpu->ops->kernel_create(gpu, &source, &kernel);
    if (status != CRP_OK) {
        fprintf(stderr, "%s\n", crp_context_error(plain_context));
    }
    free(text);
    return status == CRP_OK ? 0 : 1;
}

static device_buffer *filled(const void *data, size_t n_bytes)
{
    device_buffer *buffer = NULL;
    PLAIN_CHECK(gpu->ops->buffer_create(gpu, n_bytes, &buffer));
    PLAIN_CHECK(data == NULL ? gpu->ops->zero(gpu, 0, buffer, n_bytes)
                             : gpu->ops->upload(gpu, 0, buffer, data, n_bytes));
    return buffer;
}

/* `user`: seconds by the device's clock, added to. */
static uint64_t *plain_words(const crp_plan *plan, history_range range, void *user)
{
    double *seconds = user;
    plan_shape shape = {.grid = 1};
    unsigned char params[1024];
    size_t n_params;
    uint64_t *words = calloc(plan->n_words, sizeof *words);
    assert_non_null(words);
    PLAIN_CHECK(light_params_of_launch(plan, &gpu->info, &shape, range.first, range.count, params, &n_params));
    device_buffer *buffers[4] = {filled(plan->tables[0].data, plan->tables[0].n_bytes),
                                 filled(plan->tables[1].data, plan->tables[1].n_bytes),
                                 filled(NULL, plan->n_words * 8), filled(NULL, 8)};
    device_launch launch = {.grid = gpu->info.n_units * BLOCKS_PER_UNIT, .block = BLOCK, .n_args = 5};
    launch.args[0] = (device_arg){.kind = DEVICE_ARG_BYTES, .bytes = params, .n_bytes = n_params};
    for (int i = 0; i < 4; ++i) {
        device_arg_kind kind = i < 2 ? DEVICE_ARG_IN : i == 2 ? DEVICE_ARG_SUM : DEVICE_ARG_SHARED;
        launch.args[i + 1] = (device_arg){.kind = kind, .buffer = buffers[i]};
    }
    PLAIN_CHECK(gpu->ops->launch(gpu, 0, kernel, &launch));
    PLAIN_CHECK(gpu->ops->wait(gpu, 0));
    *seconds += gpu->ops->launch_seconds(gpu, 0);
    PLAIN_CHECK(gpu->ops->download(gpu, 0, buffers[2], words, plan->n_words * 8));
    for (int i = 0; i < 4; ++i) {
        gpu->ops->buffer_destroy(gpu, buffers[i]);
    }
    return words;
}

static void test_same_words(void **state)
{
    (void)state;
    double seconds = 0.0;
    plain_compare_all("plain kernel on the GPU", plain_words, &seconds, (5ull << 32) + 99u, 1);
}

/* One warm-up, then the best of three, by the device's clock. */
static void print_times(void **state)
{
    (void)state;
    static const plain_case timed[] = {{"skin5_633", 20000000}, {"skin7", 6000000}};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; ++i) {
        crp_input *input = plain_load(timed[i].name);
        const crp_model *model = crp_input_model(input, 0);
        history_range range = {.first = 0, .count = timed[i].histories};
        crp_plan *plan = NULL;
        double plain = 1e9, engine = 1e9;
        PLAIN_CHECK(light_plan_create(plain_context, model, 1, &plan));
        for (int k = 0; k < 4; ++k) {
            double a = 0.0, b = 0.0;
            uint64_t *x = plain_words(plan, range, &a);
            uint64_t *y = plain_engine_words(model, plan, "cuda:0", range, &b);
            plain_compare(timed[i].name, x, y, plan->n_words);
            free(x);
            free(y);
            plain = k > 0 && a < plain ? a : plain;
            engine = k > 0 && b < engine ? b : engine;
        }
        printf("%s: plain %.0f, engine %.0f photons/ms, ratio %.2f\n", timed[i].name, (double)range.count / plain / 1e3,
               (double)range.count / engine / 1e3, plain / engine);
        plan_destroy(&plan);
        crp_input_destroy(&input);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_words)};
    const struct CMUnitTest times[] = {cmocka_unit_test(print_times)};
    device_options options = {0};
    if (crp_context_create(&plain_context) != CRP_OK) {
        return 1;
    }
    int failed = 77;
    if (device_ops_cuda.open(plain_context, 0, &options, &gpu) != CRP_OK) {
        fprintf(stderr, "SKIPPED: the plain kernel was not run on a GPU: %s\n", crp_context_error(plain_context));
    } else {
        failed = argc > 1 && strcmp(argv[1], "--time") == 0 ? cmocka_run_group_tests(times, compile_plain, NULL)
                                                            : cmocka_run_group_tests(tests, compile_plain, NULL);
        if (kernel != NULL) {
            gpu->ops->kernel_destroy(gpu, kernel);
        }
        gpu->ops->close(gpu);
    }
    crp_context_destroy(&plain_context);
    return failed;
}
