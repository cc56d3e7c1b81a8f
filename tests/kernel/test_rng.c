/* Philox2x32-7: known answers, Random123 itself where it is installed, and who draws what: one pair an event and
 * stream. */
#include "entry/lanes.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "light_fixture.h"
#include "model/math_tables.h"

#if defined(__has_include)
#if __has_include(<Random123/philox.h>)
#define HAVE_RANDOM123 1
#include <Random123/philox.h>
#endif
#endif

/* ------------------------------------------------------------------------------------------------------ counting draws
 */

typedef struct draw {
    ck_u32 event, history;
} draw;

static draw *draws;
static size_t n_draws, most_draws;

static ck_pair counted(ck_philox_key key, ck_u32 event, ck_u32 history)
{
    assert_true(n_draws < most_draws);
    draws[n_draws++] = (draw){event, history};
    return ck_philox2x32(key, event, history);
}

static void counted_lanes(const ck_philox_key *key, const ck_u32 *event, const ck_u32 *history, ck_u32 n, ck_u32 *a,
                          ck_u32 *b)
{
    for (ck_u32 i = 0; i < n; ++i) {
        ck_pair words = counted(*key, event[i], history[i]);
        a[i] = words.a;
        b[i] = words.b;
    }
}

/* The CPU's kernel once more, with every call of the generator passing through counted(). */
#define ck_philox2x32(key, event, history) counted(key, event, history)
#define ck_philox2x32_lanes(key, event, history, n, a, b) counted_lanes(key, event, history, n, a, b)
#define CK_ISA counted
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "entry/light_cpu.c"
#pragma GCC diagnostic pop
#undef ck_philox2x32
#undef ck_philox2x32_lanes

static int by_number(const void *a, const void *b)
{
    const draw *p = a, *q = b;
    if (p->history != q->history) {
        return p->history < q->history ? -1 : 1;
    }
    return p->event < q->event ? -1 : p->event > q->event ? 1 : 0;
}

enum { N_PHOTONS = 500 };

/* Run photons through the counting kernel; the caller frees. */
static uint64_t *run_counted(const crp_plan *plan)
{
    const plan_shape shape = {.near_rows = 0};
    light_params params;
    size_t n_bytes = 0;
    FIXTURE_OK(light_params_of_launch(plan, NULL, &shape, 0, N_PHOTONS, &params, &n_bytes));
    uint64_t *words = calloc(plan->n_words, sizeof *words);
    ck_u32 next = 0;
    void *args[] = {&params, plan->tables[0].data, plan->tables[1].data, words, &next};
    n_draws = 0;
    most_draws = 40000000;
    draws = malloc(most_draws * sizeof *draws);
    assert_non_null(words);
    assert_non_null(draws);
    light_transport_counted(args, 0, 1);
    return words;
}

/* Every flight draws one pair of the transport stream, numbered from 0 without a gap, and every roulette one of its own
 * at the number of the event before; no pair is drawn twice. */
static void check_draws(const crp_plan *plan, uint64_t n_flights)
{
    (void)plan;
    qsort(draws, n_draws, sizeof *draws, by_number);
    size_t n_transport = 0, n_roulette = 0, n_fluence = 0;
    ck_u32 expected = 0;
    for (size_t i = 0; i < n_draws; ++i) {
        if (i > 0 && by_number(&draws[i - 1], &draws[i]) == 0) {
            fail_msg("history %u, event %08x: drawn twice", draws[i].history, draws[i].event);
        }
        if (i == 0 || draws[i].history != draws[i - 1].history) {
            expected = 0;
        }
        switch (draws[i].event & 0xC0000000u) {
        case LIGHT_STREAM_TRANSPORT:
            assert_int_equal(draws[i].event, expected);
            ++expected;
            ++n_transport;
            break;
        case LIGHT_STREAM_ROULETTE:
            assert_in_range(draws[i].event & ~LIGHT_STREAM_ROULETTE, 1, expected);
            ++n_roulette;
            break;
        default:
            ++n_fluence;
            break;
        }
    }
    assert_int_equal(n_transport, n_flights);
    assert_int_equal(n_fluence, 0);
    assert_true(n_roulette > N_PHOTONS / 10);
}

static void test_draws_of_events(void **state)
{
    (void)state;
    const fixture_layer layers[] = {
        {1.5, 4.3, 107.0, 0.79, 0.01}, {1.4, 0.0, 0.0, 0.0, 0.02}, {1.4, 2.7, 187.0, 0.82, 1.0}};
    fixture_stack stack = {.n_above = 1.0,
                           .n_below = 1.0,
                           .n_layers = 3,
                           .layers = layers,
                           .dz = 0.01,
                           .dr = 0.01,
                           .nz = 20,
                           .nr = 10,
                           .na = 10};
    crp_input *input = fixture_input(&stack);
    crp_plan *plan = fixture_plan(input, 3);
    uint64_t *words = run_counted(plan);
    const light_plan *lp = plan->data;
    check_draws(plan, words[lp->params.at_counters + LIGHT_COUNT_EVENTS]);
    assert_int_equal(words[lp->params.at_counters + LIGHT_COUNT_HISTORIES], N_PHOTONS);
    free(words);
    free(draws);
    plan_destroy(&plan);
    crp_input_destroy(&input);
}

