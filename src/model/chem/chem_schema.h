/** The keys of a chem model in YAML: one table for files, settings and documents. */
#ifndef MODEL_CHEM_CHEM_SCHEMA_H
#define MODEL_CHEM_CHEM_SCHEMA_H

#include "core/schema.h"

/** Version of the format: `version:` of a file. */
#define CHEM_YAML_VERSION 1

/** Objects of the table. */
enum { CHEM_OBJECT_CHEM, /**< chem_model */ CHEM_OBJECT_MODEL /**< crp_model */ };

extern const schema_table chem_schema;

/** Words of the choices, in the order of chem_method, chem_space, chem_source_kind; ended by NULL. */
extern const char *const chem_method_words[], *const chem_space_words[], *const chem_source_words[];

#endif
