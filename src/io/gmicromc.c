/* Initial radicals of gMicroMC: see gmicromc.h. */
#include "io/gmicromc.h"

#include "core/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ENTRY_BYTES = 24, N_SPECIES = 11 };

static const char *const species_names[N_SPECIES] = {"e_aq", "OH", "H", "H3O+", "H2", "OH-", "H2O2", "O2", "HO2", "O2-", "HO2-"};

/* Little-endian words, whatever this machine is. */
static uint32_t word_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float real_at(const unsigned char *at)
{
    uint32_t bits = word_at(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool gmicromc_recognise(const void *bytes, size_t n_bytes)
{
    const unsigned char *data = bytes;
    size_t n = n_bytes / ENTRY_BYTES;
    if (n_bytes == 0 || n_bytes % ENTRY_BYTES != 0) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        if (word_at(data + 20 * n + 4 * i) >= N_SPECIES) {
            return false;
        }
    }
    return true;
}

static crp_status read_one(crp_context *context, const char *path, const unsigned char *data, size_t n, size_t i,
                           chem_model *model, const uint32_t *known)
{
    char where[1200];
    snprintf(where, sizeof where, "%.1000s: entry %zu", path, i + 1);
    uint32_t species = word_at(data + 20 * n + 4 * i);
    CRP_CHECK(context, species < N_SPECIES, CRP_ERR_FORMAT, "%s: species id %u is not known (0 e_aq to 10 HO2-): is the file "
              "in gMicroMC's format?", where, species);
    CRP_CHECK(context, known[species] != CHEM_NO_SPECIES, CRP_ERR_CONFIG, "%s: is %s, which the set %s has not: take another "
              "set, or add the species to it", where, species_names[species], model->set.name);
    chem_molecule m = {.x = (double)real_at(data + 4 * i), .y = (double)real_at(data + 4 * (n + i)),
                       .z = (double)real_at(data + 4 * (2 * n + i)), .time = model->start, .species = known[species]};
    if (!isfinite(real_at(data + 4 * (3 * n + i)))) {
        model->n_repaired_times++;
    }
    return chem_track_add_molecule(context, where, model, &model->tracks[model->n_tracks - 1], &m);
}

crp_status gmicromc_read(crp_context *context, const char *path, const void *bytes, size_t n_bytes, chem_model *model)
{
    size_t n = n_bytes / ENTRY_BYTES;
    uint32_t known[N_SPECIES];
    chem_track *track;
    CRP_CHECK(context, n_bytes > 0 && n_bytes % ENTRY_BYTES == 0, CRP_ERR_FORMAT, "%s: has %zu bytes, which is no multiple of %d "
              "(gMicroMC: x, y, z, time, parent, species of 4 bytes each): is it complete?", path, n_bytes, ENTRY_BYTES);
    for (uint32_t s = 0; s < N_SPECIES; ++s) {
        known[s] = chem_species_find(&model->set, species_names[s]);
    }
    CRP_TRY(chem_track_add(context, model, 0.0, &track));
    for (size_t i = 0; i < n; ++i) {
        CRP_TRY(read_one(context, path, bytes, n, i, model, known));
    }
    context_log(context, CRP_LOG_INFO, "gmicromc", "%s: %zu molecules; the times of the file are not births: all are present "
                "at the start (%llu were not finite)", path, n, (unsigned long long)model->n_repaired_times);
    return CRP_OK;
}
