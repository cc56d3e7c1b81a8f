/** The table of keys of gas models in YAML. */
#ifndef MODEL_GAS_GAS_SCHEMA_H
#define MODEL_GAS_GAS_SCHEMA_H

#include "core/schema.h"

enum { GAS_YAML_VERSION = 1 };
/** Objects of the table. */
enum { GAS_OBJECT_GAS, GAS_OBJECT_MODEL, GAS_OBJECT_TEXTS };

/** What a file holds as text and is taken apart afterwards. Strings are owned. */
typedef struct gas_yaml_group {
    char name[64];
    char *facets;      /**< "1 2 5-9": numbers from 1 in the order of the file */
} gas_yaml_group;
typedef struct gas_yaml_formula {
    char name[64];
    char *text;
} gas_yaml_formula;
typedef struct gas_yaml_texts {
    char *vertices;
    double unit;       /**< of the vertices [m] */
    gas_yaml_group *groups;
    uint32_t n_groups;
    gas_yaml_formula *formulas;
    uint32_t n_formulas;
} gas_yaml_texts;

extern const schema_table gas_schema;

#endif
