/* Words of a launch to named bins, integers to integers; and the leaks that can be read. */
#include "core/context.h"
#include "core/team.h"
#include "engine/result.h"
#include "gas/leak.h"
#include "model/gas/gas_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bins of a tally, NULL where it is not there. */
static crp_wide *bins_of(const crp_plan *plan, crp_wide *bins, gas_tally which)
{
    const gas_plan *gp = plan->data;
    return gp->at[which] < 0 ? NULL : bins + plan->tallies[gp->at[which]].offset;
}

/* One word of every facet into a tally by facet. */
static void add_facets(const crp_plan *plan, const uint64_t *words, crp_wide *bins, gas_tally which, uint32_t word)
{
    const gas_plan *gp = plan->data;
    crp_wide *to = bins_of(plan, bins, which);
    uint32_t n = gp->model->n_facets;
#pragma omp parallel for schedule(static) num_threads(team_of(n))
    for (uint32_t i = 0; i < n; i++) {
        to[i] += words[gas_word_of(n, i, word)];
    }
}

static uint64_t sum_facets(const gas_plan *gp, const uint64_t *words, uint32_t word)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < gp->model->n_facets; i++) {
        sum += words[gas_word_of(gp->model->n_facets, i, word)];
    }
    return sum;
}

static crp_wide sum_part(const gas_plan *gp, const gas_part *part, const uint64_t *words, uint32_t word)
{
    crp_wide sum = 0;
    for (uint32_t i = 0; i < part->n_facets; i++) {
        sum += words[gas_word_of(gp->model->n_facets, part->facets[i], word)];
    }
    return sum;
}

static void add_parts(const crp_plan *plan, const uint64_t *words, crp_wide *bins)
{
    const gas_plan *gp = plan->data;
    crp_wide *pressure = bins_of(plan, bins, GAS_TALLY_PRESSURE), *density = bins_of(plan, bins, GAS_TALLY_DENSITY);
    crp_wide *impingement = bins_of(plan, bins, GAS_TALLY_IMPINGEMENT),
             *desorbed = bins_of(plan, bins, GAS_TALLY_DESORBED);
    crp_wide *absorbed = bins_of(plan, bins, GAS_TALLY_ABSORBED),
             *throughput = bins_of(plan, bins, GAS_TALLY_THROUGHPUT);
    for (uint32_t i = 0; i < gp->n_parts; i++) {
        pressure[i] += sum_part(gp, &gp->parts[i], words, GAS_WORD_PRESSURE);
        density[i] += sum_part(gp, &gp->parts[i], words, GAS_WORD_DENSITY);
        impingement[i] += sum_part(gp, &gp->parts[i], words, GAS_WORD_HITS);
    }
    for (uint32_t i = 0; i < gp->n_source_parts; i++) {
        desorbed[i] += sum_part(gp, &gp->parts[gp->source_parts[i]], words, GAS_WORD_DESORBED);
    }
    for (uint32_t i = 0; i < gp->n_pump_parts; i++) {
        crp_wide n = sum_part(gp, &gp->parts[gp->pump_parts[i]], words, GAS_WORD_ABSORBED);
        absorbed[i] += n;
        throughput[i] += n;
    }
}

static void add_transmission(const crp_plan *plan, const uint64_t *table, crp_wide *bins)
{
    const gas_plan *gp = plan->data;
    crp_wide *to = bins_of(plan, bins, GAS_TALLY_TRANSMISSION);
    for (uint32_t i = 0; i < gp->n_source_parts; i++) {
        const gas_part *source = &gp->parts[gp->source_parts[i]];
        for (uint32_t k = 0; k < gp->n_pump_parts; k++) {
            const gas_part *pump = &gp->parts[gp->pump_parts[k]];
            for (uint32_t r = 0; r < source->n_sources; r++) {
                for (uint32_t c = 0; c < pump->n_pumps; c++) {
                    to[(size_t)i * gp->n_pump_parts + k] +=
                        table[(size_t)source->sources[r] * gp->n_columns + pump->pumps[c]];
                }
            }
        }
    }
}

/* Cells of a texture or bins of a profile: hits, density, pressure. */
static void add_cells(const uint64_t *words, size_t n, crp_wide *hits, crp_wide *density, crp_wide *pressure,
                      crp_wide *impingement)
{
#pragma omp parallel for schedule(static) num_threads(team_of(n))
    for (size_t i = 0; i < n; i++) {
        hits[i] += words[GAS_CELL_WORDS * i];
        density[i] += words[GAS_CELL_WORDS * i + 1];
        pressure[i] += words[GAS_CELL_WORDS * i + 2];
        if (impingement != NULL) {
            impingement[i] += words[GAS_CELL_WORDS * i];
        }
    }
}

static void add_forces(const crp_plan *plan, const uint64_t *words, crp_wide *bins)
{
    const gas_plan *gp = plan->data;
    crp_wide *to = bins_of(plan, bins, GAS_TALLY_FORCE);
    for (size_t i = 0; i < (size_t)GAS_FORCE_WORDS * gp->model->n_facets; i++) {
        to[i] += (int64_t)words[i]; /* two's complement */
    }
}

