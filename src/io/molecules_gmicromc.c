/** gMicroMC's initial radicals: see molecules_gmicromc.h. */
#include "io/molecules_gmicromc.h"

#include <math.h>
#include <string.h>

/* Six arrays of N entries: x, y, z, time (float32), parent event, species (int32), little endian. */
enum { RECORD_BYTES = 24, ENTRY_BYTES = 4, N_SPECIES = 11 };
enum { ARRAY_X, ARRAY_Y, ARRAY_Z, ARRAY_TIME, ARRAY_PARENT, ARRAY_SPECIES };

/* Species by id. */
static const char *const species_names[N_SPECIES] = {"e_aq", "OH",  "H",   "H3O+", "H2",  "OH-",
                                                     "H2O2", "O2",  "HO2", "O2-",  "HO2-"};

static uint32_t read_word(const unsigned char *bytes, size_t n, int array, size_t i)
{
    const unsigned char *p = bytes + ((size_t)array * n + i) * ENTRY_BYTES;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double read_float(const unsigned char *bytes, size_t n, int array, size_t i)
{
    uint32_t word = read_word(bytes, n, array, i);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

bool gmicromc_looks_like(const void *bytes, size_t n_bytes)
{
    if (n_bytes == 0 || n_bytes % RECORD_BYTES != 0) {
        return false;
    }
    size_t n = n_bytes / RECORD_BYTES, n_known = 0;
    for (size_t i = 0; i < n; i++) {
        n_known += read_word(bytes, n, ARRAY_SPECIES, i) < N_SPECIES;
    }
    return n_known > 0 && n - n_known <= n / 10; /* text has no such words at all */
}

/* What the format holds and the chemistry does not use. */
typedef struct gmicromc_notes {
    uint64_t n_infinite, n_nan, n_negative; /* times */
} gmicromc_notes;

static void note_time(double time, gmicromc_notes *notes)
{
    notes->n_infinite += isinf(time) != 0;
    notes->n_nan += isnan(time) != 0;
    notes->n_negative += time < 0.0 && !isinf(time);
}

static void log_notes(crp_context *context, const molecule_list *list, const gmicromc_notes *notes)
{
    context_log(context, CRP_LOG_INFO, "chem",
                "%s: gMicroMC: %zu molecules of one track (the parent events in it are not tracks), all present from the start",
                list->path, list->n);
    if (notes->n_infinite + notes->n_nan + notes->n_negative > 0) {
        context_log(context, CRP_LOG_WARNING, "chem",
                    "%s: times set to the start time: %llu infinite, %llu not a number, %llu negative, of %zu", list->path,
                    (unsigned long long)notes->n_infinite, (unsigned long long)notes->n_nan,
                    (unsigned long long)notes->n_negative, list->n);
    }
}

static crp_status check_position(crp_context *context, const molecule_list *list, size_t i, const double position[3])
{
    for (int k = 0; k < 3; k++) {
        CRP_CHECK(context, isfinite(position[k]), CRP_ERR_CONFIG,
                  "%s: molecule %zu: %c = %g must be finite (nm): write the file again, or leave this molecule out", list->path,
                  i + 1, "xyz"[k], position[k]);
        CRP_CHECK(context, fabs(position[k]) <= MOLECULES_FARTHEST, CRP_ERR_CONFIG,
                  "%s: molecule %zu: %c = %g nm is more than a metre away: is this a gMicroMC file, with lengths in nm?",
                  list->path, i + 1, "xyz"[k], position[k]);
    }
    return CRP_OK;
}

static crp_status add_molecule(crp_context *context, const unsigned char *bytes, size_t n, size_t i, uint32_t track,
                               molecule_list *list)
{
    double position[3] = {read_float(bytes, n, ARRAY_X, i), read_float(bytes, n, ARRAY_Y, i),
                          read_float(bytes, n, ARRAY_Z, i)};
    uint32_t id = read_word(bytes, n, ARRAY_SPECIES, i), name;
    CRP_CHECK(context, id < N_SPECIES, CRP_ERR_CONFIG,
              "%s: molecule %zu: species id %d is not known (0 e_aq, 1 OH, 2 H, 3 H3O+, 4 H2, 5 OH-, 6 H2O2, 7 O2, 8 HO2, "
              "9 O2-, 10 HO2-): is this a gMicroMC file of initial radicals?",
              list->path, i + 1, (int)id);
    CRP_TRY(check_position(context, list, i, position));
    CRP_TRY(molecules_name(context, list, species_names[id], strlen(species_names[id]), i + 1, &name));
    return molecules_add(context, list, position, (double)NAN, name, track);
}

crp_status gmicromc_parse(crp_context *context, const void *bytes, size_t n_bytes, molecule_list *list)
{
    CRP_CHECK(context, n_bytes % RECORD_BYTES == 0, CRP_ERR_FORMAT,
              "%s: has %zu bytes, %zu too many for %zu molecules (gMicroMC writes 24 for each): is it cut off, or another "
              "format?",
              list->path, n_bytes, n_bytes % RECORD_BYTES, n_bytes / RECORD_BYTES);
    size_t n = n_bytes / RECORD_BYTES;
    gmicromc_notes notes = {0};
    uint32_t track;
    CRP_TRY(molecules_track(context, list, 1, 1, &track));
    for (size_t i = 0; i < n; i++) {
        CRP_TRY(add_molecule(context, bytes, n, i, track, list));
        note_time(read_float(bytes, n, ARRAY_TIME, i), &notes);
    }
    log_notes(context, list, &notes);
    return CRP_OK;
}
