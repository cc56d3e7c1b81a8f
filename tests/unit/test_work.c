/*
 * Who runs which histories, in simulated time: every history once whoever fails, batches in order, and all workers done
 * together at the end.
 */
#include "engine/work.h"
#include "model/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_RANGES = 100000, NEVER = -1 };

static double now;

static double clock_of_test(void)
{
    return now;
}

/* A stand-in for a module: a history's score is its number plus one. */
static void reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events)
{
    (void)plan;
    crp_wide first = words[0], n = n_histories;
    bins[0] += n * first + n * (n + 1) / 2;
    events[0] += n_histories;
}

static const crp_module module = {.name = "test", .history_name = "numbers", .reduce = reduce};

typedef struct launch {
    history_range range;
    double end;
} launch;

typedef struct device_of_test {
    double pace; /* of the device as a whole */
    uint32_t places;
    int fails_after; /* so many launches, or NEVER */
    launch flight[DEVICE_N_QUEUES];
    uint32_t n_flight, n_done;
    double place_free[DEVICE_N_QUEUES];
    uint64_t histories;
    bool is_lost;
} device_of_test;

typedef struct simulation {
    crp_context *context;
    crp_result *result;
    work *work;
    device_of_test devices[16];
    uint32_t n;
    uint64_t histories;
    uint32_t n_launches;
} simulation;

static simulation *sim;

static void begin(uint64_t histories, uint64_t batch_size, uint32_t window, bool is_narrow, const device_of_test *devices,
                  uint32_t n)
{
    static crp_model model;
    static crp_plan plan;
    model.module = &module;
    plan = (crp_plan){.n_bins = 1, .n_events = 1, .n_words = 1, .max_launch = UINT64_C(1) << 31};
    now = 1000.0;
    sim = calloc(1, sizeof *sim);
    assert_int_equal(crp_context_create(&sim->context), CRP_OK);
    assert_int_equal(result_allocate(sim->context, 1, 1, 1, 0, &sim->result), CRP_OK);
    sim->result->batch_size = batch_size;
    sim->result->tallies[0].n_bins = 1;
    sim->histories = histories;
    work_options options = {.end = histories, .window = window, .is_narrow = is_narrow, .n_ranks = 1, .clock = clock_of_test};
    for (uint32_t i = 1; i < n; i++) {
        options.is_mixed = options.is_mixed || devices[i].pace != devices[0].pace;
    }
    assert_int_equal(work_create(sim->context, &model, &plan, sim->result, &options, &sim->work), CRP_OK);
    for (sim->n = 0; sim->n < n; sim->n++) {
        sim->devices[sim->n] = devices[sim->n];
        double guess = !options.is_mixed ? 1e6 : devices[sim->n].pace * (sim->n % 2 == 0 ? 3.0 : 0.2);
        work_add_worker(sim->work, devices[sim->n].places, guess);
    }
}

static void end(void)
{
    work_destroy(&sim->work);
    crp_result_destroy(&sim->result);
    crp_context_destroy(&sim->context);
    free(sim);
}

static void fill(uint32_t i)
{
    device_of_test *d = &sim->devices[i];
    history_range range;
    uint32_t depth = d->places > 1 || d->pace > 1e6 ? 2 * d->places : 1; /* a CPU works one at a time */
    while (!d->is_lost && d->n_flight < depth && work_take(sim->work, i, false, &range)) {
        uint32_t place = 0;
        for (uint32_t k = 1; k < d->places; k++) {
            place = d->place_free[k] < d->place_free[place] ? k : place;
        }
        double start = d->place_free[place] > now ? d->place_free[place] : now;
        double noise = 1.0 + 0.04 * ((sim->n_launches * 7919u) % 1000u / 500.0 - 1.0); /* no two take the same time */
        d->place_free[place] = start + noise * (double)range.count * d->places / d->pace;
        d->flight[d->n_flight++] = (launch){range, d->place_free[place]};
        sim->n_launches++;
    }
}

/* Let the device whose oldest launch ends first end it; false when nothing is under way. */
static bool step(void)
{
    device_of_test *first = NULL;
    for (uint32_t i = 0; i < sim->n; i++) {
        device_of_test *d = &sim->devices[i];
        first = d->n_flight > 0 && (first == NULL || d->flight[0].end < first->flight[0].end) ? d : first;
    }
    if (first == NULL) {
        return false;
    }
    uint32_t i = (uint32_t)(first - sim->devices);
    now = first->flight[0].end > now ? first->flight[0].end : now;
    if (first->fails_after == (int)first->n_done) {
        assert_true(work_lose(sim->work, i) > 0);
        first->is_lost = true;
        first->n_flight = 0;
        return true;
    }
    assert_int_equal(work_finish(sim->work, i, sim->context, &first->flight[0].range.first), CRP_OK);
    first->histories += first->flight[0].range.count;
    first->n_done++;
    first->n_flight--;
    memmove(first->flight, first->flight + 1, first->n_flight * sizeof *first->flight);
    return true;
}

/* Take the batches that are complete; each must hold its own numbers, every one once. */
static void commit(void)
{
    const work_batch *b;
    while ((b = work_complete(sim->work, false)) != NULL) {
        crp_wide first = sim->result->histories, n = b->histories;
        assert_true(b->bins[0] == n * first + n * (n + 1) / 2);
        assert_int_equal(b->events[0], b->histories);
        result_add_batch(sim->result, b->bins, b->events, b->histories);
        work_commit(sim->work);
    }
}

/* Run to the end; the time it took over the time that the paces allow. */
static double simulate(void)
{
    double pace = 0.0;
    for (uint32_t i = 0; i < sim->n; i++) {
        pace += sim->devices[i].pace;
    }
    do {
        for (uint32_t i = 0; i < sim->n; i++) {
            fill(i);
        }
        assert_true(sim->n_launches < MAX_RANGES);
        if (!step()) {
            break;
        }
        commit();
    } while (sim->result->histories < sim->histories);
    return (now - 1000.0) * pace / (double)sim->histories;
}

