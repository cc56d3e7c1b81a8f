/** Molecules in a step before they look for each other: births, moves, the order of the buckets. See steps.h. */
#ifndef CHEM_PARTICLES_H
#define CHEM_PARTICLES_H

#include "contact.h"
#include "memory.h"
#include "react.h"
#include "space.h"

#ifndef CHEM_CORRECTS
#define CHEM_CORRECTS 1
#endif

/* Who does the work: this worker of so many; on a GPU in this block of so many. */
typedef struct chem_team {
    ck_u32 worker, n_workers, block, n_blocks;
} chem_team;

#define CHEM_EACH(i, n)                                                                                                \
    for (ck_u32 chunk_##i = team.worker * CHEM_CHUNK; chunk_##i < (n); chunk_##i += team.n_workers * CHEM_CHUNK)       \
        for (ck_u32 i = chunk_##i; i < chunk_##i + CHEM_CHUNK && i < (n); ++i)

/* What a launch reads. */
typedef struct chem_tables {
    CK_GLOBAL const chem_start *starts;
    CK_GLOBAL const chem_channel *channels;
    CK_GLOBAL const ck_u32 *words; /* table 1 as words */
    CK_GLOBAL const chem_step *steps;
    CK_GLOBAL const ck_u32 *groups; /* first molecule of (group of births, track), groups times tracks + 1 words */
} chem_tables;

/* What happens to a pair in reach, and what a reaction does: the rules of `exact`, unless another method brings its
 * own. */
#if defined(CHEM_OTHER_RULES)
CK_FN ck_u32 chem_other_examine(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, ck_u32 i,
                                ck_u32 j, ck_u32 channel, chem_vector apart, float square, ck_words4 way_i,
                                ck_words4 way_j);
CK_FN void chem_other_react(chem_params p, chem_tables t, chem_memory m, chem_step s, ck_u32 step, chem_candidate c);
#define CHEM_EXAMINE chem_other_examine
#define CHEM_REACT chem_other_react
#else
#define CHEM_EXAMINE chem_examine
#define CHEM_REACT chem_react
#endif

CK_FN float chem_motion(chem_params p, chem_tables t, ck_u32 species)
{
    return CK_FLOAT(t.words[p.at_motion + species]);
}

/* Corrections to the way of a molecule: none yet. */
CK_FN void chem_no_shift(chem_params p, chem_memory m, ck_u32 slot)
{
    if (p.corrects != 0u) {
        m.shifts[3u * slot] = 0u;
        m.shifts[3u * slot + 1u] = 0u;
        m.shifts[3u * slot + 2u] = 0u;
    }
}

/* A molecule that is new in its slot has not moved. */
CK_FN void chem_stand_still(chem_params p, chem_memory m, CK_GLOBAL ck_u32 *moves, ck_u32 slot)
{
    moves[4u * slot] = 0u;
    moves[4u * slot + 1u] = 0u;
    moves[4u * slot + 2u] = 0u;
    chem_no_shift(p, m, slot);
}

/* The way of a molecule in the step. */
CK_FN chem_vector chem_move_in(ck_words4 words)
{
    chem_vector v;
    v.x = CK_FLOAT(words.a);
    v.y = CK_FLOAT(words.b);
    v.z = CK_FLOAT(words.c);
    return v;
}

CK_FN chem_vector chem_move_of(chem_memory m, ck_u32 slot)
{
    return chem_move_in(ck_load_words4(m.moves_next + 4u * slot));
}

/* Where in the grid of the search. */
typedef struct chem_spot {
    ck_u32 x, y, z;
} chem_spot;

/* Nothing has asked yet for the molecule that will stand in a slot. */
CK_FN void chem_clear_slot(chem_memory m, ck_u32 slot)
{
    m.best[slot] = ~(ck_u64)0;
    m.claims[slot] = CHEM_FREE;
}

/* A molecule in the order of the buckets, with the way it goes and its random word. */
CK_FN void chem_set_down(chem_params p, chem_memory m, ck_u32 to, chem_particle a, float birth, ck_u32 history,
                         chem_spot spot, chem_vector v, ck_u32 word)
{
    m.next[to] = a;
    m.birth_next[to] = birth;
    m.history_next[to] = history;
#if CHEM_ABREAST == 1
    ck_store_words4(m.spots + CHEM_SPOT(p, 0u, to), spot.x, spot.y, spot.z, a.species);
#else
    m.spots[CHEM_SPOT(p, 0u, to)] = spot.x;
    m.spots[CHEM_SPOT(p, 1u, to)] = spot.y;
    m.spots[CHEM_SPOT(p, 2u, to)] = spot.z;
    m.spots[CHEM_SPOT(p, 3u, to)] = a.species;
#endif
    ck_store_words4(m.moves_next + 4u * to, CK_BITS(v.x), CK_BITS(v.y), CK_BITS(v.z), word);
    (void)p;
}

/* ---------------------------------------------------------------------------------------------------- admit */

/** Molecules born at the start of a step join their histories. Teams of workers take a history each. */
CK_FN void chem_admit(chem_params p, chem_tables t, chem_memory m, CK_GLOBAL ck_u64 *words, chem_team team, chem_step s)
{
    ck_u32 n_teams = team.n_workers / p.team, mine = team.worker / p.team, lane = team.worker % p.team;
    for (ck_u32 history = mine; mine < n_teams && history < p.n_histories; history += n_teams) {
        ck_u32 track = (p.first_track + history) % p.n_tracks;
        CK_GLOBAL const ck_u32 *range = t.groups + (s.births * p.n_tracks + track);
        ck_u32 first = range[0], end = range[1], output = s.output != CHEM_NONE ? s.output : s.bin;
        for (ck_u32 i = first + lane; i < end; i += p.team) {
            ck_u32 slot = ck_atomic_add_u32(m.control + CHEM_CONTROL_MOLECULES, 1u);
            if (slot >= p.room) {
                ck_atomic_add_u32(m.control + CHEM_CONTROL_NO_ROOM, 1u);
                continue;
            }
            chem_start from = t.starts[i];
            chem_particle particle;
            particle.x = from.x;
            particle.y = from.y;
            particle.z = from.z;
            particle.species = from.species;
            particle.id = from.id;
            CHEM_ADD(words, p.at_births + output * p.n_species + from.species, 1u);
            m.here[slot] = particle;
            m.birth_here[slot] = from.birth;
            m.history_here[slot] = history;
            chem_stand_still(p, m, m.moves_here, slot);
        }
    }
}

/* -------------------------------------------------------------------------------------------------- advance */

/* Corrections in units of 2^-32 nm: integers, so that their order does not matter. */
CK_FN double chem_shift_of(ck_u64 word)
{
    return (double)(ck_i64)word * 2.3283064365386963e-10;
}

CK_FN chem_particle chem_moved(chem_params p, chem_memory m, ck_u32 i)
{
    chem_particle a = m.here[i];
    chem_vector move = chem_move_in(ck_load_words4(m.moves_here + 4u * i));
    a.x += (double)move.x;
    a.y += (double)move.y;
    a.z += (double)move.z;
    if (p.corrects != 0u) {
        a.x += chem_shift_of(m.shifts[3u * i]);
        a.y += chem_shift_of(m.shifts[3u * i + 1u]);
        a.z += chem_shift_of(m.shifts[3u * i + 2u]);
    }
    if (p.space != CHEM_SPACE_IS_OPEN) {
        a.x = chem_fold(p.space, p.box, p.inv_box, a.x);
        a.y = chem_fold(p.space, p.box, p.inv_box, a.y);
        a.z = chem_fold(p.space, p.box, p.inv_box, a.z);
    }
    return a;
}

CK_FN chem_spot chem_spot_at(chem_params p, double inv_cell, ck_u32 n_cells, chem_particle a)
{
    chem_spot spot;
    spot.x = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.x);
    spot.y = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.y);
    spot.z = chem_spot_of(p.space, p.box, n_cells, inv_cell, a.z);
    return spot;
}

