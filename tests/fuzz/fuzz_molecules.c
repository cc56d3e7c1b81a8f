/* Fuzz target of the readers of molecules and pulses: whatever the bytes, each answers, and what it accepts is sound. */
#include "io/molecules.h"
#include "io/pulse_table.h"
#include "require.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_list(const molecule_list *list)
{
    uint64_t n_of_tracks = 0, n_of_names = 0;
    REQUIRE(list->n > 0 && list->n_tracks > 0 && list->n_names > 0);
    for (size_t i = 0; i < list->n; i++) {
        REQUIRE(isfinite(list->x[i]) && isfinite(list->y[i]) && isfinite(list->z[i]));
        REQUIRE(isnan(list->time[i]) || list->time[i] >= 0.0);
        REQUIRE(list->name[i] < list->n_names && list->track[i] < list->n_tracks);
    }
    for (size_t i = 0; i < list->n_tracks; i++) {
        REQUIRE(list->tracks[i].count > 0 && list->tracks[i].weight > 0.0);
        REQUIRE(isnan(list->tracks[i].energy) || list->tracks[i].energy > 0.0);
        n_of_tracks += list->tracks[i].count;
    }
    for (size_t i = 0; i < list->n_names; i++) {
        n_of_names += list->names[i].count;
        REQUIRE(list->names[i].name[0] != '\0');
    }
    REQUIRE(n_of_tracks == list->n && n_of_names == list->n);
}

static void check_failure(crp_context *context, crp_status status)
{
    REQUIRE(status == CRP_ERR_FORMAT || status == CRP_ERR_CONFIG || status == CRP_ERR_UNSUPPORTED || status == CRP_ERR_IO);
    REQUIRE(crp_context_error(context)[0] != '\0');
}

static void try_molecules(crp_context *context, const uint8_t *data, size_t size, molecule_format format)
{
    molecule_list *list = NULL;
    crp_status status = molecules_parse(context, "fuzz", data, size, format, &list);
    REQUIRE((status == CRP_OK) == (list != NULL));
    if (status == CRP_OK) {
        check_list(list);
    } else {
        check_failure(context, status);
    }
    molecules_destroy(&list);
}

static void try_pulse(crp_context *context, const uint8_t *data, size_t size)
{
    pulse_table *table = NULL;
    crp_status status = pulse_parse(context, "fuzz", data, size, &table);
    REQUIRE((status == CRP_OK) == (table != NULL));
    if (status != CRP_OK) {
        check_failure(context, status);
        return;
    }
    REQUIRE(table->n >= 2 && table->charge[0] == 0.0 && table->charge[table->n - 1] == 1.0);
    for (size_t i = 1; i < table->n; i++) {
        REQUIRE(table->time[i] > table->time[i - 1] && table->charge[i] >= table->charge[i - 1]);
    }
    pulse_destroy(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    REQUIRE(crp_context_create(&context) == CRP_OK);
    for (int format = MOLECULES_NONE; format <= MOLECULES_CSV; format++) {
        try_molecules(context, data, size, (molecule_format)format);
    }
    try_pulse(context, data, size);
    crp_context_destroy(&context);
    return 0;
}
