/** Shared by schema.c and schema_set.c only: one value from text into its place, and the lookup of keys. */
#ifndef CORE_SCHEMA_VALUE_H
#define CORE_SCHEMA_VALUE_H

#include "core/schema.h"

/** Check the text of a field that is neither section nor list, and store its value. `where` begins the message. */
crp_status schema_take(crp_context *context, const schema_field *field, const char *where, const char *text,
                       void *const *objects);

/** The field with that key, or NULL. */
const schema_field *schema_find(const schema_table *table, const char *key);

/** "<where> is not a known key (known: ...) did you mean ...": always CRP_ERR_CONFIG. */
crp_status schema_fail_unknown(crp_context *context, const char *where, const schema_table *table, const char *key);

#endif
