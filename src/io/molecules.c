/** Lists of radiolytic molecules: see molecules.h. */
#include "io/molecules.h"

#include "core/file.h"
#include "core/nearest.h"
#include "io/molecules_csv.h"
#include "io/molecules_gmicromc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

crp_status molecules_create(crp_context *context, const char *path, molecule_list **list)
{
    *list = calloc(1, sizeof **list);
    CRP_CHECK(context, *list != NULL, CRP_ERR_MEMORY, "%s: no memory for its molecules", path);
    snprintf((*list)->path, sizeof (*list)->path, "%s", path);
    (*list)->energy = (double)NAN;
    return CRP_OK;
}

void molecules_destroy(molecule_list **list)
{
    if (list == NULL || *list == NULL) {
        return;
    }
    molecule_list *l = *list;
    free(l->x);
    free(l->y);
    free(l->z);
    free(l->time);
    free(l->name);
    free(l->track);
    free(l->names);
    free(l->tracks);
    free(l->slots);
    free(l);
    *list = NULL;
}

/* Make an array `room` elements long; the old one stays where it is on failure. */
static bool enlarge(void *array, size_t element, size_t room)
{
    void *old, *larger;
    memcpy(&old, array, sizeof old);
    larger = room <= SIZE_MAX / element ? realloc(old, room * element) : NULL;
    if (larger != NULL) {
        memcpy(array, &larger, sizeof larger);
    }
    return larger != NULL;
}

static crp_status make_room(crp_context *context, molecule_list *list)
{
    size_t room = list->room == 0 ? 1024 : 2 * list->room;
    bool fits = enlarge(&list->x, sizeof *list->x, room) && enlarge(&list->y, sizeof *list->y, room) &&
                enlarge(&list->z, sizeof *list->z, room) && enlarge(&list->time, sizeof *list->time, room) &&
                enlarge(&list->name, sizeof *list->name, room) && enlarge(&list->track, sizeof *list->track, room);
    CRP_CHECK(context, fits, CRP_ERR_MEMORY, "%s: no memory for %zu molecules", list->path, room);
    list->room = room;
    return CRP_OK;
}

