/** Table 1 of the kernels: reaction channels, the channel of every pair of species, motions, channels of first order. */
#include "chem/params.h"
#include "core/context.h"
#include "model/chem/chem_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static ck_u32 type_of(const chem_reaction *r)
{
    bool has_potential = r->onsager != 0.0;
    switch (r->type) {
    case CHEM_TYPE_II:
        return CHEM_RADIATING;
    case CHEM_TYPE_III:
        return has_potential ? CHEM_IONS : CHEM_ABSORBING;
    case CHEM_TYPE_IV:
        return has_potential ? CHEM_IONS_RADIATING : CHEM_RADIATING;
    case CHEM_TYPE_VI:
        return CHEM_FIRST_ORDER;
    default:
        return CHEM_ABSORBING;
    }
}

/* The channel in which the products of `r` react with each other again, or NULL. */
static const chem_reaction *reverse_of(const chem_set *set, const chem_reaction *r)
{
    for (uint32_t i = 0; r->n_products == 2 && i < set->n_reactions; ++i) {
        const chem_reaction *o = &set->reactions[i];
        bool is_same = (o->reactants[0] == r->products[0] && o->reactants[1] == r->products[1]) ||
                       (o->reactants[0] == r->products[1] && o->reactants[1] == r->products[0]);
        if (o->type != CHEM_TYPE_VI && o->k > 0.0 && is_same) {
            return o;
        }
    }
    return NULL;
}

/*
 * First order. Products that react with each other begin apart, or they would be back at once: at the contact distance where
 * contact need not react, else at twice the radius. What then comes back of them at the end (half; or q/(1 + q)) the rate
 * must make up for, so that the equilibrium is the ratio of the rate constants. Ref: Andrews and Bray 2004.
 */
static void fill_first_order(const chem_set *set, const chem_reaction *r, chem_channel *c)
{
    double rate = r->rate_total;
    const chem_reaction *back = reverse_of(set, r);
    if (back != NULL && (back->type == CHEM_TYPE_II || back->type == CHEM_TYPE_IV)) {
        c->separation = (float)back->radius;
        rate *= 1.0 + back->k_act / back->k_dif;
    } else if (back != NULL) {
        c->separation = (float)(2.0 * back->radius);
        rate *= 2.0;
    }
    c->rate = (float)rate;
    if (r->is_transient && r->scavenger != CHEM_NO_SPECIES && r->diffusion > 0.0) {
        c->transient = (float)(2.0 * r->radius / sqrt(PI * r->diffusion));
    }
}

static void fill_pair(const chem_set *set, const chem_reaction *r, chem_channel *c)
{
    uint32_t a = r->reactants[0], b = r->reactants[1];
    uint32_t first = a < b ? a : b;
    c->contact = c->radius = (float)r->radius;
    c->diffusion = (float)r->diffusion;
    c->reach = (float)(6.0 * sqrt(r->diffusion));
    c->share = (float)(set->species[first].diffusion / r->diffusion);
    c->spin_limit = r->type == CHEM_TYPE_V ? (ck_u32)fmin(r->spin * 4294967296.0, 4294967294.0) : 0xFFFFFFFFu;
    c->onsager = (float)r->onsager;
    c->effective = (float)r->radius;
    if (c->type == CHEM_IONS || c->type == CHEM_IONS_RADIATING) {
        c->radius = (float)(r->radius + CHEM_ION_REACH * fabs(r->onsager));
    }
    if (r->type == CHEM_TYPE_II || r->type == CHEM_TYPE_IV) {
        double q = r->k_act / r->k_dif;
        c->reactivity = (float)(q / (1.0 + q));
        c->alpha = (float)r->alpha;
        c->effective = (float)((1.0 + q) / r->alpha);
    } else if (r->type == CHEM_TYPE_III) {
        c->effective = (float)r->effective_radius;
    }
}