static void check_done(void)
{
    assert_int_equal(sim->result->histories, sim->histories);
    assert_int_equal(sim->result->event_count[0], sim->histories);
}

static const device_of_test gpu = {.pace = 3.6e8, .places = 4, .fails_after = NEVER};
static const device_of_test plain_gpu = {.pace = 3.6e8, .places = 1, .fails_after = NEVER};
static const device_of_test slow_gpu = {.pace = 9e7, .places = 1, .fails_after = NEVER};
static const device_of_test cpu = {.pace = 7e5, .places = 1, .fails_after = NEVER};

/* The time of a run over what the paces allow stays below `limit`, and launches are not cut into crumbs. */
static void check_efficiency(const device_of_test *devices, uint32_t n, uint64_t histories, double limit, uint32_t most)
{
    begin(histories, 1 << 26, 16 * n + 4, false, devices, n); /* as run.c has it */
    double ratio = simulate();
    check_done();
    if (ratio > limit || sim->n_launches > most) {
        fail_msg("%u devices: %.3f times the time that their paces allow (at most %.3f), %u launches (at most %u)", n, ratio,
                 limit, sim->n_launches, most);
    }
    end();
}

static void test_all_are_done_together(void **state)
{
    (void)state;
    device_of_test set[16];
    const device_of_test unequal[] = {gpu, slow_gpu}, with_cpu[] = {cpu, gpu, gpu};
    for (uint32_t i = 0; i < 16; i++) {
        set[i] = gpu;
    }
    check_efficiency(set, 2, 3000000000, 1.02, 80);
    check_efficiency(set, 8, 3000000000, 1.06, 120);
    check_efficiency(set, 16, 30000000000, 1.04, 700);
    check_efficiency(unequal, 2, 3000000000, 1.02, 90);
    check_efficiency(with_cpu, 3, 3000000000, 1.02, 100);
    for (uint32_t i = 0; i < 16; i++) {
        set[i] = plain_gpu;
    }
    check_efficiency(set, 2, 3000000000, 1.02, 80);
    check_efficiency(set, 7, 3000000000, 1.03, 100);
}

static void test_one_takes_whole_batches(void **state)
{
    (void)state;
    begin(1000000001, 1 << 26, 9, false, &gpu, 1);
    simulate();
    check_done();
    assert_int_equal(sim->n_launches, sim->result->batches);
    end();
}

/* Memory for one batch: still shared by all. */
static void test_narrow_window(void **state)
{
    (void)state;
    const device_of_test set[] = {plain_gpu, plain_gpu, plain_gpu};
    begin(1000000000, 1 << 26, 1, true, set, 3);
    double ratio = simulate();
    check_done();
    assert_true(ratio < 1.35); /* every batch has an end of its own */
    end();
}

static void test_failures(void **state)
{
    (void)state;
    for (int k = 0; k < 40; k++) {
        device_of_test set[] = {gpu, cpu, plain_gpu, gpu};
        set[0].fails_after = k % 5 == 4 ? NEVER : k / 3;
        set[1].fails_after = k % 4 == 3 ? NEVER : k % 3;
        set[2].fails_after = 2 * k;
        begin(2000000011, 1 << 25, k % 7 + 1, k % 2 == 0, set, 4);
        simulate();
        check_done();
        end();
    }
}

static void test_none_is_left(void **state)
{
    (void)state;
    device_of_test set[] = {gpu, gpu};
    set[0].fails_after = set[1].fails_after = 3;
    begin(2000000011, 1 << 25, 20, false, set, 2);
    simulate();
    assert_true(sim->result->histories < sim->histories && sim->result->batches > 0);
    assert_null(work_complete(sim->work, true));
    assert_int_equal(work_n_workers(sim->work), 0);
    end();
}

/* Parts of a batch for ranks: no gap, no overlap, in proportion. */
static void test_parts(void **state)
{
    (void)state;
    const uint64_t weights[] = {1, 0, 1000000000000, 3, 999999999999, 7};
    const uint64_t ends[] = {1, 2, 5, 6, 1000, UINT64_C(1) << 40};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        uint64_t at = 17, first, last;
        for (uint32_t rank = 0; rank < 6; rank++) {
            work_part(k, 17, 17 + ends[k], weights, rank, 6, &first, &last);
            assert_true(first == at && last >= first);
            assert_true(rank != 1 || last == first);
            at = last;
        }
        assert_true(at == 17 + ends[k]);
    }
}

/* Batches of a few histories, as of tracks: in any stretch of batches each rank has its share of them, within three. */
static void test_parts_of_small_batches(void **state)
{
    (void)state;
    const uint64_t weights[] = {5, 2, 0, 1};
    for (uint64_t n = 1; n <= 3; n++) {
        uint64_t done[4] = {0};
        for (uint64_t batch = 0; batch < 4096; batch++) {
            uint64_t at = 7 * n, first, last;
            for (uint32_t rank = 0; rank < 4; rank++) {
                work_part(batch, 7 * n, 8 * n, weights, rank, 4, &first, &last);
                assert_true(first == at && last >= first);
                at = last;
                done[rank] += last - first;
                assert_true(fabs((double)done[rank] - (double)(n * (batch + 1) * weights[rank]) / 8.0) <= 3.0);
            }
            assert_true(at == 8 * n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_are_done_together),
                                       cmocka_unit_test(test_one_takes_whole_batches),
                                       cmocka_unit_test(test_narrow_window),
                                       cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_none_is_left),
                                       cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_parts_of_small_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
