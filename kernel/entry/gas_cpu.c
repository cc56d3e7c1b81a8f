/* Molecules on a CPU: each worker takes numbers in chunks and follows one molecule after the other to its end. */
#include "gas/launch.h"
#include "gas/leak.h"
#include "gas/mark.h"
#include "gas/records.h"

#define CK_PASTE_(a, b) a##b
#define CK_PASTE(a, b) CK_PASTE_(a, b)

typedef struct worker_view {
    gas_params p;
    const ck_u32 *nodes;
    const gas_primitive *primitives;
    const gas_surface_row *surfaces;
    const gas_source *sources;
    const gas_mark *marks;
    const ck_u32 *mark_of; /* mark of a facet */
    const gas_view *views;
    const ck_u32 *records;
    const double *planes; /* of the facets */
    ck_u64 *words;
    ck_u64 *next;
} worker_view;

static void add(const worker_view *w, ck_u32 facet, ck_u32 which)
{
    w->words[gas_word_of(w->p.n_facets, facet, which)] += 1;
}

static void add_amount(const worker_view *w, ck_u32 facet, gas_amount a)
{
    ck_u64 *word = w->words + GAS_ROW_WORDS * facet;
    word[GAS_WORD_DENSITY] += a.density;
    word[GAS_WORD_PRESSURE] += a.pressure;
    word[GAS_WORD_SLOWNESS] += a.slowness;
}

static void add_cell(ck_u64 *word, gas_amount a, ck_u32 is_hit)
{
    word[0] += is_hit;
    word[1] += a.density;
    word[2] += a.pressure;
}

/* Texture and profile of one arrival or departure. `speed` and `cosine` are its own. */
static void add_marks(const worker_view *w, ck_u32 facet, gas_vector place, float speed, double cosine, gas_amount a,
                      ck_u32 is_hit)
{
    const gas_mark *mark = w->marks + w->mark_of[facet];
    ck_u32 cell = gas_texture_word(mark, place);
    if (cell != GAS_NOTHING) {
        add_cell(w->words + cell, a, is_hit);
    }
    if (mark->profile != GAS_NOTHING) {
        add_cell(w->words + gas_profile_word(mark, gas_position_of(mark, place), speed, cosine), a, is_hit);
    }
}

static void add_force(const worker_view *w, ck_u32 facet, gas_vector before, float speed_before, gas_vector after,
                      float speed_after)
{
    ck_u64 *word = w->words + w->p.at_forces + GAS_FORCE_WORDS * facet;
    double in = (double)speed_before, out = (double)speed_after;
    word[0] += gas_force_of(before.x * in, after.x * out, w->p);
    word[1] += gas_force_of(before.y * in, after.y * out, w->p);
    word[2] += gas_force_of(before.z * in, after.z * out, w->p);
}

/* All that a start adds. */
static void score_start(const worker_view *w, const gas_start *s)
{
    add(w, s->facet, GAS_WORD_DESORBED);
    add_amount(w, s->facet, s->leaving);
    w->words[w->p.at_counters + GAS_COUNT_CAPPED] += s->leaving.n_capped;
    const gas_surface_row *row = w->surfaces + w->primitives[s->primitive].surface;
    if ((row->flags & GAS_IS_MARKED) != 0u) {
        add_marks(w, s->facet, s->molecule.place, s->molecule.speed, (double)s->cosine, s->leaving, 0u);
    }
    if (w->p.scores_forces) {
        add_force(w, s->facet, s->molecule.way, 0.0f, s->molecule.way, s->molecule.speed);
    }
}

/* All that a hit adds. */
static void score_turn(const worker_view *w, const gas_molecule *before, const gas_hit *hit, const gas_turnout *t,
                       const gas_surface_row *row)
{
    gas_amount sum = gas_amount_sum(t->arriving, t->leaving);
    add(w, hit->facet, GAS_WORD_HITS);
    add_amount(w, hit->facet, sum);
    w->words[w->p.at_counters + GAS_COUNT_CAPPED] += sum.n_capped;
    if ((row->flags & GAS_IS_MARKED) != 0u) {
        double cosine = hit->cosine < 0.0 ? -hit->cosine : hit->cosine;
        add_marks(w, hit->facet, t->molecule.place, before->speed, cosine, sum, 1u);
    }
    if (w->p.scores_forces && t->what != GAS_PASSED) {
        add_force(w, hit->facet, before->way, before->speed, t->molecule.way,
                  t->what == GAS_ABSORBED ? 0.0f : t->molecule.speed);
    }
}