/* ------------------------------------------------------------------------------------------------- leaks */

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A slot that one leak alone has gone to holds it. */
static void read_leaks(gas_plan *gp, const uint64_t *words)
{
    pthread_mutex_lock(&gp->lock);
    for (size_t i = 0; i < GAS_LEAK_LEVELS * GAS_LEAK_SLOTS && gp->n_leaks < GAS_MAX_LEAKS; i++) {
        const uint64_t *slot = words + GAS_LEAK_WORDS * i;
        if (slot[0] == 1) {
            gas_leak *leak = &gp->leaks[gp->n_leaks++];
            for (int k = 0; k < 3; k++) {
                leak->place[k] = double_of(slot[1 + k]);
                leak->way[k] = double_of(slot[4 + k]);
            }
            leak->facet = (uint32_t)slot[7];
        }
    }
    pthread_mutex_unlock(&gp->lock);
}

void gas_reduce(const crp_plan *plan, const uint64_t *words, uint64_t n_histories, crp_wide *bins, uint64_t *events)
{
    gas_plan *gp = plan->data;
    const gas_params *p = &gp->params;
    const uint64_t *count = words + p->at_counters;
    (void)n_histories;
    uint64_t hits = sum_facets(gp, words, GAS_WORD_HITS);
    *bins_of(plan, bins, GAS_TALLY_HITS_TOTAL) += hits;
    *bins_of(plan, bins, GAS_TALLY_LEAKS) += count[GAS_COUNT_LEAKS];
    *bins_of(plan, bins, GAS_TALLY_FLIGHT) += count[GAS_COUNT_PATH];
    add_parts(plan, words, bins);
    if (gp->n_pump_parts > 0) {
        add_transmission(plan, words + p->at_transmitted, bins);
    }
    add_facets(plan, words, bins, GAS_TALLY_FACET_HITS, GAS_WORD_HITS);
    add_facets(plan, words, bins, GAS_TALLY_FACET_DESORBED, GAS_WORD_DESORBED);
    add_facets(plan, words, bins, GAS_TALLY_FACET_ABSORBED, GAS_WORD_ABSORBED);
    add_facets(plan, words, bins, GAS_TALLY_FACET_PRESSURE, GAS_WORD_PRESSURE);
    add_facets(plan, words, bins, GAS_TALLY_FACET_DENSITY, GAS_WORD_DENSITY);
    add_facets(plan, words, bins, GAS_TALLY_FACET_IMPINGEMENT, GAS_WORD_HITS);
    add_facets(plan, words, bins, GAS_TALLY_FACET_SPEED, GAS_WORD_SLOWNESS);
    if (gp->model->score_forces) {
        add_forces(plan, words + p->at_forces, bins);
    }
    if (gp->n_cells > 0) {
        add_cells(words + p->at_textures, (size_t)gp->n_cells, bins_of(plan, bins, GAS_TALLY_TEXTURE_HITS),
                  bins_of(plan, bins, GAS_TALLY_TEXTURE_DENSITY), bins_of(plan, bins, GAS_TALLY_TEXTURE_PRESSURE),
                  bins_of(plan, bins, GAS_TALLY_TEXTURE_IMPINGEMENT));
    }
    if (gp->n_profiles > 0) {
        add_cells(words + p->at_profiles, (size_t)GAS_PROFILE_BINS * gp->n_profiles,
                  bins_of(plan, bins, GAS_TALLY_PROFILE_HITS), bins_of(plan, bins, GAS_TALLY_PROFILE_DENSITY),
                  bins_of(plan, bins, GAS_TALLY_PROFILE_PRESSURE), NULL);
    }
    if (count[GAS_COUNT_LEAKS] > 0) {
        read_leaks(gp, words + p->at_leaks);
    }
    for (size_t i = 0; i < GAS_N_COUNTERS; i++) {
        events[i] += count[i];
    }
    events[GAS_EVENT_HITS] += hits;
    events[GAS_EVENT_ENDED] +=
        sum_facets(gp, words, GAS_WORD_ABSORBED) + count[GAS_COUNT_LEAKS] + count[GAS_COUNT_BOUNCE_LIMIT];
}

/* ----------------------------------------------------------------------------------------------- verdict */

/* Below this many leaks a hit no number is moved by its tenth standard error, in any run there will be. */
static const double TOLERABLE = 1e-9;

/* A ray tracer in single precision loses so many without a hole in the model. */
static const double TOLERABLE_OF_RAYS = 1e-7;

/* Leaks that the log tells; the table has all that are known. */
enum { LISTED_LEAKS = 10 };

static void bounds_of(const gas_model *model, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        low[k] = (double)INFINITY;
        high[k] = -(double)INFINITY;
        for (uint32_t v = 0; v < model->n_vertices; v++) {
            low[k] = fmin(low[k], model->vertices[3 * (size_t)v + (size_t)k]);
            high[k] = fmax(high[k], model->vertices[3 * (size_t)v + (size_t)k]);
        }
    }
}