/* ------------------------------------------------------------------------------------------------------- known answers
 */

static ck_philox_key plain_key(ck_u32 word)
{
    ck_philox_key key = {{0}, 0};
    for (ck_u32 i = 0; i < CK_PHILOX2X32_ROUNDS; ++i) {
        key.round[i] = word + i * CK_PHILOX_WEYL;
    }
    return key;
}

/* From the file kat_vectors of Random123 (Salmon et al. 2011), "philox2x32 7". */
static void test_known_answers(void **state)
{
    (void)state;
    static const ck_u32 cases[][5] = {
        {0x00000000u, 0x00000000u, 0x00000000u, 0x257a3673u, 0xcd26be2au},
        {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xab302c4du, 0x3dc9d239u},
        {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0xbedbbe6bu, 0xe4c770b3u},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        ck_pair p = ck_philox2x32(plain_key(cases[i][2]), cases[i][0], cases[i][1]);
        assert_int_equal(p.a, cases[i][3]);
        assert_int_equal(p.b, cases[i][4]);
    }
}

static void test_against_random123(void **state)
{
    (void)state;
#ifdef HAVE_RANDOM123
    ck_pair at = {1u, 2u};
    for (ck_u32 i = 0; i < 200000u; ++i) {
        ck_u32 word = i * 2654435761u;
        philox2x32_ctr_t counter = {{at.a, at.b}};
        philox2x32_key_t key = {{word}};
        philox2x32_ctr_t theirs = philox2x32_R(7, counter, key);
        ck_pair ours = ck_philox2x32(plain_key(word), at.a, at.b);
        assert_int_equal(ours.a, theirs.v[0]);
        assert_int_equal(ours.b, theirs.v[1]);
        at = ours;
    }
#else
    print_message("librandom123-dev is not installed: the known answers alone were checked\n");
    skip();
#endif
}

/* ------------------------------------------------------------------------------------------------------------- the key
 */

/* Seeds and high words of history numbers that differ in a bit give keys that have nothing in common. */
static void test_keys(void **state)
{
    (void)state;
    enum { N = 4000 };
    ck_u32 *keys = malloc(3 * N * sizeof *keys);
    assert_non_null(keys);
    for (ck_u32 i = 0; i < N; ++i) {
        keys[i] = light_key(i + 1u, 0).round[0];
        keys[N + i] = light_key((uint64_t)(i + 1u) << 32, 0).round[0];
        keys[2 * N + i] = light_key(1, i + 1u).round[0];
    }
    size_t equal = 0, bits = 0;
    for (size_t i = 0; i < 3 * N; ++i) {
        for (size_t j = i + 1; j < 3 * N; ++j) {
            equal += keys[i] == keys[j] ? 1 : 0;
        }
        bits += (size_t)__builtin_popcount(keys[i] ^ keys[(i + 1) % (3 * N)]);
    }
    /* 72 million pairs, so 0.017 equal ones by chance; neighbours differ in 16 bits of 32, +- 2.8 / sqrt(12000) */
    assert_true(equal <= 2);
    assert_true(fabs((double)bits / (3.0 * N) - 16.0) < 0.15);
    free(keys);
    ck_philox_key key = light_key(42, 7);
    for (ck_u32 i = 0; i < CK_PHILOX2X32_ROUNDS; ++i) {
        assert_int_equal(key.round[i], key.round[0] + i * CK_PHILOX_WEYL);
    }
}

/* Words of neighbouring events, histories, streams and halves: no correlation in any bit. */
static void test_neighbours(void **state)
{
    (void)state;
    enum { N = 1 << 18 };
    ck_philox_key key = light_key(1, 0);
    uint32_t same[4][32] = {{0}};
    for (ck_u32 i = 0; i < N; ++i) {
        ck_pair here = ck_philox2x32(key, i % 512u, i / 512u);
        ck_pair next_event = ck_philox2x32(key, i % 512u + 1u, i / 512u);
        ck_pair next_history = ck_philox2x32(key, i % 512u, i / 512u + 1u);
        ck_pair roulette = ck_philox2x32(key, (i % 512u) | LIGHT_STREAM_ROULETTE, i / 512u);
        ck_u32 pairs[4] = {here.b ^ next_event.a, here.a ^ next_history.a, here.a ^ roulette.a, here.a ^ here.b};
        for (int k = 0; k < 4; ++k) {
            for (int bit = 0; bit < 32; ++bit) {
                same[k][bit] += pairs[k] >> bit & 1u;
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        for (int bit = 0; bit < 32; ++bit) {
            double z = ((double)same[k][bit] - 0.5 * N) / sqrt(0.25 * N);
            if (fabs(z) > 5.0) { /* 128 checks: family error 1e-4 */
                fail_msg("pair %d, bit %d: z = %.1f", k, bit, z);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers), cmocka_unit_test(test_against_random123), cmocka_unit_test(test_keys),
        cmocka_unit_test(test_neighbours),    cmocka_unit_test(test_draws_of_events),
    };
    cmocka_set_message_output(CM_OUTPUT_STDOUT);
    return cmocka_run_group_tests(tests, fixture_open, fixture_close);
}
