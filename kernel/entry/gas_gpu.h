/**
 * Molecules on a GPU (CUDA and OpenCL): one molecule a lane, histories merged into one loop over flights.
 *
 * A turn is a flight (the loop over the hierarchy) and the event at its end; a lane whose molecule has ended starts the
 * next one in the same turn. Words of facets stand in shared memory where they fit (GAS_WORDS_NEAR), the nodes too
 * (GAS_NODES_NEAR).
 */
#define CK_DOUBLE 1
#include "gas/launch.h"
#include "gas/leak.h"
#include "gas/mark.h"
#include "gas/records.h"
#include "queue.h"

/* What all lanes of a block share. */
typedef struct gas_block {
    CK_GLOBAL const gas_primitive *CK_RESTRICT primitives;
    CK_GLOBAL const gas_surface_row *CK_RESTRICT surfaces;
    CK_GLOBAL const gas_source *CK_RESTRICT sources;
    CK_GLOBAL const gas_mark *CK_RESTRICT marks;
    CK_GLOBAL const ck_u32 *CK_RESTRICT mark_of;
    CK_GLOBAL ck_u64 *words;
#ifdef GAS_RAYS
    ck_u64 *copy; /* this thread's copy of the words that all hits add to */
#else
    CK_LOCAL ck_u32 *near; /* low words of the facets, with GAS_WORDS_NEAR */
    ck_queue queue;
#endif
} gas_block;

/* Words in shared memory, all of 32 bits: path and, where they fit, transmission (GAS_TRANSMITTED_NEAR) and facets. */
#define GAS_NEAR_PATH 0u
#define GAS_NEAR_TRANSMITTED 4u
#ifdef GAS_TRANSMITTED_NEAR
#define GAS_NEAR_FACETS (GAS_NEAR_TRANSMITTED + GAS_TRANSMITTED_NEAR)
#else
#define GAS_NEAR_FACETS GAS_NEAR_TRANSMITTED
#endif

#ifndef GAS_RAYS
/* Add to a word in shared memory. One that overflows is seen in the old value: its carry goes to the 64-bit word it
 * stands for. */
CK_FN void gas_add_near(const gas_block *block, ck_u32 near, ck_u32 word, ck_u32 amount)
{
    ck_u32 old = ck_atomic_add_local_u32(block->near + near, amount);
    if (old + amount < old) {
        ck_atomic_add_u64(block->words + word, (ck_u64)1 << 32);
    }
}

#endif

/* Add to a word of a facet. */
CK_FN void gas_add(const gas_block *block, ck_u32 word, ck_u32 amount)
{
#if defined(GAS_RAYS)
    ck_atomic_add_u64(block->copy + word, (ck_u64)amount);
#elif defined(GAS_WORDS_NEAR)
    gas_add_near(block, GAS_NEAR_FACETS + word, word, amount);
#else
    ck_atomic_add_u64(block->words + word, (ck_u64)amount);
#endif
}

CK_FN void gas_add_capped(const gas_block *block, gas_params p, ck_u32 n)
{
    if (n != 0u) {
        ck_atomic_add_u64(block->words + (p.at_counters + GAS_COUNT_CAPPED), (ck_u64)n);
    }
}

/* Lanes of a ray tracer's program may not exchange words. */
#if defined(GAS_RAYS)
#define GAS_ADD_ROW ck_atomic_add_row_alone
#else
#define GAS_ADD_ROW ck_atomic_add_row
#endif

/* The row of a facet. */
CK_FN void gas_add_row(const gas_block *block, ck_u32 facet, gas_amount a, ck_u32 is_hit)
{
#if defined(GAS_RAYS)
    GAS_ADD_ROW(block->copy, GAS_ROW_WORDS * facet, is_hit, a.density, a.pressure, a.slowness);
#elif defined(GAS_WORDS_NEAR)
    ck_u32 row = GAS_ROW_WORDS * facet;
    gas_add(block, row + GAS_WORD_DENSITY, a.density);
    gas_add(block, row + GAS_WORD_PRESSURE, a.pressure);
    if (is_hit) {
        gas_add(block, row + GAS_WORD_HITS, 1u);
        gas_add(block, row + GAS_WORD_SLOWNESS, a.slowness);
    }
#else
    GAS_ADD_ROW(block->words, GAS_ROW_WORDS * facet, is_hit, a.density, a.pressure, a.slowness);
#endif
}

#ifdef GAS_MARKS_ON
CK_FN void gas_add_cell(const gas_block *block, ck_u32 word, gas_amount a, ck_u32 is_hit)
{
    if (word != GAS_NOTHING) {
        GAS_ADD_ROW(block->words, word, is_hit, a.density, a.pressure, 0u);
    }
}

