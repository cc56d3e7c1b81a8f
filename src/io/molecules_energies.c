/** Deposited energies of tracks from a side file: see molecules_read_energies in molecules.h. */
#include "core/file.h"
#include "io/molecules.h"
#include "io/text_rows.h"

#include <math.h>
#include <stdlib.h>

static crp_status read_row(const text_rows *rows, molecule_list *list)
{
    text_field fields[ROW_MAX_FIELDS];
    uint64_t label;
    uint32_t track;
    double energy;
    if (rows_split(rows, fields) != 2) {
        return rows_fail(rows, CRP_ERR_FORMAT, "wanted two fields: track,energy");
    }
    CRP_TRY(field_count(rows, fields[0], "track", &label));
    CRP_TRY(field_quantity(rows, fields[1], "energy", UNIT_ENERGY, "eV", &energy));
    if (energy <= 0.0) {
        return rows_fail(rows, CRP_ERR_CONFIG, "energy = %g eV must be > 0 (deposited energy)", energy);
    }
    if (!molecules_find_track(list, label, &track)) {
        return rows_fail(rows, CRP_ERR_CONFIG, "there is no track %llu in %s", (unsigned long long)label, list->path);
    }
    if (!isnan(list->tracks[track].energy)) {
        return rows_fail(rows, CRP_ERR_CONFIG, "the energy of track %llu is given twice: leave one out",
                         (unsigned long long)label);
    }
    list->tracks[track].energy = energy;
    return CRP_OK;
}

static crp_status read_rows(text_rows *rows, molecule_list *list)
{
    bool has_header = false;
    while (rows_next(rows)) {
        text_field line = field_trim(rows->at, rows->stop), fields[ROW_MAX_FIELDS];
        if (line.length == 0 || *line.at == '#') {
            continue;
        }
        if (has_header) {
            CRP_TRY(read_row(rows, list));
            continue;
        }
        has_header = true;
        rows_choose_separator(rows);
        if (rows_split(rows, fields) != 2 || !field_is(fields[0], "track") || !field_is(fields[1], "energy")) {
            return rows_fail(rows, CRP_ERR_FORMAT, "the header must be: track,energy");
        }
    }
    for (size_t i = 0; i < list->n_tracks; i++) {
        CRP_CHECK(rows->context, !isnan(list->tracks[i].energy), CRP_ERR_CONFIG,
                  "%s: has no energy for track %llu of %s: add a line for it", rows->path,
                  (unsigned long long)list->tracks[i].label, list->path);
    }
    return CRP_OK;
}

crp_status molecules_read_energies(crp_context *context, const char *path, molecule_list *list)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    text_rows rows;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    crp_status status = rows_open(&rows, context, path, bytes, n_bytes);
    if (status == CRP_OK) {
        status = read_rows(&rows, list);
    }
    free(bytes);
    return status;
}
