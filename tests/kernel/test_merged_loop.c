/*
 * The photon kernel of GPUs stays one merged loop: in the PTX, exactly one backward branch encloses the random numbers of an
 * event. A compiler that splits the loop again (an inner loop over the events of a photon, an outer one over photons), or a
 * change that does, makes two. The small loops at the beginning and the end (copies of tables, flush of tallies) hold no
 * random number and do not count. Needs NVRTC, no GPU; ends with 77 without it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/cuda_compile.h"
#include "light_fixture.h"

enum { MAX_LINES = 200000, ARCHITECTURE = 90 };

/* -------------------------------------------------------------------------------------------------- reading PTX */

typedef struct text_lines {
    char **line;
    bool *is_constant; /* the line sets a register to the multiplier of the generator */
    size_t n;
} text_lines;

static bool has_multiplier(const char *line)
{
    return strstr(line, "-766062189") != NULL || strstr(line, "3528905107") != NULL || strstr(line, "D256D193") != NULL;
}

static text_lines split(char *text)
{
    text_lines t = {calloc(MAX_LINES, sizeof(char *)), calloc(MAX_LINES, sizeof(bool)), 0};
    assert_non_null(t.line);
    assert_non_null(t.is_constant);
    for (char *line = strtok(text, "\n"); line != NULL && t.n < MAX_LINES; line = strtok(NULL, "\n")) {
        t.is_constant[t.n] = strstr(line, "mov") != NULL && has_multiplier(line);
        t.line[t.n++] = line;
    }
    return t;
}

/* A multiplication by the constant of Philox2x32: as an operand, or from a register that a line above has set to it. */
static bool draws(const text_lines *t, size_t at)
{
    const char *line = t->line[at];
    if (strstr(line, "mul") == NULL && strstr(line, "mad") == NULL) {
        return false;
    }
    if (has_multiplier(line)) {
        return true;
    }
    for (size_t i = 0; i < at; ++i) {
        char name[32];
        if (t->is_constant[i] && sscanf(strchr(t->line[i], '%'), "%31[^, ]", name) == 1) {
            const char *used = strstr(line, name);
            size_t n = strlen(name);
            if (used != NULL && (used[n] == ';' || used[n] == ',')) {
                return true;
            }
        }
    }
    return false;
}

/* Line of the label that a branch goes to, or SIZE_MAX if the line is no branch. */
static size_t target_of(const text_lines *t, size_t at)
{
    const char *branch = strstr(t->line[at], "bra");
    char label[128];
    if (branch == NULL || sscanf(branch, "bra%*[^$]%127[^;, \t]", label) != 1) {
        return SIZE_MAX;
    }
    size_t n = strlen(label);
    for (size_t i = 0; i < t->n; ++i) {
        const char *found = t->line[i] + strspn(t->line[i], " \t");
        if (strncmp(found, label, n) == 0 && found[n] == ':') {
            return i;
        }
    }
    fail_msg("no label %s for: %s", label, t->line[at]);
    return SIZE_MAX;
}

typedef struct loops {
    size_t n_event;  /* backward branches around random numbers */
    size_t n_other;
    size_t n_draws;  /* multiplications of the generator */
} loops;

static loops count_loops(char *ptx)
{
    text_lines t = split(ptx);
    loops l = {0, 0, 0};
    for (size_t i = 0; i < t.n; ++i) {
        l.n_draws += draws(&t, i) ? 1 : 0;
        size_t target = target_of(&t, i);
        if (target > i) { /* forward, or no branch */
            continue;
        }
        bool has_draws = false;
        for (size_t k = target; k <= i; ++k) {
            has_draws = has_draws || draws(&t, k);
        }
        l.n_event += has_draws ? 1 : 0;
        l.n_other += has_draws ? 0 : 1;
    }
    free(t.line);
    free(t.is_constant);
    return l;
}

/*
 * Memory is addressed in its own space: nvcc 13 guesses spaces, and took global words for shared ones and the other way round
 * (illegal instructions and addresses on a GPU, nothing here). Global words are only added to, tables only read through the
 * read-only cache, everything else is shared.
 */
static void expect_spaces(const char *what, const char *ptx)
{
    static const char *const wrong[] = {"ld.global.u32", "ld.global.f32", "ld.global.u64", "st.global", "atom.shared.add.u64",
                                        "red.shared.add.u64", "atom.global.add.u64", "\tld.u32", "\tld.f32", "\tld.v2",
                                        "\tld.v4", "\tst.u32", "\tst.f32", "\tatom.add", "\tred.add"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        if (strstr(ptx, wrong[i]) != NULL) {
            fail_msg("%s: the PTX holds %s", what, wrong[i] + (wrong[i][0] == '\t'));
        }
    }
    static const char *const needed[] = {"red.global.add.u64", "ld.shared.u32", "atom.shared.add.u32"};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; ++i) {
        if (strstr(ptx, needed[i]) == NULL) {
            fail_msg("%s: the PTX holds no %s", what, needed[i]);
        }
    }
}

static char *compile(const device_kernel_source *source)
{
    void *ptx = NULL;
    size_t n = 0;
    FIXTURE_OK(cuda_compile(fixture_context, source, ARCHITECTURE, true, &ptx, &n));
    return ptx;
}