CK_FN ck_u32 chem_bucket_at(chem_params p, chem_spot spot, ck_u32 history)
{
    return chem_bucket(spot.x >> CHEM_PLACE_BITS, spot.y >> CHEM_PLACE_BITS, spot.z >> CHEM_PLACE_BITS, history,
                       p.region_mask, p.region);
}

/* Into the bucket of its cell. */
CK_FN void chem_drop(chem_params p, chem_memory m, chem_spot spot, ck_u32 history, ck_u32 i)
{
    ck_u32 bucket = chem_bucket_at(p, spot, history);
    m.buckets[i] = bucket;
    m.ranks[i] = CHEM_TICKET(p, m.counts + bucket);
}

/** Move to the end of the last step and find the bucket of the next one. The caller counts species at output times. */
CK_FN void chem_advance(chem_params p, chem_memory m, double inv_cell, ck_u32 n_cells, ck_u32 i)
{
    chem_particle a = chem_moved(p, m, i);
    m.here[i] = a;
    chem_drop(p, m, chem_spot_at(p, inv_cell, n_cells, a), m.history_here[i], i);
}

/* -------------------------------------------------------------------------------------------------- scatter */

/** Displacement of a free molecule over the step: normal, variance 2 D dt along each axis.  Draws: 1 quad. */
CK_FN chem_vector chem_displace(ck_philox4_key key, ck_u32 id, ck_u32 step, ck_u32 history, float width)
{
    chem_vector v = chem_normal_vector(chem_draw(key, id, 0u, step, 0u, CHEM_STREAM_MOVE, history));
    v.x *= width;
    v.y *= width;
    v.z *= width;
    return v;
}

/* Where a molecule goes in the step if it meets no one, and the word that decides whom it meets. */
typedef struct chem_way {
    chem_vector move;
    ck_u32 word;
} chem_way;

/** Draws: 2 quads. */
CK_FN chem_way chem_draw_way(chem_params p, chem_tables t, chem_step s, ck_u32 step, ck_u32 id, ck_u32 species,
                             ck_u32 history)
{
    chem_way way;
    way.move = chem_displace(p.key, id, step, p.first_history + history, chem_motion(p, t, species) * s.sqrt_dt);
    way.word = chem_draw(p.key, id, 0u, step, 1u, CHEM_STREAM_MOVE, p.first_history + history).a;
    return way;
}

/* Its place in the order of the buckets. */
CK_FN ck_u32 chem_place_in_order(chem_memory m, ck_u32 i)
{
    return m.starts[CHEM_AT(m.buckets[i])] + m.ranks[i];
}

/** Into this place, with the way it goes. */
CK_FN void chem_settle(chem_params p, chem_memory m, chem_step s, ck_u32 i, ck_u32 to, chem_way way)
{
    chem_particle a = m.here[i];
    chem_set_down(p, m, to, a, m.birth_here[i], m.history_here[i], chem_spot_at(p, s.inv_cell, s.n_cells, a), way.move,
                  way.word);
    chem_no_shift(p, m, to);
}

#endif