static gas_molecule teleport(const worker_view *w, gas_molecule m, ck_u32 facet, ck_i32 target)
{
    ck_u32 from = w->mark_of[facet], to = (ck_u32)target;
    if (target == -2) { /* back to the last one; a molecule that has not been teleported passes */
        to = m.teleported;
    }
    if (to == GAS_NOTHING) {
        return m;
    }
    m = gas_teleport(m, w->marks + from, w->marks + to);
    m.teleported = from;
    return m;
}

static void score_leak(const worker_view *w, const gas_molecule *m)
{
    ck_u64 *word = w->words + w->p.at_leaks + gas_leak_slot(m->history_low, m->history_high);
    w->words[w->p.at_counters + GAS_COUNT_LEAKS] += 1;
    word[0] += 1;
    word[1] += CK_BITS64(m->place.x);
    word[2] += CK_BITS64(m->place.y);
    word[3] += CK_BITS64(m->place.z);
    word[4] += CK_BITS64(m->way.x);
    word[5] += CK_BITS64(m->way.y);
    word[6] += CK_BITS64(m->way.z);
    word[7] += m->skip;
}

/* By a record where there are any, else, or where that does not know, by the tree. */
static gas_hit gas_find(const worker_view *w, const gas_molecule *m)
{
    gas_hit hit = gas_no_hit();
    if (w->p.has_records) {
        hit = gas_look_up(m->facet, m->place, m->way, w->views, w->records, w->planes);
    }
    return hit.primitive != GAS_NOTHING
               ? hit
               : gas_trace(m->place, m->way, m->skip, m->structure, w->p, w->nodes, w->primitives);
}

/* One molecule from desorption to its end. */
static void follow(const worker_view *w, ck_u32 number)
{
    gas_start start = gas_launch(number, w->sources, w->primitives, w->surfaces, w->p);
    gas_molecule m = start.molecule;
    ck_u64 *count = w->words + w->p.at_counters;
    score_start(w, &start);
    for (;;) {
        gas_hit hit = gas_find(w, &m);
        if (hit.primitive == GAS_NOTHING) {
            score_leak(w, &m);
            break;
        }
        const gas_surface_row *row = w->surfaces + w->primitives[hit.primitive].surface;
        gas_turnout t = gas_turn(m, hit, w->primitives, w->surfaces, w->p);
        score_turn(w, &m, &hit, &t, row);
        m = t.molecule;
        if (t.what == GAS_ABSORBED) {
            add(w, hit.facet, GAS_WORD_ABSORBED);
            w->words[w->p.at_transmitted + m.source * w->p.n_pumps + row->pump] += 1;
            break;
        }
        if (t.what == GAS_PASSED && (row->flags & GAS_TELEPORTS) != 0u) {
            m = teleport(w, m, hit.facet, row->teleport);
        }
        if (m.event >= w->p.max_events) {
            count[GAS_COUNT_BOUNCE_LIMIT] += 1;
            break;
        }
    }
    count[GAS_COUNT_PATH] += gas_path_units(m.path, w->p);
}

/* Arguments: parameters; nodes, primitives, surfaces, sources, marks, marks of facets, and where there are records
 * views, records, planes; words (summed); next molecule (shared). */
void CK_PASTE(gas_transport_, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);

void CK_PASTE(gas_transport_, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    worker_view w = {*(const gas_params *)args[0],
                     args[1],
                     args[2],
                     args[3],
                     args[4],
                     args[5],
                     args[6],
                     args[7],
                     args[8],
                     args[9],
                     args[10],
                     args[11]};
    (void)worker;
    (void)n_workers;
    for (;;) {
        ck_u64 first = __atomic_fetch_add(w.next, w.p.chunk, __ATOMIC_RELAXED);
        if (first >= w.p.n_histories) {
            return;
        }
        ck_u64 end = first + w.p.chunk < w.p.n_histories ? first + w.p.chunk : w.p.n_histories;
        for (ck_u64 number = first; number < end; ++number) {
            follow(&w, (ck_u32)number);
        }
    }
}
