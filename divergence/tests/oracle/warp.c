#define _GNU_SOURCE
#include "warp.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK = 256 * 1024 };

typedef enum lane_state { RUNS, ASKS_MASK, VOTES, ENDED } lane_state;

typedef struct lane {
    ucontext_t context;
    lane_state state;
    uint32_t mask, predicate, answer;
    char *stack;
} lane;

static struct {
    lane lanes[WARP_LANES];
    ucontext_t scheduler;
    uint32_t at; /* lane that runs */
    warp_kernel kernel;
    uint32_t *own, *shared;
    uint32_t n_own, random;
} warp;

static void fail(const char *what)
{
    fprintf(stderr, "warp: %s\n", what);
    exit(3);
}

static void wait_for(lane_state state)
{
    lane *me = &warp.lanes[warp.at];
    me->state = state;
    swapcontext(&me->context, &warp.scheduler);
}

uint32_t corpuscle_div_active_mask(void)
{
    wait_for(ASKS_MASK);
    return warp.lanes[warp.at].answer;
}

uint32_t corpuscle_div_ballot(uint32_t mask, uint32_t predicate)
{
    lane *me = &warp.lanes[warp.at];
    if ((mask >> warp.at & 1u) == 0u) {
        fail("a lane votes that is not in its own mask");
    }
    me->mask = mask;
    me->predicate = predicate;
    wait_for(VOTES);
    return me->answer;
}

uint16_t warp_record[RECORD_WORDS];

void corpuscle_record(void *memory, uint64_t hash, uint32_t site, uint32_t value)
{
    uint16_t *cell = warp_record + 160 + ((size_t)site * 64 * WARP_LANES + warp.at) * 64;
    (void)memory; /* the transformed module's own, which nobody reads here */
    if (cell[0] < 63) {
        cell[++cell[0]] = (uint16_t)((value < 65534u ? value : 65534u) + 1u);
    }
    memcpy(warp_record, "crpdiv2", 8);
    memcpy(warp_record + 4, &hash, sizeof hash);
}

static void enter_lane(void)
{
    uint32_t at = warp.at;
    warp.kernel(at, warp.own + (size_t)at * warp.n_own, warp.shared);
    warp.lanes[at].state = ENDED;
    swapcontext(&warp.lanes[at].context, &warp.scheduler);
}

static uint32_t next_random(void)
{
    warp.random = warp.random * 747796405u + 2891336453u;
    return warp.random >> 8;
}

/* All lanes of the mask stand at a vote with this mask? Then answer them. */
static bool answer_vote(uint32_t mask)
{
    uint32_t answer = 0;
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        if ((mask >> i & 1u) == 0u) {
            continue;
        }
        if (warp.lanes[i].state == ENDED) {
            fail("a lane of a vote's mask has ended");
        }
        if (warp.lanes[i].state != VOTES || warp.lanes[i].mask != mask) {
            return false;
        }
        answer |= warp.lanes[i].predicate << i;
    }
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        if (mask >> i & 1u) {
            warp.lanes[i].answer = answer;
            warp.lanes[i].state = RUNS;
        }
    }
    return true;
}

/* Some of the lanes that ask together get a mask of one another. */
static bool answer_masks(void)
{
    uint32_t group = 0, all = 0;
    bool splits = next_random() % 4 == 0;
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        if (warp.lanes[i].state == ASKS_MASK) {
            all |= 1u << i;
            group |= splits && next_random() % 2 ? 1u << i : 0u;
        }
    }
    group = group == 0u ? all : group;
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        if (group >> i & 1u) {
            warp.lanes[i].answer = group;
            warp.lanes[i].state = RUNS;
        }
    }
    return group != 0u;
}

/* Every lane that can run has run: let some go on. False when all have ended. */
static bool let_go_on(void)
{
    bool any = false, waits = false;
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        if (warp.lanes[i].state == VOTES) {
            waits = true;
            any |= answer_vote(warp.lanes[i].mask);
        }
    }
    if (!any && !answer_masks()) {
        if (waits) {
            fail("lanes wait for a vote that others never reach");
        }
        return false;
    }
    return true;
}

void warp_run(warp_kernel kernel, uint32_t *own, uint32_t n_own, uint32_t *shared, uint32_t seed)
{
    warp.kernel = kernel;
    warp.own = own;
    warp.n_own = n_own;
    warp.shared = shared;
    warp.random = seed;
    for (uint32_t i = 0; i < WARP_LANES; ++i) {
        lane *l = &warp.lanes[i];
        if (l->stack == NULL && (l->stack = malloc(STACK)) == NULL) {
            fail("out of memory");
        }
        getcontext(&l->context);
        l->context.uc_stack.ss_sp = l->stack;
        l->context.uc_stack.ss_size = STACK;
        l->context.uc_link = NULL;
        l->state = RUNS;
        makecontext(&l->context, enter_lane, 0);
    }
    do {
        for (uint32_t i = 0; i < WARP_LANES; ++i) {
            if (warp.lanes[i].state == RUNS) {
                warp.at = i;
                swapcontext(&warp.scheduler, &warp.lanes[i].context);
            }
        }
    } while (let_go_on());
}