/* Texture and profile of one arrival or departure. */
CK_FN void gas_add_marks(const gas_block *block, ck_u32 facet, gas_vector place, float speed, double cosine,
                         gas_amount a, ck_u32 is_hit)
{
    CK_GLOBAL const gas_mark *mark = block->marks + block->mark_of[facet];
    gas_add_cell(block, gas_texture_word(mark, place), a, is_hit);
    if (mark->profile != GAS_NOTHING) {
        gas_add_cell(block, gas_profile_word(mark, gas_position_of(mark, place), speed, cosine), a, is_hit);
    }
}

#endif

#ifdef GAS_FORCES_ON
CK_FN void gas_add_force(const gas_block *block, gas_params p, ck_u32 facet, gas_vector before, float speed_before,
                         gas_vector after, float speed_after)
{
    CK_GLOBAL ck_u64 *word = block->words + (p.at_forces + GAS_FORCE_WORDS * facet);
    double in = (double)speed_before, out = (double)speed_after;
    ck_atomic_add_u64(word, gas_force_of(before.x * in, after.x * out, p));
    ck_atomic_add_u64(word + 1, gas_force_of(before.y * in, after.y * out, p));
    ck_atomic_add_u64(word + 2, gas_force_of(before.z * in, after.z * out, p));
}

#endif

/* All that a start adds. */
CK_FN void gas_score_start(const gas_block *block, gas_params p, gas_start s)
{
    gas_add(block, gas_word_of(p.n_facets, s.facet, GAS_WORD_DESORBED), 1u);
    gas_add_row(block, s.facet, s.leaving, 0u);
    gas_add_capped(block, p, s.leaving.n_capped);
#ifdef GAS_MARKS_ON
    if ((block->surfaces[block->primitives[s.primitive].surface].flags & GAS_IS_MARKED) != 0u) {
        gas_add_marks(block, s.facet, s.molecule.place, s.molecule.speed, (double)s.cosine, s.leaving, 0u);
    }
#endif
#ifdef GAS_FORCES_ON
    gas_add_force(block, p, s.facet, s.molecule.way, 0.0f, s.molecule.way, s.molecule.speed);
#endif
}

/* All that a hit adds. */
CK_FN void gas_score_turn(const gas_block *block, gas_params p, gas_molecule before, gas_hit hit, gas_turnout t,
                          ck_u32 flags)
{
    gas_amount sum = gas_amount_sum(t.arriving, t.leaving);
    gas_add_row(block, hit.facet, sum, 1u);
    gas_add_capped(block, p, sum.n_capped);
#ifdef GAS_MARKS_ON
    if ((flags & GAS_IS_MARKED) != 0u) {
        gas_add_marks(block, hit.facet, t.molecule.place, before.speed, hit.cosine < 0.0 ? -hit.cosine : hit.cosine,
                      sum, 1u);
    }
#endif
#ifdef GAS_FORCES_ON
    if (t.what != GAS_PASSED) {
        gas_add_force(block, p, hit.facet, before.way, before.speed, t.molecule.way,
                      t.what == GAS_ABSORBED ? 0.0f : t.molecule.speed);
    }
#endif
    (void)before;
    (void)flags;
}

CK_FN void gas_score_leak(const gas_block *block, gas_params p, gas_molecule m)
{
    CK_GLOBAL ck_u64 *word = block->words + (p.at_leaks + gas_leak_slot(m.history_low, m.history_high));
    ck_atomic_add_u64(block->words + (p.at_counters + GAS_COUNT_LEAKS), (ck_u64)1);
    ck_atomic_add_u64(word, (ck_u64)1);
    ck_atomic_add_u64(word + 1, CK_BITS64(m.place.x));
    ck_atomic_add_u64(word + 2, CK_BITS64(m.place.y));
    ck_atomic_add_u64(word + 3, CK_BITS64(m.place.z));
    ck_atomic_add_u64(word + 4, CK_BITS64(m.way.x));
    ck_atomic_add_u64(word + 5, CK_BITS64(m.way.y));
    ck_atomic_add_u64(word + 6, CK_BITS64(m.way.z));
    ck_atomic_add_u64(word + 7, (ck_u64)m.skip);
}