static void fill_channel(const chem_set *set, const chem_reaction *r, chem_channel *c)
{
    memset(c, 0, sizeof *c);
    c->type = type_of(r);
    c->n_products = r->n_products;
    for (uint32_t k = 0; k < 4; ++k) {
        c->products[k] = k < r->n_products ? r->products[k] : CHEM_NONE;
    }
    if (r->type == CHEM_TYPE_VI) {
        fill_first_order(set, r, c);
    } else if (r->diffusion > 0.0) {
        fill_pair(set, r, c);
    }
}

/* The largest radius and reach, two floats: also those of this channel. */
static void extend(ck_u32 *words, const chem_channel *c)
{
    float extents[2];
    memcpy(extents, words, sizeof extents);
    extents[0] = fmaxf(extents[0], c->radius);
    extents[1] = fmaxf(extents[1], c->reach);
    memcpy(words, extents, sizeof extents);
}

/* The words behind the channels; offsets into `p`. */
static void fill_words(const chem_set *set, const chem_channel *channels, chem_params *p, ck_u32 *words)
{
    uint32_t n = set->n_species, at = 0;
    for (uint32_t i = 0; i < n * n; ++i) {
        words[p->at_pairs + i] = CHEM_NONE;
    }
    for (uint32_t i = 0; i < set->n_reactions; ++i) {
        const chem_reaction *r = &set->reactions[i];
        if (r->type != CHEM_TYPE_VI && r->k > 0.0 && r->radius > 0.0) {
            words[p->at_pairs + r->reactants[0] * n + r->reactants[1]] = i;
            words[p->at_pairs + r->reactants[1] * n + r->reactants[0]] = i;
            words[p->at_partners + r->reactants[0]] |= 1u << (r->reactants[1] & 31);
            words[p->at_partners + r->reactants[1]] |= 1u << (r->reactants[0] & 31);
            extend(&words[p->at_extents + 2 * r->reactants[0]], &channels[i]);
            extend(&words[p->at_extents + 2 * r->reactants[1]], &channels[i]);
        }
    }
    for (uint32_t s = 0; s < n; ++s) {
        float motion = (float)sqrt(2.0 * set->species[s].diffusion);
        memcpy(&words[p->at_motion + s], &motion, sizeof motion);
        words[p->at_first + s] = at;
        for (uint32_t i = 0; i < set->n_reactions; ++i) {
            const chem_reaction *r = &set->reactions[i];
            if (r->type == CHEM_TYPE_VI && r->rate_total > 0.0 && r->reactants[0] == s) {
                words[p->at_first_list + at++] = i;
            }
        }
    }
    words[p->at_first + n] = at;
}

crp_status chem_channels_create(crp_context *context, const chem_model *model, chem_params *p, void **bytes, size_t *n_bytes)
{
    const chem_set *set = &model->set;
    uint32_t n = set->n_species, n_reactions = set->n_reactions;
    p->at_pairs = (ck_u32)(n_reactions * sizeof(chem_channel) / 4);
    p->at_first = p->at_pairs + n * n;
    p->at_first_list = p->at_first + n + 1;
    p->at_motion = p->at_first_list + n_reactions;
    p->at_partners = p->at_motion + n;
    p->at_extents = p->at_partners + n;
    *n_bytes = (size_t)(p->at_extents + 2 * n) * 4;
    chem_channel *channels = calloc(*n_bytes + sizeof *channels, 1);
    CRP_CHECK(context, channels != NULL, CRP_ERR_MEMORY, "no memory for %u reactions", n_reactions);
    for (uint32_t i = 0; i < n_reactions; ++i) {
        fill_channel(set, &set->reactions[i], &channels[i]);
    }
    fill_words(set, channels, p, (ck_u32 *)(void *)channels);
    for (uint32_t i = 0; i < n_reactions; ++i) {
        p->corrects |= channels[i].type != CHEM_ABSORBING && channels[i].type != CHEM_FIRST_ORDER ? 1u : 0u;
    }
    p->n_species = n;
    p->n_channels = n_reactions;
    *bytes = channels;
    return CRP_OK;
}
