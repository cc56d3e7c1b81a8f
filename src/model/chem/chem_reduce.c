/** Words of a launch to tallies, the energy of its tracks, and the books: molecules by species, charge, hydrogen against oxygen. */
#include "chem/params.h"
#include "model/chem/chem_plan.h"

/* Of one species up to an output time: births, and what reactions made and used up. */
static int64_t expected_count(const chem_plan *chem, const uint64_t *words, uint32_t output, uint32_t species)
{
    const chem_set *set = &chem->model->set;
    int64_t n = 0;
    for (uint32_t o = 0; o <= output; ++o) {
        n += (int64_t)words[chem->at_births + o * set->n_species + species];
        for (uint32_t r = 0; r < set->n_reactions; ++r) {
            const chem_reaction *reaction = &set->reactions[r];
            int64_t events = (int64_t)words[chem->at_reactions + o * set->n_reactions + r];
            for (uint32_t k = 0; k < CHEM_MAX_REACTANTS; ++k) {
                n -= reaction->reactants[k] == species ? events : 0;
            }
            for (uint32_t k = 0; k < reaction->n_products; ++k) {
                n += reaction->products[k] == species ? events : 0;
            }
        }
    }
    return n;
}

/* How many molecules are not where births and reactions say, over all output times. 0, or the method is wrong. */
static uint64_t check_species(const chem_plan *chem, const uint64_t *words)
{
    const chem_set *set = &chem->model->set;
    uint64_t wrong = 0;
    for (uint32_t o = 0; o < chem->n_outputs; ++o) {
        for (uint32_t s = 0; s < set->n_species; ++s) {
            int64_t difference = (int64_t)words[chem->at_counts + o * set->n_species + s] - expected_count(chem, words, o, s);
            wrong += (uint64_t)(difference < 0 ? -difference : difference);
        }
    }
    return wrong;
}

/* Charge (which = 0) or H - 2 O (1) of a species. */
static int64_t quantity(const chem_set *set, uint32_t species, int which)
{
    const chem_species *s = &set->species[species];
    return which == 0 ? s->charge : s->n_hydrogen - 2 * s->n_oxygen;
}

/* What is there at the end, less what was born and what partners of constant concentration brought. */
static int64_t ledger(const chem_plan *chem, const uint64_t *words, int which)
{
    const chem_set *set = &chem->model->set;
    int64_t sum = 0;
    for (uint32_t s = 0; s < set->n_species; ++s) {
        sum += quantity(set, s, which) * (int64_t)words[chem->at_counts + (chem->n_outputs - 1) * set->n_species + s];
        for (uint32_t o = 0; o < chem->n_outputs; ++o) {
            sum -= quantity(set, s, which) * (int64_t)words[chem->at_births + o * set->n_species + s];
        }
    }
    for (uint32_t r = 0; r < set->n_reactions; ++r) {
        for (uint32_t o = 0; set->reactions[r].scavenger != CHEM_NO_SPECIES && o < chem->n_outputs; ++o) {
            sum -= quantity(set, set->reactions[r].scavenger, which) *
                   (int64_t)words[chem->at_reactions + o * set->n_reactions + r];
        }
    }
    return sum;
}

static uint64_t magnitude(int64_t x)
{
    return (uint64_t)(x < 0 ? -x : x);
}

void chem_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events)
{
    const chem_plan *chem = plan->data;
    const chem_set *set = &chem->model->set;
    crp_wide *yield = bins + plan->tallies[CHEM_TALLY_G].offset, *reactions = bins + plan->tallies[CHEM_TALLY_REACTIONS].offset;
    crp_wide *channels = bins + plan->tallies[CHEM_TALLY_CHANNELS].offset, *books = bins + plan->tallies[CHEM_TALLY_LEDGER].offset;
    (void)n_histories;
    for (size_t i = 0; i < (size_t)chem->n_outputs * set->n_species; ++i) {
        yield[i] += words[chem->at_counts + i];
    }
    for (size_t i = 0; i < (size_t)chem->n_outputs * set->n_reactions; ++i) {
        reactions[i] += words[chem->at_reactions + i];
        channels[i % set->n_reactions] += words[chem->at_reactions + i];
    }
    for (size_t i = 0; i < CHEM_N_EVENTS; ++i) {
        events[i] += words[chem->at_counters + i];
    }
    events[CHEM_N_EVENTS] += check_species(chem, words);
    for (int which = 0; which < 2; ++which) {
        int64_t sum = ledger(chem, words, which);
        books[which] += sum;
        events[CHEM_N_EVENTS + 1 + which] += magnitude(sum);
    }
}

/* Of histories [0, n): they take the tracks in turn. */
static crp_wide energy_up_to(const chem_plan *chem, uint64_t n)
{
    uint32_t n_tracks = chem->model->n_tracks;
    return (crp_wide)(n / n_tracks) * chem->energy_before[n_tracks] + chem->energy_before[n % n_tracks];
}

void chem_add_energy(const crp_plan *plan, uint64_t first, uint64_t n_histories, crp_wide *bins)
{
    const chem_plan *chem = plan->data;
    bins[plan->tallies[CHEM_TALLY_ENERGY].offset] += energy_up_to(chem, first + n_histories) - energy_up_to(chem, first);
}