#ifdef GAS_MARKS_ON
CK_FN gas_molecule gas_teleport_from(const gas_block *block, gas_molecule m, ck_u32 facet, ck_i32 target)
{
    ck_u32 from = block->mark_of[facet];
    ck_u32 to = target == -2 ? m.teleported : (ck_u32)target; /* -2: back; one that was never teleported passes */
    if (to != GAS_NOTHING) {
        m = gas_teleport(m, block->marks + from, block->marks + to);
        m.teleported = from;
    }
    return m;
}

#endif

/* One molecule of a source that a pump has taken. */
CK_FN void gas_add_transmitted(const gas_block *block, gas_params p, ck_u32 pair)
{
#if defined(GAS_RAYS)
    ck_atomic_add_u64(block->copy + (p.at_transmitted + pair), (ck_u64)1);
#elif defined(GAS_TRANSMITTED_NEAR)
    gas_add_near(block, GAS_NEAR_TRANSMITTED + pair, p.at_transmitted + pair, 1u);
#else
    ck_atomic_add_u64(block->words + (p.at_transmitted + pair), (ck_u64)1);
#endif
}

/* The event at the end of a flight. Returns 1 if the molecule goes on. */
CK_FN ck_u32 gas_event(const gas_block *block, gas_params p, gas_molecule *m, gas_hit hit)
{
    if (hit.primitive == GAS_NOTHING) {
        gas_score_leak(block, p, *m);
        return 0u;
    }
    CK_GLOBAL const gas_surface_row *row = block->surfaces + block->primitives[hit.primitive].surface;
    gas_turnout t = gas_turn(*m, hit, block->primitives, block->surfaces, p);
    gas_score_turn(block, p, *m, hit, t, row->flags);
    *m = t.molecule;
    if (t.what == GAS_ABSORBED) {
        gas_add(block, gas_word_of(p.n_facets, hit.facet, GAS_WORD_ABSORBED), 1u);
        gas_add_transmitted(block, p, m->source * p.n_pumps + row->pump);
        return 0u;
    }
#ifdef GAS_MARKS_ON
    if (t.what == GAS_PASSED && (row->flags & GAS_TELEPORTS) != 0u) {
        *m = gas_teleport_from(block, *m, hit.facet, row->teleport);
    }
#endif
    if (m->event >= p.max_events) {
        ck_atomic_add_u64(block->words + (p.at_counters + GAS_COUNT_BOUNCE_LIMIT), (ck_u64)1);
        return 0u;
    }
    return 1u;
}

#ifndef GAS_RAYS
/* What is left of a lane's molecule when it has ended: its path, low word near, high word (of very long ones) far. */
CK_FN void gas_end(const gas_block *block, gas_params p, gas_molecule m)
{
    ck_u64 path = gas_path_units(m.path, p);
    ck_u32 word = p.at_counters + GAS_COUNT_PATH;
    gas_add_near(block, GAS_NEAR_PATH, word, (ck_u32)path);
    if ((path >> 32) != 0u) {
        ck_atomic_add_u64(block->words + word, path >> 32 << 32);
    }
}

/* A lane: 0 no molecule left, 1 waits for a number, 2 flies. */
#define GAS_DONE 0u
#define GAS_WAITS 1u
#define GAS_FLIES 2u

/* The next molecule, if its number has arrived. `ticket` is kept while it has not. */
CK_FN ck_u32 gas_next(const gas_block *block, gas_params p, gas_molecule *m, ck_u32 *ticket, ck_u32 state)
{
    ck_u32 number = 0u;
    if (state != GAS_WAITS) {
        *ticket = ck_queue_ticket(&block->queue);
    }
    if (!ck_queue_number(&block->queue, *ticket, &number)) {
        return GAS_WAITS;
    }
    if (number >= (ck_u32)p.n_histories) {
        return GAS_DONE;
    }
    gas_start start = gas_launch(number, block->sources, block->primitives, block->surfaces, p);
    gas_score_start(block, p, start);
    *m = start.molecule;
    return GAS_FLIES;
}

CK_FN void gas_flush(const gas_block *block, ck_u32 near, ck_u32 word, ck_u32 n)
{
    for (ck_u32 i = CK_LOCAL_INDEX(); i < n; i += CK_LOCAL_SIZE()) {
        ck_u32 amount = ck_read_local_u32(block->near + (near + i));
        if (amount != 0u) {
            ck_atomic_add_u64(block->words + (word + i), (ck_u64)amount);
        }
    }
}

CK_FN void gas_flush_near(const gas_block *block, gas_params p)
{
    gas_flush(block, GAS_NEAR_PATH, p.at_counters + GAS_COUNT_PATH, 1u);
#ifdef GAS_TRANSMITTED_NEAR
    gas_flush(block, GAS_NEAR_TRANSMITTED, p.at_transmitted, p.at_textures - p.at_transmitted); /* with its padding */
#endif
#ifdef GAS_WORDS_NEAR
    gas_flush(block, GAS_NEAR_FACETS, 0u, GAS_FACET_WORDS * p.n_facets);
#endif
}