crp_status molecules_name(crp_context *context, molecule_list *list, const char *name, size_t length, uint64_t line,
                          uint32_t *index)
{
    for (size_t i = 0; i < list->n_names; i++) {
        if (length < MOLECULE_NAME && strncmp(list->names[i].name, name, length) == 0 && list->names[i].name[length] == '\0') {
            *index = (uint32_t)i;
            return CRP_OK;
        }
    }
    CRP_CHECK(context, length > 0 && length < MOLECULE_NAME, CRP_ERR_FORMAT,
              "%s:%llu: species \"%.*s\" has %zu characters (1 to %d are allowed): give its name or one of its aliases",
              list->path, (unsigned long long)line, (int)(length < 40 ? length : 40), name, length, MOLECULE_NAME - 1);
    if (list->n_names == list->names_room) {
        size_t room = list->names_room == 0 ? 16 : 2 * list->names_room;
        CRP_CHECK(context, enlarge(&list->names, sizeof *list->names, room), CRP_ERR_MEMORY,
                  "%s: no memory for its species", list->path);
        list->names_room = room;
    }
    molecule_name *added = &list->names[list->n_names];
    *added = (molecule_name){.line = line};
    memcpy(added->name, name, length);
    *index = (uint32_t)list->n_names++;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- tracks */

/* Where a label stands in the hash table, or the free slot where it would. */
static size_t find_slot(const molecule_list *list, uint64_t label)
{
    size_t mask = list->n_slots - 1;
    size_t slot = (size_t)((label * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (list->slots[slot] != 0 && list->tracks[list->slots[slot] - 1].label != label) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

bool molecules_find_track(const molecule_list *list, uint64_t label, uint32_t *index)
{
    size_t slot = list->n_slots == 0 ? 0 : find_slot(list, label);
    if (list->n_slots == 0 || list->slots[slot] == 0) {
        return false;
    }
    *index = list->slots[slot] - 1;
    return true;
}

static bool enlarge_tracks(molecule_list *list)
{
    size_t room = list->tracks_room == 0 ? 16 : 2 * list->tracks_room;
    uint32_t *slots = room < UINT32_MAX / 2 ? calloc(2 * room, sizeof *slots) : NULL;
    if (slots == NULL || !enlarge(&list->tracks, sizeof *list->tracks, room)) {
        free(slots);
        return false;
    }
    free(list->slots);
    list->slots = slots;
    list->n_slots = 2 * room;
    list->tracks_room = room;
    for (size_t i = 0; i < list->n_tracks; i++) {
        list->slots[find_slot(list, list->tracks[i].label)] = (uint32_t)i + 1;
    }
    return true;
}

crp_status molecules_track(crp_context *context, molecule_list *list, uint64_t label, uint64_t line, uint32_t *index)
{
    if (molecules_find_track(list, label, index)) {
        return CRP_OK;
    }
    if (list->n_tracks == list->tracks_room) {
        CRP_CHECK(context, enlarge_tracks(list), CRP_ERR_MEMORY, "%s: no memory for more than %zu tracks", list->path,
                  list->n_tracks);
    }
    list->slots[find_slot(list, label)] = (uint32_t)list->n_tracks + 1;
    list->tracks[list->n_tracks] = (molecule_track){.label = label, .energy = (double)NAN, .weight = 1.0, .line = line};
    *index = (uint32_t)list->n_tracks++;
    return CRP_OK;
}

crp_status molecules_add(crp_context *context, molecule_list *list, const double position[3], double time, uint32_t name,
                         uint32_t track)
{
    if (list->n == list->room) {
        CRP_TRY(make_room(context, list));
    }
    size_t i = list->n++;
    list->x[i] = position[0];
    list->y[i] = position[1];
    list->z[i] = position[2];
    list->time[i] = time;
    list->name[i] = name;
    list->track[i] = track;
    list->names[name].count++;
    list->tracks[track].count++;
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------- formats */

molecule_format molecules_recognise(const void *bytes, size_t n_bytes)
{
    if (gmicromc_looks_like(bytes, n_bytes)) {
        return MOLECULES_GMICROMC;
    }
    return molecules_csv_looks_like(bytes, n_bytes) ? MOLECULES_CSV : MOLECULES_NONE;
}

crp_status molecules_format(crp_context *context, const char *name, molecule_format *format)
{
    static const char *const names[] = {"auto", "gmicromc", "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            *format = (molecule_format)i;
            return CRP_OK;
        }
    }
    const char *near = nearest_name(name, names, sizeof names / sizeof *names);
    return context_fail(context, CRP_ERR_ARG, "unknown format of molecules \"%.40s\" (known: auto, gmicromc, csv)%s%s", name,
                        near == NULL ? "" : ": did you mean ", near == NULL ? "" : near);
}

crp_status molecules_parse(crp_context *context, const char *path, const void *bytes, size_t n_bytes,
                           molecule_format format, molecule_list **list)
{
    *list = NULL;
    CRP_CHECK(context, n_bytes > 0, CRP_ERR_FORMAT, "%s: is empty (no molecules): give a gMicroMC or CSV file", path);
    if (format == MOLECULES_NONE) {
        format = molecules_recognise(bytes, n_bytes);
    }
    CRP_CHECK(context, format != MOLECULES_NONE, CRP_ERR_FORMAT,
              "%s: holds no molecules that are known here (neither gMicroMC: a multiple of 24 bytes that ends in species 0 to "
              "10, nor CSV: a header line that names species, x, y and z): say which it is with --format csv or --format gmicromc, and what "
              "is wrong with it will be told",
              path);
    CRP_TRY(molecules_create(context, path, list));
    (*list)->is_text = format == MOLECULES_CSV;
    crp_status status = format == MOLECULES_CSV ? molecules_csv_parse(context, bytes, n_bytes, *list)
                                                : gmicromc_parse(context, bytes, n_bytes, *list);
    if (status != CRP_OK) {
        molecules_destroy(list);
    }
    return status;
}

crp_status molecules_read(crp_context *context, const char *path, molecule_format format, molecule_list **list)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    *list = NULL;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    crp_status status = molecules_parse(context, path, bytes, n_bytes, format, list);
    free(bytes);
    return status;
}

/* -------------------------------------------------------------------------------------------------- checks */

size_t molecules_check_charge(crp_context *context, const molecule_list *list, const int32_t *charges)
{
    enum { SHOWN = 5 };
    int64_t *sum = calloc(list->n_tracks > 0 ? list->n_tracks : 1, sizeof *sum);
    size_t n_charged = 0;
    if (sum == NULL) {
        context_log(context, CRP_LOG_WARNING, "chem", "%s: no memory to check the charge of its tracks", list->path);
        return 0;
    }
    for (size_t i = 0; i < list->n; i++) {
        sum[list->track[i]] += charges[list->name[i]];
    }
    for (size_t i = 0; i < list->n_tracks; i++) {
        if (sum[i] == 0) {
            continue;
        }
        if (n_charged++ < SHOWN) {
            context_log(context, CRP_LOG_WARNING, "chem", "%s: track %llu: %llu molecules, net charge %+lld e (0 is expected)",
                        list->path, (unsigned long long)list->tracks[i].label,
                        (unsigned long long)list->tracks[i].count, (long long)sum[i]);
        }
    }
    if (n_charged > SHOWN) {
        context_log(context, CRP_LOG_WARNING, "chem", "%s: %zu of %zu tracks have a net charge", list->path, n_charged,
                    list->n_tracks);
    }
    free(sum);
    return n_charged;
}
