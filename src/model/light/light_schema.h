/** The keys of a light model in YAML: one table for files, settings and documents. */
#ifndef MODEL_LIGHT_LIGHT_SCHEMA_H
#define MODEL_LIGHT_LIGHT_SCHEMA_H

#include "core/schema.h"

/** Version of the format: `version:` of a file. */
#define LIGHT_YAML_VERSION 1

/** Objects of the table. */
enum { LIGHT_OBJECT_LIGHT, /**< light_model */ LIGHT_OBJECT_MODEL /**< crp_model */ };

/** Thickness [cm] that the word "infinite" stands for, as MCML's own samples have it. */
#define LIGHT_INFINITE 1e8

extern const schema_table light_schema;

#endif