/* Shared memory of a block, in words: queue, words added to, nodes; each begins on a multiple of 16 bytes. */
#define GAS_QUEUE_ROOM ((CK_QUEUE_WORDS + 3u) / 4u * 4u)

CK_FN ck_u32 gas_near_words(gas_params p)
{
#ifdef GAS_WORDS_NEAR
    return GAS_NEAR_FACETS + (GAS_FACET_WORDS * p.n_facets + 3u) / 4u * 4u;
#else
    (void)p;
    return GAS_NEAR_FACETS;
#endif
}

CK_FN gas_block gas_block_open(gas_params p, CK_LOCAL ck_u32 *memory, CK_GLOBAL const ck_u32 *nodes,
                               CK_GLOBAL ck_u32 *next)
{
    gas_block block;
    block.queue.ring = memory;
    block.queue.next = next;
    block.queue.n_preloaded = (CK_LOCAL_SIZE() + CK_QUEUE_CHUNK - 1u) / CK_QUEUE_CHUNK;
    ck_queue_start(&block.queue);
    block.near = memory + GAS_QUEUE_ROOM;
    ck_u32 n_near = gas_near_words(p);
    for (ck_u32 i = CK_LOCAL_INDEX(); i < n_near; i += CK_LOCAL_SIZE()) {
        ck_write_local_u32(block.near + i, 0u);
    }
#ifdef GAS_NODES_NEAR
    for (ck_u32 i = CK_LOCAL_INDEX(); i < GAS_NODE_WORDS * p.n_nodes; i += CK_LOCAL_SIZE()) {
        ck_write_local_u32(block.near + (n_near + i), nodes[i]);
    }
#endif
    (void)nodes;
    return block;
}

#ifdef GAS_NODES_NEAR
#define GAS_NODES_AT(p, memory, nodes) ((memory) + (GAS_QUEUE_ROOM + gas_near_words(p)))
#else
#define GAS_NODES_AT(p, memory, nodes) (nodes)
#endif

CK_KERNEL CK_LAUNCH_BOUNDS gas_transport(
    gas_params p, CK_GLOBAL const ck_u32 *CK_RESTRICT nodes, CK_GLOBAL const gas_primitive *CK_RESTRICT primitives,
    CK_GLOBAL const gas_surface_row *CK_RESTRICT surfaces, CK_GLOBAL const gas_source *CK_RESTRICT sources,
    CK_GLOBAL const gas_mark *CK_RESTRICT marks, CK_GLOBAL const ck_u32 *CK_RESTRICT mark_of,
    CK_GLOBAL const gas_view *CK_RESTRICT views, CK_GLOBAL const ck_u32 *CK_RESTRICT records,
    CK_GLOBAL const double *CK_RESTRICT planes, CK_GLOBAL ck_u64 *words, CK_GLOBAL ck_u32 *next CK_LOCAL_ARGUMENT)
{
    CK_LOCAL_MEMORY
    gas_block block = gas_block_open(p, ck_local, nodes, next);
    block.primitives = primitives;
    block.surfaces = surfaces;
    block.sources = sources;
    block.marks = marks;
    block.mark_of = mark_of;
    block.words = words;
    GAS_NODES const ck_u32 *tree = GAS_NODES_AT(p, ck_local, nodes);
    gas_molecule m;
    ck_u32 ticket = 0u, state;
    CK_BARRIER();
    state = gas_next(&block, p, &m, &ticket, GAS_FLIES);
    while (state != GAS_DONE) {
        if (state == GAS_FLIES) {
#ifdef GAS_RECORDS_ON
            gas_hit hit = gas_look_up(m.facet, m.place, m.way, views, records, planes);
            if (hit.primitive == GAS_NOTHING) {
                hit = gas_trace(m.place, m.way, m.skip, m.structure, p, tree, primitives);
            }
#else
            gas_hit hit = gas_trace(m.place, m.way, m.skip, m.structure, p, tree, primitives);
#endif
            if (!gas_event(&block, p, &m, hit)) {
                gas_end(&block, p, m);
                state = gas_next(&block, p, &m, &ticket, GAS_FLIES);
            }
        } else {
            state = gas_next(&block, p, &m, &ticket, GAS_WAITS);
        }
    }
    CK_BARRIER();
    gas_flush_near(&block, p);
}
#endif
