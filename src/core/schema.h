/**
 * Table-driven input: which keys a file may hold, their types, units, ranges, defaults and one line of documentation.
 *
 * One table serves the reader of YAML files, `--set path=value` on a built model and the documentation, so that a check
 * is written once. Fields point into the module's own structs: each has an object number (whose base address the
 * caller gives) and an offset. List items are objects of their own, number 0 inside their table.
 *
 * Elements of lists count from 1 in every path and message: layers[2] is the second layer.
 */
#ifndef CORE_SCHEMA_H
#define CORE_SCHEMA_H

#include "core/units.h"
#include "core/yaml_tree.h"

typedef enum schema_type {
    SCHEMA_REAL,    /**< double, with dimension and unit */
    SCHEMA_COUNT,   /**< uint32_t or uint64_t, by size */
    SCHEMA_TEXT,    /**< char[size] */
    SCHEMA_BLOCK,   /**< char *: text of any length and number of lines, allocated; the old one is freed, the owner frees it */
    SCHEMA_CHOICE,  /**< one of `choices`: size 1 stores its first letter (char), size 4 its index (uint32_t) */
    SCHEMA_BOOL,    /**< bool: true or false */
    SCHEMA_SECTION, /**< mapping with a table of its own over the same objects */
    SCHEMA_LIST     /**< sequence of mappings: pointer at `offset`, uint32_t number of items at `count_offset` */
} schema_type;

/** How a missing key is taken. */
typedef enum schema_need {
    SCHEMA_OPTIONAL, /**< the field keeps what the caller put there, or gets `fallback` where there is one */
    SCHEMA_REQUIRED,
    SCHEMA_FIXED     /**< required in files and refused in settings (version, kind) */
} schema_need;

enum { SCHEMA_NO_FIELD = 0xffff, SCHEMA_MAX_OBJECTS = 4, SCHEMA_PATH_LENGTH = 256, SCHEMA_MAX_ITEMS = 1000000 };

typedef struct schema_table schema_table;

typedef struct schema_field {
    const char *key;
    schema_type type;
    schema_need need;
    const char *doc;       /**< one line, for people */
    const char *example;   /**< a value, for "add it like ..." */
    const char *fallback;  /**< value of a missing key, in the words of a file; NULL: none */
    uint32_t object;       /**< number of the object it is stored in; SCHEMA_NO_FIELD: checked and not stored */
    size_t offset, size;
    unit_dimension dimension; /**< REAL */
    const char *unit;         /**< REAL: of the stored number */
    const char *(*check)(double value); /**< REAL, COUNT: NULL when fine, else a static sentence: what must hold */
    bool has_range;        /**< REAL, COUNT: must lie in [min, max] */
    double min, max;
    const char *keyword;   /**< REAL: a word that stands for `keyword_value`; NULL: none */
    double keyword_value;
    const char *const *choices; /**< CHOICE: ended by NULL */
    crp_status (*check_text)(crp_context *context, const char *where, const char *text); /**< TEXT */
    const schema_table *table;  /**< SECTION, LIST */
    size_t count_offset;        /**< LIST */
} schema_field;

struct schema_table {
    const char *name;     /**< for the documentation: "light", "layer" */
    const schema_field *fields;
    size_t n_fields;
    size_t item_size;     /**< tables of list items: bytes of an item */
    size_t name_offset;   /**< tables of list items: where an item's name (char array) stands; SCHEMA_NO_FIELD: none */
};

/**
 * Read a mapping into the objects.
 *
 * The array of a list is allocated with calloc() and owned by the caller afterwards, also when the call fails; a
 * pointer that is not NULL is freed first.
 *
 * @param path     of the file, for messages
 * @param objects  base addresses by object number
 * Errors: CRP_ERR_CONFIG ("path:line:column: layers[2].mu_s = -3 /cm must be >= 0 (scattering coefficient)"),
 * CRP_ERR_MEMORY.
 */
crp_status schema_load(crp_context *context, const char *path, const yaml_node *node, const schema_table *table,
                       void *const *objects);

/**
 * Set one value of built objects: "grid.nz=200", "layers.2.mu_a=0.02/mm", "layers[dermis].g=0.8".
 *
 * Errors: CRP_ERR_CONFIG, "--set <setting>: problem (why) suggestion"; nothing is changed then.
 */
crp_status schema_set(crp_context *context, const schema_table *table, void *const *objects, const char *setting);

/** Take a setting apart: parts of the path ("layers", "2", "mu_a") and the value. Errors: CRP_ERR_CONFIG. */
enum { SCHEMA_MAX_PARTS = 8, SCHEMA_PART_LENGTH = 64 };
typedef struct schema_setting {
    char parts[SCHEMA_MAX_PARTS][SCHEMA_PART_LENGTH];
    size_t n_parts;
    const char *value; /**< points into the setting */
} schema_setting;
crp_status schema_split_setting(crp_context *context, const char *setting, schema_setting *out);

/** Visit every field, depth first, with its path ("layers[].mu_a"): for documents and their tests. */
typedef void (*schema_visitor)(void *user, const char *path, const schema_field *field);
void schema_visit(const schema_table *table, schema_visitor visitor, void *user);

#endif
