/**
 * A small immutable tree of a YAML (or JSON) text: mappings, sequences and scalars, each with line and column.
 *
 * What is refused, with line and column: broken syntax, several documents, duplicate keys, keys that are not scalars,
 * tags, zero bytes, and anything that grows beyond the limits below. Aliases share the node of their anchor; the limit
 * on nodes counts every use, so that a "billion laughs" file is refused while it is still small.
 */
#ifndef CORE_YAML_TREE_H
#define CORE_YAML_TREE_H

#include "core/context.h"

#include <stdbool.h>
#include <stdio.h>

enum {
    YAML_TREE_MAX_DEPTH = 32,
    YAML_TREE_MAX_NODES = 1000000, /**< aliases expanded */
    YAML_TREE_MAX_KEYS = 1000,     /**< of one mapping */
    YAML_TREE_MAX_BYTES = 512 << 20 /**< of the text */
};

typedef enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_SEQUENCE, YAML_KIND_MAPPING } yaml_kind;

/** One node. Everything is owned by the tree. */
typedef struct yaml_node {
    yaml_kind kind;
    bool is_quoted;        /**< scalar written in quotes or as a block: never null */
    uint32_t line, column; /**< from 1 */
    size_t begin, end;     /**< scalar: the characters of the text it stands in, quotes included */
    const char *text;      /**< scalar: its value, zero-terminated; else NULL */
    size_t n_items;        /**< entries of a sequence or pairs of a mapping */
    struct yaml_node **items;
    struct yaml_node **keys; /**< mapping: scalars, n_items of them; else NULL */
    size_t n_nodes;        /**< this node and all below, aliases expanded */
} yaml_node;

typedef struct yaml_tree yaml_tree;

/**
 * Parse a text.
 *
 * @param path  for messages only
 * Errors: CRP_ERR_FORMAT ("path:line:column: problem (why) suggestion"), CRP_ERR_MEMORY.
 */
crp_status yaml_tree_parse(crp_context *context, const char *path, const char *text, size_t n_bytes, yaml_tree **tree);

/** Free a tree and set the pointer to NULL. Accepts a pointer to NULL. */
void yaml_tree_destroy(yaml_tree **tree);

/** The root node; borrowed. */
const yaml_node *yaml_tree_root(const yaml_tree *tree);

/** Value of a key of a mapping, or NULL (also when `node` is no mapping). */
const yaml_node *yaml_node_find(const yaml_node *node, const char *key);

/** Is it an empty value: nothing, "~" or "null", without quotes? */
bool yaml_node_is_null(const yaml_node *node);

/** "a scalar", "a list" or "a mapping": for messages. Static storage. */
const char *yaml_kind_words(yaml_kind kind);

/** Write text as a double-quoted scalar that YAML and JSON-like readers give back byte by byte (valid UTF-8 only). */
void yaml_write_string(FILE *file, const char *text);

#endif