/* ---------------------------------------------------------------------------------------------------- the light kernel */

/* As on an H200. */
static device_info gpu(void)
{
    device_info info = {.kind = "cuda", .label = "cuda:0", .name = "H200", .n_units = 132, .local_memory = 232448,
                        .local_memory_unit = 233472, .max_block = 1024, .has_fma = true};
    return info;
}

static void check_model(const fixture_stack *stack, crp_math math)
{
    crp_input *input = fixture_input(stack);
    crp_plan *plan = fixture_plan(input, 1);
    plan_shape shape;
    device_info info = gpu();
    FIXTURE_OK(light_shape(fixture_context, crp_input_model(input, 0), plan, &info, math, &shape));
    shape.source.defines = shape.define_pointer;
    char *ptx = compile(&shape.source);
    char all[512] = "";
    for (size_t i = 0; i < shape.source.n_defines; ++i) {
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", shape.source.defines[i]);
    }
    expect_spaces(all, ptx);
    loops l = count_loops(ptx);
    if (l.n_draws < 7) {
        fail_msg("%s math,%s: %zu multiplications of the generator found: is its constant written in another way?",
                 math == CRP_MATH_FAST ? "fast" : "strict", all, l.n_draws);
    }
    if (l.n_event != 1) {
        fail_msg("%s math,%s: %zu loops draw random numbers, it should be one merged loop",
                 math == CRP_MATH_FAST ? "fast" : "strict", all, l.n_event);
    }
    free(ptx);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

static void check_math(crp_math math)
{
    static fixture_layer layers[300];
    static const size_t n_layers[] = {5, 300, 1, 40};
    for (size_t k = 0; k < (math == CRP_MATH_STRICT ? 4 : 1); ++k) {
        for (int build = 0; build < 4; ++build) { /* forward or any g; with and without fluence; grid deeper or not */
            for (size_t i = 0; i < n_layers[k]; ++i) {
                layers[i] = (fixture_layer){1.4, 1.0, 100.0, build & 1 ? 0.0 : 0.9, 0.01};
            }
            fixture_stack stack = {.n_above = 1.0, .n_below = 1.0, .n_layers = n_layers[k], .layers = layers, .dz = 0.005,
                                   .dr = 0.01, .nz = build & 2 ? 2 : 1000, .nr = 100, .na = 30, .fluence = (build & 2) != 0};
            check_model(&stack, math);
        }
    }
}

static void test_strict(void **state)
{
    (void)state;
    check_math(CRP_MATH_STRICT);
}

static void test_fast(void **state)
{
    (void)state;
    check_math(CRP_MATH_FAST);
}

/* ------------------------------------------------------------------------------------------------- the counting itself */

static const char merged[] =
    "@extern \"C\" __global__ void work(unsigned *x, unsigned n)\n"
    "{\n"
    "    unsigned i = threadIdx.x, a = i, live = 1u;\n"
    "    for (unsigned k = i; k < n; k += blockDim.x) x[k] = 0u;\n"
    "    while (live) {\n"
    "        a = __umulhi(a, 0xD256D193u) ^ x[a % n];\n"
    "        if (a % 7u == 0u) { i += blockDim.x; a = i; live = i < n ? 1u : 0u; }\n"
    "        asm volatile(\"\" : \"+r\"(live));\n"
    "    }\n"
    "    x[threadIdx.x] = a;\n"
    "}\n";

static const char nested[] =
    "@extern \"C\" __global__ void work(unsigned *x, unsigned n)\n"
    "{\n"
    "    unsigned a = 0u;\n"
    "    for (unsigned k = threadIdx.x; k < n; k += blockDim.x) x[k] = 0u;\n"
    "    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {\n"
    "        a = i;\n"
    "        while (a % 7u != 0u) a = __umulhi(a, 0xD256D193u) ^ x[a % n];\n"
    "        x[i] = a;\n"
    "    }\n"
    "}\n";

static void test_counting(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        device_kernel_source source = {.file = k == 0 ? merged : nested, .entry = "work", .math = CRP_MATH_STRICT, .block = 128,
                                       .blocks_per_unit = 1};
        char *ptx = compile(&source);
        loops l = count_loops(ptx);
        assert_int_equal(l.n_event, k == 0 ? 1 : 2);
        assert_true(l.n_other >= 1);
        assert_true(l.n_draws >= 1);
        free(ptx);
    }
}

static bool has_compiler(void)
{
    crp_context *context = NULL;
    device_kernel_source source = {.file = merged, .entry = "work", .block = 128, .blocks_per_unit = 1};
    void *ptx = NULL;
    size_t n = 0;
    crp_context_create(&context);
    crp_status status = cuda_compile(context, &source, ARCHITECTURE, true, &ptx, &n);
    if (status == CRP_ERR_DEVICE || status == CRP_ERR_UNSUPPORTED) {
        printf("SKIPPED: %s\n", crp_context_error(context));
    }
    free(ptx);
    crp_context_destroy(&context);
    return status != CRP_ERR_DEVICE && status != CRP_ERR_UNSUPPORTED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counting),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_fast),
    };
    if (!has_compiler()) {
        return 77;
    }
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