/* How far a ray from inside a box goes until it leaves it. */
static double way_out(const gas_leak *l, const double low[3], const double high[3])
{
    double nearest = (double)INFINITY;
    for (int k = 0; k < 3; k++) {
        double wall = l->way[k] > 0.0 ? high[k] : low[k];
        if (l->way[k] != 0.0) {
            nearest = fmin(nearest, fmax(0.0, (wall - l->place[k]) / l->way[k]));
        }
    }
    return isfinite(nearest) ? nearest : 0.0;
}

static void describe(const gas_model *model, const double low[3], const double high[3], const gas_leak *l,
                     result_place *p)
{
    double length = way_out(l, low, high);
    for (int k = 0; k < 3; k++) {
        p->at[k] = 100.0 * l->place[k];
        p->way[k] = l->way[k];
        p->out[k] = 100.0 * (l->place[k] + length * l->way[k]);
    }
    p->of = model->facets[l->facet].number;
}

/* Those of a file that is gone on with come first. Without memory the table stays as it is: the verdict stands. */
void gas_keep(const crp_plan *plan, crp_result *result)
{
    gas_plan *gp = plan->data;
    double low[3], high[3];
    result_place *places = realloc(result->places, (result->n_places + GAS_MAX_LEAKS) * sizeof *places);
    if (places == NULL) {
        return;
    }
    result->places = places;
    bounds_of(gp->model, low, high);
    pthread_mutex_lock(&gp->lock);
    for (; gp->n_kept < gp->n_leaks && result->n_places < GAS_MAX_LEAKS; gp->n_kept++) {
        describe(gp->model, low, high, &gp->leaks[gp->n_kept], &places[result->n_places++]);
    }
    pthread_mutex_unlock(&gp->lock);
}

/* With --ignore the numbers are those of another model: whoever reads them must know. */
static void add_left_out(const gas_model *model, crp_result *result)
{
    bool is_first = true;
    for (uint32_t i = 0; i < model->n_features; i++) {
        size_t used = strlen(result->note);
        if (model->features[i].is_ignored) {
            snprintf(result->note + used, sizeof result->note - used, "%s%s", is_first ? "; left out: " : ", ",
                     model->features[i].name);
            is_first = false;
        }
    }
}

/* Name of the surface of a facet, by the facet's number. */
static const char *name_of(const gas_model *model, int64_t number)
{
    const char *name = "";
    for (uint32_t f = 0; f < model->n_facets; f++) {
        name = model->facets[f].number == number ? model->surfaces[model->facets[f].surface].name : name;
    }
    return name;
}

/* The table of leaks in the log. */
static void list_leaks(crp_context *context, crp_log_level level, const gas_model *model, const crp_result *result)
{
    context_log(context, level, "gas", "leaks: %8s  %-20s %32s   %26s   %32s", "facet", "surface",
                "left at x, y, z [cm]", "direction", "out of the model's box at [cm]");
    for (size_t i = 0; i < result->n_places && i < LISTED_LEAKS; i++) {
        const result_place *p = &result->places[i];
        context_log(context, level, "gas",
                    "leaks: %8lld  %-20.20s %10.5g %10.5g %10.5g   %8.4f %8.4f %8.4f   %10.5g %10.5g %10.5g",
                    (long long)p->of, name_of(model, p->of), p->at[0], p->at[1], p->at[2], p->way[0], p->way[1],
                    p->way[2], p->out[0], p->out[1], p->out[2]);
    }
    if (result->n_places > LISTED_LEAKS) {
        context_log(context, level, "gas",
                    "leaks: %zu more are in the result file: corpuscle export FILE.h5 --to leaks",
                    result->n_places - LISTED_LEAKS);
    }
}

void gas_finish(crp_context *context, const crp_plan *plan, crp_result *result)
{
    const gas_plan *gp = plan->data;
    uint64_t leaks = result->event_count[GAS_COUNT_LEAKS], hits = result->event_count[GAS_EVENT_HITS];
    double rate = hits > 0 ? (double)leaks / (double)hits : 0.0, share = (double)leaks / (double)result->histories;
    bool is_traced = strcmp(result->math, "rays") == 0; /* in single precision */
    if (leaks == 0) {
        snprintf(result->note, sizeof result->note, "no leaks in %.3g hits: the model is closed", (double)hits);
    } else if (rate < TOLERABLE) {
        snprintf(result->note, sizeof result->note, "%llu leaks in %.3g hits: rounding, no number is moved by it",
                 (unsigned long long)leaks, (double)hits);
    } else if (is_traced && rate < TOLERABLE_OF_RAYS) {
        snprintf(result->note, sizeof result->note,
                 "%llu leaks in %.3g hits: rounding of the ray tracer, %.2g of the molecules", (unsigned long long)leaks,
                 (double)hits, share);
    } else {
        snprintf(result->note, sizeof result->note,
                 "LEAKS: %.3g %% of the molecules got out through a hole (%.2g per hit): close the model",
                 100.0 * share, rate);
    }
    add_left_out(gp->model, result);
    if (leaks > 0) {
        list_leaks(context, rate < (is_traced ? TOLERABLE_OF_RAYS : TOLERABLE) ? CRP_LOG_INFO : CRP_LOG_WARNING, gp->model, result);
    }
}
