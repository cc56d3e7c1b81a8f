/** Parts of the reader of Molflow XML: see molflow.h. The parser proper is molflow_xml.c, what elements mean
 * molflow_read.c. */
#ifndef IO_MOLFLOW_READ_H
#define IO_MOLFLOW_READ_H

#include "core/context.h"
#include "model/gas/gas.h"

enum { MOLFLOW_MAX_DEPTH = 40 };

/** Where in the file the reader is. */
typedef enum molflow_place {
    PLACE_SKIP, /**< in something that is not needed, or not known */
    PLACE_TOP,  /**< under the root, or beside the other top elements of an old file */
    PLACE_GEOMETRY,
    PLACE_VERTICES,
    PLACE_FACETS,
    PLACE_FACET,
    PLACE_RECORDINGS,
    PLACE_INDICES,
    PLACE_FACET_HISTOGRAMS,
    PLACE_GLOBAL_HISTOGRAMS,
    PLACE_STRUCTURES,
    PLACE_INTERFACE,
    PLACE_SELECTIONS,
    PLACE_SELECTION,
    PLACE_FORMULAS,
    PLACE_SETTINGS,
    PLACE_GAS,
    PLACE_TIME,
    PLACE_MOMENTS,
    PLACE_LEAF
} molflow_place;

typedef struct molflow_reader {
    crp_context *context;
    const char *path;
    uint32_t line; /**< of the element in hand */
    gas_model *gas;
    molflow_place places[MOLFLOW_MAX_DEPTH]; /**< of the elements that are open */
    uint32_t depth;
    crp_status status;
    bool has_geometry;
    /* the facet in hand */
    gas_surface surface;
    uint32_t facet_line;
    uint32_t *corners, n_corners, corner_room;
    double map_outgassing; /**< [Pa m3/s] of its outgassing map; negative: none */
    bool uses_map, is_moving;
    char moving_facet[GAS_NAME]; /**< the first one, "" none */
    uint32_t n_moving;
    bool has_motion;
    /* the selection in hand */
    char selection[GAS_NAME];
    uint32_t *selected, n_selected, selected_room;
    uint32_t n_structures;
} molflow_reader;

/** What an element does: attributes are name, value, name, value, NULL. */
typedef crp_status (*molflow_handler)(molflow_reader *reader, const char **attributes);

/** The place inside a child element, and what to do at its begin; PLACE_SKIP when it is not needed. */
molflow_place molflow_find_child(molflow_place parent, const char *name, molflow_handler *begin);
/** What to do at the end of an element of this place. */
crp_status molflow_leave(molflow_reader *reader, molflow_place place);
/** After the last element. */
crp_status molflow_end(molflow_reader *reader);

/* Attributes. Errors: CRP_ERR_FORMAT with file, line and facet. */
crp_status molflow_fail(molflow_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Value of an attribute, or NULL. */
const char *molflow_attribute(const char **attributes, const char *name);
/** A finite number; a missing attribute leaves `value` as it is. */
crp_status molflow_real(molflow_reader *reader, const char **attributes, const char *name, double *value);
/** A whole number in [low, high]; missing: as it is. */
crp_status molflow_whole(molflow_reader *reader, const char **attributes, const char *name, int32_t low, int32_t high,
                         int32_t *value);
/** 0, 1, true or false; missing: as it is. */
crp_status molflow_flag(molflow_reader *reader, const char **attributes, const char *name, bool *value);

#endif
